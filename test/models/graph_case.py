# SPDX-License-Identifier: Apache-2.0
"""A test whose body fills a graph, which is then compared with onnxruntime under several plans."""

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

OPSET = 18


class GraphCase(unittest.TestCase):
    plans: tuple[str, ...]  # target/layout

    def setUp(self) -> None:
        self.graph = Graph(np.random.default_rng(0), OPSET, is_special=True)

    def tearDown(self) -> None:
        self.assertGreater(len(self.graph.nodes), 0)
        for plan in self.plans:
            with self.subTest(plan=plan), tempfile.TemporaryDirectory() as folder:
                self.assertIsNone(random_models.check(self.graph, plan, suite.BUILD, Path(folder)))
