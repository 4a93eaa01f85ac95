// SPDX-License-Identifier: Apache-2.0
#include "chip/emit.h"

#include "chip/movement.h"
#include "chip/pattern.h"
#include "kernels/tensor.h"

#include <algorithm>

namespace npu::chip {

/// A loop over each axis that is cut, in segments of tiles that are alike; each
/// operand is loaded in the innermost of the loops that it follows.
class Emitter::OneKernel {
public:
  OneKernel(Emitter &emitter, const PlacedKernel &kernel)
      : emitter(emitter), program(emitter.program), kernel(kernel),
        problem(*kernel.problem), form(tiledFormOf(problem)) {}

  std::string run(int64_t onChipBytes);

private:
  bool addMovements();
  void addBuffers();
  void addTiles(size_t depth);
  void addMoves(size_t depth, bool ofResult);
  void addMove(size_t operand, const kernels::Problem &tile);
  void addCompute();
  kernels::Problem tileNow() const;
  PlaceT placeOf(size_t operand) const;
  PlaceT slotOf(size_t operand) const;
  std::unique_ptr<OperandT> operandNow(size_t operand,
                                       const npu_tensor_desc &tile) const;
  int64_t offsetOf(size_t operand, const std::vector<Span> &part) const;
  uint32_t numberOf(const kernels::Problem &tile);

  size_t operands() const { return problem.inputs.size() + 1; }
  bool isOnProcessor() const { return kernel.engine == Engine::Processor; }
  template <class Body>
  void add(Body &&body) {
    program.commands.emplace_back();
    program.commands.back().Set(std::forward<Body>(body));
  }

  Emitter &emitter;
  ProgramT &program;
  const PlacedKernel &kernel;
  const kernels::Problem &problem;
  TiledForm form;
  TileChoice choice;
  std::vector<int> buffers;            // by operand, -1: it has none
  std::vector<Span> now;               // of the result, in the first turns
  std::vector<const Segment *> within; // by place in the order
  std::vector<size_t> open;            // places of the loops around
};

std::string Emitter::OneKernel::run(int64_t onChipBytes) {
  if (problem.op == NPU_OP_CUSTOM)
    return "it is an op of a plugin, whose tiles are not known";
  const npu_tensor_desc &result = problem.outputs.front();
  if (kernels::elementCount(result) == 0)
    return "";
  for (int d = 0; d < result.rank; ++d)
    now.push_back({0, result.dims[d]});
  if (!isOnProcessor() && addMovements())
    return "";
  std::vector<bool> stays;
  for (const Location &location : kernel.operands)
    stays.push_back(location.resident >= 0 || isOnProcessor());
  const int64_t base = alignedTo(kernel.reserved, bufferAlignment);
  if (std::string wrong = chooseTile(problem, form, stays, onChipBytes - base,
                                     kernel.slots, choice);
      !wrong.empty())
    return wrong;
  within.resize(choice.order.size());
  addBuffers();
  addTiles(0);
  return "";
}

/// Whether transfers are all that the kernel is.
bool Emitter::OneKernel::addMovements() {
  const std::vector<Movement> movements = movementsOf(problem);
  for (const Movement &movement : movements) {
    DmaT dma;
    dma.source = std::make_unique<PlaceT>(placeOf(movement.input));
    dma.source->offset += movement.from;
    dma.target = std::make_unique<PlaceT>(placeOf(operands() - 1));
    dma.target->offset += movement.to;
    dma.run = movement.pattern.run;
    dma.levels = movement.pattern.levels;
    add(std::move(dma));
  }
  return !movements.empty();
}

void Emitter::OneKernel::addBuffers() {
  int64_t address = alignedTo(kernel.reserved, bufferAlignment);
  const auto number = static_cast<uint32_t>(program.kernels.size());
  for (size_t i = 0; i < operands(); ++i) {
    buffers.push_back(-1);
    if (choice.bytes[i] == 0)
      continue;
    buffers.back() = static_cast<int>(program.buffers.size());
    auto buffer = std::make_unique<BufferT>();
    buffer->name =
        kernel.name +
        (i + 1 == operands() ? " result" : " input " + std::to_string(i));
    buffer->address = address;
    buffer->slot_bytes = alignedTo(choice.bytes[i], bufferAlignment);
    buffer->slots = static_cast<uint32_t>(choice.slots[i]);
    buffer->first = buffer->last = number;
    address += buffer->slot_bytes * choice.slots[i];
    program.buffers.push_back(std::move(buffer));
  }
}

void Emitter::OneKernel::addTiles(size_t depth) {
  addMoves(depth, /*ofResult=*/false);
  if (depth == choice.order.size()) {
    addCompute();
    addMoves(depth, /*ofResult=*/true);
    return;
  }
  const int axis = choice.order[depth];
  const auto dim = static_cast<size_t>(axis);
  for (const Segment &segment :
       segmentsOf(problem, form, axis, choice.tile[dim])) {
    within[depth] = &segment;
    now[dim] = segment.part;
    if (segment.trips > 1) {
      LoopT loop;
      loop.axis = form.axes[dim];
      loop.trips = segment.trips;
      add(std::move(loop));
      open.push_back(depth);
    }
    addTiles(depth + 1);
    if (segment.trips > 1) {
      open.pop_back();
      add(EndLoopT());
    }
  }
  now[dim] = {0, problem.outputs.front().dims[axis]};
}

kernels::Problem Emitter::OneKernel::tileNow() const {
  return tileOf(problem, form, now);
}

/// What comes, or goes, in the loops that are open and in no inner one.
void Emitter::OneKernel::addMoves(size_t depth, bool ofResult) {
  const kernels::Problem tile = tileNow();
  for (size_t i = 0; i < operands(); ++i)
    if (buffers[i] >= 0 && choice.depth[i] == depth &&
        (i + 1 == operands()) == ofResult)
      addMove(i, tile);
}

void Emitter::OneKernel::addMove(size_t operand, const kernels::Problem &tile) {
  const npu_tensor_desc &part = operandOf(tile, operand);
  const std::vector<int64_t> inDram =
      storedStrides(operandOf(problem, operand));
  const std::vector<int64_t> dense = storedStrides(part);
  const bool isStored = operand + 1 == operands();
  Pattern pattern = isStored ? patternOf(part, dense, inDram)
                             : patternOf(part, inDram, dense);
  DmaT dma;
  dma.source = std::make_unique<PlaceT>(placeOf(operand));
  dma.target = std::make_unique<PlaceT>(slotOf(operand));
  if (isStored)
    std::swap(dma.source, dma.target);
  dma.run = pattern.run;
  dma.levels = std::move(pattern.levels);
  add(std::move(dma));
}

/// Bytes from the operand's first to the first of what a part needs.
int64_t Emitter::OneKernel::offsetOf(size_t operand,
                                     const std::vector<Span> &part) const {
  const npu_tensor_desc &tensor = operandOf(problem, operand);
  const kernels::Strides strides = kernels::stridesOf(tensor);
  int64_t offset = 0;
  for (int d = 0; d < tensor.rank; ++d) {
    const auto dim = static_cast<size_t>(d);
    int64_t begin = 0;
    if (operand + 1 == operands()) {
      begin = part[dim].begin;
    } else if (const DimRule &rule = form.inputs[operand][dim];
               rule.kind != DimRule::All) {
      begin = neededOf(rule, part[static_cast<size_t>(rule.axis)],
                       problem.outputs.front().dims[rule.axis], tensor.dims[d])
                  .span.begin;
    }
    offset += begin / kernels::blockOf(tensor, d) * strides.outer[d];
  }
  return offset * kernels::dtypeBytes(tensor.dtype);
}

static void dropZeros(std::vector<int64_t> &steps) {
  while (!steps.empty() && steps.back() == 0)
    steps.pop_back();
}

/// Of all of the operand, at the first turn, and what each turn adds.
PlaceT Emitter::OneKernel::placeOf(size_t operand) const {
  const Location &location = kernel.operands[operand];
  PlaceT place;
  const int64_t first = offsetOf(operand, now);
  place.offset = location.offset + first;
  for (size_t loop : open) {
    std::vector<Span> next = now;
    Span &span = next[static_cast<size_t>(choice.order[loop])];
    span.begin += span.extent;
    place.steps.push_back(offsetOf(operand, next) - first);
  }
  dropZeros(place.steps);
  if (location.resident >= 0) {
    place.buffer = location.resident;
    return place;
  }
  for (size_t i = 0; i < program.regions.size(); ++i)
    if (program.regions[i]->kind == location.region &&
        program.regions[i]->number == location.number)
      place.region = static_cast<uint16_t>(i);
  return place;
}

PlaceT Emitter::OneKernel::slotOf(size_t operand) const {
  PlaceT place;
  place.buffer = buffers[operand];
  if (choice.slots[operand] == 1)
    return place;
  // Tiles of it are counted in the order in which they come.
  std::vector<int64_t> weights(choice.depth[operand], 1);
  for (size_t at = weights.size(); at-- > 1;) {
    const int axis = choice.order[at];
    const int64_t tile = choice.tile[static_cast<size_t>(axis)];
    weights[at - 1] =
        weights[at] * ((problem.outputs.front().dims[axis] + tile - 1) / tile);
  }
  for (size_t at = 0; at < weights.size(); ++at)
    place.slot += within[at]->first * weights[at];
  place.slot %= choice.slots[operand];
  for (size_t loop : open)
    place.slot_steps.push_back(
        loop < weights.size() ? weights[loop] % choice.slots[operand] : 0);
  dropZeros(place.slot_steps);
  return place;
}

std::unique_ptr<OperandT>
Emitter::OneKernel::operandNow(size_t operand,
                               const npu_tensor_desc &tile) const {
  auto one = std::make_unique<OperandT>();
  if (buffers[operand] >= 0) {
    one->place = std::make_unique<PlaceT>(slotOf(operand));
    return one;
  }
  one->place = std::make_unique<PlaceT>(placeOf(operand));
  // What has no elements lies anywhere.
  if (kernel.operands[operand].resident < 0 && !isOnProcessor()) {
    *one->place = {};
    one->place->region = static_cast<uint16_t>(emitter.onChip);
    return one;
  }
  const std::vector<int64_t> dense = storedStrides(tile);
  std::vector<int64_t> strides = storedStrides(operandOf(problem, operand));
  if (!patternOf(tile, strides, dense).levels.empty())
    one->strides = std::move(strides);
  return one;
}

void Emitter::OneKernel::addCompute() {
  const kernels::Problem tile = tileNow();
  ComputeT compute;
  compute.engine = kernel.engine;
  compute.tile = numberOf(tile);
  for (size_t i = 0; i < operands(); ++i)
    compute.operands.push_back(operandNow(i, operandOf(tile, i)));
  add(std::move(compute));
}

/// Equal tiles are one row.
uint32_t Emitter::OneKernel::numberOf(const kernels::Problem &tile) {
  const auto next = static_cast<uint32_t>(program.tiles.size());
  auto [known, isNew] = emitter.tiles.try_emplace(kernels::keyOf(tile), next);
  if (isNew)
    program.tiles.push_back(std::make_unique<TileT>(tileOf(tile)));
  return known->second;
}

Emitter::Emitter(std::vector<RegionT> regions, int64_t onChipBytes,
                 const std::vector<PlacedValue> &values)
    : onChipBytes(onChipBytes) {
  program.version = programVersion;
  for (RegionT &region : regions)
    program.regions.push_back(std::make_unique<RegionT>(region));
  auto memory = std::make_unique<RegionT>();
  memory->kind = RegionKind::OnChip;
  memory->bytes = onChipBytes;
  onChip = program.regions.size();
  program.regions.push_back(std::move(memory));
  for (const PlacedValue &value : values) {
    auto buffer = std::make_unique<BufferT>();
    buffer->name = value.name + " stays";
    buffer->address = value.address;
    buffer->slot_bytes = value.bytes;
    buffer->first = value.first;
    buffer->last = value.last;
    program.buffers.push_back(std::move(buffer));
  }
}

std::string Emitter::add(const PlacedKernel &kernel) {
  auto row = std::make_unique<KernelT>();
  row->name = kernel.name;
  row->node = kernel.node;
  row->first = static_cast<uint32_t>(program.commands.size());
  if (std::string wrong = OneKernel(*this, kernel).run(onChipBytes);
      !wrong.empty())
    return wrong;
  row->count = static_cast<uint32_t>(program.commands.size()) - row->first;
  program.kernels.push_back(std::move(row));
  return "";
}

} // namespace npu::chip
