# SPDX-License-Identifier: Apache-2.0
"""Wrong TFLite models from right ones: numbers, lists, names and operators of the file's tables, and its bytes."""

from __future__ import annotations

import contextlib
import random
import struct
from collections.abc import Callable, Iterator

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from onnx_mutations import EXTENTS, FLOATS, NAMES

OPERATORS = [number for name, number in vars(schema.BuiltinOperator).items() if isinstance(number, int)]
TYPES = [number for name, number in vars(schema.TensorType).items() if isinstance(number, int)]
# What a table cannot hold.
UNWRITABLE = (TypeError, ValueError, AttributeError, OverflowError, struct.error)

Mutation = Callable[[schema.ModelT, random.Random], None]


def leaves(table: object) -> Iterator[tuple[object, str, object]]:
    """Every field below that is no table: what holds it, its name and its value."""
    for name, value in vars(table).items():
        if hasattr(value, "Pack"):
            yield from leaves(value)
        elif isinstance(value, list) and value and hasattr(value[0], "Pack"):
            yield table, name, value
            for below in value:
                yield from leaves(below)
        elif value is not None:
            yield table, name, value


def some_leaf(model: schema.ModelT, chance: random.Random, *kinds: type) -> tuple[object, str, object] | None:
    found = [leaf for leaf in leaves(model) if isinstance(leaf[2], kinds)]
    return chance.choice(found) if found else None


def number(model: schema.ModelT, chance: random.Random) -> None:
    if leaf := some_leaf(model, chance, int, float):
        holder, name, value = leaf
        near = [value - 1, value + 1, -value, 0, 1, 2, 17]
        setattr(holder, name, chance.choice(FLOATS if isinstance(value, float) else [*near, *EXTENTS]))


def a_list(model: schema.ModelT, chance: random.Random) -> None:
    """An element of a list is another, repeated or not there."""
    if leaf := some_leaf(model, chance, list, np.ndarray):
        holder, name, value = leaf
        is_array = isinstance(value, np.ndarray)
        items = list(value)
        at = chance.randrange(len(items) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            del items[at : at + 1]
        elif kind == 1 and items:
            items.insert(at, chance.choice(items))
        elif kind == 2 and items and is_array:
            items[at % len(items)] = chance.choice(FLOATS if value.dtype.kind == "f" else EXTENTS)
        else:
            chance.shuffle(items)
        setattr(holder, name, np.array(items, value.dtype) if is_array else items)


def a_name(model: schema.ModelT, chance: random.Random) -> None:
    if leaf := some_leaf(model, chance, str, bytes):
        holder, name, _ = leaf
        setattr(holder, name, chance.choice(NAMES))


def operator(model: schema.ModelT, chance: random.Random) -> None:
    if model.operatorCodes:
        code = chance.choice(model.operatorCodes)
        code.builtinCode = chance.choice(OPERATORS)
        code.deprecatedBuiltinCode = min(code.builtinCode, 127)


def element(model: schema.ModelT, chance: random.Random) -> None:
    if model.subgraphs and model.subgraphs[0].tensors:
        chance.choice(model.subgraphs[0].tensors).type = chance.choice(TYPES)


def options(model: schema.ModelT, chance: random.Random) -> None:
    """An operator without options, or with those of another."""
    if model.subgraphs and model.subgraphs[0].operators:
        operators = model.subgraphs[0].operators
        one, other = chance.choice(operators), chance.choice(operators)
        one.builtinOptions, one.builtinOptionsType = (
            (None, 0) if chance.random() < 0.5 else (other.builtinOptions, other.builtinOptionsType)
        )


MUTATIONS: list[Mutation] = [number, number, number, a_list, a_list, a_name, operator, element, options]


def packed(model: schema.ModelT) -> bytes:
    builder = flatbuffers.Builder(1 << 14)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def with_wrong_bytes(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(changed))
        if chance.random() < 0.5:
            changed[at] = chance.choice((0, 1, 127, 128, 255, changed[at] ^ 1 << chance.randrange(8)))
        else:
            changed[at : at + 4] = struct.pack("<I", chance.choice((0, 4, len(data), 0x7FFFFFFF, 0xFFFFFFFF)))
    if chance.random() < 0.2:
        del changed[chance.randrange(len(changed)) :]
    return bytes(changed)


def mutate(data: bytes, chance: random.Random) -> bytes:
    """One to four things of it are wrong."""
    if chance.random() < 0.25:
        return with_wrong_bytes(data, chance)
    model = schema.ModelT.InitFromPackedBuf(bytearray(data), 0)
    with contextlib.suppress(*UNWRITABLE):
        for _ in range(chance.randint(1, 4)):
            chance.choice(MUTATIONS)(model, chance)
            data = packed(model)
    return data
