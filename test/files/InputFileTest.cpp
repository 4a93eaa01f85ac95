// SPDX-License-Identifier: Apache-2.0
//
// Files that are read: regular ones, at the length that they have.

#include "files/input_file.h"
#include "test/runtime/DemoFile.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace npu::test {
namespace {

using files::InputFile;

std::string open(const std::string &path) { return InputFile().open(path); }

TEST(InputFile, ReadsAll) {
  std::string path = scratchFolder() + "input.txt", bytes;
  writeFile(path, "twelve bytes");
  InputFile file;
  ASSERT_EQ(file.open(path), "");
  EXPECT_EQ(file.bytes(), 12u);
  ASSERT_EQ(file.readAll(bytes), "");
  EXPECT_EQ(bytes, "twelve bytes");
  char two[2];
  ASSERT_EQ(file.readAt(two, 2, 7), "");
  EXPECT_EQ(std::string(two, 2), "by");
}

TEST(InputFile, OnlyRegularFiles) {
  std::string pipe = scratchFolder() + "pipe";
  unlink(pipe.c_str());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string &path : {pipe, std::string("/dev/zero")})
    EXPECT_EQ(open(path), "cannot be read: it is not a regular file") << path;
  EXPECT_EQ(open(std::string("/dev/null\0x", 11)),
            "cannot be read: its name has a zero byte");
  EXPECT_EQ(open(scratchFolder()), "cannot be read: it is a folder");
  EXPECT_EQ(open(scratchFolder() + "none"),
            "cannot be read: No such file or directory");
}

TEST(InputFile, AFileThatShrinksIsCutShort) {
  std::string path = scratchFolder() + "shrinks.txt", bytes;
  writeFile(path, std::string(100, 'x'));
  InputFile file;
  ASSERT_EQ(file.open(path), "");
  ASSERT_EQ(truncate(path.c_str(), 40), 0);
  EXPECT_EQ(file.readAll(bytes),
            "is cut short: it became shorter while it was read");
}

} // namespace
} // namespace npu::test
