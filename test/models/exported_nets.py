# SPDX-License-Identifier: Apache-2.0
"""Two small language models as PyTorch's exporter spells them, one as onnxruntime's own exporter does."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "models"))

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnx_nets  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

LAYERS, WIDTH, HEADS, VOCABULARY, BATCH, TOKENS = 2, 64, 4, 50, 2, 16
SIZE = WIDTH // HEADS
KEY_HEADS = 2  # of the third
RUNTIME = "com.microsoft"
LEAST = np.finfo(np.float32).min


class Builder(onnx_nets.Builder):
    def __init__(self) -> None:
        super().__init__(seed=5)
        self.inputs: list[onnx.ValueInfoProto] = []
        self.outputs: list[onnx.ValueInfoProto] = []

    def input(self, name: str, *shape: int, kind: int = TensorProto.INT64) -> str:
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, name: str, *shape: int) -> None:
        self.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def several(self, kind: str, inputs: Sequence[str], results: Sequence[str], **attributes) -> list[str]:
        """A node of onnxruntime's domain; a result that nobody reads is ''."""
        number = len(self.nodes)
        names = [f"{result}_{number}" if result and not result.startswith("present") else result for result in results]
        self.nodes.append(helper.make_node(kind, inputs, names, f"{kind}_{number}", domain=RUNTIME, **attributes))
        return names

    def product(self, x: str, inputs: int, outputs: int) -> str:
        return self.op("MatMul", x, self.normal(inputs, outputs, scale=inputs**-0.5))

    def scale(self) -> str:
        return self.constant(self.random.uniform(0.8, 1.2, WIDTH).astype(np.float32))

    def mean(self, x: str) -> str:
        return self.op("ReduceMean", x, axes=[-1], keepdims=1)

    def spelled_layer_norm(self, x: str) -> str:
        """As opsets before 17 have it."""
        centered = self.op("Sub", x, self.mean(x))
        variance = self.mean(self.op("Pow", centered, self.scalar(2)))
        deviation = self.op("Sqrt", self.op("Add", variance, self.scalar(1e-12)))
        normed = self.op("Mul", self.op("Div", centered, deviation), self.scale())
        return self.op("Add", normed, self.normal(WIDTH, scale=0.1))

    def rms_norm(self, x: str) -> str:
        squares = self.mean(self.op("Pow", x, self.scalar(2)))
        root = self.op("Sqrt", self.op("Add", squares, self.scalar(1e-6)))
        return self.op("Mul", self.scale(), self.op("Mul", x, self.op("Div", self.scalar(1), root)))

    def gated(self, x: str) -> str:
        """SiLU of one product times another, and a third."""
        gate, up = self.product(x, WIDTH, 2 * WIDTH), self.product(x, WIDTH, 2 * WIDTH)
        swish = self.op("Mul", gate, self.op("Sigmoid", gate))
        return self.product(self.op("Mul", swish, up), 2 * WIDTH, WIDTH)

    def extent(self, x: str, dimension: int) -> str:
        return self.op("Gather", self.op("Shape", x), self.constant(np.array(dimension, np.int64)))

    def shape(self, *parts: str | int) -> str:
        """Numbers, and what the data's own shape says."""
        pieces = [
            self.integers(part) if isinstance(part, int) else self.op("Unsqueeze", part, self.integers(0)) for part in parts
        ]
        return self.op("Concat", *pieces, axis=0)

    def model(self, name: str, opset: int) -> onnx.ModelProto:
        graph = helper.make_graph(self.nodes, name, self.inputs, self.outputs, self.weights)
        opsets = [helper.make_opsetid("", opset), helper.make_opsetid(RUNTIME, 1)]
        return onnx.shape_inference.infer_shapes(helper.make_model(graph, opset_imports=opsets, ir_version=8))


def bert() -> onnx.ModelProto:
    """An encoder: a mask of padding, GELU by the error function, norms behind sums."""
    b = Builder()
    ids, mask, kinds = (b.input(name, BATCH, TOKENS) for name in ("input_ids", "attention_mask", "token_type_ids"))
    open_ = b.op("Cast", b.op("Unsqueeze", b.op("Unsqueeze", mask, b.integers(1)), b.integers(2)), to=TensorProto.FLOAT)
    bias = b.op("Mul", b.op("Sub", b.scalar(1), open_), b.scalar(-10000))
    words = b.op("Gather", b.normal(VOCABULARY, WIDTH), ids)
    places = b.op("Gather", b.normal(32, WIDTH), b.constant(np.arange(TOKENS)[None]))
    x = b.op("Add", b.op("Add", words, b.op("Gather", b.normal(2, WIDTH), kinds)), places)
    x = b.spelled_layer_norm(x)
    for _ in range(LAYERS):
        orders = ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])
        query, key, value = (
            b.op("Transpose", b.op("Reshape", b.linear(x, WIDTH, WIDTH), b.integers(0, 0, HEADS, SIZE)), perm=order)
            for order in orders
        )
        scores = b.op("Add", b.op("Div", b.op("MatMul", query, key), b.scalar(SIZE**0.5)), bias)
        mixed = b.op("Transpose", b.op("MatMul", b.op("Softmax", scores, axis=-1), value), perm=[0, 2, 1, 3])
        mixed = b.linear(b.op("Reshape", mixed, b.integers(0, 0, WIDTH)), WIDTH, WIDTH)
        x = b.spelled_layer_norm(b.op("Add", mixed, x))
        inner = b.gelu(b.linear(x, WIDTH, 2 * WIDTH))
        x = b.spelled_layer_norm(b.op("Add", b.linear(inner, 2 * WIDTH, WIDTH), x))
    b.output(x, BATCH, TOKENS, WIDTH)
    return b.model("bert", opset=17)


def _rotated(b: Builder, x: str, tables: list[str]) -> str:
    """x times cosines, and its halves changed with each other times sines."""
    half = b.op("Unsqueeze", b.op("Div", b.extent(x, 3), b.constant(np.array(2))), b.integers(0))
    low = b.op("Slice", x, b.integers(0), half, b.integers(3), b.integers(1))
    high = b.op("Slice", x, half, b.integers(2**63 - 1), b.integers(3), b.integers(1))
    changed = b.op("Concat", b.op("Neg", high), low, axis=-1)
    return b.op("Add", b.op("Mul", x, tables[0]), b.op("Mul", changed, tables[1]))


def _angles() -> np.ndarray:
    return np.outer(np.arange(64), 10000.0 ** (-np.arange(0, SIZE, 2) / SIZE)).astype(np.float32)


def llama() -> onnx.ModelProto:
    """A decoder: root mean square norms, rotary embeddings, SiLU with a gate, a causal mask and one of padding."""
    b = Builder()
    ids, mask, places = (b.input(name, BATCH, TOKENS) for name in ("input_ids", "attention_mask", "position_ids"))
    wide = b.op("Expand", b.op("Unsqueeze", b.op("Unsqueeze", mask, b.integers(1)), b.integers(2)),
                b.integers(BATCH, 1, TOKENS, TOKENS))  # fmt: skip
    closed = b.op("Sub", b.scalar(1), b.op("Cast", wide, to=TensorProto.FLOAT))
    padding = b.op("Where", b.op("Cast", closed, to=TensorProto.BOOL), b.scalar(-1e9), closed)
    bias = b.op("Add", padding, b.constant(np.triu(np.full((1, 1, TOKENS, TOKENS), -1e9, np.float32), 1)))
    tables = [  # nodes, as the optimizer looks for them
        b.op("Constant", value=numpy_helper.from_array(np.tile(table, 2))) for table in (np.cos(_angles()), np.sin(_angles()))
    ]
    x = b.op("Gather", b.normal(VOCABULARY, WIDTH), ids)
    for _ in range(LAYERS):
        normed = b.rms_norm(x)
        extents = [b.extent(normed, dimension) for dimension in (0, 1)]
        query, key, value = (
            b.op("Transpose", b.op("Reshape", b.product(normed, WIDTH, WIDTH), b.shape(*extents, HEADS, SIZE)), perm=[0, 2, 1, 3])
            for _ in range(3)
        )
        length = b.op("Unsqueeze", b.extent(key, 2), b.integers(0))
        picked = [
            b.op("Unsqueeze", b.op("Gather", b.op("Slice", table, b.integers(0), length, b.integers(0), b.integers(1)), places),
                 b.integers(1))
            for table in tables
        ]  # fmt: skip
        query, key = _rotated(b, query, picked), _rotated(b, key, picked)
        scores = b.op("Div", b.op("MatMul", query, b.op("Transpose", key, perm=[0, 1, 3, 2])), b.scalar(SIZE**0.5))
        weights = b.op("Softmax", b.op("Add", scores, bias), axis=-1)
        mixed = b.op("Transpose", b.op("MatMul", weights, value), perm=[0, 2, 1, 3])
        x = b.op("Add", x, b.product(b.op("Reshape", mixed, b.shape(*extents, WIDTH)), WIDTH, WIDTH))
        x = b.op("Add", x, b.gated(b.rms_norm(x)))
    last = b.rms_norm(x)
    b.output(last, BATCH, TOKENS, WIDTH)
    return b.model("llama", opset=17)


def grouped(
    tokens: int, past: int, batch: int = BATCH, is_packed: bool = True, total: int | None = None
) -> onnx.ModelProto:
    """A decoder with a cache as onnxruntime-genai's exporter writes it: two heads of keys for four of queries.

    `total` is the length of the mask, if the cache is longer than the tokens before.
    """
    b = Builder()
    total = total or past + tokens
    ids, mask = b.input("input_ids", batch, tokens), b.input("attention_mask", batch, total)
    sums = b.op("ReduceSum", mask, b.integers(1), keepdims=0)
    lengths = b.op("Cast", b.op("Sub", sums, b.integers(1)), to=TensorProto.INT32)
    longest = b.op("Cast", b.extent(mask, 1), to=TensorProto.INT32)
    tables = [b.constant(table) for table in (np.cos(_angles()), np.sin(_angles()))]
    x = b.op("Gather", b.normal(VOCABULARY, WIDTH), ids)
    normed = b.op("SimplifiedLayerNormalization", x, b.scale(), axis=-1, epsilon=1e-6, stash_type=1)
    for layer in range(LAYERS):
        widths = [WIDTH, KEY_HEADS * SIZE, KEY_HEADS * SIZE]
        if is_packed:
            operands = [b.product(normed, WIDTH, sum(widths)), "", ""]
        else:
            operands = [b.product(normed, WIDTH, width) for width in widths]
        shape = (batch, KEY_HEADS, past, SIZE)
        caches = [b.input(f"past.{layer}.{what}", *shape, kind=TensorProto.FLOAT) for what in ("key", "value")]
        results = ["mixed", *(f"present.{layer}.{what}" for what in ("key", "value"))]
        mixed, *present = b.several("GroupQueryAttention", [*operands, *caches, lengths, longest, *tables], results,
                                    num_heads=HEADS, kv_num_heads=KEY_HEADS, do_rotary=1)  # fmt: skip
        for name in present:
            b.output(name, batch, KEY_HEADS, max(total, past), SIZE)
        for step in (lambda: b.product(mixed, WIDTH, WIDTH), lambda: b.gated(normed)):
            normed, _, _, x = b.several("SkipSimplifiedLayerNormalization", [x, step(), b.scale()], ["normed", "", "", "sum"],
                                        epsilon=1e-6)  # fmt: skip
    b.output(normed, batch, tokens, WIDTH)
    return b.model("grouped", opset=21)
