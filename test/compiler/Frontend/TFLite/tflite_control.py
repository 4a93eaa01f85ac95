# SPDX-License-Identifier: Apache-2.0
"""Cases of IF and WHILE: conditions that are known, and that data decide."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from tflite_builder import Graph, Tensor
from tflite_cases import Case, data, result_quant


def branches(g: Graph, x: Tensor) -> tuple[int, int]:
    """Twice the value, and its negative part; each reads a constant of its own."""
    out = result_quant(x.type)
    factor = np.array([3, 1, 2, 5]).astype({"f32": np.float32, "i8": np.int8, "u8": np.uint8}[x.type])

    def grown(value: Tensor) -> Tensor:
        return g.op("ADD", [value, g.constant(factor, x.quant)], x.type, out, "AddOptions", version=2)

    def rectified(value: Tensor) -> Tensor:
        return g.op("RELU", [g.op("SUB", [value, value], x.type, out, "SubOptions", version=2)], x.type, out)

    return g.subgraph(grown, x), g.subgraph(rectified, x)


def chosen(g: Graph, rng: np.random.Generator, dtype: str, kind: str, truth: bool) -> None:
    x = data(g, rng, dtype, [2, 3, 4])
    flag = np.array(truth)
    condition = g.constant(flag) if kind == "known" else g.input(flag)
    one, other = branches(g, x)
    g.output(g.op("IF", [condition, x], dtype, result_quant(dtype), "IfOptions", thenSubgraphIndex=one, elseSubgraphIndex=other))


def counted(g: Graph, rng: np.random.Generator, times: int) -> None:
    """A loop that counts up and adds the count to its data."""
    x, count = data(g, rng, "i32", [3, 4]), g.constant(np.array(0, np.int32))

    def goes_on(count: Tensor, value: Tensor) -> Tensor:
        return g.op("LESS", [count, g.constant(np.array(times, np.int32))], "bool", options="LessOptions")

    def step(count: Tensor, value: Tensor) -> list[Tensor]:
        following = g.op("ADD", [count, g.constant(np.array(1, np.int32))], "i32", options="AddOptions")
        return [following, g.op("ADD", [value, following], "i32", options="AddOptions")]

    condition, body = g.subgraph(goes_on, count, x), g.subgraph(step, count, x)
    g.output(g.op("WHILE", [count, x], ["i32", "i32"], options="WhileOptions", condSubgraphIndex=condition,
                  bodySubgraphIndex=body)[1])  # fmt: skip


def control() -> Iterator[Case]:
    for dtype, kind, truth in itertools.product(["f32", "i8", "u8"], ["known", "data"], [True, False]):
        yield Case(f"control/IF/{dtype}-{kind}-{truth}", lambda g, rng, a=(dtype, kind, truth): chosen(g, rng, *a))
    for times in (0, 1, 7):
        yield Case(f"control/WHILE/{times}", lambda g, rng, times=times: counted(g, rng, times))
