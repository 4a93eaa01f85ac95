// SPDX-License-Identifier: Apache-2.0
//
// .npy files: what numpy writes is read, everything else is refused.

#include "files/npy.h"
#include "test/runtime/DemoFile.h"

#include <gtest/gtest.h>

namespace npu::test {
namespace {

using namespace npu::tools;

/// A file of version 1 with this header text, padded as numpy does.
std::string npy(std::string header, const std::string &data, char version = 1) {
  header += std::string(64 - (header.size() + 11) % 64, ' ') + "\n";
  std::string length = {static_cast<char>(header.size() & 0xff),
                        static_cast<char>(header.size() >> 8)};
  if (version > 1)
    length += std::string(2, '\0');
  return std::string("\x93NUMPY") + version + '\0' + length + header + data;
}

const char goodHeader[] =
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
const std::string sixFloats(24, '\x01');

/// What readNpy says about a file with these bytes, where 2x3 f32 is expected.
std::string read(const std::string &bytes) {
  std::string path = scratchFolder() + "read.npy";
  writeFile(path, bytes);
  float data[6] = {};
  std::string wrong = readNpy(path, "<f4", {2, 3}, data, sizeof(data));
  if (wrong.empty())
    EXPECT_EQ(memcmp(data, sixFloats.data(), sizeof(data)), 0);
  return wrong;
}

TEST(Npy, ReadsWhatNumpyWrites) {
  EXPECT_EQ(read(npy(goodHeader, sixFloats)), "");
  EXPECT_EQ(read(npy(goodHeader, sixFloats, 2)), "");
  EXPECT_EQ(read(npy(goodHeader, sixFloats, 3)), "");
}

TEST(Npy, KeysInAnyOrder) {
  EXPECT_EQ(read(npy("{\"shape\":(2,3),'fortran_order':False,'descr':'=f4'}",
                     sixFloats)),
            "");
}

TEST(Npy, HeaderThatNumpyWouldNotWrite) {
  for (const char *header : {
           "",
           "{",
           "{}",
           "}",
           "{'descr': '<f4'}",
           "{'descr': '<f4', }",
           "{'descr': '<f4', 'fortran_order': False}",
           "{'descr': '<f4, 'fortran_order': False, 'shape': (2, 3)}",
           "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 3)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2, -3)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (6)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (, 2)}",
           "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, "
           "'shape': (2, 3)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'x': 1}",
           "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': "
           "(99999999999999999999, 3)}",
       })
    EXPECT_NE(read(npy(header, sixFloats)).find("numpy would not write"),
              std::string::npos)
        << header;
  std::string deep = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (int i = 0; i < 33; ++i)
    deep += "1, ";
  EXPECT_NE(read(npy(deep + ")}", sixFloats)), "");
}

TEST(Npy, TypeShapeAndOrder) {
  auto header = [](const char *descr, const char *order, const char *shape) {
    return npy(std::string("{'descr': '") + descr + "', 'fortran_order': " +
                   order + ", 'shape': " + shape + ", }",
               sixFloats);
  };
  EXPECT_EQ(read(header("<f8", "False", "(2, 3)")),
            "has elements of type '<f8', expected '<f4'; convert it with "
            "numpy's astype");
  EXPECT_NE(read(header(">f4", "False", "(2, 3)")).find("'>f4'"),
            std::string::npos);
  EXPECT_NE(read(header("", "False", "(2, 3)")).find("type ''"),
            std::string::npos);
  EXPECT_NE(read(header("<f4", "True", "(2, 3)")).find("Fortran order"),
            std::string::npos);
  EXPECT_EQ(read(header("<f4", "False", "(3, 2)")),
            "has shape 3x2, expected 2x3");
  EXPECT_EQ(read(header("<f4", "False", "()")),
            "has shape scalar, expected 2x3");
  EXPECT_EQ(read(header("<f4", "True", "(6,)")), "has shape 6, expected 2x3");
}

TEST(Npy, EveryLengthOfAFile) {
  std::string whole = npy(goodHeader, sixFloats);
  for (size_t length = 0; length < whole.size(); ++length)
    ASSERT_NE(read(whole.substr(0, length)), "") << length;
  EXPECT_NE(read(whole + "x").find("has 25 bytes of data, expected 24"),
            std::string::npos);
}

TEST(Npy, EveryByteOfAHeader) {
  std::string whole = npy(goodHeader, sixFloats);
  size_t dataOffset = whole.size() - sixFloats.size();
  for (size_t at = 0; at < dataOffset; ++at)
    for (int value = 0; value < 256; ++value) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(value);
      NpyHeader header;
      if (!parseNpyHeader(damaged.data(), damaged.size(), header).empty())
        continue;
      ASSERT_LE(header.dataOffset, damaged.size());
    }
}

TEST(Npy, OtherFiles) {
  EXPECT_NE(read("").find("not a .npy file"), std::string::npos);
  EXPECT_NE(read("PK\3\4 a zip file of arrays").find("not a .npy file"),
            std::string::npos);
  EXPECT_NE(read(npy(goodHeader, sixFloats, 9)).find("version 9"),
            std::string::npos);
  std::string huge = npy(goodHeader, sixFloats, 2);
  huge[11] = '\x7f'; // a header of 2 GB
  EXPECT_NE(read(huge).find("expected at most"), std::string::npos);
  float data[6];
  EXPECT_NE(readNpy(scratchFolder() + "none.npy", "<f4", {2, 3}, data, 24)
                .find("No such file"),
            std::string::npos);
  EXPECT_EQ(readNpy(scratchFolder(), "<f4", {2, 3}, data, 24),
            "cannot be read: it is a folder");
}

TEST(Npy, RoundTripOfEveryRank) {
  std::string path = scratchFolder() + "round.npy";
  const std::vector<std::vector<int64_t>> shapes = {
      {}, {1}, {6}, {2, 3}, {0, 4}, {1, 2, 3, 1, 1}};
  for (const auto &shape : shapes) {
    size_t count = 1;
    for (int64_t extent : shape)
      count *= static_cast<size_t>(extent);
    std::vector<int32_t> data(count + 1, 7), back(count + 1);
    files::OutputFiles files;
    ASSERT_EQ(writeNpy(files, path, "<i4", shape, data.data(), count * 4), "");
    ASSERT_EQ(files.commit(), "");
    ASSERT_EQ(readFile(path).find('\n') % 64, 63u);
    ASSERT_EQ(readNpy(path, "<i4", shape, back.data(), count * 4), "");
    back[count] = 7;
    EXPECT_EQ(back, data);
  }
}

} // namespace
} // namespace npu::test
