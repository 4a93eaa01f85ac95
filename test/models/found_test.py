# SPDX-License-Identifier: Apache-2.0
"""Models that random search found wrong, cut down to what was wrong with them, against onnxruntime."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import random_models  # noqa: E402
import suite  # noqa: E402
from random_ops.graph import Graph  # noqa: E402


class FoundTest(unittest.TestCase):
    def check(self, graph: Graph, *more: str) -> None:
        for plan in ("host/optimal", "npu-nhwc/optimal", *more):
            with tempfile.TemporaryDirectory() as folder:
                self.assertIsNone(random_models.check(graph, plan, suite.BUILD, Path(folder)), plan)

    def test_sample_on_the_edge(self) -> None:
        """RoiAlign: the second of six samples lies exactly on the image's last row, the third is outside."""
        graph = Graph(np.random.default_rng(0), 13)
        image = graph.add_input(np.arange(12, dtype=np.float32).reshape(1, 1, 6, 2))
        region = graph.add_input(np.array([[1.25, 4.625, 2.375, 10.125]], np.float32))
        (bins,) = graph.op("RoiAlign", [image, region, graph.ints(0)], output_height=1, output_width=2, sampling_ratio=0)
        self.assertGreater(bins.array.max(), 0)
        self.check(graph)

    def test_row_of_a_transposed_result(self) -> None:
        """Einsum: a product whose result is one row, stored by columns, ended with an error of oneDNN."""
        graph = Graph(np.random.default_rng(0), 13)
        row = graph.add_input(np.arange(3, dtype=np.float32).reshape(1, 3))
        matrix = graph.add_input(np.arange(6, dtype=np.float32).reshape(2, 3))
        graph.op("Einsum", [row, matrix], equation="km,jm")
        self.check(graph, "npu-nhwc/auto-nhwc")

    def test_zero_point_on_a_tie(self) -> None:
        """DynamicQuantizeLinear of -1.875 to 1.875: 127.5 steps below zero, if the scale is divided and not multiplied."""
        graph = Graph(np.random.default_rng(0), 13)
        value = graph.add_input(np.linspace(-1.875, 1.875, 31, dtype=np.float32))
        graph.op("DynamicQuantizeLinear", [value], outputs=3)
        self.check(graph)

    def test_cubic_beyond_the_border(self) -> None:
        """GridSample: between the border and what lies beyond it, each pixel is clamped and not the place."""
        graph = Graph(np.random.default_rng(0), 20)
        image = graph.add_input(np.arange(20, dtype=np.float32).reshape(1, 1, 4, 5) ** 2)
        grid = graph.add_input(np.array([[[[-1.1, 0.95], [0.9, -1.3], [1.2, 1.2]]]], np.float32))
        graph.op("GridSample", [image, grid], mode="cubic", padding_mode="border")
        self.check(graph)

    def test_weights_of_grams(self) -> None:
        """TfIdfVectorizer: a weight belongs to a gram, wherever the gram's count goes."""
        graph = Graph(np.random.default_rng(0), 13)
        words = graph.add_input(np.array([1, 2, 1, 3], np.int32))
        for mode in ("IDF", "TFIDF"):
            graph.op("TfIdfVectorizer", [words], mode=mode, min_gram_length=1, max_gram_length=1, max_skip_count=0,
                     ngram_counts=[0], ngram_indexes=[2, 0, 1], pool_int64s=[1, 2, 3], weights=[10.0, 20.0, 30.0])  # fmt: skip
        self.check(graph)

    def test_bin_that_ends_on_a_pixel(self) -> None:
        """MaxRoiPool: three bins of 7 / 3 pixels end at 7; of 7 * (1 / 3) they reach one pixel further."""
        graph = Graph(np.random.default_rng(0), 13)
        image = graph.add_input(np.arange(8, dtype=np.float32).reshape(1, 1, 1, 8))
        regions = graph.constant(np.array([[0, -1, 0, 5, 0]], np.float32))
        graph.op("MaxRoiPool", [image, regions], pooled_shape=[1, 3])
        self.check(graph)

    def test_shrink_of_unsigned(self) -> None:
        """Shrink: nothing of uint8 is below -lambd, which wrapped to 255."""
        graph = Graph(np.random.default_rng(0), 13)
        value = graph.add_input(np.arange(6, dtype=np.uint8))
        graph.op("Shrink", [value], lambd=1.0, bias=2.0)
        self.check(graph)

    def test_shrink_of_integers(self) -> None:
        """Shrink: lambd and bias lost their fractions, or were beyond the type."""
        for lambd, bias in ((-0.5, 0.0), (0.5, 0.5), (1.5, -2.75), (3.4e38, 1.0)):
            graph = Graph(np.random.default_rng(0), 13)
            value = graph.add_input(np.arange(-5, 6, dtype=np.int32))
            graph.op("Shrink", [value], lambd=lambd, bias=bias)
            self.check(graph)

    def test_rounded_behind_a_concat(self) -> None:
        """41 / 41 is 1, but 41 times its reciprocal is less: Floor saw it behind Concat, Equal at once."""
        for name in ("Floor", "Equal"):
            graph = Graph(np.random.default_rng(0), 13)
            value = graph.add_input(np.arange(0, 410, 41, dtype=np.float32))
            (quotient,) = graph.op("Div", [value, graph.constant(np.array(41, np.float32))])
            (both,) = graph.op("Concat", [quotient, value], axis=0)
            graph.op(name, [both] if name == "Floor" else [both, graph.constant(np.ones(1, np.float32))])
            self.check(graph)

    def test_mean_of_integers(self) -> None:
        """ReduceMean over an image: -8 / 3 is -2, where a pooling rounds to -3."""
        graph = Graph(np.random.default_rng(0), 13)
        value = graph.add_input(np.array([[[-3, -3, -2], [1, 2, 2]]], np.int32))
        graph.op("ReduceMean", [value], axes=[2])
        self.check(graph)

    def test_many_numbers_that_are_known(self) -> None:
        """NonZero: float constants beyond a small size are stored in another way, and were refused."""
        graph = Graph(np.random.default_rng(0), 13)
        graph.op("NonZero", [graph.constant(np.arange(-150, 150, dtype=np.float32).reshape(3, 100))])
        self.check(graph)

    def test_integers_to_a_fraction(self) -> None:
        """Pow: the exponent became an integer, as the base is; whole ones must stay exact beyond float's 24 bits."""
        for dtype in (np.int32, np.int64):
            graph = Graph(np.random.default_rng(0), 13)
            base = graph.add_input(np.array([1, 5, 9, 9], dtype))
            power = graph.add_input(np.array([-2.0, 1.5, 1.5, 9.0], np.float32))
            for exponent in (power, *(graph.constant(np.array(each, np.float32)) for each in (0.5, 9.0, power.array))):
                graph.op("Pow", [base, exponent])
            self.check(graph)

    def test_crop_before_padding(self) -> None:
        """Pad: what wraps and reflects is what negative pads leave."""
        for mode, pads in (("wrap", [-1, 4]), ("wrap", [3, -2]), ("reflect", [-1, 3]), ("edge", [-2, 7])):
            graph = Graph(np.random.default_rng(0), 19)
            value = graph.add_input(np.arange(5, dtype=np.float32))
            graph.op("Pad", [value, graph.ints(*pads)], mode=mode)
            self.check(graph)

    def test_mask_of_an_old_dropout(self) -> None:
        """Dropout: before opset 12 a mask of zeros says that all elements stay."""
        for opset in (7, 10, 12):
            graph = Graph(np.random.default_rng(0), opset)
            graph.op("Dropout", [graph.add_input(np.ones((2, 3), np.float32))], outputs=2)
            self.check(graph)

    def test_celu_of_a_small_alpha(self) -> None:
        """Celu: 1 / alpha was infinite, and 0 times that is NaN."""
        graph = Graph(np.random.default_rng(0), 12)
        graph.op("Celu", [graph.add_input(np.array([-1.0, 0.0, 2.0], np.float32))], alpha=1e-39)
        self.check(graph)

    def test_logarithms_of_integers(self) -> None:
        """ReduceLogSum and ReduceLogSumExp of integers were refused; float32 does not hold the last numbers."""
        rows = [[5, 5, 4, 4], [8, 8, 8, 8], [-5, -5, -6, -9], [-1, -1, -1, -1], [2**31 - 3, 2**31 - 3, 2**31 - 3, 7]]
        for dtype in (np.int32, np.int64):
            graph = Graph(np.random.default_rng(0), 18)
            value = graph.add_input(np.array(rows, dtype))
            for keepdims in (0, 1):
                graph.op("ReduceLogSumExp", [value, graph.ints(1)], keepdims=keepdims)
                graph.op("ReduceLogSum", [graph.add_input(np.array(rows[:2], dtype)), graph.ints(1)], keepdims=keepdims)
            self.check(graph)

    def test_large_and_negative_epsilons(self) -> None:
        """Normalizations: an epsilon above 1 was refused."""
        random = np.random.default_rng(0)
        for epsilon in (1.5, 1e30, -0.125):
            graph = Graph(random, 17)
            image = graph.add_input(4 * random.standard_normal((2, 3, 4, 5), np.float32))
            channels, row = graph.constant(np.full(3, 2.0, np.float32)), graph.constant(np.full(5, 3.0, np.float32))
            graph.op("InstanceNormalization", [image, channels, channels], epsilon=epsilon)
            graph.op("LayerNormalization", [image, row, row], epsilon=epsilon)
            graph.op("BatchNormalization", [image, *(4 * [channels])], epsilon=epsilon)
            self.check(graph, "npu-nchw16c/optimal")

    def test_rounding_to_sixteen_bits(self) -> None:
        """Cast to float16 or bfloat16 and back: in one kernel with others both were gone."""
        numbers = np.array([1e10, 65520, 2049, 1e-9, 65519, 257, 3.1], np.float32)
        for to in (10, 16):
            graph = Graph(np.random.default_rng(0), 18, is_special=True)
            narrow = graph.op("Cast", [graph.add_input(numbers)], to=to)[0]
            wide = graph.op("Cast", [narrow], to=1)[0]
            graph.op("Equal", [wide, graph.add_input(numbers)])
            self.check(graph)

    def test_factors_beyond_the_weights(self) -> None:
        """Gemm, MatMul, Conv: a factor was brought into weights that it made infinite, denormal or 0."""
        for x, weight, factor in ((1e-20, 1e10, 1e30), (1e20, 1e-20, 1e-28), (3, 2, float("inf"))):
            graph = Graph(np.random.default_rng(0), 18, is_special=True)
            matrix = graph.constant(np.array([[weight], [-weight]], np.float32))
            rows = graph.add_input(np.array([[x, 2 * x]], np.float32))
            products = [graph.op("Gemm", [rows, matrix], alpha=factor)[0]]
            products += graph.op("Mul", [graph.op("MatMul", [rows, matrix])[0], graph.constant(np.float32(factor))])
            image = graph.add_input(np.full((1, 1, 2, 2), x, np.float32))
            convolved = graph.op("Conv", [image, graph.constant(np.full((1, 1, 1, 1), weight, np.float32))])[0]
            products += graph.op("Mul", [convolved, graph.constant(np.float32(factor))])
            for product in products:  # so that they are no smaller than the tolerance
                graph.op("Div", [product, graph.add_input(np.float32(min(factor, 1)))])
            self.check(graph)

    def test_padding_with_large_integers(self) -> None:
        """Pad: an int64 went through a double."""
        graph = Graph(np.random.default_rng(0), 18)
        value = graph.add_input(np.arange(6, dtype=np.int64).reshape(2, 3))
        for number in (2**53 + 1, 2**63 - 2, -(2**53) - 1):
            graph.op("Pad", [value, graph.ints(1, 0, 0, -1), graph.constant(np.array(number, np.int64))])
        self.check(graph)

    def test_statistics_of_one_dimension(self) -> None:
        """BatchNormalization of a vector: one channel; was refused."""
        graph = Graph(np.random.default_rng(0), 15)
        channel = [graph.constant(np.full(1, number, np.float32)) for number in (2, 0.5, 1, 4)]
        graph.op("BatchNormalization", [graph.add_input(np.arange(4, dtype=np.float32)), *channel])
        self.check(graph)

    def test_results_of_output_padding(self) -> None:
        """ConvTranspose: refused where pads leave nothing but output_padding adds something."""
        graph = Graph(np.random.default_rng(0), 18)
        row, tap = graph.add_input(np.ones((1, 1, 1), np.float32)), graph.constant(np.ones((1, 1, 1), np.float32))
        graph.op("ConvTranspose", [row, tap], strides=[2], pads=[1, 0], output_padding=[1])
        graph.op("ConvTranspose", [row, tap], strides=[3], output_shape=[1], output_padding=[1])
        self.check(graph)

    def test_long_windows(self) -> None:
        """Pooling: the library wrote code for each tap, and the reference looked at each for every element."""
        graph = Graph(np.random.default_rng(0), 18)
        row, taps = graph.add_input(np.arange(3, dtype=np.float32).reshape(1, 1, 3)), 30_000
        for op in ("MaxPool", "AveragePool"):
            graph.op(op, [row], kernel_shape=[taps], pads=[taps - 1, taps - 1])
        self.check(graph)

    def test_resize_to_nothing(self) -> None:
        """Resize: three rows and a scale of 0.1 are no row."""
        for mode, antialias in (("nearest", 0), ("linear", 0), ("cubic", 1)):
            graph = Graph(np.random.default_rng(0), 18, is_special=True)
            image = graph.add_input(np.ones((1, 2, 3, 4), np.float32))
            scales = graph.constant(np.array([1, 1, 0.1, 2], np.float32))
            graph.op("Resize", [image, None, scales], mode=mode, antialias=antialias)
            self.check(graph)

    def test_convolution_of_a_zero_point_of_data(self) -> None:
        """ConvInteger behind DynamicQuantizeLinear ran in i32 on a reference: padding is the zero point then."""
        random = np.random.default_rng(0)
        for shape, kernel, group, kind in (
            ((1, 4, 9), [3], 1, np.int8),
            ((2, 4, 6, 5), [3, 2], 2, np.int8),
            ((1, 6, 5, 5), [3, 3], 6, np.uint8),
        ):
            graph = Graph(np.random.default_rng(0), 13)
            value = graph.add_input(random.uniform(-1, 3, shape).astype(np.float32))
            data, _, zero = graph.op("DynamicQuantizeLinear", [value], outputs=3)
            low, high = (-128, 128) if kind == np.int8 else (0, 256)
            weight = random.integers(low, high, (6, shape[1] // group, *kernel)).astype(kind)
            weights = [graph.constant(weight), zero, graph.constant(np.array(low // 3 + 50, kind))]
            pads = [1] * len(kernel) + [2] * len(kernel)
            graph.op("ConvInteger", [data, *weights], exact=True, pads=pads, strides=[2] * len(kernel), group=group)
            graph.op("ConvInteger", [data, *weights], exact=True, auto_pad="SAME_LOWER", group=group)
            graph.op("ConvInteger", [data, *weights[:2]], exact=True, group=group)
            self.check(graph, "npu-nchw/none", "npu-nchw16c/optimal")

    def test_nothing_padded_with_a_zero_point_of_data(self) -> None:
        """ConvInteger of no data: its padding is the zero point, so that sums are 0; was padded with 0."""
        graph = Graph(np.random.default_rng(0), 13)
        data, zero = graph.add_input(np.zeros((1, 2, 0), np.uint8)), graph.add_input(np.array(7, np.uint8))
        weight = graph.constant(np.array([[[1, 2], [3, 4]]], np.int8))
        (sums,) = graph.op("ConvInteger", [data, weight, zero], exact=True, pads=[1, 1])
        self.assertEqual(sums.array.tolist(), [[[0]]])
        self.check(graph)

    def test_weights_of_any_zero_point(self) -> None:
        """ConvInteger, MatMulInteger: weights whose differences are no bytes were multiplied twice."""
        random = np.random.default_rng(0)
        for zero in (0, 121, 255):
            for op, shape, extent in (("ConvInteger", (8, 4, 3, 3), (1, 4, 6, 6)), ("MatMulInteger", (12, 8), (5, 12))):
                graph = Graph(np.random.default_rng(0), 13)
                value = graph.add_input(random.normal(0, 1, extent).astype(np.float32))
                steps, _, least = graph.op("DynamicQuantizeLinear", [value], outputs=3)
                weight = graph.constant(random.integers(0, 256, shape).astype(np.uint8))
                more = {"pads": [1, 1, 1, 1]} if op == "ConvInteger" else {}
                graph.op(op, [steps, weight, least, graph.constant(np.uint8(zero))], **more)
                self.check(graph)
                with tempfile.TemporaryDirectory() as folder:
                    path = Path(folder) / "model.onnx"
                    onnx.save(graph.model(), path)
                    command = [suite.BUILD / "bin" / "npuc", path, "--emit=mlir", "--stage=imported", "-o", "-"]
                    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
                of_weights = f"tensor<{'x'.join(map(str, shape))}xi8>) ->"
                self.assertEqual(text.count(of_weights), 1, text)


if __name__ == "__main__":
    sys.exit(suite.main(__doc__))
