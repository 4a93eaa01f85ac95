# SPDX-License-Identifier: Apache-2.0
"""Random cases of each operator: shapes, attributes, types, scales from 1e-6 to 1e3, all zero points, saturating data.

A case's number is all that it depends on, so that one that differs can be made again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tflite_builder import Graph, Quant, Tensor
from tflite_cases import INTEGERS, Case, activation, numbers
from tflite_windows import PADDING

LIMIT = 3e-6, 3e2  # of scales; of products they go further
FUSED = ("NONE", "RELU", "RELU6", "RELU_N1_TO_1")
BYTES, QUANTIZED = ("i8", "u8"), ("i8", "u8", "i16")


@dataclass
class Chance:
    """Draws what a case is made of."""

    rng: np.random.Generator
    g: Graph

    def number(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high, endpoint=True))

    def one(self, *choices: object) -> object:
        return choices[self.number(0, len(choices) - 1)]

    def yes(self, share: float = 0.5) -> bool:
        return bool(self.rng.random() < share)

    def spread(self, low: float, high: float) -> float:
        """Between both, by their logarithms, as f32."""
        return float(np.float32(np.exp(self.rng.uniform(np.log(low), np.log(high)))))

    def shape(self, rank: int, most: int = 6) -> list[int]:
        return [self.number(1, most) for _ in range(rank)]

    def quant(self, dtype: str, scale: float | None = None) -> Quant | None:
        if dtype not in QUANTIZED:
            return None
        limits = np.iinfo(INTEGERS[dtype])
        ends = (limits.min, limits.max, (limits.min + limits.max + 1) // 2)
        zero = self.one(*ends) if self.yes(0.4) else self.number(limits.min, limits.max)
        return Quant(scale or self.spread(*LIMIT), 0 if dtype == "i16" else int(zero))

    def near(self, like: Quant | None, dtype: str, factor: float = 1.0) -> Quant | None:
        """Of a result that fills its type as a rule. LiteRT's products of a far smaller scale wrap."""
        if like is None:
            return None
        scale = like.scale * factor * (self.spread(0.01, 1000) if self.yes(0.1) else self.spread(0.2, 5))
        return self.quant(dtype, float(np.float32(scale)))

    def stored(self, dtype: str, shape: list[int]) -> np.ndarray:
        limits = np.iinfo(INTEGERS[dtype])
        kind = self.number(0, 4)
        if kind == 0:  # saturating
            return self.rng.choice([limits.min, limits.max], shape).astype(INTEGERS[dtype])
        if kind == 1:  # near each other
            middle = self.number(limits.min + 3, limits.max - 3)
            return self.rng.integers(middle - 3, middle + 3, shape, endpoint=True).astype(INTEGERS[dtype])
        return self.rng.integers(limits.min, limits.max, shape, endpoint=True).astype(INTEGERS[dtype])

    def data(self, dtype: str, shape: list[int], quant: Quant | None = None) -> Tensor:
        if dtype == "f32":
            return self.g.input((self.rng.normal(size=shape) * self.spread(0.1, 10)).astype(np.float32))
        if dtype == "bool":
            return self.g.input(self.rng.random(shape) < 0.5)
        if dtype in ("i32", "i64"):
            return self.g.input(self.rng.integers(-1000, 1000, shape).astype(INTEGERS[dtype]))
        return self.g.input(self.stored(dtype, shape), quant or self.quant(dtype))

    def weights(self, dtype: str, shape: list[int], axis: int | None) -> Tensor:
        if dtype == "f32":
            return self.g.constant(self.rng.normal(size=shape).astype(np.float32))
        if dtype == "u8":
            return self.g.constant(self.stored("u8", shape), self.quant("u8", self.spread(1e-4, 1)))
        values = np.maximum(self.stored("i8", shape), -127)
        if axis is None:
            return self.g.constant(values, Quant(self.spread(1e-4, 1)))
        middle = self.spread(1e-4, 1)
        scales = tuple(middle * self.spread(0.3, 3) for _ in range(shape[axis]))
        return self.g.constant(values, Quant(scales, 0, axis))

    def bias(self, dtype: str, count: int, x: Tensor, w: Tensor) -> Tensor | None:
        if self.yes(0.2):
            return None
        if dtype == "f32":
            return self.g.constant(self.rng.normal(size=[count]).astype(np.float32))
        scales = np.float32(x.quant.scale) * np.atleast_1d(np.float32(w.quant.scale))
        most = self.one(100, 5000, 200000)
        values = self.rng.integers(-most, most, [count]).astype(np.int64 if dtype == "i16" else np.int32)
        return self.g.constant(values, Quant(tuple(float(scale) for scale in scales)))

    def of_sums(self, x: Tensor, w: Tensor, count: int, dtype: str) -> Quant | None:
        """For the result of sums of `count` products."""
        if dtype == "f32":
            return None
        factor = float(np.mean(w.quant.scale)) * 60 * np.sqrt(count)
        if dtype != "i16":
            return self.near(x.quant, dtype, factor)
        # What LiteRT scales beyond 32 bits wraps.
        return Quant(float(np.float32(x.quant.scale * factor * self.spread(0.2, 5))))

    def fused(self) -> int:
        return activation(str(self.one(*FUSED)))


# --- One function an operator: what it makes of chance and a type --------------


def binary(name: str, options: str, c: Chance, dtype: str) -> None:
    shape = c.shape(c.number(1, 4))
    others = [1 if c.yes(0.2) else extent for extent in shape][c.number(0, len(shape) - 1) if c.yes(0.3) else 0 :]
    a, b = c.data(dtype, shape), c.data(dtype, others)
    if dtype in QUANTIZED and name != "MUL":  # sums of scales that are near each other
        b.quant = c.near(a.quant, dtype)
    if c.yes(0.3):
        a, b = b, a
    factor = b.quant.scale * 60 if name in ("MUL", "SQUARED_DIFFERENCE") and b.quant else 1
    if name == "SQUARED_DIFFERENCE" and b.quant:
        factor = a.quant.scale * 60
    out = c.near(a.quant, dtype, factor)
    more = {"fusedActivationFunction": c.fused()} if name in ("ADD", "SUB", "MUL") else {}
    c.g.output(c.g.op(name, [a, b], dtype, out, options, version=2, **more))


def extremum(name: str, c: Chance, dtype: str) -> None:
    shape = c.shape(3)
    a = c.data(dtype, shape)
    b = c.data(dtype, [1 if c.yes(0.2) else extent for extent in shape], a.quant)
    c.g.output(c.g.op(name, [a, b], dtype, a.quant, "MaximumMinimumOptions", version=4))


def compare(name: str, options: str, c: Chance, dtype: str) -> None:
    # LiteRT's factors are below 1.
    a, b = (c.data(dtype, shape, c.quant(dtype, c.spread(1e-5, 0.9))) for shape in [c.shape(3)] * 2)
    c.g.output(c.g.op(name, [a, b], "bool", None, options, version=2))


def unary(name: str, options: str, c: Chance, dtype: str) -> None:
    scale = c.spread(1e-3, 1) if c.yes(0.8) else None
    # Farther out the logistic is so near 0 that f32 has fewer of its bits.
    values = c.rng.uniform(-8, 8, c.shape(c.number(1, 4))).astype(np.float32)
    x = c.g.input(values) if dtype == "f32" else c.data(dtype, c.shape(c.number(1, 4)), c.quant(dtype, scale))
    low = {"i8": -128, "u8": 0, "i16": 0}.get(dtype, 0)
    out = c.near(x.quant, dtype)
    if dtype != "f32" and name == "HARD_SWISH":
        # LiteRT shifts numbers of 16 bits by the power of two below this factor, and by 15 at the most.
        out = Quant(min(out.scale, x.quant.scale / 128 * 2**15), out.zero)
    if dtype != "f32" and name == "LOGISTIC":
        out = Quant(1 / 256 if dtype != "i16" else 1 / 32768, low)
    if dtype != "f32" and name == "TANH":
        out = Quant(1 / 128 if dtype != "i16" else 1 / 32768, (low + 128) if dtype != "i16" else 0)
    more = {"alpha": float(np.float32(c.rng.uniform(-1, 2)))} if name == "LEAKY_RELU" else {}
    c.g.output(c.g.op(name, [x], dtype, out, options, version=2, **more))


def prelu(c: Chance, dtype: str) -> None:
    x = c.data(dtype, [1, *c.shape(3)])
    quant = c.quant(dtype, c.spread(1e-3, 0.1))
    slopes = c.rng.normal(size=[1, 1, x.shape[-1]]).astype(np.float32) if dtype == "f32" else c.stored(dtype, [1, 1, x.shape[-1]])
    c.g.output(c.g.op("PRELU", [x, c.g.constant(slopes, quant)], dtype, c.near(x.quant, dtype)))


def window(c: Chance, c_in: int, most: int = 4) -> tuple[list[int], dict]:
    kernel = [c.number(1, most), c.number(1, most)]
    dilation = [c.number(1, 2), c.number(1, 2)] if c.yes(0.2) else [1, 1]
    strides = [1, 1] if max(dilation) > 1 else [c.number(1, 3), c.number(1, 3)]
    same = c.yes()
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    size = [c.number(1 if same else r, r + 6) for r in reach]
    attributes = {"padding": PADDING["same" if same else "valid"], "strideH": strides[0], "strideW": strides[1],
                  "dilationHFactor": dilation[0], "dilationWFactor": dilation[1]}  # fmt: skip
    return [c.number(1, 2), *size, c_in, *kernel], attributes


def conv(c: Chance, dtype: str) -> None:
    groups = c.number(2, 3) if c.yes(0.15) and dtype in ("f32", "i8") else 1
    inner, filters = c.number(1, 9), groups * c.number(1, 6)
    (*shape, kh, kw), attributes = window(c, inner * groups)
    x = c.data(dtype, shape)
    w = c.weights(dtype, [filters, kh, kw, inner], 0 if c.yes(0.7) else None)
    c.g.output(c.g.op("CONV_2D", [x, w, c.bias(dtype, filters, x, w)], dtype, c.of_sums(x, w, kh * kw * inner, dtype),
                      "Conv2DOptions", version=3, fusedActivationFunction=c.fused(), **attributes))  # fmt: skip


def depthwise(c: Chance, dtype: str) -> None:
    channels, multiplier = c.number(1, 9), c.number(1, 3)
    (*shape, kh, kw), attributes = window(c, channels)
    attributes["strideW"] = attributes["strideH"]
    x = c.data(dtype, shape)
    w = c.weights(dtype, [1, kh, kw, channels * multiplier], 3 if c.yes(0.7) else None)
    c.g.output(c.g.op("DEPTHWISE_CONV_2D", [x, w, c.bias(dtype, channels * multiplier, x, w)], dtype,
                      c.of_sums(x, w, kh * kw, dtype), "DepthwiseConv2DOptions", version=3, depthMultiplier=multiplier,
                      fusedActivationFunction=c.fused(), **attributes))  # fmt: skip


def transposed(c: Chance, dtype: str) -> None:
    stride, inner, filters = c.number(1, 3), c.number(1, 5), c.number(1, 5)
    kernel, size, same = [c.number(1, 4), c.number(1, 4)], [c.number(1, 5), c.number(1, 5)], c.yes()
    result = [s * stride if same else (s - 1) * stride + max(k, stride) for s, k in zip(size, kernel, strict=True)]
    x = c.data(dtype, [1, *size, inner])
    w = c.weights(dtype, [filters, *kernel, inner], 0 if c.yes(0.7) else None)
    c.g.output(c.g.op("TRANSPOSE_CONV", [c.g.constant(numbers(1, *result, filters)), w, x, c.bias(dtype, filters, x, w)], dtype,
                      c.of_sums(x, w, kernel[0] * kernel[1] * inner, dtype), "TransposeConvOptions", version=3,
                      padding=PADDING["same" if same else "valid"], strideW=stride, strideH=stride,
                      fusedActivationFunction=c.fused()))  # fmt: skip


def dense(c: Chance, dtype: str) -> None:
    depth, filters = c.number(1, 40), c.number(1, 12)
    x = c.data(dtype, [*c.shape(c.number(1, 3), 4), depth])
    w = c.weights(dtype, [filters, depth], 0 if dtype == "i8" and c.yes(0.4) else None)
    c.g.output(c.g.op("FULLY_CONNECTED", [x, w, c.bias(dtype, filters, x, w)], dtype, c.of_sums(x, w, depth, dtype),
                      "FullyConnectedOptions", version=12 if isinstance(w.quant and w.quant.scale, tuple) else 9,
                      keepNumDims=c.yes(), fusedActivationFunction=c.fused()))  # fmt: skip


def matmul(c: Chance, dtype: str) -> None:
    rows, depth, columns = c.shape(3, 9)
    batch = c.shape(c.number(0, 2), 3)
    adj = c.yes(), c.yes()
    a = c.data(dtype, [*batch, *((depth, rows) if adj[0] else (rows, depth))])
    b = c.data(dtype, [*batch, *((columns, depth) if adj[1] else (depth, columns))])
    c.g.output(c.g.op("BATCH_MATMUL", [a, b], dtype, c.of_sums(a, b, depth, dtype), "BatchMatMulOptions", adjX=adj[0], adjY=adj[1],
                      version=3))  # fmt: skip


def pool(name: str, c: Chance, dtype: str) -> None:
    (*shape, kh, kw), attributes = window(c, c.number(1, 5), 5)
    kept = {key: attributes[key] for key in ("padding", "strideH", "strideW")}
    shape[1:3] = [max(size, kernel) for size, kernel in zip(shape[1:3], (kh, kw), strict=True)]
    x = c.data(dtype, shape)
    c.g.output(c.g.op(name, [x], dtype, x.quant, "Pool2DOptions", version=3, filterHeight=kh, filterWidth=kw,
                      fusedActivationFunction=c.fused(), **kept))  # fmt: skip


def reduce(name: str, c: Chance, dtype: str) -> None:
    shape = c.shape(c.number(1, 4))
    axes = sorted({c.number(0, len(shape) - 1) for _ in range(c.number(1, 3))})
    x = c.data(dtype, shape)
    out = x.quant if name != "MEAN" else c.near(x.quant, dtype)
    c.g.output(c.g.op(name, [x, c.g.constant(numbers(*axes))], dtype, out, "ReducerOptions", version=2, keepDims=c.yes()))


def softmax(c: Chance, dtype: str) -> None:
    x = c.data(dtype, c.shape(c.number(1, 3), 20), c.quant(dtype, c.spread(1e-5, 5)))
    low = 0 if dtype in ("u8", "i16") else -128
    out = None if dtype == "f32" else Quant(1 / 32768 if dtype == "i16" else 1 / 256, low)
    c.g.output(c.g.op("SOFTMAX", [x], dtype, out, "SoftmaxOptions", version=3, beta=1.0 if c.yes() else c.spread(0.1, 3)))


def log_softmax(c: Chance, dtype: str) -> None:
    out = {"f32": None, "i8": Quant(16 / 256, 127), "u8": Quant(16 / 256, 255)}[dtype]
    x = c.data(dtype, c.shape(2, 20), c.quant(dtype, c.spread(1e-5, 5)))
    c.g.output(c.g.op("LOG_SOFTMAX", [x], dtype, out, "LogSoftmaxOptions", version=2))


def l2_norm(c: Chance, dtype: str) -> None:
    out = {"f32": None, "i8": Quant(1 / 128, 0), "u8": Quant(1 / 128, 128)}[dtype]
    x = c.data(dtype, c.shape(2, 30))
    c.g.output(c.g.op("L2_NORMALIZATION", [x], dtype, out, "L2NormOptions", version=2))


def resize(name: str, options: str, c: Chance, dtype: str) -> None:
    corners = c.yes(0.3)
    x = c.data(dtype, [1, *c.shape(2, 7), c.number(1, 4)])
    size = c.g.constant(numbers(*c.shape(2, 12)))
    c.g.output(c.g.op(name, [x, size], dtype, x.quant, options, version=3, alignCorners=corners,
                      halfPixelCenters=not corners and c.yes()))  # fmt: skip


def concat(c: Chance, dtype: str) -> None:
    shape, count = c.shape(c.number(1, 4)), c.number(1, 4)
    axis = c.number(0, len(shape) - 1)
    first = c.data(dtype, shape)
    parts = [first]
    for _ in range(count - 1):
        other = [c.number(1, 5) if i == axis else extent for i, extent in enumerate(shape)]
        parts.append(c.data(dtype, other, c.near(first.quant, dtype) if dtype == "u8" and c.yes() else first.quant))
    c.g.output(c.g.op("CONCATENATION", parts, dtype, first.quant, "ConcatenationOptions", version=2, axis=axis - (len(shape) if c.yes(0.3) else 0)))


def pad(name: str, c: Chance, dtype: str) -> None:
    x = c.data(dtype, c.shape(c.number(1, 4)))
    most = [extent - 1 if name == "MIRROR_PAD" else 3 for extent in x.shape]
    pads = c.g.constant(np.array([[c.number(0, m), c.number(0, m)] for m in most], np.int32))
    more = [c.g.constant(c.stored(dtype, []), x.quant)] if name == "PADV2" and dtype in QUANTIZED else []
    if name == "PADV2" and not more:
        more = [c.g.constant(np.array(c.number(-9, 9), np.float32))]
    options = {"PAD": "PadOptions", "PADV2": "PadV2Options", "MIRROR_PAD": "MirrorPadOptions"}[name]
    mode = {"mode": c.number(0, 1)} if name == "MIRROR_PAD" else {}
    c.g.output(c.g.op(name, [x, pads, *more], dtype, x.quant, options, version=2, **mode))


def strided(c: Chance, dtype: str) -> None:
    x = c.data(dtype, c.shape(c.number(1, 4), 7))
    rank = len(x.shape)
    bounds = [[c.number(-extent, extent) for extent in x.shape] for _ in range(2)]
    strides = [c.one(1, 1, 2, 3, -1, -2) for _ in x.shape]
    masks = {key: c.number(0, 2**rank - 1) if c.yes() else 0 for key in ("beginMask", "endMask")}
    masks["shrinkAxisMask"] = c.number(0, 2**rank - 1) if c.yes(0.2) else 0
    for i, extent in enumerate(x.shape):  # of which one element is taken, which is there
        if masks["shrinkAxisMask"] >> i & 1:
            bounds[0][i], strides[i] = c.number(-extent, extent - 1), 1
    given = [c.g.constant(numbers(*row)) for row in (*bounds, strides)]
    c.g.output(c.g.op("STRIDED_SLICE", [x, *given], dtype, x.quant, "StridedSliceOptions", version=8, **masks))


def slices(c: Chance, dtype: str) -> None:
    x = c.data(dtype, c.shape(c.number(1, 4), 7))
    begins = [c.number(0, extent - 1) for extent in x.shape]
    sizes = [-1 if c.yes(0.2) else c.number(1, extent - begin) for begin, extent in zip(begins, x.shape, strict=True)]
    given = [c.g.constant(numbers(*begins)), c.g.constant(numbers(*sizes))]
    c.g.output(c.g.op("SLICE", [x, *given], dtype, x.quant, "SliceOptions", version=3))


def transpose(c: Chance, dtype: str) -> None:
    x = c.data(dtype, c.shape(c.number(1, 5)))
    order = c.g.constant(c.rng.permutation(len(x.shape)).astype(np.int32))
    c.g.output(c.g.op("TRANSPOSE", [x, order], dtype, x.quant, "TransposeOptions", version=3))


def gather(c: Chance, dtype: str) -> None:
    x = c.data(dtype, c.shape(c.number(1, 4)))
    axis = c.number(0, len(x.shape) - 1)
    at = c.g.constant(c.rng.integers(0, x.shape[axis], c.shape(c.number(1, 2))).astype(np.int32))
    c.g.output(c.g.op("GATHER", [x, at], dtype, x.quant, "GatherOptions", version=3, axis=axis))


def blocks(name: str, c: Chance, dtype: str) -> None:
    block = c.number(1, 3)
    if name == "SPACE_TO_DEPTH":
        x = c.data(dtype, [c.number(1, 2), block * c.number(1, 4), block * c.number(1, 4), c.number(1, 4)])
    else:
        x = c.data(dtype, [c.number(1, 2), c.number(1, 4), c.number(1, 4), block * block * c.number(1, 3)])
    options = "SpaceToDepthOptions" if name == "SPACE_TO_DEPTH" else "DepthToSpaceOptions"
    c.g.output(c.g.op(name, [x], dtype, x.quant, options, blockSize=block))


def requantize(c: Chance, dtype: str) -> None:
    x = c.data(dtype, c.shape(c.number(1, 4), 8))
    target = str(c.one(*QUANTIZED)) if dtype != "f32" else str(c.one("i8", "u8", "i16"))
    like = x.quant or Quant(c.spread(1e-3, 0.3))
    c.g.output(c.g.op("QUANTIZE", [x], target, c.near(like, target), "QuantizeOptions", version=4))


def dequantize(c: Chance, dtype: str) -> None:
    x = c.data(dtype, c.shape(c.number(1, 4), 8))
    c.g.output(c.g.op("DEQUANTIZE", [x], "f32", None, "DequantizeOptions", version=5))


def arg(name: str, options: str, c: Chance, dtype: str) -> None:
    x = c.data(dtype, c.shape(c.number(1, 4)))
    at = c.g.constant(numbers(c.number(-len(x.shape), len(x.shape) - 1)))
    c.g.output(c.g.op(name, [x, at], "i32", None, options, version=2, outputType=2))


@dataclass(frozen=True)
class Row:
    """An operator, the types it is tried with, and whether its floats are sums."""

    name: str
    make: Callable[[Chance, str], None]
    types: tuple[str, ...] = ("f32", *QUANTIZED)
    is_sum: bool = False


def rows() -> list[Row]:
    def bound(function: Callable, *given: str) -> Callable[[Chance, str], None]:
        return lambda c, dtype: function(*given, c, dtype)

    pairs = {"ADD": "AddOptions", "SUB": "SubOptions", "MUL": "MulOptions"}
    tables = {"LOGISTIC": "", "TANH": "", "HARD_SWISH": "HardSwishOptions", "LEAKY_RELU": "LeakyReluOptions"}
    comparisons = {"EQUAL": "EqualOptions", "LESS": "LessOptions", "GREATER_EQUAL": "GreaterEqualOptions"}
    return [
        *(Row(name, bound(binary, name, options)) for name, options in pairs.items()),
        Row("SQUARED_DIFFERENCE", bound(binary, "SQUARED_DIFFERENCE", "SquaredDifferenceOptions"), ("f32", "i8")),
        *(Row(name, bound(extremum, name)) for name in ("MAXIMUM", "MINIMUM")),
        *(Row(name, bound(compare, name, options), ("f32", *BYTES)) for name, options in comparisons.items()),
        # Near -3 hard swish is a difference of nearly equal numbers.
        *(Row(name, bound(unary, name, options), ("f32", *BYTES), name == "HARD_SWISH") for name, options in tables.items()),
        *(Row(name, bound(unary, name, ""), ("f32", *QUANTIZED)) for name in ("RELU", "RELU6")),
        Row("PRELU", prelu, ("f32", *BYTES)),
        Row("CONV_2D", conv, is_sum=True), Row("DEPTHWISE_CONV_2D", depthwise, is_sum=True),
        Row("TRANSPOSE_CONV", transposed, is_sum=True), Row("FULLY_CONNECTED", dense, is_sum=True),
        Row("BATCH_MATMUL", matmul, ("f32", "i8", "i16"), is_sum=True),
        *(Row(name, bound(pool, name), is_sum=name != "MAX_POOL_2D") for name in ("MAX_POOL_2D", "AVERAGE_POOL_2D")),
        *(Row(name, bound(reduce, name), is_sum=name == "MEAN") for name in ("MEAN", "REDUCE_MAX", "REDUCE_MIN")),
        Row("SOFTMAX", softmax, is_sum=True), Row("LOG_SOFTMAX", log_softmax, ("f32", *BYTES), is_sum=True),
        Row("L2_NORMALIZATION", l2_norm, ("f32", *BYTES)),
        Row("RESIZE_BILINEAR", bound(resize, "RESIZE_BILINEAR", "ResizeBilinearOptions"), is_sum=True),
        Row("RESIZE_NEAREST_NEIGHBOR", bound(resize, "RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighborOptions")),
        Row("CONCATENATION", concat), *(Row(name, bound(pad, name)) for name in ("PAD", "PADV2", "MIRROR_PAD")),
        Row("STRIDED_SLICE", strided), Row("SLICE", slices), Row("TRANSPOSE", transpose), Row("GATHER", gather),
        *(Row(name, bound(blocks, name), ("f32", *BYTES)) for name in ("SPACE_TO_DEPTH", "DEPTH_TO_SPACE")),
        Row("QUANTIZE", requantize), Row("DEQUANTIZE", dequantize, QUANTIZED),
        Row("ARG_MAX", bound(arg, "ARG_MAX", "ArgMaxOptions"), ("f32", *BYTES)),
        Row("ARG_MIN", bound(arg, "ARG_MIN", "ArgMinOptions"), ("f32", *BYTES)),
    ]  # fmt: skip


def generated(count: int, first: int = 0) -> Iterator[Case]:
    """The operators one after the other, each with its types one after the other."""
    all_rows = rows()
    for number in range(first, first + count):
        row = all_rows[number % len(all_rows)]
        dtype = row.types[number // len(all_rows) % len(row.types)]

        def make(g: Graph, rng: np.random.Generator, row: Row = row, dtype: str = dtype) -> None:
            row.make(Chance(rng, g), dtype)

        yield Case(f"random/{row.name}/{dtype}-{number}", make, is_sum=row.is_sum)
