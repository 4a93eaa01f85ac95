// RUN: npu-opt %s --npu-simplify | FileCheck %s

// The example of the pass's description.
// CHECK-LABEL: @example
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[TWO:.*]] = npu.constant dense<2.000000e+00>
// CHECK: %[[Y:.*]] = npu.eltwise add(%[[X]], %[[TWO]])
// CHECK-NEXT: return %[[Y]]
func.func @example(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %three = npu.constant dense<3.0> : tensor<f32> -> tensor<f32>
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %0 = npu.transpose(%x) {permutation = [0, 2, 3, 1]} : (tensor<1x8x4x4xf32>) -> tensor<1x4x4x8xf32>
  %1 = npu.transpose(%0) {permutation = [0, 3, 1, 2]} : (tensor<1x4x4x8xf32>) -> tensor<1x8x4x4xf32>
  %2 = npu.eltwise add(%1, %three) : (tensor<1x8x4x4xf32>, tensor<f32>) -> tensor<1x8x4x4xf32>
  %3 = npu.eltwise sub(%2, %one) : (tensor<1x8x4x4xf32>, tensor<f32>) -> tensor<1x8x4x4xf32>
  return %3 : tensor<1x8x4x4xf32>
}

// Two transposes compose; the order matters.
// CHECK-LABEL: @compose
// CHECK: npu.transpose(%{{.*}}) {permutation = [2, 0, 1]} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
// CHECK-NEXT: return
func.func @compose(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = npu.transpose(%x) {permutation = [0, 2, 1]} : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %1 = npu.transpose(%0) {permutation = [1, 0, 2]} : (tensor<2x4x3xf32>) -> tensor<4x2x3xf32>
  return %1 : tensor<4x2x3xf32>
}

// A value that another op reads stays, and so does its reader's result.
// CHECK-LABEL: @shared
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[T:.*]] = npu.transpose(%[[X]])
// CHECK-NEXT: return %[[T]], %[[X]]
func.func @shared(%x: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>) {
  %0 = npu.transpose(%x) {permutation = [1, 0]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = npu.transpose(%0) {permutation = [1, 0]} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return %0, %1 : tensor<3x2xf32>, tensor<2x3xf32>
}

// Reshapes compose, also through a transpose that moves unit dimensions only.
// CHECK-LABEL: @reshapes
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[Y:.*]] = npu.reshape(%[[X]]) : (tensor<1x8x1x1xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: return %[[X]], %[[Y]]
func.func @reshapes(%x: tensor<1x8x1x1xf32>) -> (tensor<1x8x1x1xf32>, tensor<2x4xf32>) {
  %0 = npu.transpose(%x) {permutation = [0, 2, 3, 1]} : (tensor<1x8x1x1xf32>) -> tensor<1x1x1x8xf32>
  %1 = npu.reshape(%0) : (tensor<1x1x1x8xf32>) -> tensor<8xf32>
  %2 = npu.reshape(%1) : (tensor<8xf32>) -> tensor<1x8x1x1xf32>
  %3 = npu.reshape(%1) : (tensor<8xf32>) -> tensor<2x4xf32>
  return %2, %3 : tensor<1x8x1x1xf32>, tensor<2x4xf32>
}

// A function of a convolution goes in front of what flattens its image; not
// where the image is read, too, nor in front of a reshape of anything else. A
// conversion stays with what scales its numbers.
// CHECK-LABEL: @function_of_product
// CHECK: %[[Y:.*]] = npu.conv2d
// CHECK: %[[B:.*]] = npu.eltwise add(%[[Y]]
// CHECK: %[[G:.*]] = npu.eltwise gelu_erf(%[[B]]) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
// CHECK: %[[F:.*]] = npu.reshape(%[[G]]) : (tensor<1x8x4x4xf32>) -> tensor<1x8x16xf32>
// CHECK: %[[Z:.*]] = npu.conv2d
// CHECK: %[[R:.*]] = npu.reshape(%[[Z]])
// CHECK: %[[H:.*]] = npu.eltwise gelu_erf(%[[R]])
// CHECK: %[[S:.*]] = npu.reshape(%arg0)
// CHECK: %[[I:.*]] = npu.eltwise gelu_erf(%[[S]])
// CHECK: return %[[F]], %[[Z]], %[[H]], %[[I]]
func.func @function_of_product(%x: tensor<1x8x4x4xf32>, %w: tensor<8x8x1x1xf32>, %b: tensor<8x1x1xf32>) -> (tensor<1x8x16xf32>, tensor<1x8x4x4xf32>, tensor<1x8x16xf32>, tensor<1x8x16xf32>) {
  %y = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x4x4xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x4x4xf32>
  %s = npu.eltwise add(%y, %b) : (tensor<1x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<1x8x4x4xf32>
  %f = npu.reshape(%s) : (tensor<1x8x4x4xf32>) -> tensor<1x8x16xf32>
  %g = npu.eltwise gelu_erf(%f) : (tensor<1x8x16xf32>) -> tensor<1x8x16xf32>
  %z = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x4x4xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x4x4xf32>
  %r = npu.reshape(%z) : (tensor<1x8x4x4xf32>) -> tensor<1x8x16xf32>
  %h = npu.eltwise gelu_erf(%r) : (tensor<1x8x16xf32>) -> tensor<1x8x16xf32>
  %t = npu.reshape(%x) : (tensor<1x8x4x4xf32>) -> tensor<1x8x16xf32>
  %i = npu.eltwise gelu_erf(%t) : (tensor<1x8x16xf32>) -> tensor<1x8x16xf32>
  return %g, %z, %h, %i : tensor<1x8x16xf32>, tensor<1x8x4x4xf32>, tensor<1x8x16xf32>, tensor<1x8x16xf32>
}

// CHECK-LABEL: @conversion_of_product
// CHECK: %[[Y:.*]] = npu.conv2d
// CHECK: %[[R:.*]] = npu.reshape(%[[Y]])
// CHECK: %[[C:.*]] = npu.eltwise cast(%[[R]])
// CHECK: npu.eltwise mul(%[[C]]
func.func @conversion_of_product(%x: tensor<1x8x4x4xui8>, %w: tensor<8x8x1x1xi8>) -> tensor<1x8x16xf32> {
  %y = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x4x4xui8>, tensor<8x8x1x1xi8>) -> tensor<1x8x4x4xi32>
  %r = npu.reshape(%y) : (tensor<1x8x4x4xi32>) -> tensor<1x8x16xi32>
  %c = npu.eltwise cast(%r) : (tensor<1x8x16xi32>) -> tensor<1x8x16xf32>
  %s = npu.constant dense<0.1> : tensor<f32> -> tensor<f32>
  %z = npu.eltwise mul(%c, %s) : (tensor<1x8x16xf32>, tensor<f32>) -> tensor<1x8x16xf32>
  return %z : tensor<1x8x16xf32>
}

// The patches of an image as MobileViT writes them: two transposes, and between
// them rows of patches merged with channels. One transpose of whole parts.
// CHECK-LABEL: @patches
// CHECK: npu.reshape(%{{.*}}) : (tensor<1x96x16x16xf32>) -> tensor<96x8x2x8x2xf32>
// CHECK-NEXT: npu.transpose(%{{.*}}) {permutation = [2, 4, 1, 3, 0]} : (tensor<96x8x2x8x2xf32>) -> tensor<2x2x8x8x96xf32>
// CHECK-NEXT: %[[Y:.*]] = npu.reshape(%{{.*}}) : (tensor<2x2x8x8x96xf32>) -> tensor<4x64x96xf32>
// CHECK-NEXT: return %[[Y]]
func.func @patches(%x: tensor<1x96x16x16xf32>) -> tensor<4x64x96xf32> {
  %0 = npu.reshape(%x) : (tensor<1x96x16x16xf32>) -> tensor<768x2x8x2xf32>
  %1 = npu.transpose(%0) {permutation = [0, 2, 1, 3]} : (tensor<768x2x8x2xf32>) -> tensor<768x8x2x2xf32>
  %2 = npu.reshape(%1) : (tensor<768x8x2x2xf32>) -> tensor<1x96x64x4xf32>
  %3 = npu.transpose(%2) {permutation = [0, 3, 2, 1]} : (tensor<1x96x64x4xf32>) -> tensor<1x4x64x96xf32>
  %4 = npu.reshape(%3) : (tensor<1x4x64x96xf32>) -> tensor<4x64x96xf32>
  return %4 : tensor<4x64x96xf32>
}

// Six in the one shape and four in the other have no part in common.
// CHECK-LABEL: @no_common_parts
// CHECK-COUNT-2: npu.transpose
// CHECK-NOT: npu.transpose
func.func @no_common_parts(%x: tensor<4x6xf32>) -> tensor<3x8xf32> {
  %0 = npu.transpose(%x) {permutation = [1, 0]} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %1 = npu.reshape(%0) : (tensor<6x4xf32>) -> tensor<8x3xf32>
  %2 = npu.transpose(%1) {permutation = [1, 0]} : (tensor<8x3xf32>) -> tensor<3x8xf32>
  return %2 : tensor<3x8xf32>
}

// A transpose that moves elements is no reshape.
// CHECK-LABEL: @moves
// CHECK: npu.transpose
// CHECK: npu.reshape
func.func @moves(%x: tensor<1x8x2x1xf32>) -> tensor<16xf32> {
  %0 = npu.transpose(%x) {permutation = [0, 2, 3, 1]} : (tensor<1x8x2x1xf32>) -> tensor<1x2x1x8xf32>
  %1 = npu.reshape(%0) : (tensor<1x2x1x8xf32>) -> tensor<16xf32>
  return %1 : tensor<16xf32>
}

// CHECK-LABEL: @constants
// CHECK: %[[C:.*]] = npu.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]>
// CHECK-NEXT: return %[[C]]
func.func @constants() -> tensor<2x2xf32> {
  %0 = npu.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %1 = npu.transpose(%0) {permutation = [1, 0]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

// (x + 1) * 2 / 4 - 0 = x * 0.5 + 0.5
// CHECK-LABEL: @affine
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK-DAG: %[[C:.*]] = npu.constant dense<5.000000e-01> : tensor<f32>
// CHECK: %[[M:.*]] = npu.eltwise mul(%[[X]], %{{.*}})
// CHECK-NEXT: npu.eltwise add(%[[M]], %{{.*}})
// CHECK-NEXT: return
func.func @affine(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = npu.constant dense<0.0> : tensor<f32> -> tensor<f32>
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %two = npu.constant dense<2.0> : tensor<f32> -> tensor<f32>
  %four = npu.constant dense<4.0> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise add(%one, %x) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = npu.eltwise mul(%0, %two) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = npu.eltwise div(%1, %four) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = npu.eltwise sub(%2, %zero) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// An inner step that something else reads stays.
// CHECK-LABEL: @twice_read
// CHECK: npu.eltwise add
// CHECK: npu.eltwise add
func.func @twice_read(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise add(%x, %one) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = npu.eltwise add(%0, %one) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// A column and a row would make a matrix.
// CHECK-LABEL: @no_matrix
// CHECK: npu.eltwise add
// CHECK: npu.eltwise add
func.func @no_matrix(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %column = npu.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %row = npu.constant dense<[3.0, 4.0]> : tensor<2xf32> -> tensor<2xf32>
  %0 = npu.eltwise add(%x, %column) : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  %1 = npu.eltwise add(%0, %row) : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

// A neutral element that broadcasts is no identity; division by zero stays;
// integers do not divide by multiplying.
// CHECK-LABEL: @keep
// CHECK: npu.eltwise mul
// CHECK: npu.eltwise div
// CHECK: npu.eltwise div
func.func @keep(%x: tensor<1x4xf32>, %i: tensor<4xi32>) -> (tensor<2x4xf32>, tensor<1x4xf32>, tensor<4xi32>) {
  %ones = npu.constant dense<1.0> : tensor<2x1xf32> -> tensor<2x1xf32>
  %zero = npu.constant dense<0.0> : tensor<f32> -> tensor<f32>
  %two = npu.constant dense<2> : tensor<i32> -> tensor<i32>
  %0 = npu.eltwise mul(%x, %ones) : (tensor<1x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %1 = npu.eltwise div(%x, %zero) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  %2 = npu.eltwise div(%i, %two) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  return %0, %1, %2 : tensor<2x4xf32>, tensor<1x4xf32>, tensor<4xi32>
}

// CHECK-LABEL: @power
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[S:.*]] = npu.eltwise mul(%[[X]], %[[X]])
// CHECK: %[[C:.*]] = npu.eltwise mul(%[[X]], %[[X]])
// CHECK: %[[T:.*]] = npu.eltwise mul(%[[C]], %[[X]])
// CHECK: %[[P:.*]] = npu.eltwise pow(%[[X]]
// CHECK: return %[[S]], %[[T]], %[[P]]
func.func @power(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %two = npu.constant dense<2.0> : tensor<f32> -> tensor<f32>
  %three = npu.constant dense<3.0> : tensor<f32> -> tensor<f32>
  %more = npu.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise pow(%x, %two) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = npu.eltwise pow(%x, %three) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = npu.eltwise pow(%x, %more) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Squares first, and no exponent beyond 16.
// CHECK-LABEL: @higher_powers
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[S:.*]] = npu.eltwise mul(%[[X]], %[[X]])
// CHECK: %[[F:.*]] = npu.eltwise mul(%[[S]], %[[S]])
// CHECK: %[[Y:.*]] = npu.eltwise mul(%[[F]], %[[X]])
// CHECK-COUNT-2: npu.eltwise pow(%[[X]]
// CHECK-NOT: npu.eltwise pow(%[[X]]
func.func @higher_powers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %five = npu.constant dense<5.0> : tensor<f32> -> tensor<f32>
  %many = npu.constant dense<17.0> : tensor<f32> -> tensor<f32>
  %none = npu.constant dense<0.0> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise pow(%x, %five) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = npu.eltwise pow(%x, %many) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = npu.eltwise pow(%x, %none) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Where a number is rounded, a tie must stay a tie: no reciprocal, no merged
// steps. A zero point is subtracted from whole numbers first.
// CHECK-LABEL: @requantize
// CHECK: npu.eltwise cast
// CHECK: npu.eltwise add
// CHECK: npu.eltwise mul
// CHECK: npu.eltwise div
// CHECK: npu.eltwise round
func.func @requantize(%x: tensor<4xui8>) -> tensor<4xui8> {
  %zero = npu.constant dense<128.0> : tensor<f32> -> tensor<f32>
  %from = npu.constant dense<0.02> : tensor<f32> -> tensor<f32>
  %to = npu.constant dense<0.04> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise cast(%x) : (tensor<4xui8>) -> tensor<4xf32>
  %1 = npu.eltwise sub(%0, %zero) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = npu.eltwise mul(%1, %from) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = npu.eltwise div(%2, %to) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = npu.eltwise round(%3) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = npu.eltwise cast(%4) : (tensor<4xf32>) -> tensor<4xui8>
  return %5 : tensor<4xui8>
}

// So does a scale that a sum is divided by before it is rounded.
// CHECK-LABEL: @dynamic_scale
// CHECK: npu.eltwise div
// CHECK: npu.eltwise select
// CHECK: npu.eltwise div
// CHECK: npu.eltwise round
func.func @dynamic_scale(%x: tensor<4xf32>, %range: tensor<f32>, %empty: tensor<i1>) -> tensor<4xf32> {
  %steps = npu.constant dense<255.0> : tensor<f32> -> tensor<f32>
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise div(%range, %steps) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = npu.eltwise select(%empty, %one, %0) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = npu.eltwise div(%x, %1) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = npu.eltwise round(%2) : (tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// A zero point that depends on data, in f32: both sides are whole numbers below
// 2^24 there.
// CHECK-LABEL: @exact_sums
// CHECK: %[[P:.*]] = npu.matmul
// CHECK: %[[Z:.*]] = npu.eltwise mul{{.*}}-> tensor<1x2xi32>
// CHECK-DAG: %[[A:.*]] = npu.eltwise cast(%[[P]]) {{.*}}-> tensor<4x2xf32>
// CHECK-DAG: %[[B:.*]] = npu.eltwise cast(%[[Z]]) {{.*}}-> tensor<1x2xf32>
// CHECK: %[[Y:.*]] = npu.eltwise sub(%[[A]], %[[B]])
// CHECK: return %[[Y]]
func.func @exact_sums(%x: tensor<4x2xui8>, %zero: tensor<ui8>) -> tensor<4x2xf32> {
  %w = npu.constant dense<[[100, -100], [27, 3]]> : tensor<2x2xi8> -> tensor<2x2xi8>
  %columns = npu.constant dense<[[127, -97]]> : tensor<1x2xi32> -> tensor<1x2xi32>
  %0 = npu.matmul(%x, %w) : (tensor<4x2xui8>, tensor<2x2xi8>) -> tensor<4x2xi32>
  %1 = npu.eltwise cast(%zero) : (tensor<ui8>) -> tensor<i32>
  %2 = npu.eltwise mul(%columns, %1) : (tensor<1x2xi32>, tensor<i32>) -> tensor<1x2xi32>
  %3 = npu.eltwise sub(%0, %2) : (tensor<4x2xi32>, tensor<1x2xi32>) -> tensor<4x2xi32>
  %4 = npu.eltwise cast(%3) : (tensor<4x2xi32>) -> tensor<4x2xf32>
  return %4 : tensor<4x2xf32>
}

// So are the sums of a convolution, each of the weights of one channel; of the
// second 255 * 127 * 1,000 may be one, and 255 * 100 + 2^24 with a bias.
// CHECK-LABEL: @exact_windows
// CHECK: %[[P:.*]] = npu.conv1d
// CHECK-DAG: %[[A:.*]] = npu.eltwise cast(%[[P]]) {{.*}}-> tensor<1x2x3xf32>
// CHECK-DAG: %[[B:.*]] = npu.eltwise cast({{.*}}-> tensor<2x1xf32>
// CHECK: npu.eltwise sub(%[[A]], %[[B]])
// CHECK: npu.eltwise sub{{.*}}-> tensor<1x1x4xi32>
// CHECK: npu.eltwise sub{{.*}}-> tensor<1x2x3xi32>
func.func @exact_windows(%x: tensor<1x1x4xui8>, %deep: tensor<1x1000x4xui8>, %zero: tensor<ui8>) -> (tensor<1x2x3xf32>, tensor<1x1x4xf32>, tensor<1x2x3xf32>) {
  %w = npu.constant dense<[[[100, -100]], [[27, 3]]]> : tensor<2x1x2xi8> -> tensor<2x1x2xi8>
  %sums = npu.constant dense<[[127], [-97]]> : tensor<2x1xi32> -> tensor<2x1xi32>
  %0 = npu.conv1d(%x, %w) {dilations = [1], groups = 1 : i64, pads = [0, 0], strides = [1]} : (tensor<1x1x4xui8>, tensor<2x1x2xi8>) -> tensor<1x2x3xi32>
  %1 = npu.eltwise cast(%zero) : (tensor<ui8>) -> tensor<i32>
  %2 = npu.eltwise mul(%sums, %1) : (tensor<2x1xi32>, tensor<i32>) -> tensor<2x1xi32>
  %3 = npu.eltwise sub(%0, %2) : (tensor<1x2x3xi32>, tensor<2x1xi32>) -> tensor<1x2x3xi32>
  %4 = npu.eltwise cast(%3) : (tensor<1x2x3xi32>) -> tensor<1x2x3xf32>
  %heavy = npu.constant dense<127> : tensor<1x1000x1xi8> -> tensor<1x1000x1xi8>
  %5 = npu.conv1d(%deep, %heavy) {dilations = [1], groups = 1 : i64, pads = [0, 0], strides = [1]} : (tensor<1x1000x4xui8>, tensor<1x1000x1xi8>) -> tensor<1x1x4xi32>
  %6 = npu.eltwise sub(%5, %1) : (tensor<1x1x4xi32>, tensor<i32>) -> tensor<1x1x4xi32>
  %7 = npu.eltwise cast(%6) : (tensor<1x1x4xi32>) -> tensor<1x1x4xf32>
  %bias = npu.constant dense<[0, 16777216]> : tensor<2xi32> -> tensor<2xi32>
  %8 = npu.conv1d(%x, %w, %bias) {dilations = [1], groups = 1 : i64, pads = [0, 0], strides = [1]} : (tensor<1x1x4xui8>, tensor<2x1x2xi8>, tensor<2xi32>) -> tensor<1x2x3xi32>
  %9 = npu.eltwise sub(%8, %2) : (tensor<1x2x3xi32>, tensor<2x1xi32>) -> tensor<1x2x3xi32>
  %10 = npu.eltwise cast(%9) : (tensor<1x2x3xi32>) -> tensor<1x2x3xf32>
  return %4, %7, %10 : tensor<1x2x3xf32>, tensor<1x1x4xf32>, tensor<1x2x3xf32>
}

// 255 * 1,000 * 127 is above 2^24; so may be products with weights that nobody
// knows, or what is subtracted.
// CHECK-LABEL: @inexact_sums
// CHECK: npu.eltwise sub{{.*}}-> tensor<4x2xi32>
// CHECK: npu.eltwise sub{{.*}}-> tensor<4x2xi32>
// CHECK: npu.eltwise sub{{.*}}-> tensor<4x2xi32>
func.func @inexact_sums(%x: tensor<4x1000xui8>, %z: tensor<1x2xi8>, %v: tensor<1000x2xi8>, %any: tensor<1x2xi32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %heavy = npu.constant dense<127> : tensor<1000x2xi8> -> tensor<1000x2xi8>
  %light = npu.constant dense<1> : tensor<1000x2xi8> -> tensor<1000x2xi8>
  %zero = npu.eltwise cast(%z) : (tensor<1x2xi8>) -> tensor<1x2xi32>
  %0 = npu.matmul(%x, %heavy) : (tensor<4x1000xui8>, tensor<1000x2xi8>) -> tensor<4x2xi32>
  %1 = npu.eltwise sub(%0, %zero) : (tensor<4x2xi32>, tensor<1x2xi32>) -> tensor<4x2xi32>
  %2 = npu.eltwise cast(%1) : (tensor<4x2xi32>) -> tensor<4x2xf32>
  %3 = npu.matmul(%x, %v) : (tensor<4x1000xui8>, tensor<1000x2xi8>) -> tensor<4x2xi32>
  %4 = npu.eltwise sub(%3, %zero) : (tensor<4x2xi32>, tensor<1x2xi32>) -> tensor<4x2xi32>
  %5 = npu.eltwise cast(%4) : (tensor<4x2xi32>) -> tensor<4x2xf32>
  %6 = npu.matmul(%x, %light) : (tensor<4x1000xui8>, tensor<1000x2xi8>) -> tensor<4x2xi32>
  %7 = npu.eltwise sub(%6, %any) : (tensor<4x2xi32>, tensor<1x2xi32>) -> tensor<4x2xi32>
  %8 = npu.eltwise cast(%7) : (tensor<4x2xi32>) -> tensor<4x2xf32>
  return %2, %5, %8 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}

// A mask that exporters repeat along the embedding, cast and summed: on what it
// was before. The reduced dimension moves with the rank.
// CHECK-LABEL: @repeated_mask
// CHECK-SAME: %[[X:[^:]*]]: tensor<1x8x4xf32>, %[[M:[^:]*]]: tensor<8x1xi64>
// CHECK: %[[F:.*]] = npu.eltwise cast(%[[M]]) : (tensor<8x1xi64>) -> tensor<8x1xf32>
// CHECK-NEXT: %[[P:.*]] = npu.eltwise mul(%[[X]], %[[F]]) : (tensor<1x8x4xf32>, tensor<8x1xf32>) -> tensor<1x8x4xf32>
// CHECK-NEXT: %[[S:.*]] = npu.reduce(%[[F]]) {axes = [0], keep_dims = false, kind = #npu.reduce_kind<sum>} : (tensor<8x1xf32>) -> tensor<1xf32>
// CHECK-NEXT: %[[C:.*]] = npu.eltwise clip(%[[S]]){{.*}} -> tensor<1xf32>
// CHECK-NEXT: %[[R:.*]] = npu.reduce(%[[P]])
// CHECK-NEXT: npu.eltwise div(%[[R]], %[[C]]) : (tensor<1x4xf32>, tensor<1xf32>) -> tensor<1x4xf32>
// CHECK-NOT: npu.broadcast
func.func @repeated_mask(%x: tensor<1x8x4xf32>, %m: tensor<8x1xi64>) -> tensor<1x4xf32> {
  %0 = npu.broadcast(%m) : (tensor<8x1xi64>) -> tensor<1x8x4xi64>
  %1 = npu.eltwise cast(%0) : (tensor<1x8x4xi64>) -> tensor<1x8x4xf32>
  %2 = npu.eltwise mul(%x, %1) : (tensor<1x8x4xf32>, tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
  %3 = npu.reduce(%1) {axes = [1], keep_dims = false, kind = #npu.reduce_kind<sum>} : (tensor<1x8x4xf32>) -> tensor<1x4xf32>
  %4 = npu.eltwise clip(%3) {alpha = 1.0 : f32, beta = 9.0 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %5 = npu.reduce(%2) {axes = [1], keep_dims = false, kind = #npu.reduce_kind<sum>} : (tensor<1x8x4xf32>) -> tensor<1x4xf32>
  %6 = npu.eltwise div(%5, %4) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  return %6 : tensor<1x4xf32>
}

// A sum of what is repeated is no repetition of a sum; what is repeated itself
// is computed before. A reduction that keeps its dimension keeps its rank.
// CHECK-LABEL: @repeated_sum
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x1xf32>
// CHECK-DAG: %[[A:.*]] = npu.eltwise relu(%[[X]]) : (tensor<2x1xf32>)
// CHECK-DAG: %[[B:.*]] = npu.broadcast(%[[A]]) : (tensor<2x1xf32>) -> tensor<2x3xf32>
// CHECK-DAG: npu.reduce(%[[B]]) {axes = [1]
// CHECK-DAG: %[[K:.*]] = npu.reduce(%[[A]]) {axes = [0], keep_dims = true, {{.*}} : (tensor<2x1xf32>) -> tensor<1x1xf32>
// CHECK-DAG: npu.broadcast(%[[K]]) : (tensor<1x1xf32>) -> tensor<1x3xf32>
func.func @repeated_sum(%x: tensor<2x1xf32>) -> (tensor<2xf32>, tensor<1x3xf32>) {
  %0 = npu.broadcast(%x) : (tensor<2x1xf32>) -> tensor<2x3xf32>
  %1 = npu.eltwise relu(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = npu.reduce(%1) {axes = [1], keep_dims = false, kind = #npu.reduce_kind<sum>} : (tensor<2x3xf32>) -> tensor<2xf32>
  %3 = npu.reduce(%1) {axes = [0], keep_dims = true, kind = #npu.reduce_kind<max>} : (tensor<2x3xf32>) -> tensor<1x3xf32>
  return %2, %3 : tensor<2xf32>, tensor<1x3xf32>
}

// What is assigned to a box lies between slices of what is kept.
// CHECK-LABEL: @scatter_box
// CHECK-SAME: %[[X:[^:]*]]: tensor<3x4xf32>, %[[U:[^:]*]]:
// CHECK-DAG: %[[LEFT:.*]] = npu.slice(%[[X]]) {starts = [1, 0], steps = [1, 1]} : (tensor<3x4xf32>) -> tensor<2x1xf32>
// CHECK-DAG: %[[RIGHT:.*]] = npu.slice(%[[X]]) {starts = [1, 3], steps = [1, 1]} : (tensor<3x4xf32>) -> tensor<2x1xf32>
// CHECK-DAG: %[[ROWS:.*]] = npu.concat(%[[LEFT]], %[[U]], %[[RIGHT]]) {axis = 1 : i64}
// CHECK-DAG: %[[ABOVE:.*]] = npu.slice(%[[X]]) {starts = [0, 0], steps = [1, 1]} : (tensor<3x4xf32>) -> tensor<1x4xf32>
// CHECK: %[[Y:.*]] = npu.concat(%[[ABOVE]], %[[ROWS]]) {axis = 0 : i64}
// CHECK-NEXT: return %[[Y]]
func.func @scatter_box(%x: tensor<3x4xf32>, %u: tensor<2x2xf32>) -> tensor<3x4xf32> {
  %i = npu.constant dense<[[[1, 1], [1, -2]], [[-1, 1], [2, 2]]]> : tensor<2x2x2xi64> -> tensor<2x2x2xi64>
  %y = npu.scatter_nd(%x, %i, %u) {reduction = #npu.scatter_reduction<none>} : (tensor<3x4xf32>, tensor<2x2x2xi64>, tensor<2x2xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// Whole slices; and all of the data, of which nothing is kept.
// CHECK-LABEL: @scatter_slices
// CHECK-SAME: %[[X:[^:]*]]: tensor<3x4xf32>, %[[U:[^:]*]]: tensor<1x4xf32>, %[[V:[^:]*]]: tensor<3x4xf32>
// CHECK: %[[REST:.*]] = npu.slice(%[[X]]) {starts = [1, 0], steps = [1, 1]}
// CHECK-NEXT: %[[Y:.*]] = npu.concat(%[[U]], %[[REST]]) {axis = 0 : i64}
// CHECK-NEXT: return %[[Y]], %[[V]]
func.func @scatter_slices(%x: tensor<3x4xf32>, %u: tensor<1x4xf32>, %v: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %i = npu.constant dense<0> : tensor<1x1xi64> -> tensor<1x1xi64>
  %all = npu.constant dense<[[0], [1], [2]]> : tensor<3x1xi64> -> tensor<3x1xi64>
  %y = npu.scatter_nd(%x, %i, %u) {reduction = #npu.scatter_reduction<none>} : (tensor<3x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<3x4xf32>
  %z = npu.scatter_nd(%x, %all, %v) {reduction = #npu.scatter_reduction<none>} : (tensor<3x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y, %z : tensor<3x4xf32>, tensor<3x4xf32>
}

// What is added to a box is padded; a sum with -0 keeps the sign of 0.
// CHECK-LABEL: @scatter_add
// CHECK-SAME: %[[X:[^:]*]]: tensor<3xf32>, %[[U:[^:]*]]:
// CHECK: %[[P:.*]] = npu.pad(%[[U]]) {{.*}}pads = [1, 0], value = -0.000000e+00 : f64}
// CHECK: %[[Y:.*]] = npu.eltwise add(%[[X]], %[[P]])
// CHECK: npu.pad({{.*}}pads = [1, 0]} : (tensor<2xi64>) -> tensor<3xi64>
func.func @scatter_add(%x: tensor<3xf32>, %u: tensor<2xf32>, %n: tensor<3xi64>, %m: tensor<2xi64>) -> (tensor<3xf32>, tensor<3xi64>) {
  %i = npu.constant dense<[[1], [2]]> : tensor<2x1xi64> -> tensor<2x1xi64>
  %y = npu.scatter_nd(%x, %i, %u) {reduction = #npu.scatter_reduction<add>} : (tensor<3xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<3xf32>
  %z = npu.scatter_nd(%n, %i, %m) {reduction = #npu.scatter_reduction<add>} : (tensor<3xi64>, tensor<2x1xi64>, tensor<2xi64>) -> tensor<3xi64>
  return %y, %z : tensor<3xf32>, tensor<3xi64>
}

// Places out of order, twice or with gaps are none of a box; nor is a largest
// one a sum.
// CHECK-LABEL: @scatter_places
// CHECK-COUNT-4: npu.scatter_nd
// CHECK-NOT: npu.scatter_nd
// CHECK-NOT: npu.concat
func.func @scatter_places(%x: tensor<4xf32>, %u: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %turned = npu.constant dense<[[2], [1]]> : tensor<2x1xi64> -> tensor<2x1xi64>
  %twice = npu.constant dense<[[1], [1]]> : tensor<2x1xi64> -> tensor<2x1xi64>
  %gap = npu.constant dense<[[1], [3]]> : tensor<2x1xi64> -> tensor<2x1xi64>
  %box = npu.constant dense<[[1], [2]]> : tensor<2x1xi64> -> tensor<2x1xi64>
  %a = npu.scatter_nd(%x, %turned, %u) {reduction = #npu.scatter_reduction<none>} : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<4xf32>
  %b = npu.scatter_nd(%x, %twice, %u) {reduction = #npu.scatter_reduction<none>} : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<4xf32>
  %c = npu.scatter_nd(%x, %gap, %u) {reduction = #npu.scatter_reduction<none>} : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<4xf32>
  %d = npu.scatter_nd(%x, %box, %u) {reduction = #npu.scatter_reduction<max>} : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<4xf32>
  return %a, %b, %c, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A box that is read: all of it in its own order is a view, counted from the
// end, too; a part is a slice. Not in another order, nor one place twice.
// CHECK-LABEL: @read_box
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x2x3xf32>
// CHECK: %[[ALL:.*]] = npu.reshape(%[[X]]) : (tensor<2x2x3xf32>) -> tensor<4x3xf32>
// CHECK: %[[S:.*]] = npu.slice(%[[X]]) {starts = [0, 1, 0], steps = [1, 1, 1]} : (tensor<2x2x3xf32>) -> tensor<2x1x3xf32>
// CHECK: %[[PART:.*]] = npu.reshape(%[[S]]) : (tensor<2x1x3xf32>) -> tensor<2x3xf32>
// CHECK: %[[TURNED:.*]] = npu.gather_nd
// CHECK: %[[TWICE:.*]] = npu.gather_nd
// CHECK: return %[[ALL]], %[[PART]], %[[TURNED]], %[[TWICE]]
func.func @read_box(%x: tensor<2x2x3xf32>) -> (tensor<4x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %all = npu.constant dense<[[0, 0], [0, -1], [-1, 0], [1, 1]]> : tensor<4x2xi64> -> tensor<4x2xi64>
  %part = npu.constant dense<[[0, 1], [1, 1]]> : tensor<2x2xi64> -> tensor<2x2xi64>
  %turned = npu.constant dense<[[1, 1], [0, 1]]> : tensor<2x2xi64> -> tensor<2x2xi64>
  %twice = npu.constant dense<[[0, 1], [0, 1]]> : tensor<2x2xi64> -> tensor<2x2xi64>
  %0 = npu.gather_nd(%x, %all) : (tensor<2x2x3xf32>, tensor<4x2xi64>) -> tensor<4x3xf32>
  %1 = npu.gather_nd(%x, %part) : (tensor<2x2x3xf32>, tensor<2x2xi64>) -> tensor<2x3xf32>
  %2 = npu.gather_nd(%x, %turned) : (tensor<2x2x3xf32>, tensor<2x2xi64>) -> tensor<2x3xf32>
  %3 = npu.gather_nd(%x, %twice) : (tensor<2x2x3xf32>, tensor<2x2xi64>) -> tensor<2x3xf32>
  return %0, %1, %2, %3 : tensor<4x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// What is added to all but the first rows and columns, as PyTorch exports
// x[1:, 1:] += r.
// CHECK-LABEL: @add_in_place
// CHECK-SAME: %[[X:[^:]*]]: tensor<3x4xf32>, %[[R:[^:]*]]:
// CHECK: %[[P:.*]] = npu.pad(%[[R]]) {{.*}}pads = [0, 1, 0, 0]
// CHECK: %[[Q:.*]] = npu.pad(%[[P]]) {{.*}}pads = [1, 0, 0, 0]
// CHECK: %[[Y:.*]] = npu.eltwise add(%[[X]], %[[Q]])
// CHECK-NEXT: return %[[Y]]
func.func @add_in_place(%x: tensor<3x4xf32>, %r: tensor<2x3xf32>) -> tensor<3x4xf32> {
  %i = npu.constant dense<[[[1, 1], [1, 2], [1, 3]], [[2, 1], [2, 2], [2, 3]]]> : tensor<2x3x2xi64> -> tensor<2x3x2xi64>
  %rows = npu.slice(%x) {starts = [1, 0], steps = [1, 1]} : (tensor<3x4xf32>) -> tensor<2x4xf32>
  %box = npu.slice(%rows) {starts = [0, 1], steps = [1, 1]} : (tensor<2x4xf32>) -> tensor<2x3xf32>
  %sum = npu.eltwise add(%box, %r) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = npu.scatter_nd(%x, %i, %sum) {reduction = #npu.scatter_reduction<none>} : (tensor<3x4xf32>, tensor<2x3x2xi64>, tensor<2x3xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// The first piece is added to; but not where the pieces change places, come of
// different data, or most stays as it is.
// CHECK-LABEL: @add_in_front
// CHECK: npu.pad({{.*}}pads = [0, 1]
// CHECK: npu.eltwise add
// CHECK: npu.concat
// CHECK: npu.concat
// CHECK: npu.concat
func.func @add_in_front(%x: tensor<4xf32>, %z: tensor<4xf32>, %r: tensor<3xf32>, %one: tensor<1xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %front = npu.slice(%x) {starts = [0], steps = [1]} : (tensor<4xf32>) -> tensor<3xf32>
  %last = npu.slice(%x) {starts = [3], steps = [1]} : (tensor<4xf32>) -> tensor<1xf32>
  %other = npu.slice(%z) {starts = [3], steps = [1]} : (tensor<4xf32>) -> tensor<1xf32>
  %sum = npu.eltwise add(%front, %r) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %y = npu.concat(%sum, %last) {axis = 0 : i64} : (tensor<3xf32>, tensor<1xf32>) -> tensor<4xf32>
  %sum1 = npu.eltwise add(%front, %r) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %turned = npu.concat(%last, %sum1) {axis = 0 : i64} : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
  %sum2 = npu.eltwise add(%front, %r) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %mixed = npu.concat(%sum2, %other) {axis = 0 : i64} : (tensor<3xf32>, tensor<1xf32>) -> tensor<4xf32>
  %sum3 = npu.eltwise add(%last, %one) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %little = npu.concat(%front, %sum3) {axis = 0 : i64} : (tensor<3xf32>, tensor<1xf32>) -> tensor<4xf32>
  return %y, %turned, %mixed, %little : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Rotary embedding: halves change places, one with the other sign, before heads
// are transposed; the signs go into the sines. Of a part of each head, too.
// CHECK-LABEL: @swap_halves
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[HALVES:.*]] = npu.reshape(%[[X]]) : (tensor<1x8x4x6xf32>) -> tensor<1x8x4x2x3xf32>
// CHECK: %[[SWAPPED:.*]] = npu.slice(%[[HALVES]]) {starts = [0, 0, 0, 1, 0], steps = [1, 1, 1, -1, 1]}
// CHECK: %[[WHOLE:.*]] = npu.reshape(%[[SWAPPED]]) : {{.*}} -> tensor<1x8x4x6xf32>
// CHECK: %[[HEADS:.*]] = npu.transpose(%[[WHOLE]])
// CHECK: %[[SINES:.*]] = npu.constant dense<{{\[+}}-1.000000e+00, -2.000000e+00, -3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00{{\]+}}>
// CHECK: %[[Y:.*]] = npu.eltwise mul(%[[HEADS]], %[[SINES]])
// CHECK: %[[PART:.*]] = npu.slice(%{{.*}}) {starts = [0, 0, 0, 1], steps = [1, 1, 1, 1]}
// CHECK: %[[PAIRS:.*]] = npu.reshape(%[[PART]])
// CHECK: npu.slice(%[[PAIRS]]) {starts = [0, 0, 0, 1, 0], steps = [1, 1, 1, -1, 1]}
// CHECK: %[[SIGNS:.*]] = npu.constant dense<{{\[+}}-1.000000e+00, -1.000000e+00, 1.000000e+00, 1.000000e+00{{\]+}}>
// CHECK: %[[Z:.*]] = npu.eltwise mul({{.*}}, %[[SIGNS]])
// CHECK: return %[[Y]], %[[Z]]
func.func @swap_halves(%x: tensor<1x8x4x6xf32>) -> (tensor<1x4x8x6xf32>, tensor<1x4x8x4xf32>) {
  %sines = npu.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32> -> tensor<6xf32>
  %heads = npu.transpose(%x) {permutation = [0, 2, 1, 3]} : (tensor<1x8x4x6xf32>) -> tensor<1x4x8x6xf32>
  %a = npu.slice(%heads) {starts = [0, 0, 0, 0], steps = [1, 1, 1, 1]} : (tensor<1x4x8x6xf32>) -> tensor<1x4x8x3xf32>
  %b = npu.slice(%heads) {starts = [0, 0, 0, 3], steps = [1, 1, 1, 1]} : (tensor<1x4x8x6xf32>) -> tensor<1x4x8x3xf32>
  %n = npu.eltwise neg(%b) : (tensor<1x4x8x3xf32>) -> tensor<1x4x8x3xf32>
  %r = npu.concat(%n, %a) {axis = 3 : i64} : (tensor<1x4x8x3xf32>, tensor<1x4x8x3xf32>) -> tensor<1x4x8x6xf32>
  %y = npu.eltwise mul(%r, %sines) : (tensor<1x4x8x6xf32>, tensor<6xf32>) -> tensor<1x4x8x6xf32>
  %part = npu.slice(%heads) {starts = [0, 0, 0, 1], steps = [1, 1, 1, 1]} : (tensor<1x4x8x6xf32>) -> tensor<1x4x8x4xf32>
  %p = npu.slice(%part) {starts = [0, 0, 0, 0], steps = [1, 1, 1, 1]} : (tensor<1x4x8x4xf32>) -> tensor<1x4x8x2xf32>
  %q = npu.slice(%part) {starts = [0, 0, 0, 2], steps = [1, 1, 1, 1]} : (tensor<1x4x8x4xf32>) -> tensor<1x4x8x2xf32>
  %minus = npu.constant dense<-1.0> : tensor<f32> -> tensor<f32>
  %m = npu.eltwise mul(%q, %minus) : (tensor<1x4x8x2xf32>, tensor<f32>) -> tensor<1x4x8x2xf32>
  %z = npu.concat(%m, %p) {axis = 3 : i64} : (tensor<1x4x8x2xf32>, tensor<1x4x8x2xf32>) -> tensor<1x4x8x4xf32>
  return %y, %z : tensor<1x4x8x6xf32>, tensor<1x4x8x4xf32>
}

// Not where the halves stay in their places, lie apart, are no halves, or come of
// different data.
// CHECK-LABEL: @no_halves
// CHECK: npu.concat
// CHECK: npu.concat
// CHECK: npu.concat
// CHECK: npu.concat
func.func @no_halves(%x: tensor<6xf32>, %w: tensor<6xf32>) -> (tensor<6xf32>, tensor<4xf32>, tensor<6xf32>, tensor<6xf32>) {
  %a = npu.slice(%x) {starts = [0], steps = [1]} : (tensor<6xf32>) -> tensor<3xf32>
  %b = npu.slice(%x) {starts = [3], steps = [1]} : (tensor<6xf32>) -> tensor<3xf32>
  %c = npu.slice(%x) {starts = [0], steps = [1]} : (tensor<6xf32>) -> tensor<2xf32>
  %d = npu.slice(%x) {starts = [4], steps = [1]} : (tensor<6xf32>) -> tensor<2xf32>
  %e = npu.slice(%x) {starts = [2], steps = [1]} : (tensor<6xf32>) -> tensor<4xf32>
  %f = npu.slice(%w) {starts = [3], steps = [1]} : (tensor<6xf32>) -> tensor<3xf32>
  %n = npu.eltwise neg(%a) : (tensor<3xf32>) -> tensor<3xf32>
  %m = npu.eltwise neg(%d) : (tensor<2xf32>) -> tensor<2xf32>
  %in_place = npu.concat(%n, %b) {axis = 0 : i64} : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  %apart = npu.concat(%m, %c) {axis = 0 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %uneven = npu.concat(%e, %c) {axis = 0 : i64} : (tensor<4xf32>, tensor<2xf32>) -> tensor<6xf32>
  %other = npu.concat(%f, %a) {axis = 0 : i64} : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  return %in_place, %apart, %uneven, %other : tensor<6xf32>, tensor<4xf32>, tensor<6xf32>, tensor<6xf32>
}

// The same of every second number and the one beside it; not the other way
// round.
// CHECK-LABEL: @swap_pairs
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[PAIRS:.*]] = npu.reshape(%[[X]]) : (tensor<8x4xf32>) -> tensor<8x2x2xf32>
// CHECK: %[[SWAPPED:.*]] = npu.slice(%[[PAIRS]]) {starts = [0, 0, 1], steps = [1, 1, -1]}
// CHECK: %[[FLAT:.*]] = npu.reshape(%[[SWAPPED]]) : (tensor<8x2x2xf32>) -> tensor<8x4xf32>
// CHECK: %[[SIGNS:.*]] = npu.constant dense<{{\[+}}-1.000000e+00, 1.000000e+00, -1.000000e+00, 1.000000e+00{{\]+}}>
// CHECK: %[[Y:.*]] = npu.eltwise mul(%[[FLAT]], %[[SIGNS]])
// CHECK: npu.concat
func.func @swap_pairs(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %even = npu.slice(%x) {starts = [0, 0], steps = [1, 2]} : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %odd = npu.slice(%x) {starts = [0, 1], steps = [1, 2]} : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %n = npu.eltwise neg(%odd) : (tensor<8x2xf32>) -> tensor<8x2xf32>
  %a = npu.reshape(%even) : (tensor<8x2xf32>) -> tensor<8x2x1xf32>
  %b = npu.reshape(%n) : (tensor<8x2xf32>) -> tensor<8x2x1xf32>
  %pairs = npu.concat(%b, %a) {axis = 2 : i64} : (tensor<8x2x1xf32>, tensor<8x2x1xf32>) -> tensor<8x2x2xf32>
  %y = npu.reshape(%pairs) : (tensor<8x2x2xf32>) -> tensor<8x4xf32>
  %back = npu.concat(%a, %b) {axis = 2 : i64} : (tensor<8x2x1xf32>, tensor<8x2x1xf32>) -> tensor<8x2x2xf32>
  %z = npu.reshape(%back) : (tensor<8x2x2xf32>) -> tensor<8x4xf32>
  return %y, %z : tensor<8x4xf32>, tensor<8x4xf32>
}

// Halves that are turned by constant angles apart and joined; not where the
// factors repeat the data.
// CHECK-LABEL: @turn_halves
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK-DAG: %[[SWAPPED:.*]] = npu.slice(%{{.*}}) {starts = [0, 1, 0], steps = [1, -1, 1]}
// CHECK-DAG: %[[FLAT:.*]] = npu.reshape(%[[SWAPPED]])
// CHECK-DAG: %[[COS:.*]] = npu.constant dense<[1.000000e+00, 2.000000e+00, 1.000000e+00, 2.000000e+00]>
// CHECK-DAG: %[[SIN:.*]] = npu.constant dense<[-3.000000e+00, -4.000000e+00, 3.000000e+00, 4.000000e+00]>
// CHECK-DAG: %[[A:.*]] = npu.eltwise mul(%[[X]], %[[COS]])
// CHECK-DAG: %[[B:.*]] = npu.eltwise mul(%[[FLAT]], %[[SIN]])
// CHECK: npu.eltwise add(%[[A]], %[[B]])
// CHECK: npu.concat
func.func @turn_halves(%x: tensor<8x4xf32>, %z: tensor<1x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %c = npu.constant dense<[1.0, 2.0]> : tensor<2xf32> -> tensor<2xf32>
  %s = npu.constant dense<[3.0, 4.0]> : tensor<2xf32> -> tensor<2xf32>
  %a = npu.slice(%x) {starts = [0, 0], steps = [1, 1]} : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %b = npu.slice(%x) {starts = [0, 2], steps = [1, 1]} : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %ac = npu.eltwise mul(%a, %c) : (tensor<8x2xf32>, tensor<2xf32>) -> tensor<8x2xf32>
  %bs = npu.eltwise mul(%b, %s) : (tensor<8x2xf32>, tensor<2xf32>) -> tensor<8x2xf32>
  %bc = npu.eltwise mul(%b, %c) : (tensor<8x2xf32>, tensor<2xf32>) -> tensor<8x2xf32>
  %as = npu.eltwise mul(%a, %s) : (tensor<8x2xf32>, tensor<2xf32>) -> tensor<8x2xf32>
  %front = npu.eltwise sub(%ac, %bs) : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  %back = npu.eltwise add(%bc, %as) : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  %y = npu.concat(%front, %back) {axis = 1 : i64} : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x4xf32>
  %w = npu.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<8x2xf32> -> tensor<8x2xf32>
  %d = npu.slice(%z) {starts = [0, 0], steps = [1, 1]} : (tensor<1x4xf32>) -> tensor<1x2xf32>
  %e = npu.slice(%z) {starts = [0, 2], steps = [1, 1]} : (tensor<1x4xf32>) -> tensor<1x2xf32>
  %dw = npu.eltwise mul(%d, %w) : (tensor<1x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  %ew = npu.eltwise mul(%e, %w) : (tensor<1x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  %wide = npu.eltwise sub(%dw, %ew) : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  %wider = npu.eltwise add(%ew, %dw) : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  %repeated = npu.concat(%wide, %wider) {axis = 1 : i64} : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x4xf32>
  return %y, %repeated : tensor<8x4xf32>, tensor<8x4xf32>
}

// Factors that lie in a resource of the file, as large weights do.
// CHECK-LABEL: @factors_in_file
// CHECK: %[[C:.*]] = npu.constant dense<[9.000000e+00, 3.500000e+01]>
// CHECK: %[[Y:.*]] = npu.eltwise mul(%{{.*}}, %[[C]])
// CHECK-NEXT: return %[[Y]]
func.func @factors_in_file(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = npu.constant dense_resource<w> : tensor<2xf32> -> tensor<2xf32>
  %c = npu.constant dense<[3.0, 5.0]> : tensor<2xf32> -> tensor<2xf32>
  %y = npu.eltwise mul(%x, %w) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %z = npu.eltwise mul(%y, %c) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %z : tensor<2xf32>
}
{-# dialect_resources: { builtin: { w: "0x04000000000040400000E040" } } #-}

// Dimensions of one element are where the transpose needs none of them.
// CHECK-LABEL: @units
// CHECK: %[[R:.*]] = npu.reshape({{.*}} -> tensor<1x49x10x32xf32>
// CHECK-NEXT: %[[T:.*]] = npu.transpose(%[[R]]) {permutation = [0, 2, 3, 1]} : {{.*}} -> tensor<1x10x32x49xf32>
// CHECK-NEXT: return %[[T]]
func.func @units(%x: tensor<1x49x320xf32>) -> tensor<1x10x32x49xf32> {
  %0 = npu.reshape(%x) : (tensor<1x49x320xf32>) -> tensor<49x10x32xf32>
  %1 = npu.transpose(%0) {permutation = [1, 2, 0]} : (tensor<49x10x32xf32>) -> tensor<10x32x49xf32>
  %2 = npu.reshape(%1) : (tensor<10x32x49xf32>) -> tensor<1x10x32x49xf32>
  return %2 : tensor<1x10x32x49xf32>
}

// An average of the whole image has one spelling; others, and those of
// quantized numbers, stay.
// CHECK-LABEL: @whole_average
// CHECK: npu.reduce({{.*}}) {axes = [2, 3], keep_dims = true, kind = #npu.reduce_kind<mean>}
// CHECK: npu.avg_pool({{.*}}kernel = [8, 7]
// CHECK: npu.avg_pool({{.*}}kernel = [8, 8]
func.func @whole_average(%x: tensor<1x4x8x8xf32>, %i: tensor<1x4x8x8xui8>) -> (tensor<1x4x1x1xf32>, tensor<1x4x1x2xf32>, tensor<1x4x1x1xf32>) {
  %0 = npu.avg_pool(%x) {dilations = [1, 1], kernel = [8, 8], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x1x1xf32>
  %1 = npu.avg_pool(%x) {dilations = [1, 1], kernel = [8, 7], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x1x2xf32>
  %2 = npu.eltwise cast(%i) : (tensor<1x4x8x8xui8>) -> tensor<1x4x8x8xf32>
  %3 = npu.avg_pool(%2) {dilations = [1, 1], kernel = [8, 8], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x1x1xf32>
  return %0, %1, %3 : tensor<1x4x1x1xf32>, tensor<1x4x1x2xf32>, tensor<1x4x1x1xf32>
}
