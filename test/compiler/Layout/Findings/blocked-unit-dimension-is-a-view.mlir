// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/some-demands.yaml --io-layout=fixed
// RUN: npu-opt %s --npu-assign-layout="strategy=optimal objective=count target=%S/../Inputs/some-demands.yaml" --npu-report-layout="target=%S/../Inputs/some-demands.yaml" 2>&1 >/dev/null | FileCheck %s

// The search knew that a reshape which only adds a unit dimension is free on a
// blocked layout; the cost function did not, and the report had one more.
// CHECK: main: 1 relayout, 192 bytes
func.func @main(%x: tensor<24x1xf32> {npu.name = "x0"}, %y: tensor<24x1xf32> {npu.name = "x2"}, %w: tensor<24x1x3xf32> {npu.name = "x1"}) -> (tensor<24x24x1xf32> {npu.name = "y0"}) {
  %0 = npu.reshape(%x) : (tensor<24x1xf32>) -> tensor<24x1x1xf32>
  %1 = npu.eltwise add(%0, %y) : (tensor<24x1x1xf32>, tensor<24x1xf32>) -> tensor<24x24x1xf32>
  %2 = npu.conv1d(%1, %w) {dilations = [1], groups = 24 : i64, pads = [1, 1], strides = [1]} : (tensor<24x24x1xf32>, tensor<24x1x3xf32>) -> tensor<24x24x1xf32>
  return %2 : tensor<24x24x1xf32>
}
