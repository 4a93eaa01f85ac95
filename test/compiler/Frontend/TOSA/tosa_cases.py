# SPDX-License-Identifier: Apache-2.0
"""TOSA ops with random shapes and attributes: elementwise, conversions, movements.

Together with tosa_windows.py every row of operator and types that TOSA's base
inference profiles have.
"""

from __future__ import annotations

import numpy as np

import tosa_windows
from tosa_builder import Builder, between, broadcast_shapes, mlir_type, number, one_of, some_shape, values

FLOATS = ("f32", "f16")
MOVED = ("i1", "i8", "i16", "i32", *FLOATS)
COMPARISONS = ("equal", "greater", "greater_equal")


def binary(b: Builder, name: str, element: str, result: str, low: float = -3, extra: tuple = (), attributes: str = ""):
    """Two operands that are broadcast to each other."""
    shapes = broadcast_shapes(b, 2)
    operands = [b.input(values(b, element, shape, low)) for shape in shapes]
    joined = np.broadcast_shapes(*shapes)
    b.op(name, operands + [b.constant(array) for array in extra], mlir_type(joined, result), attributes)


def float_functions(b: Builder) -> None:
    positive = ("log", "rsqrt", "reciprocal")
    plain = ("abs", "ceil", "cos", "erf", "exp", "floor", "sigmoid", "sin", "tanh")
    for element in FLOATS:
        for name in (*plain, *positive):
            x = b.input(values(b, element, some_shape(b), 0.1 if name in positive else -3))
            b.op(name, [x], x[1])
        x = b.input(values(b, element, some_shape(b)))
        zero = b.constant(number(element, 0))
        b.op("negate", [x, zero, zero], x[1])
        b.op("clamp", [x], x[1], f"min_val = -1.25 : {element}, max_val = 2.0 : {element}")
        for name in ("add", "sub", "maximum", "minimum"):
            binary(b, name, element, element)
        binary(b, "mul", element, element, extra=(number("i8", 0),))
        binary(b, "pow", element, element, low=0.1)
        for name in COMPARISONS:
            binary(b, name, element, "i1")


def not_numbers(b: Builder) -> None:
    """NaN passes, or counts as nothing."""
    for mode in ("PROPAGATE", "IGNORE"):
        x = values(b, "f32", (4, 6, 5))
        x[b.random.random(x.shape) < 0.2] = np.nan
        y = values(b, "f32", (4, 6, 5))
        y[b.random.random(y.shape) < 0.2] = np.nan
        first, second = b.input(x), b.input(y)
        attributes = f"nan_mode = {mode}"
        for name in ("maximum", "minimum"):
            b.op(name, [first, second], first[1], attributes)
        b.op("clamp", [first], first[1], f"min_val = -1.0 : f32, max_val = 1.5 : f32, {attributes}")
        for name in ("max", "min"):
            b.op(f"reduce_{name}", [first], "tensor<4x1x5xf32>", f"axis = 1 : i32, {attributes}")
        b.op("argmax", [first], "tensor<4x5xi32>", f"axis = 1 : i32, {attributes}")
        image = b.input(x.reshape(1, 8, 5, 3))
        window = "kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>"
        b.op("max_pool2d", [image], "tensor<1x7x4x3xf32>", f"{window}, {attributes}")


def integer_functions(b: Builder) -> None:
    for name in ("add", "sub", "maximum", "minimum"):
        binary(b, name, "i32", "i32")
    for name in COMPARISONS:
        binary(b, name, "i32", "i1")
    for name in ("logical_and", "logical_or", "logical_xor"):
        binary(b, name, "i1", "i1")
    x = b.input(values(b, "i1", some_shape(b)))
    b.op("logical_not", [x], x[1])
    x = b.input(values(b, "i32", some_shape(b)))
    for name in ("abs", "clz"):
        b.op(name, [x], x[1])
    divisor = b.input(values(b, "i32", x_shape := (3, 7)) % 1000 | 1)
    dividend = b.input(values(b, "i32", x_shape))
    b.op("intdiv", [dividend, divisor], dividend[1])
    for element in ("i8", "i16"):
        binary(b, "mul", element, "i32", extra=(number("i8", 0),))
    small = [b.input(values(b, "i32", (3, 7)) % 30000) for _ in range(2)]
    b.op("mul", [*small, b.constant(number("i8", 0))], small[0][1])
    large = [b.input(values(b, "i32", (3, 7)) * 8) for _ in range(2)]
    b.op("mul", [*large, b.constant(number("i8", between(b, 16, 40)))], large[0][1])


def bit_functions(b: Builder) -> None:
    for element, bits in (("i8", 8), ("i16", 16), ("i32", 32)):
        for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
            binary(b, name, element, element)
        x = b.input(values(b, element, (3, 7)))
        b.op("bitwise_not", [x], x[1])
        for name, attributes, least in (
            ("logical_left_shift", "", 0),
            ("logical_right_shift", "", 0),
            ("arithmetic_right_shift", "round = false", 0),
            ("arithmetic_right_shift", "round = true", 0),
        ):
            amounts = b.random.integers(least, bits, (3, 7)).astype(f"int{bits}")
            b.op(name, [x, b.input(amounts)], x[1], attributes)
        zeros = [b.constant(number(element, between(b, -128, 127) if bits == 8 else 0)) for _ in range(2)]
        b.op("negate", [x, *zeros], x[1])


def choices(b: Builder) -> None:
    for element in MOVED:
        shapes = broadcast_shapes(b, 3)
        operands = [b.input(values(b, kind, shape)) for kind, shape in zip(("i1", element, element), shapes)]
        b.op("select", operands, mlir_type(np.broadcast_shapes(*shapes), element))
    x = b.input(values(b, "i8", some_shape(b)))
    low = between(b, -128, 127)
    b.op("clamp", [x], x[1], f"min_val = {low} : i8, max_val = {between(b, low, 127)} : i8")
    b.op("table", [x, b.constant(values(b, "i8", (256,)))], x[1])
    half = b.input(values(b, "i16", (3, 5)))
    table = np.cumsum(b.random.integers(-60, 60, 513)).astype(np.int16)
    b.op("table", [half, b.constant(table)], "tensor<3x5xi32>")


def casts(b: Builder) -> None:
    integers = ("i1", "i8", "i16", "i32")
    pairs = [(a, c) for a in integers for c in integers if a != c]
    pairs += [(a, c) for f in FLOATS for i in integers[1:] for a, c in ((f, i), (i, f))]
    for source, target in [*pairs, ("f32", "f16"), ("f16", "f32")]:
        shape = some_shape(b)
        x = values(b, source, shape, *((-300, 300) if target == "i8" else (-60000, 60000)))
        x.flat[0] = 0
        b.op("cast", [b.input(x)], mlir_type(shape, target))


def rescale(b: Builder, types: tuple[str, str], unsigned: tuple[bool, bool], wide: bool, rounding: str) -> None:
    shape = some_shape(b)
    channels = one_of(b, [0, shape[-1]])
    count = max(channels, 1)
    x = values(b, types[0], shape) // (1 if types[0] != "i32" else one_of(b, [1, 64]))
    multiplier = b.random.integers(1 << (30 if wide else 14), (1 << (31 if wide else 15)) - 1, count)
    least = 31 if wide else 22 if types[0] == "i32" else 17
    shift = b.random.integers(least, least + 9, count).astype(np.int8)
    zeros = []
    for element, is_unsigned in zip(types, unsigned):
        if element == "i8":
            zeros.append(values(b, "i8", (1,)))
        else:  # of 16 bits only the middle of the unsigned numbers
            zeros.append(number(element, one_of(b, [0, -32768]) if element == "i16" and is_unsigned else 0))
    multiplier = multiplier.astype(np.int32 if wide else np.int16)
    operands = [b.input(x)] + [b.constant(array) for array in (multiplier, shift, *zeros)]
    flags = [("input_unsigned", unsigned[0]), ("output_unsigned", unsigned[1]), ("per_channel", channels > 0),
             ("scale32", wide)]  # fmt: skip
    attributes = ", ".join(f"{name} = {str(bool(value)).lower()}" for name, value in flags)
    b.op("rescale", operands, mlir_type(shape, types[1]), f"{attributes}, rounding_mode = {rounding}")


def rescales(b: Builder) -> None:
    """Every pair of types, both widths of the multiplier and both roundings."""
    elements = ("i8", "i16", "i32")
    for source in elements:
        for target in elements:
            for wide, rounding in ((True, "SINGLE_ROUND"), (True, "DOUBLE_ROUND"), (False, "SINGLE_ROUND")):
                rescale(b, (source, target), (False, False), wide, rounding)
    for source in elements[:2]:
        for target in elements[:2]:
            for unsigned in ((True, False), (False, True)):
                rescale(b, (source, target), unsigned, True, "SINGLE_ROUND")


def movements(b: Builder) -> None:
    for element in MOVED:
        x = values(b, element, some_shape(b))
        value, rank, axis = b.input(x), x.ndim, between(b, 0, x.ndim - 1)
        other = list(x.shape)
        other[axis] = between(b, 1, 4)
        joined = (*x.shape[:axis], x.shape[axis] + other[axis], *x.shape[axis + 1 :])
        b.op("concat", [value, b.input(values(b, element, tuple(other)))], mlir_type(joined, element), f"axis = {axis} : i32")
        pads = [between(b, 0, 2) for _ in range(2 * rank)]
        padded = tuple(extent + pads[2 * i] + pads[2 * i + 1] for i, extent in enumerate(x.shape))
        b.op("pad", [value, b.shape(pads), b.constant(values(b, element, (1,)))], mlir_type(padded, element))
        flat = [x.size] if between(b, 0, 1) else [1, *reversed(x.shape)]
        b.op("reshape", [value, b.shape(flat)], mlir_type(tuple(flat), element))
        b.op("reverse", [value], value[1], f"axis = {axis} : i32")
        starts = [between(b, 0, extent - 1) for extent in x.shape]
        sizes = [between(b, 1, extent - start) for extent, start in zip(x.shape, starts)]
        b.op("slice", [value, b.shape(starts), b.shape(sizes)], mlir_type(tuple(sizes), element))
        times = [between(b, 1, 3) for _ in range(rank)]
        b.op("tile", [value, b.shape(times)], mlir_type(tuple(np.multiply(times, x.shape)), element))
        order = b.random.permutation(rank).tolist()
        b.op("transpose", [value], mlir_type(tuple(x.shape[i] for i in order), element),
             f"perms = array<i32: {', '.join(map(str, order))}>")  # fmt: skip
        b.op("identity", [value], value[1])
        constant = b.constant(values(b, element, some_shape(b)))
        b.results.append((*constant, "const"))


def places(b: Builder) -> None:
    """gather and scatter."""
    for element in MOVED[1:]:
        batch, count, channels, taken = (between(b, 1, 5) for _ in range(4))
        x = b.input(values(b, element, (batch, count, channels)))
        indices = b.random.integers(0, count, (batch, taken)).astype(np.int32)
        b.op("gather", [x, b.input(indices)], mlir_type((batch, taken, channels), element))
        written = between(b, 1, count)
        rows = np.stack([b.random.permutation(count)[:written] for _ in range(batch)]).astype(np.int32)
        update = b.input(values(b, element, (batch, written, channels)))
        b.op("scatter", [x, b.input(rows), update], x[1])


OWN = (float_functions, not_numbers, integer_functions, bit_functions, choices, casts, rescales, movements, places)
FAMILIES = {function.__name__: function for function in (*OWN, *tosa_windows.ALL)}
