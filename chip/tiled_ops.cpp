// SPDX-License-Identifier: Apache-2.0
//
// The tiled form of each op: one function for each family, and the table that
// names them.
#include "chip/tiled_form.h"

#include "kernels/tensor.h"
#include "kernels/validate.h"

#include <algorithm>
#include <numeric>

namespace npu::chip {
namespace {

using kernels::Problem;

/// The form while it is made, from one in which nothing is cut.
class Maker {
public:
  explicit Maker(const Problem &problem)
      : problem(problem), result(problem.outputs.front()) {
    for (const npu_tensor_desc &input : problem.inputs)
      form.inputs.emplace_back(static_cast<size_t>(input.rank));
    form.grain.assign(result.dims, result.dims + result.rank);
    for (int d = 0; d < result.rank; ++d)
      form.axes.push_back("d" + std::to_string(d));
  }

  const Problem &problem;
  const npu_tensor_desc &result;
  TiledForm form;

  DimRule &rule(size_t input, int dim) {
    return form.inputs[input][static_cast<size_t>(dim)];
  }
  void same(size_t input, int dim, int axis) {
    rule(input, dim) = {DimRule::Same, axis};
  }
  /// All dimensions, those of one element aside, aligned at the last.
  void broadcast(size_t input) {
    const npu_tensor_desc &tensor = problem.inputs[input];
    const int shift = result.rank - tensor.rank;
    for (int d = 0; d < tensor.rank; ++d)
      if (tensor.dims[d] == result.dims[d + shift])
        same(input, d, d + shift);
  }
  /// Tiles may begin at multiples of `grain` of this axis.
  void cut(int axis, int64_t grain = 1) {
    form.grain[static_cast<size_t>(axis)] = grain;
  }
  void cutAll() {
    for (int d = 0; d < result.rank; ++d)
      cut(d);
  }
  void keep(int axis) { cut(axis, result.dims[axis]); }
  void name(const std::vector<std::string> &names) { form.axes = names; }
};

void nameImage(Maker &make) {
  static const char *const spatial[] = {"z", "y", "x"};
  std::vector<std::string> names = {"n", "k"};
  for (int d = 2; d < make.result.rank; ++d)
    names.emplace_back(spatial[3 - make.result.rank + d]);
  make.name(names);
}

void ofEltwise(Maker &make) { make.cutAll(); }

/// Windows over an image, and the batch; channels are the caller's.
void ofWindows(Maker &make, const int64_t *kernel, const int64_t *strides,
               const int64_t *dilations, const int64_t *pads) {
  nameImage(make);
  make.same(0, 0, 0);
  make.cut(0);
  for (int d = 2; d < make.result.rank; ++d) {
    DimRule &rule = make.rule(0, d);
    rule = {DimRule::Window, d};
    rule.stride = strides[d - 2];
    rule.window = (kernel[d - 2] - 1) * dilations[d - 2] + 1;
    rule.first = -pads[d - 2];
    make.cut(d);
  }
}

void ofConv(Maker &make) {
  const npu_conv_attrs &conv = make.problem.attrs.conv;
  const npu_tensor_desc &data = make.problem.inputs[0];
  ofWindows(make, make.problem.inputs[1].dims + 2, conv.strides, conv.dilations,
            conv.pads_begin);
  if (conv.groups > 1) {
    DimRule &rule = make.rule(0, 1);
    rule = {DimRule::Group, 1};
    rule.results = make.result.dims[1] / conv.groups;
    rule.data = data.dims[1] / conv.groups;
  }
  make.cut(1, conv.groups > 1 ? make.rule(0, 1).results : 1);
  make.same(1, 0, 1);
  if (conv.has_bias)
    make.same(2, 0, 1);
}

void ofWinograd(Maker &make) {
  static const int64_t three[] = {3, 3}, one[] = {1, 1};
  const npu_winograd_attrs &winograd = make.problem.attrs.winograd;
  ofWindows(make, three, one, one, winograd.pads_begin);
  for (int d : {2, 3})
    make.cut(d, winograd.tile);
  make.same(1, 0, 1);
  make.cut(1);
  if (winograd.has_bias)
    make.same(2, 0, 1);
}

/// Rows of the result read rows of the data that overlap the other way round.
void ofConvTranspose(Maker &make) {
  const npu_conv_attrs &conv = make.problem.attrs.conv;
  nameImage(make);
  make.same(0, 0, 0);
  make.cut(0);
  if (conv.groups > 1)
    return;
  make.same(1, conv.weight_of_conv ? 1 : 0, 1);
  if (conv.has_bias)
    make.same(2, 0, 1);
  make.cut(1);
}

void ofPool(Maker &make) {
  const npu_pool_attrs &pool = make.problem.attrs.pool;
  ofWindows(make, pool.kernel, pool.strides, pool.dilations, pool.pads_begin);
  make.same(0, 1, 1);
  make.cut(1);
}

void ofMatmul(Maker &make) {
  const npu_matmul_attrs &matmul = make.problem.attrs.matmul;
  const int rank = make.result.rank;
  if (kernels::hasPackedWeights(make.problem) || matmul.quantize != 0)
    return;
  make.cutAll();
  make.form.axes[static_cast<size_t>(rank - 2)] = "m";
  make.form.axes[static_cast<size_t>(rank - 1)] = "n";
  for (size_t i : {0, 1}) {
    make.broadcast(i);
    const npu_tensor_desc &tensor = make.problem.inputs[i];
    const int depth = tensor.rank - (i == 0 ? 1 : 2);
    make.rule(i, depth) = {};
    const int kept = tensor.rank - (i == 0 ? 2 : 1);
    make.same(i, kept, i == 0 ? rank - 2 : rank - 1);
  }
}

/// Operand 0 has the result's dimensions, all cut but those that are kept.
void ofRows(Maker &make) {
  make.cutAll();
  for (int d = 0; d < make.result.rank; ++d)
    make.same(0, d, d);
}

void keepAxis(Maker &make, int64_t axis) {
  const int kept = static_cast<int>(axis);
  make.rule(0, kept) = {};
  make.keep(kept);
}

void ofSoftmax(Maker &make) {
  ofRows(make);
  keepAxis(make, make.problem.attrs.axis.axis);
}

void ofTopK(Maker &make) {
  ofRows(make);
  keepAxis(make, make.problem.attrs.top_k.axis);
}

void ofCumulate(Maker &make) {
  ofRows(make);
  keepAxis(make, make.problem.attrs.cumulate.axis);
}

void ofNorm(Maker &make) {
  const npu_norm_attrs &norm = make.problem.attrs.norm;
  ofRows(make);
  for (int d = 0; d < make.result.rank; ++d)
    if ((norm.axes_mask >> d & 1) != 0 || d == norm.group_axis)
      keepAxis(make, d);
  for (size_t i = 1; i < (norm.has_bias ? 3u : 2u); ++i)
    make.broadcast(i);
}

void ofReduce(Maker &make) {
  const npu_reduce_attrs &reduce = make.problem.attrs.reduce;
  make.cutAll();
  int axis = 0;
  for (int d = 0; d < make.problem.inputs[0].rank; ++d) {
    const bool isReduced = (reduce.axes_mask >> d & 1) != 0;
    if (!isReduced)
      make.same(0, d, axis);
    axis += !isReduced || reduce.keep_dims;
  }
}

void ofPad(Maker &make) {
  const npu_pad_attrs &pad = make.problem.attrs.pad;
  ofRows(make);
  for (int d = 0; d < make.result.rank; ++d)
    if (pad.begin[d] != 0 || pad.end[d] != 0)
      keepAxis(make, d);
}

void ofResize(Maker &make) {
  ofRows(make);
  for (int d = 0; d < make.result.rank; ++d)
    if (make.problem.inputs[0].dims[d] != make.result.dims[d] ||
        make.problem.attrs.resize.scales[d] != 1)
      keepAxis(make, d);
}

void ofTranspose(Maker &make) {
  make.cutAll();
  for (int d = 0; d < make.result.rank; ++d)
    make.same(0, static_cast<int>(make.problem.attrs.transpose.permutation[d]),
              d);
}

void ofSlice(Maker &make) {
  make.cutAll();
  for (int d = 0; d < make.result.rank; ++d) {
    DimRule &rule = make.rule(0, d);
    rule = {DimRule::Step, d};
    rule.stride = make.problem.attrs.slice.steps[d];
    rule.first = make.problem.attrs.slice.starts[d];
  }
}

void ofConcat(Maker &make) {
  const int axis = static_cast<int>(make.problem.attrs.axis.axis);
  make.cutAll();
  make.keep(axis);
  for (size_t i = 0; i < make.problem.inputs.size(); ++i)
    for (int d = 0; d < make.result.rank; ++d)
      if (d != axis)
        make.same(i, d, d);
}

void ofBroadcast(Maker &make) {
  make.cutAll();
  make.broadcast(0);
}

void ofGather(Maker &make) {
  const int axis = static_cast<int>(make.problem.attrs.axis.axis);
  const int places = make.problem.inputs[1].rank;
  make.cutAll();
  for (int d = 0; d < make.problem.inputs[0].rank; ++d)
    if (d != axis)
      make.same(0, d, d < axis ? d : d + places - 1);
  for (int d = 0; d < places; ++d)
    make.same(1, d, axis + d);
}

/// A batch of heads each.
void ofAttention(Maker &make) {
  const int heads = make.result.rank - 3;
  for (int d = 0; d < heads; ++d) {
    for (size_t i = 0; i < 3; ++i)
      make.same(i, d, d);
    make.cut(d);
  }
  if (!make.problem.attrs.attention.has_mask)
    return;
  const npu_tensor_desc &mask = make.problem.inputs[3];
  const int shift = make.result.rank - mask.rank;
  for (int d = std::max(0, -shift); d + shift < heads; ++d)
    if (mask.dims[d] == make.result.dims[d + shift])
      make.same(3, d, d + shift);
}

/// In one tile.
void ofWhole(Maker &) {}

/// Each op is named, so that the compiler finds one that is forgotten.
void (*familyOf(npu_op op))(Maker &) {
  switch (op) {
  case NPU_OP_ELTWISE:
    return ofEltwise;
  case NPU_OP_CONV:
    return ofConv;
  case NPU_OP_CONV_TRANSPOSE:
    return ofConvTranspose;
  case NPU_OP_CONV_WINOGRAD:
    return ofWinograd;
  case NPU_OP_MAX_POOL:
  case NPU_OP_AVG_POOL:
    return ofPool;
  case NPU_OP_MATMUL:
    return ofMatmul;
  case NPU_OP_CONCAT:
    return ofConcat;
  case NPU_OP_PAD:
    return ofPad;
  case NPU_OP_SLICE:
    return ofSlice;
  case NPU_OP_REDUCE:
    return ofReduce;
  case NPU_OP_SOFTMAX:
    return ofSoftmax;
  case NPU_OP_RESIZE:
    return ofResize;
  case NPU_OP_GATHER:
    return ofGather;
  case NPU_OP_RELAYOUT:
    return ofRows;
  case NPU_OP_TRANSPOSE:
    return ofTranspose;
  case NPU_OP_BROADCAST:
    return ofBroadcast;
  case NPU_OP_TOP_K:
    return ofTopK;
  case NPU_OP_CUMULATE:
    return ofCumulate;
  case NPU_OP_TENSORNORM:
    return ofNorm;
  case NPU_OP_ATTENTION:
    return ofAttention;
  case NPU_OP_RESHAPE:
  case NPU_OP_GATHER_ELEMENTS:
  case NPU_OP_GATHER_ND:
  case NPU_OP_SCATTER_ELEMENTS:
  case NPU_OP_SCATTER_ND:
  case NPU_OP_MAX_POOL_INDICES:
  case NPU_OP_WINOGRAD_WEIGHT:
  case NPU_OP_CONV_BPW:
  case NPU_OP_IMG2COL:
  case NPU_OP_UNPOOL:
  case NPU_OP_MASKUNPOOL:
  case NPU_OP_ROTATE:
  case NPU_OP_CUSTOM:
  case NPU_OP_COUNT:
    break;
  }
  return ofWhole;
}

/// Tiles of what is blocked begin with a block, whichever operand it is.
void keepBlocks(Maker &make) {
  auto align = [&](int axis, int64_t block) {
    int64_t &grain = make.form.grain[static_cast<size_t>(axis)];
    grain = std::lcm(grain, block);
  };
  for (int d = 0; d < make.result.rank; ++d)
    align(d, kernels::blockOf(make.result, d));
  for (size_t i = 0; i < make.form.inputs.size(); ++i)
    for (int d = 0; d < make.problem.inputs[i].rank; ++d) {
      const DimRule &rule = make.rule(i, d);
      const int64_t block = kernels::blockOf(make.problem.inputs[i], d);
      if (rule.kind == DimRule::All || block == 1)
        continue;
      if (rule.kind == DimRule::Same ||
          (rule.kind == DimRule::Group && rule.results == rule.data))
        align(rule.axis, block);
      else
        make.keep(rule.axis);
    }
  for (int d = 0; d < make.result.rank; ++d)
    if (make.form.grain[static_cast<size_t>(d)] >= make.result.dims[d])
      make.keep(d);
}

} // namespace

TiledForm tiledFormOf(const Problem &problem) {
  Maker make(problem);
  familyOf(static_cast<npu_op>(problem.op))(make);
  if (problem.op != NPU_OP_CUSTOM)
    for (size_t i = static_cast<size_t>(kernels::properInputs(problem));
         i < problem.inputs.size(); ++i)
      make.broadcast(i);
  keepBlocks(make);
  return std::move(make.form);
}

} // namespace npu::chip
