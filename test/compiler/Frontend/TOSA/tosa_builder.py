# SPDX-License-Identifier: Apache-2.0
"""Text of MLIR's TOSA dialect, op by op, with inputs.

A case is a few lines of one function; a file holds many, so that one compilation
tests many ops.
"""

from __future__ import annotations

import dataclasses
import re
import numpy as np

MLIR_TYPES = {"float32": "f32", "float16": "f16", "int8": "i8", "int32": "i32", "bool": "i1", "int16": "i16"}


def mlir_type(shape: tuple[int, ...], element: str) -> str:
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + element + ">"


def type_of(array: np.ndarray) -> str:
    return mlir_type(array.shape, MLIR_TYPES[str(array.dtype)])


def dense(array: np.ndarray) -> str:
    """A constant's elements as MLIR reads them."""
    if array.dtype.kind == "f":
        return '"0x' + array.tobytes().hex().upper() + '"' if array.size > 1 else f"{float(array.flat[0]):.9e}"
    if array.dtype == bool:
        return str(array.tolist()).lower()
    return str(array.tolist())


@dataclasses.dataclass
class Builder:
    """Collects the arguments, lines and results of one function."""

    random: np.random.Generator
    inputs: dict[str, np.ndarray] = dataclasses.field(default_factory=dict)
    lines: list[str] = dataclasses.field(default_factory=list)
    results: list[tuple[str, str, str]] = dataclasses.field(default_factory=list)  # value, type, op
    count: int = 0

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def input(self, array: np.ndarray) -> tuple[str, str]:
        """An argument with these values; its value and type."""
        name = f"x{len(self.inputs)}"
        self.inputs[name] = array
        return f"%{name}", type_of(array)

    def constant(self, array: np.ndarray) -> tuple[str, str]:
        value, kind = self.name(), type_of(array)
        self.lines.append(f'{value} = "tosa.const"() <{{values = dense<{dense(array)}> : {kind}}}> : () -> {kind}')
        return value, kind

    def shape(self, numbers: list[int]) -> tuple[str, str]:
        value, size = self.name(), len(numbers)
        text = str(list(numbers))
        self.lines.append(
            f"{value} = tosa.const_shape {{values = dense<{text}> : tensor<{size}xindex>}} : () -> !tosa.shape<{size}>"
        )
        return value, f"!tosa.shape<{size}>"

    def op(self, name: str, operands: list[tuple[str, str]], result: str, attributes: str = "", keep: bool = True):
        """A line; unless told otherwise its value is a result of the function."""
        value = self.name()
        values = ", ".join(operand for operand, _ in operands)
        kinds = ", ".join(kind for _, kind in operands)
        attributes = f" {{{attributes}}}" if attributes else ""
        self.lines.append(f"{value} = tosa.{name} {values}{attributes} : ({kinds}) -> {result}")
        if keep:
            self.results.append((value, result, name))
        return value, result

    def alone(self, index: int) -> Builder:
        """The function with this result only, and what it needs."""
        needed, lines = {self.results[index][0]}, []
        for line in reversed(self.lines):
            if line.split(" ", 1)[0] in needed:
                needed.update(re.findall(r"%\w+", line))
                lines.insert(0, line)
        inputs = {name: array for name, array in self.inputs.items() if f"%{name}" in needed}
        return Builder(self.random, inputs, lines, [self.results[index]])

    def text(self) -> str:
        """The function, its arguments named x0, x1, ..., its results y0, y1, ..."""
        arguments = ", ".join(
            f'%{name}: {type_of(array)} {{tosa.tensor_name = "{name}"}}' for name, array in self.inputs.items()
        )
        results = ", ".join(f'{kind} {{tosa.tensor_name = "y{i}"}}' for i, (_, kind, _) in enumerate(self.results))
        values = ", ".join(value for value, _, _ in self.results)
        kinds = ", ".join(kind for _, kind, _ in self.results)
        body = "\n  ".join(self.lines)
        return f"func.func @main({arguments}) -> ({results}) {{\n  {body}\n  return {values} : {kinds}\n}}\n"


ELEMENTS = {text: name for name, text in MLIR_TYPES.items()}


def values(b: Builder, element: str, shape: tuple[int, ...], low: float = -3, high: float = 3) -> np.ndarray:
    """Random numbers of an element type: floats between the two, i32 below 2^20, other integers of any value."""
    kind = ELEMENTS[element]
    if element in ("f32", "f16"):
        return b.random.uniform(low, high, shape).astype(kind)
    if element == "i1":
        return b.random.integers(0, 2, shape).astype(bool)
    bound = {"i8": 1 << 7, "i16": 1 << 15, "i32": 1 << 20}[element]
    return b.random.integers(-bound, bound, shape).astype(kind)


def number(element: str, value: float) -> np.ndarray:
    """One number, as TOSA has zero points."""
    return np.array([value], ELEMENTS[element])


def between(b: Builder, low: int, high: int) -> int:
    """Both ends included."""
    return int(b.random.integers(low, high + 1))


def some_shape(b: Builder, most_rank: int = 5) -> tuple[int, ...]:
    return tuple(between(b, 1, 6) for _ in range(between(b, 1, most_rank)))


def one_of(b: Builder, choices: list):
    return choices[between(b, 0, len(choices) - 1)]


def broadcast_shapes(b: Builder, count: int) -> list[tuple[int, ...]]:
    """Shapes of one rank, some dimensions of each of extent 1."""
    shape = some_shape(b)
    return [tuple(1 if between(b, 0, 3) == 0 else extent for extent in shape) for _ in range(count)]


def indices_text(numbers: list[int]) -> str:
    """An attribute's list."""
    return "array<i64: " + ", ".join(map(str, numbers)) + ">"
