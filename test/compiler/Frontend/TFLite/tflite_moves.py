# SPDX-License-Identifier: Apache-2.0
"""Cases of reductions, normalizations, indices and data movement."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np

from tflite_builder import Graph, Quant
from tflite_cases import (ACTIVATIONS, INTEGERS, NAN, SPECIAL, Case, activation, bytes_of, data, floats, numbers, quants,
                          result_quant)  # fmt: skip

ALL = ["f32", "i8", "u8", "i16", "i32", "i64", "bool"]


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
    for dtype, act in itertools.product(["f32", "i8", "u8"], ACTIVATIONS):
        out = {"f32": None, "i8": Quant(1 / 128, 0), "u8": Quant(1 / 128, 128)}[dtype]
        yield Case(f"l2_normalization/{act}/{dtype}", lambda g, rng, dtype=dtype, out=out, act=act: g.output(g.op(
            "L2_NORMALIZATION", [data(g, rng, dtype, [3, 9])], dtype, out, "L2NormOptions", version=2,
            fusedActivationFunction=activation(act))))  # fmt: skip
    yield Case("l2_normalization/zeros", lambda g, rng: g.output(g.op(
        "L2_NORMALIZATION", [g.input(np.float32([[0, 0], [1e-20, 0], [3, 4]]))], "f32", None, "L2NormOptions")))  # fmt: skip
    for radius in (1, 2, 9):
        yield Case(f"lrn/f32-{radius}", partial(local_response, radius=radius), is_sum=True, exact=partial(exact_response, radius=radius))


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
    g.output(g.op("SQUEEZE", [y], dtype, y.quant, "SqueezeOptions", squeezeDims=[]))
    g.output(g.op("SQUEEZE", [y], dtype, y.quant, "SqueezeOptions", squeezeDims=[-1]))


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
    for dtype in ALL:
        for name, make in MOVES.items():
            yield Case(f"move/{name}/{dtype}", partial(make, dtype=dtype))
        for mode, make in MIRRORS.items():
            yield Case(f"move/MIRROR_PAD/{dtype}-{mode}", partial(make, dtype=dtype))
        for kind in SLICES:
            yield Case(f"strided_slice/{kind}/{dtype}", partial(strided, dtype=dtype, kind=kind))
        acts = ["NONE", "RELU", "RELU6", "RELU_N1_TO_1"] if dtype in ("f32", "i8") else ["NONE"]
        for act, axis in itertools.product(acts, [0, -1]):
            yield Case(f"concat/{act}/{dtype}-{axis}", partial(joined, dtype=dtype, act=act, axis=axis))
    for dtype in ("i8", "u8"):
        yield Case(f"concat/scales/{dtype}", partial(joined_of_scales, dtype=dtype))


# --- Indices -------------------------------------------------------------------


def gather(g: Graph, rng: np.random.Generator, dtype: str, axis: int, batch: int) -> None:
    x = data(g, rng, dtype, [4, 5, 6])
    shape = {0: [2, 3], 1: [4, 3], -1: [4, 1]}[batch]
    at = g.input(rng.integers(0, 4, shape).astype(np.int32))
    g.output(g.op("GATHER", [x, at], dtype, x.quant, "GatherOptions", version=5, axis=axis, batchDims=batch))


def gather_nd(g: Graph, rng: np.random.Generator, dtype: str, kind: type) -> None:
    x = data(g, rng, dtype, [4, 5, 6])
    for width in (1, 2, 3):
        at = g.input(rng.integers(0, 4, (2, 3, width)).astype(kind))
        g.output(g.op("GATHER_ND", [x, at], dtype, x.quant, "GatherNdOptions", version=5))


def one_hot(g: Graph, rng: np.random.Generator, dtype: str, kind: type) -> None:
    on, off = {"f32": (2.5, -1.0), "bool": (True, False)}.get(dtype, (3, 1))
    stored = {"f32": np.float32, "bool": np.bool_, **INTEGERS}[dtype]
    for axis in (-1, 0):
        values = [np.array(3, np.int32), np.array(on, stored), np.array(off, stored)]
        at = g.input(np.array([0, 2, -1, 3, 1], kind))
        g.output(g.op("ONE_HOT", [at, *(g.constant(v) for v in values)], dtype, None, "OneHotOptions", axis=axis))


def scatter(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    at = g.input(np.array([[4], [3], [1], [7]], np.int32))
    x = data(g, rng, dtype, [4, 2])
    g.output(g.op("SCATTER_ND", [at, x, g.constant(numbers(8, 2))], dtype, None, "ScatterNdOptions"))


def scatter_twice(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    at = g.input(np.array([[1], [1], [0], [1]], np.int32))
    x = data(g, rng, dtype, [4])
    g.output(g.op("SCATTER_ND", [at, x, g.constant(numbers(3))], dtype, None, "ScatterNdOptions"))


def embedding(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    quant = quants("i8")[0] if dtype == "i8" else None
    table = floats(rng, 6, 3) if dtype == "f32" else bytes_of(rng, dtype, 6, 3)
    g.output(g.op("EMBEDDING_LOOKUP", [g.input(numbers(5, 0, 2)), g.constant(table, quant)], dtype, quant))


def filled(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    x = data(g, rng, dtype, [])
    g.output(g.op("FILL", [g.constant(numbers(2, 3)), x], dtype, x.quant, "FillOptions", version=3))


def top(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    x = data(g, rng, dtype, [3, 9])
    most = g.constant(np.array(4, np.int32))
    values, at = g.op("TOPK_V2", [x, most], [dtype, "i32"], x.quant, "TopKV2Options", version=2)
    g.output(values, at)


def shape(g: Graph, rng: np.random.Generator) -> None:
    x = data(g, rng, "f32", [3, 4])
    y = g.op("SHAPE", [x], "i32", options="ShapeOptions", outType=2)
    z = g.op("RANK", [x], "i32", options="RankOptions")
    for made in (y, z):
        g.output(g.op("ADD", [made, data(g, rng, "i32", [2])], "i32", options="AddOptions"))


def buckets(g: Graph, rng: np.random.Generator) -> None:
    x = g.input(np.float32([-5, 0, 0.5, 1, 10, 99]))
    g.output(g.op("BUCKETIZE", [x], "i32", None, "BucketizeOptions", boundaries=[0.0, 1.0, 10.0]))


def spectrum(g: Graph, rng: np.random.Generator) -> None:
    g.output(g.op("RFFT2D", [data(g, rng, "f32", [1, 1, 8]), g.constant(numbers(1, 8))], "f32", None, "Rfft2dOptions"))


def counted(g: Graph, rng: np.random.Generator) -> None:
    bounds = [g.constant(np.array(n, np.int32)) for n in (2, 11, 3)]
    made = g.op("RANGE", bounds, "i32", options="RangeOptions")
    g.output(g.op("ADD", [made, data(g, rng, "i32", [3])], "i32", options="AddOptions"))


def sparse(g: Graph, rng: np.random.Generator) -> None:
    at, values = g.constant(numbers(1, 3)), g.input(np.float32([5, 6]))
    size, rest = g.constant(numbers(5)), g.constant(np.float32(0))
    g.output(g.op("SPARSE_TO_DENSE", [at, size, values, rest], "f32", None, "SparseToDenseOptions"))


INDICES = {"SCATTER_ND": scatter, "SCATTER_ND-twice": scatter_twice, "EMBEDDING_LOOKUP": embedding, "FILL": filled, "TOPK_V2": top}
SINGLE = {"SHAPE": shape, "BUCKETIZE": buckets, "RFFT2D": spectrum, "RANGE": counted, "SPARSE_TO_DENSE": sparse}


def indices() -> Iterator[Case]:
    for dtype, axis, batch in itertools.product(ALL, [0, 1, -1], [0, 1, -1]):
        if not batch or (dtype in ("f32", "i8") and axis != 0):
            yield Case(f"index/GATHER/{dtype}-{axis}-{batch}", partial(gather, dtype=dtype, axis=axis, batch=batch))
    for dtype, kind in itertools.product(ALL, [np.int32, np.int64]):
        for name, make in (("GATHER_ND", gather_nd), ("ONE_HOT", one_hot)):
            yield Case(f"index/{name}/{dtype}-{np.dtype(kind).name}", partial(make, dtype=dtype, kind=kind))
    for dtype in ("f32", "i8", "i32", "i64"):
        for name, make in INDICES.items():
            yield Case(f"index/{name}/{dtype}", partial(make, dtype=dtype))
    for name, make in SINGLE.items():
        yield Case(f"index/{name}", make)


def movement() -> Iterator[Case]:
    yield from reductions()
    yield from normalizations()
    yield from moves()
    yield from indices()


__all__ = ["SPECIAL", "Graph", "movement"]
