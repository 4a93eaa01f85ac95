// SPDX-License-Identifier: Apache-2.0
//
// Convolutions as matrix products: windows are rows. Those that lie in one
// piece, without padding, are rows of numbers; others are several runs.
#ifndef NPU_KERNELS_MATMUL_AS_PRODUCT_H
#define NPU_KERNELS_MATMUL_AS_PRODUCT_H

#include "kernels/matmul/panel_result.h"
#include "kernels/matmul/window_runs.h"

#include <algorithm>

namespace npu::kernels {

/// Rows of data times one constant matrix, and what is fused behind.
struct Product {
  /// The result with columns as its last dimension, what is fused, and whose
  /// operands those instructions read, in the same order.
  Problem problem;
  RowMap data;        ///< rows, in f32 elements; they may overlap
  WindowRuns windows; ///< has rows(): each is several runs, and `data` is empty
  int64_t depth, columns;
  int64_t across;            ///< step of the matrix between columns
  std::vector<int64_t> down; ///< its rows, in elements
  int bias = -1;             ///< operand with one number for each column, or -1
  bool isPacked = false; ///< the matrix is PackedWeights: across, down unset,
  bool isNarrow = false; ///< or of Problem::narrow, where they are set

  int64_t rows() const {
    return std::max(static_cast<int64_t>(data.at.size()), windows.rows());
  }
  /// Names the order of `down`, as far as the problem does not.
  std::string order() const { return "op " + std::to_string(problem.op); }
  /// Fewer rows than it pays to make weights real for: numbers that never leave
  /// the registers are as fast (matmul_packed.cpp).
  bool hasFewRows() const {
    return (isPacked || isNarrow) && windows.rows() == 0 && rows() < 16;
  }
};

/// Where the weights of each number of a window lie, of result channel 0.
std::vector<int64_t> weightsOfWindow(const npu_tensor_desc &w);

/// The result of a convolution and what is fused behind it with channels as
/// columns; the data and the weights stay as they are. False where what is
/// fused reads those.
bool describeColumns(const Problem &conv, Product &product);

/// False with a reason in one clause where it is none, or its rows do not lie
/// in one piece. In several only where the weights are narrow: oneDNN's
/// kernels are as fast, but read f32 only.
bool asProduct(const Problem &problem, Product &product, std::string &whyNot);

/// The same of a product that hasPackedWeights(); a row's numbers may lie
/// apart.
bool packedAsProduct(const Problem &matmul, Product &product,
                     std::string &whyNot);

} // namespace npu::kernels

#endif // NPU_KERNELS_MATMUL_AS_PRODUCT_H
