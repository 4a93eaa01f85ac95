// RUN: npu-opt %s --npu-match-activations | FileCheck %s

// The example of the pass's description.
// CHECK-LABEL: @example
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[Y:.*]] = npu.eltwise hard_swish(%[[X]]) {alpha = 0.166666672 : f32, beta = 5.000000e-01 : f32}
// CHECK-NEXT: return %[[Y]]
func.func @example(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %three = npu.constant dense<3.0> : tensor<f32> -> tensor<f32>
  %sixth = npu.constant dense<0.166666672> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise add(%x, %three) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  %1 = npu.eltwise clip(%0) {alpha = 0.0 : f32, beta = 6.0 : f32} : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %2 = npu.eltwise mul(%x, %1) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
  %3 = npu.eltwise mul(%2, %sixth) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  return %3 : tensor<1x8xf32>
}

// The input may itself end in a sum: its offset is not the activation's.
// CHECK-LABEL: @input_is_a_sum
// CHECK: %[[S:.*]] = npu.eltwise add
// CHECK-NEXT: npu.eltwise hard_swish(%[[S]]) {alpha = 0.166666672 : f32, beta = 5.000000e-01 : f32}
// CHECK-NEXT: return
func.func @input_is_a_sum(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %three = npu.constant dense<3.0> : tensor<f32> -> tensor<f32>
  %sixth = npu.constant dense<0.166666672> : tensor<f32> -> tensor<f32>
  %s = npu.eltwise add(%x, %sixth) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  %0 = npu.eltwise add(%s, %three) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  %1 = npu.eltwise clip(%0) {alpha = 0.0 : f32, beta = 6.0 : f32} : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %2 = npu.eltwise mul(%1, %sixth) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  %3 = npu.eltwise mul(%2, %s) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
  return %3 : tensor<1x8xf32>
}

// A factor that is left stays behind the activation.
// CHECK-LABEL: @factor
// CHECK: %[[H:.*]] = npu.eltwise hard_swish
// CHECK-NEXT: %[[C:.*]] = npu.constant dense<1.200000e+01>
// CHECK-NEXT: npu.eltwise mul(%[[H]], %[[C]])
// CHECK-NEXT: return
func.func @factor(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %three = npu.constant dense<3.0> : tensor<f32> -> tensor<f32>
  %two = npu.constant dense<2.0> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise add(%x, %three) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  %1 = npu.eltwise clip(%0) {alpha = 0.0 : f32, beta = 6.0 : f32} : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %2 = npu.eltwise mul(%x, %1) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
  %3 = npu.eltwise mul(%2, %two) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  return %3 : tensor<1x8xf32>
}

// CHECK-LABEL: @gates
// CHECK: npu.eltwise hard_swish(%{{.*}}) {alpha = 2.000000e-01 : f32, beta = 4.000000e-01 : f32}
// CHECK-NEXT: npu.eltwise swish(%{{.*}}) {alpha = 1.000000e+00 : f32}
// CHECK-NEXT: return
func.func @gates(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = npu.eltwise hard_sigmoid(%x) {alpha = 0.2 : f32, beta = 0.4 : f32} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = npu.eltwise mul(%0, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %2 = npu.eltwise sigmoid(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = npu.eltwise mul(%x, %2) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @gelu
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: npu.eltwise gelu_erf(%[[X]])
// CHECK-NEXT: return
func.func @gelu(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = npu.constant dense<0.707106769> : tensor<f32> -> tensor<f32>
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %half = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise mul(%x, %r) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = npu.eltwise erf(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = npu.eltwise add(%1, %one) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %3 = npu.eltwise mul(%x, %2) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %4 = npu.eltwise mul(%3, %half) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %4 : tensor<8xf32>
}

// min(max(x, 0), 6), then a hard sigmoid from it; max(x, 0); clip without end.
// CHECK-LABEL: @bounds
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: npu.eltwise hard_sigmoid(%[[X]]) {alpha = 0.166666672 : f32}
// CHECK-NEXT: npu.eltwise clip(%[[X]]) {alpha = -1.000000e+00 : f32, beta = 2.000000e+00 : f32}
// CHECK-NEXT: npu.eltwise relu(%[[X]])
// CHECK-NEXT: npu.eltwise relu(%[[X]])
// CHECK-NEXT: return
func.func @bounds(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %zero = npu.constant dense<0.0> : tensor<f32> -> tensor<f32>
  %six = npu.constant dense<6.0> : tensor<f32> -> tensor<f32>
  %sixth = npu.constant dense<0.166666672> : tensor<f32> -> tensor<f32>
  %low = npu.constant dense<-1.0> : tensor<f32> -> tensor<f32>
  %high = npu.constant dense<2.0> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise max(%x, %zero) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = npu.eltwise min(%0, %six) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = npu.eltwise mul(%1, %sixth) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %3 = npu.eltwise min(%x, %high) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %4 = npu.eltwise max(%3, %low) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %5 = npu.eltwise max(%zero, %x) : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
  %6 = npu.eltwise clip(%x) {alpha = 0.0 : f32, beta = 3.40282347E+38 : f32} : (tensor<8xf32>) -> tensor<8xf32>
  return %2, %4, %5, %6 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Near misses: another offset, another input, an empty range, a per-channel
// bound.
// CHECK-LABEL: @near
// CHECK-NOT: swish
// CHECK-NOT: clip
// CHECK: return
func.func @near(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %two = npu.constant dense<2.0> : tensor<f32> -> tensor<f32>
  %each = npu.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32> -> tensor<8xf32>
  %0 = npu.eltwise add(%x, %one) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = npu.eltwise sigmoid(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = npu.eltwise mul(%x, %1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = npu.eltwise sigmoid(%y) : (tensor<8xf32>) -> tensor<8xf32>
  %4 = npu.eltwise mul(%x, %3) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %5 = npu.eltwise max(%x, %two) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %6 = npu.eltwise min(%5, %one) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %7 = npu.eltwise min(%5, %each) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %2, %4, %6, %7 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Of a model of f16: sqrt(2) is 1.4140625 there, and this is 1 by that.
// CHECK-LABEL: @gelu_of_halves
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
// CHECK: npu.eltwise gelu_erf(%[[X]])
// CHECK-NEXT: return
func.func @gelu_of_halves(%x: tensor<8xf32>) -> tensor<8xf32> {
  %root = npu.constant dense<0.707182348> : tensor<f32> -> tensor<f32>
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %half = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise mul(%x, %root) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = npu.eltwise erf(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = npu.eltwise add(%1, %one) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %3 = npu.eltwise mul(%x, %2) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %4 = npu.eltwise mul(%3, %half) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %4 : tensor<8xf32>
}

// As Keras writes it: x / 2 * (1 - erf(-x / sqrt(2))).
// CHECK-LABEL: @gelu_of_complement
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[Y:.*]] = npu.eltwise gelu_erf(%[[X]])
// CHECK-NEXT: return %[[Y]]
func.func @gelu_of_complement(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %half = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %root = npu.constant dense<0.707106769> : tensor<f32> -> tensor<f32>
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise mul(%x, %half) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  %1 = npu.eltwise neg(%x) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %2 = npu.eltwise mul(%1, %root) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  %3 = npu.eltwise erf(%2) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %4 = npu.eltwise sub(%one, %3) : (tensor<f32>, tensor<1x8xf32>) -> tensor<1x8xf32>
  %5 = npu.eltwise mul(%0, %4) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
  return %5 : tensor<1x8xf32>
}

// The sign of only one of both is another function.
// CHECK-LABEL: @no_gelu
// CHECK-NOT: gelu_erf
// CHECK: return
func.func @no_gelu(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %half = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %root = npu.constant dense<0.707106769> : tensor<f32> -> tensor<f32>
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %0 = npu.eltwise mul(%x, %half) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  %2 = npu.eltwise mul(%x, %root) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  %3 = npu.eltwise erf(%2) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %4 = npu.eltwise sub(%one, %3) : (tensor<f32>, tensor<1x8xf32>) -> tensor<1x8xf32>
  %5 = npu.eltwise mul(%0, %4) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
  return %5 : tensor<1x8xf32>
}

// The approximation by tanh, as T5 and GPT-2 write it, and with x taken out of
// the polynomial; another factor of the cube is another function.
// CHECK-LABEL: @gelu_by_tanh
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK-DAG: %[[Y:.*]] = npu.eltwise gelu_tanh(%[[X]])
// CHECK-DAG: %[[Z:.*]] = npu.eltwise gelu_tanh(%[[X]])
// CHECK: return %[[Y]], %[[Z]]
func.func @gelu_by_tanh(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %half = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %root = npu.constant dense<0.797884583> : tensor<f32> -> tensor<f32>
  %c = npu.constant dense<4.471500e-02> : tensor<f32> -> tensor<f32>
  %square = npu.eltwise mul(%x, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %cube = npu.eltwise mul(%square, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %0 = npu.eltwise mul(%cube, %c) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = npu.eltwise add(%x, %0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %2 = npu.eltwise mul(%1, %root) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %3 = npu.eltwise tanh(%2) : (tensor<8xf32>) -> tensor<8xf32>
  %4 = npu.eltwise add(%3, %one) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %5 = npu.eltwise mul(%x, %half) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %6 = npu.eltwise mul(%5, %4) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %7 = npu.eltwise mul(%square, %c) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %8 = npu.eltwise add(%7, %one) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %9 = npu.eltwise mul(%x, %root) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %10 = npu.eltwise mul(%9, %8) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %11 = npu.eltwise tanh(%10) : (tensor<8xf32>) -> tensor<8xf32>
  %12 = npu.eltwise add(%11, %one) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %13 = npu.eltwise mul(%x, %12) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %14 = npu.eltwise mul(%13, %half) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %6, %14 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @no_gelu_by_tanh
// CHECK-NOT: gelu_tanh
// CHECK: return
func.func @no_gelu_by_tanh(%x: tensor<8xf32>, %z: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %half = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %root = npu.constant dense<0.797884583> : tensor<f32> -> tensor<f32>
  %c = npu.constant dense<4.471500e-02> : tensor<f32> -> tensor<f32>
  %square = npu.eltwise mul(%x, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %cube = npu.eltwise mul(%square, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = npu.eltwise add(%x, %cube) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %2 = npu.eltwise mul(%1, %root) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %3 = npu.eltwise tanh(%2) : (tensor<8xf32>) -> tensor<8xf32>
  %4 = npu.eltwise add(%3, %one) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %5 = npu.eltwise mul(%x, %half) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %6 = npu.eltwise mul(%5, %4) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %7 = npu.eltwise mul(%cube, %c) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %8 = npu.eltwise add(%z, %7) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %9 = npu.eltwise mul(%8, %root) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %10 = npu.eltwise tanh(%9) : (tensor<8xf32>) -> tensor<8xf32>
  %11 = npu.eltwise add(%10, %one) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %12 = npu.eltwise mul(%5, %11) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %6, %12 : tensor<8xf32>, tensor<8xf32>
}
