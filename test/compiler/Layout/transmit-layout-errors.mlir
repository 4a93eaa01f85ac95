// RUN: npu-opt %s -split-input-file -verify-diagnostics --npu-transmit-layout="default-colour=red"
// RUN: not npu-opt %s --npu-assign-layout="strategy=preset default-colour=NHXC" 2>&1 | FileCheck %s
// CHECK: --default-colour: 'NHXC' is no colour, expected tensor or the axes of an image, such as NCHW

// expected-error @+1 {{--default-colour: 'red' is no colour}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
