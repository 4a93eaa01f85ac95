// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/blocks-or-channels-last.yaml --io-layout=fixed,x0=NWC,y0=abc --seed=106977

// none stored the constant in the first layout that the target lists (blocks),
// beside a row-major result.
func.func @main(%arg0: tensor<8x2x1xf32> {npu.name = "x0"}) -> (tensor<8x2x1xf32> {npu.name = "y0"}) {
  %0 = npu.max_pool(%arg0) {dilations = [1], kernel = [1], pads = [0, 0], strides = [2]} : (tensor<8x2x1xf32>) -> tensor<8x2x1xf32>
  %1 = npu.constant dense<[[[1.380000e-01], [9.160000e-01]], [[3.860000e-01], [-7.700000e-02]], [[0.745999991], [4.610000e-01]], [[6.220000e-01], [-6.600000e-01]], [[-8.600000e-01], [2.410000e-01]], [[-6.100000e-02], [3.270000e-01]], [[9.340000e-01], [7.860000e-01]], [[8.820000e-01], [0.714999973]]]> : tensor<8x2x1xf32> -> tensor<8x2x1xf32>
  %2 = npu.eltwise less(%arg0, %1) : (tensor<8x2x1xf32>, tensor<8x2x1xf32>) -> tensor<8x2x1xi1>
  %3 = npu.eltwise select(%2, %arg0, %0) : (tensor<8x2x1xi1>, tensor<8x2x1xf32>, tensor<8x2x1xf32>) -> tensor<8x2x1xf32>
  return %3 : tensor<8x2x1xf32>
}
