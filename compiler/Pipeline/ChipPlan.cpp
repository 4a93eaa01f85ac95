// SPDX-License-Identifier: Apache-2.0
#include "compiler/Pipeline/ChipPlan.h"

#include "compiler/Kernel/KernelProblem.h"
#include "compiler/Layout/Cost.h"

#include "llvm/Support/FormatVariadic.h"

using namespace npu;

/// Of the values that stay on the chip, the stored bytes that are there while
/// each kernel runs.
static void addResidents(const LayoutProblem &problem,
                         MutableArrayRef<PlannedKernel> kernels) {
  llvm::DenseMap<Value, std::pair<size_t, size_t>> ranges;
  SmallVector<Value> values;
  for (auto [index, kernel] : llvm::enumerate(kernels)) {
    for (Value operand : kernel.op->getOperands()) {
      auto range = ranges.find(viewedValue(operand));
      if (range != ranges.end())
        range->second.second = index;
    }
    for (Value result : kernel.op->getResults()) {
      if (!problem.onChip().contains(result))
        continue;
      ranges[result] = {index, index};
      values.push_back(result);
    }
  }
  for (Value value : values) {
    auto [first, last] = ranges.lookup(value);
    for (size_t i = first; i <= last; ++i)
      kernels[i].residentBytes += storedBytes(value);
  }
}

static LogicalResult checkFits(const PlannedKernel &kernel,
                               const cost::Machine &machine) {
  double needed = cost::bufferBytes(kernel.work, kernel.tiling, machine);
  double free = cost::tileCapacity(kernel.work, machine);
  if (machine.sramKiB <= 0 || needed <= free)
    return success();
  return kernel.op->emitError()
         << llvm::formatv(
                "{0}: its smallest tile ({1}) needs {2:f0} bytes of on-chip "
                "memory, {3:f0} of {4:f0} are free; a target with more `sram`, "
                "or fewer `sram_banks`, can hold it",
                kernel.name, cost::describe(kernel.tiling, kernel.work), needed,
                free, machine.sramKiB * 1024)
                .str();
}

LogicalResult npu::planChip(mlir::func::FuncOp function,
                            const TargetSpec &target,
                            MutableArrayRef<PlannedKernel> kernels) {
  ImageAxesAnalysis axes(function);
  LayoutProblem problem(function, target, axes);
  for (PlannedKernel &kernel : kernels) {
    kernel.work = kernelWorkOf(problem, kernel.op).value_or(cost::KernelWork());
    kernel.tiling = cost::chooseTiling(kernel.work, target.machine);
    if (failed(checkFits(kernel, target.machine)))
      return failure();
  }
  addResidents(problem, kernels);
  return success();
}
