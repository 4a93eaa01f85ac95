// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/RawObject.h"

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"

#include <gtest/gtest.h>

using namespace npu;

namespace {

std::string temporaryPath() {
  llvm::SmallString<128> path;
  llvm::sys::fs::createTemporaryFile("raw-object", "o", path);
  return path.str().str();
}

TEST(RawObjectTest, SectionsKeepNamesContentsAndAlignment) {
  std::string path = temporaryPath();
  std::vector<char> numbers = {1, 2, 3}, more = {4, 5};
  ASSERT_FALSE(static_cast<bool>(
      writeRawObject(path, {{".npu.first", "first", 64, {numbers, more}},
                            {".npu.second", "second", 4096, {more}},
                            {".npu.empty", "empty", 8, {}}})));
  auto file = llvm::object::ObjectFile::createObjectFile(path);
  ASSERT_TRUE(static_cast<bool>(file)) << llvm::toString(file.takeError());
  std::map<std::string, std::pair<std::string, uint64_t>> sections;
  for (const auto &section : file->getBinary()->sections())
    sections[llvm::cantFail(section.getName()).str()] = {
        llvm::cantFail(section.getContents()).str(),
        section.getAlignment().value()};
  EXPECT_EQ(sections[".npu.first"],
            (std::pair<std::string, uint64_t>("\1\2\3\4\5", 64)));
  EXPECT_EQ(sections[".npu.second"],
            (std::pair<std::string, uint64_t>("\4\5", 4096)));
  EXPECT_EQ(sections[".npu.empty"].first, "");
  std::vector<std::string> symbols;
  for (const auto &symbol : file->getBinary()->symbols())
    symbols.push_back(llvm::cantFail(symbol.getName()).str());
  EXPECT_EQ(symbols, (std::vector<std::string>{"first", "second", "empty"}));
  llvm::sys::fs::remove(path);
}

TEST(RawObjectTest, FolderThatIsNotThereIsAnError) {
  llvm::Error error = writeRawObject("no/such/folder/x.o", {});
  EXPECT_NE(llvm::toString(std::move(error)).find("no/such/folder/x.o"),
            std::string::npos);
}

} // namespace
