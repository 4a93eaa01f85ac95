// SPDX-License-Identifier: Apache-2.0
//
// The gradients of a convolution against differences of its values. The
// convolution is linear in data and in weight, and all numbers are small
// integers: a difference over a step of 1 is the derivative, exactly.

#include "test/kernels/testing.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace npu::kernels;
using namespace npu::kernels::testing;

using Values = std::vector<double>;
using Extents = std::vector<int64_t>;

namespace {

struct Convolution {
  Problem problem;
  Values data, weight, seed; // seed: by which its result is summed
};

/// Any convolution over `spatial` dimensions, small.
Convolution anyConvolution(std::mt19937 &random, size_t spatial) {
  auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % (high - low + 1));
  };
  Convolution made;
  Problem &p = made.problem;
  p.op = NPU_OP_CONV;
  int64_t groups = pick(1, 2);
  Extents x = {pick(1, 2), groups * pick(1, 2)};
  Extents w = {groups * pick(1, 2), x[1] / groups}, y = {x[0], w[0]};
  p.attrs.conv.groups = groups;
  for (size_t i = 0; i < spatial; ++i) {
    npu_conv_attrs &a = p.attrs.conv;
    int64_t extent = pick(2, spatial == 3 ? 4 : 7), kernel = pick(1, 3);
    a.strides[i] = pick(1, 3);
    a.dilations[i] = pick(1, 2);
    a.pads_begin[i] = pick(0, 2);
    a.pads_end[i] = pick(0, 2);
    int64_t window = (kernel - 1) * a.dilations[i] + 1;
    extent = std::max(extent, window - a.pads_begin[i] - a.pads_end[i]);
    x.push_back(extent);
    w.push_back(kernel);
    y.push_back(
        (extent + a.pads_begin[i] + a.pads_end[i] - window) / a.strides[i] + 1);
  }
  p.inputs = {tensor(NPU_F32, x), tensor(NPU_F32, w)};
  p.outputs = {tensor(NPU_F32, y)};
  made.data = randomValues(p.inputs[0], -3, 3, random());
  made.weight = randomValues(p.inputs[1], -3, 3, random());
  made.seed = randomValues(p.outputs[0], -3, 3, random());
  return made;
}

/// The convolution's results, each times its number.
double loss(const Convolution &conv, const Values &data, const Values &weight) {
  Values result = runReference(conv.problem, {data, weight});
  return std::inner_product(result.begin(), result.end(), conv.seed.begin(),
                            0.0);
}

/// d loss / d values[i] for each i, `at(values)` being the loss.
template <typename Function>
Values differences(Values values, Function at) {
  Values slopes;
  for (double &value : values) {
    value += 1;
    double above = at(values);
    value -= 2;
    double below = at(values);
    value += 1;
    slopes.push_back((above - below) / 2);
  }
  return slopes;
}

class Gradient : public ::testing::TestWithParam<int> {};
} // namespace

TEST_P(Gradient, ByDataIsTheSlope) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  for (int i = 0; i < 40; ++i) {
    Convolution conv = anyConvolution(random, static_cast<size_t>(GetParam()));
    Problem p = conv.problem;
    p.op = NPU_OP_CONV_TRANSPOSE;
    p.attrs.conv.weight_of_conv = 1;
    std::swap(p.inputs[0], p.outputs[0]);
    ASSERT_EQ(validate(p), "");
    EXPECT_EQ(runReference(p, {conv.seed, conv.weight}),
              differences(conv.data,
                          [&](const Values &data) {
                            return loss(conv, data, conv.weight);
                          }))
        << describe(p.inputs[0]) << ", weight " << describe(p.inputs[1]);
  }
}

TEST_P(Gradient, ByWeightIsTheSlope) {
  std::mt19937 random(100 + static_cast<unsigned>(GetParam()));
  for (int i = 0; i < 40; ++i) {
    Convolution conv = anyConvolution(random, static_cast<size_t>(GetParam()));
    Problem p = conv.problem;
    p.op = NPU_OP_CONV_BPW;
    std::swap(p.inputs[1], p.outputs[0]);
    ASSERT_EQ(validate(p), "");
    EXPECT_EQ(runReference(p, {conv.data, conv.seed}),
              differences(conv.weight,
                          [&](const Values &weight) {
                            return loss(conv, conv.data, weight);
                          }))
        << describe(p.inputs[0]) << ", weight " << describe(p.outputs[0]);
  }
}

INSTANTIATE_TEST_SUITE_P(SpatialDimensions, Gradient,
                         ::testing::Values(1, 2, 3));

/// A convolution is the product of its weight and the patches.
TEST(Img2col, IsAConvolutionsOtherFactor) {
  std::mt19937 random(7);
  for (int i = 0; i < 60; ++i) {
    Convolution conv = anyConvolution(random, 1 + static_cast<size_t>(i) % 3);
    const Problem &p = conv.problem;
    if (p.attrs.conv.groups != 1)
      continue;
    const npu_tensor_desc &x = p.inputs[0], &w = p.inputs[1], &y = p.outputs[0];
    int64_t taps = elementCount(w) / (w.dims[0] * w.dims[1]);
    Extents patches(y.dims, y.dims + y.rank), ones(patches.size(), 1);
    patches[1] = x.dims[1] * taps;
    ones[0] = w.dims[0];
    ones[1] = patches[1];
    Problem columns;
    columns.op = NPU_OP_IMG2COL;
    columns.inputs = {x};
    columns.outputs = {tensor(NPU_F32, patches)};
    for (int d = 0; d < x.rank - 2; ++d) {
      columns.attrs.pool.kernel[d] = w.dims[d + 2];
      columns.attrs.pool.strides[d] = p.attrs.conv.strides[d];
      columns.attrs.pool.dilations[d] = p.attrs.conv.dilations[d];
      columns.attrs.pool.pads_begin[d] = p.attrs.conv.pads_begin[d];
      columns.attrs.pool.pads_end[d] = p.attrs.conv.pads_end[d];
    }
    Problem product = p;
    product.attrs = {};
    product.attrs.conv.groups = 1;
    for (int d = 0; d < x.rank - 2; ++d)
      product.attrs.conv.strides[d] = product.attrs.conv.dilations[d] = 1;
    product.inputs = {columns.outputs[0], tensor(NPU_F32, ones)};
    Values between = runReference(columns, {conv.data});
    EXPECT_EQ(runReference(product, {between, conv.weight}),
              runReference(p, {conv.data, conv.weight}));
  }
}
