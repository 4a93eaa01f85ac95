// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/padded-blocks.yaml --io-layout=fixed --seed=1218
// RUN: npu-opt %s --npu-assign-layout="strategy=optimal target=%S/../Inputs/padded-blocks.yaml io-layout=fixed" | FileCheck %s

// Copies were priced straight from the producer and started from the nearest
// copy afterwards: a plan that is dearer straight, but has the nearer copies,
// was missed.
// CHECK: %[[COPY:.*]] = npu.relayout(%arg0) : {{.*}} -> {{.*}}<acdb>
// CHECK: npu.relayout(%[[COPY]]) : {{.*}} -> {{.*}}<aBcd4b>
module {
  func.func @main(%arg0: tensor<1x8x4x1xf32> {npu.name = "x0"}, %arg1: tensor<1x8x3x3xf32> {npu.name = "x1"}) -> (tensor<1x3x1x8x12x1xf32> {npu.name = "y0"}, tensor<1x1x4x1xf32> {npu.name = "y1"}, tensor<1x10x4x1xf32> {npu.name = "y2"}) {
    %0 = npu.concat(%arg0, %arg0, %arg0) {axis = 2 : i64} : (tensor<1x8x4x1xf32>, tensor<1x8x4x1xf32>, tensor<1x8x4x1xf32>) -> tensor<1x8x12x1xf32>
    %1 = npu.pad(%arg0) {mode = #npu.pad_mode<constant>, pads = [0, 1, 0, 0, 0, 1, 0, 0]} : (tensor<1x8x4x1xf32>) -> tensor<1x10x4x1xf32>
    %2 = npu.conv2d(%arg0, %arg1) {dilations = [1, 1], groups = 1 : i64, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x8x4x1xf32>, tensor<1x8x3x3xf32>) -> tensor<1x1x4x1xf32>
    %3 = npu.broadcast(%0) : (tensor<1x8x12x1xf32>) -> tensor<1x3x1x8x12x1xf32>
    return %3, %2, %1 : tensor<1x3x1x8x12x1xf32>, tensor<1x1x4x1xf32>, tensor<1x10x4x1xf32>
  }
}
