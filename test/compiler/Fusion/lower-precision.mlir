// RUN: npu-opt %s --npu-lower-precision | FileCheck %s
// RUN: not npu-opt %s --npu-lower-precision="target=%S/Inputs/signed-bytes.yaml" 2>&1 | FileCheck %s --check-prefix=LACKS

// LACKS: error: --precision=bf16: target 'signed-bytes' has no bf16 in its `types`; add it there, or leave the option out

// CHECK-LABEL: @example
// CHECK-SAME: %[[X:.*]]: tensor<8x64xf32>
// CHECK-DAG: %[[W:.*]] = npu.constant dense<1.000000e+00> : tensor<64x64xbf16>
// CHECK-DAG: %[[CAST:.*]] = npu.eltwise cast(%[[X]]) : (tensor<8x64xf32>) -> tensor<8x64xbf16>
// CHECK: npu.matmul(%[[CAST]], %[[W]]) : (tensor<8x64xbf16>, tensor<64x64xbf16>) -> tensor<8x64xf32>
func.func @example(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %w = npu.constant dense<1.0> : tensor<64x64xf32> -> tensor<64x64xf32>
  %1 = npu.matmul(%x, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  return %1 : tensor<8x64xf32>
}

// Halves go to even: 1 + 2^-8 is 1, 1 + 3 * 2^-8 is 1 + 2^-6.
// CHECK-LABEL: @rounds
// CHECK: npu.constant dense<{{\[}}[1.000000e+00, 1.015630e+00]]> : tensor<1x2xbf16>
func.func @rounds() -> tensor<1x2xf32> {
  %x = npu.constant dense<1.0> : tensor<1x1xf32> -> tensor<1x1xf32>
  %w = npu.constant dense<[[1.00390625, 1.01171875]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %1 = npu.matmul(%x, %w) : (tensor<1x1xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  return %1 : tensor<1x2xf32>
}

// Two products read one conversion; behind a view it stands in front of it.
// CHECK-LABEL: @shared
// CHECK: %[[OTHER:.*]] = npu.eltwise cast(%arg1)
// CHECK: %[[SUM:.*]] = npu.eltwise relu
// CHECK: %[[CAST:.*]] = npu.eltwise cast(%[[SUM]])
// CHECK-NOT: tensor<8x64xf32>
// CHECK: %[[VIEW:.*]] = npu.reshape(%[[CAST]]) : (tensor<1x8x64xbf16>) -> tensor<8x64xbf16>
// CHECK-NOT: npu.eltwise cast
// CHECK: npu.matmul(%[[VIEW]], %{{.*}}) : (tensor<8x64xbf16>, tensor<64x64xbf16>) -> tensor<8x64xf32>
// CHECK: npu.matmul(%[[OTHER]]
// CHECK: npu.matmul(%[[OTHER]]
func.func @shared(%x: tensor<1x8x64xf32>, %y: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>) {
  %w = npu.constant dense<1.0> : tensor<64x64xf32> -> tensor<64x64xf32>
  %0 = npu.eltwise relu(%x) : (tensor<1x8x64xf32>) -> tensor<1x8x64xf32>
  %1 = npu.reshape(%0) : (tensor<1x8x64xf32>) -> tensor<8x64xf32>
  %2 = npu.matmul(%1, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %3 = npu.matmul(%y, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %4 = npu.matmul(%y, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  return %2, %3, %4 : tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>
}

// A bias is added to the sums in f32. Nine products of each number are too few
// for a conversion, but what another product stores is converted as it is
// stored; and where elementwise functions alone read it beside products, it is
// stored in bf16 alone.
// CHECK-LABEL: @convolutions
// CHECK: %[[FIRST:.*]] = npu.conv2d(%arg0, %{{.*}}) {{.*}} : (tensor<1x8x4x4xf32>, tensor<8x1x3x3xf32>) -> tensor<1x8x4x4xf32>
// CHECK: %[[X:.*]] = npu.eltwise cast(%[[FIRST]])
// CHECK: %[[Y:.*]] = npu.conv2d(%[[X]], %{{.*}}, %arg1) {{.*}} : (tensor<1x8x4x4xbf16>, tensor<16x8x3x3xbf16>, tensor<16xf32>) -> tensor<1x16x4x4xf32>
// CHECK: %[[RELU:.*]] = npu.eltwise relu(%[[Y]])
// CHECK: %[[NARROW:.*]] = npu.eltwise cast(%[[RELU]])
// CHECK: %[[Z:.*]] = npu.conv2d(%[[NARROW]], %{{.*}}) {{.*}} : (tensor<1x16x4x4xbf16>, tensor<16x1x3x3xbf16>) -> tensor<1x16x4x4xf32>
// CHECK: %[[BACK:.*]] = npu.eltwise cast(%[[NARROW]]) : (tensor<1x16x4x4xbf16>) -> tensor<1x16x4x4xf32>
// CHECK: npu.eltwise add(%[[Z]], %[[BACK]])
func.func @convolutions(%x: tensor<1x8x4x4xf32>, %b: tensor<16xf32>) -> tensor<1x16x4x4xf32> {
  %e = npu.constant dense<1.0> : tensor<8x1x3x3xf32> -> tensor<8x1x3x3xf32>
  %w = npu.constant dense<1.0> : tensor<16x8x3x3xf32> -> tensor<16x8x3x3xf32>
  %d = npu.constant dense<1.0> : tensor<16x1x3x3xf32> -> tensor<16x1x3x3xf32>
  %0 = npu.conv2d(%x, %e) {dilations = [1, 1], groups = 8, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x8x4x4xf32>, tensor<8x1x3x3xf32>) -> tensor<1x8x4x4xf32>
  %1 = npu.conv2d(%0, %w, %b) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x8x4x4xf32>, tensor<16x8x3x3xf32>, tensor<16xf32>) -> tensor<1x16x4x4xf32>
  %2 = npu.eltwise relu(%1) : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %3 = npu.conv2d(%2, %d) {dilations = [1, 1], groups = 16, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x16x4x4xf32>, tensor<16x1x3x3xf32>) -> tensor<1x16x4x4xf32>
  %4 = npu.eltwise add(%3, %2) : (tensor<1x16x4x4xf32>, tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  return %4 : tensor<1x16x4x4xf32>
}

// Attention multiplies bf16 and stores it; a product behind it reads that, and
// its mask stays as it is.
// CHECK-LABEL: @attention
// CHECK: %[[Q:.*]] = npu.eltwise cast(%arg0)
// CHECK: %[[A:.*]] = npu.attention(%[[Q]], %[[Q]], %[[Q]], %arg1) {scale = 1.250000e-01 : f64} : (tensor<4x128x64xbf16>, tensor<4x128x64xbf16>, tensor<4x128x64xbf16>, tensor<128xf32>) -> tensor<4x128x64xbf16>
// CHECK-NEXT: npu.matmul(%[[A]], %{{.*}}) : (tensor<4x128x64xbf16>, tensor<64x64xbf16>) -> tensor<4x128x64xf32>
func.func @attention(%x: tensor<4x128x64xf32>, %m: tensor<128xf32>) -> tensor<4x128x64xf32> {
  %w = npu.constant dense<1.0> : tensor<64x64xf32> -> tensor<64x64xf32>
  %0 = npu.attention(%x, %x, %x, %m) {scale = 0.125 : f64} : (tensor<4x128x64xf32>, tensor<4x128x64xf32>, tensor<4x128x64xf32>, tensor<128xf32>) -> tensor<4x128x64xf32>
  %1 = npu.matmul(%0, %w) : (tensor<4x128x64xf32>, tensor<64x64xf32>) -> tensor<4x128x64xf32>
  return %1 : tensor<4x128x64xf32>
}

// What else reads it reads f32 of it; a mask may say yes or no.
// CHECK-LABEL: @attention_alone
// CHECK: %[[A:.*]] = npu.attention({{.*}}, %arg1) {{.*}} -> tensor<4x128x64xbf16>
// CHECK: %[[F:.*]] = npu.eltwise cast(%[[A]]) : (tensor<4x128x64xbf16>) -> tensor<4x128x64xf32>
// CHECK: npu.eltwise add(%[[F]], %arg0)
func.func @attention_alone(%x: tensor<4x128x64xf32>, %m: tensor<128xi1>) -> tensor<4x128x64xf32> {
  %0 = npu.attention(%x, %x, %x, %m) {fill = -1.0e9 : f64, scale = 0.125 : f64} : (tensor<4x128x64xf32>, tensor<4x128x64xf32>, tensor<4x128x64xf32>, tensor<128xi1>) -> tensor<4x128x64xf32>
  %1 = npu.eltwise add(%0, %x) : (tensor<4x128x64xf32>, tensor<4x128x64xf32>) -> tensor<4x128x64xf32>
  return %1 : tensor<4x128x64xf32>
}

// A norm that products alone read stores bf16, behind whose views too; one that
// is a result, or is added to what a product gives, is converted by itself.
// CHECK-LABEL: @norms
// CHECK: %[[N:.*]] = npu.tensornorm(%arg0, %{{.*}}) {{.*}} : (tensor<1x8x64xf32>, tensor<64xf32>) -> tensor<1x8x64xbf16>
// CHECK: %[[V:.*]] = npu.reshape(%[[N]]) : (tensor<1x8x64xbf16>) -> tensor<8x64xbf16>
// CHECK: npu.matmul(%[[V]], %{{.*}}) : (tensor<8x64xbf16>, tensor<64x64xbf16>) -> tensor<8x64xf32>
// CHECK: %[[M:.*]] = npu.tensornorm(%arg0, %{{.*}}) {{.*}} -> tensor<1x8x64xf32>
// CHECK: npu.eltwise cast(%[[M]])
func.func @norms(%x: tensor<1x8x64xf32>) -> (tensor<8x64xf32>, tensor<1x8x64xf32>, tensor<1x8x64xf32>) {
  %w = npu.constant dense<1.0> : tensor<64x64xf32> -> tensor<64x64xf32>
  %s = npu.constant dense<2.0> : tensor<64xf32> -> tensor<64xf32>
  %n = npu.tensornorm(%x, %s) {axes = [2], epsilon = 1.0e-5 : f64} : (tensor<1x8x64xf32>, tensor<64xf32>) -> tensor<1x8x64xf32>
  %v = npu.reshape(%n) : (tensor<1x8x64xf32>) -> tensor<8x64xf32>
  %y = npu.matmul(%v, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %m = npu.tensornorm(%x, %s) {axes = [2], epsilon = 1.0e-6 : f64} : (tensor<1x8x64xf32>, tensor<64xf32>) -> tensor<1x8x64xf32>
  %z = npu.matmul(%m, %w) : (tensor<1x8x64xf32>, tensor<64x64xf32>) -> tensor<1x8x64xf32>
  return %y, %z, %m : tensor<8x64xf32>, tensor<1x8x64xf32>, tensor<1x8x64xf32>
}
