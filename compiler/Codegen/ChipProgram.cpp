// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/ChipProgram.h"

#include "chip/emit.h"
#include "chip/table.h"
#include "compiler/Dialect/NPU/Constants.h"
#include "kernels/tensor.h"

using namespace npu;

static chip::RegionT regionOf(chip::RegionKind kind, int64_t bytes,
                              size_t number = 0) {
  chip::RegionT region;
  region.kind = kind;
  region.number = static_cast<uint32_t>(number);
  region.bytes = bytes;
  return region;
}

static std::vector<chip::RegionT> regionsOf(const ProgramPlan &plan) {
  using Kind = chip::RegionKind;
  std::vector<chip::RegionT> regions = {
      regionOf(Kind::Weights, plan.weights.bytes()),
      regionOf(Kind::Made, plan.weights.madeSize()),
      regionOf(Kind::Arena, plan.arenaBytes)};
  for (auto [kind, types] : {std::pair(Kind::Input, &plan.inputs),
                             std::pair(Kind::Output, &plan.outputs)})
    for (auto [number, type] : llvm::enumerate(*types))
      regions.push_back(
          regionOf(kind, kernels::storedBytes(describeTensor(type)), number));
  return regions;
}

static chip::Location locationOf(const Storage &storage,
                                 const PlannedKernel::OnChip &onChip) {
  static constexpr chip::RegionKind kinds[] = {
      chip::RegionKind::Arena, chip::RegionKind::Weights,
      chip::RegionKind::Made, chip::RegionKind::Input,
      chip::RegionKind::Output};
  if (onChip.resident >= 0)
    return {chip::RegionKind::OnChip, 0, onChip.offset, onChip.resident};
  const bool isNumbered =
      storage.place == Storage::Input || storage.place == Storage::Output;
  return {kinds[storage.place],
          isNumbered ? static_cast<uint32_t>(storage.offset) : 0,
          isNumbered ? 0 : storage.offset, -1};
}

static chip::PlacedKernel placedOf(const PlannedKernel &kernel) {
  chip::PlacedKernel placed;
  placed.problem = &kernel.problem;
  placed.name = kernel.name;
  placed.node = kernel.node;
  placed.engine = kernel.work.processor           ? chip::Engine::Processor
                  : !kernel.work.products.empty() ? chip::Engine::Array
                  : kernel.isRelayout()           ? chip::Engine::Mover
                                                  : chip::Engine::Vector;
  placed.reserved = kernel.residentBytes;
  placed.slots = kernel.tiling.buffers;
  for (auto [storage, onChip] : llvm::zip(kernel.operands, kernel.onChip))
    placed.operands.push_back(locationOf(storage, onChip));
  return placed;
}

LogicalResult npu::planChipProgram(const ProgramPlan &plan,
                                   const cost::Machine &machine,
                                   std::string &table) {
  std::vector<chip::PlacedValue> values;
  for (const PlannedResident &one : plan.residents)
    values.push_back({one.name, one.offset, one.bytes,
                      static_cast<uint32_t>(one.first),
                      static_cast<uint32_t>(one.last)});
  chip::Emitter emitter(regionsOf(plan),
                        static_cast<int64_t>(machine.sramKiB * 1024), values);
  for (const PlannedKernel &kernel : plan.kernels)
    if (std::string wrong = emitter.add(placedOf(kernel)); !wrong.empty())
      return kernel.op->emitError() << "the chip's program cannot have "
                                    << kernel.name << ": " << wrong;
  table = chip::encode(emitter.take());
  return success();
}
