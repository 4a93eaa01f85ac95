// RUN: npu-opt %s --npu-report-layout="target=npu-nchw" 2>&1 >/dev/null | FileCheck %s

// The relayout stands in front of a reshape that would pass the order on: the
// demand behind it is the cause.
// CHECK: behind_a_view: 2 relayouts
// CHECK-NEXT: relayout of result of transpose: acbd to abcd
// CHECK-NEXT: because MatMul 'm' (matmul) on npu-nchw demands abc for its a, behind Squeeze 's' (reshape)
func.func @behind_a_view(%x: tensor<1x8x4x6xf32, #npu.layout<abcd>>, %y: tensor<4x8x6xf32, #npu.layout<abc>>) -> tensor<4x8x8xf32, #npu.layout<abc>> {
  %0 = npu.transpose(%x) {permutation = [0, 2, 1, 3]} : (tensor<1x8x4x6xf32, #npu.layout<abcd>>) -> tensor<1x4x8x6xf32, #npu.layout<acbd>>
  %1 = npu.relayout(%0) : (tensor<1x4x8x6xf32, #npu.layout<acbd>>) -> tensor<1x4x8x6xf32, #npu.layout<abcd>>
  %2 = npu.reshape(%1) : (tensor<1x4x8x6xf32, #npu.layout<abcd>>) -> tensor<4x8x6xf32, #npu.layout<abc>> loc("Squeeze 's'")
  %3 = npu.transpose(%y) {permutation = [0, 2, 1]} : (tensor<4x8x6xf32, #npu.layout<abc>>) -> tensor<4x6x8xf32, #npu.layout<acb>>
  %4 = npu.relayout(%3) : (tensor<4x6x8xf32, #npu.layout<acb>>) -> tensor<4x6x8xf32, #npu.layout<abc>>
  %5 = npu.matmul(%2, %4) : (tensor<4x8x6xf32, #npu.layout<abc>>, tensor<4x6x8xf32, #npu.layout<abc>>) -> tensor<4x8x8xf32, #npu.layout<abc>> loc("MatMul 'm'")
  return %5 : tensor<4x8x8xf32, #npu.layout<abc>>
}
