// RUN: npu-opt %s --npu-quantized-io | FileCheck %s

// The example of the pass's description.
// CHECK-LABEL: @example
// CHECK-SAME: (%[[X:.*]]: tensor<1x4xui8> {npu.quantized = {scale = 5.000000e-01 : f64, zero_point = 128 : i64}}) -> tensor<1x4xui8>
// CHECK: return %[[X]]
func.func @example(%x: tensor<1x4xf32>) -> tensor<1x4xui8> {
  %scale = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %zero = npu.constant dense<128> : tensor<ui8> -> tensor<ui8>
  %1 = npu.quantize(%x, %scale, %zero) : (tensor<1x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x4xui8>
  return %1 : tensor<1x4xui8>
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
  %zero = npu.constant dense<-7> : tensor<i8> -> tensor<i8>
  %0 = npu.transpose(%x) {permutation = [1, 0]} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %1 = npu.quantize(%0, %two) {rounding = #npu.rounding<half_away>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xi8>
  %2 = npu.dequantize(%1, %three, %zero) : (tensor<4x2xi8>, tensor<f32>, tensor<i8>) -> tensor<4x2xf32>
  %3 = npu.reshape(%2) : (tensor<4x2xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}

// An input that something else reads, a scale for each column, and what is not
// quantized to bytes stay real numbers.
// CHECK-LABEL: @kept
// CHECK-NOT: npu.quantized
func.func @kept(%x: tensor<1x4xf32>, %y: tensor<1x4xf32>, %z: tensor<1x4xf32>) -> (tensor<1x4xui8>, tensor<1x4xf32>, tensor<1x4xui8>, tensor<1x4xi32>) {
  %scale = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %scales = npu.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32> -> tensor<1x4xf32>
  %1 = npu.quantize(%x, %scale) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xui8>
  %2 = npu.quantize(%y, %scales) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xui8>
  %3 = npu.quantize(%z, %scale) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xi32>
  return %1, %x, %2, %3 : tensor<1x4xui8>, tensor<1x4xf32>, tensor<1x4xui8>, tensor<1x4xi32>
}
