// SPDX-License-Identifier: Apache-2.0
//
// `fuses:` in a target's file: which groups of ops are one kernel on the chip.
#ifndef NPU_COMPILER_TARGET_FUSES_H
#define NPU_COMPILER_TARGET_FUSES_H

#include "compiler/Dialect/NPU/OutputStage.h"
#include "compiler/Target/Conditions.h"
#include "format/program_format.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace npu {

class TargetSpec;

/// A word of `then`: elementwise ops that may follow the main op.
struct FuseWord {
  std::string text;
  OutputSteps steps = 0;           ///< of a word of `output_stage`
  std::optional<int32_t> function; ///< of a function's name, npu_instr_kind
  /// Every one where it is neither: `eltwise`.
  bool takes(EltwiseOp op) const;
};

/// One entry of `fuses` for a main op.
struct FuseEntry {
  Conditions when; ///< of the main op
  std::vector<FuseWord> then;
  bool isListed = false; ///< in the order of `then`
  /// At most so many operands besides the main op's; constants with one number
  /// for each channel are none.
  std::optional<int64_t> operands;
  SmallVector<npu_dtype> types; ///< of what is stored; empty: any
};

struct Fuses {
  enum class Source {
    OutputStage, ///< the file says nothing: what `output_stage` lists
    Listed,
    Library ///< of this machine; where numbers are `measured` alone
  };
  Source source = Source::OutputStage;
  std::map<std::string, std::vector<FuseEntry>> entries; ///< by getDemandName()
};

/// Which ops may be the main op of a group: those that a chip's array or
/// pooling unit computes, and elementwise ones; none of a plugin's.
bool canBeMainOp(const OpWords &words);

/// The entries of a file that lists none: convolutions, products and pooling
/// take what the output stage lists and one operand more, elementwise ops
/// each other.
Fuses fusesOfOutputStage(OutputSteps stage);

/// Whether the target has one kernel for the ops: the main op first, then
/// elementwise ones in the order in which they are computed, in one block (of
/// an npu.fused or not). What the processor beside the chip runs fuses as it
/// likes; of `fuses: library` the library is not asked here, and all may.
bool mayFuse(const TargetSpec &target, ArrayRef<Operation *> group);

/// Lines for people.
std::string fusesText(const TargetSpec &target);

} // namespace npu

#endif // NPU_COMPILER_TARGET_FUSES_H
