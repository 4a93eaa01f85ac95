// RUN: npu-opt %s --npu-fold-layout="target=npu-nhwc" | FileCheck %s
// RUN: npu-opt %s --npu-fold-layout="target=npu-nhwc" --npu-fold-layout="target=npu-nhwc" | FileCheck %s

// An inverse pair around an op that takes any order goes.
// CHECK-LABEL: @through
// CHECK-NOT: npu.relayout
// CHECK: npu.eltwise relu({{.*}}) : (tensor<2x4x8x8xf32, #npu.layout<acdb>>)
// CHECK-NOT: npu.relayout
func.func @through(%x: tensor<2x4x8x8xf32, #npu.layout<acdb>>) -> tensor<2x4x8x8xf32, #npu.layout<acdb>> {
  %0 = npu.relayout(%x) : (tensor<2x4x8x8xf32, #npu.layout<acdb>>) -> tensor<2x4x8x8xf32, #npu.layout<abcd>>
  %1 = npu.eltwise relu(%0) : (tensor<2x4x8x8xf32, #npu.layout<abcd>>) -> tensor<2x4x8x8xf32, #npu.layout<abcd>>
  %2 = npu.relayout(%1) : (tensor<2x4x8x8xf32, #npu.layout<abcd>>) -> tensor<2x4x8x8xf32, #npu.layout<acdb>>
  return %2 : tensor<2x4x8x8xf32, #npu.layout<acdb>>
}

// A chain becomes one, duplicates become one.
// CHECK-LABEL: @chain
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[A:.*]] = npu.relayout(%[[X]]) : {{.*}} -> tensor<2x4x8x8xf32, #npu.layout<dcba>>
// CHECK-NOT: npu.relayout
// CHECK: return %[[A]], %[[A]]
func.func @chain(%x: tensor<2x4x8x8xf32, #npu.layout<acdb>>) -> (tensor<2x4x8x8xf32, #npu.layout<dcba>>, tensor<2x4x8x8xf32, #npu.layout<dcba>>) {
  %0 = npu.relayout(%x) : (tensor<2x4x8x8xf32, #npu.layout<acdb>>) -> tensor<2x4x8x8xf32, #npu.layout<abcd>>
  %1 = npu.relayout(%0) : (tensor<2x4x8x8xf32, #npu.layout<abcd>>) -> tensor<2x4x8x8xf32, #npu.layout<dcba>>
  %2 = npu.relayout(%x) : (tensor<2x4x8x8xf32, #npu.layout<acdb>>) -> tensor<2x4x8x8xf32, #npu.layout<dcba>>
  return %1, %2 : tensor<2x4x8x8xf32, #npu.layout<dcba>>, tensor<2x4x8x8xf32, #npu.layout<dcba>>
}

// Two relayouts before an op become one behind it; a constant costs nothing.
// CHECK-LABEL: @sink
// CHECK-NOT: npu.relayout
// CHECK: npu.eltwise add
// CHECK: npu.relayout
// CHECK-NOT: npu.relayout
func.func @sink(%x: tensor<2x4x8x8xf32, #npu.layout<acdb>>, %y: tensor<2x4x8x8xf32, #npu.layout<acdb>>) -> tensor<2x4x8x8xf32, #npu.layout<abcd>> {
  %c = npu.constant dense<1.0> : tensor<2x4x8x8xf32> -> tensor<2x4x8x8xf32, #npu.layout<abcd>>
  %0 = npu.relayout(%x) : (tensor<2x4x8x8xf32, #npu.layout<acdb>>) -> tensor<2x4x8x8xf32, #npu.layout<abcd>>
  %1 = npu.relayout(%y) : (tensor<2x4x8x8xf32, #npu.layout<acdb>>) -> tensor<2x4x8x8xf32, #npu.layout<abcd>>
  %2 = npu.eltwise add(%0, %1) : (tensor<2x4x8x8xf32, #npu.layout<abcd>>, tensor<2x4x8x8xf32, #npu.layout<abcd>>) -> tensor<2x4x8x8xf32, #npu.layout<abcd>>
  %3 = npu.eltwise mul(%2, %c) : (tensor<2x4x8x8xf32, #npu.layout<abcd>>, tensor<2x4x8x8xf32, #npu.layout<abcd>>) -> tensor<2x4x8x8xf32, #npu.layout<abcd>>
  return %3 : tensor<2x4x8x8xf32, #npu.layout<abcd>>
}

// A relayout and the model's own inverse Transpose are one view.
// CHECK-LABEL: @transpose
// CHECK-NOT: npu.relayout
// CHECK: npu.transpose({{.*}}) {permutation = [0, 2, 3, 1]} : (tensor<2x4x8x8xf32, #npu.layout<acdb>>) -> tensor<2x8x8x4xf32, #npu.layout<abcd>>
// CHECK-NOT: npu.relayout
func.func @transpose(%x: tensor<2x4x8x8xf32, #npu.layout<acdb>>) -> tensor<2x8x8x4xf32, #npu.layout<abcd>> {
  %0 = npu.relayout(%x) : (tensor<2x4x8x8xf32, #npu.layout<acdb>>) -> tensor<2x4x8x8xf32, #npu.layout<abcd>>
  %1 = npu.transpose(%0) {permutation = [0, 2, 3, 1]} : (tensor<2x4x8x8xf32, #npu.layout<abcd>>) -> tensor<2x8x8x4xf32, #npu.layout<abcd>>
  return %1 : tensor<2x8x8x4xf32, #npu.layout<abcd>>
}

// A relayout moves to the smaller side of an op.
// CHECK-LABEL: @smaller
// CHECK: npu.resize
// CHECK-SAME: (tensor<1x4x8x8xf32, #npu.layout<abcd>>) -> tensor<1x4x16x16xf32, #npu.layout<abcd>>
// CHECK-NOT: npu.relayout
func.func @smaller(%x: tensor<1x4x8x8xf32, #npu.layout<acdb>>) -> tensor<1x4x16x16xf32, #npu.layout<abcd>> {
  %0 = npu.resize(%x) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0, 2.0]} : (tensor<1x4x8x8xf32, #npu.layout<acdb>>) -> tensor<1x4x16x16xf32, #npu.layout<acdb>>
  %1 = npu.relayout(%0) : (tensor<1x4x16x16xf32, #npu.layout<acdb>>) -> tensor<1x4x16x16xf32, #npu.layout<abcd>>
  return %1 : tensor<1x4x16x16xf32, #npu.layout<abcd>>
}

// A convolution is left as it was decided.
// CHECK-LABEL: @heavy
// CHECK-COUNT-2: npu.relayout
// CHECK-NOT: npu.relayout
func.func @heavy(%x: tensor<2x8x6x6xf32, #npu.layout<abcd>>) -> tensor<2x8x6x6xf32, #npu.layout<abcd>> {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32, #npu.layout<cdab>>
  %0 = npu.relayout(%x) : (tensor<2x8x6x6xf32, #npu.layout<abcd>>) -> tensor<2x8x6x6xf32, #npu.layout<acdb>>
  %1 = npu.conv2d(%0, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32, #npu.layout<acdb>>, tensor<8x8x1x1xf32, #npu.layout<cdab>>) -> tensor<2x8x6x6xf32, #npu.layout<acdb>>
  %2 = npu.relayout(%1) : (tensor<2x8x6x6xf32, #npu.layout<acdb>>) -> tensor<2x8x6x6xf32, #npu.layout<abcd>>
  return %2 : tensor<2x8x6x6xf32, #npu.layout<abcd>>
}

// A row of two and its padding are stored alike in both spellings, but only one
// says whose padding goes with the result's. The relayout, which moves nothing,
// keeps it for the reader.
// CHECK-LABEL: @whose_padding
// CHECK: %[[R:.*]] = npu.relayout({{.*}}) : (tensor<1x2xf32, #npu.layout<AB8a2b>>) -> tensor<1x2xf32, #npu.layout<Ba8b2b>>
// CHECK: npu.concat(%[[R]], %[[R]])
func.func @whose_padding(%x: tensor<1x2xf32, #npu.layout<AB8a2b>>) -> tensor<2x2xf32, #npu.layout<Ba8b2b>> {
  %0 = npu.relayout(%x) : (tensor<1x2xf32, #npu.layout<AB8a2b>>) -> tensor<1x2xf32, #npu.layout<Ba8b2b>>
  %1 = npu.concat(%0, %0) {axis = 0 : i64} : (tensor<1x2xf32, #npu.layout<Ba8b2b>>, tensor<1x2xf32, #npu.layout<Ba8b2b>>) -> tensor<2x2xf32, #npu.layout<Ba8b2b>>
  return %1 : tensor<2x2xf32, #npu.layout<Ba8b2b>>
}
