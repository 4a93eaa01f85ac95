// RUN: layout-fuzz --replay=%s --target=npu-nhwc --io-layout=y1=adEBc4e2b8e

// A constant of one element followed the sum's result into blocks of 2, of which
// the chip knows nothing; the verifier refused the plan.
module {
  func.func @main(%arg0: tensor<2x1x1x1x2xi8> {npu.name = "x0"}) -> (tensor<1x1x2x1x2xf32> {npu.name = "y1"}) {
    %0 = npu.constant dense<6.060000e-01> : tensor<1x1x1xf32> -> tensor<1x1x1xf32>
    %1 = npu.eltwise cast(%arg0) : (tensor<2x1x1x1x2xi8>) -> tensor<2x1x1x1x2xf32>
    %2 = npu.eltwise add(%1, %0) : (tensor<2x1x1x1x2xf32>, tensor<1x1x1xf32>) -> tensor<2x1x1x1x2xf32>
    %3 = npu.transpose(%2) {permutation = [2, 3, 0, 1, 4]} : (tensor<2x1x1x1x2xf32>) -> tensor<1x1x2x1x2xf32>
    return %3 : tensor<1x1x2x1x2xf32>
  }
}
