// A convolution with ReLU, in TOSA.
func.func @net(%x: tensor<1x16x16x3xf32>) -> tensor<1x15x15x4xf32> {
  %weight = "tosa.const"() {values = dense<[[[[-0.52, 0.09, -0.26], [0.21, 0.25, -0.87]], [[-0.97, 0.67, -0.48], [-0.53, 0.99, -0.06]]], [[[0.67, -0.05, 0.28], [-0.70, 0.27, 0.74]], [[0.05, 0.48, 0.34], [-0.87, 0.52, 0.18]]], [[[-0.40, -0.94, 0.73], [-0.05, 0.44, 0.76]], [[0.43, 0.84, -0.21], [0.60, -0.11, 0.87]]], [[[0.76, -0.81, -0.73], [-0.57, 0.93, -0.13]], [[0.25, -0.40, 0.01], [-0.23, -0.30, 0.17]]]]> : tensor<4x2x2x3xf32>} : () -> tensor<4x2x2x3xf32>
  %bias = "tosa.const"() {values = dense<[0.17, 0.81, 0.36, 0.86]> : tensor<4xf32>} : () -> tensor<4xf32>
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %sums = tosa.conv2d %x, %weight, %bias, %zero, %zero {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x16x16x3xf32>, tensor<4x2x2x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x15x15x4xf32>
  %y = tosa.clamp %sums {min_val = 0.0 : f32, max_val = 3.4028235e38 : f32} : (tensor<1x15x15x4xf32>) -> tensor<1x15x15x4xf32>
  return %y : tensor<1x15x15x4xf32>
}
