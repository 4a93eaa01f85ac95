// RUN: not npu-opt %s --npu-fuse="target=npu-none" 2>&1 | FileCheck %s

// CHECK: target 'npu-none'
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
