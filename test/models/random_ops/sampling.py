# SPDX-License-Identifier: Apache-2.0
"""Nodes of random models that look at images at places between pixels, or put pixels elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .choose import flag, is_float, number, one_of, pick, shaped, weights
from .graph import Graph, Refused, Value


def resize(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.kind in "fiu" and v.rank in (3, 4, 5))
    mode = str(g.random.choice(["nearest", "linear", "cubic"])) if is_float(value) else "nearest"  # no rounding
    place = str(g.random.choice(["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"]))
    scales = [1.0, 1.0, *[float(g.random.choice([0.5, 1.0, 1.5, 2.0, 3.0])) for _ in value.shape[2:]]]
    if mode == "cubic" and value.rank != 4:
        raise Refused("cubic is for images")
    attributes = {"nearest_mode": str(g.random.choice(["floor", "round_prefer_floor", "ceil"]))}
    if g.opset < 11:
        mode = one_of(g, "nearest", "linear") if is_float(value) else "nearest"
        g.op(op, [value, g.constant(np.array(scales, np.float32))], exact=mode == "nearest", mode=mode)
        return
    region = g.constant(np.zeros(0, np.float32)) if g.opset < 13 else None  # not to be left out then
    inputs = [value, region, g.constant(np.array(scales, np.float32))]
    if flag(g, 0.4):
        sizes = [max(int(extent * scale), 1) for extent, scale in zip(value.shape, scales)]
        inputs = [value, region, g.constant(np.zeros(0, np.float32)) if region else None, g.ints(*sizes)]
    g.op(op, inputs, exact=mode == "nearest", mode=mode, coordinate_transformation_mode=place,
         **attributes if mode == "nearest" else {})  # fmt: skip


def regions(g: Graph, op: str) -> None:
    """Regions of an image, also such as reach out of it; known when compiling, or not."""
    value = pick(g, lambda v: is_float(v) and v.rank == 4 and (v.exact or op == "RoiAlign"))
    count, sizes = number(g, 1, 3), np.array(value.shape[:1:-1], np.float64)
    corners = np.round(g.random.uniform(-0.2, 1.0, (count, 2)) * sizes * 8) / 8
    ends = corners + np.round(g.random.uniform(0.1, 1.2, (count, 2)) * sizes * 8 + 1) / 8
    boxes = np.concatenate([corners, ends], axis=1).astype(np.float32)
    batch = g.random.integers(0, value.shape[0], count)
    bins = [number(g, 1, 4), number(g, 1, 4)]
    give = g.constant if flag(g) else g.add_input
    if op == "MaxRoiPool":
        boxes = np.concatenate([batch[:, None], np.floor(boxes)], axis=1).astype(np.float32)
        g.op(op, [value, give(boxes)], exact=True, pooled_shape=bins)
        return
    attributes = {"mode": str(g.random.choice(["avg", "max"])), "sampling_ratio": int(g.random.choice([0, 0, 1, 2]))}
    if attributes["mode"] == "max" and attributes["sampling_ratio"] == 0:
        give = g.constant
    if g.opset >= 16 and flag(g):
        attributes["coordinate_transformation_mode"] = "output_half_pixel"
    g.op(op, [value, give(boxes), g.constant(batch.astype(np.int64))], output_height=bins[0], output_width=bins[1],
         **attributes)  # fmt: skip


def upsample(g: Graph, op: str) -> None:
    """By whole numbers, as ONNX says; onnxruntime's linear ones are of two dimensions."""
    value = pick(g, lambda v: v.kind in "fiu" and v.rank in (3, 4, 5))
    mode = "linear" if is_float(value) and value.rank == 4 and flag(g) else "nearest"
    scales = [1.0, 1.0, *[float(number(g, 1, 3)) for _ in value.shape[2:]]]
    if g.opset >= 9:
        g.op(op, [value, g.constant(np.array(scales, np.float32))], exact=mode == "nearest", mode=mode)
    else:
        g.op(op, [value], exact=mode == "nearest", mode=mode, scales=scales)


def grid_sample(g: Graph, op: str) -> None:
    """Places drawn from all reals: none is where the nearest pixel changes."""
    value = pick(g, lambda v: is_float(v) and v.rank in (4, 5))
    modes = ["bilinear", "nearest", "bicubic"] if g.opset < 20 else ["linear", "nearest", "cubic"]
    mode = modes[number(g, 0, 2 if value.rank == 4 else 1)]
    places = [number(g, 1, 5) for _ in value.shape[2:]]
    grid = g.random.uniform(-1.3, 1.3, (value.shape[0], *places, len(places))).astype(np.float32)
    give = g.constant if flag(g) else g.add_input
    g.op(op, [value, give(grid)], mode=mode, align_corners=number(g, 0, 1),
         padding_mode=one_of(g, "zeros", "border", "reflection"))  # fmt: skip


def affine_grid(g: Graph, op: str) -> None:
    """Of matrices; sometimes sampled at once."""
    spatial = [number(g, 2, 5) for _ in range(number(g, 2, 3))]
    batch, rank = number(g, 1, 2), len(spatial)
    theta = shaped(g, batch, rank, rank + 1, most=4.0)
    (grid,) = g.op(op, [theta, g.ints(batch, 3, *spatial)], align_corners=number(g, 0, 1))
    if flag(g) and rank == 2:
        mode = "bilinear" if g.opset < 20 else "linear"
        g.op("GridSample", [shaped(g, batch, 2, 4, 5), grid], mode=mode)


def deformed(g: Graph, op: str) -> None:
    value = pick(g, lambda v: is_float(v) and v.rank == 4)
    channels = value.shape[1]
    groups = int(g.random.choice([d for d in (1, 2) if channels % d == 0]))
    offsets = int(g.random.choice([d for d in (1, 2) if channels % d == 0]))
    kernel = [min(number(g, 1, 3), extent) for extent in value.shape[2:]]
    strides, dilations = [number(g, 1, 2) for _ in kernel], [number(g, 1, 2) for _ in kernel]
    pads = [number(g, 0, 1) for _ in range(4)]
    span = [d * (k - 1) + 1 for d, k in zip(dilations, kernel)]
    sizes = [(extent + pads[i] + pads[i + 2] - span[i]) // strides[i] + 1 for i, extent in enumerate(value.shape[2:])]
    if min(sizes) < 1:
        raise Refused("a window that does not fit")
    points, outputs = offsets * kernel[0] * kernel[1], groups * number(g, 1, 4)
    away = g.add_input(g.random.uniform(-1.5, 1.5, (value.shape[0], 2 * points, *sizes)).astype(np.float32))
    bias = weights(g, outputs) if flag(g) else None
    mask = shaped(g, value.shape[0], points, *sizes) if flag(g) else None
    g.op(op, [value, weights(g, outputs, channels // groups, *kernel), away, bias, mask], group=groups,
         offset_group=offsets, strides=strides, dilations=dilations, pads=pads)  # fmt: skip


def unpool(g: Graph, op: str) -> None:
    """Of a pooling just before, whose windows fit without overlap: no place is written twice or lies outside."""
    value = pick(g, lambda v: is_float(v) and v.exact and v.rank in (3, 4, 5))
    kernel = [2 if extent % 2 == 0 else 1 for extent in value.shape[2:]]
    pooled, places = g.op("MaxPool", [value], outputs=2, exact=True, kernel_shape=kernel, strides=kernel)
    whole = g.ints(*value.shape) if flag(g) else None
    g.op(op, [pooled, places, whole], exact=True, kernel_shape=kernel, strides=kernel)


def columns(g: Graph, op: str) -> None:
    """Dilated in two dimensions alone: in one or three, onnxruntime forgets the dilations."""
    rank = number(g, 1, 3)
    block, strides = ([number(g, 1, most) for _ in range(rank)] for most in (3, 2))
    dilations = [number(g, 1, 2) if rank == 2 else 1 for _ in range(rank)]
    pads = [number(g, 0, 1) for _ in range(2 * rank)]
    extents = [number(g, 1, 3) + dilations[i] * (block[i] - 1) for i in range(rank)]
    count = 1
    for i, extent in enumerate(extents):
        count *= (extent + pads[i] + pads[i + rank] - dilations[i] * (block[i] - 1) - 1) // strides[i] + 1
    value = shaped(g, number(g, 1, 2), number(g, 1, 4) * int(np.prod(block)), count)
    g.op(op, [value, g.ints(*extents), g.ints(*block)], strides=strides, dilations=dilations, pads=pads)


def center(g: Graph, op: str) -> None:
    value: Value = pick(g, lambda v: v.rank > 0 and v.kind in "fhiu")
    axes = sorted(g.random.permutation(value.rank)[: number(g, 1, value.rank)].tolist())
    wanted = [max(1, value.shape[axis] + number(g, -3, 3)) for axis in axes]
    if flag(g, 0.3):
        g.op(op, [value, g.ints(*[number(g, 1, extent + 2) for extent in value.shape])], exact=True)
        return
    g.op(op, [value, g.ints(*wanted)], exact=True, axes=[a - value.rank if flag(g, 0.3) else a for a in axes])


TABLE: list[tuple[Callable[[Graph, str], None], str]] = [
    (resize, "Resize"),
    (upsample, "Upsample"),
    (regions, "RoiAlign MaxRoiPool"),
    (grid_sample, "GridSample"),
    (affine_grid, "AffineGrid"),
    (deformed, "DeformConv"),
    (unpool, "MaxUnpool"),
    (columns, "Col2Im"),
    (center, "CenterCropPad"),
]
