# SPDX-License-Identifier: Apache-2.0
"""NaN, infinities, -0.0, denormal and huge numbers through every kind of operator, on every target, against onnxruntime."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np  # noqa: E402
import suite  # noqa: E402
from graph_case import GraphCase  # noqa: E402
from random_ops.graph import Value  # noqa: E402

FLOAT16, BFLOAT16, BOOL = 10, 16, 9
PLANS = ("npu-nhwc/optimal", "npu-nhwc/naive", "npu-nchw16c/optimal", "npu-nchw/none", "host/optimal")
NAN, INF = float("nan"), float("inf")
SPECIAL = (NAN, INF, -INF, 0.0, -0.0, 1e-40, -1e-40, 1.2e-38, 3e38, -3e38, 1.0, -1.0, 0.5, -2.5, 100.0, -100.0, 1e10, 6.0, -3.0)
UNARY = (
    "Abs Neg Relu LeakyRelu Elu Selu Sigmoid Tanh Exp Log Sqrt Reciprocal Erf Floor Ceil Round HardSigmoid HardSwish "
    "Softplus Softsign Sign Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh Mish Celu ThresholdedRelu Shrink "
    "IsNaN IsInf Not Identity com.microsoft.Gelu"
).split()  # fmt: skip
BINARY = "Add Sub Mul Div Max Min Pow Equal Less LessOrEqual Greater GreaterOrEqual PRelu".split()
REDUCTIONS = ("Sum", "Prod", "Mean", "Max", "Min", "L1", "L2", "LogSum", "LogSumExp", "SumSquare")
FUSED = "Relu LeakyRelu Clip Sigmoid HardSigmoid HardSwish Elu Tanh Exp Abs Sqrt Softplus com.microsoft.Gelu".split()


class SpecialTest(GraphCase):
    plans = PLANS

    def values(self, special: Sequence[float], *shape: int) -> np.ndarray:
        """Ordinary numbers with each special one in a place of its own."""
        array = self.graph.random.uniform(-2, 2, shape).astype(np.float32)
        array.reshape(-1)[self.graph.random.permutation(array.size)[: len(special)]] = special
        return array

    def rows(self, special: Sequence[float], *shape: int) -> np.ndarray:
        """One special number in each row, and rows of -infinity."""
        array = self.graph.random.uniform(-2, 2, shape).astype(np.float32)
        rows = array.reshape(-1, shape[-1])
        for row, number in zip(rows, special):
            row[self.graph.random.integers(shape[-1])] = number
        rows[len(special)], rows[len(special) + 1, 1:] = -INF, -INF
        return array

    def function(self, op: str, value: Value) -> Value:
        """The operator with the constants that it needs."""
        clip = [self.graph.constant(np.float32(0)), self.graph.constant(np.float32(6))] if op == "Clip" else []
        return self.graph.op(op, [value, *clip])[0]

    def test_unary(self) -> None:
        value = self.graph.add_input(np.array(SPECIAL, np.float32))
        truth = self.graph.add_input(np.array([True, False]))
        for op in UNARY:
            self.function(op, truth if op == "Not" else value)
        for limits in ((-1, 1), (None, 6), (-6, None)):
            bounds = [None if limit is None else self.graph.constant(np.float32(limit)) for limit in limits]
            self.graph.op("Clip", [value, *bounds])

    def test_signs_of_zeros(self) -> None:
        """The reciprocal tells 0 from -0.0."""
        value = self.graph.add_input(np.array([0.0, -0.0, 2.0, -2.0], np.float32))
        zeros = self.graph.add_input(np.array([-0.0, -0.0, 0.0, -0.0], np.float32))
        bounds = [self.graph.add_input(np.float32(number)) for number in (-0.0, 0.0)]
        axis = self.graph.constant(np.array(0))
        results = [self.graph.op("Sign", [value])[0]]
        results += [self.graph.op("CumSum", [zeros, axis], exclusive=exclusive)[0] for exclusive in (0, 1)]
        results += [self.graph.op("Clip", [value, *limits])[0] for limits in (bounds, bounds[::-1])]
        for result in results:
            self.graph.op("Reciprocal", [result])

    def test_bounds_that_are_nan(self) -> None:
        """They limit nothing, constant or not."""
        value = self.graph.add_input(np.array(SPECIAL, np.float32))
        for add in (self.graph.constant, self.graph.add_input):
            for limits in ((NAN, 1), (-1, NAN), (NAN, NAN)):
                self.graph.op("Clip", [value, *(add(np.float32(limit)) for limit in limits)])

    def test_binary(self) -> None:
        """Each special number with each."""
        left = self.graph.add_input(np.repeat(np.float32(SPECIAL), len(SPECIAL)).reshape(len(SPECIAL), -1))
        right = self.graph.add_input(np.float32(SPECIAL))
        for op in BINARY:
            self.graph.op(op, [left, right])
        self.graph.op("Mod", [left, right], fmod=1)
        self.graph.op("Where", [self.graph.op("Less", [left, right])[0], left, right])
        self.graph.op("Max", [left, right, self.graph.constant(np.float32(0))])
        self.graph.op("Min", [left, right, self.graph.constant(np.float32(0))])

    def test_casts(self) -> None:
        """Floats and bytes; what is beyond larger integers, and NaN as one, is open."""
        value = self.graph.add_input(np.array(SPECIAL, np.float32))
        for to in (FLOAT16, BFLOAT16, BOOL):
            self.graph.op("Cast", [value], to=to)
        numbers = self.graph.add_input(np.array(SPECIAL[1:], np.float32))
        for zero in (np.uint8(3), np.int8(-5)):
            self.graph.op("QuantizeLinear", [numbers, self.graph.constant(np.float32(0.5)), self.graph.constant(zero)])

    def test_reductions(self) -> None:
        value = self.graph.add_input(self.rows(SPECIAL, 3, 8, 9))
        ordered = self.graph.add_input(self.rows(SPECIAL[1:], 3, 8, 9))  # NaN: onnxruntime's answer depends on its place
        for axis in range(3):
            for name in REDUCTIONS:
                self.graph.op(f"Reduce{name}", [ordered if name in ("Max", "Min") else value, self.graph.ints(axis)])
            for op in ("Softmax", "LogSoftmax"):
                self.graph.op(op, [value], axis=axis)
            self.graph.op("Hardmax", [ordered], axis=axis)
        for op in ("ArgMax", "ArgMin"):
            for last in (0, 1):
                self.graph.op(op, [ordered], axis=2, select_last_index=last)
        for largest in (0, 1):
            self.graph.op("TopK", [ordered, self.graph.ints(9)], outputs=2, axis=2, largest=largest)
        self.graph.op("CumSum", [value, self.graph.constant(np.array(2))])

    def test_pools(self) -> None:
        """But for NaN in a maximum: it counts for onnxruntime only where it is the window's last element."""
        for shape in ((2, 20, 7, 9), (1, 3, 6, 6)):
            value = self.graph.add_input(self.values(SPECIAL, *shape))
            ordered = self.graph.add_input(self.values(SPECIAL[1:], *shape))
            window = {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 0]}
            self.graph.op("MaxPool", [ordered], **window)
            self.graph.op("GlobalMaxPool", [ordered])
            for op in ("AveragePool", "LpPool"):
                self.graph.op(op, [value], **window)
            for op in ("GlobalAveragePool", "GlobalLpPool"):
                self.graph.op(op, [value])

    def test_norms(self) -> None:
        """Without numbers whose squares overflow in onnxruntime, but not in our sums."""
        value = self.graph.add_input(self.values([v for v in SPECIAL if not 1e9 < abs(v) < INF], 1, 40, 5, 5))
        finite = self.graph.add_input(self.values([v for v in SPECIAL if abs(v) < 1e9], 1, 40, 5, 5))
        ones, twos = (self.graph.constant(np.full(40, number, np.float32)) for number in (1, 2))
        self.graph.op("BatchNormalization", [value, ones, twos, ones, twos])
        self.graph.op("InstanceNormalization", [value, ones, twos])
        self.graph.op("LayerNormalization", [value, self.graph.constant(np.ones((5, 5), np.float32))], axis=2)
        self.graph.op("LpNormalization", [value], axis=1)
        self.graph.op("LRN", [finite], size=3)  # onnxruntime's sum slides: what is not finite stays in it

    def test_movements(self) -> None:
        value = self.graph.add_input(self.values(SPECIAL, 1, 3, 4, 5))
        scales = self.graph.constant(np.array([1, 1, 2, 2], np.float32))
        self.graph.op("Resize", [value, None, scales], mode="nearest")
        self.graph.op("Pad", [value, self.graph.ints(0, 0, 1, 1, 0, 0, 1, 1)], mode="reflect")
        self.graph.op("Concat", [value, value], axis=1)
        self.graph.op("Transpose", [value], perm=[0, 2, 3, 1])
        self.graph.op("Expand", [value, self.graph.ints(2, 3, 4, 5)])

    def test_order_of_steps(self) -> None:
        """Sums and products with constants are one where it does not show: not by rounding, overflow or infinity."""
        few, large = [-0.3, 0.3, 7.5], [-3e38, 1e-38, 1e30, INF, -0.0]
        for values, *steps in (
            (few, ("Add", 12582912.0), ("Sub", 12582912.0)), (few, ("Sub", 1e6), ("Mul", 0.1)),
            ([1.7e9, 1.700001e9], ("Sub", 1.7e9), ("Div", 1000.3)), ([1000.1, 1000.2], ("Sub", 1000.1), ("Div", 1e-6)),
            (large, ("Add", 3e38), ("Add", 3e38)), (large, ("Add", 3e38), ("Mul", 10.0)), (large, ("Mul", 1e20), ("Mul", 1e20)),
            (large, ("Mul", 1e-25), ("Mul", 1e-25)), (large, ("Add", 0.0), ("Div", 1.0)),
        ):  # fmt: skip
            value = self.graph.add_input(np.array(values, np.float32))
            for name, number in steps:
                (value,) = self.graph.op(name, [value, self.graph.constant(np.float32(number))])
            self.graph.op("Reciprocal", [value])

    def test_scales_beyond_weights(self) -> None:
        """A scale does not become part of weights that it makes infinite."""
        row = self.graph.add_input(np.array([[1e-10, 1e-10]], np.float32))
        (product,) = self.graph.op("MatMul", [row, self.graph.constant(np.array([[1e25], [-1e25]], np.float32))])
        self.graph.op("Mul", [product, self.graph.constant(np.float32(1e20))])

    def test_scatter(self) -> None:
        for reduction in ("max", "min"):
            data = self.graph.add_input(np.array([1, 5, 3], np.float32))
            updates = self.graph.add_input(np.array([NAN, 2, 7], np.float32))
            self.graph.op("ScatterElements", [data, self.graph.ints(0, 1, 2), updates], axis=0, reduction=reduction)

    def test_resize(self) -> None:
        """Behind the last pixel lies that pixel once more, not infinity times 0."""
        image = self.graph.add_input(np.array([[[[1, 2, INF]]]], np.float32))
        scales = self.graph.constant(np.array([1, 1, 1, 2], np.float32))
        for mode in ("asymmetric", "align_corners"):
            self.graph.op("Resize", [image, None, scales], mode="linear", coordinate_transformation_mode=mode)

    def fused(self, make) -> None:
        """The product alone, and what each function makes of it, which fusion makes one kernel of."""
        for op in FUSED:
            self.function(op, make())
            residual = self.graph.op("Add", [make(), self.graph.add_input(make().array)])[0]
            self.function(op, residual)

    def test_conv(self) -> None:
        """A special number in one channel of a pixel; weights that are 1 for one channel and 0.5 for another."""
        for groups, kernel in ((1, 1), (1, 3), (16, 3)):
            image = np.zeros((1, 16, 6, 8), np.float32)
            image[0, 0].reshape(-1)[::2][: len(SPECIAL)] = SPECIAL
            weight = np.zeros((16, 16 // groups, kernel, kernel), np.float32)
            weight[:, 0, kernel // 2, kernel // 2] = np.linspace(-1, 2, 16)
            value, filters = self.graph.add_input(image), self.graph.constant(weight)
            self.fused(lambda: self.graph.op("Conv", [value, filters], group=groups, pads=[kernel // 2] * 4)[0])

    def test_matmul(self) -> None:
        left = self.graph.add_input(np.array(SPECIAL, np.float32).reshape(-1, 1))
        for constant in (False, True):
            row = np.linspace(-1, 2, 16, dtype=np.float32).reshape(1, -1)
            right = self.graph.constant(row) if constant else self.graph.add_input(row)
            self.fused(lambda: self.graph.op("MatMul", [left, right])[0])

    def test_attention_that_hides_nan(self) -> None:
        """Rows of which nothing may be attended, and of scores that are NaN, as PyTorch writes it."""
        mask = np.zeros((16, 16), np.float32)
        mask[3], mask[5, 1:] = -INF, -INF
        for queries, values in (((), ()), ((NAN, INF, -INF), ()), ((NAN,), (NAN, INF, -INF))):
            query, key = (self.graph.add_input(self.values(some, 1, 2, 16, 8)) for some in (queries, ()))
            turned = self.graph.op("Transpose", [key], perm=[0, 1, 3, 2])[0]
            scores = self.graph.op("Add", [self.graph.op("MatMul", [query, turned])[0], self.graph.add_input(mask)])[0]
            weights = self.graph.op("Softmax", [scores], axis=3)[0]
            zero, is_nan = self.graph.constant(np.float32(0)), self.graph.op("IsNaN", [weights])[0]
            shown = self.graph.op("Where", [is_nan, zero, weights])[0]
            self.graph.op("MatMul", [shown, self.graph.add_input(self.values(values, 1, 2, 16, 8))])


if __name__ == "__main__":
    sys.exit(suite.main(__doc__))
