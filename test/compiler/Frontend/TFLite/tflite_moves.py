# SPDX-License-Identifier: Apache-2.0
"""Cases of reductions, normalizations and data movement."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np

from tflite_builder import Graph, Quant
from tflite_cases import ACTIVATIONS, ALL, INTEGERS, NAN, Case, activation, bytes_of, data, numbers, result_quant



def reduced_by_none(g: Graph, rng: np.random.Generator, name: str, dtype: str) -> None:
    """No dimension, one that is named twice, and a number without any."""
    for shape, axes in (([3, 4], numbers()), ([3, 4], numbers(1, -1)), ([], numbers(0))):
        x = data(g, rng, dtype, shape)
        g.output(g.op(name, [x, g.constant(axes)], dtype, None, "ReducerOptions", version=2))


def reductions() -> Iterator[Case]:
    names = ["MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD"]
    axes = {"last": [-1], "image": [1, 2], "first": [0], "all": [0, 1, 2, 3], "apart": [0, 2]}
    for name, dtype, kind, keep in itertools.product(names, ["f32", "i8", "u8", "i16", "i32", "i64"], axes, [False, True]):
        for quant in range(1 if dtype not in ("i8", "u8") or kind != "image" else 3):
            def make(g, rng, name=name, dtype=dtype, kind=kind, keep=keep, quant=quant):
                x = data(g, rng, dtype, [2, 3, 4, 5], quant)
                if name == "REDUCE_PROD" and dtype in ("f32", "i32", "i64"):
                    g.given[x.name] = np.sign(g.given[x.name]).astype(g.given[x.name].dtype)
                out = x.quant if name in ("REDUCE_MAX", "REDUCE_MIN") else result_quant(dtype, quant)
                if name == "SUM" and out is not None:
                    out = Quant(out.scale * 8, out.zero)
                g.output(g.op(name, [x, g.constant(numbers(*axes[kind]))], dtype, out, "ReducerOptions", version=2, keepDims=keep))

            def exact(g, kind=kind, keep=keep):
                """LiteRT's sum of bytes is wrong: of i8 by up to 183 steps, of u8 by one."""
                *_, given, axis, result = g.subgraphs[0].tensors
                x = g.given[given.name]
                real = (x.astype(np.float64) - given.quant.zero) * float(np.float32(given.quant.scale))
                steps = real.sum(axis=tuple(axes[kind]), keepdims=keep) / float(np.float32(result.quant.scale))
                limits = np.iinfo(x.dtype)
                return np.clip(np.round(steps) + result.quant.zero, limits.min, limits.max).astype(x.dtype)

            is_wrong = name == "SUM" and dtype in ("i8", "u8", "i16")
            yield Case(f"reduce/{name}/{dtype}-{kind}-{keep}-{quant}", make, is_sum=True, exact=exact if is_wrong else None)
    for name, dtype in itertools.product(names, ["f32", "i32"]):
        yield Case(f"reduce/{name}/{dtype}-none", partial(reduced_by_none, name=name, dtype=dtype))
    for name, keep in itertools.product(["REDUCE_ANY", "REDUCE_ALL"], [False, True]):
        yield Case(f"reduce/{name}/bool-{keep}", lambda g, rng, name=name, keep=keep: g.output(g.op(
            name, [data(g, rng, "bool", [3, 2]), g.constant(numbers(1))], "bool", options="ReducerOptions", keepDims=keep)))  # fmt: skip
    for name in ("REDUCE_MAX", "REDUCE_MIN", "SUM", "MEAN"):
        yield Case(f"reduce/{name}/nan", lambda g, rng, name=name: g.output(g.op(
            name, [g.input(NAN.reshape(2, 2)), g.constant(numbers(1))], "f32", options="ReducerOptions")))  # fmt: skip
    for name, dtype, axis, result in itertools.product(["ARG_MAX", "ARG_MIN"], ["f32", "i8", "u8", "i32"], [-1, 1, 0], ["i32", "i64"]):
        def index(g, rng, name=name, dtype=dtype, axis=axis, result=result):
            x = data(g, rng, dtype, [3, 4, 5])
            options = "ArgMaxOptions" if name == "ARG_MAX" else "ArgMinOptions"
            g.output(g.op(name, [x, g.constant(numbers(axis))], result, None, options, outputType=2 if result == "i32" else 4))

        yield Case(f"index/{name}/{dtype}-{axis}-{result}", index)
    yield Case("index/ARG_MAX/ties", lambda g, rng: g.output(g.op(
        "ARG_MAX", [g.input(np.float32([[1, 3, 3, 2], [5, 5, 5, 5], [-np.inf] * 4, [0, -0.0, 0, 0]])), g.constant(numbers(1))], "i32",
        None, "ArgMaxOptions", outputType=2)))  # fmt: skip
    yield Case("index/ARG_MAX/nan", lambda g, rng: g.output(g.op(
        "ARG_MAX", [g.input(np.float32([[1, np.nan, 3, 2], [np.nan, 5, 1, 2]])), g.constant(numbers(1))], "i32",
        None, "ArgMaxOptions", outputType=2)))  # fmt: skip
    for exclusive, reverse, dtype in itertools.product([False, True], [False, True], ["f32", "i32"]):
        yield Case(f"reduce/CUMSUM/{dtype}-{exclusive}-{reverse}", lambda g, rng, e=exclusive, r=reverse, dtype=dtype: g.output(g.op(
            "CUMSUM", [data(g, rng, dtype, [3, 5]), g.constant(np.array(1, np.int32))], dtype, None, "CumsumOptions", exclusive=e, reverse=r)))  # fmt: skip


def normalizations() -> Iterator[Case]:
    for dtype, beta in itertools.product(["f32", "i8", "u8", "i16"], [1.0, 2.0, 0.5]):
        for quant in range(1 if dtype in ("f32", "i16") else 3):
            def softmax(g, rng, dtype=dtype, beta=beta, quant=quant):
                x = data(g, rng, dtype, [3, 4, 9], quant)
                low = 0 if dtype in ("u8", "i16") else -128
                out = None if dtype == "f32" else Quant(1 / 32768 if dtype == "i16" else 1 / 256, low)
                g.output(g.op("SOFTMAX", [x], dtype, out, "SoftmaxOptions", version=3, beta=beta))

            yield Case(f"softmax/{dtype}-{beta}-{quant}", softmax, is_sum=True)

    for scale, length in itertools.product([1e-5, 0.0004, 0.01, 0.3, 3.0], [1, 5, 300]):
        def softmax_of_scale(g, rng, scale=scale, length=length):
            for dtype, out in (("i8", Quant(1 / 256, -128)), ("u8", Quant(1 / 256, 0)), ("i16", Quant(1 / 32768, 0))):
                x = g.input(bytes_of(rng, dtype, 4, length), Quant(scale, 0))
                g.output(g.op("SOFTMAX", [x], dtype, out, "SoftmaxOptions", version=3, beta=1.0))

        yield Case(f"softmax/scale-{scale}-{length}", softmax_of_scale)

    def softmax_to_i16(g, rng):
        g.output(g.op("SOFTMAX", [data(g, rng, "i8", [3, 9])], "i16", Quant(1 / 65536, -32768), "SoftmaxOptions", version=3, beta=1.0))

    def softmax_of_large(g, rng):
        x = g.input(np.float32([[1e4, 1, 2], [-1e4, -2e4, 1e3], [88, 89, 90], [0, 0, 0], [-np.inf, 0, 1]]))
        g.output(g.op("SOFTMAX", [x], "f32", None, "SoftmaxOptions", beta=1.0))

    yield Case("softmax/i8-i16", softmax_to_i16)
    yield Case("softmax/large", softmax_of_large)
    for dtype in ("f32", "i8", "u8"):
        out = {"f32": None, "i8": Quant(16 / 256, 127), "u8": Quant(16 / 256, 255)}[dtype]
        yield Case(f"log_softmax/{dtype}", lambda g, rng, dtype=dtype, out=out: g.output(g.op(
            "LOG_SOFTMAX", [data(g, rng, dtype, [3, 9])], dtype, out, "LogSoftmaxOptions", version=2)), is_sum=True)  # fmt: skip
    for scale, length in itertools.product([1e-5, 0.0004, 0.01, 0.3, 3.0], [1, 5, 300]):
        def log_softmax_of_scale(g, rng, scale=scale, length=length):
            for dtype, zero in (("i8", 127), ("u8", 255)):
                x = g.input(bytes_of(rng, dtype, 4, length), Quant(scale, 3))
                g.output(g.op("LOG_SOFTMAX", [x], dtype, Quant(16 / 256, zero), "LogSoftmaxOptions", version=2))

        yield Case(f"log_softmax/scale-{scale}-{length}", log_softmax_of_scale)
    for dtype, act in itertools.product(["f32", "i8", "u8"], ACTIVATIONS):
        out = {"f32": None, "i8": Quant(1 / 128, 0), "u8": Quant(1 / 128, 128)}[dtype]
        yield Case(f"l2_normalization/{act}/{dtype}", lambda g, rng, dtype=dtype, out=out, act=act: g.output(g.op(
            "L2_NORMALIZATION", [data(g, rng, dtype, [3, 9])], dtype, out, "L2NormOptions", version=2,
            fusedActivationFunction=activation(act))))  # fmt: skip
    for dtype, length in itertools.product(["i8", "u8"], [1, 2, 9, 40, 9000]):
        yield Case(f"l2_normalization/{dtype}-{length}", partial(normalized_bytes, dtype=dtype, length=length))
    yield Case("l2_normalization/zeros", lambda g, rng: g.output(g.op(
        "L2_NORMALIZATION", [g.input(np.float32([[0, 0], [1e-20, 0], [3, 4]]))], "f32", None, "L2NormOptions")))  # fmt: skip
    for radius in (1, 2, 9):
        yield Case(f"lrn/f32-{radius}", partial(local_response, radius=radius), is_sum=True, exact=partial(exact_response, radius=radius))


def normalized_bytes(g: Graph, rng: np.random.Generator, dtype: str, length: int) -> None:
    """Rows of every size, from zeros to the ends of the type."""
    low, high = np.iinfo(INTEGERS[dtype]).min, np.iinfo(INTEGERS[dtype]).max
    zero = (low + high + 1) // 2
    for spread in (1, 2, 5, 128):
        values = np.clip(rng.integers(-spread, spread, (8, length), endpoint=True) + zero, low, high)
        values[0] = zero
        values[1:2] = high
        x = g.input(values.astype(INTEGERS[dtype]), Quant(0.3, zero))
        g.output(g.op("L2_NORMALIZATION", [x], dtype, Quant(1 / 128, zero), "L2NormOptions", version=2))


def local_response(g: Graph, rng: np.random.Generator, radius: int) -> None:
    g.output(g.op("LOCAL_RESPONSE_NORMALIZATION", [data(g, rng, "f32", [1, 2, 2, 9])], "f32", None,
                  "LocalResponseNormalizationOptions", radius=radius, bias=1.0, alpha=0.3, beta=0.7))  # fmt: skip


def exact_response(g: Graph, radius: int) -> np.ndarray:
    """TensorFlow's definition; LiteRT's reference kernel leaves out the last neighbour."""
    (x,) = (values.astype(np.float64) for values in g.given.values())
    near = np.abs(np.subtract.outer(np.arange(x.shape[-1]), np.arange(x.shape[-1]))) <= radius
    return (x * (1 + 0.3 * (x * x) @ near) ** -0.7).astype(np.float32)


# --- Movement: a function of a graph, chance and type for each row of MOVES ---


def simple(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    x = data(g, rng, dtype, [2, 3, 4])
    g.output(g.op("RESHAPE", [x, g.constant(numbers(6, -1))], dtype, x.quant, "ReshapeOptions", newShape=[6, -1]))
    g.output(g.op("TRANSPOSE", [x, g.constant(numbers(2, 0, 1))], dtype, x.quant, "TransposeOptions", version=2))
    g.output(g.op("EXPAND_DIMS", [x, g.constant(numbers(-2))], dtype, x.quant, "ExpandDimsOptions"))
    y = data(g, rng, dtype, [2, 1, 3, 1])
    g.output(g.op("SQUEEZE", [y], dtype, y.quant, "SqueezeOptions", squeezeDims=[1, -1]))
    g.output(g.op("SQUEEZE", [y], dtype, y.quant, "SqueezeOptions", squeezeDims=[]))
    g.output(g.op("SQUEEZE", [y], dtype, y.quant, "SqueezeOptions", squeezeDims=[-1]))


def without_scale(g: Graph, rng: np.random.Generator) -> None:
    """u8 that stands for numbers of its own."""
    x = g.input(rng.integers(0, 255, [2, 3, 4]).astype(np.uint8))
    bounds = [g.constant(numbers(0, 0, 1)), g.constant(numbers(2, -1, 2))]
    g.output(g.op("RESHAPE", [x, g.constant(numbers(6, 4))], "u8", None, "ReshapeOptions", newShape=[6, 4]))
    g.output(g.op("SLICE", [x, *bounds], "u8", None, "SliceOptions", version=2))
    g.output(g.op("PAD", [x, g.constant(np.array([[0, 1], [2, 0], [1, 1]], np.int32))], "u8", None, "PadOptions", version=2))
    g.output(g.op("CONCATENATION", [x, x], "u8", None, "ConcatenationOptions", version=2, axis=1))


def shaped_by_option(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    x = data(g, rng, dtype, [2, 3, 4])
    g.output(g.op("RESHAPE", [x], dtype, x.quant, "ReshapeOptions", newShape=[4, 6]))


def tiled(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    x = data(g, rng, dtype, [2, 3])
    g.output(g.op("TILE", [x, g.constant(numbers(2, 3))], dtype, x.quant, "TileOptions", version=2))


def broadcast(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    x = data(g, rng, dtype, [3, 1])
    g.output(g.op("BROADCAST_TO", [x, g.constant(numbers(2, 3, 4))], dtype, x.quant, "BroadcastToOptions", version=2))


def backwards(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    x = data(g, rng, dtype, [2, 3, 4])
    g.output(g.op("REVERSE_V2", [x, g.constant(numbers(1))], dtype, x.quant, "ReverseV2Options", version=2))


def packed(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    a, b = data(g, rng, dtype, [2, 3]), data(g, rng, dtype, [2, 3])
    for axis in (0, 1, -1):
        g.output(g.op("PACK", [a, b], dtype, a.quant, "PackOptions", version=2, valuesCount=2, axis=axis))


def unpacked(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    a = data(g, rng, dtype, [2, 3])
    for axis in (0, -1):
        g.output(*g.op("UNPACK", [a], [dtype] * a.shape[axis], a.quant, "UnpackOptions", version=2,
                       num=a.shape[axis], axis=axis))  # fmt: skip


def sliced(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    a = data(g, rng, dtype, [4, 5, 6])
    bounds = [g.constant(numbers(1, 0, 2)), g.constant(numbers(2, -1, 3))]
    g.output(g.op("SLICE", [a, *bounds], dtype, a.quant, "SliceOptions", version=2))


def split(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    a = data(g, rng, dtype, [4, 6])
    for axis, count in ((0, 2), (1, 3), (-1, 2)):
        at = g.constant(np.array(axis, np.int32))
        g.output(*g.op("SPLIT", [at, a], [dtype] * count, a.quant, "SplitOptions", version=2, numSplits=count))


def split_by_sizes(g: Graph, rng: np.random.Generator, dtype: str, sizes: tuple[int, ...], axis: int) -> None:
    a = data(g, rng, dtype, [4, 6])
    given = [g.constant(numbers(*sizes)), g.constant(np.array(axis, np.int32))]
    g.output(*g.op("SPLIT_V", [a, *given], [dtype] * 3, a.quant, "SplitVOptions", version=2, numSplits=3))


def padded(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    x = data(g, rng, dtype, [2, 3, 4], 1)
    pads = g.constant(np.array([[0, 1], [2, 0], [1, 1]], np.int32))
    g.output(g.op("PAD", [x, pads], dtype, x.quant, "PadOptions", version=2))


def padded_with(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    x = data(g, rng, dtype, [2, 3, 4])
    pads = g.constant(np.array([[0, 1], [2, 0], [1, 1]], np.int32))
    value = np.array(7.5 if dtype == "f32" else 1 if dtype == "bool" else 17).astype(g.given[x.name].dtype)
    g.output(g.op("PADV2", [x, pads, g.constant(value, x.quant)], dtype, x.quant, "PadV2Options", version=2))


def mirrored(g: Graph, rng: np.random.Generator, dtype: str, mode: int) -> None:
    x = data(g, rng, dtype, [3, 4])
    pads = g.constant(np.array([[1, 2], [2, 0]], np.int32))
    g.output(g.op("MIRROR_PAD", [x, pads], dtype, x.quant, "MirrorPadOptions", version=2, mode=mode))


MOVES = {
    "simple": simple, "reshape-by-option": shaped_by_option, "TILE": tiled, "BROADCAST_TO": broadcast,
    "REVERSE_V2": backwards, "PACK": packed, "UNPACK": unpacked, "SLICE": sliced, "SPLIT": split, "PAD": padded,
    "PADV2": padded_with, "SPLIT_V": partial(split_by_sizes, sizes=(1, 2, 3), axis=-1),
    "SPLIT_V-rest": partial(split_by_sizes, sizes=(1, -1, 3), axis=1),
}  # fmt: skip
MIRRORS = {"0": partial(mirrored, mode=0), "1": partial(mirrored, mode=1)}
# Begins, ends, strides and masks.
SLICES: dict[str, tuple[list[int], list[int], list[int], dict]] = {
    "plain": ([1, 0, 2], [3, 5, 6], [1, 1, 1], {}),
    "strided": ([0, 1, 0], [4, 5, 6], [2, 3, 1], {}),
    "negative-index": ([-3, -4, -6], [-1, 5, -2], [1, 2, 1], {}),
    "masked": ([1, 1, 1], [2, 2, 2], [1, 1, 1], {"beginMask": 2, "endMask": 5}),
    "shrunk": ([1, 2, 0], [2, 3, 6], [1, 1, 1], {"shrinkAxisMask": 3}),
    "shrunk-last": ([0, 0, -1], [4, 5, 0], [1, 1, 1], {"shrinkAxisMask": 4}),
    "backwards": ([3, 4, 5], [0, 0, 0], [-1, -2, -1], {}),
    "all-backwards": ([0, 0, 0], [0, 0, 0], [1, -1, 1], {"beginMask": 7, "endMask": 7}),
    "ellipsis": ([0, 1], [0, 3], [1, 1], {"ellipsisMask": 1}),
    "new-axis": ([0, 1, 0, 0], [0, 3, 2, 2], [1, 1, 1, 1], {"newAxisMask": 1}),
    "ellipsis-within": ([1, 0, 2], [3, 0, 5], [1, 1, 2], {"ellipsisMask": 2}),
    "all-new": ([0, 1, 0, 0, -1], [0, 3, 0, 0, 0], [1, 1, 1, 1, 1], {"newAxisMask": 9, "ellipsisMask": 4, "shrinkAxisMask": 16}),
    "shrunk-behind": ([-1, 1, -2], [0, 0, 0], [1, 1, 1], {"shrinkAxisMask": 5, "endMask": 2}),
    "backwards-masked": ([3, 2, 0], [1, 0, 0], [-2, -1, -3], {"beginMask": 4, "endMask": 6}),
    "few": ([1], [3], [1], {}),
    "beyond": ([0, 0, 0], [99, 99, 99], [1, 1, 1], {}),
    "offset": ([1, 1, 1], [2, 2, 2], [1, 1, 1], {"offset": True}),
}


def strided(g: Graph, rng: np.random.Generator, dtype: str, kind: str) -> None:
    *bounds, masks = SLICES[kind]
    x = data(g, rng, dtype, [4, 5, 6])
    given = [g.constant(numbers(*values)) for values in bounds]
    g.output(g.op("STRIDED_SLICE", [x, *given], dtype, x.quant, "StridedSliceOptions", version=8, **masks))


def joined(g: Graph, rng: np.random.Generator, dtype: str, act: str, axis: int) -> None:
    parts = [data(g, rng, dtype, [2, 3]) for _ in range(3)]
    g.output(g.op("CONCATENATION", parts, dtype, parts[0].quant, "ConcatenationOptions", version=2, axis=axis,
                  fusedActivationFunction=activation(act)))  # fmt: skip


def joined_of_scales(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    parts = [data(g, rng, dtype, [2, 30], quant) for quant in range(3)]
    g.output(g.op("CONCATENATION", parts, dtype, result_quant(dtype), "ConcatenationOptions", version=2, axis=1))


def moves() -> Iterator[Case]:
    for dtype in (*ALL, "f16"):
        for name, make in MOVES.items():
            yield Case(f"move/{name}/{dtype}", partial(make, dtype=dtype))
        for mode, make in MIRRORS.items():
            yield Case(f"move/MIRROR_PAD/{dtype}-{mode}", partial(make, dtype=dtype))
        for kind in SLICES:
            yield Case(f"strided_slice/{kind}/{dtype}", partial(strided, dtype=dtype, kind=kind))
        acts = ["NONE", "RELU", "RELU6", "RELU_N1_TO_1"] if dtype in ("f32", "i8") else ["NONE"]
        for act, axis in itertools.product(acts, [0, -1]):
            yield Case(f"concat/{act}/{dtype}-{axis}", partial(joined, dtype=dtype, act=act, axis=axis))
    yield Case("move/plain-u8", without_scale)
    for dtype in ("i8", "u8"):
        yield Case(f"concat/scales/{dtype}", partial(joined_of_scales, dtype=dtype))


def movement() -> Iterator[Case]:
    yield from reductions()
    yield from normalizations()
    yield from moves()
