// SPDX-License-Identifier: Apache-2.0
//
// Tests with the label `sampled` try some of their cases in `make test` and all
// in `make soak`, which sets NPU_EVERY_CASE.
#ifndef NPU_TEST_EVERY_CASE_H
#define NPU_TEST_EVERY_CASE_H

#include <cstdlib>

namespace npu::test {

inline bool isEveryCase() {
  static const bool isSet = std::getenv("NPU_EVERY_CASE") != nullptr;
  return isSet;
}

/// How many of `all` random cases to try.
inline unsigned caseCount(unsigned sample, unsigned all) {
  return isEveryCase() ? all : sample;
}

} // namespace npu::test

#endif // NPU_TEST_EVERY_CASE_H
