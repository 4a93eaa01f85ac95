// RUN: npu-opt %s --npu-assign-layout="strategy=convert target=host desired-layouts=conv2d:NHWC:OIHW verify-exactly=true" --npu-report-layout="target=host" -o %t 2>&1 | FileCheck %s

// The ops that stop a conversion are named.
// CHECK: flatten: {{[0-9]}} relayouts
// CHECK: the_reshape (reshape) stops the conversion: {{.+}}
func.func @flatten(%x: tensor<1x8x6x6xf32> {npu.name = "x"}) -> tensor<1x4xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %m = npu.constant dense<1.0> : tensor<288x4xf32> -> tensor<288x4xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x6x6xf32>
  %1 = npu.reshape(%0) : (tensor<1x8x6x6xf32>) -> tensor<1x288xf32> loc("the_reshape")
  %2 = npu.matmul(%1, %m) : (tensor<1x288xf32>, tensor<288x4xf32>) -> tensor<1x4xf32>
  return %2 : tensor<1x4xf32>
}
