// RUN: npu-opt %s --plugin=%build/test/plugin/demo.so -split-input-file -verify-diagnostics
//
// One case for each label of CustomOp.cpp: the label, what is wrong, the message.

// custom_c1
func.func @custom_c1(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{parameter "axis" is 1 : i64, expected array<i64: ...>, array<f32: ...> or a list of strings}}
  %0 = npu.custom(%x) {function = "halve", parameters = {axis = 1 : i64}, plugin = "demo", version = "1.0"} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  return
}

// -----

// custom_c2
func.func @custom_c2_plugin(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{it needs plugin other 1.0, which is not loaded; name it with --plugin}}
  %0 = npu.custom(%x) {function = "halve", parameters = {}, plugin = "other", version = "1.0"} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  return
}

// -----

func.func @custom_c2_infer(%x: tensor<4x8x8xf32>) {
  // expected-error @+1 {{plugin demo 1.0: halve takes f32 images}}
  %0 = npu.custom(%x) {function = "halve", parameters = {}, plugin = "demo", version = "1.0"} : (tensor<4x8x8xf32>) -> tensor<4x4x4xf32>
  return
}

// -----

// custom_c3
func.func @custom_c3(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{result is 'tensor<1x4x8x8xf32>', its plugin gives 'tensor<1x4x4x4xf32>'}}
  %0 = npu.custom(%x) {function = "halve", parameters = {}, plugin = "demo", version = "1.0"} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}
