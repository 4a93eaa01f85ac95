// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/ImageAxes.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace npu;

namespace {

class ImageAxesTest : public ::testing::Test {
protected:
  ImageAxesTest() {
    context.loadDialect<NPUDialect, mlir::func::FuncDialect>();
  }

  /// The axes of every op's result in order, "-" where they are not known.
  std::vector<std::string> axesOf(const std::string &body) {
    module = mlir::parseSourceString<mlir::ModuleOp>(body, &context);
    EXPECT_TRUE(module);
    std::vector<std::string> names;
    for (auto function : module->getOps<mlir::func::FuncOp>()) {
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

  MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
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

} // namespace
