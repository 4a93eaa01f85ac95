// SPDX-License-Identifier: Apache-2.0
//
// Scales, or zero points, of packed weights: a row for each block of the depth,
// in panels of columns.
#ifndef NPU_KERNELS_MATMUL_PANEL_PARAMETER_H
#define NPU_KERNELS_MATMUL_PANEL_PARAMETER_H

#include "kernels/kernel.h"

#include <memory>
#include <string>

namespace npu::kernels {

/// Columns of a panel.
constexpr int64_t panelColumns = 64;
/// Rows of data that are multiplied at once.
constexpr int64_t strip = 4;

class PanelParameter {
public:
  /// What all columns have where there is no operand.
  explicit PanelParameter(float everywhere = 0) : otherwise(everywhere) {}

  /// Brings the operand into panels; returns the bytes.
  size_t pack(const npu_tensor_desc &tensor, const void *operand);

  /// Whether there is an operand.
  bool isPacked() const { return across != 0; }

  /// One number for each column of a panel.
  void load(int64_t panel, int64_t block, float *out) const;

private:
  std::shared_ptr<void> stored; // [panel][block][columns of a panel, or 1]
  int32_t dtype = 0;
  int64_t across = 0; // columns of the operand
  int64_t blocks = 0;
  float otherwise;
};

/// Brings what a product with packed weights has of scales and zero points into
/// panels; returns the bytes.
size_t packParameters(const Problem &problem, const void *const *operands,
                      PanelParameter &scales, PanelParameter &zeros);

/// What no kernel of such products takes; empty: nothing of that kind.
std::string whyNotInPanels(const Problem &problem);

} // namespace npu::kernels

#endif // NPU_KERNELS_MATMUL_PANEL_PARAMETER_H
