// SPDX-License-Identifier: Apache-2.0
//
// The parts below the kernels: where elements lie, conversions, instructions.

#include "kernels/parallel.h"
#include "kernels/slow_kernels.h"
#include "kernels/support/interpreter.h"
#include "kernels/support/processor.h"
#include "kernels/validate.h"
#include "test/kernels/testing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>

using namespace npu;
using namespace npu::kernels;
using namespace npu::kernels::testing;

namespace {
using Values = std::vector<double>;

constexpr float inf = std::numeric_limits<float>::infinity();

/// One ELTWISE instruction on row vectors.
Values apply(npu_instr instr, const std::vector<Values> &inputs,
             int32_t dtype = NPU_F32) {
  Problem p;
  p.op = NPU_OP_ELTWISE;
  auto n = static_cast<int64_t>(inputs[0].size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    bool isCondition = instr.kind == NPU_INSTR_select && i == 0;
    p.inputs.push_back(tensor(isCondition ? NPU_BOOL : dtype, {n}));
  }
  p.outputs = {tensor(instr.dtype, {n})};
  p.instrs = {instr};
  return runReference(p, inputs);
}

void expectUnary(npu_instr_kind kind, const Values &a, const Values &expected,
                 float alpha = 0, float beta = 0) {
  Values found = apply(unary(kind, 0, alpha, beta), {a});
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-6)
        << lookupInstr(kind)->name << " " << a[i];
}
} // namespace

TEST(Tensor, BlockedOffsets) {
  npu_tensor_desc t = tensor(NPU_F32, {2, 20, 3, 5}, "aBcd16b");
  EXPECT_EQ(elementCount(t), 600);
  EXPECT_EQ(storedElements(t), 2 * 32 * 15);
  EXPECT_EQ(storedBytes(t), 2 * 32 * 15 * 4);
  EXPECT_EQ(layoutString(t), "aBcd16b");
  EXPECT_EQ(describe(t), "f32 2x20x3x5 aBcd16b");
  const int64_t index[] = {1, 17, 2, 4};
  EXPECT_EQ(offsetOf(t, stridesOf(t), index),
            1 * 480 + 1 * 240 + (2 * 5 + 4) * 16 + 1);
  EXPECT_EQ(layoutString(tensor(NPU_F32, {})), "scalar");
  // Two blocks over one dimension: 8 outer parts of 4, then 2 of them.
  npu_tensor_desc nested = tensor(NPU_I8, {16}, "A4a2a");
  const int64_t element[] = {13}; // 8 + 2 * 2 + 1
  EXPECT_EQ(offsetOf(nested, stridesOf(nested), element), 13);
}

TEST(Tensor, SameStorageIgnoresUnitDimensions) {
  auto same = [](const char *a, const char *b, std::vector<int64_t> dims) {
    return sameStorage(tensor(NPU_F32, dims, a), tensor(NPU_F32, dims, b));
  };
  EXPECT_TRUE(same("abcd", "acdb", {1, 64, 1, 1}));
  EXPECT_TRUE(same("abcd", "acdb", {3, 1, 7, 7}));
  EXPECT_FALSE(same("abcd", "acdb", {1, 64, 1, 2}));
  EXPECT_FALSE(same("abcd", "aBcd16b", {1, 64, 1, 1}));
  EXPECT_TRUE(same("aBcd16b", "acdB16b", {1, 16, 5, 5}));
}

TEST(Parallel, SharesCoverAllOnceAndScopesRestore) {
  for (int threads : {1, 2, 3, 7})
    for (int64_t count : {0, 1, 6, 100}) {
      int64_t next = 0;
      for (int t = 0; t < threads; ++t) {
        Range range = shareOf(count, t, threads);
        EXPECT_EQ(range.begin, next);
        next = range.end;
      }
      EXPECT_EQ(next, count);
    }
  EXPECT_EQ(teamFor(199, 100, 8), 1);
  EXPECT_EQ(teamFor(200, 100, 8), 8);
  EXPECT_EQ(teamFor(1000, 100, 1), 1);
  int before = currentThreads();
  {
    ThreadScope scope(before + 3);
    EXPECT_EQ(currentThreads(), before + 3);
  }
  EXPECT_EQ(currentThreads(), before);
  std::vector<int> calls(3);
  parallelFor(3, [&](int thread, int threads) {
    EXPECT_LE(threads, 3);
    ++calls[static_cast<size_t>(thread)];
  });
  EXPECT_EQ(calls[0], 1);
}

TEST(Processor, TheVariableHidesInstructions) {
  const Processor all = {Generation::Avx512, true, true};
  auto left = [&](const char *most) {
    Processor found = limited(all, most);
    return std::make_tuple(found.generation, found.hasVnni, found.hasBfloats);
  };
  EXPECT_EQ(left(nullptr), std::make_tuple(Generation::Avx512, true, true));
  EXPECT_EQ(left("no name"), left(nullptr)); // as oneDNN
  EXPECT_EQ(left("ALL"), left(nullptr));
  EXPECT_EQ(left("AVX512_CORE_BF16"), left(nullptr));
  EXPECT_EQ(left("AVX512_CORE_VNNI"),
            std::make_tuple(Generation::Avx512, true, false));
  EXPECT_EQ(left("AVX512_CORE"),
            std::make_tuple(Generation::Avx512, false, false));
  EXPECT_EQ(left("avx2"), std::make_tuple(Generation::Avx2, false, false));
  EXPECT_EQ(left("SSE41"), std::make_tuple(Generation::Any, false, false));
  // What is not there does not come.
  EXPECT_EQ(limited({}, "AVX512_CORE").generation, Generation::Any);
}

TEST(Convert, HalfRoundsToNearestEven) {
  const struct {
    float value;
    uint16_t bits;
  } cases[] = {{0.0f, 0x0000},
               {-0.0f, 0x8000},
               {1.0f, 0x3c00},
               {65504.0f, 0x7bff},
               {65519.9f, 0x7bff},
               {65520.0f, 0x7c00},
               {inf, 0x7c00},
               {0x1p-24f, 0x0001},
               {0x1p-25f, 0x0000},
               {0x1.8p-24f, 0x0002},
               {0x1p-14f, 0x0400},
               {1.00048828125f, 0x3c00},
               {1.00146484375f, 0x3c02},
               {-2.0f, 0xc000}};
  for (const auto &one : cases)
    EXPECT_EQ(floatToHalf(one.value), one.bits) << one.value;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    auto half = static_cast<uint16_t>(bits);
    float value = halfToFloat(half);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(halfToFloat(floatToHalf(value))));
    else
      ASSERT_EQ(floatToHalf(value), half);
  }
  EXPECT_EQ(floatToBfloat(1.0f), 0x3f80);
  EXPECT_EQ(floatToBfloat(1.00390625f), 0x3f80); // tie to even
  EXPECT_EQ(floatToBfloat(1.01171875f), 0x3f82);
  EXPECT_TRUE(std::isnan(bfloatToFloat(floatToBfloat(std::nanf("")))));
}

TEST(Convert, CastsBetweenAllTypes) {
  auto cast = [](int32_t from, int32_t to, const Values &values) {
    return apply(unary(NPU_INSTR_cast, 0, 0, 0, to), {values}, from);
  };
  EXPECT_EQ(cast(NPU_F32, NPU_I32, {1.9, -1.9, 3e9, -3e9}),
            (Values{1, -1, 2147483647, -2147483648.0}));
  EXPECT_EQ(cast(NPU_F32, NPU_U8, {-1, 255, 256, 3.5}),
            (Values{0, 255, 255, 3}));
  EXPECT_EQ(cast(NPU_F32, NPU_I8, {-129, 127.9, 0}), (Values{-128, 127, 0}));
  EXPECT_EQ(cast(NPU_F32, NPU_I16, {-4e4, 32767.9, 0}),
            (Values{-32768, 32767, 0}));
  EXPECT_EQ(cast(NPU_I32, NPU_I16, {32768, -5}), (Values{-32768, -5}));
  EXPECT_EQ(cast(NPU_I16, NPU_I64, {-32768, 7}), (Values{-32768, 7}));
  EXPECT_EQ(cast(NPU_F32, NPU_BOOL, {0, -0.5, 2}), (Values{0, 1, 1}));
  EXPECT_EQ(cast(NPU_I64, NPU_U8, {256, -1, 7}), (Values{0, 255, 7}));
  EXPECT_EQ(cast(NPU_I64, NPU_BOOL, {256, 0}), (Values{1, 0}));
  EXPECT_EQ(cast(NPU_I32, NPU_F16, {2049, -3}), (Values{2048, -3}));
  EXPECT_EQ(cast(NPU_F32, NPU_BF16, {257, 3}), (Values{256, 3}));
  EXPECT_EQ(cast(NPU_BOOL, NPU_I64, {1, 0}), (Values{1, 0}));
  EXPECT_EQ(cast(NPU_F64, NPU_F32, {0.1, -2}),
            (Values{static_cast<double>(0.1f), -2}));
  EXPECT_EQ(cast(NPU_F32, NPU_F64, {0.5, -2}), (Values{0.5, -2}));
  EXPECT_EQ(cast(NPU_I64, NPU_F64, {16777217, -3}), (Values{16777217, -3}));
  EXPECT_EQ(cast(NPU_F64, NPU_I64, {16777217.5, -3.5}), (Values{16777217, -3}));
  EXPECT_EQ(cast(NPU_F64, NPU_U32, {4294967295.9, 5e9, -1}),
            (Values{4294967295, 4294967295, 0}));
  EXPECT_EQ(cast(NPU_F64, NPU_U64, {0x1p63, 1e30, -1}),
            (Values{0x1p63, 0x1p64, 0}));
  EXPECT_EQ(cast(NPU_F64, NPU_BOOL, {0, 1e-300}), (Values{0, 1}));
  EXPECT_EQ(cast(NPU_U64, NPU_F32, {0x1p63, 7}), (Values{0x1p63, 7}));
  EXPECT_EQ(cast(NPU_U64, NPU_F64, {0x1p63, 7}), (Values{0x1p63, 7}));
  EXPECT_EQ(cast(NPU_U32, NPU_I64, {4294967295, 7}), (Values{4294967295, 7}));
  EXPECT_EQ(cast(NPU_I32, NPU_U32, {-1, 7}), (Values{4294967295, 7}));
  EXPECT_EQ(cast(NPU_I32, NPU_U16, {65537, -1}), (Values{1, 65535}));
  EXPECT_EQ(cast(NPU_U16, NPU_I16, {65535, 1}), (Values{-1, 1}));
  EXPECT_EQ(floatToInteger(NPU_I64, std::nanf("")), 0);
  EXPECT_EQ(floatToInteger(NPU_I64, inf), INT64_MAX);
  EXPECT_EQ(floatToInteger(NPU_I64, -inf), INT64_MIN);
}

TEST(Instructions, UnaryFloat) {
  expectUnary(NPU_INSTR_abs, {-2, 3}, {2, 3});
  expectUnary(NPU_INSTR_neg, {-2, 3}, {2, -3});
  expectUnary(NPU_INSTR_relu, {-2, 3}, {0, 3});
  expectUnary(NPU_INSTR_leaky_relu, {-2, 3}, {-0.2, 3}, 0.1f);
  expectUnary(NPU_INSTR_elu, {-1, 3}, {-1.26424112, 3}, 2);
  expectUnary(NPU_INSTR_sigmoid, {0, 2}, {0.5, 0.88079708});
  expectUnary(NPU_INSTR_tanh, {0.5}, {0.46211716});
  expectUnary(NPU_INSTR_exp, {1}, {2.71828183});
  expectUnary(NPU_INSTR_log, {2}, {0.69314718});
  expectUnary(NPU_INSTR_sqrt, {2.25}, {1.5});
  expectUnary(NPU_INSTR_rsqrt, {4}, {0.5});
  expectUnary(NPU_INSTR_reciprocal, {-4}, {-0.25});
  expectUnary(NPU_INSTR_sin, {0.5, -2}, {0.47942554, -0.90929743});
  expectUnary(NPU_INSTR_cos, {0.5, -2}, {0.87758256, -0.41614684});
  expectUnary(NPU_INSTR_erf, {0.5}, {0.52049988});
  expectUnary(NPU_INSTR_floor, {-1.5, 1.5}, {-2, 1});
  expectUnary(NPU_INSTR_ceil, {-1.5, 1.5}, {-1, 2});
  expectUnary(NPU_INSTR_round, {0.5, 1.5, -2.5}, {0, 2, -2});
  expectUnary(NPU_INSTR_round_away, {0.5, 1.5, -2.5, 0.49999997f},
              {1, 2, -3, 0});
  expectUnary(NPU_INSTR_clip, {-9, 9, 1}, {-1, 6, 1}, -1, 6);
  expectUnary(NPU_INSTR_hard_sigmoid, {-4, 0, 1, 4}, {0, 0.5, 0.7, 1}, 0.2f,
              0.5f);
  expectUnary(NPU_INSTR_hard_swish, {-4, 1, 4}, {0, 0.75, 4}, 0.25f, 0.5f);
  expectUnary(NPU_INSTR_swish, {1, -2}, {0.88079708, -0.03597242}, 2);
  expectUnary(NPU_INSTR_softplus, {0, 100, -100}, {0.69314718, 100, 0});
  expectUnary(NPU_INSTR_gelu_erf, {1, -1}, {0.84134475, -0.15865525});
  expectUnary(NPU_INSTR_gelu_tanh, {1, -1}, {0.84119199, -0.15880801});
  expectUnary(NPU_INSTR_linear, {-4, 0, 3}, {-9.5, -1.5, 4.5}, 2, -1.5f);
  expectUnary(NPU_INSTR_sign, {-3, 0, 5}, {-1, 0, 1});
  expectUnary(NPU_INSTR_sin, {0.5, 4000}, {0.47942554, -0.68350379});
  expectUnary(NPU_INSTR_cos, {0.5, 2}, {0.87758256, -0.41614684});
  expectUnary(NPU_INSTR_tan, {0.5, 2}, {0.54630249, -2.18503986});
  expectUnary(NPU_INSTR_asin, {-0.5, 1}, {-0.52359878, 1.57079633});
  expectUnary(NPU_INSTR_acos, {-0.5, 1}, {2.09439510, 0});
  expectUnary(NPU_INSTR_atan, {-0.5, 100}, {-0.46364761, 1.56079666});
}

TEST(Instructions, BinaryFloat) {
  auto check = [](npu_instr_kind kind, Values a, Values b, Values expected) {
    EXPECT_EQ(apply(binary(kind, 0, 1), {a, b}), expected)
        << lookupInstr(kind)->name;
  };
  check(NPU_INSTR_add, {1, 2}, {3, -5}, {4, -3});
  check(NPU_INSTR_sub, {1, 2}, {3, -5}, {-2, 7});
  check(NPU_INSTR_mul, {1, 2}, {3, -5}, {3, -10});
  check(NPU_INSTR_div, {1, 5}, {4, -2}, {0.25, -2.5});
  check(NPU_INSTR_min, {1, 2}, {3, -5}, {1, -5});
  check(NPU_INSTR_max, {1, 2}, {3, -5}, {3, 2});
  check(NPU_INSTR_pow, {2, 9}, {3, 0.5}, {8, 3});
  check(NPU_INSTR_mod, {-4, 5}, {3, -3}, {2, -1});
  check(NPU_INSTR_prelu, {-4, 5}, {0.5, 9}, {-2, 5});
  npu_instr fmod = binary(NPU_INSTR_mod, 0, 1);
  fmod.alpha = 1;
  EXPECT_EQ(apply(fmod, {{-4, 5}, {3, -3}}), (Values{-1, 2}));
}

TEST(Instructions, Doubles) {
  auto check = [](npu_instr instr, std::vector<Values> in, Values expected) {
    EXPECT_EQ(apply(instr, in, NPU_F64), expected)
        << lookupInstr(instr.kind)->name;
  };
  const double fine = 1 + 0x1p-50;
  check(binary(NPU_INSTR_less, 0, 1, NPU_BOOL), {{1, fine}, {fine, 1}}, {1, 0});
  check(binary(NPU_INSTR_equal, 0, 1, NPU_BOOL), {{1, fine}, {fine, fine}},
        {0, 1});
  check(binary(NPU_INSTR_max, 0, 1, NPU_F64), {{1, fine}, {fine, 1}},
        {fine, fine});
  check(binary(NPU_INSTR_add, 0, 1, NPU_F64), {{1}, {0x1p-50}}, {fine});
  check(unary(NPU_INSTR_floor, 0, 0, 0, NPU_F64), {{16777217.5}}, {16777217});
  check(unary(NPU_INSTR_sign, 0, 0, 0, NPU_F64), {{-1e-300}}, {-1});
}

TEST(Types, ReductionsThatHaveNoKernel) {
  Problem p;
  p.op = NPU_OP_REDUCE;
  p.inputs = {tensor(NPU_F64, {3, 4})};
  p.outputs = {tensor(NPU_F64, {3, 1})};
  p.attrs.reduce = {NPU_REDUCE_SUM, 2, 1};
  EXPECT_EQ(validate(p), "reduce: it does not compute in f64");
  p.inputs[0].dtype = p.outputs[0].dtype = NPU_U64;
  EXPECT_EQ(validate(p), "");
  p.attrs.reduce.kind = NPU_REDUCE_MAX;
  EXPECT_EQ(validate(p), "reduce: it does not order u64");
}

/// In a register of int64_t half of these numbers are negative.
TEST(Instructions, UnsignedOf64Bits) {
  auto of = [](npu_instr_kind kind, uint64_t a, uint64_t b,
               int32_t to = NPU_U64, float alpha = 0, float beta = 0) {
    Row rows[3];
    rows[0].i[0] = static_cast<int64_t>(a);
    rows[1].i[0] = static_cast<int64_t>(b);
    npu_instr instr = binary(kind, 0, 1, to);
    instr.alpha = alpha;
    instr.beta = beta;
    interpret(instr, NPU_U64, &rows[0], &rows[1], nullptr, &rows[2], 1);
    return static_cast<uint64_t>(rows[2].i[0]);
  };
  constexpr uint64_t most = UINT64_MAX, high = uint64_t{1} << 63;
  EXPECT_EQ(of(NPU_INSTR_min, most, 1), 1u);
  EXPECT_EQ(of(NPU_INSTR_max, high, 1), high);
  EXPECT_EQ(of(NPU_INSTR_div, most, 3), most / 3);
  EXPECT_EQ(of(NPU_INSTR_div, most, 0), 0u);
  EXPECT_EQ(of(NPU_INSTR_mod, most, 10), most % 10);
  EXPECT_EQ(of(NPU_INSTR_pow, 3, 41), 18026252303461234787u); // modulo 2^64
  EXPECT_EQ(of(NPU_INSTR_shift_right, most, 60), 15u);
  EXPECT_EQ(of(NPU_INSTR_shift_right, most, 64), 0u);
  EXPECT_EQ(of(NPU_INSTR_shift_left, 3, 63), high);
  EXPECT_EQ(of(NPU_INSTR_less, 1, high, NPU_BOOL), 1u);
  EXPECT_EQ(of(NPU_INSTR_greater_equal, high, 1, NPU_BOOL), 1u);
  EXPECT_EQ(of(NPU_INSTR_abs, most, 0), most);
  EXPECT_EQ(of(NPU_INSTR_relu, most, 0), most);
  EXPECT_EQ(of(NPU_INSTR_sign, most, 0), 1u);
  EXPECT_EQ(of(NPU_INSTR_clip, most, 0, NPU_U64, 0, 100), 100u);
}

TEST(Instructions, Integers) {
  auto check = [](npu_instr instr, std::vector<Values> in, Values expected,
                  int32_t dtype = NPU_I64) {
    EXPECT_EQ(apply(instr, in, dtype), expected)
        << lookupInstr(instr.kind)->name;
  };
  auto two = [](npu_instr_kind kind, int32_t dtype = NPU_I64) {
    return binary(kind, 0, 1, dtype);
  };
  check(two(NPU_INSTR_div), {{7, -7, 1}, {2, 2, 0}}, {3, -3, 0});
  check(two(NPU_INSTR_mod), {{-4, 5, 3}, {3, -3, 0}}, {2, -1, 0});
  npu_instr fmod = two(NPU_INSTR_mod);
  fmod.alpha = 1;
  check(fmod, {{-4, 5}, {3, -3}}, {-1, 2});
  check(two(NPU_INSTR_pow), {{3, 2, -1, 2}, {4, 0, -3, -1}}, {81, 1, -1, 0});
  check(two(NPU_INSTR_add, NPU_U8), {{250, 1}, {10, 2}}, {4, 3}, NPU_U8);
  check(two(NPU_INSTR_mul, NPU_I32), {{65536, 3}, {65536, -4}}, {0, -12},
        NPU_I32);
  check(two(NPU_INSTR_shift_left, NPU_U8), {{3, 129, 1}, {2, 1, 99}},
        {12, 2, 0}, NPU_U8);
  check(two(NPU_INSTR_shift_right), {{12, -8, -8}, {2, 1, 64}}, {3, -4, -1});
  check(two(NPU_INSTR_max), {{1, -2}, {0, 5}}, {1, 5});
  check(two(NPU_INSTR_sub), {{1, -2}, {0, 5}}, {1, -7});
  check(two(NPU_INSTR_min), {{1, -2}, {0, 5}}, {0, -2});
  check(unary(NPU_INSTR_abs, 0, 0, 0, NPU_I32), {{-5, 4}}, {5, 4}, NPU_I32);
  check(unary(NPU_INSTR_neg, 0, 0, 0, NPU_I64), {{-5, 4}}, {5, -4});
  check(unary(NPU_INSTR_sign, 0, 0, 0, NPU_I64), {{-5, 0, 4}}, {-1, 0, 1});
  check(unary(NPU_INSTR_relu, 0, 0, 0, NPU_I8), {{-5, 4}}, {0, 4}, NPU_I8);
  check(unary(NPU_INSTR_clip, 0, -1, 3, NPU_I64), {{-5, 4, 2}}, {-1, 3, 2});
}

TEST(Instructions, Bits) {
  auto check = [](npu_instr instr, std::vector<Values> in, Values expected,
                  int32_t dtype = NPU_I32) {
    EXPECT_EQ(apply(instr, in, dtype), expected)
        << lookupInstr(instr.kind)->name;
  };
  auto two = [](npu_instr_kind kind, int32_t dtype = NPU_I32) {
    return binary(kind, 0, 1, dtype);
  };
  auto one = [](npu_instr_kind kind, int32_t dtype = NPU_I32) {
    return unary(kind, 0, 0, 0, dtype);
  };
  check(one(NPU_INSTR_bit_not), {{0, 5, -1}}, {-1, -6, 0});
  check(one(NPU_INSTR_bit_not, NPU_U8), {{0, 5}}, {255, 250}, NPU_U8);
  check(one(NPU_INSTR_clz), {{0, 1, -1, 65536}}, {32, 31, 0, 15});
  check(one(NPU_INSTR_clz, NPU_I8), {{0, 1, -1}}, {8, 7, 0}, NPU_I8);
  check(two(NPU_INSTR_bit_and), {{12, -1}, {10, 7}}, {8, 7});
  check(two(NPU_INSTR_bit_or), {{12, -8}, {10, 7}}, {14, -1});
  check(two(NPU_INSTR_bit_xor), {{12, -1}, {10, 7}}, {6, -8});
  check(two(NPU_INSTR_shift_left), {{1, 3, 5}, {31, 2, 32}},
        {-2147483648.0, 12, 0});
  check(two(NPU_INSTR_shift_right), {{-8, 9, -1}, {1, 3, 33}}, {-4, 1, -1});
  check(two(NPU_INSTR_shift_right, NPU_U8), {{200}, {3}}, {25}, NPU_U8);
}

/// Two rows that hold something else before: each element is computed.
bool isComputed(const npu_instr &instr, int32_t dtype) {
  std::vector<Row> rows(5);
  for (int i = 0; i < rowLength; ++i)
    for (Row &row : rows)
      if (dtype == NPU_F64)
        row.d[i] = 0.5;
      else if (isFloat(dtype))
        row.f[i] = 0.5f;
      else
        row.i[i] = 1;
  Row &first = rows[3], &second = rows[4];
  first.i[0] = 0x1234567800000003;
  second.i[0] = 0x7654321000000005;
  for (Row *out : {&first, &second})
    interpret(instr, dtype, &rows[0], &rows[1], &rows[2], out, 1);
  return isFloat(instr.dtype) ? first.f[0] == second.f[0]
                              : first.i[0] == second.i[0];
}

TEST(Instructions, EveryKindHasAFormForItsTypes) {
  for (const InstrKind &kind : instrKinds) {
    if (kind.types == NPU_TYPES_SELECT)
      continue; // its condition is of another type
    for (int32_t dtype : {NPU_F32, NPU_I32, NPU_BOOL, NPU_F64, NPU_U64}) {
      npu_instr instr = {};
      instr.kind = kind.kind;
      instr.dtype = kind.types == NPU_TYPES_COMPARE ? NPU_BOOL : dtype;
      const int32_t types[] = {dtype, dtype, dtype};
      if (checkInstr(instr, types).empty())
        EXPECT_TRUE(isComputed(instr, dtype))
            << kind.name << " of " << dtypeName(dtype);
    }
  }
}

TEST(Instructions, BitCast) {
  auto check = [](int32_t from, int32_t to, Values in, Values expected) {
    EXPECT_EQ(apply(unary(NPU_INSTR_bitcast, 0, 0, 0, to), {in}, from),
              expected)
        << dtypeName(from) << " as " << dtypeName(to);
  };
  check(NPU_F32, NPU_I32, {1, -2}, {1065353216, -1073741824});
  check(NPU_I32, NPU_F32, {1065353216, -1073741824}, {1, -2});
  check(NPU_I8, NPU_U8, {-1, 5}, {255, 5});
  check(NPU_U8, NPU_I8, {255, 5}, {-1, 5});
  check(NPU_BF16, NPU_F16, {1}, {1.875});     // 0x3f80
  check(NPU_F16, NPU_BF16, {1}, {0.0078125}); // 0x3c00
  npu_instr wider = unary(NPU_INSTR_bitcast, 0, 0, 0, NPU_I64);
  int32_t type = NPU_F32;
  EXPECT_EQ(checkInstr(wider, &type),
            "bitcast of f32 cannot give i64, which has another width");
}

TEST(Instructions, MulShift) {
  auto scaled = [](double value, double factor, double shift, bool twice) {
    npu_instr instr = binary(NPU_INSTR_mul_shift, 0, 1, NPU_I32);
    instr.c = 2;
    instr.alpha = twice ? 1.0f : 0.0f;
    return apply(instr, {{value}, {factor}, {shift}}, NPU_I32)[0];
  };
  // Halves go upwards.
  EXPECT_EQ(scaled(5, 1 << 30, 31, false), 3);
  EXPECT_EQ(scaled(-5, 1 << 30, 31, false), -2);
  EXPECT_EQ(scaled(7, 3, 0, false), 21);
  EXPECT_EQ(scaled(7, 3, 1, false), 11);
  EXPECT_EQ(scaled(-6, 1 << 30, 32, false), -1);
  EXPECT_EQ(scaled(-6, 1 << 30, 32, true), -2);
  EXPECT_EQ(scaled(6, 1 << 30, 32, true), 2);
  EXPECT_EQ(scaled(6, 1 << 30, 31, true), 3); // only beyond 31
}

TEST(Instructions, ComparisonsLogicSelect) {
  auto two = [](npu_instr_kind kind) { return binary(kind, 0, 1, NPU_BOOL); };
  const Values a = {1, 2, 3}, b = {2, 2, 2};
  for (int32_t dtype : {NPU_F32, NPU_I64, NPU_U8}) {
    EXPECT_EQ(apply(two(NPU_INSTR_equal), {a, b}, dtype), (Values{0, 1, 0}));
    EXPECT_EQ(apply(two(NPU_INSTR_less), {a, b}, dtype), (Values{1, 0, 0}));
    EXPECT_EQ(apply(two(NPU_INSTR_less_equal), {a, b}, dtype),
              (Values{1, 1, 0}));
    EXPECT_EQ(apply(two(NPU_INSTR_greater), {a, b}, dtype), (Values{0, 0, 1}));
    EXPECT_EQ(apply(two(NPU_INSTR_greater_equal), {a, b}, dtype),
              (Values{0, 1, 1}));
    npu_instr select = binary(NPU_INSTR_select, 0, 1, dtype);
    select.c = 2;
    EXPECT_EQ(apply(select, {{1, 0, 1}, a, b}, dtype), (Values{1, 2, 3}));
  }
  const Values x = {0, 0, 1, 1}, y = {0, 1, 0, 1};
  EXPECT_EQ(apply(two(NPU_INSTR_logical_and), {x, y}, NPU_BOOL),
            (Values{0, 0, 0, 1}));
  EXPECT_EQ(apply(two(NPU_INSTR_logical_or), {x, y}, NPU_BOOL),
            (Values{0, 1, 1, 1}));
  EXPECT_EQ(apply(two(NPU_INSTR_logical_xor), {x, y}, NPU_BOOL),
            (Values{0, 1, 1, 0}));
  EXPECT_EQ(
      apply(unary(NPU_INSTR_logical_not, 0, 0, 0, NPU_BOOL), {x}, NPU_BOOL),
      (Values{1, 1, 0, 0}));
}

TEST(Instructions, LongRowsAndBroadcast) {
  Problem p;
  p.op = NPU_OP_ELTWISE;
  p.inputs = {tensor(NPU_F32, {3, 1, 700}), tensor(NPU_F32, {5, 1}, "ba")};
  p.outputs = {tensor(NPU_F32, {3, 5, 700}, "bca")};
  p.instrs = {binary(NPU_INSTR_sub, 0, 1)};
  p.threads = 2;
  auto inputs = inputsFor(p, 1);
  Values found = runReference(p, inputs);
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_EQ(found[i],
              inputs[0][i / 3500 * 700 + i % 700] - inputs[1][i / 700 % 5]);
}

TEST(SlowKernels, EqualWarningsAreOne) {
  EXPECT_TRUE(describeSlowKernels({}).empty());
  std::vector<SlowKernel> kernels = {{"k0", "A", "ref"}, {"k1", "B", "other"}};
  for (int i = 2; i < 6; ++i)
    kernels.push_back(
        {"k" + std::to_string(i), "N" + std::to_string(i), "ref"});
  EXPECT_EQ(describeSlowKernels(kernels),
            (std::vector<std::string>{
                "5 kernels run on the slow implementation 'ref': k0 (A), k2 "
                "(N2), k3 (N3) and 2 more",
                "k1 (B) runs on the slow implementation 'other'"}));
}
