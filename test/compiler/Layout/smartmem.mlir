// RUN: npu-opt %s --npu-assign-layout="strategy=smartmem target=npu-nhwc verify-exactly=true" | FileCheck %s
// RUN: npu-opt %s --npu-assign-layout="strategy=smartmem target=host verify-exactly=true" | FileCheck %s --check-prefix=HOST

// Of two operands in different orders a sum, which does not care, takes the one
// that most of its readers wish for: here two convolutions against an output.
// CHECK-LABEL: @most_read_images
// CHECK: npu.relayout(%arg0)
// CHECK: npu.conv2d
// CHECK: npu.relayout(%arg1)
// CHECK: npu.eltwise add{{.*}} -> tensor<1x8x6x6xf32, #npu.layout<acdb>>
func.func @most_read_images(%x: tensor<1x8x6x6xf32>, %y: tensor<1x8x6x6xf32>) -> (tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>) {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x6x6xf32>
  %s = npu.eltwise add(%0, %y) : (tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  %1 = npu.conv2d(%s, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x6x6xf32>
  %2 = npu.conv2d(%s, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x6x6xf32>
  return %s, %1, %2 : tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>
}

// One convolution against two outputs, one of them behind a Reshape.
// CHECK-LABEL: @most_read_rows
// CHECK: npu.conv2d
// CHECK: npu.eltwise add{{.*}} -> tensor<1x8x6x6xf32, #npu.layout<abcd>>
func.func @most_read_rows(%x: tensor<1x8x6x6xf32>, %y: tensor<1x8x6x6xf32>) -> (tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>, tensor<1x288xf32>) {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x6x6xf32>
  %s = npu.eltwise add(%0, %y) : (tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  %1 = npu.conv2d(%s, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x6x6xf32>
  %2 = npu.reshape(%s) : (tensor<1x8x6x6xf32>) -> tensor<1x288xf32>
  return %s, %1, %2 : tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>, tensor<1x288xf32>
}

// Nothing is demanded on a processor: a convolution reads what it sums over,
// the channels, side by side; one that sums over no channel does not care. The
// Reshape and the Transpose between them go.
// HOST-LABEL: @sums
// HOST: npu.relayout(%arg0) : {{.*}} -> tensor<1x8x6x6xf32, #npu.layout<acdb>>
// HOST: npu.conv2d{{.*}} -> tensor<1x8x6x6xf32, #npu.layout<acdb>>
// HOST-NOT: npu.relayout
// HOST: npu.reshape
// HOST: npu.transpose
// HOST: npu.eltwise relu
// HOST-NOT: npu.relayout
// HOST: return
func.func @sums(%x: tensor<1x8x6x6xf32>) -> tensor<1x36x8xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x6x6xf32>
  %1 = npu.reshape(%0) : (tensor<1x8x6x6xf32>) -> tensor<1x8x36xf32>
  %2 = npu.transpose(%1) {permutation = [0, 2, 1]} : (tensor<1x8x36xf32>) -> tensor<1x36x8xf32>
  %3 = npu.eltwise relu(%2) : (tensor<1x36x8xf32>) -> tensor<1x36x8xf32>
  return %3 : tensor<1x36x8xf32>
}

// HOST-LABEL: @depthwise
// HOST-NOT: npu.relayout
// HOST: return
func.func @depthwise(%x: tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32> {
  %w = npu.constant dense<1.0> : tensor<8x1x1x1xf32> -> tensor<8x1x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 8, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x6x6xf32>, tensor<8x1x1x1xf32>) -> tensor<1x8x6x6xf32>
  return %0 : tensor<1x8x6x6xf32>
}

// A Reshape that no order passes through: its operand is brought to where the
// reader's wish shows, once, in front of it.
// CHECK-LABEL: @flatten
// CHECK: npu.relayout(%arg0)
// CHECK: npu.conv2d
// CHECK: npu.eltwise relu{{.*}} -> tensor<2x8x6x6xf32, #npu.layout<acdb>>
// CHECK: npu.relayout
// CHECK: npu.reshape
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @flatten(%x: tensor<2x8x6x6xf32>) -> tensor<2x4xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %m = npu.constant dense<1.0> : tensor<288x4xf32> -> tensor<288x4xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.eltwise relu(%0) : (tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  %2 = npu.reshape(%1) : (tensor<2x8x6x6xf32>) -> tensor<2x288xf32>
  %3 = npu.matmul(%2, %m) : (tensor<2x288xf32>, tensor<288x4xf32>) -> tensor<2x4xf32>
  return %3 : tensor<2x4xf32>
}
