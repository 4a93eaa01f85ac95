// RUN: npu-opt %s --npu-quantized-io | FileCheck %s

// The example of the pass's description.
// CHECK-LABEL: @example
// CHECK-SAME: (%[[X:.*]]: tensor<1x4xui8> {npu.quantized = {scale = 5.000000e-01 : f64, zero_point = 128 : i64}}) -> tensor<1x4xui8>
// CHECK: return %[[X]]
func.func @example(%x: tensor<1x4xf32>) -> tensor<1x4xui8> {
  %scale = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %zero = npu.constant dense<128.0> : tensor<f32> -> tensor<f32>
  %1 = npu.eltwise div(%x, %scale) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  %2 = npu.eltwise round(%1) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %3 = npu.eltwise add(%2, %zero) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  %4 = npu.eltwise cast(%3) : (tensor<1x4xf32>) -> tensor<1x4xui8>
  return %4 : tensor<1x4xui8>
}

// What moves the real numbers moves the bytes; an output is what it is made of.
// CHECK-LABEL: @moved
// CHECK-SAME: (%[[X:.*]]: tensor<2x4xi8> {npu.quantized = {scale = 2.000000e+00 : f64, zero_point = 0 : i64}})
// CHECK-SAME: -> (tensor<8xi8> {npu.quantized = {scale = 3.000000e+00 : f64, zero_point = -7 : i64}})
// CHECK: %[[T:.*]] = npu.transpose(%[[X]]) {permutation = [1, 0]} : (tensor<2x4xi8>) -> tensor<4x2xi8>
// CHECK: %[[Y:.*]] = npu.reshape(%[[T]]) : (tensor<4x2xi8>) -> tensor<8xi8>
// CHECK: return %[[Y]]
func.func @moved(%x: tensor<2x4xf32>) -> tensor<8xf32> {
  %two = npu.constant dense<2.0> : tensor<f32> -> tensor<f32>
  %three = npu.constant dense<3.0> : tensor<f32> -> tensor<f32>
  %zero = npu.constant dense<-7.0> : tensor<f32> -> tensor<f32>
  %0 = npu.transpose(%x) {permutation = [1, 0]} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %1 = npu.eltwise div(%0, %two) : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %2 = npu.eltwise round(%1) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %3 = npu.eltwise cast(%2) : (tensor<4x2xf32>) -> tensor<4x2xi8>
  %4 = npu.eltwise cast(%3) : (tensor<4x2xi8>) -> tensor<4x2xf32>
  %5 = npu.eltwise sub(%4, %zero) : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %6 = npu.eltwise mul(%5, %three) : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %7 = npu.reshape(%6) : (tensor<4x2xf32>) -> tensor<8xf32>
  return %7 : tensor<8xf32>
}

// An input that something else reads, a scale for each column, and what is not
// rounded stay real numbers.
// CHECK-LABEL: @kept
// CHECK-NOT: npu.quantized
func.func @kept(%x: tensor<1x4xf32>, %y: tensor<1x4xf32>, %z: tensor<1x4xf32>) -> (tensor<1x4xui8>, tensor<1x4xf32>, tensor<1x4xui8>, tensor<1x4xui8>) {
  %scale = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %scales = npu.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32> -> tensor<1x4xf32>
  %1 = npu.eltwise div(%x, %scale) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  %2 = npu.eltwise round(%1) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %3 = npu.eltwise cast(%2) : (tensor<1x4xf32>) -> tensor<1x4xui8>
  %4 = npu.eltwise div(%y, %scales) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %5 = npu.eltwise round(%4) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %6 = npu.eltwise cast(%5) : (tensor<1x4xf32>) -> tensor<1x4xui8>
  %7 = npu.eltwise div(%z, %scale) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  %8 = npu.eltwise cast(%7) : (tensor<1x4xf32>) -> tensor<1x4xui8>
  return %3, %x, %6, %8 : tensor<1x4xui8>, tensor<1x4xf32>, tensor<1x4xui8>, tensor<1x4xui8>
}
