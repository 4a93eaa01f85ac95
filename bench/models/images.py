# SPDX-License-Identifier: Apache-2.0
"""Inputs for the networks: what a network is calibrated with and tested with.

Plain noise is no image: deep networks answer it with the same class whatever
the pixels are, and a text detector with nothing at all.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np


def enlarge(image: np.ndarray, height: int, width: int) -> np.ndarray:
    """Bilinear enlargement of the two middle dimensions of [N, H, W, C]."""

    def along(values: np.ndarray, axis: int, size: int) -> np.ndarray:
        place = np.linspace(0.0, values.shape[axis] - 1.0, size)
        left = np.minimum(place.astype(int), max(values.shape[axis] - 2, 0))
        right = np.minimum(left + 1, values.shape[axis] - 1)
        weight = (place - left).reshape([-1 if d == axis else 1 for d in range(values.ndim)])
        return values.take(left, axis) * (1.0 - weight) + values.take(right, axis) * weight

    return along(along(image, 1, height), 2, width)


def smooth_noise(count: int, height: int, width: int, low: float, high: float, seed: int) -> np.ndarray:
    """Random pictures [N, H, W, 3] with large structures and a little grain."""
    random = np.random.default_rng(seed)
    coarse = random.uniform(0.0, 1.0, (count, max(height // 8, 2), max(width // 8, 2), 3))
    image = enlarge(coarse, height, width) + random.normal(0.0, 0.1, (count, height, width, 3))
    return (low + (high - low) * np.clip(image, 0.0, 1.0)).astype(np.float32)


def text_pictures(picture: Path, count: int, height: int, width: int) -> np.ndarray:
    """Cut-outs [N, H, W, 3] of a photographed page, with values -1..1."""
    from PIL import Image

    with Image.open(picture) as page:
        page = page.convert("RGB")
        scale = max(2.0, height / page.height, width / page.width)
        page = page.resize((round(page.width * scale), round(page.height * scale)))
        pixels = np.asarray(page, np.float32) / 127.5 - 1.0
    rows, columns = pixels.shape[0] - height, pixels.shape[1] - width
    places = [i / max(count - 1, 1) for i in range(count)]
    cuts = [(round(rows * place), round(columns * place)) for place in places]
    return np.stack([pixels[top : top + height, left : left + width] for top, left in cuts])
