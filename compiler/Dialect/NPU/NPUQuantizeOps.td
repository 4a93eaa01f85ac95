// SPDX-License-Identifier: Apache-2.0
//
// Quantized numbers: what makes them of real numbers, real numbers of them, and
// of sums of their products quantized numbers again. npu-lower-quantization
// makes elementwise functions of these ops.
#ifndef NPU_QUANTIZE_OPS_TD
#define NPU_QUANTIZE_OPS_TD

/// Operands broadcast as those of npu.eltwise do.
class NPU_StepsOp<string mnemonic>
    : NPU_PlainOp<mnemonic, [DeclareOpInterfaceMethods<NPU_StepsOpInterface>]> {
  let results = (outs NPU_Tensor:$result);
}

def NPU_QuantizeOp : NPU_StepsOp<"quantize"> {
  let summary = "Integers that stand for real numbers.";
  let description = [{
    round(input / scale) + zero_point, at the nearest end of the result's type
    where that is out of range. Halves go to even numbers (`half_even`, as ONNX
    has it) or away from zero (`half_away`, TFLite). Without a zero point it is
    0.

    Example:
    ```mlir
    %q = npu.quantize(%x, %scale, %zero) {rounding = #npu.rounding<half_away>} : (tensor<1x8xf32>, tensor<f32>, tensor<i8>) -> tensor<1x8xi8>
    ```
  }];
  let arguments = (ins NPU_Tensor:$input, NPU_Tensor:$scale,
                       Optional<NPU_Tensor>:$zero_point,
                       DefaultValuedAttr<NPU_RoundingAttr,
                                         "::npu::Rounding::HalfEven">:$rounding);
}

def NPU_DequantizeOp : NPU_StepsOp<"dequantize"> {
  let summary = "The real numbers that integers stand for.";
  let description = [{
    (input - zero_point) * scale. Without a zero point it is 0.

    Example:
    ```mlir
    %x = npu.dequantize(%q, %scales) : (tensor<1x8x4xi8>, tensor<8x1xf32>) -> tensor<1x8x4xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$input, NPU_Tensor:$scale,
                       Optional<NPU_Tensor>:$zero_point);
}

def NPU_RequantizeOp : NPU_StepsOp<"requantize"> {
  let summary = "Integers in another scale.";
  let description = [{
    (input - input_zero_point) * multiplier / 2^shift, rounded, + zero_point,
    within `low` and `high`. `scale` is multiplier and shift, in i32 (i64 where
    the input is); without them nothing is scaled. Rounding: `half_up`, or
    `twice` as TFLite and TOSA define it, once to 31 bits and then, halves away
    from zero, to whole numbers.

    Example:
    ```mlir
    %q = npu.requantize(%sum, %multiplier, %shift) {high = 127 : i64, low = -128 : i64, zero_point = 3 : i64} : (tensor<1x4x2x2xi32>, tensor<4x1x1xi32>, tensor<4x1x1xi32>) -> tensor<1x4x2x2xi8>
    ```
  }];
  let arguments = (ins NPU_Tensor:$input, Variadic<NPU_Tensor>:$scale,
                       DefaultValuedAttr<I64Attr, "0">:$input_zero_point,
                       DefaultValuedAttr<I64Attr, "0">:$zero_point,
                       I64Attr:$low, I64Attr:$high,
                       DefaultValuedAttr<NPU_RoundingAttr,
                                         "::npu::Rounding::HalfUp">:$rounding);
}

#endif // NPU_QUANTIZE_OPS_TD
