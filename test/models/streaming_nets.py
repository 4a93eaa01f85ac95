# SPDX-License-Identifier: Apache-2.0
"""Small streaming networks as .tflite files: what LiteRT keeps from run to run, as variables or in SVDF."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1] / "compiler" / "Frontend" / "TFLite"))

from tflite_builder import Graph, Quant, Tensor  # noqa: E402

AUDIO, HIDDEN, RESULT = Quant(0.1, -128), Quant(0.15, -128), Quant(0.2, 3)


def _frames(graph: Graph, random: np.random.Generator, is_float: bool) -> None:
    """Two convolutions over time, each with the last frames of its data in a variable: as wake words are made."""
    dtype = "f32" if is_float else "i8"
    kept = [(2, 40), (4, 16)]
    quants = [None, None] if is_float else [AUDIO, HIDDEN]
    fill = 0 if is_float else -128
    values = np.float32 if is_float else np.int8
    graph.once({f"frames{i}": (np.full((1, rows, 1, width), fill, values), quants[i]) for i, (rows, width) in enumerate(kept)})
    handles = [graph.handle(f"frames{i}") for i in range(2)]
    data = graph.input(np.zeros((1, 3, 1, 40), values), quants[0])
    for i, (rows, width) in enumerate(kept):
        new = 3 if i == 0 else 1
        past = graph.read(handles[i], dtype, [1, rows, 1, width], quants[i])
        whole = graph.op("CONCATENATION", [past, data], dtype, quants[i], options="ConcatenationOptions", axis=1, version=2)
        bounds = [graph.constant(np.array(numbers, np.int32)) for numbers in ([0, new, 0, 0], [1, rows + new, 1, width], [1] * 4)]
        left = graph.op("STRIDED_SLICE", [whole, *bounds], dtype, quants[i], options="StridedSliceOptions", version=2)
        graph.assign(handles[i], left)
        outputs = 16 if i == 0 else 8
        shape = (outputs, rows + new, 1, width)
        quant = None if is_float else (HIDDEN if i == 0 else RESULT)
        if is_float:
            weight = graph.constant(random.standard_normal(shape, np.float32) / 8)
            bias = graph.constant(random.standard_normal(outputs, np.float32))
        else:
            weight = graph.constant(random.integers(-127, 128, shape, np.int8), Quant(0.002))
            bias = graph.constant(random.integers(-500, 500, outputs, np.int32), Quant(float(np.float32(quants[i].scale) * np.float32(0.002))))
        data = graph.op("CONV_2D", [whole, weight, bias], dtype, quant, options="Conv2DOptions", version=3,
                        padding=1, strideH=1, strideW=1, fusedActivationFunction=1 if i == 0 else 0)  # fmt: skip
    graph.output(data)


def _svdf(graph: Graph, data: Tensor, shape: tuple[int, int, int, int], random: np.random.Generator, quants: tuple[Quant, ...] | None, activation: int) -> Tensor:
    """`shape`: inputs, units, rank, memory; `quants`: of the data, the state and the result."""
    inputs, units, rank, memory = shape
    filters = units * rank
    batch = data.shape[0] if data.shape else 1
    if quants is None:
        weights = [graph.constant(random.standard_normal(size, np.float32) / 4) for size in ((filters, inputs), (filters, memory))]
        bias = graph.constant(random.standard_normal(units, np.float32))
        state = graph.variable("f32", [batch, filters * memory])
        dtype, quant = "f32", None
    else:
        given, kept, quant = quants
        weights = [graph.constant(random.integers(-127, 128, (filters, inputs), np.int8), Quant(0.01)),
                   graph.constant(random.integers(-3000, 3000, (filters, memory), np.int16), Quant(0.0005))]  # fmt: skip
        bias = graph.constant(random.integers(-20000, 20000, units, np.int32), Quant(float(np.float32(kept.scale) * np.float32(0.0005))))
        state = graph.variable("i16", [batch, filters * memory], kept)
        dtype = "i8"
    made = graph.op("SVDF", [data, *weights, bias, state], dtype, quant, options="SVDFOptions", version=1 if quants is None else 3,
                    rank=rank, fusedActivationFunction=activation)  # fmt: skip
    made.shape = [batch, units]
    return made


def svdf_f32(graph: Graph, random: np.random.Generator) -> None:
    data = graph.input(np.zeros((2, 24), np.float32))
    data = _svdf(graph, data, (24, 12, 1, 10), random, None, 1)
    graph.output(_svdf(graph, data, (12, 6, 2, 1), random, None, 0))


def svdf_i8(graph: Graph, random: np.random.Generator) -> None:
    data = graph.input(np.zeros((1, 24), np.int8), AUDIO)
    hidden = Quant(1.0, -128)
    data = _svdf(graph, data, (24, 12, 2, 10), random, (AUDIO, Quant(0.002), hidden), 1)
    graph.output(_svdf(graph, data, (12, 6, 1, 8), random, (hidden, Quant(0.02), Quant(5.0, -5)), 1))


def counter_i32(graph: Graph, _: np.random.Generator) -> None:
    """Assigned and read again in one run; a second variable is written and never read."""
    graph.once({"count": (np.array([[7, -3]], np.int32), None), "last": (np.zeros((1, 2), np.int32), None)})
    count, last = graph.handle("count"), graph.handle("last")
    x = graph.input(np.zeros((1, 2), np.int32))
    graph.assign(count, graph.op("ADD", [graph.read(count, "i32", [1, 2]), x], "i32", options="AddOptions"))
    graph.assign(last, x)
    graph.output(graph.op("MUL", [graph.read(count, "i32", [1, 2]), x], "i32", options="MulOptions"))


NETS: dict[str, Callable[[Graph, np.random.Generator], None]] = {
    "frames_f32": lambda graph, random: _frames(graph, random, True),
    "frames_i8": lambda graph, random: _frames(graph, random, False),
    "svdf_f32": svdf_f32,
    "svdf_i8": svdf_i8,
    "counter_i32": counter_i32,
}


def write(name: str, path: Path) -> None:
    graph = Graph()
    graph.case = name
    NETS[name](graph, np.random.default_rng(57))
    path.write_bytes(graph.bytes())
