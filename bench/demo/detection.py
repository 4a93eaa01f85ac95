# SPDX-License-Identifier: Apache-2.0
"""Around the PP-OCRv4 text detector: picture to input, probabilities to boxes.

Sizes, normalisation and thresholds are those of the package that the model
comes from (rapidocr-onnxruntime).
"""

from __future__ import annotations

import dataclasses
import io

import numpy as np
from PIL import Image, ImageDraw

SHORT_SIDE = 736  # the shorter side is enlarged to this, in pixels
LONG_SIDE = 1600  # no side is longer: a photograph of 12 megapixels would take gigabytes
MULTIPLE = 32  # the network halves five times
THRESHOLD = 0.3  # a pixel is text
BOX_THRESHOLD = 0.5  # mean probability inside a box
UNCLIP = 1.6  # the network predicts text shrunk by about this
SMALLEST_SIDE = 3.0  # pixels


@dataclasses.dataclass(frozen=True)
class Box:
    corners: np.ndarray  # [4, 2], x and y
    score: float


def prepare(picture: Image.Image, short_side: int = SHORT_SIDE) -> np.ndarray:
    """The network's input [1, 3, H, W], blue first, -1..1; a shorter side below `short_side` is enlarged to it."""
    width, height = picture.size
    scale = min(max(1.0, short_side / min(width, height)), LONG_SIDE / max(width, height))

    def rounded(size: int) -> int:
        return max(MULTIPLE, round(int(size * scale) / MULTIPLE) * MULTIPLE)

    resized = picture.convert("RGB").resize((rounded(width), rounded(height)), Image.Resampling.BILINEAR)
    pixels = np.asarray(resized, np.float32)[:, :, ::-1] / 127.5 - 1.0
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)[None])


def components(mask: np.ndarray) -> list[np.ndarray]:
    """Connected regions (8 neighbours) as lists of runs [row, first, last]."""
    runs: list[tuple[int, int, int]] = []
    parent: list[int] = []

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    above: list[int] = []
    for row in range(mask.shape[0]):
        edges = np.flatnonzero(np.diff(np.pad(mask[row].astype(np.int8), 1)))
        here = []
        for first, end in zip(edges[::2].tolist(), edges[1::2].tolist()):
            index = len(runs)
            runs.append((row, first, end - 1))
            parent.append(index)
            here.append(index)
            for other in above:
                if runs[other][1] <= end and runs[other][2] >= first - 1:
                    parent[root(other)] = root(index)
        above = here
    groups: dict[int, list[tuple[int, int, int]]] = {}
    for index, run in enumerate(runs):
        groups.setdefault(root(index), []).append(run)
    return [np.array(group) for group in groups.values()]


def convex_hull(points: np.ndarray) -> np.ndarray:
    """Corners of the hull, by the monotone chain."""
    ordered = sorted(set(map(tuple, points.tolist())))
    if len(ordered) < 3:
        return np.array(ordered, np.float64)

    def chain(sequence) -> list[tuple[float, float]]:
        corners: list[tuple[float, float]] = []
        for x, y in sequence:
            while len(corners) >= 2:
                (ax, ay), (bx, by) = corners[-2], corners[-1]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                    break
                corners.pop()
            corners.append((x, y))
        return corners[:-1]

    return np.array(chain(ordered) + chain(reversed(ordered)), np.float64)


def smallest_rectangle(points: np.ndarray, grow: float) -> np.ndarray:
    """The rectangle of least area around points, grown as the network shrank it."""
    hull = convex_hull(points)
    best = None
    for start, end in zip(hull, np.roll(hull, -1, axis=0)):
        along = (end - start) / max(float(np.hypot(*(end - start))), 1e-9)
        axes = np.stack([along, [-along[1], along[0]]]) if along.any() else np.eye(2)
        places = hull @ axes.T
        low, high = places.min(axis=0), places.max(axis=0)
        area = float(np.prod(high - low))
        if best is None or area < best[0]:
            best = (area, axes, low, high)
    area, axes, low, high = best
    margin = area * grow / max(2.0 * float((high - low).sum()), 1e-9)
    (left, top), (right, bottom) = low - margin, high + margin
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]]) @ axes


def find_boxes(probabilities: np.ndarray) -> list[Box]:
    """Boxes around text in a map [H, W], from top to bottom."""
    boxes = []
    for runs in components(probabilities > THRESHOLD):
        score = float(np.mean(np.concatenate([probabilities[r, a : b + 1] for r, a, b in runs])))
        points = np.concatenate([runs[:, [1, 0]], runs[:, [2, 0]] + [1, 0], runs[:, [2, 0]] + [1, 1]])
        corners = smallest_rectangle(points.astype(np.float64), UNCLIP)
        sides = np.hypot(*(corners[1] - corners[0])), np.hypot(*(corners[2] - corners[1]))
        if score >= BOX_THRESHOLD and min(sides) >= SMALLEST_SIDE:
            boxes.append(Box(corners, score))
    return sorted(boxes, key=lambda box: box.corners[:, 1].mean())


def drawn(picture: Image.Image, probabilities: np.ndarray, boxes: list[Box]) -> bytes:
    """The picture with boxes, and under it what the network saw, as PNG."""
    height, width = probabilities.shape
    top = picture.convert("RGB").resize((width, height), Image.Resampling.BILINEAR)
    pen = ImageDraw.Draw(top)
    for box in boxes:
        outline = [tuple(corner) for corner in box.corners]
        pen.line([*outline, outline[0]], fill=(220, 30, 30), width=3)
        pen.text(tuple(box.corners.min(axis=0) + 4), f"{box.score:.2f}", fill=(20, 90, 220))
    heat = np.stack([probabilities * 255.0, probabilities * 160.0, 60.0 + 40.0 * probabilities], axis=-1)
    sheet = Image.new("RGB", (width, 2 * height + 8), "white")
    sheet.paste(top, (0, 0))
    sheet.paste(Image.fromarray(np.clip(heat, 0, 255).astype(np.uint8)), (0, height + 8))
    data = io.BytesIO()
    sheet.save(data, "PNG")
    return data.getvalue()
