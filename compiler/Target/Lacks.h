// SPDX-License-Identifier: Apache-2.0
//
// What a chip does not run.
#ifndef NPU_COMPILER_TARGET_LACKS_H
#define NPU_COMPILER_TARGET_LACKS_H

#include "compiler/Target/TargetSpec.h"

namespace npu {

/// Why the chip does not run an op, and the smallest change by which it would.
struct Lack {
  std::string why;    // "length is 1500, the target takes up to 1024"
  std::string change; // "make it up to 1024, or raise the limit in the target"
  bool isOfFloats = false; // it is a float type that the chip lacks
};

/// Nothing where the chip has the op.
std::optional<Lack> lackOf(const TargetSpec &target, LayoutOpInterface op);

/// The same of another op, as demands call it, that would compute it in its
/// place, in the same types.
std::optional<Lack> lackAs(const TargetSpec &target, LayoutOpInterface op,
                           StringRef name);

/// Puts on the processor what is made after `npu-place-ops` and the chip lacks:
/// relayouts and copies for outputs, of whatever type their values have. Where
/// the target has no processor nothing changes.
void placeMoves(mlir::func::FuncOp function, const TargetSpec &target);

} // namespace npu

#endif // NPU_COMPILER_TARGET_LACKS_H
