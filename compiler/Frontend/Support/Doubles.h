// SPDX-License-Identifier: Apache-2.0
//
// What becomes of nodes that compute in f64.
#ifndef NPU_COMPILER_FRONTEND_SUPPORT_DOUBLES_H
#define NPU_COMPILER_FRONTEND_SUPPORT_DOUBLES_H

#include <cstdint>

namespace npu {

/// Holds for whatever this thread imports while it lives.
class Doubles {
public:
  /// `asF32`: they compute in f32. Otherwise, and where there is none of these,
  /// they are refused.
  explicit Doubles(bool asF32);
  ~Doubles();
  Doubles(const Doubles &) = delete;
  Doubles &operator=(const Doubles &) = delete;
  static Doubles *current();

  const bool asF32;
  int64_t nodes = 0; // that compute in f32

private:
  Doubles *outer;
};

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_SUPPORT_DOUBLES_H
