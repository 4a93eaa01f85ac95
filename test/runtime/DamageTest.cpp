// SPDX-License-Identifier: Apache-2.0
//
// Files cut at every length, with every bit flipped, and with random ones
// flipped in a large one: each must be refused, none may crash.

#include "npu/npu.h"
#include "test/every_case.h"
#include "test/runtime/DemoFile.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <random>
#include <unistd.h>

namespace npu::test {
namespace {

/// A copy of a sealed demo that is open for changes.
class Victim {
public:
  explicit Victim(const std::string &demo)
      : path(DemoFile(demo).seal(demo + "-victim.npu")), bytes(readFile(path)),
        fd(open(path.c_str(), O_RDWR)) {}
  ~Victim() { close(fd); }

  void put(size_t at, char byte) {
    ASSERT_EQ(pwrite(fd, &byte, 1, static_cast<off_t>(at)), 1);
  }
  void flip(size_t at, int bit) {
    put(at, static_cast<char>(bytes[at] ^ (1 << bit)));
  }
  void restore(size_t at) { put(at, bytes[at]); }
  void cut(size_t length) {
    ASSERT_EQ(ftruncate(fd, static_cast<off_t>(length)), 0);
  }
  npu_code load() {
    npu_model *model = nullptr;
    npu_load_options options = {1, 0, 0, nullptr, nullptr, 0, 0};
    npu_code code = npu_model_load(path.c_str(), &options, &model, &status);
    npu_model_free(model);
    return code;
  }

  std::string path;
  std::string bytes;
  int fd;
  npu_status status;
};

TEST(Damage, EveryLength) {
  Victim victim("conv");
  ASSERT_EQ(victim.load(), NPU_OK) << victim.status.message;
  for (size_t length = victim.bytes.size(); length-- > 0;) {
    victim.cut(length);
    ASSERT_EQ(victim.load(), NPU_BAD_FILE) << length;
    ASSERT_NE(victim.status.message[0], '\0');
  }
}

TEST(Damage, OneByteMore) {
  Victim victim("conv");
  victim.put(victim.bytes.size(), '\0');
  EXPECT_EQ(victim.load(), NPU_BAD_FILE);
}

TEST(Damage, EveryBit) {
  Victim victim("conv");
  for (size_t at = 0; at < victim.bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      victim.flip(at, bit);
      npu_code code = victim.load();
      ASSERT_TRUE(code == NPU_BAD_FILE || code == NPU_WRONG_VERSION)
          << "byte " << at << " bit " << bit << ": code " << code << " "
          << victim.status.message;
    }
    victim.restore(at);
  }
  EXPECT_EQ(victim.load(), NPU_OK) << victim.status.message;
}

TEST(Damage, RandomBitsOfALargeFile) {
  Victim victim("matmul-4mb");
  ASSERT_EQ(victim.load(), NPU_OK) << victim.status.message;
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < caseCount(1000, 10000); ++i) {
    size_t at = random() % victim.bytes.size();
    victim.flip(at, static_cast<int>(random() % 8));
    npu_code code = victim.load();
    ASSERT_TRUE(code == NPU_BAD_FILE || code == NPU_WRONG_VERSION)
        << "byte " << at << ": " << victim.status.message;
    victim.restore(at);
  }
  EXPECT_EQ(victim.load(), NPU_OK) << victim.status.message;
}

TEST(Damage, RandomBitsOfAHundredMegabytes) {
  Victim victim("matmul-100mb");
  std::mt19937_64 random(2);
  for (int i = 0; i < 20; ++i) {
    size_t at = random() % victim.bytes.size();
    victim.flip(at, static_cast<int>(random() % 8));
    npu_code code = victim.load();
    ASSERT_TRUE(code == NPU_BAD_FILE || code == NPU_WRONG_VERSION) << at;
    victim.restore(at);
  }
}

} // namespace
} // namespace npu::test
