// RUN: npu-opt %s --npu-match-attention=target=host | FileCheck %s
// RUN: npu-opt %s --npu-match-attention=target=npu-nhwc | FileCheck %s --check-prefix=PARTS

// A chip that does not list attention keeps its parts.
// PARTS-NOT: npu.attention

// The example of the pass's description, with the factor behind the product.
// CHECK-LABEL: @example
// CHECK-SAME: %[[Q:[^:]*]]: {{[^,]*}}, %[[K:[^:]*]]: {{[^,]*}}, %[[V:[^:]*]]:
// CHECK: %[[Y:.*]] = npu.attention(%[[Q]], %[[K]], %[[V]]) {scale = 2.500000e-01 : f64}
// CHECK-NEXT: return %[[Y]]
func.func @example(%q: tensor<1x2x8x16xf32>, %k: tensor<1x2x8x16xf32>, %v: tensor<1x2x8x16xf32>) -> tensor<1x2x8x16xf32> {
  %s = npu.constant dense<0.25> : tensor<f32> -> tensor<f32>
  %0 = npu.transpose(%k) {permutation = [0, 1, 3, 2]} : (tensor<1x2x8x16xf32>) -> tensor<1x2x16x8xf32>
  %1 = npu.matmul(%q, %0) : (tensor<1x2x8x16xf32>, tensor<1x2x16x8xf32>) -> tensor<1x2x8x8xf32>
  %2 = npu.eltwise mul(%1, %s) : (tensor<1x2x8x8xf32>, tensor<f32>) -> tensor<1x2x8x8xf32>
  %3 = npu.softmax(%2) {axis = 3 : i64} : (tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32>
  %4 = npu.matmul(%3, %v) : (tensor<1x2x8x8xf32>, tensor<1x2x8x16xf32>) -> tensor<1x2x8x16xf32>
  return %4 : tensor<1x2x8x16xf32>
}

// BERT as PyTorch exports it: a quotient, a mask for each sample; heads are split by a transpose that
// also turns the keys.
// CHECK-LABEL: @mask
// CHECK-SAME: %[[Q:[^:]*]]: {{[^,]*}}, %[[K:[^:]*]]: {{[^,]*}}, %[[V:[^:]*]]: {{[^,]*}}, %[[M:[^:]*]]:
// CHECK: %[[T:.*]] = npu.transpose(%[[K]]) {permutation = [0, 2, 3, 1]}
// CHECK: %[[R:.*]] = npu.transpose(%[[T]]) {permutation = [0, 1, 3, 2]}
// CHECK: npu.attention(%[[Q]], %[[R]], %[[V]], %[[M]]) {scale = 2.500000e-01 : f64}
func.func @mask(%q: tensor<2x3x9x16xf32>, %k: tensor<2x9x3x16xf32>, %v: tensor<2x3x9x16xf32>, %m: tensor<2x1x1x9xf32>) -> tensor<2x3x9x16xf32> {
  %s = npu.constant dense<4.0> : tensor<f32> -> tensor<f32>
  %0 = npu.transpose(%k) {permutation = [0, 2, 3, 1]} : (tensor<2x9x3x16xf32>) -> tensor<2x3x16x9xf32>
  %1 = npu.matmul(%q, %0) : (tensor<2x3x9x16xf32>, tensor<2x3x16x9xf32>) -> tensor<2x3x9x9xf32>
  %2 = npu.eltwise div(%1, %s) : (tensor<2x3x9x9xf32>, tensor<f32>) -> tensor<2x3x9x9xf32>
  %3 = npu.eltwise add(%2, %m) : (tensor<2x3x9x9xf32>, tensor<2x1x1x9xf32>) -> tensor<2x3x9x9xf32>
  %4 = npu.softmax(%3) {axis = 3 : i64} : (tensor<2x3x9x9xf32>) -> tensor<2x3x9x9xf32>
  %5 = npu.matmul(%4, %v) : (tensor<2x3x9x9xf32>, tensor<2x3x9x16xf32>) -> tensor<2x3x9x16xf32>
  return %5 : tensor<2x3x9x16xf32>
}

// T5: no scale, a bias by position and head, as large as the scores.
// CHECK-LABEL: @relative_position
// CHECK-SAME: %[[Q:[^:]*]]: {{[^,]*}}, %[[B:[^:]*]]:
// CHECK: npu.attention(%[[Q]], %[[Q]], %[[Q]], %[[B]]) {scale = 1.000000e+00 : f64}
func.func @relative_position(%q: tensor<1x3x8x16xf32>, %b: tensor<1x3x8x8xf32>) -> tensor<1x3x8x16xf32> {
  %0 = npu.transpose(%q) {permutation = [0, 1, 3, 2]} : (tensor<1x3x8x16xf32>) -> tensor<1x3x16x8xf32>
  %1 = npu.matmul(%q, %0) : (tensor<1x3x8x16xf32>, tensor<1x3x16x8xf32>) -> tensor<1x3x8x8xf32>
  %2 = npu.eltwise add(%1, %b) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  %3 = npu.softmax(%2) {axis = 3 : i64} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  %4 = npu.matmul(%3, %q) : (tensor<1x3x8x8xf32>, tensor<1x3x8x16xf32>) -> tensor<1x3x8x16xf32>
  return %4 : tensor<1x3x8x16xf32>
}

// timm's ViT, ONNX's Attention and PyTorch's of opset 14 on: factors on queries, keys or both.
// CHECK-LABEL: @factors_in_front
// CHECK-SAME: %[[Q:[^:]*]]: {{[^,]*}}, %[[K:[^:]*]]:
// CHECK: npu.attention(%[[Q]], %[[K]], %[[K]]) {scale = 2.500000e-01 : f64}
func.func @factors_in_front(%q: tensor<3x8x16xf32>, %k: tensor<3x8x16xf32>) -> tensor<3x8x16xf32> {
  %s = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %0 = npu.transpose(%k) {permutation = [0, 2, 1]} : (tensor<3x8x16xf32>) -> tensor<3x16x8xf32>
  %1 = npu.eltwise mul(%q, %s) : (tensor<3x8x16xf32>, tensor<f32>) -> tensor<3x8x16xf32>
  %2 = npu.eltwise mul(%0, %s) : (tensor<3x16x8xf32>, tensor<f32>) -> tensor<3x16x8xf32>
  %3 = npu.matmul(%1, %2) : (tensor<3x8x16xf32>, tensor<3x16x8xf32>) -> tensor<3x8x8xf32>
  %4 = npu.softmax(%3) {axis = 2 : i64} : (tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  %5 = npu.matmul(%4, %k) : (tensor<3x8x8xf32>, tensor<3x8x16xf32>) -> tensor<3x8x16xf32>
  return %5 : tensor<3x8x16xf32>
}

// Keras' ViT: products of three dimensions, scale and softmax of four, in which the op then is.
// CHECK-LABEL: @reshapes_between
// CHECK-COUNT-3: npu.reshape(%{{.*}}) : (tensor<3x8x16xf32>) -> tensor<1x3x8x16xf32>
// CHECK-NOT: npu.reshape(%{{.*}}) : (tensor<3x8x16xf32>) -> tensor<1x3x8x16xf32>
// CHECK: npu.attention({{.*}}) {scale = 5.000000e-01 : f64} : {{.*}} -> tensor<1x3x8x16xf32>
// CHECK: npu.reshape({{.*}}) : (tensor<1x3x8x16xf32>) -> tensor<3x8x16xf32>
func.func @reshapes_between(%q: tensor<3x8x16xf32>, %k: tensor<3x8x16xf32>) -> tensor<3x8x16xf32> {
  %s = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %0 = npu.transpose(%k) {permutation = [0, 2, 1]} : (tensor<3x8x16xf32>) -> tensor<3x16x8xf32>
  %1 = npu.matmul(%q, %0) : (tensor<3x8x16xf32>, tensor<3x16x8xf32>) -> tensor<3x8x8xf32>
  %2 = npu.reshape(%1) : (tensor<3x8x8xf32>) -> tensor<1x3x8x8xf32>
  %3 = npu.eltwise mul(%2, %s) : (tensor<1x3x8x8xf32>, tensor<f32>) -> tensor<1x3x8x8xf32>
  %4 = npu.softmax(%3) {axis = 3 : i64} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  %5 = npu.reshape(%4) : (tensor<1x3x8x8xf32>) -> tensor<3x8x8xf32>
  %6 = npu.matmul(%5, %k) : (tensor<3x8x8xf32>, tensor<3x8x16xf32>) -> tensor<3x8x16xf32>
  return %6 : tensor<3x8x16xf32>
}

// The same with a mask of four dimensions.
// CHECK-LABEL: @mask_behind_a_reshape
// CHECK: %[[Q:.*]] = npu.reshape(%{{.*}}) : (tensor<3x8x16xf32>) -> tensor<1x3x8x16xf32>
// CHECK: npu.attention({{.*}}) {scale = 1.000000e+00 : f64} : {{.*}} -> tensor<1x3x8x16xf32>
// CHECK: npu.reshape({{.*}}) : (tensor<1x3x8x16xf32>) -> tensor<3x8x16xf32>
func.func @mask_behind_a_reshape(%q: tensor<3x8x16xf32>, %k: tensor<3x16x8xf32>, %m: tensor<1x1x1x8xf32>) -> tensor<3x8x16xf32> {
  %0 = npu.matmul(%q, %k) : (tensor<3x8x16xf32>, tensor<3x16x8xf32>) -> tensor<3x8x8xf32>
  %1 = npu.reshape(%0) : (tensor<3x8x8xf32>) -> tensor<1x3x8x8xf32>
  %2 = npu.eltwise add(%1, %m) : (tensor<1x3x8x8xf32>, tensor<1x1x1x8xf32>) -> tensor<1x3x8x8xf32>
  %3 = npu.softmax(%2) {axis = 3 : i64} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  %4 = npu.reshape(%3) : (tensor<1x3x8x8xf32>) -> tensor<3x8x8xf32>
  %5 = npu.matmul(%4, %q) : (tensor<3x8x8xf32>, tensor<3x8x16xf32>) -> tensor<3x8x16xf32>
  return %5 : tensor<3x8x16xf32>
}

// A mask that chooses: GPT-2's Where, and masked_fill the other way round.
// CHECK-LABEL: @where
// CHECK-SAME: %[[Q:[^:]*]]: {{[^,]*}}, %[[K:[^:]*]]: {{[^,]*}}, %[[C:[^:]*]]:
// CHECK: npu.attention(%[[Q]], %{{.*}}, %[[Q]], %[[C]]) {fill = -1.000000e+04 : f64, scale = 1.000000e+00 : f64}
func.func @where(%q: tensor<1x3x8x16xf32>, %k: tensor<1x3x16x8xf32>, %c: tensor<1x1x8x8xi1>) -> tensor<1x3x8x16xf32> {
  %f = npu.constant dense<-1.0e4> : tensor<f32> -> tensor<f32>
  %0 = npu.matmul(%q, %k) : (tensor<1x3x8x16xf32>, tensor<1x3x16x8xf32>) -> tensor<1x3x8x8xf32>
  %1 = npu.eltwise select(%c, %0, %f) : (tensor<1x1x8x8xi1>, tensor<1x3x8x8xf32>, tensor<f32>) -> tensor<1x3x8x8xf32>
  %2 = npu.softmax(%1) {axis = 3 : i64} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  %3 = npu.matmul(%2, %q) : (tensor<1x3x8x8xf32>, tensor<1x3x8x16xf32>) -> tensor<1x3x8x16xf32>
  return %3 : tensor<1x3x8x16xf32>
}

// CHECK-LABEL: @masked_fill
// CHECK: %[[N:.*]] = npu.eltwise logical_not(%{{.*}}) : (tensor<1x1x8x8xi1>) -> tensor<1x1x8x8xi1>
// CHECK: npu.attention(%{{.*}}, %[[N]]) {fill = 0xFFF0000000000000 : f64
func.func @masked_fill(%q: tensor<1x3x8x16xf32>, %k: tensor<1x3x16x8xf32>, %c: tensor<1x1x8x8xi1>) -> tensor<1x3x8x16xf32> {
  %f = npu.constant dense<0xFF800000> : tensor<f32> -> tensor<f32>
  %0 = npu.matmul(%q, %k) : (tensor<1x3x8x16xf32>, tensor<1x3x16x8xf32>) -> tensor<1x3x8x8xf32>
  %1 = npu.eltwise select(%c, %f, %0) : (tensor<1x1x8x8xi1>, tensor<f32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  %2 = npu.softmax(%1) {axis = 3 : i64} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  %3 = npu.matmul(%2, %q) : (tensor<1x3x8x8xf32>, tensor<1x3x8x16xf32>) -> tensor<1x3x8x16xf32>
  return %3 : tensor<1x3x8x16xf32>
}

// ONNX's Attention: rows of which nothing may be attended are 0.
// CHECK-LABEL: @open_rows
// CHECK: %[[A:.*]] = npu.attention
// CHECK: npu.eltwise select(%{{.*}}, %[[A]], %{{.*}}) : (tensor<1x1x8x1xi1>, tensor<1x3x8x16xf32>, tensor<f32>) -> tensor<1x3x8x16xf32>
func.func @open_rows(%q: tensor<1x3x8x16xf32>, %k: tensor<1x3x16x8xf32>, %c: tensor<1x1x8x8xi1>, %o: tensor<1x1x8x1xi1>) -> tensor<1x3x8x16xf32> {
  %f = npu.constant dense<0xFF800000> : tensor<f32> -> tensor<f32>
  %z = npu.constant dense<0.0> : tensor<f32> -> tensor<f32>
  %0 = npu.matmul(%q, %k) : (tensor<1x3x8x16xf32>, tensor<1x3x16x8xf32>) -> tensor<1x3x8x8xf32>
  %1 = npu.eltwise select(%c, %0, %f) : (tensor<1x1x8x8xi1>, tensor<1x3x8x8xf32>, tensor<f32>) -> tensor<1x3x8x8xf32>
  %2 = npu.softmax(%1) {axis = 3 : i64} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  %3 = npu.eltwise select(%o, %2, %z) : (tensor<1x1x8x1xi1>, tensor<1x3x8x8xf32>, tensor<f32>) -> tensor<1x3x8x8xf32>
  %4 = npu.matmul(%3, %q) : (tensor<1x3x8x8xf32>, tensor<1x3x8x16xf32>) -> tensor<1x3x8x16xf32>
  return %4 : tensor<1x3x8x16xf32>
}

// PyTorch's: rows of which softmax makes NaN are 0 times the values.
// CHECK-LABEL: @hidden_nan
// CHECK-DAG: %[[ZEROS:.*]] = npu.constant dense<0.000000e+00> : tensor<1x3x1x8xf32>
// CHECK-DAG: %[[A:.*]] = npu.attention
// CHECK-DAG: %[[NONE:.*]] = npu.matmul(%[[ZEROS]], %arg0) : (tensor<1x3x1x8xf32>, tensor<1x3x8x16xf32>) -> tensor<1x3x1x16xf32>
// CHECK: %[[NUMBER:.*]] = npu.eltwise equal(%[[A]], %[[A]]) : (tensor<1x3x8x16xf32>, tensor<1x3x8x16xf32>) -> tensor<1x3x8x16xi1>
// CHECK: npu.eltwise select(%[[NUMBER]], %[[A]], %[[NONE]]) : (tensor<1x3x8x16xi1>, tensor<1x3x8x16xf32>, tensor<1x3x1x16xf32>) -> tensor<1x3x8x16xf32>
func.func @hidden_nan(%q: tensor<1x3x8x16xf32>, %k: tensor<1x3x16x8xf32>, %m: tensor<8xf32>) -> tensor<1x3x8x16xf32> {
  %z = npu.constant dense<0.0> : tensor<f32> -> tensor<f32>
  %0 = npu.matmul(%q, %k) : (tensor<1x3x8x16xf32>, tensor<1x3x16x8xf32>) -> tensor<1x3x8x8xf32>
  %1 = npu.eltwise add(%0, %m) : (tensor<1x3x8x8xf32>, tensor<8xf32>) -> tensor<1x3x8x8xf32>
  %2 = npu.softmax(%1) {axis = 3 : i64} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  %3 = npu.eltwise equal(%2, %2) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xi1>
  %4 = npu.eltwise logical_not(%3) : (tensor<1x3x8x8xi1>) -> tensor<1x3x8x8xi1>
  %5 = npu.eltwise select(%4, %z, %2) : (tensor<1x3x8x8xi1>, tensor<f32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  %6 = npu.matmul(%5, %q) : (tensor<1x3x8x8xf32>, tensor<1x3x8x16xf32>) -> tensor<1x3x8x16xf32>
  return %6 : tensor<1x3x8x16xf32>
}

// The same by an equality, but of other weights than it chooses.
// CHECK-LABEL: @other_nan
// CHECK-NOT: npu.attention
func.func @other_nan(%q: tensor<1x3x8x16xf32>, %k: tensor<1x3x16x8xf32>, %w: tensor<1x3x8x8xf32>) -> tensor<1x3x8x16xf32> {
  %z = npu.constant dense<0.0> : tensor<f32> -> tensor<f32>
  %0 = npu.matmul(%q, %k) : (tensor<1x3x8x16xf32>, tensor<1x3x16x8xf32>) -> tensor<1x3x8x8xf32>
  %1 = npu.softmax(%0) {axis = 3 : i64} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  %2 = npu.eltwise equal(%w, %w) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xi1>
  %3 = npu.eltwise select(%2, %1, %z) : (tensor<1x3x8x8xi1>, tensor<1x3x8x8xf32>, tensor<f32>) -> tensor<1x3x8x8xf32>
  %4 = npu.matmul(%3, %q) : (tensor<1x3x8x8xf32>, tensor<1x3x8x16xf32>) -> tensor<1x3x8x16xf32>
  return %4 : tensor<1x3x8x16xf32>
}

// Grouped queries: heads of keys and values that are repeated are read as they are.
// CHECK-LABEL: @grouped
// CHECK-SAME: %[[Q:[^:]*]]: {{[^,]*}}, %[[K:[^:]*]]:
// CHECK: npu.attention(%[[Q]], %[[K]], %[[K]]) {{.*}} : (tensor<1x6x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>)
func.func @grouped(%q: tensor<1x6x8x16xf32>, %k: tensor<1x2x8x16xf32>) -> tensor<1x6x8x16xf32> {
  %0 = npu.reshape(%k) : (tensor<1x2x8x16xf32>) -> tensor<1x2x1x8x16xf32>
  %1 = npu.broadcast(%0) : (tensor<1x2x1x8x16xf32>) -> tensor<1x2x3x8x16xf32>
  %2 = npu.reshape(%1) : (tensor<1x2x3x8x16xf32>) -> tensor<1x6x8x16xf32>
  %3 = npu.transpose(%2) {permutation = [0, 1, 3, 2]} : (tensor<1x6x8x16xf32>) -> tensor<1x6x16x8xf32>
  %4 = npu.matmul(%q, %3) : (tensor<1x6x8x16xf32>, tensor<1x6x16x8xf32>) -> tensor<1x6x8x8xf32>
  %5 = npu.softmax(%4) {axis = 3 : i64} : (tensor<1x6x8x8xf32>) -> tensor<1x6x8x8xf32>
  %6 = npu.matmul(%5, %2) : (tensor<1x6x8x8xf32>, tensor<1x6x8x16xf32>) -> tensor<1x6x8x16xf32>
  return %6 : tensor<1x6x8x16xf32>
}

// Scores that somebody else reads, a mask that is scaled with them, another axis, too few queries.
// CHECK-LABEL: @kept
// CHECK-NOT: npu.attention
func.func @kept(%q: tensor<1x3x8x16xf32>, %k: tensor<1x3x16x8xf32>, %m: tensor<8xf32>) -> (tensor<1x3x8x16xf32>, tensor<1x3x8x8xf32>, tensor<1x3x8x16xf32>, tensor<1x3x8x16xf32>) {
  %s = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %0 = npu.matmul(%q, %k) : (tensor<1x3x8x16xf32>, tensor<1x3x16x8xf32>) -> tensor<1x3x8x8xf32>
  %1 = npu.softmax(%0) {axis = 3 : i64} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  %2 = npu.matmul(%1, %q) : (tensor<1x3x8x8xf32>, tensor<1x3x8x16xf32>) -> tensor<1x3x8x16xf32>
  %3 = npu.matmul(%q, %k) : (tensor<1x3x8x16xf32>, tensor<1x3x16x8xf32>) -> tensor<1x3x8x8xf32>
  %4 = npu.eltwise add(%3, %m) : (tensor<1x3x8x8xf32>, tensor<8xf32>) -> tensor<1x3x8x8xf32>
  %5 = npu.eltwise mul(%4, %s) : (tensor<1x3x8x8xf32>, tensor<f32>) -> tensor<1x3x8x8xf32>
  %6 = npu.softmax(%5) {axis = 3 : i64} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  %7 = npu.matmul(%6, %q) : (tensor<1x3x8x8xf32>, tensor<1x3x8x16xf32>) -> tensor<1x3x8x16xf32>
  %8 = npu.matmul(%q, %k) : (tensor<1x3x8x16xf32>, tensor<1x3x16x8xf32>) -> tensor<1x3x8x8xf32>
  %9 = npu.softmax(%8) {axis = 2 : i64} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  %10 = npu.matmul(%9, %q) : (tensor<1x3x8x8xf32>, tensor<1x3x8x16xf32>) -> tensor<1x3x8x16xf32>
  return %2, %0, %7, %10 : tensor<1x3x8x16xf32>, tensor<1x3x8x8xf32>, tensor<1x3x8x16xf32>, tensor<1x3x8x16xf32>
}

// CHECK-LABEL: @one_query
// CHECK-NOT: npu.attention
func.func @one_query(%q: tensor<1x3x1x16xf32>, %k: tensor<1x3x16x8xf32>, %v: tensor<1x3x8x16xf32>) -> tensor<1x3x1x16xf32> {
  %0 = npu.matmul(%q, %k) : (tensor<1x3x1x16xf32>, tensor<1x3x16x8xf32>) -> tensor<1x3x1x8xf32>
  %1 = npu.softmax(%0) {axis = 3 : i64} : (tensor<1x3x1x8xf32>) -> tensor<1x3x1x8xf32>
  %2 = npu.matmul(%1, %v) : (tensor<1x3x1x8xf32>, tensor<1x3x8x16xf32>) -> tensor<1x3x1x16xf32>
  return %2 : tensor<1x3x1x16xf32>
}

// Shifted windows: a bias by position, then one of windows, which has a dimension of its own for them.
// The sum is larger than the two, and is made when the program runs.
// CHECK-LABEL: @shifted_windows
// CHECK-SAME: %[[Q:[^:]*]]: {{[^,]*}}, %[[B:[^:]*]]: {{[^,]*}}, %[[M:[^:]*]]:
// CHECK-DAG: %[[P:.*]] = npu.reshape(%[[B]]) : (tensor<1x3x8x8xf32>) -> tensor<1x1x3x8x8xf32>
// CHECK-DAG: %[[S:.*]] = npu.eltwise add(%[[P]], %[[M]]) : (tensor<1x1x3x8x8xf32>, tensor<1x4x1x8x8xf32>) -> tensor<1x4x3x8x8xf32>
// CHECK-DAG: %[[W:.*]] = npu.reshape(%[[Q]]) : (tensor<4x3x8x16xf32>) -> tensor<1x4x3x8x16xf32>
// CHECK: %[[Y:.*]] = npu.attention(%[[W]], %{{.*}}, %{{.*}}, %[[S]])
// CHECK-NOT: npu.softmax
func.func @shifted_windows(%q: tensor<4x3x8x16xf32>, %b: tensor<1x3x8x8xf32>, %m: tensor<1x4x1x8x8xf32>) -> tensor<4x3x8x16xf32> {
  %0 = npu.transpose(%q) {permutation = [0, 1, 3, 2]} : (tensor<4x3x8x16xf32>) -> tensor<4x3x16x8xf32>
  %1 = npu.matmul(%q, %0) : (tensor<4x3x8x16xf32>, tensor<4x3x16x8xf32>) -> tensor<4x3x8x8xf32>
  %2 = npu.eltwise add(%1, %b) : (tensor<4x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<4x3x8x8xf32>
  %3 = npu.reshape(%2) : (tensor<4x3x8x8xf32>) -> tensor<1x4x3x8x8xf32>
  %4 = npu.eltwise add(%3, %m) : (tensor<1x4x3x8x8xf32>, tensor<1x4x1x8x8xf32>) -> tensor<1x4x3x8x8xf32>
  %5 = npu.reshape(%4) : (tensor<1x4x3x8x8xf32>) -> tensor<4x3x8x8xf32>
  %6 = npu.softmax(%5) {axis = 3 : i64} : (tensor<4x3x8x8xf32>) -> tensor<4x3x8x8xf32>
  %7 = npu.matmul(%6, %q) : (tensor<4x3x8x8xf32>, tensor<4x3x8x16xf32>) -> tensor<4x3x8x16xf32>
  return %7 : tensor<4x3x8x16xf32>
}

// SAM and MViT: biases of rows and of columns of an image, with the scores' matrices in four dimensions.
// CHECK-LABEL: @decomposed_position
// CHECK-SAME: %[[Q:[^:]*]]: {{[^,]*}}, %[[H:[^:]*]]: {{[^,]*}}, %[[W:[^:]*]]:
// CHECK: %[[S:.*]] = npu.eltwise add(%[[H]], %[[W]]) : (tensor<2x2x4x2x1xf32>, tensor<2x2x4x1x4xf32>) -> tensor<2x2x4x2x4xf32>
// CHECK: %[[M:.*]] = npu.reshape(%[[S]]) : (tensor<2x2x4x2x4xf32>) -> tensor<2x8x8xf32>
// CHECK: npu.attention(%[[Q]], %{{.*}}, %[[Q]], %[[M]])
// CHECK-NOT: npu.softmax
func.func @decomposed_position(%q: tensor<2x8x16xf32>, %h: tensor<2x2x4x2x1xf32>, %w: tensor<2x2x4x1x4xf32>) -> tensor<2x8x16xf32> {
  %0 = npu.transpose(%q) {permutation = [0, 2, 1]} : (tensor<2x8x16xf32>) -> tensor<2x16x8xf32>
  %1 = npu.matmul(%q, %0) : (tensor<2x8x16xf32>, tensor<2x16x8xf32>) -> tensor<2x8x8xf32>
  %2 = npu.reshape(%1) : (tensor<2x8x8xf32>) -> tensor<2x2x4x2x4xf32>
  %3 = npu.eltwise add(%2, %h) : (tensor<2x2x4x2x4xf32>, tensor<2x2x4x2x1xf32>) -> tensor<2x2x4x2x4xf32>
  %4 = npu.eltwise add(%3, %w) : (tensor<2x2x4x2x4xf32>, tensor<2x2x4x1x4xf32>) -> tensor<2x2x4x2x4xf32>
  %5 = npu.reshape(%4) : (tensor<2x2x4x2x4xf32>) -> tensor<2x2x4x8xf32>
  %6 = npu.softmax(%5) {axis = 3 : i64} : (tensor<2x2x4x8xf32>) -> tensor<2x2x4x8xf32>
  %7 = npu.reshape(%6) : (tensor<2x2x4x8xf32>) -> tensor<2x8x8xf32>
  %8 = npu.matmul(%7, %q) : (tensor<2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %8 : tensor<2x8x16xf32>
}

// One of the two biases repeats along what the other is of: the rows alone are no mask for matrices.
// CHECK-LABEL: @half_a_position
// CHECK: npu.softmax
func.func @half_a_position(%q: tensor<2x8x16xf32>, %h: tensor<2x2x4x2x1xf32>) -> tensor<2x8x16xf32> {
  %0 = npu.transpose(%q) {permutation = [0, 2, 1]} : (tensor<2x8x16xf32>) -> tensor<2x16x8xf32>
  %1 = npu.matmul(%q, %0) : (tensor<2x8x16xf32>, tensor<2x16x8xf32>) -> tensor<2x8x8xf32>
  %2 = npu.reshape(%1) : (tensor<2x8x8xf32>) -> tensor<2x2x4x2x4xf32>
  %3 = npu.eltwise add(%2, %h) : (tensor<2x2x4x2x4xf32>, tensor<2x2x4x2x1xf32>) -> tensor<2x2x4x2x4xf32>
  %4 = npu.reshape(%3) : (tensor<2x2x4x2x4xf32>) -> tensor<2x8x8xf32>
  %5 = npu.softmax(%4) {axis = 2 : i64} : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %6 = npu.matmul(%5, %q) : (tensor<2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %6 : tensor<2x8x16xf32>
}

// Softmax over two keys at a time, and one whose rows are joined behind it: both are of other rows than the product's.
// CHECK-LABEL: @other_rows
// CHECK: npu.softmax
// CHECK: npu.softmax
func.func @other_rows(%q: tensor<2x8x16xf32>, %v: tensor<1x16x4xf32>) -> (tensor<2x8x16xf32>, tensor<1x8x4xf32>) {
  %0 = npu.transpose(%q) {permutation = [0, 2, 1]} : (tensor<2x8x16xf32>) -> tensor<2x16x8xf32>
  %1 = npu.matmul(%q, %0) : (tensor<2x8x16xf32>, tensor<2x16x8xf32>) -> tensor<2x8x8xf32>
  %2 = npu.reshape(%1) : (tensor<2x8x8xf32>) -> tensor<2x8x4x2xf32>
  %3 = npu.softmax(%2) {axis = 3 : i64} : (tensor<2x8x4x2xf32>) -> tensor<2x8x4x2xf32>
  %4 = npu.reshape(%3) : (tensor<2x8x4x2xf32>) -> tensor<2x8x8xf32>
  %5 = npu.matmul(%4, %q) : (tensor<2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %6 = npu.matmul(%q, %0) : (tensor<2x8x16xf32>, tensor<2x16x8xf32>) -> tensor<2x8x8xf32>
  %7 = npu.softmax(%6) {axis = 2 : i64} : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %8 = npu.reshape(%7) : (tensor<2x8x8xf32>) -> tensor<1x8x16xf32>
  %9 = npu.matmul(%8, %v) : (tensor<1x8x16xf32>, tensor<1x16x4xf32>) -> tensor<1x8x4xf32>
  return %5, %9 : tensor<2x8x16xf32>, tensor<1x8x4xf32>
}

// OPT: scores and their mask are held above the least float, beside which scores are nothing.
// CHECK-LABEL: @held_above
// CHECK-SAME: %[[Q:[^:]*]]: {{[^,]*}}, %[[M:[^:]*]]:
// CHECK: %[[C:.*]] = npu.eltwise max(%[[M]], %{{.*}}) : (tensor<1x8x8xf32>, tensor<f32>) -> tensor<1x8x8xf32>
// CHECK: npu.attention(%[[Q]], %{{.*}}, %[[Q]], %[[C]])
// CHECK-NOT: npu.softmax
func.func @held_above(%q: tensor<2x8x16xf32>, %m: tensor<1x8x8xf32>) -> tensor<2x8x16xf32> {
  %least = npu.constant dense<-3.40282347E+38> : tensor<f32> -> tensor<f32>
  %0 = npu.transpose(%q) {permutation = [0, 2, 1]} : (tensor<2x8x16xf32>) -> tensor<2x16x8xf32>
  %1 = npu.matmul(%q, %0) : (tensor<2x8x16xf32>, tensor<2x16x8xf32>) -> tensor<2x8x8xf32>
  %2 = npu.eltwise add(%1, %m) : (tensor<2x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %3 = npu.eltwise max(%2, %least) : (tensor<2x8x8xf32>, tensor<f32>) -> tensor<2x8x8xf32>
  %4 = npu.softmax(%3) {axis = 2 : i64} : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %5 = npu.matmul(%4, %q) : (tensor<2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %5 : tensor<2x8x16xf32>
}

// Above what scores may be, and without a mask in front, it is none of that.
// CHECK-LABEL: @held_elsewhere
// CHECK-COUNT-2: npu.softmax
// CHECK-NOT: npu.softmax
func.func @held_elsewhere(%q: tensor<2x8x16xf32>, %m: tensor<1x8x8xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  %least = npu.constant dense<-3.40282347E+38> : tensor<f32> -> tensor<f32>
  %little = npu.constant dense<-1.0E+9> : tensor<f32> -> tensor<f32>
  %0 = npu.transpose(%q) {permutation = [0, 2, 1]} : (tensor<2x8x16xf32>) -> tensor<2x16x8xf32>
  %1 = npu.matmul(%q, %0) : (tensor<2x8x16xf32>, tensor<2x16x8xf32>) -> tensor<2x8x8xf32>
  %2 = npu.eltwise add(%1, %m) : (tensor<2x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %3 = npu.eltwise max(%2, %little) : (tensor<2x8x8xf32>, tensor<f32>) -> tensor<2x8x8xf32>
  %4 = npu.softmax(%3) {axis = 2 : i64} : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %5 = npu.matmul(%4, %q) : (tensor<2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %6 = npu.matmul(%q, %0) : (tensor<2x8x16xf32>, tensor<2x16x8xf32>) -> tensor<2x8x8xf32>
  %7 = npu.eltwise max(%6, %least) : (tensor<2x8x8xf32>, tensor<f32>) -> tensor<2x8x8xf32>
  %8 = npu.softmax(%7) {axis = 2 : i64} : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %9 = npu.matmul(%8, %q) : (tensor<2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %5, %9 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
}
