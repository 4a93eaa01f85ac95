// SPDX-License-Identifier: Apache-2.0
//
// Each check of a table of measured costs.
#include "compiler/Target/CostTableReader.h"
#include "test/compiler/Target/ExpectError.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <fstream>

namespace npu {
namespace {

const std::string header = "op,layouts,sizes,types,model_cycles,cycles\n";
const std::string row = "conv2d,acdb - > acdb,1x3x8x8 4x3x1x1 > 1x4x8x8,"
                        "f32 f32 > f32,100,250\n";

void expectRefused(const std::string &text, const std::string &message) {
  std::string error;
  EXPECT_FALSE(readCostTable(text, "costs.csv", error)) << text;
  EXPECT_NE(error.find(message), std::string::npos) << error;
}

/// The row with another text in one column.
std::string with(size_t column, const std::string &text) {
  llvm::SmallVector<llvm::StringRef> cells;
  llvm::StringRef(row).trim().split(cells, ',');
  cells[column] = text;
  return header + llvm::join(cells, ",") + "\n";
}

cost::TableKey keyOf(const std::string &layout) {
  return {"conv2d",
          {{layout, {1, 3, 8, 8}, "f32"}, {"-", {4, 3, 1, 1}, "f32"}},
          {{"acdb", {1, 4, 8, 8}, "f32"}}};
}

TEST(CostTableReader, RowsCommentsAndGaps) {
  std::string error;
  auto table = readCostTable("# measured by hand\n\n" + header + row +
                                 "relayout,abcd > acdb,1x3x8x8 > 1x3x8x8,"
                                 "f32 > f32,100,\r\n",
                             "costs.csv", error);
  ASSERT_TRUE(table) << error;
  EXPECT_EQ(table->find(keyOf("acdb"))->cycles, 250);
  EXPECT_EQ(table->find(keyOf("abcd"))->cycles, 0);
  EXPECT_DOUBLE_EQ(table->find(keyOf("abcd"))->ratio, 2.5);
  EXPECT_FALSE(table->find({"relayout", {}, {}}));
}

TEST(CostTableReader, LayoutsThatLieAlikeAreOne) {
  // The batch of 1 may stand anywhere.
  std::string error;
  auto table = readCostTable(with(1, "cdab - > cdab"), "costs.csv", error);
  ASSERT_TRUE(table) << error;
  cost::TableKey key = keyOf("acdb");
  for (auto *values : {&key.operands, &key.results})
    for (cost::TableValue &value : *values)
      if (value.layout != "-")
        value.layout = "acdb";
  auto other = readCostTable(with(1, "acdb - > acdb"), "costs.csv", error);
  ASSERT_TRUE(other) << error;
  EXPECT_EQ(table->find(key).has_value(), other->find(key).has_value());
  EXPECT_EQ(table->find(key)->cycles, other->find(key)->cycles);
}

TEST(CostTableReader, EachCheck) {
  expectRefused("", "costs.csv:1: it is empty, expected the line op,layouts");
  expectRefused("op,cycles\n",
                "costs.csv:1: is no table of costs, whose first line is op,");
  expectRefused(header, "no row has cycles; fill in some");
  expectRefused(with(5, ""), "no row has cycles");
  expectRefused(header + "conv2d,1,2\n", "costs.csv:2: 3 columns, expected 6");
  expectRefused(header + row + "\n" + row,
                "costs.csv:4: the kernel stands twice, first in line 2");
  expectRefused(with(0, "convolve"), "op: unknown op 'convolve'");
  expectRefused(with(0, "transpose"), "op: 'transpose' moves data or none; "
                                      "write relayout");
  expectRefused(with(1, "acdb - acdb"), "layouts: 'acdb - acdb', expected a "
                                        "word for each operand, >, and");
  expectRefused(with(1, "acdb - > acdb >"), "has > twice");
  expectRefused(with(1, "acdb - >"), "layouts: 'acdb - >', expected a word");
  expectRefused(with(2, "1x3x8x8 > 1x4x8x8"),
                "sizes: 1 operands and 1 results, but layouts has 2 and 1");
  expectRefused(with(3, "f32 > f32"), "types: 1 operands and 1 results");
  expectRefused(with(2, "1x3x8xq 4x3x1x1 > 1x4x8x8"), "sizes: '1x3x8xq'");
  expectRefused(with(2, "1x3x8x-8 4x3x1x1 > 1x4x8x8"), "sizes: '1x3x8x-8'");
  expectRefused(with(2, "1x3x8x2147483648 4x3x1x1 > 1x4x8x8"), "sizes: '1x3");
  expectRefused(with(2, "1x1x1x1x1x1x1x1x1 4x3x1x1 > 1x4x8x8"),
                "has 9 dimensions, expected at most 8");
  expectRefused(with(1, "NHWC - > acdb"),
                "layouts: 'NHWC', expected letters such as acdb, or - for any");
  expectRefused(with(1, "acdb - > -"),
                "layouts: '-', expected letters such as");
  expectRefused(with(1, "acb - > acdb"),
                "layouts: 'acb' has 3 dimensions, its sizes are 4");
  expectRefused(with(3, "f32 f31 > f32"), "types: unknown type 'f31', allowed");
  for (const char *number : {"0", "-1", "1.5", "x", "1000000000001", "1e3"}) {
    std::string text = number;
    expectRefused(with(4, text), "model_cycles: '" + text + "', expected a");
    expectRefused(with(5, text), "cycles: '" + text + "', expected a whole");
  }
  expectRefused(with(4, ""), "model_cycles: ''");
  expectRefused(with(5, "100000001"), "cycles: '100000001' is a million times");
  expectRefused(with(4, "1000000000"),
                "as little, as model_cycles, '1000000000");
}

TEST(CostTableReader, TheTargetSaysWhichFile) {
  std::string error;
  auto plain = loadTarget("npu-nhwc", error);
  ASSERT_TRUE(plain) << error;
  EXPECT_EQ(plain->costsPath(), "");
  std::ifstream file(plain->file);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  llvm::SmallString<64> made;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("npuc-costs", made));
  std::string folder = made.str().str();
  std::ofstream(folder + "/costs.csv") << header << row;
  std::string path = folder + "/npu-nhwc.yaml";
  auto target = parseTarget(text + "costs: costs.csv\n", path, error);
  ASSERT_TRUE(target) << error;
  EXPECT_EQ(target->costs->table.find(keyOf("acdb"))->cycles, 250);
  EXPECT_FALSE(parseTarget(text + "costs: none.csv\n", path, error));
  EXPECT_NE(error.find(": costs: '" + folder), std::string::npos) << error;
  error.clear();
  EXPECT_FALSE(parseTarget(text + "costs: [a]\n", path, error));
  EXPECT_NE(error.find("costs"), std::string::npos) << error;
  error.clear();
  std::ofstream(folder + "/costs.csv") << header << std::flush;
  EXPECT_FALSE(parseTarget(text + "costs: costs.csv\n", path, error));
  EXPECT_NE(error.find("costs.csv:1: no row has cycles"), std::string::npos)
      << error;
  llvm::sys::fs::remove_directories(folder);
}

} // namespace
} // namespace npu
