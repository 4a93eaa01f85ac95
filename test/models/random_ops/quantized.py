# SPDX-License-Identifier: Apache-2.0
"""Nodes of random models on quantized values.

Rounding to steps is a jump, so a result that is rounded is final: no node reads it, and it may be off by a step.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .choose import axis_of, flag, image, is_float, number, partner, pick, scalar, window
from .graph import Graph, Refused, Value


def zero_point(g: Graph, signed: bool) -> Value:
    return g.constant(np.array(number(g, -20, 20), np.int8) if signed else np.array(number(g, 100, 150), np.uint8))


def step_of(g: Graph, least: float = 0.01, most: float = 0.05) -> Value:
    return g.constant(np.float32(g.random.uniform(least, most)))


def byte_type(value: Value) -> bool:
    return value.array.dtype in (np.int8, np.uint8)


def in_steps(g: Graph, value: Value, signed: bool) -> list[Value]:
    """The value's steps, with scale and zero point."""
    scale, zero = step_of(g), zero_point(g, signed)
    (steps,) = g.op("QuantizeLinear", [value, scale, zero], exact=True)
    return [steps, scale, zero]


def real_and_bytes(g: Graph, fits: Callable[[Value], bool] = lambda v: True) -> list[Value]:
    """Bytes of the graph, or those of a real value."""
    if flag(g, 0.4):
        found = [v for v in g.values if byte_type(v) and v.exact and v.name not in g.final and fits(v)]
        if found:
            return [found[-1], step_of(g), zero_point(g, found[-1].array.dtype == np.int8)]
    return in_steps(g, pick(g, lambda v: is_float(v) and v.exact and fits(v)), flag(g))


def quantize(g: Graph, op: str) -> None:
    """A pair around a value, for a whole tensor or for each place on an axis."""
    theirs = op.startswith("com.")
    value = pick(g, lambda v: (is_float(v) or (v.kind == "h" and not theirs)) and v.exact and v.rank > 0)
    signed = flag(g)
    zero: Value | None = zero_point(g, signed)
    scale, attributes = step_of(g), {}
    if (g.opset >= 13 or theirs) and flag(g, 0.4):
        axis = axis_of(g, value)
        attributes["axis"] = axis
        count = value.shape[axis]
        scale = g.constant(g.random.uniform(0.01, 0.05, count).astype(np.float32))
        zero = g.constant(np.full(count, zero.array, zero.array.dtype))
    if value.kind == "h":  # steps that float16 has
        scale = g.constant(np.full(scale.shape, 1 / 32, value.array.dtype))
    if flag(g, 0.2) and not theirs:
        zero = None  # uint8
    (steps,) = g.op(op, [value, scale, zero], exact=True, **attributes)
    g.op(op.replace("Quantize", "Dequantize"), [steps, scale, zero], final=True, exact=True, **attributes)


def dequantize(g: Graph, op: str) -> None:
    """Of bytes, or of the sums of products."""
    value = pick(g, lambda v: (byte_type(v) or v.array.dtype == np.int32) and v.exact)
    dtype = value.array.dtype
    zero = scalar(g, 0 if dtype == np.int32 else number(g, 0, 100), dtype)
    scale, attributes = step_of(g), {}
    if value.rank and (g.opset >= 13 or op.startswith("com.")) and flag(g, 0.4):
        axis = axis_of(g, value)
        attributes["axis"] = axis
        count = value.shape[axis]
        scale = g.constant(g.random.uniform(0.01, 0.05, count).astype(np.float32))
        zero = g.constant(np.full(count, zero.array, dtype))
    left_out = dtype == np.int32 or (flag(g, 0.3) and not op.startswith("com."))
    g.op(op, [value, scale, None if left_out else zero], **attributes)


def dynamic(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.kind == "f" and v.exact)
    g.op(op, [value], outputs=3, exact=True, final=True)


def integer_product(g: Graph, op: str) -> None:
    steps = real_and_bytes(g, lambda v: v.rank >= 2)
    outputs = number(g, 1, 12)
    other = g.constant(g.random.integers(-100, 100, (steps[0].shape[-1], outputs)).astype(np.int8))
    if op == "MatMulInteger":
        g.op(op, [steps[0], other, steps[2]], exact=True)
        return
    nothing = g.constant(np.array(0, np.int8))
    g.op(op, [*steps, other, step_of(g, 0.005, 0.02), nothing, *result_of(g, steps[0])], final=True)


def integer_convolution(g: Graph, op: str) -> None:
    """onnxruntime's ConvInteger takes uint8 alone."""
    steps = real_and_bytes(g, lambda v: v.rank in (3, 4) and (op != "ConvInteger" or v.array.dtype != np.int8))
    value = steps[0]
    if op == "ConvInteger" and value.array.dtype == np.int8:
        raise Refused("int8")
    outputs, kernel = number(g, 1, 12), [min(extent, number(g, 1, 3)) for extent in value.shape[2:]]
    weight = g.constant(g.random.integers(-100, 100, (outputs, value.shape[1], *kernel)).astype(np.int8))
    pads = [min(number(g, 0, 1), size - 1) for size in kernel * 2]
    strides = [number(g, 1, 2) for _ in kernel]
    if op == "ConvInteger":
        g.op(op, [value, weight, steps[2]], exact=True, kernel_shape=kernel, pads=pads, strides=strides)
        return
    scales = g.constant(g.random.uniform(0.002, 0.01, outputs).astype(np.float32))
    zeros = g.constant(np.zeros(outputs, np.int8))
    bias = g.constant(g.random.integers(-900, 900, outputs).astype(np.int32)) if flag(g) else None
    g.op(op, [*steps, weight, scales, zeros, *result_of(g, value), bias], final=True, kernel_shape=kernel, pads=pads,
         strides=strides)  # fmt: skip


def result_of(g: Graph, like: Value) -> list[Value]:
    """Scale and zero point of a result that is of the same type."""
    return [step_of(g, 0.02, 0.1), zero_point(g, like.array.dtype == np.int8)]


def byte_unary(g: Graph, op: str) -> None:
    steps = real_and_bytes(g)
    slope = {"alpha": float(g.random.uniform(0.01, 0.5))} if "Leaky" in op else {}
    result = [g.constant(np.float32(1 / 256)), zero_point(g, steps[0].array.dtype == np.int8)]
    g.op(op, [*steps, *(result_of(g, steps[0]) if slope else result)], final=True, **slope)


def other_steps(g: Graph, steps: list[Value]) -> list[Value]:
    """Something that broadcasts with these bytes, with its own scale and zero point."""
    dtype = steps[0].array.dtype
    shape = [1 if flag(g, 0.3) else extent for extent in steps[0].shape][number(g, 0, steps[0].rank) :]
    info = np.iinfo(dtype)
    array = g.random.integers(info.min, info.max + 1, shape).astype(dtype)
    return [(g.constant if flag(g) else g.add_input)(array), step_of(g), zero_point(g, dtype == np.int8)]


def byte_binary(g: Graph, op: str) -> None:
    steps = real_and_bytes(g)
    inputs = [*steps, *other_steps(g, steps)]
    if flag(g, 0.3):
        inputs = inputs[3:] + inputs[:3]
    g.op(op, [*inputs, *result_of(g, steps[0])], final=True)


def byte_where(g: Graph, op: str) -> None:
    steps = real_and_bytes(g)
    condition = g.add_input(g.random.integers(0, 2, steps[0].shape).astype(bool))
    g.op(op, [condition, *steps, *other_steps(g, steps), *result_of(g, steps[0])], final=True)


def byte_concat(g: Graph, op: str) -> None:
    steps = real_and_bytes(g, lambda v: v.rank > 0)
    axis = axis_of(g, steps[0])
    more = [step_of(g), zero_point(g, steps[0].array.dtype == np.int8)]
    g.op(op, [*result_of(g, steps[0]), *steps, steps[0], *more], final=True, axis=axis)


def byte_pool(g: Graph, op: str) -> None:
    real = image(g, exact=True)
    steps = in_steps(g, real, flag(g))
    attributes = {}
    if op.endswith("QLinearAveragePool"):
        attributes = window(g, real) | {"count_include_pad": number(g, 0, 1)}
    if flag(g, 0.3):
        order = [0, *range(2, real.rank), 1]
        (steps[0],) = g.op("Transpose", [steps[0]], exact=True, perm=order)
        attributes["channels_last"] = 1
    g.op(op, [*steps, *result_of(g, steps[0])], final=True, **attributes)


def byte_softmax(g: Graph, op: str) -> None:
    """Over two classes or more: of a single one, whose share is 1, onnxruntime makes 0."""
    opset = 13 if flag(g) else 12  # 12: over all dimensions from the axis on

    def axes(shape: tuple[int, ...]) -> list[int]:
        return [i for i in range(len(shape)) if (shape[i] if opset == 13 else np.prod(shape[i:])) > 1]

    steps = real_and_bytes(g, lambda v: bool(axes(v.shape)))
    axis = int(g.random.choice(axes(steps[0].shape))) - (steps[0].rank if flag(g) else 0)
    signed = steps[0].array.dtype == np.int8
    result = [g.constant(np.float32(1 / 255)), g.constant(np.array(-128, np.int8) if signed else np.array(0, np.uint8))]
    g.op(op, [*steps, *result], final=True, axis=axis, opset=opset)


def byte_gemm(g: Graph, op: str) -> None:
    """With a result's scale bytes, without real numbers."""
    steps = real_and_bytes(g, lambda v: v.rank == 2)
    turned, other_turned, outputs = number(g, 0, 1), number(g, 0, 1), number(g, 1, 12)
    inner = steps[0].shape[0 if turned else 1]
    shape = (outputs, inner) if other_turned else (inner, outputs)
    per_column = flag(g, 0.4)
    scale = g.random.uniform(0.002, 0.01, outputs if per_column else ()).astype(np.float32)
    other = g.constant(g.random.integers(-100, 100, shape).astype(np.int8))
    zero = g.constant(np.zeros(outputs if per_column else (), np.int8))
    bias = g.constant(g.random.integers(-900, 900, outputs).astype(np.int32)) if flag(g) else None
    result = result_of(g, steps[0]) if flag(g, 0.7) else []
    g.op(op, [*steps, other, g.constant(scale), zero, bias, *result], final=bool(result), transA=turned,
         transB=other_turned, alpha=1.0)  # fmt: skip


def block_product(g: Graph, op: str) -> None:
    """Weights of 2, 4 or 8 bits, a scale and perhaps a zero point for each block of them."""
    value = pick(g, lambda v: v.kind == "f" and v.exact and v.rank > 1)
    depth, rows, bits, size = value.shape[-1], number(g, 1, 9), (2, 4, 8)[number(g, 0, 2)], 16 << number(g, 0, 2)
    blocks = -(-depth // size)
    packed = g.constant(g.random.integers(0, 256, (rows, blocks, size * bits // 8)).astype(np.uint8))
    scales = g.constant(g.random.uniform(0.002, 0.02, rows * blocks).astype(np.float32))
    zeros = None
    if flag(g):
        zeros = g.constant(g.random.integers(0, 256, rows * -(-blocks * bits // 8)).astype(np.uint8))
    bias = [None, g.constant(g.random.uniform(-1, 1, rows).astype(np.float32))] if flag(g) else []
    g.op(op, [value, packed, scales, zeros, *bias], K=depth, N=rows, bits=bits, block_size=size)


def bytes_to_real(g: Graph, op: str) -> None:
    """Bytes times bytes by their scales, or a real value that is made bytes on the way."""
    outputs, kind = number(g, 1, 12), (np.int8, np.uint8)[number(g, 0, 1)]
    if op.endswith("DynamicQuantizeMatMul"):
        value = pick(g, lambda v: v.kind == "f" and v.exact and v.rank >= 2)
        data, others = [value], []
    else:
        steps = real_and_bytes(g, lambda v: v.rank >= 2)
        if steps[0].array.dtype == np.int8:
            kind = np.int8  # onnxruntime has no int8 times uint8
        data, others = steps[:1], steps[1:]
    each = outputs if flag(g) else ()
    matrix = g.constant(g.random.integers(0, 100, (data[0].shape[-1], outputs)).astype(kind))
    scale = g.constant(g.random.uniform(0.002, 0.01, each).astype(np.float32))
    zero = g.constant(np.full(each, 7, kind)) if flag(g) else None
    bias = g.constant(g.random.uniform(-1, 1, outputs).astype(np.float32)) if flag(g) else None
    if others:
        g.op(op, [*data, matrix, others[0], scale, others[1], zero, bias])
    else:
        g.op(op, [*data, matrix, scale, zero, bias])


def block_rows(g: Graph, op: str) -> None:
    """Rows of a table of 4 or 8 bits in bytes, or of int4 and uint4."""
    rows, bits = number(g, 1, 9), (4, 8)[number(g, 0, 1)]
    depth = 2 * number(g, 1, 24)
    blocks = -(-depth // 16)
    table = g.constant(g.random.integers(0, 256, (rows, depth * bits // 8)).astype(np.uint8))
    scales = g.constant(g.random.uniform(0.01, 0.05, (rows, blocks)).astype(np.float32))
    zeros = None
    if flag(g):
        zeros = g.constant(g.random.integers(0, 256, (rows, -(-blocks * bits // 8))).astype(np.uint8))
    places = g.random.integers(0, rows, [number(g, 1, 3) for _ in range(number(g, 1, 2))]).astype(np.int64)
    indices = (g.constant if flag(g) else g.add_input)(places)
    g.op(op, [table, indices, scales, zeros], bits=bits, block_size=16, gather_axis=0, quantize_axis=1)


TABLE: list[tuple[Callable[[Graph, str], None], str]] = [
    (quantize, "QuantizeLinear com.microsoft.QuantizeLinear"),
    (dequantize, "DequantizeLinear com.microsoft.DequantizeLinear"),
    (dynamic, "DynamicQuantizeLinear"),
    (integer_product, "MatMulInteger QLinearMatMul"),
    (integer_convolution, "ConvInteger QLinearConv"),
    (byte_unary, "com.microsoft.QLinearLeakyRelu com.microsoft.QLinearSigmoid"),
    (byte_binary, "com.microsoft.QLinearAdd com.microsoft.QLinearMul"),
    (byte_where, "com.microsoft.QLinearWhere"),
    (byte_concat, "com.microsoft.QLinearConcat"),
    (byte_pool, "com.microsoft.QLinearAveragePool com.microsoft.QLinearGlobalAveragePool"),
    (byte_softmax, "com.microsoft.QLinearSoftmax"),
    (byte_gemm, "com.microsoft.QGemm"),
    (block_product, "com.microsoft.MatMulNBits"),
    (block_rows, "com.microsoft.GatherBlockQuantized"),
    (bytes_to_real, "com.microsoft.DynamicQuantizeMatMul com.microsoft.MatMulIntegerToFloat"),
]
