// RUN: npu-opt %s --npu-assign-layout="io-layout=x=NHWC,y=free target=npu-nchw verify-exactly=true" --npu-report-layout="target=npu-nchw" | FileCheck %s
// RUN: npu-opt %s --npu-assign-layout="io-layout=x=NHWC target=npu-nchw" --npu-report-layout="target=npu-nchw" 2>&1 >/dev/null | FileCheck %s --check-prefix=REPORT

// No op knows which dimension is the channel; a layout in image axes tells.
// CHECK: npu.axes = "NCHW"
// CHECK: npu.eltwise add({{.*}}tensor<1x3x5x6xf32, #npu.layout<acdb>>
// REPORT: NHWC to NCHW
func.func @shapes_alone(%x: tensor<1x3x5x6xf32> {npu.name = "x"}, %z: tensor<5x6xf32> {npu.name = "z"}) -> (tensor<1x3x5x6xf32> {npu.name = "y"}) {
  %0 = npu.eltwise add(%x, %z) : (tensor<1x3x5x6xf32>, tensor<5x6xf32>) -> tensor<1x3x5x6xf32>
  return %0 : tensor<1x3x5x6xf32>
}

// A weight that is a result, too: whoever names an image layout means an image.
// CHECK-LABEL: @weight_and_image
// CHECK: return {{.*}} #npu.layout<acdb>>
func.func @weight_and_image(%x: tensor<2x3x3x3xf32> {npu.name = "w"}, %z: tensor<1x3x5x6xf32> {npu.name = "z"}) -> (tensor<2x3x3x3xf32> {npu.name = "x"}, tensor<1x2x3x4xf32> {npu.name = "y"}) {
  %0 = npu.eltwise relu(%x) : (tensor<2x3x3x3xf32>) -> tensor<2x3x3x3xf32>
  %1 = npu.conv2d(%z, %x) {dilations = [1, 1], groups = 1 : i64, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x3x5x6xf32>, tensor<2x3x3x3xf32>) -> tensor<1x2x3x4xf32>
  return %0, %1 : tensor<2x3x3x3xf32>, tensor<1x2x3x4xf32>
}
