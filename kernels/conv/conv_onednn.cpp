// SPDX-License-Identifier: Apache-2.0

#include "kernels/onednn/onednn.h"
#include "kernels/parallel.h"
#include "kernels/support/convert.h"

#include <algorithm>

namespace npu::kernels {

using namespace onednn;
using dnnl::memory;

namespace {
/// The descriptors and numbers of either convolution.
struct ConvParts {
  Desc data, weights, bias, result;
  memory::dims strides, dilations, padsBegin, padsEnd;
  Fusion fusion;
};
} // namespace

/// Padding behind that makes the output's extent exact: what the last window
/// really reads (it may be less than the model says, even negative).
static int64_t effectivePad(const Problem &problem, int i) {
  const npu_conv_attrs &a = problem.attrs.conv;
  int64_t x = problem.inputs[0].dims[i + 2], y = problem.outputs[0].dims[i + 2];
  int64_t window = (problem.inputs[1].dims[i + 2] - 1) * a.dilations[i] + 1;
  bool isTransposed = problem.op == NPU_OP_CONV_TRANSPOSE;
  int64_t narrow = isTransposed ? x : y, wide = isTransposed ? y : x;
  return (narrow - 1) * a.strides[i] + window - wide - a.pads_begin[i];
}

static bool typesFit(const Problem &problem, std::string &whyNot) {
  int32_t x = problem.inputs[0].dtype, w = problem.inputs[1].dtype;
  bool isFloatPair = x == w && (x == NPU_F32 || x == NPU_BF16);
  bool isInt8 = (x == NPU_I8 || x == NPU_U8) && w == NPU_I8;
  if (isFloatPair || (isInt8 && addsInFull()))
    return true;
  whyNot = std::string("types ") + dtypeName(x) + " and " + dtypeName(w);
  return false;
}

static bool makeParts(const Problem &problem, ConvParts &parts,
                      std::string &whyNot) {
  const npu_conv_attrs &a = problem.attrs.conv;
  const npu_tensor_desc &w = problem.inputs[1];
  if (!typesFit(problem, whyNot) || !translate(problem, parts.fusion, whyNot) ||
      !describeTensor(problem.inputs[0], parts.data, whyNot) ||
      !describeTensor(problem.outputs[0], parts.result, whyNot))
    return false;
  if (a.data_zero_point != 0)
    parts.fusion.attributes.set_zero_points_mask(DNNL_ARG_SRC, 0);
  // Extents only: oneDNN takes no strides of outer parts where two dimensions
  // are blocked.
  npu_tensor_desc plain = makeTensor(w.dtype, w.dims, w.rank);
  memory::dims dims =
      describeWeight(plain, stridesOf(plain), a.groups > 1 ? a.groups : 0,
                     a.weight_of_conv != 0)
          .get_dims();
  parts.weights = Desc(dims, typeOf(w.dtype), memory::format_tag::any);
  if (a.has_bias && !describeTensor(problem.inputs[2], parts.bias, whyNot))
    return false;
  for (int i = 0; i < w.rank - 2; ++i) {
    parts.strides.push_back(a.strides[i]);
    parts.dilations.push_back(a.dilations[i] - 1);
    parts.padsBegin.push_back(a.pads_begin[i]);
    parts.padsEnd.push_back(effectivePad(problem, i));
  }
  return true;
}

/// Measured: a hard swish makes a convolution by gemm twenty times slower, and
/// a relu oneDNN's transposed convolution by way of a gradient ("conv:any+...")
/// a hundred times.
static bool hasPlainPostOps(const std::string &implementation) {
  return implementation.find("gemm") != std::string::npos ||
         implementation.rfind("conv:any", 0) == 0;
}

static std::unique_ptr<Kernel> finish(const Problem &problem,
                                      const ConvParts &parts,
                                      const dnnl::primitive_desc &found,
                                      std::string &whyNot) {
  auto kernel = makeKernel(problem, found, whyNot);
  if (!kernel)
    return nullptr;
  if (!problem.instrs.empty() && hasPlainPostOps(kernel->implementation())) {
    whyNot = "oneDNN runs the post-ops of " + kernel->implementation() +
             " one element at a time";
    return nullptr;
  }
  kernel->addArgument({DNNL_ARG_SRC, 0, parts.data});
  if (problem.attrs.conv.data_zero_point != 0)
    kernel->addZeroPoint(
        DNNL_ARG_SRC, static_cast<int32_t>(problem.attrs.conv.data_zero_point));
  kernel->addWeights(DNNL_ARG_WEIGHTS, 1, found.weights_desc(),
                     problem.attrs.conv.weight_of_conv != 0);
  if (problem.attrs.conv.has_bias)
    kernel->addArgument({DNNL_ARG_BIAS, 2, parts.bias});
  kernel->addArgument(
      {DNNL_ARG_DST, static_cast<int>(problem.inputs.size()), parts.result});
  for (const Argument &argument : parts.fusion.arguments)
    kernel->addArgument(argument);
  return kernel;
}

/// Measured: 1x1 convolutions of bytes take longer in tiles than on vectors
/// where oneDNN makes them by older kernels ("jit_1x1:avx512_core_amx"), as of
/// data with a zero point: 1.1 (320 channels) to 3.5 times (16); else 1.2 to
/// 1.5 times of fewer than 32 channels, or up to 32 of the result.
static bool isSlowOnTiles(const Problem &problem,
                          const dnnl::primitive_desc &found) {
  constexpr int64_t few = 32;
  const npu_tensor_desc &w = problem.inputs[1];
  const bool isPointwise = std::all_of(w.dims + 2, w.dims + w.rank,
                                       [](int64_t d) { return d == 1; });
  return found && isPointwise && w.dtype == NPU_I8 && usesTiles(found) &&
         (w.dims[0] <= few || w.dims[1] < few ||
          std::string(found.impl_info_str()).rfind("jit", 0) == 0);
}

/// Measured: of one channel, as depthwise convolutions that oneDNN has no
/// kernel of their own for, and a signal's first one, its general kernel of
/// bf16 takes 2 to 30 times as long as f32: instructions sum pairs of channels.
static bool isSlowOnPairs(const Problem &problem,
                          const dnnl::primitive_desc &found) {
  return found && problem.inputs[1].dims[1] == 1 &&
         std::string(found.impl_info_str()).rfind("jit_bf16:", 0) == 0;
}

static bool isDepthwiseSignal(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0];
  const int64_t groups = problem.attrs.conv.groups;
  return x.rank == 3 && groups > 1 && groups == x.dims[1] &&
         groups == problem.outputs[0].dims[1];
}

/// The tensor with a dimension of one element before its last.
static npu_tensor_desc ofOneRow(const npu_tensor_desc &tensor) {
  const int at = tensor.rank - 1;
  if (at < 1)
    return tensor;
  npu_tensor_desc image = tensor;
  image.rank = tensor.rank + 1;
  image.dims[at] = 1;
  image.dims[at + 1] = tensor.dims[at];
  int to = 0;
  for (int d = 0; d < tensor.rank; ++d) {
    const bool isLast = tensor.order[d] == at;
    if (isLast)
      image.order[to++] = static_cast<int8_t>(at);
    image.order[to++] = static_cast<int8_t>(tensor.order[d] + isLast);
  }
  for (int8_t &dim : image.block_dims)
    dim = static_cast<int8_t>(dim + (dim == at));
  return image;
}

/// Of depthwise convolutions oneDNN has fast kernels for images only, and one
/// product for each channel of signals, which takes ten times as long.
static Problem asImage(Problem signal) {
  for (npu_tensor_desc &tensor : signal.inputs)
    tensor = ofOneRow(tensor);
  signal.outputs[0] = ofOneRow(signal.outputs[0]);
  npu_conv_attrs &a = signal.attrs.conv;
  for (int64_t *along : {a.strides, a.dilations, a.pads_begin, a.pads_end})
    along[1] = along[0];
  a.strides[0] = a.dilations[0] = 1;
  a.pads_begin[0] = a.pads_end[0] = 0;
  return signal;
}

std::unique_ptr<Kernel> createConvOnednn(const Problem &problem,
                                         std::string &whyNot) {
  if (isDepthwiseSignal(problem))
    return createConvOnednn(asImage(problem), whyNot);
  ThreadScope scope(problem.threads);
  ConvParts p;
  if (!makeParts(problem, p, whyNot))
    return nullptr;
  auto describe = [&] {
    return dnnl::convolution_forward::primitive_desc(
        engine(), dnnl::prop_kind::forward_inference,
        dnnl::algorithm::convolution_direct, p.data, p.weights, p.bias,
        p.result, p.strides, p.dilations, p.padsBegin, p.padsEnd,
        p.fusion.attributes, true);
  };
  dnnl::primitive_desc found = describe();
  if (isSlowOnTiles(problem, found) && !skipTiles(found))
    found = describe();
  if (isSlowOnPairs(problem, found)) {
    whyNot = "oneDNN sums pairs of channels, of which there is one";
    return nullptr;
  }
  return finish(problem, p, found, whyNot);
}

/// Whether some places of the result lie between the windows of a transposed
/// convolution.
static bool hasGaps(const Problem &problem) {
  const npu_conv_attrs &a = problem.attrs.conv;
  const npu_tensor_desc &w = problem.inputs[1];
  for (int i = 0; i < w.rank - 2; ++i)
    if ((w.dims[i + 2] - 1) * a.dilations[i] + 1 < a.strides[i] ||
        (a.dilations[i] > 1 && a.strides[i] > 1))
      return true;
  return false;
}

std::unique_ptr<Kernel> createConvTransposeOnednn(const Problem &problem,
                                                  std::string &whyNot) {
  if (problem.attrs.conv.data_zero_point != 0 && hasGaps(problem)) {
    whyNot = "oneDNN corrects for the zero point between the windows, too";
    return nullptr;
  }
  ThreadScope scope(problem.threads);
  ConvParts p;
  if (!makeParts(problem, p, whyNot))
    return nullptr;
  dnnl::deconvolution_forward::primitive_desc found(
      engine(), dnnl::prop_kind::forward_inference,
      dnnl::algorithm::deconvolution_direct, p.data, p.weights, p.bias,
      p.result, p.strides, p.dilations, p.padsBegin, p.padsEnd,
      p.fusion.attributes, true);
  return finish(problem, p, found, whyNot);
}

} // namespace npu::kernels
