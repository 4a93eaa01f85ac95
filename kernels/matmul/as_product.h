// SPDX-License-Identifier: Apache-2.0
//
// Convolutions that are matrix products: windows that lie in one piece, without
// padding; each is a row.
#ifndef NPU_KERNELS_MATMUL_AS_PRODUCT_H
#define NPU_KERNELS_MATMUL_AS_PRODUCT_H

#include "kernels/matmul/panel_result.h"

namespace npu::kernels {

/// Rows of data times one constant matrix, and what is fused behind.
struct Product {
  /// The result with columns as its last dimension, what is fused, and whose
  /// operands those instructions read, in the same order.
  Problem problem;
  RowMap data; ///< rows, in f32 elements; they may overlap
  int64_t depth, columns;
  int64_t across;            ///< step of the matrix between columns
  std::vector<int64_t> down; ///< its rows, in elements
  int bias = -1;             ///< operand with one number for each column, or -1
  bool isPacked = false; ///< the matrix is PackedWeights; across, down unset
};

/// False with a reason in one clause where it is none, or its rows do not lie
/// in one piece.
bool asProduct(const Problem &problem, Product &product, std::string &whyNot);

} // namespace npu::kernels

#endif // NPU_KERNELS_MATMUL_AS_PRODUCT_H
