# SPDX-License-Identifier: Apache-2.0
"""Nodes of random models from language models: attention, positions, caches."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
from onnx import helper

from .choose import flag, float_type, is_float, number, one_of, pick, shaped, weights
from .graph import Graph, Refused, Value


def heads_of(g: Graph) -> tuple[int, int]:
    """Of queries, and of keys and values, which groups of queries share."""
    fewer = number(g, 1, 3)
    return fewer * number(g, 1, 2), fewer


def attention(g: Graph, op: str) -> None:
    """Every row of a mask leaves a key: a row of nothing is NaN in onnxruntime."""
    queries, keys = heads_of(g)
    batch, rows, columns, past = number(g, 1, 2), number(g, 1, 5), number(g, 1, 6), number(g, 0, 3)
    size, width = number(g, 1, 6), number(g, 1, 6)
    shapes = [(queries, rows, size), (keys, columns, size), (keys, columns, width)]
    is_flat, dtype = flag(g), float_type(g)
    attributes = {"q_num_heads": queries, "kv_num_heads": keys} if is_flat else {}
    inputs: list[Value | None] = [
        shaped(g, batch, length, heads * extent, most=4.0, dtype=dtype) if is_flat
        else shaped(g, batch, heads, length, extent, most=4.0, dtype=dtype)
        for heads, length, extent in shapes
    ]  # fmt: skip
    total = columns + past
    inputs.append(mask(g, [(rows, total), (1, 1, rows, total), (batch, queries, rows, total)], dtype) if flag(g) else None)
    if past:
        inputs += [shaped(g, batch, keys, past, extent, most=4.0, dtype=dtype) for extent in (size, width)]
    if flag(g, 0.3):
        attributes["is_causal"] = 1
        if total < rows:
            raise Refused("a query without a key")
        if past and rows == 1 and columns > 1:
            raise Refused("one query behind a cache: onnxruntime lets it see keys that come after it")
    if flag(g, 0.3):
        attributes["scale"] = float(g.random.uniform(0.1, 1.0))
    if flag(g, 0.3):
        attributes["softcap"] = float(g.random.uniform(1.0, 5.0))
    outputs = number(g, 3, 4) if past else int(one_of(g, "1", "4"))
    if outputs == 4:
        attributes["qk_matmul_output_mode"] = number(g, 0, 3)
    g.op(op, inputs, outputs=outputs, unused=() if past else (1, 2)[: outputs - 1], **attributes)


def mask(g: Graph, shapes: list[tuple[int, ...]], dtype: np.dtype) -> Value:
    shape = shapes[number(g, 0, len(shapes) - 1)]
    if flag(g):
        return weights(g, *shape, dtype=dtype)
    kept = g.random.random(shape) < 0.7
    kept[..., 0] = True
    return (g.constant if flag(g) else g.add_input)(kept)


def bias_for(g: Graph, shape: tuple[int, ...]) -> Value:
    """Broadcasts to scores of this shape."""
    return weights(g, *[extent if flag(g, 0.6) else 1 for extent in shape])


def biased_parts(g: Graph, op: str) -> None:
    """Attention in parts, with biases of scores in several shapes on the way to softmax."""
    windows, heads, rows, side = number(g, 1, 3), number(g, 1, 3), 8 * number(g, 1, 2), number(g, 1, 3)
    columns = side * number(g, 1, 3)
    query, keys = shaped(g, windows, heads, rows, 4, most=4.0), shaped(g, windows, heads, 4, columns, most=4.0)
    (scores,) = g.op("MatMul", [query, keys])
    shapes = [
        (windows, heads, rows, columns),
        (1, windows, heads, rows, columns),
        (windows * heads, rows, columns),
        (windows, heads, 4, rows // 4, side, columns // side),
    ]
    for _ in range(number(g, 1, 3)):
        shape = shapes[number(g, 0, len(shapes) - 1)]
        (scores,) = g.op("Reshape", [scores, g.ints(*shape)])
        for _ in range(number(g, 1, 2)):
            (scores,) = g.op("Add", [scores, bias_for(g, shape)])
    ends = [(windows, heads, rows, columns), (windows, heads, 4, rows // 4, columns), (windows, heads, rows, columns // side, side)]
    (scores,) = g.op("Reshape", [scores, g.ints(*ends[number(g, 0, 2)])])
    (odds,) = g.op(op, [scores], axis=scores.rank - 1)
    (odds,) = g.op("Reshape", [odds, g.ints(windows, heads, rows, columns)])
    g.op("MatMul", [odds, shaped(g, windows, heads, columns, number(g, 1, 5), most=4.0)])


def modifier(g: Graph, name: str, shape: tuple[int, ...]) -> onnx.GraphProto:
    """Scores or probabilities, scaled or bounded: a graph of one input and result."""
    info = [helper.make_tensor_value_info(f"{name}_{end}", onnx.TensorProto.FLOAT, shape) for end in "io"]
    step = helper.make_node(one_of(g, "Tanh", "Neg", "Sigmoid", "Identity"), [f"{name}_i"], [f"{name}_o"])
    return helper.make_graph([step], name, info[:1], info[1:])


def flexible(g: Graph, op: str) -> None:
    queries, keys = heads_of(g)
    batch, rows, columns, size, width = (number(g, 1, 5) for _ in range(5))
    inputs = [shaped(g, batch, heads, length, extent, most=4.0)
              for heads, length, extent in ((queries, rows, size), (keys, columns, size), (keys, columns, width))]  # fmt: skip
    given = {"scale": float(g.random.uniform(0.1, 1.0))} if flag(g, 0.3) else {}
    for name in ("score_mod", "prob_mod"):
        if flag(g, 0.4):
            given[name] = modifier(g, f"{name}{len(g.nodes)}", (batch, queries, rows, columns))
    g.op(op, inputs, **given)


def linear_attention(g: Graph, op: str) -> None:
    """Decays are at most 1 and rates small, so that the state does not grow."""
    queries, keys = heads_of(g)
    batch, steps, size, width = number(g, 1, 2), number(g, 1, 4), number(g, 1, 4), number(g, 1, 4)
    rule = one_of(g, "linear", "gated", "delta", "gated_delta")
    inputs: list[Value | None] = [
        shaped(g, batch, steps, extent, most=2.0) for extent in (queries * size, keys * size, keys * width)
    ]
    inputs.append(shaped(g, batch, keys, size, width, most=2.0) if flag(g) else None)
    decay = None
    if "gated" in rule:
        decay = g.add_input(-np.abs(g.random.random((batch, steps, keys * (size if flag(g) else 1)))).astype(np.float32))
    inputs.append(decay)
    if "delta" in rule:
        inputs.append(g.add_input(g.random.uniform(0, 0.3, (batch, steps, keys if flag(g) else 1)).astype(np.float32)))
    given = {"scale": float(g.random.uniform(0.1, 1.0))} if flag(g, 0.3) else {}
    g.op(op, inputs, outputs=2, update_rule=rule, q_num_heads=queries, kv_num_heads=keys, **given)


def rotary(g: Graph, op: str) -> None:
    heads, batch, steps, half, kept = number(g, 1, 3), number(g, 1, 2), number(g, 1, 5), number(g, 1, 4), number(g, 0, 2)
    kept = kept if flag(g, 0.4) else 0  # numbers that are not turned
    size = 2 * half + 2 * kept
    attributes = {"interleaved": number(g, 0, 1)}
    if kept:
        attributes["rotary_embedding_dim"] = 2 * half
    is_flat = flag(g) or bool(kept)  # onnxruntime wants num_heads for a part
    if is_flat:
        attributes["num_heads"] = heads
    shape = (batch, steps, heads * size) if flag(g) and is_flat else (batch, heads, steps, size)
    dtype = float_type(g)
    value = shaped(g, *shape, dtype=dtype)
    if flag(g):  # the angles of each position, or of each token
        positions = g.random.integers(0, 7, (batch, steps)).astype(np.int64)
        inputs = [weights(g, 7, half, dtype=dtype), weights(g, 7, half, dtype=dtype), (g.constant if flag(g) else g.add_input)(positions)]
    else:
        inputs = [weights(g, batch, steps, half, dtype=dtype), weights(g, batch, steps, half, dtype=dtype)]
    g.op(op, [value, *inputs], **attributes)


def rotary_parts(g: Graph, op: str) -> None:
    """As exporters write it: halves or every second number of heads, or of a part of them, change places and signs."""
    batch, steps, heads, half = number(g, 1, 2), number(g, 1, 5), number(g, 1, 3), number(g, 1, 4)
    kept = number(g, 1, 3) if flag(g, 0.4) else 0
    value = shaped(g, batch, steps, heads, 2 * half + kept, most=4.0)
    if flag(g):
        (value,) = g.op("Transpose", [value], perm=[0, 2, 1, 3])

    def part(of: Value, start: int, end: int, step: int = 1) -> Value:
        return g.op("Slice", [of, g.ints(start), g.ints(end), g.ints(3), g.ints(step)])[0]

    start = number(g, 0, kept)
    whole = part(value, start, start + 2 * half) if kept else value
    in_turns = flag(g)
    parts = [part(whole, i, 2 * half, 2) if in_turns else part(whole, i * half, (i + 1) * half) for i in (1, 0)]
    angles = [weights(g, *[1 if flag(g) else extent for extent in whole.shape[:3]], 2 * half) for _ in range(2)]
    if not in_turns and flag(g, 0.3):  # halves that are turned apart
        (across, straight), few = parts, [weights(g, whole.shape[2] if flag(g) else 1, half) for _ in range(2)]
        by = [[g.op("Mul", [each, angle])[0] for angle in few] for each in (straight, across)]
        ends = [g.op("Sub", [by[0][0], by[1][1]])[0], g.op("Add", [by[1][0], by[0][1]])[0]]
        g.op("Concat", ends, axis=3)
        return
    if flag(g, 0.1):
        parts.reverse()
    parts = [g.op(op, [each])[0] if flag(g, 0.8 if i == 0 else 0.2) else each for i, each in enumerate(parts)]
    if in_turns:
        parts = [g.op("Reshape", [each, g.ints(*each.shape, 1)])[0] for each in parts]
    (turned,) = g.op("Concat", parts, axis=4 if in_turns else 3)
    if in_turns:
        (turned,) = g.op("Reshape", [turned, g.ints(*whole.shape)])
    products = [g.op("Mul", [factor, angle])[0] for factor, angle in zip((whole, turned), angles)]
    g.op("Add", products)


def causal_convolution(g: Graph, op: str) -> None:
    batch, channels, length, taps = number(g, 1, 2), number(g, 1, 9), number(g, 1, 8), number(g, 2, 4)
    inputs = [shaped(g, batch, channels, length), weights(g, channels, 1, taps)]
    inputs.append(weights(g, channels) if flag(g) else None)
    inputs.append(shaped(g, batch, channels, taps - 1) if flag(g) else None)
    g.op(op, inputs, outputs=2, activation=one_of(g, "none", "silu", "swish"))


def cache_update(g: Graph, op: str) -> None:
    cache = pick(g, lambda v: v.rank >= 2 and v.kind in "fhiub")
    axis = number(g, 1, cache.rank - 1)
    length = number(g, 1, cache.shape[axis])
    update = shaped(g, *cache.shape[:axis], length, *cache.shape[axis + 1 :], dtype=cache.array.dtype)
    mode = one_of(g, "linear", "circular")
    last = cache.shape[axis] - (length if mode == "linear" else 1)
    starts = g.random.integers(0, last + 1, cache.shape[0]).astype(np.int64)
    place = (g.constant if flag(g) else g.add_input)(starts) if flag(g, 0.8) else None
    g.op(op, [cache, update, place], exact=True, mode=mode, axis=axis - cache.rank if flag(g) else axis)


def gated(g: Graph, op: str) -> None:
    value = pick(g, is_float)
    g.op(op, [value, pick(g, lambda v: is_float(v) and v.shape == value.shape)], alpha=float(g.random.uniform(0.5, 2)))


TABLE: list[tuple[Callable[[Graph, str], None], str]] = [
    (attention, "Attention"),
    (flexible, "ai.onnx.preview.FlexAttention"),
    (linear_attention, "LinearAttention"),
    (rotary, "RotaryEmbedding"),
    (causal_convolution, "CausalConvWithState"),
    (cache_update, "TensorScatter"),
    (gated, "SwiGLU"),
    (biased_parts, "Softmax"),
    (rotary_parts, "Neg"),
]
