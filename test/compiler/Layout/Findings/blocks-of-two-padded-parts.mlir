// RUN: npu-opt %s --npu-assign-layout="strategy=optimal objective=count target=%S/../Inputs/products-in-blocks-of-three.yaml io-layout=free verify-exactly=true" | FileCheck %s

// Eight rows in twelve are two blocks of six. Twice eight go on in blocks of
// six as eighteen, which is what the product reads in blocks of three.
// CHECK-LABEL: @main
// CHECK-NOT: npu.relayout
// CHECK: npu.matmul
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @main(%x: tensor<2x3x4xf32>) -> tensor<16x4xf32> {
  %v0 = npu.reshape(%x) : (tensor<2x3x4xf32>) -> tensor<8x3xf32>
  %v1 = npu.concat(%v0, %v0) {axis = 0} : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<16x3xf32>
  %v2 = npu.constant dense<1.0> : tensor<3x4xf32> -> tensor<3x4xf32>
  %v3 = npu.matmul(%v1, %v2) : (tensor<16x3xf32>, tensor<3x4xf32>) -> tensor<16x4xf32>
  return %v3 : tensor<16x4xf32>
}
