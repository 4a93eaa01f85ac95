# SPDX-License-Identifier: Apache-2.0
"""Nodes of random models at the ends of training graphs, and sequences of several lengths."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .choose import bounded, flag, number, one_of, pick
from .graph import Graph


def loss(g: Graph, op: str) -> None:
    """Classes of each place; some may be left out, but not all: a mean of nothing is NaN."""
    value = pick(g, lambda v: bounded(50.0)(v) and v.rank >= 2)
    classes = value.shape[1]
    shape = (value.shape[0], *value.shape[2:])
    target = g.random.integers(0, classes, shape).astype(np.int64 if flag(g) else np.int32)
    attributes = {"reduction": one_of(g, "none", "sum", "mean")}
    if flag(g, 0.4):
        left_out = number(g, -2, classes - 1)
        attributes["ignore_index"] = left_out
        target[g.random.random(shape) < 0.3] = left_out
    weight = g.constant(g.random.uniform(0.2, 2.0, classes).astype(np.float32)) if flag(g) else None
    outputs = number(g, 1, 2) if op == "SoftmaxCrossEntropyLoss" else 1
    give = g.constant if flag(g) else g.add_input
    g.op(op, [value, give(target), weight], outputs=outputs, **attributes)


def reverse(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.rank >= 2)
    time = number(g, 0, 1)
    lengths = g.random.integers(1, value.shape[time] + 1, value.shape[1 - time]).astype(np.int64)
    give = g.constant if flag(g) else g.add_input
    g.op(op, [value, give(lengths)], exact=True, time_axis=time, batch_axis=1 - time)


TABLE: list[tuple[Callable[[Graph, str], None], str]] = [
    (loss, "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss"),
    (reverse, "ReverseSequence"),
]
