# SPDX-License-Identifier: Apache-2.0
"""Which nodes random models are made of: a function for each family.

A function takes the graph and an operator's name, chooses operands, shapes and
attributes, and adds the node (with what belongs to it). It raises Refused where
nothing in the graph fits.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .graph import Graph, Refused, Value

# Jumps: a rounding of their input would change the result by a whole step.
JUMPS = {"Ceil", "Floor", "Round", "Sign", "Hardmax", "Shrink", "ThresholdedRelu"}


def pick(g: Graph, fits: Callable[[Value], bool]) -> Value:
    """One of the graph's values, later ones more likely."""
    found = [value for value in g.values if value.name not in g.final and fits(value)]
    if not found:
        raise Refused("no value fits")
    places = np.arange(1, len(found) + 1, dtype=float)
    return found[g.random.choice(len(found), p=places / places.sum())]


def is_float(value: Value) -> bool:
    return value.kind == "f"


def number(g: Graph, low: int, high: int) -> int:
    return int(g.random.integers(low, high + 1))


def flag(g: Graph, chance: float = 0.5) -> bool:
    return bool(g.random.random() < chance)


def weights(g: Graph, *shape: int, scale: float = 0.5) -> Value:
    return g.constant((g.random.standard_normal(shape) * scale).astype(np.float32))


def axis_of(g: Graph, value: Value) -> int:
    return number(g, -value.rank, value.rank - 1) if value.rank else 0


def some_axes(g: Graph, value: Value) -> list[int]:
    count = number(g, 1, max(value.rank, 1))
    axes = sorted(g.random.permutation(value.rank)[:count].tolist())
    return [axis - value.rank if flag(g, 0.3) else axis for axis in axes]


def unary(g: Graph, op: str) -> None:
    ranges = {"Celu": ["alpha"], "Elu": ["alpha"], "LeakyRelu": ["alpha"], "ThresholdedRelu": ["alpha"],
              "HardSigmoid": ["alpha", "beta"], "Selu": ["alpha", "gamma"], "Shrink": ["bias", "lambd"]}  # fmt: skip
    attributes = {name: float(g.random.uniform(0.1, 1.5)) for name in ranges.get(op, [])}
    jumps = op in JUMPS
    value = pick(g, lambda v: is_float(v) and (v.exact or not jumps))
    if op in ("Log", "Sqrt"):
        (value,) = g.op("Abs", [value], exact=True)
        (value,) = g.op("Add", [value, g.constant(np.float32(0.5))])
    if op == "Reciprocal":
        (value,) = g.op("Exp", [value])
    g.op(op, [value], exact=jumps or op in ("Abs", "Neg", "Relu", "Identity"), **attributes)


def question(g: Graph, op: str) -> None:
    g.op(op, [pick(g, is_float)], exact=True)


def integer_unary(g: Graph, op: str) -> None:
    g.op(op, [pick(g, lambda v: v.kind in "iu")], exact=True)


def logical(g: Graph, op: str) -> None:
    inputs = [pick(g, lambda v: v.kind == "b" and v.exact)]
    if op != "Not":
        inputs.append(partner(g, inputs[0]))
    g.op(op, inputs, exact=True)


def partner(g: Graph, value: Value) -> Value:
    """Something that broadcasts with it: itself, another value, a weight."""
    same = [v for v in g.values if v.array.dtype == value.array.dtype and v.shape == value.shape]
    if same and flag(g):
        return same[number(g, 0, len(same) - 1)]
    shape = [1 if flag(g, 0.3) else extent for extent in value.shape][number(g, 0, value.rank) :]
    if value.kind == "b":
        return g.constant(g.random.integers(0, 2, shape).astype(bool))
    if value.kind in "iu":
        return g.constant(g.random.integers(1, 6, shape).astype(value.array.dtype))
    return g.constant(g.random.uniform(0.5, 2.0, shape).astype(value.array.dtype))


def binary(g: Graph, op: str) -> None:
    kinds = "f" if op in ("PRelu",) else "fiu"
    value = pick(g, lambda v: v.kind in kinds)
    other = partner(g, value)
    if op == "Div" and value.kind == "f" and not (np.abs(other.array) > 0.1).all():
        raise Refused("division by next to nothing")
    if op == "Div" and value.kind in "iu" and (other.array == 0).any():
        raise Refused("division by zero")
    if op == "Pow":
        if value.kind != "f":
            raise Refused("integer powers overflow")
        (value,) = g.op("Abs", [value], exact=True)
    inputs = [value, other]
    if flag(g, 0.3) and op not in ("Div", "Pow", "PRelu"):
        inputs.reverse()
    g.op(op, inputs, exact=value.kind in "iu" or op in ("Max", "Min"))


def comparison(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.kind in "fi" and v.exact)
    other = partner(g, value)
    if not other.exact:
        raise Refused("not exact")
    g.op(op, [value, other], exact=True)


def modulo(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.kind in "iu" and v.exact)
    divisor = g.constant(g.random.integers(1, 6, value.shape[-1:]).astype(value.array.dtype))
    g.op(op, [value, divisor], exact=True, fmod=number(g, 0, 1))


def many(g: Graph, op: str) -> None:
    value = pick(g, is_float)
    g.op(op, [value, *[partner(g, value) for _ in range(number(g, 0, 2))]])


def where(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.kind in "fi")
    condition = g.constant(g.random.integers(0, 2, value.shape).astype(bool))
    found = [v for v in g.values if v.kind == "b" and v.exact and v.shape == value.shape]
    g.op(op, [found[-1] if found else condition, value, partner(g, value)], exact=True)


def clip(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.kind in "fi")
    kind = value.array.dtype.type
    low = None if flag(g, 0.2) else g.constant(kind(-1))
    high = None if flag(g, 0.2) else g.constant(kind(2))
    g.op(op, [value, low, high], exact=True)


def reduce(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.rank > 0 and v.kind in ("fi" if op in ("ReduceMax", "ReduceMin") else "f"))
    if op in ("ReduceLogSum",):
        (value,) = g.op("Exp", [value])
    axes = some_axes(g, value)
    attributes = {"keepdims": number(g, 0, 1)}
    inputs = [value]
    if op == "ReduceSum" or g.opset >= 18:
        inputs.append(g.ints(*axes))
    else:
        attributes["axes"] = axes
    g.op(op, inputs, exact=op in ("ReduceMax", "ReduceMin"), **attributes)


def place_of_best(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.rank > 0 and v.kind in "fi" and v.exact)
    g.op(op, [value], exact=True, axis=axis_of(g, value), keepdims=number(g, 0, 1),
         select_last_index=number(g, 0, 1))  # fmt: skip


def along_axis(g: Graph, op: str) -> None:
    value = pick(g, lambda v: v.rank > 0 and is_float(v) and (v.exact or op not in JUMPS))
    g.op(op, [value], axis=axis_of(g, value), exact=op in JUMPS)


def normalised(g: Graph, op: str) -> None:
    if g.opset < {"LayerNormalization": 17, "GroupNormalization": 18}.get(op, 0):
        raise Refused("onnxruntime takes it in any opset, ONNX does not")
    value = pick(g, lambda v: is_float(v) and v.rank >= 3 and np.prod(v.shape[2:]) > 3)
    channels = value.shape[1]
    positive = g.constant(g.random.uniform(0.5, 1.5, channels).astype(np.float32))
    shift = weights(g, channels)
    if op == "BatchNormalization":
        spread = g.constant(g.random.uniform(0.5, 1.5, channels).astype(np.float32))
        g.op(op, [value, positive, shift, weights(g, channels), spread], epsilon=float(g.random.uniform(1e-5, 1e-2)))
    elif op == "InstanceNormalization":
        g.op(op, [value, positive, shift], epsilon=1e-2)
    elif op == "LayerNormalization":
        axis = number(g, 1, value.rank - 1)
        shape = value.shape[axis:]
        bias = weights(g, *shape) if flag(g) else None
        g.op(op, [value, g.constant(g.random.uniform(0.5, 1.5, shape).astype(np.float32)), bias],
             axis=axis - value.rank if flag(g) else axis, epsilon=1e-2)  # fmt: skip
    elif op == "GroupNormalization":
        if channels % 2:
            raise Refused("an odd number of channels")
        if g.opset < 21:  # one scale and bias for each group
            positive, shift = g.constant(positive.array[:2]), g.constant(shift.array[:2])
        g.op(op, [value, positive, shift], num_groups=2, epsilon=1e-2)
    elif op == "LRN":
        g.op(op, [value], size=number(g, 1, 5), alpha=0.1, beta=0.75, bias=1.0)
    elif op == "MeanVarianceNormalization":
        g.op(op, [value], axes=[0, *range(2, value.rank)])
    else:
        g.op(op, [value], axis=axis_of(g, value), p=number(g, 1, 2))


def image(g: Graph, least: int = 3) -> Value:
    return pick(g, lambda v: is_float(v) and v.rank in (3, 4, 5) and v.rank >= least and min(v.shape) > 0)


def window(g: Graph, value: Value, largest: int = 3) -> dict:
    """Kernel, strides, dilations and pads, or auto_pad."""
    spatial = value.rank - 2
    kernel = [min(number(g, 1, largest), extent) for extent in value.shape[2:]]
    attributes = {"kernel_shape": kernel, "strides": [number(g, 1, 2) for _ in range(spatial)]}
    if flag(g, 0.2):
        attributes["auto_pad"] = str(g.random.choice(["SAME_UPPER", "SAME_LOWER", "VALID"]))
    else:
        attributes["pads"] = [min(number(g, 0, 1), size - 1) for size in kernel * 2]
    return attributes


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
    value = image(g)
    attributes = window(g, value)
    if "auto_pad" not in attributes:
        attributes["ceil_mode"] = number(g, 0, 1)
    if op == "AveragePool":
        attributes["count_include_pad"] = number(g, 0, 1)
    elif flag(g, 0.2) and attributes.get("auto_pad", "VALID") == "VALID":
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


def regions(g: Graph, op: str) -> None:
    """Regions of an image, also such as reach out of it; known when compiling, or not."""
    value = pick(g, lambda v: is_float(v) and v.rank == 4 and (v.exact or op == "RoiAlign"))
    count, sizes = number(g, 1, 3), np.array(value.shape[:1:-1], np.float64)
    corners = np.round(g.random.uniform(-0.2, 1.0, (count, 2)) * sizes * 8) / 8
    ends = corners + np.round(g.random.uniform(0.1, 1.2, (count, 2)) * sizes * 8 + 1) / 8
    boxes = np.concatenate([corners, ends], axis=1).astype(np.float32)
    batch = g.random.integers(0, value.shape[0], count)
    bins = [number(g, 1, 4), number(g, 1, 4)]
    give = g.constant if flag(g) else g.add_input
    if op == "MaxRoiPool":
        boxes = np.concatenate([batch[:, None], np.floor(boxes)], axis=1).astype(np.float32)
        g.op(op, [value, give(boxes)], exact=True, pooled_shape=bins)
        return
    attributes = {"mode": str(g.random.choice(["avg", "max"])), "sampling_ratio": int(g.random.choice([0, 0, 1, 2]))}
    if attributes["mode"] == "max" and attributes["sampling_ratio"] == 0:
        give = g.constant
    if g.opset >= 16 and flag(g):
        attributes["coordinate_transformation_mode"] = "output_half_pixel"
    g.op(op, [value, give(boxes), g.constant(batch.astype(np.int64))], output_height=bins[0], output_width=bins[1],
         **attributes)  # fmt: skip


def matmul(g: Graph, op: str) -> None:
    value = pick(g, lambda v: is_float(v) and v.rank > 0)
    inner = value.shape[-1]
    batch = [1 if flag(g) else extent for extent in value.shape[:-2]][number(g, 0, max(value.rank - 2, 0)) :]
    shape = (inner,) if flag(g, 0.1) else (*batch, inner, number(g, 1, 20))
    other = weights(g, *shape, scale=1.0 / np.sqrt(inner))
    if flag(g, 0.2) and value.rank >= 2:
        order = [*range(value.rank - 2), value.rank - 1, value.rank - 2]
        (other,) = g.op("Transpose", [value], exact=True, perm=order)
    g.op(op, [value, other])


def gemm(g: Graph, op: str) -> None:
    value = pick(g, lambda v: is_float(v) and v.rank == 2)
    turned, other_turned, outputs = number(g, 0, 1), number(g, 0, 1), number(g, 1, 20)
    inner, rows = value.shape[0 if turned else 1], value.shape[1 if turned else 0]
    shape = (outputs, inner) if other_turned else (inner, outputs)
    bias = [None, weights(g, outputs), weights(g, rows, 1), weights(g, rows, outputs)][number(g, 0, 3)]
    g.op(op, [value, weights(g, *shape, scale=1.0 / np.sqrt(inner)), bias], transA=turned, transB=other_turned,
         alpha=float(g.random.uniform(0.5, 1.5)), beta=float(g.random.uniform(0.5, 1.5)))  # fmt: skip


TABLE: list[tuple[Callable[[Graph, str], None], str]] = [
    (unary, "Abs Ceil Celu Elu Erf Exp Floor HardSigmoid HardSwish Identity LeakyRelu Log Neg Reciprocal Relu Round "
            "Gelu Mish Selu Shrink Sigmoid Sign Softplus Softsign Sqrt Tanh ThresholdedRelu"),
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
                 "GroupNormalization MeanVarianceNormalization"),
    (convolution, "Conv Conv Conv ConvTranspose"),
    (pool, "AveragePool MaxPool"),
    (global_pool, "GlobalAveragePool GlobalLpPool GlobalMaxPool"),
    (regions, "RoiAlign MaxRoiPool"),
    (matmul, "MatMul"),
    (gemm, "Gemm"),
]  # fmt: skip
