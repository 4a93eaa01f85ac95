# SPDX-License-Identifier: Apache-2.0
"""Cases of recurrent networks: each form of a cell, both directions, a second input."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tflite_builder import Graph, Quant, Tensor
from tflite_cases import Case, activation

STEPS, BATCH, FEATURES, CELLS, UNITS = 4, 2, 5, 6, 3


@dataclass(frozen=True)
class Form:
    """What a cell has; `act` is the activation of what is fresh."""

    cifg: bool = False
    peephole: bool = False
    projection: bool = False
    norm: bool = False
    clip: float = 0.0
    act: str = "TANH"


FORMS = {
    "plain": Form(), "relu": Form(act="RELU"), "relu6": Form(act="RELU6"), "none": Form(act="NONE"), "cifg": Form(cifg=True),
    "peephole": Form(peephole=True), "projection": Form(projection=True), "clip": Form(clip=0.4, projection=True),
    "norm": Form(norm=True), "all": Form(peephole=True, projection=True, norm=True, clip=0.7),
    "cifg-all": Form(cifg=True, peephole=True, projection=True, norm=True),
}  # fmt: skip


def weights(g: Graph, rng: np.random.Generator, *shape: int) -> Tensor:
    return g.constant(rng.uniform(-0.8, 0.8, shape).astype(np.float32))


def sequence(g: Graph, rng: np.random.Generator, kind: str, batch: int = BATCH) -> Tensor:
    shape = {"one": [batch], "time": [STEPS, batch], "batch": [batch, STEPS]}[kind]
    return g.input(rng.uniform(-2, 2, [*shape, FEATURES]).astype(np.float32))


def lstm_weights(g: Graph, rng: np.random.Generator, form: Form, units: int) -> list[Tensor | None]:
    """The operands of a direction in the operator's order, from the weights to the projection."""

    def gates(*shape: int) -> list[Tensor | None]:
        return [None if form.cifg and gate == 0 else weights(g, rng, *shape) for gate in range(4)]

    made = [*gates(CELLS, FEATURES), *gates(CELLS, units)]
    peepholes: list[Tensor | None] = gates(CELLS)[:3] if form.peephole else [None] * 3
    made += [*peepholes, *gates(CELLS)]
    return made + ([weights(g, rng, units, CELLS), weights(g, rng, units)] if form.projection else [None, None])


def states(g: Graph, *extents: int, batch: int = BATCH) -> list[Tensor]:
    return [g.variable("f32", [batch, extent]) for extent in extents]


def lstm(g: Graph, rng: np.random.Generator, kind: str, form: Form) -> None:
    units = UNITS if form.projection else CELLS
    x = sequence(g, rng, kind)
    operands = [x, *lstm_weights(g, rng, form, units), *states(g, units, CELLS)]
    norms = [None if form.cifg and gate == 0 else weights(g, rng, CELLS) for gate in range(4)]
    operands += norms if form.norm else [None] * 4
    words = {"fusedActivationFunction": activation(form.act), "cellClip": form.clip, "projClip": form.clip / 2}
    if kind == "one":
        g.output(g.op("LSTM", operands, "f32", None, "LSTMOptions", **words))
        return
    words["timeMajor"] = kind == "time"
    g.output(g.op("UNIDIRECTIONAL_SEQUENCE_LSTM", operands, "f32", None, "UnidirectionalSequenceLSTMOptions", **words))


@dataclass(frozen=True)
class Scales:
    """Those of an LSTM network of integers; cells are in units of 2^-`cell_bits`."""

    data: Quant
    state: Quant
    hidden: Quant
    weight: float
    cell_bits: int


SCALES = {
    "usual": Scales(Quant(0.02, -5), Quant(1 / 128, 3), Quant(1 / 128, 3), 0.8 / 127, 11),
    "coarse": Scales(Quant(0.3, 127), Quant(0.05, -128), Quant(0.01, 20), 0.1, 9),
    "fine": Scales(Quant(1e-3, -128), Quant(1e-4, 0), Quant(2e-3, -127), 1e-3, 15),
}  # fmt: skip


def lstm_of_bytes(g: Graph, rng: np.random.Generator, kind: str, form: Form, scales: Scales) -> None:
    units = UNITS if form.projection else CELLS
    shape = {"one": [BATCH], "time": [STEPS, BATCH], "batch": [BATCH, STEPS]}[kind]
    x = g.input(rng.integers(-128, 128, [*shape, FEATURES]).astype(np.int8), scales.data)

    def gates(dtype: type, scale: Quant, *extents: int, most: int = 127) -> list[Tensor | None]:
        made = [g.constant(rng.integers(-most, most + 1, extents).astype(dtype), scale) for _ in range(4)]
        return [None if form.cifg and gate == 0 else tensor for gate, tensor in enumerate(made)]

    weight = Quant(scales.weight)
    operands: list[Tensor | None] = [x, *gates(np.int8, weight, CELLS, FEATURES), *gates(np.int8, weight, CELLS, units)]
    operands += gates(np.int16, Quant(scales.weight / 256), CELLS, most=32767)[:3] if form.peephole else [None] * 3
    operands += gates(np.int32, Quant(scales.weight * scales.data.scale), CELLS, most=3000)
    if form.projection:
        operands += [g.constant(rng.integers(-127, 128, (units, CELLS)).astype(np.int8), weight),
                     g.constant(rng.integers(-999, 999, units).astype(np.int32), Quant(scales.weight * scales.hidden.scale))]  # fmt: skip
    else:
        operands += [None, None]
    operands += [g.variable("i8", [BATCH, units], scales.state), g.variable("i16", [BATCH, CELLS], Quant(2.0**-scales.cell_bits)), *[None] * 4]
    words = {"fusedActivationFunction": activation("TANH"), "cellClip": form.clip, "projClip": form.clip / 2}
    name, table = ("LSTM", "LSTMOptions") if kind == "one" else ("UNIDIRECTIONAL_SEQUENCE_LSTM", "UnidirectionalSequenceLSTMOptions")
    if kind != "one":
        words["timeMajor"] = kind == "time"
    g.output(g.op(name, operands, "i8", scales.state, table, intermediates=[*[Quant(1 / 4096)] * 4, scales.hidden], **words))


def second(g: Graph, rng: np.random.Generator, x: Tensor, aux: str, gates: int) -> tuple[Tensor | None, list[list[Tensor | None]]]:
    """A second input like the first, and its weights for both directions.

    LiteRT's RNN takes its steps to be as long as the first's.
    """
    if aux == "none":
        return None, [[None] * gates] * 2
    other = g.input(rng.uniform(-2, 2, x.shape).astype(np.float32))
    if aux == "other":
        return other, [[None] * gates] * 2
    return other, [[weights(g, rng, CELLS, FEATURES) for _ in range(gates)] for _ in range(2)]


def both_lstm(g: Graph, rng: np.random.Generator, kind: str, form: Form, merged: bool, aux: str) -> None:
    units = UNITS if form.projection else CELLS
    # LiteRT finds the state of a second sequence where a result that is merged would have it.
    batch = 1 if merged and kind == "batch" else BATCH
    x = sequence(g, rng, kind, batch)
    kept = states(g, units, CELLS, units, CELLS, batch=batch)
    operands = [x, *lstm_weights(g, rng, form, units), *lstm_weights(g, rng, form, units), *kept]
    other, (forward, backward) = second(g, rng, x, aux, 4)
    operands += [other, *forward, *backward]
    words = {"fusedActivationFunction": activation(form.act), "timeMajor": kind == "time", "mergeOutputs": merged}
    made = g.op("BIDIRECTIONAL_SEQUENCE_LSTM", operands, ["f32"] if merged else ["f32", "f32"], None,
                "BidirectionalSequenceLSTMOptions", **words)  # fmt: skip
    g.output(*made)


def rnn_weights(g: Graph, rng: np.random.Generator) -> list[Tensor]:
    return [weights(g, rng, CELLS, FEATURES), weights(g, rng, CELLS, CELLS), weights(g, rng, CELLS), *states(g, CELLS)]


def rnn(g: Graph, rng: np.random.Generator, kind: str, act: str) -> None:
    operands = [sequence(g, rng, kind), *rnn_weights(g, rng)]
    words = {"fusedActivationFunction": activation(act)}
    if kind == "one":
        g.output(g.op("RNN", operands, "f32", None, "RNNOptions", **words))
    else:
        g.output(g.op("UNIDIRECTIONAL_SEQUENCE_RNN", operands, "f32", None, "SequenceRNNOptions", timeMajor=kind == "time", **words))


def both_rnn(g: Graph, rng: np.random.Generator, kind: str, merged: bool, aux: str) -> None:
    x = sequence(g, rng, kind)
    operands: list[Tensor | None] = [x, *rnn_weights(g, rng), *rnn_weights(g, rng)]
    other, (forward, backward) = second(g, rng, x, aux, 1)
    operands += [other, *forward, *backward]
    words = {"fusedActivationFunction": activation("RELU"), "timeMajor": kind == "time", "mergeOutputs": merged}
    made = g.op("BIDIRECTIONAL_SEQUENCE_RNN", operands, ["f32"] if merged else ["f32", "f32"], None,
                "BidirectionalSequenceRNNOptions", **words)  # fmt: skip
    g.output(*made)


def recurrent() -> Iterator[Case]:
    for kind, (name, form) in itertools.product(["one", "time", "batch"], FORMS.items()):
        yield Case(f"recurrent/LSTM/{kind}-{name}", lambda g, rng, a=(kind, form): lstm(g, rng, *a), is_sum=True)
        if not form.norm:
            for scale, scales in SCALES.items():
                yield Case(f"recurrent/LSTM/{kind}-{name}/i8-{scale}",
                           lambda g, rng, a=(kind, form, scales): lstm_of_bytes(g, rng, *a))  # fmt: skip
    for kind, act in itertools.product(["one", "time", "batch"], ["NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH"]):
        yield Case(f"recurrent/RNN/{kind}-{act}", lambda g, rng, a=(kind, act): rnn(g, rng, *a), is_sum=True)
    for kind, merged, aux in itertools.product(["time", "batch"], [False, True], ["none", "weights", "other"]):
        yield Case(f"recurrent/BIDIRECTIONAL_SEQUENCE_RNN/{kind}-{merged}-{aux}",
                   lambda g, rng, a=(kind, merged, aux): both_rnn(g, rng, *a), is_sum=True)  # fmt: skip
        for name in ("plain", "projection", "peephole"):
            yield Case(f"recurrent/BIDIRECTIONAL_SEQUENCE_LSTM/{kind}-{merged}-{aux}-{name}",
                       lambda g, rng, a=(kind, FORMS[name], merged, aux): both_lstm(g, rng, *a), is_sum=True)  # fmt: skip
