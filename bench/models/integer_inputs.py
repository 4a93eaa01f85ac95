# SPDX-License-Identifier: Apache-2.0
"""What the integer inputs of a model may hold: token ids below a table's rows, masks of ones."""

from __future__ import annotations

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


def index_limits(graph: onnx.GraphProto) -> dict[str, int]:
    """For each input that is looked up in a table of known size: the number of its rows, the fewest of several."""
    sizes = _constant_sizes(graph)
    source = {value.name: value.name for value in graph.input if value.name not in sizes}
    limits: dict[str, int] = {}
    for node in graph.node:
        if node.op_type in LOOKUPS and len(node.input) > max(LOOKUPS[node.op_type]):
            table, indices = (node.input[place] for place in LOOKUPS[node.op_type])
            axis = _attribute(node, "gather_axis", _attribute(node, "axis", 0))
            if table in sizes and indices in source and -len(sizes[table]) <= axis < len(sizes[table]):
                name = source[indices]
                limits[name] = min(limits.get(name, 2**62), sizes[table][axis])
        if node.op_type in SAME_ELEMENTS and node.input and node.input[0] in source:
            source[node.output[0]] = source[node.input[0]]
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
