// SPDX-License-Identifier: Apache-2.0
//
// Winograd's convolution computed directly, for a run again after something
// that is not finite was seen: at the points it would spread over its tile. The
// 3x3 weights come back from those at the points.

#include "kernels/conv_winograd/transforms.h"
#include "kernels/registry.h"
#include "kernels/tensor.h"

#include <algorithm>
#include <cmath>

namespace npu::kernels {

/// [O, C, 3, 3] of [O, C, points, points], which has order and type of its own.
template <int Tile>
static std::vector<float> tapsOf(const npu_tensor_desc &weight,
                                 const float *stored) {
  constexpr int side = Winograd<Tile>::points;
  Strides strides = stridesOf(weight);
  std::vector<float> result;
  for (int64_t o = 0; o < weight.dims[0]; ++o)
    for (int64_t c = 0; c < weight.dims[1]; ++c) {
      double points[side * side], taps[9], largest = 0;
      for (int64_t i = 0; i < side * side; ++i) {
        int64_t index[NPU_MAX_RANK] = {o, c, i / side, i % side};
        points[i] =
            static_cast<double>(stored[offsetOf(weight, strides, index)]);
      }
      twice<side, 3>(points, taps, Winograd<Tile>::template taps<double>);
      for (double tap : taps)
        largest = std::max(largest, std::fabs(tap));
      // A weight that was 0 shall give NaN for an infinity, as it did.
      constexpr double rounding = 1e-6;
      for (double tap : taps)
        result.push_back(std::fabs(tap) < rounding * largest
                             ? 0.0f
                             : static_cast<float>(tap));
    }
  return result;
}

/// The same convolution, its weight the taps.
static Problem directProblem(const Problem &problem) {
  const npu_winograd_attrs &winograd = problem.attrs.winograd;
  const npu_tensor_desc &points = problem.inputs[1];
  Problem direct = problem;
  direct.op = NPU_OP_CONV;
  direct.attrs = {};
  npu_conv_attrs &conv = direct.attrs.conv;
  for (int i = 0; i < 2; ++i) {
    conv.strides[i] = conv.dilations[i] = 1;
    conv.pads_begin[i] = winograd.pads_begin[i];
    conv.pads_end[i] = winograd.pads_end[i];
  }
  conv.groups = 1;
  conv.has_bias = winograd.has_bias;
  const int64_t dims[4] = {points.dims[0], points.dims[1], 3, 3};
  direct.inputs[1] = makeTensor(NPU_F32, dims, 4);
  direct.inputs[1].weights_offset = points.weights_offset;
  return direct;
}

namespace {

class ConvWinogradDirect : public ComposedKernel {
public:
  ConvWinogradDirect(const Problem &p, std::unique_ptr<Kernel> made)
      : ComposedKernel(std::move(made)), problem(p) {}

  size_t pack(const void *const *operands) override {
    if (inner->readsNarrow())
      return inner->pack(operands);
    const auto *stored = static_cast<const float *>(operands[1]);
    taps = problem.attrs.winograd.tile == 2
               ? tapsOf<2>(problem.inputs[1], stored)
               : tapsOf<4>(problem.inputs[1], stored);
    std::vector<const void *> direct(operands,
                                     operands + problem.inputs.size());
    direct[1] = taps.data();
    size_t bytes = inner->pack(direct.data());
    if (inner->isPacked(1))
      taps = {};
    return bytes + taps.size() * sizeof(float);
  }
  bool isPacked(size_t input) const override {
    return input == 1 || inner->isPacked(input);
  }

  int run(void *const *operands, void *scratch) const override {
    std::vector<void *> direct(operands, operands + problem.inputs.size() + 1);
    direct[1] = const_cast<float *>(taps.data());
    return inner->run(direct.data(), scratch);
  }

private:
  Problem problem;
  std::vector<float> taps;
};

} // namespace

std::unique_ptr<Kernel> createConvWinogradDirect(const Problem &problem,
                                                 std::string &whyNot) {
  if (!problem.keepsNan) {
    whyNot = "no NaN was seen";
    return nullptr;
  }
  if (problem.inputs[1].dtype != NPU_F32 || !problem.isConstant(1)) {
    whyNot = "weight is no constant of f32";
    return nullptr;
  }
  return std::make_unique<ConvWinogradDirect>(problem,
                                              create(directProblem(problem)));
}

} // namespace npu::kernels
