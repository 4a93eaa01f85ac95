// RUN: npu-opt %s --plugin=%build/test/plugin/demo.so -split-input-file -verify-diagnostics
//
// One case for each label of CustomOp.cpp: the label, what is wrong, the message.

// custom_c1
func.func @custom_c1(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{parameter "axis" is 1 : i64, expected array<i64: ...>, array<f32: ...> or a list of strings, or of tensors}}
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

// -----

func.func @custom_c1_tensors(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{parameter "table" is [dense<1.000000e+00> : tensor<2xf32>, "text"]}}
  %0 = npu.custom(%x) {function = "halve", parameters = {table = [dense<1.0> : tensor<2xf32>, "text"]}, plugin = "demo", version = "1.0"} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  return
}

// -----

func.func @custom_c1_elements(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{parameter "table" is [dense<1> : tensor<2xi33>]}}
  %0 = npu.custom(%x) {function = "halve", parameters = {table = [dense<1> : tensor<2xi33>]}, plugin = "demo", version = "1.0"} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  return
}

// -----

func.func @custom_c2_results(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{it is result 1 of op 'halve', which has 1}}
  %0 = npu.custom(%x) {function = "halve", output = 1 : i64, parameters = {}, plugin = "demo", version = "1.0"} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  return
}

// -----

func.func @custom_c2_places(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{its op says of 2 operands which inputs they are, and has 1}}
  %0 = npu.custom(%x) {function = "pick", parameters = {}, places = array<i64: 0, 2>, plugin = "demo", version = "1.0"} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @custom_c2_order(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{its op has an operand that is input 1 of the node, expected them sorted, each less than 16}}
  %0 = npu.custom(%x, %x) {function = "pick", parameters = {}, places = array<i64: 1, 1>, plugin = "demo", version = "1.0"} : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @custom_c2_left_out(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{it leaves out input 0, which op 'pick' needs}}
  %0 = npu.custom(%x) {function = "pick", parameters = {}, places = array<i64: 1>, plugin = "demo", version = "1.0"} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

// custom_c4
func.func @custom_c4_output(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{output and places are inputs and results of a node, expected numbers from 0 to 15}}
  %0 = npu.custom(%x) {function = "halve", output = 4294967296 : i64, parameters = {}, plugin = "demo", version = "1.0"} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  return
}

// -----

func.func @custom_c4_places(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{output and places are inputs and results of a node, expected numbers from 0 to 15}}
  %0 = npu.custom(%x) {function = "halve", parameters = {}, places = array<i64: 16>, plugin = "demo", version = "1.0"} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  return
}
