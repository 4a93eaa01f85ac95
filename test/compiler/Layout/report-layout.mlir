// RUN: npu-opt %s --npu-assign-layout="strategy=auto-nhwc verify-exactly" --npu-report-layout 2>&1 >/dev/null | FileCheck %s
// RUN: npu-opt %s --npu-assign-layout="strategy=none target=npu-nchw verify-exactly" --npu-report-layout="target=npu-nchw" 2>&1 >/dev/null | FileCheck %s --check-prefix=NONE

// CHECK: example: 3 relayouts, 6912 bytes, 2 at the graph's boundary
// CHECK: relayout of x: NCHW to NHWC, 2304 bytes, {{[0-9]+}} cycles (floor {{[0-9]+}}), at Conv 'c1'
// CHECK-NEXT: because Conv 'c1' (conv2d) on npu-nhwc demands NHWC for its data
// CHECK: relayout of result of Conv 'c1': NHWC to NCHW, 2304 bytes
// CHECK-NEXT: because Flatten 'f' (reshape): the digit of 36 at place 1 of dimension 1 would lie outside of that of 8 at place 36
// CHECK: relayout of y: NHWC to NCHW
// CHECK-NEXT: because output 'y' is held to abcd by --io-layout
// NONE: example: 0 relayouts, 0 bytes
func.func @example(%x: tensor<2x8x6x6xf32> {npu.name = "x"}) -> (tensor<2x8x6x6xf32> {npu.name = "y"}, tensor<2x288xf32> {npu.name = "f"}) {
  %w = npu.constant dense<1.0> : tensor<8x8x3x3xf32> -> tensor<8x8x3x3xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x3x3xf32>) -> tensor<2x8x6x6xf32> loc("Conv 'c1'")
  %1 = npu.reshape(%0) : (tensor<2x8x6x6xf32>) -> tensor<2x288xf32> loc("Flatten 'f'")
  %2 = npu.eltwise relu(%0) : (tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  return %2, %1 : tensor<2x8x6x6xf32>, tensor<2x288xf32>
}
