// SPDX-License-Identifier: Apache-2.0
//
// Reductions; extrema of all elements, wherever they stand and whatever else
// does.
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

TEST(Conformance, Reduce) {
  uint32_t seed = 6000;
  for (const char *in : {"abcd", "acdb", "aBcd16b", "cadb"})
    for (int64_t mask : {12, 2, 8, 1, 15, 6, 0})
      for (int64_t kind = 0; kind <= NPU_REDUCE_SUM_SQUARE; ++kind)
        for (bool keep : {true, false}) {
          Case one;
          Problem &p = one.problem;
          p.op = NPU_OP_REDUCE;
          p.inputs = {image(3, 20, 5, 6, in)};
          std::vector<int64_t> dims;
          for (int d = 0; d < 4; ++d) {
            if (!(mask >> d & 1))
              dims.push_back(p.inputs[0].dims[d]);
            else if (keep)
              dims.push_back(1);
          }
          p.outputs = {tensor(NPU_F32, dims)};
          if (keep)
            p.outputs[0] = tensor(NPU_F32, dims, seed % 2 ? "acdb" : "aBcd16b");
          p.attrs.reduce = {kind, mask, keep};
          p.threads = 2;
          one.tolerance = 1e-4;
          if (kind == NPU_REDUCE_PROD || kind == NPU_REDUCE_LOG_SUM)
            continue; // of random integers: 0, or the logarithm of a negative
          check(one, seed++);
          for (int32_t type : {NPU_I32, NPU_I64}) {
            Case whole = one;
            whole.problem.inputs[0].dtype = whole.problem.outputs[0].dtype =
                type;
            whole.tolerance = 0;
            if (kind != NPU_REDUCE_LOG_SUM_EXP)
              check(whole, seed++);
          }
          if (kind == NPU_REDUCE_MEAN) {
            p.instrs = {unary(NPU_INSTR_hard_sigmoid, 1, 0.2f, 0.5f)};
            check(one, seed++);
          }
        }
}

/// Infinities, NaN, and numbers whose exponentials are beyond the floats, where
/// the reduced dimension is the innermost one and where it is not.
TEST(Conformance, LogSumExpOfWhatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  uint32_t seed = 6850;
  for (int64_t axis : {0, 1})
    for (int64_t length : {1, 15, 16, 40})
      for (double value : {infinity, -infinity, std::nan(""), 3e38, -1e30})
        for (int64_t each : {1, 3}) {
          Case one;
          Problem &p = one.problem;
          p.op = NPU_OP_REDUCE;
          std::vector<int64_t> dims = {33, 33};
          dims[static_cast<size_t>(axis)] = length;
          p.inputs = {tensor(NPU_F32, dims)};
          p.outputs = {tensor(NPU_F32, {33})};
          p.attrs.reduce = {NPU_REDUCE_LOG_SUM_EXP, 1 << axis, 0};
          p.threads = 2;
          one.tolerance = 1e-5;
          EXPECT_FALSE(query(p).slow) << query(p).refusals;
          auto inputs = inputsFor(p, seed++);
          for (size_t i = 0; i < inputs[0].size();
               i += static_cast<size_t>(each))
            inputs[0][i] = static_cast<float>(value);
          check(one, inputs);
        }
}

/// Large enough for a team, whose members' rows begin and end inside images.
TEST(Conformance, MeansOfImagesByManyThreads) {
  uint32_t seed = 6900;
  for (const char *layout : {"abcd", "acdb", "aBcd16b"})
    for (int64_t channels : {5, 64, 357})
      for (int64_t batch : {1, 2, 5})
        for (int threads : {1, 2, 3}) {
          Case one;
          Problem &p = one.problem;
          p.op = NPU_OP_REDUCE;
          p.inputs = {image(batch, channels, 31, 33, layout)};
          p.outputs = {image(batch, channels, 1, 1, layout)};
          p.attrs.reduce = {NPU_REDUCE_MEAN, 12, 1};
          p.threads = threads;
          one.tolerance = 1e-4;
          check(one, seed++);
          Case two = one; // dimensions that lie apart, or in front
          two.problem.inputs = {image(31, 33, batch, channels, layout)};
          two.problem.attrs.reduce.axes_mask = 3;
          two.problem.outputs = {tensor(NPU_F32, {1, 1, batch, channels})};
          check(two, seed++);
        }
}

} // namespace npu::kernels::testing

#endif // NPU_TEST_KERNELS_CONFORMANCE_REDUCE_H
