// SPDX-License-Identifier: Apache-2.0
//
// The conformance suite's cases of products with packed weights.
#ifndef NPU_TEST_KERNELS_CONFORMANCE_PACKED_H
#define NPU_TEST_KERNELS_CONFORMANCE_PACKED_H

#include "test/kernels/conformance_cases.h"

namespace npu::kernels::testing {

/// A way to store a matrix.
struct Packing {
  int32_t dtype;
  int64_t bits, block, zeroPoint;
  int32_t scales, zeros; // types, -1: none
  bool isPerColumn;
};

const Packing packings[] = {
    {NPU_I8, 0, 0, 0, -1, -1, true},
    {NPU_U8, 0, 0, 3, -1, -1, true},
    {NPU_F16, 0, 0, 0, -1, -1, true},
    {NPU_BF16, 0, 0, 0, -1, -1, true},
    {NPU_I8, 0, 1 << 20, 0, NPU_F32, -1, true},   // each column
    {NPU_I8, 0, 1 << 20, -2, NPU_F32, -1, false}, // all
    {NPU_U8, 0, 1, 128, NPU_F32, -1, false},      // each row
    {NPU_U8, 0, 16, 0, NPU_F32, NPU_U8, true},
    {NPU_U8, 4, 32, 8, NPU_F32, -1, true},
    {NPU_U8, 4, 16, 0, NPU_F16, NPU_U8, true},
    {NPU_U8, 4, 5, 0, NPU_F32, NPU_I8, false},
    {NPU_U8, 2, 32, 0, NPU_BF16, NPU_F32, true},
    {NPU_U8, 2, 0, 1, -1, -1, true},
    {NPU_U8, 4, 1 << 20, 7, NPU_F32, -1, true}, // each column
};

/// Rows of data times a packed matrix; inputs of small integers.
inline Case packedCase(const Packing &packing, std::vector<int64_t> a,
                       int64_t columns, const std::string &order) {
  Case one;
  Problem &p = one.problem;
  p.op = NPU_OP_MATMUL;
  p.threads = 2;
  const int64_t depth = a.back();
  const int64_t together = packing.bits ? 8 / packing.bits : 1;
  p.inputs = {tensor(NPU_F32, a),
              tensor(packing.dtype,
                     {(depth + together - 1) / together, columns}, order)};
  a.back() = columns;
  p.outputs = {tensor(NPU_F32, a)};
  p.attrs.matmul = {packing.bits, packing.block, packing.zeroPoint,
                    packing.zeros >= 0, 0};
  for (int32_t type : {packing.scales, packing.zeros})
    if (type >= 0)
      p.inputs.push_back(
          tensor(type, {(depth + packing.block - 1) / packing.block,
                        packing.isPerColumn ? columns : 1}));
  for (size_t i = 1; i < p.inputs.size(); ++i)
    makeConstant(p, i);
  return one;
}

inline std::vector<Values> packedInputs(const Problem &p, uint32_t seed) {
  std::vector<Values> inputs = inputsFor(p, seed);
  if (p.inputs[1].dtype == NPU_U8)
    inputs[1] = randomValues(p.inputs[1], 0, 255, seed + 1);
  return inputs;
}

TEST(Conformance, PackedMatmul) {
  uint32_t seed = 7000;
  const struct {
    std::vector<int64_t> a;
    int64_t columns;
  } shapes[] = {{{1, 40}, 70}, {{3, 33}, 64},    {{5, 64}, 17},
                {{9, 7}, 130}, {{2, 5, 48}, 96}, {{21, 600}, 65},
                {{1, 1}, 1},   {{300, 20}, 40}};
  for (const Packing &packing : packings)
    for (const auto &shape : shapes)
      for (const char *order : {"ab", "ba", "Ab4a", "AB8b4a"}) {
        Case one = packedCase(packing, shape.a, shape.columns, order);
        check(one, packedInputs(one.problem, seed++));
      }
}

/// Whatever is fused behind the sums, and rows that lie apart.
TEST(Conformance, PackedMatmulWithInstructions) {
  uint32_t seed = 7900;
  for (const Packing &packing : {packings[4], packings[8], packings[9]})
    for (int variant = 0; variant < 7; ++variant)
      for (int64_t rows : {1, 4, 11}) {
        Case one = packedCase(packing, {2, rows, 32}, 70, "ab");
        Problem &p = one.problem;
        const npu_tensor_desc y = p.outputs[0];
        const auto extra = static_cast<int>(p.inputs.size());
        auto add = [&](const npu_tensor_desc &tensor) {
          p.inputs.push_back(tensor);
          p.instrs = {binary(NPU_INSTR_add, extra + 1, extra)};
        };
        if (variant == 0) {
          add(tensor(NPU_F32, {70}));
          p.instrs.push_back(unary(NPU_INSTR_relu, extra + 2));
        } else if (variant == 1) {
          add(y);
          p.inPlaceInput = extra;
        } else if (variant == 2) { // one for each row, one for all
          add(tensor(NPU_F32, {rows, 1}));
          p.inputs.push_back(tensor(NPU_F32, {}));
          p.instrs = {binary(NPU_INSTR_mul, extra + 2, extra),
                      binary(NPU_INSTR_sub, extra + 3, extra + 1)};
        } else if (variant == 3) { // rows of heads
          for (npu_tensor_desc *tensor : {&p.inputs[0], &p.outputs[0]})
            std::swap(tensor->order[0], tensor->order[1]);
        } else if (variant == 4) { // columns first: an adapter's
          std::swap(p.inputs[0].order[1], p.inputs[0].order[2]);
          std::swap(p.outputs[0].order[1], p.outputs[0].order[2]);
        } else if (variant == 5) {
          p.outputs[0].dtype = NPU_I32;
          p.instrs = {unary(NPU_INSTR_cast, extra, 0, 0, NPU_I32)};
        } else { // a choice by a mask of whole numbers
          p.inputs.push_back(tensor(NPU_BOOL, {70}));
          npu_instr choice = binary(NPU_INSTR_select, extra, extra + 1);
          choice.c = static_cast<int16_t>(extra + 2);
          p.instrs = {unary(NPU_INSTR_neg, extra + 1), choice};
        }
        check(one, packedInputs(p, seed++));
      }
}

/// What is not finite reaches the columns that it does number by number, also
/// where zero points are subtracted from sums.
TEST(Conformance, PackedMatmulOfInfinities) {
  for (const Packing &packing : {packings[7], packings[8], packings[9]})
    for (int64_t rows : {1, 3, 9}) {
      Case one = packedCase(packing, {rows, 64}, 70, "ab");
      std::vector<Values> inputs = packedInputs(one.problem, 7990);
      inputs[0][37] = std::numeric_limits<double>::infinity();
      compareAll(one, inputs);
    }
}

} // namespace npu::kernels::testing

#endif // NPU_TEST_KERNELS_CONFORMANCE_PACKED_H
