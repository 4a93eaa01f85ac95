// SPDX-License-Identifier: Apache-2.0
//
// Tables whose bytes were changed: refused, or run without touching a byte
// outside.
#include "chip/table.h"
#include "test/chip/ChipCase.h"
#include "test/every_case.h"

#include <gtest/gtest.h>

using namespace npu::chip;
using namespace npu::chip::testing;
using namespace npu::kernels::testing;

TEST(Damaged, TablesAreRefusedOrStopped) {
  const npu::kernels::Problem problem = smallConv();
  const Values inputs = inputsFor(problem, 1);
  std::string wrong;
  auto whole = programOf(problem, 4096, wrong);
  ASSERT_TRUE(whole) << wrong;
  const std::string bytes = encode(*whole);
  std::mt19937 random(1);
  int refused = 0;
  const int tables = npu::test::isEveryCase() ? 5000 : 1000;
  for (int i = 0; i < tables; ++i) {
    std::string damaged = bytes;
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    ProgramT program;
    if (!decode(damaged, program).empty()) {
      ++refused;
      continue;
    }
    // What a damaged one may ask for is more than a test has time for.
    int64_t turns = 1;
    for (const CommandUnion &command : program.commands)
      turns *= command.AsLoop() ? command.AsLoop()->trips : 1;
    bool isSameSize = program.regions.size() == whole->regions.size();
    for (size_t r = 0; isSameSize && r < program.regions.size(); ++r)
      isSameSize = program.regions[r]->bytes == whole->regions[r]->bytes &&
                   program.regions[r]->kind == whole->regions[r]->kind;
    if (turns > 100000 || !isSameSize)
      continue;
    runOnChip(program, problem, inputs, wrong);
    EXPECT_EQ(wrong.find("bytes behind a region"), std::string::npos) << wrong;
  }
  EXPECT_GT(refused, tables / 4);
}

TEST(Damaged, EveryShorterTableIsRefused) {
  std::string wrong;
  auto program = programOf(smallConv(), 4096, wrong);
  const std::string bytes = encode(*program);
  for (size_t size = 0; size < bytes.size(); size += 7) {
    ProgramT read;
    EXPECT_NE(decode(bytes.substr(0, size), read), "") << size;
  }
}

/// A vector of 64 bits that begins at a multiple of 4.
TEST(Damaged, NumbersThatAreNotAlignedAreRefused) {
  std::string wrong;
  auto program = programOf(smallConv(), 4096, wrong);
  std::string bytes = encode(*program);
  const Tensor *tensor =
      GetProgram(bytes.data())->tiles()->Get(0)->outputs()->Get(0);
  ASSERT_EQ(tensor->extents()->Get(0), 1); // becomes the vector's length
  const auto *field =
      reinterpret_cast<const flatbuffers::Table *>(tensor)->GetAddressOf(
          Tensor::VT_EXTENTS);
  bytes[reinterpret_cast<const char *>(field) - bytes.data()] += 4;
  ProgramT read;
  EXPECT_NE(decode(bytes, read).find("are no table"), std::string::npos);
}

TEST(Damaged, NewerVersionsAreRefused) {
  std::string wrong;
  auto program = programOf(smallConv(), 4096, wrong);
  program->version = programVersion + 1;
  ProgramT read;
  EXPECT_EQ(decode(encode(*program), read),
            "it has version 2, but this runtime reads version 1");
}
