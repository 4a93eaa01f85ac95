// SPDX-License-Identifier: Apache-2.0
//
// Depthwise convolution of row-major (NCHW) tensors. oneDNN has a kernel for it
// in the other layouts only and falls back to one tiny product per channel,
// which would make every comparison of layouts unfair to this one.

#include "kernels/conv/window.h"
#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/interpreter.h"

#include <algorithm>

namespace npu::kernels {

constexpr int64_t minWorkPerThread = 16384;

/// sums[i] += weight * from[i * stride]
static __attribute__((target_clones("avx512f", "avx2", "default"))) void
addTap(float *sums, const float *from, float weight, int64_t n,
       int64_t stride) {
  if (stride == 1)
    for (int64_t i = 0; i < n; ++i)
      sums[i] += weight * from[i];
  else if (stride == 2)
    for (int64_t i = 0; i < n; ++i)
      sums[i] += weight * from[i * 2];
  else
    for (int64_t i = 0; i < n; ++i)
      sums[i] += weight * from[i * stride];
}

namespace {
class ConvDepthwise : public Kernel {
public:
  explicit ConvDepthwise(const Problem &p)
      : attrs(p.attrs.conv), instrs(p.instrs), weightDesc(p.inputs[1]),
        inputs(p.inputs.size()), threads(p.threads) {
    const npu_tensor_desc &x = p.inputs[0], &y = p.outputs[0];
    int spatial = x.rank - 2;
    planes = x.dims[0] * x.dims[1];
    channels = x.dims[1];
    in = fill3(x.dims + 2, spatial, 1);
    out = fill3(y.dims + 2, spatial, 1);
    kernel = fill3(weightDesc.dims + 2, spatial, 1);
    strides = fill3(attrs.strides, spatial, 1);
    dilations = fill3(attrs.dilations, spatial, 1);
    pads = fill3(attrs.pads_begin, spatial, 0);
    // Offsets of the taps of channel 0, and the step to the next channel.
    Strides steps = stridesOf(weightDesc);
    channelStep = steps.outer[0];
    Walk walk({weightDesc.dims + 2, weightDesc.dims + weightDesc.rank});
    std::vector<DimMap> maps = dimMaps(weightDesc);
    walk.add({maps.begin() + 2, maps.end()});
    for (int64_t tap = 0; tap < walk.size(); ++tap) {
      int64_t offset;
      walk.offsets(0, tap, 1, &offset);
      taps.push_back(offset);
    }
  }

  std::string implementation() const override { return "native:depthwise"; }

  int run(void *const *operands, void *) const override {
    const auto *data = static_cast<const float *>(operands[0]);
    const auto *weights = static_cast<const float *>(operands[1]);
    const auto *bias =
        attrs.has_bias ? static_cast<const float *>(operands[2]) : nullptr;
    auto *result = static_cast<float *>(operands[inputs]);
    int team = teamFor(planes * out.size(), minWorkPerThread, threads);
    parallelFor(team, [&](int thread, int count) {
      Range range = shareOf(planes, thread, count);
      for (int64_t p = range.begin; p < range.end; ++p) {
        int64_t channel = p % channels;
        onePlane(data + p * in.size(), weights + channel * channelStep,
                 bias ? bias[channel] : 0.0f, result + p * out.size());
      }
    });
    return 0;
  }

private:
  void onePlane(const float *data, const float *weights, float bias,
                float *result) const {
    std::fill(result, result + out.size(), bias);
    for (int64_t z = 0; z < out.d[0]; ++z)
      for (int64_t y = 0; y < out.d[1]; ++y)
        addRow(data, weights, z, y, result + (z * out.d[1] + y) * out.d[2]);
    if (!instrs.empty())
      applyInstrs(result);
  }

  void addRow(const float *data, const float *weights, int64_t z, int64_t y,
              float *row) const {
    size_t tap = 0;
    for (int64_t kz = 0; kz < kernel.d[0]; ++kz)
      for (int64_t ky = 0; ky < kernel.d[1]; ++ky) {
        int64_t fromZ = z * strides.d[0] + kz * dilations.d[0] - pads.d[0];
        int64_t fromY = y * strides.d[1] + ky * dilations.d[1] - pads.d[1];
        bool isInside =
            fromZ >= 0 && fromZ < in.d[0] && fromY >= 0 && fromY < in.d[1];
        const float *from = data + (fromZ * in.d[1] + fromY) * in.d[2];
        for (int64_t kx = 0; kx < kernel.d[2]; ++kx, ++tap) {
          if (!isInside)
            continue;
          int64_t shift = kx * dilations.d[2] - pads.d[2], begin, end;
          validRange(out.d[2], in.d[2], strides.d[2], shift, begin, end);
          if (begin < end)
            addTap(row + begin, from + begin * strides.d[2] + shift,
                   weights[taps[tap]], end - begin, strides.d[2]);
        }
      }
  }

  /// A chain of unary instructions, on the plane while it is in the cache.
  void applyInstrs(float *plane) const {
    Row rows[2];
    for (int64_t first = 0; first < out.size(); first += rowLength) {
      int n =
          static_cast<int>(std::min<int64_t>(rowLength, out.size() - first));
      std::copy(plane + first, plane + first + n, rows[0].f);
      size_t at = 0;
      for (const npu_instr &instr : instrs) {
        interpret(instr, NPU_F32, &rows[at], nullptr, nullptr, &rows[1 - at],
                  n);
        at = 1 - at;
      }
      std::copy(rows[at].f, rows[at].f + n, plane + first);
    }
  }

  npu_conv_attrs attrs;
  std::vector<npu_instr> instrs;
  npu_tensor_desc weightDesc;
  size_t inputs;
  int threads;
  int64_t planes, channels, channelStep;
  Extents3 in, out, kernel, strides, dilations, pads;
  std::vector<int64_t> taps;
};
} // namespace

static bool isPlainF32(const npu_tensor_desc &tensor) {
  return tensor.dtype == NPU_F32 &&
         sameStorage(tensor, makeTensor(NPU_F32, tensor.dims, tensor.rank));
}

std::unique_ptr<Kernel> createConvDepthwise(const Problem &problem,
                                            std::string &whyNot) {
  const npu_tensor_desc &x = problem.inputs[0], &w = problem.inputs[1],
                        &y = problem.outputs[0];
  int64_t groups = problem.attrs.conv.groups;
  bool isImage = false; // 1x1 images are better off as channels-last
  for (int d = 2; d < x.rank; ++d)
    isImage |= x.dims[d] > 1;
  if (groups < 2 || groups != x.dims[1] || groups != y.dims[1] || !isImage)
    whyNot = "not depthwise";
  else if (!isPlainF32(x) || !isPlainF32(y) || w.dtype != NPU_F32 ||
           w.block_count)
    whyNot = "not f32 in row-major order";
  else if (problem.attrs.conv.has_bias && problem.inputs[2].dtype != NPU_F32)
    whyNot = "bias is not f32";
  int value = static_cast<int>(problem.inputs.size());
  for (const npu_instr &instr : problem.instrs) {
    if (arityOf(instr.kind) != 1 || instr.a != value || instr.dtype != NPU_F32)
      whyNot = "a fused chain that is not unary";
    ++value;
  }
  if (!whyNot.empty())
    return nullptr;
  return std::make_unique<ConvDepthwise>(problem);
}

} // namespace npu::kernels
