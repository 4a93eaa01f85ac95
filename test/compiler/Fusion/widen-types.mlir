// RUN: npu-opt %s --npu-widen-types | FileCheck %s
// RUN: npu-opt %s --npu-widen-types="target=host" | FileCheck %s
// RUN: npu-opt %s --npu-widen-types="target=npu-nhwc" | FileCheck %s --check-prefix=HAS

// HAS-NOT: cast
// HAS: npu.matmul{{.*}}-> tensor<4x8xf16>

// The example of the pass's description.
// CHECK-LABEL: @example
// CHECK-SAME: %[[X:.*]]: tensor<4x64xf16>
// CHECK-DAG: %[[W:.*]] = npu.constant dense<1.000000e+00> : tensor<64x8xf16>
// CHECK-DAG: %[[CAST:.*]] = npu.eltwise cast(%[[X]]) : (tensor<4x64xf16>) -> tensor<4x64xf32>
// CHECK: %[[P:.*]] = npu.matmul(%[[CAST]], %[[W]]) : (tensor<4x64xf32>, tensor<64x8xf16>) -> tensor<4x8xf32>
// CHECK: %[[Y:.*]] = npu.eltwise cast(%[[P]]) : (tensor<4x8xf32>) -> tensor<4x8xf16>
// CHECK: return %[[Y]]
func.func @example(%x: tensor<4x64xf16>) -> tensor<4x8xf16> {
  %w = npu.constant dense<1.0> : tensor<64x8xf16> -> tensor<64x8xf16>
  %0 = npu.matmul(%x, %w) : (tensor<4x64xf16>, tensor<64x8xf16>) -> tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}

// What the model rounds is rounded; behind that all is f32, and the conversion
// on the way out none. Other constants are f32, one for all who read them.
// CHECK-LABEL: @casts
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>
// CHECK-DAG: %[[C:.*]] = npu.constant dense<1.500000e+00> : tensor<f32>
// CHECK-DAG: %[[H:.*]] = npu.eltwise cast(%[[X]]) : (tensor<2x3xf32>) -> tensor<2x3xf16>
// CHECK-DAG: %[[F:.*]] = npu.eltwise cast(%[[H]]) : (tensor<2x3xf16>) -> tensor<2x3xf32>
// CHECK: %[[S:.*]] = npu.eltwise add(%[[F]], %[[C]]) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
// CHECK-NEXT: %[[P:.*]] = npu.eltwise mul(%[[S]], %[[C]])
// CHECK-NEXT: return %[[P]]
func.func @casts(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = npu.constant dense<1.5> : tensor<f16> -> tensor<f16>
  %0 = npu.eltwise cast(%x) : (tensor<2x3xf32>) -> tensor<2x3xf16>
  %1 = npu.eltwise add(%0, %c) : (tensor<2x3xf16>, tensor<f16>) -> tensor<2x3xf16>
  %2 = npu.eltwise mul(%1, %c) : (tensor<2x3xf16>, tensor<f16>) -> tensor<2x3xf16>
  %3 = npu.eltwise cast(%2) : (tensor<2x3xf16>) -> tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}

// Rows of a table are made f32 when they are picked; what is converted and
// returned is what was asked for; bits are those of the type.
// CHECK-LABEL: @table
// CHECK: %[[T:.*]] = npu.constant {{.*}}tensor<4x2xf16>
// CHECK: %[[ROWS:.*]] = npu.gather(%[[T]], %{{.*}}) {{.*}} -> tensor<3x2xf16>
// CHECK: %[[WIDE:.*]] = npu.eltwise cast(%[[ROWS]]) : (tensor<3x2xf16>) -> tensor<3x2xf32>
// CHECK: %[[R:.*]] = npu.eltwise relu(%[[WIDE]])
// CHECK-DAG: %[[ONE:.*]] = npu.eltwise cast(%[[R]]) : (tensor<3x2xf32>) -> tensor<3x2xf16>
// CHECK-DAG: npu.eltwise bitcast(%{{.*}}) : (tensor<3x2xf16>) -> tensor<3x2xi16>
// CHECK: return %{{.*}}, %[[ROWS]], %{{.*}} : tensor<3x2xf16>, tensor<3x2xf16>, tensor<3x2xi16>
func.func @table(%i: tensor<3xi64>) -> (tensor<3x2xf16>, tensor<3x2xf16>, tensor<3x2xi16>) {
  %t = npu.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf16> -> tensor<4x2xf16>
  %0 = npu.gather(%t, %i) {axis = 0 : i64} : (tensor<4x2xf16>, tensor<3xi64>) -> tensor<3x2xf16>
  %1 = npu.eltwise relu(%0) : (tensor<3x2xf16>) -> tensor<3x2xf16>
  %2 = npu.eltwise bitcast(%1) : (tensor<3x2xf16>) -> tensor<3x2xi16>
  return %1, %0, %2 : tensor<3x2xf16>, tensor<3x2xf16>, tensor<3x2xi16>
}

// A constant beside numbers that are computed is no table; scales stay as small
// as they are stored.
// CHECK-LABEL: @beside
// CHECK-DAG: %[[C:.*]] = npu.constant dense<2.000000e+00> : tensor<1x4xf32>
// CHECK-DAG: %[[S:.*]] = npu.constant dense<5.000000e-01> : tensor<1x8xf16>
// CHECK: %[[ALL:.*]] = npu.concat(%[[C]], %{{.*}}) {axis = 0 : i64} : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
// CHECK: npu.matmul(%[[ALL]], %{{.*}}, %[[S]])
// CHECK-SAME: (tensor<2x4xf32>, tensor<4x8xi8>, tensor<1x8xf16>) -> tensor<2x8xf32>
func.func @beside(%x: tensor<1x4xf16>) -> tensor<2x8xf32> {
  %c = npu.constant dense<2.0> : tensor<1x4xf16> -> tensor<1x4xf16>
  %w = npu.constant dense<1> : tensor<4x8xi8> -> tensor<4x8xi8>
  %s = npu.constant dense<0.5> : tensor<1x8xf16> -> tensor<1x8xf16>
  %0 = npu.concat(%c, %x) {axis = 0 : i64} : (tensor<1x4xf16>, tensor<1x4xf16>) -> tensor<2x4xf16>
  %1 = npu.eltwise cast(%0) : (tensor<2x4xf16>) -> tensor<2x4xf32>
  %2 = npu.matmul(%1, %w, %s) {block = 4 : i64} : (tensor<2x4xf32>, tensor<4x8xi8>, tensor<1x8xf16>) -> tensor<2x8xf32>
  return %2 : tensor<2x8xf32>
}
