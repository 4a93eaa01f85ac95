// RUN: npu-opt %s --npu-assign-layout="strategy=optimal objective=count io-layout=free target=%S/../Inputs/blocked-views.yaml verify-exactly=true" | FileCheck %s --implicit-check-not=npu.relayout

// Between the sums and the views all layouts are free, and one passes through
// all of them. It is in nobody's list, and follows from no order of the source:
// the 6x2 by columns. Row-major passes through one reshape or the other.
// CHECK-LABEL: @columns
// CHECK: npu.eltwise add{{.*}}<ba>
func.func @columns(%x: tensor<2x2x3xf32> {npu.name = "x"}, %a: tensor<6x2xf32> {npu.name = "a"}, %b: tensor<6x2xf32> {npu.name = "b"}) -> (tensor<2x6xf32> {npu.name = "y"}) {
  %0 = npu.eltwise add(%a, %b) : (tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<6x2xf32>
  %1 = npu.reshape(%0) : (tensor<6x2xf32>) -> tensor<2x3x2xf32>
  %2 = npu.transpose(%1) {permutation = [0, 2, 1]} : (tensor<2x3x2xf32>) -> tensor<2x2x3xf32>
  %3 = npu.eltwise add(%x, %2) : (tensor<2x2x3xf32>, tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
  %4 = npu.reshape(%3) : (tensor<2x2x3xf32>) -> tensor<2x6xf32>
  return %4 : tensor<2x6xf32>
}

// Two branches of one value: what one merges stands apart in the other.
// CHECK-LABEL: @branches
func.func @branches(%x: tensor<12x2x2xf32> {npu.name = "x"}) -> (tensor<12x4xf32> {npu.name = "y"}, tensor<4x12xf32> {npu.name = "z"}) {
  %0 = npu.reshape(%x) : (tensor<12x2x2xf32>) -> tensor<3x4x4xf32>
  %1 = npu.reshape(%0) : (tensor<3x4x4xf32>) -> tensor<12x4xf32>
  %2 = npu.transpose(%0) {permutation = [1, 2, 0]} : (tensor<3x4x4xf32>) -> tensor<4x4x3xf32>
  %3 = npu.reshape(%2) : (tensor<4x4x3xf32>) -> tensor<2x2x4x3xf32>
  %4 = npu.eltwise relu(%3) : (tensor<2x2x4x3xf32>) -> tensor<2x2x4x3xf32>
  %5 = npu.reshape(%4) : (tensor<2x2x4x3xf32>) -> tensor<4x12xf32>
  return %1, %5 : tensor<12x4xf32>, tensor<4x12xf32>
}
