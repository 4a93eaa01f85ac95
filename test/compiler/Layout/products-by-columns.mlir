// RUN: npu-opt %s --npu-assign-layout="strategy=optimal objective=count target=npu-nhwc verify-exactly=true" | npu-opt --npu-verify-layout="target=npu-nhwc" | FileCheck %s
// RUN: npu-opt %s --npu-assign-layout="strategy=optimal objective=count target=npu-nchw verify-exactly=true" | FileCheck %s --check-prefix=ROWS

// Channels attend to channels, summed over tokens: both operands have these
// outermost. A chip that lists rows alone moves both.
// CHECK-LABEL: @channels
// CHECK-NOT: npu.relayout
// CHECK: npu.matmul{{.*}}#npu.layout<adbc>>, tensor<1x2x12x8xf32, #npu.layout<acbd>>) -> tensor<1x2x8x8xf32, #npu.layout<abcd>>
// CHECK-NOT: npu.relayout
// CHECK: return
// ROWS-LABEL: @channels
// ROWS-COUNT-2: npu.relayout
// ROWS-NOT: npu.relayout
// ROWS: npu.matmul
func.func @channels(%q: tensor<1x12x2x8xf32>, %k: tensor<1x12x2x8xf32>) -> tensor<1x2x8x8xf32> {
  %0 = npu.transpose(%q) {permutation = [0, 2, 3, 1]} : (tensor<1x12x2x8xf32>) -> tensor<1x2x8x12xf32>
  %1 = npu.transpose(%k) {permutation = [0, 2, 1, 3]} : (tensor<1x12x2x8xf32>) -> tensor<1x2x12x8xf32>
  %2 = npu.matmul(%0, %1) : (tensor<1x2x8x12xf32>, tensor<1x2x12x8xf32>) -> tensor<1x2x8x8xf32>
  return %2 : tensor<1x2x8x8xf32>
}

// Scores that are transposed before they are added are written by columns.
// CHECK-LABEL: @transposed_scores
// CHECK-NOT: npu.relayout
// CHECK: npu.matmul{{.*}} -> tensor<2x6x6xf32, #npu.layout<acb>>
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @transposed_scores(%a: tensor<2x6x4xf32>, %b: tensor<2x4x6xf32>, %c: tensor<2x6x6xf32>) -> tensor<2x6x6xf32> {
  %0 = npu.matmul(%a, %b) : (tensor<2x6x4xf32>, tensor<2x4x6xf32>) -> tensor<2x6x6xf32>
  %1 = npu.transpose(%0) {permutation = [0, 2, 1]} : (tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
  %2 = npu.eltwise add(%1, %c) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
  return %2 : tensor<2x6x6xf32>
}

// Relative positions: one matrix for all heads, which come from between tokens
// and lie one behind the other afterwards.
// CHECK-LABEL: @positions
// CHECK-NOT: npu.relayout
// CHECK: npu.matmul{{.*}}tensor<1x2x5x8xf32, #npu.layout<acbd>>{{.*}} -> tensor<1x2x5x9xf32, #npu.layout<abcd>>
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @positions(%q: tensor<1x5x2x8xf32>) -> tensor<1x2x45xf32> {
  %e = npu.constant dense<0.5> : tensor<1x1x8x9xf32> -> tensor<1x1x8x9xf32>
  %0 = npu.transpose(%q) {permutation = [0, 2, 1, 3]} : (tensor<1x5x2x8xf32>) -> tensor<1x2x5x8xf32>
  %1 = npu.matmul(%0, %e) : (tensor<1x2x5x8xf32>, tensor<1x1x8x9xf32>) -> tensor<1x2x5x9xf32>
  %2 = npu.reshape(%1) : (tensor<1x2x5x9xf32>) -> tensor<1x2x45xf32>
  return %2 : tensor<1x2x45xf32>
}
