// Tables, conversions between types, rescale.
// RUN: tosa-import %s | FileCheck %s

// Bytes choose an entry from -128 on.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.constant dense<3>{{.*}} -> tensor<256xi8>
// CHECK-NEXT: %[[V1:.*]] = npu.eltwise cast(%[[X0]]) : {{.*}} -> tensor<4xi32>
// CHECK-NEXT: %[[V2:.*]] = npu.constant dense<128>{{.*}} -> tensor<i32>
// CHECK-NEXT: %[[V3:.*]] = npu.eltwise add(%[[V1]], %[[V2]]) : {{.*}} -> tensor<4xi32>
// CHECK-NEXT: %[[V4:.*]] = npu.gather(%[[V0]], %[[V3]]) {axis = 0 : i64} : {{.*}} -> tensor<4xi8>
// CHECK-NEXT: return %[[V4]]
func.func @f(%x: tensor<4xi8>) -> tensor<4xi8> {
  %t = "tosa.const"() {values = dense<3> : tensor<256xi8>} : () -> tensor<256xi8>
  %y = tosa.table %x, %t : (tensor<4xi8>, tensor<256xi8>) -> tensor<4xi8>
  return %y : tensor<4xi8>
}

// -----
// Floats are rounded before they become integers.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.constant dense<1.0{{.*}} -> tensor<f32>
// CHECK-NEXT: %[[V1:.*]] = npu.quantize(%[[X0]], %[[V0]]) : {{.*}} -> tensor<4xi8>
// CHECK-NEXT: %[[V2:.*]] = npu.eltwise cast(%[[X0]]) : {{.*}} -> tensor<4xi1>
// CHECK-NEXT: %[[V3:.*]] = npu.eltwise cast(%[[X0]]) : {{.*}} -> tensor<4xf16>
// CHECK-NEXT: return %[[V1]], %[[V2]], %[[V3]]
func.func @f(%x: tensor<4xf32>) -> (tensor<4xi8>, tensor<4xi1>, tensor<4xf16>) {
  %a = tosa.cast %x : (tensor<4xf32>) -> tensor<4xi8>
  %b = tosa.cast %x : (tensor<4xf32>) -> tensor<4xi1>
  %c = tosa.cast %x : (tensor<4xf32>) -> tensor<4xf16>
  return %a, %b, %c : tensor<4xi8>, tensor<4xi1>, tensor<4xf16>
}

// -----
// i16 is i32 inside the graph: a cast to it keeps the lowest 16 bits.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.constant dense<16>{{.*}} -> tensor<i32>
// CHECK-NEXT: %[[V1:.*]] = npu.eltwise shift_left(%[[X0]], %[[V0]]) : {{.*}} -> tensor<4xi32>
// CHECK-NEXT: %[[V2:.*]] = npu.eltwise shift_right(%[[V1]], %[[V0]]) : {{.*}} -> tensor<4xi32>
// CHECK-NEXT: %[[V3:.*]] = npu.eltwise cast(%[[V2]]) : {{.*}} -> tensor<4xi8>
// CHECK-NEXT: return %[[V3]]
func.func @f(%x: tensor<4xi32>) -> tensor<4xi8> {
  %a = tosa.cast %x : (tensor<4xi32>) -> tensor<4xi16>
  %b = tosa.cast %a : (tensor<4xi16>) -> tensor<4xi8>
  return %b : tensor<4xi8>
}

// -----
// (x - before) * multiplier / 2^shift + after, at the nearest end.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.constant dense<1073741824>{{.*}} -> tensor<i32>
// CHECK-NEXT: %[[V1:.*]] = npu.constant dense<31>{{.*}} -> tensor<i32>
// CHECK-NEXT: %[[V2:.*]] = npu.requantize(%[[X0]], %[[V0]], %[[V1]]) {high = 127 : i64, input_zero_point = -3 : i64, low = -128 : i64, zero_point = 5 : i64} : {{.*}} -> tensor<2x3xi8>
// CHECK-NEXT: return %[[V2]]
func.func @f(%x: tensor<2x3xi8>) -> tensor<2x3xi8> {
  %m = "tosa.const"() {values = dense<1073741824> : tensor<1xi32>} : () -> tensor<1xi32>
  %s = "tosa.const"() {values = dense<31> : tensor<1xi8>} : () -> tensor<1xi8>
  %a = "tosa.const"() {values = dense<-3> : tensor<1xi8>} : () -> tensor<1xi8>
  %b = "tosa.const"() {values = dense<5> : tensor<1xi8>} : () -> tensor<1xi8>
  %y = tosa.rescale %x, %m, %s, %a, %b {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x3xi8>
  return %y : tensor<2x3xi8>
}

// -----
// Unsigned bytes that the file declares as i8.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.constant dense<1073741824>{{.*}} -> tensor<i32>
// CHECK-NEXT: %[[V1:.*]] = npu.constant dense<31>{{.*}} -> tensor<i32>
// CHECK-NEXT: %[[V2:.*]] = npu.eltwise cast(%[[X0]]) : {{.*}} -> tensor<2x3xi32>
// CHECK-NEXT: %[[V3:.*]] = npu.constant dense<255>{{.*}} -> tensor<i32>
// CHECK-NEXT: %[[V4:.*]] = npu.eltwise bit_and(%[[V2]], %[[V3]]) : {{.*}} -> tensor<2x3xi32>
// CHECK-NEXT: %[[V5:.*]] = npu.requantize(%[[V4]], %[[V0]], %[[V1]]) {high = 127 : i64, input_zero_point = 128 : i64, low = -128 : i64} : {{.*}} -> tensor<2x3xi8>
// CHECK-NEXT: return %[[V5]]
func.func @f(%x: tensor<2x3xi8>) -> tensor<2x3xi8> {
  %m = "tosa.const"() {values = dense<1073741824> : tensor<1xi32>} : () -> tensor<1xi32>
  %s = "tosa.const"() {values = dense<31> : tensor<1xi8>} : () -> tensor<1xi8>
  %a = "tosa.const"() {values = dense<-128> : tensor<1xi8>} : () -> tensor<1xi8>
  %b = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %y = tosa.rescale %x, %m, %s, %a, %b {input_unsigned = true, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x3xi8>
  return %y : tensor<2x3xi8>
}

// -----
// At the boundary of the graph i16 is i16.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.eltwise cast(%[[X0]]) : {{.*}} -> tensor<4xi32>
// CHECK-NEXT: %[[V1:.*]] = npu.eltwise bit_not(%[[V0]]) : {{.*}} -> tensor<4xi32>
// CHECK-NEXT: %[[V2:.*]] = npu.eltwise cast(%[[V1]]) : {{.*}} -> tensor<4xi16>
// CHECK-NEXT: return %[[V2]]
func.func @f(%x: tensor<4xi16>) -> tensor<4xi16> {
  %y = tosa.bitwise_not %x : (tensor<4xi16>) -> tensor<4xi16>
  return %y : tensor<4xi16>
}
