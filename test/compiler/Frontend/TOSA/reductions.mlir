// Reductions keep their dimension.
// RUN: tosa-import %s | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.reduce(%[[X0]]) {axes = [1], keep_dims = true, kind = #npu.reduce_kind<sum>} : {{.*}} -> tensor<2x1x4xf32>
// CHECK-NEXT: return %[[V0]]
func.func @f(%x: tensor<2x3x4xf32>) -> tensor<2x1x4xf32> {
  %y = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  return %y : tensor<2x1x4xf32>
}

// -----
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.constant dense<0xFF800000>{{.*}} -> tensor<f32>
// CHECK-NEXT: %[[V1:.*]] = npu.eltwise equal(%[[X0]], %[[X0]]) : {{.*}} -> tensor<2x3x4xi1>
// CHECK-NEXT: %[[V2:.*]] = npu.eltwise logical_not(%[[V1]]) : {{.*}} -> tensor<2x3x4xi1>
// CHECK-NEXT: %[[V3:.*]] = npu.eltwise select(%[[V2]], %[[V0]], %[[X0]]) : {{.*}} -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[V4:.*]] = npu.reduce(%[[V3]]) {axes = [1], keep_dims = true, kind = #npu.reduce_kind<max>} : {{.*}} -> tensor<2x1x4xf32>
// CHECK-NEXT: return %[[V4]]
func.func @f(%x: tensor<2x3x4xf32>) -> tensor<2x1x4xf32> {
  %y = tosa.reduce_max %x {axis = 1 : i32, nan_mode = IGNORE} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  return %y : tensor<2x1x4xf32>
}

// -----
// All of some booleans are the least of their numbers.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.eltwise cast(%[[X0]]) : {{.*}} -> tensor<2x3xi32>
// CHECK-NEXT: %[[V1:.*]] = npu.reduce(%[[V0]]) {axes = [1], keep_dims = true, kind = #npu.reduce_kind<min>} : {{.*}} -> tensor<2x1xi32>
// CHECK-NEXT: %[[V2:.*]] = npu.eltwise cast(%[[V1]]) : {{.*}} -> tensor<2x1xi1>
// CHECK-NEXT: return %[[V2]]
func.func @f(%x: tensor<2x3xi1>) -> tensor<2x1xi1> {
  %y = tosa.reduce_all %x {axis = 1 : i32} : (tensor<2x3xi1>) -> tensor<2x1xi1>
  return %y : tensor<2x1xi1>
}

// -----
// The first place of the largest.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.reduce(%[[X0]]) {axes = [1], keep_dims = true, kind = #npu.reduce_kind<max>} : {{.*}} -> tensor<2x1xi8>
// CHECK-NEXT: %[[V1:.*]] = npu.eltwise equal(%[[X0]], %[[V0]]) : {{.*}} -> tensor<2x3xi1>
// CHECK-NEXT: %[[V2:.*]] = npu.constant dense<[0, 1, 2]>{{.*}} -> tensor<3xi32>
// CHECK-NEXT: %[[V3:.*]] = npu.constant dense<3>{{.*}} -> tensor<i32>
// CHECK-NEXT: %[[V4:.*]] = npu.eltwise select(%[[V1]], %[[V2]], %[[V3]]) : {{.*}} -> tensor<2x3xi32>
// CHECK-NEXT: %[[V5:.*]] = npu.reduce(%[[V4]]) {axes = [1], keep_dims = true, kind = #npu.reduce_kind<min>} : {{.*}} -> tensor<2x1xi32>
// CHECK-NEXT: %[[V6:.*]] = npu.reshape(%[[V5]]) : {{.*}} -> tensor<2xi32>
// CHECK-NEXT: return %[[V6]]
func.func @f(%x: tensor<2x3xi8>) -> tensor<2xi32> {
  %y = tosa.argmax %x {axis = 1 : i32} : (tensor<2x3xi8>) -> tensor<2xi32>
  return %y : tensor<2xi32>
}
