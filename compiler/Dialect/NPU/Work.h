// SPDX-License-Identifier: Apache-2.0
//
// How much an op computes, whatever its layouts: what a cost model starts from.
#ifndef NPU_COMPILER_DIALECT_NPU_WORK_H
#define NPU_COMPILER_DIALECT_NPU_WORK_H

#include "compiler/Dialect/NPU/OutputStage.h"
#include "cost/kernel_work.h"

namespace npu {

/// Which extent of a product each logical dimension of a tensor belongs to: m,
/// k, n, c (count); K and N: count, then k or n. Another sign: to m (of a
/// weight: to k), and it is never cut. Empty: as a row of its own.
struct ProductDims {
  std::string data, weight, result;
};

/// Whether what pads operand 0's blocks along K is multiplied, too.
enum class Depth {
  AsItIs,
  Padded,
  Channels ///< but for so few that the chip reads them without padding
};

/// Of operand 0 a part that is read, or of the result one that is written once
/// more.
struct Part {
  /// A box of operand 0; rows of it, or of the result, and which is known when
  /// it runs.
  enum class Kind { Slice, RowsRead, RowsWritten };

  double share = 0; ///< of its bytes, each access counted
  /// Of each dimension of which not all is, how many neighbours are together.
  SmallVector<std::pair<int64_t, int64_t>, 4> together;
  Kind kind = Kind::Slice;
};

struct Work {
  SmallVector<cost::Product, 1> products; // of a matrix unit
  double elements = 0;                    // results of one vector operation
  Depth depth = Depth::AsItIs;
  /// The first operand: rows that windows one below the other share.
  int64_t haloRows = 0;
  /// Of the products, or of what the vector unit is cut along.
  ProductDims dims = {};
  /// M counts pixels of operand 0, not of the result.
  bool countsDataPixels = false;
  /// Of the vector unit: extents that parts of the op have, and how often it
  /// goes over operand 0 where K is cut.
  std::optional<cost::Product> streamed = {};
  double passes = 1;
  std::optional<Part> part = {};

  double macs() const;
  /// Those of its one product, or streamed; null: it has none.
  const cost::Product *extents() const;
};

/// The work of one kernel op, of npu.fused the sum over its body, without what
/// the array's output stage does. Views and constants have none.
Work workOf(Operation *op, OutputSteps stage = 0);

/// Tells the transfers of an op's operands and results which extents of its
/// work they have; products read the first two.
void assignRoles(Operation *op, const Work &work, cost::KernelWork &transfers);

/// The operand at this place or, past the last, a result.
Value valueAt(Operation *op, size_t index);

/// The dimensions of an operand, or (past the last) of a result, in a product's
/// extents; empty where they are not known.
StringRef productDims(Operation *op, const Work &work, unsigned index);

/// Work of npu.conv2d_winograd with this result (N, O, H, W): a product for
/// each point of a transformed tile; the transforms of its data and of its sums
/// as vector operations. `tile`: 2 or 4 results a side.
Work winogradWork(ArrayRef<int64_t> result, int64_t channels, int64_t tile);

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_WORK_H
