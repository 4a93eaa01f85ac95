// SPDX-License-Identifier: Apache-2.0
//
// What a chip's array does with products, beside the machine's numbers.
#ifndef NPU_COMPILER_TARGET_ARRAYSPEC_H
#define NPU_COMPILER_TARGET_ARRAYSPEC_H

#include "compiler/Dialect/NPU/OutputStage.h"
#include "compiler/Support/LLVM.h"
#include "cost/machine.h"
#include "format/program_format.h"

#include <map>
#include <optional>
#include <string>

namespace npu {

using NumbersByType = std::map<npu_dtype, double>;

struct ArraySpec {
  /// Multiply-adds that each multiplier does in a cycle; 1 of types left out.
  NumbersByType rates;
  /// pJ of one multiply-add; empty: the chip says nothing of energy.
  NumbersByType energies;
  /// What results pass on their way out.
  OutputSteps outputStage = 0;

  /// Of products of two types: the slower rate, the larger energy.
  double rateOf(mlir::Type a, mlir::Type b) const;
  double energyOf(mlir::Type a, mlir::Type b) const;
};

/// What does not fit together, and the key of `machine` at which that is said.
/// `linkEnergy`: of the link, where there is one.
std::optional<cost::Contradiction>
contradictionIn(const ArraySpec &array, ArrayRef<npu_dtype> types,
                const cost::Machine &machine, std::optional<double> linkEnergy);

} // namespace npu

#endif // NPU_COMPILER_TARGET_ARRAYSPEC_H
