// Elementwise operators, and what npu.eltwise makes of their attributes.
// RUN: tosa-import %s | FileCheck %s

// A function of one operand.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.eltwise rsqrt(%[[X0]]) : {{.*}} -> tensor<2x3xf32>
// CHECK-NEXT: return %[[V0]]
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = tosa.rsqrt %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----
// Operands are broadcast, here along a batch that is open in the file.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}, %[[X1:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.eltwise sub(%[[X0]], %[[X1]]) : {{.*}} -> tensor<2x3xf32>
// CHECK-NEXT: return %[[V0]]
func.func @f(%x: tensor<?x3xf32>, %y: tensor<1x3xf32>) -> tensor<?x3xf32> {
  %z = tosa.sub %x, %y : (tensor<?x3xf32>, tensor<1x3xf32>) -> tensor<?x3xf32>
  return %z : tensor<?x3xf32>
}

// -----
// Bounds of floats are numbers of the op, those of integers operands.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}, %[[X1:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.eltwise clip(%[[X0]]) {alpha = -1.000000e+00 : f32, beta = 6.000000e+00 : f32} : {{.*}} -> tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = npu.constant dense<-3>{{.*}} -> tensor<i8>
// CHECK-NEXT: %[[V2:.*]] = npu.eltwise max(%[[X1]], %[[V1]]) : {{.*}} -> tensor<4xi8>
// CHECK-NEXT: %[[V3:.*]] = npu.constant dense<99>{{.*}} -> tensor<i8>
// CHECK-NEXT: %[[V4:.*]] = npu.eltwise min(%[[V2]], %[[V3]]) : {{.*}} -> tensor<4xi8>
// CHECK-NEXT: return %[[V0]], %[[V4]]
func.func @f(%x: tensor<4xf32>, %y: tensor<4xi8>) -> (tensor<4xf32>, tensor<4xi8>) {
  %a = tosa.clamp %x {min_val = -1.0 : f32, max_val = 6.0 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  %b = tosa.clamp %y {min_val = -3 : i8, max_val = 99 : i8} : (tensor<4xi8>) -> tensor<4xi8>
  return %a, %b : tensor<4xf32>, tensor<4xi8>
}

// -----
// NaN as nothing: the other operand takes its place.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}, %[[X1:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.eltwise equal(%[[X0]], %[[X0]]) : {{.*}} -> tensor<4xi1>
// CHECK-NEXT: %[[V1:.*]] = npu.eltwise logical_not(%[[V0]]) : {{.*}} -> tensor<4xi1>
// CHECK-NEXT: %[[V2:.*]] = npu.eltwise select(%[[V1]], %[[X1]], %[[X0]]) : {{.*}} -> tensor<4xf32>
// CHECK-NEXT: %[[V3:.*]] = npu.eltwise equal(%[[X1]], %[[X1]]) : {{.*}} -> tensor<4xi1>
// CHECK-NEXT: %[[V4:.*]] = npu.eltwise logical_not(%[[V3]]) : {{.*}} -> tensor<4xi1>
// CHECK-NEXT: %[[V5:.*]] = npu.eltwise select(%[[V4]], %[[X0]], %[[X1]]) : {{.*}} -> tensor<4xf32>
// CHECK-NEXT: %[[V6:.*]] = npu.eltwise max(%[[V2]], %[[V5]]) : {{.*}} -> tensor<4xf32>
// CHECK-NEXT: return %[[V6]]
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %z = tosa.maximum %x, %y {nan_mode = IGNORE} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----
// Integers are negated in 32 bits between their zero points.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.constant dense<2>{{.*}} -> tensor<i32>
// CHECK-NEXT: %[[V1:.*]] = npu.eltwise cast(%[[X0]]) : {{.*}} -> tensor<4xi32>
// CHECK-NEXT: %[[V2:.*]] = npu.eltwise sub(%[[V0]], %[[V1]]) : {{.*}} -> tensor<4xi32>
// CHECK-NEXT: %[[V3:.*]] = npu.requantize(%[[V2]]) {high = 127 : i64, low = -128 : i64} : {{.*}} -> tensor<4xi8>
// CHECK-NEXT: return %[[V3]]
func.func @f(%x: tensor<4xi8>) -> tensor<4xi8> {
  %a = "tosa.const"() {values = dense<-5> : tensor<1xi8>} : () -> tensor<1xi8>
  %b = "tosa.const"() {values = dense<7> : tensor<1xi8>} : () -> tensor<1xi8>
  %y = tosa.negate %x, %a, %b : (tensor<4xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<4xi8>
  return %y : tensor<4xi8>
}

// -----
// Products of bytes are of 32 bits; a shift rounds.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}, %[[X1:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.eltwise cast(%[[X0]]) : {{.*}} -> tensor<4xi32>
// CHECK-NEXT: %[[V1:.*]] = npu.eltwise cast(%[[X0]]) : {{.*}} -> tensor<4xi32>
// CHECK-NEXT: %[[V2:.*]] = npu.eltwise mul(%[[V0]], %[[V1]]) : {{.*}} -> tensor<4xi32>
// CHECK-NEXT: %[[V3:.*]] = npu.constant dense<17>{{.*}} -> tensor<i32>
// CHECK-NEXT: %[[V4:.*]] = npu.eltwise mul_shift(%[[X1]], %[[X1]], %[[V3]]) : {{.*}} -> tensor<4xi32>
// CHECK-NEXT: return %[[V2]], %[[V4]]
func.func @f(%x: tensor<4xi8>, %y: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %none = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %some = "tosa.const"() {values = dense<17> : tensor<1xi8>} : () -> tensor<1xi8>
  %a = tosa.mul %x, %x, %none : (tensor<4xi8>, tensor<4xi8>, tensor<1xi8>) -> tensor<4xi32>
  %b = tosa.mul %y, %y, %some : (tensor<4xi32>, tensor<4xi32>, tensor<1xi8>) -> tensor<4xi32>
  return %a, %b : tensor<4xi32>, tensor<4xi32>
}

// -----
// A rounding shift adds the last bit that falls out.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}, %[[X1:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.constant dense<1>{{.*}} -> tensor<i32>
// CHECK-NEXT: %[[V1:.*]] = npu.eltwise mul_shift(%[[X0]], %[[V0]], %[[X1]]) : {{.*}} -> tensor<4xi32>
// CHECK-NEXT: return %[[V1]]
func.func @f(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %z = tosa.arithmetic_right_shift %x, %y {round = true} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %z : tensor<4xi32>
}

// -----
// A logical shift sees the bits as an unsigned number.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}, %[[X1:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.constant dense<255>{{.*}} -> tensor<i64>
// CHECK-NEXT: %[[V1:.*]] = npu.eltwise cast(%[[X0]]) : {{.*}} -> tensor<4xi64>
// CHECK-NEXT: %[[V2:.*]] = npu.eltwise bit_and(%[[V1]], %[[V0]]) : {{.*}} -> tensor<4xi64>
// CHECK-NEXT: %[[V3:.*]] = npu.eltwise cast(%[[X1]]) : {{.*}} -> tensor<4xi64>
// CHECK-NEXT: %[[V4:.*]] = npu.eltwise shift_right(%[[V2]], %[[V3]]) : {{.*}} -> tensor<4xi64>
// CHECK-NEXT: %[[V5:.*]] = npu.eltwise cast(%[[V4]]) : {{.*}} -> tensor<4xi8>
// CHECK-NEXT: return %[[V5]]
func.func @f(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi8> {
  %z = tosa.logical_right_shift %x, %y : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %z : tensor<4xi8>
}
