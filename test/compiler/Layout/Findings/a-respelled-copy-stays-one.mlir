// RUN: npu-opt %s --npu-assign-layout="strategy=optimal target=%S/../Inputs/products-in-tiles-of-tiles.yaml" --npu-fold-layout="target=%S/../Inputs/products-in-tiles-of-tiles.yaml" | FileCheck %s
// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/products-in-tiles-of-tiles.yaml

// Two rows in a tile of tiles lie the same whether the outer tile is padding of
// rows or of columns, and each operand has to be spelled its own way: the copy
// that one reads is respelled for the other, for nothing. Folding put the two
// together and moved the value twice.
// CHECK-LABEL: @main
// CHECK: %[[COPY:.*]] = npu.relayout(%arg0) {{.*}} -> tensor<2x2xf32, #npu.layout<AB2a8a4b>>
// CHECK-NEXT: %[[SPELLED:.*]] = npu.relayout(%[[COPY]]) {{.*}} -> tensor<2x2xf32, #npu.layout<AB2b8a4b>>
// CHECK-NEXT: npu.matmul(%[[COPY]], %[[SPELLED]])
func.func @main(%x: tensor<2x2xf32> {npu.name = "x"}) -> (tensor<2x2xf32> {npu.name = "y"}) {
  %0 = npu.matmul(%x, %x) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
