# SPDX-License-Identifier: Apache-2.0
"""Nodes of random models that move elements, or change their type."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .graph import Graph, Refused, Value
from .operators import axis_of, flag, image, number, partner, pick, some_axes, weights


def ranked(g: Graph, least: int = 1) -> Value:
    return pick(g, lambda v: v.rank >= least)


def transpose(g: Graph, op: str) -> None:
    value = ranked(g, 2)
    g.op(op, [value], exact=True, perm=g.random.permutation(value.rank).tolist())


def factors(g: Graph, count: int) -> list[int]:
    """Extents whose product is `count`."""
    shape = []
    while count > 1 and len(shape) < 4:
        divisor = int(g.random.choice([d for d in range(1, count + 1) if count % d == 0]))
        shape.append(divisor)
        count //= divisor
    return [*shape, count] if count > 1 or not shape else shape


def reshape(g: Graph, op: str) -> None:
    value = ranked(g)
    shape = factors(g, math.prod(value.shape))
    if flag(g, 0.4):  # merge two neighbours, as most reshapes of real networks do
        at = number(g, 0, value.rank - 1)
        shape = [*value.shape[:at], math.prod(value.shape[at : at + 2]), *value.shape[at + 2 :]]
    if flag(g, 0.3):
        shape[number(g, 0, len(shape) - 1)] = -1
    g.op(op, [value, g.ints(*shape)], exact=True)


def flatten(g: Graph, op: str) -> None:
    value = ranked(g)
    g.op(op, [value], exact=True, axis=number(g, -value.rank, value.rank))


def squeeze(g: Graph, op: str) -> None:
    value = pick(g, lambda v: 1 in v.shape)
    g.op(op, [value, g.ints(*[i for i, extent in enumerate(value.shape) if extent == 1])], exact=True)


def unsqueeze(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.rank < 5)
    g.op(op, [value, g.ints(number(g, -value.rank - 1, value.rank))], exact=True)


def concat(g: Graph, op: str) -> None:
    value = ranked(g)
    axis = axis_of(g, value)

    def fits(other: Value) -> bool:
        same = other.rank == value.rank and other.array.dtype == value.array.dtype
        return same and all(a == b for i, (a, b) in enumerate(zip(other.shape, value.shape)) if i != axis % value.rank)

    g.op(op, [value, *[pick(g, fits) for _ in range(number(g, 1, 2))]], exact=True, axis=axis)


def split(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.rank > 0 and max(v.shape) > 1)
    axis = int(np.argmax(value.shape))
    first = number(g, 1, value.shape[axis] - 1)
    g.op(op, [value, g.ints(first, value.shape[axis] - first)], exact=True, outputs=2, axis=axis)


def cut(g: Graph, op: str) -> None:
    value = ranked(g)
    axes = some_axes(g, value)
    starts, ends, steps = [], [], []
    for axis in axes:
        extent = value.shape[axis]
        start, step = number(g, 0, extent - 1), number(g, 1, 2)
        backwards = flag(g, 0.25)
        starts.append(extent - 1 - start if backwards else start)
        ends.append(-extent - 1 if backwards else extent + number(g, 0, 3))
        steps.append(-step if backwards else step)
    g.op(op, [value, g.ints(*starts), g.ints(*ends), g.ints(*axes), g.ints(*steps)], exact=True)


def pad(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.rank > 0 and v.kind in "fi")
    mode = str(g.random.choice(["constant", "reflect", "edge"]))
    limit = 2 if mode != "reflect" else min(2, min(value.shape) - 1)
    amounts = [number(g, 0, limit) for _ in range(2 * value.rank)]
    filler = g.constant(value.array.dtype.type(1.5)) if mode == "constant" and flag(g) else None
    g.op(op, [value, g.ints(*amounts), filler], exact=True, mode=mode)


def expand(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.rank < 5)
    shape = [number(g, 2, 3) if extent == 1 else extent for extent in value.shape]
    g.op(op, [value, g.ints(*[number(g, 1, 2)] * number(g, 0, 1), *shape)], exact=True)


def tile(g: Graph, op: str) -> None:
    value = ranked(g)
    g.op(op, [value, g.ints(*[number(g, 1, 2) for _ in value.shape])], exact=True)


def gather(g: Graph, op: str) -> None:
    value = ranked(g)
    axis = axis_of(g, value)
    shape = [(), (2,), (3,), (2, 2)][number(g, 0, 3)]
    extent = value.shape[axis]
    indices = g.random.integers(-extent, extent, shape).astype(np.int64 if flag(g) else np.int32)
    if op == "GatherElements":
        shape = list(value.shape)
        shape[axis] = number(g, 1, extent)
        indices = g.random.integers(-extent, extent, shape).astype(np.int64)
    places = g.add_input(indices) if flag(g, 0.3) else g.constant(indices)
    g.op(op, [value, places], exact=True, axis=axis)


def gather_nd(g: Graph, op: str) -> None:
    value = ranked(g)
    depth = number(g, 1, value.rank)
    indices = np.stack([g.random.integers(0, extent, 3) for extent in value.shape[:depth]], 1)
    g.op(op, [value, g.constant(indices.astype(np.int64))], exact=True)


def scatter(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.rank > 0 and v.kind in "fi")
    if op == "ScatterND":
        rows = g.random.permutation(value.shape[0])[: number(g, 1, 2)][:, None]
        update = g.random.uniform(0.5, 2.0, (len(rows), *value.shape[1:])).astype(value.array.dtype)
        g.op(op, [value, g.constant(rows.astype(np.int64)), g.constant(update)], exact=True)
        return
    axis = axis_of(g, value)
    count = number(g, 1, value.shape[axis])
    shape = [count if i == axis % value.rank else extent for i, extent in enumerate(value.shape)]
    order = np.argsort(g.random.random(value.shape), axis)
    places = np.take(order, range(count), axis).astype(np.int64)
    update = g.random.uniform(0.5, 2.0, shape).astype(value.array.dtype)
    g.op(op, [value, g.constant(places), g.constant(update)], exact=True, axis=axis)


def blocks(g: Graph, op: str) -> None:
    if op == "DepthToSpace":
        value = pick(g, lambda v: v.kind == "f" and v.rank == 4 and v.shape[1] % 4 == 0)
        g.op(op, [value], exact=True, blocksize=2, mode=str(g.random.choice(["DCR", "CRD"])))
        return
    value = pick(g, lambda v: v.kind == "f" and v.rank == 4 and v.shape[2] % 2 == 0 and v.shape[3] % 2 == 0)
    g.op(op, [value], exact=True, blocksize=2)


def triangle(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.rank >= 2 and v.kind in "fi")
    g.op(op, [value, g.constant(np.array(number(g, -1, 1), np.int64))], exact=True, upper=number(g, 0, 1))


def resize(g: Graph, op: str) -> None:
    value = image(g)
    mode = str(g.random.choice(["nearest", "linear", "cubic"]))
    place = str(g.random.choice(["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"]))
    scales = [1.0, 1.0, *[float(g.random.choice([0.5, 1.0, 1.5, 2.0, 3.0])) for _ in value.shape[2:]]]
    if mode == "cubic" and value.rank != 4:
        raise Refused("cubic is for images")
    attributes = {"nearest_mode": str(g.random.choice(["floor", "round_prefer_floor", "ceil"]))}
    inputs = [value, None, g.constant(np.array(scales, np.float32))]
    if flag(g, 0.4):
        sizes = [max(int(extent * scale), 1) for extent, scale in zip(value.shape, scales)]
        inputs = [value, None, None, g.ints(*sizes)]
    g.op(op, inputs, exact=mode == "nearest", mode=mode, coordinate_transformation_mode=place,
         **attributes if mode == "nearest" else {})  # fmt: skip


def running_sum(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.rank > 0 and v.kind in "fi")
    axis = g.constant(np.array(axis_of(g, value), np.int64))
    g.op(op, [value, axis], exclusive=number(g, 0, 1), reverse=number(g, 0, 1), exact=value.kind == "i")


def top_k(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.rank > 0 and v.kind == "f" and v.exact)
    axis = axis_of(g, value)
    count = g.ints(number(g, 1, value.shape[axis]))
    g.op(op, [value, count], exact=True, outputs=2, axis=axis, largest=number(g, 0, 1))


def one_hot(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.kind == "i" and v.exact and v.rank < 4)
    ends = g.constant(np.array([0, 1], np.float32))
    g.op(op, [value, g.constant(np.array(number(g, 2, 5), np.int64)), ends], exact=True)


def cast(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.exact or v.kind == "f")
    kinds = [1, 6, 7, 9] if value.exact else [1]
    target = int(g.random.choice(kinds))
    g.op(op, [value], exact=True, to=target)


def dropout(g: Graph, op: str) -> None:
    g.op(op, [pick(g, lambda v: v.kind == "f")], exact=True)


def quantize(g: Graph, op: str) -> None:
    """A pair around a value; its steps are coarse, so nothing reads it."""
    value = pick(g, lambda v: v.kind == "f" and v.exact and v.rank > 0)
    signed = flag(g)
    scale = g.constant(np.float32(g.random.uniform(0.01, 0.05)))
    zero = g.constant(np.array(0 if signed else 128, np.int8 if signed else np.uint8))
    (steps,) = g.op("QuantizeLinear", [value, scale, zero], exact=True)
    g.op("DequantizeLinear", [steps, scale, zero], final=True, exact=True)


def integer_product(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.kind == "f" and v.exact and v.rank >= 2)
    scale, zero = g.constant(np.float32(0.03)), g.constant(np.array(120, np.uint8))
    (steps,) = g.op("QuantizeLinear", [value, scale, zero], exact=True)
    other = g.constant(g.random.integers(-100, 100, (value.shape[-1], number(g, 1, 12))).astype(np.int8))
    if op == "MatMulInteger":
        g.op(op, [steps, other, zero], exact=True)
        return
    inner = g.constant(np.float32(0.01))
    nothing = g.constant(np.array(0, np.int8))
    result, place = g.constant(np.float32(0.1)), g.constant(np.array(100, np.uint8))
    g.op(op, [steps, scale, zero, other, inner, nothing, result, place], final=True)


def integer_convolution(g: Graph, op: str) -> None:
    """Bytes from a rounded image; with requantisation nothing may read the result."""
    value = pick(g, lambda v: v.kind == "f" and v.exact and v.rank in (3, 4))
    scale, zero = g.constant(np.float32(0.03)), g.constant(np.array(number(g, 100, 140), np.uint8))
    (steps,) = g.op("QuantizeLinear", [value, scale, zero], exact=True)
    outputs, kernel = number(g, 1, 12), [min(extent, number(g, 1, 3)) for extent in value.shape[2:]]
    weight = g.constant(g.random.integers(-100, 100, (outputs, value.shape[1], *kernel)).astype(np.int8))
    pads = [min(number(g, 0, 1), size - 1) for size in kernel * 2]
    if op == "ConvInteger":
        g.op(op, [steps, weight, zero], exact=True, kernel_shape=kernel, pads=pads)
        return
    scales = g.constant(g.random.uniform(0.002, 0.01, outputs).astype(np.float32))
    zeros = g.constant(np.zeros(outputs, np.int8))
    result, place = g.constant(np.float32(0.1)), g.constant(np.array(100, np.uint8))
    bias = g.constant(g.random.integers(-900, 900, outputs).astype(np.int32))
    g.op(op, [steps, scale, zero, weight, scales, zeros, result, place, bias], final=True, kernel_shape=kernel,
         pads=pads)  # fmt: skip


def prelu_like(g: Graph, op: str) -> None:
    value = image(g)
    g.op("PRelu", [value, weights(g, value.shape[1], *[1] * (value.rank - 2))])


def expand_with_op(g: Graph, op: str) -> None:
    """A small value that meets a large one: broadcasting in both directions."""
    value = pick(g, lambda v: v.kind == "f" and 0 < v.rank < 4)
    (taller,) = g.op("Unsqueeze", [value, g.ints(0)], exact=True)
    g.op(op, [taller, partner(g, value)])


TABLE: list[tuple[Callable[[Graph, str], None], str]] = [
    (transpose, "Transpose Transpose"),
    (reshape, "Reshape Reshape"),
    (flatten, "Flatten"),
    (squeeze, "Squeeze"),
    (unsqueeze, "Unsqueeze"),
    (concat, "Concat"),
    (split, "Split"),
    (cut, "Slice"),
    (pad, "Pad"),
    (expand, "Expand"),
    (tile, "Tile"),
    (gather, "Gather GatherElements"),
    (gather_nd, "GatherND"),
    (scatter, "ScatterElements ScatterND"),
    (blocks, "DepthToSpace SpaceToDepth"),
    (triangle, "Trilu"),
    (resize, "Resize"),
    (running_sum, "CumSum"),
    (top_k, "TopK"),
    (one_hot, "OneHot"),
    (cast, "Cast Cast"),
    (dropout, "Dropout"),
    (quantize, "QuantizeLinear"),
    (integer_product, "MatMulInteger QLinearMatMul"),
    (integer_convolution, "ConvInteger QLinearConv"),
    (prelu_like, "PRelu"),
    (expand_with_op, "Add Mul"),
]
