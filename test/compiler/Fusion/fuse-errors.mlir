// RUN: npu-opt %s -verify-diagnostics --npu-fuse="layouts=blocked"

// expected-error @+1 {{npu-fuse: unknown order 'blocked', expected channels-last or row-major}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
