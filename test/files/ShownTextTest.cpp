// SPDX-License-Identifier: Apache-2.0
//
// Names of others in messages: on one line, as text, not too long.

#include "files/shown_text.h"

#include <gtest/gtest.h>

namespace npu::test {
namespace {

using namespace npu::files;

TEST(ShownText, OrdinaryNamesStay) {
  for (const char *name : {"", "x", "conv_0/BiasAdd:0", "größe", "入力", "🦀",
                           "quote'd", "a\\b", "tab less"})
    EXPECT_EQ(shownName(name), name);
}

TEST(ShownText, ControlCharactersAreWritten) {
  EXPECT_EQ(shownName("a\nnpuc: error: b"), "a\\nnpuc: error: b");
  EXPECT_EQ(shownName("\x1b[31mred\r\t\x7f"), "\\x1b[31mred\\x0d\\t\\x7f");
  EXPECT_EQ(shownName(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(shownName("\u202egnp.exe"), "\\u202egnp.exe");
  EXPECT_EQ(shownName("\u0085\u2028\u200b\ufeff"),
            "\\x85\\u2028\\u200b\\ufeff");
}

TEST(ShownText, BytesThatAreNoTextAreWritten) {
  EXPECT_EQ(shownName("a\xff"), "a\\xff");
  EXPECT_EQ(shownName("\xc3"), "\\xc3");          // cut short
  EXPECT_EQ(shownName("\xc0\x8a"), "\\xc0\\x8a"); // an overlong line end
  EXPECT_EQ(shownName("\xed\xa0\x80"), "\\xed\\xa0\\x80"); // a surrogate
  EXPECT_EQ(shownName("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");
}

TEST(ShownText, LongNamesLoseTheirMiddle) {
  std::string name = "begin" + std::string(100000, 'n') + "end";
  std::string shown = shownName(name);
  EXPECT_LT(shown.size(), 300u);
  EXPECT_EQ(shown.substr(0, 5), "begin");
  EXPECT_EQ(shown.substr(shown.size() - 3), "end");
  EXPECT_NE(shown.find("(99808 more)"), std::string::npos) << shown;
}

TEST(ShownText, NoCharacterIsCutInTwo) {
  std::string name = "a";
  for (int i = 0; i < 500; ++i)
    name += "入";
  EXPECT_EQ(shownName(name).find("\\x"), std::string::npos);
}

TEST(ShownText, MessagesKeepTheirSentence) {
  std::string name(100000, 'n');
  std::string shown = shownMessage("model's input '" + name +
                                   "' is not in 'other'; leave it out");
  EXPECT_LT(shown.size(), 400u);
  EXPECT_EQ(shown.substr(0, 17), "model's input 'nn");
  EXPECT_NE(shown.find("' is not in 'other'; leave it out"), std::string::npos)
      << shown;
  std::string many;
  for (int i = 0; i < 10000; ++i)
    many += "'name', ";
  EXPECT_LT(shownMessage(many).size(), 5000u);
}

TEST(ShownText, MoreIsShownWhereItIsAskedFor) {
  std::string name(1000, 'n');
  setShownLength(2000);
  EXPECT_EQ(shownName(name), name);
  setShownLength(usualShownLength);
  EXPECT_NE(shownName(name), name);
}

TEST(ShownText, JsonKeepsItsMeaning) {
  std::string json = "{\n \"größe\": \"a\\n\"\n}\n";
  EXPECT_EQ(shownJson(json), json);
  EXPECT_EQ(shownJson("\"\u202egnp.exe\u0085\x7f\""),
            "\"\\u202egnp.exe\\u0085\\u007f\"");
  EXPECT_EQ(shownJson("\"\U000e0001\""), "\"\\udb40\\udc01\""); // two units
}

} // namespace
} // namespace npu::test
