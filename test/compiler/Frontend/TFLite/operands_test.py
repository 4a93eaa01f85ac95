# SPDX-License-Identifier: Apache-2.0
"""Operators whose operands or options do not fit: one error at the operator, exit code 1 (5 where npuc lacks something)."""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from tflite_builder import TYPES, Graph, Quant, Tensor
from tflite_indices import sparse_constant

Change = Callable[[schema.SparsityParametersT], None]
# Shapes of data, or numbers that are known; a number alone is a scalar.
Operand = np.ndarray | list | int | float | str
X = "data"  # 2x3x4 f32
Row = tuple[str, list, dict, int, str]


def known(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int32)


def options(name: str, **attributes: object) -> dict:
    return {"options": name + "Options", **attributes}


def grown(options: bytes) -> dict:
    """MediaPipe's transposed convolution."""
    return {"custom": "Convolution2DTransposeBias", "custom_options": options}


def strided(begins: list, ends: list, strides: list, **masks: object) -> tuple[list, dict]:
    return [X, known(*begins), known(*ends), known(*strides)], options("StridedSlice", **masks)


ROWS: list[Row] = [
    ("RESHAPE", [X, known(5, 5)], {}, 1, "cannot reshape 2x3x4 to 5x5"),
    ("RESHAPE", [X, known(-2, 5)], {}, 1, "expected sizes from 0 on"),
    ("RESHAPE", [X, "i32"], {}, 5, "has a shape that its data decides, expected constant integers"),
    ("RFFT2D", [X, known(1, 0)], {}, 1, "transforms data 2x3x4 with the lengths 1x0, expected two dimensions or more, and two lengths above 0"),
    ("CUSTOM", [[1, 4, 4, 3], [6, 2, 2, 3], [6]], grown(b"1234"), 1, "has 4 bytes of options, expected 12 or more"),
    ("CUSTOM", [[1, 4, 4, 3], [6, 2, 2, 3], [6]], grown(known(3, 2, 0).tobytes()), 1, "has the padding 3 and strides 0x2, expected 1 or 2, and strides above 0"),
    ("EXPAND_DIMS", [X, known(5)], {}, 1, "has the dimension 5, expected one of 4"),
    ("EXPAND_DIMS", [X, known(0, 1)], {}, 1, "has 2 numbers as a dimension, expected one"),
    ("SQUEEZE", [X], options("Squeeze", squeezeDims=[1]), 1, "takes dimension 1 out of 2x3x4, expected one of size 1"),
    ("SQUEEZE", [X], options("Squeeze", squeezeDims=[7]), 1, "has the dimension 7, expected one of 3"),
    ("TRANSPOSE", [X, known(0, 1)], {}, 1, "permutation"),
    ("TRANSPOSE", [X, known(0, 1, 3)], {}, 1, "has the dimension 3, expected one of 3"),
    ("REVERSE_V2", [X, known(-4)], {}, 1, "has the dimension -4, expected one of 3"),
    ("SPACE_TO_DEPTH", [X], options("SpaceToDepth", blockSize=2), 1, "expected an image and 1 to 2^15"),
    ("SPACE_TO_DEPTH", [[1, 3, 4, 2]], options("SpaceToDepth", blockSize=2), 1, "expected whole blocks of 2"),
    ("DEPTH_TO_SPACE", [[1, 3, 4, 2]], options("DepthToSpace", blockSize=0), 1, "blocks of 0, expected an image"),
    ("DEPTH_TO_SPACE", [[1, 3, 4, 2]], options("DepthToSpace", blockSize=2), 1, ", expected channels for blocks of 2"),
    ("SPACE_TO_BATCH_ND", [X, known(2, 2, 2), known(0, 0)], {}, 1, "found 3 blocks and 2 borders for data of rank 3, expected two borders for each"),
    ("SPACE_TO_BATCH_ND", [X, known(0), known(0, 0)], {}, 1, "has a block of 0, expected 1 to 32767"),
    ("SPACE_TO_BATCH_ND", [X, known(2), known(0, -1)], {}, 1, "has the border -1, expected 0 to 2^31"),
    ("SPACE_TO_BATCH_ND", [X, known(2), known(0, 0)], {}, 1, "has 3 elements in dimension 1, expected whole blocks of 2"),
    ("BATCH_TO_SPACE_ND", [X, known(4), known(0, 0)], {}, 1, "has the batch 2, expected whole blocks of 4"),
    ("BATCH_TO_SPACE_ND", [X, known(2), known(4, 4)], {}, 1, "crops more than dimension 1 has"),
    ("CONCATENATION", [X, X], options("Concatenation", axis=3), 1, "has the dimension 3, expected one of 3"),
    ("CONCATENATION", [X, [2, 2]], options("Concatenation", axis=0), 1, "shapes 2x3x4 and 2x2 differ beside axis 0"),
    ("CONCATENATION", [X, X], options("Concatenation", fusedActivationFunction=1), 5, "has a fused activation, which LiteRT has not"),
    ("CONCATENATION", [X, None], options("Concatenation"), 1, "has no operand 1"),
    ("PACK", [X, [2, 2]], options("Pack", axis=0), 1, "packs tensors of several shapes, expected one"),
    ("PACK", [X, X], options("Pack", axis=-5), 1, "has the dimension -5, expected one of 4"),
    ("TILE", [X, known(2)], {}, 1, "found 1 multiples for data of shape 2x3x4"),
    ("TILE", [X, known(1, 1, -1)], {}, 1, "found -1 repeats, expected 0 to 2^31"),
    ("BROADCAST_TO", [X, known(5, 3, 4)], {}, 1, "5x3x4"),
    ("FILL", [known(2), X], {}, 1, "fills with 2x3x4, expected one number"),
    ("FILL", [known(-2), []], {}, 1, "-2"),
    ("PAD", [X, known(1, 1)], {}, 1, "found 2 paddings, expected two for each of 3 dimensions"),
    ("PAD", [X, known(1, 1, 1, 1, 1, -1)], {}, 1, "pads by -1, expected 0 to 2^31"),
    ("PADV2", [X, known(1, 1, 1, 1, 1, 1), []], {}, 5, "has a number to pad with that its data decides"),
    ("MIRROR_PAD", [X, known(2, 0, 0, 0, 0, 0)], options("MirrorPad"), 1, "mirrors 2 elements of dimension 0, expected at most 1"),
    ("MIRROR_PAD", [X, known(3, 0, 0, 0, 0, 0)], options("MirrorPad", mode=1), 1, "mirrors 3 elements of dimension 0, expected at most 2"),
    ("SLICE", [X, known(0, 0), known(1, 1)], {}, 1, "found 2 begins and 2 sizes for data of shape 2x3x4"),
    ("SLICE", [X, known(0, 2, 0), known(1, 2, 1)], {}, 1, "takes 2 elements from 2 on of dimension 1, which has 3"),
    ("SLICE", [X, known(0, -1, 0), known(1, -1, 1)], {}, 1, "takes -1 elements from -1 on of dimension 1"),
    ("STRIDED_SLICE", *strided([0], [1, 1], [1]), 1, "found 1 begins, 2 ends and 1 strides, expected as many"),
    ("STRIDED_SLICE", *strided([0], [1], [0]), 1, "has the stride 0, expected one within 2^31 that is not 0"),
    ("STRIDED_SLICE", *strided([3], [4], [1], shrinkAxisMask=1), 1, "takes element 3 of a dimension of 2"),
    ("STRIDED_SLICE", *strided([0] * 4, [1] * 4, [1] * 4), 1, "has 0 ellipses and bounds for 4 dimensions of 3"),
    ("STRIDED_SLICE", *strided([0, 0], [1, 1], [1, 1], ellipsisMask=3), 1, "has 2 ellipses and bounds for 0 dimensions of 3"),
    ("SPLIT", [0, [3, 2]], {**options("Split", numSplits=2), "result": ["f32", "f32"]}, 1, "splits 3 elements into 2 parts, expected equal ones"),
    ("SPLIT_V", [X, known(1, 1), 1], {}, 1, "splits 3 elements into 1x1, for 1 results"),
    ("SPLIT_V", [X, known(-3), 1], {}, 1, "has a part of -3 of 3 elements"),
    ("UNPACK", [X], options("Unpack", num=2), 1, "unpacks 2 elements into 1 results"),
    ("SUM", [X, known(3)], options("Reducer"), 1, "has the dimension 3, expected one of 3"),
    ("MEAN", [[2, 0], known(1)], options("Reducer"), 1, "means no elements of 2x0"),
    ("ARG_MAX", [[2, 0], known(1)], {"result": "i32"}, 1, "looks for the best of no elements"),
    ("CUMSUM", [X, 4], options("Cumsum"), 1, "has the dimension 4, expected one of 3"),
    ("GATHER", [X, "i32"], options("Gather", axis=0, batchDims=1), 1, "expected 1 dimensions that are the same, before 0"),
    ("GATHER", [X, "i32"], options("Gather", axis=3), 1, "has the dimension 3, expected one of 3"),
    ("GATHER_ND", [[2], "i32"], {}, 1, "indices"),
    ("ONE_HOT", ["i32", -1, [], []], options("OneHot"), 1, "has the depth -1, expected 0 to 2^31"),
    ("TOPK_V2", [X, 5], {}, 1, "asks for 5 elements of rows of 2x3x4"),
    ("BROADCAST_ARGS", [known(2), known(3)], {"result": "i32"}, 1, "broadcast"),
    ("RANGE", [0, 5, 0], {"result": "i32"}, 1, "has a step of 0, or one away from the limit"),
    ("RANGE", [0, "scalar", 1], {"result": "i32"}, 5, "has a limit that its data decides"),
    ("WHERE", [X], {"result": "i64"}, 5, "looks for elements that its data decides, expected a constant"),
    ("SCATTER_ND", ["i32", X, "i32"], {}, 5, "has a shape that its data decides"),
    ("SPARSE_TO_DENSE", ["i32", known(5, 5, 5), [3], []], {}, 1, "found indices of shape 2 into 5x5x5"),
    ("DYNAMIC_UPDATE_SLICE", [X, [2, 3], "i32"], {}, 1, "expected one rank"),
    ("DYNAMIC_UPDATE_SLICE", [[2, 2], [3, 2], "i32"], {}, 1, "updates 2x2 by 3x2"),
    ("SEGMENT_SUM", [X, known(1, 0)], {}, 1, "has the segment 0, expected numbers from 0 on that do not fall"),
    ("SEGMENT_SUM", [X, known(0, 1, 1)], {}, 1, "found data of shape 2x3x4 and segments of shape 3"),
    ("UNSORTED_SEGMENT_SUM", [X, "i32", -1], {}, 1, "has -1 segments"),
    ("MATRIX_DIAG", [[]], {}, 1, "has no diagonal"),
    ("MATRIX_SET_DIAG", [X, [2, 4]], {}, 1, "found matrices of shape 2x3x4 and a diagonal of shape 2x4"),
    ("REVERSE_SEQUENCE", [X, "i32"], options("ReverseSequence", seqDim=0), 1, "which is not that of time"),
    ("RESIZE_BILINEAR", [X, known(2, 2)], {}, 1, "expected an image, and extents from 1 to 2^20"),
    ("RESIZE_BILINEAR", [[1, 2, 2, 1], known(2, 0)], {}, 1, "expected an image, and extents from 1 to 2^20"),
    ("RESIZE_BILINEAR", [[1, 2, 2, 1], known(2, 2)], options("ResizeBilinear", alignCorners=True, halfPixelCenters=True), 1,
     "aligns corners and has half pixels, expected one"),
    ("RESIZE_NEAREST_NEIGHBOR", [[1, 2, 2, 1], known(2)], {}, 1, "expected an image, and extents from 1 to 2^20"),
    ("SOFTMAX", [[]], options("Softmax", beta=1.0), 1, "has data of shape scalar, expected rows"),
    ("LOG_SOFTMAX", [[]], {}, 1, "expected rows"),
    ("L2_NORMALIZATION", [[]], {}, 1, "normalizes a scalar, expected rows"),
    ("L2_NORMALIZATION", [X], options("L2Norm", fusedActivationFunction=1), 5, "has a fused activation, which LiteRT has not"),
    ("LOCAL_RESPONSE_NORMALIZATION", [X], options("LocalResponseNormalization", radius=-1), 1, "has the radius -1 on data of shape 2x3x4, expected 0 to 2^15 and channels"),
    ("CONV_2D", [[1, 4, 4, 3], [5, 1, 1, 2]], options("Conv2D", strideW=1, strideH=1), 1, ", whose channels do not fit"),
    ("CONV_2D", [[1, 4, 4, 3], [5, 1, 1]], options("Conv2D", strideW=1, strideH=1), 1, ", expected 4 dimensions"),
    ("CONV_2D", [[1, 4, 4, 3], [5, 1, 1, 3]], {}, 1, "has no options"),
    ("TRANSPOSE_CONV", [known(1, 8, 0, 5), [5, 2, 2, 3], [1, 4, 4, 3]], options("TransposeConv", strideW=2, strideH=2), 1,
     "gives 1x8x0x5, expected an image of four extents above 0"),
    ("MAX_POOL_2D", [X], options("Pool2D", strideW=1, strideH=1, filterWidth=1, filterHeight=1), 1, "pools 2x3x4, expected an image"),
    ("FULLY_CONNECTED", [X, [5, 7]], options("FullyConnected"), 1, "found data 2x3x4 and weight 5x7, expected (..., K) and (M, K)"),
    ("FULLY_CONNECTED", [X, [5, 4]], options("FullyConnected", weightsFormat=1), 5, "has weights in blocks, expected rows"),
    ("BATCH_MATMUL", [X, [4]], options("BatchMatMul"), 1, "multiplies 2x3x4 by 4, expected matrices"),
    ("ADD", [X], options("Add"), 1, "has no operand 1"),
    ("EMBEDDING_LOOKUP", [known(0), 3.5], {}, 1, "has no table of rows"),
    ("RANGE", [known(3)[0], known(1)[0], known(1)[0]], {"result": "i32"}, 1, "has a step of 0, or one away from the limit"),
    ("RANGE", ["scalar", known(1)[0], known(1)[0]], {"result": "i32"}, 5, "its data decides"),
    ("RANGE", [[], 1.5, 1.5], {}, 5, "has a start that its data decides, expected one constant"),
    ("FAKE_QUANT", [X], options("FakeQuant", min=1.0, max=2.0, numBits=8), 5, "quantizes to 8 bits, expected 2 to 16 and a range around 0"),
    ("TANH", ["byte"], {"result": "i8"}, 5, "with no scale"),
    ("SELECT", [X, X], options("Select"), 1, "has no operand 2"),
    ("DYNAMIC_UPDATE_SLICE", [X, [2, 3], known(0, 0, 0)], {}, 1, ", an update of shape 2x3 and starts of shape 3, expected one rank"),
    ("REVERSE_SEQUENCE", [X, known(1)], options("ReverseSequence", seqDim=1, batchDim=0), 1,
     ", expected one for each of dimension 0, which is not that of time"),
]  # fmt: skip


def made(graph: Graph, operand: Operand | None) -> Tensor | None:
    if operand is None:
        return None
    if isinstance(operand, str):
        shapes = {"data": (2, 3, 4), "i32": (2,), "scalar": (), "byte": (3,)}
        types = {"data": np.float32, "byte": np.int8}
        return graph.input(np.zeros(shapes[operand], types.get(operand, np.int32)))
    if isinstance(operand, list):
        return graph.input(np.zeros(operand, np.float32))
    return graph.constant(np.array(operand, np.float32 if isinstance(operand, float) else np.int32))


def quantized(name: str, operands: list[tuple], result: tuple, **attributes: object) -> Callable[[Graph], None]:
    """An operator on quantized operands: shape, type, scale, whether it is known; the result's type and scale."""

    def make(graph: Graph) -> None:
        tensors = []
        for shape, dtype, quant, is_known in operands:
            values = np.ones(shape, TYPES[dtype][1])
            tensors.append(graph.constant(values, quant) if is_known else graph.input(values, quant))
        graph.output(graph.op(name, tensors, *result, **attributes))

    return make


ROW, IMAGE = (2, 3), (1, 4, 4, 3)
HALF, FIFTH = Quant(0.5), Quant(0.2)
DENSE, WINDOW = options("FullyConnected"), options("Conv2D", strideW=1, strideH=1)
SCALES: list[tuple[str, list[tuple], tuple, dict, str]] = [
    ("CONCATENATION", [(ROW, "i16", HALF, False), (ROW, "i16", FIFTH, False)], ("i16", HALF), options("Concatenation"),
     "joins i16 of several scales, expected one"),
    ("SOFTMAX", [(ROW, "i8", None, False)], ("i8", None), options("Softmax", beta=1.0), "with no scale"),
    ("RELU", [(ROW, "i8", Quant((0.1, 0.2, 0.3), 0, 1), False)], ("i8", HALF), {}, "with a scale for each channel, expected one above 0"),
    ("ADD", [(ROW, "i16", Quant(1.0), False), (ROW, "i16", HALF, False)], ("i16", Quant(4.0)), options("Add"),
     "adds i16 of scales that are powers of two, none of them above that of the result, expected one that is equal to it"),
    ("MAXIMUM", [(ROW, "i8", HALF, False), (ROW, "i8", FIFTH, False)], ("i8", HALF), {},
     "compares numbers of several scales, expected one for operands and result"),
    ("LESS", [(ROW, "i8", Quant(1.5), False), (ROW, "i8", HALF, False)], ("bool", None), {}, "compares numbers of a scale from 1 on"),
    ("BATCH_MATMUL", [((2, 3), "i8", HALF, False), ((3, 2), "i16", HALF, False)], ("i8", HALF), options("BatchMatMul"),
     "multiplies i8 by i16, expected floats, i8 by i8, or i16 by i16"),
    ("FULLY_CONNECTED", [(ROW, "i8", HALF, False), ((2, 3), "i16", HALF, True)], ("i8", HALF), DENSE,
     "multiplies i8 by i16, expected floats, i8 by i8, or i16 by i8"),
    ("FULLY_CONNECTED", [(ROW, "i16", HALF, False), ((2, 3), "i8", Quant(0.5, 3), True)], ("i16", HALF), DENSE,
     "multiplies i16 by i8, expected i8 with the zero point 0"),
    ("FULLY_CONNECTED", [((2, 999), "i16", Quant(1e3), False), ((2, 999), "i8", Quant(1e3), True)], ("i16", Quant(1e-6)), DENSE,
     "scales sums of 64 bits by 2^14 or more"),
    ("FULLY_CONNECTED", [((2, 70000), "i16", HALF, False), ((2, 70000), "i8", Quant((0.1, 0.2)), True)], ("i16", HALF), DENSE,
     "sums i16 in 64 bits with a scale for each channel"),
]  # fmt: skip


def several_zero_points(model: schema.ModelT) -> None:
    model.subgraphs[0].tensors[1].quantization.zeroPoint = [0, 5]


def complex_result(model: schema.ModelT) -> None:
    model.subgraphs[0].tensors[-1].type = schema.TensorType.COMPLEX64


def text_result(model: schema.ModelT) -> None:
    model.subgraphs[0].tensors[-1].type = schema.TensorType.STRING


def complex_constant(model: schema.ModelT) -> None:
    model.subgraphs[0].tensors[0].type = schema.TensorType.COMPLEX64


def spectrum() -> bytes:
    graph = Graph()
    graph.output(graph.op("RFFT2D", [graph.input(np.zeros((1, 8), np.float32)), graph.constant(known(1, 8))], "c64"))
    return graph.bytes()


def complex_input(model: schema.ModelT) -> None:
    model.subgraphs[0].tensors[0].type = schema.TensorType.COMPLEX64
    model.subgraphs[0].operators = []
    model.subgraphs[0].outputs = [0]


def too_few_bytes(model: schema.ModelT) -> None:
    model.buffers[1].data = model.buffers[1].data[:5]


def other_result(model: schema.ModelT) -> None:
    model.subgraphs[0].tensors[-1].type = schema.TensorType.INT32


def no_result(model: schema.ModelT) -> None:
    made = model.subgraphs[0].operators[0]
    made.outputs = made.outputs[:1]


def calling(name: str, numbers: dict[str, int], condition: Tensor | None = None, is_known: bool = True) -> Graph:
    """IF or WHILE on two graphs, the first of one bool, the second of one number; `numbers` replace theirs."""
    graph = Graph()
    x = graph.input(np.zeros(3, np.float32))
    flag = np.array(True)

    def truth(_: Tensor) -> Tensor:
        return graph.constant(flag) if is_known else graph.op("LESS", [x_of(_), graph.constant(np.float32(1))], "bool", options="LessOptions")

    def x_of(value: Tensor) -> Tensor:
        return graph.op("SUM", [value, graph.constant(np.array([0], np.int32))], "f32", options="ReducerOptions")

    one = graph.subgraph(truth, x)
    other = graph.subgraph(lambda value: graph.op("RELU", [value], "f32"), x)
    if name == "IF":
        fields = {"thenSubgraphIndex": other, "elseSubgraphIndex": other, **numbers}
        graph.output(graph.op("IF", [condition or graph.constant(flag), x], "f32", options="IfOptions", **fields))
    else:
        fields = {"condSubgraphIndex": one, "bodySubgraphIndex": other, **numbers}
        graph.output(graph.op("WHILE", [x], "f32", options="WhileOptions", **fields))
    return graph


def more_inputs(model: schema.ModelT) -> None:
    model.subgraphs[2].inputs = [0, 0]


def other_input(model: schema.ModelT) -> None:
    model.subgraphs[2].tensors[0].type = schema.TensorType.INT8


def more_results(model: schema.ModelT) -> None:
    model.subgraphs[2].outputs = [1, 1]


def two_conditions(model: schema.ModelT) -> None:
    model.subgraphs[1].outputs = [1, 1]


def no_bool(model: schema.ModelT) -> None:
    model.subgraphs[0].operators[0].inputs[0] = 0
    model.subgraphs[0].tensors[0].type = schema.TensorType.BOOL


def controlled() -> list[tuple[bytes, str, int, str]]:
    """IF and WHILE whose graphs do not fit."""
    return [
        (calling("IF", {"thenSubgraphIndex": 9}).bytes(), "", 1, "calls graph 9 of 3"),
        (calling("IF", {"elseSubgraphIndex": -1}).bytes(), "", 1, "calls graph -1 of 3"),
        (calling("WHILE", {"bodySubgraphIndex": 0}).bytes(), "", 1, "calls graph 0 of 3 in itself"),
        (calling("IF", {}).bytes(change=more_inputs), "IF", 1, "calls graph 2 with 1 operands, which has 2 inputs"),
        (calling("IF", {}).bytes(change=other_input), "IF", 1, "calls graph 2 with f32 as input 0, which is another type there"),
        (calling("IF", {}).bytes(change=more_results), "IF", 1, "has 1 results, but its graphs give 2"),
        (calling("IF", {}).bytes(change=no_bool), "IF", 1, "has a condition 3 of i1, expected one bool"),
        (calling("WHILE", {}).bytes(change=two_conditions), "WHILE", 1, "has a condition of 2 values, expected one bool"),
        (calling("WHILE", {}, is_known=False).bytes(), "WHILE", 5, "goes on until its data say so; "),
    ]


def changed() -> list[tuple[bytes, str, int, str]]:
    """Files that Graph does not write by itself."""
    dense = Graph()
    quantized("FULLY_CONNECTED", [(ROW, "i8", HALF, False), ((2, 3), "i8", Quant((0.1, 0.2)), True)], ("i8", HALF), **DENSE)(dense)
    top = Graph()
    top.output(top.op("TOPK_V2", [top.input(np.zeros(4, np.float32)), top.constant(np.array(2, np.int32))], ["f32", "i32"])[0])
    relu = Graph()
    relu.output(relu.op("RELU", [relu.input(np.zeros(3, np.float32))], "f32"))
    real = Graph()
    real.output(real.op("REAL", [real.constant(np.zeros(3, np.float32))], "f32"))
    return [
        (dense.bytes(change=several_zero_points), "FULLY_CONNECTED", 5, "which has several zero points"),
        (dense.bytes(change=too_few_bytes), "FULLY_CONNECTED", 1, "which has 5 bytes, expected 6 for 2x3 of i8"),
        (top.bytes(change=no_result), "TOPK_V2", 1, "gives 1 results, expected 2 or more"),
        (relu.bytes(change=other_result), "RELU", 1, "gives f32, but the file says i32"),
        (relu.bytes(change=complex_result), "RELU", 5, "found operators that are not supported: RELU with COMPLEX64"),
        (relu.bytes(change=text_result), "RELU", 5, "gives STRING, which no value of npuc can be"),
        (real.bytes(change=complex_constant), "REAL", 5, "reads tensor 'case/c0' of COMPLEX64"),
        (spectrum(), "", 5, "gives tensor 'case/y2' of COMPLEX64, which no output of npuc can be"),
        (relu.bytes(change=complex_input), "input", 5, "is of COMPLEX64, which no input of npuc can be"),
    ]


def sets(path: str, value: object) -> Change:
    *way, last = path.split(".")

    def change(sparsity: schema.SparsityParametersT) -> None:
        place = sparsity
        for step in way:
            place = place[int(step)] if step.isdigit() else getattr(place, step)
        setattr(place, last, value)

    return change


OTHER_TYPES = [
    ("SOFTMAX", "SoftmaxOptions", []), ("LOG_SOFTMAX", "", []), ("L2_NORMALIZATION", "", []), ("SUM", "ReducerOptions", [known(1)]),
    ("MEAN", "ReducerOptions", [known(1)]), ("RESIZE_BILINEAR", "ResizeBilinearOptions", [known(4, 4)]),
]  # fmt: skip
LEVELS = "dimMetadata"
# A matrix of 4 times 8 in blocks of 2 times 4: two blocks are stored, one in each row of blocks.
SPARSE: list[tuple[Change, str]] = [
    (sets("traversalOrder", [0, 1]), ", which is sparse and has 2 levels, expected 4"),
    (sets(LEVELS, None), "4 levels, expected 4"),
    (sets("traversalOrder", [0, 2, 1, 3]), "the order 0x2x1x3, expected all dimensions, then all blocks"),
    (sets("traversalOrder", [0, 0, 2, 3]), "the order 0x0x2x3, expected all dimensions, then all blocks"),
    (sets("blockMap", [0, 2]), "a block of 4 in dimension 2 of 4x8"),
    (sets("blockMap", [1, 1]), "a block of 4 in dimension 1 of 4x8"),
    (sets(f"{LEVELS}.2.denseSize", 0), "a block of 0 in dimension 0 of 4x8"),
    (sets(f"{LEVELS}.3.denseSize", 3), "a block of 3 in dimension 1 of 4x8"),
    (sets(f"{LEVELS}.2.format", 1), "a block that is sparse"),
    (sets(f"{LEVELS}.0.denseSize", 3), "the size 3 at level 0, expected 2"),
    (sets(f"{LEVELS}.1.arraySegments.values", [0, 2]), "2 segments for 2 indices, expected 3 numbers that lead from 0 to the last"),
    (sets(f"{LEVELS}.1.arraySegments.values", [1, 1, 2]), "3 segments for 2 indices, expected 3 numbers"),
    (sets(f"{LEVELS}.1.arraySegments.values", [0, 3, 2]), "3 segments for 2 indices, expected 3 numbers"),
    (sets(f"{LEVELS}.1.arraySegments.values", [0, 1, 1]), "3 segments for 2 indices, expected 3 numbers"),
    (sets(f"{LEVELS}.1.arrayIndices.values", [0, 2]), "the index 2 in a dimension of 2"),
    (sets(f"{LEVELS}.1.arrayIndices.values", [0, -1]), "the index -1 in a dimension of 2"),
    (sets(f"{LEVELS}.2.denseSize", 1), "the size 2 at level 0, expected 4"),
    (sets(f"{LEVELS}.3.denseSize", 8), "the index 1 in a dimension of 1"),
]  # fmt: skip


def sparse(change: Change, count: int = 2) -> bytes:
    """`count` of the two blocks have data."""
    values = np.zeros((4, 8), np.float32)
    values[0, 0] = values[3, 7] = 1
    graph = Graph()
    constant = sparse_constant(graph, values, (2, 4), np.int32)
    change(constant.sparsity)
    buffer = graph.buffers[constant.buffer]
    buffer.data = np.resize(buffer.data, 32 * count)
    made = graph.op("DENSIFY", [constant], "f32", None, "DensifyOptions")
    graph.output(graph.op("ADD", [made, graph.input(np.zeros((4, 8), np.float32))], "f32", None, "AddOptions"))
    return graph.bytes()


def backwards(graph: Graph) -> None:
    x = graph.input(np.zeros((2, 3), np.int8), Quant(0.1))
    graph.output(graph.op("SOFTMAX", [x], "i8", Quant(1 / 256, -128), "SoftmaxOptions", beta=-1.0))


def of_another_type(graph: Graph, name: str, options: str, more: list[np.ndarray]) -> None:
    x = graph.input(np.zeros((1, 2, 2, 3), np.int8), Quant(0.1))
    operands = [x, *(graph.constant(values) for values in more)]
    given = {"beta": 1.0} if name == "SOFTMAX" else {}
    graph.output(graph.op(name, operands, "i32", Quant(0.1), options, **given))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="folder with bin/npuc")
    build = parser.parse_args().build
    files: list[tuple[bytes, str, int, str]] = []
    for name, operands, given, code, text in ROWS:
        graph, attributes = Graph(), dict(given)
        tensors = [made(graph, operand) for operand in operands]
        results = attributes.pop("result", ["f32", "i32"] if name == "TOPK_V2" else "f32")
        results = [results] if isinstance(results, str) else results
        graph.output(*graph.op(name, tensors, results, **attributes))
        files.append((graph.bytes(), name, code, text))
    for name, tensors, result, attributes, text in SCALES:
        graph = Graph()
        quantized(name, tensors, result, **attributes)(graph)
        files.append((graph.bytes(), name, 5, text))
    files += changed() + controlled()
    graph = Graph()
    backwards(graph)
    files.append((graph.bytes(), "SOFTMAX", 1, "has a beta that is not above 0"))
    for name, table, more in OTHER_TYPES:
        graph = Graph()
        of_another_type(graph, name, table, more)
        files.append((graph.bytes(), name, 5, "makes i32 of i8"))
    files += [(sparse(change), "DENSIFY", 1, text) for change, text in SPARSE]
    files += [(sparse(lambda _: None, count), "DENSIFY", 1, " bytes, expected one of 4 for each index") for count in (1, 3)]
    with tempfile.TemporaryDirectory() as folder:
        model, program = Path(folder) / "model.tflite", Path(folder) / "model.npu"
        command = [str(build / "bin" / "npuc"), "-q", str(model), "-o", str(program)]
        for content, name, code, expected in files:
            model.write_bytes(content)
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
            assert done.returncode == code and expected in done.stderr, (name, expected, done)
            assert done.stderr.count("\n") == 1 and done.stderr.startswith("npuc: error: ") and name in done.stderr, done.stderr
            assert not program.exists(), expected
    print(f"ok: {len(files)} files")


if __name__ == "__main__":
    main()
