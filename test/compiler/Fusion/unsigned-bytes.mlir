// RUN: npu-opt %s --npu-unsigned-bytes --npu-lower-quantization | FileCheck %s
// RUN: npu-opt %s --npu-unsigned-bytes="target=%S/Inputs/signed-bytes.yaml" --npu-lower-quantization | FileCheck %s --check-prefix=SIGNED

// A chip that has no others keeps their sign.
// SIGNED-NOT: ui8

// The example of the pass's description.
// CHECK-LABEL: @example
// CHECK: %[[A:.*]] = npu.eltwise clip(%arg0)
// CHECK: %[[B:.*]] = npu.eltwise add(%[[A]], %{{.*}}) : (tensor<1x4x3x3xi32>, tensor<i32>)
// CHECK: %[[C:.*]] = npu.eltwise cast(%[[B]]) : (tensor<1x4x3x3xi32>) -> tensor<1x4x3x3xui8>
// CHECK: npu.conv2d(%[[C]], %arg1) {data_zero_point = 125 : i64
func.func @example(%x: tensor<1x4x3x3xi32>, %w: tensor<2x4x1x1xi8>) -> tensor<1x2x3x3xi32> {
  %2 = npu.requantize(%x) {high = 127 : i64, low = -128 : i64} : (tensor<1x4x3x3xi32>) -> tensor<1x4x3x3xi8>
  %3 = npu.conv2d(%2, %w) {data_zero_point = -3 : i64, dilations = [1, 1], groups = 1 : i64, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x3x3xi8>, tensor<2x4x1x1xi8>) -> tensor<1x2x3x3xi32>
  return %3 : tensor<1x2x3x3xi32>
}

// Bounds of bytes are bounds of the number before; what reads it through a
// transpose and what is converted back lose the sign, too.
// CHECK-LABEL: @residual
// CHECK: npu.eltwise clip(%arg0) {alpha = -5.000000e+00 : f32, beta = 1.000000e+02 : f32}
// CHECK-DAG: %[[T:.*]] = npu.transpose({{.*}}) {permutation = [0, 3, 1, 2]} : (tensor<1x3x3x4xui8>) -> tensor<1x4x3x3xui8>
// CHECK-DAG: npu.conv2d(%[[T]], %arg1) {data_zero_point = 128 : i64
// CHECK-DAG: %[[NUMBER:.*]] = npu.constant dense<131> : tensor<i32>
// CHECK-DAG: %[[WIDE:.*]] = npu.eltwise cast(%{{.*}}) : (tensor<1x3x3x4xui8>) -> tensor<1x3x3x4xi32>
// CHECK: npu.eltwise sub(%[[WIDE]], %[[NUMBER]])
// CHECK-NOT: xi8>) -> tensor<1x3x3x4xi32>
func.func @residual(%x: tensor<1x3x3x4xi32>, %w: tensor<2x4x1x1xi8>) -> (tensor<1x2x3x3xi32>, tensor<1x3x3x4xi32>) {
  %low = npu.constant dense<-5> : tensor<i8> -> tensor<i8>
  %high = npu.constant dense<100> : tensor<i8> -> tensor<i8>
  %zero = npu.constant dense<3> : tensor<i32> -> tensor<i32>
  %2 = npu.requantize(%x) {high = 127 : i64, low = -128 : i64} : (tensor<1x3x3x4xi32>) -> tensor<1x3x3x4xi8>
  %3 = npu.eltwise max(%2, %low) : (tensor<1x3x3x4xi8>, tensor<i8>) -> tensor<1x3x3x4xi8>
  %4 = npu.eltwise min(%3, %high) : (tensor<1x3x3x4xi8>, tensor<i8>) -> tensor<1x3x3x4xi8>
  %5 = npu.transpose(%4) {permutation = [0, 3, 1, 2]} : (tensor<1x3x3x4xi8>) -> tensor<1x4x3x3xi8>
  %6 = npu.conv2d(%5, %w) {dilations = [1, 1], groups = 1 : i64, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x3x3xi8>, tensor<2x4x1x1xi8>) -> tensor<1x2x3x3xi32>
  %7 = npu.eltwise cast(%4) : (tensor<1x3x3x4xi8>) -> tensor<1x3x3x4xi32>
  %8 = npu.eltwise sub(%7, %zero) : (tensor<1x3x3x4xi32>, tensor<i32>) -> tensor<1x3x3x4xi32>
  return %6, %8 : tensor<1x2x3x3xi32>, tensor<1x3x3x4xi32>
}

// What leaves the model, or what something else reads, keeps its sign; and so
// does what no sum is made of.
// CHECK-LABEL: @kept
// CHECK-NOT: ui8
func.func @kept(%x: tensor<1x4x3x3xi32>, %w: tensor<2x4x1x1xi8>) -> (tensor<1x2x3x3xi32>, tensor<1x4x3x3xi8>, tensor<1x4x3x3xi32>) {
  %2 = npu.requantize(%x) {high = 127 : i64, low = -128 : i64} : (tensor<1x4x3x3xi32>) -> tensor<1x4x3x3xi8>
  %3 = npu.conv2d(%2, %w) {dilations = [1, 1], groups = 1 : i64, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x3x3xi8>, tensor<2x4x1x1xi8>) -> tensor<1x2x3x3xi32>
  %5 = npu.requantize(%x) {high = 127 : i64, low = -100 : i64} : (tensor<1x4x3x3xi32>) -> tensor<1x4x3x3xi8>
  %6 = npu.eltwise cast(%5) : (tensor<1x4x3x3xi8>) -> tensor<1x4x3x3xi32>
  return %3, %2, %6 : tensor<1x2x3x3xi32>, tensor<1x4x3x3xi8>, tensor<1x4x3x3xi32>
}
