// SPDX-License-Identifier: Apache-2.0
//
// Weights of a matrix product that stay as small as they are stored: numbers of
// few bits in panels of columns, their scales and zero points beside them. A
// panel's numbers become floats some rows at a time, right before they are
// multiplied by.
#ifndef NPU_KERNELS_MATMUL_PACKED_WEIGHTS_H
#define NPU_KERNELS_MATMUL_PACKED_WEIGHTS_H

#include "kernels/matmul/half_bytes.h"
#include "kernels/matmul/panel_result.h"

namespace npu::kernels {

class PackedWeights {
public:
  /// Of a problem that hasPackedWeights() and whose operands behind a are
  /// constants.
  explicit PackedWeights(const Problem &problem);

  /// Of a constant whose number for row k and column n is element down[k] +
  /// n * across. Scales differ by column, if they do.
  PackedWeights(const Narrow &narrow, int64_t rows, int64_t columns);

  int64_t depth() const { return rows; }
  bool isPacked() const { return numbers != nullptr; }
  int64_t panels() const;

  /// Brings the operands into panels; returns the bytes.
  size_t pack(const Problem &problem, const void *const *operands);
  /// `rowOrder` names the order that `down` has.
  size_t pack(const Narrow &narrow, const std::string &rowOrder,
              const std::vector<int64_t> &down, int64_t across, int threads);

  /// Whether some floats are smaller than the smallest normal number, but no
  /// zero.
  bool hasDenormals() const { return areSmall; }

  /// Where the numbers of rows [first, last) of a panel lie.
  Kernel::Bytes bytesOf(int64_t panel, int64_t first, int64_t last) const;

  /// Rows [first, last) of a panel as floats, row by row.
  void unpack(int64_t panel, int64_t first, int64_t last, float *out) const;

  /// sums[i][column] of all the depth, without unpacking: for few rows.
  void multiply(int64_t panel, const DataRows &data, float *sums) const;

private:
  /// Runs `body(first, last, scales, zeros)` for the parts of rows [first,
  /// last) that have one row of scales.
  template <typename Body>
  void inBlocks(int64_t panel, int64_t first, int64_t last, Body body) const;
  int64_t panelBytes() const;
  /// Where row k of a panel lies, perhaps with others.
  const uint8_t *unitOf(int64_t panel, int64_t k) const;
  void packNumbers(const npu_tensor_desc &b, const void *operand, int threads,
                   uint8_t *to) const;
  void packPanel(const Narrow &narrow, const std::vector<int64_t> &down,
                 int64_t across, Range mine, uint8_t *to) const;
  size_t packColumns(const Narrow &narrow);

  int kind; // how numbers are stored
  int64_t rows, columns, block;
  bool areSmall = false;
  PanelParameter scales, zeros;
  std::shared_ptr<void> numbers; // [panel][rows that share bytes][column]
};

/// Whether no narrow number, scale or offset is infinite or NaN.
bool areFinite(const Narrow &narrow);

/// What no kernel takes that makes floats of packed weights; empty: nothing of
/// that kind.
std::string whyNotAsFloats(const Problem &problem);

/// sums[i][column] of `count` rows of floats that unpack() gave, added to what
/// is there unless `isFirst`.
void multiplyPanel(const float *panel, int64_t count, const DataRows &data,
                   bool isFirst, float *sums);

} // namespace npu::kernels

#endif // NPU_KERNELS_MATMUL_PACKED_WEIGHTS_H
