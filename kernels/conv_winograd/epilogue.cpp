// SPDX-License-Identifier: Apache-2.0

#include "kernels/conv_winograd/epilogue.h"

#include "kernels/conv_winograd/transforms.h"
#include "kernels/support/interpreter.h"
#include "kernels/support/vectors.h"
#include "kernels/tensor.h"

#include <algorithm>
#include <cmath>

// Sanitisers and builds without optimisation vectorise nothing; only slower.
#pragma clang diagnostic ignored "-Wpass-failed"

namespace npu::kernels {

/// Channels taken at once: what lies between rows and columns of a transform
/// stays in the first-level cache.
constexpr int64_t chunk = 64;

template <int Tile>
static NPU_INLINE void dataToPointsOf(const float *const *pixels,
                                      int64_t channels, float *out,
                                      int64_t stride) {
  constexpr int side = Winograd<Tile>::points;
  float half[side][side][chunk]; // [row][point of the row]
  for (int64_t first = 0; first < channels; first += chunk) {
    int64_t n = std::min(chunk, channels - first);
    for (int row = 0; row < side; ++row) {
      const float *from[side];
      for (int i = 0; i < side; ++i)
        from[i] = pixels[row * side + i] + first;
#pragma clang loop vectorize(assume_safety)
      for (int64_t c = 0; c < n; ++c) {
        float in[side], at[side];
        for (int i = 0; i < side; ++i)
          in[i] = from[i][c];
        Winograd<Tile>::data(in, at);
        for (int i = 0; i < side; ++i)
          half[row][i][c] = at[i];
      }
    }
    for (int column = 0; column < side; ++column) {
      float *to = out + column * stride + first;
#pragma clang loop vectorize(assume_safety)
      for (int64_t c = 0; c < n; ++c) {
        float in[side], at[side];
        for (int i = 0; i < side; ++i)
          in[i] = half[i][column][c];
        Winograd<Tile>::data(in, at);
        for (int i = 0; i < side; ++i)
          to[i * side * stride + c] = at[i];
      }
    }
  }
}

/// Row `row` of the tile from the points of its columns, to its pixels.
template <int Tile, bool IsAdding>
static NPU_INLINE void finishRow(const float (*half)[chunk],
                                 const ResultTile &to, int row, int64_t first,
                                 int64_t n) {
  constexpr int side = Winograd<Tile>::points;
  float *pixels[Tile];
  const float *added[Tile];
  for (int i = 0; i < Tile; ++i) {
    pixels[i] = to.pixels[row * Tile + i] + first;
    added[i] = IsAdding ? to.added[row * Tile + i] + first : nullptr;
  }
  const float *bias = to.bias + first;
  float least = to.least, most = to.most;
#pragma clang loop vectorize(assume_safety)
  for (int64_t c = 0; c < n; ++c) {
    float at[side], results[Tile];
    for (int i = 0; i < side; ++i)
      at[i] = half[i][c];
    Winograd<Tile>::result(at, results);
    for (int i = 0; i < Tile; ++i) {
      float value = results[i] + bias[c];
      if (IsAdding)
        value += added[i][c];
      value = value < least ? least : value;
      pixels[i][c] = value > most ? most : value;
    }
  }
}

/// A result is the sum of less than ten times this.
constexpr float largestSum = 1e37f;

template <int Tile, bool IsAdding>
static NPU_INLINE bool pointsToResultsOf(const float *products, int64_t stride,
                                         int64_t channels,
                                         const ResultTile &to) {
  constexpr int side = Winograd<Tile>::points;
  int beyond = 0;
  float half[Tile][side][chunk]; // [row of the result][point of the row]
  for (int64_t first = 0; first < channels; first += chunk) {
    int64_t n = std::min(chunk, channels - first);
    for (int column = 0; column < side; ++column) {
      const float *from = products + column * stride + first;
#pragma clang loop vectorize(assume_safety)
      for (int64_t c = 0; c < n; ++c) {
        float at[side], results[Tile];
        for (int i = 0; i < side; ++i)
          at[i] = from[i * side * stride + c];
        Winograd<Tile>::result(at, results);
        for (int i = 0; i < Tile; ++i) {
          half[i][column][c] = results[i];
          beyond |= std::fabs(results[i]) <= largestSum ? 0 : 1;
        }
      }
    }
    for (int row = 0; row < Tile; ++row)
      finishRow<Tile, IsAdding>(half[row], to, row, first, n);
  }
  return beyond != 0;
}

static NPU_CLONES(void, dataToPoints2,
                  (const float *const *pixels, int64_t channels, float *out,
                   int64_t stride),
                  (pixels, channels, out, stride)) {
  dataToPointsOf<2>(pixels, channels, out, stride);
}
static NPU_CLONES(void, dataToPoints4,
                  (const float *const *pixels, int64_t channels, float *out,
                   int64_t stride),
                  (pixels, channels, out, stride)) {
  dataToPointsOf<4>(pixels, channels, out, stride);
}
static NPU_CLONES(bool, pointsToResults2,
                  (const float *products, int64_t stride, int64_t channels,
                   const ResultTile &to),
                  (products, stride, channels, to)) {
  return to.added[0]
             ? pointsToResultsOf<2, true>(products, stride, channels, to)
             : pointsToResultsOf<2, false>(products, stride, channels, to);
}
static NPU_CLONES(bool, pointsToResults4,
                  (const float *products, int64_t stride, int64_t channels,
                   const ResultTile &to),
                  (products, stride, channels, to)) {
  return to.added[0]
             ? pointsToResultsOf<4, true>(products, stride, channels, to)
             : pointsToResultsOf<4, false>(products, stride, channels, to);
}

void dataToPoints(int64_t tile, const float *const *pixels, int64_t channels,
                  float *out, int64_t stride) {
  (tile == 2 ? dataToPoints2 : dataToPoints4)(pixels, channels, out, stride);
}

bool pointsToResults(int64_t tile, const float *products, int64_t stride,
                     int64_t channels, const ResultTile &to) {
  return (tile == 2 ? pointsToResults2 : pointsToResults4)(products, stride,
                                                           channels, to);
}

bool translate(const Problem &problem, WinogradEpilogue &epilogue,
               std::string &whyNot) {
  int value = static_cast<int>(problem.inputs.size());
  bool isBounded = false;
  for (const npu_instr &instr : problem.instrs) {
    int other = instr.a == value ? instr.b : instr.a;
    bool isAddition =
        instr.kind == NPU_INSTR_add && instr.dtype == NPU_F32 &&
        epilogue.added < 0 && (instr.a == value) != (instr.b == value) &&
        other < static_cast<int>(problem.inputs.size()) &&
        problem.inputs[static_cast<size_t>(other)].dtype == NPU_F32 &&
        sameStorage(problem.inputs[static_cast<size_t>(other)],
                    problem.outputs[0]);
    bool isEarly = !isBounded && epilogue.rest.empty();
    bool isBound = instr.kind == NPU_INSTR_relu || instr.kind == NPU_INSTR_clip;
    if (isAddition && isEarly) {
      epilogue.added = other;
    } else if (lookupInstr(instr.kind)->arity != 1 || instr.a != value ||
               instr.dtype != NPU_F32) {
      whyNot = "a fused chain that is not a sum, then unary";
      return false;
    } else if (isBound && isEarly) {
      isBounded = true;
      epilogue.least = instr.kind == NPU_INSTR_relu ? 0.0f : instr.alpha;
      epilogue.most = instr.kind == NPU_INSTR_relu ? epilogue.most : instr.beta;
    } else {
      epilogue.rest.push_back(instr);
    }
    ++value;
  }
  if (problem.inPlaceInput >= 0 && problem.inPlaceInput != epilogue.added) {
    whyNot = "in-place operand that is not added first";
    return false;
  }
  return true;
}

} // namespace npu::kernels
