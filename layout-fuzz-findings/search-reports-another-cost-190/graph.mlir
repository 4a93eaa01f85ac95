// search-reports-another-cost
// RUN: layout-fuzz --replay=layout-fuzz-findings/search-reports-another-cost-190/graph.mlir --target=layout-fuzz-findings/search-reports-another-cost-190/random.yaml --io-layout=x0=Ba4b --seed=190
module {
  func.func @main(%arg0: tensor<2x1xf32> {npu.name = "x0"}) -> (tensor<1x2x1xf32> {npu.name = "y0"}) {
    %0 = npu.reshape(%arg0) : (tensor<2x1xf32>) -> tensor<1x2x1xf32>
    return %0 : tensor<1x2x1xf32>
  }
}