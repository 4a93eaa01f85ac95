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

static constexpr std::array<std::string_view, 2> places = {"after", "beside"};

std::string_view nameOf(VectorUnit place) {
  return places[static_cast<size_t>(place)];
}

std::optional<VectorUnit> findVectorUnit(std::string_view name) {
  return findByName<VectorUnit>(places, name);
}

std::string_view vectorUnitNames() { return "after, beside"; }

static constexpr std::array<std::string_view, 2> windows = {"each", "once"};

std::string_view nameOf(WindowReads reads) {
  return windows[static_cast<size_t>(reads)];
}

std::optional<WindowReads> findWindowReads(std::string_view name) {
  return findByName<WindowReads>(windows, name);
}

std::string_view windowReadsNames() { return "each, once"; }

static constexpr std::array<std::string_view, 2> sums = {"each", "none"};

std::string_view nameOf(SumReads reads) {
  return sums[static_cast<size_t>(reads)];
}

std::optional<SumReads> findSumReads(std::string_view name) {
  return findByName<SumReads>(sums, name);
}

std::string_view sumReadsNames() { return "each, none"; }

static constexpr std::array<std::string_view, 2> loads = {"in-turn", "preload"};

std::string_view nameOf(WeightLoad load) {
  return loads[static_cast<size_t>(load)];
}

std::optional<WeightLoad> findWeightLoad(std::string_view name) {
  return findByName<WeightLoad>(loads, name);
}

std::string_view weightLoadNames() { return "in-turn, preload"; }

static constexpr std::array<std::string_view, 3> rowParts = {
    "either", "channels", "window"};

std::string_view nameOf(KRows rows) {
  return rowParts[static_cast<size_t>(rows)];
}

std::optional<KRows> findKRows(std::string_view name) {
  return findByName<KRows>(rowParts, name);
}

std::string_view kRowsNames() { return "either, channels, window"; }

static constexpr std::array<std::string_view, 3> units = {"columns", "channels",
                                                          "vector"};

std::string_view nameOf(DepthwiseUnit unit) {
  return units[static_cast<size_t>(unit)];
}

std::optional<DepthwiseUnit> findDepthwiseUnit(std::string_view name) {
  return findByName<DepthwiseUnit>(units, name);
}

std::string_view depthwiseUnitNames() { return "columns, channels, vector"; }

static constexpr std::array<std::string_view, 2> overlaps = {"tiles", "all"};

std::string_view nameOf(Overlap overlap) {
  return overlaps[static_cast<size_t>(overlap)];
}

std::optional<Overlap> findOverlap(std::string_view name) {
  return findByName<Overlap>(overlaps, name);
}

std::string_view overlapNames() { return "tiles, all"; }

// Cycles of a network must be whole in 64 bits, so no number is larger.
static constexpr double most = 1e12, mostUnits = 1e6, mostBanks = 65536,
                        tiny = 1e-6, byteInKiB = 1.0 / 1024;

const std::array<MachineNumber, 22> machineNumbers = {{
    {"clock", "MHz", &Machine::clockMHz, false, Kind::Real, tiny, most},
    {"mac_rows", "MAC", &Machine::macRows, false, Kind::Lanes, tiny, mostUnits},
    {"mac_columns", "MAC", &Machine::macColumns, false, Kind::Lanes, tiny,
     mostUnits},
    {"depthwise_rows", "MAC", &Machine::depthwiseRows, true, Kind::Whole, 1,
     mostUnits},
    {"output_lanes", "lanes", &Machine::outputLanes, true, Kind::Whole, 1,
     mostUnits},
    {"vector_lanes", "lanes", &Machine::vectorLanes, false, Kind::Lanes, tiny,
     mostUnits},
    {"sram", "KiB", &Machine::sramKiB, true, Kind::Real, byteInKiB, most},
    {"sram_banks", "banks", &Machine::sramBanks, true, Kind::Whole, 2,
     mostBanks},
    {"sram_bandwidth", "GB/s", &Machine::sramGBs, true, Kind::Real, tiny, most},
    {"dram", "MiB", &Machine::dramMiB, false, Kind::Real, tiny, most},
    {"dram_bandwidth", "GB/s", &Machine::dramGBs, false, Kind::Real, tiny,
     most},
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
    {"dram_energy", "pJ/B", &Machine::dramEnergy, true, Kind::Real, tiny,
     mostUnits},
    {"sram_energy", "pJ/B", &Machine::sramEnergy, true, Kind::Real, tiny,
     mostUnits},
}};

static std::string formatted(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

static std::string rangeOf(const MachineNumber &number) {
  double least = number.kind == Kind::Lanes ? 1 : number.least;
  return std::string(number.kind == Kind::Real ? "a number"
                                               : "a whole number") +
         " from " + formatted(least) + " to " + formatted(number.most);
}

std::string expectedOf(const MachineNumber &number, double value) {
  bool isKind = number.kind != Kind::Whole || value == std::floor(value);
  bool isWithin = value >= number.least && value <= number.most;
  return isKind && isWithin ? "" : rangeOf(number);
}

static std::optional<Contradiction> brokenLanesIn(const Machine &machine) {
  for (const MachineNumber &number : machineNumbers) {
    double value = machine.*number.member;
    if (number.kind == Kind::Lanes && (value != std::floor(value) || value < 1))
      return Contradiction{
          number.key, "'" + formatted(value) + " " + std::string(number.unit) +
                          "', expected " + rangeOf(number) +
                          "; only what was measured (key `measured`) may "
                          "be an average"};
  }
  return std::nullopt;
}

/// Energy without one of its parts would be less than the chip takes.
static std::optional<Contradiction> partOfEnergy(const Machine &machine) {
  bool hasMemory = machine.sramKiB > 0;
  if (machine.sramEnergy > 0 && !hasMemory)
    return Contradiction{"sram_energy",
                         "there is no `sram` that takes this energy"};
  if (machine.sramEnergy > 0 && !machine.saysEnergy())
    return Contradiction{"sram_energy",
                         "is a part of a chip's energy; `dram_energy`, which "
                         "is the other, is missing"};
  if (machine.saysEnergy() && hasMemory && machine.sramEnergy <= 0)
    return Contradiction{"dram_energy",
                         "is a part of a chip's energy; `sram_energy`, which "
                         "is the other, is missing"};
  return std::nullopt;
}

std::optional<Contradiction> contradictionIn(const Machine &machine,
                                             bool isMeasured) {
  if (!isMeasured)
    if (auto lanes = brokenLanesIn(machine))
      return lanes;
  if (machine.sramBanks > 0 && machine.sramKiB <= 0)
    return Contradiction{"sram_banks", "there are banks of on-chip memory, but "
                                       "no `sram` that says how much there is"};
  if (machine.depthwiseRows > machine.macRows)
    return Contradiction{"depthwise_rows",
                         formatted(machine.depthwiseRows) +
                             " MAC are more than what `mac_rows` says, " +
                             formatted(machine.macRows) + " MAC"};
  if (machine.depthwiseRows > 0 && machine.dataFlow != DataFlow::DotProduct)
    return Contradiction{"depthwise_rows",
                         "is of `data_flow: dot-product` alone"};
  if (machine.depthwiseRows > 0 && machine.depthwise != DepthwiseUnit::Columns)
    return Contradiction{"depthwise_rows", "is of `depthwise: columns` alone"};
  if (machine.sramGBs > 0 && machine.sramKiB <= 0)
    return Contradiction{"sram_bandwidth",
                         "there is no `sram` that has this bandwidth"};
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
  return partOfEnergy(machine);
}

} // namespace npu::cost
