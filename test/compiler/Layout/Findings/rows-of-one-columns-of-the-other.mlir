// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/products-in-blocks.yaml --io-layout=fixed --seed=6

// A target asks for the product's operands, not for its result: the rows lie as
// one has them, the columns as the other. Each by itself left the other's in no
// blocks, and `naive` refused.
func.func @main(%arg0: tensor<2x2xf32> {npu.name = "x0"}) -> (tensor<2x2xf32> {npu.name = "y0"}) {
  %0 = npu.matmul(%arg0, %arg0) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
