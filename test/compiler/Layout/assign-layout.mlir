// RUN: npu-opt %s --npu-assign-layout="strategy=none target=npu-nchw verify-exactly=true" | FileCheck %s --check-prefix=NONE
// RUN: npu-opt %s --npu-assign-layout="strategy=naive target=npu-nhwc verify-exactly=true" | FileCheck %s --check-prefix=NAIVE
// RUN: npu-opt %s --npu-assign-layout="strategy=auto-nhwc target=npu-nhwc verify-exactly=true" | FileCheck %s --check-prefix=AUTO
// RUN: npu-opt %s --npu-assign-layout="strategy=naive target=npu-nchw16c verify-exactly=true" | FileCheck %s --check-prefix=BLOCKED
//
// x - conv - relu - conv - relu - out: four relayouts when every convolution has
// its own pair, two when the order is carried along; none of them on a weight.

// NONE-LABEL: @example
// NONE-NOT: npu.relayout
// NONE: return

// NAIVE-LABEL: @example
// NAIVE-COUNT-4: npu.relayout
// NAIVE-NOT: npu.relayout
// NAIVE: return

// AUTO-LABEL: @example
// AUTO-SAME: %[[X:.*]]: tensor<2x8x6x6xf32, #npu.layout<abcd>>
// AUTO: npu.constant {{.*}} -> tensor<8x8x3x3xf32, #npu.layout<cdab>>
// AUTO: npu.relayout(%[[X]]) {{.*}} -> tensor<2x8x6x6xf32, #npu.layout<acdb>>
// AUTO-NOT: npu.relayout
// AUTO: npu.eltwise relu({{.*}}) : (tensor<2x8x6x6xf32, #npu.layout<acdb>>)
// AUTO-NOT: npu.relayout
// AUTO: %[[Y:.*]] = npu.eltwise relu
// AUTO: %[[R:.*]] = npu.relayout(%[[Y]])
// AUTO: return %[[R]] : tensor<2x8x6x6xf32, #npu.layout<abcd>>

// BLOCKED-LABEL: @example
// BLOCKED: npu.constant {{.*}} -> tensor<8x8x3x3xf32, #npu.layout<Abcd16a>>
// BLOCKED-COUNT-4: npu.relayout
// BLOCKED-NOT: npu.relayout
// BLOCKED: return
func.func @example(%x: tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x3x3xf32> -> tensor<8x8x3x3xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x3x3xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.eltwise relu(%0) : (tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x3x3xf32>) -> tensor<2x8x6x6xf32>
  %3 = npu.eltwise relu(%2) : (tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  return %3 : tensor<2x8x6x6xf32>
}
