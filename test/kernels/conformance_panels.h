// SPDX-License-Identifier: Apache-2.0
//
// Rows of floats times a constant matrix: panels of every width, tiles of every
// height, threads that share rows and such that share panels.
#ifndef NPU_TEST_KERNELS_CONFORMANCE_PANELS_H
#define NPU_TEST_KERNELS_CONFORMANCE_PANELS_H

#include "test/kernels/conformance_cases.h"

namespace npu::kernels::testing {

/// Panels of 8 to 64 columns, and a narrow one behind wide ones.
TEST(Conformance, ProductInPanels) {
  uint32_t seed = 8200;
  for (int64_t columns : {1, 8, 13, 16, 24, 31, 48, 64, 67, 200})
    for (int64_t rows : {1, 5, 6, 49})
      for (int64_t depth : {1, 7, 200})
        for (const char *weight : {"ab", "ba"}) {
          Case one;
          Problem &p = one.problem;
          p.op = NPU_OP_MATMUL;
          p.inputs = {tensor(NPU_F32, {rows, depth}),
                      tensor(NPU_F32, {depth, columns}, weight),
                      tensor(NPU_F32, {columns})};
          p.outputs = {tensor(NPU_F32, {rows, columns})};
          makeConstant(p, 1);
          p.instrs = {binary(NPU_INSTR_add, 2, 3)};
          p.threads = 1 + static_cast<int>(seed % 3);
          check(one, seed++);
        }
}

/// Many rows and few weights: threads share rows; and rows that do not stay in
/// a cache while panels go by.
TEST(Conformance, ProductOfManyRows) {
  uint32_t seed = 8500;
  for (int64_t rows : {700, 2001})
    for (int64_t depth : {16, 600})
      for (int threads : {1, 2, 3}) {
        Case one;
        Problem &p = one.problem;
        p.op = NPU_OP_MATMUL;
        p.inputs = {tensor(NPU_F32, {rows, depth}),
                    tensor(NPU_F32, {depth, 72})};
        p.outputs = {tensor(NPU_F32, {rows, 72})};
        makeConstant(p, 1);
        p.threads = threads;
        check(one, seed++);
      }
}

/// Every way in which fused operands go with the result: in registers, as unary
/// functions of a tile, by the interpreter.
TEST(Conformance, PointwiseConvolutionChains) {
  uint32_t seed = 8600;
  const char *layouts[] = {"acdb", "cadb"};
  for (const char *layout : layouts)
    for (int64_t stride : {1, 2})
      for (int64_t results : {24, 70}) {
        Problem bare = convProblem(image(2, 20, 9, 8, layout), results, {1, 1},
                                   stride, 0, 1, layout, seed % 2 != 0);
        for (const Chain &chain : chainsFor(bare.outputs[0])) {
          SCOPED_TRACE(chain.name);
          Case one;
          one.problem = bare;
          makeConstant(one.problem, 1);
          one.problem.threads = 2;
          addChain(one, chain);
          check(one, seed++);
        }
      }
}

/// Windows that are one run of channels last: along a signal, over whole rows;
/// and such that are not, by an element of width or by dilation.
TEST(Conformance, ConvolutionOfWindowsInOnePiece) {
  uint32_t seed = 8650;
  const struct {
    std::vector<int64_t> dims, window;
    const char *layout;
  } shapes[] = {{{2, 18, 13}, {4}, "acb"},
                {{1, 20, 17, 1}, {5, 1}, "acdb"},
                {{2, 6, 9, 4}, {3, 4}, "acdb"},
                {{2, 6, 9, 4}, {3, 3}, "acdb"},
                {{1, 5, 4, 3, 2}, {1, 2, 2}, "acdeb"},
                {{1, 5, 4, 3, 2}, {2, 3, 2}, "acdeb"}};
  for (const auto &s : shapes)
    for (int64_t stride : {1, 2})
      for (int64_t dilation : {1, 2})
        for (int64_t results : {9, 66}) {
          if (dilation == 2 && s.dims[2] < 2 * s.window[0])
            continue;
          Case one;
          one.problem = convProblem(
              tensor(NPU_F32, s.dims, s.layout), results, s.window, stride, 0,
              1, s.layout, seed % 2 != 0, s.window.size() == 1 ? dilation : 1);
          npu_tensor_desc &weight = one.problem.inputs[1];
          if (seed % 3 == 0)
            std::swap(weight.order[0], weight.order[1]);
          makeConstant(one.problem, 1);
          one.problem.threads = 1 + static_cast<int>(seed % 2);
          check(one, seed++);
        }
}

/// What is fused behind the sums that are in registers reads what was before.
TEST(Conformance, ProductReadsSumsBetween) {
  Case one;
  Problem &p = one.problem;
  p.op = NPU_OP_MATMUL;
  p.inputs = {tensor(NPU_F32, {9, 5}), tensor(NPU_F32, {5, 30}),
              tensor(NPU_F32, {30}), tensor(NPU_F32, {9, 30})};
  p.outputs = {tensor(NPU_F32, {9, 30})};
  makeConstant(p, 1);
  // (x + bias) + residual, relu; times x + bias.
  p.instrs = {binary(NPU_INSTR_add, 4, 2), binary(NPU_INSTR_add, 5, 3),
              unary(NPU_INSTR_relu, 6), binary(NPU_INSTR_mul, 7, 5)};
  check(one, 8700);
  // The product itself once more.
  p.instrs.back() = binary(NPU_INSTR_mul, 7, 4);
  check(one, 8701);
}

/// Denormal weights count as zeros, but not beside infinities; a residual that
/// the result replaces is added once.
TEST(Conformance, ProductOfDenormals) {
  for (bool isInPlace : {false, true}) {
    Case one;
    one.tolerance = 1e-6;
    Problem &p = one.problem;
    p.op = NPU_OP_MATMUL;
    p.inputs = {tensor(NPU_F32, {9, 40}), tensor(NPU_F32, {40, 70}),
                tensor(NPU_F32, {9, 70})};
    p.outputs = {tensor(NPU_F32, {9, 70})};
    makeConstant(p, 1);
    p.instrs = {binary(NPU_INSTR_add, 2, 3)};
    if (isInPlace)
      p.inPlaceInput = 2;
    auto inputs = inputsFor(p, 8800);
    for (size_t i = 0; i < inputs[1].size(); ++i) {
      if (i % 3 == 0)
        inputs[1][i] = i % 2 ? 1e-40F : -1e-42F;
      else if (std::fpclassify(static_cast<float>(inputs[1][i])) == FP_ZERO)
        inputs[1][i] = 1;
    }
    check(one, inputs);
    const double infinity = std::numeric_limits<double>::infinity();
    inputs[0][2 * 40 + 7] = infinity;
    inputs[0][5 * 40 + 1] = infinity;
    inputs[0][5 * 40 + 2] = -infinity;
    check(one, inputs);
  }
}

/// So few windows that oneDNN's convolution would be slower, padded, strided,
/// dilated; the last has all but one run in padding.
TEST(Conformance, FewWindows) {
  uint32_t seed = 8900;
  const WindowShape shapes[] = {
      {{1, 200, 1, 40}, {1, 3}, 60, 1, 1, 1, "acdb"},
      {{1, 40, 8, 8}, {3, 3}, 50, 1, 1, 1, "acdb"},
      {{2, 40, 9, 8}, {3, 3}, 67, 2, 1, 1, "acdb"},
      {{1, 80, 11, 5}, {3, 3}, 70, 1, 2, 2, "acdb"},
      {{3, 70, 19}, {5}, 65, 1, 2, 1, "acb"},
      {{1, 30, 5, 2, 6}, {3, 2, 3}, 40, 1, 1, 1, "acdeb"},
      {{1, 300, 1, 1}, {3, 3}, 9, 1, 1, 1, "acdb"},
  };
  for (const WindowShape &shape : shapes)
    for (const char *chain : windowChains) {
      Case one = windowCase(shape, chain, seed);
      makeConstant(one.problem, 1);
      one.nanEach = seed % 5 == 0 ? 1000 : 0;
      check(one, seed++);
    }
}

/// What lies in padding meets no weight: none becomes NaN that is infinite.
TEST(Conformance, InfiniteWeightsBesidePadding) {
  Case one;
  one.problem = convProblem(image(1, 60, 6, 7, "acdb"), 40, {3, 3}, 1, 1, 1,
                            "acdb", true);
  makeConstant(one.problem, 1);
  auto inputs = inputsFor(one.problem, 8950);
  for (size_t tap = 0; tap < 9; ++tap) // each in another result channel
    inputs[1][tap * 60 * 9 + tap] = std::numeric_limits<double>::infinity();
  compareAll(one, inputs);
}

} // namespace npu::kernels::testing

#endif // NPU_TEST_KERNELS_CONFORMANCE_PANELS_H
