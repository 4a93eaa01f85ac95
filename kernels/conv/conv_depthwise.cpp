// SPDX-License-Identifier: Apache-2.0
//
// Depthwise convolution of row-major (NCHW) tensors. oneDNN has a kernel for it
// in the other layouts only and falls back to one tiny product per channel,
// which would make every comparison of layouts unfair to this one.
//
// A band of rows is copied with its padding, one copy for each place between
// two steps of the stride. There every tap of all results is one run of memory,
// however short the rows are.

#include "kernels/conv/window.h"
#include "kernels/matmul/as_product.h"
#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/interpreter.h"
#include "kernels/support/vectors.h"

#include <algorithm>
#include <cstring>

// Sanitisers and builds without optimisation vectorise nothing; only slower.
#pragma clang diagnostic ignored "-Wpass-failed"

namespace npu::kernels {

constexpr int64_t minWorkPerThread = 16384;
/// Results that are made together, so that they stay in the nearest cache.
constexpr int64_t bandElements = 4096;

namespace {
/// One weight, and how far from a result's place its data begins.
struct Tap {
  float weight;
  const float *from;
};

template <int64_t Vectors>
NPU_INLINE void addAt(const Tap *taps, int64_t count, float *sums,
                      int64_t first) {
  Vector sum[Vectors];
  std::memcpy(sum, sums + first, sizeof(sum));
  for (int64_t tap = 0; tap < count; ++tap) {
#pragma clang loop unroll(full)
    for (int64_t v = 0; v < Vectors; ++v)
      sum[v] +=
          taps[tap].weight * loadVector(taps[tap].from + first + v * lanes);
  }
  std::memcpy(sums + first, sum, sizeof(sum));
}
} // namespace

/// sums[i] += weight * from[i] of every tap; `n` is whole vectors.
static NPU_CLONES(void, addTaps,
                  (const Tap *taps, int64_t count, float *sums, int64_t n),
                  (taps, count, sums, n)) {
  constexpr int64_t wide = 8;
  int64_t i = 0;
  for (; i + wide * lanes <= n; i += wide * lanes)
    addAt<wide>(taps, count, sums, i);
  for (; i < n; i += lanes)
    addAt<1>(taps, count, sums, i);
}

/// to[i] = from[i * stride]
static NPU_CLONES(void, takeEach,
                  (const float *from, int64_t stride, float *to, int64_t n),
                  (from, stride, to, n)) {
  if (stride == 1)
    std::memcpy(to, from, static_cast<size_t>(n) * sizeof(float));
  else if (stride == 2)
    for (int64_t i = 0; i < n; ++i)
      to[i] = from[i * 2];
  else
    for (int64_t i = 0; i < n; ++i)
      to[i] = from[i * stride];
}

namespace {
class ConvDepthwise : public Kernel, ConvWindows {
public:
  explicit ConvDepthwise(const Problem &p)
      : ConvWindows(p), attrs(p.attrs.conv), instrs(p.instrs),
        weightDesc(p.inputs[1]), inputs(p.inputs.size()), threads(p.threads) {
    const npu_tensor_desc &x = p.inputs[0];
    planes = x.dims[0] * x.dims[1];
    channels = x.dims[1];
    channelStep = stridesOf(weightDesc).outer[0];
    weightOffsets = weightsOfWindow(weightDesc);
    reach = {{0, (kernel.d[1] - 1) * dilations.d[1] / strides.d[1],
              (kernel.d[2] - 1) * dilations.d[2] / strides.d[2]}};
    pitch = out.d[2] + reach.d[2];
    bandRows = std::clamp<int64_t>(bandElements / pitch, 1, out.d[1]);
    for (int64_t ky = 0; ky < kernel.d[1]; ++ky)
      for (int64_t kx = 0; kx < kernel.d[2]; ++kx) {
        int64_t y = ky * dilations.d[1], x = kx * dilations.d[2];
        tapOffsets.push_back(
            phaseOffset(phaseOf(y % strides.d[1], x % strides.d[2])) +
            y / strides.d[1] * pitch + x / strides.d[2]);
      }
  }

  /// Whether the copies are about as large as what is copied: not where a
  /// window's elements lie farther apart than the data is wide.
  bool isCompact() const {
    double copied = static_cast<double>(bandRows + reach.d[1]) *
                    static_cast<double>(pitch) *
                    static_cast<double>(phases.size());
    return copied <=
           4.0 * static_cast<double>(in.size() + out.size() + bandElements);
  }

  size_t scratchBytes() const override {
    return static_cast<size_t>(threads * floatsEach()) * sizeof(float);
  }

  std::string implementation() const override { return "native:depthwise"; }

  int run(void *const *operands, void *scratch) const override {
    const auto *data = static_cast<const float *>(operands[0]);
    const auto *weights = static_cast<const float *>(operands[1]);
    const auto *bias =
        attrs.has_bias ? static_cast<const float *>(operands[2]) : nullptr;
    auto *result = static_cast<float *>(operands[inputs]);
    int team = teamFor(planes * out.size(), minWorkPerThread, threads);
    parallelFor(team, [&](int thread, int count) {
      Range range = shareOf(planes, thread, count);
      float *own = static_cast<float *>(scratch) + thread * floatsEach();
      std::vector<Tap> taps(tapOffsets.size());
      for (int64_t p = range.begin; p < range.end; ++p) {
        int64_t channel = p % channels;
        onePlane({data + p * in.size(), weights + channel * channelStep,
                  bias ? bias[channel] : 0.0f, own, taps.data()},
                 result + p * out.size());
      }
    });
    return 0;
  }

private:
  /// What one plane of results is made of, and room for it.
  struct Plane {
    const float *data, *weights;
    float bias;
    float *room;
    Tap *taps;
  };

  /// The copy in which a tap's data lies: rows `y`, and columns `x`, behind a
  /// multiple of the stride.
  struct Phase {
    int64_t y, x;
  };
  size_t phaseOf(int64_t y, int64_t x) {
    auto found = std::find_if(phases.begin(), phases.end(), [&](Phase phase) {
      return phase.y == y && phase.x == x;
    });
    auto index = static_cast<size_t>(found - phases.begin());
    if (found == phases.end())
      phases.push_back({y, x});
    return index;
  }

  /// Vectors may begin at the last element.
  int64_t phaseFloats() const {
    return (bandRows + reach.d[1]) * pitch + reach.d[2] + lanes;
  }
  int64_t sumFloats() const { return bandRows * pitch + lanes; }
  int64_t floatsEach() const {
    return sumFloats() + static_cast<int64_t>(phases.size()) * phaseFloats();
  }

  void onePlane(const Plane &plane, float *result) const {
    for (int64_t z = 0; z < out.d[0]; ++z)
      for (int64_t y = 0; y < out.d[1]; y += bandRows)
        oneBand(plane, z, {y, std::min(y + bandRows, out.d[1])},
                result + (z * out.d[1] + y) * out.d[2]);
  }

  /// The result's rows in `rows`.
  void oneBand(const Plane &plane, int64_t z, Range rows, float *result) const {
    float *sums = plane.room;
    int64_t count = rows.end - rows.begin,
            n = (count * pitch + lanes - 1) / lanes * lanes;
    std::fill(sums, sums + n, plane.bias);
    for (int64_t kz = 0; kz < kernel.d[0]; ++kz) {
      int64_t fromZ = z * strides.d[0] + kz * dilations.d[0] - pads.d[0];
      if (fromZ < 0 || fromZ >= in.d[0])
        continue;
      copyPhases(plane.data + fromZ * in.d[1] * in.d[2], rows, plane.room);
      int64_t area = kernel.d[1] * kernel.d[2];
      for (int64_t tap = 0; tap < area; ++tap)
        plane.taps[tap] = {
            plane.weights[weightOffsets[static_cast<size_t>(kz * area + tap)]],
            plane.room + tapOffsets[static_cast<size_t>(tap)]};
      addTaps(plane.taps, area, sums, n);
    }
    for (int64_t row = 0; row < count; ++row)
      std::copy_n(sums + row * pitch, out.d[2], result + row * out.d[2]);
    if (!instrs.empty())
      interpretChain(instrs, result, count * out.d[2]);
  }

  int64_t phaseOffset(size_t phase) const {
    return sumFloats() + static_cast<int64_t>(phase) * phaseFloats();
  }

  /// The data under the windows of these rows, zeros around it.
  void copyPhases(const float *data, Range rows, float *room) const {
    for (size_t p = 0; p < phases.size(); ++p) {
      float *to = room + phaseOffset(p);
      int64_t shift = phases[p].x - pads.d[2], begin, end;
      validRange(pitch, in.d[2], strides.d[2], shift, begin, end);
      end = std::max(begin = std::min(begin, pitch), end);
      for (int64_t y = rows.begin; y < rows.end + reach.d[1]; ++y) {
        int64_t fromY = y * strides.d[1] + phases[p].y - pads.d[1];
        bool isInside = fromY >= 0 && fromY < in.d[1] && begin < end;
        std::fill(to, to + (isInside ? begin : pitch), 0.0f);
        if (isInside) {
          takeEach(data + fromY * in.d[2] + begin * strides.d[2] + shift,
                   strides.d[2], to + begin, end - begin);
          std::fill(to + end, to + pitch, 0.0f);
        }
        to += pitch;
      }
    }
  }

  npu_conv_attrs attrs;
  std::vector<npu_instr> instrs;
  npu_tensor_desc weightDesc;
  size_t inputs;
  int threads;
  int64_t planes, channels, channelStep;
  std::vector<int64_t> weightOffsets; // of the taps
  /// Rows and columns of a phase beyond those of the result.
  Extents3 reach;
  int64_t pitch, bandRows; // of phases and sums
  std::vector<Phase> phases;
  std::vector<int64_t> tapOffsets; // of one plane's taps, in a thread's room
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
  else if (elementCount(x) == 0 || elementCount(y) == 0)
    whyNot = "nothing to compute";
  else if (!isPlainF32(x) || !isPlainF32(y) || w.dtype != NPU_F32 ||
           w.block_count)
    whyNot = "not f32 in row-major order";
  else if (problem.attrs.conv.has_bias && problem.inputs[2].dtype != NPU_F32)
    whyNot = "bias is not f32";
  else if (!isUnaryChain(problem.instrs, problem.inputs.size()))
    whyNot = "a fused chain that is not unary";
  if (!whyNot.empty())
    return nullptr;
  auto kernel = std::make_unique<ConvDepthwise>(problem);
  if (kernel->isCompact())
    return kernel;
  whyNot = "dilations far beyond the data";
  return nullptr;
}

} // namespace npu::kernels
