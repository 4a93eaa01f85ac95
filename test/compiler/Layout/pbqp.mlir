// RUN: npu-opt %s --npu-assign-layout="strategy=pbqp objective=count target=npu-nhwc verify-exactly=true" | FileCheck %s
// RUN: npu-opt %s --npu-assign-layout="strategy=optimal objective=count target=npu-nhwc verify-exactly=true" | FileCheck %s --check-prefix=LEAST
// RUN: npu-opt %s --npu-assign-layout="strategy=pbqp target=npu-nchw16c verify-exactly=true" | npu-opt --npu-verify-layout="target=npu-nchw16c"
// RUN: npu-opt %s --npu-assign-layout="strategy=pbqp target=host io-layout=free verify-exactly=true" | npu-opt --npu-verify-layout="target=host"

// Costs are of pairs of ops: a copy of the sum for each of three convolutions
// is dearer than one of each of its operands. That one copy is for all three
// cannot be said.
// CHECK-LABEL: @three_readers
// CHECK-COUNT-2: npu.relayout
// CHECK-NOT: npu.relayout
// CHECK: npu.eltwise add{{.*}} -> tensor<1x8x6x6xf32, #npu.layout<acdb>>
// LEAST-LABEL: @three_readers
// LEAST: npu.eltwise add{{.*}} -> tensor<1x8x6x6xf32, #npu.layout<abcd>>
// LEAST: npu.relayout
// LEAST-NOT: npu.relayout
// LEAST: npu.conv2d
func.func @three_readers(%x: tensor<1x8x6x6xf32>, %y: tensor<1x8x6x6xf32>) -> (tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>) {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %s = npu.eltwise add(%x, %y) : (tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  %0 = npu.conv2d(%s, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x6x6xf32>
  %1 = npu.conv2d(%s, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x6x6xf32>
  %2 = npu.conv2d(%s, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x6x6xf32>
  return %0, %1, %2 : tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>
}

// Where each value has one reader it is the least: the pooled image is moved,
// not the large one.
// CHECK-LABEL: @pooled
// CHECK: npu.relayout(%arg0)
// CHECK: npu.max_pool{{.*}} -> tensor<2x8x1x1xf32, #npu.layout<{{.*}}>>
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @pooled(%x: tensor<2x8x6x6xf32>) -> tensor<2x8x1x1xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.max_pool(%0) {dilations = [1, 1], kernel = [6, 6], pads = [0, 0, 0, 0], strides = [6, 6]} : (tensor<2x8x6x6xf32>) -> tensor<2x8x1x1xf32>
  return %1 : tensor<2x8x1x1xf32>
}
