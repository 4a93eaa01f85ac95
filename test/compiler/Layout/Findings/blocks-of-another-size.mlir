// RUN: npu-opt %s --npu-assign-layout="strategy=optimal objective=count target=%S/../Inputs/slices-in-blocks-of-four.yaml io-layout=free verify-exactly=true" | FileCheck %s

// Three columns in a block of four are two blocks of two as well. As the last
// part of five columns they go on as six; only the five in blocks of four were
// looked at.
// CHECK-LABEL: @main
// CHECK-NOT: npu.relayout
// CHECK: npu.concat{{.*}} -> tensor<6x5xf32, #npu.layout<aB2b>>
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @main(%x0: tensor<6x8xf32>, %x1: tensor<6x2xf32>) -> (tensor<6x5xf32>, tensor<3x4xf32>) {
  %v0 = npu.slice(%x0) {starts = [0, 3], steps = [1, 1]} : (tensor<6x8xf32>) -> tensor<6x3xf32>
  %v1 = npu.concat(%x1, %v0) {axis = 1} : (tensor<6x2xf32>, tensor<6x3xf32>) -> tensor<6x5xf32>
  %v2 = npu.eltwise relu(%x1) : (tensor<6x2xf32>) -> tensor<6x2xf32>
  %v3 = npu.reshape(%v2) : (tensor<6x2xf32>) -> tensor<3x4xf32>
  return %v1, %v3 : tensor<6x5xf32>, tensor<3x4xf32>
}
