// SPDX-License-Identifier: Apache-2.0
//
// Kernels on long rows: softmax, normalisation, and convolutions of signals.
#ifndef NPU_TEST_KERNELS_CONFORMANCE_ROWS_H
#define NPU_TEST_KERNELS_CONFORMANCE_ROWS_H

#include "test/kernels/conformance_cases.h"

#include <cmath>
#include <limits>

namespace npu::kernels::testing {

inline Problem softmaxOfRows(int64_t rows, int64_t length, int64_t isLog) {
  Problem p;
  p.op = NPU_OP_SOFTMAX;
  p.inputs = p.outputs = {tensor(NPU_F32, {rows, length})};
  p.attrs.axis = {1, isLog};
  p.threads = 2;
  return p;
}

TEST(Conformance, SoftmaxOfLongRows) {
  uint32_t seed = 7500;
  for (int64_t length : {1, 15, 16, 17, 1100, 5000})
    for (int64_t isLog : {0, 1}) {
      Case one;
      one.problem = softmaxOfRows(5, length, isLog);
      one.tolerance = 1e-5;
      check(one, seed++);
    }
}

/// An axis of one element, wherever it lies, is no case for the reference.
TEST(Conformance, SoftmaxOfOneElement) {
  for (int64_t axis : {0, 1, 2})
    for (int64_t isLog : {0, 1}) {
      std::vector<int64_t> dims = {3, 5, 4};
      dims[static_cast<size_t>(axis)] = 1;
      Case one;
      Problem &p = one.problem;
      p.op = NPU_OP_SOFTMAX;
      p.inputs = p.outputs = {tensor(NPU_F32, dims)};
      p.attrs.axis = {axis, isLog};
      EXPECT_FALSE(query(p).slow) << query(p).refusals;
      check(one, 7450);
    }
}

/// Masked elements, rows of nothing else, NaN at any place.
TEST(Conformance, SoftmaxOfWhatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  constexpr int64_t length = 40;
  for (double value : {-infinity, infinity, std::nan("")})
    for (int64_t place = 0; place <= length; ++place)
      for (int64_t isLog : {0, 1}) {
        Problem p = softmaxOfRows(1, length, isLog);
        p.keepsNan = true;
        std::vector<std::vector<double>> inputs(1);
        for (int64_t i = 0; i < length; ++i)
          inputs[0].push_back(i == place || place == length
                                  ? value
                                  : static_cast<double>(i % 7));
        auto found = runKernel(*create(p), p, inputs),
             expected = runKernel(*createReference(p), p, inputs);
        for (size_t i = 0; i < found.size(); ++i)
          if (std::isfinite(expected[i]))
            EXPECT_NEAR(found[i], expected[i], 1e-5) << value << " " << place;
          else
            EXPECT_TRUE(std::isnan(expected[i]) ? std::isnan(found[i])
                                                : found[i] == expected[i])
                << value << " " << place << " " << found[i];
      }
}

inline Problem normOfRows(int64_t rows, int64_t length, int64_t hasBias,
                          int64_t isCentered, double epsilon) {
  Problem p;
  p.op = NPU_OP_TENSORNORM;
  p.inputs = {tensor(NPU_F32, {rows, length}), tensor(NPU_F32, {length}),
              tensor(NPU_F32, {length})};
  if (!hasBias)
    p.inputs.pop_back();
  p.outputs = {p.inputs[0]};
  p.attrs.norm = {2, 1, 1, hasBias, isCentered, epsilon};
  p.threads = 2;
  return p;
}

TEST(Conformance, NormOfRows) {
  uint32_t seed = 7520;
  for (int64_t length : {1, 15, 16, 17, 64, 100, 4096, 4097})
    for (int64_t hasBias : {0, 1})
      for (int64_t isCentered : {0, 1}) {
        Case one;
        one.problem = normOfRows(5, length, hasBias, isCentered, 1e-5);
        one.tolerance = 1e-5;
        check(one, seed++);
        if (length > 1) { // one for all of a row
          one.problem.inputs[1] = tensor(NPU_F32, {5, 1});
          check(one, seed++);
        }
      }
}

/// Results of bf16, of rows and of what is widened around the kernel.
TEST(Conformance, NormOfRowsRounded) {
  uint32_t seed = 7580;
  for (int64_t length : {1, 15, 16, 40, 100, 4097})
    for (int64_t hasBias : {0, 1})
      for (int64_t mask : {2, 1}) {
        Case one;
        one.problem = normOfRows(5, length, hasBias, 1, 1e-5);
        one.problem.attrs.norm.axes_mask = mask;
        one.problem.attrs.norm.group_axis = mask - 1;
        one.problem.outputs[0].dtype = NPU_BF16;
        one.tolerance = 0.01;
        check(one, seed++);
      }
}

/// Squares that floats do not hold, sums that they do not, NaN, all the same.
TEST(Conformance, NormOfHugeAndTinyNumbers) {
  constexpr int64_t length = 40;
  for (double unit : {3e38, 1e25, 1e-22, 1e-40, 0.0, std::nan("")})
    for (int64_t isCentered : {0, 1}) {
      Case one;
      one.problem = normOfRows(2, length, 1, isCentered, unit < 1 ? 1e-44 : 1);
      one.tolerance = 1e-5;
      std::vector<Values> inputs = inputsFor(one.problem, 7560);
      for (size_t i = 0; i < inputs[0].size(); ++i)
        inputs[0][i] = static_cast<float>(
            unit * (1 - static_cast<double>(i % 5) / (i % 2 ? 8 : -8)));
      check(one, inputs);
    }
}

/// Of one channel each, in every order; a dilated one reaches beyond the end.
TEST(Conformance, ConvDepthwiseSignal) {
  uint32_t seed = 7700;
  for (const char *layout : {"abc", "acb", "aBc16b", "aBc8b"})
    for (int64_t window : {1, 3, 15})
      for (int64_t stride : {1, 2})
        for (int64_t pad : {0, 7}) {
          Case one;
          one.problem =
              convProblem(tensor(NPU_F32, {2, 32, 40}, layout), 32, {window},
                          stride, pad, 32, layout, seed % 3 != 0, 1 + seed % 2);
          one.problem.threads = 1 + static_cast<int>(seed % 2);
          if (seed % 4)
            makeConstant(one.problem, 1);
          for (const Chain &chain : chainsFor(one.problem.outputs[0])) {
            Case fused = one;
            addChain(fused, chain);
            check(fused, seed++);
          }
        }
}

/// Windows that begin before the signal, end behind it, or hold all of it;
/// channels that fill no vector.
TEST(Conformance, ConvSignal) {
  uint32_t seed = 7600;
  for (int64_t channels : {1, 3})
    for (int64_t results : {1, 33, 64})
      for (int64_t window : {57, 70})
        for (int64_t stride : {1, 4})
          for (int64_t pad : {0, 30, 60})
            for (bool isImage : {false, true}) {
              Case one;
              one.problem =
                  isImage
                      ? convProblem(
                            tensor(NPU_F32, {1, channels, 1, 330}, "acdb"),
                            results, {1, window}, stride, 0, 1, "acdb",
                            seed % 3 != 0)
                      : convProblem(tensor(NPU_F32, {2, channels, 75}, "acb"),
                                    results, {window}, stride, pad, 1, "acb",
                                    seed % 3 != 0);
              npu_tensor_desc &weight = one.problem.inputs[1];
              if (seed % 2)
                std::swap(weight.order[0], weight.order[1]);
              makeConstant(one.problem, 1);
              one.problem.threads = 1 + static_cast<int>(seed % 2);
              check(one, seed++);
              addChain(one, chainsFor(one.problem.outputs[0])[0]);
              check(one, seed++);
            }
}

} // namespace npu::kernels::testing

#endif // NPU_TEST_KERNELS_CONFORMANCE_ROWS_H
