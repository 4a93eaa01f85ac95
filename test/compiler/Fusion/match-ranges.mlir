// RUN: npu-opt %s --npu-match-ranges | FileCheck %s
// RUN: npu-opt %s --npu-match-ranges="target=npu-nhwc" | FileCheck %s --check-prefix=OTHER

// A target that does not list it keeps the parts.
// OTHER-NOT: quantize = -1

// CHECK-LABEL: @example
// CHECK-NEXT: %[[W:.*]] = npu.constant dense<1> : tensor<64x8xi8>
// CHECK-NEXT: %[[S:.*]] = npu.constant dense<5.000000e-01> : tensor<1x1xf32>
// CHECK-NEXT: npu.matmul(%arg0, %[[W]], %[[S]]) {block = 64 : i64, quantize = -1 : i64} : (tensor<1x64xf32>, tensor<64x8xi8>, tensor<1x1xf32>) -> tensor<1x8xf32>
// CHECK-NEXT: return
func.func @example(%x: tensor<1x64xf32>) -> tensor<1x8xf32> {
  %zero = npu.constant dense<0.0> : tensor<f32> -> tensor<f32>
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %steps = npu.constant dense<255.0> : tensor<f32> -> tensor<f32>
  %half = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %w = npu.constant dense<1> : tensor<64x8xi8> -> tensor<64x8xi8>
  %sums = npu.constant dense<64> : tensor<1x8xi32> -> tensor<1x8xi32>
  %0 = npu.reduce(%x) {axes = [0, 1], keep_dims = false, kind = #npu.reduce_kind<min>} : (tensor<1x64xf32>) -> tensor<f32>
  %1 = npu.eltwise min(%zero, %0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = npu.reduce(%x) {axes = [0, 1], keep_dims = false, kind = #npu.reduce_kind<max>} : (tensor<1x64xf32>) -> tensor<f32>
  %3 = npu.eltwise max(%zero, %2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %4 = npu.eltwise sub(%3, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %5 = npu.eltwise equal(%4, %zero) : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %6 = npu.eltwise div(%4, %steps) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %7 = npu.eltwise select(%5, %one, %6) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %8 = npu.eltwise sub(%zero, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %9 = npu.eltwise div(%8, %7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %10 = npu.eltwise round(%9) : (tensor<f32>) -> tensor<f32>
  %11 = npu.eltwise cast(%10) : (tensor<f32>) -> tensor<ui8>
  %12 = npu.eltwise cast(%11) : (tensor<ui8>) -> tensor<f32>
  %13 = npu.eltwise div(%x, %7) : (tensor<1x64xf32>, tensor<f32>) -> tensor<1x64xf32>
  %14 = npu.eltwise round(%13) : (tensor<1x64xf32>) -> tensor<1x64xf32>
  %15 = npu.eltwise add(%14, %12) : (tensor<1x64xf32>, tensor<f32>) -> tensor<1x64xf32>
  %16 = npu.eltwise cast(%15) : (tensor<1x64xf32>) -> tensor<1x64xui8>
  %17 = npu.matmul(%16, %w) : (tensor<1x64xui8>, tensor<64x8xi8>) -> tensor<1x8xi32>
  %18 = npu.eltwise cast(%11) : (tensor<ui8>) -> tensor<i32>
  %19 = npu.eltwise mul(%18, %sums) : (tensor<i32>, tensor<1x8xi32>) -> tensor<1x8xi32>
  %20 = npu.eltwise sub(%17, %19) : (tensor<1x8xi32>, tensor<1x8xi32>) -> tensor<1x8xi32>
  %21 = npu.eltwise cast(%20) : (tensor<1x8xi32>) -> tensor<1x8xf32>
  %22 = npu.eltwise mul(%7, %half) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %23 = npu.eltwise mul(%21, %22) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  return %23 : tensor<1x8xf32>
}

// Rows in another shape, the difference in floats, a factor for each column,
// and two products of the same bytes.
// CHECK-LABEL: @spelled_otherwise
// CHECK-NOT: npu.reduce
// CHECK: %[[X:.*]] = npu.reshape(%arg0) : (tensor<2x2x64xf32>) -> tensor<4x64xf32>
// CHECK: npu.matmul(%[[X]], %{{.*}}, %{{.*}}) {block = 64 : i64, quantize = -1 : i64} : (tensor<4x64xf32>, tensor<64x8xi8>, tensor<1x8xf32>) -> tensor<4x8xf32>
// CHECK: npu.matmul({{.*}}quantize = -1
func.func @spelled_otherwise(%x: tensor<2x2x64xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %zero = npu.constant dense<0.0> : tensor<f32> -> tensor<f32>
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %steps = npu.constant dense<255.0> : tensor<f32> -> tensor<f32>
  %half = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %w = npu.constant dense<1> : tensor<64x8xi8> -> tensor<64x8xi8>
  %sums = npu.constant dense<64> : tensor<1x8xi32> -> tensor<1x8xi32>
  %f = npu.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32> -> tensor<8xf32>
  %0 = npu.reduce(%x) {axes = [0, 1, 2], keep_dims = false, kind = #npu.reduce_kind<min>} : (tensor<2x2x64xf32>) -> tensor<f32>
  %1 = npu.eltwise min(%zero, %0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = npu.reduce(%x) {axes = [0, 1, 2], keep_dims = false, kind = #npu.reduce_kind<max>} : (tensor<2x2x64xf32>) -> tensor<f32>
  %3 = npu.eltwise relu(%2) : (tensor<f32>) -> tensor<f32>
  %4 = npu.eltwise sub(%3, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %5 = npu.eltwise equal(%4, %zero) : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %6 = npu.eltwise div(%4, %steps) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %7 = npu.eltwise select(%5, %one, %6) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %8 = npu.eltwise sub(%zero, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %9 = npu.eltwise div(%8, %7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %10 = npu.eltwise round(%9) : (tensor<f32>) -> tensor<f32>
  %11 = npu.eltwise cast(%10) : (tensor<f32>) -> tensor<ui8>
  %12 = npu.eltwise cast(%11) : (tensor<ui8>) -> tensor<f32>
  %13 = npu.eltwise div(%x, %7) : (tensor<2x2x64xf32>, tensor<f32>) -> tensor<2x2x64xf32>
  %14 = npu.eltwise round(%13) : (tensor<2x2x64xf32>) -> tensor<2x2x64xf32>
  %15 = npu.eltwise add(%14, %12) : (tensor<2x2x64xf32>, tensor<f32>) -> tensor<2x2x64xf32>
  %16 = npu.eltwise cast(%15) : (tensor<2x2x64xf32>) -> tensor<2x2x64xui8>
  %v = npu.reshape(%16) : (tensor<2x2x64xui8>) -> tensor<4x64xui8>
  %17 = npu.matmul(%v, %w) : (tensor<4x64xui8>, tensor<64x8xi8>) -> tensor<4x8xi32>
  %18 = npu.eltwise cast(%11) : (tensor<ui8>) -> tensor<i32>
  %19 = npu.eltwise mul(%18, %sums) : (tensor<i32>, tensor<1x8xi32>) -> tensor<1x8xi32>
  %20 = npu.eltwise cast(%17) : (tensor<4x8xi32>) -> tensor<4x8xf32>
  %c = npu.eltwise cast(%19) : (tensor<1x8xi32>) -> tensor<1x8xf32>
  %21 = npu.eltwise sub(%20, %c) : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  %22 = npu.eltwise mul(%7, %f) : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
  %23 = npu.eltwise mul(%22, %21) : (tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %24 = npu.eltwise mul(%half, %7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %25 = npu.eltwise mul(%24, %21) : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %23, %25 : tensor<4x8xf32>, tensor<4x8xf32>
}

// More rows share their bytes.
// CHECK-LABEL: @many_rows
// CHECK-NOT: quantize = -1
func.func @many_rows(%x: tensor<5x64xf32>) -> tensor<5x8xf32> {
  %zero = npu.constant dense<0.0> : tensor<f32> -> tensor<f32>
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %steps = npu.constant dense<255.0> : tensor<f32> -> tensor<f32>
  %half = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %w = npu.constant dense<1> : tensor<64x8xi8> -> tensor<64x8xi8>
  %sums = npu.constant dense<64> : tensor<1x8xi32> -> tensor<1x8xi32>
  %0 = npu.reduce(%x) {axes = [0, 1], keep_dims = false, kind = #npu.reduce_kind<min>} : (tensor<5x64xf32>) -> tensor<f32>
  %1 = npu.eltwise min(%zero, %0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = npu.reduce(%x) {axes = [0, 1], keep_dims = false, kind = #npu.reduce_kind<max>} : (tensor<5x64xf32>) -> tensor<f32>
  %3 = npu.eltwise max(%zero, %2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %4 = npu.eltwise sub(%3, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %5 = npu.eltwise equal(%4, %zero) : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %6 = npu.eltwise div(%4, %steps) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %7 = npu.eltwise select(%5, %one, %6) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %8 = npu.eltwise sub(%zero, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %9 = npu.eltwise div(%8, %7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %10 = npu.eltwise round(%9) : (tensor<f32>) -> tensor<f32>
  %11 = npu.eltwise cast(%10) : (tensor<f32>) -> tensor<ui8>
  %12 = npu.eltwise cast(%11) : (tensor<ui8>) -> tensor<f32>
  %13 = npu.eltwise div(%x, %7) : (tensor<5x64xf32>, tensor<f32>) -> tensor<5x64xf32>
  %14 = npu.eltwise round(%13) : (tensor<5x64xf32>) -> tensor<5x64xf32>
  %15 = npu.eltwise add(%14, %12) : (tensor<5x64xf32>, tensor<f32>) -> tensor<5x64xf32>
  %16 = npu.eltwise cast(%15) : (tensor<5x64xf32>) -> tensor<5x64xui8>
  %17 = npu.matmul(%16, %w) : (tensor<5x64xui8>, tensor<64x8xi8>) -> tensor<5x8xi32>
  %18 = npu.eltwise cast(%11) : (tensor<ui8>) -> tensor<i32>
  %19 = npu.eltwise mul(%18, %sums) : (tensor<i32>, tensor<1x8xi32>) -> tensor<1x8xi32>
  %20 = npu.eltwise sub(%17, %19) : (tensor<5x8xi32>, tensor<1x8xi32>) -> tensor<5x8xi32>
  %21 = npu.eltwise cast(%20) : (tensor<5x8xi32>) -> tensor<5x8xf32>
  %22 = npu.eltwise mul(%7, %half) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %23 = npu.eltwise mul(%21, %22) : (tensor<5x8xf32>, tensor<f32>) -> tensor<5x8xf32>
  return %23 : tensor<5x8xf32>
}

// What is subtracted are no sums of the weights.
// CHECK-LABEL: @other_sums
// CHECK-NOT: quantize = -1
func.func @other_sums(%x: tensor<1x64xf32>) -> tensor<1x8xf32> {
  %zero = npu.constant dense<0.0> : tensor<f32> -> tensor<f32>
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %steps = npu.constant dense<255.0> : tensor<f32> -> tensor<f32>
  %half = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %w = npu.constant dense<1> : tensor<64x8xi8> -> tensor<64x8xi8>
  %sums = npu.constant dense<65> : tensor<1x8xi32> -> tensor<1x8xi32>
  %0 = npu.reduce(%x) {axes = [0, 1], keep_dims = false, kind = #npu.reduce_kind<min>} : (tensor<1x64xf32>) -> tensor<f32>
  %1 = npu.eltwise min(%zero, %0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = npu.reduce(%x) {axes = [0, 1], keep_dims = false, kind = #npu.reduce_kind<max>} : (tensor<1x64xf32>) -> tensor<f32>
  %3 = npu.eltwise max(%zero, %2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %4 = npu.eltwise sub(%3, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %5 = npu.eltwise equal(%4, %zero) : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %6 = npu.eltwise div(%4, %steps) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %7 = npu.eltwise select(%5, %one, %6) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %8 = npu.eltwise sub(%zero, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %9 = npu.eltwise div(%8, %7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %10 = npu.eltwise round(%9) : (tensor<f32>) -> tensor<f32>
  %11 = npu.eltwise cast(%10) : (tensor<f32>) -> tensor<ui8>
  %12 = npu.eltwise cast(%11) : (tensor<ui8>) -> tensor<f32>
  %13 = npu.eltwise div(%x, %7) : (tensor<1x64xf32>, tensor<f32>) -> tensor<1x64xf32>
  %14 = npu.eltwise round(%13) : (tensor<1x64xf32>) -> tensor<1x64xf32>
  %15 = npu.eltwise add(%14, %12) : (tensor<1x64xf32>, tensor<f32>) -> tensor<1x64xf32>
  %16 = npu.eltwise cast(%15) : (tensor<1x64xf32>) -> tensor<1x64xui8>
  %17 = npu.matmul(%16, %w) : (tensor<1x64xui8>, tensor<64x8xi8>) -> tensor<1x8xi32>
  %18 = npu.eltwise cast(%11) : (tensor<ui8>) -> tensor<i32>
  %19 = npu.eltwise mul(%18, %sums) : (tensor<i32>, tensor<1x8xi32>) -> tensor<1x8xi32>
  %20 = npu.eltwise sub(%17, %19) : (tensor<1x8xi32>, tensor<1x8xi32>) -> tensor<1x8xi32>
  %21 = npu.eltwise cast(%20) : (tensor<1x8xi32>) -> tensor<1x8xf32>
  %22 = npu.eltwise mul(%7, %half) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %23 = npu.eltwise mul(%21, %22) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  return %23 : tensor<1x8xf32>
}

// The range is that of other data.
// CHECK-LABEL: @other_range
// CHECK-NOT: quantize = -1
func.func @other_range(%x: tensor<1x64xf32>, %y: tensor<1x64xf32>) -> tensor<1x8xf32> {
  %zero = npu.constant dense<0.0> : tensor<f32> -> tensor<f32>
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %steps = npu.constant dense<255.0> : tensor<f32> -> tensor<f32>
  %half = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %w = npu.constant dense<1> : tensor<64x8xi8> -> tensor<64x8xi8>
  %sums = npu.constant dense<64> : tensor<1x8xi32> -> tensor<1x8xi32>
  %0 = npu.reduce(%x) {axes = [0, 1], keep_dims = false, kind = #npu.reduce_kind<min>} : (tensor<1x64xf32>) -> tensor<f32>
  %1 = npu.eltwise min(%zero, %0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = npu.reduce(%x) {axes = [0, 1], keep_dims = false, kind = #npu.reduce_kind<max>} : (tensor<1x64xf32>) -> tensor<f32>
  %3 = npu.eltwise max(%zero, %2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %4 = npu.eltwise sub(%3, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %5 = npu.eltwise equal(%4, %zero) : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %6 = npu.eltwise div(%4, %steps) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %7 = npu.eltwise select(%5, %one, %6) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %8 = npu.eltwise sub(%zero, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %9 = npu.eltwise div(%8, %7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %10 = npu.eltwise round(%9) : (tensor<f32>) -> tensor<f32>
  %11 = npu.eltwise cast(%10) : (tensor<f32>) -> tensor<ui8>
  %12 = npu.eltwise cast(%11) : (tensor<ui8>) -> tensor<f32>
  %13 = npu.eltwise div(%y, %7) : (tensor<1x64xf32>, tensor<f32>) -> tensor<1x64xf32>
  %14 = npu.eltwise round(%13) : (tensor<1x64xf32>) -> tensor<1x64xf32>
  %15 = npu.eltwise add(%14, %12) : (tensor<1x64xf32>, tensor<f32>) -> tensor<1x64xf32>
  %16 = npu.eltwise cast(%15) : (tensor<1x64xf32>) -> tensor<1x64xui8>
  %17 = npu.matmul(%16, %w) : (tensor<1x64xui8>, tensor<64x8xi8>) -> tensor<1x8xi32>
  %18 = npu.eltwise cast(%11) : (tensor<ui8>) -> tensor<i32>
  %19 = npu.eltwise mul(%18, %sums) : (tensor<i32>, tensor<1x8xi32>) -> tensor<1x8xi32>
  %20 = npu.eltwise sub(%17, %19) : (tensor<1x8xi32>, tensor<1x8xi32>) -> tensor<1x8xi32>
  %21 = npu.eltwise cast(%20) : (tensor<1x8xi32>) -> tensor<1x8xf32>
  %22 = npu.eltwise mul(%7, %half) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %23 = npu.eltwise mul(%21, %22) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  return %23 : tensor<1x8xf32>
}

// A step of another size.
// CHECK-LABEL: @other_steps
// CHECK-NOT: quantize = -1
func.func @other_steps(%x: tensor<1x64xf32>) -> tensor<1x8xf32> {
  %zero = npu.constant dense<0.0> : tensor<f32> -> tensor<f32>
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %steps = npu.constant dense<254.0> : tensor<f32> -> tensor<f32>
  %half = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %w = npu.constant dense<1> : tensor<64x8xi8> -> tensor<64x8xi8>
  %sums = npu.constant dense<64> : tensor<1x8xi32> -> tensor<1x8xi32>
  %0 = npu.reduce(%x) {axes = [0, 1], keep_dims = false, kind = #npu.reduce_kind<min>} : (tensor<1x64xf32>) -> tensor<f32>
  %1 = npu.eltwise min(%zero, %0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = npu.reduce(%x) {axes = [0, 1], keep_dims = false, kind = #npu.reduce_kind<max>} : (tensor<1x64xf32>) -> tensor<f32>
  %3 = npu.eltwise max(%zero, %2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %4 = npu.eltwise sub(%3, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %5 = npu.eltwise equal(%4, %zero) : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %6 = npu.eltwise div(%4, %steps) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %7 = npu.eltwise select(%5, %one, %6) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %8 = npu.eltwise sub(%zero, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %9 = npu.eltwise div(%8, %7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %10 = npu.eltwise round(%9) : (tensor<f32>) -> tensor<f32>
  %11 = npu.eltwise cast(%10) : (tensor<f32>) -> tensor<ui8>
  %12 = npu.eltwise cast(%11) : (tensor<ui8>) -> tensor<f32>
  %13 = npu.eltwise div(%x, %7) : (tensor<1x64xf32>, tensor<f32>) -> tensor<1x64xf32>
  %14 = npu.eltwise round(%13) : (tensor<1x64xf32>) -> tensor<1x64xf32>
  %15 = npu.eltwise add(%14, %12) : (tensor<1x64xf32>, tensor<f32>) -> tensor<1x64xf32>
  %16 = npu.eltwise cast(%15) : (tensor<1x64xf32>) -> tensor<1x64xui8>
  %17 = npu.matmul(%16, %w) : (tensor<1x64xui8>, tensor<64x8xi8>) -> tensor<1x8xi32>
  %18 = npu.eltwise cast(%11) : (tensor<ui8>) -> tensor<i32>
  %19 = npu.eltwise mul(%18, %sums) : (tensor<i32>, tensor<1x8xi32>) -> tensor<1x8xi32>
  %20 = npu.eltwise sub(%17, %19) : (tensor<1x8xi32>, tensor<1x8xi32>) -> tensor<1x8xi32>
  %21 = npu.eltwise cast(%20) : (tensor<1x8xi32>) -> tensor<1x8xf32>
  %22 = npu.eltwise mul(%7, %half) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %23 = npu.eltwise mul(%21, %22) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  return %23 : tensor<1x8xf32>
}
