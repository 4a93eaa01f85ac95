# SPDX-License-Identifier: Apache-2.0
"""From a model file or a network's name to a case with inputs."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx

from npu_bench.contender import Case
from npu_bench.errors import BenchError
from npu_bench.input_files import load_model
from npu_bench.shown import shown_name

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "models"))

import zoo  # noqa: E402

DTYPES = {
    onnx.TensorProto.FLOAT: np.float32,
    onnx.TensorProto.INT64: np.int64,
    onnx.TensorProto.INT32: np.int32,
    onnx.TensorProto.UINT8: np.uint8,
    onnx.TensorProto.INT8: np.int8,
}


def model_file(model: str) -> Path:
    return zoo.ensure(model) if model in zoo.NETS else Path(model)


def make_case(model: str, batch: int, shapes: dict[str, list[int]]) -> Case:
    """The network of that name from bench/models, or the file of that name."""
    if model in zoo.NETS:
        net = zoo.find(model)
        path = model_file(model)
        samples = net.inputs(path, batch, net.size, net.order, seed=7)
        return _bind(model, path, batch, {name: list(a.shape) for name, a in samples.items()}, samples)
    path = Path(model)
    if not path.is_file():
        raise BenchError(f"there is no file '{model}', and no network of that name; known: {', '.join(zoo.NETS)}")
    return _bind(shown_name(path.stem), path, batch, shapes, {})


def _bind(
    title: str, path: Path, batch: int, given: dict[str, list[int]], samples: dict[str, np.ndarray]
) -> Case:
    graph = load_model(path, weights=False).graph
    weights = {tensor.name for tensor in graph.initializer}
    values = [value for value in graph.input if value.name not in weights]
    unknown = set(given) - {value.name for value in values}
    if unknown:
        names = ", ".join(value.name for value in values)
        raise BenchError(f"--input-shape: {title} has no input '{unknown.pop()}'; it has: {names}")
    shapes, dimensions, inputs = {}, {}, {}
    for value in values:
        shapes[value.name] = _bind_input(value, batch, given.get(value.name), dimensions)
        inputs[value.name] = samples.get(value.name, _random_input(value, shapes[value.name]))
    return Case(title, path.resolve(), batch, shapes, dimensions, inputs)


def _bind_input(value, batch: int, given: list[int] | None, dimensions: dict[str, int]) -> list[int]:
    """A shape without unknown sizes; the first unknown one is the batch."""
    sizes = value.type.tensor_type.shape.dim
    if given is not None and len(given) != len(sizes):
        raise BenchError(f"--input-shape: '{value.name}' has {len(sizes)} dimensions, not {len(given)}")
    shape = []
    for index, size in enumerate(sizes):
        if size.HasField("dim_value") and size.dim_value > 0:
            shape.append(size.dim_value)
            continue
        if index > 0 and given is None:
            raise BenchError(
                f"size {index} of input '{value.name}' is unknown; say --input-shape={value.name}=N,..."
            )
        shape.append(batch if index == 0 else given[index])
        if size.dim_param:
            dimensions[size.dim_param] = shape[-1]
    return shape


def _random_input(value, shape: list[int]) -> np.ndarray:
    kind = value.type.tensor_type.elem_type
    if kind not in DTYPES:
        name = onnx.TensorProto.DataType.Name(kind)
        raise BenchError(f"input '{value.name}' has type {name}; npu-bench can make float32 and integers")
    random = np.random.default_rng(7)
    if kind == onnx.TensorProto.FLOAT:
        return random.uniform(-1.0, 1.0, shape).astype(np.float32)
    return random.integers(0, 100, shape).astype(DTYPES[kind])
