# SPDX-License-Identifier: Apache-2.0
"""What the integer inputs of a model may hold: token ids below a table's rows, masks of ones."""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import onnx

# Ops whose result holds the elements of their first operand, or some of them.
SAME_ELEMENTS = frozenset(
    ("Cast", "Concat", "Expand", "Flatten", "Gather", "Identity", "Reshape", "Slice", "Squeeze", "Transpose", "Unsqueeze")
)
# Ops whose result is a table of as many rows as the largest of their operands.
SAME_ROWS = frozenset(("Cast", "DequantizeLinear", "Identity", "Mul"))
# The operands that are a table, and indices of its rows.
LOOKUPS = {"Gather": (0, 1), "GatherBlockQuantized": (0, 1), "GatherElements": (0, 1), "EmbedLayerNormalization": (2, 0)}
NUMBERS = (1, 6, 7, 9, 11)  # element types of constants that ids are computed with: floats, integers, a flag
ANY_INTEGER = 100  # below this, where nothing tells


def _attribute(node: onnx.NodeProto, name: str, default: int) -> int:
    return next((attribute.i for attribute in node.attribute if attribute.name == name), default)


def _constant_sizes(graph: onnx.GraphProto) -> dict[str, list[int]]:
    """The sizes of constants, and of tables that are made of constants alone."""
    sizes = {tensor.name: list(tensor.dims) for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant":
            value = next((attribute.t for attribute in node.attribute if attribute.name == "value"), None)
            if value is not None:
                sizes[node.output[0]] = list(value.dims)
        elif node.op_type in SAME_ROWS and all(name in sizes for name in node.input if name):
            sizes[node.output[0]] = max((sizes[name] for name in node.input if name), key=len)
    return sizes


@dataclasses.dataclass(frozen=True)
class _Element:
    """What a tensor's elements are: those of an input, which is never negative, plus a number; or that number alone."""

    source: str | None
    number: float


def _only_element(tensor: onnx.TensorProto) -> _Element | None:
    from onnx import numpy_helper
    from onnx.external_data_helper import uses_external_data

    if uses_external_data(tensor) or tensor.data_type not in NUMBERS or math.prod(tensor.dims) != 1:
        return None
    try:
        number = numpy_helper.to_array(tensor).item()
    except (ValueError, IndexError):  # it holds no element: npuc says so of the model
        return None
    return _Element(None, number)


def _constants(graph: onnx.GraphProto) -> dict[str, _Element]:
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant":
            tensors |= {node.output[0]: attribute.t for attribute in node.attribute if attribute.name == "value"}
    found = {name: _only_element(tensor) for name, tensor in tensors.items()}
    return {name: element for name, element in found.items() if element}


def _sum(a: _Element, b: _Element) -> _Element | None:
    both = a.source is not None and b.source is not None
    return None if both else _Element(a.source or b.source, a.number + b.number)


def _product(a: _Element | None, b: _Element | None) -> _Element | None:
    for one, other in ((a, b), (b, a)):
        if one and one.source is None and one.number in (0, 1):
            return other if one.number else one
    return None


def _compared(a: _Element, b: _Element, is_less: Callable[[float, float], bool]) -> _Element | None:
    """0 or 1, if that is the same whatever the input holds."""
    if a.source is None and b.source is None:
        return _Element(None, float(is_less(a.number, b.number)))
    # An input is the least when it is 0: what is not below then never is.
    is_known = b.source is None and not is_less(a.number, b.number)
    return _Element(None, 0.0) if is_known else None


def _element(node: onnx.NodeProto, known: dict[str, _Element]) -> _Element | None:
    """A result's elements, where ids are wrapped or held to their range: x + size * (x < 0), Where(x < 0, x + size, x),
    Clip(x, 0, size - 1). None: not known.
    """
    a, b, c = (known.get(name) for name in (*node.input, "", "", "")[:3])
    match node.op_type:
        case op if op in SAME_ELEMENTS or op == "Clip":  # what is within the table stays so
            return a
        case "Mul":
            return _product(a, b)
        case "Where":
            return None if a is None or a.source is not None else b if a.number else c
        case "Not":
            return None if a is None or a.source is not None else _Element(None, float(not a.number))
    if a is None or b is None:
        return None
    match node.op_type:
        case "Max" | "Min":
            return a if a.source is not None else b
        case "Add":
            return _sum(a, b)
        case "Sub" if b.source is None:
            return _Element(a.source, a.number - b.number)
        case "Less":
            return _compared(a, b, operator.lt)
        case "LessOrEqual":
            return _compared(a, b, operator.le)
        case "Greater" | "GreaterOrEqual":
            below = _compared(a, b, operator.lt if node.op_type == "GreaterOrEqual" else operator.le)
            return below and _Element(None, 1 - below.number)
    return None


def index_limits(graph: onnx.GraphProto) -> dict[str, int]:
    """For each input that is looked up in a table of known size: the number of its rows, the fewest of several."""
    sizes = _constant_sizes(graph)
    known = {value.name: _Element(value.name, 0) for value in graph.input if value.name not in sizes}
    known |= _constants(graph)
    limits: dict[str, int] = {}
    for node in graph.node:
        if node.op_type in LOOKUPS and len(node.input) > max(LOOKUPS[node.op_type]):
            table, indices = (node.input[place] for place in LOOKUPS[node.op_type])
            axis = _attribute(node, "gather_axis", _attribute(node, "axis", 0))
            element = known.get(indices)
            is_ids = element is not None and element.source is not None and math.isfinite(element.number)
            if table in sizes and is_ids and -len(sizes[table]) <= axis < len(sizes[table]):
                rows = sizes[table][axis] - math.ceil(element.number)
                limits[element.source] = min(limits.get(element.source, 2**62), rows)
        element = _element(node, known)
        if element:
            known[node.output[0]] = element
    return limits


def integers(name: str, shape: list[int], dtype: np.dtype, limits: dict[str, int], seed: int) -> np.ndarray:
    """Values for an input of integers: below its limit, ones for a mask, else any small number."""
    import numpy as np

    random = np.random.default_rng(seed)
    if name in limits:
        bound = max(min(limits[name], np.iinfo(dtype).max), 1)
        return random.integers(0, bound, shape).astype(dtype)
    if "mask" in name.lower():
        return np.ones(shape, dtype)
    return random.integers(0, 2 if dtype == np.bool_ else ANY_INTEGER, shape).astype(dtype)
