# SPDX-License-Identifier: Apache-2.0
"""What all families of random nodes share: choices of values, numbers and weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from .graph import BFLOAT16, Graph, Refused, Value

DRAWS = 100  # of an input that has to fit
DTYPES = tuple(map(np.dtype, (np.float32, np.float16, BFLOAT16, np.int8, np.uint8, np.int32, np.int64, bool)))


def numbers(random: np.random.Generator, shape: Sequence[int], dtype=np.float32) -> np.ndarray:
    """Floats are multiples of 1/16 up to 2, which any sum of two keeps exactly; integers reach 5."""
    dtype = np.dtype(dtype)
    if dtype == bool:
        return random.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        return random.integers(0 if dtype.kind == "u" else -5, 6, shape).astype(dtype)
    return (random.integers(-32, 33, shape) / 16).astype(dtype)


def starting_value(random: np.random.Generator, dtype=None) -> np.ndarray:
    """Mostly images of rank 3 to 5, mostly float32 if no type is asked for."""
    rank = int(random.choice([0, 1, 2, 2, 3, 3, 4, 4, 4, 4, 5]))
    shape = [int(random.integers(1, 9)) for _ in range(rank)]
    if rank >= 3:
        shape[:2] = [int(random.integers(1, 3)), int(random.choice([1, 2, 3, 4, 8, 16, 17]))]
    if dtype is None:
        dtype = np.float32 if random.random() < 0.65 else DTYPES[random.integers(len(DTYPES))]
    return numbers(random, shape, dtype)


def pick(g: Graph, fits: Callable[[Value], bool]) -> Value:
    """One of the graph's values, later ones more likely; now and then, or if none fits, a new input.

    In one case of five a type is chosen first, so that rare ones have their share.
    """
    dtype = DTYPES[number(g, 0, len(DTYPES) - 1)] if flag(g, 0.2) else None
    for wanted in [dtype, None] if dtype else [None]:
        found = [v for v in g.values if v.name not in g.final and (not wanted or v.array.dtype == wanted) and fits(v)]
        if not found or flag(g, 0.05):
            for _ in range(DRAWS):
                array = starting_value(g.random, wanted)
                if fits(Value("", array, True)):
                    return g.add_input(array)
        if found:
            places = np.arange(1, len(found) + 1, dtype=float)
            return found[g.random.choice(len(found), p=places / places.sum())]
    raise Refused("no value fits")


def is_float(value: Value) -> bool:
    return value.kind == "f"


def number(g: Graph, low: int, high: int) -> int:
    return int(g.random.integers(low, high + 1))


def flag(g: Graph, chance: float = 0.5) -> bool:
    return bool(g.random.random() < chance)


def weights(g: Graph, *shape: int, scale: float = 0.5, dtype=np.float32) -> Value:
    return g.constant((g.random.standard_normal(shape) * scale).astype(dtype))


def float_type(g: Graph) -> np.dtype:
    """Mostly float32."""
    return DTYPES[int(g.random.choice(3, p=[0.6, 0.25, 0.15]))]


def axis_of(g: Graph, value: Value) -> int:
    return number(g, -value.rank, value.rank - 1) if value.rank else 0


def some_axes(g: Graph, value: Value) -> list[int]:
    count = number(g, 1, max(value.rank, 1))
    axes = sorted(g.random.permutation(value.rank)[:count].tolist())
    return [axis - value.rank if flag(g, 0.3) else axis for axis in axes]


def partner(g: Graph, value: Value, exact: bool = False) -> Value:
    """Something that broadcasts with it: itself, another value, a weight."""
    like = (v for v in g.values if v.array.dtype == value.array.dtype and v.shape == value.shape)
    same = [v for v in like if v.name not in g.final and (v.exact or not exact)]
    if same and flag(g):
        return same[number(g, 0, len(same) - 1)]
    shape = [1 if flag(g, 0.3) else extent for extent in value.shape][number(g, 0, value.rank) :]
    if value.kind == "b":
        return g.constant(g.random.integers(0, 2, shape).astype(bool))
    if value.kind in "iu":
        return g.constant(g.random.integers(1, 6, shape).astype(value.array.dtype))
    return g.constant(g.random.uniform(0.5, 2.0, shape).astype(value.array.dtype))


def image(g: Graph, exact: bool = False) -> Value:
    return pick(g, lambda v: is_float(v) and v.rank in (3, 4, 5) and (v.exact or not exact))


def window(g: Graph, value: Value, largest: int = 3) -> dict:
    """Kernel, strides, dilations and pads, or auto_pad."""
    spatial = value.rank - 2
    kernel = [min(number(g, 1, largest), extent) for extent in value.shape[2:]]
    attributes = {"kernel_shape": kernel, "strides": [number(g, 1, 2) for _ in range(spatial)]}
    if flag(g, 0.2):
        attributes["auto_pad"] = str(g.random.choice(["SAME_UPPER", "SAME_LOWER", "VALID"]))
    else:
        attributes["pads"] = [min(number(g, 0, 1), size - 1) for size in kernel * 2]
    return attributes


def fresh(g: Graph, *shape: int, dtype=np.float32) -> Value:
    """A new input of the model, sometimes a constant instead."""
    array = numbers(g.random, shape, dtype)
    return g.constant(array) if flag(g, 0.25) else g.add_input(array)


def shaped(g: Graph, *shape: int, dtype=np.float32, exact: bool = False, most: float = 20.0) -> Value:
    """A value of this shape and no element beyond `most`: one that is there, cut out of a larger one, or fresh."""
    size = math.prod(shape)

    def fits(value: Value) -> bool:
        right = value.array.dtype == dtype and value.array.size >= size and (value.exact or not exact)
        return right and value.name not in g.final and np.abs(value.array.astype(np.float32)).max() <= most

    found = [value for value in g.values if fits(value)]
    if not found or flag(g, 0.4):
        return fresh(g, *shape, dtype=dtype)
    value = found[number(g, 0, len(found) - 1)]
    if value.shape == shape:
        return value
    if value.array.size > size:
        (value,) = g.op("Reshape", [value, g.ints(-1)], exact=True)
        inputs, attributes = listed(g, 10, starts=[0], ends=[size])
        (value,) = g.op("Slice", [value, *inputs], exact=True, **attributes)
    return g.op("Reshape", [value, g.ints(*shape)], exact=True)[0]


def listed(g: Graph, since: int, **lists: Sequence[int]) -> tuple[list[Value], dict]:
    """Integers that are inputs since an opset and were attributes before: (inputs, attributes)."""
    if g.opset < since:
        return [], {name: list(values) for name, values in lists.items()}
    return [g.ints(*values) for values in lists.values()], {}


def scalar(g: Graph, value: float, dtype=np.int64) -> Value:
    return g.constant(np.array(value, dtype))


def bounded(most: float, least: float = 0.0) -> Callable[[Value], bool]:
    """Float values of such sizes: where a function is steep, a rounding error upstream must stay one."""
    return lambda v: is_float(v) and least <= np.abs(v.array).min() and np.abs(v.array).max() <= most


def one_of(g: Graph, *words: str) -> str:
    return words[number(g, 0, len(words) - 1)]
