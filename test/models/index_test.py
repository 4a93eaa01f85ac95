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


class IndexTest(unittest.TestCase):
    def test_outside(self) -> None:
        for plan in PLANS:
            for case in CASES:
                with self.subTest(op=case[0], plan=plan), tempfile.TemporaryDirectory() as folder:
                    self.outside(plan, Path(folder), *case)

    def outside(self, plan, folder, op, data, indices, more, attributes, index, place, limits) -> None:
        graph = Graph(np.random.default_rng(0), OPSET)
        graph.op(op, [graph.add_input(array) for array in (data, indices, *more)], **attributes)
        onnx.save(graph.model(), folder / "model.onnx")
        target, layout = plan.split("/")
        bin, program = suite.BUILD / "bin", folder / "model.npu"
        words = ["-q", f"--target={target}", f"--layout={layout}", "-o", str(program)]
        done = random_models.call([str(bin / "npuc"), str(folder / "model.onnx"), *words])
        self.assertEqual(done.returncode, 0, done.stderr)
        indices = indices.copy()
        indices[place] = index
        command = [str(bin / "npu-run"), str(program), "--threads=2"]
        for value, array in zip(graph.inputs, (data, indices, *more)):
            np.save(folder / f"{value.name}.npy", array)
            command += ["--input", f"{value.name}={folder / value.name}.npy"]
        done = random_models.call(command)
        errors = [line for line in done.stderr.splitlines() if "error:" in line]
        self.assertEqual((done.returncode, len(errors)), (5, 1), done.stderr)
        at = f"[{', '.join(map(str, place))}]"
        expected = f"{op}_0'': index {index} at {at} of its indices is outside: {limits}"
        self.assertTrue(errors[0].endswith(expected), f"{errors[0]}\nexpected {expected}")


if __name__ == "__main__":
    sys.exit(suite.main(__doc__))
