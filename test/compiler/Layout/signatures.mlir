// RUN: npu-opt %s --npu-assign-layout="strategy=optimal objective=time target=%S/Inputs/signatures.yaml verify-exactly=true" | FileCheck %s

// The picture is read as it is and becomes blocks in the first layer, at 1.2
// times; the second runs in blocks, at half the time.
// CHECK-LABEL: @first_layer
// CHECK-NOT: npu.relayout
// CHECK: npu.conv2d{{.*}}<acdb>>, tensor<64x3x3x3xf32, #npu.layout<cdab>>) -> tensor<1x64x30x30xf32, #npu.layout<aBcd32b>>
// CHECK: npu.conv2d{{.*}}<aBcd32b>>, tensor<64x64x3x3xf32, #npu.layout<ABcd32b32a>>) -> tensor<1x64x28x28xf32, #npu.layout<aBcd32b>>
// CHECK-NOT: npu.conv2d
// CHECK: npu.relayout
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @first_layer(%x: tensor<1x32x32x3xf32>) -> tensor<1x64x28x28xf32> {
  %w = npu.constant dense<0.1> : tensor<64x3x3x3xf32> -> tensor<64x3x3x3xf32>
  %v = npu.constant dense<0.1> : tensor<64x64x3x3xf32> -> tensor<64x64x3x3xf32>
  %0 = npu.transpose(%x) {permutation = [0, 3, 1, 2]} : (tensor<1x32x32x3xf32>) -> tensor<1x3x32x32xf32>
  %1 = npu.conv2d(%0, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x3x32x32xf32>, tensor<64x3x3x3xf32>) -> tensor<1x64x30x30xf32>
  %2 = npu.conv2d(%1, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x64x30x30xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x28x28xf32>
  return %2 : tensor<1x64x28x28xf32>
}

// Each of the layouts is listed, but none that reads blocks and writes channels
// last: the data or the result is moved.
// CHECK-LABEL: @no_mix
// CHECK: npu.relayout
// CHECK-NOT: npu.conv2d{{.*}}<aBcd32b>>, {{.*}} -> tensor<1x64x8x8xf32, #npu.layout<acdb>>
// CHECK: return
func.func @no_mix(%x: tensor<1x64x8x8xf32, #npu.layout<aBcd32b>>) -> tensor<1x8x8x64xf32> {
  %w = npu.constant dense<0.1> : tensor<64x64x1x1xf32> -> tensor<64x64x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x64x8x8xf32, #npu.layout<aBcd32b>>, tensor<64x64x1x1xf32>) -> tensor<1x64x8x8xf32>
  %1 = npu.transpose(%0) {permutation = [0, 2, 3, 1]} : (tensor<1x64x8x8xf32>) -> tensor<1x8x8x64xf32>
  return %1 : tensor<1x8x8x64xf32>
}

// Each entry for reshapes speaks of other values than these for one of its
// roles, and so demands nothing of it: the pair is the first's.
// CHECK-LABEL: @of_no_rank
// CHECK: npu.reshape(%{{.*}}) : (tensor<3xf32, #npu.layout<a>>) -> tensor<1x3xf32, #npu.layout<ab>>
// CHECK: return
func.func @of_no_rank(%x: tensor<3xf32>) -> tensor<1x3xf32> {
  %0 = npu.reshape(%x) : (tensor<3xf32>) -> tensor<1x3xf32>
  return %0 : tensor<1x3xf32>
}
