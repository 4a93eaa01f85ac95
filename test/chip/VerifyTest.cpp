// SPDX-License-Identifier: Apache-2.0
//
// Each check of the verifier, and of a run, with a fault that only it finds.
#include "chip/verify.h"

#include "chip/table.h"
#include "test/chip/ChipCase.h"

#include <gtest/gtest.h>

#include <functional>

using namespace npu::chip;
using namespace npu::chip::testing;
using namespace npu::kernels::testing;

namespace {

/// The small convolution on 4 KiB: every kind of command, loops and two slots.
std::unique_ptr<ProgramT> smallProgram() {
  std::string whyNot;
  auto program = programOf(smallConv(), 4096, whyNot);
  EXPECT_TRUE(program) << whyNot;
  return program;
}

CommandUnion &firstOf(ProgramT &program, Command kind) {
  for (CommandUnion &command : program.commands)
    if (command.type == kind)
      return command;
  ADD_FAILURE() << "there is none";
  return program.commands.front();
}

/// A load into the buffer of input `input`.
DmaT &loadOf(ProgramT &program, const std::string &input) {
  for (CommandUnion &command : program.commands)
    if (DmaT *dma = command.AsDma())
      if (dma->target->buffer >= 0 &&
          program.buffers[static_cast<size_t>(dma->target->buffer)]->name ==
              input)
        return *dma;
  ADD_FAILURE() << "no load of " << input;
  return *firstOf(program, Command::Dma).AsDma();
}

DmaT &storeOf(ProgramT &program) {
  for (CommandUnion &command : program.commands)
    if (DmaT *dma = command.AsDma())
      if (dma->target->buffer < 0)
        return *dma;
  ADD_FAILURE() << "nothing is stored";
  return *firstOf(program, Command::Dma).AsDma();
}

/// Leaves out the last turn of the outermost level.
void shorten(DmaT &dma) {
  Level &level = dma.levels.front();
  level = Level(level.count() - 1, level.source(), level.target());
}

struct Fault {
  const char *says; ///< what the message has
  std::function<void(ProgramT &)> make;
};

RegionT &onChip(ProgramT &program) { return *program.regions.back(); }
ComputeT &computing(ProgramT &program) {
  return *firstOf(program, Command::Compute).AsCompute();
}

const Fault verified[] = {
    {"a region has the unknown kind 9",
     [](ProgramT &p) { p.regions[0]->kind = RegionKind(9); }},
    {"input 0 has -1 bytes", [](ProgramT &p) { p.regions[0]->bytes = -1; }},
    {"input 0 is there twice", [](ProgramT &p) { p.regions[1]->number = 0; }},
    {"no on-chip memory", [](ProgramT &p) { p.regions.pop_back(); }},
    {"has 0 slots", [](ProgramT &p) { p.buffers[0]->slots = 0; }},
    {"of 100 bytes of on-chip memory",
     [](ProgramT &p) { onChip(p).bytes = 100; }},
    {"is held from kernel 0 to 1 of 1",
     [](ProgramT &p) { p.buffers[0]->last = 1; }},
    {"overlap, and both are held",
     [](ProgramT &p) { p.buffers[1]->address = p.buffers[0]->address; }},
    {"ops of plugins have no tiles",
     [](ProgramT &p) { p.tiles[0]->op = NPU_OP_CUSTOM; }},
    {"tile 0: ", [](ProgramT &p) { p.tiles[0]->inputs[0]->extents[1] += 1; }},
    {"tile 0: ", [](ProgramT &p) { p.tiles[0]->inputs[0]->order.pop_back(); }},
    {"expected from 0 to at most",
     [](ProgramT &p) { p.kernels[0]->count += 1; }},
    {"but only", [](ProgramT &p) { p.commands.emplace_back(); }},
    {"has a loop without an end",
     [](ProgramT &p) {
       p.commands.emplace_back();
       p.commands.back().Set(LoopT());
       p.commands.back().AsLoop()->trips = 1;
       p.kernels[0]->count += 1;
     }},
    {"ends a loop that was not begun",
     [](ProgramT &p) {
       p.commands.emplace_back();
       p.commands.back().Set(EndLoopT());
       p.kernels[0]->count += 1;
     }},
    {"has 0 turns",
     [](ProgramT &p) { firstOf(p, Command::Loop).AsLoop()->trips = 0; }},
    {"turns, expected 1 to 2^32",
     [](ProgramT &p) {
       firstOf(p, Command::Loop).AsLoop()->trips = maxExecuted + 1;
     }},
    {"moves runs of 0 bytes", [](ProgramT &p) { storeOf(p).run = 0; }},
    {"has a level of 0 turns",
     [](ProgramT &p) { storeOf(p).levels.emplace_back(0, 1, 1); }},
    {"moves more than 2^42 bytes",
     [](ProgramT &p) {
       storeOf(p).levels.emplace_back(int64_t{1} << 41, 0, 0);
     }},
    {"has a stride that is too large",
     [](ProgramT &p) {
       storeOf(p).levels.emplace_back(4, int64_t{1} << 62, 0);
     }},
    {"which has", [](ProgramT &p) { storeOf(p).target->offset += 1 << 20; }},
    {"which has",
     [](ProgramT &p) { loadOf(p, "k0 input 0").source->offset += 1 << 20; }},
    {"a place that is too far away",
     [](ProgramT &p) { storeOf(p).target->offset = -1; }},
    {"with steps of more than its",
     [](ProgramT &p) { storeOf(p).target->steps.resize(9); }},
    {"buffer 99 of", [](ProgramT &p) { storeOf(p).source->buffer = 99; }},
    {"region 99 of", [](ProgramT &p) { storeOf(p).target->region = 99; }},
    {"which cannot be written",
     [](ProgramT &p) { storeOf(p).target->region = 0; }},
    {"slot -1 of buffer", [](ProgramT &p) { storeOf(p).source->slot = -1; }},
    {"is of the unknown engine 7",
     [](ProgramT &p) { computing(p).engine = Engine(7); }},
    {"computes tile 99 of", [](ProgramT &p) { computing(p).tile = 99; }},
    {"operands, expected 4",
     [](ProgramT &p) { computing(p).operands.pop_back(); }},
    {"strides of operand 0, expected 4",
     [](ProgramT &p) { computing(p).operands[0]->strides = {4}; }},
    {"which only the processor reaches",
     [](ProgramT &p) {
       computing(p).operands[0]->place->buffer = -1;
       computing(p).operands[0]->place->region = 0;
     }},
    {"of the unknown kind 0", [](ProgramT &p) { p.commands[0].Reset(); }},
};

/// Of programs that the verifier takes.
const Fault executed[] = {
    {"which nothing has written",
     [](ProgramT &p) { loadOf(p, "k0 input 0").run -= 4; }},
    {"which nothing has written",
     [](ProgramT &p) { loadOf(p, "k0 input 2").target->offset += 32; }},
    {"which the same kernel has written before",
     [](ProgramT &p) { storeOf(p).target->steps.clear(); }},
    {"was never written", [](ProgramT &p) { shorten(storeOf(p)); }},
};

std::string run(const ProgramT &program) {
  const npu::kernels::Problem problem = smallConv();
  std::string wrong;
  runOnChip(program, problem, inputsFor(problem, 1), wrong);
  return wrong;
}

} // namespace

TEST(Verify, TakesWhatIsEmitted) {
  auto program = smallProgram();
  EXPECT_EQ(verify(*program), "");
  EXPECT_EQ(run(*program), "");
}

TEST(Verify, FindsEachFault) {
  for (const Fault &fault : verified) {
    auto program = smallProgram();
    fault.make(*program);
    EXPECT_NE(verify(*program).find(fault.says), std::string::npos)
        << "expected: " << fault.says << "\nfound: " << verify(*program);
  }
}

TEST(Verify, BuffersHeldInTurnMayOverlap) {
  ProgramT program;
  program.version = programVersion;
  program.regions.push_back(std::make_unique<RegionT>());
  program.regions[0]->kind = RegionKind::OnChip;
  program.regions[0]->bytes = 64;
  for (uint32_t i : {0, 1}) {
    program.kernels.push_back(std::make_unique<KernelT>());
    program.buffers.push_back(std::make_unique<BufferT>());
    program.buffers[i]->slot_bytes = 64;
    program.buffers[i]->first = program.buffers[i]->last = i;
  }
  EXPECT_EQ(verify(program), "");
  program.buffers[0]->last = 1;
  EXPECT_NE(verify(program), "");
}

TEST(Execution, FindsEachFault) {
  for (const Fault &fault : executed) {
    auto program = smallProgram();
    fault.make(*program);
    ASSERT_EQ(verify(*program), "") << fault.says;
    const std::string found = run(*program);
    EXPECT_NE(found.find(fault.says), std::string::npos)
        << "expected: " << fault.says << "\nfound: " << found;
  }
}

TEST(Execution, NamesCommandKernelNodeAndBuffer) {
  auto program = smallProgram();
  loadOf(*program, "k0 input 0").run -= 4;
  const std::string found = run(*program);
  for (const char *part :
       {"command ", "of kernel 'k0' (node 'node') reads byte ",
        "of the on-chip memory (buffer 'k0 input 0')"})
    EXPECT_NE(found.find(part), std::string::npos) << found;
}
