// RUN: npu-opt %s --npu-match-columns=target=npu-nhwc | FileCheck %s
// RUN: npu-opt %s --npu-match-columns=target=npu-nchw | FileCheck %s --check-prefix=CHANNELS
// RUN: npu-opt %s --npu-match-columns | FileCheck %s --check-prefix=CHANNELS

// The example of the pass's description; where channels are in front of the
// image, columns are a transposed matrix.
// CHECK-LABEL: @example
// CHECK: %[[X:.*]] = npu.conv2d(
// CHECK: npu.constant dense<{{.*}}1.0{{.*}}2.0{{.*}}3.0{{.*}}4.0{{.*}}> : tensor<1x2x2x1xf32>
// CHECK: %[[C:.*]] = npu.conv2d(%[[X]], %{{.*}}) {{.*}} -> tensor<1x1x1x5xf32>
// CHECK: %[[T:.*]] = npu.transpose(%[[C]]) {permutation = [3, 0, 2, 1]}
// CHECK: npu.reshape(%[[T]]) {{.*}} -> tensor<5x1xf32>
// CHANNELS-LABEL: @example
// CHANNELS: npu.matmul(
func.func @example(%d: tensor<1x2x2x5xf32>) -> tensor<5x1xf32> {
  %v = npu.constant dense<1.0> : tensor<2x2x1x1xf32> -> tensor<2x2x1x1xf32>
  %x = npu.conv2d(%d, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x2x5xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x2x5xf32>
  %0 = npu.transpose(%x) {permutation = [3, 0, 1, 2]} : (tensor<1x2x2x5xf32>) -> tensor<5x1x2x2xf32>
  %1 = npu.reshape(%0) : (tensor<5x1x2x2xf32>) -> tensor<5x4xf32>
  %w = npu.constant dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32> -> tensor<4x1xf32>
  %2 = npu.matmul(%1, %w) : (tensor<5x4xf32>, tensor<4x1xf32>) -> tensor<5x1xf32>
  return %2 : tensor<5x1xf32>
}

// With the offset, channels behind rows in a column, batches, behind a function.
// CHECK-LABEL: @offset
// CHECK: npu.conv2d({{.*}} : (tensor<2x3x2x5xf32>, tensor<4x3x2x1xf32>, tensor<4xf32>) -> tensor<2x4x1x5xf32>
// CHECK-NOT: npu.eltwise add
func.func @offset(%d: tensor<2x2x2x5xf32>) -> tensor<5x2x4xf32> {
  %v = npu.constant dense<1.0> : tensor<3x2x1x1xf32> -> tensor<3x2x1x1xf32>
  %x = npu.conv2d(%d, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x2x2x5xf32>, tensor<3x2x1x1xf32>) -> tensor<2x3x2x5xf32>
  %r = npu.eltwise relu(%x) : (tensor<2x3x2x5xf32>) -> tensor<2x3x2x5xf32>
  %0 = npu.transpose(%r) {permutation = [3, 0, 2, 1]} : (tensor<2x3x2x5xf32>) -> tensor<5x2x2x3xf32>
  %1 = npu.reshape(%0) : (tensor<5x2x2x3xf32>) -> tensor<5x2x6xf32>
  %w = npu.constant dense<[[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]]> : tensor<6x4xf32> -> tensor<6x4xf32>
  %b = npu.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> -> tensor<4xf32>
  %2 = npu.matmul(%1, %w) : (tensor<5x2x6xf32>, tensor<6x4xf32>) -> tensor<5x2x4xf32>
  %3 = npu.eltwise add(%b, %2) : (tensor<4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
  return %3 : tensor<5x2x4xf32>
}

// A row that is the whole image lies in one piece, one of channels as well; a
// graph input has the model's order.
// CHECK-LABEL: @keep
// CHECK-COUNT-3: npu.matmul(
// CHECK-NOT: npu.matmul(
func.func @keep(%d: tensor<1x2x2x5xf32>) -> (tensor<1x1xf32>, tensor<10x1xf32>, tensor<5x1xf32>) {
  %v = npu.constant dense<1.0> : tensor<2x2x1x1xf32> -> tensor<2x2x1x1xf32>
  %x = npu.conv2d(%d, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x2x5xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x2x5xf32>
  %0 = npu.transpose(%x) {permutation = [0, 2, 3, 1]} : (tensor<1x2x2x5xf32>) -> tensor<1x2x5x2xf32>
  %1 = npu.reshape(%0) : (tensor<1x2x5x2xf32>) -> tensor<1x20xf32>
  %w = npu.constant dense<1.0> : tensor<20x1xf32> -> tensor<20x1xf32>
  %2 = npu.matmul(%1, %w) : (tensor<1x20xf32>, tensor<20x1xf32>) -> tensor<1x1xf32>
  %3 = npu.reshape(%0) : (tensor<1x2x5x2xf32>) -> tensor<10x2xf32>
  %u = npu.constant dense<1.0> : tensor<2x1xf32> -> tensor<2x1xf32>
  %4 = npu.matmul(%3, %u) : (tensor<10x2xf32>, tensor<2x1xf32>) -> tensor<10x1xf32>
  %5 = npu.transpose(%d) {permutation = [3, 0, 1, 2]} : (tensor<1x2x2x5xf32>) -> tensor<5x1x2x2xf32>
  %6 = npu.reshape(%5) : (tensor<5x1x2x2xf32>) -> tensor<5x4xf32>
  %c = npu.constant dense<1.0> : tensor<4x1xf32> -> tensor<4x1xf32>
  %7 = npu.matmul(%6, %c) : (tensor<5x4xf32>, tensor<4x1xf32>) -> tensor<5x1xf32>
  return %2, %4, %7 : tensor<1x1xf32>, tensor<10x1xf32>, tensor<5x1xf32>
}
