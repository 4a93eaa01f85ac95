// RUN: npu-opt %s --npu-requantize-integers --npu-lower-quantization | FileCheck %s
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
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %1 = npu.eltwise cast(%sum) : (tensor<1x4x2x2xi32>) -> tensor<1x4x2x2xf32>
  %2 = npu.eltwise linear(%1) {alpha = 1.250000e-01 : f32} : (tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>
  %4 = npu.quantize(%2, %one) : (tensor<1x4x2x2xf32>, tensor<f32>) -> tensor<1x4x2x2xui8>
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
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %zero = npu.constant dense<-10> : tensor<i8> -> tensor<i8>
  %c = npu.constant dense<[[[0.05]], [[0.0125]]]> : tensor<2x1x1xf32> -> tensor<2x1x1xf32>
  %d = npu.constant dense<[[[2.0]], [[-1.0]]]> : tensor<2x1x1xf32> -> tensor<2x1x1xf32>
  %0 = npu.eltwise cast(%sum) : (tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xf32>
  %1 = npu.eltwise mul(%0, %c) : (tensor<1x2x2x2xf32>, tensor<2x1x1xf32>) -> tensor<1x2x2x2xf32>
  %2 = npu.eltwise add(%1, %d) : (tensor<1x2x2x2xf32>, tensor<2x1x1xf32>) -> tensor<1x2x2x2xf32>
  %3 = npu.eltwise clip(%2) {alpha = 0.0 : f32, beta = 48.0 : f32} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %6 = npu.quantize(%3, %one, %zero) : (tensor<1x2x2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<1x2x2x2xi8>
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
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise cast(%a) : (tensor<1x2x4x4xui8>) -> tensor<1x2x4x4xf32>
  %1 = npu.eltwise linear(%0) {alpha = 1.3 : f32, beta = -17.25 : f32} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %2 = npu.eltwise cast(%b) : (tensor<1x2x4x4xui8>) -> tensor<1x2x4x4xf32>
  %3 = npu.eltwise linear(%2) {alpha = 0.7 : f32} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %4 = npu.eltwise add(%1, %3) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %6 = npu.quantize(%4, %one) : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xui8>
  return %6 : tensor<1x2x4x4xui8>
}
func.func @average(%a: tensor<1x2x4x4xui8>) -> tensor<1x2x1x1xui8> {
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %0 = npu.avg_pool(%a) {dilations = [1, 1], kernel = [4, 4], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x4x4xui8>) -> tensor<1x2x1x1xf32>
  %1 = npu.eltwise linear(%0) {alpha = 0.5 : f32} : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32>
  %3 = npu.quantize(%1, %one) : (tensor<1x2x1x1xf32>, tensor<f32>) -> tensor<1x2x1x1xui8>
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
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %zero = npu.constant dense<7.0> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise cast(%a) : (tensor<1x2x4x4xui8>) -> tensor<1x2x4x4xf32>
  %1 = npu.eltwise sub(%0, %zero) : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %2 = npu.eltwise linear(%1) {alpha = 0.25 : f32} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %3 = npu.avg_pool(%2) {count_include_pad = true, dilations = [1, 1], kernel = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %4 = npu.eltwise linear(%3) {alpha = 5.0 : f32} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %6 = npu.quantize(%4, %one) : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xui8>
  return %6 : tensor<1x2x4x4xui8>
}
func.func @uncounted(%a: tensor<1x2x4x4xui8>) -> tensor<1x2x4x4xui8> {
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %0 = npu.avg_pool(%a) {dilations = [2, 1], kernel = [3, 3], pads = [2, 1, 2, 1], strides = [1, 1]} : (tensor<1x2x4x4xui8>) -> tensor<1x2x4x4xf32>
  %1 = npu.eltwise linear(%0) {alpha = 0.5 : f32} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %3 = npu.quantize(%1, %one) : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xui8>
  return %3 : tensor<1x2x4x4xui8>
}

// What is neither affine in integers nor a function of one byte stays.
// CHECK-LABEL: @other
// CHECK: npu.eltwise sigmoid
// CHECK: npu.eltwise round
func.func @other(%a: tensor<8xi32>) -> tensor<8xui8> {
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise cast(%a) : (tensor<8xi32>) -> tensor<8xf32>
  %1 = npu.eltwise sigmoid(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = npu.quantize(%1, %one) : (tensor<8xf32>, tensor<f32>) -> tensor<8xui8>
  return %3 : tensor<8xui8>
}

// A function of one byte is a table, which its reader looks into.
// CHECK-LABEL: @table
// CHECK: %[[TABLE:.*]] = npu.constant {{.*}} : tensor<256xui8>
// CHECK: %[[INDEX:.*]] = npu.eltwise add(%{{.*}}, %{{.*}}) : (tensor<1x4xi32>, tensor<i32>) -> tensor<1x4xi32>
// CHECK: npu.gather(%[[TABLE]], %[[INDEX]]) {axis = 0 : i64} : (tensor<256xui8>, tensor<1x4xi32>) -> tensor<1x4xui8>
// CHECK-NOT: xf32>
func.func @table(%x: tensor<1x4xi8>) -> tensor<1x4xui8> {
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %in = npu.constant dense<0.05> : tensor<f32> -> tensor<f32>
  %out = npu.constant dense<0.00390625> : tensor<f32> -> tensor<f32>
  %1 = npu.eltwise cast(%x) : (tensor<1x4xi8>) -> tensor<1x4xf32>
  %2 = npu.eltwise mul(%1, %in) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  %3 = npu.eltwise sigmoid(%2) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %4 = npu.eltwise mul(%3, %2) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %5 = npu.eltwise div(%4, %out) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  %7 = npu.quantize(%5, %one) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xui8>
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
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %in = npu.constant dense<0.05> : tensor<f32> -> tensor<f32>
  %zero = npu.constant dense<-7.0> : tensor<f32> -> tensor<f32>
  %out = npu.constant dense<0.00390625> : tensor<f32> -> tensor<f32>
  %1 = npu.eltwise cast(%x) : (tensor<1x4xui8>) -> tensor<1x4xf32>
  %2 = npu.eltwise add(%1, %zero) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  %3 = npu.eltwise mul(%2, %in) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  %4 = npu.softmax(%3) {axis = 1 : i64} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %5 = npu.eltwise div(%4, %out) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  %7 = npu.quantize(%5, %one) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xui8>
  return %7 : tensor<1x4xui8>
}

// A gate: a product of two quantized numbers, one for each channel, in i32.
// CHECK-LABEL: @gate
// CHECK: %[[A:.*]] = npu.eltwise sub({{.*}}) : (tensor<1x2x4x4xi32>, tensor<i32>) -> tensor<1x2x4x4xi32>
// CHECK: %[[B:.*]] = npu.eltwise cast(%arg1) : (tensor<1x2x1x1xui8>) -> tensor<1x2x1x1xi32>
// CHECK: npu.eltwise mul(%[[A]], %[[B]])
// CHECK: npu.eltwise mul_shift
// CHECK-NOT: xf32>
// CHECK: return
func.func @gate(%a: tensor<1x2x4x4xui8>, %b: tensor<1x2x1x1xui8>) -> tensor<1x2x4x4xui8> {
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise cast(%a) : (tensor<1x2x4x4xui8>) -> tensor<1x2x4x4xf32>
  %1 = npu.eltwise linear(%0) {alpha = 0.5 : f32, beta = -8.5 : f32} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %2 = npu.eltwise cast(%b) : (tensor<1x2x1x1xui8>) -> tensor<1x2x1x1xf32>
  %3 = npu.eltwise linear(%2) {alpha = 0.25 : f32} : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32>
  %4 = npu.eltwise mul(%1, %3) : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %6 = npu.quantize(%4, %one) : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xui8>
  return %6 : tensor<1x2x4x4xui8>
}

// A function of a function of one byte is one table.
// CHECK-LABEL: @silu
// CHECK: npu.gather({{.*}}tensor<256xui8>
// CHECK-NOT: npu.gather
// CHECK-NOT: npu.eltwise mul
// CHECK: return
func.func @silu(%x: tensor<1x4xui8>) -> tensor<1x4xui8> {
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise cast(%x) : (tensor<1x4xui8>) -> tensor<1x4xf32>
  %1 = npu.eltwise linear(%0) {alpha = 0.05 : f32, beta = -5.0 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %2 = npu.eltwise sigmoid(%1) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %3 = npu.eltwise linear(%2) {alpha = 256.0 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %5 = npu.quantize(%3, %one) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xui8>
  %6 = npu.eltwise cast(%5) : (tensor<1x4xui8>) -> tensor<1x4xf32>
  %7 = npu.eltwise linear(%6) {alpha = 0.00390625 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %8 = npu.eltwise mul(%1, %7) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %9 = npu.eltwise linear(%8) {alpha = 20.0 : f32, beta = 10.0 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %11 = npu.quantize(%9, %one) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xui8>
  return %11 : tensor<1x4xui8>
}

// A concat is one of bytes: what has the result's scale stays as it is, the
// rest is scaled for itself; a transpose in front moves bytes.
// CHECK-LABEL: @concat
// CHECK: npu.eltwise mul_shift
// CHECK: %[[B:.*]] = npu.eltwise cast({{.*}}) : (tensor<1x4x2xi32>) -> tensor<1x4x2xui8>
// CHECK-NEXT: %[[MOVED:.*]] = npu.transpose(%[[B]])
// CHECK-NEXT: npu.concat(%arg0, %[[MOVED]]) {axis = 1 : i64}
// CHECK-NEXT: return
func.func @concat(%a: tensor<1x3x4xui8>, %b: tensor<1x4x2xui8>) -> tensor<1x5x4xui8> {
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %zero = npu.constant dense<4> : tensor<ui8> -> tensor<ui8>
  %0 = npu.eltwise cast(%a) : (tensor<1x3x4xui8>) -> tensor<1x3x4xf32>
  %1 = npu.eltwise linear(%0) {alpha = 0.5 : f32, beta = -2.0 : f32} : (tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  %2 = npu.eltwise cast(%b) : (tensor<1x4x2xui8>) -> tensor<1x4x2xf32>
  %3 = npu.eltwise linear(%2) {alpha = 0.75 : f32} : (tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
  %4 = npu.transpose(%3) {permutation = [0, 2, 1]} : (tensor<1x4x2xf32>) -> tensor<1x2x4xf32>
  %5 = npu.concat(%1, %4) {axis = 1 : i64} : (tensor<1x3x4xf32>, tensor<1x2x4xf32>) -> tensor<1x5x4xf32>
  %6 = npu.eltwise linear(%5) {alpha = 2.0 : f32} : (tensor<1x5x4xf32>) -> tensor<1x5x4xf32>
  %9 = npu.quantize(%6, %one, %zero) : (tensor<1x5x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x5x4xui8>
  return %9 : tensor<1x5x4xui8>
}

// Interpolation: neighbours by whole weights, of which half a pixel has 4.
// CHECK-LABEL: @resize
// CHECK: npu.gather(%arg0{{.*}} -> tensor<1x6xui8>
// CHECK: npu.constant dense<[4, 3, 1, 3, 1, 4]> : tensor<6xi32>
// CHECK: npu.gather(%arg0{{.*}} -> tensor<1x6xui8>
// CHECK: npu.constant dense<[0, 1, 3, 1, 3, 0]> : tensor<6xi32>
// CHECK-NOT: npu.resize
// CHECK: return
func.func @resize(%a: tensor<1x3xui8>) -> tensor<1x6xui8> {
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise cast(%a) : (tensor<1x3xui8>) -> tensor<1x3xf32>
  %1 = npu.resize(%0) {coordinates = #npu.resize_coordinates<half_pixel>, mode = #npu.resize_mode<linear>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 2.0]} : (tensor<1x3xf32>) -> tensor<1x6xf32>
  %3 = npu.quantize(%1, %one) : (tensor<1x6xf32>, tensor<f32>) -> tensor<1x6xui8>
  return %3 : tensor<1x6xui8>
}

// A product of two matrices: of bytes, less products by the zero points.
// CHECK-LABEL: @matrices
// CHECK: npu.matmul(%arg0, %arg1)
// CHECK: npu.matmul(%arg0, %{{.*}}) : (tensor<3x4xi8>, tensor<4x1xi8>) -> tensor<3x1xi32>
// CHECK: npu.matmul(%{{.*}}, %arg1) : (tensor<1x4xi8>, tensor<4x2xi8>) -> tensor<1x2xi32>
// CHECK: npu.eltwise mul_shift
// CHECK-NOT: xf32>
// CHECK: return
func.func @matrices(%a: tensor<3x4xi8>, %b: tensor<4x2xi8>) -> tensor<3x2xi8> {
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise cast(%a) : (tensor<3x4xi8>) -> tensor<3x4xf32>
  %1 = npu.eltwise linear(%0) {alpha = 0.5 : f32, beta = -1.5 : f32} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %2 = npu.eltwise cast(%b) : (tensor<4x2xi8>) -> tensor<4x2xf32>
  %3 = npu.eltwise linear(%2) {alpha = 0.25 : f32, beta = 1.0 : f32} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %4 = npu.matmul(%1, %3) : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  %6 = npu.quantize(%4, %one) : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xi8>
  return %6 : tensor<3x2xi8>
}

// The largest is one of the bytes; a sum is one of them in i32; slopes are a
// term of what is below 0.
// CHECK-LABEL: @largest
// CHECK: npu.reduce(%arg0) {axes = [1], keep_dims = false, kind = #npu.reduce_kind<max>} : (tensor<2x4xui8>) -> tensor<2xui8>
// CHECK-LABEL: @mean
// CHECK: npu.reduce({{.*}}) {axes = [1], keep_dims = false, kind = #npu.reduce_kind<sum>} : (tensor<2x4xi32>) -> tensor<2xi32>
// CHECK-LABEL: @slopes
// CHECK: npu.eltwise max
// CHECK: npu.eltwise mul_shift
// CHECK: npu.eltwise min
// CHECK: npu.eltwise mul_shift
func.func @largest(%a: tensor<2x4xui8>) -> tensor<2xui8> {
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise cast(%a) : (tensor<2x4xui8>) -> tensor<2x4xf32>
  %1 = npu.reduce(%0) {axes = [1], keep_dims = false, kind = #npu.reduce_kind<max>} : (tensor<2x4xf32>) -> tensor<2xf32>
  %2 = npu.eltwise linear(%1) {alpha = 0.75 : f32} : (tensor<2xf32>) -> tensor<2xf32>
  %4 = npu.quantize(%2, %one) : (tensor<2xf32>, tensor<f32>) -> tensor<2xui8>
  return %4 : tensor<2xui8>
}
func.func @mean(%a: tensor<2x4xui8>) -> tensor<2xui8> {
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise cast(%a) : (tensor<2x4xui8>) -> tensor<2x4xf32>
  %1 = npu.reduce(%0) {axes = [1], keep_dims = false, kind = #npu.reduce_kind<mean>} : (tensor<2x4xf32>) -> tensor<2xf32>
  %3 = npu.quantize(%1, %one) : (tensor<2xf32>, tensor<f32>) -> tensor<2xui8>
  return %3 : tensor<2xui8>
}
func.func @slopes(%a: tensor<2x4xi8>) -> tensor<2x4xi8> {
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %s = npu.constant dense<[[0.25], [1.5]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %0 = npu.eltwise cast(%a) : (tensor<2x4xi8>) -> tensor<2x4xf32>
  %1 = npu.eltwise prelu(%0, %s) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %3 = npu.quantize(%1, %one) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xi8>
  return %3 : tensor<2x4xi8>
}
