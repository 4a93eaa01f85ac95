// RUN: npu-opt %s --npu-sink-reshapes | FileCheck %s

// The example of the pass's description.
// CHECK-LABEL: @example
// CHECK: %[[T:.*]] = npu.transpose
// CHECK-NEXT: %[[S:.*]] = npu.softmax(%[[T]]) {axis = 3 : i64} : (tensor<2x4x8x16xf32>)
// CHECK-NEXT: npu.reshape(%[[S]]) : (tensor<2x4x8x16xf32>) -> tensor<8x8x16xf32>
func.func @example(%x: tensor<2x8x4x16xf32>) -> tensor<8x8x16xf32> {
  %0 = npu.transpose(%x) {permutation = [0, 2, 1, 3]} : (tensor<2x8x4x16xf32>) -> tensor<2x4x8x16xf32>
  %1 = npu.reshape(%0) : (tensor<2x4x8x16xf32>) -> tensor<8x8x16xf32>
  %2 = npu.softmax(%1) {axis = 2 : i64} : (tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
  return %2 : tensor<8x8x16xf32>
}

// Heads and windows are one batch of both factors; the key is transposed in
// between, and a constant has a number for each head. What merges and what
// takes apart meet, and nothing is left of either.
// CHECK-LABEL: @attention
// CHECK-NOT: tensor<12x
// CHECK: npu.matmul(%{{.*}}, %{{.*}}) : (tensor<3x4x8x16xf32>, tensor<3x4x16x8xf32>) -> tensor<3x4x8x8xf32>
// CHECK: npu.eltwise mul(%{{.*}}, %{{.*}}) : (tensor<3x4x8x8xf32>, tensor<3x4x1x1xf32>)
// CHECK-NOT: tensor<12x
// CHECK: return
func.func @attention(%q: tensor<3x8x4x16xf32>, %k: tensor<3x8x4x16xf32>) -> tensor<3x4x8x8xf32> {
  %c = npu.constant dense<2.0> : tensor<12x1x1xf32> -> tensor<12x1x1xf32>
  %0 = npu.transpose(%q) {permutation = [0, 2, 1, 3]} : (tensor<3x8x4x16xf32>) -> tensor<3x4x8x16xf32>
  %1 = npu.reshape(%0) : (tensor<3x4x8x16xf32>) -> tensor<12x8x16xf32>
  %2 = npu.transpose(%k) {permutation = [0, 2, 1, 3]} : (tensor<3x8x4x16xf32>) -> tensor<3x4x8x16xf32>
  %3 = npu.reshape(%2) : (tensor<3x4x8x16xf32>) -> tensor<12x8x16xf32>
  %4 = npu.transpose(%3) {permutation = [0, 2, 1]} : (tensor<12x8x16xf32>) -> tensor<12x16x8xf32>
  %5 = npu.matmul(%1, %4) : (tensor<12x8x16xf32>, tensor<12x16x8xf32>) -> tensor<12x8x8xf32>
  %6 = npu.eltwise mul(%5, %c) : (tensor<12x8x8xf32>, tensor<12x1x1xf32>) -> tensor<12x8x8xf32>
  %7 = npu.reshape(%6) : (tensor<12x8x8xf32>) -> tensor<3x4x8x8xf32>
  return %7 : tensor<3x4x8x8xf32>
}

// A slice of points between heads, then places to gather from.
// CHECK-LABEL: @places
// CHECK: npu.slice(%{{.*}}) {starts = [0, 0, 0, 1], steps = [1, 1, 1, 1]} : (tensor<4x5x3x2xi64>) -> tensor<4x5x3x1xi64>
// CHECK: npu.gather_nd(%{{.*}}, %{{.*}}) {batch_dims = 1 : i64} : (tensor<4x9x8xf32>, tensor<4x5x3x1xi64>) -> tensor<4x5x3x8xf32>
func.func @places(%x: tensor<4x9x8xf32>, %at: tensor<5x4x3x2xi64>) -> tensor<4x15x8xf32> {
  %0 = npu.transpose(%at) {permutation = [1, 0, 2, 3]} : (tensor<5x4x3x2xi64>) -> tensor<4x5x3x2xi64>
  %1 = npu.reshape(%0) : (tensor<4x5x3x2xi64>) -> tensor<4x15x2xi64>
  %2 = npu.slice(%1) {starts = [0, 0, 1], steps = [1, 1, 1]} : (tensor<4x15x2xi64>) -> tensor<4x15x1xi64>
  %3 = npu.gather_nd(%x, %2) {batch_dims = 1 : i64} : (tensor<4x9x8xf32>, tensor<4x15x1xi64>) -> tensor<4x15x8xf32>
  return %3 : tensor<4x15x8xf32>
}

// Rows of a product stay rows, and what works along a merged dimension, or
// takes a part of it, has it whole.
// CHECK-LABEL: @stays
// CHECK: npu.matmul(%{{.*}}) : (tensor<8x16xf32>, tensor<16x5xf32>)
// CHECK: npu.softmax(%{{.*}}) {axis = 0 : i64} : (tensor<8x16xf32>)
// CHECK: npu.slice(%{{.*}}) {{.*}} : (tensor<8x16xf32>) -> tensor<7x16xf32>
func.func @stays(%x: tensor<2x4x16xf32>, %w: tensor<16x5xf32>) -> (tensor<8x5xf32>, tensor<8x16xf32>, tensor<7x16xf32>) {
  %0 = npu.transpose(%x) {permutation = [1, 0, 2]} : (tensor<2x4x16xf32>) -> tensor<4x2x16xf32>
  %1 = npu.reshape(%0) : (tensor<4x2x16xf32>) -> tensor<8x16xf32>
  %2 = npu.matmul(%1, %w) : (tensor<8x16xf32>, tensor<16x5xf32>) -> tensor<8x5xf32>
  %3 = npu.softmax(%1) {axis = 0 : i64} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %4 = npu.slice(%1) {starts = [1, 0], steps = [1, 1]} : (tensor<8x16xf32>) -> tensor<7x16xf32>
  return %2, %3, %4 : tensor<8x5xf32>, tensor<8x16xf32>, tensor<7x16xf32>
}

// Where the other operand is merged of other parts, or is a kernel's result,
// nothing moves.
// CHECK-LABEL: @otherwise
// CHECK: npu.eltwise add(%{{.*}}) : (tensor<12x8x16xf32>, tensor<12x8x16xf32>)
func.func @otherwise(%x: tensor<3x8x4x16xf32>, %y: tensor<12x8x16xf32>) -> tensor<12x8x16xf32> {
  %0 = npu.transpose(%x) {permutation = [0, 2, 1, 3]} : (tensor<3x8x4x16xf32>) -> tensor<3x4x8x16xf32>
  %1 = npu.reshape(%0) : (tensor<3x4x8x16xf32>) -> tensor<12x8x16xf32>
  %2 = npu.eltwise add(%1, %y) : (tensor<12x8x16xf32>, tensor<12x8x16xf32>) -> tensor<12x8x16xf32>
  return %2 : tensor<12x8x16xf32>
}

// A mirror's kernel is a slice's, which reshapes pass: its axes are others then,
// and those of what is taken apart are both.
// CHECK-LABEL: @mirrored
// CHECK: %[[T:.*]] = npu.transpose
// CHECK-NEXT: %[[A:.*]] = npu.mirror(%[[T]]) {axes = [3]} : (tensor<2x4x8x16xf32>)
// CHECK-NEXT: %[[B:.*]] = npu.mirror(%[[A]]) {axes = [0, 1]} : (tensor<2x4x8x16xf32>)
// CHECK-NEXT: npu.reshape(%[[B]]) : (tensor<2x4x8x16xf32>) -> tensor<8x8x16xf32>
func.func @mirrored(%x: tensor<2x8x4x16xf32>) -> tensor<8x8x16xf32> {
  %0 = npu.transpose(%x) {permutation = [0, 2, 1, 3]} : (tensor<2x8x4x16xf32>) -> tensor<2x4x8x16xf32>
  %1 = npu.reshape(%0) : (tensor<2x4x8x16xf32>) -> tensor<8x8x16xf32>
  %2 = npu.mirror(%1) {axes = [2]} : (tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
  %3 = npu.mirror(%2) {axes = [0]} : (tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
  return %3 : tensor<8x8x16xf32>
}

// One of what was merged has a place in each part; what is read from back to front begins at the end of each.
// CHECK-LABEL: @one_of_merged
// CHECK: npu.slice(%{{.*}}) {starts = [1, 1, 0, 0], steps = [1, 1, 1, 1]} : (tensor<2x4x8x16xf32>) -> tensor<1x1x8x16xf32>
// CHECK: npu.slice(%{{.*}}) {starts = [1, 3, 0, 0], steps = [-1, -1, 1, 1]} : (tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
func.func @one_of_merged(%x: tensor<2x8x4x16xf32>) -> (tensor<1x8x16xf32>, tensor<8x8x16xf32>) {
  %0 = npu.transpose(%x) {permutation = [0, 2, 1, 3]} : (tensor<2x8x4x16xf32>) -> tensor<2x4x8x16xf32>
  %1 = npu.reshape(%0) : (tensor<2x4x8x16xf32>) -> tensor<8x8x16xf32>
  %2 = npu.slice(%1) {starts = [5, 0, 0], steps = [1, 1, 1]} : (tensor<8x8x16xf32>) -> tensor<1x8x16xf32>
  %3 = npu.slice(%1) {starts = [7, 0, 0], steps = [-1, 1, 1]} : (tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
  return %2, %3 : tensor<1x8x16xf32>, tensor<8x8x16xf32>
}
