# SPDX-License-Identifier: Apache-2.0
"""Cases for each operator of TFLite: types, fused activations, attributes, boundary values."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from tflite_builder import Graph, Quant, Tensor

ACTIVATIONS = ["NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", "SIGN_BIT"]
ALL = ["f32", "i8", "u8", "i16", "i32", "i64", "bool"]
INTEGERS = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "i32": np.int32, "i64": np.int64}


@dataclass(frozen=True)
class Case:
    """`make` adds the case to a graph; a sum is compared with its largest value.

    `exact` gives the only result where LiteRT's kernel is wrong, or refuses.
    """

    name: str
    make: Callable[[Graph, np.random.Generator], None]
    is_sum: bool = False
    exact: Callable[[Graph], np.ndarray] | None = None


def activation(name: str) -> int:
    return getattr(schema.ActivationFunctionType, name)


def floats(rng: np.random.Generator, *shape: int, spread: float = 4.0) -> np.ndarray:
    """Values around all bounds of activations, halves among them."""
    values = rng.uniform(-spread, spread, shape)
    halves = np.round(values * 2) / 2
    return np.where(rng.random(shape) < 0.3, halves, values).astype(np.float32)


SPECIAL = np.array(
    [-np.inf, -3e38, -7.5, -6, -2.5, -1.5, -1, -0.5, -1e-40, -0.0, 0.0, 1e-40, 1e-3, 0.49999997, 0.5, 1.0, 1.5, 2.5,
     3.5, 5.999, 6, 6.5, 100, 3e38, np.inf],
    np.float32,
)  # fmt: skip
NAN = np.array([np.nan, 1.0, -1.0, -np.nan], np.float32)


def bytes_of(rng: np.random.Generator, dtype: str, *shape: int) -> np.ndarray:
    """Stored integers, both ends among them."""
    limits = np.iinfo(INTEGERS[dtype])
    low, high = max(limits.min, -40000), min(limits.max, 40000)
    values = rng.integers(low, high, shape, endpoint=True)
    at = rng.random(shape)
    values = np.where(at < 0.1, low, np.where(at > 0.9, high, values))
    return values.astype(INTEGERS[dtype])


def quants(dtype: str) -> list[Quant]:
    """Zero points in the middle and at both ends."""
    if dtype == "i16":
        return [Quant(0.0003), Quant(0.001)]
    low, high = np.iinfo(INTEGERS[dtype]).min, np.iinfo(INTEGERS[dtype]).max
    return [Quant(0.05, (low + high) // 2 + 4), Quant(0.037, low), Quant(0.041, high)]


def data(g: Graph, rng: np.random.Generator, dtype: str, shape: list[int], quant: int = 0) -> Tensor:
    """An input of that type; quantized where TFLite's integers are."""
    if dtype in ("f32", "f16"):
        return g.input(floats(rng, *shape).astype(np.float32 if dtype == "f32" else np.float16))
    if dtype == "bool":
        return g.input(rng.random(shape) < 0.5)
    if dtype in ("i32", "i64"):
        return g.input(rng.integers(-1000, 1000, shape).astype(INTEGERS[dtype]))
    return g.input(bytes_of(rng, dtype, *shape), quants(dtype)[quant % len(quants(dtype))])


def result_quant(dtype: str, quant: int = 0) -> Quant | None:
    if dtype in ("f32", "f16", "i32", "i64", "bool"):
        return None
    made = quants(dtype)[quant % len(quants(dtype))]
    return Quant(made.scale * 1.3, made.zero)


def numbers(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


# --- Elementwise -----------------------------------------------------------


def steep_hard_swish() -> Case:
    """A result of far smaller steps, which LiteRT refuses: a shift to the left of negative numbers is beyond 32 bits."""
    values = np.arange(256).astype(np.uint8).view(np.int8)

    def make(g: Graph, rng: np.random.Generator) -> None:
        x = g.input(values, Quant(1.0, 0))
        g.output(g.op("HARD_SWISH", [x], "i8", Quant(2.0**-30, 0), "HardSwishOptions"))

    def exact(g: Graph) -> np.ndarray:
        real = values.astype(np.float64)
        return np.clip(real * np.clip(real + 3, 0, 6) / 6 * 2**30, -128, 127).astype(np.int8)

    return Case("unary/HARD_SWISH/i8-steep", make, exact=exact)


def unary() -> Iterator[Case]:
    tables = {"ABS": "AbsOptions", "EXP": "ExpOptions", "COS": "CosOptions", "NEG": "NegOptions",
              "SQUARE": "SquareOptions", "LEAKY_RELU": "LeakyReluOptions", "GELU": "GeluOptions",
              "HARD_SWISH": "HardSwishOptions", "ZEROS_LIKE": "ZerosLikeOptions", "SIGN": "SignOptions"}  # fmt: skip
    names = ["RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1", "TANH", "LOGISTIC", "ELU", "SIN", "LOG", "SQRT", "RSQRT",
             "FLOOR", "CEIL", "ROUND", *tables]  # fmt: skip
    attributes: dict[str, list[dict]] = {
        "LEAKY_RELU": [{"alpha": 0.1}, {"alpha": -0.5}, {"alpha": 1.5}],
        "GELU": [{"approximate": True}, {"approximate": False}],
    }
    for name in names:
        for number, given in enumerate(attributes.get(name, [{}])):
            label = f"unary/{name}" + (f"{number}" if number else "")

            def make(g: Graph, rng: np.random.Generator, values: np.ndarray, name=name, given=given) -> None:
                g.output(g.op(name, [g.input(values)], "f32", options=tables.get(name, ""), **given))

            def with_zeros(g, rng, make=make):
                make(g, rng, floats(rng, 3, 7, spread=9))

            yield Case(f"{label}/f32", with_zeros, is_sum=name == "GELU")
            special = SPECIAL[1:-2] if name == "HARD_SWISH" else SPECIAL  # LiteRT's product overflows
            cancels = name == "GELU"  # at the left end both forms are differences of nearly equal numbers
            yield Case(f"{label}/special", lambda g, rng, make=make, special=special: make(g, rng, special), is_sum=cancels)
            yield Case(f"{label}/nan", lambda g, rng, make=make: make(g, rng, NAN))
            for dtype, quant in itertools.product(["i8", "u8", "i16"], range(3)):
                if dtype == "i16" and quant == 2:
                    continue

                def quantized(g, rng, name=name, given=given, dtype=dtype, quant=quant):
                    if dtype == "i16":
                        values = rng.integers(-32768, 32767, (40,), endpoint=True).astype(np.int16)
                    else:
                        values = np.arange(256).astype(np.uint8).view(INTEGERS[dtype])
                    low = np.iinfo(INTEGERS[dtype]).min
                    mine = quants(dtype)[quant]
                    if name in ("LOG", "SQRT", "RSQRT"):
                        mine = Quant(mine.scale, 0 if dtype == "i16" else low)
                        values = np.abs(values.astype(np.int32)).astype(INTEGERS[dtype]) if dtype == "i16" else values
                    out = result_quant(dtype, quant)
                    if name == "LOGISTIC":
                        out = Quant(1 / 32768, 0) if dtype == "i16" else Quant(1 / 256, low)
                    if name == "TANH":
                        out = Quant(1 / 32768, 0) if dtype == "i16" else Quant(1 / 128, (low + 128))
                    g.output(g.op(name, [g.input(values, mine)], dtype, out, tables.get(name, ""), version=2, **given))

                yield Case(f"{label}/{dtype}-{quant}", quantized)
    yield steep_hard_swish()
    for name in ["ABS", "NEG", "SIGN", "SQUARE", "RELU", "ZEROS_LIKE"]:
        yield Case(f"unary/{name}/i32", lambda g, rng, name=name: g.output(
            g.op(name, [g.input(numbers(-2147483648, -7, -1, 0, 1, 5, 2147483647))], "i32", options=tables.get(name, ""))))  # fmt: skip
    yield Case("unary/LOGICAL_NOT/bool", lambda g, rng: g.output(
        g.op("LOGICAL_NOT", [data(g, rng, "bool", [7])], "bool", options="LogicalNotOptions")))  # fmt: skip
    for dtype in ("i8", "i16", "i32", "f32"):
        def tables_of_relu(g, rng, dtype=dtype):
            slopes = (g.constant(floats(rng, 1, 1, 5)) if dtype == "f32" else
                      g.constant(bytes_of(rng, dtype, 1, 1, 5), quants(dtype)[0]))  # fmt: skip
            g.output(g.op("PRELU", [data(g, rng, dtype, [2, 3, 4, 5], 1), slopes], dtype, result_quant(dtype)))

        if dtype != "i32":
            yield Case(f"unary/PRELU/{dtype}", tables_of_relu)


FUSED = {"ADD": "AddOptions", "SUB": "SubOptions", "MUL": "MulOptions", "DIV": "DivOptions"}
PAIRS = {
    **FUSED, "MAXIMUM": "MaximumMinimumOptions", "MINIMUM": "MaximumMinimumOptions", "POW": "PowOptions",
    "SQUARED_DIFFERENCE": "SquaredDifferenceOptions", "FLOOR_DIV": "FloorDivOptions", "FLOOR_MOD": "FloorModOptions",
    "ATAN2": "", "EQUAL": "EqualOptions", "NOT_EQUAL": "NotEqualOptions", "LESS": "LessOptions",
    "LESS_EQUAL": "LessEqualOptions", "GREATER": "GreaterOptions", "GREATER_EQUAL": "GreaterEqualOptions",
}  # fmt: skip
COMPARISONS = {"EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"}


def without_zeros(g: Graph, divisor: Tensor) -> None:
    """No divisor is 0."""
    values = g.given[divisor.name]
    if divisor.quant is None:
        values[values == 0] = 3
        return
    zero = divisor.quant.zero
    g.given[divisor.name] = np.where(values == zero, zero - 9 if zero > 0 else zero + 9, values).astype(values.dtype)


def fused(
    g: Graph, rng: np.random.Generator, name: str, act: str, dtype: str, shapes: tuple[list[int], list[int]], quant: int
) -> None:
    a, b = data(g, rng, dtype, shapes[0], quant), data(g, rng, dtype, shapes[1], quant + 1)
    if name == "DIV" and dtype != "f32":
        without_zeros(g, b)
    g.output(g.op(name, [a, b], dtype, result_quant(dtype, quant + 2), FUSED[name], version=2,
                  fusedActivationFunction=activation(act)))  # fmt: skip


def fused_binary() -> Iterator[Case]:
    shapes = {"same": ([2, 3, 4], [2, 3, 4]), "row": ([2, 3, 4], [4]), "both": ([2, 1, 4], [3, 1]), "scalar": ([2, 5], [])}
    for name, act, dtype in itertools.product(FUSED, ACTIVATIONS, ["f32", "i8", "u8", "i16", "i32", "i64"]):
        for kind in shapes if act in ("NONE", "RELU6") else ["same"]:
            for quant in range(1 if dtype in ("f32", "i32", "i64") else 2 if dtype == "i16" else 3):
                make = partial(fused, name=name, act=act, dtype=dtype, shapes=shapes[kind], quant=quant)
                yield Case(f"binary/{name}/{act}/{dtype}-{kind}-{quant}", make)


def all_pairs(g: Graph, rng: np.random.Generator, name: str, values: np.ndarray) -> None:
    left, right = np.meshgrid(values, values)
    a, b = g.input(left.astype(values.dtype)), g.input(right.astype(values.dtype))
    g.output(g.op(name, [a, b], "bool" if name in COMPARISONS else a.type, options=PAIRS[name]))


def quantized_pairs(g: Graph, rng: np.random.Generator, name: str, dtype: str, quant: int) -> None:
    a, b = data(g, rng, dtype, [3, 40], quant), data(g, rng, dtype, [3, 40], quant + 1)
    out = None if name in COMPARISONS else result_quant(dtype, quant)
    if name in ("MAXIMUM", "MINIMUM"):
        out = b.quant = a.quant
    g.output(g.op(name, [a, b], "bool" if name in COMPARISONS else dtype, out, PAIRS[name], version=2))


def plain_binary() -> Iterator[Case]:
    finite = np.array([-7.5, -6, -2.5, -2, -1, -0.3, 0.7, 1, 2, 2.5, 5.5, 7], np.float32)
    for name in PAIRS:
        whole = np.array([1, 2, 3, 4] if name == "POW" else [-7, -3, -2, -1, 1, 2, 3, 9], np.int32)
        given = {"finite": finite, "special": SPECIAL, "nan": NAN, "i32": whole, "i64": whole.astype(np.int64)}
        for kind, values in given.items():
            yield Case(f"binary/{name}/{kind}", partial(all_pairs, name=name, values=values))
        if name in FUSED or name in ("POW", "ATAN2"):
            continue
        for dtype, quant in itertools.product(["i8", "u8", "i16"], range(2)):
            yield Case(f"binary/{name}/{dtype}-{quant}", partial(quantized_pairs, name=name, dtype=dtype, quant=quant))


def logical(g: Graph, rng: np.random.Generator, name: str, table: str) -> None:
    g.output(g.op(name, [data(g, rng, "bool", [3, 7]), data(g, rng, "bool", [7])], "bool", options=table))


def bits(g: Graph, rng: np.random.Generator, name: str, table: str, dtype: str) -> None:
    a = g.input(rng.integers(-100, 100, (20,)).astype(INTEGERS[dtype]))
    b = g.input(rng.integers(0, 7, (20,)).astype(INTEGERS[dtype]))
    g.output(g.op(name, [a, b], dtype, options=table))


def summed(g: Graph, rng: np.random.Generator, dtype: str, count: int) -> None:
    g.output(g.op("ADD_N", [data(g, rng, dtype, [3, 4]) for _ in range(count)], dtype, options="AddNOptions"))


def chosen(g: Graph, rng: np.random.Generator, name: str, table: str, dtype: str, shape: list[int]) -> None:
    choice = data(g, rng, "bool", [2] if name == "SELECT" and shape == [2, 1] else shape)
    a, b = data(g, rng, dtype, [2, 3]), data(g, rng, dtype, [2, 3])
    g.output(g.op(name, [choice, a, b], dtype, a.quant, table))


def binary() -> Iterator[Case]:
    yield from fused_binary()
    yield from plain_binary()
    for name, table in (("LOGICAL_AND", "LogicalAndOptions"), ("LOGICAL_OR", "LogicalOrOptions")):
        yield Case(f"binary/{name}/bool", partial(logical, name=name, table=table))
    for name, table in (("BITWISE_XOR", "BitwiseXorOptions"), ("RIGHT_SHIFT", "RightShiftOptions")):
        for dtype in ("i32", "i8", "i16"):
            yield Case(f"binary/{name}/{dtype}", partial(bits, name=name, table=table, dtype=dtype))
    for count, dtype in itertools.product([1, 2, 4], ["f32", "i32"]):
        yield Case(f"binary/ADD_N/{dtype}-{count}", partial(summed, dtype=dtype, count=count))
    for name, table in (("SELECT", "SelectOptions"), ("SELECT_V2", "SelectV2Options")):
        for dtype, shape in itertools.product(["f32", "i8", "i32"], [[2, 3], [2, 1]]):
            make = partial(chosen, name=name, table=table, dtype=dtype, shape=shape)
            yield Case(f"binary/{name}/{dtype}-{len(shape)}{shape[-1]}", make)


def conversions() -> Iterator[Case]:
    for source, target in itertools.permutations(["f32", "i8", "u8", "i16", "i32", "i64", "bool"], 2):
        def cast(g, rng, source=source, target=target):
            if source == "f32":
                values = np.array([-100.7, -2.5, -1.5, -0.5, -0.2, 0, 0.2, 0.5, 0.99, 1.5, 2.5, 100.7], np.float32)
                if target == "u8":
                    values = np.abs(values)
            elif source == "bool":
                values = np.array([True, False, True])
            else:
                low = 0 if source == "u8" else -100
                values = np.array([low, 0, 1, 2, 3, 100], INTEGERS[source])
            g.output(g.op("CAST", [g.input(values)], target, options="CastOptions"))

        yield Case(f"cast/{source}-{target}", cast)
    for wide in ("i32", "i64", "i16"):
        def wrapped(g, rng, wide=wide):
            values = np.array([-32768, -200, -129, 127, 128, 255, 256, 1000, 32767], INTEGERS[wide])
            for target in ("i8", "u8", "i16"):
                if target != wide:
                    g.output(g.op("CAST", [g.input(values)], target, options="CastOptions"))

        yield Case(f"cast/{wide}-wrapped", wrapped)
    for dtype, quant in itertools.product(["i8", "u8", "i16"], range(3)):
        if dtype == "i16" and quant == 2:
            continue

        def to_integers(g, rng, dtype=dtype, quant=quant):
            mine = quants(dtype)[quant]
            around = np.concatenate([(np.arange(-300, 300) + 0.5) * mine.scale, [0, 40000, -40000, 1e-30, 0.49999997 * mine.scale]])
            g.output(g.op("QUANTIZE", [g.input(around.astype(np.float32))], dtype, mine, "QuantizeOptions"))

        def special(g, rng, dtype=dtype, quant=quant):
            g.output(g.op("QUANTIZE", [g.input(SPECIAL[2:-2])], dtype, quants(dtype)[quant], "QuantizeOptions"))

        def infinite(g, rng, dtype=dtype, quant=quant):
            values = np.array([-np.inf, np.inf, 3e38, -3e38, 1e10, -1e10], np.float32)
            g.output(g.op("QUANTIZE", [g.input(values)], dtype, quants(dtype)[quant], "QuantizeOptions"))

        def halves(g, rng, dtype=dtype, quant=quant):
            values = (np.arange(-600, 600, dtype=np.float32) * np.float32(0.25)).astype(np.float32)
            g.output(g.op("QUANTIZE", [g.input(values)], dtype, Quant(0.5, quants(dtype)[quant].zero), "QuantizeOptions"))

        def to_floats(g, rng, dtype=dtype, quant=quant):
            values = g.input(bytes_of(rng, dtype, 40), quants(dtype)[quant])
            g.output(g.op("DEQUANTIZE", [values], "f32", options="DequantizeOptions", version=3))

        yield Case(f"quantize/f32-{dtype}-{quant}", to_integers)
        yield Case(f"quantize/special-{dtype}-{quant}", special)
        # LiteRT converts to 32 bits before it saturates, which C does not define.
        def ends(g, dtype=dtype):
            limits = np.iinfo(INTEGERS[dtype])
            return np.array([limits.min, limits.max, limits.max, limits.min, limits.max, limits.min], INTEGERS[dtype])

        yield Case(f"quantize/infinite-{dtype}-{quant}", infinite, exact=ends)
        yield Case(f"quantize/halves-{dtype}-{quant}", halves)
        yield Case(f"quantize/{dtype}-{quant}-f32", to_floats)
        for target in ("i8", "u8", "i16", "i32"):
            def again(g, rng, dtype=dtype, quant=quant, target=target):
                values = (np.arange(256).astype(np.uint8).view(INTEGERS[dtype]) if dtype != "i16" else bytes_of(rng, "i16", 60))
                out = Quant(0.0004) if target == "i32" else result_quant(target, quant + 1)
                g.output(g.op("QUANTIZE", [g.input(values, quants(dtype)[quant])], target, out, "QuantizeOptions", version=2))

            yield Case(f"quantize/{dtype}-{quant}-{target}", again)
    yield Case("quantize/f16-f32", lambda g, rng: g.output(g.op(
        "ADD", [g.op("DEQUANTIZE", [g.constant(np.float16([1.5, -2, 0.1]))], "f32", options="DequantizeOptions", version=3),
                data(g, rng, "f32", [2, 3])], "f32", options="AddOptions")))  # fmt: skip
    for bits, narrow in itertools.product([8, 4], [False, True]):
        def fake(g, rng, bits=bits, narrow=narrow):
            g.output(g.op("FAKE_QUANT", [data(g, rng, "f32", [40])], "f32", options="FakeQuantOptions", min=-1.2, max=2.9,
                          numBits=bits, narrowRange=narrow))  # fmt: skip

        yield Case(f"quantize/FAKE_QUANT-{bits}-{narrow}", fake)


def elementwise() -> Iterator[Case]:
    yield from unary()
    yield from binary()
    yield from conversions()
