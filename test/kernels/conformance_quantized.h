// SPDX-License-Identifier: Apache-2.0
//
// The conformance suite's cases of products that quantize their data.
#ifndef NPU_TEST_KERNELS_CONFORMANCE_QUANTIZED_H
#define NPU_TEST_KERNELS_CONFORMANCE_QUANTIZED_H

#include "test/kernels/conformance_packed.h"

namespace npu::kernels::testing {

inline Case quantizedCase(const Packing &packing, std::vector<int64_t> a,
                          int64_t columns, const std::string &order,
                          int64_t group = 0) {
  Case one = packedCase(packing, std::move(a), columns, order);
  // A whole row, a block, or parts of one.
  const int64_t block = packing.block;
  one.problem.attrs.matmul.quantize = group ? group : block ? block : 32;
  return one;
}

/// Groups of whole numbers and halves whose largest is 127 steps of a power of
/// two, so that all sums are exact; some are all zeros.
inline std::vector<Values> quantizedInputs(const Problem &p, uint32_t seed) {
  std::vector<Values> inputs = packedInputs(p, seed);
  Values &data = inputs[0];
  data = randomValues(p.inputs[0], -253, 253, seed + 2);
  const auto depth =
      static_cast<size_t>(p.inputs[0].dims[p.inputs[0].rank - 1]);
  const size_t group =
      std::min(depth, static_cast<size_t>(p.attrs.matmul.quantize));
  for (size_t row = 0; row * depth < data.size(); ++row)
    for (size_t k = 0; k < depth; k += group) {
      const size_t which = row + k / group;
      const size_t end = std::min(k + group, depth), begin = row * depth + k;
      const double step =
          which % 7 == 4 ? 0 : std::exp2(static_cast<int>(which % 3));
      for (size_t i = 0; i < end - k; ++i)
        data[begin + i] *= step / 2;
      data[begin + (seed + which) % (end - k)] =
          (which % 2 ? -127 : 127) * step;
    }
  return inputs;
}

TEST(Conformance, QuantizedMatmul) {
  uint32_t seed = 8000;
  const struct {
    std::vector<int64_t> a;
    int64_t columns;
  } shapes[] = {{{1, 40}, 70},   {{3, 33}, 64},       {{5, 64}, 17},
                {{9, 7}, 130},   {{2, 5, 48}, 96},    {{21, 600}, 65},
                {{1, 1}, 1},     {{300, 20}, 40},     {{70, 1030}, 64},
                {{33, 128}, 70}, {{2, 20, 192}, 130}, {{2, 16384}, 3}};
  for (const Packing &packing : packings)
    for (const auto &shape : shapes)
      for (const char *order : {"ab", "ba", "Ab4a", "AB8b4a"})
        if (packing.dtype == NPU_I8 || packing.dtype == NPU_U8)
          for (int64_t group :
               {int64_t{0}, packing.block ? 4 * packing.block : 8}) {
            Case one =
                quantizedCase(packing, shape.a, shape.columns, order, group);
            one.tolerance = 1e-6; // where zero points are no whole numbers
            check(one, quantizedInputs(one.problem, seed++));
          }
}

/// Numbers as they are, whose steps no float has exactly.
TEST(Conformance, QuantizedMatmulOfAnyNumbers) {
  uint32_t seed = 8500;
  for (const Packing &packing : {packings[4], packings[7], packings[8]})
    for (int64_t rows : {1, 6, 40}) {
      Case one = quantizedCase(packing, {rows, 96}, 70, "ab");
      one.tolerance = 1e-4;
      std::vector<Values> inputs = packedInputs(one.problem, seed++);
      for (size_t i = 0; i < inputs[0].size(); ++i)
        inputs[0][i] = static_cast<float>(
            std::sin(static_cast<double>(i) * 1.7 + rows) * 0.37);
      check(one, inputs);
    }
}

/// A row with what is not finite is NaN, one of numbers too small to divide by
/// is zero; the rows beside them stay.
TEST(Conformance, QuantizedMatmulOfExtremes) {
  Case one = quantizedCase(packings[4], {6, 40}, 70, "ab");
  one.tolerance = 1e-6;
  std::vector<Values> inputs = quantizedInputs(one.problem, 8600);
  inputs[0][5] = std::nan("");
  inputs[0][1 * 40 + 7] = -std::numeric_limits<double>::infinity();
  for (size_t k = 0; k < 40; ++k)
    inputs[0][2 * 40 + k] = 1e-40;
  check(one, inputs);
  Values found = runReference(one.problem, inputs);
  for (size_t n = 0; n < 70; ++n) {
    EXPECT_TRUE(std::isnan(found[n]) && std::isnan(found[70 + n]));
    EXPECT_EQ(found[140 + n], 0);
    EXPECT_TRUE(std::isfinite(found[210 + n]));
  }
}

TEST(Conformance, QuantizedMatmulWithInstructions) {
  uint32_t seed = 8700;
  for (int variant = 0; variant < 4; ++variant)
    for (int64_t rows : {1, 4, 11, 40}) {
      Case one = quantizedCase(packings[4], {2, rows, 32}, 70, "ab");
      one.tolerance = 1e-5;
      Problem &p = one.problem;
      const auto extra = static_cast<int>(p.inputs.size());
      if (variant == 0) { // bias, function, residual
        p.inputs.push_back(tensor(NPU_F32, {70}));
        p.inputs.push_back(p.outputs[0]);
        p.instrs = {binary(NPU_INSTR_add, extra + 2, extra),
                    unary(NPU_INSTR_relu, extra + 3),
                    binary(NPU_INSTR_add, extra + 4, extra + 1)};
        p.inPlaceInput = extra + 1;
      } else if (variant == 1) { // rows of heads
        for (npu_tensor_desc *tensor : {&p.inputs[0], &p.outputs[0]})
          std::swap(tensor->order[0], tensor->order[1]);
      } else if (variant == 2) { // data by columns
        std::swap(p.inputs[0].order[1], p.inputs[0].order[2]);
      } else {
        p.threads = 1;
      }
      check(one, quantizedInputs(p, seed++));
    }
}

} // namespace npu::kernels::testing

#endif // NPU_TEST_KERNELS_CONFORMANCE_QUANTIZED_H
