# SPDX-License-Identifier: Apache-2.0
"""A network of ONNX operators under construction, for tests that make their models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class OnnxNet:
    """A value is its name. `inputs` are in the order in which they were made."""

    def __init__(self, random: np.random.Generator, opset: int) -> None:
        self.random = random
        self.opset = opset
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, np.ndarray] = {}
        self.inputs: dict = {}

    def constant(self, value: object) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(value)
        return name

    def ints(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def ops(self, kind: str, *inputs: str, outputs: int, **attributes: object) -> list[str]:
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=f"{kind}{len(self.nodes)}", **attributes))
        return names

    def op(self, kind: str, *inputs: str, **attributes: object) -> str:
        return self.ops(kind, *inputs, outputs=1, **attributes)[0]

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the inputs, all of f32."""
        return self.inputs

    def save(self, path: Path, result: str) -> None:
        inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in self.shapes().items()]
        constants = [numpy_helper.from_array(value, name) for name, value in self.constants.items()]
        graph = helper.make_graph(self.nodes, path.stem, inputs, [helper.make_empty_tensor_value_info(result)], constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=10)
        onnx.save(onnx.shape_inference.infer_shapes(model), path)
