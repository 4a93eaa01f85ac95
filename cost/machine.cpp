// SPDX-License-Identifier: Apache-2.0
#include "cost/machine.h"

#include "cost/names.h"

#include <cmath>
#include <cstdio>

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

static constexpr std::array<std::string_view, 2> uses = {"parts", "whole"};

std::string_view nameOf(ArrayUse use) { return uses[static_cast<size_t>(use)]; }

std::optional<ArrayUse> findArrayUse(std::string_view name) {
  return findByName<ArrayUse>(uses, name);
}

std::string_view arrayUseNames() { return "parts, whole"; }

// Cycles of a network must be whole in 64 bits, so no number is larger.
static constexpr double most = 1e12, mostUnits = 1e6, mostBanks = 65536,
                        tiny = 1e-6;

const std::array<MachineNumber, 17> machineNumbers = {{
    {"clock", "MHz", &Machine::clockMHz, false, Kind::Real, tiny, most},
    {"mac_rows", "MAC", &Machine::macRows, false, Kind::Whole, 1, mostUnits},
    {"mac_columns", "MAC", &Machine::macColumns, false, Kind::Whole, 1,
     mostUnits},
    {"vector_lanes", "lanes", &Machine::vectorLanes, false, Kind::Whole, 1,
     mostUnits},
    {"sram", "KiB", &Machine::sramKiB, true, Kind::Real, tiny, most},
    {"sram_banks", "banks", &Machine::sramBanks, true, Kind::Whole, 2,
     mostBanks},
    {"dram", "MiB", &Machine::dramMiB, false, Kind::Real, tiny, most},
    {"dma_bandwidth", "B/cycle", &Machine::dmaBytesPerCycle, false, Kind::Real,
     tiny, most},
    {"dma_burst", "B", &Machine::dmaBurstBytes, false, Kind::Whole, 1, most},
    {"dma_channels", "channels", &Machine::dmaChannels, true, Kind::Whole, 1,
     2},
    {"dma_start", "cycles", &Machine::dmaStartCycles, false, Kind::Real, 0,
     most},
    {"kernel_start", "cycles", &Machine::kernelStartCycles, false, Kind::Real,
     0, most},
    {"cache", "KiB", &Machine::cacheKiB, true, Kind::Real, tiny, most},
    {"beyond_cache", "times", &Machine::beyondCacheFactor, true, Kind::Real, 1,
     most},
    {"unpadded_channels", "channels", &Machine::unpaddedChannels, true,
     Kind::Whole, 0, most},
    {"strided_access", "times", &Machine::stridedAccessFactor, false,
     Kind::Real, 1, most},
    {"transpose_bandwidth", "B/cycle", &Machine::transposeBytesPerCycle, true,
     Kind::Real, tiny, most},
}};

static std::string formatted(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string expectedOf(const MachineNumber &number, double value) {
  bool isKind = number.kind == Kind::Real || value == std::floor(value);
  if (isKind && value >= number.least && value <= number.most)
    return "";
  return std::string(number.kind == Kind::Whole ? "a whole number"
                                                : "a number") +
         " from " + formatted(number.least) + " to " + formatted(number.most);
}

std::optional<Contradiction> contradictionIn(const Machine &machine) {
  if (machine.sramBanks > 0 && machine.sramKiB <= 0)
    return Contradiction{"sram_banks", "there are banks of on-chip memory, but "
                                       "no `sram` that says how much there is"};
  if (machine.sramBanks > machine.sramKiB * 1024)
    return Contradiction{"sram_banks",
                         formatted(machine.sramBanks) +
                             " banks have less than a byte each of `sram`, " +
                             formatted(machine.sramKiB) + " KiB"};
  if (machine.beyondCacheFactor > 1 && machine.cacheKiB <= 0)
    return Contradiction{"beyond_cache", "there is no `cache` that says what "
                                         "lies beyond"};
  if (machine.dramMiB * 1024 < machine.sramKiB)
    return Contradiction{"dram", formatted(machine.dramMiB) +
                                     " MiB are less than what `sram` says, " +
                                     formatted(machine.sramKiB) + " KiB"};
  return std::nullopt;
}

} // namespace npu::cost
