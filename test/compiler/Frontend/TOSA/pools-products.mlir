// Pooling, and the products of matrices.
// RUN: tosa-import %s | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.transpose(%[[X0]]) {permutation = [0, 3, 1, 2]} : {{.*}} -> tensor<1x5x7x8xf32>
// CHECK-NEXT: %[[V1:.*]] = npu.max_pool(%[[V0]]) {dilations = [1, 1], keep_nan = true, kernel = [3, 2], pads = [1, 0, 1, 0], strides = [2, 2]} : {{.*}} -> tensor<1x5x4x4xf32>
// CHECK-NEXT: %[[V2:.*]] = npu.transpose(%[[V1]]) {permutation = [0, 2, 3, 1]} : {{.*}} -> tensor<1x4x4x5xf32>
// CHECK-NEXT: return %[[V2]]
func.func @f(%x: tensor<1x7x8x5xf32>) -> tensor<1x4x4x5xf32> {
  %y = tosa.max_pool2d %x {kernel = array<i64: 3, 2>, pad = array<i64: 1, 1, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x7x8x5xf32>) -> tensor<1x4x4x5xf32>
  return %y : tensor<1x4x4x5xf32>
}

// -----
// Padding does not count.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.transpose(%[[X0]]) {permutation = [0, 3, 1, 2]} : {{.*}} -> tensor<1x5x7x8xf32>
// CHECK-NEXT: %[[V1:.*]] = npu.avg_pool(%[[V0]]) {dilations = [1, 1], kernel = [3, 2], pads = [1, 0, 1, 0], strides = [2, 2]} : {{.*}} -> tensor<1x5x4x4xf32>
// CHECK-NEXT: %[[V2:.*]] = npu.transpose(%[[V1]]) {permutation = [0, 2, 3, 1]} : {{.*}} -> tensor<1x4x4x5xf32>
// CHECK-NEXT: return %[[V2]]
func.func @f(%x: tensor<1x7x8x5xf32>) -> tensor<1x4x4x5xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %y = tosa.avg_pool2d %x, %z, %z {acc_type = f32, kernel = array<i64: 3, 2>, pad = array<i64: 1, 1, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x7x8x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x5xf32>
  return %y : tensor<1x4x4x5xf32>
}

// -----
// Bytes: sums by a convolution with ones, then a scale by the number of elements.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.transpose(%[[X0]]) {permutation = [0, 3, 1, 2]} : {{.*}} -> tensor<1x5x4x4xi8>
// CHECK-NEXT: %[[V1:.*]] = npu.constant dense<1>{{.*}} -> tensor<5x1x2x2xi8>
// CHECK-NEXT: %[[V2:.*]] = npu.conv2d(%[[V0]], %[[V1]]) {data_zero_point = -12 : i64, dilations = [1, 1], groups = 5 : i64, pads = [0, 0, 0, 0], strides = [2, 2]} : {{.*}} -> tensor<1x5x2x2xi32>
// CHECK-NEXT: %[[V3:.*]] = npu.constant dense<1073741825>{{.*}} -> tensor<i32>
// CHECK-NEXT: %[[V4:.*]] = npu.constant dense<32>{{.*}} -> tensor<i32>
// CHECK-NEXT: %[[V5:.*]] = npu.requantize(%[[V2]], %[[V3]], %[[V4]]) {high = 127 : i64, low = -128 : i64, zero_point = 33 : i64} : {{.*}} -> tensor<1x5x2x2xi8>
// CHECK-NEXT: %[[V6:.*]] = npu.transpose(%[[V5]]) {permutation = [0, 2, 3, 1]} : {{.*}} -> tensor<1x2x2x5xi8>
// CHECK-NEXT: return %[[V6]]
func.func @f(%x: tensor<1x4x4x5xi8>) -> tensor<1x2x2x5xi8> {
  %a = "tosa.const"() {values = dense<-12> : tensor<1xi8>} : () -> tensor<1xi8>
  %b = "tosa.const"() {values = dense<33> : tensor<1xi8>} : () -> tensor<1xi8>
  %y = tosa.avg_pool2d %x, %a, %b {acc_type = i32, kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x4x4x5xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x5xi8>
  return %y : tensor<1x2x2x5xi8>
}

// -----
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}, %[[X1:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.eltwise cast(%[[X0]]) : {{.*}} -> tensor<2x4x7xf32>
// CHECK-NEXT: %[[V1:.*]] = npu.eltwise cast(%[[X1]]) : {{.*}} -> tensor<2x7x5xf32>
// CHECK-NEXT: %[[V2:.*]] = npu.matmul(%[[V0]], %[[V1]]) : {{.*}} -> tensor<2x4x5xf32>
// CHECK-NEXT: return %[[V2]]
func.func @f(%x: tensor<2x4x7xf16>, %y: tensor<2x7x5xf16>) -> tensor<2x4x5xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf16>} : () -> tensor<1xf16>
  %r = tosa.matmul %x, %y, %z, %z : (tensor<2x4x7xf16>, tensor<2x7x5xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<2x4x5xf32>
  return %r : tensor<2x4x5xf32>
}

// -----
// Zero points are multiplied out: ab - z(sum of columns) - y(sum of rows) + nyz.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}, %[[X1:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.matmul(%[[X0]], %[[X1]]) : {{.*}} -> tensor<2x4x5xi32>
// CHECK-NEXT: %[[V1:.*]] = npu.eltwise cast(%[[X1]]) : {{.*}} -> tensor<2x7x5xi32>
// CHECK-NEXT: %[[V2:.*]] = npu.reduce(%[[V1]]) {axes = [1], keep_dims = true, kind = #npu.reduce_kind<sum>} : {{.*}} -> tensor<2x1x5xi32>
// CHECK-NEXT: %[[V3:.*]] = npu.constant dense<-9>{{.*}} -> tensor<i32>
// CHECK-NEXT: %[[V4:.*]] = npu.eltwise mul(%[[V2]], %[[V3]]) : {{.*}} -> tensor<2x1x5xi32>
// CHECK-NEXT: %[[V5:.*]] = npu.eltwise sub(%[[V0]], %[[V4]]) : {{.*}} -> tensor<2x4x5xi32>
// CHECK-NEXT: %[[V6:.*]] = npu.eltwise cast(%[[X0]]) : {{.*}} -> tensor<2x4x7xi32>
// CHECK-NEXT: %[[V7:.*]] = npu.reduce(%[[V6]]) {axes = [2], keep_dims = true, kind = #npu.reduce_kind<sum>} : {{.*}} -> tensor<2x4x1xi32>
// CHECK-NEXT: %[[V8:.*]] = npu.constant dense<4>{{.*}} -> tensor<i32>
// CHECK-NEXT: %[[V9:.*]] = npu.eltwise mul(%[[V7]], %[[V8]]) : {{.*}} -> tensor<2x4x1xi32>
// CHECK-NEXT: %[[V10:.*]] = npu.eltwise sub(%[[V5]], %[[V9]]) : {{.*}} -> tensor<2x4x5xi32>
// CHECK-NEXT: %[[V11:.*]] = npu.constant dense<-252>{{.*}} -> tensor<i32>
// CHECK-NEXT: %[[V12:.*]] = npu.eltwise add(%[[V10]], %[[V11]]) : {{.*}} -> tensor<2x4x5xi32>
// CHECK-NEXT: return %[[V12]]
func.func @f(%x: tensor<2x4x7xi8>, %y: tensor<2x7x5xi8>) -> tensor<2x4x5xi32> {
  %a = "tosa.const"() {values = dense<-9> : tensor<1xi8>} : () -> tensor<1xi8>
  %b = "tosa.const"() {values = dense<4> : tensor<1xi8>} : () -> tensor<1xi8>
  %r = tosa.matmul %x, %y, %a, %b : (tensor<2x4x7xi8>, tensor<2x7x5xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x4x5xi32>
  return %r : tensor<2x4x5xi32>
}
