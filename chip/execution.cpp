// SPDX-License-Identifier: Apache-2.0
#include "chip/execution.h"

#include "chip/pattern.h"
#include "chip/verify.h"
#include "kernels/tensor.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace npu::chip {
namespace {

constexpr uint8_t poison = 0xA5;

bool isAligned(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % NPU_VALUE_ALIGNMENT == 0;
}

/// So many bytes of a vector, aligned as kernels want operands.
uint8_t *alignedIn(std::vector<uint8_t> &memory, int64_t bytes) {
  const size_t needed = static_cast<size_t>(bytes) + NPU_VALUE_ALIGNMENT;
  if (memory.size() < needed)
    memory.resize(needed);
  auto address = reinterpret_cast<uintptr_t>(memory.data());
  return memory.data() +
         (alignedTo(static_cast<int64_t>(address), NPU_VALUE_ALIGNMENT) -
          static_cast<int64_t>(address));
}

/// The first of these bytes whose writer is that one; -1: none is. Without a
/// branch in the loop, for nearly always it is none.
int64_t findWriter(const uint32_t *writers, int64_t bytes, uint32_t wanted) {
  bool isThere = false;
  for (int64_t i = 0; i < bytes; ++i)
    isThere |= writers[i] == wanted;
  return isThere ? std::find(writers, writers + bytes, wanted) - writers : -1;
}

} // namespace

Execution::Execution(const ProgramT &program, int threads, bool checks,
                     bool keepsNan)
    : program(program), threads(threads), checks(checks), keepsNan(keepsNan),
      memories(program.regions.size()), made(program.tiles.size()) {
  for (const auto &tile : program.tiles)
    problems.push_back(problemOf(*tile));
}

void Execution::prepare(const std::vector<uint8_t *> &regions) {
  for (size_t i = 0; i < memories.size(); ++i) {
    const RegionT &region = *program.regions[i];
    SimulatedMemory &memory = memories[i];
    const auto bytes = static_cast<size_t>(region.bytes);
    memory.data = regions[i];
    if (!memory.data && bytes > 0) {
      if (!memory.own)
        memory.own = {static_cast<uint8_t *>(std::aligned_alloc(
                          NPU_WEIGHTS_ALIGNMENT,
                          alignedTo(region.bytes, NPU_WEIGHTS_ALIGNMENT))),
                      std::free};
      if (!memory.own)
        throw std::bad_alloc();
      memory.data = memory.own.get();
    }
    if (!isWritable(region.kind))
      continue;
    if (bytes > 0)
      std::memset(memory.data, poison, bytes);
    if (checks)
      memory.writer.assign(bytes, 0);
  }
}

std::string Execution::run(const std::vector<uint8_t *> &regions) {
  prepare(regions);
  for (kernel = 0; kernel < program.kernels.size(); ++kernel) {
    const KernelT &one = *program.kernels[kernel];
    loops.clear();
    turns.clear();
    for (size_t at = one.first; at < size_t{one.first} + one.count;) {
      std::string wrong;
      const size_t next = execute(at, wrong);
      if (!wrong.empty())
        return chip::nameOf(program, at) + " " + wrong;
      at = next;
    }
  }
  return checks ? checkOutputs() : "";
}

/// Returns the number of the next one.
size_t Execution::execute(size_t command, std::string &wrong) {
  const CommandUnion &one = program.commands[command];
  switch (one.type) {
  case Command::Loop:
    loops.push_back({command + 1, one.AsLoop()->trips});
    turns.push_back(0);
    break;
  case Command::EndLoop:
    ++turns.back();
    if (--loops.back().left > 0)
      return loops.back().begin;
    loops.pop_back();
    turns.pop_back();
    break;
  case Command::Dma:
    wrong = move(*one.AsDma());
    break;
  default:
    wrong = compute(*one.AsCompute());
  }
  return command + 1;
}

Execution::Spot Execution::spotOf(const PlaceT &place) const {
  auto after = [&](int64_t sum, const std::vector<int64_t> &steps) {
    for (size_t i = 0; i < steps.size(); ++i)
      sum += steps[i] * turns[i];
    return sum;
  };
  Spot spot;
  spot.offset = after(place.offset, place.steps);
  if (place.buffer < 0) {
    spot.region = place.region;
    return spot;
  }
  spot.buffer = program.buffers[static_cast<size_t>(place.buffer)].get();
  while (program.regions[spot.region]->kind != RegionKind::OnChip)
    ++spot.region;
  spot.offset += spot.buffer->address + after(place.slot, place.slot_steps) %
                                            spot.buffer->slots *
                                            spot.buffer->slot_bytes;
  return spot;
}

std::string Execution::nameOf(const Spot &spot, int64_t offset) const {
  return "byte " + std::to_string(spot.offset + offset) + " of " +
         chip::nameOf(*program.regions[spot.region]) +
         (spot.buffer ? " (buffer '" + spot.buffer->name + "')" : "");
}

std::string Execution::checkRead(const Spot &spot, int64_t offset,
                                 int64_t bytes) const {
  const std::vector<uint32_t> &writer = memories[spot.region].writer;
  if (writer.empty())
    return "";
  const int64_t found =
      findWriter(writer.data() + spot.offset + offset, bytes, 0);
  return found < 0 ? ""
                   : "reads " + nameOf(spot, offset + found) +
                         ", which nothing has written";
}

/// Tiles' buffers are written again with each tile; everything else once by
/// each kernel.
std::string Execution::noteWrite(const Spot &spot, int64_t offset,
                                 int64_t bytes) {
  std::vector<uint32_t> &writer = memories[spot.region].writer;
  if (writer.empty())
    return "";
  uint32_t *begin = writer.data() + spot.offset + offset;
  const bool isOfTile = spot.buffer && spot.buffer->first == kernel &&
                        spot.buffer->last == kernel;
  if (const int64_t found =
          isOfTile ? -1 : findWriter(begin, bytes, kernel + 1);
      found >= 0)
    return "writes " + nameOf(spot, offset + found) +
           ", which the same kernel has written before";
  std::fill(begin, begin + bytes, kernel + 1);
  return "";
}

std::string Execution::move(const DmaT &dma) {
  const Spot source = spotOf(*dma.source), target = spotOf(*dma.target);
  std::string wrong;
  forEachRun(dma.levels, [&](int64_t from, int64_t to) {
    wrong = checkRead(source, from, dma.run);
    if (wrong.empty())
      wrong = noteWrite(target, to, dma.run);
    if (wrong.empty())
      std::memmove(memories[target.region].data + target.offset + to,
                   memories[source.region].data + source.offset + from,
                   static_cast<size_t>(dma.run));
    return wrong.empty();
  });
  return wrong;
}

const kernels::Kernel *Execution::kernelOf(uint32_t tile) {
  if (made[tile])
    return made[tile].get();
  kernels::Problem problem = problems[tile];
  problem.threads = threads;
  problem.keepsNan = keepsNan;
  made[tile] = kernels::create(problem);
  return made[tile].get();
}

/// The operand itself where a kernel can take it as it lies, else a copy.
std::string Execution::loadOperand(const OperandT &operand,
                                   const npu_tensor_desc &tensor, bool isRead,
                                   size_t index, void *&pointer) {
  const Spot spot = spotOf(*operand.place);
  const int64_t bytes = kernels::storedBytes(tensor);
  uint8_t *data = memories[spot.region].data + spot.offset;
  if (operand.strides.empty() && isAligned(data)) {
    pointer = data;
    return isRead ? checkRead(spot, 0, bytes) : noteWrite(spot, 0, bytes);
  }
  uint8_t *copy = alignedIn(copies[index], bytes);
  pointer = copy;
  if (!isRead)
    return "";
  const std::vector<int64_t> dense = storedStrides(tensor);
  const Pattern pattern = patternOf(
      tensor, operand.strides.empty() ? dense : operand.strides, dense);
  std::string wrong;
  forEachRun(pattern.levels, [&](int64_t from, int64_t to) {
    wrong = checkRead(spot, from, pattern.run);
    std::memcpy(copy + to, data + from, static_cast<size_t>(pattern.run));
    return wrong.empty();
  });
  return wrong;
}

/// Of a result whose kernel wrote a copy.
std::string Execution::storeOperand(const OperandT &operand,
                                    const npu_tensor_desc &tensor,
                                    const void *from) {
  const Spot spot = spotOf(*operand.place);
  uint8_t *data = memories[spot.region].data + spot.offset;
  if (from == data)
    return "";
  const std::vector<int64_t> dense = storedStrides(tensor);
  const Pattern pattern = patternOf(
      tensor, dense, operand.strides.empty() ? dense : operand.strides);
  std::string wrong;
  forEachRun(pattern.levels, [&](int64_t at, int64_t to) {
    wrong = noteWrite(spot, to, pattern.run);
    std::memcpy(data + to, static_cast<const uint8_t *>(from) + at,
                static_cast<size_t>(pattern.run));
    return wrong.empty();
  });
  return wrong;
}

std::string Execution::compute(const ComputeT &compute) {
  const kernels::Kernel *computing = kernelOf(compute.tile);
  if (!computing)
    return "has no kernel";
  const kernels::Problem &problem = problems[compute.tile];
  const size_t inputs = problem.inputs.size();
  copies.resize(std::max(copies.size(), inputs + 1));
  std::vector<void *> pointers(inputs + 1);
  for (size_t i = 0; i <= inputs; ++i) {
    const npu_tensor_desc &tensor = operandOf(problem, i);
    if (kernels::storedBytes(tensor) == 0)
      pointers[i] = alignedIn(copies[i], 0);
    else if (std::string wrong = loadOperand(*compute.operands[i], tensor,
                                             i < inputs, i, pointers[i]);
             !wrong.empty())
      return wrong;
  }
  uint8_t *room =
      alignedIn(scratch, static_cast<int64_t>(computing->scratchBytes()));
  if (int status = computing->run(pointers.data(), room)) {
    std::string fault = kernels::describeFault(problem, pointers.data());
    return fault.empty() ? "ended with status " + std::to_string(status)
                         : "ended: " + fault;
  }
  const npu_tensor_desc &result = problem.outputs.front();
  return kernels::storedBytes(result) == 0
             ? ""
             : storeOperand(*compute.operands[inputs], result,
                            pointers[inputs]);
}

std::string Execution::checkOutputs() const {
  for (size_t i = 0; i < memories.size(); ++i) {
    const std::vector<uint32_t> &writer = memories[i].writer;
    if (program.regions[i]->kind != RegionKind::Output)
      continue;
    const int64_t found =
        findWriter(writer.data(), static_cast<int64_t>(writer.size()), 0);
    if (found >= 0)
      return "byte " + std::to_string(found) + " of " +
             chip::nameOf(*program.regions[i]) + " was never written";
  }
  return "";
}

} // namespace npu::chip
