// SPDX-License-Identifier: Apache-2.0
//
// Which constants are numbers times scales of a dimension, and which are not.

#include "kernels/narrow.h"
#include "test/kernels/testing.h"

#include <gtest/gtest.h>

namespace npu::kernels::testing {
namespace {

Problem scaling(int32_t from, std::vector<int64_t> each, bool hasOffsets) {
  Problem maker;
  maker.op = NPU_OP_ELTWISE;
  maker.inputs = {tensor(from, {4, 6, 3, 3}), tensor(NPU_F32, each)};
  if (hasOffsets)
    maker.inputs.push_back(tensor(NPU_F32, each));
  maker.outputs = {tensor(NPU_F32, {4, 6, 3, 3})};
  auto next = static_cast<int>(maker.inputs.size());
  maker.instrs = {unary(NPU_INSTR_cast, 0)};
  if (hasOffsets)
    maker.instrs.push_back(binary(NPU_INSTR_add, next++, 2));
  maker.instrs.push_back(binary(NPU_INSTR_mul, next, 1));
  return maker;
}

TEST(Narrow, MakersThatScale) {
  for (int32_t dtype : {NPU_I8, NPU_F16, NPU_BF16})
    for (bool hasOffsets : {false, true}) {
      const Problem maker = scaling(dtype, {1, 6, 1, 1}, hasOffsets);
      std::optional<Narrow> found = narrowOf(maker, maker.outputs[0]);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->dim, 1);
      EXPECT_EQ(found->numbers.dtype, dtype);
    }
}

TEST(Narrow, MakersThatCast) {
  Problem maker;
  maker.op = NPU_OP_ELTWISE;
  maker.inputs = {tensor(NPU_F16, {216})};
  maker.outputs = {tensor(NPU_F32, {216})};
  maker.instrs = {unary(NPU_INSTR_cast, 0)};
  // As the constant lies, whatever its order.
  std::optional<Narrow> found =
      narrowOf(maker, tensor(NPU_F32, {4, 6, 3, 3}, "cdab"));
  ASSERT_TRUE(found);
  EXPECT_EQ(layoutString(found->numbers), "cdab");
  EXPECT_FALSE(narrowOf(maker, tensor(NPU_F32, {4, 6, 3, 4})));
  maker.outputs = {tensor(NPU_F32, {2, 216})}; // repeated
  EXPECT_FALSE(narrowOf(maker, tensor(NPU_F32, {2, 216})));
}

/// Each rule of what is no such maker.
TEST(Narrow, OtherMakers) {
  const Problem good = scaling(NPU_I8, {4, 1, 1, 1}, true);
  const npu_tensor_desc constant = good.outputs[0];
  ASSERT_TRUE(narrowOf(good, constant));
  const auto expectNone = [&](auto change) {
    Problem other = good;
    change(other);
    EXPECT_FALSE(narrowOf(other, constant));
  };
  expectNone([](Problem &p) { p.op = NPU_OP_WINOGRAD_WEIGHT; });
  expectNone([](Problem &p) { p.inputs[0].dtype = NPU_I16; });
  expectNone([](Problem &p) { p.inputs[1].dtype = NPU_F16; });
  expectNone([](Problem &p) { p.outputs[0].dtype = NPU_BF16; });
  expectNone([](Problem &p) { p.inputs[0].dims[1] = 1; });
  expectNone([](Problem &p) { p.inputs[1] = tensor(NPU_F32, {4, 6, 1, 1}); });
  expectNone([](Problem &p) { p.inputs[2] = tensor(NPU_F32, {1, 6, 1, 1}); });
  expectNone([](Problem &p) { p.inputs[1] = tensor(NPU_F32, {4}); });
  expectNone([](Problem &p) { p.inputs.push_back(p.inputs[1]); });
  expectNone([](Problem &p) { std::swap(p.instrs[1], p.instrs[2]); });
  expectNone([](Problem &p) { p.instrs[1].kind = NPU_INSTR_sub; });
  expectNone([](Problem &p) { p.instrs[1].b = 1; });
  expectNone([](Problem &p) { p.instrs[2].kind = NPU_INSTR_div; });
  expectNone([](Problem &p) { p.instrs[2].a = 3; });
  expectNone([](Problem &p) { p.instrs[0].dtype = NPU_F16; });
  expectNone([](Problem &p) { p.instrs.pop_back(); });
  expectNone(
      [](Problem &p) { p.inputs[0] = tensor(NPU_I8, {4, 6, 3, 3}, "cdab"); });
  EXPECT_FALSE(narrowOf(good, tensor(NPU_F32, {4, 6, 3, 3}, "cdab")));
  EXPECT_FALSE(narrowOf(good, tensor(NPU_BF16, {4, 6, 3, 3})));
}

} // namespace
} // namespace npu::kernels::testing
