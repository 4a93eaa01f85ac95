# SPDX-License-Identifier: Apache-2.0
"""Cases of convolutions, products, pools and images."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from tflite_builder import Graph, Quant, Tensor
from tflite_cases import ACTIVATIONS, INTEGERS, Case, activation, bytes_of, data, floats, numbers, quants, result_quant

PADDING = {"same": schema.Padding.SAME, "valid": schema.Padding.VALID}
WINDOWS = {"plain": {}, "stride": {"strideW": 2, "strideH": 2}, "uneven": {"strideW": 3, "strideH": 1}}


def weights(g: Graph, rng: np.random.Generator, dtype: str, shape: list[int], axis: int, given: Quant | None,
            per_channel: bool = True) -> tuple[Tensor, Quant | None]:  # fmt: skip
    """Constant weights, and how the bias is quantized."""
    if dtype == "f32":
        return g.constant(floats(rng, *shape, spread=1)), None
    if dtype == "u8":
        quant = Quant(0.02, 117)
        return g.constant(bytes_of(rng, "u8", *shape), quant), Quant(given.scale * quant.scale)
    scales = tuple(0.01 + 0.003 * i for i in range(shape[axis])) if per_channel else 0.02
    quant = Quant(scales, 0, axis)
    values = rng.integers(-127, 127, shape, endpoint=True).astype(np.int8)
    bias = tuple(given.scale * scale for scale in scales) if per_channel else given.scale * scales
    return g.constant(values, quant), Quant(bias)


def bias(g: Graph, rng: np.random.Generator, dtype: str, count: int, quant: Quant | None) -> Tensor:
    if dtype == "f32":
        return g.constant(floats(rng, count, spread=1))
    kind = np.int64 if dtype == "i16" else np.int32
    return g.constant(rng.integers(-3000, 3000, (count,)).astype(kind), quant)


def convolutions() -> Iterator[Case]:
    settings = [("plain", "same", 1), ("stride", "same", 1), ("uneven", "valid", 1), ("plain", "same", 2), ("plain", "valid", 2)]
    for name, act, dtype in itertools.product(["CONV_2D", "DEPTHWISE_CONV_2D"], ACTIVATIONS, ["f32", "i8", "u8", "i16"]):
        for number, (window, padding, dilation) in enumerate(settings):
            if act not in ("NONE", "RELU6") and number > 0:
                continue

            def make(g, rng, name=name, act=act, dtype=dtype, window=window, padding=padding, dilation=dilation, number=number):
                depthwise = name != "CONV_2D"
                x = data(g, rng, dtype, [2, 7, 9, 4], number)
                shape = [1, 3, 2, 8] if depthwise else [5, 3, 2, 4]
                w, quant = weights(g, rng, dtype, shape, 3 if depthwise else 0, x.quant, per_channel=number != 1)
                b = bias(g, rng, dtype, shape[3] if depthwise else shape[0], quant)
                strides = {"strideW": 1, "strideH": 1, **WINDOWS[window]}
                more = {"depthMultiplier": 2} if depthwise else {}
                out = None if dtype == "f32" else Quant((0.1, 0.3, 0.6)[number % 3] if dtype != "i16" else 0.001, result_quant(dtype, number % 2).zero)
                g.output(g.op(name, [x, w, b], dtype, out, "DepthwiseConv2DOptions" if depthwise else "Conv2DOptions",
                              version=3, padding=PADDING[padding], fusedActivationFunction=activation(act),
                              dilationWFactor=dilation, dilationHFactor=dilation, **strides, **more))  # fmt: skip

            yield Case(f"conv/{name}/{act}/{dtype}-{number}", make, is_sum=True)
    for dtype in ("f32", "i8"):
        def grouped(g, rng, dtype=dtype):
            x = data(g, rng, dtype, [1, 5, 5, 4])
            w, quant = weights(g, rng, dtype, [6, 3, 3, 2], 0, x.quant)
            g.output(g.op("CONV_2D", [x, w, bias(g, rng, dtype, 6, quant)], dtype, result_quant(dtype), "Conv2DOptions",
                          version=3, padding=0, strideW=1, strideH=1))  # fmt: skip

        def without_bias(g, rng, dtype=dtype):
            x = data(g, rng, dtype, [1, 5, 5, 4])
            w, _ = weights(g, rng, dtype, [6, 3, 3, 4], 0, x.quant)
            g.output(g.op("CONV_2D", [x, w, None], dtype, result_quant(dtype), "Conv2DOptions",
                          version=3, padding=0, strideW=1, strideH=1))  # fmt: skip

        yield Case(f"conv/grouped/{dtype}", grouped, is_sum=True)
        yield Case(f"conv/no-bias/{dtype}", without_bias, is_sum=True)
        for stride, padding, act in itertools.product([1, 2, 3], PADDING, ["NONE", "RELU", "RELU6"]):
            def transposed(g, rng, dtype=dtype, stride=stride, padding=padding, act=act):
                x = data(g, rng, dtype, [1, 4, 5, 3])
                w, quant = weights(g, rng, dtype, [6, 3, 2, 3], 0, x.quant)
                size = [4 * stride, 5 * stride] if padding == "same" else [3 * stride + 3, 4 * stride + 2 + (stride == 3)]
                g.output(g.op("TRANSPOSE_CONV", [g.constant(numbers(1, *size, 6)), w, x, bias(g, rng, dtype, 6, quant)],
                              dtype, Quant(0.1, 3) if dtype == "i8" else None, "TransposeConvOptions", version=3,
                              padding=PADDING[padding], strideW=stride, strideH=stride,
                              fusedActivationFunction=activation(act)))  # fmt: skip

            yield Case(f"conv/TRANSPOSE_CONV/{act}/{dtype}-{stride}-{padding}", transposed, is_sum=True)
    for act, padding in itertools.product(ACTIVATIONS, PADDING):
        def volume(g, rng, act=act, padding=padding):
            x = data(g, rng, "f32", [1, 4, 5, 5, 3])
            w = g.constant(floats(rng, 3, 2, 3, 3, 4))
            g.output(g.op("CONV_3D", [x, w, g.constant(floats(rng, 4))], "f32", None, "Conv3DOptions", padding=PADDING[padding],
                          strideD=1, strideW=2, strideH=1, fusedActivationFunction=activation(act)))  # fmt: skip

        yield Case(f"conv/CONV_3D/{act}/{padding}", volume, is_sum=True)
    for padding, kernel, strides in itertools.product(PADDING, [[3, 2], [2, 2], [1, 4]], [[1, 1], [2, 2], [3, 2]]):
        form = {"padding": padding, "kernel": kernel, "strides": strides}
        yield Case(f"conv/Convolution2DTransposeBias/{padding}-{kernel}-{strides}", partial(grown, **form), is_sum=True,
                   exact=partial(grown_exactly, **form))  # fmt: skip


def grown(g: Graph, rng: np.random.Generator, padding: str, kernel: list[int], strides: list[int]) -> None:
    """MediaPipe's transposed convolution; its options are padding (1: SAME), stride along the width and the height."""
    x = data(g, rng, "f32", [2, 4, 5, 3])
    w, b = g.constant(floats(rng, 6, *kernel, 3)), g.constant(floats(rng, 6))
    options = np.array([1 + PADDING[padding], strides[1], strides[0]], np.int32).tobytes()
    g.output(g.op("CUSTOM", [x, w, b], "f32", custom="Convolution2DTransposeBias", custom_options=options))


def grown_exactly(graph: Graph, padding: str, kernel: list[int], strides: list[int]) -> np.ndarray:
    """Each number of the data adds a window to the result, which SAME cuts."""
    (x,) = graph.given.values()
    w, b = (np.frombuffer(buffer.data.tobytes(), np.float32).astype(np.float64) for buffer in graph.buffers[1:3])
    w = w.reshape(6, *kernel, 3)
    whole = [(size - 1) * stride + extent for size, stride, extent in zip(x.shape[1:3], strides, kernel, strict=True)]
    cut = [0, 0]
    if padding == "same":
        cut = [max(0, extent - (size - 1) % stride - 1) for size, stride, extent in zip(x.shape[1:3], strides, kernel, strict=True)]
    y = np.zeros((x.shape[0], *whole, 6))
    for row, column in np.ndindex(x.shape[1], x.shape[2]):
        top, left = row * strides[0], column * strides[1]
        y[:, top : top + kernel[0], left : left + kernel[1]] += np.einsum("nc,oijc->nijo", x[:, row, column], w)
    first = [amount // 2 for amount in cut]
    size = [extent - amount for extent, amount in zip(whole, cut, strict=True)]
    return (y[:, first[0] : first[0] + size[0], first[1] : first[1] + size[1]] + b).astype(np.float32)


def nameless(g: Graph, rng: np.random.Generator, dtype: str, name: str) -> None:
    """A product without a name, or one whose name other operators' results have, too; these round otherwise."""
    x = data(g, rng, dtype, [64, 32])
    w, quant = weights(g, rng, dtype, [32, 32], 0, x.quant, per_channel=False)
    zero = result_quant(dtype).zero
    y = g.op("FULLY_CONNECTED", [x, w, None], dtype, Quant(0.3, zero), "FullyConnectedOptions", version=9)
    z = g.op("ADD", [y, x], dtype, Quant(0.35, zero), "AddOptions", version=2)
    u = g.op("MUL", [y, z], dtype, Quant(0.95, zero), "MulOptions", version=2)
    if name == "same":
        z.name = u.name = y.name
    else:
        y.name = ""
    g.output(u)


def products() -> Iterator[Case]:
    for act, dtype, keep, has_bias in itertools.product(ACTIVATIONS, ["f32", "i8", "u8", "i16"], [False, True], [True, False]):
        if act not in ("NONE", "RELU") and (keep or not has_bias):
            continue

        def dense(g, rng, act=act, dtype=dtype, keep=keep, has_bias=has_bias):
            x = data(g, rng, dtype, [2, 3, 8], 1)
            w, quant = weights(g, rng, dtype, [5, 8], 0, x.quant, per_channel=False)
            out = None if dtype == "f32" else Quant(0.06 if dtype != "i16" else 0.001, result_quant(dtype).zero)
            g.output(g.op("FULLY_CONNECTED", [x, w, bias(g, rng, dtype, 5, quant) if has_bias else None], dtype, out,
                          "FullyConnectedOptions", version=9, keepNumDims=keep, fusedActivationFunction=activation(act)))  # fmt: skip

        yield Case(f"dense/{act}/{dtype}-{keep}-{has_bias}", dense, is_sum=True)

    def per_channel(g, rng):
        x = data(g, rng, "i8", [3, 8], 2)
        w, quant = weights(g, rng, "i8", [5, 8], 0, x.quant)
        g.output(g.op("FULLY_CONNECTED", [x, w, bias(g, rng, "i8", 5, quant)], "i8", Quant(0.2, -5), "FullyConnectedOptions",
                      version=12))  # fmt: skip

    for dtype in ("i8", "i16"):
        def of_zeros(g, rng, dtype=dtype):
            """Converters give the scale 0 to a state that is zeros."""
            x = g.constant(np.zeros((2, 6), INTEGERS[dtype]), Quant(0.0))
            w, _ = weights(g, rng, dtype, [5, 6], 0, Quant(0.1), per_channel=False)
            sums = g.op("FULLY_CONNECTED", [x, w, None], dtype, Quant(0.002), "FullyConnectedOptions", version=9)
            products = g.op("MUL", [x, data(g, rng, dtype, [2, 6])], dtype, Quant(0.002), "MulOptions", version=2)
            g.output(g.op("ADD", [sums, data(g, rng, dtype, [2, 5])], dtype, Quant(0.3), "AddOptions", version=2), products)

        yield Case(f"dense/zeros/{dtype}", of_zeros)

    def hybrid(g, rng):
        w = g.constant(rng.integers(-127, 127, (5, 8)).astype(np.int8), Quant(0.02))
        g.output(g.op("FULLY_CONNECTED", [data(g, rng, "f32", [3, 8]), w, None], "f32", None, "FullyConnectedOptions", version=3))

    def variable(g, rng):
        g.output(g.op("FULLY_CONNECTED", [data(g, rng, "f32", [3, 8]), data(g, rng, "f32", [5, 8]), None], "f32", None,
                      "FullyConnectedOptions"))  # fmt: skip

    for depth, has_bias in itertools.product([512, 700, 3000], [True, False]):
        def deep(g, rng, depth=depth, has_bias=has_bias):
            """Sums that take more than 32 bits."""
            x = g.input(np.where(rng.random((2, depth)) < 0.5, 32767, bytes_of(rng, "i16", 2, depth)).astype(np.int16), Quant(0.0003))
            w = g.constant(rng.integers(-20, 127, (5, depth), endpoint=True).astype(np.int8), Quant(0.02))
            b = bias(g, rng, "i16", 5, Quant(0.000006))
            g.output(g.op("FULLY_CONNECTED", [x, w, b if has_bias else None], "i16", Quant(0.1), "FullyConnectedOptions", version=9))

        yield Case(f"dense/deep-{depth}-{has_bias}/i16", deep)
    for low, high in ((1e-6, 1e-4), (1e-4, 1e-2), (1e-2, 1)):
        for number in range(4):
            def rounded(g, rng, low=low, high=high, number=number):
                """Sums in the middle between two bytes, where a second rounding shows."""
                given, scale = Quant(float(rng.uniform(0.01, 0.1)), -128), Quant(float(np.exp(rng.uniform(np.log(low), np.log(high)))))
                x = g.input(bytes_of(rng, "i8", 8, 24), given)
                w = g.constant(rng.integers(-127, 127, (64, 24), endpoint=True).astype(np.int8), scale)
                b = bias(g, rng, "i8", 64, Quant(given.scale * scale.scale))
                out = Quant(given.scale * scale.scale * 500, number * 40 - 60)
                g.output(g.op("FULLY_CONNECTED", [x, w, b], "i8", out, "FullyConnectedOptions", version=9))

            yield Case(f"dense/rounded-{low}-{number}", rounded)
    for dtype, name in itertools.product(["i8", "u8"], ["same", "empty"]):
        yield Case(f"dense/result-name-{name}/{dtype}", partial(nameless, dtype=dtype, name=name))
    yield Case("dense/per-channel", per_channel)
    yield Case("dense/hybrid", hybrid, is_sum=True)
    yield Case("dense/variable", variable, is_sum=True)
    shapes = {"plain": ([3, 4, 5], [3, 5, 6]), "wide": ([2, 3, 4, 5], [2, 3, 5, 6]), "flat": ([4, 5], [5, 6]),
              "broadcast": ([3, 4, 5], [5, 6]), "outer": ([2, 1, 4, 5], [1, 3, 5, 6])}  # fmt: skip
    for dtype, kind, adj in itertools.product(["f32", "i8", "i16"], shapes, [(0, 0), (1, 0), (0, 1), (1, 1)]):
        def matrices(g, rng, dtype=dtype, kind=kind, adj=adj):
            left, right = (list(shape) for shape in shapes[kind])
            for flag, shape in zip(adj, (left, right)):
                if flag:
                    shape[-1], shape[-2] = shape[-2], shape[-1]
            a, b = data(g, rng, dtype, left, 0), data(g, rng, dtype, right, 1)
            out = None if dtype == "f32" else Quant(0.1 if dtype == "i8" else 0.002, 0 if dtype == "i16" else 7)
            g.output(g.op("BATCH_MATMUL", [a, b], dtype, out, "BatchMatMulOptions", adjX=bool(adj[0]), adjY=bool(adj[1]), version=3))

        yield Case(f"matmul/{dtype}-{kind}-{adj[0]}{adj[1]}", matrices, is_sum=True)


def pools() -> Iterator[Case]:
    for name, act, dtype, padding in itertools.product(
        ["MAX_POOL_2D", "AVERAGE_POOL_2D", "L2_POOL_2D"], ACTIVATIONS, ["f32", "i8", "u8", "i16"], PADDING
    ):
        if name == "L2_POOL_2D" and dtype != "f32":
            continue
        for quant in range(1 if dtype in ("f32", "i16") else 3):
            def make(g, rng, name=name, act=act, dtype=dtype, padding=padding, quant=quant):
                x = data(g, rng, dtype, [2, 7, 8, 3], quant)
                g.output(g.op(name, [x], dtype, x.quant, "Pool2DOptions", version=3, padding=PADDING[padding], strideW=2, strideH=1,
                              filterWidth=2, filterHeight=3, fusedActivationFunction=activation(act)))  # fmt: skip

            yield Case(f"pool/{name}/{act}/{dtype}-{padding}-{quant}", make)
    for name in ("MAX_POOL_2D", "AVERAGE_POOL_2D"):
        def sizes(g, rng, name=name):
            for filters, strides in (((7, 7), (1, 1)), ((1, 1), (2, 2)), ((2, 2), (3, 3))):
                for dtype in ("f32", "i8"):
                    x = data(g, rng, dtype, [1, 7, 7, 5], 1)
                    g.output(g.op(name, [x], dtype, x.quant, "Pool2DOptions", version=2, padding=PADDING["valid"],
                                  strideW=strides[0], strideH=strides[1], filterWidth=filters[0], filterHeight=filters[1]))  # fmt: skip

        def lowest(g, rng, name=name):
            x = g.input(np.full((1, 3, 3, 2), -np.inf, np.float32))
            g.output(g.op(name, [x], "f32", None, "Pool2DOptions", padding=PADDING["same"], strideW=1, strideH=1,
                          filterWidth=2, filterHeight=2))  # fmt: skip

        def not_a_number(g, rng, name=name):
            values = floats(rng, 1, 4, 4, 2)
            values[0, 1, 1, 0] = np.nan
            g.output(g.op(name, [g.input(values)], "f32", None, "Pool2DOptions", padding=PADDING["same"], strideW=1, strideH=1,
                          filterWidth=2, filterHeight=2))  # fmt: skip

        yield Case(f"pool/{name}/sizes", sizes)
        yield Case(f"pool/{name}/infinite", lowest)
        yield Case(f"pool/{name}/nan", not_a_number)


def images() -> Iterator[Case]:
    for name, dtype in itertools.product(["RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"], ["f32", "i8", "u8", "i16"]):
        for (corners, half), size in itertools.product(
            [(False, False), (True, False), (False, True), (True, True)],
            [(6, 6), (8, 12), (5, 7), (2, 3), (4, 6), (1, 1), (3, 1)],
        ):
            def make(g, rng, name=name, dtype=dtype, corners=corners, half=half, size=size):
                x = data(g, rng, dtype, [1, 4, 6, 2])
                options = "ResizeBilinearOptions" if name == "RESIZE_BILINEAR" else "ResizeNearestNeighborOptions"
                g.output(g.op(name, [x, g.constant(numbers(*size))], dtype, x.quant, options, version=3, alignCorners=corners,
                              halfPixelCenters=half))  # fmt: skip

            label = f"{'c' if corners else ''}{'h' if half else ''}" or "plain"
            yield Case(f"resize/{name}/{label}/{dtype}-{size[0]}x{size[1]}", make, is_sum=name == "RESIZE_BILINEAR")
    for size in ((1, 1), (2, 2), (3, 2)):
        for corners, half in ((False, False), (True, False), (False, True)):
            def one(g, rng, size=size, corners=corners, half=half):
                for name, options in (("RESIZE_BILINEAR", "ResizeBilinearOptions"),
                                      ("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighborOptions")):  # fmt: skip
                    x = data(g, rng, "f32", [1, 1, 1, 3])
                    g.output(g.op(name, [x, g.constant(numbers(*size))], "f32", None, options, alignCorners=corners,
                                  halfPixelCenters=half))  # fmt: skip

            yield Case(f"resize/one/{corners}-{half}-{size[0]}x{size[1]}", one)
    for dtype in ("f32", "i8", "u8", "i32"):
        def depth(g, rng, dtype=dtype):
            x = data(g, rng, dtype, [2, 4, 6, 3])
            g.output(g.op("SPACE_TO_DEPTH", [x], dtype, x.quant, "SpaceToDepthOptions", blockSize=2))
            x = data(g, rng, dtype, [2, 2, 3, 8])
            g.output(g.op("DEPTH_TO_SPACE", [x], dtype, x.quant, "DepthToSpaceOptions", blockSize=2))

        def batch(g, rng, dtype=dtype):
            x = data(g, rng, dtype, [1, 5, 6, 3])
            pads = g.constant(np.array([[0, 1], [2, 0]], np.int32))
            g.output(g.op("SPACE_TO_BATCH_ND", [x, g.constant(numbers(2, 2)), pads], dtype, x.quant, "SpaceToBatchNDOptions", version=2))
            x = data(g, rng, dtype, [4, 3, 4, 2])
            crops = g.constant(np.array([[0, 1], [1, 0]], np.int32))
            g.output(g.op("BATCH_TO_SPACE_ND", [x, g.constant(numbers(2, 2)), crops], dtype, x.quant, "BatchToSpaceNDOptions", version=2))

        yield Case(f"image/depth/{dtype}", depth)
        yield Case(f"image/batch/{dtype}", batch)


def windows() -> Iterator[Case]:
    yield from convolutions()
    yield from products()
    yield from pools()
    yield from images()
