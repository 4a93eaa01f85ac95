# SPDX-License-Identifier: Apache-2.0
"""The sizes of a model's inputs: as the model has them, as --input-shape and --bind-input give them, and --batch for
what begins the others.

A batch is what inputs have in common, and not all need to: the first size of a
graph's nodes is not that of its edges. So a first size that is given stays, but
1 leaves it to --batch.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from npu_bench.errors import UsageError

if TYPE_CHECKING:
    import onnx


@dataclasses.dataclass(frozen=True)
class Sizes:
    shapes: dict[str, list[int]]  # of every input, nothing unknown
    dimensions: dict[str, int]  # the model's names for unknown sizes
    batch: int  # what all inputs of an unknown first size begin with; 1 if they differ


def known_size(dim: onnx.TensorShapeProto.Dimension) -> int | None:
    """0 too: an empty tensor. -1 is what exporters write that have no other word for an unknown size."""
    return dim.dim_value if dim.HasField("dim_value") and dim.dim_value != -1 else None


def _dims(value: onnx.ValueInfoProto) -> list | None:
    tensor = value.type.tensor_type
    return list(tensor.shape.dim) if tensor.HasField("shape") else None  # None: any rank


def _given(value: onnx.ValueInfoProto, asked: list[int] | None, bound: list[int] | None) -> list[int | None]:
    """The model's sizes and those that are given; None: neither."""
    name, dims = value.name, _dims(value)
    option, given = ("--input-shape", asked) if bound is None else ("--bind-input", bound)
    if dims is None:
        if given is None:
            raise UsageError(f"the rank of input '{name}' is unknown; say --input-shape={name}=N,...")
        return list(given)
    known = [known_size(dim) for dim in dims]
    if given is None:
        return known
    if len(given) != len(known):
        raise UsageError(f"{option}: '{name}' has {len(known)} dimensions, not {len(given)}")
    for index, (fixed, found) in enumerate(zip(known, given)):
        if fixed not in (None, found):
            raise UsageError(f"{option}: dimension {index} of input '{name}' is {fixed} in the model, found {found}")
    return list(given)


def _has_open_first(value: onnx.ValueInfoProto) -> bool:
    dims = _dims(value)
    return dims is None or (len(dims) > 0 and known_size(dims[0]) is None)


def _symbol(value: onnx.ValueInfoProto, index: int) -> str:
    dims = _dims(value)
    return dims[index].dim_param if dims and known_size(dims[index]) is None else ""


def _spread(values: list[onnx.ValueInfoProto], shapes: dict[str, list[int | None]], dimensions: dict[str, int]) -> None:
    """What has the same name has the same size."""
    for value in values:
        for index, size in enumerate(shapes[value.name]):
            name = _symbol(value, index)
            if name and size is not None and dimensions.setdefault(name, size) != size:
                raise UsageError(f"size {index} of input '{value.name}' is '{name}', "
                                 f"which is {dimensions[name]} elsewhere, found {size}")  # fmt: skip
    for value in values:
        shape = shapes[value.name]
        shape[:] = [dimensions.get(_symbol(value, index)) if size is None else size for index, size in enumerate(shape)]


def _check_batch(batch: int, begins: dict[str, int]) -> None:
    """A batch that is asked for and that the given sizes leave to no input."""
    if begins and batch not in begins.values():
        found = ", ".join(f"'{name}' begins with {size}" for name, size in begins.items())
        also = f"say --batch={min(begins.values())}, or " if len(set(begins.values())) == 1 else ""
        raise UsageError(f"--batch={batch}: {found}; {also}leave --batch out")


def bind_sizes(
    values: list[onnx.ValueInfoProto], batch: int | None, given: dict[str, list[int]], bound: dict[str, list[int]]
) -> Sizes:
    """All sizes; `batch`: None if nobody asked for one; `bound`: those of constants, which have no batch."""
    for name in given.keys() & bound.keys():
        if given[name] != bound[name]:
            raise UsageError(f"--input-shape: '{name}' is {given[name]}, --bind-input gives it {bound[name]}")
    shapes = {value.name: _given(value, given.get(value.name), bound.get(value.name)) for value in values}
    open_first = [value.name for value in values if value.name not in bound and _has_open_first(value) and shapes[value.name]]
    for name in open_first:
        if batch is not None and shapes[name][0] == 1:
            shapes[name][0] = None
    dimensions: dict[str, int] = {}
    _spread(values, shapes, dimensions)
    for name in open_first:
        shapes[name][0] = (batch or 1) if shapes[name][0] is None else shapes[name][0]
    _spread(values, shapes, dimensions)
    for name, shape in shapes.items():
        if None in shape:
            raise UsageError(f"size {shape.index(None)} of input '{name}' is unknown; say --input-shape={name}=N,...")
    begins = {name: shapes[name][0] for name in open_first}
    if batch is not None:
        _check_batch(batch, begins)
    shared = set(begins.values())
    return Sizes(shapes, dimensions, batch or (shared.pop() if len(shared) == 1 else 1))
