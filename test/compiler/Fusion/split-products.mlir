// RUN: npu-opt %s --npu-split-products | FileCheck %s

// The example of the pass's description.
// CHECK-LABEL: @example
// CHECK-DAG: %[[V:.*]] = npu.constant dense<{{\[\[}}1.000000e+00], [3.000000e+00]]>
// CHECK-DAG: %[[W:.*]] = npu.constant dense<{{\[\[}}2.000000e+00], [4.000000e+00]]>
// CHECK-DAG: %[[A:.*]] = npu.matmul(%arg0, %[[V]])
// CHECK-DAG: %[[B:.*]] = npu.matmul(%arg0, %[[W]])
// CHECK-NOT: npu.slice
// CHECK: return %[[A]], %[[B]]
func.func @example(%x: tensor<4x2xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>) {
  %w = npu.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %0 = npu.matmul(%x, %w) : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %a = npu.slice(%0) {starts = [0, 0], steps = [1, 1]} : (tensor<4x2xf32>) -> tensor<4x1xf32>
  %b = npu.slice(%0) {starts = [0, 1], steps = [1, 1]} : (tensor<4x2xf32>) -> tensor<4x1xf32>
  return %a, %b : tensor<4x1xf32>, tensor<4x1xf32>
}

// Queries, keys and values of one matrix with a bias; heads behind it.
// CHECK-LABEL: @heads
// CHECK-NOT: npu.slice
// CHECK-COUNT-3: npu.matmul({{.*}}) : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
// CHECK-NOT: npu.matmul({{.*}}) : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
// CHECK-NOT: npu.slice
// CHECK: return {{.*}} : tensor<1x1x2x5x4xf32>
func.func @heads(%x: tensor<1x5x8xf32>) -> (tensor<1x1x2x5x4xf32>, tensor<1x1x2x5x4xf32>, tensor<1x1x2x5x4xf32>) {
  %w = npu.constant dense<1.0> : tensor<8x24xf32> -> tensor<8x24xf32>
  %b = npu.constant dense<2.0> : tensor<24xf32> -> tensor<24xf32>
  %0 = npu.matmul(%x, %w) : (tensor<1x5x8xf32>, tensor<8x24xf32>) -> tensor<1x5x24xf32>
  %1 = npu.eltwise add(%b, %0) : (tensor<24xf32>, tensor<1x5x24xf32>) -> tensor<1x5x24xf32>
  %2 = npu.reshape(%1) : (tensor<1x5x24xf32>) -> tensor<1x5x3x2x4xf32>
  %3 = npu.transpose(%2) {permutation = [2, 0, 3, 1, 4]} : (tensor<1x5x3x2x4xf32>) -> tensor<3x1x2x5x4xf32>
  %q = npu.slice(%3) {starts = [0, 0, 0, 0, 0], steps = [1, 1, 1, 1, 1]} : (tensor<3x1x2x5x4xf32>) -> tensor<1x1x2x5x4xf32>
  %k = npu.slice(%3) {starts = [1, 0, 0, 0, 0], steps = [1, 1, 1, 1, 1]} : (tensor<3x1x2x5x4xf32>) -> tensor<1x1x2x5x4xf32>
  %v = npu.slice(%3) {starts = [2, 0, 0, 0, 0], steps = [1, 1, 1, 1, 1]} : (tensor<3x1x2x5x4xf32>) -> tensor<1x1x2x5x4xf32>
  return %q, %k, %v : tensor<1x1x2x5x4xf32>, tensor<1x1x2x5x4xf32>, tensor<1x1x2x5x4xf32>
}

// Of each head some columns, with others between them; then a part of these.
// CHECK-LABEL: @within_heads
// CHECK-DAG: %[[Q:.*]] = npu.constant dense<{{\[\[}}0.000000e+00, 1.000000e+00, 4.000000e+00, 5.000000e+00]]>
// CHECK-DAG: %[[K:.*]] = npu.constant dense<{{\[\[}}2.000000e+00, 6.000000e+00]]>
// CHECK-DAG: %[[V:.*]] = npu.constant dense<{{\[\[}}3.000000e+00, 7.000000e+00]]>
// CHECK-DAG: %[[A:.*]] = npu.matmul(%arg0, %[[Q]])
// CHECK-DAG: npu.reshape(%[[A]]) : (tensor<3x4xf32>) -> tensor<3x2x2xf32>
// CHECK-DAG: npu.matmul(%arg0, %[[K]])
// CHECK-DAG: npu.matmul(%arg0, %[[V]])
// CHECK-NOT: npu.slice
// CHECK: return
func.func @within_heads(%x: tensor<3x1xf32>) -> (tensor<2x3x2xf32>, tensor<2x3x1xf32>, tensor<2x3x1xf32>) {
  %w = npu.constant dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]]> : tensor<1x8xf32> -> tensor<1x8xf32>
  %0 = npu.matmul(%x, %w) : (tensor<3x1xf32>, tensor<1x8xf32>) -> tensor<3x8xf32>
  %1 = npu.reshape(%0) : (tensor<3x8xf32>) -> tensor<3x2x4xf32>
  %2 = npu.transpose(%1) {permutation = [1, 0, 2]} : (tensor<3x2x4xf32>) -> tensor<2x3x4xf32>
  %q = npu.slice(%2) {starts = [0, 0, 0], steps = [1, 1, 1]} : (tensor<2x3x4xf32>) -> tensor<2x3x2xf32>
  %r = npu.slice(%2) {starts = [0, 0, 2], steps = [1, 1, 1]} : (tensor<2x3x4xf32>) -> tensor<2x3x2xf32>
  %k = npu.slice(%r) {starts = [0, 0, 0], steps = [1, 1, 1]} : (tensor<2x3x2xf32>) -> tensor<2x3x1xf32>
  %v = npu.slice(%r) {starts = [0, 0, 1], steps = [1, 1, 1]} : (tensor<2x3x2xf32>) -> tensor<2x3x1xf32>
  return %q, %k, %v : tensor<2x3x2xf32>, tensor<2x3x1xf32>, tensor<2x3x1xf32>
}

// Packed weights with scales of their columns, behind a scale of the whole data
// that is computed; only the second half is read.
// CHECK-LABEL: @packed
// CHECK-DAG: %[[W:.*]] = npu.constant dense<{{\[\[}}3, 4], [7, 8]]> : tensor<2x2xi8>
// CHECK-DAG: %[[S:.*]] = npu.constant dense<{{\[\[}}5.000000e-01, 2.500000e-01]]>
// CHECK: %[[P:.*]] = npu.matmul(%arg0, %[[W]], %[[S]])
// CHECK-NEXT: %[[R:.*]] = npu.eltwise mul(%[[P]], %arg1)
// CHECK-NEXT: return %[[R]]
func.func @packed(%x: tensor<4x2xf32>, %s: tensor<1xf32>) -> tensor<4x2xf32> {
  %w = npu.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi8> -> tensor<2x4xi8>
  %c = npu.constant dense<[[2.0, 1.0, 0.5, 0.25]]> : tensor<1x4xf32> -> tensor<1x4xf32>
  %0 = npu.matmul(%x, %w, %c) {block = 2 : i64} : (tensor<4x2xf32>, tensor<2x4xi8>, tensor<1x4xf32>) -> tensor<4x4xf32>
  %1 = npu.eltwise mul(%0, %s) : (tensor<4x4xf32>, tensor<1xf32>) -> tensor<4x4xf32>
  %2 = npu.slice(%1) {starts = [0, 2], steps = [1, 1]} : (tensor<4x4xf32>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// Left alone: all of it is read, too; parts overlap; every second column; rows
// are cut; one row, whose parts are no copies; a residual.
// CHECK-LABEL: @left
// CHECK-COUNT-6: npu.matmul
// CHECK-NOT: npu.matmul
func.func @left(%x: tensor<4x8xf32>, %row: tensor<1x8xf32>) -> (tensor<4x8xf32>, tensor<4x4xf32>, tensor<4x5xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<2x1x8xf32>, tensor<1x4xf32>, tensor<4x4xf32>) {
  %w0 = npu.constant dense<0.0> : tensor<8x8xf32> -> tensor<8x8xf32>
  %0 = npu.matmul(%x, %w0) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %p0 = npu.slice(%0) {starts = [0, 0], steps = [1, 1]} : (tensor<4x8xf32>) -> tensor<4x4xf32>
  %w1 = npu.constant dense<1.0> : tensor<8x8xf32> -> tensor<8x8xf32>
  %1 = npu.matmul(%x, %w1) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %p1 = npu.slice(%1) {starts = [0, 0], steps = [1, 1]} : (tensor<4x8xf32>) -> tensor<4x5xf32>
  %q1 = npu.slice(%1) {starts = [0, 4], steps = [1, 1]} : (tensor<4x8xf32>) -> tensor<4x4xf32>
  %w2 = npu.constant dense<2.0> : tensor<8x8xf32> -> tensor<8x8xf32>
  %2 = npu.matmul(%x, %w2) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %p2 = npu.slice(%2) {starts = [0, 0], steps = [1, 2]} : (tensor<4x8xf32>) -> tensor<4x4xf32>
  %w3 = npu.constant dense<3.0> : tensor<8x8xf32> -> tensor<8x8xf32>
  %3 = npu.matmul(%x, %w3) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %h3 = npu.reshape(%3) : (tensor<4x8xf32>) -> tensor<2x2x8xf32>
  %p3 = npu.slice(%h3) {starts = [0, 1, 0], steps = [1, 1, 1]} : (tensor<2x2x8xf32>) -> tensor<2x1x8xf32>
  %w4 = npu.constant dense<4.0> : tensor<8x8xf32> -> tensor<8x8xf32>
  %4 = npu.matmul(%row, %w4) : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
  %p4 = npu.slice(%4) {starts = [0, 4], steps = [1, 1]} : (tensor<1x8xf32>) -> tensor<1x4xf32>
  %w5 = npu.constant dense<5.0> : tensor<8x8xf32> -> tensor<8x8xf32>
  %5 = npu.matmul(%x, %w5) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %s5 = npu.eltwise add(%5, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %p5 = npu.slice(%s5) {starts = [0, 4], steps = [1, 1]} : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return %0, %p0, %p1, %q1, %p2, %p3, %p4, %p5 : tensor<4x8xf32>, tensor<4x4xf32>, tensor<4x5xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<2x1x8xf32>, tensor<1x4xf32>, tensor<4x4xf32>
}
