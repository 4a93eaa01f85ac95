// SPDX-License-Identifier: Apache-2.0
#include "test/chip/ChipCase.h"

#include "chip/execution.h"
#include "chip/table.h"

#include <algorithm>

namespace npu::chip::testing {

using kernels::testing::Buffer;

std::unique_ptr<ProgramT> programOf(const kernels::Problem &problem,
                                    int64_t bytes, std::string &whyNot) {
  PlacedKernel kernel;
  kernel.problem = &problem;
  kernel.name = "k0";
  kernel.node = "node";
  std::vector<RegionT> regions;
  for (uint32_t i = 0; i <= problem.inputs.size(); ++i) {
    const bool isResult = i == problem.inputs.size();
    RegionT region;
    region.kind = isResult ? RegionKind::Output : RegionKind::Input;
    region.number = isResult ? 0 : i;
    region.bytes = kernels::storedBytes(operandOf(problem, i));
    kernel.operands.push_back({region.kind, region.number, 0, -1});
    regions.push_back(region);
  }
  Emitter emitter(std::move(regions), bytes, {});
  whyNot = emitter.add(kernel);
  if (!whyNot.empty())
    return nullptr;
  auto program = std::make_unique<ProgramT>();
  whyNot = decode(encode(emitter.take()), *program);
  return whyNot.empty() ? std::move(program) : nullptr;
}

std::vector<double> runOnChip(const ProgramT &program,
                              const kernels::Problem &problem,
                              const Values &inputs, std::string &wrong) {
  std::vector<Buffer> buffers;
  for (size_t i = 0; i <= problem.inputs.size(); ++i) {
    const npu_tensor_desc &tensor = operandOf(problem, i);
    buffers.emplace_back(static_cast<size_t>(kernels::storedBytes(tensor)));
    if (i < problem.inputs.size())
      kernels::testing::storeValues(tensor, inputs[i], buffers.back().data());
  }
  std::vector<uint8_t *> regions;
  for (Buffer &buffer : buffers)
    regions.push_back(buffer.as<uint8_t>());
  regions.push_back(nullptr); // the chip's own
  Execution execution(program, /*threads=*/1, /*checks=*/true);
  wrong = execution.run(regions);
  for (Buffer &buffer : buffers)
    if (!buffer.isIntact())
      wrong += "; bytes behind a region were written";
  if (wrong.empty() && !kernels::testing::paddingIsZero(problem.outputs[0],
                                                        buffers.back().data()))
    wrong = "padding is not zero";
  return kernels::testing::loadValues(problem.outputs[0],
                                      buffers.back().data());
}

size_t countOf(const ProgramT &program, Command kind) {
  return static_cast<size_t>(
      std::count_if(program.commands.begin(), program.commands.end(),
                    [&](const CommandUnion &one) { return one.type == kind; }));
}

kernels::Problem smallConv() {
  return kernels::testing::convProblem(
      kernels::testing::tensor(NPU_F32, {1, 8, 20, 20}, "acdb"), 16, {3, 3},
      /*stride=*/1, /*pad=*/1, /*groups=*/1, "acdb");
}

} // namespace npu::chip::testing
