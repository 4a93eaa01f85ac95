// SPDX-License-Identifier: Apache-2.0
//
// Ops that a kernel library computes: convolutions, pooling, matrix products,
// and the ops that move or reduce data along axes.
#ifndef NPU_KERNEL_OPS_TD
#define NPU_KERNEL_OPS_TD

class NPU_ConvLikeOp<string mnemonic, int spatial> : NPU_KernelOp<mnemonic> {
  int spatialRank = spatial;
  let arguments = (ins NPU_Tensor:$data, NPU_Tensor:$weight,
                       Optional<NPU_Tensor>:$bias, I64ArrayAttr:$strides,
                       I64ArrayAttr:$pads, I64ArrayAttr:$dilations,
                       I64Attr:$groups,
                       DefaultValuedAttr<I64Attr, "0">:$data_zero_point);
  let results = (outs NPU_Tensor:$result);
}

class NPU_ConvOp<string mnemonic, int spatial>
    : NPU_ConvLikeOp<mnemonic, spatial> {
  let summary = "Convolution over " # !cast<string>(spatial) # " spatial dimension(s).";
}

class NPU_ConvTransposeOp<string mnemonic, int spatial>
    : NPU_ConvLikeOp<mnemonic, spatial> {
  let summary =
      "Transposed convolution over " # !cast<string>(spatial) # " spatial dimension(s).";
}

defvar ConvText = [{
    Data is (N, C, spatial), weight (O, C / groups, spatial), bias (O). `pads`
    lists the beginnings of all spatial dimensions, then the ends. 8-bit data
    and weight give i32, and so is the bias; `data_zero_point` is subtracted
    from integer data, and padding is zero after that.
}];

def NPU_Conv1dOp : NPU_ConvOp<"conv1d", 1> {
  let description = ConvText # [{
    Example:
    ```mlir
    %y = npu.conv1d(%x, %w) {dilations = [1], groups = 1, pads = [1, 1], strides = [1]} : (tensor<1x4x9xf32>, tensor<8x4x3xf32>) -> tensor<1x8x9xf32>
    ```
  }];
}
def NPU_Conv2dOp : NPU_ConvOp<"conv2d", 2> {
  let description = ConvText # [{
    Example:
    ```mlir
    %y = npu.conv2d(%x, %w, %b) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [2, 2]} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x4x4x4xf32>
    ```
  }];
}
def NPU_Conv3dOp : NPU_ConvOp<"conv3d", 3> {
  let description = ConvText # [{
    Example:
    ```mlir
    %y = npu.conv3d(%x, %w) {dilations = [1, 1, 1], groups = 1, pads = [0, 0, 0, 0, 0, 0], strides = [1, 1, 1]} : (tensor<1x2x4x4x4xf32>, tensor<4x2x1x1x1xf32>) -> tensor<1x4x4x4x4xf32>
    ```
  }];
}

defvar ConvTransposeText = [{
    The gradient of a convolution by its data. Data is (N, C, spatial), weight
    (O, C / groups, spatial), the result (N, O, spatial); each spatial extent is
    (in - 1) * stride + (kernel - 1) * dilation + 1 - pads, plus less than one
    stride (or dilation) that the result's shape decides.
}];

def NPU_ConvTranspose1dOp : NPU_ConvTransposeOp<"conv_transpose1d", 1> {
  let description = ConvTransposeText # [{
    Example:
    ```mlir
    %y = npu.conv_transpose1d(%x, %w) {dilations = [1], groups = 1, pads = [0, 0], strides = [2]} : (tensor<1x4x5xf32>, tensor<8x4x2xf32>) -> tensor<1x8x10xf32>
    ```
  }];
}
def NPU_ConvTranspose2dOp : NPU_ConvTransposeOp<"conv_transpose2d", 2> {
  let description = ConvTransposeText # [{
    Example:
    ```mlir
    %y = npu.conv_transpose2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x4x5x5xf32>, tensor<8x4x2x2xf32>) -> tensor<1x8x10x10xf32>
    ```
  }];
}
def NPU_ConvTranspose3dOp : NPU_ConvTransposeOp<"conv_transpose3d", 3> {
  let description = ConvTransposeText # [{
    Example:
    ```mlir
    %y = npu.conv_transpose3d(%x, %w) {dilations = [1, 1, 1], groups = 1, pads = [0, 0, 0, 0, 0, 0], strides = [2, 2, 2]} : (tensor<1x4x2x2x2xf32>, tensor<8x4x2x2x2xf32>) -> tensor<1x8x4x4x4xf32>
    ```
  }];
}

def NPU_WinogradWeightOp : NPU_KernelOp<"winograd_weight"> {
  let summary = "A 3x3 weight as Winograd's algorithm multiplies by it.";
  let description = [{
    Weight is (O, C, 3, 3), the result (O, C, tile + 2, tile + 2): each filter
    at the points of rows and columns. On a constant it folds away; its place is
    in front of `npu.conv2d_winograd` with the same `tile`.

    Example:
    ```mlir
    %u = npu.winograd_weight(%w) {tile = 4 : i64} : (tensor<8x4x3x3xf32>) -> tensor<8x4x6x6xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$weight, I64Attr:$tile);
  let results = (outs NPU_Tensor:$result);
}

def NPU_Conv2dWinogradOp : NPU_KernelOp<"conv2d_winograd"> {
  let summary = "A 3x3 convolution of stride 1 by Winograd's algorithm.";
  let description = [{
    What `npu.conv2d` gives with stride 1, no dilation and one group, but for
    rounding. Weight is the result of `npu.winograd_weight`. Tiles of
    tile x tile results (2 or 4) take (tile + 2)^2 multiply-adds for each pair of
    channels where the definition takes 9 tile^2.

    Example:
    ```mlir
    %y = npu.conv2d_winograd(%x, %u, %b) {pads = [1, 1, 1, 1], tile = 4 : i64} : (tensor<1x4x8x8xf32>, tensor<8x4x6x6xf32>, tensor<8xf32>) -> tensor<1x8x8x8xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$data, NPU_Tensor:$weight,
                       Optional<NPU_Tensor>:$bias, I64ArrayAttr:$pads,
                       I64Attr:$tile);
  let results = (outs NPU_Tensor:$result);
}

class NPU_PoolOp<string mnemonic> : NPU_KernelOp<mnemonic> {
  let results = (outs NPU_Tensor:$result);
}

def NPU_MaxPoolOp : NPU_PoolOp<"max_pool"> {
  let summary = "Maximum over windows of the spatial dimensions.";
  let description = [{
    Data is (N, C, spatial). Pads lists the beginnings, then the ends; the end
    may be shorter or longer than the last window (ceil mode is resolved into
    the result's shape). A NaN counts as nothing, or with `keep_nan` makes NaN
    of every window that it is in.

    Example:
    ```mlir
    %y = npu.max_pool(%x) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$data, I64ArrayAttr:$kernel,
                       I64ArrayAttr:$strides, I64ArrayAttr:$pads,
                       I64ArrayAttr:$dilations,
                       DefaultValuedAttr<BoolAttr, "false">:$keep_nan);
}

def NPU_AvgPoolOp : NPU_PoolOp<"avg_pool"> {
  let summary = "Average over windows of the spatial dimensions.";
  let description = [{
    As `npu.max_pool`; `count_include_pad` divides by the whole window, padding
    included. Global pooling is a window of the whole extent. The average of
    bytes is f32.

    Example:
    ```mlir
    %y = npu.avg_pool(%x) {dilations = [1, 1], kernel = [8, 8], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x1x1xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$data, I64ArrayAttr:$kernel,
                       I64ArrayAttr:$strides, I64ArrayAttr:$pads,
                       I64ArrayAttr:$dilations,
                       DefaultValuedAttr<BoolAttr, "false">:$count_include_pad);
}

def NPU_MaxPoolIndicesOp : NPU_PoolOp<"max_pool_indices"> {
  let summary = "Where the maxima of windows lie.";
  let description = [{
    Row-major positions in the data of what `npu.max_pool` gives, the first one
    of equals. With `column_major` the first spatial dimension counts as the
    innermost.

    Example:
    ```mlir
    %y = npu.max_pool_indices(%x) {column_major = false, dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xi64>
    ```
  }];
  let arguments = (ins NPU_Tensor:$data, I64ArrayAttr:$kernel,
                       I64ArrayAttr:$strides, I64ArrayAttr:$pads,
                       I64ArrayAttr:$dilations, BoolAttr:$column_major);
}

def NPU_MatmulOp : NPU_KernelOp<"matmul"> {
  let summary = "Matrix product of the last two dimensions.";
  let description = [{
    a is (..., M, K), b is (..., K, N); the dimensions before are batches,
    broadcast and aligned at the right. Both have rank 2 or more.

    Example:
    ```mlir
    %y = npu.matmul(%a, %b) : (tensor<1x8xf32>, tensor<8x4xf32>) -> tensor<1x4xf32>
    ```

    Of f32 data, b may be packed: a matrix of bytes, f16 or bf16 that stands for
    (number - zero point) * scale. With `bits` (2, 4) a byte (ui8) holds several
    numbers of one column, the first in its lowest bits, so that b has
    ceil(K * bits / 8) rows. `parameters` are a scale for each `block` rows of K
    and each column (or one for all columns), and zero points of the same shape,
    unless all are `zero_point`. Attributes speak of K, whatever order b has.
    With `quantize`, of packed integers, so many neighbours of each row of a have
    a scale: the largest magnitude of them is 127, all are rounded to such steps,
    halves to even, and multiplied as integers; what is not finite gives NaN. It
    is a multiple of `block`, or a divisor, unless it is K or more. Of -1 all of
    a is quantized as ONNX's DynamicQuantizeLinear does it, for i8 with one row
    of scales.

    Example:
    ```mlir
    %y = npu.matmul(%a, %b, %s, %z) {bits = 4 : i64, block = 4 : i64} : (tensor<1x8xf32>, tensor<4x16xui8>, tensor<2x16xf32>, tensor<2x16xui8>) -> tensor<1x16xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$a, NPU_Tensor:$b,
                       Variadic<NPU_Tensor>:$parameters,
                       DefaultValuedAttr<I64Attr, "0">:$bits,
                       DefaultValuedAttr<I64Attr, "0">:$block,
                       DefaultValuedAttr<I64Attr, "0">:$zero_point,
                       DefaultValuedAttr<I64Attr, "0">:$quantize);
  let results = (outs NPU_Tensor:$result);
  let builders = [OpBuilder<(ins "Type":$type, "Value":$a, "Value":$b), [{
    build($_builder, $_state, type, a, b, ValueRange());
  }]>];
  let extraClassDeclaration = [{
    /// Whether b stands for other numbers than it holds.
    bool isPacked();
  }];
}

def NPU_AttentionOp : NPU_KernelOp<"attention"> {
  let summary = "Softmax of queries by keys, times values, for each head.";
  let description = [{
    softmax(query * transpose(key) * scale + mask) * value over the last two
    dimensions. Query is (..., heads, M, D), key (..., heads, N, D), value
    (..., heads, N, V), the result (..., heads, M, V); all have one rank, 2 or
    more. Queries may have several times the heads of keys and values: each of
    these then serves as many that follow one another. The mask broadcasts to
    (..., heads, M, N); a boolean one adds nothing, but makes `fill` of scores
    where it is false; of bf16 one of f32 will do. With `causal` query m takes
    no key behind m + N - M.

    Example:
    ```mlir
    %y = npu.attention(%q, %k, %v, %m) {scale = 0.25 : f64} : (tensor<1x4x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x1x1x8xf32>) -> tensor<1x4x8x16xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$query, NPU_Tensor:$key, NPU_Tensor:$value,
                       Optional<NPU_Tensor>:$mask, F64Attr:$scale,
                       DefaultValuedAttr<F64Attr, "0.0">:$fill,
                       DefaultValuedAttr<BoolAttr, "false">:$causal);
  let results = (outs NPU_Tensor:$result);
}

def NPU_ConcatOp : NPU_KernelOp<"concat"> {
  let summary = "Joins tensors along one dimension.";
  let description = [{
    Example:
    ```mlir
    %y = npu.concat(%a, %b) {axis = 1 : i64} : (tensor<1x4x8x8xf32>, tensor<1x2x8x8xf32>) -> tensor<1x6x8x8xf32>
    ```
  }];
  let arguments = (ins Variadic<NPU_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs NPU_Tensor:$result);
}

def NPU_PadOp : NPU_KernelOp<"pad"> {
  let summary = "Pads every dimension at its two ends.";
  let description = [{
    `pads` lists the beginnings of all dimensions, then the ends; a negative
    amount crops. Modes: constant, reflect, edge, wrap.

    Example:
    ```mlir
    %y = npu.pad(%x) {mode = #npu.pad_mode<constant>, pads = [0, 0, 1, 1, 0, 0, 1, 1], value = 0.0 : f64} : (tensor<1x4x8x8xf32>) -> tensor<1x4x10x10xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$input, I64ArrayAttr:$pads,
                       NPU_PadModeAttr:$mode,
                       DefaultValuedAttr<F64Attr, "0.0">:$value);
  let results = (outs NPU_Tensor:$result);
}

def NPU_SliceOp : NPU_KernelOp<"slice"> {
  let summary = "A strided box of a tensor.";
  let description = [{
    Element i of a result dimension is element start + i * step of the input's.

    Example:
    ```mlir
    %y = npu.slice(%x) {starts = [0, 2], steps = [1, -1]} : (tensor<4x8xf32>) -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$input, I64ArrayAttr:$starts,
                       I64ArrayAttr:$steps);
  let results = (outs NPU_Tensor:$result);
}

def NPU_ReduceOp : NPU_KernelOp<"reduce"> {
  let summary = "Reduces some dimensions to one value each.";
  let description = [{
    Kinds: sum, mean, max, min, prod, l1, l2, log_sum, log_sum_exp, sum_square.

    Example:
    ```mlir
    %y = npu.reduce(%x) {axes = [2, 3], keep_dims = true, kind = #npu.reduce_kind<mean>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x1x1xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$input, NPU_ReduceKindAttr:$kind,
                       I64ArrayAttr:$axes, BoolAttr:$keep_dims);
  let results = (outs NPU_Tensor:$result);
}

def NPU_SoftmaxOp : NPU_KernelOp<"softmax"> {
  let summary = "Softmax, or its logarithm, along one dimension.";
  let description = [{
    Example:
    ```mlir
    %y = npu.softmax(%x) {axis = 1 : i64} : (tensor<1x10xf32>) -> tensor<1x10xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$input, I64Attr:$axis,
                       DefaultValuedAttr<BoolAttr, "false">:$is_log);
  let results = (outs NPU_Tensor:$result);
}

def NPU_ResizeOp : NPU_KernelOp<"resize"> {
  let summary = "Interpolates to another extent.";
  let description = [{
    Modes: nearest, linear, cubic. Coordinates: half_pixel, pytorch_half_pixel,
    align_corners, asymmetric, half_pixel_symmetric. Nearest:
    round_prefer_floor, round_prefer_ceil, floor, ceil. `scales` are the
    model's, one for each dimension, which need not be the quotient of extents.

    Example:
    ```mlir
    %y = npu.resize(%x) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0, 2.0]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x16x16xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$input, NPU_ResizeModeAttr:$mode,
                       NPU_ResizeCoordinatesAttr:$coordinates,
                       NPU_ResizeNearestAttr:$nearest, F64ArrayAttr:$scales,
                       DefaultValuedAttr<F64Attr, "-0.75">:$cubic_a,
                       DefaultValuedAttr<BoolAttr, "false">:$exclude_outside);
  let results = (outs NPU_Tensor:$result);
}

def NPU_GatherOp : NPU_KernelOp<"gather"> {
  let summary = "Picks slices along one dimension by index.";
  let description = [{
    The result's shape is the data's with the axis replaced by the indices'
    shape. Negative indices count from the end.

    Example:
    ```mlir
    %y = npu.gather(%x, %i) {axis = 0 : i64} : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$data, NPU_Tensor:$indices, I64Attr:$axis);
  let results = (outs NPU_Tensor:$result);
}

def NPU_GatherElementsOp : NPU_KernelOp<"gather_elements"> {
  let summary = "Picks single elements by their index along one dimension.";
  let description = [{
    The result has the shape of the indices; its element at p is the data's at
    p, with the axis' place taken by the index. Other dimensions of the indices
    may be shorter than the data's. Negative indices count from the end.

    Example:
    ```mlir
    %y = npu.gather_elements(%x, %i) {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x2xi64>) -> tensor<4x2xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$data, NPU_Tensor:$indices, I64Attr:$axis);
  let results = (outs NPU_Tensor:$result);
}

def NPU_GatherNdOp : NPU_KernelOp<"gather_nd"> {
  let summary = "Picks slices by an index for each of several dimensions.";
  let description = [{
    The last dimension of the indices holds one index for each data dimension
    behind the batch dimensions, which data and indices share.

    Example:
    ```mlir
    %y = npu.gather_nd(%x, %i) {batch_dims = 1 : i64} : (tensor<4x8x5xf32>, tensor<4x2x1xi64>) -> tensor<4x2x5xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$data, NPU_Tensor:$indices,
                       DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs NPU_Tensor:$result);
}

defvar ScatterText = [{
    Reductions: none (the last of several updates stays), add, mul, max, min.
}];

def NPU_ScatterElementsOp : NPU_KernelOp<"scatter_elements"> {
  let summary = "The data with single elements replaced or updated.";
  let description = [{
    The reverse of `npu.gather_elements`: updates have the indices' shape.
  }] # ScatterText # [{
    Example:
    ```mlir
    %y = npu.scatter_elements(%x, %i, %u) {axis = 1 : i64, reduction = #npu.scatter_reduction<add>} : (tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$data, NPU_Tensor:$indices,
                       NPU_Tensor:$updates, I64Attr:$axis,
                       NPU_ScatterReductionAttr:$reduction);
  let results = (outs NPU_Tensor:$result);
}

def NPU_ScatterNdOp : NPU_KernelOp<"scatter_nd"> {
  let summary = "The data with slices replaced or updated.";
  let description = [{
    The reverse of `npu.gather_nd` without batch dimensions.
  }] # ScatterText # [{
    Example:
    ```mlir
    %y = npu.scatter_nd(%x, %i, %u) {reduction = #npu.scatter_reduction<none>} : (tensor<4x8xf32>, tensor<2x1xi64>, tensor<2x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$data, NPU_Tensor:$indices,
                       NPU_Tensor:$updates,
                       NPU_ScatterReductionAttr:$reduction);
  let results = (outs NPU_Tensor:$result);
}

def NPU_TopKOp : NPU_KernelOp<"top_k"> {
  let summary = "Where the largest elements along one dimension lie.";
  let description = [{
    Positions of the result's extent of largest (or smallest) elements, best
    first; of equal elements the first one.

    Example:
    ```mlir
    %y = npu.top_k(%x) {axis = 1 : i64, largest = true} : (tensor<4x8xf32>) -> tensor<4x3xi64>
    ```
  }];
  let arguments = (ins NPU_Tensor:$input, I64Attr:$axis, BoolAttr:$largest);
  let results = (outs NPU_Tensor:$result);
}

def NPU_CumulateOp : NPU_KernelOp<"cumulate"> {
  let summary = "Sums or products of all elements up to each one.";
  let description = [{
    Kinds: sum, prod. `exclusive` leaves out the element itself, `reverse`
    starts at the end.

    Example:
    ```mlir
    %y = npu.cumulate(%x) {axis = 1 : i64, exclusive = false, kind = #npu.cumulate_kind<sum>, reverse = false} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$input, NPU_CumulateKindAttr:$kind,
                       I64Attr:$axis, BoolAttr:$exclusive, BoolAttr:$reverse);
  let results = (outs NPU_Tensor:$result);
}

def NPU_BroadcastOp : NPU_KernelOp<"broadcast"> {
  let summary = "Repeats unit dimensions up to the result's shape.";
  let description = [{
    Dimensions are aligned at the right.

    Example:
    ```mlir
    %y = npu.broadcast(%x) : (tensor<8x1x1xf32>) -> tensor<1x8x4x4xf32>
    ```
  }];
  let arguments = (ins NPU_Tensor:$input);
  let results = (outs NPU_Tensor:$result);
}

#endif // NPU_KERNEL_OPS_TD
