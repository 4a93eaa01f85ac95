// RUN: layout-fuzz --replay=%s --target=npu-sticks --io-layout=fixed --seed=42011500 --run

// Fusion took the merged dimension apart below the mirror, whose kernel is a
// slice's, and left its axes as they were: another dimension was turned.
func.func @main(%arg0: tensor<2x2x4x1xf32> {npu.name = "x0"}) -> (tensor<4x4x1xf32> {npu.name = "y0"}) {
  %0 = npu.reshape(%arg0) : (tensor<2x2x4x1xf32>) -> tensor<4x4x1xf32>
  %1 = npu.mirror(%0) {axes = [2]} : (tensor<4x4x1xf32>) -> tensor<4x4x1xf32>
  return %1 : tensor<4x4x1xf32>
}
