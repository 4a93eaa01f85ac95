// SPDX-License-Identifier: Apache-2.0
//
// Rewrites that do not depend on layout. They run before the layout stage, so
// that what it chooses for and prices are the kernels that will run.
#ifndef NPU_FUSION_PASSES_TD
#define NPU_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"
include "compiler/Fusion/QuantizationPasses.td"
include "compiler/Fusion/WindowPasses.td"

def Simplify : Pass<"npu-simplify", "::mlir::func::FuncOp"> {
  let summary = "Removes views and arithmetic on constants that cancel.";
  let description = [{
    Identity and inverse transposes and reshapes vanish, consecutive ones
    compose, transposes also around a reshape that moves whole parts of
    their dimensions, those of constants are computed; where a view adds or
    drops dimensions of one element is the same for all exporters, as is an
    average of a whole image. A function of a product stands in front of the
    product's reshapes, where its kernel takes it. Elementwise ops and
    reductions work on what a broadcast repeats, not on its repetitions. A
    gather of all places of a box is a slice, a scatter to them a concat, or
    a sum with what is padded. Halves that change places, or every second
    number (rotary embedding), are a slice from back to front. Affine steps
    with constants are brought into one form (x * scale, then + offset) and
    merge, where neither overflow nor the rounding of a large offset would
    show. Every rewrite is exact in real arithmetic.

    Example:
    ```mlir
    %0 = npu.transpose(%x) {permutation = [0, 2, 3, 1]} : (tensor<1x8x4x4xf32>) -> tensor<1x4x4x8xf32>
    %1 = npu.transpose(%0) {permutation = [0, 3, 1, 2]} : (tensor<1x4x4x8xf32>) -> tensor<1x8x4x4xf32>
    %three = npu.constant dense<3.0> : tensor<f32> -> tensor<f32>
    %2 = npu.eltwise add(%1, %three) : (tensor<1x8x4x4xf32>, tensor<f32>) -> tensor<1x8x4x4xf32>
    %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
    %3 = npu.eltwise sub(%2, %one) : (tensor<1x8x4x4xf32>, tensor<f32>) -> tensor<1x8x4x4xf32>
    ==>
    %two = npu.constant dense<2.0> : tensor<f32> -> tensor<f32>
    %3 = npu.eltwise add(%x, %two) : (tensor<1x8x4x4xf32>, tensor<f32>) -> tensor<1x8x4x4xf32>
    ```
    test/compiler/Fusion/simplify.mlir runs more.
  }];
  let dependentDialects = ["::npu::NPUDialect"];
}

def WidenTypes : Pass<"npu-widen-types", "::mlir::func::FuncOp"> {
  let summary = "Computes in f32 what the target only stores in 16 bits.";
  let description = [{
    Of a target's `storage_types` (f16, bf16) the function's inputs and outputs
    stay, and what a model rounds from f32; what is computed is f32, and is not
    rounded where the model goes on in f32. A matrix that a product multiplies
    rows by stays as it is stored, and a table until its rows are picked; other
    constants are converted.

    Example:
    ```mlir
    %w = npu.constant dense<1.0> : tensor<64x8xf16> -> tensor<64x8xf16>
    %0 = npu.matmul(%x, %w) : (tensor<4x64xf16>, tensor<64x8xf16>) -> tensor<4x8xf16>
    ==>
    %1 = npu.eltwise cast(%x) : (tensor<4x64xf16>) -> tensor<4x64xf32>
    %w = npu.constant dense<1.0> : tensor<64x8xf16> -> tensor<64x8xf16>
    %0 = npu.matmul(%1, %w) : (tensor<4x64xf32>, tensor<64x8xf16>) -> tensor<4x8xf32>
    %2 = npu.eltwise cast(%0) : (tensor<4x8xf32>) -> tensor<4x8xf16>
    ```
    test/compiler/Fusion/widen-types.mlir runs it.
  }];
  let options = [
    Option<"target", "target", "std::string", "",
           "Name of a shipped target or path of a target file; without one, as "
           "for a target that stores f16">,
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

def SinkTransposes : Pass<"npu-sink-transposes", "::mlir::func::FuncOp"> {
  let summary = "Moves logical transposes below elementwise and axis-wise ops.";
  let description = [{
    A transpose only renames dimensions, so it commutes with an elementwise op,
    and with concat, pad and reduce once their axes are renamed; one of spatial
    dimensions also with windows, whose constant weights it turns. Sinking lets a
    convolution meet the elementwise ops of a channels-last model, and a
    transpose meet its inverse. Transposes are free views where layouts allow;
    the pass does not try to have fewer of them.

    Example:
    ```mlir
    %0 = npu.transpose(%x) {permutation = [0, 2, 3, 1]} : (tensor<1x8x4x4xf32>) -> tensor<1x4x4x8xf32>
    %1 = npu.eltwise relu(%0) : (tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
    ==>
    %0 = npu.eltwise relu(%x) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %1 = npu.transpose(%0) {permutation = [0, 2, 3, 1]} : (tensor<1x8x4x4xf32>) -> tensor<1x4x4x8xf32>
    ```
    test/compiler/Fusion/sink-transposes.mlir runs more.
  }];
  let dependentDialects = ["::npu::NPUDialect"];
}

def SplitProducts : Pass<"npu-split-products", "::mlir::func::FuncOp"> {
  let summary = "Makes products of their own of the parts that are read of one.";
  let description = [{
    Where all that is read of a matrix product by constants are runs of its
    columns, each is a product by its part of the weights: queries, keys and
    values that a model has in one matrix, the halves of a gate. So is each run
    of a convolution's channels. Between product and slices may be elementwise
    ops beside constants, reshapes that cut the columns (into heads, of each of
    which a run may be read), and transposes. Not where the data, read once more
    for each further part, is larger than what the slices copy; nor where parts
    lie in one piece and need no copy: of one row, and of channels in front of
    the image.

    Example:
    ```mlir
    %w = npu.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
    %0 = npu.matmul(%x, %w) : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
    %a = npu.slice(%0) {starts = [0, 0], steps = [1, 1]} : (tensor<4x2xf32>) -> tensor<4x1xf32>
    %b = npu.slice(%0) {starts = [0, 1], steps = [1, 1]} : (tensor<4x2xf32>) -> tensor<4x1xf32>
    %y = npu.eltwise mul(%a, %b) : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
    ==>
    %v = npu.constant dense<[[1.0], [3.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
    %a = npu.matmul(%x, %v) : (tensor<4x2xf32>, tensor<2x1xf32>) -> tensor<4x1xf32>
    %w = npu.constant dense<[[2.0], [4.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
    %b = npu.matmul(%x, %w) : (tensor<4x2xf32>, tensor<2x1xf32>) -> tensor<4x1xf32>
    %y = npu.eltwise mul(%a, %b) : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
    ```
    test/compiler/Fusion/split-products.mlir runs more.
  }];
  let options = [
    Option<"target", "target", "std::string", "",
           "Name of a shipped target or path of a target file, by which results "
           "are stored (default: channels last)">,
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

def SinkReshapes : Pass<"npu-sink-reshapes", "::mlir::func::FuncOp"> {
  let summary = "Moves reshapes that merge transposed dimensions below ops.";
  let description = [{
    A dimension that is merged of two, which a transpose has brought together,
    has no place in memory as long as nothing is moved: heads and windows are
    one batch in the model, and tokens lie between them. What computes in the
    last dimensions does not mind in how many others its rows lie. So the
    reshape moves below elementwise ops, concat, slice, reductions that keep
    their dimensions, softmax, normalisation and the batch of a product, until
    it meets the one that takes the dimensions apart again. Rows and columns of
    products stay what they are: an array takes many rows at once.

    Example:
    ```mlir
    %0 = npu.transpose(%x) {permutation = [0, 2, 1, 3]} : (tensor<2x8x4x16xf32>) -> tensor<2x4x8x16xf32>
    %1 = npu.reshape(%0) : (tensor<2x4x8x16xf32>) -> tensor<8x8x16xf32>
    %2 = npu.softmax(%1) {axis = 2 : i64} : (tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    ==>
    %0 = npu.transpose(%x) {permutation = [0, 2, 1, 3]} : (tensor<2x8x4x16xf32>) -> tensor<2x4x8x16xf32>
    %1 = npu.softmax(%0) {axis = 3 : i64} : (tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
    %2 = npu.reshape(%1) : (tensor<2x4x8x16xf32>) -> tensor<8x8x16xf32>
    ```
    test/compiler/Fusion/sink-reshapes.mlir runs more.
  }];
  let dependentDialects = ["::npu::NPUDialect"];
}

def MatchActivations : Pass<"npu-match-activations", "::mlir::func::FuncOp"> {
  let summary = "Recognises activations that the model spells out.";
  let description = [{
    Clip, ReLU, hard sigmoid, hard swish, swish and GELU written as products,
    sums and bounds become one elementwise function each. Only where both sides
    are equal in real arithmetic.

    Example:
    ```mlir
    %three = npu.constant dense<3.0> : tensor<f32> -> tensor<f32>
    %sixth = npu.constant dense<0.166666672> : tensor<f32> -> tensor<f32>
    %0 = npu.eltwise add(%x, %three) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
    %1 = npu.eltwise clip(%0) {alpha = 0.0 : f32, beta = 6.0 : f32} : (tensor<1x8xf32>) -> tensor<1x8xf32>
    %2 = npu.eltwise mul(%x, %1) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
    %3 = npu.eltwise mul(%2, %sixth) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
    ==>
    %3 = npu.eltwise hard_swish(%x) {alpha = 0.166666672 : f32, beta = 5.000000e-01 : f32} : (tensor<1x8xf32>) -> tensor<1x8xf32>
    ```
    test/compiler/Fusion/match-activations.mlir runs more.
  }];
  let dependentDialects = ["::npu::NPUDialect"];
}

def MatchNorms : Pass<"npu-match-norms", "::mlir::func::FuncOp"> {
  let summary = "Recognises normalisations that the model spells out.";
  let description = [{
    A value less its mean over some dimensions, divided by the root of its
    variance over the same ones plus a small number, becomes one
    `npu.tensornorm`, also where exporters spread it into x * f - mean * f, and
    without centering where the root is of the mean of its own squares.
    Constants behind it that vary along one dimension become its scale and bias.
    One between two reshapes that cut dimensions into groups, or merge them, is
    one of groups on the data itself.
    Only where both sides are equal in real arithmetic.

    Example:
    ```mlir
    %eps = npu.constant dense<1.0e-5> : tensor<f32> -> tensor<f32>
    %0 = npu.reduce(%x) {axes = [1], keep_dims = true, kind = #npu.reduce_kind<mean>} : (tensor<4x8xf32>) -> tensor<4x1xf32>
    %1 = npu.eltwise sub(%x, %0) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
    %2 = npu.eltwise mul(%1, %1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %3 = npu.reduce(%2) {axes = [1], keep_dims = true, kind = #npu.reduce_kind<mean>} : (tensor<4x8xf32>) -> tensor<4x1xf32>
    %4 = npu.eltwise add(%3, %eps) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
    %5 = npu.eltwise sqrt(%4) : (tensor<4x1xf32>) -> tensor<4x1xf32>
    %6 = npu.eltwise div(%1, %5) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
    ==>
    %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
    %6 = npu.tensornorm(%x, %one) {axes = [1], epsilon = 9.9999997473787516E-6 : f64} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    ```
    test/compiler/Fusion/match-norms.mlir runs more.
  }];
  let dependentDialects = ["::npu::NPUDialect"];
}

def MatchAttention : Pass<"npu-match-attention", "::mlir::func::FuncOp"> {
  let summary = "Recognises attention that the model spells out.";
  let description = [{
    Softmax of the product of queries and transposed keys, with one factor and
    masks that are added or one that chooses, times values, becomes one
    `npu.attention`, if the target lists `attention` under `algorithms` and
    neither its `unsupported` nor the conditions of its `demands` exclude it
    (with `fuses: library`, if the kernel library has a kernel for it that is no
    reference). Nobody else may read what lies between. The layout search still
    takes the parts where they are cheaper.

    Example:
    ```mlir
    %s = npu.constant dense<0.25> : tensor<f32> -> tensor<f32>
    %0 = npu.transpose(%k) {permutation = [0, 1, 3, 2]} : (tensor<1x2x8x16xf32>) -> tensor<1x2x16x8xf32>
    %1 = npu.matmul(%q, %0) : (tensor<1x2x8x16xf32>, tensor<1x2x16x8xf32>) -> tensor<1x2x8x8xf32>
    %2 = npu.eltwise mul(%1, %s) : (tensor<1x2x8x8xf32>, tensor<f32>) -> tensor<1x2x8x8xf32>
    %3 = npu.softmax(%2) {axis = 3 : i64} : (tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32>
    %4 = npu.matmul(%3, %v) : (tensor<1x2x8x8xf32>, tensor<1x2x8x16xf32>) -> tensor<1x2x8x16xf32>
    ==>
    %4 = npu.attention(%q, %k, %v) {scale = 2.500000e-01 : f64} : (tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>) -> tensor<1x2x8x16xf32>
    ```
    test/compiler/Fusion/match-attention.mlir runs more.
  }];
  let options = [
    Option<"target", "target", "std::string", "",
           "Name of a shipped target or path of a target file (default: one "
           "that lists attention, without conditions)">,
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

def MatchRanges : Pass<"npu-match-ranges", "::mlir::func::FuncOp"> {
  let summary = "Takes few rows that are quantized by their range as they are.";
  let description = [{
    Up to 4 rows of data that become bytes by the range of all of it, as ONNX's
    DynamicQuantizeLinear has it, are multiplied by constant bytes, and the sums,
    less what the zero point adds to them, by both scales: one `npu.matmul` of
    the data that quantizes it, if the target lists `quantized_rows` under
    `algorithms`. Its numbers are the same to the bit. Each product of the same
    rows quantizes them for itself, which takes less than a kernel's start.

    Example:
    ```mlir
    %zero = npu.constant dense<0.0> : tensor<f32> -> tensor<f32>
    %one = npu.constant dense<1.0> : tensor<f32> -> tensor<f32>
    %steps = npu.constant dense<255.0> : tensor<f32> -> tensor<f32>
    %half = npu.constant dense<0.5> : tensor<f32> -> tensor<f32>
    %w = npu.constant dense<1> : tensor<64x8xi8> -> tensor<64x8xi8>
    %sums = npu.constant dense<64> : tensor<1x8xi32> -> tensor<1x8xi32>
    %0 = npu.reduce(%x) {axes = [0, 1], keep_dims = false, kind = #npu.reduce_kind<min>} : (tensor<1x64xf32>) -> tensor<f32>
    %1 = npu.eltwise min(%zero, %0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %2 = npu.reduce(%x) {axes = [0, 1], keep_dims = false, kind = #npu.reduce_kind<max>} : (tensor<1x64xf32>) -> tensor<f32>
    %3 = npu.eltwise max(%zero, %2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %4 = npu.eltwise sub(%3, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %5 = npu.eltwise equal(%4, %zero) : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %6 = npu.eltwise div(%4, %steps) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %7 = npu.eltwise select(%5, %one, %6) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %8 = npu.eltwise sub(%zero, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %9 = npu.eltwise div(%8, %7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %10 = npu.eltwise round(%9) : (tensor<f32>) -> tensor<f32>
    %11 = npu.eltwise cast(%10) : (tensor<f32>) -> tensor<ui8>
    %12 = npu.eltwise cast(%11) : (tensor<ui8>) -> tensor<f32>
    %13 = npu.eltwise div(%x, %7) : (tensor<1x64xf32>, tensor<f32>) -> tensor<1x64xf32>
    %14 = npu.eltwise round(%13) : (tensor<1x64xf32>) -> tensor<1x64xf32>
    %15 = npu.eltwise add(%14, %12) : (tensor<1x64xf32>, tensor<f32>) -> tensor<1x64xf32>
    %16 = npu.eltwise cast(%15) : (tensor<1x64xf32>) -> tensor<1x64xui8>
    %17 = npu.matmul(%16, %w) : (tensor<1x64xui8>, tensor<64x8xi8>) -> tensor<1x8xi32>
    %18 = npu.eltwise cast(%11) : (tensor<ui8>) -> tensor<i32>
    %19 = npu.eltwise mul(%18, %sums) : (tensor<i32>, tensor<1x8xi32>) -> tensor<1x8xi32>
    %20 = npu.eltwise sub(%17, %19) : (tensor<1x8xi32>, tensor<1x8xi32>) -> tensor<1x8xi32>
    %21 = npu.eltwise cast(%20) : (tensor<1x8xi32>) -> tensor<1x8xf32>
    %22 = npu.eltwise mul(%7, %half) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %23 = npu.eltwise mul(%21, %22) : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
    ==>
    %w = npu.constant dense<1> : tensor<64x8xi8> -> tensor<64x8xi8>
    %half = npu.constant dense<5.000000e-01> : tensor<1x1xf32> -> tensor<1x1xf32>
    %23 = npu.matmul(%x, %w, %half) {block = 64 : i64, quantize = -1 : i64} : (tensor<1x64xf32>, tensor<64x8xi8>, tensor<1x1xf32>) -> tensor<1x8xf32>
    ```
    test/compiler/Fusion/match-ranges.mlir runs more.
  }];
  let options = [
    Option<"target", "target", "std::string", "",
           "Name of a shipped target or path of a target file (default: one "
           "that lists quantized_rows)">,
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

def FoldScale : Pass<"npu-fold-scale", "::mlir::func::FuncOp"> {
  let summary = "Folds per-channel scales and offsets into weights and bias.";
  let description = [{
    An elementwise add, sub, mul or div by a constant with one value for each
    output channel (or one for all) behind a convolution or a matrix product
    with constant weights, which nothing else reads, changes the weights and the
    bias instead. This is the folding of batch normalisation. A bias that is 0
    in every channel goes.

    Example:
    ```mlir
    %w = npu.constant dense<2.0> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
    %scale = npu.constant dense<[[[3.0]], [[4.0]]]> : tensor<2x1x1xf32> -> tensor<2x1x1xf32>
    %offset = npu.constant dense<[[[5.0]], [[6.0]]]> : tensor<2x1x1xf32> -> tensor<2x1x1xf32>
    %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x1x8x8xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x8x8xf32>
    %1 = npu.eltwise mul(%0, %scale) : (tensor<1x2x8x8xf32>, tensor<2x1x1xf32>) -> tensor<1x2x8x8xf32>
    %2 = npu.eltwise add(%1, %offset) : (tensor<1x2x8x8xf32>, tensor<2x1x1xf32>) -> tensor<1x2x8x8xf32>
    ==>
    %w = npu.constant dense<[[[[6.0]]], [[[8.0]]]]> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
    %b = npu.constant dense<[5.0, 6.0]> : tensor<2xf32> -> tensor<2xf32>
    %0 = npu.conv2d(%x, %w, %b) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x1x8x8xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x2x8x8xf32>
    ```
    test/compiler/Fusion/fold-scale.mlir runs more.
  }];
  let dependentDialects = ["::npu::NPUDialect"];
}

def MergeBranches : Pass<"npu-merge-branches", "::mlir::func::FuncOp"> {
  let summary = "Makes one convolution of several whose results are added.";
  let description = [{
    Convolutions of the same data by constants of f32, of the same strides and
    groups, whose results are added and read by nothing else, are one with the
    sum of their weights, where the window of one lies in the other's. So is the
    data beside one of each channel, or a multiple of it with an offset, but for
    types that keep little of a weight beside 1. Not of narrower numbers.

    Example:
    ```mlir
    %w = npu.constant dense<[[[[1.0, 2.0, 4.0]]]]> : tensor<1x1x1x3xf32> -> tensor<1x1x1x3xf32>
    %v = npu.constant dense<3.0> : tensor<1x1x1x1xf32> -> tensor<1x1x1x1xf32>
    %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 1, 0, 1], strides = [1, 1]} : (tensor<1x1x8x8xf32>, tensor<1x1x1x3xf32>) -> tensor<1x1x8x8xf32>
    %1 = npu.conv2d(%x, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x1x8x8xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x8x8xf32>
    %2 = npu.eltwise add(%0, %1) : (tensor<1x1x8x8xf32>, tensor<1x1x8x8xf32>) -> tensor<1x1x8x8xf32>
    ==>
    %w = npu.constant dense<[[[[1.0, 5.0, 4.0]]]]> : tensor<1x1x1x3xf32> -> tensor<1x1x1x3xf32>
    %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 1, 0, 1], strides = [1, 1]} : (tensor<1x1x8x8xf32>, tensor<1x1x1x3xf32>) -> tensor<1x1x8x8xf32>
    ```
    test/compiler/Fusion/merge-branches.mlir runs more.
  }];
  let options = [Option<"ownData", "own-data", "bool", "true",
                        "whether data, or a multiple of it, is a branch">];
  let dependentDialects = ["::npu::NPUDialect"];
}
def SinkResizes : Pass<"npu-sink-resizes", "::mlir::func::FuncOp"> {
  let summary = "Moves resizes that enlarge below products of channels.";
  let description = [{
    A resize is a linear function of each channel alone, so it commutes with a
    convolution whose window is one element, and with a product by a constant
    matrix, of f32. Where it makes its data larger, the product is of the smaller
    data then. Out of a concat of channels a resize moves alike: what is left of
    the concat has a product of its own, by its part of the weights, and the sum
    with it is one kernel. Not where a resize, or the concat, has other readers,
    where what the products make is much more to resize, and where more elements
    move than the multiplications that are saved are worth. A resize of all
    data stays where functions of the product would become a kernel.

    Example:
    ```mlir
    %w = npu.constant dense<2.0> : tensor<1x17x1x1xf32> -> tensor<1x17x1x1xf32>
    %0 = npu.resize(%a) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0, 2.0]} : (tensor<1x16x8x8xf32>) -> tensor<1x16x16x16xf32>
    %1 = npu.concat(%0, %b) {axis = 1 : i64} : (tensor<1x16x16x16xf32>, tensor<1x1x16x16xf32>) -> tensor<1x17x16x16xf32>
    %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x17x16x16xf32>, tensor<1x17x1x1xf32>) -> tensor<1x1x16x16xf32>
    ==>
    %v = npu.constant dense<2.0> : tensor<1x1x1x1xf32> -> tensor<1x1x1x1xf32>
    %0 = npu.conv2d(%b, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x1x16x16xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x16x16xf32>
    %w = npu.constant dense<2.0> : tensor<1x16x1x1xf32> -> tensor<1x16x1x1xf32>
    %1 = npu.conv2d(%a, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x16x8x8xf32>, tensor<1x16x1x1xf32>) -> tensor<1x1x8x8xf32>
    %2 = npu.resize(%1) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0, 2.0]} : (tensor<1x1x8x8xf32>) -> tensor<1x1x16x16xf32>
    %3 = npu.eltwise add(%0, %2) : (tensor<1x1x16x16xf32>, tensor<1x1x16x16xf32>) -> tensor<1x1x16x16xf32>
    ```
    test/compiler/Fusion/sink-resizes.mlir runs more.
  }];
  let dependentDialects = ["::npu::NPUDialect"];
}

def MergeProducts : Pass<"npu-merge-products", "::mlir::func::FuncOp"> {
  let summary = "Makes one product of two by constants, where it multiplies less.";
  let description = [{
    A product by constants of each position's channels of what another one
    gives, which nothing else reads, with transposes, reshapes that keep
    channels together and sums with constants of channels in between, is one by
    both weights' product, where that multiplies less. Not of narrower numbers.

    Example:
    ```mlir
    %w = npu.constant dense<2.0> : tensor<1x3x1x1xf32> -> tensor<1x3x1x1xf32>
    %v = npu.constant dense<3.0> : tensor<3x1x1x1xf32> -> tensor<3x1x1x1xf32>
    %0 = npu.conv2d(%x, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x1x8x8xf32>, tensor<3x1x1x1xf32>) -> tensor<1x3x8x8xf32>
    %1 = npu.conv2d(%0, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x3x8x8xf32>, tensor<1x3x1x1xf32>) -> tensor<1x1x8x8xf32>
    ==>
    %w = npu.constant dense<18.0> : tensor<1x1x1x1xf32> -> tensor<1x1x1x1xf32>
    %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x1x8x8xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x8x8xf32>
    ```
    test/compiler/Fusion/merge-products.mlir runs more.
  }];
  let dependentDialects = ["::npu::NPUDialect"];
}
def LowerPrecision : Pass<"npu-lower-precision", "::mlir::func::FuncOp"> {
  let summary = "Makes products of f32 of bf16.";
  let description = [{
    A convolution or matrix product of f32 gets its two factors in bf16, and sums
    in f32 as before; constants are converted at once, to the nearest, halves to
    even. Only where at least 64 products are made of each number that is
    converted by itself; what such an op stores is converted as it is stored, and
    where elementwise functions alone read it, too, they read the bf16. Attention
    gets queries, keys and values in bf16 and stores bf16; scores and sums are
    f32. A norm of which only the conversion is read stores bf16. It runs for
    `npuc --precision=bf16`.

    Example:
    ```mlir
    %w = npu.constant dense<1.0> : tensor<64x64xf32> -> tensor<64x64xf32>
    %1 = npu.matmul(%x, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    ==>
    %2 = npu.eltwise cast(%x) : (tensor<8x64xf32>) -> tensor<8x64xbf16>
    %w = npu.constant dense<1.0> : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %1 = npu.matmul(%2, %w) : (tensor<8x64xbf16>, tensor<64x64xbf16>) -> tensor<8x64xf32>
    ```
    test/compiler/Fusion/lower-precision.mlir runs it.
  }];
  let options = [
    Option<"target", "target", "std::string", "",
           "Name of a shipped target or path of a target file; without one, as "
           "for a target that has bf16">,
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

def QuantizeData : Pass<"npu-quantize-data", "::mlir::func::FuncOp"> {
  let summary = "Makes products of f32 data with packed integers sum integers.";
  let description = [{
    A product of f32 data whose constant weights are stored in 2, 4 or 8 bits gets
    `quantize` for `npuc --precision=i8`: each 32 neighbours of a row of the data
    become 127ths of their largest magnitude, sums are of integers. Only where at
    least 64 products are made of each number. Blocks of weights that are no
    multiple of 32, but of 4, are rounded by themselves.

    Example:
    ```mlir
    %w = npu.constant dense<1> : tensor<64x64xi8> -> tensor<64x64xi8>
    %s = npu.constant dense<0.5> : tensor<1x64xf32> -> tensor<1x64xf32>
    %1 = npu.matmul(%x, %w, %s) {block = 64 : i64} : (tensor<8x64xf32>, tensor<64x64xi8>, tensor<1x64xf32>) -> tensor<8x64xf32>
    ==>
    %w = npu.constant dense<1> : tensor<64x64xi8> -> tensor<64x64xi8>
    %s = npu.constant dense<0.5> : tensor<1x64xf32> -> tensor<1x64xf32>
    %1 = npu.matmul(%x, %w, %s) {block = 64 : i64, quantize = 32 : i64} : (tensor<8x64xf32>, tensor<64x64xi8>, tensor<1x64xf32>) -> tensor<8x64xf32>
    ```
    test/compiler/Fusion/quantize-data.mlir runs it.
  }];
  let options = [
    Option<"target", "target", "std::string", "",
           "Name of a shipped target or path of a target file; without one, as "
           "for a target that has i8">,
    Option<"asked", "asked", "bool", "false", "What has it loses it without i8">,
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

def ShareEqual : Pass<"npu-share-equal", "::mlir::func::FuncOp"> {
  let summary = "Computes once what the model computes several times.";
  let description = [{
    Ops of one kind on the same values, with the same attributes, are one, which
    is the op of all their nodes. Exporters write the angles of positions, or a
    mask, again for each layer.

    Example:
    ```mlir
    %0 = npu.eltwise cos(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %1 = npu.eltwise cos(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = npu.eltwise add(%0, %1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    ==>
    %0 = npu.eltwise cos(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = npu.eltwise add(%0, %0) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
    test/compiler/Fusion/share-equal.mlir runs more.
  }];
  let dependentDialects = ["::npu::NPUDialect"];
}

def PlaceOps : Pass<"npu-place-ops", "::mlir::func::FuncOp"> {
  let summary = "Decides which ops the processor beside the chip runs.";
  let description = [{
    What the target lacks (`unsupported`, `types`, demands of which no entry's
    conditions hold) goes to its `fallback`, and with it the light ops that stand
    between such ops, which would be crossed into and out of again; without a
    fallback, one error names all that the target lacks and why. Of a target
    without floats and without a fallback, `host` quantizes the model's real
    inputs and dequantizes its results, and nothing else. It stands ahead of
    `npu-fuse`, which makes no kernel of ops that run in two places.

    Example (`target=test/compiler/Fusion/Inputs/no-softmax.yaml`):
    ```mlir
    %0 = npu.softmax(%x) {axis = 1 : i64} : (tensor<1x8xf32>) -> tensor<1x8xf32>
    ==>
    %0 = npu.softmax(%x) {axis = 1 : i64, npu.on_processor = {change = "use another op, or take it out of `unsupported`", why = "is listed in `unsupported`"}} : (tensor<1x8xf32>) -> tensor<1x8xf32>
    ```
    test/compiler/Fusion/place-ops.mlir runs more.
  }];
  let options = [
    Option<"target", "target", "std::string", "",
           "Name of a shipped target or path of a target file">,
  ];
  let statistics = [
    Statistic<"placed", "placed", "Ops that the processor runs">,
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

def Fuse : Pass<"npu-fuse", "::mlir::func::FuncOp"> {
  let summary = "Groups ops that run as one kernel into npu.fused.";
  let description = [{
    A convolution, pooling or matrix product takes in the elementwise ops behind
    it, as many as the target's `fuses` lists as one kernel; then elementwise ops
    of one shape that feed each other form groups of their own, if it lists such.
    Of `fuses: library` the kernel library is asked. A value inside a group is
    read by nothing outside of it. Without a target everything is one kernel.

    Example:
    ```mlir
    %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<8x4x1x1xf32>) -> tensor<1x8x8x8xf32>
    %1 = npu.eltwise add(%0, %r) : (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    ==>
    %0 = npu.fused(%x, %w, %r) : (tensor<1x4x8x8xf32>, tensor<8x4x1x1xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32> {
    ^bb0(%a: tensor<1x4x8x8xf32>, %b: tensor<8x4x1x1xf32>, %c: tensor<1x8x8x8xf32>):
      %1 = npu.conv2d(%a, %b) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<8x4x1x1xf32>) -> tensor<1x8x8x8xf32>
      %2 = npu.eltwise add(%1, %c) : (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
      npu.yield %2 : tensor<1x8x8x8xf32>
    }
    ```
    test/compiler/Fusion/fuse.mlir runs more.
  }];
  let options = [
    Option<"target", "target", "std::string", "",
           "Name of a shipped target or path of a target file (default: one "
           "that has a kernel for every group)">,
  ];
  let statistics = [
    Statistic<"rooted", "rooted", "Groups built around a kernel">,
    Statistic<"chains", "chains", "Groups of elementwise ops">,
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

#endif // NPU_FUSION_PASSES_TD
