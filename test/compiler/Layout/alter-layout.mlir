// RUN: npu-opt %s --npu-alter-layout -o %t.once.mlir
// RUN: FileCheck %s < %t.once.mlir
// RUN: npu-opt %t.once.mlir --npu-alter-layout | diff %t.once.mlir -

// A convolution becomes a set of ops; outside, nothing changes.
// CHECK-LABEL: @conv
// CHECK-NOT: npu.best_layouts
// CHECK: %[[X:.*]] = npu.relayout(%{{.*}}) : {{.*}} -> tensor<1x16x8x8xf32, #npu.layout<aBcd16b>>
// CHECK: %[[W:.*]] = npu.relayout(%{{.*}}) : {{.*}} -> tensor<16x16x1x1xf32, #npu.layout<Abcd16a>>
// CHECK: %[[Y:.*]] = npu.conv2d(%[[X]], %[[W]])
// CHECK: %[[Z:.*]] = npu.relayout(%[[Y]]) : {{.*}} -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
// CHECK: npu.eltwise relu(%[[Z]])
func.func @conv(%x: tensor<1x16x8x8xf32, #npu.layout<abcd>>, %w: tensor<16x16x1x1xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>> {
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, npu.best_layouts = [#npu.layout<aBcd16b>, #npu.layout<Abcd16a>, #npu.layout<aBcd16b>], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x16x8x8xf32, #npu.layout<abcd>>, tensor<16x16x1x1xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
  %1 = npu.eltwise relu(%0) : (tensor<1x16x8x8xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
  return %1 : tensor<1x16x8x8xf32, #npu.layout<abcd>>
}

// Inside a fused kernel the layouts follow.
// CHECK-LABEL: @fused
// CHECK: npu.fused
// CHECK: ^bb0(%{{.*}}: tensor<1x16x8x8xf32, #npu.layout<acdb>>)
// CHECK: npu.eltwise relu({{.*}} -> tensor<1x16x8x8xf32, #npu.layout<acdb>>
func.func @fused(%x: tensor<1x16x8x8xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>> {
  %0 = npu.fused(%x) {npu.best_layouts = [#npu.layout<acdb>, #npu.layout<acdb>]} : (tensor<1x16x8x8xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>> {
  ^bb0(%a: tensor<1x16x8x8xf32, #npu.layout<abcd>>):
    %1 = npu.eltwise relu(%a) : (tensor<1x16x8x8xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
    %2 = npu.eltwise tanh(%1) : (tensor<1x16x8x8xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
    npu.yield %2 : tensor<1x16x8x8xf32, #npu.layout<abcd>>
  }
  return %0 : tensor<1x16x8x8xf32, #npu.layout<abcd>>
}
