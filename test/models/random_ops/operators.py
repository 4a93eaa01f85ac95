# SPDX-License-Identifier: Apache-2.0
"""Which nodes random models are made of: a function for each family.

A function takes the graph and an operator's name, chooses operands, shapes and
attributes, and adds the node (with what belongs to it). It raises Refused where
nothing in the graph fits.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from onnx import helper

from .choose import (
    axis_of,
    bounded,
    flag,
    float_type,
    image,
    is_float,
    listed,
    number,
    partner,
    pick,
    some_axes,
    weights,
    window,
)
from .graph import Graph, Refused, Value

# Jumps: a rounding of their input would change the result by a whole step.
JUMPS = {"Ceil", "Floor", "Round", "Sign", "Hardmax", "Shrink", "ThresholdedRelu"}


# Where a small error of the input would become a large one of the result.
PREPARED = ("Asin", "Acos", "Atanh", "Tan", "Acosh", "Log", "Sqrt", "Reciprocal")
STEEP = {"Sin": 20.0, "Cos": 20.0, "Sinh": 5.0, "Cosh": 5.0}


def is_exact_float(value: Value) -> bool:
    """No integers that onnxruntime, which counts them in f32, would round."""
    return value.kind not in "iu" or np.abs(value.array.astype(np.float64)).max(initial=0) < 2**23


def unary(g: Graph, op: str) -> None:
    ranges = {"Swish": ["alpha"], "Celu": ["alpha"], "Elu": ["alpha"], "LeakyRelu": ["alpha"], "ThresholdedRelu": ["alpha"],
              "HardSigmoid": ["alpha", "beta"], "Selu": ["alpha", "gamma"], "Shrink": ["bias", "lambd"]}  # fmt: skip
    attributes = {name: float(g.random.uniform(0.1, 1.5)) for name in ranges.get(op, [])}
    jumps = op in JUMPS
    kinds = "fhiu" if op in ("Relu", "Shrink") else "fhiub" if op == "Identity" else "fh"
    value = pick(g, lambda v: v.kind in kinds and (v.exact or not jumps) and (op != "Shrink" or is_exact_float(v)))
    if op == "Shrink" and value.kind in "iu":  # ONNX casts both to the data's type, onnxruntime casts the result
        attributes = {name: float(number(g, 0, 2)) for name in attributes}
    if op in PREPARED and not is_float(value):
        value = pick(g, is_float)
    if op in STEEP:
        value = pick(g, lambda v: bounded(STEEP[op])(v) and (v.exact or op not in JUMPS))
    if op in ("Asin", "Acos", "Atanh", "Tan"):  # inside where they are defined, or smooth
        (value,) = g.op("Tanh", [value])
        (value,) = g.op("Mul", [value, g.constant(np.float32(0.9))])
    if op == "Acosh":
        (value,) = g.op("Abs", [value], exact=True)
        (value,) = g.op("Add", [value, g.constant(np.float32(1.5))])
    if op in ("Log", "Sqrt"):
        (value,) = g.op("Abs", [value], exact=True)
        (value,) = g.op("Add", [value, g.constant(np.float32(0.5))])
    if op == "Reciprocal":
        (value,) = g.op("Exp", [value])
    if op == "Shrink" and value.kind == "h":
        jumps = False  # onnxruntime rounds the difference alone, ONNX the bias, too
    g.op(op, [value], exact=jumps or op in ("Abs", "Neg", "Relu", "Identity"), **attributes)


def question(g: Graph, op: str) -> None:
    g.op(op, [pick(g, lambda v: v.kind in "fh")], exact=True)


def integer_unary(g: Graph, op: str) -> None:
    g.op(op, [pick(g, lambda v: v.kind in "iu")], exact=True)


def logical(g: Graph, op: str) -> None:
    inputs = [pick(g, lambda v: v.kind == "b" and v.exact)]
    if op != "Not":
        inputs.append(partner(g, inputs[0]))
    g.op(op, inputs, exact=True)


def binary(g: Graph, op: str) -> None:
    kinds = "fh" if op in ("PRelu",) else "fhiu"
    value = pick(g, lambda v: v.kind in kinds)
    other = partner(g, value)
    if op == "Div" and value.kind in "fh" and not (np.abs(other.array.astype(np.float32)) > 0.1).all():
        raise Refused("division by next to nothing")
    if op == "Div" and value.kind in "iu" and (other.array == 0).any():
        raise Refused("division by zero")
    if op == "Pow" and value.kind in "iu":  # that do not overflow
        if not value.exact or np.abs(value.array.astype(np.int64)).max() > 5:
            raise Refused("a large base")
        other = g.constant(g.random.integers(0, 4, other.shape).astype(value.array.dtype))
    elif op == "Pow":
        if not value.exact and np.abs(value.array.astype(np.float32)).min(initial=1) < 1e-3:
            raise Refused("a power of next to nothing")
        (value,) = g.op("Abs", [value], exact=True)
    inputs = [value, other]
    if flag(g, 0.3) and op not in ("Div", "Pow", "PRelu"):
        inputs.reverse()
    g.op(op, inputs, exact=value.kind in "iu" or op in ("Max", "Min"))


def comparison(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.kind in "fhiub" and v.exact)
    g.op(op, [value, partner(g, value, exact=True)], exact=True)


def modulo(g: Graph, op: str) -> None:
    """Of floats as C has it; exact, since the divisors are quarters."""
    value = pick(g, lambda v: v.kind in "fhiu" and v.exact)
    divisor = g.random.integers(1, 6, value.shape[-1:])
    if value.kind in "fh":
        g.op(op, [value, g.constant((divisor / 4).astype(value.array.dtype))], exact=True, fmod=1)
        return
    g.op(op, [value, g.constant(divisor.astype(value.array.dtype))], exact=True, fmod=number(g, 0, 1))


def many(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.kind in ("fhiu" if op in ("Max", "Min") else "fh"))
    g.op(op, [value, *[partner(g, value) for _ in range(number(g, 0, 2))]], exact=op in ("Max", "Min"))


def where(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.kind in "fhiu")
    condition = g.constant(g.random.integers(0, 2, value.shape).astype(bool))
    found = [v for v in g.values if v.kind == "b" and v.exact and v.shape == value.shape]
    g.op(op, [found[-1] if found else condition, value, partner(g, value)], exact=True)


def clip(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.kind in "fhiu")
    kind = value.array.dtype.type
    if g.opset < 11:
        g.op(op, [value], exact=True, min=-1.0, max=2.0)
        return
    low = None if flag(g, 0.2) else g.constant(kind(0 if value.kind == "u" else -1))
    high = None if flag(g, 0.2) else g.constant(kind(2))
    g.op(op, [value, low, high], exact=True)


def reduce(g: Graph, op: str) -> None:
    order = op in ("ReduceMax", "ReduceMin")
    value = pick(g, lambda v: v.rank > 0 and v.kind in ("fhiub" if order else "f" if "Log" in op else "fhi"))
    if op == "ReduceLogSum":
        (value,) = g.op("Exp", [value])
    if op == "ReduceProd" and value.kind == "i" and np.prod(np.maximum(np.abs(value.array.astype(np.float64)), 1)) >= 2**31:
        raise Refused("a product that does not fit")  # onnxruntime counts it in floats
    axes = some_axes(g, value)
    attributes = {"keepdims": number(g, 0, 1)}
    if g.opset < 11:
        axes = [axis % value.rank for axis in axes]
    inputs, listing = listed(g, 13 if op == "ReduceSum" else 18, axes=axes)
    if flag(g, 0.15):  # all axes, or with no axes none
        inputs, listing = [], {"noop_with_empty_axes": number(g, 0, 1)} if inputs else {}
    attributes |= listing
    g.op(op, [value, *inputs], exact=order or value.kind == "i", **attributes)


def place_of_best(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.rank > 0 and v.kind in "fhiu" and v.exact)
    last = {"select_last_index": number(g, 0, 1)} if g.opset >= 12 else {}
    axis = axis_of(g, value)
    g.op(op, [value], exact=True, axis=axis if g.opset >= 11 else axis % value.rank, keepdims=number(g, 0, 1), **last)


def along_axis(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.rank > 0 and is_float(v) and (v.exact or op not in JUMPS))
    axis = axis_of(g, value)
    g.op(op, [value], axis=axis if g.opset >= 11 else axis % value.rank, exact=op in JUMPS)


def normalised(g: Graph, op: str) -> None:
    ranks = (4,) if op == "LRN" else (3, 4, 5, 6)  # onnxruntime has no other
    groups = 2 if op == "GroupNormalization" else 1
    value = pick(g, lambda v: is_float(v) and v.rank in ranks and np.prod(v.shape[2:]) > 3 and v.shape[1] % groups == 0)
    channels = value.shape[1]
    positive = g.constant(g.random.uniform(0.5, 1.5, channels).astype(np.float32))
    shift = weights(g, channels)
    if op == "BatchNormalization":
        spread = g.constant(g.random.uniform(0.5, 1.5, channels).astype(np.float32))
        given = {"training_mode": 1, "momentum": float(g.random.uniform(0, 1))} if g.opset >= 14 and flag(g, 0.3) else {}
        inputs = [value, positive, shift, weights(g, channels), spread]
        g.op(op, inputs, outputs=3 if given else 1, epsilon=float(g.random.uniform(1e-3, 1e-2)), **given)
    elif op == "InstanceNormalization":
        g.op(op, [value, positive, shift], epsilon=1e-2)
    elif op in ("LayerNormalization", "RMSNormalization"):
        axis = number(g, 1, value.rank - 1)
        shape = value.shape[axis:]
        dtype = float_type(g)
        if dtype != np.float32:
            (value,) = g.op("Cast", [value], exact=True, to=helper.np_dtype_to_tensor_dtype(dtype))
        bias = weights(g, *shape, dtype=dtype) if flag(g) else None
        scale = g.constant(g.random.uniform(0.5, 1.5, shape).astype(dtype))
        inputs = [value, scale, bias] if op == "LayerNormalization" else [value, scale]
        g.op(op, inputs, axis=axis - value.rank if flag(g) else axis, epsilon=1e-2)
    elif op == "GroupNormalization":
        if g.opset < 21:  # one scale and bias for each group
            positive, shift = g.constant(positive.array[:2]), g.constant(shift.array[:2])
        g.op(op, [value, positive, shift], num_groups=groups, epsilon=1e-2)
    elif op == "LRN":
        g.op(op, [value], size=2 * number(g, 0, 2) + 1, alpha=0.1, beta=0.75, bias=1.0)
    elif op == "MeanVarianceNormalization":
        g.op(op, [value], axes=[0, *range(2, value.rank)])
    else:
        axis = axis_of(g, value)
        if not value.exact and np.abs(value.array).max(axis).min() < 1e-3:
            raise Refused("a vector of rounding errors becomes one of length 1")
        g.op(op, [value], axis=axis, p=number(g, 1, 2))


def convolution(g: Graph, op: str) -> None:
    value = image(g)
    channels = value.shape[1]
    groups = channels if flag(g, 0.25) else int(g.random.choice([d for d in (1, 2) if channels % d == 0]))
    outputs = groups * number(g, 1, 3) if groups > 1 else number(g, 1, 20)
    attributes = window(g, value)
    kernel = attributes["kernel_shape"]
    if op == "ConvTranspose" and any(size < step for size, step in zip(kernel, attributes["strides"])):
        # SAME then needs negative pads: ONNX says extent * stride, onnxruntime takes 0 and gives less.
        attributes.pop("auto_pad", None)
    if flag(g, 0.3):
        attributes["dilations"] = [number(g, 1, 2) for _ in kernel]
    scale = 1.0 / np.sqrt(channels / groups * np.prod(kernel))
    shape = (channels, outputs // groups) if op == "ConvTranspose" else (outputs, channels // groups)
    if op == "ConvTranspose" and flag(g, 0.3):
        attributes["output_padding"] = [step - 1 for step in attributes["strides"]]
    bias = weights(g, outputs) if flag(g) else None
    g.op(op, [value, weights(g, *shape, *kernel, scale=scale), bias], group=groups, **attributes)


def pool(g: Graph, op: str) -> None:
    value = pick(g, lambda v: (is_float(v) or (op == "MaxPool" and v.array.dtype.itemsize == 1 and v.kind != "b"))
                 and v.rank in (3, 4, 5))  # fmt: skip
    attributes = window(g, value)
    if "auto_pad" not in attributes:
        attributes["ceil_mode"] = number(g, 0, 1)
    if g.opset < 10:
        attributes.pop("ceil_mode", None)
    if op == "LpPool":
        attributes["p"] = number(g, 1, 3)
        if g.opset < 18:
            attributes.pop("ceil_mode", None)
    elif op == "AveragePool":
        attributes["count_include_pad"] = number(g, 0, 1)
    elif g.opset >= 10 and flag(g, 0.2) and attributes.get("auto_pad", "VALID") == "VALID":
        # SAME means as many results as steps by ONNX; onnxruntime forgets the dilations and gives less.
        # A window that does not fit has no result by ONNX; onnxruntime rounds towards zero and gives one.
        attributes["dilations"] = [
            number(g, 1, 2 if 2 * size - 1 <= extent else 1)
            for size, extent in zip(attributes["kernel_shape"], value.shape[2:])
        ]
    g.op(op, [value], exact=op == "MaxPool", **attributes)


def global_pool(g: Graph, op: str) -> None:
    attributes = {"p": number(g, 1, 3)} if op == "GlobalLpPool" else {}
    g.op(op, [image(g)], exact=op == "GlobalMaxPool", **attributes)


TABLE: list[tuple[Callable[[Graph, str], None], str]] = [
    (unary, "Abs Ceil Celu Elu Erf Exp Floor HardSigmoid HardSwish Identity LeakyRelu Log Neg Reciprocal Relu Round "
            "Gelu Mish Selu Shrink Sigmoid Sign Softplus Softsign Sqrt Tanh ThresholdedRelu Acos Acosh Asin Asinh "
            "Atan Atanh Cos Cosh Sin Sinh Swish Tan com.microsoft.Gelu"),
    (integer_unary, "Abs Neg Sign"),
    (question, "IsNaN IsInf"),
    (logical, "And Or Xor Not"),
    (binary, "Add Sub Mul Div Pow Max Min PRelu"),
    (comparison, "Equal Greater GreaterOrEqual Less LessOrEqual"),
    (modulo, "Mod"),
    (many, "Sum Mean Max Min"),
    (where, "Where"),
    (clip, "Clip"),
    (reduce, "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum "
             "ReduceSumSquare"),
    (place_of_best, "ArgMax ArgMin"),
    (along_axis, "Softmax LogSoftmax Hardmax"),
    (normalised, "BatchNormalization InstanceNormalization LayerNormalization LRN LpNormalization "
                 "GroupNormalization MeanVarianceNormalization RMSNormalization"),
    (convolution, "Conv Conv Conv ConvTranspose"),
    (pool, "AveragePool MaxPool LpPool"),
    (global_pool, "GlobalAveragePool GlobalLpPool GlobalMaxPool"),
]  # fmt: skip
