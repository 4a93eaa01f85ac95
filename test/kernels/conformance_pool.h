// SPDX-License-Identifier: Apache-2.0
//
// The conformance suite's cases of pooling.
#ifndef NPU_TEST_KERNELS_CONFORMANCE_POOL_H
#define NPU_TEST_KERNELS_CONFORMANCE_POOL_H

#include "test/kernels/conformance_cases.h"

namespace npu::kernels::testing {

TEST(Conformance, Pools) {
  uint32_t seed = 4000;
  for (npu_op op : {NPU_OP_MAX_POOL, NPU_OP_AVG_POOL})
    for (const char *in : layouts4)
      for (const char *out : layouts4)
        for (int variant = 0; variant < 7; ++variant) {
          // Windows with padding, rounding up, dilation, the whole image.
          const int64_t kernel[] = {3, 2, 3, 2, 7, 3, 8},
                        stride[] = {2, 2, 1, 2, 1, 2, 1},
                        pad[] = {1, 0, 1, 0, 0, 1, 0},
                        dil[] = {1, 1, 1, 2, 1, 1, 1};
          bool roundUp = variant == 5;
          Case one;
          Problem &p = one.problem;
          p.op = op;
          int64_t size = 8;
          int64_t room = size - 1 + 2 * pad[variant] -
                         (kernel[variant] - 1) * dil[variant];
          int64_t extent =
              (room + (roundUp ? stride[variant] - 1 : 0)) / stride[variant] +
              1;
          for (int i = 0; i < 2; ++i) {
            p.attrs.pool.kernel[i] = kernel[variant];
            p.attrs.pool.strides[i] = stride[variant];
            p.attrs.pool.dilations[i] = dil[variant];
            p.attrs.pool.pads_begin[i] = p.attrs.pool.pads_end[i] =
                pad[variant];
          }
          p.attrs.pool.count_include_pad = seed % 2;
          p.inputs = {image(1 + seed % 3, 20, size, size, in)};
          p.outputs = {image(p.inputs[0].dims[0], 20, extent, extent, out)};
          p.threads = 2;
          one.tolerance = op == NPU_OP_AVG_POOL ? 1e-6 : 0;
          check(one, seed++);
          p.instrs = {unary(NPU_INSTR_exp, 1)};
          one.tolerance = 1e-4;
          check(one, seed++);
          if (op == NPU_OP_MAX_POOL) {
            p.attrs.pool.keep_nan = 1;
            one.nanEach = 97;
            check(one, seed++);
            p.instrs.clear();
            check(one, seed++);
            one.nanEach = 0;
            check(one, seed++);
          }
          // An operand as large as the result; of one value a channel.
          p.attrs.pool.keep_nan = 0;
          p.instrs = {binary(NPU_INSTR_add, 2, 1)};
          p.inputs.push_back(p.outputs[0]);
          check(one, seed++);
          p.inputs[1] = image(1, 20, 1, 1, out);
          check(one, seed++);
        }
}

// Averages of bytes, requantized to the same type and to the other.
TEST(Conformance, AveragesOfBytes) {
  uint32_t seed = 4300;
  for (int32_t type : {NPU_U8, NPU_I8})
    for (int32_t to : {type, NPU_U8 + NPU_I8 - type, int32_t(NPU_F32)})
      for (const char *layout : layouts4)
        for (int64_t kernel : {1, 3, 8}) {
          int64_t pad = kernel == 3, extent = kernel == 8 ? 1 : 8;
          Case one;
          Problem &p = one.problem;
          p.op = NPU_OP_AVG_POOL;
          npu_pool_attrs &a = p.attrs.pool;
          for (int i = 0; i < 2; ++i) {
            a.kernel[i] = kernel;
            a.strides[i] = a.dilations[i] = 1;
            a.pads_begin[i] = a.pads_end[i] = pad;
          }
          a.count_include_pad = seed % 2;
          p.inputs = {image(2, 20, 8, 8, layout, type)};
          p.outputs = {image(2, 20, extent, extent, layout, to)};
          p.threads = 2;
          if (to == NPU_F32)
            one.tolerance = 1e-6;
          else // nothing lies in the middle between two numbers
            p.instrs = {unary(NPU_INSTR_linear, 1, 0.7103f, 2.19f),
                        unary(NPU_INSTR_round, 2),
                        unary(NPU_INSTR_linear, 3, 1, 4),
                        unary(NPU_INSTR_cast, 4, 0, 0, to)};
          check(one, seed++);
        }
}

// The last dimensions alone, three of them, and types of 16 bits.
TEST(Conformance, PoolsKeepNan) {
  uint32_t seed = 4500;
  for (int rank : {3, 4, 5})
    for (int32_t type : {NPU_F32, NPU_BF16, NPU_F16})
      for (int64_t stride : {1, 2, 3})
        for (bool last : {false, true}) {
          std::string order = std::string("abcde").substr(0, size_t(rank));
          if (last)
            order = "a" + order.substr(2) + "b";
          std::vector<int64_t> from = {2, 16}, to = from;
          Case one;
          Problem &p = one.problem;
          p.op = NPU_OP_MAX_POOL;
          for (int i = 0; i < rank - 2; ++i) {
            from.push_back(7 + i);
            to.push_back((7 + i + 2 - 3) / stride + 1);
            p.attrs.pool.kernel[i] = 3;
            p.attrs.pool.strides[i] = stride;
            p.attrs.pool.dilations[i] = 1;
            p.attrs.pool.pads_begin[i] = p.attrs.pool.pads_end[i] = 1;
          }
          p.attrs.pool.keep_nan = 1;
          p.inputs = {tensor(type, from, order)};
          p.outputs = {tensor(type, to, order)};
          p.threads = 2;
          one.nanEach = 31;
          check(one, seed++);
        }
}

} // namespace npu::kernels::testing

#endif // NPU_TEST_KERNELS_CONFORMANCE_POOL_H
