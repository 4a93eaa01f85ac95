// A wrong answer of a plugin ends npu-opt as it ends npuc: an error that names the plugin, and no output.
//
// RUN: rm -f %t.mlir
// RUN: not npu-opt %s --plugin=%build/test/plugin/cost.so --npu-assign-layout="target=npu-nchw" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=COST
// RUN: not npu-opt %s --plugin=%build/test/plugin/status.so --npu-assign-layout="target=npu-nchw" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=STATUS
// RUN: not npu-opt %s --plugin=%build/test/plugin/relation.so --npu-assign-layout="target=npu-nhwc" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=RELATION
// RUN: not npu-opt %s --plugin=%build/test/plugin/infer.so -o %t.mlir 2>&1 | FileCheck %s --check-prefix=INFER
// RUN: not ls %t.mlir
//
// COST: npu-opt: error: plugin demo 1.0: kernel 'rows': query gave a cost of nan cycles, expected a finite number
// STATUS: npu-opt: error: plugin demo 1.0: kernel 'rows': query ended with status 3
// RELATION: npu-opt: error: plugin demo 1.0: op 'scale': relate gave two dimensions of a value the number
// INFER: npu-opt: error: plugin demo 1.0: op 'scale': infer gave a result of rank 99

func.func @main(%x: tensor<1x4x10x10xf32>) -> tensor<1x8x10x10xf32> {
  %w = npu.constant dense<1.0> : tensor<8x4x3x3xf32> -> tensor<8x4x3x3xf32>
  %s = npu.constant dense<2.0> : tensor<8xf32> -> tensor<8xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1 : i64, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x4x10x10xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x10x10xf32>
  %1 = npu.custom(%0, %s) {function = "scale", parameters = {axis = array<i64: 1>}, plugin = "demo", version = "1.0"} : (tensor<1x8x10x10xf32>, tensor<8xf32>) -> tensor<1x8x10x10xf32>
  return %1 : tensor<1x8x10x10xf32>
}
