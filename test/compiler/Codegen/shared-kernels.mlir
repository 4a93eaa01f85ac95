// RUN: npuc %s -q --target=npu-nchw --layout=none --emit=llvm -o - | FileCheck %s

// Kernels of the same code share one function: the two relus, but not the
// clip, nor additions of another constant.
// CHECK: @npu_run_body_of = {{.*}} [9 x i32] [i32 0, i32 -1, i32 1, i32 -1, i32 0, i32 -1, i32 2, i32 -1, i32 3]
// CHECK: @npu_run_bodies = {{.*}} [4 x { ptr, i64, i64 }] [{ ptr, i64, i64 } { ptr @[[RELU:k[0-9]+_eltwise]], {{.*}} { ptr @[[CLIP:k[0-9]+_eltwise]], {{.*}} { ptr @[[ONE:k[0-9]+_eltwise]], {{.*}} { ptr @[[TWO:k[0-9]+_eltwise]],
// CHECK-NOT: define {{.*}}_eltwise
// CHECK: define hidden void @[[RELU]](
// CHECK: define hidden void @[[CLIP]](
// CHECK: define hidden void @[[ONE]](
// CHECK: define hidden void @[[TWO]](
// CHECK-NOT: define {{.*}}_eltwise
func.func @main(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %one = npu.constant dense<1.0> : tensor<8xf32> -> tensor<8xf32>
  %two = npu.constant dense<2.0> : tensor<8xf32> -> tensor<8xf32>
  %0 = npu.eltwise relu(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = npu.softmax(%0) {axis = 1} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = npu.eltwise clip(%1) {alpha = 0.0 : f32, beta = 0.5 : f32} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %3 = npu.softmax(%2) {axis = 1} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %4 = npu.eltwise relu(%3) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %5 = npu.softmax(%4) {axis = 1} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %6 = npu.eltwise add(%5, %one) : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %7 = npu.softmax(%6) {axis = 1} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %8 = npu.eltwise add(%7, %two) : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return %8 : tensor<2x8xf32>
}
