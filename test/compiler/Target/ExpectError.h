// SPDX-License-Identifier: Apache-2.0
//
// What the tests of target files share.
#ifndef NPU_TEST_COMPILER_TARGET_EXPECTERROR_H
#define NPU_TEST_COMPILER_TARGET_EXPECTERROR_H

#include "compiler/Target/TargetSpec.h"

#include <gtest/gtest.h>

namespace npu::test {

/// The text is no target, and the error holds the message.
inline void expectError(const std::string &text, const std::string &message) {
  std::string error;
  EXPECT_FALSE(parseTarget(text, "chip.yaml", error)) << text;
  EXPECT_NE(error.find(message), std::string::npos) << error;
}

} // namespace npu::test

#endif // NPU_TEST_COMPILER_TARGET_EXPECTERROR_H
