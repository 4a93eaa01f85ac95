// Comparisons, logic and choice.
// RUN: tosa-import %s | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}, %[[X1:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.eltwise greater_equal(%[[X0]], %[[X1]]) : {{.*}} -> tensor<2x3xi1>
// CHECK-NEXT: return %[[V0]]
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x1xf32>) -> tensor<2x3xi1> {
  %z = tosa.greater_equal %x, %y : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xi1>
  return %z : tensor<2x3xi1>
}

// -----
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}, %[[X1:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.eltwise logical_xor(%[[X0]], %[[X1]]) : {{.*}} -> tensor<3xi1>
// CHECK-NEXT: %[[V1:.*]] = npu.eltwise logical_not(%[[V0]]) : {{.*}} -> tensor<3xi1>
// CHECK-NEXT: return %[[V1]]
func.func @f(%x: tensor<3xi1>, %y: tensor<3xi1>) -> tensor<3xi1> {
  %a = tosa.logical_xor %x, %y : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  %b = tosa.logical_not %a : (tensor<3xi1>) -> tensor<3xi1>
  return %b : tensor<3xi1>
}

// -----
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}, %[[X1:.*]]: {{.*}}, %[[X2:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.eltwise select(%[[X0]], %[[X1]], %[[X2]]) : {{.*}} -> tensor<3xi8>
// CHECK-NEXT: return %[[V0]]
func.func @f(%x: tensor<3xi1>, %y: tensor<3xi8>, %z: tensor<1xi8>) -> tensor<3xi8> {
  %a = tosa.select %x, %y, %z : (tensor<3xi1>, tensor<3xi8>, tensor<1xi8>) -> tensor<3xi8>
  return %a : tensor<3xi8>
}

// -----
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}, %[[X1:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.eltwise bit_and(%[[X0]], %[[X1]]) : {{.*}} -> tensor<3xi32>
// CHECK-NEXT: %[[V1:.*]] = npu.eltwise clz(%[[V0]]) : {{.*}} -> tensor<3xi32>
// CHECK-NEXT: return %[[V1]]
func.func @f(%x: tensor<3xi32>, %y: tensor<3xi32>) -> tensor<3xi32> {
  %a = tosa.bitwise_and %x, %y : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %b = tosa.clz %a : (tensor<3xi32>) -> tensor<3xi32>
  return %b : tensor<3xi32>
}
