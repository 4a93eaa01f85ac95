# SPDX-License-Identifier: Apache-2.0
"""Models that random search found wrong, cut down to what was wrong with them, against onnxruntime."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np  # noqa: E402
import random_models  # noqa: E402
import suite  # noqa: E402
from random_ops.graph import Graph  # noqa: E402


class FoundTest(unittest.TestCase):
    def check(self, graph: Graph) -> None:
        for plan in ("host/optimal", "npu-nhwc/optimal"):
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


if __name__ == "__main__":
    sys.exit(suite.main(__doc__))
