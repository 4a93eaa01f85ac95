// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/DimensionCuts.h"
#include "test/compiler/Layout/LayoutFixture.h"

using namespace npu;

namespace {

using Inner = std::vector<int64_t>;

class DimensionCutsTest : public LayoutFixture {
protected:
  /// Of the value that the function returns.
  Inner innerOf(const std::string &argument, const std::string &body) {
    mlir::func::FuncOp function = parse("func.func @f(%x: tensor<" + argument +
                                        "xf32>) {\n" + body + "return\n}");
    Block &block = function.getBody().front();
    auto inner = DimensionCuts(function).innerOf(
        block.getTerminator()->getPrevNode()->getResult(0));
    return {inner.begin(), inner.end()};
  }

  static std::string reshape(const std::string &result, const std::string &data,
                             const std::string &from, const std::string &to) {
    return result + " = npu.reshape(" + data + ") : (tensor<" + from +
           "xf32>) -> tensor<" + to + "xf32>\n";
  }
  static std::string relu(const std::string &result, const std::string &data,
                          const std::string &shape) {
    return result + " = npu.eltwise relu(" + data + ") : (tensor<" + shape +
           "xf32>) -> tensor<" + shape + "xf32>\n";
  }
  static std::string windows() {
    return "%0 = npu.transpose(%x) {permutation = [0, 2, 1, 3, 4]} : "
           "(tensor<8x7x4x5x96xf32>) -> tensor<8x4x7x5x96xf32>\n" +
           reshape("%1", "%0", "8x4x7x5x96", "32x35x96");
  }
};

// Eight rows of four windows, of seven rows of five pixels.
TEST_F(DimensionCutsTest, WindowsAreInPieces) {
  EXPECT_EQ(innerOf("8x7x4x5x96", windows()), (Inner{4, 5, 0}));
}

TEST_F(DimensionCutsTest, NeighboursAreCutAlike) {
  EXPECT_EQ(innerOf("8x7x4x5x96", windows() + relu("%2", "%1", "32x35x96")),
            (Inner{4, 5, 0}));
}

TEST_F(DimensionCutsTest, PiecesAreNotCut) {
  EXPECT_EQ(innerOf("8x7x4x5x96", relu("%0", "%x", "8x7x4x5x96")), Inner());
}

// In front of the reshape, too: the dimension that it takes apart.
TEST_F(DimensionCutsTest, WhatIsTakenApart) {
  EXPECT_EQ(innerOf("6x96", reshape("%0", "%x", "6x96", "2x3x96") +
                                relu("%1", "%x", "6x96")),
            (Inner{3, 0}));
}

TEST_F(DimensionCutsTest, ThreePiecesAreNone) {
  EXPECT_EQ(innerOf("24x96", reshape("%0", "%x", "24x96", "2x3x4x96") +
                                 relu("%1", "%x", "24x96")),
            Inner());
}

// Another reshape may cut elsewhere: the first one counts.
TEST_F(DimensionCutsTest, TheFirstCutCounts) {
  EXPECT_EQ(innerOf("6x96", reshape("%0", "%x", "6x96", "2x3x96") +
                                reshape("%1", "%x", "6x96", "3x2x96") +
                                relu("%2", "%x", "6x96")),
            (Inner{3, 0}));
}

// 4x6 in rows of eight: no boundary of the one is one within the other.
TEST_F(DimensionCutsTest, PartsThatOverlapAreNone) {
  EXPECT_EQ(innerOf("4x6", reshape("%0", "%x", "4x6", "3x8") +
                               relu("%1", "%x", "4x6")),
            Inner());
}

} // namespace
