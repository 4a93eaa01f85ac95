// RUN: npu-opt %s --npu-find-best-layout="target=npu-nchw16c" -o %t.once.mlir
// RUN: FileCheck %s < %t.once.mlir
// RUN: npu-opt %t.once.mlir --npu-find-best-layout="target=npu-nchw16c" | diff %t.once.mlir -
// RUN: npu-opt %s --npu-find-best-layout="target=npu-nchw" | FileCheck %s --check-prefix=NONE

// A demand that is not met makes the convolution's layouts another's; the
// elementwise op runs in any, so nothing is noted.
// CHECK-LABEL: @conv
// CHECK: npu.conv2d{{.*}}npu.best_layouts = [#npu.layout<aBcd16b>, #npu.layout<Abcd16a>, #npu.layout<aBcd16b>]
// CHECK-SAME: : (tensor<1x16x8x8xf32, #npu.layout<abcd>>, tensor<16x16x1x1xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
// CHECK: npu.eltwise relu
// CHECK-NOT: npu.best_layouts
// NONE-NOT: npu.best_layouts
func.func @conv(%x: tensor<1x16x8x8xf32, #npu.layout<abcd>>, %w: tensor<16x16x1x1xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>> {
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x16x8x8xf32, #npu.layout<abcd>>, tensor<16x16x1x1xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
  %1 = npu.eltwise relu(%0) : (tensor<1x16x8x8xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
  return %1 : tensor<1x16x8x8xf32, #npu.layout<abcd>>
}
