// SPDX-License-Identifier: Apache-2.0
//
// Attention: rows and keys that fill no block, heads that share keys, masks.
#ifndef NPU_TEST_KERNELS_CONFORMANCE_ATTENTION_H
#define NPU_TEST_KERNELS_CONFORMANCE_ATTENTION_H

#include "test/kernels/conformance_cases.h"

#include <limits>

namespace npu::kernels::testing {

struct AttentionShape {
  int64_t heads, shared, rows, keys, size, width;
};

inline Problem attentionOf(const AttentionShape &s,
                           const std::string &layout = "abcd",
                           int32_t type = NPU_F32) {
  Problem p;
  p.op = NPU_OP_ATTENTION;
  p.inputs = {tensor(type, {2, s.heads, s.rows, s.size}, layout),
              tensor(type, {2, s.shared, s.keys, s.size}, layout),
              tensor(type, {2, s.shared, s.keys, s.width}, layout)};
  p.outputs = {tensor(type, {2, s.heads, s.rows, s.width}, layout)};
  p.attrs.attention.scale = 0.125;
  return p;
}

inline void addMask(Problem &p, int32_t type, std::vector<int64_t> dims) {
  p.inputs.push_back(tensor(type, dims));
  p.attrs.attention.has_mask = 1;
  p.attrs.attention.fill = -3;
}

/// Shapes, orders and masks, of one type, whose masks are f32 or boolean.
inline void checkAttention(int32_t type, double tolerance, uint32_t seed) {
  const AttentionShape shapes[] = {
      {3, 3, 17, 17, 16, 32}, {4, 2, 13, 40, 20, 33}, {2, 1, 61, 97, 64, 64},
      {1, 1, 8, 1, 1, 1},     {6, 2, 25, 33, 5, 47},  {12, 12, 9, 130, 32, 32}};
  for (const AttentionShape &s : shapes)
    for (const char *layout : {"abcd", "acbd", "bcad", "acdb", "aBcd8b"})
      for (int kind = 0; kind < 5; ++kind) {
        Case one;
        Problem &p = one.problem;
        p = attentionOf(s, layout, type);
        p.threads = 1 + static_cast<int>(seed % 2);
        p.attrs.attention.causal = s.keys >= s.rows && seed % 3 == 0;
        if (kind == 1)
          addMask(p, NPU_F32, {2, 1, 1, s.keys});
        else if (kind == 2)
          addMask(p, NPU_F32, {s.heads, s.rows, s.keys});
        else if (kind == 3)
          addMask(p, NPU_BOOL, {s.rows, s.keys});
        else if (kind == 4)
          addMask(p, NPU_BOOL, {s.rows, 1});
        one.tolerance = tolerance;
        check(one, seed++);
        if (seed % 4 == 0) {
          const auto proper = static_cast<int>(p.inputs.size());
          p.instrs = {unary(NPU_INSTR_relu, proper)};
          if (type != NPU_F32)
            p.instrs.push_back(unary(NPU_INSTR_cast, proper + 1, 0, 0, type));
          check(one, seed++);
        }
      }
}

TEST(Conformance, Attention) { checkAttention(NPU_F32, 2e-5, 26000); }

/// Weights are rounded as they are multiplied, results as they are stored.
TEST(Conformance, AttentionOfBfloats) { checkAttention(NPU_BF16, 0.01, 26200); }

/// Three dimensions, two, and a mask without any.
TEST(Conformance, AttentionOfOtherRanks) {
  uint32_t seed = 26500;
  for (int rank : {2, 3}) {
    Case one;
    Problem &p = one.problem;
    p = attentionOf({3, 3, 20, 24, 16, 16});
    auto drop = [&](npu_tensor_desc &t) {
      t = tensor(t.dtype, {t.dims + 4 - rank, t.dims + 4});
    };
    for (npu_tensor_desc &input : p.inputs)
      drop(input);
    drop(p.outputs[0]);
    one.tolerance = 2e-5;
    check(one, seed++);
    addMask(p, NPU_F32, {});
    check(one, seed++);
  }
}

/// A mask with the value at one place after another, then everywhere.
inline void checkNotFinite(int32_t type, double value) {
  Problem p = attentionOf({1, 1, 12, 20, 4, 4}, "abcd", type);
  addMask(p, NPU_F32, {20});
  for (size_t place = 0; place <= 20; ++place) {
    std::vector<Values> inputs = inputsFor(p, 7);
    for (size_t i = 0; i < 20; ++i)
      if (i == place || place == 20)
        inputs[3][i] = value;
    Values found = runKernel(*create(p), p, inputs),
           expected = runReference(p, inputs);
    for (size_t i = 0; i < found.size(); ++i)
      if (std::isnan(expected[i]))
        EXPECT_TRUE(std::isnan(found[i])) << value << " at " << place;
      else
        EXPECT_NEAR(found[i], expected[i], type == NPU_F32 ? 1e-5 : 0.02)
            << value << " at " << place;
  }
}

/// A row of which nothing counts, and NaN at any place of a row of scores.
TEST(Conformance, AttentionOfWhatIsNotFinite) {
  for (int32_t type : {NPU_F32, NPU_BF16})
    for (double value :
         {-std::numeric_limits<double>::infinity(), std::nan("")})
      checkNotFinite(type, value);
}

} // namespace npu::kernels::testing

#endif // NPU_TEST_KERNELS_CONFORMANCE_ATTENTION_H
