// SPDX-License-Identifier: Apache-2.0
//
// The conformance suite's cases of matrix products.
#ifndef NPU_TEST_KERNELS_CONFORMANCE_MATMUL_H
#define NPU_TEST_KERNELS_CONFORMANCE_MATMUL_H

#include "test/kernels/conformance_cases.h"

namespace npu::kernels::testing {

TEST(Conformance, Matmul) {
  uint32_t seed = 5000;
  const struct {
    std::vector<int64_t> a, b, y;
  } shapes[] = {{{1, 64}, {64, 40}, {1, 40}},
                {{3, 33}, {33, 17}, {3, 17}},
                {{2, 5, 8}, {8, 6}, {2, 5, 6}},
                {{2, 1, 5, 8}, {3, 8, 6}, {2, 3, 5, 6}},
                {{4, 7, 1}, {4, 1, 9}, {4, 7, 9}},
                {{2, 1, 1}, {2, 1, 2}, {2, 1, 2}},
                {{2, 3, 1}, {2, 1, 1}, {2, 3, 1}},
                {{1, 1, 4}, {1, 4, 5}, {1, 1, 5}},
                {{1, 1, 3}, {1, 3, 2}, {1, 1, 2}},
                {{1, 3}, {3, 2}, {1, 2}}};
  for (const auto &s : shapes)
    for (bool constant : {false, true})
      for (int variant = 0; variant < 6; ++variant) {
        Case one;
        Problem &p = one.problem;
        p.op = NPU_OP_MATMUL;
        npu_tensor_desc y = tensor(NPU_F32, s.y);
        p.inputs = {tensor(NPU_F32, s.a), tensor(NPU_F32, s.b)};
        p.outputs = {y};
        p.threads = 2;
        if (variant == 4) // the second operand transposed in memory
          std::swap(p.inputs[1].order[p.inputs[1].rank - 1],
                    p.inputs[1].order[p.inputs[1].rank - 2]);
        if (variant == 5) // the second operand and the result
          for (npu_tensor_desc *each : {&p.inputs[1], &p.outputs[0]})
            std::swap(each->order[each->rank - 1], each->order[each->rank - 2]);
        if (constant)
          makeConstant(p, 1);
        if (variant == 1) {
          p.inputs.push_back(tensor(NPU_F32, {s.y.back()}));
          p.instrs = {binary(NPU_INSTR_add, 3, 2), unary(NPU_INSTR_relu, 4)};
        } else if (variant == 2) {
          p.inputs.push_back(y);
          p.instrs = {binary(NPU_INSTR_add, 2, 3)};
          p.inPlaceInput = 2;
        } else if (variant == 3) {
          p.outputs[0].order[p.outputs[0].rank - 1] =
              static_cast<int8_t>(y.rank - 2);
          p.outputs[0].order[p.outputs[0].rank - 2] =
              static_cast<int8_t>(y.rank - 1);
        }
        check(one, seed++);
        // Factors of bf16, sums of f32.
        p.inputs[0].dtype = p.inputs[1].dtype = NPU_BF16;
        one.tolerance = 1e-5;
        check(one, seed++);
      }
}

/// Heads between the rows of matrices, a second operand by columns.
TEST(Conformance, MatmulOfStridedMatrices) {
  uint32_t seed = 5500;
  auto run = [&](std::vector<npu_tensor_desc> inputs, npu_tensor_desc result) {
    Case one;
    Problem &p = one.problem;
    p.op = NPU_OP_MATMUL;
    p.inputs = std::move(inputs);
    p.outputs = {result};
    p.threads = 2;
    check(one, seed++);
    p.inputs.push_back(tensor(NPU_F32, {}));
    p.instrs = {binary(NPU_INSTR_mul, 3, 2)};
    check(one, seed++);
    p.inputs.back() = tensor(NPU_F32, {result.dims, result.dims + result.rank});
    p.instrs = {binary(NPU_INSTR_add, 3, 2)};
    check(one, seed++);
    // One number for each column: oneDNN's product crashed.
    p.inputs.back() = tensor(NPU_F32, {result.dims[result.rank - 1]});
    check(one, seed++);
  };
  for (const char *a : {"abc", "bac"})
    for (const char *b : {"abc", "acb", "bac", "cab"})
      for (const char *y : {"abc", "bac"})
        run({tensor(NPU_F32, {3, 20, 16}, a), tensor(NPU_F32, {3, 16, 18}, b)},
            tensor(NPU_F32, {3, 20, 18}, y));
  for (const char *a : {"abcd", "acbd"})
    for (const char *b : {"abcd", "abdc", "acbd", "adbc"})
      for (const char *y : {"abcd", "acbd"})
        run({tensor(NPU_F32, {2, 3, 20, 16}, a),
             tensor(NPU_F32, {2, 3, 16, 18}, b)},
            tensor(NPU_F32, {2, 3, 20, 18}, y));
}

/// A batch times one matrix, which the library runs as one product where the
/// batch's rows are one run in memory: whatever their order is, and whatever is
/// fused (a number for each row is none of a column).
TEST(Conformance, MatmulOfABatchByOneMatrix) {
  uint32_t seed = 5900;
  const std::vector<std::vector<int64_t>> fused = {
      {}, {18}, {1, 18}, {1, 1, 18}, {3, 20, 18}, {20, 18}, {20, 1}, {3, 1, 1}};
  for (bool isBytes : {false, true})
    for (const char *a : {"abc", "bac", "acb", "cab"})
      for (const char *y : {"abc", "bac", "cab"})
        for (const std::vector<int64_t> &b :
             {std::vector<int64_t>{16, 18}, {1, 16, 18}})
          for (const std::vector<int64_t> &extra : fused) {
            Case one;
            Problem &p = one.problem;
            p.op = NPU_OP_MATMUL;
            p.inputs = {tensor(isBytes ? NPU_U8 : NPU_F32, {3, 20, 16}, a),
                        tensor(isBytes ? NPU_I8 : NPU_F32, b),
                        tensor(NPU_F32, extra)};
            p.outputs = {tensor(NPU_F32, {3, 20, 18}, y)};
            if (seed % 2)
              makeConstant(p, 1);
            p.threads = 2;
            p.instrs = {binary(NPU_INSTR_sub, 3, 2)};
            if (isBytes)
              p.instrs = {unary(NPU_INSTR_cast, 3, 0, 0, NPU_F32),
                          binary(NPU_INSTR_sub, 4, 2)};
            check(one, seed++);
          }
}

/// Rows and columns that fill no block, a weight by columns, and every way in
/// which a fused operand goes with the result, once in its place.
TEST(Conformance, MatmulOfAFewRows) {
  uint32_t seed = 5950;
  for (int64_t rows : {4, 11, 17, 40})
    for (int64_t columns : {1, 33, 200})
      for (const char *weight : {"ab", "ba"})
        for (int threads : {1, 2}) {
          Case one;
          Problem &p = one.problem;
          p.op = NPU_OP_MATMUL;
          p.inputs = {tensor(NPU_F32, {1, rows, 19}),
                      tensor(NPU_F32, {19, columns}, weight)};
          p.outputs = {tensor(NPU_F32, {1, rows, columns})};
          makeConstant(p, 1);
          p.threads = threads;
          check(one, seed++);
          p.inputs.push_back(tensor(NPU_F32, {columns}));
          p.inputs.push_back(tensor(NPU_F32, {}));
          p.inputs.push_back(p.outputs[0]);
          p.instrs = {binary(NPU_INSTR_add, 5, 2), binary(NPU_INSTR_mul, 6, 3),
                      binary(NPU_INSTR_sub, 4, 7), unary(NPU_INSTR_relu, 8)};
          check(one, seed++);
          p.inPlaceInput = 4;
          check(one, seed++);
        }
}

} // namespace npu::kernels::testing

#endif // NPU_TEST_KERNELS_CONFORMANCE_MATMUL_H
