// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/AlikeOps.h"
#include "test/compiler/Layout/LayoutFixture.h"

using namespace npu;

namespace {

class AlikeOpsTest : public LayoutFixture {
protected:
  /// The numbers of the ops between %x, %y, %w and the return.
  std::vector<unsigned> numbersOf(const std::string &body,
                                  bool countsValueAxes = false) {
    mlir::func::FuncOp function =
        parse("func.func @f(%x: tensor<2x4x4x4xf32>, %y: tensor<2x4x4x4xf32>, "
              "%w: tensor<4x4x1x1xf32>) {\n" +
              body + "return\n}");
    ImageAxesAnalysis axes(function);
    AlikeOps alike(axes, countsValueAxes, nullptr);
    std::vector<unsigned> numbers;
    for (Operation &op : function.getBody().front().without_terminator())
      numbers.push_back(alike.of(&op));
    return numbers;
  }

  static std::string conv(const std::string &result, const std::string &data,
                          const std::string &groups) {
    return result + " = npu.conv2d(" + data +
           ", %w) {dilations = [1, 1], groups = " + groups +
           ", pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x4x4x4xf32>, "
           "tensor<4x" +
           (groups == "1" ? "4" : "2") + "x1x1xf32>) -> tensor<2x4x4x4xf32>\n";
  }
  static std::string eltwise(const std::string &result, const std::string &kind,
                             const std::string &a, const std::string &b) {
    return result + " = npu.eltwise " + kind + "(" + a + ", " + b +
           ") : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>) -> "
           "tensor<2x4x4x4xf32>\n";
  }
};

using Numbers = std::vector<unsigned>;

TEST_F(AlikeOpsTest, AttributesCount) {
  EXPECT_EQ(numbersOf(eltwise("%0", "add", "%x", "%y") +
                      eltwise("%1", "mul", "%x", "%y") +
                      eltwise("%2", "add", "%1", "%0")),
            (Numbers{0, 1, 0}));
}

TEST_F(AlikeOpsTest, ReadingAValueTwiceCounts) {
  EXPECT_EQ(numbersOf(eltwise("%0", "add", "%x", "%x") +
                      eltwise("%1", "add", "%x", "%y") +
                      eltwise("%2", "add", "%1", "%1")),
            (Numbers{0, 1, 0}));
}

// The second sum is of what a convolution reads, the first of what nobody
// knows anything of.
TEST_F(AlikeOpsTest, ImageAxesCount) {
  EXPECT_EQ(numbersOf(eltwise("%0", "add", "%x", "%x") +
                      eltwise("%1", "add", "%y", "%y") + conv("%2", "%1", "1")),
            (Numbers{0, 1, 2}));
}

TEST_F(AlikeOpsTest, LayoutsDoNotCount) {
  std::vector<unsigned> numbers = numbersOf(R"(
      %0 = npu.relayout(%x) : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32, #npu.layout<acdb>>
      %1 = npu.eltwise relu(%0) : (tensor<2x4x4x4xf32, #npu.layout<acdb>>) -> tensor<2x4x4x4xf32, #npu.layout<acdb>>
      %2 = npu.eltwise relu(%x) : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
)");
  EXPECT_EQ(numbers[1], numbers[2]);
}

TEST_F(AlikeOpsTest, BodiesCount) {
  auto fused = [](const std::string &result, const std::string &inner) {
    return result +
           " = npu.fused(%x) : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32> {\n"
           "^bb0(%arg: tensor<2x4x4x4xf32>):\n"
           "  %i = npu.eltwise relu(%arg) : (tensor<2x4x4x4xf32>) -> "
           "tensor<2x4x4x4xf32>\n"
           "  %j = npu.eltwise add(%i, " +
           inner +
           ") : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>) -> "
           "tensor<2x4x4x4xf32>\n"
           "  npu.yield %j : tensor<2x4x4x4xf32>\n}\n";
  };
  EXPECT_EQ(
      numbersOf(fused("%0", "%i") + fused("%1", "%arg") + fused("%2", "%i")),
      (Numbers{0, 1, 0}));
}

} // namespace
