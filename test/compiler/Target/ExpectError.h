// SPDX-License-Identifier: Apache-2.0
//
// What the tests of target files share.
#ifndef NPU_TEST_COMPILER_TARGET_EXPECTERROR_H
#define NPU_TEST_COMPILER_TARGET_EXPECTERROR_H

#include "compiler/Target/TargetSpec.h"

#include <gtest/gtest.h>

namespace npu::test {

/// A target's text without an error, which tests change line by line.
inline const std::string good = R"(name: chip
summary: a chip
types: [f32, bf16]
blocks: [16]
machine:
  clock: 1000 MHz
  mac_rows: 16 MAC
  mac_columns: 16 MAC
  vector_lanes: 16 lanes
  sram: 512 KiB
  dram: 1024 MiB
  dram_bandwidth: 16 GB/s
  dma_burst: 64 B
  dma_start: 100 cycles
  kernel_start: 100 cycles
  strided_access: 4 times
demands:
  - ops: [conv2d]
    data: [NHWC, NCHW16c]
    weight: [HWOI]
  - ops: [matmul]
    a: [row-major]
algorithms: [winograd]
)";

/// The text is no target, and the error holds the message.
inline void expectError(const std::string &text, const std::string &message) {
  std::string error;
  EXPECT_FALSE(parseTarget(text, "chip.yaml", error)) << text;
  EXPECT_NE(error.find(message), std::string::npos) << error;
}

} // namespace npu::test

#endif // NPU_TEST_COMPILER_TARGET_EXPECTERROR_H
