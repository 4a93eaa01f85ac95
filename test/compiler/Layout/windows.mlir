// RUN: npu-opt %s --npu-assign-layout="strategy=optimal objective=count target=npu-nhwc verify-exactly=true" | npu-opt --npu-verify-layout="target=npu-nhwc" | FileCheck %s
// RUN: npu-opt %s --npu-assign-layout="strategy=optimal objective=count target=npu-nchw verify-exactly=true" | FileCheck %s --check-prefix=ROWS

// Windows of two by two pixels: products read them from the image, where a
// window's rows lie at two strides, and write them there. A chip that lists
// whole dimensions moves them.
// CHECK-LABEL: @windows
// CHECK-NOT: npu.relayout
// CHECK: npu.matmul{{.*}}tensor<6x4x16xf32, #npu.layout<ABC3a2b16c>>{{.*}} -> tensor<6x4x8xf32, #npu.layout<abc>>
// CHECK: npu.softmax
// CHECK: npu.matmul{{.*}}tensor<6x4x8xf32, #npu.layout<abc>>{{.*}} -> tensor<6x4x16xf32, #npu.layout<ABC3a2b16c>>
// CHECK-NOT: npu.relayout
// CHECK: return
// ROWS-LABEL: @windows
// ROWS-COUNT-2: npu.relayout
// ROWS-NOT: npu.relayout
// ROWS: return
func.func @windows(%x: tensor<1x4x6x16xf32>) -> tensor<1x4x6x16xf32> {
  %w = npu.constant dense<0.5> : tensor<16x8xf32> -> tensor<16x8xf32>
  %v = npu.constant dense<0.25> : tensor<8x16xf32> -> tensor<8x16xf32>
  %0 = npu.reshape(%x) : (tensor<1x4x6x16xf32>) -> tensor<1x2x2x3x2x16xf32>
  %1 = npu.transpose(%0) {permutation = [0, 1, 3, 2, 4, 5]} : (tensor<1x2x2x3x2x16xf32>) -> tensor<1x2x3x2x2x16xf32>
  %2 = npu.reshape(%1) : (tensor<1x2x3x2x2x16xf32>) -> tensor<6x4x16xf32>
  %3 = npu.matmul(%2, %w) : (tensor<6x4x16xf32>, tensor<16x8xf32>) -> tensor<6x4x8xf32>
  %4 = npu.reshape(%3) : (tensor<6x4x8xf32>) -> tensor<6x32xf32>
  %5 = npu.softmax(%4) {axis = 1 : i64} : (tensor<6x32xf32>) -> tensor<6x32xf32>
  %6 = npu.reshape(%5) : (tensor<6x32xf32>) -> tensor<6x4x8xf32>
  %7 = npu.matmul(%6, %v) : (tensor<6x4x8xf32>, tensor<8x16xf32>) -> tensor<6x4x16xf32>
  %8 = npu.reshape(%7) : (tensor<6x4x16xf32>) -> tensor<1x2x3x2x2x16xf32>
  %9 = npu.transpose(%8) {permutation = [0, 1, 3, 2, 4, 5]} : (tensor<1x2x3x2x2x16xf32>) -> tensor<1x2x2x3x2x16xf32>
  %10 = npu.reshape(%9) : (tensor<1x2x2x3x2x16xf32>) -> tensor<1x4x6x16xf32>
  return %10 : tensor<1x4x6x16xf32>
}

// Tokens that are mixed by a constant matrix are read and written by columns.
// CHECK-LABEL: @mixed_tokens
// CHECK-NOT: npu.relayout
// CHECK: npu.matmul{{.*}}tensor<2x8x12xf32, #npu.layout<acb>>{{.*}} -> tensor<2x8x20xf32, #npu.layout<acb>>
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @mixed_tokens(%x: tensor<2x12x8xf32>) -> tensor<2x20x8xf32> {
  %w = npu.constant dense<0.5> : tensor<12x20xf32> -> tensor<12x20xf32>
  %0 = npu.transpose(%x) {permutation = [0, 2, 1]} : (tensor<2x12x8xf32>) -> tensor<2x8x12xf32>
  %1 = npu.matmul(%0, %w) : (tensor<2x8x12xf32>, tensor<12x20xf32>) -> tensor<2x8x20xf32>
  %2 = npu.transpose(%1) {permutation = [0, 2, 1]} : (tensor<2x8x20xf32>) -> tensor<2x20x8xf32>
  return %2 : tensor<2x20x8xf32>
}

// Windows behind a batch, as torchvision's MaxViT has them, with what goes past
// the product: a sum and a norm of the windows run in the image's order, too.
// CHECK-LABEL: @windows_and_sum
// CHECK-NOT: npu.relayout
// CHECK: npu.tensornorm{{.*}} -> tensor<1x6x4x16xf32, #npu.layout<aBCD3b2c16d>>
// CHECK: npu.matmul{{.*}}#npu.layout<aBCD3b2c16d>>{{.*}} -> tensor<1x6x4x16xf32, #npu.layout<aBCD3b2c16d>>
// CHECK-NOT: npu.relayout
// CHECK: return
// ROWS-LABEL: @windows_and_sum
// ROWS-COUNT-2: npu.relayout
// ROWS-NOT: npu.relayout
// ROWS: return
func.func @windows_and_sum(%x: tensor<1x4x6x16xf32>) -> tensor<1x4x6x16xf32> {
  %w = npu.constant dense<0.5> : tensor<16x16xf32> -> tensor<16x16xf32>
  %s = npu.constant dense<1.0> : tensor<16xf32> -> tensor<16xf32>
  %0 = npu.reshape(%x) : (tensor<1x4x6x16xf32>) -> tensor<1x2x2x3x2x16xf32>
  %1 = npu.transpose(%0) {permutation = [0, 1, 3, 2, 4, 5]} : (tensor<1x2x2x3x2x16xf32>) -> tensor<1x2x3x2x2x16xf32>
  %2 = npu.reshape(%1) : (tensor<1x2x3x2x2x16xf32>) -> tensor<1x6x4x16xf32>
  %3 = npu.tensornorm(%2, %s, %s) {axes = [3], epsilon = 1.000000e-05 : f64} : (tensor<1x6x4x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x6x4x16xf32>
  %4 = npu.matmul(%3, %w) : (tensor<1x6x4x16xf32>, tensor<16x16xf32>) -> tensor<1x6x4x16xf32>
  %5 = npu.eltwise add(%2, %4) : (tensor<1x6x4x16xf32>, tensor<1x6x4x16xf32>) -> tensor<1x6x4x16xf32>
  %6 = npu.reshape(%5) : (tensor<1x6x4x16xf32>) -> tensor<1x2x3x2x2x16xf32>
  %7 = npu.transpose(%6) {permutation = [0, 1, 3, 2, 4, 5]} : (tensor<1x2x3x2x2x16xf32>) -> tensor<1x2x2x3x2x16xf32>
  %8 = npu.reshape(%7) : (tensor<1x2x2x3x2x16xf32>) -> tensor<1x4x6x16xf32>
  return %8 : tensor<1x4x6x16xf32>
}
