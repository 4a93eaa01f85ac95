// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/blocked-views.yaml --io-layout=fixed
// RUN: npu-opt %s --npu-assign-layout="strategy=optimal objective=count target=%S/../Inputs/blocked-views.yaml verify-exactly=true" | FileCheck %s

// One row in a tile is padded to four. Without the row there is nobody to be
// padded: the reshape is no view of the tiles.
// CHECK-LABEL: @main
// CHECK: %[[PRODUCT:.*]] = npu.matmul
// CHECK: %[[ROW:.*]] = npu.relayout(%[[PRODUCT]]) : {{.*}}<AB4a4b>>) -> {{.*}}<ab>>
// CHECK: npu.reshape(%[[ROW]])
func.func @main(%x: tensor<1x8xf32> {npu.name = "x"}, %w: tensor<8x8xf32> {npu.name = "w"}) -> (tensor<8xf32> {npu.name = "y"}) {
  %0 = npu.matmul(%x, %w) : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
  %1 = npu.reshape(%0) : (tensor<1x8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
