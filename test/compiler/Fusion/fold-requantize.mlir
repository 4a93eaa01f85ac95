// RUN: npu-opt %s --npu-fold-requantize --npu-lower-quantization | FileCheck %s

// The example of the pass's description: 0.5 / 0.25.
// CHECK-LABEL: @example
// CHECK: %[[REAL:.*]] = npu.eltwise cast
// CHECK-NEXT: %[[UNIT:.*]] = npu.eltwise linear(%[[REAL]]) {alpha = 2.000000e+00 : f32}
// CHECK-NEXT: npu.eltwise round(%[[UNIT]])
func.func @example(%sum: tensor<1x8xi32>) -> tensor<1x8xi8> {
  %s = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %t = npu.constant dense<0.25> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise cast(%sum) : (tensor<1x8xi32>) -> tensor<1x8xf32>
  %1 = npu.eltwise mul(%0, %s) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  %3 = npu.quantize(%1, %t) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xi8>
  return %3 : tensor<1x8xi8>
}

// A scale for each channel takes in the result's, through a clip and past a
// bias, all of which change their unit. The zero point stays behind the
// rounding.
// CHECK-LABEL: @channels
// CHECK: %[[REAL:.*]] = npu.eltwise cast
// CHECK-DAG: %[[SCALE:.*]] = npu.constant dense<{{\[\[\[}}2.000000e+00{{\]\]}}, {{\[\[}}4.000000e+00{{\]\]\]}}>
// CHECK-DAG: %[[BIAS:.*]] = npu.constant dense<{{\[\[\[}}1.200000e+01{{\]\]}}, {{\[\[}}1.600000e+01{{\]\]\]}}>
// CHECK: %[[SCALED:.*]] = npu.eltwise mul(%[[REAL]], %[[SCALE]])
// CHECK-NEXT: %[[MOVED:.*]] = npu.eltwise add(%[[SCALED]], %[[BIAS]])
// CHECK-NEXT: %[[BOUND:.*]] = npu.eltwise clip(%[[MOVED]]) {beta = 2.400000e+01 : f32}
// CHECK-NEXT: %[[ROUND:.*]] = npu.eltwise round(%[[BOUND]])
// CHECK-NEXT: %[[ZERO:.*]] = npu.eltwise linear(%[[ROUND]]) {alpha = 1.000000e+00 : f32, beta = 1.280000e+02 : f32}
// CHECK-NEXT: npu.eltwise cast(%[[ZERO]])
func.func @channels(%sum: tensor<1x2x4x4xi32>) -> tensor<1x2x4x4xui8> {
  %z_byte = npu.constant dense<128> : tensor<ui8> -> tensor<ui8>
  %s = npu.constant dense<[[[0.5]], [[1.0]]]> : tensor<2x1x1xf32> -> tensor<2x1x1xf32>
  %b = npu.constant dense<[[[3.0]], [[4.0]]]> : tensor<2x1x1xf32> -> tensor<2x1x1xf32>
  %t = npu.constant dense<0.25> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise cast(%sum) : (tensor<1x2x4x4xi32>) -> tensor<1x2x4x4xf32>
  %1 = npu.eltwise mul(%0, %s) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %2 = npu.eltwise add(%1, %b) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %3 = npu.eltwise clip(%2) {alpha = 0.0 : f32, beta = 6.0 : f32} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %7 = npu.quantize(%3, %t, %z_byte) : (tensor<1x2x4x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4x4xui8>
  return %7 : tensor<1x2x4x4xui8>
}

// Scales are divided, as other runtimes do it: 0.1 / 0.3 is another float than
// 0.1 * (1 / 0.3).
// CHECK-LABEL: @divided
// CHECK: npu.eltwise linear(%{{.*}}) {alpha = 0.333333313 : f32}
func.func @divided(%sum: tensor<1x8xi32>) -> tensor<1x8xi8> {
  %s = npu.constant dense<0.1> : tensor<f32> -> tensor<f32>
  %t = npu.constant dense<0.3> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise cast(%sum) : (tensor<1x8xi32>) -> tensor<1x8xf32>
  %1 = npu.eltwise mul(%0, %s) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  %3 = npu.quantize(%1, %t) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xi8>
  return %3 : tensor<1x8xi8>
}

// Of a sum of two quantized numbers, the one that is there first is read as
// bytes with a factor, the other takes the offset: 2 a + 4 (b - 3) in units
// of 8.
// CHECK-LABEL: @residual(
// CHECK-SAME: %[[A:[^:]*]]: tensor<1x8xui8>, %[[B:[^:]*]]: tensor<1x8xui8>
// CHECK: %[[OTHER:.*]] = npu.eltwise cast(%[[B]])
// CHECK-NEXT: %[[MAIN:.*]] = npu.eltwise linear(%[[OTHER]]) {alpha = 5.000000e-01 : f32, beta = -1.500000e+00 : f32}
// CHECK-NEXT: %[[FIRST:.*]] = npu.eltwise cast(%[[A]])
// CHECK-NEXT: %[[SCALED:.*]] = npu.eltwise linear(%[[FIRST]]) {alpha = 2.500000e-01 : f32}
// CHECK-NEXT: %[[SUM:.*]] = npu.eltwise add(%[[MAIN]], %[[SCALED]])
// CHECK-NEXT: npu.eltwise round(%[[SUM]])
func.func @residual(%a: tensor<1x8xui8>, %b: tensor<1x8xui8>) -> tensor<1x8xi8> {
  %three_byte = npu.constant dense<3> : tensor<ui8> -> tensor<ui8>
  %two = npu.constant dense<2.0> : tensor<f32> -> tensor<f32>
  %four = npu.constant dense<4.0> : tensor<f32> -> tensor<f32>
  %eight = npu.constant dense<8.0> : tensor<f32> -> tensor<f32>
  %1 = npu.dequantize(%a, %two) : (tensor<1x8xui8>, tensor<f32>) -> tensor<1x8xf32>
  %4 = npu.dequantize(%b, %four, %three_byte) : (tensor<1x8xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x8xf32>
  %5 = npu.eltwise add(%1, %4) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
  %7 = npu.quantize(%5, %eight) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xi8>
  return %7 : tensor<1x8xi8>
}

// The quotient passes a relu to get there; an odd zero point leaves one behind
// the rounding, so that ties go to the even quotient. 2 a + 4 b in units of 8,
// and a sum that is computed earlier is the residual, on either side.
// CHECK-LABEL: @bounded_residual(
// CHECK-SAME: %[[A:[^:]*]]: tensor<1x8xui8>, %[[SUM:[^:]*]]: tensor<1x8xi32>
// CHECK: %[[STORED:.*]] = npu.eltwise cast(%{{.*}}) : (tensor<1x8xf32>) -> tensor<1x8xui8>
// CHECK-DAG: %[[BACK:.*]] = npu.eltwise cast(%[[STORED]])
// CHECK-DAG: npu.eltwise linear(%[[BACK]]) {alpha = 2.500000e-01 : f32}
// CHECK-DAG: %[[R:.*]] = npu.eltwise cast(%[[A]])
// CHECK-DAG: npu.eltwise linear(%[[R]]) {alpha = 5.000000e-01 : f32}
// CHECK: npu.eltwise add
// CHECK-NEXT: npu.eltwise relu
// CHECK-NEXT: npu.eltwise round
// CHECK-NOT: npu.eltwise div
func.func @bounded_residual(%a: tensor<1x8xui8>, %sum: tensor<1x8xi32>) -> tensor<1x8xi8> {
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %two = npu.constant dense<2.0> : tensor<f32> -> tensor<f32>
  %four = npu.constant dense<4.0> : tensor<f32> -> tensor<f32>
  %eight = npu.constant dense<8.0> : tensor<f32> -> tensor<f32>
  %s = npu.eltwise cast(%sum) : (tensor<1x8xi32>) -> tensor<1x8xf32>
  %t = npu.eltwise mul(%s, %four) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  %b = npu.quantize(%t, %one) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xui8>
  %1 = npu.dequantize(%b, %two) : (tensor<1x8xui8>, tensor<f32>) -> tensor<1x8xf32>
  %3 = npu.dequantize(%a, %four) : (tensor<1x8xui8>, tensor<f32>) -> tensor<1x8xf32>
  %4 = npu.eltwise add(%3, %1) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
  %5 = npu.eltwise relu(%4) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %7 = npu.quantize(%5, %eight) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xi8>
  return %7 : tensor<1x8xi8>
}

// An even zero point goes into the rounding, as other runtimes have it; of an
// odd one, one stays behind: ties go to the even quotient, as the model says.
// CHECK-LABEL: @zero_points(
// CHECK: linear(%{{.*}}) {alpha = 5.000000e-01 : f32, beta = 1.000000e+01 : f32}
// CHECK: %[[EVEN:.*]] = npu.eltwise round
// CHECK-NEXT: npu.eltwise cast(%[[EVEN]])
// CHECK: linear(%{{.*}}) {alpha = 5.000000e-01 : f32, beta = 1.000000e+01 : f32}
// CHECK: %[[ODD:.*]] = npu.eltwise round
// CHECK-NEXT: %[[ONE:.*]] = npu.eltwise linear(%[[ODD]]) {alpha = 1.000000e+00 : f32, beta = 1.000000e+00 : f32}
// CHECK-NEXT: npu.eltwise cast(%[[ONE]])
func.func @zero_points(%a: tensor<1x8xui8>, %b: tensor<1x8xui8>) -> (tensor<1x8xi8>, tensor<1x8xi8>) {
  %ten_byte = npu.constant dense<10> : tensor<i8> -> tensor<i8>
  %eleven_byte = npu.constant dense<11> : tensor<i8> -> tensor<i8>
  %two = npu.constant dense<2.0> : tensor<f32> -> tensor<f32>
  %four = npu.constant dense<4.0> : tensor<f32> -> tensor<f32>
  %1 = npu.dequantize(%a, %four) : (tensor<1x8xui8>, tensor<f32>) -> tensor<1x8xf32>
  %3 = npu.dequantize(%b, %two) : (tensor<1x8xui8>, tensor<f32>) -> tensor<1x8xf32>
  %4 = npu.eltwise add(%1, %3) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
  %7 = npu.quantize(%4, %four, %ten_byte) : (tensor<1x8xf32>, tensor<f32>, tensor<i8>) -> tensor<1x8xi8>
  %8 = npu.eltwise add(%1, %3) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
  %11 = npu.quantize(%8, %four, %eleven_byte) : (tensor<1x8xf32>, tensor<f32>, tensor<i8>) -> tensor<1x8xi8>
  return %7, %11 : tensor<1x8xi8>, tensor<1x8xi8>
}

// A scale for each channel is no factor of a residual: the sum stays.
// CHECK-LABEL: @residual_channels(
// CHECK: %[[S:.*]] = npu.eltwise mul(%{{.*}}, %{{.*}}) : (tensor<1x2x4xf32>, tensor<2x1xf32>)
// CHECK: npu.eltwise add(%[[S]], %{{.*}})
func.func @residual_channels(%a: tensor<1x2x4xui8>, %b: tensor<1x2x4xui8>) -> tensor<1x2x4xi8> {
  %s = npu.constant dense<[[0.5], [1.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %t = npu.constant dense<0.25> : tensor<f32> -> tensor<f32>
  %1 = npu.dequantize(%a, %t) : (tensor<1x2x4xui8>, tensor<f32>) -> tensor<1x2x4xf32>
  %3 = npu.dequantize(%b, %s) : (tensor<1x2x4xui8>, tensor<2x1xf32>) -> tensor<1x2x4xf32>
  %4 = npu.eltwise add(%1, %3) : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  %6 = npu.quantize(%4, %t) : (tensor<1x2x4xf32>, tensor<f32>) -> tensor<1x2x4xi8>
  return %6 : tensor<1x2x4xi8>
}

// Beside a sum that is not quantized itself, bytes are read in their own unit.
// 4 (b - 3) + 2 sum in units of 8.
// CHECK-LABEL: @residual_of_sum(
// CHECK-SAME: %[[B:[^:]*]]: tensor<1x8xui8>, %[[SUM:[^:]*]]: tensor<1x8xi32>
// CHECK-DAG: %[[REAL:.*]] = npu.eltwise cast(%[[SUM]])
// CHECK-DAG: %[[BYTES:.*]] = npu.eltwise cast(%[[B]])
// CHECK: %[[UNIT:.*]] = npu.eltwise linear(%[[REAL]]) {alpha = 5.000000e-01 : f32}
// CHECK-NEXT: %[[ADDED:.*]] = npu.eltwise add(%[[UNIT]], %[[BYTES]])
// CHECK-NEXT: npu.eltwise linear(%[[ADDED]]) {alpha = 5.000000e-01 : f32, beta = -1.500000e+00 : f32}
func.func @residual_of_sum(%b: tensor<1x8xui8>, %sum: tensor<1x8xi32>) -> tensor<1x8xi8> {
  %three_byte = npu.constant dense<3> : tensor<ui8> -> tensor<ui8>
  %two = npu.constant dense<2.0> : tensor<f32> -> tensor<f32>
  %four = npu.constant dense<4.0> : tensor<f32> -> tensor<f32>
  %eight = npu.constant dense<8.0> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise cast(%sum) : (tensor<1x8xi32>) -> tensor<1x8xf32>
  %1 = npu.eltwise mul(%0, %two) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  %4 = npu.dequantize(%b, %four, %three_byte) : (tensor<1x8xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x8xf32>
  %5 = npu.eltwise add(%1, %4) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
  %7 = npu.quantize(%5, %eight) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xi8>
  return %7 : tensor<1x8xi8>
}

// A quantized number in another unit has its ties where the model has them.
// CHECK-LABEL: @ties
// CHECK: npu.eltwise add
// CHECK-NEXT: npu.eltwise mul
// CHECK-NEXT: npu.eltwise div
// CHECK-NEXT: npu.eltwise round
func.func @ties(%x: tensor<1x8xui8>) -> tensor<1x8xi8> {
  %z_byte = npu.constant dense<3> : tensor<ui8> -> tensor<ui8>
  %s = npu.constant dense<0.3> : tensor<f32> -> tensor<f32>
  %t = npu.constant dense<0.6> : tensor<f32> -> tensor<f32>
  %2 = npu.dequantize(%x, %s, %z_byte) : (tensor<1x8xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x8xf32>
  %4 = npu.quantize(%2, %t) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xi8>
  return %4 : tensor<1x8xi8>
}

// Nothing is rounded: the last bit stays what the model says.
// CHECK-LABEL: @real
// CHECK: npu.eltwise mul
// CHECK-NEXT: npu.eltwise div
func.func @real(%sum: tensor<1x8xi32>) -> tensor<1x8xf32> {
  %s = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %t = npu.constant dense<0.25> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise cast(%sum) : (tensor<1x8xi32>) -> tensor<1x8xf32>
  %1 = npu.eltwise mul(%0, %s) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  %2 = npu.eltwise div(%1, %t) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  return %2 : tensor<1x8xf32>
}

// Each reader of bytes converts them itself.
// CHECK-LABEL: @readers
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK-DAG: %[[ONE:.*]] = npu.eltwise cast(%[[X]])
// CHECK-DAG: %[[OTHER:.*]] = npu.eltwise cast(%[[X]])
// CHECK-DAG: npu.eltwise relu(%[[ONE]])
// CHECK-DAG: npu.eltwise abs(%[[OTHER]])
func.func @readers(%x: tensor<1x8xi8>) -> (tensor<1x8xf32>, tensor<1x8xf32>) {
  %0 = npu.eltwise cast(%x) : (tensor<1x8xi8>) -> tensor<1x8xf32>
  %1 = npu.eltwise relu(%0) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %2 = npu.eltwise abs(%0) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  return %1, %2 : tensor<1x8xf32>, tensor<1x8xf32>
}

// An average between bytes of one type is one of bytes; 0.5 / 0.25, and the
// zero point 3 times that. Not so where zeros around the data count, which are
// no bytes, nor to another type, which no kernel does in one step.
// CHECK-LABEL: @average
// CHECK: %[[AVERAGE:.*]] = npu.avg_pool(%{{.*}}) {{.*}} : (tensor<1x2x4x4xui8>) -> tensor<1x2x2x2xf32>
// CHECK-NEXT: %[[UNIT:.*]] = npu.eltwise linear(%[[AVERAGE]]) {alpha = 2.000000e+00 : f32, beta = -6.000000e+00 : f32}
// CHECK-NEXT: npu.eltwise round(%[[UNIT]])
// CHECK: npu.avg_pool({{.*}}count_include_pad = true{{.*}}(tensor<1x2x4x4xf32>)
// CHECK: npu.avg_pool({{.*}}(tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32>
func.func @average(%x: tensor<1x2x4x4xui8>) -> (tensor<1x2x2x2xui8>, tensor<1x2x3x3xui8>, tensor<1x2x2x2xi8>) {
  %z_byte = npu.constant dense<3> : tensor<ui8> -> tensor<ui8>
  %y_byte = npu.constant dense<7> : tensor<ui8> -> tensor<ui8>
  %s = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %t = npu.constant dense<0.25> : tensor<f32> -> tensor<f32>
  %2 = npu.dequantize(%x, %s, %z_byte) : (tensor<1x2x4x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4x4xf32>
  %a = npu.avg_pool(%2) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32>
  %a4 = npu.quantize(%a, %t, %y_byte) : (tensor<1x2x2x2xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x2x2x2xui8>
  %b = npu.avg_pool(%2) {count_include_pad = true, dilations = [1, 1], kernel = [2, 2], pads = [1, 1, 1, 1], strides = [2, 2]} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
  %b3 = npu.quantize(%b, %t) : (tensor<1x2x3x3xf32>, tensor<f32>) -> tensor<1x2x3x3xui8>
  %c = npu.avg_pool(%2) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32>
  %c3 = npu.quantize(%c, %t) : (tensor<1x2x2x2xf32>, tensor<f32>) -> tensor<1x2x2x2xi8>
  return %a4, %b3, %c3 : tensor<1x2x2x2xui8>, tensor<1x2x3x3xui8>, tensor<1x2x2x2xi8>
}

// Scales of which the quotient is no ordinary number stay as they are.
// CHECK-LABEL: @average_no_number
// CHECK: npu.avg_pool({{.*}}(tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32>
// CHECK-NEXT: npu.eltwise div
func.func @average_no_number(%x: tensor<1x2x4x4xui8>) -> tensor<1x2x2x2xui8> {
  %s = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %t = npu.constant dense<0x7FC00000> : tensor<f32> -> tensor<f32>
  %1 = npu.dequantize(%x, %s) : (tensor<1x2x4x4xui8>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %2 = npu.avg_pool(%1) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32>
  %5 = npu.quantize(%2, %t) : (tensor<1x2x2x2xf32>, tensor<f32>) -> tensor<1x2x2x2xui8>
  return %5 : tensor<1x2x2x2xui8>
}

// Bytes beside a sum, in a unit that no float holds.
// CHECK-LABEL: @residual_no_number
// CHECK: npu.eltwise linear(%{{.*}}) {alpha = 5.000000e-01 : f32, beta = 0x7F800000 : f32}
func.func @residual_no_number(%x: tensor<4xi32>, %y: tensor<4xui8>) -> tensor<4xui8> {
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise cast(%x) : (tensor<4xi32>) -> tensor<4xf32>
  %1 = npu.eltwise cast(%y) : (tensor<4xui8>) -> tensor<4xf32>
  %2 = npu.eltwise linear(%1) {alpha = 0.5 : f32, beta = 0x7F800000 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = npu.eltwise add(%0, %2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = npu.quantize(%3, %one) : (tensor<4xf32>, tensor<f32>) -> tensor<4xui8>
  return %5 : tensor<4xui8>
}
