/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers of the demo programs' weights: exact in float, spread evenly over
 * [-0.5, 0.5), the same in C and C++. */
#ifndef NPU_TEST_RUNTIME_DEMO_WEIGHTS_H
#define NPU_TEST_RUNTIME_DEMO_WEIGHTS_H

#include <stdint.h>

/* C names. NOLINTNEXTLINE(readability-identifier-naming) */
static inline float demo_weight(uint64_t stored_index) {
  uint64_t mixed = (stored_index + 1) * 0x9e3779b97f4a7c15u;
  return (float)(mixed >> 56) / 256.0f - 0.5f;
}

#endif /* NPU_TEST_RUNTIME_DEMO_WEIGHTS_H */
