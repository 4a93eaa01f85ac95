// RUN: npu-opt %s --npu-assign-layout="strategy=optimal objective=count target=%S/../Inputs/slices-in-blocks-of-three.yaml io-layout=free verify-exactly=true" | FileCheck %s

// Twelve elements in eighteen are two blocks of nine, which the chip has; a
// slice of five is one of these.
// CHECK-LABEL: @main
// CHECK-NOT: npu.relayout
// CHECK: npu.slice{{.*}} -> tensor<5xf32, #npu.layout<A9a>>
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @main(%x: tensor<4x3xf32>) -> (tensor<5xf32>, tensor<4x3xf32>) {
  %v0 = npu.reshape(%x) : (tensor<4x3xf32>) -> tensor<12xf32>
  %v1 = npu.slice(%v0) {starts = [2], steps = [1]} : (tensor<12xf32>) -> tensor<5xf32>
  %v2 = npu.slice(%x) {starts = [0, 0], steps = [1, 1]} : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %v1, %v2 : tensor<5xf32>, tensor<4x3xf32>
}
