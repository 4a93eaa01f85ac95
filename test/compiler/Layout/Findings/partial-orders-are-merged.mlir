// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/partial-orders.yaml --io-layout=free
// RUN: npu-opt %s --npu-assign-layout="strategy=optimal objective=count target=%S/../Inputs/partial-orders.yaml io-layout=free verify-exactly=true" | FileCheck %s

// The one sum asks for b before a, the other for d before c, and each leaves
// the rest open. Both at once was no candidate, and one relayout was "proved".
// CHECK-LABEL: @main
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @main(%x: tensor<2x3x4x5xf32> {npu.name = "x"}, %v: tensor<3x4xf32> {npu.name = "v"}, %w: tensor<5x4xf32> {npu.name = "w"}) -> (tensor<2x4xf32> {npu.name = "y"}, tensor<4x4xf32> {npu.name = "z"}) {
  %0 = npu.reduce(%x) {axes = [2, 3], keep_dims = false, kind = #npu.reduce_kind<sum>} : (tensor<2x3x4x5xf32>) -> tensor<2x3xf32>
  %1 = npu.reduce(%x) {axes = [0, 1], keep_dims = false, kind = #npu.reduce_kind<sum>} : (tensor<2x3x4x5xf32>) -> tensor<4x5xf32>
  %2 = npu.matmul(%0, %v) : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %3 = npu.matmul(%1, %w) : (tensor<4x5xf32>, tensor<5x4xf32>) -> tensor<4x4xf32>
  return %2, %3 : tensor<2x4xf32>, tensor<4x4xf32>
}
