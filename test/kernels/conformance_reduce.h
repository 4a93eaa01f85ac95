// SPDX-License-Identifier: Apache-2.0
//
// Extrema of all elements, wherever they stand and whatever else does.
#ifndef NPU_TEST_KERNELS_CONFORMANCE_REDUCE_H
#define NPU_TEST_KERNELS_CONFORMANCE_REDUCE_H

#include "test/kernels/conformance_cases.h"

#include <cmath>
#include <limits>

namespace npu::kernels::testing {

inline float extremumOf(const std::vector<float> &x, int64_t kind, int threads,
                        bool isReference) {
  Problem p;
  p.op = NPU_OP_REDUCE;
  p.inputs = {tensor(NPU_F32, {static_cast<int64_t>(x.size())})};
  p.outputs = {tensor(NPU_F32, {})};
  p.attrs.reduce = {kind, 1, 0};
  p.threads = threads;
  std::unique_ptr<Kernel> kernel = isReference ? createReference(p) : create(p);
  float found = 0;
  void *operands[2] = {const_cast<float *>(x.data()), &found};
  std::vector<char> scratch(kernel->scratchBytes() + 1);
  EXPECT_EQ(kernel->run(operands, scratch.data()), 0);
  return found;
}

TEST(Conformance, ExtremumWhereverItStands) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (size_t count : {1, 63, 64, 200, 70001})
    for (size_t place : {size_t(0), count / 2, count - 1})
      for (float value : {1e9f, -1e9f, infinity, -infinity, std::nanf("")})
        for (int threads : {1, 2})
          for (int64_t kind : {NPU_REDUCE_MAX, NPU_REDUCE_MIN}) {
            std::vector<float> x(count);
            for (size_t i = 0; i < count; ++i)
              x[i] = static_cast<float>(i % 97) - 48;
            x[place] = value;
            float found = extremumOf(x, kind, threads, false);
            float expected = extremumOf(x, kind, threads, true);
            if (std::isnan(value))
              EXPECT_TRUE(std::isnan(found)) << count << " " << place;
            else
              EXPECT_EQ(found, expected) << count << " " << place;
          }
}

} // namespace npu::kernels::testing

#endif // NPU_TEST_KERNELS_CONFORMANCE_REDUCE_H
