# SPDX-License-Identifier: Apache-2.0
"""An index outside of what it counts ends a run with one error: which node, which index, and its limits."""

from __future__ import annotations

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

OPSET = 18
PLANS = ("npu-nhwc/optimal", "host/optimal")
ROWS, IMAGE = np.arange(12, dtype=np.float32).reshape(4, 3), np.ones((1, 1, 2, 2), np.float32)
ZEROS = np.zeros((2, 3), np.int64)
BATCH, SEQUENCES = np.ones((2, 1, 4, 4), np.float32), np.ones((5, 2, 3), np.float32)
BOXES, LENGTHS = np.array([[0, 0, 3, 3]] * 2, np.float32), np.full(2, 5, np.int32)
# Operator, data, indices within it, further inputs, attributes; the bad index, where, and its limits.
CASES = (
    ("Gather", ROWS, np.zeros(2, np.int64), [], {}, 7, (1,), "dimension 0 of the data has 4 elements, expected -4 to 3"),
    ("Gather", ROWS, np.zeros((2, 1), np.int32), [], {"axis": 1}, -4, (1, 0), "dimension 1 of the data has 3 elements, expected -3 to 2"),
    ("GatherElements", ROWS, ZEROS, [], {}, 4, (1, 2), "dimension 0 of the data has 4 elements, expected -4 to 3"),
    ("GatherND", ROWS, np.zeros((2, 2), np.int64), [], {}, 3, (1, 1), "dimension 1 of the data has 3 elements, expected -3 to 2"),
    ("ScatterElements", ROWS, ZEROS, [ROWS[:2]], {"axis": 1}, -9, (0, 1), "dimension 1 of the data has 3 elements, expected -3 to 2"),
    ("ScatterND", ROWS, np.zeros((2, 1), np.int64), [ROWS[:2]], {"reduction": "add"}, 4, (1, 0), "dimension 0 of the data has 4 elements, expected -4 to 3"),
    ("MaxUnpool", IMAGE, np.arange(4).reshape(1, 1, 2, 2), [], {"kernel_shape": [2, 2], "strides": [2, 2]}, 16, (0, 0, 1, 1), "the result has 16 elements, expected 0 to 15"),
    ("MaxUnpool", IMAGE, np.arange(4).reshape(1, 1, 2, 2), [], {"kernel_shape": [2, 2], "strides": [2, 2]}, -1, (0, 0, 0, 1), "the result has 16 elements, expected 0 to 15"),
)  # fmt: skip
# Operator, inputs, attributes; which input is wrong, where, the number there, how many are expected.
COUNTS = (
    ("RoiAlign", [BATCH, BOXES, np.zeros(2, np.int64)], {"sampling_ratio": 1}, 2, 1, 2, 2),
    ("RoiAlign", [BATCH, BOXES, np.zeros(2, np.int64)], {}, 2, 1, -1, 2),
    ("RoiAlign", [BATCH, BOXES, np.zeros(2, np.int64)], {}, 2, 0, 1 << 32, 2),
    ("MaxRoiPool", [BATCH, np.zeros((2, 5), np.float32)], {"pooled_shape": [2, 2]}, 1, (1, 0), -1, 2),
    ("ReverseSequence", [SEQUENCES, LENGTHS.astype(np.int64)], {}, 1, 1, -1, 6),
    ("ReverseSequence", [SEQUENCES, LENGTHS.astype(np.int64)], {}, 1, 0, 6, 6),
    *((op, [SEQUENCES, np.ones((1, 2 * gates, 3), np.float32), np.ones((1, 2 * gates, 2), np.float32), None, LENGTHS],
       {"hidden_size": 2}, 4, 1, length, 6) for op, gates, length in (("RNN", 1, 6), ("GRU", 3, -1), ("LSTM", 4, 6))),
)  # fmt: skip


class IndexTest(unittest.TestCase):
    def test_outside(self) -> None:
        for plan in PLANS:
            for case in CASES:
                with self.subTest(op=case[0], plan=plan), tempfile.TemporaryDirectory() as folder:
                    self.outside(plan, Path(folder), *case)

    def outside(self, plan, folder, op, data, indices, more, attributes, index, place, limits) -> None:
        at = f"[{', '.join(map(str, place))}]"
        expected = f"index {index} at {at} of its indices is outside: {limits}"
        self.refused(plan, folder, op, [data, indices, *more], attributes, 1, place, index, expected)

    def test_counts(self) -> None:
        """What counts images or steps of a composed operator counts from 0 on only."""
        for plan in PLANS:
            for op, inputs, attributes, which, place, number, count in COUNTS:
                with self.subTest(op=op, plan=plan, number=number), tempfile.TemporaryDirectory() as folder:
                    at = place[0] if isinstance(place, tuple) else place
                    expected = f"index {number} at [0, 0, {at}] of its indices is outside: the result has {count} elements, expected 0 to {count - 1}"
                    self.refused(plan, Path(folder), op, inputs, attributes, which, place, number, expected)

    def refused(self, plan, folder, op, inputs, attributes, which, place, number, expected) -> None:
        """A program that takes the inputs ends with the error once this number is in one of them."""
        graph = Graph(np.random.default_rng(0), OPSET)
        graph.op(op, [None if array is None else graph.add_input(array) for array in inputs], **attributes)
        onnx.save(graph.model(), folder / "model.onnx")
        target, layout = plan.split("/")
        bin, program = suite.BUILD / "bin", folder / "model.npu"
        words = ["-q", f"--target={target}", f"--layout={layout}", "-o", str(program)]
        done = random_models.call([str(bin / "npuc"), str(folder / "model.onnx"), *words])
        self.assertEqual(done.returncode, 0, done.stderr)
        inputs = [array if i != which else array.copy() for i, array in enumerate(inputs)]
        inputs[which][place] = number
        command = [str(bin / "npu-run"), str(program), "--threads=2"]
        for value, array in zip(graph.inputs, (array for array in inputs if array is not None)):
            np.save(folder / f"{value.name}.npy", array)
            command += ["--input", f"{value.name}={folder / value.name}.npy"]
        done = random_models.call(command)
        errors = [line for line in done.stderr.splitlines() if "error:" in line]
        self.assertEqual((done.returncode, len(errors)), (1, 1), done.stderr)
        self.assertTrue(errors[0].endswith(f"{op}_0'': {expected}"), f"{errors[0]}\nexpected {expected}")


if __name__ == "__main__":
    sys.exit(suite.main(__doc__))
