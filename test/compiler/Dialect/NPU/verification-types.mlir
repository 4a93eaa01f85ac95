// RUN: npu-opt %s --split-input-file --verify-diagnostics

// f64 is moved, compared and converted.
func.func @moved(%x: tensor<2x3xf64>, %i: tensor<1x1xi64>, %u: tensor<1x3xf64>) -> tensor<3x2xf32> {
  %0 = npu.scatter_nd(%x, %i, %u) {reduction = #npu.scatter_reduction<none>} : (tensor<2x3xf64>, tensor<1x1xi64>, tensor<1x3xf64>) -> tensor<2x3xf64>
  %1 = npu.transpose(%0) {permutation = [1, 0]} : (tensor<2x3xf64>) -> tensor<3x2xf64>
  %2 = npu.eltwise max(%1, %1) : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  %3 = npu.eltwise cast(%2) : (tensor<3x2xf64>) -> tensor<3x2xf32>
  return %3 : tensor<3x2xf32>
}

// -----

func.func @element_types_c1(%x: tensor<2x3xf64>, %w: tensor<3x4xf64>) {
  // expected-error @+1 {{computes in f64, which is only moved, compared and converted; cast to f32}}
  %0 = npu.matmul(%x, %w) : (tensor<2x3xf64>, tensor<3x4xf64>) -> tensor<2x4xf64>
  return
}

// -----

func.func @element_types_c1_scatter(%x: tensor<2x3xf64>, %i: tensor<1x1xi64>, %u: tensor<1x3xf64>) {
  // expected-error @+1 {{computes in f64}}
  %0 = npu.scatter_nd(%x, %i, %u) {reduction = #npu.scatter_reduction<add>} : (tensor<2x3xf64>, tensor<1x1xi64>, tensor<1x3xf64>) -> tensor<2x3xf64>
  return
}

// -----

func.func @element_types_c1_function(%x: tensor<2x3xf64>) {
  // expected-error @+1 {{exp has no meaning on f64}}
  %0 = npu.eltwise exp(%x) : (tensor<2x3xf64>) -> tensor<2x3xf64>
  return
}

// -----

func.func @sums(%x: tensor<2x3xui64>) -> tensor<2xui64> {
  %0 = npu.reduce(%x) {axes = [1], keep_dims = false, kind = #npu.reduce_kind<sum>} : (tensor<2x3xui64>) -> tensor<2xui64>
  return %0 : tensor<2xui64>
}

// -----

func.func @element_types_c2(%x: tensor<2x3xui64>) {
  // expected-error @+1 {{orders ui64, which only elementwise functions do; cast to i64}}
  %0 = npu.reduce(%x) {axes = [1], keep_dims = false, kind = #npu.reduce_kind<max>} : (tensor<2x3xui64>) -> tensor<2xui64>
  return
}
