# SPDX-License-Identifier: Apache-2.0
"""The values of a quantised model, beside those of the model that it was made of.

The quantiser keeps names: what node N gives under the name X is there as X in
both models. Where X is stored in bytes, X_QuantizeLinear and a DequantizeLinear
behind it say what the bytes stand for; that is what the next layer reads.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import onnx
from onnx import numpy_helper

from npuc_quantize.accuracy import Accuracy, looks_like_classes
from npuc_quantize.model import PAIR
from npuc_quantize.ort import run, session_of

BEFORE = "_QuantizeLinear_Input"  # what the quantiser calls X before it is rounded, where X is an output


@dataclasses.dataclass(frozen=True)
class Step:
    """How real numbers become bytes: round(x / scale) + zero point, cut off at the type's ends."""

    scale: float
    zero_point: int
    dtype: np.dtype

    @staticmethod
    def of(pair: onnx.NodeProto, weights: dict[str, onnx.TensorProto]) -> Step:
        scale, zero_point = (numpy_helper.to_array(weights[key]) for key in pair.input[1:3])
        return Step(scale.item(), zero_point.item(), zero_point.dtype)

    def rounded(self, values: np.ndarray) -> np.ndarray:
        """What the bytes of these values stand for."""
        ends, scale = np.iinfo(self.dtype), np.float32(self.scale)
        steps = np.clip(np.rint(values / scale) + self.zero_point, ends.min, ends.max)
        return (steps - self.zero_point) * scale


@dataclasses.dataclass
class Layer:
    """One value of the quantised model, and the node that makes it."""

    node: str
    op: str
    value: str  # its name in the float32 model
    read_as: str  # its name in the quantised one
    on_bytes: bool  # reads bytes and gives bytes
    step: Step | None
    shape: list[int] = dataclasses.field(default_factory=list)
    error: Accuracy = dataclasses.field(default_factory=Accuracy)
    own: Accuracy = dataclasses.field(default_factory=Accuracy)  # of its rounding alone


def layers_of(quantised: onnx.ModelProto, folded: onnx.ModelProto) -> list[Layer]:
    """In the order in which they are computed; weights and what is no real number are left out."""
    graph = quantised.graph
    weights = {tensor.name: tensor for tensor in graph.initializer}
    quantising = {node.input[0]: node for node in graph.node if node.op_type == "QuantizeLinear"}
    bytes_as = {node.input[0]: node.output[0] for node in graph.node if node.op_type == "DequantizeLinear"}
    real = _real_values(folded)
    layers = []
    for node in graph.node:
        if node.op_type in PAIR:
            continue
        for name in filter(None, node.output):
            value = name.removesuffix(BEFORE)
            if value not in real:
                continue
            pair = quantising.get(name)
            read_as = bytes_as.get(pair.output[0], name) if pair else name
            on_bytes = pair is not None and _reads_bytes(node, real, weights)
            step = Step.of(pair, weights) if pair else None
            layers.append(Layer(node.name, node.op_type, value, read_as, on_bytes, step))
    return layers


def _reads_bytes(node: onnx.NodeProto, real: set[str], weights: dict) -> bool:
    """No value of the float32 model, and no float32 weights: it all comes from DequantizeLinear.

    Numbers and lists of them are parameters (limits of Clip, factors of Resize).
    """
    tensors = [weights[name] for name in node.input if name in weights]
    is_weighted = any(tensor.data_type == onnx.TensorProto.FLOAT and len(tensor.dims) >= 2 for tensor in tensors)
    return not is_weighted and not any(name in real for name in node.input)


def _real_values(model: onnx.ModelProto) -> set[str]:
    """What is computed, and the inputs: float32 numbers, as far as onnx's shape inference knows."""
    graph = onnx.shape_inference.infer_shapes(model).graph
    kinds = {value.name: value.type.tensor_type.elem_type for values in (graph.value_info, graph.output, graph.input)
             for value in values}  # fmt: skip
    made = [name for node in model.graph.node for name in node.output]
    names = [*made, *(value.name for value in graph.input)]
    return {name for name in names if kinds.get(name) == onnx.TensorProto.FLOAT}


class Comparison:
    """Both models, run on the same values."""

    def __init__(self, model: onnx.ModelProto, folded: onnx.ModelProto, quantised: onnx.ModelProto) -> None:
        self.layers = layers_of(quantised, folded)
        self.outputs = {output.name: Accuracy() for output in model.graph.output}
        self.shapes: dict[str, list[int]] = {}
        self.original = session_of(model, [])
        self.folded = session_of(folded, [layer.value for layer in self.layers])
        self.quantised = session_of(quantised, [layer.read_as for layer in self.layers])

    def add(self, feed: dict[str, np.ndarray], batch: int) -> dict[str, np.ndarray]:
        """One run; gives the original model's outputs."""
        values = run(self.folded, [layer.value for layer in self.layers], feed)
        outputs = list(self.outputs)
        found = run(self.quantised, [*(layer.read_as for layer in self.layers), *outputs], feed)
        for layer, right, ours in zip(self.layers, values, found):
            layer.shape = list(right.shape)
            layer.error.add(ours, right)
            if layer.step:
                layer.own.add(layer.step.rounded(right), right)
        expected = dict(zip(outputs, run(self.original, outputs, feed)))
        for name, ours in zip(outputs, found[len(self.layers) :]):
            self.shapes[name] = list(expected[name].shape)
            compare_outputs(self.outputs[name], ours, expected[name], batch)
        return expected


def compare_outputs(accuracy: Accuracy, found: np.ndarray, expected: np.ndarray, batch: int) -> None:
    accuracy.add(found, expected)
    if expected.dtype.kind == "f" and looks_like_classes(expected.shape, batch):
        accuracy.add_classes(found, expected)
