// RUN: npu-opt %s --npu-share-equal --mlir-print-debuginfo | FileCheck %s

// The example of the pass's description; the op is that of both nodes.
// CHECK-LABEL: @example
// CHECK: %[[C:.*]] = npu.eltwise cos(%{{.*}}) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc(#[[BOTH:.*]])
// CHECK-NEXT: npu.eltwise add(%[[C]], %[[C]])
func.func @example(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = npu.eltwise cos(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("Cos 'a'")
  %1 = npu.eltwise cos(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("Cos 'b'")
  %2 = npu.eltwise add(%0, %1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// What is made of equal values is equal, constants among them.
// CHECK-LABEL: @chains
// CHECK: npu.constant
// CHECK-NOT: npu.constant
// CHECK: npu.eltwise mul
// CHECK-NOT: npu.eltwise mul
// CHECK: npu.eltwise sin
// CHECK-NOT: npu.eltwise sin
// CHECK: return %[[S:[^,]*]], %[[S]] :
func.func @chains(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %a = npu.constant dense<2.0> : tensor<8xf32> -> tensor<8xf32>
  %0 = npu.eltwise mul(%x, %a) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %1 = npu.eltwise sin(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = npu.constant dense<2.0> : tensor<8xf32> -> tensor<8xf32>
  %2 = npu.eltwise mul(%x, %b) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %3 = npu.eltwise sin(%2) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1, %3 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Another attribute is another op.
// CHECK-LABEL: @attributes
// CHECK-COUNT-2: npu.softmax
// CHECK-NOT: npu.softmax
func.func @attributes(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = npu.softmax(%x) {axis = 0 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = npu.softmax(%x) {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = npu.eltwise add(%0, %1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// CHECK: #[[A:.*]] = loc("Cos 'a'")
// CHECK: #[[B:.*]] = loc("Cos 'b'")
// CHECK: #[[BOTH]] = loc(fused[#[[A]], #[[B]]])
