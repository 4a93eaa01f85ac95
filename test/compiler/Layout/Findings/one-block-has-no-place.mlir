// RUN: layout-fuzz --replay=%s --target=npu-nhwc --io-layout=x0=badC4c,y0=Cab4c

// A dimension that lies in one block may stand anywhere in the order, as one of
// extent 1: when comparing storage, but not when comparing an op's operand with
// its result. The search missed the cheapest plan.
func.func @main(%arg0: tensor<1x2x2x1xf32> {npu.name = "x0"}, %arg1: tensor<i64> {npu.name = "x1"}) -> (tensor<1x2x2xf32> {npu.name = "y0"}) {
  %0 = npu.gather(%arg0, %arg1) {axis = 3 : i64} : (tensor<1x2x2x1xf32>, tensor<i64>) -> tensor<1x2x2xf32>
  return %0 : tensor<1x2x2xf32>
}
