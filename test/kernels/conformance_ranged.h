// SPDX-License-Identifier: Apache-2.0
//
// The conformance suite's cases of products that quantize their data by its
// range.
#ifndef NPU_TEST_KERNELS_CONFORMANCE_RANGED_H
#define NPU_TEST_KERNELS_CONFORMANCE_RANGED_H

#include "test/kernels/conformance_packed.h"

namespace npu::kernels::testing {

inline Case rangedCase(std::vector<int64_t> a, int64_t columns,
                       const std::string &order, bool isPerColumn = true) {
  const Packing packing = {NPU_I8, 0, 1 << 20, 0, NPU_F32, -1, isPerColumn};
  Case one = packedCase(packing, std::move(a), columns, order);
  one.problem.attrs.matmul.quantize = NPU_QUANTIZE_BY_RANGE;
  one.tolerance = 0;
  return one;
}

/// Any numbers, those of data around `middle`, and weights of all bytes.
inline std::vector<Values> rangedInputs(const Problem &p, uint32_t seed,
                                        double middle) {
  std::vector<Values> inputs = packedInputs(p, seed);
  inputs[1] = randomValues(p.inputs[1], -128, 127, seed + 1);
  auto fill = [&](Values &values, double factor, double offset) {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(
          offset + factor * std::sin(static_cast<double>(i + seed) * 1.7));
  };
  fill(inputs[0], 0.37, middle);
  fill(inputs[2], 0.01, 0);
  return inputs;
}

TEST(Conformance, RangedMatmul) {
  uint32_t seed = 8800;
  const struct {
    std::vector<int64_t> a;
    int64_t columns;
  } shapes[] = {{{1, 40}, 70}, {{3, 33}, 64},    {{5, 64}, 17},
                {{2, 7}, 130}, {{2, 2, 48}, 96}, {{1, 600}, 500},
                {{1, 1}, 1},   {{4, 1030}, 300}, {{1, 8200}, 3}};
  for (const auto &shape : shapes)
    for (const char *order : {"ab", "ba", "Ab4a", "AB8b4a"})
      for (double middle : {0.0, 0.1, 5.0, -5.0}) {
        Case one = rangedCase(shape.a, shape.columns, order, seed % 3 != 0);
        check(one, rangedInputs(one.problem, seed, middle));
        ++seed;
      }
}

/// Halves go to the even byte, and zeros have a scale of 1.
TEST(Conformance, RangedMatmulOfHalvesAndZeros) {
  Case one = rangedCase({1, 40}, 70, "ab");
  std::vector<Values> inputs = rangedInputs(one.problem, 8950, 0);
  for (size_t k = 0; k < 40; ++k)
    inputs[0][k] = static_cast<double>(k) + 0.5;
  inputs[0][7] = 155;
  inputs[0][8] = -100;
  check(one, inputs);
  inputs[0].assign(40, 0.0);
  check(one, inputs);
}

/// What has no range gives NaN, one too small for a scale what the definition
/// gives.
TEST(Conformance, RangedMatmulOfExtremes) {
  Case one = rangedCase({1, 40}, 70, "ab");
  const double infinity = std::numeric_limits<double>::infinity();
  for (double extreme : {std::nan(""), infinity, -infinity, 3e38}) {
    std::vector<Values> inputs = rangedInputs(one.problem, 8960, 0);
    inputs[0][39] = extreme;
    inputs[0][3] = std::isfinite(extreme) ? -extreme : inputs[0][3];
    check(one, inputs);
    EXPECT_TRUE(std::isnan(runReference(one.problem, inputs)[0]));
  }
  for (double small : {1e-45, 1e-43, 3e-43, 1e-38}) {
    std::vector<Values> inputs = rangedInputs(one.problem, 8970, 0);
    for (double &x : inputs[0])
      x = std::fabs(x) * small;
    check(one, inputs);
    inputs[0][1] = -small;
    check(one, inputs);
  }
}

/// Signed bytes with one row of scales, and nothing else.
TEST(Conformance, RangedMatmulOfOtherWeights) {
  const Problem good = rangedCase({1, 40}, 70, "ab").problem;
  EXPECT_EQ(validate(good), "");
  Problem blocks = good, zero = good, zeros = good;
  blocks.attrs.matmul.block = 20;
  zero.attrs.matmul.zero_point = 1;
  zeros.attrs.matmul.has_zero_points = 1;
  zeros.inputs.push_back(zeros.inputs[2]);
  for (const Problem &p : {blocks, zero, zeros})
    EXPECT_NE(validate(p).find("quantized by its range for i8 in blocks of"),
              std::string::npos)
        << validate(p);
}

TEST(Conformance, RangedMatmulWithInstructions) {
  uint32_t seed = 9000;
  for (int variant = 0; variant < 5; ++variant)
    for (int64_t rows : {1, 4}) {
      Case one = rangedCase({2, rows, 32}, 70, "ab");
      Problem &p = one.problem;
      const auto extra = static_cast<int>(p.inputs.size());
      if (variant == 0) { // bias, function, residual, one number
        p.inputs.push_back(tensor(NPU_F32, {70}));
        p.inputs.push_back(p.outputs[0]);
        p.inputs.push_back(tensor(NPU_F32, {}));
        p.instrs = {binary(NPU_INSTR_add, extra + 3, extra),
                    unary(NPU_INSTR_relu, extra + 4),
                    binary(NPU_INSTR_add, extra + 1, extra + 5),
                    binary(NPU_INSTR_add, extra + 6, extra + 2)};
        p.inPlaceInput = extra + 1;
      } else if (variant == 1) { // another function
        p.instrs = {unary(NPU_INSTR_tanh, extra)};
      } else if (variant == 2) { // a sum with itself
        p.instrs = {binary(NPU_INSTR_add, extra, extra)};
      } else if (variant == 3) { // rows of heads
        for (npu_tensor_desc *tensor : {&p.inputs[0], &p.outputs[0]})
          std::swap(tensor->order[0], tensor->order[1]);
      } else { // whole numbers
        p.outputs[0].dtype = NPU_I32;
        p.instrs = {unary(NPU_INSTR_cast, extra, 0, 0, NPU_I32)};
        p.threads = 1;
      }
      check(one, rangedInputs(p, seed++, 0.2));
    }
}

} // namespace npu::kernels::testing

#endif // NPU_TEST_KERNELS_CONFORMANCE_RANGED_H
