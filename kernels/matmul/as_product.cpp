// SPDX-License-Identifier: Apache-2.0

#include "kernels/matmul/as_product.h"

#include "kernels/matmul/packed_weights.h"
#include "kernels/support/access.h"
#include "kernels/tensor.h"
#include "kernels/validate.h"

#include <algorithm>

namespace npu::kernels {

/// Where logical dimension `dim` of `rank` goes if channels are the last.
static int behindPixels(int dim, int rank) {
  return dim == 0 ? 0 : dim == 1 ? rank - 1 : dim - 1;
}

/// The same storage with channels as the last of `rank` dimensions; of a tensor
/// of fewer, which is aligned at the right.
static npu_tensor_desc channelsInside(const npu_tensor_desc &tensor, int rank) {
  const int shift = rank - tensor.rank;
  npu_tensor_desc result = tensor;
  result.rank = rank;
  auto place = [&](int dim) {
    return static_cast<int8_t>(behindPixels(dim, rank));
  };
  for (int d = 0; d < rank; ++d) {
    const auto to = static_cast<size_t>(behindPixels(d, rank));
    result.dims[to] = d < shift ? 1 : tensor.dims[d - shift];
    result.order[d] = place(d < shift ? d : tensor.order[d - shift] + shift);
  }
  for (int b = 0; b < tensor.block_count; ++b)
    result.block_dims[b] = place(tensor.block_dims[b] + shift);
  return result;
}

/// Whether each window lies in one piece of the data, which has channels as the
/// last dimension, and none reaches into padding.
static bool hasWindowsInOnePiece(const Problem &problem,
                                 const npu_tensor_desc &data) {
  const npu_conv_attrs &a = problem.attrs.conv;
  const npu_tensor_desc &w = problem.inputs[1];
  const Strides strides = stridesOf(data);
  int64_t run = data.dims[data.rank - 1]; // in one piece so far
  bool isWhole = true; // the window has all of the dimensions inside
  for (int d = w.rank - 1; d >= 2; --d) {
    const int64_t window = w.dims[d], extent = problem.inputs[0].dims[d];
    if (a.pads_begin[d - 2] != 0 ||
        (problem.outputs[0].dims[d] - 1) * a.strides[d - 2] + window > extent)
      return false;
    if (window > 1 &&
        (!isWhole || a.dilations[d - 2] != 1 || strides.outer[d - 1] != run))
      return false;
    isWhole = isWhole && window == extent;
    run *= window;
  }
  return a.groups == 1;
}

std::vector<int64_t> weightsOfWindow(const npu_tensor_desc &w) {
  const std::vector<DimMap> maps = dimMaps(w);
  std::vector<int64_t> places = {0};
  for (int d = 2; d < w.rank; ++d)
    places = withDim(places, maps[static_cast<size_t>(d)], w.dims[d]);
  return withDim(places, maps[1], w.dims[1]);
}

/// Where the windows of the results begin, `tensor` with channels as the last
/// dimension.
static bool mapPixels(const npu_tensor_desc &tensor, const npu_tensor_desc &y,
                      const int64_t *strides, RowMap &map) {
  const std::vector<DimMap> maps = dimMaps(tensor);
  if (!maps.back().isLinear())
    return false;
  map.step = maps.back().stride;
  map.at = {0};
  for (int d = 0; d < y.rank - 1; ++d)
    map.at = withDim(map.at, maps[static_cast<size_t>(d)], y.dims[d],
                     d == 0 ? 1 : strides[d - 1]);
  return true;
}

/// Fewer weights than that take little memory in f32, either.
constexpr int64_t fewestWindowWeights = 16 * 1024;
/// Windows up to which oneDNN's convolution of f32 is slower.
constexpr int64_t fewWindows = 64;

/// Whether the instructions read the result proper and operands behind it only.
static bool readsExtras(const Problem &problem) {
  const int proper = properInputs(problem);
  return std::all_of(
      problem.instrs.begin(), problem.instrs.end(), [&](const npu_instr &i) {
        return (i.a < 0 || i.a >= proper) && (i.b < 0 || i.b >= proper) &&
               (i.c < 0 || i.c >= proper);
      });
}

bool describeColumns(const Problem &conv, Product &product) {
  Problem &p = product.problem = conv;
  const int rank = conv.outputs[0].rank;
  p.outputs[0] = channelsInside(conv.outputs[0], rank);
  for (auto i = static_cast<size_t>(properInputs(conv)); i < p.inputs.size();
       ++i)
    p.inputs[i] = channelsInside(conv.inputs[i], rank);
  product.columns = conv.inputs[1].dims[0];
  product.bias = conv.attrs.conv.has_bias ? 2 : -1;
  return readsExtras(conv);
}

static bool convAsProduct(const Problem &conv, Product &product,
                          std::string &whyNot) {
  describeColumns(conv, product);
  Problem &p = product.problem;
  p.inputs[0] = channelsInside(conv.inputs[0], conv.outputs[0].rank);
  const npu_tensor_desc &w = conv.inputs[1];
  product.down = weightsOfWindow(w);
  product.across = stridesOf(w).outer[0];
  if (!hasWindowsInOnePiece(conv, p.inputs[0])) {
    whyNot = "windows in several pieces, padded or grouped";
    const bool isOurs = product.isNarrow || elementCount(conv.outputs[0]) <=
                                                fewWindows * product.columns;
    return isOurs && elementCount(w) >= fewestWindowWeights &&
           product.windows.map(conv, p.inputs[0], whyNot);
  }
  return mapPixels(p.inputs[0], p.outputs[0], conv.attrs.conv.strides,
                   product.data);
}

static bool matmulAsProduct(const Problem &matmul, Product &product,
                            std::string &whyNot) {
  const npu_tensor_desc &w = matmul.inputs[1];
  if (w.rank < 2 || matmul.inputs[0].rank < 2 ||
      elementCount(w) != w.dims[w.rank - 1] * w.dims[w.rank - 2]) {
    whyNot = "factors that are not matrices, one of them alone";
    return false;
  }
  for (int64_t k = 0; k < w.dims[w.rank - 2]; ++k)
    product.down.push_back(k * stridesOf(w).outer[w.rank - 2]);
  product.across = stridesOf(w).outer[w.rank - 1];
  return mapData(matmul, product.data);
}

bool packedAsProduct(const Problem &matmul, Product &product,
                     std::string &whyNot) {
  whyNot = whyNotAsFloats(matmul);
  if (!whyNot.empty())
    return false;
  product.problem = matmul;
  product.isPacked = true;
  product.columns = matmul.inputs[1].dims[1];
  product.depth = matmul.inputs[0].dims[matmul.inputs[0].rank - 1];
  if (mapData(matmul, product.data))
    return true;
  whyNot = "data whose rows have no one step";
  return false;
}

/// Whether numbers that weights are made of have a row of scales, if any, with
/// one for each column.
static bool hasNarrowColumns(const Problem &problem, int columnDim) {
  const std::optional<Narrow> &narrow = problem.narrow;
  return narrow && sameStorage(narrow->numbers, problem.inputs[1]) &&
         narrow->isAlong(columnDim);
}

/// What no kernel on panels gives; empty: nothing of the kind.
static std::string whyNotResult(const Problem &problem) {
  const int inPlace = problem.inPlaceInput;
  const npu_tensor_desc &y = problem.outputs[0];
  if (inPlace >= 0 &&
      (inPlace < properInputs(problem) ||
       !sameStorage(problem.inputs[static_cast<size_t>(inPlace)], y)))
    return "a result in place of a factor";
  return y.dtype != NPU_F32 && problem.instrs.empty()
             ? "a result that is not f32"
             : "";
}

bool asProduct(const Problem &problem, Product &product, std::string &whyNot) {
  const bool isConv = problem.op == NPU_OP_CONV;
  const npu_tensor_desc &x = problem.inputs[0], &w = problem.inputs[1],
                        &y = problem.outputs[0];
  const bool isPacked = hasPackedWeights(problem);
  whyNot = whyNotResult(problem);
  if (!whyNot.empty())
    return false;
  if (x.dtype != NPU_F32 || (w.dtype != NPU_F32 && !isPacked) ||
      w.block_count || !problem.isConstant(1)) {
    whyNot = "not f32 times constant f32 in no blocks";
    return false;
  }
  if (elementCount(x) == 0 || elementCount(y) == 0 || elementCount(w) == 0) {
    whyNot = "nothing to compute";
    return false;
  }
  if (!readsExtras(problem)) {
    whyNot = "a fused chain that reads the factors";
    return false;
  }
  product.problem = problem;
  product.columns = isConv ? w.dims[0] : w.dims[w.rank - 1];
  product.isNarrow =
      !isPacked && hasNarrowColumns(problem, isConv ? 0 : w.rank - 1);
  const bool isMapped = isConv     ? convAsProduct(problem, product, whyNot)
                        : isPacked ? packedAsProduct(problem, product, whyNot)
                                   : matmulAsProduct(problem, product, whyNot);
  if (!isPacked)
    product.depth = static_cast<int64_t>(product.down.size());
  if (isMapped && (product.data.step == 1 || product.depth == 1 ||
                   product.windows.rows() > 0)) {
    whyNot.clear();
    return true;
  }
  if (whyNot.empty())
    whyNot = "rows that do not lie in one piece";
  return false;
}

} // namespace npu::kernels
