// RUN: npu-opt %s --npu-assign-layout="strategy=optimal target=npu-nhwc verify-exactly=true" | FileCheck %s --check-prefix=OPTIMAL
// RUN: npu-opt %s --npu-assign-layout="strategy=pbqp target=npu-nhwc verify-exactly=true" | FileCheck %s --check-prefix=OPTIMAL
// RUN: npu-opt %s --npu-assign-layout="strategy=naive target=npu-nhwc verify-exactly=true" | FileCheck %s --check-prefix=ALIKE
// RUN: npu-opt %s --npu-assign-layout="strategy=auto-nhwc target=npu-nhwc verify-exactly=true" | FileCheck %s --check-prefix=ALIKE
// RUN: npu-opt %s --npu-assign-layout="strategy=preset target=npu-nhwc verify-exactly=true" | FileCheck %s --check-prefix=ALIKE
// RUN: npu-opt %s --npu-assign-layout="strategy=smartmem target=npu-nhwc verify-exactly=true" | FileCheck %s --check-prefix=ALIKE
// RUN: npu-opt %s --npu-assign-layout="strategy=alter target=npu-nchw16c verify-exactly=true" | FileCheck %s --check-prefix=ALIKE
// RUN: npu-opt %s --npu-assign-layout="strategy=optimal target=npu-nchw16c verify-exactly=true" | FileCheck %s --check-prefix=BLOCKED
// RUN: npu-opt %s --npu-assign-layout="strategy=none target=npu-nchw verify-exactly=true" | FileCheck %s --check-prefix=NONE
//
// The last two rows of a convolution's input are what the next run begins with:
// they stay in the order that the convolution wants, from run to run, and only
// the input and the output are relaid.

// OPTIMAL-LABEL: @rows
// OPTIMAL-SAME: %[[X:[^:]*]]: tensor<1x16x4x6xf32, #npu.layout<abcd>>
// OPTIMAL-SAME: tensor<1x16x2x6xf32, #npu.layout<acdb>> {{[^)]*}}npu.state = "s"
// OPTIMAL-SAME: -> (tensor<1x16x4x6xf32, #npu.layout<abcd>>{{.*}}, tensor<1x16x2x6xf32, #npu.layout<acdb>> {{.*}}npu.state = "s"
// OPTIMAL-COUNT-2: npu.relayout
// OPTIMAL-NOT: npu.relayout
// OPTIMAL: return

// BLOCKED-LABEL: @rows
// BLOCKED-SAME: tensor<1x16x2x6xf32, #npu.layout<aBcd16b>> {{[^)]*}}npu.state = "s"
// BLOCKED-SAME: tensor<1x16x2x6xf32, #npu.layout<aBcd16b>> {{.*}}npu.state = "s"

// Whatever a strategy thinks, both sides are stored alike.
// ALIKE-LABEL: @rows
// ALIKE-SAME: tensor<1x16x2x6xf32, [[ORDER:#npu.layout<[a-zA-Z0-9]*>]]> {{[^)]*}}npu.state = "s"
// ALIKE-SAME: tensor<1x16x2x6xf32, [[ORDER]]> {{.*}}npu.state = "s"

// NONE-LABEL: @rows
// NONE-SAME: tensor<1x16x2x6xf32, #npu.layout<abcd>> {{.*}}npu.state = "s"
// NONE-NOT: npu.relayout
func.func @rows(%x: tensor<1x16x4x6xf32> {npu.name = "x"}, %s: tensor<1x16x2x6xf32> {npu.name = "s", npu.state = "s"})
    -> (tensor<1x16x4x6xf32> {npu.name = "y"}, tensor<1x16x2x6xf32> {npu.name = "s", npu.state = "s"}) {
  %w = npu.constant dense<1.0> : tensor<16x16x3x3xf32> -> tensor<16x16x3x3xf32>
  %0 = npu.concat(%s, %x) {axis = 2 : i64} : (tensor<1x16x2x6xf32>, tensor<1x16x4x6xf32>) -> tensor<1x16x6x6xf32>
  %1 = npu.conv2d(%0, %w) {dilations = [1, 1], groups = 1, pads = [0, 1, 0, 1], strides = [1, 1]} : (tensor<1x16x6x6xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x4x6xf32>
  %2 = npu.slice(%0) {starts = [0, 0, 4, 0], steps = [1, 1, 1, 1]} : (tensor<1x16x6x6xf32>) -> tensor<1x16x2x6xf32>
  return %1, %2 : tensor<1x16x4x6xf32>, tensor<1x16x2x6xf32>
}
