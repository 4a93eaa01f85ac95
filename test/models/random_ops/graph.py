# SPDX-License-Identifier: Apache-2.0
"""A model that grows node by node; onnxruntime computes each node at once.

So every shape and type is known while the next node is chosen, a node that
onnxruntime refuses never gets in, and the expected outputs are there at the end.
"""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Sequence

import ml_dtypes
import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

# Without it onnxruntime refuses ONNX's newest opset.
os.environ["ALLOW_RELEASED_ONNX_OPSET_ONLY"] = "0"
import onnxruntime  # noqa: E402

LARGEST = 1e4  # of a value's elements
MOST_ELEMENTS = 40_000
IR_VERSION = 8
NEWEST_OF_ONNXRUNTIME = 27
# What ONNX does not know: onnxruntime's own operators in ONNX's domain, of one version.
RUNTIME_OPS = {"SimplifiedLayerNormalization"}
# What onnxruntime does not know; ONNX's own evaluator computes these few.
BY_DEFINITION = {"SwiGLU", "ai.onnx.preview.FlexAttention"}
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
# The last opset for which onnxruntime has a kernel or opens the function, where it is not its newest.
LAST_KERNEL = {"GlobalLpPool": 21, "MaxRoiPool": 21, "RoiAlign": 21, "Swish": 24}
# Half the distance of neighbours at 1.
ROUNDING = {np.dtype(np.float16): 2.0**-11, BFLOAT16: 2.0**-8}


@dataclasses.dataclass(frozen=True)
class Value:
    """A value with its elements. Two runtimes agree to the bit on exact ones."""

    name: str
    array: np.ndarray
    exact: bool
    rounding: float = 0.0  # the coarsest type's that it came through, if it is not exact

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def rank(self) -> int:
        return self.array.ndim

    @property
    def kind(self) -> str:
        """numpy's letter, but 'h' for the floats of 16 bits."""
        return "h" if self.array.dtype in ROUNDING else self.array.dtype.kind


class Refused(Exception):
    """The node cannot be part of a test."""


def split_name(op: str) -> tuple[str, str]:
    """'com.microsoft.QGemm' is QGemm of the domain com.microsoft."""
    domain, _, name = op.rpartition(".")
    return domain, name


@functools.cache
def opsets_of(op: str) -> tuple[int, int]:
    """The first and last opset of the default domain in which an operator may stand, and its result be computed."""
    domain, name = split_name(op)
    if op in RUNTIME_OPS:
        return 1, NEWEST_OF_ONNXRUNTIME
    if domain:
        return 1, onnx.defs.onnx_opset_version() if op in BY_DEFINITION else NEWEST_OF_ONNXRUNTIME
    found = [s for s in onnx.defs.get_all_schemas_with_history() if s.name == name and s.domain == ""]
    newest, last = max(found, key=lambda s: s.since_version), onnx.defs.onnx_opset_version()
    if newest.deprecated:
        last = newest.since_version - 1
    elif newest.since_version > NEWEST_OF_ONNXRUNTIME and op not in BY_DEFINITION:
        last = NEWEST_OF_ONNXRUNTIME
    return min(s.since_version for s in found), LAST_KERNEL.get(op, last)


def _version(op: str, opset: int) -> int:
    """The opset that defined the operator as this opset has it."""
    domain, name = split_name(op)
    if domain or op in RUNTIME_OPS:
        return 1
    first, last = opsets_of(op)
    if not first <= opset <= last:
        raise Refused(f"opset {opset} has no {name}")
    return onnx.defs.get_schema(name, opset).since_version


def _info(name: str, dtype: np.dtype, shape: Sequence[int]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), shape)


def _session_options() -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return options


class Graph:
    """Nodes, weights and inputs of a random model."""

    def __init__(
        self, random: np.random.Generator, opset: int, is_special: bool = False, most_elements: int = MOST_ELEMENTS
    ) -> None:
        """`is_special`: NaN, infinities, huge numbers and tensors without elements may occur."""
        self.random, self.opset, self.is_special, self.most_elements = random, opset, is_special, most_elements
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.inputs: list[Value] = []
        self.values: list[Value] = []
        self.read: set[str] = set()
        self.final: set[str] = set()  # not to be read: rounded to steps
        self.options = _session_options()

    def state(self) -> tuple:
        """What `restore` goes back to, when a family refuses after it has added something."""
        lists = (self.nodes, self.weights, self.inputs, self.values)
        return tuple(map(len, lists)), set(self.read), set(self.final)

    def restore(self, state: tuple) -> None:
        for array, length in zip((self.nodes, self.weights, self.inputs, self.values), state[0]):
            del array[length:]
        self.read, self.final = set(state[1]), set(state[2])

    def add_input(self, array: np.ndarray) -> Value:
        value = Value(f"x{len(self.inputs)}", np.asarray(array, order="C"), True)
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
        self, kind: str, inputs: Sequence[Value | None], exact: bool = False, outputs: int = 1, final: bool = False,
        unused: Sequence[int] = (), captured: Sequence[Value] = (), **attributes,
    ) -> list[Value]:  # fmt: skip
        """Adds a node and its results. Movement is exact where its inputs are.

        `unused` results are left out; `captured` values are what graphs among the attributes read.
        """
        number = len(self.nodes)
        names = ["" if i in unused else f"v{number}_{i}" for i in range(outputs)]
        words = [value.name if value else "" for value in inputs]
        while words and not words[-1]:
            words.pop()
        domain, name = split_name(kind)
        node = helper.make_node(name, words, names, name=f"{name}_{number}", domain=domain, **attributes)
        operands = [*(value for value in inputs if value), *captured]
        arrays = self._compute(node, kind, operands)
        is_exact = exact and all(value.exact for value in operands)
        results = []
        for name, array in zip(filter(None, names), arrays):
            self._check(array)
            is_same = is_exact or (array.dtype.kind in "biu" and exact)
            roundings = [ROUNDING.get(array.dtype, 0.0), *(value.rounding for value in operands)]
            results.append(Value(name, array, is_same, 0.0 if is_same else max(roundings)))
        self.nodes.append(node)
        self.read |= {value.name for value in operands}
        self.values += results
        if final:
            self.final |= {value.name for value in results}
        return results

    def _check(self, array: np.ndarray) -> None:
        if array.size > self.most_elements or array.ndim > 6:
            raise Refused("too large")
        if self.is_special:
            return
        if array.size == 0:
            raise Refused("empty")
        if array.dtype.kind in "fV":
            numbers = np.abs(array.astype(np.float32))
            if not (np.isfinite(numbers).all() and numbers.max() < LARGEST):
                raise Refused("not finite, or too large")

    def _compute(self, node: onnx.NodeProto, kind: str, inputs: Sequence[Value]) -> list[np.ndarray]:
        opset = self.opset if kind in BY_DEFINITION else min(self.opset, NEWEST_OF_ONNXRUNTIME)
        if _version(kind, self.opset) != _version(kind, opset):
            raise Refused(f"onnxruntime does not know opset {self.opset}")
        try:
            if kind in BY_DEFINITION:
                model, feeds = self._model_of(node, inputs, opset, [])
                return ReferenceEvaluator(model).run(None, feeds)
            return self._run(node, inputs, opset)
        except Refused:
            raise
        except Exception as error:  # onnxruntime's own classes have no common base
            raise Refused(str(error).splitlines()[0]) from error

    def _run(self, node: onnx.NodeProto, inputs: Sequence[Value], opset: int) -> list[np.ndarray]:
        names = [name for name in node.output if name]
        model, feeds = self._model_of(node, inputs, opset, [])
        session = self._session(model)
        halves = [out.name for out in session.get_outputs() if out.type == "tensor(bfloat16)"]
        if halves:  # numpy has no such type: widened where it leaves onnxruntime
            model, feeds = self._model_of(node, inputs, opset, halves)
            session = self._session(model)
        results = session.run([f"{name}_wide" if name in halves else name for name in names], feeds)
        return [array.astype(BFLOAT16) if name in halves else array for name, array in zip(names, results)]

    def _session(self, model: onnx.ModelProto) -> onnxruntime.InferenceSession:
        return onnxruntime.InferenceSession(
            model.SerializeToString(), self.options, providers=["CPUExecutionProvider"]
        )

    def _model_of(
        self, node: onnx.NodeProto, inputs: Sequence[Value], opset: int, widened: list[str]
    ) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
        """The node alone, and its inputs; bfloat16 comes in and goes out as float32."""
        arrays = {value.name: value.array for value in inputs}
        used = [tensor for tensor in self.weights if tensor.name in arrays]
        constants = {tensor.name for tensor in used}
        nodes, declared, feeds = [node], [], {}
        for name, array in arrays.items():
            if name in constants:
                continue
            if array.dtype == BFLOAT16:
                cast = helper.make_node("Cast", [f"{name}_wide"], [name], to=onnx.TensorProto.BFLOAT16)
                nodes.insert(0, cast)
                name, array = f"{name}_wide", array.astype(np.float32)
            declared.append(_info(name, array.dtype, array.shape))
            feeds[name] = array
        outputs = [f"{name}_wide" if name in widened else name for name in node.output if name]
        for name in widened:
            nodes.append(helper.make_node("Cast", [name], [f"{name}_wide"], to=onnx.TensorProto.FLOAT))
        graph = helper.make_graph(nodes, "node", declared, [onnx.ValueInfoProto(name=o) for o in outputs], used)
        return self._stamped(graph, opset), feeds

    def _stamped(self, graph: onnx.GraphProto, opset: int) -> onnx.ModelProto:
        domains = sorted({node.domain for node in graph.node if node.domain})
        opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)

    def outputs(self) -> list[Value]:
        inputs = {value.name for value in self.inputs}
        return [value for value in self.values if value.name not in self.read and value.name not in inputs]

    def model(self) -> onnx.ModelProto:
        read = [tensor for tensor in self.weights if tensor.name in self.read]
        inputs = [_info(value.name, value.array.dtype, value.shape) for value in self.inputs]
        outputs = [_info(value.name, value.array.dtype, value.shape) for value in self.outputs()]
        return self._stamped(helper.make_graph(self.nodes, "random", inputs, outputs, read), self.opset)
