# SPDX-License-Identifier: Apache-2.0
"""Random models can have every operator that npuc supports, but for a list of exceptions with a reason each."""

from __future__ import annotations

import re
import subprocess
import sys
import unittest
from collections.abc import Collection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np  # noqa: E402
import random_models  # noqa: E402
import suite  # noqa: E402
from random_ops.graph import Graph, Value  # noqa: E402
from random_ops.table import EXCEPTIONS, OPS  # noqa: E402

MODELS = 20  # in one of which an operator has to appear


def supported() -> list[str]:
    """The operators of npuc's own table."""
    command = [str(suite.BUILD / "bin" / "onnx-fold"), "--supported-ops"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return re.findall(r"^\| ([\w.]+) \| [\d, ]+ \|", text, re.MULTILINE)


def faults(ops: Collection[str], chosen: Collection[str], exceptions: dict[str, str]) -> list[str]:
    """One sentence for each operator that the tables do not agree on."""
    found = [f"{op} has no row in a TABLE of random_ops" for op in ops if op not in chosen and op not in exceptions]
    found += [f"{op} of a TABLE is not supported" for op in chosen if op not in ops]
    found += [f"{op} of EXCEPTIONS is in a TABLE" for op in exceptions if op in chosen]
    found += [f"{op} of EXCEPTIONS is not supported" for op in exceptions if op not in ops]
    return found + [f"{op} of EXCEPTIONS has no reason" for op, reason in exceptions.items() if not reason.strip()]


class RandomModelsTest(unittest.TestCase):
    def test_tables(self) -> None:
        ops = supported()
        self.assertGreater(len(ops), 150)
        self.assertEqual(faults(ops, OPS, EXCEPTIONS), [])

    def test_faults(self) -> None:
        self.assertEqual(faults(["Abs"], ["Abs"], {}), [])
        self.assertIn("Neg has no row", faults(["Abs", "Neg"], ["Abs"], {})[0])
        self.assertIn("Neg of a TABLE", faults(["Abs"], ["Abs", "Neg"], {})[0])
        self.assertIn("is in a TABLE", faults(["Abs"], ["Abs"], {"Abs": "why"})[0])
        self.assertIn("Neg of EXCEPTIONS is not", faults(["Abs"], ["Abs"], {"Neg": "why"})[0])
        self.assertIn("no reason", faults(["Abs"], [], {"Abs": " "})[0])

    def test_every_operator_can_be_made(self) -> None:
        """A row whose function refuses whatever it draws would be no test."""
        for op in OPS:
            graphs = (self.one(op, seed) for seed in range(MODELS))
            self.assertTrue(any(graphs), f"{op} refused {MODELS} times")

    def one(self, op: str, seed: int) -> bool:
        random = np.random.default_rng(seed)
        graph = Graph(random, random_models.choose_opset(random, [op]))
        return random_models.add_node(graph, op)

    def test_a_hand_has_an_opset(self) -> None:
        for block in (0, 1, 2):
            hands = random_models.hands_of(block)
            self.assertEqual(sorted(op for hand in hands for op in hand), OPS)
            for hand in hands:
                random_models.choose_opset(np.random.default_rng(0), hand)

    def test_nothing_stays_of_what_was_refused(self) -> None:
        graph = Graph(np.random.default_rng(0), 9)
        value = graph.add_input(np.ones((2, 3), np.float32))
        state = graph.state()
        graph.op("Relu", [value])
        graph.restore(state)
        self.assertEqual((graph.nodes, graph.values, graph.read), ([], [value], set()))

    def test_differences_are_seen(self) -> None:
        ones = Value("v", np.ones(3, np.float32), False)
        self.assertIsNone(random_models.differs(np.ones(3, np.float32), ones, False))
        self.assertIn("1 of 3", random_models.differs(np.array([1, 1.01, 1], np.float32), ones, False) or "")
        self.assertIn("float64", random_models.differs(np.ones(3), ones, False) or "")
        steps = Value("v", np.array([3, 4], np.uint8), False)
        self.assertIsNone(random_models.differs(np.array([3, 5], np.uint8), steps, True))
        self.assertIsNotNone(random_models.differs(np.array([3, 5], np.uint8), steps, False))
        self.assertIsNotNone(random_models.differs(np.array([3, 6], np.uint8), steps, True))


if __name__ == "__main__":
    sys.exit(suite.main(__doc__))
