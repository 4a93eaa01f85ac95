// RUN: npu-opt %s --npu-lower-quantization | FileCheck %s

// The example of the pass's description.
// CHECK-LABEL: @example
// CHECK-SAME: %[[X:.*]]: tensor<1x4xi32>
// CHECK-DAG: %[[M:.*]] = npu.constant dense<1342177280>
// CHECK-DAG: %[[S:.*]] = npu.constant dense<36>
// CHECK: %[[A:.*]] = npu.eltwise mul_shift(%[[X]], %[[M]], %[[S]])
// CHECK: %[[Z:.*]] = npu.constant dense<3> : tensor<i32>
// CHECK: %[[B:.*]] = npu.eltwise add(%[[A]], %[[Z]])
// CHECK: %[[C:.*]] = npu.eltwise clip(%[[B]]) {alpha = -1.280000e+02 : f32, beta = 1.270000e+02 : f32}
// CHECK: %[[D:.*]] = npu.eltwise cast(%[[C]]) : (tensor<1x4xi32>) -> tensor<1x4xi8>
// CHECK: return %[[D]]
func.func @example(%sum: tensor<1x4xi32>) -> tensor<1x4xi8> {
  %multiplier = npu.constant dense<1342177280> : tensor<i32> -> tensor<i32>
  %shift = npu.constant dense<36> : tensor<i32> -> tensor<i32>
  %1 = npu.requantize(%sum, %multiplier, %shift) {high = 127 : i64, low = -128 : i64, zero_point = 3 : i64} : (tensor<1x4xi32>, tensor<i32>, tensor<i32>) -> tensor<1x4xi8>
  return %1 : tensor<1x4xi8>
}

// Bytes are widened first; TFLite's rounding is the function's own.
// CHECK-LABEL: @of_bytes
// CHECK-SAME: %[[X:.*]]: tensor<1x4xi8>
// CHECK: %[[Z:.*]] = npu.constant dense<-7> : tensor<i32>
// CHECK: %[[A:.*]] = npu.eltwise sub({{.*}}, %[[Z]]) : (tensor<1x4xi32>, tensor<i32>)
// CHECK: npu.eltwise mul_shift(%[[A]], {{.*}}) {alpha = 1.000000e+00 : f32}
// CHECK-NOT: npu.eltwise add
// CHECK: npu.eltwise clip({{.*}}) {beta = 1.270000e+02 : f32}
func.func @of_bytes(%x: tensor<1x4xi8>) -> tensor<1x4xi8> {
  %multiplier = npu.constant dense<1342177280> : tensor<i32> -> tensor<i32>
  %shift = npu.constant dense<36> : tensor<i32> -> tensor<i32>
  %1 = npu.requantize(%x, %multiplier, %shift) {high = 127 : i64, input_zero_point = -7 : i64, low = 0 : i64, rounding = #npu.rounding<twice>} : (tensor<1x4xi8>, tensor<i32>, tensor<i32>) -> tensor<1x4xi8>
  return %1 : tensor<1x4xi8>
}

// All numbers of 32 bits are in range; sums of 64 bits are scaled in 64.
// CHECK-LABEL: @whole_range
// CHECK-SAME: %[[X:.*]]: tensor<4xi64>
// CHECK: %[[A:.*]] = npu.eltwise mul_shift(%[[X]], {{.*}}) : (tensor<4xi64>, tensor<i64>, tensor<i64>) -> tensor<4xi64>
// CHECK: %[[B:.*]] = npu.eltwise cast(%[[A]]) : (tensor<4xi64>) -> tensor<4xi32>
// CHECK: return %[[B]]
func.func @whole_range(%x: tensor<4xi64>) -> tensor<4xi32> {
  %multiplier = npu.constant dense<1342177280> : tensor<i64> -> tensor<i64>
  %shift = npu.constant dense<36> : tensor<i64> -> tensor<i64>
  %1 = npu.requantize(%x, %multiplier, %shift) {high = 2147483647 : i64, low = -2147483648 : i64} : (tensor<4xi64>, tensor<i64>, tensor<i64>) -> tensor<4xi32>
  return %1 : tensor<4xi32>
}

// Zero points of 0 add nothing, and the scale 1 divides by nothing.
// CHECK-LABEL: @quantize
// CHECK-SAME: %[[X:.*]]: tensor<2x4xf32>, %[[SCALE:.*]]: tensor<f32>, %[[ZERO:.*]]: tensor<i8>
// CHECK: %[[A:.*]] = npu.eltwise div(%[[X]], {{.*}}) : (tensor<2x4xf32>, tensor<2x1xf32>)
// CHECK: %[[B:.*]] = npu.eltwise round(%[[A]])
// CHECK: %[[C:.*]] = npu.eltwise add(%[[B]], {{.*}}) : (tensor<2x4xf32>, tensor<2x1xf32>)
// CHECK: npu.eltwise cast(%[[C]]) : (tensor<2x4xf32>) -> tensor<2x4xui8>
// CHECK: %[[D:.*]] = npu.eltwise round_away(%[[X]])
// CHECK: npu.eltwise cast(%[[D]]) : (tensor<2x4xf32>) -> tensor<2x4xi8>
// CHECK: %[[E:.*]] = npu.eltwise div(%[[X]], %[[SCALE]])
// CHECK: %[[F:.*]] = npu.eltwise round(%[[E]])
// CHECK: %[[G:.*]] = npu.eltwise cast(%[[ZERO]]) : (tensor<i8>) -> tensor<f32>
// CHECK: npu.eltwise add(%[[F]], %[[G]])
func.func @quantize(%x: tensor<2x4xf32>, %scale: tensor<f32>, %zero: tensor<i8>) -> (tensor<2x4xui8>, tensor<2x4xi8>, tensor<2x4xi8>) {
  %scales = npu.constant dense<[[0.5], [0.25]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %zeros = npu.constant dense<[[0], [128]]> : tensor<2x1xui8> -> tensor<2x1xui8>
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %none = npu.constant dense<0> : tensor<i8> -> tensor<i8>
  %1 = npu.quantize(%x, %scales, %zeros) : (tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x1xui8>) -> tensor<2x4xui8>
  %2 = npu.quantize(%x, %one, %none) {rounding = #npu.rounding<half_away>} : (tensor<2x4xf32>, tensor<f32>, tensor<i8>) -> tensor<2x4xi8>
  %3 = npu.quantize(%x, %scale, %zero) : (tensor<2x4xf32>, tensor<f32>, tensor<i8>) -> tensor<2x4xi8>
  return %1, %2, %3 : tensor<2x4xui8>, tensor<2x4xi8>, tensor<2x4xi8>
}

// Differences of bytes are floats, those of larger numbers integers.
// CHECK-LABEL: @dequantize
// CHECK: %[[A:.*]] = npu.eltwise cast({{.*}}) : (tensor<4xui8>) -> tensor<4xf32>
// CHECK: %[[Z:.*]] = npu.constant dense<-1.280000e+02> : tensor<f32>
// CHECK: %[[B:.*]] = npu.eltwise add(%[[A]], %[[Z]]) : (tensor<4xf32>, tensor<f32>)
// CHECK: npu.eltwise mul(%[[B]], {{.*}})
// CHECK: %[[C:.*]] = npu.eltwise cast({{.*}}) : (tensor<4xi16>) -> tensor<4xi32>
// CHECK: %[[D:.*]] = npu.eltwise sub(%[[C]], {{.*}}) : (tensor<4xi32>, tensor<i32>)
// CHECK: %[[E:.*]] = npu.eltwise cast(%[[D]]) : (tensor<4xi32>) -> tensor<4xf32>
// CHECK: npu.eltwise mul(%[[E]], {{.*}})
func.func @dequantize(%x: tensor<4xui8>, %y: tensor<4xi16>) -> (tensor<4xf32>, tensor<4xf32>) {
  %scale = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %zero = npu.constant dense<128> : tensor<ui8> -> tensor<ui8>
  %other = npu.constant dense<-1000> : tensor<i16> -> tensor<i16>
  %1 = npu.dequantize(%x, %scale, %zero) : (tensor<4xui8>, tensor<f32>, tensor<ui8>) -> tensor<4xf32>
  %2 = npu.dequantize(%y, %scale, %other) : (tensor<4xi16>, tensor<f32>, tensor<i16>) -> tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}
