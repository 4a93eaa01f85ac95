// SPDX-License-Identifier: Apache-2.0
//
// A chip's numbers, as its target file gives them (targets/README.md).
#ifndef NPU_COST_MACHINE_H
#define NPU_COST_MACHINE_H

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace npu::cost {

/// How a matrix product M x K by K x N lies on the array of multipliers.
enum class DataFlow {
  DotProduct,       ///< no fill, no drain: rows x columns products each cycle;
                    ///< of a depthwise convolution, K on rows
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

/// How much of the array works on a product that is smaller than it, or on the
/// rest of a larger one.
enum class ArrayUse {
  Parts, ///< rows and columns that the product has: only these are filled and
         ///< drained
  Whole  ///< all rows and columns, whatever is on them: as SCALE-Sim counts
};

/// "parts".
std::string_view nameOf(ArrayUse use);
std::optional<ArrayUse> findArrayUse(std::string_view name);
std::string_view arrayUseNames();

/// What windows that overlap read of on-chip memory.
enum class WindowReads {
  Each, ///< all of their elements: as SCALE-Sim counts
  Once  ///< what they share is kept beside the array
};

/// "each".
std::string_view nameOf(WindowReads reads);
std::optional<WindowReads> findWindowReads(std::string_view name);
std::string_view windowReadsNames();

/// What continuing a sum reads of on-chip memory, where an earlier fold or tile
/// of K has written it.
enum class SumReads {
  Each, ///< the sum as it was written
  None  ///< nothing, it is added to where it lies: as SCALE-Sim counts
};

/// "each".
std::string_view nameOf(SumReads reads);
std::optional<SumReads> findSumReads(std::string_view name);
std::string_view sumReadsNames();

/// When the weights of an array that keeps them come in.
enum class WeightLoad {
  InTurn, ///< when the fold before them is drained: as SCALE-Sim counts
  Preload ///< while the fold before them runs, beside its weights
};

/// "in-turn".
std::string_view nameOf(WeightLoad load);
std::optional<WeightLoad> findWeightLoad(std::string_view name);
std::string_view weightLoadNames();

/// Which part of a convolution's K lies on the rows of an array at a time.
enum class KRows {
  Either,   ///< window and channels as one
  Channels, ///< channels of one element of the window
  Window    ///< the window of one channel
};

/// "either".
std::string_view nameOf(KRows rows);
std::optional<KRows> findKRows(std::string_view name);
std::string_view kRowsNames();

/// What runs a depthwise convolution.
enum class DepthwiseUnit {
  Columns,  ///< the array, each column a channel of its own
  Channels, ///< the array, as a product for each channel
  Vector    ///< the vector unit
};

/// "columns".
std::string_view nameOf(DepthwiseUnit unit);
std::optional<DepthwiseUnit> findDepthwiseUnit(std::string_view name);
std::string_view depthwiseUnitNames();

/// What goes on at the same time.
enum class Overlap {
  Tiles, ///< what a kernel's buffers let: a tile is loaded while the one before
         ///< is computed, where there is a second buffer for it
  All    ///< computing and moving, each at its own pace, from kernel to kernel
         ///< too: as Vela counts
};

/// "tiles".
std::string_view nameOf(Overlap overlap);
std::optional<Overlap> findOverlap(std::string_view name);
std::string_view overlapNames();

/// Where the vector unit stands, which runs what follows an array's results in
/// the same kernel.
enum class VectorUnit {
  After, ///< takes what the array has finished: their times add up
  Beside ///< takes results as the array gives them: the longer time counts
};

/// "after".
std::string_view nameOf(VectorUnit place);
std::optional<VectorUnit> findVectorUnit(std::string_view name);
std::string_view vectorUnitNames();

struct Machine {
  double clockMHz = 1;
  double macRows = 1, macColumns = 1; ///< of the array of multipliers
  /// On how many rows of a dot-product array a depthwise convolution's kernel
  /// area lies; 0: on all.
  double depthwiseRows = 0;
  double outputLanes = 0; ///< results that leave the array a cycle; 0: all
  double vectorLanes = 1; ///< f32 elements a cycle
  /// On-chip memory; 0: not modelled, kernels are never cut into tiles.
  double sramKiB = 0;
  /// Of equal size; a tile's buffer takes whole banks. 0: not modelled.
  double sramBanks = 0;
  /// Of on-chip memory, all that reads and writes it together; 0: it never
  /// makes anybody wait.
  double sramGBs = 0;
  double dramMiB = 1;
  double dramGBs = 1; ///< in full bursts
  double dmaBurstBytes = 1;
  /// 1: reads and writes take turns; 2: each has its own, of that bandwidth.
  double dmaChannels = 1;
  double dmaStartCycles = 1;
  double kernelStartCycles = 1;
  /// Of a machine with caches: kernels whose operands and results are more move
  /// them so many times slower; 0: there is none.
  double cacheKiB = 0, beyondCacheFactor = 1;
  /// Up to so many input channels are read without their block's padding.
  double unpaddedChannels = 0;
  /// Time of an access whose neighbours lie apart in memory, as a multiple of a
  /// contiguous one.
  double stridedAccessFactor = 1;
  /// Of an engine in the DMA that changes a tensor's innermost dimension on
  /// the way, in place of strided accesses; 0: there is none.
  double transposeBytesPerCycle = 0;
  /// pJ for each byte that passes. 0: the chip says nothing of energy; on-chip
  /// memory also where there is none.
  double dramEnergy = 0, sramEnergy = 0;
  DataFlow dataFlow = DataFlow::DotProduct;
  ArrayUse arrayUse = ArrayUse::Parts;
  VectorUnit vectorUnit = VectorUnit::After;
  WindowReads windowReads = WindowReads::Each;
  SumReads sumReads = SumReads::Each;
  WeightLoad weightLoad = WeightLoad::InTurn;
  KRows kRows = KRows::Either;
  DepthwiseUnit depthwise = DepthwiseUnit::Columns;
  Overlap overlap = Overlap::Tiles;

  double dramBytesPerCycle() const { return perCycle(dramGBs); }
  double sramBytesPerCycle() const { return perCycle(sramGBs); }
  /// Bytes in a cycle of this clock.
  double perCycle(double gigabytesPerSecond) const {
    return gigabytesPerSecond * 1e3 / clockMHz;
  }
  bool saysEnergy() const { return dramEnergy > 0; }
};

/// What a number may be.
enum class Kind {
  Whole,
  Real,
  Lanes ///< whole, or an average where it was measured on a processor
};

/// One of Machine's numbers, by the name that files give it. One that is not
/// given keeps Machine's own value.
struct MachineNumber {
  std::string_view key, unit;
  double Machine::*member;
  bool optional;
  Kind kind;
  double least, most; ///< what is beyond is a mistake
};

extern const std::array<MachineNumber, 22> machineNumbers;

/// Calls visit(key, word, find, names) for each of a Machine's words, by the
/// name that files give it. One that is not given keeps Machine's own.
template <class SomeMachine, class Visit>
void visitWords(SomeMachine &machine, Visit visit) {
  visit("data_flow", machine.dataFlow, findDataFlow, dataFlowNames());
  visit("array_use", machine.arrayUse, findArrayUse, arrayUseNames());
  visit("vector_unit", machine.vectorUnit, findVectorUnit, vectorUnitNames());
  visit("window_reads", machine.windowReads, findWindowReads,
        windowReadsNames());
  visit("sum_reads", machine.sumReads, findSumReads, sumReadsNames());
  visit("weight_load", machine.weightLoad, findWeightLoad, weightLoadNames());
  visit("rows", machine.kRows, findKRows, kRowsNames());
  visit("depthwise", machine.depthwise, findDepthwiseUnit,
        depthwiseUnitNames());
  visit("overlap", machine.overlap, findOverlap, overlapNames());
}

/// "a whole number from 1 to 1e+06"; empty: the number may be that.
std::string expectedOf(const MachineNumber &number, double value);

/// What does not fit together, and the key at which that is said.
struct Contradiction {
  std::string_view key;
  std::string text;
};
/// `isMeasured`: the numbers are what a processor was measured to do.
std::optional<Contradiction> contradictionIn(const Machine &machine,
                                             bool isMeasured);

} // namespace npu::cost

#endif // NPU_COST_MACHINE_H
