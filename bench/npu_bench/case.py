# SPDX-License-Identifier: Apache-2.0
"""From a model file or a network's name to a case with inputs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx

from npu_bench.contender import Case
from npu_bench.errors import BenchError, InputError, UsageError
from npu_bench.input_files import load_model, read_array
from npu_bench.resolver import NETS, find_model, zoo
from npu_bench.shown import shown_name
from npu_bench.sizes import bind_sizes
from npu_bench.words import check_shapes

import integer_inputs  # resolver has made bench/models known

# Without bfloat16: neither numpy nor onnxruntime's kernels have it.
DTYPES = {
    onnx.TensorProto.FLOAT: np.float32,
    onnx.TensorProto.FLOAT16: np.float16,
    onnx.TensorProto.INT64: np.int64,
    onnx.TensorProto.INT32: np.int32,
    onnx.TensorProto.UINT8: np.uint8,
    onnx.TensorProto.INT8: np.int8,
    onnx.TensorProto.BOOL: np.bool_,
}
# npuc's: of the product of a shape's sizes, and of a tensor.
MAX_RANK, MOST_ELEMENTS, MOST_BYTES = 8, 2**40, 2**31 - 1


def make_case(
    model: str, batch: int | None, shapes: dict[str, list[int]], files: Sequence[str] = (), bound: Sequence[str] = (),
) -> Case:  # fmt: skip
    """The network of that name from bench/models, or the file of that name.

    `batch`: None if nobody asked for one. `files`: inputs' values as NAME=FILE.npy; `bound`: of those that become constants.
    """
    if model in NETS:
        net = zoo.find(model)
        path = find_model(model)
        samples = net.inputs(path, batch or 1, net.size, net.order, seed=7)
        return _bind(model, path, batch, {name: list(a.shape) for name, a in samples.items()}, samples, files, bound)
    path = find_model(model)
    return _bind(shown_name(path.stem), path, batch, shapes, {}, files, bound)


def _bind(
    title: str, path: Path, batch: int | None, given: dict[str, list[int]], samples: dict[str, np.ndarray],
    files: Sequence[str], bound: Sequence[str],
) -> Case:  # fmt: skip
    graph = load_model(path, weights=False).graph
    weights = {tensor.name for tensor in graph.initializer}
    values = {value.name: value for value in graph.input if value.name not in weights}
    check_shapes(given, title, values)
    chosen, constants = (_named_files(option, texts, list(values)) for option, texts in (("--input", files), ("--bind-input", bound)))
    twice = chosen.keys() & constants.keys()
    if twice:
        raise UsageError(f"input '{twice.pop()}' has values of --input and of --bind-input; say one of them")
    limits = integer_inputs.index_limits(graph)
    dtypes = {name: _dtype(value) for name, value in values.items()}
    inputs = {name: read_array(file, "--bind-input: ") for name, file in constants.items()}
    given = {name: sizes for name, sizes in given.items() if not (name in samples and name in constants)}
    sizes = bind_sizes(list(values.values()), batch, given, {name: list(array.shape) for name, array in inputs.items()})
    for name, shape in sizes.shapes.items():
        _check_size(name, shape, dtypes[name])
        if name in constants:
            _check_type("--bind-input", constants[name], inputs[name], shape, dtypes[name])
        elif name in chosen:
            inputs[name] = read_array(chosen[name], "--input: ")
            _check_type("--input", chosen[name], inputs[name], shape, dtypes[name])
        else:
            inputs[name] = samples[name] if name in samples else _made_input(name, shape, dtypes[name], limits)
    return Case(title, path.resolve(), sizes.batch, sizes.shapes, sizes.dimensions, inputs, constants)


def _named_files(option: str, texts: Sequence[str], inputs: list[str]) -> dict[str, str]:
    found = {}
    for text in texts:
        # A name may have a "=" in it.
        named = [name for name in inputs if text.startswith(f"{name}=")]
        if not named:
            raise UsageError(f"{option}: '{text}' is not NAME=FILE.npy of an input; there are: {', '.join(inputs)}")
        name = max(named, key=len)
        if name in found:
            raise UsageError(f"{option}: '{name}' has two files")
        found[name] = text[len(name) + 1 :]
    return found


def _dtype(value: onnx.ValueInfoProto) -> np.dtype:
    if value.type.WhichOneof("value") != "tensor_type":
        raise BenchError(f"input '{value.name}' is not a tensor, expected tensors")
    kind, names = value.type.tensor_type.elem_type, onnx.TensorProto.DataType
    if kind not in DTYPES:
        found = names.Name(kind) if kind in names.values() else f"number {kind}"
        raise BenchError(f"input '{value.name}' has the element type {found}, "
                         f"expected one of {', '.join(map(names.Name, DTYPES))}")  # fmt: skip
    return np.dtype(DTYPES[kind])


def _check_size(name: str, shape: list[int], dtype: np.dtype) -> None:
    """What npuc would refuse, before numpy does in its own words, or takes all memory."""
    if len(shape) > MAX_RANK:
        raise BenchError(f"input '{name}' has {len(shape)} dimensions, expected at most {MAX_RANK}")
    for index, extent in enumerate(shape):
        if extent < 0:
            raise BenchError(f"size {index} of input '{name}' is {extent}, expected 0 or more")
    if math.prod(max(extent, 1) for extent in shape) > MOST_ELEMENTS or math.prod(shape) * dtype.itemsize > MOST_BYTES:
        raise BenchError(f"input '{name}' ({'x'.join(map(str, shape))}) is too large; expected less than 2 GB, "
                         "and sizes whose product is at most 2^40")  # fmt: skip


def _check_type(option: str, file: str, values: np.ndarray, shape: list[int], dtype: np.dtype) -> None:
    if list(values.shape) != shape or values.dtype != dtype:
        raise InputError(f"{option}: '{file}' holds {values.dtype}{list(values.shape)}, expected {dtype}{shape}")


def _made_input(name: str, shape: list[int], dtype: np.dtype, limits: dict[str, int]) -> np.ndarray:
    if np.issubdtype(dtype, np.floating):
        return np.random.default_rng(7).uniform(-1.0, 1.0, shape).astype(dtype)
    return integer_inputs.integers(name, shape, dtype, limits, seed=7)
