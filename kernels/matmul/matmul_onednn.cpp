// SPDX-License-Identifier: Apache-2.0

#include "kernels/onednn/onednn.h"
#include "kernels/parallel.h"
#include "kernels/validate.h"

#include <algorithm>

namespace npu::kernels {

using namespace onednn;
using dnnl::memory;

/// A matrix of one row in row-major order, wherever its layout has the row: a
/// product with a leading dimension below the row's length ends with an error.
static void putRowFirst(npu_tensor_desc &tensor) {
  int row = tensor.rank - 2, column = tensor.rank - 1;
  if (row < 0 || tensor.dims[row] != 1)
    return;
  auto *end = std::remove(tensor.order, tensor.order + tensor.rank,
                          static_cast<int8_t>(row));
  auto *place = std::find(tensor.order, end, static_cast<int8_t>(column));
  std::move_backward(place, end, end + 1);
  *place = static_cast<int8_t>(row);
}

/// The tensor with units in front up to `rank`, so that batches broadcast.
static bool withRank(npu_tensor_desc tensor, int rank, npu_tensor_desc &out,
                     std::string &whyNot) {
  int shift = rank - tensor.rank;
  if (tensor.block_count) {
    whyNot = "blocked operand";
    return false;
  }
  out = tensor;
  out.rank = rank;
  for (int d = 0; d < rank; ++d) {
    out.dims[d] = d < shift ? 1 : tensor.dims[d - shift];
    out.order[d] =
        static_cast<int8_t>(d < shift ? d : tensor.order[d - shift] + shift);
  }
  putRowFirst(out);
  return true;
}

static bool typesFit(const Problem &problem, std::string &whyNot) {
  if (hasPackedWeights(problem)) {
    whyNot = "packed weights";
    return false;
  }
  int32_t a = problem.inputs[0].dtype, b = problem.inputs[1].dtype;
  bool isFloatPair = a == b && (a == NPU_F32 || a == NPU_BF16);
  bool isInt8 = (a == NPU_I8 || a == NPU_U8) && b == NPU_I8;
  if (isFloatPair || (isInt8 && addsInFull()))
    return true;
  whyNot = std::string("types ") + dtypeName(a) + " and " + dtypeName(b);
  return false;
}

/// Whether a fused function reads one number for each column of a result whose
/// rows or matrices lie apart. oneDNN's products (3.2, "brg") then read beside
/// the numbers and crash.
static bool hasVectorBesideGaps(const Problem &problem) {
  const npu_tensor_desc &y = problem.outputs[0];
  if (sameStorage(y, makeTensor(y.dtype, y.dims, y.rank)))
    return false;
  for (size_t i = 2; i < problem.inputs.size(); ++i) {
    int64_t count = elementCount(problem.inputs[i]);
    if (count > 1 && count < elementCount(y))
      return true;
  }
  return false;
}

/// Measured: of one row of bytes times weights products in tiles take 2.5 times
/// as long as on vectors, of four 1.6 times, of eight as long.
static bool isSlowOnTiles(const Problem &problem,
                          const dnnl::primitive_desc &found) {
  constexpr int64_t fewRows = 8;
  const npu_tensor_desc &y = problem.outputs[0];
  return found && problem.inputs[1].dtype == NPU_I8 && usesTiles(found) &&
         y.rank >= 2 && y.dims[y.rank - 2] < fewRows;
}

static std::unique_ptr<Kernel> createAsIs(const Problem &problem,
                                          std::string &whyNot) {
  ThreadScope scope(problem.threads);
  if (hasVectorBesideGaps(problem)) {
    whyNot = "a number for each column of a strided result";
    return nullptr;
  }
  npu_tensor_desc a, b, y = problem.outputs[0];
  Desc first, second, result;
  Fusion fusion;
  if (!typesFit(problem, whyNot) || !translate(problem, fusion, whyNot) ||
      !withRank(problem.inputs[0], y.rank, a, whyNot) ||
      !withRank(problem.inputs[1], y.rank, b, whyNot) ||
      !withRank(y, y.rank, y, whyNot) || !describeAsStored(a, first, whyNot) ||
      !describeAsStored(y, result, whyNot))
    return nullptr;
  bool isPackable = problem.isConstant(1) && problem.inputs[1].rank == y.rank;
  if (isPackable)
    second = Desc(memory::dims(b.dims, b.dims + b.rank), typeOf(b.dtype),
                  memory::format_tag::any);
  else if (!describeAsStored(b, second, whyNot))
    return nullptr;
  auto describe = [&] {
    return dnnl::matmul::primitive_desc(engine(), first, second, result,
                                        fusion.attributes, true);
  };
  dnnl::primitive_desc found = describe();
  if (isSlowOnTiles(problem, found) && !skipTiles(found))
    found = describe();
  auto made = makeKernel(problem, found, whyNot);
  if (!made)
    return nullptr;
  made->addArgument({DNNL_ARG_SRC, 0, first});
  if (isPackable)
    made->addWeights(DNNL_ARG_WEIGHTS, 1, found.weights_desc());
  else
    made->addArgument({DNNL_ARG_WEIGHTS, 1, second});
  made->addArgument(
      {DNNL_ARG_DST, static_cast<int>(problem.inputs.size()), result});
  for (const Argument &argument : fusion.arguments)
    made->addArgument(argument);
  return made;
}

/// The tensor as a matrix of all its rows, whatever batch they are of. False
/// where they are not one run in memory.
static bool mergeRows(npu_tensor_desc &tensor) {
  if (tensor.block_count || tensor.rank < 2)
    return false;
  const int column = tensor.rank - 1;
  int64_t rows = 1;
  int previous = -1; // the row dimension before
  bool isBehind = false, isColumnFirst = false;
  for (int i = 0; i < tensor.rank; ++i) {
    const int dim = tensor.order[i];
    if (tensor.dims[dim] == 1)
      continue;
    if (dim == column) {
      isColumnFirst = previous < 0;
      isBehind = true;
      continue;
    }
    if (dim < previous || (isBehind && !isColumnFirst))
      return false;
    previous = dim;
    rows *= tensor.dims[dim];
  }
  const int64_t dims[2] = {rows, tensor.dims[column]};
  const int64_t weights = tensor.weights_offset;
  tensor = makeTensor(tensor.dtype, dims, 2);
  tensor.weights_offset = weights;
  if (isColumnFirst && rows > 1)
    std::swap(tensor.order[0], tensor.order[1]);
  return true;
}

/// Whether all dimensions in front of the last `count` are 1.
static bool hasUnitsInFront(const npu_tensor_desc &tensor, int count) {
  return std::all_of(tensor.dims, tensor.dims + tensor.rank - count,
                     [](int64_t extent) { return extent == 1; });
}

/// A batch of matrices times one matrix as one product: constant weights are
/// packed then, and the product has all rows to divide among threads.
static bool mergeBatch(Problem &problem) {
  const npu_tensor_desc y = problem.outputs[0];
  npu_tensor_desc &b = problem.inputs[1];
  if (y.rank == 2 || b.block_count || !hasUnitsInFront(b, 2))
    return false;
  for (size_t i = 2; i < problem.inputs.size(); ++i) {
    const npu_tensor_desc &operand = problem.inputs[i];
    bool isWhole = operand.rank == y.rank &&
                   std::equal(y.dims, y.dims + y.rank, operand.dims);
    if (!isWhole && operand.rank > 0 && !hasUnitsInFront(operand, 1))
      return false;
  }
  for (size_t i = 0; i < problem.inputs.size(); ++i)
    if (problem.inputs[i].rank >= 2 && !mergeRows(problem.inputs[i]))
      return false;
  return mergeRows(problem.outputs[0]);
}

/// Whether a batch of matrices has other dimensions between rows or columns.
static bool isStrided(const Problem &problem) {
  for (const npu_tensor_desc &tensor :
       {problem.inputs[0], problem.inputs[1], problem.outputs[0]})
    if (tensor.rank == 3 &&
        !sameStorage(tensor, makeTensor(tensor.dtype, tensor.dims, 3)))
      return true;
  return false;
}

std::unique_ptr<Kernel> createMatmulOnednn(const Problem &problem,
                                           std::string &whyNot) {
  Problem merged = problem;
  if (mergeBatch(merged))
    if (std::unique_ptr<Kernel> made = createAsIs(merged, whyNot))
      return made;
  if (problem.outputs[0].rank != 3 || !isStrided(problem))
    return createAsIs(problem, whyNot);
  // oneDNN's fast products know such strides in four dimensions only.
  Problem raised = problem;
  for (auto *tensors : {&raised.inputs, &raised.outputs})
    for (npu_tensor_desc &tensor : *tensors) {
      npu_tensor_desc flat = tensor;
      if (flat.rank == 3 && !withRank(flat, 4, tensor, whyNot))
        return nullptr;
    }
  return createAsIs(raised, whyNot);
}

} // namespace npu::kernels
