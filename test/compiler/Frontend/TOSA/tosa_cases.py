# SPDX-License-Identifier: Apache-2.0
"""TOSA ops with random shapes and attributes, as text of MLIR, with inputs.

A case is a few lines of one function; a file holds many, so that one compilation
tests many ops.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

MLIR_TYPES = {"float32": "f32", "int8": "i8", "int32": "i32", "bool": "i1", "int16": "i16"}


def mlir_type(shape: tuple[int, ...], element: str) -> str:
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + element + ">"


def type_of(array: np.ndarray) -> str:
    return mlir_type(array.shape, MLIR_TYPES[str(array.dtype)])


def dense(array: np.ndarray) -> str:
    """A constant's elements as MLIR reads them."""
    if array.dtype == np.float32:
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


def floats(b: Builder, shape: tuple[int, ...], low: float = -3, high: float = 3) -> np.ndarray:
    return b.random.uniform(low, high, shape).astype(np.float32)


def bytes_(b: Builder, shape: tuple[int, ...]) -> np.ndarray:
    return b.random.integers(-128, 128, shape).astype(np.int8)


def words(b: Builder, shape: tuple[int, ...], bound: int = 1 << 20) -> np.ndarray:
    return b.random.integers(-bound, bound, shape).astype(np.int32)


def small_shape(b: Builder, rank: int) -> tuple[int, ...]:
    return tuple(int(extent) for extent in b.random.integers(1, 7, rank))


def broadcast_pair(b: Builder, make: Callable) -> tuple[np.ndarray, np.ndarray]:
    """Two arrays of one rank, some dimensions of either of extent 1."""
    shape = small_shape(b, int(b.random.integers(1, 5)))
    alone = [b.random.integers(0, 4, len(shape)) for _ in range(2)]
    first, second = (tuple(1 if k == 0 else e for k, e in zip(ones, shape)) for ones in alone)
    return make(b, first), make(b, second)


def joined(a: np.ndarray, b: np.ndarray) -> tuple[int, ...]:
    return np.broadcast_shapes(a.shape, b.shape)


def unary_float(b: Builder) -> None:
    plain = ["abs", "ceil", "cos", "erf", "exp", "floor", "reciprocal", "sigmoid", "sin", "tanh"]
    for name in plain + ["log", "rsqrt"]:
        low = 0.1 if name in ("log", "rsqrt", "reciprocal") else -3
        x = b.input(floats(b, small_shape(b, int(b.random.integers(1, 5))), low))
        b.op(name, [x], x[1])
    x = b.input(floats(b, (3, 5)))
    zero = b.constant(np.zeros(1, np.float32))
    b.op("negate", [x, zero, zero], x[1])
    b.op("clamp", [x], x[1], "min_val = -1.25 : f32, max_val = 2.0 : f32")


def binary_float(b: Builder) -> None:
    for name in ("add", "sub", "maximum", "minimum", "mul", "pow", "equal", "greater", "greater_equal"):
        low = 0.1 if name == "pow" else -3
        pair = broadcast_pair(b, lambda b, shape: floats(b, shape, low))
        operands = [b.input(array) for array in pair]
        if name == "mul":
            operands.append(b.constant(np.zeros(1, np.int8)))
        element = "i1" if name in ("equal", "greater", "greater_equal") else "f32"
        b.op(name, operands, mlir_type(joined(*pair), element))
    condition = b.random.integers(0, 2, (4, 5)).astype(bool)
    b.op("select", [b.input(condition), b.input(floats(b, (4, 5))), b.input(floats(b, (1, 5)))], "tensor<4x5xf32>")


def integers(b: Builder) -> None:
    comparisons = ("equal", "greater", "greater_equal")
    plain = ("add", "sub", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor")
    for name in plain + comparisons:
        pair = broadcast_pair(b, words)
        b.op(name, [b.input(a) for a in pair], mlir_type(joined(*pair), "i1" if name in comparisons else "i32"))
    x = b.input(words(b, (3, 7), 1 << 30))
    for name in ("abs", "bitwise_not", "clz"):
        b.op(name, [x], x[1])
    amounts = b.input(b.random.integers(0, 32, (3, 7)).astype(np.int32))
    b.op("logical_right_shift", [x, amounts], x[1])
    b.op("logical_left_shift", [x, amounts], x[1])
    b.op("arithmetic_right_shift", [x, amounts], x[1], "round = false")
    b.op("arithmetic_right_shift", [x, b.input(b.random.integers(0, 31, (3, 7)).astype(np.int32))], x[1], "round = true")
    y = b.input(words(b, (1, 7), 1000) | 1)
    b.op("intdiv", [x, y], x[1])
    b.op("mul", [x, b.input(words(b, (3, 7), 4000)), b.constant(np.array([17], np.int8))], x[1])
    small = b.input(words(b, (3, 7), 1000))
    b.op("mul", [small, y, b.constant(np.zeros(1, np.int8))], x[1])
    bits = [b.input(b.random.integers(0, 2, (4, 3)).astype(bool)) for _ in range(2)]
    for name in ("logical_and", "logical_or", "logical_xor"):
        b.op(name, bits, "tensor<4x3xi1>")
    b.op("logical_not", bits[:1], "tensor<4x3xi1>")
    b.op("reduce_all", bits[:1], "tensor<1x3xi1>", "axis = 0 : i32")
    b.op("reduce_any", bits[:1], "tensor<4x1xi1>", "axis = 1 : i32")


def byte_ops(b: Builder) -> None:
    x = b.input(bytes_(b, (2, 3, 4)))
    b.op("clamp", [x], x[1], "min_val = -17 : i8, max_val = 99 : i8")
    zeros = [b.constant(np.array([zero], np.int8)) for zero in (-5, 7)]
    b.op("negate", [x, *zeros], x[1])
    b.op("table", [x, b.constant(bytes_(b, (256,)))], x[1])
    b.op("argmax", [x], "tensor<2x4xi32>", "axis = 1 : i32")
    b.op("cast", [x], "tensor<2x3x4xi32>")
    b.op("cast", [x], "tensor<2x3x4xf32>")
    b.op("reverse", [x], x[1], "axis = 2 : i32")
    y = b.input(words(b, (3, 5), 1 << 15))
    one, shift = b.constant(np.array([1 << 30], np.int32)), b.constant(np.array([30], np.int8))
    zero32, zero16 = b.constant(np.zeros(1, np.int32)), b.constant(np.zeros(1, np.int16))
    flags = "input_unsigned = false, output_unsigned = false, per_channel = false, scale32 = true"
    half = b.op("rescale", [y, one, shift, zero32, zero16], "tensor<3x5xi16>", flags + ", rounding_mode = SINGLE_ROUND", keep=False)
    table = np.cumsum(b.random.integers(-60, 60, 513)).astype(np.int16)
    b.op("table", [half, b.constant(table)], "tensor<3x5xi32>")
    b.op("cast", [half], "tensor<3x5xi8>")
    f = b.input(floats(b, (4, 6), -200, 200))
    for element in ("i8", "i32", "i1"):
        b.op("cast", [f], f"tensor<4x6x{element}>")


def rescales(b: Builder) -> None:
    """Every pair of types, both roundings, per tensor and per channel."""
    for source, target in (("i32", "i8"), ("i8", "i32"), ("i8", "i8"), ("i32", "i32")):
        for rounding in ("SINGLE_ROUND", "DOUBLE_ROUND"):
            for channels in (0, 9):
                count = max(channels, 1)
                x = words(b, (2, 5, 9), 1 << 24) if source == "i32" else bytes_(b, (2, 5, 9))
                multiplier = b.random.integers(1 << 30, (1 << 31) - 1, count).astype(np.int32)
                low = 38 if source == "i32" and target == "i8" else 31
                shift = b.random.integers(low, low + 6, count).astype(np.int8)
                zeros = [
                    np.array([b.random.integers(-128, 128)], np.int8) if kind == "i8" else np.zeros(1, np.int32)
                    for kind in (source, target)
                ]
                operands = [b.input(x)] + [b.constant(array) for array in (multiplier, shift, *zeros)]
                attributes = (
                    f"input_unsigned = false, output_unsigned = false, per_channel = {str(channels > 0).lower()}, "
                    f"rounding_mode = {rounding}, scale32 = true"
                )
                b.op("rescale", operands, mlir_type(x.shape, target), attributes)
    for source, target, before, after in (("i8", "i8", True, False), ("i8", "i8", False, True)):
        x = b.input(bytes_(b, (3, 8)))
        numbers = [np.array([1 << 30], np.int32), np.array([30], np.int8)]
        zeros = [np.array([-128 if unsigned else 0], np.int8) for unsigned in (before, after)]
        flags = f"input_unsigned = {str(before).lower()}, output_unsigned = {str(after).lower()}"
        b.op(
            "rescale", [x] + [b.constant(array) for array in numbers + zeros], x[1],
            flags + ", per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true",
        )  # fmt: skip


def conv_operands(b: Builder, x: np.ndarray, weight: np.ndarray, outputs: int, zeros: tuple[int, int] = (0, 0)):
    """Data, weight, bias and zero points; the sum's element type."""
    if x.dtype == np.float32:
        bias, points, total = floats(b, (outputs,)), [np.zeros(1, np.float32)] * 2, "f32"
    else:
        bias, points, total = words(b, (outputs,), 1000), [np.array([zero], np.int8) for zero in zeros], "i32"
    return [b.input(x)] + [b.constant(array) for array in (weight, bias, *points)], total


def convolutions(b: Builder) -> None:
    for make in (floats, bytes_):
        zero = 0 if make is floats else -11
        for stride, dilation, pads in ((1, 1, (1, 1, 1, 1)), (2, 1, (0, 1, 0, 1)), (1, 2, (2, 2, 1, 3))):
            x = make(b, (2, 8, 9, 5))
            height, width = ((e + before + after - 2 * dilation - 1) for e, before, after in
                             ((8, *pads[:2]), (9, *pads[2:])))  # fmt: skip
            pads_text = ", ".join(map(str, pads))
            height, width = height - height % stride, width - width % stride
            if height + 2 * dilation + 1 != 8 + sum(pads[:2]) or width + 2 * dilation + 1 != 9 + sum(pads[2:]):
                x = x[:, : height + 2 * dilation + 1 - sum(pads[:2]), : width + 2 * dilation + 1 - sum(pads[2:])]
                x = np.ascontiguousarray(x)
            out = (2, height // stride + 1, width // stride + 1)
            window = f"pad = array<i64: {pads_text}>, stride = array<i64: {stride}, {stride}>, dilation = array<i64: {dilation}, {dilation}>"
            operands, total = conv_operands(b, x, make(b, (6, 3, 3, 5)), 6, (zero, 0))
            b.op("conv2d", operands, mlir_type((*out, 6), total), f"acc_type = {total}, {window}")
            operands, total = conv_operands(b, x, make(b, (3, 3, 5, 2)), 10, (zero, 0))
            b.op("depthwise_conv2d", operands, mlir_type((*out, 10), total), f"acc_type = {total}, {window}")
        x = make(b, (1, 4, 5, 3))
        for added in ((0, 0, 0, 0), (-1, -1, -1, 0), (1, 0, 0, 2)):
            operands, total = conv_operands(b, x, make(b, (4, 3, 2, 3)), 4, (zero, 0))
            out = (1, 3 * 2 + added[0] + added[1] + 3, 4 * 2 + added[2] + added[3] + 2, 4)
            b.op("transpose_conv2d", operands, mlir_type(out, total),
                 f"acc_type = {total}, out_pad = array<i64: {', '.join(map(str, added))}>, stride = array<i64: 2, 2>")  # fmt: skip
        operands, total = conv_operands(b, make(b, (1, 3, 4, 5, 2)), make(b, (3, 2, 2, 2, 2)), 3, (zero, 0))
        b.op("conv3d", operands, mlir_type((1, 2, 3, 4, 3), total),
             f"acc_type = {total}, pad = array<i64: 0, 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1>, dilation = array<i64: 1, 1, 1>")  # fmt: skip
        left, right = make(b, (2, 4, 7)), make(b, (2, 7, 5))
        points = [np.zeros(1, np.float32)] * 2 if make is floats else [np.array([z], np.int8) for z in (-9, 4)]
        b.op("matmul", [b.input(left), b.input(right)] + [b.constant(p) for p in points], mlir_type((2, 4, 5), total))


def pools(b: Builder) -> None:
    window = "kernel = array<i64: 3, 2>, pad = array<i64: 1, 1, 0, 0>, stride = array<i64: 2, 2>"
    for make in (floats, bytes_):
        x = make(b, (2, 7, 8, 5))
        value, element = b.input(x), MLIR_TYPES[str(x.dtype)]
        b.op("max_pool2d", [value], mlir_type((2, 4, 4, 5), element), window)
        if make is floats:
            points = [np.zeros(1, np.float32)] * 2
        else:
            points = [np.array([zero], np.int8) for zero in (-12, 33)]
        accumulator = "f32" if make is floats else "i32"
        b.op("avg_pool2d", [value] + [b.constant(p) for p in points], mlir_type((2, 4, 4, 5), element),
             f"acc_type = {accumulator}, {window}")  # fmt: skip
    for name in ("max", "min", "product", "sum"):
        x = floats(b, (2, 3, 4), 0.5, 1.5)
        b.op(f"reduce_{name}", [b.input(x)], "tensor<2x1x4xf32>", "axis = 1 : i32")
    for name in ("max", "min", "sum"):
        b.op(f"reduce_{name}", [b.input(words(b, (2, 3, 4)))], "tensor<2x3x1xi32>", "axis = 2 : i32")
    b.op("argmax", [b.input(floats(b, (3, 9)))], "tensor<3xi32>", "axis = 1 : i32")


def movements(b: Builder) -> None:
    for make in (floats, bytes_):
        x = make(b, (2, 3, 4))
        value, element = b.input(x), MLIR_TYPES[str(x.dtype)]
        other = b.input(make(b, (2, 2, 4)))
        b.op("concat", [value, other], mlir_type((2, 5, 4), element), "axis = 1 : i32")
        fill = b.constant(make(b, (1,)))
        b.op("pad", [value, b.shape([0, 1, 2, 0, 1, 3]), fill], mlir_type((3, 5, 8), element))
        b.op("reshape", [value, b.shape([4, 6])], mlir_type((4, 6), element))
        b.op("reverse", [value], value[1], "axis = 1 : i32")
        b.op("slice", [value, b.shape([0, 1, 1]), b.shape([2, 2, 3])], mlir_type((2, 2, 3), element))
        b.op("tile", [value, b.shape([2, 1, 3])], mlir_type((4, 3, 12), element))
        b.op("transpose", [value], mlir_type((4, 2, 3), element), "perms = array<i32: 2, 0, 1>")
        b.op("identity", [value], value[1])
        indices = b.random.integers(0, 3, (2, 5)).astype(np.int32)
        b.op("gather", [value, b.input(indices)], mlir_type((2, 5, 4), element))
        places = np.stack([b.random.permutation(3)[:2] for _ in range(2)]).astype(np.int32)
        b.op("scatter", [value, b.input(places), other], value[1])


def resizes(b: Builder) -> None:
    # Half pixels, corners aligned, as it is; up and down.
    ways = (((4, 2, 4, 2), (-1, -1), (1, 1)), ((4, 2, 6, 2), (0, 0), (0, 0)), ((2, 4, 2, 4), (1, 1), (-1, -1)),
            ((4, 2, 8, 2), (-1, -3), (1, 3)))  # fmt: skip
    for scale, offset, border in ways:
        for make in (floats, bytes_):
            x = make(b, (1, 6, 8, 3))
            extents = [((e - 1) * scale[2 * i] - offset[i] + border[i]) // scale[2 * i + 1] + 1
                       for i, e in enumerate((6, 8))]  # fmt: skip
            value, element = b.input(x), MLIR_TYPES[str(x.dtype)]
            for mode in ("NEAREST_NEIGHBOR", "BILINEAR"):
                result = "i32" if element == "i8" and mode == "BILINEAR" else element
                operands = [value, b.shape(list(scale)), b.shape(list(offset)), b.shape(list(border))]
                b.op("resize", operands, mlir_type((1, *extents, 3), result), f"mode = {mode}")


FAMILIES = {
    function.__name__: function
    for function in (unary_float, binary_float, integers, byte_ops, rescales, convolutions, pools, movements, resizes)
}
