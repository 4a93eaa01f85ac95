# SPDX-License-Identifier: Apache-2.0
"""Nodes of random models that onnxruntime's optimizer and its exporters of language models write."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .choose import flag, image, is_float, number, one_of, pick, shaped, weights, window
from .graph import Graph, Refused, Value

MOST = 4.0  # of what softmax's scores are made of


def either(g: Graph, array: np.ndarray) -> Value:
    """A constant or an input."""
    return (g.constant if flag(g) else g.add_input)(array)


def vector(g: Graph, size: int, chance: float = 1.0) -> Value | None:
    return weights(g, size) if flag(g, chance) else None


def activation(g: Graph, op: str) -> None:
    value = pick(g, lambda v: is_float(v) and v.rank in (2, 3))
    if op.endswith("QuickGelu"):
        g.op(op, [value], alpha=float(g.random.uniform(0.5, 2)))
        return
    g.op(op, [value, vector(g, value.shape[-1], 0.5 if op.endswith("FastGelu") else 1.0)])


def product(g: Graph, op: str) -> None:
    """With matrices turned, and with their batch between their dimensions."""
    batch, rows, depth, columns = (number(g, 1, 5) for _ in range(4))
    turned, inside = [flag(g), flag(g)], [flag(g, 0.4), flag(g, 0.4)]
    inputs = []
    for i, (first, last) in enumerate(((rows, depth), (depth, columns))):
        if turned[i]:
            first, last = last, first
        inputs.append(shaped(g, *((first, batch, last) if inside[i] else (batch, first, last)), most=MOST))
    g.op(op, inputs, transA=int(turned[0]), transB=int(turned[1]), transBatchA=int(inside[0]), transBatchB=int(inside[1]),
         alpha=float(g.random.uniform(0.3, 1.5)))  # fmt: skip


def product_and_function(g: Graph, op: str) -> None:
    value = pick(g, lambda v: is_float(v) and v.rank == 2)
    columns = number(g, 1, 20)
    name = one_of(g, "Relu", "Tanh", "Sigmoid", "Softplus", "LeakyRelu", "HardSigmoid", "Elu")
    parameters = {"activation_alpha": 0.3} if name in ("LeakyRelu", "HardSigmoid", "Elu") else {}
    if name == "HardSigmoid":
        parameters["activation_beta"] = 0.4
    matrix = weights(g, value.shape[1], columns, scale=1.0 / np.sqrt(value.shape[1]))
    g.op(op, [value, matrix, vector(g, columns, 0.5)], activation=name, **parameters)


def convolution(g: Graph, op: str) -> None:
    value = image(g)
    outputs, attributes = number(g, 1, 20), window(g, value)
    kernel = attributes["kernel_shape"]
    weight = weights(g, outputs, value.shape[1], *kernel, scale=1.0 / np.sqrt(value.shape[1] * np.prod(kernel)))
    inputs = [value, weight, vector(g, outputs, 0.5)]
    name = one_of(g, "Relu", "Tanh", "Sigmoid", "LeakyRelu", "HardSigmoid", "Clip")
    parameters = {"LeakyRelu": [0.2], "HardSigmoid": [0.3, 0.4], "Clip": [-0.5, 0.75]}.get(name)
    if parameters:
        attributes["activation_params"] = parameters
    if flag(g) and value.rank == 4:  # onnxruntime adds to images alone
        state = g.state()
        (sum_,) = g.op(op, inputs, **attributes)
        g.restore(state)
        inputs = [*(inputs + [None])[:3], g.add_input(g.random.uniform(-1, 1, sum_.shape).astype(np.float32))]
    g.op(op, inputs, activation=name, **attributes)


def norm(g: Graph, op: str) -> None:
    value = pick(g, lambda v: is_float(v) and v.rank in (2, 3) and v.shape[-1] > 1)
    g.op(op, [value, weights(g, value.shape[-1])], axis=-1, epsilon=1e-2)


def norm_behind_sum(g: Graph, op: str) -> None:
    batch, rows, size = number(g, 1, 3), number(g, 1, 5), number(g, 2, 20)
    value = shaped(g, batch, rows, size)
    skip = shaped(g, *[(batch, rows, size), (1, rows, size), (rows, size)][number(g, 0, 2)])
    centered = [vector(g, size, 0.7)] if op.endswith("SkipLayerNormalization") else []
    inputs = [value, skip, weights(g, size), *centered, vector(g, size, 0.5)]
    outputs = 4 if flag(g) else 1
    g.op(op, inputs, outputs=outputs, unused=(1, 2) if outputs == 4 else (), epsilon=1e-2)


def embedding(g: Graph, op: str) -> None:
    """onnxruntime wants a name for the mask's counts."""
    batch, rows, size, words = number(g, 1, 3), number(g, 1, 5), number(g, 2, 20), number(g, 2, 9)

    def ids(most: int) -> Value:
        return either(g, g.random.integers(0, most, (batch, rows)).astype(np.int32))

    has_segments = flag(g)
    inputs = [ids(words), ids(2) if has_segments else None, weights(g, words, size), weights(g, rows + 2, size),
              weights(g, 2, size) if has_segments else None, weights(g, size), weights(g, size),
              ids(2) if flag(g) else None, ids(rows + 2) if flag(g, 0.3) else None]  # fmt: skip
    g.op(op, inputs, outputs=3, epsilon=1e-2)


def attention_mask(g: Graph, batch: int, rows: int, total: int, has_starts: bool) -> Value | None:
    """Each row leaves the first key: what is left of scores behind a mask of all is their rounding."""
    kind = number(g, 0, 4 if has_starts else 3)
    if kind == 0:
        return None
    if kind == 1:
        return either(g, g.random.integers(1, total + 1, batch).astype(np.int32))
    if kind == 4:
        ends = g.random.integers(1, total + 1, batch)
        return either(g, np.concatenate([ends, np.zeros(batch)]).astype(np.int32))
    kept = (g.random.random((batch, total) if kind == 2 else (batch, rows, total)) < 0.7).astype(np.int32)
    kept[..., 0] = 1
    return either(g, kept)


def score_bias(g: Graph, batch: int, heads: int, rows: int, total: int) -> Value | None:
    """One for all samples, or for each sample and head: onnxruntime reads beyond one for each sample alone."""
    shape = [(1, heads, rows, total), (1, 1, rows, total), (batch, heads, rows, total)][number(g, 0, 2)]
    return shaped(g, *shape, most=MOST) if flag(g, 0.4) else None


def joint_attention(g: Graph, op: str) -> None:
    """With a bias: without one onnxruntime reads what is not there."""
    heads, batch, rows, size, width = number(g, 1, 3), number(g, 1, 2), number(g, 1, 5), number(g, 1, 5), number(g, 1, 5)
    past = number(g, 1, 3) if flag(g, 0.3) else 0
    values = size if past or flag(g) else width
    hidden = number(g, 2, 9)
    columns = heads * (2 * size + values)
    given = {"num_heads": heads, "unidirectional": number(g, 0, 1)}
    if flag(g, 0.3):
        given["scale"] = float(g.random.uniform(0.1, 1))
    if op.endswith("QAttention"):
        values, columns = size, 3 * heads * size
        data = g.add_input(g.random.integers(0, 256, (batch, rows, hidden)).astype(np.uint8))
        kind = (np.int8, np.uint8)[number(g, 0, 1)]
        matrix = g.constant(g.random.integers(0, 100, (hidden, columns)).astype(kind))
        each = columns if flag(g) else ()
        scales = [g.constant(np.float32(0.02)), g.constant(g.random.uniform(0.005, 0.01, each).astype(np.float32))]
        zeros = [g.constant(np.uint8(120)), g.constant(np.full(each, 50, kind))] if flag(g) else [None, None]
        inputs = [data, matrix, weights(g, columns), *scales]
    else:
        if values != size:
            given["qkv_hidden_sizes"] = [heads * size, heads * size, heads * values]
        inputs = [shaped(g, batch, rows, hidden, most=MOST), weights(g, hidden, columns), weights(g, columns)]
    inputs.append(attention_mask(g, batch, rows, rows + past, True))
    if op.endswith("QAttention"):
        inputs += zeros
    inputs.append(shaped(g, 2, batch, heads, past, size, most=MOST) if past else None)
    if not past and not op.endswith("QAttention"):
        inputs.append(score_bias(g, batch, heads, rows, rows))
    g.op(op, inputs, outputs=2 if past or (values == size and flag(g)) else 1, **given)


def multi_head(g: Graph, op: str) -> None:
    """Packed operands onnxruntime has for other processors alone, and without the new cache it forgets the old one."""
    heads, batch, rows, columns, size, width = (number(g, 1, 3), number(g, 1, 2), *(number(g, 1, 5) for _ in range(4)))
    given = {"num_heads": heads}
    if flag(g, 0.3):
        given["unidirectional"], columns = 1, rows
    if flag(g, 0.3):
        given["scale"] = float(g.random.uniform(0.1, 1))
    apart = flag(g, 0.2)  # keys and values by heads
    past = number(g, 1, 3) if not apart and flag(g, 0.3) else 0
    width = size if apart or past else width
    inputs: list[Value | None] = [shaped(g, batch, rows, heads * size, most=MOST)]
    inputs += [
        shaped(g, *((batch, heads, columns, extent) if apart else (batch, columns, heads * extent)), most=MOST)
        for extent in (size, width)
    ]
    inputs.append(weights(g, heads * (2 * size + width)) if not apart and flag(g) else None)
    total = columns + past
    inputs += [attention_mask(g, batch, rows, total, False), score_bias(g, batch, heads, rows, total)]
    if past:
        inputs += [shaped(g, batch, heads, past, extent, most=MOST) for extent in (size, width)]
    g.op(op, inputs, outputs=3 if past else 1, **given)


def rotary(g: Graph, op: str) -> None:
    heads, batch, rows, half, kept = number(g, 1, 3), number(g, 1, 2), number(g, 1, 5), number(g, 1, 4), number(g, 0, 2)
    size = 2 * half + 2 * kept
    given = {"interleaved": number(g, 0, 1)}
    if kept:
        given |= {"rotary_embedding_dim": 2 * half, "num_heads": heads}
    shape = (batch, heads, rows, size) if flag(g) else (batch, rows, heads * size)
    places = g.random.integers(0, 4, 1 if flag(g) else (batch, rows)).astype(np.int64)
    g.op(op, [shaped(g, *shape), either(g, places), weights(g, 9, half), weights(g, 9, half)], **given)


def grouped(g: Graph, op: str) -> None:
    """Heads of multiples of 16, as onnxruntime wants them; the first tokens, or some behind a cache."""
    keys, size, is_first = number(g, 1, 2), 16, flag(g, 0.4)
    heads = keys * number(g, 1, 2)
    batch = number(g, 1, 2)
    rows = number(g, 1, 5) if is_first or batch == 1 else 1
    kept = np.zeros(batch, int) if is_first else g.random.integers(0 if rows > 1 else 1, 6, batch)
    total = rows + int(kept.max())
    past = None if is_first and flag(g) else int(kept.max()) + number(g, 0, 3)
    if past == 0 or (rows == total and not is_first):
        raise Refused("an empty cache")
    widths = [heads * size, keys * size, keys * size]
    if flag(g):
        inputs: list[Value | None] = [shaped(g, batch, rows, sum(widths), most=MOST), None, None]
    else:
        inputs = [shaped(g, batch, rows, width, most=MOST) for width in widths]
    inputs += [None, None] if past is None else [shaped(g, batch, keys, past, size, most=MOST) for _ in range(2)]
    lengths = np.full(batch, total - 1) if is_first else kept + rows - 1
    inputs += [either(g, lengths.astype(np.int32)), g.constant(np.array(total, np.int32))]
    given = {"num_heads": heads, "kv_num_heads": keys}
    if flag(g):
        given |= {"do_rotary": 1, "rotary_interleaved": number(g, 0, 1)}
        inputs += [weights(g, 16, size // 2), weights(g, 16, size // 2)]
    if flag(g, 0.3):
        given["local_window_size"] = number(g, 1, 4)
    for name in ("softcap", "scale"):
        if flag(g, 0.3):
            given[name] = float(g.random.uniform(0.2, 2))
    bias = score_bias(g, batch, heads, rows, total)
    sink = weights(g, heads) if flag(g, 0.2) else None
    if flag(g, 0.2):
        given["smooth_softmax"] = 1
    inputs += [None] * (9 - len(inputs)) + [None, bias, sink]
    g.op(op, inputs, outputs=3, **given)


TABLE: list[tuple[Callable[[Graph, str], None], str]] = [
    (activation, "com.microsoft.BiasGelu com.microsoft.FastGelu com.microsoft.QuickGelu"),
    (product, "com.microsoft.FusedMatMul"),
    (product_and_function, "com.microsoft.FusedGemm"),
    (convolution, "com.microsoft.FusedConv"),
    (norm, "SimplifiedLayerNormalization"),
    (norm_behind_sum, "com.microsoft.SkipLayerNormalization com.microsoft.SkipSimplifiedLayerNormalization"),
    (embedding, "com.microsoft.EmbedLayerNormalization"),
    (joint_attention, "com.microsoft.Attention com.microsoft.QAttention"),
    (multi_head, "com.microsoft.MultiHeadAttention"),
    (rotary, "com.microsoft.RotaryEmbedding"),
    (grouped, "com.microsoft.GroupQueryAttention"),
]
