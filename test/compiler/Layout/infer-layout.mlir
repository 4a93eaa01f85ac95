// RUN: npu-opt %s --npu-infer-layout -o %t.once.mlir
// RUN: FileCheck %s < %t.once.mlir
// RUN: npu-opt %t.once.mlir --npu-infer-layout | diff %t.once.mlir -
// RUN: npu-opt %s -verify-diagnostics --npu-infer-layout=show-names=true -o /dev/null

// The second operand of the broadcast comes out as HW, because its shape is
// known.
// CHECK-LABEL: @broadcast_add
// CHECK-SAME: tensor<224x224xf32, #npu.layout<ab>>
func.func @broadcast_add(%x: tensor<1x3x224x224xf32, #npu.layout<abcd>>, %y: tensor<224x224xf32>) -> (tensor<1x3x112x112xf32>, tensor<1x3x224x224xf32>) {
  // expected-remark @+1 {{reads NCHW, HW; gives NCHW}}
  %0 = npu.eltwise add(%x, %y) : (tensor<1x3x224x224xf32, #npu.layout<abcd>>, tensor<224x224xf32>) -> tensor<1x3x224x224xf32>
  // expected-remark @+1 {{reads NCHW; gives NCHW}}
  %1 = npu.max_pool(%0) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x3x224x224xf32>) -> tensor<1x3x112x112xf32>
  return %1, %0 : tensor<1x3x112x112xf32>, tensor<1x3x224x224xf32>
}

// In another order it comes out as WH.
// CHECK-LABEL: @other_order
// CHECK-SAME: tensor<5x6xf32, #npu.layout<ba>>
// CHECK: -> tensor<1x3x5x6xf32, #npu.layout<adcb>>
func.func @other_order(%x: tensor<1x3x5x6xf32, #npu.layout<adcb>>, %y: tensor<5x6xf32>) -> tensor<1x3x5x6xf32> {
  // expected-remark @+1 {{reads adcb, ba; gives adcb}}
  %0 = npu.eltwise add(%x, %y) : (tensor<1x3x5x6xf32, #npu.layout<adcb>>, tensor<5x6xf32>) -> tensor<1x3x5x6xf32>
  return %0 : tensor<1x3x5x6xf32>
}

// Backward from a decided result, through a view; row-major where nothing
// tells.
// CHECK-LABEL: @backward
// CHECK-SAME: %{{[^:]*}}: tensor<1x5x6x3xf32, #npu.layout<abcd>>
// CHECK-SAME: %{{[^:]*}}: tensor<7x9xf32, #npu.layout<ab>>
func.func @backward(%x: tensor<1x5x6x3xf32>, %y: tensor<7x9xf32>) -> (tensor<1x3x5x6xf32, #npu.layout<acdb>>, tensor<7x9xf32>) {
  // expected-remark @+1 {{reads abcd; gives acdb}}
  %0 = npu.transpose(%x) {permutation = [0, 3, 1, 2]} : (tensor<1x5x6x3xf32>) -> tensor<1x3x5x6xf32>
  // expected-remark @+1 {{reads acdb; gives acdb}}
  %1 = npu.eltwise relu(%0) : (tensor<1x3x5x6xf32>) -> tensor<1x3x5x6xf32, #npu.layout<acdb>>
  // expected-remark @+1 {{reads ab; gives ab}}
  %2 = npu.eltwise relu(%y) : (tensor<7x9xf32>) -> tensor<7x9xf32>
  return %1, %2 : tensor<1x3x5x6xf32, #npu.layout<acdb>>, tensor<7x9xf32>
}

// A reshape that mixes channels with space cannot pass a channels-last order
// on: the one place where a relayout stands.
// CHECK-LABEL: @refused
// CHECK: %[[R:.*]] = npu.relayout{{.*}} -> tensor<1x3x5x6xf32, #npu.layout<abcd>>
// CHECK: npu.reshape(%[[R]]) : {{.*}} -> tensor<1x90xf32, #npu.layout<ab>>
func.func @refused(%x: tensor<1x3x5x6xf32, #npu.layout<acdb>>) -> tensor<1x90xf32> {
  // expected-remark @+2 {{reads acdb; gives abcd}}
  // expected-remark @+1 {{reads abcd; gives ab}}
  %0 = npu.reshape(%x) : (tensor<1x3x5x6xf32, #npu.layout<acdb>>) -> tensor<1x90xf32>
  return %0 : tensor<1x90xf32>
}

// Where the boundary knows the axes, no convolution need stand there.
// CHECK-LABEL: @named_boundary
func.func @named_boundary(%x: tensor<1x3x5x6xf32> {npu.axes = "NCHW"}, %y: tensor<5x6xf32>) -> tensor<1x3x5x6xf32> {
  // expected-remark @+1 {{reads NCHW, HW; gives NCHW}}
  %0 = npu.eltwise add(%x, %y) : (tensor<1x3x5x6xf32>, tensor<5x6xf32>) -> tensor<1x3x5x6xf32>
  return %0 : tensor<1x3x5x6xf32>
}
