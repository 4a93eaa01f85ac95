// RUN: npu-opt %s --npu-fuse | FileCheck %s
// CHECK: npu.fused
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c = npu.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32> -> tensor<8xf32>
  %0 = npu.eltwise relu(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = npu.eltwise mul(%0, %c) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
