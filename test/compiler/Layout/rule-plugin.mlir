// RUN: npu-opt %s --load-pass-plugin=%build/lib/rule-plugin.so --npu-assign-layout="strategy=convert target=host" | FileCheck %s
// RUN: npu-opt %s --npu-assign-layout="strategy=convert target=host" | FileCheck %s --check-prefix=ALONE
// RUN: npu-opt %s --plugin=%build/lib/rule-plugin.so --npu-assign-layout="strategy=convert target=host" | FileCheck %s

// A plugin's rule wants blocks for 16 channels, and has no opinion of 4; who
// loads no plugin gets none.
// CHECK-LABEL: @blocks
// CHECK: npu.conv2d({{.*}}#npu.layout<aBcd16b>
// CHECK-LABEL: @plain
// CHECK-NOT: aBcd16b
// ALONE-LABEL: @blocks
// ALONE-NOT: aBcd16b
func.func @blocks(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32> {
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32>
  return %0 : tensor<1x16x8x8xf32>
}

func.func @plain(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32> {
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}
