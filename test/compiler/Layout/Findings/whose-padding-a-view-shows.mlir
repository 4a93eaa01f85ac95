// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/tiled-reshapes.yaml --io-layout=fixed
// RUN: npu-opt %s --npu-assign-layout="strategy=optimal target=%S/../Inputs/tiled-reshapes.yaml verify-exactly=true" | FileCheck %s

// Of one element, both tiles of the operand store the same, and the reshape
// drops the dimensions of the second one: the padding is nobody's.
// CHECK-LABEL: @main
// CHECK: %[[TILE:.*]] = npu.relayout(%arg0)
// CHECK: npu.reshape(%[[TILE]]) : {{.*}}<abDC8c8d>>) -> {{.*}}<AB8a8b>>
func.func @main(%x: tensor<1x1x1x1xf32> {npu.name = "x"}) -> (tensor<1x1xf32> {npu.name = "y"}) {
  %0 = npu.reshape(%x) : (tensor<1x1x1x1xf32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}
