// SPDX-License-Identifier: Apache-2.0
//
// The attributes that convolutions and pooling share.
#ifndef NPU_COMPILER_FRONTEND_ONNX_ONNXWINDOW_H
#define NPU_COMPILER_FRONTEND_ONNX_ONNXWINDOW_H

#include "compiler/Frontend/ONNX/OnnxNode.h"

namespace npu {

struct OnnxWindow {
  Ints kernel, strides, dilations;
  Ints pads; // beginnings, then ends
  std::string autoPad;
};

/// Reads strides, dilations, pads and auto_pad for `kernel`, fills in their
/// defaults and checks their lengths and signs.
FailureOr<OnnxWindow> readWindow(OnnxNode &node, ArrayRef<int64_t> kernel);

/// Checks that `data` is (N, C, spatial) of as many dimensions as kernels take.
LogicalResult checkSpatial(OnnxNode &node, Value data);

/// Turns auto_pad of a convolution or pooling into pads.
void resolveAutoPad(OnnxWindow &window, ArrayRef<int64_t> spatial);

/// What a convolution with the node's attributes computes on.
struct ConvOperands {
  Value data, weight;
  Value bias;  // or null
  Type result; // element type
  int64_t dataZeroPoint = 0;
  /// What padding has to be where that depends on data, or null: a number of
  /// the data's type. It is not subtracted.
  Value padding = Value();
};

/// Checks the operands against each other and the node's attributes (null after
/// an error) and creates the convolution.
Value convolve(OnnxNode &node, const ConvOperands &operands);

/// Pooling of (N, C, spatial) with the node's attributes; null after an error.
Value pool(OnnxNode &node, Value data, npu_op kind);
Value globalPool(OnnxNode &node, Value data, npu_op kind);

/// Extent of a dilated kernel.
int64_t dilatedKernel(const OnnxWindow &window, size_t dim);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_ONNX_ONNXWINDOW_H
