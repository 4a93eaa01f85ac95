# SPDX-License-Identifier: Apache-2.0
"""The model that is to be quantised: whether it can be, its inputs, its nodes."""

from __future__ import annotations

from pathlib import Path

import onnx
from onnx import TensorProto

from npu_bench.case import make_case
from npu_bench.contender import Case
from npu_bench.errors import BenchError
from npu_bench.input_files import load_model, tensors_of
from npuc_quantize.data import Input

MOST_BYTES = 2**31 - 1  # of one protobuf message
PAIR = ("QuantizeLinear", "DequantizeLinear")
ON_BYTES = (*PAIR, "DynamicQuantizeLinear", "ConvInteger", "MatMulInteger")
OTHER_FLOATS = (TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.DOUBLE)


def is_on_bytes(node: onnx.NodeProto) -> bool:
    """Of a model that is quantised already, in whatever form."""
    return node.op_type in ON_BYTES or node.op_type.startswith("QLinear") or node.op_type.startswith("QGemm")


def open_model(word: str, batch: int | None, shapes: dict[str, list[int]]) -> tuple[Case, onnx.ModelProto]:
    """A file, or a network of bench/models by name, with all weights; says why it cannot be quantised."""
    case = make_case(word, batch, shapes)
    model = load_model(case.model)
    for node in model.graph.node:
        if is_on_bytes(node):
            raise BenchError(f"'{case.model}' is quantised already: {node.op_type} '{node.name or node.output[0]}'; "
                             "expected a model of float32 numbers")  # fmt: skip
    _check_floats(case.model, model)
    if model.ByteSize() > MOST_BYTES:
        raise BenchError(f"'{case.model}' has {model.ByteSize() / 1e9:.1f} GB; expected at most 2 GB")
    for name, values in case.inputs.items():
        if values.size == 0:
            raise BenchError(f"the input '{name}' has no elements ({'x'.join(map(str, values.shape))})")
    if not case.inputs:
        raise BenchError(f"'{case.model}' has no inputs, so there is nothing to measure ranges with")
    name_nodes(model)
    return case, model


def _check_floats(path: Path, model: onnx.ModelProto) -> None:
    names = TensorProto.DataType
    found = [(f"input '{value.name}'", value.type.tensor_type.elem_type) for value in model.graph.input]
    found += [(f"weight '{tensor.name}'", tensor.data_type) for tensor in tensors_of(model.graph)]
    for what, kind in found:
        if kind in OTHER_FLOATS:
            raise BenchError(f"'{path}' is no float32 model: its {what} is {names.Name(kind)}; export it in float32")


def name_nodes(model: onnx.ModelProto) -> None:
    """Every node gets a name of its own: onnxruntime's quantiser knows them by it."""
    taken = {node.name for node in model.graph.node}
    seen = set()
    for node in model.graph.node:
        if not node.name or node.name in seen:
            stem = f"{node.op_type}_{next(filter(None, node.output), '')}"
            node.name = next(name for number in range(len(taken) + 1)
                             if (name := f"{stem}_{number}" if number else stem) not in taken)  # fmt: skip
            taken.add(node.name)
        seen.add(node.name)


def inputs_of(case: Case) -> list[Input]:
    return [Input(name, list(values.shape), values.dtype) for name, values in case.inputs.items()]
