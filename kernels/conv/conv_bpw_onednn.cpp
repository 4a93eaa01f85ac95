// SPDX-License-Identifier: Apache-2.0

#include "kernels/onednn/onednn.h"
#include "kernels/parallel.h"
#include "kernels/support/reference.h"

namespace npu::kernels {

using namespace onednn;
using dnnl::memory;

namespace {
/// The gradient in the order that oneDNN likes, in scratch, then in the
/// output's; where oneDNN has no fast way to that one, by way of row-major.
class ConvBpwOnednn : public ComposedKernel {
public:
  ConvBpwOnednn(const Problem &p, std::unique_ptr<OnednnKernel> kernel,
                const Desc &chosen)
      : ComposedKernel(std::move(kernel)), output(p.outputs[0]),
        inputs(p.inputs.size()), threads(p.threads), chosen(chosen),
        plain(makeTensor(output.dtype, output.dims, output.rank)) {
    int64_t groups = p.attrs.conv.groups > 1 ? p.attrs.conv.groups : 0;
    Desc given = describeWeight(output, stridesOf(output), groups, false);
    isDirect = output.block_count == 0 && given == chosen;
    bool isPlain = sameStorage(output, plain);
    target = describeWeight(plain, stridesOf(plain), groups, false);
    if (!isDirect && !isPlain) {
      Problem relayout;
      relayout.op = NPU_OP_RELAYOUT;
      relayout.inputs = {plain};
      relayout.outputs = {output};
      relayout.threads = p.threads;
      mover = create(relayout);
    }
  }

  size_t scratchBytes() const override {
    return aligned(inner->scratchBytes()) +
           (isDirect ? 0 : aligned(chosen.get_size())) +
           (mover ? aligned(target.get_size()) : 0);
  }
  size_t adapterBytes() const override {
    return (isDirect ? 0 : chosen.get_size() + target.get_size()) +
           (mover ? 2 * target.get_size() : 0);
  }

  int run(void *const *operands, void *scratch) const override {
    char *base = static_cast<char *>(scratch) + aligned(inner->scratchBytes());
    std::vector<void *> inside(operands, operands + inputs + 1);
    if (!isDirect)
      inside[inputs] = base;
    if (int status = inner->run(inside.data(), scratch))
      return status;
    if (isDirect)
      return 0;
    void *result = mover ? base + aligned(chosen.get_size()) : operands[inputs];
    if (int status = reorder(base, result))
      return status;
    void *pair[2] = {result, operands[inputs]};
    return mover ? mover->run(pair, nullptr) : 0;
  }

private:
  int reorder(void *from, void *to) const try {
    ThreadScope scope(threads);
    memory source(chosen, engine(), from), result(target, engine(), to);
    dnnl::stream stream(engine());
    dnnl::reorder(source, result).execute(stream, source, result);
    return 0;
  } catch (const dnnl::error &) {
    return 1;
  }

  npu_tensor_desc output;
  size_t inputs;
  int threads;
  Desc chosen, target; // target: row-major
  npu_tensor_desc plain;
  bool isDirect;
  std::unique_ptr<Kernel> mover;
};
} // namespace

/// Padding behind that makes the gradient's extent exact.
static int64_t effectivePad(const Problem &problem, int i) {
  const npu_conv_attrs &a = problem.attrs.conv;
  int64_t window = (problem.outputs[0].dims[i + 2] - 1) * a.dilations[i] + 1;
  return (problem.inputs[1].dims[i + 2] - 1) * a.strides[i] + window -
         problem.inputs[0].dims[i + 2] - a.pads_begin[i];
}

std::unique_ptr<Kernel> createConvBpwOnednn(const Problem &problem,
                                            std::string &whyNot) {
  ThreadScope scope(problem.threads);
  const npu_conv_attrs &a = problem.attrs.conv;
  const npu_tensor_desc &dw = problem.outputs[0];
  Desc data, gradient;
  bool isFloat = problem.inputs[0].dtype == NPU_F32 && dw.dtype == NPU_F32;
  if (!isFloat || !problem.instrs.empty()) {
    whyNot = isFloat ? "fused instructions" : "types other than f32";
    return nullptr;
  }
  if (!describeTensor(problem.inputs[0], data, whyNot) ||
      !describeTensor(problem.inputs[1], gradient, whyNot))
    return nullptr;
  memory::dims strides, dilations, padsBegin, padsEnd;
  for (int i = 0; i < dw.rank - 2; ++i) {
    strides.push_back(a.strides[i]);
    dilations.push_back(a.dilations[i] - 1);
    padsBegin.push_back(a.pads_begin[i]);
    padsEnd.push_back(effectivePad(problem, i));
  }
  memory::dims dims =
      describeWeight(dw, stridesOf(dw), a.groups > 1 ? a.groups : 0, false)
          .get_dims();
  Desc weights(dims, memory::data_type::f32, memory::format_tag::any);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const auto algorithm = dnnl::algorithm::convolution_direct;
  dnnl::convolution_forward::primitive_desc hint(
      engine(), dnnl::prop_kind::forward_training, algorithm, data, weights,
      gradient, strides, dilations, padsBegin, padsEnd, {}, true);
  if (!hint) {
    whyNot = "oneDNN does not take its convolution";
    return nullptr;
  }
  dnnl::convolution_backward_weights::primitive_desc found(
      engine(), algorithm, data, weights, gradient, strides, dilations,
      padsBegin, padsEnd, hint, attributes, true);
  auto made = makeKernel(problem, found, whyNot);
  if (!made)
    return nullptr;
  made->addArgument({DNNL_ARG_SRC, 0, data});
  made->addArgument({DNNL_ARG_DIFF_DST, 1, gradient});
  made->addArgument({DNNL_ARG_DIFF_WEIGHTS,
                     static_cast<int>(problem.inputs.size()),
                     found.diff_weights_desc()});
  return std::make_unique<ConvBpwOnednn>(problem, std::move(made),
                                         found.diff_weights_desc());
}

} // namespace npu::kernels
