// SPDX-License-Identifier: Apache-2.0

#include "files/words.h"
#include "files/exit_codes.h"

#include <gtest/gtest.h>

namespace npu::files {
namespace {

using Names = std::vector<std::string>;

TEST(Words, Counts) {
  EXPECT_EQ(countText(0, "relayout"), "0 relayouts");
  EXPECT_EQ(countText(1, "relayout"), "1 relayout");
  EXPECT_EQ(countText(2, "relayout"), "2 relayouts");
  EXPECT_EQ(countText(1, "op runs", "ops run"), "1 op runs");
  EXPECT_EQ(countText(3, "op runs", "ops run"), "3 ops run");
}

TEST(Words, Bytes) {
  EXPECT_EQ(bytesText(0), "0 bytes");
  EXPECT_EQ(bytesText(1), "1 byte");
  EXPECT_EQ(bytesText(9999), "9999 bytes");
  EXPECT_EQ(bytesText(12288), "12.3 kB");
  EXPECT_EQ(bytesText(-12288), "-12.3 kB");
  EXPECT_EQ(bytesText(999949), "999.9 kB");
  EXPECT_EQ(bytesText(999950), "1.0 MB");
  EXPECT_EQ(bytesText(2400000), "2.4 MB");
  EXPECT_EQ(bytesText(7200000000), "7.2 GB");
  EXPECT_EQ(bytesText(INT64_MAX), "9223372.0 TB");
}

TEST(Words, Suggestions) {
  const Names names = {"npu-nchw", "npu-nhwc", "npu-tiles", "host"};
  EXPECT_EQ(suggestion("npu-nwhc", names), "; did you mean 'npu-nhwc'?");
  EXPECT_EQ(suggestion("hots", names), "; did you mean 'host'?");
  EXPECT_EQ(suggestion("npu-tile", names), "; did you mean 'npu-tiles'?");
  EXPECT_EQ(suggestion("--radnom", {"--repeat", "--random-inputs"}),
            "; did you mean '--random-inputs'?");
  EXPECT_EQ(suggestion("xyz", names), "");
  EXPECT_EQ(suggestion("", names), "");
  EXPECT_EQ(suggestion("host", {"host"}), "") << "that is what was said";
  EXPECT_EQ(suggestion("q", {"x"}), "") << "another letter is another name";
  EXPECT_EQ(suggestion(std::string(100000, 'a'), names), "");
  EXPECT_EQ(unknownName("fsued", {"imported", "fused"}, "stage"),
            "unknown stage 'fsued', expected one of: imported, fused; did you "
            "mean 'fused'?");
  EXPECT_EQ(unknownName("z", {"a", "b"}), "unknown 'z', expected one of: a, b");
}

TEST(Words, NamesOfAList) {
  EXPECT_EQ(namesIn("a, b, c"), (Names{"a", "b", "c"}));
  EXPECT_EQ(namesIn("a"), Names{"a"});
  EXPECT_EQ(namesIn(""), Names{});
}

TEST(Words, EqualReasonsAreOneLine) {
  EXPECT_EQ(groupedByReason({{"A", "is slow"},
                             {"B", "is large"},
                             {"C", "is slow"},
                             {"D", "is slow"},
                             {"E", "is slow"}},
                            "op"),
            (Names{"4 ops (A, C, D and 1 more): is slow", "B is large"}));
  EXPECT_EQ(groupedByReason({{"A", "x"}, {"B", "x"}}, "op"),
            Names{"2 ops (A, B): x"});
  EXPECT_EQ(groupedByReason({}, "op"), Names{});
}

TEST(Words, Wrapped) {
  EXPECT_EQ(wrapped("one two three", 8, 2), "one two\n  three");
  EXPECT_EQ(wrapped("averylongword b", 4, 0), "averylongword\nb");
  EXPECT_EQ(wrapped("", 8, 2), "");
}

TEST(ExitCodes, Lines) {
  EXPECT_EQ(exitCodeLines({exitSuccess, exitMemory}),
            "  0  success\n  6  memory or stack was used up\n");
}

} // namespace
} // namespace npu::files
