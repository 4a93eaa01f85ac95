// RUN: npu-opt %s -split-input-file -verify-diagnostics --npu-find-best-layout
// RUN: not npu-opt %s -split-input-file --npu-find-best-layout="target=npu-9000" 2>&1 | FileCheck %s
// CHECK: target 'npu-9000' is neither a file nor a shipped target

// expected-error @+1 {{has an argument without a layout}}
func.func @undecided(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
