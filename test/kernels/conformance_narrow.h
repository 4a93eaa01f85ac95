// SPDX-License-Identifier: Apache-2.0
//
// Constants that kernels keep as the numbers which they are made of. Scales are
// powers of two, so that sums are exact in every order.
#ifndef NPU_TEST_KERNELS_CONFORMANCE_NARROW_H
#define NPU_TEST_KERNELS_CONFORMANCE_NARROW_H

#include "kernels/support/vectors.h"
#include "test/kernels/conformance_cases.h"

#include <limits>

namespace npu::kernels::testing {
namespace {

/// What a constant is made of, and what comes of it.
struct Made {
  int32_t dtype = NPU_I8;
  int dim = 0; ///< along which scales and offsets differ
  bool hasScales = true, hasOffsets = false;
  bool isUniform = false; ///< one of them for all
  int most = 60;          ///< of a number
  float factor = 0.5;     ///< of the smallest scale

  Buffer data = Buffer(0);
  std::vector<float> scales, offsets;
  Values values;
};

/// Makes `constant` of numbers that are stored like it, and returns them.
Narrow narrowFor(const npu_tensor_desc &constant, uint32_t seed, Made &made) {
  Narrow narrow;
  narrow.numbers = constant;
  narrow.numbers.dtype = made.dtype;
  narrow.dim = made.dim;
  const int64_t count = constant.dims[made.dim];
  int64_t behind = 1;
  for (int d = made.dim + 1; d < constant.rank; ++d)
    behind *= constant.dims[d];
  made.values = randomValues(narrow.numbers, -made.most, made.most - 1, seed);
  made.data = Buffer(static_cast<size_t>(storedBytes(narrow.numbers)));
  storeValues(narrow.numbers, made.values, made.data.data());
  for (int64_t i = 0; i < count; ++i) {
    const int64_t kind = made.isUniform ? 1 : i;
    made.scales.push_back(made.factor * static_cast<float>(1 << kind % 3));
    made.offsets.push_back(static_cast<float>(kind % 5) - 2);
  }
  for (size_t i = 0; i < made.values.size(); ++i) {
    const size_t each =
        i / static_cast<size_t>(behind) % static_cast<size_t>(count);
    if (made.hasOffsets)
      made.values[i] += static_cast<double>(made.offsets[each]);
    if (made.hasScales)
      made.values[i] *= static_cast<double>(made.scales[each]);
  }
  narrow.data = made.data.data();
  narrow.scales = made.hasScales ? made.scales.data() : nullptr;
  narrow.offsets = made.hasOffsets ? made.offsets.data() : nullptr;
  return narrow;
}

/// Every entry, one of which keeps the numbers if `isKept`.
void checkNarrow(Case one, Made made, uint32_t seed, bool isKept = true) {
  one.problem.narrow = narrowFor(one.problem.inputs[1], seed, made);
  EXPECT_EQ(create(one.problem)->readsNarrow(), isKept && hasWideRegisters());
  auto inputs = inputsFor(one.problem, seed);
  inputs[1] = made.values;
  if (one.nanEach)
    for (size_t i = seed % 5; i < inputs[0].size(); i += one.nanEach)
      inputs[0][i] = std::nan("");
  check(one, inputs);
}

/// The ways to be made, one after the other.
Made wayFor(uint32_t seed) {
  Made ways[6];
  ways[1].hasOffsets = true;
  ways[2].dtype = NPU_F16;
  ways[2].hasScales = false;
  ways[3].most = 8; // four bits
  ways[4].most = 8;
  ways[4].hasOffsets = true;
  ways[5].dtype = NPU_BF16;
  return ways[seed % 6];
}

} // namespace

TEST(Conformance, NarrowProduct) {
  uint32_t seed = 0;
  for (int64_t columns : {1, 13, 64, 67, 200})
    for (int64_t rows : {1, 5, 17, 49, 800})
      for (int64_t depth : {1, 7, 200})
        for (const char *order : {"ab", "ba"}) {
          Case one;
          Problem &p = one.problem;
          p.op = NPU_OP_MATMUL;
          p.inputs = {tensor(NPU_F32, {rows, depth}),
                      tensor(NPU_F32, {depth, columns}, order),
                      tensor(NPU_F32, {columns})};
          p.outputs = {tensor(NPU_F32, {rows, columns})};
          makeConstant(p, 1);
          p.instrs = {binary(NPU_INSTR_add, 2, 3)};
          p.threads = 1 + static_cast<int>(seed % 3);
          Made made = wayFor(seed);
          made.dim = 1;
          checkNarrow(one, made, seed++);
        }
}

TEST(Conformance, NarrowPointwiseChains) {
  uint32_t seed = 1000;
  for (int64_t size : {9, 2}) { // and few rows
    Problem bare = convProblem(image(2, 20, size, 8, "acdb"), 70, {1, 1},
                               size == 9 ? 1 : 2, 0, 1, "acdb", true);
    for (const Chain &chain : chainsFor(bare.outputs[0])) {
      SCOPED_TRACE(chain.name);
      Case one;
      one.problem = bare;
      one.problem.threads = 2;
      addChain(one, chain);
      checkNarrow(one, wayFor(seed), seed);
      ++seed;
    }
  }
}

/// Windows in several runs: padded, strided, dilated; some runs' weights at
/// once, or all; 1 to 3 dimensions; rows in several blocks.
TEST(Conformance, NarrowWindows) {
  uint32_t seed = 2000;
  const WindowShape shapes[] = {
      {{1, 40, 9, 8}, {3, 3}, 48, 1, 1, 1, "acdb"},
      {{2, 40, 9, 8}, {3, 3}, 50, 2, 1, 1, "acdb"},
      {{1, 130, 11, 12}, {3, 3}, 70, 1, 2, 2, "acdb"},
      {{1, 130, 30, 29}, {3, 3}, 20, 1, 0, 1, "acdb"},
      {{3, 70, 19}, {5}, 65, 1, 2, 1, "acb"},
      {{1, 300, 6, 7}, {7, 1}, 33, 1, 3, 1, "acdb"},
      {{1, 30, 5, 4, 6}, {3, 2, 3}, 40, 1, 1, 1, "acdeb"},
      {{1, 600, 3, 3}, {5, 5}, 9, 1, 2, 1, "acdb"},
  };
  for (const WindowShape &shape : shapes)
    for (const char *chain : windowChains) {
      Case one = windowCase(shape, chain, seed);
      if (seed % 3 == 0)
        std::swap(one.problem.inputs[1].order[0],
                  one.problem.inputs[1].order[1]);
      checkNarrow(one, wayFor(seed), seed);
      ++seed;
    }
}

/// One scale and offset for all, whatever dimension they are said to be of.
TEST(Conformance, NarrowByOneScale) {
  for (int dim : {0, 1, 2})
    for (int64_t size : {3, 30}) {
      Made made = wayFor(1);
      made.isUniform = true;
      made.dim = dim;
      Case one;
      one.problem = convProblem(image(1, 64, size, 8, "acdb"), 70, {3, 3}, 1, 1,
                                1, "acdb", true);
      checkNarrow(one, made, 2550);
    }
}

/// Padding at one side only; windows that lie in it altogether.
TEST(Conformance, NarrowWindowsInPadding) {
  for (int threads : {1, 2}) {
    Case one;
    one.problem = convProblem(image(1, 64, 4, 5, "acdb"), 40, {3, 3}, 1, 4, 1,
                              "acdb", true);
    npu_conv_attrs &a = one.problem.attrs.conv;
    a.pads_begin[1] = 0;
    a.pads_end[1] = 8;
    one.problem.threads = threads;
    checkNarrow(one, wayFor(0), 2500);
  }
}

/// NaN in the data stays where its windows are, and is none in padding.
TEST(Conformance, NarrowWindowsWithNan) {
  Case one;
  one.problem = convProblem(image(1, 64, 14, 15, "acdb"), 40, {3, 3}, 1, 1, 1,
                            "acdb", true);
  one.nanEach = 1000;
  checkNarrow(one, wayFor(0), 2600);
}

/// Scales so small that all weights are denormal: they count as zeros, but not
/// beside infinities; also where sums wait for the rest of a window.
TEST(Conformance, NarrowDenormals) {
  Case one;
  one.tolerance = 1e-6;
  one.problem = convProblem(image(1, 200, 9, 9, "acdb"), 40, {3, 3}, 1, 1, 1,
                            "acdb", true);
  Made made;
  made.factor = 1e-42F;
  one.problem.narrow = narrowFor(one.problem.inputs[1], 2700, made);
  auto inputs = inputsFor(one.problem, 2700);
  for (double &number : made.values)
    number = static_cast<double>(static_cast<float>(number));
  inputs[1] = made.values;
  check(one, inputs);
  inputs[0][200 * 7] = std::numeric_limits<double>::infinity();
  check(one, inputs);
}

/// What lies in padding meets no weight, an infinite one neither.
TEST(Conformance, NarrowInfinitiesBesidePadding) {
  Case one;
  one.problem = convProblem(image(1, 200, 9, 9, "acdb"), 40, {3, 3}, 1, 1, 1,
                            "acdb", true);
  Made made;
  made.dtype = NPU_F16;
  made.hasScales = false;
  one.problem.narrow = narrowFor(one.problem.inputs[1], 2750, made);
  for (size_t tap = 0; tap < 9; ++tap) // each in another result channel
    made.values[tap * 200 * 9 + tap] = std::numeric_limits<double>::infinity();
  storeValues(one.problem.narrow->numbers, made.values, made.data.data());
  auto inputs = inputsFor(one.problem, 2750);
  inputs[1] = made.values;
  compareAll(one, inputs);
}

/// Few tiles, so that threads share them; many, in several blocks, with all
/// weights at the points or some; a thread more than there are tiles.
TEST(Conformance, NarrowWinograd) {
  uint32_t seed = 3000;
  const struct {
    int64_t n, c, o, h, w, pad;
  } shapes[] = {{1, 5, 7, 4, 9, 1},      {3, 20, 17, 40, 37, 1},
                {1, 130, 70, 7, 6, 1},   {1, 300, 130, 14, 15, 1},
                {1, 70, 200, 40, 41, 1}, {1, 100, 300, 41, 40, 0}};
  for (const auto &s : shapes)
    for (int64_t tile : {2, 4})
      for (int threads : {1, 2, 3}) {
        if (s.h > 20 && threads == 3)
          continue;
        Case one;
        one.tolerance = 2e-3;
        one.problem = winogradProblem(image(s.n, s.c, s.h, s.w, "acdb"), s.o,
                                      tile, s.pad, "acdb", "cdab", seed % 2);
        one.problem.threads = threads;
        Made made = wayFor(seed);
        made.most = std::min(made.most, 8);
        made.factor = 0.0625;
        npu_tensor_desc taps = tensor(NPU_F32, {s.o, s.c, 3, 3});
        one.problem.narrow = narrowFor(taps, seed, made);
        auto inputs = inputsFor(one.problem, seed++);
        inputs[1] = atPoints(one.problem, made.values);
        EXPECT_EQ(create(one.problem)->readsNarrow(), hasWideRegisters());
        check(one, inputs);
        if (s.h > 20)
          continue;
        one.problem.keepsNan = true; // a direct one, narrow if not few
        EXPECT_EQ(create(one.problem)->readsNarrow(),
                  hasWideRegisters() && s.c > 5);
        check(one, inputs);
      }
}

/// Scales of input channels, groups, few weights, blocks: made as ever.
TEST(Conformance, NarrowKeptFloats) {
  Case one;
  one.problem = convProblem(image(1, 64, 9, 8, "acdb"), 40, {1, 1}, 1, 0, 1,
                            "acdb", true);
  Made across;
  across.dim = 1;
  checkNarrow(one, across, 4000, false);
  Case grouped;
  grouped.problem = convProblem(image(1, 128, 9, 8, "acdb"), 128, {3, 3}, 1, 1,
                                2, "acdb", true);
  checkNarrow(grouped, wayFor(0), 4001, false);
  Case few;
  few.problem =
      convProblem(image(1, 8, 9, 8, "acdb"), 8, {3, 3}, 1, 1, 1, "acdb", true);
  checkNarrow(few, wayFor(0), 4002, false);
  Case blocked;
  blocked.problem = convProblem(image(1, 64, 9, 8, "aBcd16b"), 64, {3, 3}, 1, 1,
                                1, "aBcd16b", true);
  checkNarrow(blocked, wayFor(0), 4003, false);
}

} // namespace npu::kernels::testing

#endif // NPU_TEST_KERNELS_CONFORMANCE_NARROW_H
