// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/energy-in-tiles.yaml --io-layout=y2=dcba --seed=31057216

// Of an op no way was left with which a plan could be cheaper than the best:
// that is a proof, and the search read states of an op without ways.
module {
  func.func @main(%arg0: tensor<1x4x3x8xf32> {npu.name = "x0"}, %arg1: tensor<3x4x2x2xf32> {npu.name = "x1"}, %arg2: tensor<1x3x4x9xf32> {npu.name = "x3"}) -> (tensor<3x3x1x1x1xf32> {npu.name = "y0"}, tensor<1x3x4x9xf32> {npu.name = "y1"}, tensor<1x3x4x5xf32> {npu.name = "y2"}) {
    %0 = npu.constant dense<5.000000e-01> : tensor<3xf32> -> tensor<3xf32>
    %1 = npu.conv_transpose2d(%arg0, %arg1, %0) {dilations = [1, 1], groups = 1 : i64, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x3x8xf32>, tensor<3x4x2x2xf32>, tensor<3xf32>) -> tensor<1x3x4x9xf32>
    %2 = npu.constant dense<5.000000e-01> : tensor<9x5xf32> -> tensor<9x5xf32>
    %3 = npu.matmul(%arg2, %2) : (tensor<1x3x4x9xf32>, tensor<9x5xf32>) -> tensor<1x3x4x5xf32>
    %4 = npu.rotate(%arg2) {axes = [1, 2], turns = 2 : i64} : (tensor<1x3x4x9xf32>) -> tensor<1x3x4x9xf32>
    %5 = npu.eltwise less(%4, %arg2) : (tensor<1x3x4x9xf32>, tensor<1x3x4x9xf32>) -> tensor<1x3x4x9xi1>
    %6 = npu.eltwise select(%5, %4, %1) : (tensor<1x3x4x9xi1>, tensor<1x3x4x9xf32>, tensor<1x3x4x9xf32>) -> tensor<1x3x4x9xf32>
    %7 = npu.constant dense<5.000000e-01> : tensor<4x1xf32> -> tensor<4x1xf32>
    %8 = npu.constant dense<3.000000e+00> : tensor<f32> -> tensor<f32>
    %9 = npu.eltwise relu(%4) : (tensor<1x3x4x9xf32>) -> tensor<1x3x4x9xf32>
    %10 = npu.eltwise add(%9, %8) : (tensor<1x3x4x9xf32>, tensor<f32>) -> tensor<1x3x4x9xf32>
    %11 = npu.eltwise cast(%10) : (tensor<1x3x4x9xf32>) -> tensor<1x3x4x9xui8>
    %12 = npu.eltwise cast(%11) : (tensor<1x3x4x9xui8>) -> tensor<1x3x4x9xf32>
    %13 = npu.eltwise add(%12, %8) : (tensor<1x3x4x9xf32>, tensor<f32>) -> tensor<1x3x4x9xf32>
    %14 = npu.eltwise add(%13, %7) : (tensor<1x3x4x9xf32>, tensor<4x1xf32>) -> tensor<1x3x4x9xf32>
    %15 = npu.conv_bpw(%14, %14) {dilations = [1, 1], groups = 1 : i64, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x3x4x9xf32>, tensor<1x3x4x9xf32>) -> tensor<3x3x1x1xf32>
    %16 = npu.reshape(%15) : (tensor<3x3x1x1xf32>) -> tensor<3x3x1x1x1xf32>
    return %16, %6, %3 : tensor<3x3x1x1x1xf32>, tensor<1x3x4x9xf32>, tensor<1x3x4x5xf32>
  }
}
