// Convolutions stand between logical transposes; their weights are transposed while importing.
// RUN: tosa-import %s | FileCheck %s

// TOSA's padding is (top, bottom, left, right), the dialect's begins, then ends.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.constant dense<1.000000e+00>{{.*}} -> tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = npu.transpose(%[[X0]]) {permutation = [0, 3, 1, 2]} : {{.*}} -> tensor<2x3x5x6xf32>
// CHECK-NEXT: %[[V2:.*]] = npu.constant dense<1.000000e+00>{{.*}} -> tensor<4x3x2x2xf32>
// CHECK-NEXT: %[[V3:.*]] = npu.conv2d(%[[V1]], %[[V2]], %[[V0]]) {dilations = [1, 1], groups = 1 : i64, pads = [1, 0, 0, 1], strides = [1, 1]} : {{.*}} -> tensor<2x4x5x6xf32>
// CHECK-NEXT: %[[V4:.*]] = npu.transpose(%[[V3]]) {permutation = [0, 2, 3, 1]} : {{.*}} -> tensor<2x5x6x4xf32>
// CHECK-NEXT: return %[[V4]]
func.func @f(%x: tensor<?x5x6x3xf32>) -> tensor<?x5x6x4xf32> {
  %w = "tosa.const"() {values = dense<1.0> : tensor<4x2x2x3xf32>} : () -> tensor<4x2x2x3xf32>
  %b = "tosa.const"() {values = dense<1.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %y = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 1, 0, 0, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<?x5x6x3xf32>, tensor<4x2x2x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x5x6x4xf32>
  return %y : tensor<?x5x6x4xf32>
}

// -----
// Bytes: the data's zero point belongs to the convolution, rescale follows.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.constant dense<10>{{.*}} -> tensor<8xi32>
// CHECK-NEXT: %[[V1:.*]] = npu.constant dense<1073741824>{{.*}} -> tensor<8xi32>
// CHECK-NEXT: %[[V2:.*]] = npu.transpose(%[[X0]]) {permutation = [0, 3, 1, 2]} : {{.*}} -> tensor<1x2x4x4xi8>
// CHECK-NEXT: %[[V3:.*]] = npu.constant dense<3>{{.*}} -> tensor<8x2x1x1xi8>
// CHECK-NEXT: %[[V4:.*]] = npu.conv2d(%[[V2]], %[[V3]], %[[V0]]) {data_zero_point = -11 : i64, dilations = [1, 1], groups = 1 : i64, pads = [0, 0, 0, 0], strides = [1, 1]} : {{.*}} -> tensor<1x8x4x4xi32>
// CHECK-NEXT: %[[V5:.*]] = npu.transpose(%[[V4]]) {permutation = [0, 2, 3, 1]} : {{.*}} -> tensor<1x4x4x8xi32>
// CHECK-NEXT: %[[V6:.*]] = npu.constant dense<38>{{.*}} -> tensor<8xi32>
// CHECK-NEXT: %[[V7:.*]] = npu.requantize(%[[V5]], %[[V1]], %[[V6]]) {high = 127 : i64, low = -128 : i64, rounding = #npu.rounding<twice>, zero_point = -11 : i64} : {{.*}} -> tensor<1x4x4x8xi8>
// CHECK-NEXT: return %[[V7]]
func.func @f(%x: tensor<1x4x4x2xi8>) -> tensor<1x4x4x8xi8> {
  %w = "tosa.const"() {values = dense<3> : tensor<8x1x1x2xi8>} : () -> tensor<8x1x1x2xi8>
  %b = "tosa.const"() {values = dense<10> : tensor<8xi32>} : () -> tensor<8xi32>
  %p = "tosa.const"() {values = dense<-11> : tensor<1xi8>} : () -> tensor<1xi8>
  %z = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %o = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %m = "tosa.const"() {values = dense<1073741824> : tensor<8xi32>} : () -> tensor<8xi32>
  %s = "tosa.const"() {values = dense<38> : tensor<8xi8>} : () -> tensor<8xi8>
  %y = tosa.conv2d %x, %w, %b, %p, %z {acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x4x2xi8>, tensor<8x1x1x2xi8>, tensor<8xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x8xi32>
  %r = tosa.rescale %y, %m, %s, %o, %p {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x4x4x8xi32>, tensor<8xi32>, tensor<8xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x4x8xi8>
  return %r : tensor<1x4x4x8xi8>
}

// -----
// A zero point of the weight is subtracted in 32 bits.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}, %[[X1:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.transpose(%[[X0]]) {permutation = [0, 3, 1, 2]} : {{.*}} -> tensor<1x2x4x4xi8>
// CHECK-NEXT: %[[V1:.*]] = npu.transpose(%[[X1]]) {permutation = [0, 3, 1, 2]} : {{.*}} -> tensor<8x2x1x1xi8>
// CHECK-NEXT: %[[V2:.*]] = npu.constant dense<0>{{.*}} -> tensor<8xi32>
// CHECK-NEXT: %[[V3:.*]] = npu.eltwise cast(%[[V0]]) : {{.*}} -> tensor<1x2x4x4xi32>
// CHECK-NEXT: %[[V4:.*]] = npu.constant dense<-11>{{.*}} -> tensor<i32>
// CHECK-NEXT: %[[V5:.*]] = npu.eltwise sub(%[[V3]], %[[V4]]) : {{.*}} -> tensor<1x2x4x4xi32>
// CHECK-NEXT: %[[V6:.*]] = npu.eltwise cast(%[[V1]]) : {{.*}} -> tensor<8x2x1x1xi32>
// CHECK-NEXT: %[[V7:.*]] = npu.constant dense<7>{{.*}} -> tensor<i32>
// CHECK-NEXT: %[[V8:.*]] = npu.eltwise sub(%[[V6]], %[[V7]]) : {{.*}} -> tensor<8x2x1x1xi32>
// CHECK-NEXT: %[[V9:.*]] = npu.conv2d(%[[V5]], %[[V8]], %[[V2]]) {dilations = [1, 1], groups = 1 : i64, pads = [0, 0, 0, 0], strides = [1, 1]} : {{.*}} -> tensor<1x8x4x4xi32>
// CHECK-NEXT: %[[V10:.*]] = npu.transpose(%[[V9]]) {permutation = [0, 2, 3, 1]} : {{.*}} -> tensor<1x4x4x8xi32>
// CHECK-NEXT: return %[[V10]]
func.func @f(%x: tensor<1x4x4x2xi8>, %w: tensor<8x1x1x2xi8>) -> tensor<1x4x4x8xi32> {
  %b = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %p = "tosa.const"() {values = dense<-11> : tensor<1xi8>} : () -> tensor<1xi8>
  %q = "tosa.const"() {values = dense<7> : tensor<1xi8>} : () -> tensor<1xi8>
  %y = tosa.conv2d %x, %w, %b, %p, %q {acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x4x2xi8>, tensor<8x1x1x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x8xi32>
  return %y : tensor<1x4x4x8xi32>
}

// -----
// Depthwise: as many groups as channels, two outputs of each.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}, %[[X1:.*]]: {{.*}}, %[[X2:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.transpose(%[[X0]]) {permutation = [0, 3, 1, 2]} : {{.*}} -> tensor<1x3x4x4xf32>
// CHECK-NEXT: %[[V1:.*]] = npu.transpose(%[[X1]]) {permutation = [2, 3, 0, 1]} : {{.*}} -> tensor<3x2x2x2xf32>
// CHECK-NEXT: %[[V2:.*]] = npu.reshape(%[[V1]]) : {{.*}} -> tensor<6x1x2x2xf32>
// CHECK-NEXT: %[[V3:.*]] = npu.conv2d(%[[V0]], %[[V2]], %[[X2]]) {dilations = [1, 1], groups = 3 : i64, pads = [0, 0, 0, 0], strides = [1, 1]} : {{.*}} -> tensor<1x6x3x3xf32>
// CHECK-NEXT: %[[V4:.*]] = npu.transpose(%[[V3]]) {permutation = [0, 2, 3, 1]} : {{.*}} -> tensor<1x3x3x6xf32>
// CHECK-NEXT: return %[[V4]]
func.func @f(%x: tensor<1x4x4x3xf32>, %w: tensor<2x2x3x2xf32>, %b: tensor<6xf32>) -> tensor<1x3x3x6xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %y = tosa.depthwise_conv2d %x, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<2x2x3x2xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x3x3x6xf32>
  return %y : tensor<1x3x3x6xf32>
}

// -----
// Bytes in three dimensions.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.constant dense<10>{{.*}} -> tensor<3xi32>
// CHECK-NEXT: %[[V1:.*]] = npu.transpose(%[[X0]]) {permutation = [0, 4, 1, 2, 3]} : {{.*}} -> tensor<1x2x3x4x5xi8>
// CHECK-NEXT: %[[V2:.*]] = npu.constant dense<3>{{.*}} -> tensor<3x2x2x2x2xi8>
// CHECK-NEXT: %[[V3:.*]] = npu.conv3d(%[[V1]], %[[V2]], %[[V0]]) {data_zero_point = 4 : i64, dilations = [1, 1, 1], groups = 1 : i64, pads = [0, 0, 0, 0, 0, 0], strides = [1, 1, 1]} : {{.*}} -> tensor<1x3x2x3x4xi32>
// CHECK-NEXT: %[[V4:.*]] = npu.transpose(%[[V3]]) {permutation = [0, 2, 3, 4, 1]} : {{.*}} -> tensor<1x2x3x4x3xi32>
// CHECK-NEXT: return %[[V4]]
func.func @f(%x: tensor<1x3x4x5x2xi8>) -> tensor<1x2x3x4x3xi32> {
  %w = "tosa.const"() {values = dense<3> : tensor<3x2x2x2x2xi8>} : () -> tensor<3x2x2x2x2xi8>
  %b = "tosa.const"() {values = dense<10> : tensor<3xi32>} : () -> tensor<3xi32>
  %p = "tosa.const"() {values = dense<4> : tensor<1xi8>} : () -> tensor<1xi8>
  %z = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %y = tosa.conv3d %x, %w, %b, %p, %z {acc_type = i32, pad = array<i64: 0, 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1>, dilation = array<i64: 1, 1, 1>} : (tensor<1x3x4x5x2xi8>, tensor<3x2x2x2x2xi8>, tensor<3xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x3x4x3xi32>
  return %y : tensor<1x2x3x4x3xi32>
}

// -----
// Transposed: what out_pad takes away is padding, what it adds comes afterwards
// and holds the bias.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}, %[[X1:.*]]: {{.*}}, %[[X2:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.transpose(%[[X0]]) {permutation = [0, 3, 1, 2]} : {{.*}} -> tensor<1x3x4x4xf32>
// CHECK-NEXT: %[[V1:.*]] = npu.transpose(%[[X1]]) {permutation = [0, 3, 1, 2]} : {{.*}} -> tensor<5x3x2x2xf32>
// CHECK-NEXT: %[[V2:.*]] = npu.conv_transpose2d(%[[V0]], %[[V1]]) {dilations = [1, 1], groups = 1 : i64, pads = [1, 0, 0, 0], strides = [2, 2]} : {{.*}} -> tensor<1x5x7x8xf32>
// CHECK-NEXT: %[[V3:.*]] = npu.reshape(%[[X2]]) : {{.*}} -> tensor<5x1x1xf32>
// CHECK-NEXT: %[[V4:.*]] = npu.pad(%[[V2]]) {mode = #npu.pad_mode<constant>, pads = [0, 0, 0, 0, 0, 0, 0, 2]} : {{.*}} -> tensor<1x5x7x10xf32>
// CHECK-NEXT: %[[V5:.*]] = npu.eltwise add(%[[V4]], %[[V3]]) : {{.*}} -> tensor<1x5x7x10xf32>
// CHECK-NEXT: %[[V6:.*]] = npu.transpose(%[[V5]]) {permutation = [0, 2, 3, 1]} : {{.*}} -> tensor<1x7x10x5xf32>
// CHECK-NEXT: return %[[V6]]
func.func @f(%x: tensor<1x4x4x3xf32>, %w: tensor<5x2x2x3xf32>, %b: tensor<5xf32>) -> tensor<1x7x10x5xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %y = tosa.transpose_conv2d %x, %w, %b, %z, %z {acc_type = f32, out_pad = array<i64: -1, 0, 0, 2>, stride = array<i64: 2, 2>} : (tensor<1x4x4x3xf32>, tensor<5x2x2x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x7x10x5xf32>
  return %y : tensor<1x7x10x5xf32>
}
