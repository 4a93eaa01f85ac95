// RUN: npu-opt %s --npu-match-norms | FileCheck %s

// The example of the pass's description.
// CHECK-LABEL: @example
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[ONE:.*]] = npu.constant dense<1.000000e+00> : tensor<f32>
// CHECK: %[[Y:.*]] = npu.tensornorm(%[[X]], %[[ONE]]) {axes = [1], epsilon = 9.9999997473787516E-6 : f64}
// CHECK-NEXT: return %[[Y]]
func.func @example(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %eps = npu.constant dense<1.0e-5> : tensor<f32> -> tensor<f32>
  %0 = npu.reduce(%x) {axes = [1], keep_dims = true, kind = #npu.reduce_kind<mean>} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %1 = npu.eltwise sub(%x, %0) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %2 = npu.eltwise mul(%1, %1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = npu.reduce(%2) {axes = [1], keep_dims = true, kind = #npu.reduce_kind<mean>} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %4 = npu.eltwise add(%3, %eps) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %5 = npu.eltwise sqrt(%4) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %6 = npu.eltwise div(%1, %5) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// As PyTorch writes it before opset 17, with scale and bias.
// CHECK-LABEL: @parameters
// CHECK-DAG: %[[S:.*]] = npu.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]>
// CHECK-DAG: %[[B:.*]] = npu.constant dense<[5.000000e+00, 6.000000e+00, 7.000000e+00, 8.000000e+00]>
// CHECK: npu.tensornorm(%{{.*}}, %[[S]], %[[B]])
// CHECK-NEXT: return
func.func @parameters(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %eps = npu.constant dense<1.0e-5> : tensor<f32> -> tensor<f32>
  %scale = npu.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> -> tensor<4xf32>
  %bias = npu.constant dense<[5.0, 6.0, 7.0, 8.0]> : tensor<4xf32> -> tensor<4xf32>
  %0 = npu.reduce(%x) {axes = [1], keep_dims = true, kind = #npu.reduce_kind<mean>} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %1 = npu.eltwise sub(%x, %0) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %2 = npu.eltwise mul(%1, %1) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = npu.reduce(%2) {axes = [1], keep_dims = true, kind = #npu.reduce_kind<mean>} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %4 = npu.eltwise add(%3, %eps) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %5 = npu.eltwise rsqrt(%4) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %6 = npu.eltwise mul(%1, %5) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %7 = npu.eltwise mul(%6, %scale) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %8 = npu.eltwise add(%7, %bias) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %8 : tensor<2x4xf32>
}

// The root of the mean of squares, without a mean (T5, LLaMA), with a scale.
// CHECK-LABEL: @root_mean_square
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[S:.*]] = npu.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]>
// CHECK: %[[Y:.*]] = npu.tensornorm(%[[X]], %[[S]]) {axes = [1], centered = false,
// CHECK-NEXT: return %[[Y]]
func.func @root_mean_square(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %eps = npu.constant dense<1.0e-6> : tensor<f32> -> tensor<f32>
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %scale = npu.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> -> tensor<4xf32>
  %0 = npu.eltwise mul(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = npu.reduce(%0) {axes = [1], keep_dims = true, kind = #npu.reduce_kind<mean>} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %2 = npu.eltwise add(%1, %eps) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %3 = npu.eltwise sqrt(%2) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %4 = npu.eltwise div(%one, %3) : (tensor<f32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %5 = npu.eltwise mul(%x, %4) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %6 = npu.eltwise mul(%5, %scale) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %6 : tensor<2x4xf32>
}

// Without centering, x * f - mean * f is no normalisation, but x * f is one.
// CHECK-LABEL: @spread_root_mean_square
// CHECK: %[[Y:.*]] = npu.tensornorm({{.*}}centered = false
// CHECK: npu.eltwise sub(%[[Y]],
func.func @spread_root_mean_square(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %eps = npu.constant dense<1.0e-6> : tensor<f32> -> tensor<f32>
  %mean = npu.reduce(%x) {axes = [1], keep_dims = true, kind = #npu.reduce_kind<mean>} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %0 = npu.eltwise mul(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = npu.reduce(%0) {axes = [1], keep_dims = true, kind = #npu.reduce_kind<mean>} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %2 = npu.eltwise add(%1, %eps) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %f = npu.eltwise rsqrt(%2) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %3 = npu.eltwise mul(%x, %f) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %4 = npu.eltwise mul(%mean, %f) : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %5 = npu.eltwise sub(%3, %4) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %5 : tensor<2x4xf32>
}

// As TensorFlow writes it, the mean by pooling.
// CHECK-LABEL: @spread
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK-DAG: %[[S:.*]] = npu.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-DAG: %[[B:.*]] = npu.constant dense<3.000000e+00> : tensor<f32>
// CHECK: %[[Y:.*]] = npu.tensornorm(%[[X]], %[[S]], %[[B]]) {axes = [2],
// CHECK-NEXT: return %[[Y]]
func.func @spread(%x: tensor<1x4x2xf32>) -> tensor<1x4x2xf32> {
  %eps = npu.constant dense<1.0e-3> : tensor<f32> -> tensor<f32>
  %scale = npu.constant dense<[1.0, 2.0]> : tensor<2xf32> -> tensor<2xf32>
  %bias = npu.constant dense<3.0> : tensor<f32> -> tensor<f32>
  %mean = npu.avg_pool(%x) {count_include_pad = false, dilations = [1], kernel = [2], pads = [0, 0], strides = [1]} : (tensor<1x4x2xf32>) -> tensor<1x4x1xf32>
  %0 = npu.eltwise sub(%x, %mean) : (tensor<1x4x2xf32>, tensor<1x4x1xf32>) -> tensor<1x4x2xf32>
  %1 = npu.eltwise mul(%0, %0) : (tensor<1x4x2xf32>, tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
  %2 = npu.avg_pool(%1) {count_include_pad = false, dilations = [1], kernel = [2], pads = [0, 0], strides = [1]} : (tensor<1x4x2xf32>) -> tensor<1x4x1xf32>
  %3 = npu.eltwise add(%2, %eps) : (tensor<1x4x1xf32>, tensor<f32>) -> tensor<1x4x1xf32>
  %4 = npu.eltwise sqrt(%3) : (tensor<1x4x1xf32>) -> tensor<1x4x1xf32>
  %5 = npu.eltwise reciprocal(%4) : (tensor<1x4x1xf32>) -> tensor<1x4x1xf32>
  %6 = npu.eltwise mul(%5, %scale) : (tensor<1x4x1xf32>, tensor<2xf32>) -> tensor<1x4x2xf32>
  %7 = npu.eltwise mul(%x, %6) : (tensor<1x4x2xf32>, tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
  %8 = npu.eltwise neg(%mean) : (tensor<1x4x1xf32>) -> tensor<1x4x1xf32>
  %9 = npu.eltwise mul(%8, %6) : (tensor<1x4x1xf32>, tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
  %10 = npu.eltwise add(%7, %9) : (tensor<1x4x2xf32>, tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
  %11 = npu.eltwise add(%10, %bias) : (tensor<1x4x2xf32>, tensor<f32>) -> tensor<1x4x2xf32>
  return %11 : tensor<1x4x2xf32>
}

// The bias inside of the difference.
// CHECK-LABEL: @offset
// CHECK-DAG: %[[S:.*]] = npu.constant dense<2.000000e+00> : tensor<f32>
// CHECK-DAG: %[[B:.*]] = npu.constant dense<3.000000e+00> : tensor<f32>
// CHECK: npu.tensornorm(%{{.*}}, %[[S]], %[[B]])
// CHECK-NEXT: return
func.func @offset(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %eps = npu.constant dense<1.0e-5> : tensor<f32> -> tensor<f32>
  %scale = npu.constant dense<2.0> : tensor<f32> -> tensor<f32>
  %bias = npu.constant dense<3.0> : tensor<f32> -> tensor<f32>
  %0 = npu.reduce(%x) {axes = [1], keep_dims = true, kind = #npu.reduce_kind<mean>} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %1 = npu.eltwise sub(%x, %0) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %2 = npu.eltwise mul(%1, %1) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = npu.reduce(%2) {axes = [1], keep_dims = true, kind = #npu.reduce_kind<mean>} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %4 = npu.eltwise add(%3, %eps) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %5 = npu.eltwise rsqrt(%4) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %6 = npu.eltwise mul(%5, %scale) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %7 = npu.eltwise mul(%x, %6) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %8 = npu.eltwise mul(%0, %6) : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %9 = npu.eltwise sub(%bias, %8) : (tensor<f32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %10 = npu.eltwise add(%7, %9) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %10 : tensor<2x4xf32>
}

// The mean of other dimensions than the variance's is no part of it: what is
// left is the root of the mean of the difference's squares.
// CHECK-LABEL: @other_axes
// CHECK: %[[D:.*]] = npu.eltwise sub
// CHECK: npu.tensornorm(%[[D]], %{{.*}}) {axes = [1], centered = false
// CHECK-NEXT: return
func.func @other_axes(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %eps = npu.constant dense<1.0e-5> : tensor<f32> -> tensor<f32>
  %0 = npu.reduce(%x) {axes = [0], keep_dims = true, kind = #npu.reduce_kind<mean>} : (tensor<4x8xf32>) -> tensor<1x8xf32>
  %1 = npu.eltwise sub(%x, %0) : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  %2 = npu.eltwise mul(%1, %1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = npu.reduce(%2) {axes = [1], keep_dims = true, kind = #npu.reduce_kind<mean>} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %4 = npu.eltwise add(%3, %eps) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %5 = npu.eltwise sqrt(%4) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %6 = npu.eltwise div(%1, %5) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// Squares of what is not centred have no variance.
// CHECK-LABEL: @not_centred
// CHECK-NOT: npu.tensornorm
// CHECK: return
func.func @not_centred(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %eps = npu.constant dense<1.0e-5> : tensor<f32> -> tensor<f32>
  %0 = npu.reduce(%x) {axes = [1], keep_dims = true, kind = #npu.reduce_kind<mean>} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %1 = npu.eltwise sub(%x, %0) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %2 = npu.eltwise mul(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = npu.reduce(%2) {axes = [1], keep_dims = true, kind = #npu.reduce_kind<mean>} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %4 = npu.eltwise add(%3, %eps) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %5 = npu.eltwise sqrt(%4) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %6 = npu.eltwise div(%1, %5) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// A norm of groups as PyTorch exports it: one of instances between two
// reshapes, with nothing to scale, and the layer's own parameters behind it.
// CHECK-LABEL: @groups
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK-DAG: %[[S:.*]] = npu.constant dense<{{\[\[\[}}1.000000e+00]], {{\[\[}}2.000000e+00]], {{\[\[}}3.000000e+00]], {{\[\[}}4.000000e+00]]]> : tensor<4x1x1xf32>
// CHECK: %[[Y:.*]] = npu.tensornorm(%[[X]], %[[S]]) {axes = [1, 2, 3], epsilon = 1.000000e-05 : f64, groups = 2 : i64} : (tensor<3x4x2x5xf32>,
// CHECK-NEXT: return %[[Y]]
func.func @groups(%x: tensor<3x4x2x5xf32>) -> tensor<3x4x2x5xf32> {
  %one = npu.constant dense<1.0> : tensor<2x1xf32> -> tensor<2x1xf32>
  %scale = npu.constant dense<[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]> : tensor<4x1x1xf32> -> tensor<4x1x1xf32>
  %0 = npu.reshape(%x) : (tensor<3x4x2x5xf32>) -> tensor<3x2x20xf32>
  %1 = npu.tensornorm(%0, %one) {axes = [2], epsilon = 1.0e-5 : f64} : (tensor<3x2x20xf32>, tensor<2x1xf32>) -> tensor<3x2x20xf32>
  %2 = npu.reshape(%1) : (tensor<3x2x20xf32>) -> tensor<3x4x2x5xf32>
  %3 = npu.eltwise mul(%2, %scale) : (tensor<3x4x2x5xf32>, tensor<4x1x1xf32>) -> tensor<3x4x2x5xf32>
  return %3 : tensor<3x4x2x5xf32>
}

// One group, and a scale of each group.
// CHECK-LABEL: @one_group
// CHECK: npu.tensornorm(%{{.*}}, %{{.*}}) {axes = [1, 2, 3], epsilon = 1.000000e-05 : f64} : (tensor<3x4x2x5xf32>, tensor<f32>)
func.func @one_group(%x: tensor<3x4x2x5xf32>) -> tensor<3x4x2x5xf32> {
  %scale = npu.constant dense<2.0> : tensor<1x1xf32> -> tensor<1x1xf32>
  %0 = npu.reshape(%x) : (tensor<3x4x2x5xf32>) -> tensor<3x1x40xf32>
  %1 = npu.tensornorm(%0, %scale) {axes = [2], epsilon = 1.0e-5 : f64} : (tensor<3x1x40xf32>, tensor<1x1xf32>) -> tensor<3x1x40xf32>
  %2 = npu.reshape(%1) : (tensor<3x1x40xf32>) -> tensor<3x4x2x5xf32>
  return %2 : tensor<3x4x2x5xf32>
}

// Keras' groups are innermost, and so are their parameters; a bias of each
// group is one of each channel.
// CHECK-LABEL: @groups_innermost
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK-DAG: %[[S:.*]] = npu.constant dense<{{\[\[\[}}[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]]]]> : tensor<1x1x1x4xf32>
// CHECK-DAG: %[[B:.*]] = npu.constant dense<{{\[\[\[}}[5.000000e+00, 5.000000e+00, 6.000000e+00, 6.000000e+00]]]]> : tensor<1x1x1x4xf32>
// CHECK: npu.tensornorm(%[[X]], %[[S]], %[[B]]) {axes = [3, 1, 2], epsilon = 1.000000e-05 : f64, groups = 2 : i64}
func.func @groups_innermost(%x: tensor<3x2x5x4xf32>) -> tensor<3x2x5x4xf32> {
  %scale = npu.constant dense<[[[[[1.0, 2.0], [3.0, 4.0]]]]]> : tensor<1x1x1x2x2xf32> -> tensor<1x1x1x2x2xf32>
  %bias = npu.constant dense<[[5.0], [6.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %0 = npu.reshape(%x) : (tensor<3x2x5x4xf32>) -> tensor<3x2x5x2x2xf32>
  %1 = npu.tensornorm(%0, %scale, %bias) {axes = [1, 2, 4], epsilon = 1.0e-5 : f64} : (tensor<3x2x5x2x2xf32>, tensor<1x1x1x2x2xf32>, tensor<2x1xf32>) -> tensor<3x2x5x2x2xf32>
  %2 = npu.reshape(%1) : (tensor<3x2x5x2x2xf32>) -> tensor<3x2x5x4xf32>
  return %2 : tensor<3x2x5x4xf32>
}

// Numbers of the first half of each channel are no group of dimensions.
// CHECK-LABEL: @first_parts
// CHECK: npu.tensornorm({{.*}} : (tensor<3x2x2x10xf32>
func.func @first_parts(%x: tensor<3x4x10xf32>) -> tensor<3x4x10xf32> {
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %0 = npu.reshape(%x) : (tensor<3x4x10xf32>) -> tensor<3x2x2x10xf32>
  %1 = npu.tensornorm(%0, %one) {axes = [1], epsilon = 1.0e-5 : f64} : (tensor<3x2x2x10xf32>, tensor<f32>) -> tensor<3x2x2x10xf32>
  %2 = npu.reshape(%1) : (tensor<3x2x2x10xf32>) -> tensor<3x4x10xf32>
  return %2 : tensor<3x4x10xf32>
}

// Behind the norm the numbers are wanted in another shape.
// CHECK-LABEL: @other_shape
// CHECK: npu.tensornorm({{.*}} : (tensor<3x2x20xf32>
func.func @other_shape(%x: tensor<3x4x2x5xf32>) -> tensor<3x8x5xf32> {
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %0 = npu.reshape(%x) : (tensor<3x4x2x5xf32>) -> tensor<3x2x20xf32>
  %1 = npu.tensornorm(%0, %one) {axes = [2], epsilon = 1.0e-5 : f64} : (tensor<3x2x20xf32>, tensor<f32>) -> tensor<3x2x20xf32>
  %2 = npu.reshape(%1) : (tensor<3x2x20xf32>) -> tensor<3x8x5xf32>
  return %2 : tensor<3x8x5xf32>
}

// A bias that the network computes is left where it is, and all else with it.
// CHECK-LABEL: @computed_bias
// CHECK: npu.tensornorm({{.*}} : (tensor<3x2x20xf32>
func.func @computed_bias(%x: tensor<3x4x2x5xf32>, %b: tensor<2x1xf32>) -> tensor<3x4x2x5xf32> {
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %0 = npu.reshape(%x) : (tensor<3x4x2x5xf32>) -> tensor<3x2x20xf32>
  %1 = npu.tensornorm(%0, %one, %b) {axes = [2], epsilon = 1.0e-5 : f64} : (tensor<3x2x20xf32>, tensor<f32>, tensor<2x1xf32>) -> tensor<3x2x20xf32>
  %2 = npu.reshape(%1) : (tensor<3x2x20xf32>) -> tensor<3x4x2x5xf32>
  return %2 : tensor<3x4x2x5xf32>
}
