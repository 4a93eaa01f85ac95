// Constants, and what can be computed from them alone.
// RUN: tosa-import %s | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.constant dense<[100, -100]>{{.*}} -> tensor<2xi32>
// CHECK-NEXT: %[[V1:.*]] = npu.eltwise add(%[[X0]], %[[V0]]) : {{.*}} -> tensor<2xi32>
// CHECK-NEXT: return %[[V1]]
func.func @f(%x: tensor<2xi32>) -> tensor<2xi32> {
  %a = "tosa.const"() {values = dense<[100, -100]> : tensor<2xi16>} : () -> tensor<2xi16>
  %c = tosa.cast %a : (tensor<2xi16>) -> tensor<2xi32>
  %y = tosa.add %x, %c : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %y : tensor<2xi32>
}

// -----
// A result that depends on no input.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.constant dense<[1.000000e+00, 5.000000e-01]>{{.*}} -> tensor<2xf32>
// CHECK-NEXT: return %[[V0]]
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = "tosa.const"() {values = dense<[1.0, 4.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %y = tosa.rsqrt %a : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----
// Elements may lie in a resource of the file.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.constant dense_resource<w>{{.*}} -> tensor<2xf32>
// CHECK-NEXT: %[[V1:.*]] = npu.eltwise add(%[[X0]], %[[V0]]) : {{.*}} -> tensor<2xf32>
// CHECK-NEXT: return %[[V1]]
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = "tosa.const"() {values = dense_resource<w> : tensor<2xf32>} : () -> tensor<2xf32>
  %y = tosa.add %x, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
{-# dialect_resources: { builtin: { w: "0x040000000000803F00000040" } } #-}

// -----
// The number to pad with, too.
// CHECK-LABEL: func.func @main(
// CHECK: npu.pad(%{{.*}}) {{.*}}value = 2.000000e+00
func.func @f(%x: tensor<2xf32>) -> tensor<4xf32> {
  %p = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %v = "tosa.const"() {values = dense_resource<v> : tensor<1xf32>} : () -> tensor<1xf32>
  %y = tosa.pad %x, %p, %v : (tensor<2xf32>, !tosa.shape<2>, tensor<1xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
{-# dialect_resources: { builtin: { v: "0x0400000000000040" } } #-}
