// SPDX-License-Identifier: Apache-2.0
#include "runtime/ChipVisit.h"

#include "kernels/tensor.h"
#include "kernels/validate.h"

#include <algorithm>

namespace npu::runtime {
namespace {

static_assert(int(NPU_CHIP_ON_CHIP) == int(chip::RegionKind::OnChip) &&
                  int(NPU_CHIP_OUTPUT) == int(chip::RegionKind::Output) &&
                  int(NPU_CHIP_WEIGHTS) == int(chip::RegionKind::Weights),
              "chip.h and docs/chip-program.fbs number memories alike");

class Teller {
public:
  Teller(const chip::ProgramT &program, const npu_chip_visitor &visitor)
      : program(program), visitor(visitor) {}

  int32_t tell(const chip::CommandUnion &command) {
    switch (command.type) {
    case chip::Command::Loop:
      return visitor.loop
                 ? visitor.loop(visitor.user, command.AsLoop()->axis.c_str(),
                                command.AsLoop()->trips)
                 : 0;
    case chip::Command::EndLoop:
      return visitor.end_loop ? visitor.end_loop(visitor.user) : 0;
    case chip::Command::Dma:
      return visitor.dma ? tell(*command.AsDma()) : 0;
    default:
      return visitor.compute ? tell(*command.AsCompute()) : 0;
    }
  }

private:
  npu_chip_place told(const chip::PlaceT &place) const {
    npu_chip_place row = {};
    row.offset = place.offset;
    row.steps = place.steps.data();
    row.step_count = place.steps.size();
    if (place.buffer < 0) {
      const chip::RegionT &region = *program.regions[place.region];
      row.memory = static_cast<npu_chip_memory>(region.kind);
      row.number = region.number;
      return row;
    }
    const chip::BufferT &buffer =
        *program.buffers[static_cast<size_t>(place.buffer)];
    row.memory = NPU_CHIP_ON_CHIP;
    row.buffer = buffer.name.c_str();
    row.slot_address = buffer.address;
    row.slot_bytes = buffer.slot_bytes;
    row.slots = buffer.slots;
    row.slot = place.slot;
    row.slot_steps = place.slot_steps.data();
    row.slot_step_count = place.slot_steps.size();
    return row;
  }

  int32_t tell(const chip::DmaT &dma) const {
    std::vector<npu_chip_level> levels;
    for (const chip::Level &level : dma.levels)
      levels.push_back({level.count(), level.source(), level.target()});
    npu_chip_dma row = {told(*dma.source), told(*dma.target), dma.run,
                        levels.data(), levels.size()};
    return visitor.dma(visitor.user, &row);
  }

  int32_t tell(const chip::ComputeT &compute) const {
    const kernels::Problem tile = chip::problemOf(*program.tiles[compute.tile]);
    std::vector<std::string> layouts;
    for (size_t i = 0; i < compute.operands.size(); ++i)
      layouts.push_back(kernels::layoutString(chip::operandOf(tile, i)));
    std::vector<npu_chip_operand> operands;
    for (size_t i = 0; i < compute.operands.size(); ++i) {
      const npu_tensor_desc &tensor = chip::operandOf(tile, i);
      const chip::OperandT &operand = *compute.operands[i];
      npu_chip_operand row = {};
      row.place = told(*operand.place);
      row.type = static_cast<npu_type>(tensor.dtype);
      row.rank = tensor.rank;
      std::copy(tensor.dims, tensor.dims + tensor.rank, row.shape);
      row.layout = layouts[i].c_str();
      row.strides = operand.strides.data();
      row.stride_count = operand.strides.size();
      operands.push_back(row);
    }
    npu_chip_compute row = {};
    row.engine = chip::nameOf(compute.engine);
    row.op = kernels::opName(tile.op);
    row.operands = operands.data();
    row.operand_count = operands.size();
    row.window = chip::windowOf(tile);
    row.instruction_count = tile.instrs.size();
    return visitor.compute(visitor.user, &row);
  }

  const chip::ProgramT &program;
  const npu_chip_visitor &visitor;
};

} // namespace

int32_t visitChip(const chip::ProgramT &program,
                  const npu_chip_visitor &visitor) {
  Teller teller(program, visitor);
  for (const auto &kernel : program.kernels) {
    int32_t ended = visitor.kernel
                        ? visitor.kernel(visitor.user, kernel->name.c_str(),
                                         kernel->node.c_str())
                        : 0;
    for (uint32_t i = 0; ended == 0 && i < kernel->count; ++i)
      ended = teller.tell(program.commands[kernel->first + i]);
    if (ended != 0)
      return ended;
  }
  return 0;
}

} // namespace npu::runtime
