// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/padded-gather.yaml --io-layout=y=CabD4c2d
// RUN: npu-opt %s --npu-assign-layout="strategy=optimal target=%S/../Inputs/padded-gather.yaml io-layout=y=CabD4c2d verify-exactly=true" | FileCheck %s

// Two numbers in a tile of eight lie the same as padding of their own dimension
// and as padding of the one before. The search knew the output's spelling only,
// of which nothing follows for what the gather demands, and was refused.
// CHECK-LABEL: @main
// CHECK: %[[DATA:.*]] = npu.relayout(%arg0)
// CHECK-NEXT: npu.gather(%[[DATA]]
// CHECK-NOT: npu.relayout
func.func @main(%x: tensor<1x1x1x2x1xf32> {npu.name = "x"}, %i: tensor<i64> {npu.name = "i"}) -> (tensor<1x1x1x2xf32> {npu.name = "y"}) {
  %0 = npu.gather(%x, %i) {axis = 4 : i64} : (tensor<1x1x1x2x1xf32>, tensor<i64>) -> tensor<1x1x1x2xf32>
  return %0 : tensor<1x1x1x2xf32>
}
