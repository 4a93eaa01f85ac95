// SPDX-License-Identifier: Apache-2.0
//
// The program before it is code: which kernels run in which order, and where
// each of their operands lies. Made from a function whose layouts are decided.
#ifndef NPU_COMPILER_CODEGEN_PROGRAMPLAN_H
#define NPU_COMPILER_CODEGEN_PROGRAMPLAN_H

#include "compiler/Codegen/WeightTable.h"
#include "compiler/Dialect/NPU/NPUDialect.h"
#include "cost/cost_table.h"
#include "cost/kernel_time.h"
#include "kernels/kernel.h"

#include <optional>

namespace npu {

/// Where a value's bytes lie: an offset into the arena, the weights or what is
/// made of them when the program is loaded, or the number of a model input or
/// output.
struct Storage {
  enum Place { Arena, Weights, Made, Input, Output };
  Place place = Arena;
  int64_t offset = 0;
};

struct PlannedKernel {
  Operation *op = nullptr;
  kernels::Problem problem;
  SmallVector<Storage> operands; // inputs, then results
  /// Of each operand that lies in a value that stays on the chip: that one in
  /// the plan, and bytes from its first; the caller's to fill.
  struct OnChip {
    int resident = -1;
    int64_t offset = 0;
  };
  SmallVector<OnChip> onChip;
  /// Value of each input that is a constant of equal elements.
  SmallVector<std::optional<double>> splats;
  bool generated = false; // code of ours, not a library kernel
  /// Name unique in the program ("k3_conv2d"), the op it is built around (of a
  /// plugin: "acme.rope"), and the model's nodes that it computes.
  std::string name, opName, node;
  int64_t bytes = 0; // read and written in one run
  /// Only moves bytes because of layout.
  bool isRelayout() const {
    return problem.op == NPU_OP_RELAYOUT || problem.op == NPU_OP_TRANSPOSE ||
           problem.op == NPU_OP_RESHAPE;
  }
  // On the chip; the caller's to fill.
  cost::KernelWork work;
  /// As tables of measured costs name it; none where they do not.
  std::optional<cost::TableKey> costKey;
  cost::Tiling tiling;
  /// Of on-chip memory, all below the highest address of values that stay.
  int64_t residentBytes = 0;
};

/// A value, or a copy of one in another layout, that stays on the chip.
struct PlannedResident {
  Value source;     // what is copied
  std::string name; // of the kernel that makes it
  int64_t offset = 0, bytes = 0;
  size_t first = 0, last = 0; // kernels
};

/// What a run leaves for the next one.
struct PlannedState {
  std::string name;
  /// Of what it holds before the first run, into the weights; -1: zeros.
  int64_t begins = -1;
};

struct ProgramPlan {
  std::vector<PlannedKernel> kernels;
  std::vector<PlannedResident> residents; // the caller's to fill
  WeightTable weights;
  SmallVector<RankedTensorType> inputs, outputs;
  SmallVector<std::string> inputNames, outputNames;
  /// The last inputs and outputs; each side has the same type.
  std::vector<PlannedState> states;
  int64_t arenaBytes = 0;
  int64_t arenaLowerBound = 0;
};

/// Plans `function` for `threads` threads; needs every layout decided. Inserts
/// copies where a result is not a kernel's own value (an input or constant
/// returned, one value returned twice). `partOf` says of an op where its result
/// lies in its operand, in bytes, if it is no kernel but such a part.
/// `asksLibrary`: of a machine whose kernels are the library's (`fuses:
/// library`), a result is written over an operand only if that is as fast.
/// Failure leaves an error at an op.
FailureOr<ProgramPlan>
planProgram(mlir::func::FuncOp function, int threads,
            function_ref<std::optional<int64_t>(Operation *)> partOf = nullptr,
            bool asksLibrary = false);

/// The nodes of the model behind a location: "conv1/Conv + relu1".
std::string nodesOf(Location location);

} // namespace npu

#endif // NPU_COMPILER_CODEGEN_PROGRAMPLAN_H
