// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/blocked-views.yaml --io-layout=free
// RUN: npu-opt %s --npu-assign-layout="strategy=optimal objective=count target=%S/../Inputs/blocked-views.yaml io-layout=free verify-exactly=true" | FileCheck %s

// Blocks stopped at every split and merge. Where the heads' width is a multiple
// of the tile's, tiles are moved by nothing.
// CHECK-LABEL: @main
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @main(%x: tensor<1x8x16xf32> {npu.name = "x"}, %w: tensor<16x16xf32> {npu.name = "w"}, %v: tensor<16x16xf32> {npu.name = "v"}) -> (tensor<1x8x16xf32> {npu.name = "y"}) {
  %0 = npu.matmul(%x, %w) : (tensor<1x8x16xf32>, tensor<16x16xf32>) -> tensor<1x8x16xf32>
  %1 = npu.reshape(%0) : (tensor<1x8x16xf32>) -> tensor<1x8x2x8xf32>
  %2 = npu.transpose(%1) {permutation = [0, 2, 1, 3]} : (tensor<1x8x2x8xf32>) -> tensor<1x2x8x8xf32>
  %3 = npu.eltwise relu(%2) : (tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32>
  %4 = npu.transpose(%3) {permutation = [0, 2, 1, 3]} : (tensor<1x2x8x8xf32>) -> tensor<1x8x2x8xf32>
  %5 = npu.reshape(%4) : (tensor<1x8x2x8xf32>) -> tensor<1x8x16xf32>
  %6 = npu.matmul(%5, %v) : (tensor<1x8x16xf32>, tensor<16x16xf32>) -> tensor<1x8x16xf32>
  return %6 : tensor<1x8x16xf32>
}
