// Resizing: a kernel where npu.resize has the same coordinates, else gathers and weights.
// RUN: tosa-import %s | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.transpose(%[[X0]]) {permutation = [0, 3, 1, 2]} : {{.*}} -> tensor<1x3x6x8xf32>
// CHECK-NEXT: %[[V1:.*]] = npu.resize(%[[V0]]) {coordinates = #npu.resize_coordinates<half_pixel>, mode = #npu.resize_mode<linear>, nearest = #npu.resize_nearest<floor>, scales = [1.000000e+00, 1.000000e+00, 2.000000e+00, 2.000000e+00]} : {{.*}} -> tensor<1x3x12x16xf32>
// CHECK-NEXT: %[[V2:.*]] = npu.transpose(%[[V1]]) {permutation = [0, 2, 3, 1]} : {{.*}} -> tensor<1x12x16x3xf32>
// CHECK-NEXT: return %[[V2]]
func.func @f(%x: tensor<1x6x8x3xf32>) -> tensor<1x12x16x3xf32> {
  %s = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[-1, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %y = tosa.resize %x, %s, %o, %b {mode = BILINEAR} : (tensor<1x6x8x3xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x12x16x3xf32>
  return %y : tensor<1x12x16x3xf32>
}

// -----
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.constant dense<[0, 0, 1, 1]>{{.*}} -> tensor<4xi64>
// CHECK-NEXT: %[[V1:.*]] = npu.gather(%[[X0]], %[[V0]]) {axis = 1 : i64} : {{.*}} -> tensor<1x4x2x3xi8>
// CHECK-NEXT: %[[V2:.*]] = npu.constant dense<[0, 0, 1, 1]>{{.*}} -> tensor<4xi64>
// CHECK-NEXT: %[[V3:.*]] = npu.gather(%[[V1]], %[[V2]]) {axis = 2 : i64} : {{.*}} -> tensor<1x4x4x3xi8>
// CHECK-NEXT: return %[[V3]]
func.func @f(%x: tensor<1x2x2x3xi8>) -> tensor<1x4x4x3xi8> {
  %s = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[-1, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %y = tosa.resize %x, %s, %o, %b {mode = NEAREST_NEIGHBOR} : (tensor<1x2x2x3xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x4x4x3xi8>
  return %y : tensor<1x4x4x3xi8>
}

// -----
// Integers stay in units of the scale: sums are exact.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.eltwise cast(%[[X0]]) : {{.*}} -> tensor<1x2x1x3xi32>
// CHECK-NEXT: %[[V1:.*]] = npu.constant dense<[0, 0, 1]>{{.*}} -> tensor<3xi64>
// CHECK-NEXT: %[[V2:.*]] = npu.gather(%[[V0]], %[[V1]]) {axis = 1 : i64} : {{.*}} -> tensor<1x3x1x3xi32>
// CHECK-NEXT: %[[V3:.*]] = npu.constant dense<{{\[\[\[}}4]], {{\[\[}}2]], {{\[\[}}4]]]>{{.*}} -> tensor<3x1x1xi32>
// CHECK-NEXT: %[[V4:.*]] = npu.eltwise mul(%[[V2]], %[[V3]]) : {{.*}} -> tensor<1x3x1x3xi32>
// CHECK-NEXT: %[[V5:.*]] = npu.constant dense<1>{{.*}} -> tensor<3xi64>
// CHECK-NEXT: %[[V6:.*]] = npu.gather(%[[V0]], %[[V5]]) {axis = 1 : i64} : {{.*}} -> tensor<1x3x1x3xi32>
// CHECK-NEXT: %[[V7:.*]] = npu.constant dense<{{\[\[\[}}0]], {{\[\[}}2]], {{\[\[}}0]]]>{{.*}} -> tensor<3x1x1xi32>
// CHECK-NEXT: %[[V8:.*]] = npu.eltwise mul(%[[V6]], %[[V7]]) : {{.*}} -> tensor<1x3x1x3xi32>
// CHECK-NEXT: %[[V9:.*]] = npu.eltwise add(%[[V4]], %[[V8]]) : {{.*}} -> tensor<1x3x1x3xi32>
// CHECK-NEXT: %[[V10:.*]] = npu.constant dense<1>{{.*}} -> tensor<1x1xi32>
// CHECK-NEXT: %[[V11:.*]] = npu.eltwise mul(%[[V9]], %[[V10]]) : {{.*}} -> tensor<1x3x1x3xi32>
// CHECK-NEXT: %[[V12:.*]] = npu.constant dense<0>{{.*}} -> tensor<1x1xi32>
// CHECK-NEXT: %[[V13:.*]] = npu.eltwise mul(%[[V9]], %[[V12]]) : {{.*}} -> tensor<1x3x1x3xi32>
// CHECK-NEXT: %[[V14:.*]] = npu.eltwise add(%[[V11]], %[[V13]]) : {{.*}} -> tensor<1x3x1x3xi32>
// CHECK-NEXT: return %[[V14]]
func.func @f(%x: tensor<1x2x1x3xi8>) -> tensor<1x3x1x3xi32> {
  %s = tosa.const_shape {values = dense<[4, 2, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %y = tosa.resize %x, %s, %o, %b {mode = BILINEAR} : (tensor<1x2x1x3xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x3x1x3xi32>
  return %y : tensor<1x3x1x3xi32>
}
