// SPDX-License-Identifier: Apache-2.0
#include "compiler/Pipeline/ChipPlan.h"

#include "compiler/Kernel/KernelProblem.h"
#include "compiler/Layout/Problem/Cost.h"
#include "compiler/Layout/Problem/CostKeys.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Storage.h"
#include "cost/tile_search.h"
#include "files/words.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace npu;

/// The lowest place of its slot that is free while a value or copy lives there.
static int64_t placeIn(const OnChipSlot &slot, const PlannedResident &one,
                       ArrayRef<PlannedResident> others) {
  int64_t offset = slot.offset;
  for (bool isTaken = true; isTaken;) {
    isTaken = llvm::any_of(others, [&](const PlannedResident &other) {
      return other.source == one.source && other.offset == offset &&
             other.first <= one.last && one.first <= other.last;
    });
    offset += isTaken ? slot.place : 0;
  }
  return offset;
}

/// The kernel's value whose bytes an operand shows, all of them or a part, and
/// where that begins.
static std::pair<Value, int64_t> holderOf(const LayoutProblem &problem,
                                          Value operand) {
  Value holder = viewedValue(operand);
  int64_t offset = 0;
  for (Operation *op = holder.getDefiningOp(); op;
       op = holder.getDefiningOp()) {
    std::optional<int64_t> part = freePartOf(problem, op, layoutsOf(op));
    if (!part)
      break;
    offset += *part;
    holder = viewedValue(op->getOperand(0));
  }
  return {holder, offset};
}

/// What lies on the chip and where: values and their copies, from kernel to
/// kernel.
static void addResidents(const ResidentProblem &problem, ProgramPlan &program) {
  llvm::DenseMap<Value, size_t> numbers;
  std::vector<PlannedResident> found;
  for (auto [index, kernel] : llvm::enumerate(program.kernels)) {
    for (Value operand : kernel.op->getOperands()) {
      auto [holder, offset] = holderOf(*problem, operand);
      kernel.onChip.push_back({-1, offset});
      if (auto at = numbers.find(holder); at != numbers.end()) {
        found[at->second].last = index;
        kernel.onChip.back().resident = static_cast<int>(at->second);
      }
    }
    for (Value result : kernel.op->getResults()) {
      kernel.onChip.emplace_back();
      const OnChipSlot *slot = problem.onChip().slotOf(result);
      if (!slot || !problem.onChip().holds(result, getLayout(result)))
        continue;
      numbers[result] = found.size();
      kernel.onChip.back().resident = static_cast<int>(found.size());
      found.push_back(
          {slot->value, kernel.name, 0, storedBytes(result), index, index});
    }
  }
  llvm::DenseMap<Value, SmallVector<PlannedResident, 2>> bySlot;
  for (PlannedResident &one : found) {
    SmallVector<PlannedResident, 2> &others = bySlot[one.source];
    one.offset = placeIn(*problem.onChip().slotOf(one.source), one, others);
    others.push_back(one);
  }
  program.residents = std::move(found);
}

static LogicalResult checkFits(const PlannedKernel &kernel,
                               const cost::Machine &machine) {
  if (cost::fits(kernel.work, kernel.tiling, machine))
    return success();
  cost::Machine larger = machine;
  larger.sramKiB *= 0x1p20;
  // A buffer may need more banks than there are, however large they are.
  const char *cure = cost::fits(kernel.work, kernel.tiling, larger)
                         ? machine.sramBanks > 0
                               ? "more `sram`, or more `sram_banks`,"
                               : "more `sram`"
                         : "more `sram_banks`";
  double needed = cost::bufferBytes(kernel.work, kernel.tiling, machine);
  double free = cost::tileCapacity(kernel.work, machine);
  return kernel.op->emitError()
         << llvm::formatv(
                "{0}: its smallest tile ({1}) needs {2:f0} bytes of on-chip "
                "memory, {3:f0} of {4:f0} are free; a target with {5} can "
                "hold it",
                kernel.name, cost::describe(kernel.tiling, kernel.work), needed,
                free, machine.sramKiB * 1024, cure)
                .str();
}

/// What has to be kept somewhere: weights, inputs and outputs, and of the
/// values between kernels those that on-chip memory has no room for.
static LogicalResult checkMemory(mlir::func::FuncOp function,
                                 const ProgramPlan &program,
                                 const cost::Machine &machine) {
  constexpr double mib = 1024 * 1024;
  double boundary = 0;
  for (const auto *types : {&program.inputs, &program.outputs})
    for (RankedTensorType type : *types)
      boundary += static_cast<double>(storedBytes(type));
  auto weights = static_cast<double>(program.weights.bytesInMemory());
  double values = std::max(0.0, static_cast<double>(program.arenaLowerBound) -
                                    machine.sramKiB * 1024);
  if (weights + boundary + values <= machine.dramMiB * mib)
    return success();
  auto text = [](double bytes) {
    return files::bytesText(static_cast<int64_t>(bytes));
  };
  return function.emitError()
         << "the chip's memory is too small: weights take " << text(weights)
         << ", inputs and outputs " << text(boundary)
         << ", values between kernels " << text(values) << ", and there are "
         << text(machine.dramMiB * mib)
         << "; a target with more `dram` can hold them";
}

std::string npu::costTableOf(const ProgramPlan &program,
                             const TargetSpec &target) {
  std::string text(cost::tableHeader);
  text += "\n";
  llvm::StringSet<> seen;
  for (const PlannedKernel &kernel : program.kernels) {
    if (!kernel.costKey || !seen.insert(cost::textOf(*kernel.costKey)).second)
      continue;
    cost::KernelTime model =
        cost::modelTimeOf(kernel.work, kernel.tiling, target.machine);
    const std::optional<cost::Measurement> &known = kernel.work.measured;
    text +=
        cost::textOf(*kernel.costKey) + "," + std::to_string(model.total) + ",";
    if (known && known->cycles > 0)
      text += std::to_string(static_cast<int64_t>(known->cycles));
    text += "\n";
  }
  return text;
}

/// Tells what passes DRAM whatever stays on the chip: constants, made ones too,
/// and inputs, at the first kernel that reads them, and outputs.
static void markBoundary(mlir::func::FuncOp function,
                         MutableArrayRef<PlannedKernel> kernels) {
  llvm::DenseSet<Value> seen, outputs;
  llvm::DenseSet<Operation *> running;
  for (const PlannedKernel &kernel : kernels)
    running.insert(kernel.op);
  for (Value output : function.getBody().front().getTerminator()->getOperands())
    outputs.insert(viewedValue(output));
  for (PlannedKernel &kernel : kernels) {
    for (auto [read, operand] :
         llvm::zip(kernel.work.reads, kernel.op->getOperands())) {
      Value value = viewedValue(operand);
      bool isGiven = !running.contains(value.getDefiningOp());
      read.boundary = isGiven && seen.insert(value).second;
    }
    for (auto [write, result] :
         llvm::zip(kernel.work.writes, kernel.op->getResults()))
      write.boundary = outputs.contains(result);
  }
}

LogicalResult npu::planChip(const ResidentProblem &problem,
                            ProgramPlan &program) {
  const TargetSpec &target = problem->target;
  if (failed(checkMemory(problem->function, program, target.machine)))
    return failure();
  for (PlannedKernel &kernel : program.kernels) {
    kernel.work = kernelWorkOf(problem, kernel.op).value_or(cost::KernelWork());
    kernel.costKey = costKeyOf(*problem, kernel.op);
    kernel.tiling = cost::chooseTiling(kernel.work, target.machine,
                                       tileGoal(problem->objective));
    kernel.residentBytes = static_cast<int64_t>(std::max(
        kernel.work.reservedBytes, problem.onChip().reserved(kernel.op)));
    if (failed(checkFits(kernel, target.machine)))
      return failure();
  }
  markBoundary(problem->function, program.kernels);
  addResidents(problem, program);
  return success();
}
