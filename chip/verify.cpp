// SPDX-License-Identifier: Apache-2.0
#include "chip/verify.h"

#include "chip/pattern.h"
#include "kernels/tensor.h"

#include <set>

namespace npu::chip {
namespace {

constexpr int64_t maxBytes = int64_t{1} << 42;
constexpr size_t maxLoops = 16;

bool isSize(int64_t number) { return number >= 0 && number <= maxBytes; }

std::string number(int64_t value) { return std::to_string(value); }

/// One kernel after the other, with the loops that are open.
class Verifier {
public:
  explicit Verifier(const ProgramT &program) : program(program) {}

  std::string run() {
    for (auto check : {&Verifier::checkRegions, &Verifier::checkBuffers,
                       &Verifier::checkApart, &Verifier::checkTiles,
                       &Verifier::checkKernels})
      if (std::string wrong = (this->*check)(); !wrong.empty())
        return wrong;
    return "";
  }

private:
  std::string checkRegions();
  std::string checkBuffers();
  std::string checkApart();
  std::string checkTiles();
  std::string checkKernels();
  std::string checkCommand(const CommandUnion &command);
  std::string checkLoop(const LoopT &loop);
  std::string checkDma(const DmaT &dma);
  std::string checkCompute(const ComputeT &compute);
  std::string checkPlace(const PlaceT &place, Reach reach, bool isWritten);
  std::string checkSlot(const PlaceT &place, const BufferT &buffer);

  const ProgramT &program;
  int64_t onChip = 0;
  std::vector<kernels::Problem> problems; // of tiles
  size_t kernel = 0;
  std::vector<int64_t> trips; // of open loops
  int64_t executed = 0;
};

std::string Verifier::checkRegions() {
  std::set<std::pair<RegionKind, uint32_t>> seen;
  for (const auto &region : program.regions) {
    if (region->kind < RegionKind::MIN || region->kind > RegionKind::MAX)
      return "a region has the unknown kind " +
             number(static_cast<int64_t>(region->kind));
    if (!isSize(region->bytes))
      return nameOf(*region) + " has " + number(region->bytes) + " bytes";
    if (!seen.insert({region->kind, region->number}).second)
      return nameOf(*region) + " is there twice";
    if (region->kind == RegionKind::OnChip)
      onChip = region->bytes;
  }
  if (!seen.count({RegionKind::OnChip, 0}))
    return "it has no on-chip memory";
  return "";
}

std::string Verifier::checkBuffers() {
  for (const auto &buffer : program.buffers) {
    const std::string name = "buffer '" + buffer->name + "' ";
    if (buffer->slots < 1 || buffer->slots > 1024)
      return name + "has " + number(buffer->slots) +
             " slots, expected 1 to 1024";
    if (!isSize(buffer->slot_bytes) || !isSize(buffer->address) ||
        buffer->address + buffer->slots * buffer->slot_bytes > onChip)
      return name + "ends at " +
             number(buffer->address + buffer->slots * buffer->slot_bytes) +
             " of " + number(onChip) + " bytes of on-chip memory";
    if (buffer->first > buffer->last || buffer->last >= program.kernels.size())
      return name + "is held from kernel " + number(buffer->first) + " to " +
             number(buffer->last) + " of " + number(program.kernels.size());
  }
  return "";
}

/// Sweeps over the kernels with those that are held.
std::string Verifier::checkApart() {
  std::vector<std::vector<const BufferT *>> begin(program.kernels.size());
  for (const auto &buffer : program.buffers)
    if (buffer->slot_bytes > 0)
      begin[buffer->first].push_back(buffer.get());
  std::vector<const BufferT *> held;
  for (size_t now = 0; now < begin.size(); ++now) {
    std::vector<const BufferT *> still;
    for (const BufferT *one : held)
      if (one->last >= now)
        still.push_back(one);
    held = std::move(still);
    for (const BufferT *added : begin[now]) {
      for (const BufferT *other : held)
        if (added->address <
                other->address + other->slots * other->slot_bytes &&
            other->address < added->address + added->slots * added->slot_bytes)
          return "buffers '" + other->name + "' and '" + added->name +
                 "' overlap, and both are held during kernel '" +
                 program.kernels[now]->name + "'";
      held.push_back(added);
    }
  }
  return "";
}

std::string Verifier::checkTiles() {
  for (const auto &tile : program.tiles) {
    kernels::Problem problem = problemOf(*tile);
    std::string wrong = problem.op == NPU_OP_CUSTOM
                            ? "ops of plugins have no tiles"
                            : kernels::validate(problem);
    if (!wrong.empty())
      return "tile " + number(problems.size()) + ": " + wrong;
    problems.push_back(std::move(problem));
  }
  return "";
}

std::string Verifier::checkKernels() {
  size_t next = 0;
  for (kernel = 0; kernel < program.kernels.size(); ++kernel) {
    const KernelT &one = *program.kernels[kernel];
    if (one.first != next || one.count > program.commands.size() - next)
      return "kernel '" + one.name + "' has commands " + number(one.first) +
             " to " + number(int64_t{one.first} + one.count) +
             ", expected from " + number(next) + " to at most " +
             number(program.commands.size());
    trips.clear();
    for (; next < one.first + one.count; ++next)
      if (std::string wrong = checkCommand(program.commands[next]);
          !wrong.empty())
        return nameOf(program, next) + " " + wrong;
    if (!trips.empty())
      return "kernel '" + one.name + "' has a loop without an end";
  }
  if (next != program.commands.size())
    return "it has " + number(program.commands.size()) +
           " commands, but only " + number(next) + " are those of kernels";
  return "";
}

std::string Verifier::checkCommand(const CommandUnion &command) {
  int64_t turns = 1;
  for (int64_t count : trips)
    turns *= count;
  executed += turns;
  if (executed > maxExecuted)
    return "is one of more than 2^32 that a run would execute";
  switch (command.type) {
  case Command::Loop:
    return checkLoop(*command.AsLoop());
  case Command::EndLoop:
    if (trips.empty())
      return "ends a loop that was not begun";
    trips.pop_back();
    return "";
  case Command::Dma:
    return checkDma(*command.AsDma());
  case Command::Compute:
    return checkCompute(*command.AsCompute());
  default:
    return "is of the unknown kind " +
           number(static_cast<int64_t>(command.type));
  }
}

std::string Verifier::checkLoop(const LoopT &loop) {
  if (trips.size() == maxLoops)
    return "is a loop in " + number(maxLoops) + " others";
  int64_t turns = loop.trips;
  for (int64_t count : trips)
    if (__builtin_mul_overflow(turns, count, &turns))
      turns = maxExecuted + 1;
  if (loop.trips < 1 || turns > maxExecuted)
    return "has " + number(loop.trips) + " turns, expected 1 to 2^32 of all";
  trips.push_back(loop.trips);
  return "";
}

std::string Verifier::checkDma(const DmaT &dma) {
  int64_t bytes = dma.run;
  if (dma.run < 1 || !isSize(dma.run))
    return "moves runs of " + number(dma.run) + " bytes";
  for (const Level &level : dma.levels) {
    if (level.count() < 1)
      return "has a level of " + number(level.count()) + " turns";
    if (__builtin_mul_overflow(bytes, level.count(), &bytes) || !isSize(bytes))
      return "moves more than 2^42 bytes";
  }
  Reach read, written;
  if (!reachOf(dma.levels, dma.run, false, read) ||
      !reachOf(dma.levels, dma.run, true, written))
    return "has a stride that is too large";
  if (std::string wrong = checkPlace(*dma.source, read, false); !wrong.empty())
    return "reads " + wrong;
  if (std::string wrong = checkPlace(*dma.target, written, true);
      !wrong.empty())
    return "writes " + wrong;
  return "";
}

std::string Verifier::checkCompute(const ComputeT &compute) {
  if (compute.engine < Engine::MIN || compute.engine > Engine::MAX)
    return "is of the unknown engine " +
           number(static_cast<int64_t>(compute.engine));
  if (compute.tile >= problems.size())
    return "computes tile " + number(compute.tile) + " of " +
           number(problems.size());
  const kernels::Problem &problem = problems[compute.tile];
  if (compute.operands.size() != problem.inputs.size() + 1)
    return "has " + number(compute.operands.size()) + " operands, expected " +
           number(problem.inputs.size() + 1);
  for (size_t i = 0; i < compute.operands.size(); ++i) {
    const OperandT &operand = *compute.operands[i];
    const npu_tensor_desc &tensor = operandOf(problem, i);
    const std::vector<int64_t> dense = storedStrides(tensor);
    if (!operand.strides.empty() && operand.strides.size() != dense.size())
      return "has " + number(operand.strides.size()) + " strides of operand " +
             number(i) + ", expected " + number(dense.size());
    Pattern pattern = patternOf(
        tensor, operand.strides.empty() ? dense : operand.strides, dense);
    Reach reach;
    if (!reachOf(pattern.levels, pattern.run, false, reach))
      return "has a stride that is too large";
    if (kernels::storedBytes(tensor) == 0)
      reach = {};
    if (std::string wrong =
            checkPlace(*operand.place, reach, i == problem.inputs.size());
        !wrong.empty())
      return (i < problem.inputs.size() ? "reads " : "writes ") + wrong;
    const bool isInDram =
        operand.place->buffer < 0 &&
        program.regions[operand.place->region]->kind != RegionKind::OnChip;
    if (isInDram && compute.engine != Engine::Processor)
      return "has operand " + number(i) + " in " +
             nameOf(*program.regions[operand.place->region]) +
             ", which only the processor reaches";
  }
  return "";
}

/// Adds the steps of loops to what is reached. False: too large.
static bool addSteps(const std::vector<int64_t> &steps,
                     const std::vector<int64_t> &trips, Reach &reach) {
  for (size_t i = 0; i < steps.size(); ++i) {
    int64_t far = 0;
    int64_t &end = steps[i] < 0 ? reach.low : reach.high;
    if (__builtin_mul_overflow(steps[i], trips[i] - 1, &far) ||
        __builtin_add_overflow(end, far, &end))
      return false;
  }
  return true;
}

std::string Verifier::checkPlace(const PlaceT &place, Reach reach,
                                 bool isWritten) {
  if (place.steps.size() > trips.size() ||
      place.slot_steps.size() > trips.size())
    return "a place with steps of more than its " + number(trips.size()) +
           " loops";
  if (!isSize(place.offset) || !addSteps(place.steps, trips, reach) ||
      !isSize(reach.high) || !isSize(-reach.low))
    return "a place that is too far away";
  reach.low += place.offset;
  reach.high += place.offset;
  int64_t bytes = 0;
  std::string name;
  if (place.buffer >= 0) {
    if (static_cast<size_t>(place.buffer) >= program.buffers.size())
      return "buffer " + number(place.buffer) + " of " +
             number(program.buffers.size());
    const BufferT &buffer = *program.buffers[place.buffer];
    if (kernel < buffer.first || kernel > buffer.last)
      return "buffer '" + buffer.name + "', which is not held then";
    if (std::string wrong = checkSlot(place, buffer); !wrong.empty())
      return wrong;
    bytes = buffer.slot_bytes;
    name = "a slot of buffer '" + buffer.name + "'";
  } else {
    if (place.region >= program.regions.size())
      return "region " + number(place.region) + " of " +
             number(program.regions.size());
    const RegionT &region = *program.regions[place.region];
    if (isWritten && !isWritable(region.kind))
      return nameOf(region) + ", which cannot be written";
    bytes = region.bytes;
    name = nameOf(region);
  }
  if (reach.low < 0 || reach.high > bytes)
    return "bytes " + number(reach.low) + " to " + number(reach.high) + " of " +
           name + ", which has " + number(bytes);
  return "";
}

std::string Verifier::checkSlot(const PlaceT &place, const BufferT &buffer) {
  Reach slots = {place.slot, place.slot};
  if (!addSteps(place.slot_steps, trips, slots) || slots.low < 0 ||
      !isSize(slots.high))
    return "slot " + number(slots.low) + " of buffer '" + buffer.name + "'";
  return "";
}

} // namespace

std::string nameOf(const ProgramT &program, size_t command) {
  std::string text = "command " + number(static_cast<int64_t>(command));
  for (const auto &kernel : program.kernels)
    if (command >= kernel->first && command - kernel->first < kernel->count)
      text += " of kernel '" + kernel->name + "'" +
              (kernel->node.empty() ? "" : " (node '" + kernel->node + "')");
  return text;
}

std::string verify(const ProgramT &program) { return Verifier(program).run(); }

} // namespace npu::chip
