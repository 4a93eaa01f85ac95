// SPDX-License-Identifier: Apache-2.0
//
// Slices, paddings and concatenations of blocked values whose bounds divide
// nothing, in every implementation, against index arithmetic on the logical
// elements. That padding lanes are zero behind them, runKernel() checks.
#include "kernels/registry.h"
#include "test/kernels/testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace npu::kernels;
using namespace npu::kernels::testing;

namespace {

using Dims = std::vector<int64_t>;
using Values = std::vector<double>;

class Blocks : public ::testing::Test {
protected:
  int64_t draw(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() %
                                      static_cast<uint64_t>(high - low + 1));
  }

  /// Any order, with one or two blocks.
  std::string drawLayout(size_t rank) {
    std::string order, blocks;
    for (size_t dim = 0; dim < rank; ++dim)
      order += static_cast<char>('a' + dim);
    std::shuffle(order.begin(), order.end(), random);
    for (int64_t count = draw(1, 2); count > 0; --count) {
      size_t at = random() % rank;
      auto letter = static_cast<char>(order[at] | 0x20);
      order[at] = static_cast<char>(letter & ~0x20);
      blocks += std::to_string(Dims{2, 3, 4, 16, 32}[random() % 5]) + letter;
    }
    return order + blocks;
  }

  Dims drawDims(int64_t least, int64_t most) {
    Dims dims(random() % 4 + 1);
    for (int64_t &extent : dims)
      extent = draw(least, most);
    return dims;
  }

  npu_tensor_desc stored(const Dims &dims) {
    return tensor(NPU_F32, dims, drawLayout(dims.size()));
  }

  void check(Problem problem, const Values &expected,
             const std::vector<Values> &inputs) {
    ASSERT_EQ(validate(problem), "");
    SCOPED_TRACE(describe(problem.inputs[0]) + " to " +
                 describe(problem.outputs[0]));
    problem.threads = 1 + static_cast<int>(random() % 3);
    int taken = 0;
    for (const Implementation &implementation : implementations(problem.op)) {
      std::string whyNot;
      auto kernel = implementation.create(problem, whyNot);
      if (!kernel)
        continue;
      ++taken;
      EXPECT_EQ(runKernel(*kernel, problem, inputs), expected)
          << implementation.name;
    }
    EXPECT_GT(taken, 0);
  }

  std::mt19937 random{17};
};

/// The indices of each element, row-major.
std::vector<Dims> indicesOf(const Dims &dims) {
  std::vector<Dims> all = {{}};
  for (int64_t extent : dims) {
    std::vector<Dims> longer;
    for (const Dims &index : all)
      for (int64_t i = 0; i < extent; ++i) {
        longer.push_back(index);
        longer.back().push_back(i);
      }
    all = std::move(longer);
  }
  return all;
}

double at(const Values &values, const Dims &dims, const Dims &index) {
  int64_t place = 0;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    place = place * dims[dim] + index[dim];
  return values[static_cast<size_t>(place)];
}

TEST_F(Blocks, Slices) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    Dims from = drawDims(1, 12), to = from, starts = from, steps = from;
    for (size_t d = 0; d < from.size(); ++d) {
      starts[d] = draw(0, from[d] - 1);
      steps[d] = Dims{1, 1, 2, -1}[random() % 4];
      int64_t room = steps[d] > 0 ? from[d] - 1 - starts[d] : starts[d];
      to[d] = draw(1, room / std::abs(steps[d]) + 1);
    }
    Problem p;
    p.op = NPU_OP_SLICE;
    p.inputs = {stored(from)};
    p.outputs = {stored(to)};
    std::copy(starts.begin(), starts.end(), p.attrs.slice.starts);
    std::copy(steps.begin(), steps.end(), p.attrs.slice.steps);
    Values data = randomValues(p.inputs[0], 1, 9, seed), expected;
    for (Dims index : indicesOf(to)) {
      for (size_t d = 0; d < index.size(); ++d)
        index[d] = starts[d] + index[d] * steps[d];
      expected.push_back(at(data, from, index));
    }
    check(p, expected, {data});
  }
}

TEST_F(Blocks, Paddings) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    Dims from = drawDims(3, 8), to = from;
    Problem p;
    p.op = NPU_OP_PAD;
    p.attrs.pad.mode = NPU_PAD_CONSTANT;
    p.attrs.pad.value = 5;
    for (size_t d = 0; d < from.size(); ++d) {
      p.attrs.pad.begin[d] = draw(-1, 5);
      p.attrs.pad.end[d] = draw(-1, 5);
      to[d] += p.attrs.pad.begin[d] + p.attrs.pad.end[d];
    }
    p.inputs = {stored(from)};
    p.outputs = {stored(to)};
    Values data = randomValues(p.inputs[0], 1, 4, seed), expected;
    for (Dims index : indicesOf(to)) {
      bool isInside = true;
      for (size_t d = 0; d < index.size(); ++d) {
        index[d] -= p.attrs.pad.begin[d];
        isInside &= index[d] >= 0 && index[d] < from[d];
      }
      expected.push_back(isInside ? at(data, from, index) : 5);
    }
    check(p, expected, {data});
  }
}

TEST_F(Blocks, Concatenations) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    Dims to = drawDims(1, 8);
    size_t axis = random() % to.size();
    Problem p;
    p.op = NPU_OP_CONCAT;
    p.attrs.axis.axis = static_cast<int64_t>(axis);
    std::vector<Dims> parts;
    std::vector<Values> data;
    to[axis] = 0;
    for (int64_t count = draw(1, 4); count > 0; --count) {
      parts.push_back(to);
      parts.back()[axis] = draw(1, 7);
      p.inputs.push_back(stored(parts.back()));
      data.push_back(randomValues(p.inputs.back(), 1, 9,
                                  seed * 4 + static_cast<uint32_t>(count)));
    }
    for (const Dims &part : parts)
      to[axis] += part[axis];
    p.outputs = {stored(to)};
    Values expected;
    for (Dims index : indicesOf(to)) {
      size_t part = 0;
      for (; index[axis] >= parts[part][axis]; ++part)
        index[axis] -= parts[part][axis];
      expected.push_back(at(data[part], parts[part], index));
    }
    check(p, expected, data);
  }
}

} // namespace
