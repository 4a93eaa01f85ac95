// RUN: npu-opt %s --npu-assign-layout="strategy=optimal objective=count target=%S/../Inputs/slices-in-blocks-of-four.yaml io-layout=free verify-exactly=true" | FileCheck %s

// The product writes two rows padded to four. The padding lies around the
// columns as well, and as theirs it goes on through a concatenation of columns
// whose other parts have but two rows.
// CHECK-LABEL: @main
// CHECK-NOT: npu.relayout
// CHECK: npu.concat{{.*}} -> tensor<2x18xf32, #npu.layout<{{.*}}>>
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @main(%x: tensor<2x8xf32>) -> tensor<2x18xf32> {
  %v0 = npu.constant dense<1.0> : tensor<8x2xf32> -> tensor<8x2xf32>
  %v1 = npu.matmul(%x, %v0) : (tensor<2x8xf32>, tensor<8x2xf32>) -> tensor<2x2xf32>
  %v2 = npu.concat(%v1, %x, %x) {axis = 1} : (tensor<2x2xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x18xf32>
  return %v2 : tensor<2x18xf32>
}
