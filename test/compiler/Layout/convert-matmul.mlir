// RUN: npu-opt %s --npu-assign-layout="strategy=convert target=host desired-layouts=matmul:row-major:ba verify-exactly=true" | FileCheck %s --check-prefixes=ALL,COLUMNS
// RUN: npu-opt %s --npu-assign-layout="strategy=convert target=host desired-layouts=matmul:row-major:row-major verify-exactly=true" | FileCheck %s --check-prefixes=ALL,ROWS

// The second operand of a matrix product shares its columns with the result,
// its rows with the first operand: any order of the two goes with both.
// ALL-LABEL: @constant
// COLUMNS: npu.matmul({{.*}}tensor<20x6xf32, #npu.layout<ba>>) -> tensor<4x6xf32, #npu.layout<ab>>
// ROWS: npu.matmul({{.*}}tensor<20x6xf32, #npu.layout<ab>>) -> tensor<4x6xf32, #npu.layout<ab>>
// ALL: return
func.func @constant(%x: tensor<4x20xf32>) -> tensor<4x6xf32> {
  %m = npu.constant dense<1.0> : tensor<20x6xf32> -> tensor<20x6xf32>
  %0 = npu.matmul(%x, %m) : (tensor<4x20xf32>, tensor<20x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// One that is computed is relaid.
// ALL-LABEL: @computed
// COLUMNS: npu.relayout(%{{.*}}) : (tensor<20x6xf32, #npu.layout<ab>>) -> tensor<20x6xf32, #npu.layout<ba>>
// COLUMNS: npu.matmul({{.*}}tensor<20x6xf32, #npu.layout<ba>>) -> tensor<2x4x6xf32, #npu.layout<abc>>
// ROWS-NOT: npu.relayout
// ALL: return
func.func @computed(%x: tensor<2x4x20xf32>, %m: tensor<20x6xf32>) -> tensor<2x4x6xf32> {
  %0 = npu.matmul(%x, %m) : (tensor<2x4x20xf32>, tensor<20x6xf32>) -> tensor<2x4x6xf32>
  return %0 : tensor<2x4x6xf32>
}
