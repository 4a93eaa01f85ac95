# SPDX-License-Identifier: Apache-2.0
"""Nodes of random models that transform signals, and the windows for it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .choose import flag, number, scalar, shaped, weights
from .graph import Graph, Refused


def transform(g: Graph, op: str) -> None:
    """Along any axis, cut or padded to a length."""
    rank, parts = number(g, 1, 3), number(g, 1, 2)
    extents = [number(g, 1, 9) for _ in range(rank)]
    value = shaped(g, *extents, parts)
    axis = number(g, 0, rank - 1)
    inverse = parts == 2 and flag(g)
    attributes = {"inverse": int(inverse), "onesided": int(parts == 1 and flag(g))}
    length = scalar(g, number(g, 1, 12)) if flag(g, 0.4) else None
    if g.opset >= 20:
        place = scalar(g, axis - rank - 1 if flag(g) else axis)
        g.op(op, [value, length, place if flag(g, 0.8) else None], **attributes)
    else:
        g.op(op, [value, length], axis=axis, **attributes)


def short_time(g: Graph, op: str) -> None:
    """onnxruntime wants a window or a length of frames."""
    frame, step = number(g, 2, 8), number(g, 1, 5)
    signal = shaped(g, number(g, 1, 3), frame + number(g, 0, 12), number(g, 1, 2))
    window = weights(g, frame) if flag(g, 0.7) else None
    length = scalar(g, frame) if window is None or flag(g) else None
    onesided = 0 if signal.shape[2] == 2 else number(g, 0, 1)
    g.op(op, [signal, scalar(g, step), window, length], onesided=onesided)


def window(g: Graph, op: str) -> None:
    size = scalar(g, number(g, 2, 20), np.int32 if flag(g) else np.int64)
    (curve,) = g.op(op, [size], periodic=number(g, 0, 1), output_datatype=1)
    if flag(g):
        g.op("Mul", [shaped(g, number(g, 1, 3), *curve.shape), curve])


def mel(g: Graph, op: str) -> None:
    bands, length, rate = number(g, 1, 8), number(g, 8, 32), number(g, 2000, 16000)
    low = float(g.random.uniform(0, rate / 8))
    high = float(g.random.uniform(rate / 4, rate / 2))
    if high <= low:
        raise Refused("no band")
    inputs = [scalar(g, bands), scalar(g, length), scalar(g, rate)]
    (matrix,) = g.op(op, [*inputs, scalar(g, low, np.float32), scalar(g, high, np.float32)], output_datatype=1)
    if flag(g):
        g.op("MatMul", [shaped(g, number(g, 1, 3), matrix.shape[0]), matrix])


TABLE: list[tuple[Callable[[Graph, str], None], str]] = [
    (transform, "DFT"),
    (short_time, "STFT"),
    (window, "BlackmanWindow HammingWindow HannWindow"),
    (mel, "MelWeightMatrix"),
]
