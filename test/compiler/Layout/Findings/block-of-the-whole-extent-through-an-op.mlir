// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/pairs-of-channels.yaml --io-layout=y2=NCHW4c

// Two channels in blocks of two are read and four in blocks of four are given:
// both lie channels last, so they go together, and one relayout will do. The
// search compared the blocks as they are written, and found two.
module {
  func.func @main(%arg0: tensor<3x2x2x3xf32> {npu.name = "x3"}) -> (tensor<3x4x1x2xf32> {npu.name = "y2"}) {
    %0 = npu.img2col(%arg0) {dilations = [1, 1], kernel = [2, 1], pads = [0, 0, 1, 0], strides = [2, 2]} : (tensor<3x2x2x3xf32>) -> tensor<3x4x1x2xf32>
    return %0 : tensor<3x4x1x2xf32>
  }
}