// RUN: npu-opt %s --npu-requantize-integers | FileCheck %s
// RUN: npu-opt %s --npu-requantize-integers="target=npu-nhwc" | FileCheck %s --check-prefix=FLOATS

// A chip with floats keeps them.
// FLOATS-NOT: mul_shift

// The example of the pass's description.
// CHECK-LABEL: @example
// CHECK-SAME: %[[SUM:[^:]*]]:
// CHECK-DAG: %[[FACTOR:.*]] = npu.constant dense<1073741824>
// CHECK-DAG: %[[SHIFT:.*]] = npu.constant dense<33>
// CHECK: %[[A:.*]] = npu.eltwise mul_shift(%[[SUM]], %[[FACTOR]], %[[SHIFT]])
// CHECK-NEXT: %[[B:.*]] = npu.eltwise clip(%[[A]]) {beta = 2.550000e+02 : f32}
// CHECK-NEXT: %[[C:.*]] = npu.eltwise cast(%[[B]]) : (tensor<1x4x2x2xi32>) -> tensor<1x4x2x2xui8>
// CHECK-NEXT: return %[[C]]
func.func @example(%sum: tensor<1x4x2x2xi32>) -> tensor<1x4x2x2xui8> {
  %1 = npu.eltwise cast(%sum) : (tensor<1x4x2x2xi32>) -> tensor<1x4x2x2xf32>
  %2 = npu.eltwise linear(%1) {alpha = 1.250000e-01 : f32} : (tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>
  %3 = npu.eltwise round(%2) : (tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>
  %4 = npu.eltwise cast(%3) : (tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xui8>
  return %4 : tensor<1x4x2x2xui8>
}

// A scale and an offset for each channel, bounds, a zero point: the offset is
// one of sums, the bounds are those of the quantized number.
// CHECK-LABEL: @channels
// CHECK: %[[SUM:.*]] = npu.eltwise clip(%arg0) {alpha = -1.07374182E+9 : f32, beta = 1.07374182E+9 : f32}
// CHECK: %[[UNITS:.*]] = npu.constant dense<{{.*}}40{{.*}}-80{{.*}}> : tensor<2x1x1xi32>
// CHECK: npu.eltwise add(%[[SUM]], %[[UNITS]])
// CHECK: npu.eltwise mul_shift
// CHECK: npu.eltwise add
// CHECK: npu.eltwise clip({{.*}}) {alpha = -1.000000e+01 : f32, beta = 3.800000e+01 : f32}
// CHECK-NOT: f32>
// CHECK: return
func.func @channels(%sum: tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi8> {
  %c = npu.constant dense<[[[0.05]], [[0.0125]]]> : tensor<2x1x1xf32> -> tensor<2x1x1xf32>
  %d = npu.constant dense<[[[2.0]], [[-1.0]]]> : tensor<2x1x1xf32> -> tensor<2x1x1xf32>
  %0 = npu.eltwise cast(%sum) : (tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xf32>
  %1 = npu.eltwise mul(%0, %c) : (tensor<1x2x2x2xf32>, tensor<2x1x1xf32>) -> tensor<1x2x2x2xf32>
  %2 = npu.eltwise add(%1, %d) : (tensor<1x2x2x2xf32>, tensor<2x1x1xf32>) -> tensor<1x2x2x2xf32>
  %3 = npu.eltwise clip(%2) {alpha = 0.0 : f32, beta = 48.0 : f32} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %4 = npu.eltwise round(%3) : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %5 = npu.eltwise linear(%4) {alpha = 1.0 : f32, beta = -10.0 : f32} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %6 = npu.eltwise cast(%5) : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xi8>
  return %6 : tensor<1x2x2x2xi8>
}

// Two quantized numbers are added with 18 bits behind the point; an average of
// bytes is a convolution with ones.
// CHECK-LABEL: @sum
// CHECK-COUNT-2: npu.eltwise mul_shift({{.*}}tensor<1x2x4x4xi32>
// CHECK-NOT: npu.eltwise mul_shift({{.*}}tensor<1x2x4x4xi32>
// CHECK: npu.eltwise add(
// CHECK: %[[BITS:.*]] = npu.constant dense<18>
// CHECK: npu.eltwise mul_shift({{.*}}, %[[BITS]])
// CHECK-LABEL: @average
// CHECK: %[[ONES:.*]] = npu.constant dense<1> : tensor<2x1x4x4xi8>
// CHECK: npu.conv2d(%arg0, %[[ONES]]) {{.*}}groups = 2
// CHECK-NEXT: %[[F:.*]] = npu.constant dense<1073741824>
// CHECK-NEXT: %[[S:.*]] = npu.constant dense<35>
// CHECK-NEXT: npu.eltwise mul_shift
func.func @sum(%a: tensor<1x2x4x4xui8>, %b: tensor<1x2x4x4xui8>) -> tensor<1x2x4x4xui8> {
  %0 = npu.eltwise cast(%a) : (tensor<1x2x4x4xui8>) -> tensor<1x2x4x4xf32>
  %1 = npu.eltwise linear(%0) {alpha = 1.3 : f32, beta = -17.25 : f32} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %2 = npu.eltwise cast(%b) : (tensor<1x2x4x4xui8>) -> tensor<1x2x4x4xf32>
  %3 = npu.eltwise linear(%2) {alpha = 0.7 : f32} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %4 = npu.eltwise add(%1, %3) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %5 = npu.eltwise round(%4) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %6 = npu.eltwise cast(%5) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xui8>
  return %6 : tensor<1x2x4x4xui8>
}
func.func @average(%a: tensor<1x2x4x4xui8>) -> tensor<1x2x1x1xui8> {
  %0 = npu.avg_pool(%a) {dilations = [1, 1], kernel = [4, 4], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x4x4xui8>) -> tensor<1x2x1x1xf32>
  %1 = npu.eltwise linear(%0) {alpha = 0.5 : f32} : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32>
  %2 = npu.eltwise round(%1) : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32>
  %3 = npu.eltwise cast(%2) : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xui8>
  return %3 : tensor<1x2x1x1xui8>
}

// Padding is the real number 0: no byte is added for it, and it counts.
// CHECK-LABEL: @padded
// CHECK: %[[ONES:.*]] = npu.constant dense<1> : tensor<2x1x3x3xi8>
// CHECK: npu.conv2d(%arg0, %[[ONES]]) {{.*}}data_zero_point = 7 {{.*}}pads = [1, 1, 1, 1]
// CHECK: npu.eltwise mul_shift{{.*}}, tensor<i32>, tensor<i32>)
// CHECK-NOT: avg_pool
// Where it does not count, windows are divided by what they have.
// CHECK-LABEL: @uncounted
// CHECK: npu.conv2d(%arg0, %{{.*}}) {dilations = [2, 1]
// CHECK: npu.eltwise mul_shift{{.*}}, tensor<1x1x4x4xi32>, tensor<1x1x4x4xi32>)
// CHECK-NOT: avg_pool
func.func @padded(%a: tensor<1x2x4x4xui8>) -> tensor<1x2x4x4xui8> {
  %zero = npu.constant dense<7.0> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise cast(%a) : (tensor<1x2x4x4xui8>) -> tensor<1x2x4x4xf32>
  %1 = npu.eltwise sub(%0, %zero) : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %2 = npu.eltwise linear(%1) {alpha = 0.25 : f32} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %3 = npu.avg_pool(%2) {count_include_pad = true, dilations = [1, 1], kernel = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %4 = npu.eltwise linear(%3) {alpha = 5.0 : f32} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %5 = npu.eltwise round(%4) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %6 = npu.eltwise cast(%5) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xui8>
  return %6 : tensor<1x2x4x4xui8>
}
func.func @uncounted(%a: tensor<1x2x4x4xui8>) -> tensor<1x2x4x4xui8> {
  %0 = npu.avg_pool(%a) {dilations = [2, 1], kernel = [3, 3], pads = [2, 1, 2, 1], strides = [1, 1]} : (tensor<1x2x4x4xui8>) -> tensor<1x2x4x4xf32>
  %1 = npu.eltwise linear(%0) {alpha = 0.5 : f32} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %2 = npu.eltwise round(%1) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %3 = npu.eltwise cast(%2) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xui8>
  return %3 : tensor<1x2x4x4xui8>
}

// What is neither affine in integers nor a function of one byte stays.
// CHECK-LABEL: @other
// CHECK: npu.eltwise sigmoid
// CHECK: npu.eltwise round
func.func @other(%a: tensor<8xi32>) -> tensor<8xui8> {
  %0 = npu.eltwise cast(%a) : (tensor<8xi32>) -> tensor<8xf32>
  %1 = npu.eltwise sigmoid(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = npu.eltwise round(%1) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = npu.eltwise cast(%2) : (tensor<8xf32>) -> tensor<8xui8>
  return %3 : tensor<8xui8>
}

// A function of one byte is a table, which its reader looks into.
// CHECK-LABEL: @table
// CHECK: %[[TABLE:.*]] = npu.constant {{.*}} : tensor<256xui8>
// CHECK: %[[INDEX:.*]] = npu.eltwise add(%{{.*}}, %{{.*}}) : (tensor<1x4xi32>, tensor<i32>) -> tensor<1x4xi32>
// CHECK: npu.gather(%[[TABLE]], %[[INDEX]]) {axis = 0 : i64} : (tensor<256xui8>, tensor<1x4xi32>) -> tensor<1x4xui8>
// CHECK-NOT: xf32>
func.func @table(%x: tensor<1x4xi8>) -> tensor<1x4xui8> {
  %in = npu.constant dense<0.05> : tensor<f32> -> tensor<f32>
  %out = npu.constant dense<0.00390625> : tensor<f32> -> tensor<f32>
  %1 = npu.eltwise cast(%x) : (tensor<1x4xi8>) -> tensor<1x4xf32>
  %2 = npu.eltwise mul(%1, %in) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  %3 = npu.eltwise sigmoid(%2) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %4 = npu.eltwise mul(%3, %2) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %5 = npu.eltwise div(%4, %out) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  %6 = npu.eltwise round(%5) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %7 = npu.eltwise cast(%6) : (tensor<1x4xf32>) -> tensor<1x4xui8>
  return %7 : tensor<1x4xui8>
}

// A softmax of bytes: exponentials by the distance from the largest, and a
// division by their sum.
// CHECK-LABEL: @softmax
// CHECK: npu.reduce({{.*}}) {axes = [1], keep_dims = true, kind = #npu.reduce_kind<max>}
// CHECK: %[[E:.*]] = npu.gather({{.*}}) {axis = 0 : i64} : (tensor<256xi32>, tensor<1x4xi32>) -> tensor<1x4xi32>
// CHECK: %[[SUM:.*]] = npu.reduce(%[[E]]) {axes = [1], keep_dims = true, kind = #npu.reduce_kind<sum>}
// CHECK: npu.eltwise mul_shift(%[[E]]
// CHECK: npu.eltwise div(%{{.*}}, %[[SUM]])
// CHECK-NOT: xf32>
func.func @softmax(%x: tensor<1x4xui8>) -> tensor<1x4xui8> {
  %in = npu.constant dense<0.05> : tensor<f32> -> tensor<f32>
  %zero = npu.constant dense<-7.0> : tensor<f32> -> tensor<f32>
  %out = npu.constant dense<0.00390625> : tensor<f32> -> tensor<f32>
  %1 = npu.eltwise cast(%x) : (tensor<1x4xui8>) -> tensor<1x4xf32>
  %2 = npu.eltwise add(%1, %zero) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  %3 = npu.eltwise mul(%2, %in) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  %4 = npu.softmax(%3) {axis = 1 : i64} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %5 = npu.eltwise div(%4, %out) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  %6 = npu.eltwise round(%5) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %7 = npu.eltwise cast(%6) : (tensor<1x4xf32>) -> tensor<1x4xui8>
  return %7 : tensor<1x4xui8>
}
