// RUN: npu-opt %s --npu-sink-resizes | FileCheck %s

// The example of the pass's description, with more channels.
// CHECK-LABEL: @example
// CHECK-SAME: (%[[A:.*]]: tensor<1x16x8x8xf32>, %[[B:.*]]: tensor<1x1x16x16xf32>)
// CHECK-DAG: %[[W:.*]] = npu.constant dense<2.000000e+00> : tensor<1x16x1x1xf32>
// CHECK-DAG: %[[V:.*]] = npu.constant dense<2.000000e+00> : tensor<1x1x1x1xf32>
// CHECK-DAG: %[[BIAS:.*]] = npu.constant dense<3.000000e+00>
// CHECK-DAG: %[[SMALL:.*]] = npu.conv2d(%[[A]], %[[W]]) {{.*}} -> tensor<1x1x8x8xf32>
// CHECK-DAG: %[[LARGE:.*]] = npu.resize(%[[SMALL]]) {{.*}} -> tensor<1x1x16x16xf32>
// CHECK-DAG: %[[SKIP:.*]] = npu.conv2d(%[[B]], %[[V]], %[[BIAS]])
// CHECK: %[[SUM:.*]] = npu.eltwise add(%[[SKIP]], %[[LARGE]])
// CHECK-NEXT: return %[[SUM]]
func.func @example(%a: tensor<1x16x8x8xf32>, %b: tensor<1x1x16x16xf32>) -> tensor<1x1x16x16xf32> {
  %w = npu.constant dense<2.0> : tensor<1x17x1x1xf32> -> tensor<1x17x1x1xf32>
  %c = npu.constant dense<3.0> : tensor<1xf32> -> tensor<1xf32>
  %0 = npu.resize(%a) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0, 2.0]} : (tensor<1x16x8x8xf32>) -> tensor<1x16x16x16xf32>
  %1 = npu.concat(%0, %b) {axis = 1 : i64} : (tensor<1x16x16x16xf32>, tensor<1x1x16x16xf32>) -> tensor<1x17x16x16xf32>
  %2 = npu.conv2d(%1, %w, %c) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x17x16x16xf32>, tensor<1x17x1x1xf32>, tensor<1xf32>) -> tensor<1x1x16x16xf32>
  return %2 : tensor<1x1x16x16xf32>
}

// Weights follow the channels that they meet; what is not resized is one concat
// and one product, though a resize lies between.
// CHECK-LABEL: @between
// CHECK-SAME: (%[[A:.*]]: tensor<1x1x128xf32>, %[[B:.*]]: tensor<1x16x64xf32>, %[[C:.*]]: tensor<1x2x128xf32>)
// CHECK-DAG: %[[V:.*]] = npu.constant dense<{{\[\[}}[1.000000e+00], [1.800000e+01], [1.900000e+01]]]>
// CHECK-DAG: npu.constant dense<{{\[\[}}[2.000000e+00], [3.000000e+00], {{.*}} [1.700000e+01]]]>
// CHECK-DAG: %[[REST:.*]] = npu.concat(%[[A]], %[[C]]) {{.*}} -> tensor<1x3x128xf32>
// CHECK-DAG: npu.conv1d(%[[REST]], %[[V]])
// CHECK-DAG: npu.conv1d(%[[B]],
// CHECK: return
func.func @between(%a: tensor<1x1x128xf32>, %b: tensor<1x16x64xf32>, %c: tensor<1x2x128xf32>) -> tensor<1x1x128xf32> {
  %w = npu.constant dense<[[[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0], [9.0], [10.0], [11.0], [12.0], [13.0], [14.0], [15.0], [16.0], [17.0], [18.0], [19.0]]]> : tensor<1x19x1xf32> -> tensor<1x19x1xf32>
  %0 = npu.resize(%b) {coordinates = #npu.resize_coordinates<half_pixel>, mode = #npu.resize_mode<linear>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0]} : (tensor<1x16x64xf32>) -> tensor<1x16x128xf32>
  %1 = npu.concat(%a, %0, %c) {axis = 1 : i64} : (tensor<1x1x128xf32>, tensor<1x16x128xf32>, tensor<1x2x128xf32>) -> tensor<1x19x128xf32>
  %2 = npu.conv1d(%1, %w) {dilations = [1], groups = 1, pads = [0, 0], strides = [1]} : (tensor<1x19x128xf32>, tensor<1x19x1xf32>) -> tensor<1x1x128xf32>
  return %2 : tensor<1x1x128xf32>
}

// All are resized, of volumes: the bias goes in front of one resize.
// CHECK-LABEL: @all
// CHECK-NOT: npu.concat
// CHECK-DAG: npu.conv3d(%arg0, %{{[^,]*}}, %{{[^,]*}}) {{.*}} -> tensor<1x1x4x4x4xf32>
// CHECK-DAG: npu.conv3d(%arg1, %{{[^,]*}}) {{.*}} -> tensor<1x1x2x8x8xf32>
// CHECK-DAG: npu.resize({{.*}} : (tensor<1x1x4x4x4xf32>) -> tensor<1x1x8x8x8xf32>
// CHECK-DAG: npu.resize({{.*}} : (tensor<1x1x2x8x8xf32>) -> tensor<1x1x8x8x8xf32>
// CHECK: npu.eltwise add
// CHECK-NEXT: npu.eltwise relu
func.func @all(%a: tensor<1x16x4x4x4xf32>, %b: tensor<1x16x2x8x8xf32>) -> tensor<1x1x8x8x8xf32> {
  %w = npu.constant dense<2.0> : tensor<1x32x1x1x1xf32> -> tensor<1x32x1x1x1xf32>
  %c = npu.constant dense<3.0> : tensor<1xf32> -> tensor<1xf32>
  %0 = npu.resize(%a) {coordinates = #npu.resize_coordinates<align_corners>, mode = #npu.resize_mode<cubic>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0, 2.0, 2.0]} : (tensor<1x16x4x4x4xf32>) -> tensor<1x16x8x8x8xf32>
  %1 = npu.resize(%b) {coordinates = #npu.resize_coordinates<half_pixel>, mode = #npu.resize_mode<linear>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 4.0, 1.0, 1.0]} : (tensor<1x16x2x8x8xf32>) -> tensor<1x16x8x8x8xf32>
  %2 = npu.concat(%0, %1) {axis = 1 : i64} : (tensor<1x16x8x8x8xf32>, tensor<1x16x8x8x8xf32>) -> tensor<1x32x8x8x8xf32>
  %3 = npu.conv3d(%2, %w, %c) {dilations = [1, 1, 1], groups = 1, pads = [0, 0, 0, 0, 0, 0], strides = [1, 1, 1]} : (tensor<1x32x8x8x8xf32>, tensor<1x32x1x1x1xf32>, tensor<1xf32>) -> tensor<1x1x8x8x8xf32>
  %4 = npu.eltwise relu(%3) : (tensor<1x1x8x8x8xf32>) -> tensor<1x1x8x8x8xf32>
  return %4 : tensor<1x1x8x8x8xf32>
}

// Without a concat, as DPT has it: what a residual adds is another kernel's.
// CHECK-LABEL: @alone
// CHECK: %[[SMALL:.*]] = npu.conv2d(%arg0, %{{.*}}) {{.*}} -> tensor<1x2x8x8xf32>
// CHECK-NEXT: %[[LARGE:.*]] = npu.resize(%[[SMALL]])
// CHECK: npu.eltwise add(%{{.*}}, %[[LARGE]])
func.func @alone(%a: tensor<1x2x8x8xf32>, %b: tensor<1x2x16x16xf32>) -> tensor<1x2x16x16xf32> {
  %w = npu.constant dense<2.0> : tensor<2x2x1x1xf32> -> tensor<2x2x1x1xf32>
  %v = npu.constant dense<2.0> : tensor<2x2x3x3xf32> -> tensor<2x2x3x3xf32>
  %0 = npu.resize(%a) {coordinates = #npu.resize_coordinates<align_corners>, mode = #npu.resize_mode<linear>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0, 2.0]} : (tensor<1x2x8x8xf32>) -> tensor<1x2x16x16xf32>
  %1 = npu.conv2d(%0, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x16x16xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x16x16xf32>
  %2 = npu.conv2d(%b, %v) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x2x16x16xf32>, tensor<2x2x3x3xf32>) -> tensor<1x2x16x16xf32>
  %3 = npu.eltwise add(%2, %1) : (tensor<1x2x16x16xf32>, tensor<1x2x16x16xf32>) -> tensor<1x2x16x16xf32>
  return %3 : tensor<1x2x16x16xf32>
}

// Products by a matrix.
// CHECK-LABEL: @rows
// CHECK-NOT: npu.concat
// CHECK-DAG: npu.matmul(%arg0, %{{.*}}) : (tensor<1x8x8x16xf32>, tensor<16x2xf32>) -> tensor<1x8x8x2xf32>
// CHECK-DAG: npu.resize({{.*}} scales = [1.000000e+00, 2.000000e+00, 2.000000e+00, 1.000000e+00]{{.*}} -> tensor<1x16x16x2xf32>
// CHECK-DAG: npu.matmul(%arg1, %{{.*}}) : (tensor<1x16x16x3xf32>, tensor<3x2xf32>) -> tensor<1x16x16x2xf32>
// CHECK: npu.eltwise add
func.func @rows(%a: tensor<1x8x8x16xf32>, %b: tensor<1x16x16x3xf32>) -> tensor<1x16x16x2xf32> {
  %w = npu.constant dense<2.0> : tensor<19x2xf32> -> tensor<19x2xf32>
  %0 = npu.resize(%a) {coordinates = #npu.resize_coordinates<half_pixel>, mode = #npu.resize_mode<linear>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 2.0, 2.0, 1.0]} : (tensor<1x8x8x16xf32>) -> tensor<1x16x16x16xf32>
  %1 = npu.concat(%0, %b) {axis = 3 : i64} : (tensor<1x16x16x16xf32>, tensor<1x16x16x3xf32>) -> tensor<1x16x16x19xf32>
  %2 = npu.matmul(%1, %w) : (tensor<1x16x16x19xf32>, tensor<19x2xf32>) -> tensor<1x16x16x2xf32>
  return %2 : tensor<1x16x16x2xf32>
}

// A model with channels last transposes what the convolution reads: the resize
// behind it has the image where the convolution has it.
// CHECK-LABEL: @transposed
// CHECK-NOT: npu.concat
// CHECK-DAG: %[[A:.*]] = npu.transpose(%arg0) {{.*}} -> tensor<1x16x4x4xf32>
// CHECK-DAG: %[[SMALL:.*]] = npu.conv2d(%[[A]],
// CHECK-DAG: npu.resize(%[[SMALL]]) {{.*}} scales = [1.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00]{{.*}} -> tensor<1x2x8x12xf32>
// CHECK-DAG: npu.transpose(%arg1) {{.*}} -> tensor<1x3x8x12xf32>
// CHECK: npu.eltwise add
func.func @transposed(%a: tensor<1x4x4x16xf32>, %b: tensor<1x8x12x3xf32>) -> tensor<1x2x8x12xf32> {
  %w = npu.constant dense<2.0> : tensor<2x19x1x1xf32> -> tensor<2x19x1x1xf32>
  %0 = npu.resize(%a) {coordinates = #npu.resize_coordinates<half_pixel>, mode = #npu.resize_mode<linear>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 2.0, 3.0, 1.0]} : (tensor<1x4x4x16xf32>) -> tensor<1x8x12x16xf32>
  %1 = npu.concat(%0, %b) {axis = 3 : i64} : (tensor<1x8x12x16xf32>, tensor<1x8x12x3xf32>) -> tensor<1x8x12x19xf32>
  %2 = npu.transpose(%1) {permutation = [0, 3, 1, 2]} : (tensor<1x8x12x19xf32>) -> tensor<1x19x8x12xf32>
  %3 = npu.conv2d(%2, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x19x8x12xf32>, tensor<2x19x1x1xf32>) -> tensor<1x2x8x12xf32>
  return %3 : tensor<1x2x8x12xf32>
}

// Two readers, as YOLO's C3 has them, that make as many channels as there are.
// CHECK-LABEL: @two_readers
// CHECK-NOT: npu.concat
// CHECK-COUNT-2: npu.conv2d({{.*}} -> tensor<1x8x16x16xf32>
// CHECK-NOT: npu.conv2d({{.*}} -> tensor<1x8x16x16xf32>
// CHECK: return
func.func @two_readers(%a: tensor<1x16x8x8xf32>, %b: tensor<1x1x16x16xf32>) -> (tensor<1x8x16x16xf32>, tensor<1x8x16x16xf32>) {
  %w = npu.constant dense<2.0> : tensor<8x17x1x1xf32> -> tensor<8x17x1x1xf32>
  %v = npu.constant dense<3.0> : tensor<8x17x1x1xf32> -> tensor<8x17x1x1xf32>
  %0 = npu.resize(%a) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0, 2.0]} : (tensor<1x16x8x8xf32>) -> tensor<1x16x16x16xf32>
  %1 = npu.concat(%0, %b) {axis = 1 : i64} : (tensor<1x16x16x16xf32>, tensor<1x1x16x16xf32>) -> tensor<1x17x16x16xf32>
  %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x17x16x16xf32>, tensor<8x17x1x1xf32>) -> tensor<1x8x16x16xf32>
  %3 = npu.conv2d(%1, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x17x16x16xf32>, tensor<8x17x1x1xf32>) -> tensor<1x8x16x16xf32>
  return %2, %3 : tensor<1x8x16x16xf32>, tensor<1x8x16x16xf32>
}

// What stays as it is.

// A border of zeros is none of the resized image.
// CHECK-LABEL: @padding
// CHECK: npu.resize(%arg0)
// CHECK: npu.conv2d
// CHECK-NOT: npu.conv2d
// CHECK: return
func.func @padding(%a: tensor<1x16x8x8xf32>, %b: tensor<1x1x16x16xf32>) -> tensor<1x1x18x18xf32> {
  %w = npu.constant dense<2.0> : tensor<1x17x1x1xf32> -> tensor<1x17x1x1xf32>
  %0 = npu.resize(%a) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0, 2.0]} : (tensor<1x16x8x8xf32>) -> tensor<1x16x16x16xf32>
  %1 = npu.concat(%0, %b) {axis = 1 : i64} : (tensor<1x16x16x16xf32>, tensor<1x1x16x16xf32>) -> tensor<1x17x16x16xf32>
  %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x17x16x16xf32>, tensor<1x17x1x1xf32>) -> tensor<1x1x18x18xf32>
  return %2 : tensor<1x1x18x18xf32>
}

// Positions beside each other meet.
// CHECK-LABEL: @window
// CHECK: npu.resize(%arg0)
// CHECK: npu.conv2d
// CHECK-NOT: npu.conv2d
// CHECK: return
func.func @window(%a: tensor<1x16x8x8xf32>, %b: tensor<1x1x16x16xf32>) -> tensor<1x1x16x16xf32> {
  %w = npu.constant dense<2.0> : tensor<1x17x3x3xf32> -> tensor<1x17x3x3xf32>
  %0 = npu.resize(%a) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0, 2.0]} : (tensor<1x16x8x8xf32>) -> tensor<1x16x16x16xf32>
  %1 = npu.concat(%0, %b) {axis = 1 : i64} : (tensor<1x16x16x16xf32>, tensor<1x1x16x16xf32>) -> tensor<1x17x16x16xf32>
  %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x17x16x16xf32>, tensor<1x17x3x3xf32>) -> tensor<1x1x16x16xf32>
  return %2 : tensor<1x1x16x16xf32>
}

// Positions are left out.
// CHECK-LABEL: @strides
// CHECK: npu.resize(%arg0)
// CHECK: npu.conv2d
// CHECK-NOT: npu.conv2d
// CHECK: return
func.func @strides(%a: tensor<1x16x8x8xf32>, %b: tensor<1x1x16x16xf32>) -> tensor<1x1x8x8xf32> {
  %w = npu.constant dense<2.0> : tensor<1x17x1x1xf32> -> tensor<1x17x1x1xf32>
  %0 = npu.resize(%a) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0, 2.0]} : (tensor<1x16x8x8xf32>) -> tensor<1x16x16x16xf32>
  %1 = npu.concat(%0, %b) {axis = 1 : i64} : (tensor<1x16x16x16xf32>, tensor<1x1x16x16xf32>) -> tensor<1x17x16x16xf32>
  %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x17x16x16xf32>, tensor<1x17x1x1xf32>) -> tensor<1x1x8x8xf32>
  return %2 : tensor<1x1x8x8xf32>
}

// Channels in groups.
// CHECK-LABEL: @groups
// CHECK: npu.resize(%arg0)
// CHECK: npu.conv2d
// CHECK-NOT: npu.conv2d
// CHECK: return
func.func @groups(%a: tensor<1x16x8x8xf32>, %b: tensor<1x16x16x16xf32>) -> tensor<1x2x16x16xf32> {
  %w = npu.constant dense<2.0> : tensor<2x16x1x1xf32> -> tensor<2x16x1x1xf32>
  %0 = npu.resize(%a) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0, 2.0]} : (tensor<1x16x8x8xf32>) -> tensor<1x16x16x16xf32>
  %1 = npu.concat(%0, %b) {axis = 1 : i64} : (tensor<1x16x16x16xf32>, tensor<1x16x16x16xf32>) -> tensor<1x32x16x16xf32>
  %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 2, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x32x16x16xf32>, tensor<2x16x1x1xf32>) -> tensor<1x2x16x16xf32>
  return %2 : tensor<1x2x16x16xf32>
}

// The resized image is read elsewhere, too.
// CHECK-LABEL: @used_elsewhere
// CHECK: npu.resize(%arg0)
// CHECK: npu.conv2d
// CHECK-NOT: npu.conv2d
// CHECK: return
func.func @used_elsewhere(%a: tensor<1x16x8x8xf32>, %b: tensor<1x1x16x16xf32>) -> (tensor<1x1x16x16xf32>, tensor<1x16x16x16xf32>) {
  %w = npu.constant dense<2.0> : tensor<1x17x1x1xf32> -> tensor<1x17x1x1xf32>
  %0 = npu.resize(%a) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0, 2.0]} : (tensor<1x16x8x8xf32>) -> tensor<1x16x16x16xf32>
  %1 = npu.concat(%0, %b) {axis = 1 : i64} : (tensor<1x16x16x16xf32>, tensor<1x1x16x16xf32>) -> tensor<1x17x16x16xf32>
  %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x17x16x16xf32>, tensor<1x17x1x1xf32>) -> tensor<1x1x16x16xf32>
  return %2, %0 : tensor<1x1x16x16xf32>, tensor<1x16x16x16xf32>
}

// There are fewer positions behind the resize.
// CHECK-LABEL: @shrinks
// CHECK: npu.resize(%arg0)
// CHECK: npu.conv2d
// CHECK-NOT: npu.conv2d
// CHECK: return
func.func @shrinks(%a: tensor<1x16x32x32xf32>, %b: tensor<1x1x16x16xf32>) -> tensor<1x1x16x16xf32> {
  %w = npu.constant dense<2.0> : tensor<1x17x1x1xf32> -> tensor<1x17x1x1xf32>
  %0 = npu.resize(%a) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 0.5, 0.5]} : (tensor<1x16x32x32xf32>) -> tensor<1x16x16x16xf32>
  %1 = npu.concat(%0, %b) {axis = 1 : i64} : (tensor<1x16x16x16xf32>, tensor<1x1x16x16xf32>) -> tensor<1x17x16x16xf32>
  %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x17x16x16xf32>, tensor<1x17x1x1xf32>) -> tensor<1x1x16x16xf32>
  return %2 : tensor<1x1x16x16xf32>
}

// Channels are resized, too.
// CHECK-LABEL: @channels
// CHECK: npu.resize(%arg0)
// CHECK: npu.conv2d
// CHECK-NOT: npu.conv2d
// CHECK: return
func.func @channels(%a: tensor<1x8x8x8xf32>, %b: tensor<1x1x16x16xf32>) -> tensor<1x1x16x16xf32> {
  %w = npu.constant dense<2.0> : tensor<1x17x1x1xf32> -> tensor<1x17x1x1xf32>
  %0 = npu.resize(%a) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 2.0, 2.0, 2.0]} : (tensor<1x8x8x8xf32>) -> tensor<1x16x16x16xf32>
  %1 = npu.concat(%0, %b) {axis = 1 : i64} : (tensor<1x16x16x16xf32>, tensor<1x1x16x16xf32>) -> tensor<1x17x16x16xf32>
  %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x17x16x16xf32>, tensor<1x17x1x1xf32>) -> tensor<1x1x16x16xf32>
  return %2 : tensor<1x1x16x16xf32>
}

// A resize of many more channels.
// CHECK-LABEL: @many_results
// CHECK: npu.resize(%arg0)
// CHECK: npu.conv2d
// CHECK-NOT: npu.conv2d
// CHECK: return
func.func @many_results(%a: tensor<1x16x8x8xf32>, %b: tensor<1x1x16x16xf32>) -> tensor<1x33x16x16xf32> {
  %w = npu.constant dense<2.0> : tensor<33x17x1x1xf32> -> tensor<33x17x1x1xf32>
  %0 = npu.resize(%a) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0, 2.0]} : (tensor<1x16x8x8xf32>) -> tensor<1x16x16x16xf32>
  %1 = npu.concat(%0, %b) {axis = 1 : i64} : (tensor<1x16x16x16xf32>, tensor<1x1x16x16xf32>) -> tensor<1x17x16x16xf32>
  %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x17x16x16xf32>, tensor<33x17x1x1xf32>) -> tensor<1x33x16x16xf32>
  return %2 : tensor<1x33x16x16xf32>
}

// Too few channels.
// CHECK-LABEL: @few_channels
// CHECK: npu.resize(%arg0)
// CHECK: npu.conv2d
// CHECK-NOT: npu.conv2d
// CHECK: return
func.func @few_channels(%a: tensor<1x8x8x8xf32>, %b: tensor<1x1x16x16xf32>) -> tensor<1x1x16x16xf32> {
  %w = npu.constant dense<2.0> : tensor<1x9x1x1xf32> -> tensor<1x9x1x1xf32>
  %0 = npu.resize(%a) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0, 2.0]} : (tensor<1x8x8x8xf32>) -> tensor<1x8x16x16xf32>
  %1 = npu.concat(%0, %b) {axis = 1 : i64} : (tensor<1x8x16x16xf32>, tensor<1x1x16x16xf32>) -> tensor<1x9x16x16xf32>
  %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x9x16x16xf32>, tensor<1x9x1x1xf32>) -> tensor<1x1x16x16xf32>
  return %2 : tensor<1x1x16x16xf32>
}

// Weights that are no constant.
// CHECK-LABEL: @weights
// CHECK: npu.resize(%arg0)
// CHECK: npu.conv2d
// CHECK-NOT: npu.conv2d
// CHECK: return
func.func @weights(%a: tensor<1x16x8x8xf32>, %b: tensor<1x1x16x16xf32>, %w: tensor<1x17x1x1xf32>) -> tensor<1x1x16x16xf32> {
  %0 = npu.resize(%a) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0, 2.0]} : (tensor<1x16x8x8xf32>) -> tensor<1x16x16x16xf32>
  %1 = npu.concat(%0, %b) {axis = 1 : i64} : (tensor<1x16x16x16xf32>, tensor<1x1x16x16xf32>) -> tensor<1x17x16x16xf32>
  %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x17x16x16xf32>, tensor<1x17x1x1xf32>) -> tensor<1x1x16x16xf32>
  return %2 : tensor<1x1x16x16xf32>
}

// A concat of rows, not of channels.
// CHECK-LABEL: @rows_apart
// CHECK: npu.resize(%arg0)
// CHECK: npu.conv2d
// CHECK-NOT: npu.conv2d
// CHECK: return
func.func @rows_apart(%a: tensor<1x16x8x8xf32>, %b: tensor<1x16x1x16xf32>) -> tensor<1x1x17x16xf32> {
  %w = npu.constant dense<2.0> : tensor<1x16x1x1xf32> -> tensor<1x16x1x1xf32>
  %0 = npu.resize(%a) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0, 2.0]} : (tensor<1x16x8x8xf32>) -> tensor<1x16x16x16xf32>
  %1 = npu.concat(%0, %b) {axis = 2 : i64} : (tensor<1x16x16x16xf32>, tensor<1x16x1x16xf32>) -> tensor<1x16x17x16xf32>
  %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x16x17x16xf32>, tensor<1x16x1x1xf32>) -> tensor<1x1x17x16xf32>
  return %2 : tensor<1x1x17x16xf32>
}

// Bytes: each resized one is rounded.
// CHECK-LABEL: @bytes
// CHECK: npu.resize(%arg0)
// CHECK: npu.conv2d
// CHECK-NOT: npu.conv2d
// CHECK: return
func.func @bytes(%a: tensor<1x16x8x8xi8>, %b: tensor<1x1x16x16xi8>) -> tensor<1x1x16x16xi32> {
  %w = npu.constant dense<2> : tensor<1x17x1x1xi8> -> tensor<1x17x1x1xi8>
  %0 = npu.resize(%a) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0, 2.0]} : (tensor<1x16x8x8xi8>) -> tensor<1x16x16x16xi8>
  %1 = npu.concat(%0, %b) {axis = 1 : i64} : (tensor<1x16x16x16xi8>, tensor<1x1x16x16xi8>) -> tensor<1x17x16x16xi8>
  %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x17x16x16xi8>, tensor<1x17x1x1xi8>) -> tensor<1x1x16x16xi32>
  return %2 : tensor<1x1x16x16xi32>
}

// Functions of the results would be a kernel of their own.
// CHECK-LABEL: @functions
// CHECK: npu.resize(%arg0)
// CHECK-NEXT: npu.conv2d
// CHECK-NEXT: npu.eltwise relu
func.func @functions(%a: tensor<1x2x8x8xf32>) -> tensor<1x2x16x16xf32> {
  %w = npu.constant dense<2.0> : tensor<2x2x1x1xf32> -> tensor<2x2x1x1xf32>
  %0 = npu.resize(%a) {coordinates = #npu.resize_coordinates<align_corners>, mode = #npu.resize_mode<linear>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0, 2.0]} : (tensor<1x2x8x8xf32>) -> tensor<1x2x16x16xf32>
  %1 = npu.conv2d(%0, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x16x16xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x16x16xf32>
  %2 = npu.eltwise relu(%1) : (tensor<1x2x16x16xf32>) -> tensor<1x2x16x16xf32>
  return %2 : tensor<1x2x16x16xf32>
}

// One of the readers is no product: the concat would stay.
// CHECK-LABEL: @other_reader
// CHECK: npu.resize(%arg0)
// CHECK-NEXT: npu.concat
func.func @other_reader(%a: tensor<1x16x8x8xf32>, %b: tensor<1x1x16x16xf32>) -> (tensor<1x1x16x16xf32>, tensor<1x17x16x16xf32>) {
  %w = npu.constant dense<2.0> : tensor<1x17x1x1xf32> -> tensor<1x17x1x1xf32>
  %0 = npu.resize(%a) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0, 2.0]} : (tensor<1x16x8x8xf32>) -> tensor<1x16x16x16xf32>
  %1 = npu.concat(%0, %b) {axis = 1 : i64} : (tensor<1x16x16x16xf32>, tensor<1x1x16x16xf32>) -> tensor<1x17x16x16xf32>
  %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x17x16x16xf32>, tensor<1x17x1x1xf32>) -> tensor<1x1x16x16xf32>
  %3 = npu.eltwise relu(%1) : (tensor<1x17x16x16xf32>) -> tensor<1x17x16x16xf32>
  return %2, %3 : tensor<1x1x16x16xf32>, tensor<1x17x16x16xf32>
}

// Weights that something else reads would be stored twice.
// CHECK-LABEL: @shared_weights
// CHECK: npu.resize(%arg0)
// CHECK-NEXT: npu.concat
func.func @shared_weights(%a: tensor<1x16x8x8xf32>, %b: tensor<1x1x16x16xf32>, %c: tensor<1x17x16x16xf32>) -> (tensor<1x1x16x16xf32>, tensor<1x1x16x16xf32>) {
  %w = npu.constant dense<2.0> : tensor<1x17x1x1xf32> -> tensor<1x17x1x1xf32>
  %0 = npu.resize(%a) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0, 2.0]} : (tensor<1x16x8x8xf32>) -> tensor<1x16x16x16xf32>
  %1 = npu.concat(%0, %b) {axis = 1 : i64} : (tensor<1x16x16x16xf32>, tensor<1x1x16x16xf32>) -> tensor<1x17x16x16xf32>
  %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x17x16x16xf32>, tensor<1x17x1x1xf32>) -> tensor<1x1x16x16xf32>
  %3 = npu.conv2d(%c, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x17x16x16xf32>, tensor<1x17x1x1xf32>) -> tensor<1x1x16x16xf32>
  return %2, %3 : tensor<1x1x16x16xf32>, tensor<1x1x16x16xf32>
}
