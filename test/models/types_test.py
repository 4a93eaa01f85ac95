# SPDX-License-Identifier: Apache-2.0
"""Every element type through what moves, compares and converts it, and through the integers' arithmetic, against
onnxruntime: numbers at both ends of each type, one node each, and chains of nodes by chance."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np  # noqa: E402
import suite  # noqa: E402
from graph_case import GraphCase  # noqa: E402
from onnx import helper  # noqa: E402
from random_ops.graph import Graph, Refused, Value  # noqa: E402

TYPES = [np.dtype(t) for t in "float64 uint16 uint32 uint64 int16 int8 uint8 int32 int64 float32 bool".split()]
INTEGERS = [t for t in TYPES if t.kind in "iu"]
SHAPE = (3, 4, 5)
CHAINS = 4


class TypesTest(GraphCase):
    plans = ("npu-nhwc/optimal", "host/optimal")

    def setUp(self) -> None:
        self.graph = Graph(np.random.default_rng(0), 21, is_special=True)

    def numbers(self, dtype: np.dtype, shape: Sequence[int] = SHAPE) -> np.ndarray:
        """Some of all the type has, its ends and pairs of equals among them."""
        random, count = self.graph.random, int(np.prod(shape))
        if dtype.kind == "b":
            array = random.integers(0, 2, count).astype(dtype)
        elif dtype.kind == "f":
            array = (random.standard_normal(count) * 10.0 ** random.integers(-3, 9, count)).astype(dtype)
            array[:4] = [0.1, -0.0, 1e300 if dtype.itemsize == 8 else 1e30, np.nan][:count]
        else:
            ends = np.iinfo(dtype)
            array = random.integers(ends.min, ends.max, count, dtype, endpoint=True)
            array[:4] = [ends.min, ends.max, 0, 1][:count]
        random.shuffle(array)
        return array.reshape(shape)

    def input(self, dtype: np.dtype, shape: Sequence[int] = SHAPE) -> Value:
        return self.graph.add_input(self.numbers(dtype, shape))

    def other(self, value: Value) -> Value:
        """As its type and shape, equal in places."""
        array = self.numbers(value.array.dtype, value.shape)
        return self.graph.add_input(np.where(self.graph.random.random(value.shape) < 0.3, value.array, array))

    def take(self, kind: str, inputs: Sequence[Value | None], **attributes) -> Value | None:
        """The first result, or nothing where onnxruntime does not run the node."""
        state = self.graph.state()
        try:
            return self.graph.op(kind, inputs, exact=True, **attributes)[0]
        except Refused:
            self.graph.restore(state)
        return None

    def movements(self, x: Value) -> list[Callable[[], Value | None]]:
        ints, op = self.graph.ints, self.take
        dtype = x.array.dtype
        fill = self.graph.constant(self.numbers(dtype, (60,))[7])
        condition = self.graph.constant(self.graph.random.integers(0, 2, (4, 1)).astype(bool))
        return [
            lambda: op("Identity", [x]),
            lambda: op("Transpose", [x], perm=[2, 0, 1]),
            lambda: op("Reshape", [x, ints(5, 12)]),
            lambda: op("Unsqueeze", [x, ints(1)]),
            lambda: op("Flatten", [x]),
            lambda: op("Slice", [x, ints(3, 0), ints(-9, 3), ints(1, 2), ints(-1, 2)]),
            lambda: op("Gather", [x, ints(2, 0, -1)], axis=1),
            lambda: op("GatherElements", [x, self.graph.constant(np.zeros((2, 4, 5), np.int64))], axis=0),
            lambda: op("GatherND", [x, self.graph.constant(np.array([[1, 2], [0, -1]]))]),
            lambda: op("ScatterND", [x, self.graph.constant(np.array([[2], [0]])), self.input(dtype, (2, 4, 5))]),
            lambda: op("ScatterElements", [x, self.graph.constant(np.array([[[1, 0]]])), self.input(dtype, (1, 1, 2))],
                       axis=1),
            lambda: op("Concat", [x, self.other(x), self.graph.constant(self.numbers(dtype))], axis=1),
            lambda: op("Pad", [x, ints(0, 1, 2, 1, 0, 0), fill]),
            lambda: op("Pad", [x, ints(0, 1, 2, 1, 0, 0)], mode="reflect"),
            lambda: op("Expand", [x, ints(2, 1, 1, 1)]),
            lambda: op("Tile", [x, ints(1, 2, 1)]),
            lambda: op("Where", [condition, x, self.other(x)]),
            lambda: op("Split", [x, ints(1, 3)], axis=1, outputs=2),
            lambda: op("DepthToSpace", [self.input(dtype, (1, 8, 2, 3))], blocksize=2),
            lambda: op("Resize", [self.input(dtype, (1, 2, 3, 3)), None, None, ints(1, 2, 6, 5)]),
            lambda: op("Trilu", [x]),
            lambda: op("ReverseSequence", [x, ints(1, 3, 2, 0)], time_axis=0, batch_axis=1),
        ]  # fmt: skip

    def test_moves(self) -> None:
        for dtype in TYPES:
            x = self.input(dtype)
            done = [step() for step in self.movements(x)]
            self.assertGreater(sum(result is not None for result in done), 12, dtype)

    def test_compares(self) -> None:
        for dtype in TYPES:
            x = self.input(dtype)
            kinds = ("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Min", "Max")
            done = [self.take(kind, [x, self.other(x)]) for kind in kinds]
            self.assertTrue(done[0] is not None, dtype)
            self.take("IsNaN", [x])

    def test_converts(self) -> None:
        """Between all types; of floats what both types have, for beyond that C leaves it open."""
        for dtype in TYPES:
            array = self.numbers(dtype)
            if dtype.kind == "f":
                array = np.clip(np.nan_to_num(array), 0, 100)
            x = self.graph.add_input(array)
            for to in TYPES:
                self.assertTrue(self.take("Cast", [x], to=helper.np_dtype_to_tensor_dtype(to)) is not None, (dtype, to))

    def test_arithmetic_wraps_around(self) -> None:
        for dtype in INTEGERS:
            x = self.input(dtype)
            divisor = self.graph.add_input(np.maximum(np.abs(self.numbers(dtype) // 3), 1).astype(dtype))
            for kind in ("Add", "Sub", "Mul"):
                self.take(kind, [x, self.other(x)])
            for kind in ("Div", "Mod"):
                self.take(kind, [x, divisor])
            if dtype.itemsize < 8:  # of others onnxruntime computes it in double
                self.take("Mod", [x, divisor], fmod=1)
            self.take("Sign", [x])
            self.take("Relu", [x])
            self.take("Clip", [x, self.graph.constant(dtype.type(3)), self.graph.constant(dtype.type(100))])

    def test_bits(self) -> None:
        for dtype in INTEGERS:
            x = self.input(dtype)
            for kind in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
                self.take(kind, [x, self.other(x)])
            self.take("BitwiseNot", [x])
            places = self.graph.add_input(self.graph.random.integers(0, 8 * dtype.itemsize, SHAPE).astype(dtype))
            for direction in ("LEFT", "RIGHT"):
                self.take("BitShift", [x, places], direction=direction)

    def test_sums_and_orders(self) -> None:
        for dtype in INTEGERS:
            x = self.input(dtype)
            for kind in ("ReduceMax", "ReduceMin"):
                self.take(kind, [x, self.graph.ints(1)])
            self.take("ArgMax", [x], axis=2)
            self.take("TopK", [x, self.graph.ints(2)], axis=1, outputs=2)
            # Sums that wrap around are none of onnxruntime's.
            small, matrix = (self.graph.add_input(x.array % 7) for x in (x, self.input(dtype, (5, 2))))
            for kind in ("ReduceSum", "ReduceProd", "CumSum"):
                self.take(kind, [small, self.graph.ints(1)])
            self.take("MatMul", [small, matrix])

    def test_conversions_of_results(self) -> None:
        """Behind what a kernel computes, which a conversion is fused with, numbers keep their type."""
        for dtype in INTEGERS:
            x, places = self.input(dtype), self.graph.constant(np.zeros((1, 4, 5), np.int64))
            matrix = self.graph.constant(np.eye(5, dtype=dtype))
            results = [self.take("ScatterElements", [x, places, self.input(dtype, (1, 4, 5))], axis=0, reduction="add"),
                       self.take("MatMul", [x, matrix])]  # fmt: skip
            self.assertTrue(results[0] is not None, dtype)
            for result in results:
                if result is not None:
                    self.take("Cast", [result], to=helper.np_dtype_to_tensor_dtype(np.dtype(np.float32)))

    def test_choices(self) -> None:
        """A branch that data chooses, of the types that few chips have."""
        for dtype in TYPES[:5]:
            x, condition = self.input(dtype), self.input(np.dtype(bool), ())
            branches = []
            for kind in ("Identity", "Not"):
                name = f"branch_{kind}_{dtype}"
                perm = [0, 1, 2] if kind == "Identity" else [1, 0, 2]
                node = helper.make_node("Transpose", [x.name], [name], perm=perm)
                reshape = helper.make_node("Flatten", [name], [name + "_flat"], axis=0)
                info = helper.make_tensor_value_info(name + "_flat", helper.np_dtype_to_tensor_dtype(dtype), (1, 60))
                branches.append(helper.make_graph([node, reshape], name, [], [info]))
            self.graph.op("If", [condition], exact=True, captured=[x], then_branch=branches[0], else_branch=branches[1])

    def test_chains(self) -> None:
        """Of the same shape again after each step, so that any other step may follow."""
        random, ints = self.graph.random, self.graph.ints
        count = int(np.prod(SHAPE))
        for dtype in TYPES * CHAINS:
            x = self.input(dtype)
            for _ in range(6):
                steps = self.movements(x)
                result = steps[random.integers(len(steps))]()
                if result is None or result.array.size < count:
                    continue
                flat = self.graph.op("Reshape", [result, ints(-1)], exact=True)[0]
                part = self.graph.op("Slice", [flat, ints(0), ints(count)], exact=True)[0]
                x = self.graph.op("Reshape", [part, ints(*SHAPE)], exact=True)[0]
                x = self.take("Where", [self.take("Less", [x, self.other(x)]) or self.input(np.dtype(bool)), x,
                                        self.other(x)]) or x  # fmt: skip


if __name__ == "__main__":
    sys.exit(suite.main(__doc__))
