// SPDX-License-Identifier: Apache-2.0
#include "cost/machine.h"

#include "cost/names.h"

namespace npu::cost {

static constexpr std::array<std::string_view, 4> flows = {
    "dot-product", "weight-stationary", "output-stationary",
    "input-stationary"};

std::string_view nameOf(DataFlow flow) {
  return flows[static_cast<size_t>(flow)];
}

std::optional<DataFlow> findDataFlow(std::string_view name) {
  return findByName<DataFlow>(flows, name);
}

std::string_view dataFlowNames() {
  return "dot-product, weight-stationary, output-stationary, input-stationary";
}

const std::array<MachineNumber, 17> machineNumbers = {{
    {"clock", "MHz", &Machine::clockMHz},
    {"mac_rows", "MAC", &Machine::macRows},
    {"mac_columns", "MAC", &Machine::macColumns},
    {"vector_lanes", "lanes", &Machine::vectorLanes},
    {"sram", "KiB", &Machine::sramKiB, true},
    {"sram_banks", "banks", &Machine::sramBanks, true, 65536},
    {"dram", "MiB", &Machine::dramMiB},
    {"dma_bandwidth", "B/cycle", &Machine::dmaBytesPerCycle},
    {"dma_burst", "B", &Machine::dmaBurstBytes},
    {"dma_channels", "channels", &Machine::dmaChannels, true, 2},
    {"dma_start", "cycles", &Machine::dmaStartCycles},
    {"kernel_start", "cycles", &Machine::kernelStartCycles},
    {"cache", "KiB", &Machine::cacheKiB, true},
    {"beyond_cache", "times", &Machine::beyondCacheFactor, true},
    {"unpadded_channels", "channels", &Machine::unpaddedChannels, true},
    {"strided_access", "times", &Machine::stridedAccessFactor},
    {"transpose_bandwidth", "B/cycle", &Machine::transposeBytesPerCycle, true},
}};

} // namespace npu::cost
