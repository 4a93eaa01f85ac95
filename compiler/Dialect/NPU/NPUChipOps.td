// SPDX-License-Identifier: Apache-2.0
//
// Ops that image chips have kernels for: gradients of convolutions, patches,
// unpooling, mirroring, rotation, normalisation.
#ifndef NPU_CHIP_OPS_TD
#define NPU_CHIP_OPS_TD

def NPU_ConvBpaOp : NPU_KernelOp<"conv_bpa"> {
  let summary = "The gradient of a convolution by its data (BPA).";
  let description = [{
    Data is the gradient by the convolution's result, (N, O, spatial); weight
    (O, C / groups, spatial) and the attributes are the convolution's; the
    result (N, C, spatial) has the shape of the convolution's data. It is
    `npu.conv_transpose2d` (and its kernel) with the two channel dimensions of
    the weight in the other order. The rank, 3 to 5, is the data's.

    Example:
    ```mlir
    %dx = npu.conv_bpa(%dy, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [2, 2]} : (tensor<1x8x4x4xf32>, tensor<8x4x3x3xf32>) -> tensor<1x4x8x8xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$data, NPU_Tensor:$weight,
                       I64ArrayAttr:$strides, I64ArrayAttr:$pads,
                       I64ArrayAttr:$dilations, I64Attr:$groups);
  let results = (outs NPU_Tensor:$result);
}

def NPU_ConvBpwOp : NPU_KernelOp<"conv_bpw"> {
  let summary = "The gradient of a convolution by its weight (BPW).";
  let description = [{
    Data is the convolution's, (N, C, spatial), gradient the one by its result,
    (N, O, spatial); the result has the shape of the weight, (O, C / groups,
    spatial). The rank, 3 to 5, is the data's.

    Example:
    ```mlir
    %dw = npu.conv_bpw(%x, %dy) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [2, 2]} : (tensor<1x4x8x8xf32>, tensor<1x8x4x4xf32>) -> tensor<8x4x3x3xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$data, NPU_Tensor:$gradient,
                       I64ArrayAttr:$strides, I64ArrayAttr:$pads,
                       I64ArrayAttr:$dilations, I64Attr:$groups);
  let results = (outs NPU_Tensor:$result);
}

def NPU_Img2colOp : NPU_KernelOp<"img2col"> {
  let summary = "The window behind each result of a convolution, as channels.";
  let description = [{
    Data is (N, C, spatial), the result (N, C * window, spatial of the
    convolution's result): channel c * window + k is tap k (row-major in the
    window) of channel c, 0 where it lies on padding. So a convolution is the
    1x1 convolution of its patches with the weight reshaped to (O, C * window,
    1, 1).

    Example:
    ```mlir
    %y = npu.img2col(%x) {dilations = [1, 1], kernel = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x4x8x8xf32>) -> tensor<1x36x8x8xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$data, I64ArrayAttr:$kernel,
                       I64ArrayAttr:$strides, I64ArrayAttr:$pads,
                       I64ArrayAttr:$dilations);
  let results = (outs NPU_Tensor:$result);
}

def NPU_UnpoolOp : NPU_KernelOp<"unpool"> {
  let summary = "Each element spread over a window.";
  let description = [{
    Data is (N, C, spatial); each spatial extent of the result is the data's
    times the kernel's. Modes: nearest (every place of the window has the
    element), zero (its first place has it, the others 0).

    Example:
    ```mlir
    %y = npu.unpool(%x) {kernel = [2, 2], mode = #npu.unpool_mode<zero>} : (tensor<1x4x4x4xf32>) -> tensor<1x4x8x8xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$data, I64ArrayAttr:$kernel,
                       NPU_UnpoolModeAttr:$mode);
  let results = (outs NPU_Tensor:$result);
}

def NPU_MaskunpoolOp : NPU_KernelOp<"maskunpool"> {
  let summary = "Each element at the place that a max pool took it from.";
  let description = [{
    Indices have the data's shape, (N, C, spatial), and are row-major positions
    in the result, as `npu.max_pool_indices` gives them. Elsewhere the result is
    0; of several elements with one place the last stays. The result has the
    data's batch and channels and any spatial extents.

    Example:
    ```mlir
    %y = npu.maskunpool(%x, %i) : (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi64>) -> tensor<1x4x8x8xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$data, NPU_Tensor:$indices);
  let results = (outs NPU_Tensor:$result);
}

def NPU_MirrorOp : NPU_KernelOp<"mirror"> {
  let summary = "Some dimensions from back to front.";
  let description = [{
    Example:
    ```mlir
    %y = npu.mirror(%x) {axes = [3]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$input, I64ArrayAttr:$axes);
  let results = (outs NPU_Tensor:$result);
}

def NPU_RotateOp : NPU_KernelOp<"rotate"> {
  let summary = "Quarter turns in the plane of two dimensions.";
  let description = [{
    `turns` (1 to 3) times from the first towards the second of the two `axes`:
    with the axes height and width, against the clock. After an odd number of
    turns the two extents have changed places. Layouts do not turn: what is
    stored as NHWC stays NHWC.

    Example:
    ```mlir
    %y = npu.rotate(%x) {axes = [2, 3], turns = 1 : i64} : (tensor<1x4x8x6xf32>) -> tensor<1x4x6x8xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$input, I64ArrayAttr:$axes, I64Attr:$turns);
  let results = (outs NPU_Tensor:$result);
}

def NPU_TensornormOp : NPU_KernelOp<"tensornorm"> {
  let summary = "Instance, layer and group normalisation.";
  let description = [{
    (x - mean) / sqrt(variance + epsilon) * scale + bias. Mean and variance are
    over `axes`; with `groups` above 1 the first of them is cut into that many
    parts with numbers of their own. `centered = false` leaves out the mean
    (RMS normalisation). Scale and bias broadcast to the input, aligned at the
    right. The result of f32 may be rounded to bf16.

    Example:
    ```mlir
    %y = npu.tensornorm(%x, %s, %b) {axes = [1, 2, 3], epsilon = 1.0e-5 : f64, groups = 2 : i64} : (tensor<1x4x8x8xf32>, tensor<4x1x1xf32>, tensor<4x1x1xf32>) -> tensor<1x4x8x8xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$input, NPU_Tensor:$scale,
                       Optional<NPU_Tensor>:$bias, I64ArrayAttr:$axes,
                       F64Attr:$epsilon,
                       DefaultValuedAttr<I64Attr, "1">:$groups,
                       DefaultValuedAttr<BoolAttr, "true">:$centered);
  let results = (outs NPU_Tensor:$result);
}

def NPU_CustomOp : NPU_KernelOp<"custom"> {
  let summary = "An op of a plugin.";
  let description = [{
    `function` of the plugin `plugin`, which must be loaded, in that version
    (docs/plugins.md). `parameters` are the attributes of the model's node, each
    a list: `array<i64: ...>`, `array<f32: ...>`, strings or tensors. The plugin
    says what the result is, how its dimensions are the operands' and what
    computes it. A node with several results is one op for each that is read:
    `output` says which. Where the node leaves out an input before its last,
    `places` are the inputs that the operands are.

    Example:
    ```mlir
    %y = npu.custom(%x, %s) {function = "scale", parameters = {axis = array<i64: 1>}, plugin = "demo", version = "1.0"} : (tensor<1x4x8x8xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
    ```
  }];
  let arguments = (ins Variadic<NPU_Tensor>:$inputs, StrAttr:$plugin,
                       StrAttr:$version, StrAttr:$function,
                       DictionaryAttr:$parameters,
                       OptionalAttr<DenseI64ArrayAttr>:$places,
                       DefaultValuedAttr<I64Attr, "0">:$output);
  let results = (outs NPU_Tensor:$result);
}

#endif // NPU_CHIP_OPS_TD
