// SPDX-License-Identifier: Apache-2.0
#include "kernels/support/processor.h"

#include <algorithm>
#include <cstdlib>
#include <strings.h>

namespace npu::kernels {

namespace {

/// One of oneDNN's names, and what it leaves.
struct Limit {
  const char *name;
  Processor most;
};

} // namespace

static constexpr Limit limits[] = {
    {"SSE41", {Generation::Any, false, false}},
    {"AVX", {Generation::Any, false, false}},
    {"AVX2", {Generation::Avx2, false, false}},
    {"AVX2_VNNI", {Generation::Avx2, false, false}},
    {"AVX2_VNNI_2", {Generation::Avx2, false, false}},
    {"AVX512_CORE", {Generation::Avx512, false, false}},
    {"AVX512_CORE_VNNI", {Generation::Avx512, true, false}},
};

Processor limited(Processor has, const char *most) {
  if (!most)
    return has;
  for (const Limit &limit : limits)
    if (strcasecmp(limit.name, most) == 0)
      return {std::min(has.generation, limit.most.generation),
              has.hasVnni && limit.most.hasVnni,
              has.hasBfloats && limit.most.hasBfloats};
  return has;
}

static Processor ask() {
  Processor has;
  if (__builtin_cpu_supports("x86-64-v4"))
    has.generation = Generation::Avx512;
  else if (__builtin_cpu_supports("x86-64-v3"))
    has.generation = Generation::Avx2;
  const bool isWide = has.generation == Generation::Avx512;
  has.hasVnni = isWide && __builtin_cpu_supports("avx512vnni") != 0;
  has.hasBfloats = isWide && __builtin_cpu_supports("avx512bf16") != 0;
  return has;
}

const Processor &processor() {
  static const Processor known =
      limited(ask(), std::getenv("ONEDNN_MAX_CPU_ISA"));
  return known;
}

} // namespace npu::kernels
