# SPDX-License-Identifier: Apache-2.0
"""Nodes of random models that work on the bits of integers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .choose import flag, fresh, numbers, one_of, partner, pick
from .graph import Graph, Refused, Value

INTEGERS = (np.int8, np.uint8, np.int32, np.int64)


def integers(g: Graph) -> Value:
    """Integers of the graph, or new ones of any of our types."""
    if flag(g):
        return pick(g, lambda v: v.kind in "iu" and v.exact)
    dtype = INTEGERS[g.random.integers(len(INTEGERS))]
    return fresh(g, *g.random.integers(1, 7, g.random.integers(1, 5)), dtype=dtype)


def bitwise(g: Graph, op: str) -> None:
    value = integers(g)
    g.op(op, [value] if op == "BitwiseNot" else [value, partner(g, value)], exact=True)


def shift(g: Graph, op: str) -> None:
    """Of uint8: onnxruntime has no signed ones, and we no other unsigned ones."""
    value = integers(g)
    if value.array.dtype != np.uint8:
        (value,) = g.op("Cast", [value], exact=True, to=2)
    g.op(op, [value, partner(g, value)], exact=True, direction=one_of(g, "LEFT", "RIGHT"))


# By what is read: what it becomes. Any bits are an integer; integers become only such floats as are usual.
SAME_SIZE = {"float32": [6], "float16": [10, 16], "bfloat16": [16, 10], "int8": [2, 3], "uint8": [3, 2], "int32": [6],
             "int64": [7]}  # fmt: skip


def reread(g: Graph, op: str) -> None:
    if flag(g, 0.3):  # integers that are the bits of usual floats
        bits = g.add_input(numbers(g.random, (3, 5), np.float32).view(np.int32))
        g.op(op, [bits], exact=True, to=1)
        return
    value = pick(g, lambda v: v.exact and v.array.dtype.name in SAME_SIZE)
    targets = SAME_SIZE[value.array.dtype.name]
    target = targets[g.random.integers(len(targets))]
    if value.kind == "h" and target in (10, 16) and np.abs(value.array.astype(np.float32)).max() == 0:
        raise Refused("nothing but zeros")
    g.op(op, [value], exact=True, to=target)


TABLE: list[tuple[Callable[[Graph, str], None], str]] = [
    (bitwise, "BitwiseAnd BitwiseOr BitwiseXor BitwiseNot"),
    (shift, "BitShift"),
    (reread, "BitCast"),
]
