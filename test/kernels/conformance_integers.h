// SPDX-License-Identifier: Apache-2.0
//
// The conformance suite's cases of requantization in integers: large factors,
// all shifts, numbers that lie between two results, results beyond the bytes.
#ifndef NPU_TEST_KERNELS_CONFORMANCE_INTEGERS_H
#define NPU_TEST_KERNELS_CONFORMANCE_INTEGERS_H

#include "test/kernels/conformance_cases.h"

namespace npu::kernels::testing {
namespace {

npu_instr mulShift(int a, int b, int c, bool twice) {
  npu_instr instr = binary(NPU_INSTR_mul_shift, a, b, NPU_I32);
  instr.c = static_cast<int16_t>(c);
  instr.alpha = twice ? 1 : 0;
  return instr;
}

npu_instr to(int32_t dtype, int a) {
  return unary(NPU_INSTR_cast, a, 0, 0, dtype);
}

/// Operands of the chains below, from 100 on: factors and shifts for each
/// channel, a factor and a shift, two numbers, the residual; from `sumFactors`
/// on the factors and shifts that networks have in sums of bytes: up by 2^20,
/// one byte to the other's scale, and both to a byte.
constexpr int sumFactors = 107;
std::vector<npu_tensor_desc> integerExtras(const npu_tensor_desc &y) {
  std::vector<int64_t> channel(static_cast<size_t>(y.rank), 1);
  channel[1] = y.dims[1];
  npu_tensor_desc each = tensor(NPU_I32, channel), one = tensor(NPU_I32, {1});
  std::vector<npu_tensor_desc> extras = {each, each, one, one, one, one, y};
  extras.insert(extras.end(), 6, one);
  for (size_t i = 0; i < extras.size(); ++i)
    if (i != 6)
      extras[i].weights_offset = 0; // constants
  return extras;
}

std::vector<Chain> integerChains(const npu_tensor_desc &y, bool twice) {
  std::vector<npu_tensor_desc> extras = integerExtras(y);
  float low = y.dtype == NPU_U8 ? 0 : -128, high = low + 255;
  auto bounds = [&](int a) {
    return unary(NPU_INSTR_clip, a, low, high, NPU_I32);
  };
  npu_instr i32 = to(NPU_I32, 200);
  // (sums of one scale + bytes of another), in a third.
  std::vector<npu_instr> sum = {i32,
                                mulShift(201, 100, 101, twice),
                                binary(NPU_INSTR_add, 202, 104, NPU_I32),
                                bounds(203),
                                to(y.dtype, 204),
                                to(NPU_I32, 205),
                                binary(NPU_INSTR_sub, 206, 104, NPU_I32),
                                mulShift(207, 102, 103, twice),
                                to(NPU_I32, 106),
                                binary(NPU_INSTR_sub, 209, 105, NPU_I32),
                                mulShift(210, 102, 103, twice),
                                binary(NPU_INSTR_add, 208, 211, NPU_I32),
                                mulShift(212, 102, 103, twice),
                                bounds(213),
                                to(y.dtype, 214)};
  // The same, as networks have it: from the byte on, less its zero point.
  auto small = [](int a, int pair, bool doubly) {
    return mulShift(a, sumFactors + 2 * pair, sumFactors + 2 * pair + 1,
                    doubly);
  };
  std::vector<npu_instr> networks(sum.begin(), sum.begin() + 7);
  for (const npu_instr &instr :
       {small(207, 0, false), to(NPU_I32, 106),
        binary(NPU_INSTR_sub, 209, 105, NPU_I32), small(210, 0, false),
        small(211, 1, twice), binary(NPU_INSTR_add, 208, 212, NPU_I32),
        small(213, 2, twice), binary(NPU_INSTR_add, 214, 104, NPU_I32),
        bounds(215), to(y.dtype, 216)})
    networks.push_back(instr);
  return {
      {"scale for each channel",
       extras,
       {i32, mulShift(201, 100, 101, twice),
        binary(NPU_INSTR_add, 202, 104, NPU_I32), bounds(203),
        to(y.dtype, 204)}},
      {"moved behind its bounds",
       extras,
       {i32, mulShift(201, 100, 101, twice),
        binary(NPU_INSTR_add, 202, 104, NPU_I32),
        unary(NPU_INSTR_clip, 203, low, high - 40, NPU_I32),
        binary(NPU_INSTR_add, 204, 105, NPU_I32), to(y.dtype, 205)}},
      {"one scale, bounds of bytes",
       extras,
       {i32, mulShift(201, 102, 103, twice), bounds(202), to(y.dtype, 203),
        unary(NPU_INSTR_clip, 204, 3, 77, y.dtype)}},
      {"wraps without bounds",
       extras,
       {i32, mulShift(201, 100, 103, twice),
        binary(NPU_INSTR_max, 202, 104, NPU_I32), to(y.dtype, 203)}},
      {"read twice",
       extras,
       {i32, mulShift(201, 102, 101, twice),
        binary(NPU_INSTR_bit_xor, 202, 201, NPU_I32),
        binary(NPU_INSTR_min, 203, 202, NPU_I32), bounds(204),
        to(y.dtype, 205)}},
      {"factor that is no constant for the library",
       extras,
       {i32, binary(NPU_INSTR_mul, 201, 100, NPU_I32),
        mulShift(202, 201, 101, twice), bounds(203), to(y.dtype, 204)}},
      {"residual of another scale", extras, sum},
      {"residual of another scale, in place", extras, sum, 6},
      {"sum of bytes as networks have it", extras, networks},
      {"sum of bytes as networks have it, in place", extras, networks, 6},
  };
}

/// Factors up to 2^31, shifts up to 62; half of the channels turn small sums
/// into halves. `isUsual`: as networks have them, sums of thousands are a byte.
std::vector<Values> integerInputs(const Problem &p, size_t extras,
                                  uint32_t seed, bool isUsual) {
  std::vector<Values> inputs;
  for (size_t i = 0; i < p.inputs.size(); ++i) {
    int32_t type = p.inputs[i].dtype;
    int low = type == NPU_I8 ? -128 : type == NPU_U8 ? 0 : -300;
    inputs.push_back(randomValues(p.inputs[i], low,
                                  type == NPU_I32 ? 300 : low + 255,
                                  seed + static_cast<uint32_t>(i)));
  }
  std::mt19937 random(seed);
  for (size_t pair : {extras, extras + 2})
    for (size_t c = 0; c < inputs[pair].size(); ++c) {
      int shift = static_cast<int>(random() % 63);
      double factor = random() >> 1;
      if (isUsual) {
        shift = 37 + static_cast<int>(random() % 6);
        factor = 0x1p30 + random() % (1 << 30);
      } else if (c % 2 ==
                 0) { // near one over a power of two, or halves exactly
        shift = 31 + static_cast<int>(random() % 12);
        factor = c % 4 == 0 ? double(1 << 30) : 0x1p30 + random() % (1 << 30);
      }
      inputs[pair][c] = factor;
      inputs[pair + 1][c] = shift;
    }
  constexpr double one = 1 << 30;
  const double factors[] = {one, one / 2 + random() % (1 << 29),
                            one + random() % (1 << 30)};
  const double shifts[] = {10, 30, double(49 + random() % 3)};
  for (size_t i = 0; i < 3; ++i) {
    size_t at = extras + static_cast<size_t>(sumFactors) - 100 + 2 * i;
    inputs[at][0] = factors[i];
    inputs[at + 1][0] = shifts[i];
  }
  return inputs;
}

/// Whether networks have it, so that floats are tried for it.
bool isNetworks(const Chain &chain) {
  std::string name = chain.name;
  return name == "scale for each channel" ||
         name == "moved behind its bounds" ||
         name == "residual of another scale" ||
         name == "sum of bytes as networks have it";
}

void checkIntegers(const Problem &bare, uint32_t seed) {
  for (bool twice : {false, true})
    for (const Chain &chain : integerChains(bare.outputs[0], twice)) {
      SCOPED_TRACE(chain.name);
      Case one;
      one.problem = bare;
      addChain(one, chain);
      size_t extras = bare.inputs.size();
      check(one, integerInputs(one.problem, extras, seed, false));
      if (isNetworks(chain))
        check(one, integerInputs(one.problem, extras, seed, true));
    }
}

} // namespace

/// Results of one strip and of several, whose windows reach over the edges, in
/// orders with rows and without.
TEST(Conformance, IntegerConvChains) {
  const struct {
    int64_t n, c, o, h, w, kernel, stride, pad, groups, dilation;
    const char *layout;
  } shapes[] = {{1, 3, 20, 7, 6, 3, 2, 1, 1, 1, "acdb"},
                {2, 16, 300, 5, 6, 1, 1, 0, 1, 1, "acdb"},
                {1, 4, 48, 60, 50, 3, 1, 1, 1, 1, "acdb"},
                {3, 24, 24, 75, 41, 3, 2, 1, 24, 1, "acdb"},
                {1, 2, 144, 33, 31, 3, 1, 2, 1, 2, "acdb"},
                {1, 2, 33, 90, 40, 3, 1, 1, 1, 1, "aBcd16b"},
                {2, 16, 33, 9, 8, 3, 1, 1, 1, 1, "aBcd16b"},
                {2, 8, 33, 9, 8, 3, 1, 1, 1, 1, "abcd"}};
  uint32_t seed = 2500;
  for (const auto &s : shapes)
    for (int32_t out : {NPU_U8, NPU_I8}) {
      Problem bare = convProblem(image(s.n, s.c, s.h, s.w, s.layout, out), s.o,
                                 {s.kernel, s.kernel}, s.stride, s.pad,
                                 s.groups, s.layout, true, s.dilation);
      bare.inputs[1].dtype = NPU_I8;
      bare.inputs[2].dtype = NPU_I32;
      bare.outputs[0].dtype = out;
      bare.attrs.conv.data_zero_point = out == NPU_U8 ? 131 : -7;
      bare.threads = 1 + static_cast<int>(seed % 2);
      makeConstant(bare, 1);
      checkIntegers(bare, seed++);
    }
}

TEST(Conformance, IntegerConvTransposeAndMatmulChains) {
  Problem matmul;
  matmul.op = NPU_OP_MATMUL;
  matmul.threads = 2;
  for (int64_t rows : {1, 37, 900}) {
    matmul.inputs = {tensor(NPU_I8, {rows, 40}), tensor(NPU_I8, {40, 130})};
    matmul.outputs = {tensor(NPU_I8, {rows, 130})};
    makeConstant(matmul, 1);
    checkIntegers(matmul, 2600 + static_cast<uint32_t>(rows));
  }
  Problem conv = convProblem(image(1, 16, 5, 6, "acdb", NPU_U8), 24, {2, 2}, 2,
                             0, 1, "acdb");
  conv.op = NPU_OP_CONV_TRANSPOSE;
  conv.inputs[1] = tensor(NPU_I8, {24, 16, 2, 2});
  conv.inputs[2].dtype = NPU_I32;
  conv.outputs[0] = image(1, 24, 10, 12, "acdb", NPU_U8);
  makeConstant(conv, 1);
  checkIntegers(conv, 2700);
}

} // namespace npu::kernels::testing

#endif // NPU_TEST_KERNELS_CONFORMANCE_INTEGERS_H
