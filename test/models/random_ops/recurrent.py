# SPDX-License-Identifier: Apache-2.0
"""Recurrent nodes of random models."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .choose import flag, number, shaped, weights
from .graph import Graph

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
FUNCTIONS = {"RNN": 1, "GRU": 2, "LSTM": 3}  # for each direction
# Softplus, LeakyRelu and the like grow with every step; Affine and ScaledTanh take their own numbers.
BOUNDED = ["Tanh", "Sigmoid", "HardSigmoid", "Softsign"]


def recurrent(g: Graph, op: str) -> None:
    """A few steps, since npuc writes them out; onnxruntime has no layout=1."""
    steps, batch, size, hidden = number(g, 1, 4), number(g, 1, 3), number(g, 1, 6), number(g, 1, 5)
    direction = ["forward", "reverse", "bidirectional"][number(g, 0, 2)]
    ways = 2 if direction == "bidirectional" else 1
    rows = GATES[op] * hidden
    inputs = [shaped(g, steps, batch, size), weights(g, ways, rows, size), weights(g, ways, rows, hidden)]
    inputs.append(weights(g, ways, 2 * rows) if flag(g) else None)
    lengths = g.random.integers(1, steps + 1, batch).astype(np.int32)
    inputs.append((g.constant if flag(g) else g.add_input)(lengths) if flag(g, 0.3) else None)
    inputs.append(shaped(g, ways, batch, hidden, most=2.0) if flag(g) else None)
    attributes = {"direction": direction, "hidden_size": hidden}
    if op == "LSTM":
        inputs.append(shaped(g, ways, batch, hidden, most=2.0) if flag(g) else None)
        inputs.append(weights(g, ways, 3 * hidden) if flag(g, 0.3) else None)
    if op == "GRU":
        attributes["linear_before_reset"] = number(g, 0, 1)
    if flag(g, 0.4):
        attributes["activations"] = [BOUNDED[number(g, 0, 3)] for _ in range(ways * FUNCTIONS[op])]
    if flag(g, 0.2):
        attributes["clip"] = float(g.random.uniform(0.5, 2.0))
    outputs = 3 if op == "LSTM" else 2
    unused = [i for i in range(outputs) if flag(g, 0.25)][: outputs - 1]
    g.op(op, inputs, outputs=outputs, unused=unused, **attributes)


TABLE: list[tuple[Callable[[Graph, str], None], str]] = [(recurrent, "RNN GRU LSTM")]
