// Ops that move elements.
// RUN: tosa-import %s | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}, %[[X1:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.concat(%[[X0]], %[[X1]]) {axis = 1 : i64} : {{.*}} -> tensor<2x4xf32>
// CHECK-NEXT: return %[[V0]]
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x1xf32>) -> tensor<2x4xf32> {
  %z = tosa.concat %x, %y {axis = 1 : i32} : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// -----
// TOSA's padding is (before, after) for each dimension.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.pad(%[[X0]]) {mode = #npu.pad_mode<constant>, pads = [0, 2, 1, 1], value = 9.000000e+00 : f64} : {{.*}} -> tensor<3x6xi8>
// CHECK-NEXT: return %[[V0]]
func.func @f(%x: tensor<2x3xi8>) -> tensor<3x6xi8> {
  %p = tosa.const_shape {values = dense<[0, 1, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %v = "tosa.const"() {values = dense<9> : tensor<1xi8>} : () -> tensor<1xi8>
  %y = tosa.pad %x, %p, %v : (tensor<2x3xi8>, !tosa.shape<4>, tensor<1xi8>) -> tensor<3x6xi8>
  return %y : tensor<3x6xi8>
}

// -----
// One size may be open.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.reshape(%[[X0]]) : {{.*}} -> tensor<2x12xf32>
// CHECK-NEXT: return %[[V0]]
func.func @f(%x: tensor<?x3x4xf32>) -> tensor<?x12xf32> {
  %s = tosa.const_shape {values = dense<[-1, 12]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %y = tosa.reshape %x, %s : (tensor<?x3x4xf32>, !tosa.shape<2>) -> tensor<?x12xf32>
  return %y : tensor<?x12xf32>
}

// -----
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.slice(%[[X0]]) {starts = [0, 2], steps = [1, -1]} : {{.*}} -> tensor<2x3xf32>
// CHECK-NEXT: return %[[V0]]
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = tosa.reverse %x {axis = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.slice(%[[X0]]) {starts = [1, 2], steps = [1, 1]} : {{.*}} -> tensor<2x3xf32>
// CHECK-NEXT: return %[[V0]]
func.func @f(%x: tensor<4x5xf32>) -> tensor<2x3xf32> {
  %a = tosa.const_shape {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %n = tosa.const_shape {values = dense<[2, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %y = tosa.slice %x, %a, %n : (tensor<4x5xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.reshape(%[[X0]]) : {{.*}} -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[V1:.*]] = npu.broadcast(%[[V0]]) : {{.*}} -> tensor<2x3x3xf32>
// CHECK-NEXT: %[[V2:.*]] = npu.reshape(%[[V1]]) : {{.*}} -> tensor<2x9xf32>
// CHECK-NEXT: return %[[V2]]
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x9xf32> {
  %n = tosa.const_shape {values = dense<[1, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %y = tosa.tile %x, %n : (tensor<2x3xf32>, !tosa.shape<2>) -> tensor<2x9xf32>
  return %y : tensor<2x9xf32>
}

// -----
// identity is nothing.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.transpose(%[[X0]]) {permutation = [2, 0, 1]} : {{.*}} -> tensor<4x2x3xf32>
// CHECK-NEXT: return %[[V0]]
func.func @f(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %y = tosa.transpose %x {perms = array<i32: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %z = tosa.identity %y : (tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
  return %z : tensor<4x2x3xf32>
}

// -----
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}, %[[X1:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.reshape(%[[X1]]) : {{.*}} -> tensor<2x5x1xi32>
// CHECK-NEXT: %[[V1:.*]] = npu.gather_nd(%[[X0]], %[[V0]]) {batch_dims = 1 : i64} : {{.*}} -> tensor<2x5x4xf32>
// CHECK-NEXT: return %[[V1]]
func.func @f(%x: tensor<2x3x4xf32>, %i: tensor<2x5xi32>) -> tensor<2x5x4xf32> {
  %y = tosa.gather %x, %i : (tensor<2x3x4xf32>, tensor<2x5xi32>) -> tensor<2x5x4xf32>
  return %y : tensor<2x5x4xf32>
}

// -----
// npu.scatter_nd wants the batch as an index, too.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X0:.*]]: {{.*}}, %[[X1:.*]]: {{.*}}, %[[X2:.*]]: {{.*}}
// CHECK-NEXT: %[[V0:.*]] = npu.constant dense<{{\[\[\[}}0]], {{\[\[}}1]]]>{{.*}} -> tensor<2x1x1xi32>
// CHECK-NEXT: %[[V1:.*]] = npu.reshape(%[[X1]]) : {{.*}} -> tensor<2x1x1xi32>
// CHECK-NEXT: %[[V2:.*]] = npu.concat(%[[V0]], %[[V1]]) {axis = 2 : i64} : {{.*}} -> tensor<2x1x2xi32>
// CHECK-NEXT: %[[V3:.*]] = npu.scatter_nd(%[[X0]], %[[V2]], %[[X2]]) {reduction = #npu.scatter_reduction<none>} : {{.*}} -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V3]]
func.func @f(%x: tensor<2x3x4xf32>, %i: tensor<2x1xi32>, %u: tensor<2x1x4xf32>) -> tensor<2x3x4xf32> {
  %y = tosa.scatter %x, %i, %u : (tensor<2x3x4xf32>, tensor<2x1xi32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}
