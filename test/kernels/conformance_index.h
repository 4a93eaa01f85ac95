// SPDX-License-Identifier: Apache-2.0
//
// What gathers, scatters, counts up and picks the best: to the bit what the
// references give, in any layout.
#ifndef NPU_TEST_KERNELS_CONFORMANCE_INDEX_H
#define NPU_TEST_KERNELS_CONFORMANCE_INDEX_H

#include "test/kernels/conformance_cases.h"

namespace npu::kernels::testing {

/// With a fast kernel: the reference alone would agree with itself.
inline void checkFast(const Case &one, uint32_t seed) {
  EXPECT_FALSE(query(one.problem).slow) << query(one.problem).refusals;
  check(one, seed);
}

inline void checkFastWithCast(Case one, uint32_t seed) {
  checkWithCast(one, seed);
  one.problem.instrs = {unary(NPU_INSTR_cast,
                              static_cast<int>(one.problem.inputs.size()), 0, 0,
                              NPU_F32)};
  one.problem.outputs[0].dtype = NPU_F32;
  EXPECT_FALSE(query(one.problem).slow) << query(one.problem).refusals;
}

/// An order of the first `rank` letters, of which the last may be blocked.
inline npu_tensor_desc stored(int32_t type, const std::vector<int64_t> &dims,
                              int how) {
  std::string order = std::string("abcdef").substr(0, dims.size());
  if (how == 1 && order.size() > 1) // the second one last
    order = order.substr(0, 1) + order.substr(2) + order[1];
  if (how == 2) // the other way round
    order.assign(order.rbegin(), order.rend());
  if (how == 3 && order.size() > 1) {
    order[1] = 'B';
    order += "8b";
  }
  return tensor(type, dims, order);
}

/// Extents of data and of points behind the batches, how many of the data's
/// dimensions an index names, and how many are batches.
struct NdShape {
  std::vector<int64_t> data, points;
  int64_t depth, batches;
};

inline const std::vector<NdShape> &ndShapes() {
  static const std::vector<NdShape> shapes = {
      {{3, 50, 24}, {130}, 1, 1}, // pixels of images
      {{3, 20, 5, 6}, {4, 2}, 1, 1},
      {{9, 7, 5}, {300}, 3, 0}, // single elements
      {{9, 7, 5}, {2, 3, 2}, 2, 0},
      {{7, 9000}, {3}, 1, 0}, // few large slices
      {{2, 3, 40, 11}, {600}, 1, 2},
      {{6}, {}, 1, 0}, // one point
      {{4, 17}, {5000}, 2, 0},
      {{4, 17}, {0}, 1, 0},    // none
      {{4, 0, 3}, {2}, 1, 0}}; // nothing at each
  return shapes;
}

/// The data, the indices, and what has a slice for each point.
inline std::vector<npu_tensor_desc>
ndTensors(const NdShape &shape, int32_t type, int32_t indexType, int how) {
  auto batches = shape.data.begin() + shape.batches;
  std::vector<int64_t> indices(shape.data.begin(), batches);
  indices.insert(indices.end(), shape.points.begin(), shape.points.end());
  std::vector<int64_t> slices = indices;
  indices.push_back(shape.depth);
  slices.insert(slices.end(), batches + shape.depth, shape.data.end());
  return {stored(type, shape.data, how), stored(indexType, indices, how % 3),
          stored(type, slices, (how + how / 2) % 4)};
}

TEST(Conformance, GatherNd) {
  uint32_t seed = 15000;
  for (const NdShape &shape : ndShapes())
    for (int how = 0; how < 4; ++how)
      for (int32_t type : {NPU_F32, NPU_BF16, NPU_U8, NPU_I64})
        for (int threads : {1, 2}) {
          auto tensors =
              ndTensors(shape, type, seed % 2 ? NPU_I32 : NPU_I64, how);
          Case one;
          Problem &p = one.problem;
          p.op = NPU_OP_GATHER_ND;
          p.inputs = {tensors[0], tensors[1]};
          p.outputs = {tensors[2]};
          p.attrs.index.batch_dims = shape.batches;
          p.threads = threads;
          checkFast(one, seed++);
          checkFastWithCast(one, seed++);
        }
}

/// Several updates of one element, whose order counts.
TEST(Conformance, ScatterNd) {
  uint32_t seed = 16000;
  for (const NdShape &shape : ndShapes())
    for (int how = 0; how < 4; ++how)
      for (int64_t reduction = 0; reduction <= NPU_SCATTER_MIN; ++reduction)
        for (int32_t type : {NPU_F32, NPU_I8, NPU_I64, NPU_BF16}) {
          auto tensors =
              ndTensors(shape, type, seed % 2 ? NPU_I32 : NPU_I64, how);
          Case one;
          Problem &p = one.problem;
          p.op = NPU_OP_SCATTER_ND;
          p.inputs = {tensors[0], tensors[1], tensors[2]};
          p.outputs = {stored(type, shape.data, static_cast<int>(seed % 4))};
          p.attrs.index.batch_dims = shape.batches;
          p.attrs.index.reduction = reduction;
          p.threads = 1 + static_cast<int>(seed / 2 % 2);
          one.nanEach = type == NPU_F32 && seed % 3 ? 7 : 0;
          checkFast(one, seed++);
          checkFastWithCast(one, seed++);
        }
}

TEST(Conformance, ScatterElements) {
  const struct {
    std::vector<int64_t> data, updates;
    int64_t axis;
  } shapes[] = {{{24, 256}, {46, 256}, 0},
                {{300, 20}, {300, 31}, 1},
                {{3, 20, 5, 6}, {2, 7, 4, 6}, 1},
                {{3, 9, 4, 70}, {3, 9, 4, 50}, 3},
                {{40}, {500}, 0},
                {{5, 4, 3}, {0, 4, 3}, 0},
                {{2, 90, 2}, {2, 5000, 2}, 1}};
  uint32_t seed = 17000;
  for (const auto &s : shapes)
    for (int how = 0; how < 4; ++how)
      for (int64_t reduction = 0; reduction <= NPU_SCATTER_MIN; ++reduction)
        for (int32_t type : {NPU_F32, NPU_U8, NPU_I16, NPU_I32, NPU_F16,
                             NPU_U16, NPU_U32, NPU_U64, NPU_F64}) {
          if ((type == NPU_F64 && reduction != NPU_SCATTER_NONE) ||
              (type == NPU_U64 && reduction >= NPU_SCATTER_MAX))
            continue;
          Case one;
          Problem &p = one.problem;
          p.op = NPU_OP_SCATTER_ELEMENTS;
          p.inputs = {stored(type, s.data, how),
                      stored(seed % 2 ? NPU_I32 : NPU_I64, s.updates, how % 3),
                      stored(type, s.updates, static_cast<int>(seed % 4))};
          p.outputs = {stored(type, s.data, how)};
          p.attrs.index.axis = s.axis;
          p.attrs.index.reduction = reduction;
          p.threads = 1 + static_cast<int>(seed / 2 % 2);
          one.nanEach = type == NPU_F32 && seed % 3 ? 7 : 0;
          checkFast(one, seed++);
          checkFastWithCast(one, seed++);
        }
}

/// One index outside, wherever it stands: the run ends with a status, and the
/// sentence that names it is the same.
TEST(Conformance, IndicesOutside) {
  for (npu_op op :
       {NPU_OP_GATHER_ND, NPU_OP_SCATTER_ND, NPU_OP_SCATTER_ELEMENTS})
    for (int64_t index : {5, -6})
      for (size_t place : {size_t(0), size_t(700), size_t(1199)})
        for (int threads : {1, 2}) {
          Problem p;
          p.op = op;
          npu_tensor_desc data = tensor(NPU_F32, {5, 32}),
                          rows = tensor(NPU_F32, {1200, 32});
          bool isNd = op != NPU_OP_SCATTER_ELEMENTS;
          p.inputs = {data, tensor(NPU_I64, {1200, isNd ? 1 : 32})};
          p.outputs = {op == NPU_OP_GATHER_ND ? rows : data};
          if (op != NPU_OP_GATHER_ND)
            p.inputs.push_back(rows);
          p.threads = threads;
          ASSERT_EQ(validate(p), "");
          std::vector<float> from(5 * 32), to(1200 * 32), updates(1200 * 32);
          std::vector<int64_t> indices(1200 * 32, -5);
          void *operands[4] = {from.data(), indices.data(), to.data()};
          if (op != NPU_OP_GATHER_ND) {
            operands[2] = updates.data();
            operands[3] = to.data();
          }
          auto kernel = create(p);
          EXPECT_FALSE(kernel->isSlow());
          EXPECT_EQ(kernel->run(operands, nullptr), 0);
          indices[place] = index;
          EXPECT_NE(kernel->run(operands, nullptr), 0) << op << " " << place;
          EXPECT_NE(describeFault(p, operands)
                        .find("index " + std::to_string(index) + " at [" +
                              std::to_string(isNd ? place : place / 32)),
                    std::string::npos);
        }
}

/// What is empty is checked, too.
TEST(Conformance, IndicesOutsideOfEmptySlices) {
  Problem p;
  p.op = NPU_OP_GATHER_ND;
  p.inputs = {tensor(NPU_F32, {5, 0}), tensor(NPU_I64, {1})};
  p.outputs = {tensor(NPU_F32, {0})};
  float nothing = 0;
  int64_t index = 5;
  void *operands[3] = {&nothing, &index, &nothing};
  for (const auto &kernel : {create(p), createReference(p)})
    EXPECT_NE(kernel->run(operands, nullptr), 0) << kernel->implementation();
}

TEST(Conformance, Cumulate) {
  uint32_t seed = 18000;
  for (const std::vector<int64_t> &dims : std::vector<std::vector<int64_t>>{
           {3, 20, 5, 6}, {2, 3, 11, 300}, {1, 300}, {40, 129}, {7}, {2, 0, 3}})
    for (size_t axis = 0; axis < dims.size(); ++axis)
      for (int how = 0; how < 4; ++how)
        for (int64_t mode = 0; mode < 8; ++mode) {
          Case one;
          Problem &p = one.problem;
          constexpr int32_t types[] = {NPU_F32, NPU_F32, NPU_I32, NPU_I64,
                                       NPU_BF16};
          int32_t type = types[seed % 5];
          p.op = NPU_OP_CUMULATE;
          p.inputs = {stored(type, dims, how)};
          p.outputs = {stored(type, dims, static_cast<int>(seed / 5 % 4))};
          p.attrs.cumulate = {static_cast<int64_t>(axis), mode & 1,
                              mode >> 1 & 1, mode >> 2};
          p.threads = 1 + static_cast<int>(seed % 2);
          one.nanEach = type == NPU_F32 && seed % 7 == 0 ? 50 : 0;
          checkFast(one, seed);
          checkFastWithCast(one, seed++);
        }
}

/// Equal ones, NaN, zeros of both signs, all of a line, none of it.
TEST(Conformance, TopK) {
  uint32_t seed = 19000;
  for (const std::vector<int64_t> &dims : std::vector<std::vector<int64_t>>{
           {2, 20, 9, 6}, {3, 8400}, {1300}, {2, 0, 3}})
    for (size_t axis = 0; axis < dims.size(); ++axis)
      for (int how = 0; how < 4; ++how)
        for (int64_t wanted : {0, 1, 7, 300, 8400})
          for (int64_t isLargest : {0, 1}) {
            constexpr int32_t types[] = {NPU_F32, NPU_I64, NPU_U8, NPU_BF16};
            int32_t type = types[seed % 4];
            std::vector<int64_t> few = dims;
            few[axis] = std::min(few[axis], wanted);
            Case one;
            Problem &p = one.problem;
            p.op = NPU_OP_TOP_K;
            p.inputs = {stored(type, dims, how)};
            p.outputs = {stored(seed % 3 ? NPU_I64 : NPU_I32, few,
                                static_cast<int>(seed / 4 % 4))};
            p.attrs.top_k = {static_cast<int64_t>(axis), isLargest};
            p.threads = 1 + static_cast<int>(seed % 2);
            one.nanEach = type == NPU_F32 && seed % 3 == 0 ? 11 : 0;
            auto inputs = inputsFor(p, seed);
            if (type == NPU_F32) // of many values, as networks have them
              for (size_t i = 0; i < inputs[0].size(); ++i)
                inputs[0][i] *= i % 5 ? static_cast<double>(i % 977) : -0.0;
            EXPECT_FALSE(query(p).slow) << query(p).refusals;
            check(one, inputs);
            checkFastWithCast(one, seed++);
          }
}

} // namespace npu::kernels::testing

#endif // NPU_TEST_KERNELS_CONFORMANCE_INDEX_H
