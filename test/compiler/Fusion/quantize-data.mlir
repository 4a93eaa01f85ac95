// RUN: npu-opt %s --npu-quantize-data | FileCheck %s
// RUN: not npu-opt %s --npu-quantize-data="target=%S/Inputs/unsigned-bytes.yaml" 2>&1 | FileCheck %s --check-prefix=LACKS

// RUN: npu-opt %s --npu-quantize-data=asked | FileCheck %s --check-prefix=ASKED
// RUN: npu-opt %s --npu-quantize-data="asked target=%S/Inputs/unsigned-bytes.yaml" | FileCheck %s --check-prefix=FLOATS

// A model's own stay where the target has bytes, and nothing is added.
// ASKED-LABEL: @example
// ASKED-NOT: quantize
// ASKED-LABEL: @model_says
// ASKED: quantize = 64
// FLOATS-LABEL: @model_says
// FLOATS-NOT: quantize

// LACKS: error: --precision=i8: target 'unsigned-bytes' has no i8 in its `types`; add it there, or leave the option out

// CHECK-LABEL: @example
// CHECK: npu.matmul(%arg0, %{{.*}}, %{{.*}}) {block = 64 : i64, quantize = 32 : i64} : (tensor<8x64xf32>, tensor<64x64xi8>, tensor<1x64xf32>) -> tensor<8x64xf32>
func.func @example(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %w = npu.constant dense<1> : tensor<64x64xi8> -> tensor<64x64xi8>
  %s = npu.constant dense<0.5> : tensor<1x64xf32> -> tensor<1x64xf32>
  %1 = npu.matmul(%x, %w, %s) {block = 64 : i64} : (tensor<8x64xf32>, tensor<64x64xi8>, tensor<1x64xf32>) -> tensor<8x64xf32>
  return %1 : tensor<8x64xf32>
}

// CHECK-LABEL: @model_says
// CHECK: quantize = 64
func.func @model_says(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %w = npu.constant dense<1> : tensor<64x64xi8> -> tensor<64x64xi8>
  %s = npu.constant dense<0.5> : tensor<1x64xf32> -> tensor<1x64xf32>
  %1 = npu.matmul(%x, %w, %s) {block = 64 : i64, quantize = 64 : i64} : (tensor<8x64xf32>, tensor<64x64xi8>, tensor<1x64xf32>) -> tensor<8x64xf32>
  return %1 : tensor<8x64xf32>
}

// Numbers of 4 bits in blocks, with zero points; each of two products of one
// value.
// CHECK-LABEL: @nibbles
// CHECK-COUNT-2: quantize = 32
// CHECK-NOT: quantize = 32
func.func @nibbles(%x: tensor<1x8x64xf32>) -> (tensor<1x8x64xf32>, tensor<1x8x64xf32>) {
  %w = npu.constant dense<33> : tensor<32x64xui8> -> tensor<32x64xui8>
  %s = npu.constant dense<0.5> : tensor<2x64xf32> -> tensor<2x64xf32>
  %z = npu.constant dense<8> : tensor<2x64xui8> -> tensor<2x64xui8>
  %1 = npu.matmul(%x, %w, %s, %z) {bits = 4 : i64, block = 32 : i64} : (tensor<1x8x64xf32>, tensor<32x64xui8>, tensor<2x64xf32>, tensor<2x64xui8>) -> tensor<1x8x64xf32>
  %2 = npu.matmul(%x, %w, %s, %z) {bits = 4 : i64, block = 32 : i64} : (tensor<1x8x64xf32>, tensor<32x64xui8>, tensor<2x64xf32>, tensor<2x64xui8>) -> tensor<1x8x64xf32>
  return %1, %2 : tensor<1x8x64xf32>, tensor<1x8x64xf32>
}

// Blocks that are no multiple of 32.
// CHECK-LABEL: @blocks
// CHECK: quantize = 12
func.func @blocks(%x: tensor<8x24xf32>) -> tensor<8x64xf32> {
  %w = npu.constant dense<1> : tensor<24x64xi8> -> tensor<24x64xi8>
  %s = npu.constant dense<0.5> : tensor<2x64xf32> -> tensor<2x64xf32>
  %1 = npu.matmul(%x, %w, %s) {block = 12 : i64} : (tensor<8x24xf32>, tensor<24x64xi8>, tensor<2x64xf32>) -> tensor<8x64xf32>
  return %1 : tensor<8x64xf32>
}

// Floats, weights that are no constants, few columns, blocks that no processor
// sums at once, and a depth whose sums 32 bits do not hold stay as they are.
// CHECK-LABEL: @stays
// CHECK-NOT: quantize
func.func @stays(%x: tensor<8x66xf32>, %d: tensor<66x64xi8>, %y: tensor<1x16388xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x63xf32>, tensor<8x64xf32>, tensor<1x64xf32>) {
  %f = npu.constant dense<1.0> : tensor<66x64xf16> -> tensor<66x64xf16>
  %n = npu.constant dense<1> : tensor<66x63xi8> -> tensor<66x63xi8>
  %w = npu.constant dense<1> : tensor<66x64xi8> -> tensor<66x64xi8>
  %s = npu.constant dense<0.5> : tensor<11x64xf32> -> tensor<11x64xf32>
  %long = npu.constant dense<1> : tensor<16388x64xi8> -> tensor<16388x64xi8>
  %1 = npu.matmul(%x, %f) : (tensor<8x66xf32>, tensor<66x64xf16>) -> tensor<8x64xf32>
  %2 = npu.matmul(%x, %d) : (tensor<8x66xf32>, tensor<66x64xi8>) -> tensor<8x64xf32>
  %3 = npu.matmul(%x, %n) : (tensor<8x66xf32>, tensor<66x63xi8>) -> tensor<8x63xf32>
  %4 = npu.matmul(%x, %w, %s) {block = 6 : i64} : (tensor<8x66xf32>, tensor<66x64xi8>, tensor<11x64xf32>) -> tensor<8x64xf32>
  %5 = npu.matmul(%y, %long) : (tensor<1x16388xf32>, tensor<16388x64xi8>) -> tensor<1x64xf32>
  return %1, %2, %3, %4, %5 : tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x63xf32>, tensor<8x64xf32>, tensor<1x64xf32>
}
