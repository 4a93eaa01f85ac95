// SPDX-License-Identifier: Apache-2.0
//
// Passes on quantized numbers; Passes.td includes it.
#ifndef NPU_FUSION_QUANTIZATION_PASSES_TD
#define NPU_FUSION_QUANTIZATION_PASSES_TD

include "mlir/Pass/PassBase.td"

def QuantizedIo : Pass<"npu-quantized-io", "::mlir::func::FuncOp"> {
  let summary = "Inputs and outputs take quantized numbers.";
  let description = [{
    An f32 input that is quantized at once, by one scale and one zero point, takes
    the bytes itself; an f32 output that is made of bytes so gives these. What the
    bytes mean, (byte - zero_point) * scale, is the attribute `npu.quantized` of
    argument or result. Transposes and reshapes in between move the bytes. Other
    inputs and outputs stay. It runs for `npuc --quantized-io`, ahead of all others.

    Example:
    ```mlir
    func.func @f(%x: tensor<1x4xf32>) -> tensor<1x4xui8> {
      %scale = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
      %zero = npu.constant dense<128> : tensor<ui8> -> tensor<ui8>
      %1 = npu.quantize(%x, %scale, %zero) : (tensor<1x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x4xui8>
      return %1 : tensor<1x4xui8>
    }
    ==>
    func.func @f(%x: tensor<1x4xui8> {npu.quantized = {scale = 5.000000e-01 : f64, zero_point = 128 : i64}}) -> tensor<1x4xui8> {
      %scale = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
      %zero = npu.constant dense<128> : tensor<ui8> -> tensor<ui8>
      return %x : tensor<1x4xui8>
    }
    ```
    test/compiler/Fusion/quantized-io.mlir runs it.
  }];
  let dependentDialects = ["::npu::NPUDialect"];
}

def FoldRequantize : Pass<"npu-fold-requantize", "::mlir::func::FuncOp"> {
  let summary = "Makes one scale of those between a sum and its rounding.";
  let description = [{
    A sum of products of bytes is scaled to a real number and divided by the
    result's scale; both become one step. Of two quantized numbers that are added
    (a residual), the one that is there first is read as bytes with a factor,
    and what is left of scales and zero points is a step of the other. An average
    between quantized numbers of one type is one of bytes. Numbers that are not
    sums keep every step: there the last bit decides where a tie
    rounds to.

    Example:
    ```mlir
    %s = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
    %t = npu.constant dense<0.25> : tensor<f32> -> tensor<f32>
    %0 = npu.eltwise cast(%sum) : (tensor<1x8xi32>) -> tensor<1x8xf32>
    %1 = npu.eltwise mul(%0, %s) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
    %2 = npu.quantize(%1, %t) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xi8>
    ==>
    %0 = npu.eltwise cast(%sum) : (tensor<1x8xi32>) -> tensor<1x8xf32>
    %1 = npu.eltwise linear(%0) {alpha = 2.0 : f32} : (tensor<1x8xf32>) -> tensor<1x8xf32>
    %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
    %2 = npu.quantize(%1, %one) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xi8>
    ```
    test/compiler/Fusion/fold-requantize.mlir runs more.
  }];
  let dependentDialects = ["::npu::NPUDialect"];
}

def RequantizeIntegers
    : Pass<"npu-requantize-integers", "::mlir::func::FuncOp"> {
  let summary = "Scales sums to quantized numbers in integers.";
  let description = [{
    For targets without f32 in `types`. Where a float is quantized to a byte and
    is made of integers by scales, offsets and bounds alone, it is a factor of 31
    bits and a shift of each integer instead, rounded half upwards; several are
    added with up to 18 bits behind the point. Integers are sums, bytes, products
    of two quantized numbers or matrices, sums along dimensions, interpolations
    by whole weights; an average, of padding too, becomes a convolution with ones.
    A function of one byte is a table of 256, a softmax of bytes a table of
    exponentials and a division. What picks numbers (concat, max, min, select,
    moves) picks bytes, its operands quantized one by one. Anything else stays as
    it is.

    Example:
    ```mlir
    %1 = npu.eltwise cast(%sum) : (tensor<1x4x2x2xi32>) -> tensor<1x4x2x2xf32>
    %2 = npu.eltwise linear(%1) {alpha = 1.250000e-01 : f32} : (tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>
    %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
    %3 = npu.quantize(%2, %one) : (tensor<1x4x2x2xf32>, tensor<f32>) -> tensor<1x4x2x2xui8>
    ==>
    %factor = npu.constant dense<1073741824> : tensor<i32> -> tensor<i32>
    %shift = npu.constant dense<33> : tensor<i32> -> tensor<i32>
    %5 = npu.requantize(%sum, %factor, %shift) {high = 255 : i64, low = 0 : i64} : (tensor<1x4x2x2xi32>, tensor<i32>, tensor<i32>) -> tensor<1x4x2x2xui8>
    ```
    test/compiler/Fusion/requantize-integers.mlir runs it.
  }];
  let options = [
    Option<"target", "target", "std::string", "",
           "Name of a shipped target or path of a target file; without one, as "
           "for a target that has no f32">,
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

def UnsignedBytes : Pass<"npu-unsigned-bytes", "::mlir::func::FuncOp"> {
  let summary = "Takes the sign from bytes that sums are made of.";
  let description = [{
    For targets with ui8 in `types`. Processors multiply bytes without a sign by
    bytes with one; data with a sign costs them a pass or a correction. To an i8
    of npu.requantize that only sums, npu.requantize and conversions to i32
    read, 128 is added; sums have a zero point that is higher by as much, and
    conversions are moved back. All results stay what they were.

    Example:
    ```mlir
    %2 = npu.requantize(%x) {high = 127 : i64, low = -128 : i64} : (tensor<1x4x3x3xi32>) -> tensor<1x4x3x3xi8>
    %3 = npu.conv2d(%2, %w) {data_zero_point = -3 : i64, dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x3x3xi8>, tensor<2x4x1x1xi8>) -> tensor<1x2x3x3xi32>
    ==>
    %1 = npu.requantize(%x) {high = 127 : i64, low = -128 : i64} : (tensor<1x4x3x3xi32>) -> tensor<1x4x3x3xi32>
    %sign = npu.constant dense<128> : tensor<i32> -> tensor<i32>
    %4 = npu.eltwise add(%1, %sign) : (tensor<1x4x3x3xi32>, tensor<i32>) -> tensor<1x4x3x3xi32>
    %5 = npu.eltwise cast(%4) : (tensor<1x4x3x3xi32>) -> tensor<1x4x3x3xui8>
    %6 = npu.conv2d(%5, %w) {data_zero_point = 125 : i64, dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x3x3xui8>, tensor<2x4x1x1xi8>) -> tensor<1x2x3x3xi32>
    ```
    test/compiler/Fusion/unsigned-bytes.mlir runs it.
  }];
  let options = [
    Option<"target", "target", "std::string", "",
           "Name of a shipped target or path of a target file; without one, as "
           "for a target that has ui8">,
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

def LowerQuantization
    : Pass<"npu-lower-quantization", "::mlir::func::FuncOp"> {
  let summary = "Quantizing ops become elementwise functions.";
  let description = [{
    npu.quantize, npu.dequantize and npu.requantize become the functions that
    stand for them, in their order.

    Example:
    ```mlir
    %1 = npu.requantize(%sum, %multiplier, %shift) {high = 127 : i64, low = -128 : i64, zero_point = 3 : i64} : (tensor<1x4xi32>, tensor<i32>, tensor<i32>) -> tensor<1x4xi8>
    ==>
    %2 = npu.eltwise mul_shift(%sum, %multiplier, %shift) : (tensor<1x4xi32>, tensor<i32>, tensor<i32>) -> tensor<1x4xi32>
    %zero = npu.constant dense<3> : tensor<i32> -> tensor<i32>
    %3 = npu.eltwise add(%2, %zero) : (tensor<1x4xi32>, tensor<i32>) -> tensor<1x4xi32>
    %4 = npu.eltwise clip(%3) {alpha = -1.280000e+02 : f32, beta = 1.270000e+02 : f32} : (tensor<1x4xi32>) -> tensor<1x4xi32>
    %5 = npu.eltwise cast(%4) : (tensor<1x4xi32>) -> tensor<1x4xi8>
    ```
    test/compiler/Fusion/lower-quantization.mlir runs it.
  }];
  let dependentDialects = ["::npu::NPUDialect"];
}

#endif // NPU_FUSION_QUANTIZATION_PASSES_TD
