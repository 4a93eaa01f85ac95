# SPDX-License-Identifier: Apache-2.0
"""Each form of what onnxruntime's optimizer and its exporters of language models write, against onnxruntime."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
import suite  # noqa: E402
from graph_case import GraphCase  # noqa: E402
from onnx import helper  # noqa: E402
from random_ops.graph import Graph, Value  # noqa: E402

BATCH, ROWS, HEADS, SIZE = 2, 12, 4, 16
WIDTH = HEADS * SIZE


class RuntimeOpsTest(GraphCase):
    plans = ("npu-nhwc/optimal", "host/optimal")

    def setUp(self) -> None:
        self.graph = Graph(np.random.default_rng(0), 21)

    def real(self, *shape: int) -> Value:
        return self.graph.add_input(self.graph.random.standard_normal(shape).astype(np.float32))

    def weight(self, *shape: int) -> Value:
        return self.graph.constant((self.graph.random.standard_normal(shape) * shape[0] ** -0.5).astype(np.float32))

    def integers(self, *numbers: object) -> list[Value]:
        """The same as a constant and as an input."""
        array = np.array(numbers, np.int32)
        return [self.graph.constant(array), self.graph.add_input(array)]

    def op(self, kind: str, inputs: Sequence[Value | None], **attributes) -> list[Value]:
        return self.graph.op(f"com.microsoft.{kind}", inputs, **attributes)

    def like(self, expected: Sequence[Value], kind: str, inputs: Sequence[Value | None], **attributes) -> None:
        """A node that onnxruntime has no kernel for here, whose results are known from others."""
        number = len(self.graph.nodes)
        results = [Value(f"v{number}_{i}", value.array, False) for i, value in enumerate(expected)]
        words = [value.name if value else "" for value in inputs]
        names = [value.name for value in results]
        node = helper.make_node(kind, words, names, f"{kind}_{number}", domain="com.microsoft", **attributes)
        self.graph.nodes.append(node)
        self.graph.read |= {word for word in words if word}
        self.graph.values += results

    def test_steps(self) -> None:
        x, bias = self.real(2, 3, 8), self.weight(8)
        self.op("BiasGelu", [x, bias])
        self.op("FastGelu", [x])
        self.op("FastGelu", [x, bias])
        self.op("QuickGelu", [x])
        self.op("QuickGelu", [x], alpha=0.7)

    def test_norms(self) -> None:
        x, skip, row, flat = self.real(2, 3, 8), self.real(2, 3, 8), self.real(1, 3, 8), self.real(3, 8)
        scale, shift, bias = self.weight(8), self.weight(8), self.weight(8)
        for other in (skip, row, flat):
            self.op("SkipLayerNormalization", [x, other, scale, shift, bias], outputs=4, unused=(1, 2), epsilon=1e-3)
            self.op("SkipSimplifiedLayerNormalization", [x, other, scale, bias], outputs=4, unused=(1, 2))
        self.op("SkipLayerNormalization", [x, skip, scale])
        self.op("SkipSimplifiedLayerNormalization", [flat, flat, scale])
        self.graph.op("SimplifiedLayerNormalization", [x, scale], outputs=2, axis=-1, epsilon=1e-3, stash_type=1)
        half = self.graph.constant(scale.array.astype(np.float16))
        self.graph.op("SimplifiedLayerNormalization", [x, half])
        (product,) = self.graph.op("MatMul", [x, self.weight(8, 8)])
        self.op("SkipLayerNormalization", [x, product, scale, shift, bias])

    def test_norm_of_an_old_opset(self) -> None:
        """onnxruntime has it since opset 1, ONNX since 17."""
        self.graph = Graph(np.random.default_rng(0), 17)
        self.graph.op("LayerNormalization", [self.real(2, 8), self.weight(8), self.weight(8)])
        self.graph.opset = 13

    def test_embeddings(self) -> None:
        words, places, kinds, scale, shift = (self.weight(rows, 8) for rows in (9, 6, 2, 1, 1))
        scale, shift = (self.graph.constant(value.array[0]) for value in (scale, shift))
        for ids, mask in zip(self.integers([1, 8, 3], [0, 2, 7]), self.integers([1, 1, 0], [0, 1, 2])):
            self.op("EmbedLayerNormalization", [ids, mask, words, places, self.weight(3, 8), scale, shift, mask], outputs=3)
            self.op("EmbedLayerNormalization", [ids, None, words, places, None, scale, shift], outputs=2)
            for position in (self.integers([4, 0, 5], [1, 2, 3]), self.integers([5, 0, 2])):
                inputs = [ids, None, words, places, None, scale, shift, None, position[1]]
                self.op("EmbedLayerNormalization", inputs, outputs=3, mask_index_type=0)

    def test_products(self) -> None:
        for turned in (0, 1):
            for inside in (0, 1):
                shape = {(0, 0): (2, 3, 4), (1, 0): (2, 4, 3), (0, 1): (3, 2, 4), (1, 1): (4, 2, 3)}[turned, inside]
                self.op("FusedMatMul", [self.real(*shape), self.real(2, 4, 5)], transA=turned, transBatchA=inside, alpha=0.5)
                shape = {(0, 0): (2, 4, 5), (1, 0): (2, 5, 4), (0, 1): (4, 2, 5), (1, 1): (5, 2, 4)}[turned, inside]
                self.op("FusedMatMul", [self.real(2, 3, 4), self.weight(*shape)], transB=turned, transBatchB=inside)
        self.op("FusedMatMul", [self.real(3, 2, 2, 4), self.real(2, 2, 4, 5)], transBatchA=1)
        self.op("FusedMatMul", [self.real(3, 4), self.weight(5, 4)], transB=1, alpha=-2.0)
        self.op("FusedMatMul", [self.real(4), self.real(2, 5, 4)], transA=1, transB=1)

    def test_products_and_functions(self) -> None:
        x, image = self.real(3, 8), self.real(1, 4, 6, 6)
        for name, *parameters in (("Relu",), ("Tanh",), ("Sigmoid",), ("Softplus",), ("LeakyRelu", 0.2),
                                  ("HardSigmoid", 0.3, 0.4), ("Elu", 0.5), ("Clip", -0.5, 0.25)):  # fmt: skip
            given = dict(zip(("activation_alpha", "activation_beta"), parameters))
            if name != "Clip":
                self.op("FusedGemm", [x, self.weight(5, 8), self.weight(5)], transB=1, activation=name, **given)
            if name in ("Softplus", "Elu"):
                continue
            given = {"activation_params": list(parameters)} if parameters else {}
            self.op("FusedConv", [image, self.weight(5, 4, 3, 3), self.weight(5)], activation=name, **given)
        self.op("FusedConv", [image, self.weight(5, 4, 3, 3)])
        self.op("FusedConv", [image, self.weight(5, 4, 3, 3), None, self.real(1, 5, 4, 4)], activation="Relu")

    def joint(self, *more: Value | None, columns: int = 3 * WIDTH, **attributes) -> None:
        inputs = [self.real(BATCH, ROWS, 24), self.weight(24, columns), self.weight(columns), *more]
        self.op("Attention", inputs, num_heads=HEADS, **attributes)

    def masks(self, total: int, has_spans: bool) -> list[Value]:
        """Lengths, ends and starts, lengths and places, which keys count for all queries and for each."""
        kept = np.ones((BATCH, ROWS, total), np.int32)
        kept[0, :, 5:7], kept[1, 4:, 2] = 0, -1
        found = self.integers(5, total) + self.integers(5, total, *range(6)) + self.integers(*kept[:, 4])
        return found + self.integers(*kept) + (self.integers(5, total, 1, 2) if has_spans else [])

    def test_attention(self) -> None:
        self.joint()
        self.joint(scale=0.3)
        self.joint(unidirectional=1)
        self.joint(columns=2 * WIDTH + HEADS * 5, qkv_hidden_sizes=[WIDTH, WIDTH, HEADS * 5])
        self.joint(outputs=2)
        for mask in self.masks(ROWS, True):
            self.joint(mask)
        self.joint(self.masks(ROWS, True)[1], unidirectional=1)
        self.joint(self.masks(ROWS, True)[4], mask_filter_value=-2.0)
        for shape in ((BATCH, 1), (1, 1)):  # says nothing
            self.joint(self.graph.constant(np.zeros(shape, np.int32)))

    def test_attention_with_a_bias(self) -> None:
        for shape in ((BATCH, HEADS), (1, HEADS), (1, 1)):
            self.joint(None, None, self.real(*shape, ROWS, ROWS))
        self.joint(self.masks(ROWS, True)[0], None, self.real(BATCH, HEADS, ROWS, ROWS), unidirectional=1)

    def test_attention_with_a_cache(self) -> None:
        past = self.real(2, BATCH, HEADS, 3, SIZE)
        self.joint(None, past, outputs=2, unidirectional=1)
        for mask in self.masks(ROWS + 3, True)[:6]:
            self.joint(mask, past, outputs=2)
        self.joint(None, self.real(2, BATCH, HEADS, 0, SIZE), outputs=2)

    def test_attention_without_a_bias(self) -> None:
        """onnxruntime reads what is not there."""
        x, weights = self.real(BATCH, ROWS, 24), self.weight(24, 3 * WIDTH)
        zeros = self.graph.constant(np.zeros(3 * WIDTH, np.float32))
        expected = self.op("Attention", [x, weights, zeros], num_heads=HEADS)
        self.like(expected, "Attention", [x, weights], num_heads=HEADS)

    def test_attention_of_bytes(self) -> None:
        """Scales and zero points of the matrix for all columns, and for each."""
        random = self.graph.random
        data = self.graph.add_input(random.integers(0, 256, (BATCH, ROWS, 24)).astype(np.uint8))
        bias, scale = self.weight(3 * WIDTH), self.graph.constant(np.float32(0.01))
        for kind in (np.int8, np.uint8):
            matrix = self.graph.constant(random.integers(0, 100, (24, 3 * WIDTH)).astype(kind))
            for each in ((), 3 * WIDTH):
                scales = self.graph.constant(random.uniform(0.002, 0.004, each).astype(np.float32))
                zeros = self.graph.constant(np.full(each, 50, kind))
                inputs = [data, matrix, bias, scale, scales]
                self.op("QAttention", [*inputs, None, self.graph.constant(np.uint8(120)), zeros], num_heads=HEADS)
            self.op("QAttention", [*inputs, self.masks(ROWS, True)[1]], num_heads=HEADS, unidirectional=1, scale=0.2)
        past = self.real(2, BATCH, HEADS, 3, SIZE)
        self.op("QAttention", [*inputs, None, None, None, past], outputs=2, num_heads=HEADS, unidirectional=1)

    def apart(self, *more: Value | None, keys: int = 10, width: int = 5, **attributes) -> list[Value]:
        inputs = [self.real(BATCH, ROWS, WIDTH), self.real(BATCH, keys, WIDTH), self.real(BATCH, keys, HEADS * width)]
        return self.op("MultiHeadAttention", [*inputs, *more], num_heads=HEADS, **attributes)

    def test_multi_head(self) -> None:
        self.apart()
        self.apart(scale=-0.2)
        self.apart(keys=ROWS, unidirectional=1)
        self.apart(self.weight(2 * WIDTH + HEADS * 5))
        for mask in self.masks(10, False):
            self.apart(None, mask)
        for shape in ((BATCH, HEADS), (1, HEADS), (1, 1)):
            self.apart(None, None, self.real(*shape, ROWS, 10))
        self.apart(self.weight(2 * WIDTH + HEADS * 5), self.masks(10, False)[1], self.real(BATCH, HEADS, ROWS, 10))
        heads = [self.real(BATCH, HEADS, 10, SIZE) for _ in range(2)]
        self.op("MultiHeadAttention", [self.real(BATCH, ROWS, WIDTH), *heads], num_heads=HEADS, outputs=3)

    def test_multi_head_with_a_cache(self) -> None:
        for length in (0, 3):
            past = [self.real(BATCH, HEADS, length, SIZE) for _ in range(2)]
            self.apart(None, None, None, *past, width=SIZE, outputs=3)
            self.apart(None, None, None, *past, keys=ROWS, width=SIZE, outputs=3, unidirectional=1)
            self.apart(None, self.masks(10 + length, False)[4], None, *past, width=SIZE, outputs=3)

    def test_packed_operands(self) -> None:
        """onnxruntime has them for other processors alone; without a bias, and with one."""
        parts = [self.graph.random.standard_normal((BATCH, ROWS, HEADS, SIZE)).astype(np.float32) for _ in range(3)]
        query, key, value = (self.graph.add_input(part.reshape(BATCH, ROWS, WIDTH)) for part in parts)
        expected = self.op("MultiHeadAttention", [query, key, value], num_heads=HEADS)
        packed = self.graph.add_input(np.stack(parts, 3))
        self.like(expected, "MultiHeadAttention", [packed], num_heads=HEADS)
        self.like(expected, "MultiHeadAttention", [query, self.graph.add_input(np.stack(parts[1:], 3))], num_heads=HEADS)
        bias = self.weight(3 * WIDTH)
        expected = self.op("MultiHeadAttention", [query, key, value, bias], num_heads=HEADS)
        self.like(expected, "MultiHeadAttention", [packed, None, None, bias], num_heads=HEADS)

    def test_rotary(self) -> None:
        flat, heads, tables = self.real(BATCH, 5, WIDTH), self.real(BATCH, HEADS, 5, SIZE), [self.weight(9, 8), self.weight(9, 8)]
        few = [self.weight(9, 4), self.weight(9, 4)]
        ids = self.graph.random.integers(0, 9, (BATCH, 5))
        for array in (np.array([3], np.int64), ids):
            for places in (self.graph.constant(array), self.graph.add_input(array)):
                for interleaved in (0, 1):
                    given = {"interleaved": interleaved}
                    self.op("RotaryEmbedding", [flat, places, *tables], num_heads=interleaved * HEADS, **given)
                    self.op("RotaryEmbedding", [heads, places, *tables], is_packed_batching=1, **given)
                    given |= {"rotary_embedding_dim": 8, "num_heads": HEADS}
                    self.op("RotaryEmbedding", [flat, places, *few], **given)
                    self.op("RotaryEmbedding", [heads, places, *few], **given)

    def grouped(
        self, lengths: Value, total: int, *more: Value | None, rows: int = ROWS, past: int | None = None, batch: int = BATCH,
        **attributes,
    ) -> None:  # fmt: skip
        """Two heads of keys for four of queries."""
        inputs: list[Value | None] = [self.real(batch, rows, 2 * WIDTH), None, None]
        if self.graph.random.integers(2):
            inputs = [self.real(batch, rows, width) for width in (WIDTH, WIDTH // 2, WIDTH // 2)]
        inputs += [None, None] if past is None else [self.real(batch, 2, past, SIZE) for _ in range(2)]
        inputs += [lengths, self.graph.constant(np.array(total, np.int32)), *more]
        self.op("GroupQueryAttention", inputs, outputs=3, num_heads=HEADS, kv_num_heads=2, **attributes)

    def test_first_tokens(self) -> None:
        """With buffers that are longer and with none; what the lengths are changes nothing.

        Places are the same in all samples and in a row: onnxruntime reads the first of them alone.
        """
        tables = [self.weight(20, 8), self.weight(20, 8)]
        for lengths in self.integers(ROWS - 1, ROWS - 1):
            for past in (None, 0, 16):
                self.grouped(lengths, ROWS, past=past)
            for interleaved in (0, 1):
                self.grouped(lengths, ROWS, *tables, do_rotary=1, rotary_interleaved=interleaved)
            places = self.graph.add_input(np.arange(5, 5 + ROWS)[None].repeat(BATCH, 0))
            self.grouped(lengths, ROWS, *tables, places, do_rotary=1)
            self.grouped(lengths, ROWS, scale=0.2, softcap=2.0)
            self.grouped(lengths, ROWS, local_window_size=3)
            self.grouped(lengths, ROWS, smooth_softmax=1)
            self.grouped(lengths, ROWS, causal=0)
            self.grouped(lengths, ROWS, None, None, None, None, self.weight(HEADS))
            for shape in ((BATCH, HEADS), (1, HEADS), (1, 1)):
                self.grouped(lengths, ROWS, None, None, None, self.real(*shape, ROWS, ROWS), softcap=2.0)

    def test_later_tokens(self) -> None:
        """All samples as long as the cache, and of several lengths; buffers of the cache's length, and longer ones."""
        tables = [self.weight(20, 8), self.weight(20, 8)]
        for lengths in (*self.integers(6, 6), *self.integers(6, 3)):
            for past in (6, 9):
                self.grouped(lengths, 7, *tables, rows=1, past=past, do_rotary=1)
                places = self.graph.add_input(np.array([[9], [2]]))
                self.grouped(lengths, 7, *tables, places, rows=1, past=past, do_rotary=1)
                self.grouped(lengths, 7, rows=1, past=past, local_window_size=3)
                self.grouped(lengths, 7, None, None, None, self.real(1, HEADS, 1, 7), rows=1, past=past)
            self.grouped(lengths, 9, *tables, rows=1, past=9, do_rotary=1)  # as long as it may be
        for lengths in (*self.integers(6), *self.integers(4)):
            for past in (4, 9):
                self.grouped(lengths, 7, *tables, rows=3, past=past, batch=1, do_rotary=1)

    def test_norms_of_heads(self) -> None:
        """onnxruntime has them for other processors alone: norms in front, and the same inside."""
        parts = [self.real(BATCH, ROWS, heads, SIZE) for heads in (HEADS, 2)]
        scales = [self.weight(SIZE), self.weight(SIZE)]
        shapes = [(BATCH, ROWS, WIDTH), (BATCH, ROWS, WIDTH // 2)]
        normed, plain = [], []
        for part, scale, shape in zip(parts, scales, shapes):
            (result,) = self.graph.op("SimplifiedLayerNormalization", [part, scale], epsilon=1e-3)
            normed += self.graph.op("Reshape", [result, self.graph.ints(*shape)])
            plain += self.graph.op("Reshape", [part, self.graph.ints(*shape)])
        more = [self.real(BATCH, ROWS, WIDTH // 2), None, None, self.integers(ROWS - 1, ROWS - 1)[0],
                self.graph.constant(np.array(ROWS, np.int32))]  # fmt: skip
        given = {"num_heads": HEADS, "kv_num_heads": 2}
        expected = self.op("GroupQueryAttention", [*normed, *more], outputs=3, **given)
        inputs = [*plain, *more, *[None] * 7, *scales]
        self.like(expected, "GroupQueryAttention", inputs, qk_norm_epsilon=1e-3, **given)

    def test_halves(self) -> None:
        """onnxruntime computes most of them in float and rounds what comes out."""
        real, kind = self.real, helper.np_dtype_to_tensor_dtype(np.dtype(np.float16))
        self.real = lambda *shape: self.graph.op("Cast", [real(*shape)], to=kind)[0]
        self.weight = lambda *shape: self.graph.constant((0.3 * self.graph.random.standard_normal(shape)).astype(np.float16))
        x, skip, scale = self.real(2, 3, 8), self.real(2, 3, 8), self.weight(8)
        self.op("SkipLayerNormalization", [x, skip, scale, self.weight(8), self.weight(8)], epsilon=1e-3)
        self.op("SkipSimplifiedLayerNormalization", [x, skip, scale], epsilon=1e-3)
        ones = self.graph.constant(np.ones(8, np.float32))
        self.graph.op("SimplifiedLayerNormalization", [self.real(3, 8), ones], epsilon=1e-3)
        self.op("BiasGelu", [self.real(3, 8), self.weight(8)])
        self.op("FusedMatMul", [self.real(3, 8), self.weight(5, 8)], transB=1)
        self.op("RotaryEmbedding", [self.real(1, 3, 8), self.graph.ints(2), self.weight(9, 4), self.weight(9, 4)])
        self.apart(None, self.masks(10, False)[1])
        self.joint(self.masks(ROWS, True)[1], unidirectional=1)
        lengths = self.integers(ROWS - 1, ROWS - 1)[0]
        self.grouped(lengths, ROWS, self.weight(20, 8), self.weight(20, 8), do_rotary=1)
        self.grouped(self.integers(6, 3)[1], 7, rows=1, past=6)

    def test_rows_of_blocks(self) -> None:
        """Of 2, 4 and 8 bits in bytes, and of int4 and uint4; the last block may be short."""
        random, scales = self.graph.random, self.weight(5, 3)
        for places in (np.array([[0, 4], [2, 2]]), np.array([1], np.int32)):
            indices = self.graph.add_input(places)
            for bits in (2, 4, 8):
                table = self.graph.constant(random.integers(0, 256, (5, 40 * bits // 8)).astype(np.uint8))
                zeros = self.graph.constant(random.integers(0, 256, (5, (3 * bits + 7) // 8)).astype(np.uint8))
                for zero in (None, zeros):
                    self.op("GatherBlockQuantized", [table, indices, scales, zero], bits=bits, block_size=16)
            for kind, low in ((ml_dtypes.int4, -8), (ml_dtypes.uint4, 0)):
                table = self.graph.constant(random.integers(low, low + 16, (5, 40)).astype(kind))
                zeros = self.graph.constant(random.integers(low, low + 16, (5, 3)).astype(kind))
                for zero in (None, zeros):
                    self.op("GatherBlockQuantized", [table, indices, scales, zero], block_size=16, quantize_axis=-1)

    def test_products_of_bytes(self) -> None:
        random, bias = self.graph.random, self.weight(6)
        for kind in (np.int8, np.uint8):
            matrix = self.graph.constant(random.integers(0, 100, (16, 6)).astype(kind))
            for each in ((), (1,), (6,)):
                scale = self.graph.constant(random.uniform(0.002, 0.01, each).astype(np.float32))
                zero = self.graph.constant(np.full(each, 7, kind))
                self.op("DynamicQuantizeMatMul", [self.real(2, 5, 16), matrix, scale, zero, bias])
                self.op("DynamicQuantizeMatMul", [self.real(5, 16), matrix, scale])
                data = self.graph.add_input(random.integers(0, 256, (2, 5, 16)).astype(np.uint8))
                one, middle = self.graph.constant(np.float32(0.02)), self.graph.constant(np.uint8(120))
                self.op("MatMulIntegerToFloat", [data, matrix, one, scale, middle, zero, bias])
                self.op("MatMulIntegerToFloat", [data, matrix, one, scale])


if __name__ == "__main__":
    sys.exit(suite.main(__doc__))
