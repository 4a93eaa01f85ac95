// RUN: npu-opt %s --npu-assign-layout="strategy=optimal objective=count target=%S/../Inputs/products-of-three-rows.yaml io-layout=free verify-exactly=true" | FileCheck %s

// The product reads its three rows as a block, which three rows need not be.
// Without one the two rows before the padding are stored without any, which the
// reshape shows; only two in a block of three were looked at.
// CHECK-LABEL: @main
// CHECK-NOT: npu.relayout
// CHECK: npu.pad{{.*}}<acb>>) -> tensor<2x3x2xf32
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @main(%x: tensor<2x2x2xf32>) -> (tensor<2x3x4xf32>, tensor<4x2xf32>) {
  %v0 = npu.pad(%x) {mode = #npu.pad_mode<constant>, pads = [0, 1, 0, 0, 0, 0]} : (tensor<2x2x2xf32>) -> tensor<2x3x2xf32>
  %v1 = npu.constant dense<1.0> : tensor<2x4xf32> -> tensor<2x4xf32>
  %v2 = npu.matmul(%v0, %v1) : (tensor<2x3x2xf32>, tensor<2x4xf32>) -> tensor<2x3x4xf32>
  %v3 = npu.reshape(%x) : (tensor<2x2x2xf32>) -> tensor<4x2xf32>
  %v4 = npu.eltwise relu(%v3) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %v2, %v4 : tensor<2x3x4xf32>, tensor<4x2xf32>
}
