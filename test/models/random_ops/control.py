# SPDX-License-Identifier: Apache-2.0
"""Nodes of random models that hold graphs: branches and loops that npuc writes out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
from onnx import helper

from .choose import flag, is_float, number, one_of, pick, scalar, shaped, weights
from .graph import Graph, Value

TRIPS = 4


class Body:
    """The graph of an attribute: nodes on float values of one shape, none of which grows."""

    def __init__(self, g: Graph, prefix: str, shape: tuple[int, ...]) -> None:
        self.g, self.prefix, self.shape = g, prefix, shape
        self.nodes: list[onnx.NodeProto] = []
        self.captured: list[Value] = []

    def node(self, op: str, inputs: list[str], **attributes) -> str:
        name = f"{self.prefix}_n{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def outer(self, value: Value) -> str:
        self.captured.append(value)
        return value.name

    def steps(self, names: list[str]) -> str:
        """One to three operators on these values and on what lies outside."""
        current = names[number(self.g, 0, len(names) - 1)]
        for _ in range(number(self.g, 1, 3)):
            if flag(self.g):
                current = self.node(one_of(self.g, "Tanh", "Relu", "Sigmoid", "Neg", "Identity"), [current])
                continue
            other = one_of(self.g, *names)
            if flag(self.g, 0.4):
                other = self.outer(weights(self.g, *self.shape))
            current = self.node(one_of(self.g, "Add", "Sub", "Max", "Min"), [current, other])
        lowest, highest = (self.outer(scalar(self.g, limit, np.float32)) for limit in (-8, 8))
        return self.node("Min", [self.node("Max", [current, lowest]), highest])

    def graph(self, inputs: list[onnx.ValueInfoProto], outputs: list[str]) -> onnx.GraphProto:
        infos = [onnx.ValueInfoProto(name=name) for name in outputs]
        return helper.make_graph(self.nodes, self.prefix, inputs, infos)


def floats(name: str, shape: tuple[int, ...]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)


def branch(g: Graph, op: str) -> None:
    value = pick(g, is_float)
    count, bodies = number(g, 1, 2), []
    prefix = f"b{len(g.nodes)}"
    for side in ("then", "else"):
        body = Body(g, f"{prefix}{side}", value.shape)
        bodies.append((body, [body.steps([body.outer(value)]) for _ in range(count)]))
    graphs = [body.graph([], outputs) for body, outputs in bodies]
    captured = {outer.name: outer for body, _ in bodies for outer in body.captured}
    g.op(op, [scalar(g, flag(g), bool)], outputs=count, captured=list(captured.values()), then_branch=graphs[0],
         else_branch=graphs[1])  # fmt: skip


def loop(g: Graph, op: str) -> None:
    """A trip count, a condition, or both; the condition may end it early."""
    state = pick(g, is_float)
    trips, early = number(g, 1, TRIPS), flag(g, 0.4)
    body = Body(g, f"b{len(g.nodes)}", state.shape)
    p = body.prefix
    after = body.steps([f"{p}_s"])
    results = [after] if flag(g) else [after, body.steps([f"{p}_s", after])]
    if early:
        goes_on = body.node("Less", [f"{p}_i", body.outer(scalar(g, number(g, 0, TRIPS)))])
    else:
        goes_on = body.node("Identity", [f"{p}_c"])
    inputs = [
        helper.make_tensor_value_info(f"{p}_i", onnx.TensorProto.INT64, []),
        helper.make_tensor_value_info(f"{p}_c", onnx.TensorProto.BOOL, []),
        floats(f"{p}_s", state.shape),
    ]
    condition = scalar(g, True, bool) if early or flag(g) else None
    count = None if early and flag(g) else scalar(g, trips)
    graph = body.graph(inputs, [goes_on, *results])
    g.op(op, [count, condition, state], outputs=len(results), captured=body.captured, body=graph)


def scan(g: Graph, op: str) -> None:
    """States and scanned inputs, on any axis and in either direction."""
    shape = tuple(number(g, 1, 4) for _ in range(number(g, 0, 2)))
    steps, scanned, states = number(g, 1, TRIPS), number(g, 1, 2), number(g, 0, 2)
    body = Body(g, f"b{len(g.nodes)}", shape)
    names = [f"{body.prefix}_{i}" for i in range(states + scanned)]
    results = [body.steps(names) for _ in range(states + number(g, 1, 2))]
    outputs = len(results) - states
    axes = [number(g, 0, len(shape)) for _ in range(scanned)]
    values = [shaped(g, *shape, most=8.0) for _ in range(states)]
    values += [shaped(g, *shape[:axis], steps, *shape[axis:], most=8.0) for axis in axes]
    attributes = {
        "scan_input_directions": [number(g, 0, 1) for _ in range(scanned)],
        "scan_output_directions": [number(g, 0, 1) for _ in range(outputs)],
        "scan_input_axes": [axis - len(shape) - 1 if g.opset >= 11 and flag(g, 0.3) else axis for axis in axes],
        "scan_output_axes": [number(g, 0, len(shape)) for _ in range(outputs)],
    }
    given = {name: value for name, value in attributes.items() if "input_axes" in name or flag(g)}
    graph = body.graph([floats(name, shape) for name in names], results)
    g.op(op, values, outputs=len(results), captured=body.captured, num_scan_inputs=scanned, body=graph, **given)


TABLE: list[tuple[Callable[[Graph, str], None], str]] = [(branch, "If"), (loop, "Loop"), (scan, "Scan")]
