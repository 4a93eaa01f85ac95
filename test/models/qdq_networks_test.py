# SPDX-License-Identifier: Apache-2.0
"""Networks that onnxruntime quantized, on a chip of integers: no float but at the boundary, bytes as onnxruntime's."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np  # noqa: E402
import qdq_networks  # noqa: E402
import suite  # noqa: E402
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static  # noqa: E402

SAMPLE = ("whisper_encoder", "language_model")


class Reader(CalibrationDataReader):
    def __init__(self, net: qdq_networks.Net) -> None:
        random = np.random.default_rng(0)
        self.rows = iter(
            {name: random.normal(size=shape).astype(np.float32) for name, shape in net.inputs.items()} for _ in range(8)
        )

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self.rows, None)


class QdqNetworksTest(unittest.TestCase):
    def run_tool(self, *command: object) -> str:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-600:])
        return done.stdout

    def check(self, number: int, build: Callable[[qdq_networks.Net], str], kind: QuantType, folder: Path) -> None:
        model, quantized, told = folder / "float.onnx", folder / "quantized.onnx", folder / "report.json"
        net = qdq_networks.Net(number)
        net.save(model, build(net))
        quantize_static(model, quantized, Reader(net), quant_format=QuantFormat.QDQ, activation_type=kind,
                        weight_type=QuantType.QInt8, per_channel=True)  # fmt: skip
        self.run_tool(suite.BUILD / "bin" / "npuc", quantized, "--target=npu-ethos-u55", "-q", f"--report={told}", "-o",
                      folder / "model.npu")  # fmt: skip
        placement = json.loads(told.read_text(encoding="utf-8"))["placement"]
        self.assertEqual({row["node"].split(" ")[0] for row in placement}, {"QuantizeLinear", "DequantizeLinear"})
        self.assertEqual(len({row["node"] for row in placement}), len(net.inputs) + 1)
        # Each layer's bytes from its own inputs, within a step.
        self.run_tool(suite.BUILD / "bin" / "npu-compare", quantized, "--target=npu-ethos-u55", "--bytes", "--steps=1")

    def test_networks(self) -> None:
        logging.disable(logging.WARNING)
        for number, build in enumerate(qdq_networks.NETWORKS):
            every = os.environ.get("NPU_EVERY_CASE")
            if not every and build.__name__ not in SAMPLE:
                continue
            for kind in (QuantType.QInt8, QuantType.QUInt8) if every else (QuantType.QInt8,):
                with self.subTest(f"{build.__name__}, {kind}"), tempfile.TemporaryDirectory() as folder:
                    self.check(number, build, kind, Path(folder))


if __name__ == "__main__":
    sys.exit(suite.main(__doc__))
