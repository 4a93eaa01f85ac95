// SPDX-License-Identifier: Apache-2.0
//
// Problems of f16 and bf16: what nothing computes in 16 bits is computed in
// f32.
#ifndef NPU_TEST_KERNELS_CONFORMANCE_WIDENED_H
#define NPU_TEST_KERNELS_CONFORMANCE_WIDENED_H

#include "test/kernels/conformance_attention.h"
#include "test/kernels/conformance_rows.h"

namespace npu::kernels::testing {

/// Within two roundings to the type: the reference rounds behind each of the
/// fused instructions, too.
inline void checkNarrow(const Problem &wide, uint32_t seed) {
  for (int32_t type : {NPU_F16, NPU_BF16}) {
    Case one;
    one.problem = wide;
    one.tolerance = type == NPU_F16 ? 0x1p-10 : 0x1p-7;
    for (auto *side : {&one.problem.inputs, &one.problem.outputs})
      for (npu_tensor_desc &tensor : *side)
        if (tensor.dtype == NPU_F32)
          tensor.dtype = type;
    for (npu_instr &instr : one.problem.instrs)
      instr.dtype = type;
    check(one, seed);
  }
}

inline Problem productOf(int64_t rows, int64_t depth, int64_t columns) {
  Problem p;
  p.op = NPU_OP_MATMUL;
  p.inputs = {tensor(NPU_F32, {rows, depth}),
              tensor(NPU_F32, {depth, columns})};
  p.outputs = {tensor(NPU_F32, {rows, columns})};
  p.threads = 2;
  return p;
}

/// Sums are f32 whatever the factors are. Bias and residual in place, as a
/// constant and not.
TEST(Conformance, WidenedProducts) {
  uint32_t seed = 27000;
  for (bool isConstant : {true, false})
    for (bool isInPlace : {true, false}) {
      Problem p = productOf(20, 24, 40);
      if (isConstant)
        makeConstant(p, 1);
      p.inputs.push_back(tensor(NPU_F32, {40}));
      p.inputs.push_back(p.outputs[0]);
      if (isConstant)
        makeConstant(p, 2);
      p.instrs = {unary(NPU_INSTR_cast, 4), binary(NPU_INSTR_add, 5, 2),
                  binary(NPU_INSTR_add, 6, 3), unary(NPU_INSTR_relu, 7)};
      p.inPlaceInput = isInPlace ? 3 : -1;
      checkNarrow(p, seed++);
    }
}

TEST(Conformance, WidenedConvolutions) {
  uint32_t seed = 27100;
  for (const char *layout : layouts4)
    for (int64_t groups : {1, 16}) {
      Problem p = convProblem(image(2, 16, 6, 5, layout), 16, {3, 3}, 1, 1,
                              groups, layout);
      makeConstant(p, 1);
      checkNarrow(p, seed++);
      p.op = NPU_OP_CONV_TRANSPOSE;
      checkNarrow(p, seed++);
    }
}

TEST(Conformance, WidenedImages) {
  uint32_t seed = 27200;
  for (const char *layout : layouts4)
    for (int32_t op :
         {NPU_OP_MAX_POOL, NPU_OP_AVG_POOL, NPU_OP_RESIZE, NPU_OP_REDUCE}) {
      Problem p;
      p.op = op;
      p.threads = 2;
      p.inputs = {image(2, 20, 6, 8, layout)};
      p.outputs = {image(2, 20, 3, 4, layout)};
      if (op == NPU_OP_RESIZE) {
        p.attrs.resize.scales[0] = p.attrs.resize.scales[1] = 1;
        p.attrs.resize.scales[2] = p.attrs.resize.scales[3] = 0.5;
        p.attrs.resize.mode = NPU_RESIZE_LINEAR;
      } else if (op == NPU_OP_REDUCE) {
        p.outputs = {image(2, 20, 1, 1, layout)};
        p.attrs.reduce = {NPU_REDUCE_MAX, 12, 1};
      } else {
        p.attrs.pool = {{2, 2}, {2, 2}, {1, 1}, {0, 0}, {0, 0}, 0, 0, 0};
      }
      checkNarrow(p, seed++);
    }
}

TEST(Conformance, WidenedRows) {
  uint32_t seed = 27300;
  checkNarrow(softmaxOfRows(5, 40, 0), seed++);
  checkNarrow(normOfRows(5, 40, 1, 1, 1e-5), seed++);
  Problem p = attentionOf({2, 2, 17, 17, 16, 32}, "acbd");
  checkNarrow(p, seed++);
  addMask(p, NPU_F32, {17, 17});
  checkNarrow(p, seed++);
}

} // namespace npu::kernels::testing

#endif // NPU_TEST_KERNELS_CONFORMANCE_WIDENED_H
