// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/pool-axes.yaml --io-layout=fixed,x0=bcda,y0=dcba,y1=cbda --seed=1
// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/pool-axes.yaml --io-layout=fixed,x0=bcda,y0=dcba,y1=cbda --seed=2

// The image axes of the operands come from the pooling. Folding asked them of
// relayouts that it had just made, got none, and took the demand for void.
func.func @main(%x: tensor<4x2x5x8xf32> {npu.name = "x0"}) -> (tensor<4x2x4x7xf32> {npu.name = "y0"}, tensor<4x2x5x8xf32> {npu.name = "y1"}) {
  %0 = npu.eltwise relu(%x) : (tensor<4x2x5x8xf32>) -> tensor<4x2x5x8xf32>
  %1 = npu.eltwise add(%0, %x) : (tensor<4x2x5x8xf32>, tensor<4x2x5x8xf32>) -> tensor<4x2x5x8xf32>
  %2 = npu.eltwise relu(%1) : (tensor<4x2x5x8xf32>) -> tensor<4x2x5x8xf32>
  %3 = npu.max_pool(%0) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<4x2x5x8xf32>) -> tensor<4x2x4x7xf32>
  return %3, %2 : tensor<4x2x4x7xf32>, tensor<4x2x5x8xf32>
}
