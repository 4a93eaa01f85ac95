# SPDX-License-Identifier: Apache-2.0
"""Tensors without elements: what every operator makes of them, on every target, against onnxruntime."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np  # noqa: E402
import suite  # noqa: E402
from graph_case import GraphCase  # noqa: E402
from onnx import helper  # noqa: E402

PLANS = ("npu-nhwc/optimal", "npu-nchw16c/optimal", "npu-nchw/none", "host/optimal")
ARITHMETIC = ("Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Equal", "Less", "Mean", "Sum")
UNARY = ("Abs", "Relu", "Sigmoid", "Exp", "Neg", "Softplus", "Sqrt", "Erf", "Identity", "Round", "Sin", "IsNaN", "Trilu")
REDUCTIONS = ("Sum", "Prod", "Mean", "Max", "Min", "L1", "L2", "LogSum", "LogSumExp", "SumSquare")
MOVED = {"Flatten": {}, "Transpose": {"perm": [2, 0, 1]}, "DepthToSpace": {"blocksize": 2}, "SpaceToDepth": {"blocksize": 2}}
NORMALISED = {"Softmax": {}, "LogSoftmax": {"axis": 0}, "Hardmax": {}, "LpNormalization": {}}
EMPTY = ((0, 3), (3, 0), (2, 0, 3))


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


class EmptyTest(GraphCase):
    plans = PLANS

    def op(self, kind: str, *inputs: np.ndarray | None, constants: tuple = (), outputs: int = 1, **attributes) -> None:
        values = [self.graph.add_input(array) for array in inputs]
        values += [None if array is None else self.graph.constant(array) for array in constants]
        self.graph.op(kind, values, outputs=outputs, **attributes)

    def ints(self, *numbers: int) -> np.ndarray:
        return np.array(numbers, np.int64)

    def test_elements(self) -> None:
        for shape in EMPTY:
            for op in UNARY:
                self.op(op, ones(*shape))
            for op in ARITHMETIC:
                self.op(op, ones(*shape), ones(shape[-1]))
            self.op("Mod", ones(*shape), ones(*shape), fmod=1)
            self.op("Cast", ones(*shape), to=6)
            self.op("Clip", ones(*shape), constants=(np.float32(0), np.float32(1)))
            self.op("Where", ones(*shape) > 0, ones(*shape), ones(1))
            self.op("QuantizeLinear", ones(*shape), constants=(np.float32(0.5), np.uint8(3)))
            self.op("DequantizeLinear", ones(*shape).astype(np.uint8), constants=(np.float32(0.5), np.uint8(3)))

    def test_reductions(self) -> None:
        """The sum of nothing is 0, the product 1, the largest -infinity or the least integer."""
        for name in REDUCTIONS:
            for shape in EMPTY:
                for axis in range(len(shape)):
                    self.op(f"Reduce{name}", ones(*shape), constants=(self.ints(axis),), keepdims=axis % 2)
                self.op(f"Reduce{name}", ones(*shape))
            self.op(f"Reduce{name}", ones(2, 3, 0, 0), constants=(self.ints(2, 3),))
        for kind in (np.int32, np.int64, np.int8, np.uint8):
            for name in ("Max", "Min"):
                self.op(f"Reduce{name}", ones(2, 0).astype(kind), constants=(self.ints(1),))

    def test_movements(self) -> None:
        for op, attributes in MOVED.items():
            self.op(op, ones(0, 4, 2, 2) if "Space" in op else ones(0, 2, 3), **attributes)
        self.op("Reshape", ones(0, 4), constants=(self.ints(4, 0),), allowzero=1)
        self.op("Squeeze", ones(1, 0), constants=(self.ints(0),))
        self.op("Unsqueeze", ones(0, 2), constants=(self.ints(0),))
        self.op("Expand", ones(0, 1), constants=(self.ints(0, 3),))
        self.op("Tile", ones(0, 2), constants=(self.ints(2, 2),))
        self.op("Tile", ones(2, 2), constants=(self.ints(0, 2),))
        self.op("Pad", ones(0, 3), constants=(self.ints(0, 1, 0, 1),))
        self.op("Pad", ones(0, 3), constants=(self.ints(1, 0, 1, 0),))
        self.op("Slice", ones(4, 3), constants=tuple(map(self.ints, (2, 2, 0))))
        self.op("Slice", ones(0, 3), constants=tuple(map(self.ints, (1, 2, 1))))
        self.op("Slice", ones(0, 3), constants=tuple(map(self.ints, (-1, -100, 0, -1))))
        self.op("Slice", ones(0, 3), constants=tuple(map(self.ints, (2**62, 0, 0, -2))))
        self.op("Split", ones(0, 4), constants=(self.ints(1, 3),), outputs=2, axis=1)
        self.op("Split", ones(4, 2), constants=(self.ints(0, 4),), outputs=2)
        for mode in ("nearest", "linear"):
            self.op("Resize", ones(0, 3, 2, 2), constants=(None, np.array([1, 1, 2, 2], np.float32)), mode=mode)

    def test_some_parts_have_elements(self) -> None:
        self.op("Concat", ones(0, 4), ones(2, 4), axis=0)
        self.op("Concat", ones(2, 4), ones(2, 0), ones(2, 3), axis=1)
        self.op("Concat", ones(0, 4), ones(0, 4), axis=0)
        self.op("Concat", ones(1, 3, 4, 4), ones(1, 0, 4, 4), axis=1)
        self.op("ScatterND", ones(3, 2), np.zeros((0, 1), np.int64), ones(0, 2))
        self.op("ScatterND", ones(3, 2), constants=(np.zeros((0, 1), np.int64), ones(0, 2)))
        self.op("ScatterElements", ones(3, 2), np.zeros((0, 2), np.int64), ones(0, 2), axis=1, reduction="add")
        self.op("Gather", ones(3, 2), np.zeros(0, np.int64))
        self.op("Gather", ones(3, 0), np.zeros(2, np.int64))
        self.op("GatherElements", ones(3, 2), np.zeros((0, 2), np.int64))
        self.op("GatherND", ones(3, 2), np.zeros((0, 2), np.int64))
        self.op("OneHot", np.zeros(0, np.int64), constants=(np.array(3), np.array([0, 1], np.float32)))
        self.op("TopK", ones(0, 3), constants=(self.ints(2),), outputs=2)
        self.op("TopK", ones(2, 3), constants=(self.ints(0),), outputs=2)
        self.op("CumSum", ones(2, 0), constants=(np.array(1),))

    def test_products(self) -> None:
        for m, k, n in ((2, 0, 3), (0, 4, 3), (4, 2, 0)):
            self.op("MatMul", ones(m, k), ones(k, n))
            self.op("Gemm", ones(m, k), ones(k, n), constants=(ones(n),))
            self.op("Einsum", ones(m, k), ones(k, n), equation="ij,jk->ki")
        self.op("MatMul", ones(0, 2, 4), ones(0, 4, 3))
        self.op("MatMul", ones(3, 2, 0), ones(3, 0, 2))

    def test_no_steps(self) -> None:
        """Of states without steps onnxruntime returns what was in memory: ImportTest.cpp asks for those."""
        self.op("LSTM", ones(0, 3, 4), constants=(ones(1, 20, 4), ones(1, 20, 5)), hidden_size=5)

    def test_no_iteration(self) -> None:
        """The states stay; what is stacked has the shape of a part, no times.

        onnxruntime takes no Scan without steps: ImportTest.cpp asks for that.
        """
        body = helper.make_graph(
            [
                helper.make_node("Identity", ["c"], ["d"]),
                helper.make_node("Add", ["s", "s"], ["t"]),
                helper.make_node("Concat", ["t", "s"], ["q"], axis=0),
            ],
            "body",
            [
                helper.make_tensor_value_info("i", 7, []),
                helper.make_tensor_value_info("c", 9, []),
                helper.make_tensor_value_info("s", 1, [4]),
            ],
            [
                helper.make_tensor_value_info("d", 9, []),
                helper.make_tensor_value_info("t", 1, [4]),
                helper.make_tensor_value_info("q", 1, [8]),
            ],
        )
        state = self.graph.add_input(ones(4))
        goes_on = self.graph.constant(np.array(True))
        self.graph.op("Loop", [self.graph.constant(np.array(0)), goes_on, state], outputs=2, body=body)
        self.graph.op("Loop", [self.graph.constant(np.array(3)), self.graph.constant(np.array(False)), state], outputs=2, body=body)

    def test_images(self) -> None:
        """A batch of none."""
        image, window = ones(0, 4, 5, 5), {"kernel_shape": [2, 2]}
        self.op("Conv", image, constants=(ones(8, 4, 3, 3),))
        self.op("Conv", image, ones(8, 4, 3, 3))
        self.op("ConvTranspose", image, constants=(ones(4, 2, 3, 3),))
        self.op("MaxPool", image, outputs=2, **window)
        self.op("AveragePool", image, **window)
        self.op("GlobalAveragePool", image)
        self.op("GlobalMaxPool", image)
        self.op("BatchNormalization", image, constants=(ones(4),) * 4)
        self.op("InstanceNormalization", image, constants=(ones(4),) * 2)
        self.op("LRN", image, size=3)
        self.op("RoiAlign", ones(1, 1, 4, 4), ones(0, 4), np.zeros(0, np.int64), output_height=2, output_width=2)
        self.op("GridSample", image, ones(0, 2, 2, 2))
        self.op("LayerNormalization", ones(0, 4), constants=(ones(4),))
        for op, attributes in NORMALISED.items():
            self.op(op, ones(0, 3), **attributes)
        self.op("Softmax", ones(3, 0))

    def test_images_without_rows(self) -> None:
        """The padding of a convolution alone gives results: its bias."""
        self.op("Conv", ones(1, 1, 0, 2), constants=(ones(1, 1, 1, 1), np.array([5], np.float32)), pads=[1, 0, 1, 0])
        self.op("Conv", ones(2, 3, 0), constants=(ones(4, 3, 2),), pads=[1, 2])
        self.op("Conv", ones(1, 2, 0, 2), constants=(ones(2, 1, 1, 1), ones(2)), pads=[1, 0, 1, 0], group=2)
        self.op("ConvTranspose", ones(1, 2, 0, 4), constants=(ones(2, 3, 2, 2), ones(3)))
        self.op("ConvTranspose", ones(1, 2, 0, 4), ones(2, 3, 2, 2))
        self.op("LRN", ones(1, 0, 2, 2), size=3)
        self.op("Det", ones(2, 0, 0))

    def test_what_reads_nothing(self) -> None:
        """An empty value between operators that have elements, as an expanded function leaves it."""
        x = self.graph.add_input(np.arange(8, dtype=np.float32).reshape(2, 4))
        head, rest = self.graph.op("Split", [x, self.graph.ints(4, 0)], outputs=2, axis=1)
        (turned,) = self.graph.op("Neg", [head])
        (nothing,) = self.graph.op("Relu", [rest])
        (joined,) = self.graph.op("Concat", [turned, nothing, rest], axis=1)
        self.graph.op("Exp", [joined])

    def test_beside_what_is_made(self) -> None:
        """A constant that the loader makes of a smaller one lies where one without elements may lie, too."""
        x = self.graph.add_input(np.arange(128, dtype=np.float32).reshape(2, 64) / 64)
        whole = (np.arange(64 * 64) % 7 - 3).astype(np.float32).reshape(64, 64)
        (product,) = self.graph.op("MatMul", [x, self.graph.constant(whole)])
        (joined,) = self.graph.op("Concat", [product, self.graph.constant(np.ones((2, 0), np.float32))], axis=1)
        self.graph.op("MatMul", [joined, self.graph.constant(whole + np.float32(0.1))])


if __name__ == "__main__":
    sys.exit(suite.main(__doc__))
