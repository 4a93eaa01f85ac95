// RUN: npu-opt %s --npu-assign-layout="strategy=optimal objective=count target=%S/../Inputs/padded-columns.yaml io-layout=free verify-exactly=true" | FileCheck %s

// Two columns padded to three lie in one block, wherever the order has their
// place. As the last part of eight columns they go on as nine, in one of these
// orders; only the one of the product's demand was looked at.
// CHECK-LABEL: @main
// CHECK-NOT: npu.relayout
// CHECK: npu.concat{{.*}}<baC3c>>
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @main(%x0: tensor<2x4x2xf32>) -> (tensor<2x4x8xf32>, tensor<6x2x4xf32>) {
  %v0 = npu.eltwise add(%x0, %x0) : (tensor<2x4x2xf32>, tensor<2x4x2xf32>) -> tensor<2x4x2xf32>
  %v1 = npu.constant dense<1.0> : tensor<2x6xf32> -> tensor<2x6xf32>
  %v2 = npu.matmul(%v0, %v1) : (tensor<2x4x2xf32>, tensor<2x6xf32>) -> tensor<2x4x6xf32>
  %v3 = npu.eltwise add(%v2, %v2) : (tensor<2x4x6xf32>, tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %v4 = npu.concat(%v3, %v0) {axis = 2} : (tensor<2x4x6xf32>, tensor<2x4x2xf32>) -> tensor<2x4x8xf32>
  %v5 = npu.transpose(%v3) {permutation = [2, 0, 1]} : (tensor<2x4x6xf32>) -> tensor<6x2x4xf32>
  return %v4, %v5 : tensor<2x4x8xf32>, tensor<6x2x4xf32>
}
