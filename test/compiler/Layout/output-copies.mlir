// RUN: npu-opt %s --split-input-file --npu-assign-layout="strategy=optimal target=npu-nhwc verify-exactly=true" | FileCheck %s
// RUN: npu-opt %s --split-input-file --npu-assign-layout="strategy=naive target=npu-nhwc verify-exactly=true" | FileCheck %s

// An output has memory of its own. Where it would else be that of an input, of
// a constant or of another output, a copy is an op before layouts are decided;
// where something has to move in any case, there is none.

// CHECK-LABEL: @a_view_of_an_input
// CHECK-NEXT: %[[VIEW:.*]] = npu.reshape(%arg0) : (tensor<2x3xf32
// CHECK-NEXT: %[[COPY:.*]] = npu.reshape(%[[VIEW]]) {npu.copies}
// CHECK-NEXT: return %[[COPY]]
func.func @a_view_of_an_input(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  %0 = npu.reshape(%x) : (tensor<2x3xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

// CHECK-LABEL: @an_input
// CHECK-NEXT: %[[Y:.*]] = npu.eltwise relu
// CHECK-NEXT: %[[COPY:.*]] = npu.reshape(%arg0) {npu.copies}
// CHECK-NEXT: return %[[Y]], %[[COPY]]
func.func @an_input(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = npu.eltwise relu(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %x : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// CHECK-LABEL: @what_moves_is_no_view
// CHECK-NOT: npu.copies
// CHECK: return
func.func @what_moves_is_no_view(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = npu.transpose(%x) {permutation = [1, 0]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

// CHECK-LABEL: @a_constant
// CHECK: npu.reshape(%{{.*}}) {npu.copies}
// CHECK-NEXT: return
func.func @a_constant(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = npu.constant dense<[1.0, 2.0]> : tensor<2xf32> -> tensor<2xf32>
  %1 = npu.eltwise relu(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %1, %0 : tensor<2xf32>, tensor<2xf32>
}

// -----

// Transposed, it is another memory than as it is.
// CHECK-LABEL: @twice
// CHECK: %[[Y:.*]] = npu.eltwise relu
// CHECK: %[[COPY:.*]] = npu.reshape(%[[Y]]) {npu.copies}
// CHECK-NOT: npu.copies
// CHECK: return %[[Y]], %[[COPY]], %{{.*}}
func.func @twice(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x2xf32>) {
  %0 = npu.eltwise relu(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = npu.transpose(%0) {permutation = [1, 0]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0, %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x2xf32>
}

// -----

// CHECK-LABEL: @nothing
// CHECK-NOT: npu.copies
// CHECK: return
func.func @nothing(%x: tensor<0x3xf32>) -> (tensor<0x3xf32>, tensor<0x3xf32>) {
  %0 = npu.eltwise relu(%x) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  return %0, %x : tensor<0x3xf32>, tensor<0x3xf32>
}
