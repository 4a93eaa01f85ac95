// RUN: npu-opt %s --npu-transmit-layout -o %t.once.mlir
// RUN: FileCheck %s < %t.once.mlir
// RUN: npu-opt %t.once.mlir --npu-transmit-layout | diff %t.once.mlir -
// RUN: npu-opt %s --npu-transmit-layout="default-colour=NHWC" | FileCheck %s --check-prefix=NHWC

// `Conv (image) - (image) Reshape (tensor) - (tensor) Gemm`.
// CHECK-LABEL: @multi_modal
// CHECK-SAME: npu.colour = "NCHW"
// CHECK: npu.constant {{.*}}npu.colour = "OIHW"
// CHECK: npu.constant {{.*}}npu.colour = "tensor"
// CHECK: npu.conv2d{{.*}}npu.colour = "NCHW"
// CHECK: npu.reshape{{.*}}npu.colour = "tensor"
// CHECK: npu.matmul{{.*}}npu.colour = "tensor"
func.func @multi_modal(%x: tensor<2x8x6x6xf32>) -> tensor<2x4xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %m = npu.constant dense<1.0> : tensor<288x4xf32> -> tensor<288x4xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.reshape(%0) : (tensor<2x8x6x6xf32>) -> tensor<2x288xf32>
  %2 = npu.matmul(%1, %m) : (tensor<2x288xf32>, tensor<288x4xf32>) -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// `Conv - Reshape - A - B - Reshape - Gemm`: ops in a row that cannot tell. The
// reshape keeps the image's axes apart, so A and B work on an image.
// CHECK-LABEL: @in_a_row
// CHECK: npu.reshape{{.*}}npu.colour = "NCW"
// CHECK: npu.eltwise relu{{.*}}npu.colour = "NCW"
// CHECK: npu.eltwise tanh{{.*}}npu.colour = "NCW"
// CHECK: npu.reshape{{.*}}npu.colour = "tensor"
func.func @in_a_row(%x: tensor<2x8x6x6xf32>) -> tensor<2x4xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %m = npu.constant dense<1.0> : tensor<288x4xf32> -> tensor<288x4xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.reshape(%0) : (tensor<2x8x6x6xf32>) -> tensor<2x8x36xf32>
  %2 = npu.eltwise relu(%1) : (tensor<2x8x36xf32>) -> tensor<2x8x36xf32>
  %3 = npu.eltwise tanh(%2) : (tensor<2x8x36xf32>) -> tensor<2x8x36xf32>
  %4 = npu.reshape(%3) : (tensor<2x8x36xf32>) -> tensor<2x288xf32>
  %5 = npu.matmul(%4, %m) : (tensor<2x288xf32>, tensor<288x4xf32>) -> tensor<2x4xf32>
  return %5 : tensor<2x4xf32>
}

// The first user wins: a convolution, before a matrix product. Nothing tells
// about the second input.
// CHECK-LABEL: @two_users
// CHECK-SAME: %arg0: {{[^%]*}}npu.colour = "NCHW"
// CHECK-SAME: %arg1: {{[^%]*}}npu.colour = "tensor"
// CHECK: npu.eltwise relu(%arg1){{.*}}npu.colour = "tensor"
// NHWC-LABEL: @two_users
// NHWC-SAME: %arg0: {{[^%]*}}npu.colour = "NCHW"
// NHWC-SAME: %arg1: {{[^%]*}}npu.colour = "NHWC"
// NHWC: npu.eltwise relu(%arg1){{.*}}npu.colour = "NHWC"
func.func @two_users(%x: tensor<2x8x8x8xf32>, %y: tensor<2x8x6x6xf32>) -> (tensor<2x8x8x8xf32>, tensor<2x8x8x8xf32>, tensor<2x8x6x6xf32>) {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x8x8xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x8x8xf32>
  %1 = npu.matmul(%x, %x) : (tensor<2x8x8x8xf32>, tensor<2x8x8x8xf32>) -> tensor<2x8x8x8xf32>
  %2 = npu.eltwise relu(%y) : (tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  return %0, %1, %2 : tensor<2x8x8x8xf32>, tensor<2x8x8x8xf32>, tensor<2x8x6x6xf32>
}

// The other way round a matrix product wins; what a convolution gives is an
// image all the same.
// CHECK-LABEL: @matrix_first
// CHECK-SAME: %arg0: {{[^%]*}}npu.colour = "tensor"
// CHECK: npu.matmul{{.*}}npu.colour = "tensor"
// CHECK: npu.conv2d{{.*}}npu.colour = "NCHW"
// CHECK: npu.matmul{{.*}}npu.colour = "tensor"
func.func @matrix_first(%x: tensor<2x8x8x8xf32>, %m: tensor<8x4xf32>) -> (tensor<2x8x8x4xf32>, tensor<2x8x8x4xf32>) {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %0 = npu.matmul(%x, %m) : (tensor<2x8x8x8xf32>, tensor<8x4xf32>) -> tensor<2x8x8x4xf32>
  %1 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x8x8xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x8x8xf32>
  %2 = npu.matmul(%1, %m) : (tensor<2x8x8x8xf32>, tensor<8x4xf32>) -> tensor<2x8x8x4xf32>
  return %0, %2 : tensor<2x8x8x4xf32>, tensor<2x8x8x4xf32>
}

// Through transposes: a Keras model's values are NHWC.
// CHECK-LABEL: @keras
// CHECK-SAME: npu.colour = "NHWC"
// CHECK: npu.eltwise relu{{.*}}npu.colour = "NHWC"
func.func @keras(%x: tensor<2x6x6x8xf32>) -> tensor<2x8x6x6xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %r = npu.eltwise relu(%x) : (tensor<2x6x6x8xf32>) -> tensor<2x6x6x8xf32>
  %0 = npu.transpose(%r) {permutation = [0, 3, 1, 2]} : (tensor<2x6x6x8xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.conv2d(%0, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  return %1 : tensor<2x8x6x6xf32>
}
