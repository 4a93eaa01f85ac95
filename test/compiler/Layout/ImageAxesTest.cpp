// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/ImageAxes.h"
#include "test/compiler/Layout/LayoutFixture.h"

using namespace npu;

namespace {

class ImageAxesTest : public LayoutFixture {
protected:
  /// The axes of every op's result in order, "-" where they are not known.
  std::vector<std::string> axesOf(const std::string &body) {
    parse(body);
    std::vector<std::string> names;
    for (auto function : modules.back()->getOps<mlir::func::FuncOp>()) {
      ImageAxesAnalysis axes(function);
      for (Operation &op : function.getBody().front())
        for (Value result : op.getResults()) {
          std::string name;
          for (AxisRole role : axes.of(result))
            name += static_cast<char>(role);
          names.push_back(name.empty() ? "-" : name);
        }
    }
    return names;
  }
};

TEST_F(ImageAxesTest, TransposesPermuteRoles) {
  EXPECT_EQ(axesOf(R"(
    func.func @f(%x: tensor<2x8x8x4xf32>, %w: tensor<4x4x1x1xf32>) {
      %0 = npu.eltwise relu(%x) : (tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
      %1 = npu.transpose(%0) {permutation = [0, 3, 1, 2]} : (tensor<2x8x8x4xf32>) -> tensor<2x4x8x8xf32>
      %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<2x4x8x8xf32>
      return
    })"),
            (std::vector<std::string>{"NHWC", "NCHW", "NCHW"}));
}

TEST_F(ImageAxesTest, UnitDimensionsGetTheRolesThatAreLeft) {
  EXPECT_EQ(axesOf(R"(
    func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32>) {
      %0 = npu.avg_pool(%x) {dilations = [1, 1], kernel = [8, 8], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x1x1xf32>
      %1 = npu.reshape(%0) : (tensor<1x4x1x1xf32>) -> tensor<4xf32>
      %2 = npu.reshape(%1) : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
      return
    })"),
            (std::vector<std::string>{"NCHW", "-", "NHWC"}));
}

TEST_F(ImageAxesTest, MixedDimensionsTellNothing) {
  EXPECT_EQ(axesOf(R"(
    func.func @f(%x: tensor<2x4x8x8xf32>) {
      %0 = npu.avg_pool(%x) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<2x4x8x8xf32>) -> tensor<2x4x4x4xf32>
      %1 = npu.reshape(%0) : (tensor<2x4x4x4xf32>) -> tensor<2x64x1xf32>
      return
    })"),
            (std::vector<std::string>{"NCHW", "-"}));
}

// The pooling and the convolution see the sum differently. Who is first in the
// block is heard, whatever stands between.
TEST_F(ImageAxesTest, RelayoutsChangeNothing) {
  const std::string begin = R"(
    func.func @f(%x: tensor<2x5x5x5xf32>, %w: tensor<5x5x1x1xf32>) {
      %0 = npu.eltwise tanh(%x) : (tensor<2x5x5x5xf32>) -> tensor<2x5x5x5xf32>
      %1 = npu.transpose(%0) {permutation = [0, 2, 3, 1]} : (tensor<2x5x5x5xf32>) -> tensor<2x5x5x5xf32>
)";
  const std::string pool =
      R"( {dilations = [1, 1], kernel = [1, 1], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x5x5x5xf32>) -> tensor<2x5x5x5xf32>
)";
  const std::string conv =
      R"( {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x5x5x5xf32>, tensor<5x5x1x1xf32>) -> tensor<2x5x5x5xf32>
      return
    })";
  const std::string relayouts = R"(
      %5 = npu.relayout(%0) : (tensor<2x5x5x5xf32>) -> tensor<2x5x5x5xf32, #npu.layout<acdb>>
      %6 = npu.relayout(%5) : (tensor<2x5x5x5xf32, #npu.layout<acdb>>) -> tensor<2x5x5x5xf32>
)";
  std::vector<std::string> plain =
      axesOf(begin + "%2 = npu.avg_pool(%0)" + pool +
             "%3 = npu.conv2d(%1, %w)" + conv);
  std::vector<std::string> between =
      axesOf(begin + relayouts + "%2 = npu.avg_pool(%6)" + pool +
             "%3 = npu.conv2d(%1, %w)" + conv);
  EXPECT_EQ(plain[0], between[0]);
  EXPECT_EQ(plain[0], between[2]);
  EXPECT_EQ(plain[0], between[3]);
  EXPECT_EQ(plain[1], between[1]);
}

/// A concatenation between two convolutions, the first turned by `permutation`.
static std::string turnedConcat(const std::string &permutation) {
  return R"(
    func.func @f(%x: tensor<4x4x4x4xf32>, %w: tensor<4x4x1x1xf32>) {
      %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<4x4x4x4xf32>, tensor<4x4x1x1xf32>) -> tensor<4x4x4x4xf32>
      %1 = npu.transpose(%0) {permutation = )" +
         permutation + R"(} : (tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32>
      %2 = npu.concat(%1, %0) {axis = 2 : i64} : (tensor<4x4x4x4xf32>, tensor<4x4x4x4xf32>) -> tensor<4x4x8x4xf32>
      %3 = npu.conv2d(%2, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<4x4x8x4xf32>, tensor<4x4x1x1xf32>) -> tensor<4x4x8x4xf32>
      return
    })";
}

// Its operands and its result are different images to others; to the op they
// are one, that of its first operand.
TEST_F(ImageAxesTest, AnOpSeesOneImage) {
  EXPECT_EQ(axesOf(turnedConcat("[0, 2, 1, 3]")),
            (std::vector<std::string>{"NCHW", "NHCW", "NCHW", "NCHW"}));
  auto function = *modules.back()->getOps<mlir::func::FuncOp>().begin();
  ImageAxesAnalysis axes(function);
  auto name = [](const ImageAxes &roles) {
    std::string text;
    for (AxisRole role : roles)
      text += static_cast<char>(role);
    return text;
  };
  auto concat = *function.getOps<ConcatOp>().begin();
  EXPECT_EQ(name(axes.atOp(concat->getOpOperand(0))), "NHCW");
  EXPECT_EQ(name(axes.atOp(concat->getOpOperand(1))), "NHCW");
  EXPECT_EQ(name(axes.atOp(cast<OpResult>(concat.getResult()))), "NHCW");
}

// One constant is a weight for one op and a summand for another.
TEST_F(ImageAxesTest, AConstantIsWhatItsReaderSays) {
  axesOf(R"(
    func.func @f(%x: tensor<4x4x4x4xf32>) {
      %c = npu.constant dense<1.0> : tensor<4x4x4x4xf32> -> tensor<4x4x4x4xf32>
      %0 = npu.conv2d(%x, %c) {dilations = [1, 1], groups = 1, pads = [0, 0, 3, 3], strides = [1, 1]} : (tensor<4x4x4x4xf32>, tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32>
      %1 = npu.eltwise add(%0, %c) : (tensor<4x4x4x4xf32>, tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32>
      return
    })");
  auto function = *modules.back()->getOps<mlir::func::FuncOp>().begin();
  ImageAxesAnalysis axes(function);
  auto ops = function.getBody().front().without_terminator();
  auto readAs = [&](int op) {
    std::string name;
    for (AxisRole role : axes.of(std::next(ops.begin(), op)->getOpOperand(1)))
      name += static_cast<char>(role);
    return name;
  };
  EXPECT_EQ(readAs(1), "OIHW");
  EXPECT_EQ(readAs(2), "NCHW");
}

} // namespace
