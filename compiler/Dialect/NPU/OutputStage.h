// SPDX-License-Identifier: Apache-2.0
//
// What results may pass on their way out of a chip's array, at no further cost.
#ifndef NPU_COMPILER_DIALECT_NPU_OUTPUTSTAGE_H
#define NPU_COMPILER_DIALECT_NPU_OUTPUTSTAGE_H

#include "compiler/Dialect/NPU/NPUDialect.h"

#include <optional>

namespace npu {

/// Bits: an elementwise op may be a part of several.
enum OutputStep : unsigned {
  Bias = 1,       ///< a constant for each channel is added
  Requantize = 2, ///< scaled, rounded, clipped and converted
  Activation = 4, ///< a function of one element
  Addition = 8    ///< another tensor is added
};
using OutputSteps = unsigned;

/// "requantize".
std::optional<OutputStep> findOutputStep(StringRef name);
/// "bias, requantize, activation, add": for messages.
std::string outputStepNames();

/// Whether an operand of an elementwise op with this result has one value for
/// each channel, or one for all, that is known when the kernel is made.
bool isChannelConstant(Value value, Value result);

/// The steps of which an elementwise op is a part; 0: of none.
OutputSteps outputStepsOf(EltwiseOp op);

/// The ops of a fused kernel that an output stage with these steps does:
/// everything before them is done in it, too.
llvm::SmallPtrSet<Operation *, 8> opsInOutputStage(FusedOp fused,
                                                   OutputSteps stage);

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_OUTPUTSTAGE_H
