// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/Work.h"

#include "compiler/Dialect/NPU/NPUDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace npu;

namespace {

class WorkTest : public ::testing::Test {
protected:
  WorkTest() { context.loadDialect<NPUDialect, mlir::func::FuncDialect>(); }

  /// The work of the one op, %y, of a function.
  Work work(const std::string &arguments, const std::string &op,
            const std::string &result) {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @f(" + arguments + ") -> " + result + " {\n%y = " + op +
            " -> " + result + "\nreturn %y : " + result + "\n}",
        &context);
    EXPECT_TRUE(module) << op;
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    return workOf(&function.getBody().front().front());
  }

  Work resize(int64_t from, int64_t to, const std::string &mode) {
    auto tensor = [](int64_t rows) {
      return "tensor<2x3x" + std::to_string(rows) + "x5xf32>";
    };
    double scale = static_cast<double>(to) / static_cast<double>(from);
    return work("%x: " + tensor(from),
                "npu.resize(%x) {coordinates = "
                "#npu.resize_coordinates<asymmetric>, mode = "
                "#npu.resize_mode<" +
                    mode +
                    ">, nearest = #npu.resize_nearest<floor>, scales = [1.0, "
                    "1.0, " +
                    std::to_string(scale) + ", 1.0]} : (" + tensor(from) + ")",
                tensor(to));
  }

  Work transposed(int64_t kernel, int64_t stride, int64_t dilation) {
    const int64_t rows = 9,
                  to = (rows - 1) * stride + (kernel - 1) * dilation + 1;
    const std::string weight =
                          "tensor<8x4x" + std::to_string(kernel) + "x1xf32>",
                      data = "tensor<2x4x9x7xf32>";
    return work("%x: " + data + ", %w: " + weight,
                "npu.conv_transpose2d(%x, %w) {dilations = [" +
                    std::to_string(dilation) +
                    ", 1], groups = 1, pads = [0, 0, 0, 0], strides = [" +
                    std::to_string(stride) + ", 1]} : (" + data + ", " +
                    weight + ")",
                "tensor<2x8x" + std::to_string(to) + "x7xf32>");
  }

  MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Against each row of each tile, wherever it begins: the halo is what a tile
/// reads at the most beyond its part of the rows, in whole rows.
TEST_F(WorkTest, RowsOfAResizeByItsWindow) {
  for (auto [mode, taps] :
       {std::pair("nearest", 1), {"linear", 2}, {"cubic", 4}})
    for (int64_t from = 2; from <= 12; ++from)
      for (int64_t to = 2; to <= 24; ++to) {
        if (from == to)
          continue;
        double most = 0;
        for (int64_t first = 0; first < to; ++first)
          for (int64_t behind = first + 1; behind <= 3 * to; ++behind) {
            int64_t read = (behind - 1) * from / to + taps - first * from / to;
            double part = static_cast<double>((behind - first) * from) /
                          static_cast<double>(to);
            most = std::max(most, static_cast<double>(read) - part);
          }
        Work done = resize(from, to, mode);
        EXPECT_EQ(static_cast<double>(done.haloRows), std::ceil(most - 1e-9))
            << mode << ' ' << from << " to " << to;
        ASSERT_TRUE(done.streamed);
        EXPECT_EQ(done.streamed->m, 2 * to * 5);
        EXPECT_EQ(done.streamed->row, 5);
        EXPECT_EQ(done.streamed->n, 3);
        EXPECT_EQ(done.elements, static_cast<double>(2 * 3 * to * 5 * taps));
      }
}

/// Channels or images that are resized stream as they are.
TEST_F(WorkTest, OtherResizesStream) {
  Work done = work("%x: tensor<1x4x8x8xf32>",
                   "npu.resize(%x) {coordinates = "
                   "#npu.resize_coordinates<asymmetric>, mode = "
                   "#npu.resize_mode<nearest>, nearest = "
                   "#npu.resize_nearest<floor>, scales = [1.0, 2.0, 1.0, 1.0]} "
                   ": (tensor<1x4x8x8xf32>)",
                   "tensor<1x8x8x8xf32>");
  EXPECT_FALSE(done.streamed);
  EXPECT_EQ(done.elements, 512);
}

/// Against each tap of each row: a tile of the result of whole steps reads the
/// rows of data that reach into it. Each patch is multiplied once, and has all
/// channels of the result.
TEST_F(WorkTest, HaloOfATransposedConvolution) {
  for (int64_t kernel : {1, 2, 3, 4, 7})
    for (int64_t stride : {1, 2, 3})
      for (int64_t dilation : {1, 2}) {
        Work done = transposed(kernel, stride, dilation);
        const int64_t rows = 2, first = 20 * stride;
        int64_t least = 1000, last = 0;
        for (int64_t row = 0; row < 60; ++row)
          for (int64_t tap = 0; tap < kernel; ++tap) {
            int64_t to = row * stride + tap * dilation;
            if (to < first || to >= first + rows * stride)
              continue;
            least = std::min(least, row);
            last = std::max(last, row);
          }
        EXPECT_EQ(done.haloRows, last - least + 1 - rows)
            << kernel << ' ' << stride << ' ' << dilation;
        ASSERT_EQ(done.products.size(), 1u);
        const cost::Product &product = done.products[0];
        EXPECT_EQ(product.m, 2 * 9 * 7);
        EXPECT_EQ(product.row, 7);
        EXPECT_EQ(product.k, 4);
        EXPECT_EQ(product.n, 8 * kernel);
      }
}

/// Two rows of eight floats, and single elements, of four rows.
TEST_F(WorkTest, RowsThatAScatterTouches) {
  Work rows = work("%x: tensor<4x8xf32>, %i: tensor<2x1xi64>, %u: "
                   "tensor<2x8xf32>",
                   "npu.scatter_nd(%x, %i, %u) {reduction = "
                   "#npu.scatter_reduction<none>} : (tensor<4x8xf32>, "
                   "tensor<2x1xi64>, tensor<2x8xf32>)",
                   "tensor<4x8xf32>");
  ASSERT_TRUE(rows.part);
  EXPECT_EQ(rows.part->kind, Part::Kind::RowsWritten);
  EXPECT_EQ(rows.part->share, 0.5);
  ASSERT_EQ(rows.part->together.size(), 1u);
  EXPECT_EQ(rows.part->together[0], (std::pair<int64_t, int64_t>(0, 1)));
  Work single = work("%x: tensor<4x8xf32>, %i: tensor<4x2xi64>, %u: "
                     "tensor<4x2xf32>",
                     "npu.scatter_elements(%x, %i, %u) {axis = 1 : i64, "
                     "reduction = #npu.scatter_reduction<add>} : "
                     "(tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xf32>)",
                     "tensor<4x8xf32>");
  ASSERT_TRUE(single.part);
  EXPECT_EQ(single.part->share, 0.25);
  EXPECT_EQ(single.part->together.size(), 2u);
}

} // namespace
