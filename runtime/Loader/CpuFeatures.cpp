// SPDX-License-Identifier: Apache-2.0
//
// The runtime links no LLVM, and __builtin_cpu_supports knows only a part of
// LLVM's names, so the table is ours: cpuid leaf, register and bit of each.

#include "runtime/Loader/CpuFeatures.h"

#if !defined(__x86_64__)
#error "the NPU simulator runs on x86-64"
#endif

#include <algorithm>
#include <cpuid.h>
#include <cstdint>

namespace npu::runtime {
namespace {

enum Register { Eax, Ebx, Ecx, Edx };

/// Register files that the operating system must save for a feature to be
/// usable: bits of XCR0.
enum Saved : uint64_t { None = 0, Ymm = 0x6, Zmm = 0xe6, Tile = 0x60000 };

struct Feature {
  const char *name;
  uint32_t leaf;
  uint32_t subleaf;
  Register reg;
  int bit;
  Saved saved;
};

constexpr uint32_t extended = 0x80000001;

constexpr Feature features[] = {
    {"cx8", 1, 0, Edx, 8, None},
    {"cmov", 1, 0, Edx, 15, None},
    {"mmx", 1, 0, Edx, 23, None},
    {"fxsr", 1, 0, Edx, 24, None},
    {"sse", 1, 0, Edx, 25, None},
    {"sse2", 1, 0, Edx, 26, None},
    {"sse3", 1, 0, Ecx, 0, None},
    {"pclmul", 1, 0, Ecx, 1, None},
    {"ssse3", 1, 0, Ecx, 9, None},
    {"fma", 1, 0, Ecx, 12, Ymm},
    {"cx16", 1, 0, Ecx, 13, None},
    {"sse4.1", 1, 0, Ecx, 19, None},
    {"sse4.2", 1, 0, Ecx, 20, None},
    {"crc32", 1, 0, Ecx, 20, None},
    {"movbe", 1, 0, Ecx, 22, None},
    {"popcnt", 1, 0, Ecx, 23, None},
    {"aes", 1, 0, Ecx, 25, None},
    {"xsave", 1, 0, Ecx, 27, None}, // the bit that says XCR0 may be read
    {"avx", 1, 0, Ecx, 28, Ymm},
    {"f16c", 1, 0, Ecx, 29, Ymm},
    {"rdrnd", 1, 0, Ecx, 30, None},
    {"sahf", extended, 0, Ecx, 0, None},
    {"lzcnt", extended, 0, Ecx, 5, None},
    {"sse4a", extended, 0, Ecx, 6, None},
    {"prfchw", extended, 0, Ecx, 8, None},
    {"xop", extended, 0, Ecx, 11, Ymm},
    {"lwp", extended, 0, Ecx, 15, Ymm},
    {"fma4", extended, 0, Ecx, 16, Ymm},
    {"tbm", extended, 0, Ecx, 21, None},
    {"mwaitx", extended, 0, Ecx, 29, None},
    {"64bit", extended, 0, Edx, 29, None},
    {"clzero", 0x80000008, 0, Ebx, 0, None},
    {"rdpru", 0x80000008, 0, Ebx, 4, None},
    {"wbnoinvd", 0x80000008, 0, Ebx, 9, None},
    {"fsgsbase", 7, 0, Ebx, 0, None},
    {"sgx", 7, 0, Ebx, 2, None},
    {"bmi", 7, 0, Ebx, 3, None},
    {"avx2", 7, 0, Ebx, 5, Ymm},
    {"bmi2", 7, 0, Ebx, 8, None},
    {"invpcid", 7, 0, Ebx, 10, None},
    {"rtm", 7, 0, Ebx, 11, None},
    {"avx512f", 7, 0, Ebx, 16, Zmm},
    {"avx512dq", 7, 0, Ebx, 17, Zmm},
    {"rdseed", 7, 0, Ebx, 18, None},
    {"adx", 7, 0, Ebx, 19, None},
    {"avx512ifma", 7, 0, Ebx, 21, Zmm},
    {"clflushopt", 7, 0, Ebx, 23, None},
    {"clwb", 7, 0, Ebx, 24, None},
    {"avx512cd", 7, 0, Ebx, 28, Zmm},
    {"sha", 7, 0, Ebx, 29, None},
    {"avx512bw", 7, 0, Ebx, 30, Zmm},
    {"avx512vl", 7, 0, Ebx, 31, Zmm},
    {"avx512vbmi", 7, 0, Ecx, 1, Zmm},
    {"pku", 7, 0, Ecx, 4, None},
    {"waitpkg", 7, 0, Ecx, 5, None},
    {"avx512vbmi2", 7, 0, Ecx, 6, Zmm},
    {"shstk", 7, 0, Ecx, 7, None},
    {"gfni", 7, 0, Ecx, 8, None},
    {"vaes", 7, 0, Ecx, 9, Ymm},
    {"vpclmulqdq", 7, 0, Ecx, 10, Ymm},
    {"avx512vnni", 7, 0, Ecx, 11, Zmm},
    {"avx512bitalg", 7, 0, Ecx, 12, Zmm},
    {"avx512vpopcntdq", 7, 0, Ecx, 14, Zmm},
    {"rdpid", 7, 0, Ecx, 22, None},
    {"kl", 7, 0, Ecx, 23, None},
    {"cldemote", 7, 0, Ecx, 25, None},
    {"movdiri", 7, 0, Ecx, 27, None},
    {"movdir64b", 7, 0, Ecx, 28, None},
    {"enqcmd", 7, 0, Ecx, 29, None},
    {"uintr", 7, 0, Edx, 5, None},
    {"avx512vp2intersect", 7, 0, Edx, 8, Zmm},
    {"serialize", 7, 0, Edx, 14, None},
    {"tsxldtrk", 7, 0, Edx, 16, None},
    {"pconfig", 7, 0, Edx, 18, None},
    {"amx-bf16", 7, 0, Edx, 22, Tile},
    {"avx512fp16", 7, 0, Edx, 23, Zmm},
    {"amx-tile", 7, 0, Edx, 24, Tile},
    {"amx-int8", 7, 0, Edx, 25, Tile},
    {"sha512", 7, 1, Eax, 0, Ymm},
    {"sm3", 7, 1, Eax, 1, Ymm},
    {"sm4", 7, 1, Eax, 2, Ymm},
    {"raoint", 7, 1, Eax, 3, None},
    {"avxvnni", 7, 1, Eax, 4, Ymm},
    {"avx512bf16", 7, 1, Eax, 5, Zmm},
    {"cmpccxadd", 7, 1, Eax, 7, None},
    {"amx-fp16", 7, 1, Eax, 21, Tile},
    {"hreset", 7, 1, Eax, 22, None},
    {"avxifma", 7, 1, Eax, 23, Ymm},
    {"avxvnniint8", 7, 1, Edx, 4, Ymm},
    {"avxneconvert", 7, 1, Edx, 5, Ymm},
    {"amx-complex", 7, 1, Edx, 8, Tile},
    {"avxvnniint16", 7, 1, Edx, 10, Ymm},
    {"prefetchi", 7, 1, Edx, 14, None},
    {"xsaveopt", 0xd, 1, Eax, 0, None},
    {"xsavec", 0xd, 1, Eax, 1, None},
    {"xsaves", 0xd, 1, Eax, 3, None},
    {"ptwrite", 0x14, 0, Ebx, 4, None},
    {"widekl", 0x19, 0, Ebx, 2, None},
};

uint32_t cpuidRegister(const Feature &feature) {
  uint32_t r[4] = {};
  if (!__get_cpuid_count(feature.leaf, feature.subleaf, &r[0], &r[1], &r[2],
                         &r[3]))
    return 0;
  return r[feature.reg];
}

/// XCR0: which registers the operating system saves. xgetbv is written as an
/// instruction because the intrinsic needs a compiler flag.
uint64_t savedRegisters() {
  uint32_t r[4] = {};
  constexpr uint32_t osxsave = 1u << 27;
  if (!__get_cpuid(1, &r[0], &r[1], &r[2], &r[3]) || !(r[2] & osxsave))
    return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t(high) << 32) | low;
}

bool hasFeature(const std::string &name, uint64_t saved) {
  const auto *found =
      std::find_if(std::begin(features), std::end(features),
                   [&](const Feature &f) { return name == f.name; });
  return found != std::end(features) &&
         (saved & found->saved) == found->saved &&
         ((cpuidRegister(*found) >> found->bit) & 1) != 0;
}

} // namespace

std::vector<std::string>
missingCpuFeatures(const std::vector<std::string> &needed) {
  std::vector<std::string> missing;
  uint64_t saved = savedRegisters();
  for (const std::string &name : needed)
    if (!hasFeature(name, saved))
      missing.push_back(name);
  return missing;
}

} // namespace npu::runtime
