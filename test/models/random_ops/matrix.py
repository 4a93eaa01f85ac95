# SPDX-License-Identifier: Apache-2.0
"""Nodes of random models on matrices: products of all kinds, determinants."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .choose import flag, is_float, number, numbers, one_of, pick, shaped, weights
from .graph import Graph, Refused

MOST_PRODUCTS = 20_000


def matmul(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.rank > 0 and (is_float(v) or (v.kind == "i" and v.exact)))
    inner = value.shape[-1]
    batch = [1 if flag(g) else extent for extent in value.shape[:-2]][number(g, 0, max(value.rank - 2, 0)) :]
    shape = (inner,) if flag(g, 0.1) else (*batch, inner, number(g, 1, 20))
    other = weights(g, *shape, scale=1.0 / np.sqrt(inner))
    if value.kind == "i":
        other = g.constant(numbers(g.random, shape, value.array.dtype))
    if flag(g, 0.2) and value.rank >= 2:
        order = [*range(value.rank - 2), value.rank - 1, value.rank - 2]
        (other,) = g.op("Transpose", [value], exact=True, perm=order)
    g.op(op, [value, other], exact=value.kind == "i")


def gemm(g: Graph, op: str) -> None:
    value = pick(g, lambda v: is_float(v) and v.rank == 2)
    turned, other_turned, outputs = number(g, 0, 1), number(g, 0, 1), number(g, 1, 20)
    inner, rows = value.shape[0 if turned else 1], value.shape[1 if turned else 0]
    shape = (outputs, inner) if other_turned else (inner, outputs)
    bias = [None, weights(g, outputs), weights(g, rows, 1), weights(g, rows, outputs)][number(g, 0, 3)]
    g.op(op, [value, weights(g, *shape, scale=1.0 / np.sqrt(inner)), bias], transA=turned, transB=other_turned,
         alpha=float(g.random.uniform(0.5, 1.5)), beta=float(g.random.uniform(0.5, 1.5)))  # fmt: skip


def einsum(g: Graph, op: str) -> None:
    """One to three operands, labels shared at random: products, traces, diagonals, sums, outer products, ellipses."""
    labels = "ijklm"[: number(g, 1, 5)]
    extents = {label: number(g, 1, 4) for label in labels}
    before = [number(g, 1, 3) for _ in range(number(g, 0, 2))] if flag(g, 0.3) else None
    words = []
    for _ in range(number(g, 1, 3)):
        word = "".join(g.random.choice(list(labels), number(g, 0 if before else 1, 3)))
        words.append("..." + word if before is not None else word)
    present = sorted(set("".join(words)) - {"."})
    result = "".join(g.random.permutation(present)[: number(g, 0, len(present))]) if present else ""
    equation = ",".join(words)
    if flag(g, 0.8):
        equation += "->" + ("..." if before is not None else "") + result
    if np.prod([extents[label] for label in present]) > MOST_PRODUCTS:
        raise Refused("too large")
    dtype = np.dtype(one_of(g, "float32", "float32", "float32", "int32", "int64"))
    inputs = [
        shaped(g, *(before or []), *(extents[c] for c in word if c != "."), most=5.0, dtype=dtype) for word in words
    ]
    g.op(op, inputs, equation=equation, exact=dtype.kind == "i")


def determinant(g: Graph, op: str) -> None:
    rows = number(g, 1, 4)
    value = shaped(g, *[number(g, 1, 3) for _ in range(number(g, 0, 2))], rows, rows, most=4.0)
    g.op(op, [value])


TABLE: list[tuple[Callable[[Graph, str], None], str]] = [
    (matmul, "MatMul"),
    (gemm, "Gemm"),
    (einsum, "Einsum"),
    (determinant, "Det"),
]
