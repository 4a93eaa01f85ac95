// SPDX-License-Identifier: Apache-2.0
//
// How much an op computes, whatever its layouts: what a cost model starts from.
#ifndef NPU_COMPILER_DIALECT_NPU_WORK_H
#define NPU_COMPILER_DIALECT_NPU_WORK_H

#include "compiler/Dialect/NPU/OutputStage.h"
#include "cost/kernel_work.h"

namespace npu {

/// Which extent of a product each logical dimension of a tensor belongs to: m,
/// k, n, c (count); K and N: count, then k or n. A dimension with another sign
/// is never cut. Empty: as a row of its own.
struct ProductDims {
  std::string data, weight, result;
};

struct Work {
  SmallVector<cost::Product, 1> products; // of a matrix unit
  double elements = 0;                    // results of one vector operation
  /// The products' K counts the channels of operand 0, N those of the result.
  bool countsChannels = false;
  /// The products' first operand: rows that windows one below the other share.
  int64_t haloRows = 0;
  ProductDims dims = {};

  double macs() const;
};

/// The work of one kernel op, of npu.fused the sum over its body, without what
/// the array's output stage does. Views and constants have none.
Work workOf(Operation *op, OutputSteps stage = 0);

/// Tells the transfers of an op's operands which extents of its products they
/// have; products read the first two.
void assignRoles(Operation *op, const Work &work,
                 std::vector<cost::Transfer> &reads);

/// The dimensions of an operand, or (past the last) of a result, in a product's
/// extents; empty where they are not known.
StringRef productDims(Operation *op, const Work &work, unsigned index);

/// Work of npu.conv2d_winograd with this result (N, O, H, W): a product for
/// each point of a transformed tile; the transforms, and the reading of the
/// larger weights, as vector operations.
Work winogradWork(ArrayRef<int64_t> result, int64_t channels, int64_t tile);

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_WORK_H
