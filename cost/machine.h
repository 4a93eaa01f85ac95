// SPDX-License-Identifier: Apache-2.0
//
// A chip's numbers, as its target file gives them (targets/README.md).
#ifndef NPU_COST_MACHINE_H
#define NPU_COST_MACHINE_H

#include <array>
#include <optional>
#include <string_view>

namespace npu::cost {

/// How a matrix product M x K by K x N lies on the array of multipliers.
enum class DataFlow {
  DotProduct,       ///< no fill, no drain: rows x columns products each cycle
  WeightStationary, ///< K on rows, N on columns, M streams
  OutputStationary, ///< M on rows, N on columns, K streams
  InputStationary   ///< K on rows, M on columns, N streams
};

/// "weight-stationary".
std::string_view nameOf(DataFlow flow);
/// By name; empty: none is called so.
std::optional<DataFlow> findDataFlow(std::string_view name);
/// All names, as error messages list them.
std::string_view dataFlowNames();

struct Machine {
  double clockMHz = 0;
  double macRows = 0, macColumns = 0; ///< of the array of multipliers
  double vectorLanes = 0;             ///< f32 elements a cycle
  double sramKiB = 0;
  double dramMiB = 0;
  double dmaBytesPerCycle = 0; ///< in full bursts
  double dmaBurstBytes = 0;
  double dmaStartCycles = 0;
  double kernelStartCycles = 0;
  /// Time of an access whose neighbours lie apart in memory, as a multiple of a
  /// contiguous one.
  double stridedAccessFactor = 1;
  DataFlow dataFlow = DataFlow::DotProduct;
};

/// One of Machine's numbers, by the name that files give it.
struct MachineNumber {
  std::string_view key, unit;
  double Machine::*member;
};

extern const std::array<MachineNumber, 11> machineNumbers;

} // namespace npu::cost

#endif // NPU_COST_MACHINE_H
