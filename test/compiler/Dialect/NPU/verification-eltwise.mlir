// RUN: npu-opt %s -split-input-file -verify-diagnostics
//
// Verifiers of elementwise ops and fused kernels: one case for each label, with what is wrong and the
// message. labels.test checks that none is missing.

// eltwise_c1
func.func @eltwise_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{number 1000 is not an elementwise function}}
  %0 = "npu.eltwise"(%x) <{kind = 1000 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// eltwise_c2
func.func @eltwise_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{add takes 2 operands, found 1}}
  %0 = npu.eltwise add(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// eltwise_c3
func.func @eltwise_c3(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{do not broadcast}}
  %0 = npu.eltwise add(%x, %y) : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

// eltwise_c4
func.func @eltwise_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{element type 'f32', expected i1 as the result}}
  %0 = npu.eltwise less(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// eltwise_c5
func.func @eltwise_c5(%x: tensor<4xf32>) {
  // expected-error @+1 {{element type 'f32', expected i1 as the condition}}
  %0 = npu.eltwise select(%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// eltwise_c6
func.func @eltwise_c6(%x: tensor<4xf32>) {
  // expected-error @+1 {{element type 'f32', expected i1}}
  %0 = npu.eltwise logical_not(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// eltwise_c7
func.func @eltwise_c7(%x: tensor<4xi32>) {
  // expected-error @+1 {{element type 'i32', expected a float type}}
  %0 = npu.eltwise exp(%x) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

// eltwise_c8
func.func @eltwise_c8(%x: tensor<4xf32>) {
  // expected-error @+1 {{element types 'f32' and 'f16' differ}}
  %0 = npu.eltwise relu(%x) : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

// eltwise_c9
func.func @eltwise_c9(%x: tensor<4xf32>) {
  // expected-error @+1 {{clips to an empty range}}
  %0 = npu.eltwise clip(%x) {alpha = 1.0 : f32, beta = 0.0 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// fused_c1
func.func @fused_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{body takes 2 arguments, the op has 1 operands}}
  %r = npu.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %0 = npu.eltwise add(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    npu.yield %0 : tensor<4xf32>
  }
  return
}

// -----

// fused_c2
func.func @fused_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{argument 0 is 'tensor<4xf16>', its operand 'tensor<4xf32>'}}
  %r = npu.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf16>):
    %0 = npu.eltwise cast(%a) : (tensor<4xf16>) -> tensor<4xf32>
    npu.yield %0 : tensor<4xf32>
  }
  return
}

// -----

// fused_c3
func.func @fused_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{has an empty body}}
  %r = npu.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    npu.yield %a : tensor<4xf32>
  }
  return
}

// -----

// fused_c4
func.func @fused_c4(%x: tensor<4xf32>) {
  %r = npu.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @+1 {{cannot be the root of npu.fused}}
    %0 = npu.reshape(%a) : (tensor<4xf32>) -> tensor<4xf32>
    npu.yield %0 : tensor<4xf32>
  }
  return
}

// -----

// fused_c5
func.func @fused_c5(%x: tensor<4xf32>) {
  %r = npu.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %0 = npu.eltwise relu(%a) : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{only elementwise ops may stand}}
    %1 = npu.softmax(%0) {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    npu.yield %1 : tensor<4xf32>
  }
  return
}

// -----

// fused_c6
func.func @fused_c6(%x: tensor<4xf32>, %y: tensor<2x4xf32>) {
  %r = npu.fused(%x, %y) : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<2x4xf32>):
    // expected-error @+1 {{inside npu.fused has shape 4, the kernel's result 2x4}}
    %0 = npu.eltwise relu(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = npu.eltwise add(%0, %b) : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    npu.yield %1 : tensor<2x4xf32>
  }
  return
}

// -----

// fused_c7
func.func @fused_c7(%x: tensor<4xf32>) {
  // expected-error @+1 {{yields 'tensor<4xf16>', its result is 'tensor<4xf32>'}}
  %r = npu.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %0 = npu.eltwise cast(%a) : (tensor<4xf32>) -> tensor<4xf16>
    npu.yield %0 : tensor<4xf16>
  }
  return
}
