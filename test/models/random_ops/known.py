# SPDX-License-Identifier: Apache-2.0
"""Nodes of random models whose result is known when compiling: from shapes, or from constants."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from onnx import numpy_helper

from .choose import axis_of, flag, number, numbers, one_of, pick, scalar
from .graph import Graph, Value

DTYPES = (np.float32, np.int32, np.int64, np.int8, np.uint8, np.float16, bool)


def dtype_of(g: Graph) -> np.dtype:
    return np.dtype(DTYPES[number(g, 0, len(DTYPES) - 1)])


def some_shape(g: Graph, least: int = 0, most: int = 4) -> list[int]:
    return [number(g, 1, 5) for _ in range(number(g, least, most))]


def used(g: Graph, value: Value) -> None:
    """What is known meets what is not, as it does in real networks."""
    same = [v for v in g.values if v.array.dtype == value.array.dtype and v.shape == value.shape and v is not value]
    if same and value.kind in "fi":
        g.op("Add", [same[0], value], exact=value.kind == "i")


def shape(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.rank > 0)
    ends = {}
    if op == "Shape" and g.opset >= 15 and flag(g):
        start = number(g, -value.rank, value.rank - 1)
        ends = {"start": start, "end": number(g, start % value.rank + 1, value.rank + 1)}
    g.op(op, [value], exact=True, **ends)


def constant(g: Graph, op: str) -> None:
    kind = number(g, 0, 4 if g.opset >= 12 else 0)
    if kind == 0:
        given = {"value": numpy_helper.from_array(numbers(g.random, some_shape(g), dtype_of(g)))}
    elif kind == 1:
        given = {"value_float": float(g.random.integers(-32, 33)) / 16}
    elif kind == 2:
        given = {"value_floats": [float(x) for x in numbers(g.random, [number(g, 1, 5)])]}
    elif kind == 3:
        given = {"value_int": number(g, -5, 5)}
    else:
        given = {"value_ints": numbers(g.random, [number(g, 1, 5)], np.int64).tolist()}
    (value,) = g.op(op, [], exact=True, **given)
    used(g, value)


def filled(g: Graph, op: str) -> None:
    given = {"value": numpy_helper.from_array(numbers(g.random, [1], dtype_of(g)))} if flag(g, 0.8) else {}
    (value,) = g.op(op, [g.ints(*some_shape(g, 1))], exact=True, **given)
    used(g, value)


def identity_matrix(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.rank == 2)
    given = {"dtype": [1, 6, 7][number(g, 0, 2)]} if flag(g) else {}
    (matrix,) = g.op(op, [value], exact=True, k=number(g, -2, 2), **given)
    used(g, matrix)


def range_of(g: Graph, op: str) -> None:
    """Steps of quarters: how many there are must not hang on a rounding."""
    dtype = [np.float32, np.int32, np.int64][number(g, 0, 2)]
    start, count, step = number(g, -5, 5), number(g, 1, 9), number(g, 1, 3) * (-1 if flag(g) else 1)
    unit = 0.25 if dtype == np.float32 else 1
    ends = [start * unit, (start + count * step) * unit, step * unit]
    (value,) = g.op(op, [scalar(g, end, dtype) for end in ends], exact=True)
    used(g, value)


def places(g: Graph, op: str) -> None:
    array = numbers(g.random, some_shape(g, 1), [np.float32, np.int32, np.int64, bool, np.uint8][number(g, 0, 4)])
    g.op(op, [g.constant(array * (g.random.random(array.shape) < 0.6).astype(array.dtype))], exact=True)


def unique(g: Graph, op: str) -> None:
    array = numbers(g.random, some_shape(g, 1, 3), [np.float32, np.int64, np.int8][number(g, 0, 2)])
    if array.dtype.kind == "f":
        array = np.round(array) + np.float32(0)  # duplicates, and one zero
    axis = {"axis": number(g, -array.ndim, array.ndim - 1)} if flag(g) else {}
    g.op(op, [g.constant(array)], exact=True, outputs=4, sorted=number(g, 0, 1), **axis)


def compress(g: Graph, op: str) -> None:
    """Data may come at run time, what is kept not."""
    value = pick(g, lambda v: v.rank > 0)
    axis = axis_of(g, value) if g.opset >= 11 else number(g, 0, value.rank - 1)
    flat = flag(g, 0.3)
    extent = value.array.size if flat else value.shape[axis]
    kept = g.random.integers(0, 2, number(g, 1, extent)).astype(bool)
    kept[number(g, 0, len(kept) - 1)] = True
    g.op(op, [value, g.constant(kept)], exact=True, **({} if flat else {"axis": axis}))


def suppression(g: Graph, op: str) -> None:
    """Boxes on a grid of 1/16, scores all different: no overlap is at the threshold, no two are alike."""
    batches, classes, count = number(g, 1, 2), number(g, 1, 3), number(g, 1, 8)
    corners = g.random.integers(0, 32, (batches, count, 2)) / 16
    sizes = g.random.integers(4, 24, (batches, count, 2)) / 16
    boxes = np.concatenate([corners, corners + sizes], axis=2).astype(np.float32)
    scores = (g.random.permutation(batches * classes * count) / 50).reshape(batches, classes, count)
    inputs = [g.constant(boxes), g.constant(scores.astype(np.float32)), scalar(g, number(g, 1, count))]
    inputs.append(scalar(g, float(g.random.uniform(0.2, 0.7)), np.float32))
    if flag(g):
        inputs.append(scalar(g, 0.205, np.float32))
    g.op(op, inputs, exact=True, center_point_box=number(g, 0, 1))


def grams(g: Graph, op: str) -> None:
    """A pool of pairs of small numbers, and sometimes of single ones before."""
    singles = number(g, 1, 4)
    pool = g.random.permutation(6)[:singles].tolist()
    pairs = g.random.permutation(36)[: number(g, 1, 6)]
    pool += [int(number) for pair in pairs for number in divmod(int(pair), 6)]
    count = singles + len(pairs)
    least = number(g, 1, 2)
    mode = one_of(g, "TF", "IDF", "TFIDF")
    given = {} if mode == "TF" else {"weights": [float(w) for w in g.random.uniform(0.5, 2.0, count)]}
    shape = (number(g, 3, 9),) if flag(g) else (number(g, 1, 3), number(g, 3, 9))
    words = g.add_input(g.random.integers(0, 6, shape).astype(np.int32 if flag(g) else np.int64))
    g.op(op, [words], mode=mode, min_gram_length=least, max_gram_length=2, max_skip_count=number(g, 0, 2),
         ngram_counts=[0, singles], ngram_indexes=g.random.permutation(count).tolist(), pool_int64s=pool,
         **given)  # fmt: skip


TABLE: list[tuple[Callable[[Graph, str], None], str]] = [
    (shape, "Shape Size"),
    (constant, "Constant"),
    (filled, "ConstantOfShape"),
    (identity_matrix, "EyeLike"),
    (range_of, "Range"),
    (places, "NonZero"),
    (unique, "Unique"),
    (compress, "Compress"),
    (suppression, "NonMaxSuppression"),
    (grams, "TfIdfVectorizer"),
]
