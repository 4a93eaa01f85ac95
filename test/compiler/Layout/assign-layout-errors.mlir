// RUN: npu-opt %s -split-input-file -verify-diagnostics --npu-assign-layout="strategy=none target=npu-nhwc"
// RUN: sed -n '/func.func @demand/,/^}/p' %s > %t.mlir
// RUN: not npu-opt %t.mlir --npu-assign-layout="strategy=best" 2>&1 | FileCheck %s --check-prefix=STRATEGY
// RUN: not npu-opt %t.mlir --npu-assign-layout="target=npu-9000" 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not npu-opt %t.mlir --npu-assign-layout="objective=power" 2>&1 | FileCheck %s --check-prefix=OBJECTIVE
// RUN: not npu-opt %t.mlir --npu-assign-layout="io-layout=loose" 2>&1 | FileCheck %s --check-prefix=IO
// RUN: not npu-opt %t.mlir --npu-assign-layout="io-layout=z=NHWC" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not npu-opt %t.mlir --npu-assign-layout="io-layout=x=NDHWC" 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not npu-opt %t.mlir --npu-assign-layout="io-layout=x=NHXC" 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not npu-opt %t.mlir --npu-assign-layout="io-layout=x=NHWC,x=NCHW" 2>&1 | FileCheck %s --check-prefix=TWICE
// OBJECTIVE: unknown objective 'power', expected one of: count, bytes, time
// STRATEGY: unknown layout strategy 'best', expected one of: none, naive, auto-nhwc, convert, preset, alter, smartmem, pbqp, optimal
// TARGET: target 'npu-9000' is neither a file nor a shipped target, which are: host, npu-ethos-u55, npu-nc1hwc0, npu-nc1hwc2, npu-nchw, npu-nchw16c, npu-nhwc, npu-packs, npu-sticks, npu-tiles
// IO: --io-layout: 'loose' is neither fixed, free nor NAME=LAYOUT
// NAME: --io-layout: the model has no input or output 'z'; it has 'x'
// RANK: --io-layout: NDHWC does not fit 'x' of rank 4
// TEXT: --io-layout: 'NHXC' is not a layout
// TWICE: --io-layout: 'x' has two layouts

// A plan that breaks a demand is infeasible: the op and the demand are named.
func.func @demand(%x: tensor<2x8x6x6xf32> {npu.name = "x"}) -> tensor<2x8x6x6xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x3x3xf32> -> tensor<8x8x3x3xf32>
  // expected-error @+1 {{infeasible: target 'npu-nhwc' demands NHWC (acdb) for its data, found abcd}}
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x3x3xf32>) -> tensor<2x8x6x6xf32>
  return %0 : tensor<2x8x6x6xf32>
}

// -----

// expected-error @+1 {{has 0 blocks, the layout stage takes one}}
func.func private @external(tensor<4xf32>)

// -----

// expected-error @+1 {{has an argument of type 'i32', expected a tensor with at most 8 dimensions}}
func.func @number(%x: i32) {
  return
}

// -----

func.func @foreign(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{does not know layouts; only npu ops may reach the layout stage}}
  %0 = "func.call"(%x) <{callee = @foreign}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
