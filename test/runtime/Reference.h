// SPDX-License-Identifier: Apache-2.0
//
// What the demo programs compute, written once more as plainly as possible, in
// the tensors' stored orders.
#ifndef NPU_TEST_RUNTIME_REFERENCE_H
#define NPU_TEST_RUNTIME_REFERENCE_H

#include "test/runtime/demo/weights.h"

#include <cstddef>
#include <vector>

namespace npu::test {

constexpr int convIn = 3, convOut = 16, convSize = 32;
constexpr int matmulRows = 4;

/// relu(conv(x)) of demo/conv.c: 3x3, padding 1, NHWC, weights HWOI.
inline std::vector<float> referenceConv(const float *x) {
  std::vector<float> y(size_t(convSize) * convSize * convOut);
  auto weight = [](int kh, int kw, int o, int i) {
    return demo_weight(((uint64_t(kh) * 3 + kw) * convOut + o) * convIn + i);
  };
  for (int h = 0; h < convSize; ++h)
    for (int w = 0; w < convSize; ++w)
      for (int o = 0; o < convOut; ++o) {
        double sum = 0;
        for (int kh = 0; kh < 3; ++kh)
          for (int kw = 0; kw < 3; ++kw) {
            int ih = h + kh - 1, iw = w + kw - 1;
            if (ih < 0 || ih >= convSize || iw < 0 || iw >= convSize)
              continue;
            for (int i = 0; i < convIn; ++i)
              sum += double(x[(ih * convSize + iw) * convIn + i]) *
                     weight(kh, kw, o, i);
          }
        y[(size_t(h) * convSize + w) * convOut + o] = sum > 0 ? float(sum) : 0;
      }
  return y;
}

/// Column `column` of row `row` of demo/matmul.c's result.
inline double referenceMatmul(const float *x, size_t size, size_t row,
                              size_t column) {
  double sum = 0;
  for (size_t k = 0; k < size; ++k)
    sum += double(x[row * size + k]) * demo_weight(k * size + column);
  return sum;
}

/// Test inputs: different for each seed, in [-0.5, 0.5).
inline void fillInput(float *x, size_t count, uint64_t seed) {
  for (size_t i = 0; i < count; ++i)
    x[i] = demo_weight(i * 31 + seed * 1000003);
}

} // namespace npu::test

#endif // NPU_TEST_RUNTIME_REFERENCE_H
