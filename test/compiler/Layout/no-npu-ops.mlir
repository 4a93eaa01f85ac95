// A function without an op of the dialect, whose layouts are of it all the same.
// RUN: npu-opt %s --npu-assign-layout="strategy=naive" | FileCheck %s
// RUN: npu-opt %s --npu-infer-layout | FileCheck %s
// RUN: npu-opt %s --npu-transmit-layout --npu-preset-layout | FileCheck %s

// CHECK: func.func @main(%{{.*}}: tensor<4xf32, #npu.layout<a>>)
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
