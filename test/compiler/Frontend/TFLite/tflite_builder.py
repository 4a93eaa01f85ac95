# SPDX-License-Identifier: Apache-2.0
"""Writes .tflite files with the schema's own Python classes.

A Graph holds many independent cases, so that one run of the compiler and of
LiteRT tries them all. Shapes of results are left out: LiteRT infers them
(litert_run.py), and the file is written again with them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

TYPES = {
    "f32": (schema.TensorType.FLOAT32, np.float32), "f16": (schema.TensorType.FLOAT16, np.float16),
    "i8": (schema.TensorType.INT8, np.int8), "u8": (schema.TensorType.UINT8, np.uint8),
    "i16": (schema.TensorType.INT16, np.int16), "i32": (schema.TensorType.INT32, np.int32),
    "i64": (schema.TensorType.INT64, np.int64), "bool": (schema.TensorType.BOOL, np.bool_),
    "u32": (schema.TensorType.UINT32, np.uint32), "c64": (schema.TensorType.COMPLEX64, np.complex64), "resource": (schema.TensorType.RESOURCE, np.void),
}  # fmt: skip
# Operators of which LiteRT knows no later version.
LAST_VERSIONS = {
    **dict.fromkeys(["SIN", "COS", "ROUND", "CEIL", "FLOOR", "ELU", "NEG", "SQUARE", "HARD_SWISH", "ZEROS_LIKE",
                     "RELU_N1_TO_1", "RELU_0_TO_1", "L2_POOL_2D"], 1),
    "STRIDED_SLICE": 8,
}  # fmt: skip
NAMES = {np.dtype(values): name for name, (_, values) in TYPES.items()}


@dataclass(frozen=True)
class Quant:
    """real = scale * (stored - zero); several scales are along `axis`."""

    scale: float | tuple[float, ...]
    zero: int = 0
    axis: int = 0


@dataclass
class Tensor:
    index: int
    name: str
    type: str
    shape: list[int] | None
    quant: Quant | None = None
    buffer: int = 0  # of a constant
    sparsity: schema.SparsityParametersT | None = None  # then the data are the elements that it names
    is_variable: bool = False  # kept from run to run


@dataclass
class Subgraph:
    """The tensors and operators of one function of the model."""

    tensors: list[Tensor] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    operators: list[schema.OperatorT] = field(default_factory=list)


class Graph:
    """A model that grows by one case at a time; tensors are named after the case."""

    def __init__(self) -> None:
        self.given: dict[str, np.ndarray] = {}
        self.case = "case"
        self.subgraphs = [Subgraph()]
        self.current = 0  # where tensors and operators go
        self.codes: list[schema.OperatorCodeT] = []
        self.buffers = [schema.BufferT()]
        self.results: dict[str, str] = {}  # output to case

    def _tensor(self, kind: str, dtype: str, shape: list[int] | None, quant: Quant | None) -> Tensor:
        graph = self.subgraphs[self.current]
        place = f"{self.current}-" if self.current else ""
        tensor = Tensor(len(graph.tensors), f"{self.case}/{kind}{place}{len(graph.tensors)}", dtype, shape, quant)
        graph.tensors.append(tensor)
        return tensor

    def subgraph(self, make: Callable[..., Tensor | list[Tensor]], *inputs: Tensor) -> int:
        """The number of a graph that gives what `make` makes of inputs like these."""
        outer, self.current = self.current, len(self.subgraphs)
        number = self.current
        self.subgraphs.append(Subgraph())
        given = [self._tensor("x", like.type, like.shape, like.quant) for like in inputs]
        made = make(*given)
        graph = self.subgraphs[number]
        graph.inputs = [tensor.index for tensor in given]
        graph.outputs = [tensor.index for tensor in (made if isinstance(made, list) else [made])]
        self.current = outer
        return number

    def input(self, values: np.ndarray, quant: Quant | None = None) -> Tensor:
        tensor = self._tensor("x", NAMES[values.dtype], list(values.shape), quant)
        self.given[tensor.name] = values
        self.subgraphs[0].inputs.append(tensor.index)
        return tensor

    def constant(self, values: np.ndarray, quant: Quant | None = None) -> Tensor:
        tensor = self._tensor("c", NAMES[values.dtype], list(values.shape), quant)
        buffer = schema.BufferT()
        buffer.data = np.frombuffer(np.ascontiguousarray(values).tobytes(), np.uint8)
        tensor.buffer = len(self.buffers)
        self.buffers.append(buffer)
        return tensor

    def _code(self, name: str, version: int, custom: str) -> int:
        number = getattr(schema.BuiltinOperator, name)
        for index, code in enumerate(self.codes):
            if code.builtinCode == number and code.version == version and code.customCode == (custom or None):
                return index
        code = schema.OperatorCodeT()
        code.builtinCode = number
        code.deprecatedBuiltinCode = min(number, 127)
        code.version = version
        code.customCode = custom or None
        self.codes.append(code)
        return len(self.codes) - 1

    def op(
        self,
        name: str,
        inputs: list[Tensor | None],
        result: str | list[str],
        quant: Quant | None = None,
        options: str = "",
        version: int = 1,
        custom: str = "",
        custom_options: bytes = b"",
        intermediates: list[Quant] | None = None,
        **attributes: object,
    ) -> Tensor | list[Tensor]:
        """An operator of options table `options`; results have types of `result`."""
        types = [result] if isinstance(result, str) else result
        results = [self._tensor("y", dtype, None, quant) for dtype in types]
        made = schema.OperatorT()
        made.opcodeIndex = self._code(name, min(version, LAST_VERSIONS.get(name, version)), custom)
        made.inputs = [-1 if tensor is None else tensor.index for tensor in inputs]
        made.outputs = [tensor.index for tensor in results]
        if intermediates:
            made.intermediates = [self._tensor("m", "i16", [1], scale).index for scale in intermediates]
        if custom_options:
            made.customOptions = np.frombuffer(custom_options, np.uint8)
        if options:
            table = getattr(schema, options + "T")()
            for key, value in attributes.items():
                if not hasattr(table, key):
                    raise SystemExit(f"{options} has no field {key}")
                setattr(table, key, value)
            second = getattr(schema.BuiltinOptions2, options, 0)
            made.builtinOptions2Type = second
            made.builtinOptionsType = 0 if second else getattr(schema.BuiltinOptions, options)
            if second:
                made.builtinOptions2 = table
            else:
                made.builtinOptions = table
        self.subgraphs[self.current].operators.append(made)
        return results[0] if isinstance(result, str) else results

    def variable(self, dtype: str, shape: list[int], quant: Quant | None = None) -> Tensor:
        """A tensor that an operator reads and writes."""
        tensor = self._tensor("v", dtype, shape, quant)
        tensor.is_variable = True
        return tensor

    def handle(self, name: str) -> Tensor:
        """Of the variable `name`, in the current graph."""
        return self.op("VAR_HANDLE", [], "resource", options="VarHandleOptions", sharedName=name, container="")

    def read(self, handle: Tensor, dtype: str, shape: list[int], quant: Quant | None = None) -> Tensor:
        value = self.op("READ_VARIABLE", [handle], dtype, quant, options="ReadVariableOptions")
        value.shape = shape
        return value

    def assign(self, handle: Tensor, value: Tensor) -> None:
        self.op("ASSIGN_VARIABLE", [handle, value], [], options="AssignVariableOptions")

    def once(self, constants: dict[str, tuple[np.ndarray, Quant | None]]) -> None:
        """Assigns constants to variables, before the first run."""

        def assigned() -> list[Tensor]:
            for name, (values, quant) in constants.items():
                self.assign(self.handle(name), self.constant(values, quant))
            return []

        self.op("CALL_ONCE", [], [], options="CallOnceOptions", initSubgraphIndex=self.subgraph(assigned))

    def output(self, *tensors: Tensor) -> None:
        for tensor in tensors:
            self.subgraphs[0].outputs.append(tensor.index)
            self.results[tensor.name] = self.case

    def bytes(
        self, shapes: dict[str, list[int]] | None = None, change: Callable[[schema.ModelT], None] | None = None
    ) -> bytes:
        """The file; `shapes` are those of results, by name. `change` makes something of it wrong."""
        model = schema.ModelT()
        model.version = 3
        model.operatorCodes = self.codes
        model.buffers = self.buffers
        model.subgraphs = []
        for number, graph in enumerate(self.subgraphs):
            written = schema.SubGraphT()
            written.name = "main" if number == 0 else f"graph{number}"
            written.inputs, written.outputs = graph.inputs, graph.outputs
            written.operators = graph.operators
            written.tensors = [self._written(tensor, shapes or {}) for tensor in graph.tensors]
            model.subgraphs.append(written)
        if change:
            change(model)
        builder = flatbuffers.Builder(1 << 16)
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())

    def _written(self, tensor: Tensor, shapes: dict[str, list[int]]) -> schema.TensorT:
        made = schema.TensorT()
        made.name = tensor.name
        made.type = TYPES[tensor.type][0]
        made.buffer = tensor.buffer
        shape = tensor.shape if tensor.shape is not None else shapes.get(tensor.name, [])
        made.shape = np.array(shape, np.int32)
        made.hasRank = True
        made.isVariable = tensor.is_variable
        if tensor.quant:
            quant = schema.QuantizationParametersT()
            scales = np.atleast_1d(np.array(tensor.quant.scale, np.float32))
            quant.scale = scales
            quant.zeroPoint = np.full(scales.shape, tensor.quant.zero, np.int64)
            quant.quantizedDimension = tensor.quant.axis
            made.quantization = quant
        made.sparsity = tensor.sparsity
        return made
