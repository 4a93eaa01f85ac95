# SPDX-License-Identifier: Apache-2.0
"""Nodes of random models that move elements, or change their type."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from onnx import helper

from .choose import axis_of, flag, image, is_float, listed, number, one_of, partner, pick, scalar, some_axes, weights
from .graph import Graph, Refused, Value


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
    inputs, attributes = listed(g, 13, axes=[i for i, extent in enumerate(value.shape) if extent == 1])
    g.op(op, [value, *inputs], exact=True, **attributes)


def unsqueeze(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.rank < 5)
    least = -value.rank - 1 if g.opset >= 11 else 0
    inputs, attributes = listed(g, 13, axes=[number(g, least, value.rank)])
    g.op(op, [value, *inputs], exact=True, **attributes)


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
    inputs, attributes = listed(g, 13, split=[first, value.shape[axis] - first])
    g.op(op, [value, *inputs], exact=True, outputs=2, axis=axis, **attributes)


def cut(g: Graph, op: str) -> None:
    value = ranked(g)
    axes = some_axes(g, value)
    starts, ends, steps = [], [], []
    for axis in axes:
        extent = value.shape[axis]
        start, step = number(g, 0, extent - 1), number(g, 1, 2)
        backwards = g.opset >= 10 and flag(g, 0.25)
        starts.append(extent - 1 - start if backwards else start)
        ends.append(-extent - 1 if backwards else extent + number(g, 0, 3))
        steps.append(-step if backwards else step)
    inputs, attributes = listed(g, 10, starts=starts, ends=ends, axes=axes)
    g.op(op, [value, *inputs, *([g.ints(*steps)] if g.opset >= 10 else [])], exact=True, **attributes)


def pad(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.rank > 0 and v.kind in "fhiub")
    mode = str(g.random.choice(["constant", "reflect", "edge"]))
    limit = 2 if mode != "reflect" else min(2, min(value.shape) - 1)
    amounts = [number(g, 0, limit) for _ in range(2 * value.rank)]
    inputs, attributes = listed(g, 11, pads=amounts)
    if g.opset >= 11 and mode == "constant" and flag(g):
        inputs.append(g.constant(value.array.dtype.type(1.5)))
    g.op(op, [value, *inputs], exact=True, mode=mode, **attributes)


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
    value = pick(g, lambda v: v.rank > 0 and v.kind in "fhiu")
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


def box_of(g: Graph, value: Value) -> list[tuple[int, int]]:
    """Beginnings and ends in the first dimensions; those of the others stay whole."""
    starts = [number(g, 0, extent - 1) for extent in value.shape[: number(g, 1, value.rank)]]
    return [(start, number(g, start + 1, extent)) for start, extent in zip(starts, value.shape)]


def scatter_box(g: Graph, op: str) -> None:
    """Every index of a box, as exporters write an assignment to it, or a sum in place."""
    value = pick(g, lambda v: v.rank > 0 and v.kind in "fi" and v.array.size < 2000)
    box = box_of(g, value)
    indices = np.stack(np.meshgrid(*[np.arange(*ends) for ends in box], indexing="ij"), -1)
    if flag(g, 0.2):
        indices[..., 0] -= value.shape[0]
    part = value.array[tuple(slice(*ends) for ends in box)]
    update = (g.constant if flag(g) else g.add_input)(g.random.uniform(0.5, 2.0, part.shape).astype(part.dtype))
    inputs = [value, g.constant(indices.astype(np.int64))]
    if g.opset >= 18 and flag(g, 0.3):
        g.op(op, [*inputs, update], reduction=one_of(g, "add", "mul", "max"), exact=value.kind == "i")
        return
    if g.opset >= 11 and flag(g):
        starts, ends = ([ends[i] for ends in box] for i in (0, 1))
        (kept,) = g.op("Slice", [value, g.ints(*starts), g.ints(*ends), g.ints(*range(len(box)))], exact=True)
        (update,) = g.op("Add", [update, kept] if flag(g) else [kept, update], exact=value.kind == "i")
    g.op(op, [*inputs, update], exact=True)


def blocks(g: Graph, op: str) -> None:
    if op == "DepthToSpace":
        value = pick(g, lambda v: v.kind in "fhiu" and v.rank == 4 and v.shape[1] % 4 == 0)
        g.op(op, [value], exact=True, blocksize=2, mode=str(g.random.choice(["DCR", "CRD"])))
        return
    value = pick(g, lambda v: v.kind in "fhiu" and v.rank == 4 and v.shape[2] % 2 == 0 and v.shape[3] % 2 == 0)
    g.op(op, [value], exact=True, blocksize=2)


def triangle(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.rank >= 2 and v.kind in "fhiub")
    g.op(op, [value, scalar(g, number(g, -1, 1))], exact=True, upper=number(g, 0, 1))


def running(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.rank > 0 and v.kind in "fi")
    g.op(op, [value, scalar(g, axis_of(g, value))], exclusive=number(g, 0, 1), reverse=number(g, 0, 1), exact=value.kind == "i")


def top_k(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.rank > 0 and v.kind in "fhiu" and v.exact)
    axis = axis_of(g, value)
    count = number(g, 1, value.shape[axis])
    if g.opset < 10:
        g.op(op, [value], exact=True, outputs=2, axis=axis, k=count)
        return
    order = {"largest": number(g, 0, 1)} if g.opset >= 11 else {}
    g.op(op, [value, g.ints(count)], exact=True, outputs=2, axis=axis, **order)


def one_hot(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.array.dtype in (np.int32, np.int64, np.float32) and v.exact and 0 < v.rank < 4)
    if is_float(value):
        (value,) = g.op("Floor", [value], exact=True)
    depth = scalar(g, number(g, 2, 5), value.array.dtype)
    g.op(op, [value, depth, g.constant(np.array([0, 1], np.float32))], exact=True, axis=number(g, -1, value.rank))


def cast(g: Graph, op: str) -> None:
    """Of an inexact value only to floats: another type would be a jump."""
    value = pick(g, lambda v: v.exact or v.kind in "fh")
    halves = [10] if g.opset < 13 else [10, 16]
    kinds = [1, *halves, 2, 3, 6, 7, 9] if value.exact else [1, *halves]
    if (value.array.astype(np.float32) < 0).any() and 2 in kinds:
        kinds.remove(2)  # C leaves a negative float's uint8 open, and onnxruntime does, too
    target = int(g.random.choice(kinds))
    if op == "CastLike":
        like = g.constant(np.ones(number(g, 1, 3), helper.tensor_dtype_to_np_dtype(target)))
        found = [v for v in g.values if v.array.dtype == like.array.dtype]
        g.op(op, [value, found[-1] if found else like], exact=value.exact)
        return
    g.op(op, [value], exact=value.exact, to=target)


def dropout(g: Graph, op: str) -> None:
    g.op(op, [pick(g, lambda v: v.kind in "fh")], exact=True)


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
    (scatter, "Scatter ScatterElements ScatterND"),
    (scatter_box, "ScatterND"),
    (blocks, "DepthToSpace SpaceToDepth"),
    (triangle, "Trilu"),
    (running, "CumSum CumProd"),
    (top_k, "TopK"),
    (one_hot, "OneHot"),
    (cast, "Cast Cast CastLike"),
    (dropout, "Dropout"),
    (prelu_like, "PRelu"),
    (expand_with_op, "Add Mul"),
]
