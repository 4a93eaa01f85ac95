# SPDX-License-Identifier: Apache-2.0
"""A model that grows node by node; onnxruntime computes each node at once.

So every shape and type is known while the next node is chosen, a node that
onnxruntime refuses never gets in, and the expected outputs are there at the end.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

LARGEST = 1e4  # of a value's elements
MOST_ELEMENTS = 40_000
IR_VERSION = 8


@dataclasses.dataclass(frozen=True)
class Value:
    """A value with its elements. Two runtimes agree to the bit on exact ones."""

    name: str
    array: np.ndarray
    exact: bool

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def rank(self) -> int:
        return self.array.ndim

    @property
    def kind(self) -> str:
        return self.array.dtype.kind


class Refused(Exception):
    """The node cannot be part of a test."""


def _session_options() -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return options


class Graph:
    """Nodes, weights and inputs of a random model."""

    def __init__(self, random: np.random.Generator, opset: int) -> None:
        self.random, self.opset = random, opset
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.inputs: list[Value] = []
        self.values: list[Value] = []
        self.read: set[str] = set()
        self.final: set[str] = set()  # not to be read: rounded to steps
        self.options = _session_options()

    def add_input(self, array: np.ndarray) -> Value:
        value = Value(f"x{len(self.inputs)}", array, True)
        self.inputs.append(value)
        self.values.append(value)
        return value

    def constant(self, array) -> Value:
        array = np.asarray(array, order="C")
        value = Value(f"w{len(self.weights)}", array, True)
        self.weights.append(numpy_helper.from_array(array, value.name))
        return value

    def ints(self, *numbers: int) -> Value:
        return self.constant(np.array(numbers, np.int64))

    def op(
        self, kind: str, inputs: list[Value | None], exact: bool = False, outputs: int = 1, final: bool = False,
        **attributes,
    ) -> list[Value]:  # fmt: skip
        """Adds a node and its results. Movement is exact where its inputs are."""
        number = len(self.nodes)
        names = [f"v{number}_{i}" for i in range(outputs)]
        words = [value.name if value else "" for value in inputs]
        while words and not words[-1]:
            words.pop()
        node = helper.make_node(kind, words, names, name=f"{kind}_{number}", **attributes)
        arrays = self._compute(node, [value for value in inputs if value])
        is_exact = exact and all(value.exact for value in inputs if value)
        results = []
        for name, array in zip(names, arrays):
            self._check(array)
            results.append(Value(name, array, is_exact or (array.dtype.kind in "biu" and exact)))
        self.nodes.append(node)
        self.read |= set(words)
        self.values += results
        if final:
            self.final |= {value.name for value in results}
        return results

    def _check(self, array: np.ndarray) -> None:
        if array.size > MOST_ELEMENTS or array.ndim > 6 or array.size == 0:
            raise Refused("too large, or empty")
        if array.dtype.kind == "f" and not (np.isfinite(array).all() and np.abs(array).max() < LARGEST):
            raise Refused("not finite, or too large")

    def _compute(self, node: onnx.NodeProto, inputs: list[Value]) -> list[np.ndarray]:
        feeds = {value.name: value.array for value in inputs}
        weights = {tensor.name: tensor for tensor in self.weights}
        declared = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in feeds.items()
            if name not in weights
        ]
        used = [tensor for name, tensor in weights.items() if name in feeds]
        results = [onnx.ValueInfoProto(name=name) for name in node.output]
        graph = helper.make_graph([node], "node", declared, results, used)
        opset = helper.make_opsetid("", self.opset)
        model = helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION)
        try:
            session = onnxruntime.InferenceSession(
                model.SerializeToString(), self.options, providers=["CPUExecutionProvider"]
            )
            given = {value.name: feeds[value.name] for value in inputs if value.name not in weights}
            return session.run(list(node.output), given)
        except Exception as error:  # onnxruntime's own classes have no common base
            raise Refused(str(error).splitlines()[0]) from error

    def outputs(self) -> list[Value]:
        inputs = {value.name for value in self.inputs}
        return [value for value in self.values if value.name not in self.read and value.name not in inputs]

    def model(self) -> onnx.ModelProto:
        def info(value: Value) -> onnx.ValueInfoProto:
            return helper.make_tensor_value_info(
                value.name, helper.np_dtype_to_tensor_dtype(value.array.dtype), value.shape
            )

        read = [tensor for tensor in self.weights if tensor.name in self.read]
        inputs, outputs = map(info, self.inputs), map(info, self.outputs())
        graph = helper.make_graph(self.nodes, "random", list(inputs), list(outputs), read)
        opset = helper.make_opsetid("", self.opset)
        return helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION)
