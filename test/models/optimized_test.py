# SPDX-License-Identifier: Apache-2.0
"""Models that onnxruntime's optimizer or its session wrote compile to what the models before compile to."""

from __future__ import annotations

import collections
import json
import logging
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import exported_nets as nets  # noqa: E402
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
import random_models  # noqa: E402
import suite  # noqa: E402
from onnxruntime.transformers.optimizer import optimize_model  # noqa: E402

TARGETS = ("host", "npu-nhwc")
RTOL = ATOL = 1e-4
SAME = ("attention", "tensornorm", "matmul", "softmax")  # kernels that are as many in all spellings
Levels = onnxruntime.GraphOptimizationLevel


def session(model: Path, level: Levels, saved: Path | None = None) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level, options.log_severity_level = level, 4
    if saved:
        options.optimized_model_filepath = str(saved)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def operators(model: Path) -> set[str]:
    return {random_models.name_of(node) for node in onnx.load(model).graph.node}


def feeds_of(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    """Tokens, places in a row, and masks that leave out the last tokens of the second sample."""
    random, feeds = np.random.default_rng(3), {}
    for info in model.graph.input:
        shape = [size.dim_value for size in info.type.tensor_type.shape.dim]
        if info.type.tensor_type.elem_type == onnx.TensorProto.FLOAT:
            feeds[info.name] = random.standard_normal(shape).astype(np.float32)
        elif info.name == "position_ids":
            feeds[info.name] = np.broadcast_to(np.arange(shape[1]), shape)
        elif info.name == "attention_mask":
            feeds[info.name] = np.ones(shape, np.int64)
            feeds[info.name][1:, shape[1] * 2 // 3 :] = 0
        else:
            feeds[info.name] = random.integers(0, 2 if "type" in info.name else nets.VOCABULARY, shape)
    return feeds


class OptimizedTest(unittest.TestCase):
    def setUp(self) -> None:
        logging.disable(logging.WARNING)  # of the optimizer
        self.addCleanup(logging.disable, logging.NOTSET)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_program(self, name: str, *words: object) -> None:
        done = random_models.call([str(suite.BUILD / "bin" / name), *map(str, words)])
        self.assertEqual(done.returncode, 0, done.stderr)

    def results_of(self, program: Path, feeds: dict[str, np.ndarray], names: list[str]) -> dict[str, np.ndarray]:
        words = []
        for name, array in feeds.items():
            np.save(self.folder / f"{name}.npy", array)
            words += ["--input", f"{name}={self.folder / name}.npy"]
        for name in names:
            words += ["--output", f"{name}={self.folder / name}.out.npy"]
        self.run_program("npu-run", program, "--threads=2", *words)
        return {name: np.load(self.folder / f"{name}.out.npy") for name in names}

    def compiled(self, model: Path, target: str, feeds: dict[str, np.ndarray], expected: dict[str, np.ndarray],
                 *words: str) -> collections.Counter:  # fmt: skip
        """Kernels by op; nothing is moved but the new caches, whose heads come first, and numbers are onnxruntime's."""
        program, report = self.folder / "model.npu", self.folder / "report.json"
        layout = [f"--target={target}", "--layout=optimal", "--verify-layout"]
        self.run_program("npuc", model, "-q", *layout, "-o", program, f"--report={report}", *words)
        results = self.results_of(program, feeds, list(expected))
        for name, array in expected.items():
            np.testing.assert_allclose(results[name], array, RTOL, ATOL, err_msg=name)
        facts = json.loads(report.read_text())
        if target == "npu-nhwc":
            self.assertLessEqual(facts["relayouts"]["count"], len(expected) - 1)
        return collections.Counter(kernel["op"] for kernel in facts["kernels"])

    def check(self, model: onnx.ModelProto, kind: str, optimized: set[str], saved: set[str]) -> None:
        """`optimized` and `saved`: operators that the optimizer, and a session, must have written."""
        files = {name: self.folder / f"{name}.onnx" for name in ("plain", "optimized", "saved")}
        onnx.save(model, files["plain"])
        optimize_model(str(files["plain"]), kind, nets.HEADS, nets.WIDTH, opt_level=0).save_model_to_file(files["optimized"])
        session(files["plain"], Levels.ORT_ENABLE_EXTENDED, files["saved"])
        self.assertLessEqual(optimized, operators(files["optimized"]))
        self.assertLessEqual(saved, operators(files["saved"]))
        feeds = feeds_of(model)
        plain = session(files["plain"], Levels.ORT_DISABLE_ALL)
        expected = dict(zip([info.name for info in plain.get_outputs()], plain.run(None, feeds)))
        for target in TARGETS:
            counts = {name: self.compiled(file, target, feeds, expected) for name, file in files.items()}
            for name, count in counts.items():
                with self.subTest(target=target, name=name):
                    self.assertEqual([count[op] for op in SAME], [counts["plain"][op] for op in SAME])
        self.assertEqual(counts["plain"]["attention"], 0)

    def test_encoder(self) -> None:
        written = {"com.microsoft.Attention", "com.microsoft.SkipLayerNormalization", "com.microsoft.BiasGelu"}
        saved = {"com.microsoft.FusedMatMul", "com.microsoft.SkipLayerNormalization"}
        self.check(nets.bert(), "bert", written, saved)

    def test_decoder(self) -> None:
        written = {"com.microsoft.MultiHeadAttention", "com.microsoft.RotaryEmbedding", "SimplifiedLayerNormalization",
                   "com.microsoft.SkipSimplifiedLayerNormalization"}  # fmt: skip
        saved = {"com.microsoft.FusedMatMul", "SimplifiedLayerNormalization", "com.microsoft.QuickGelu"}
        self.check(nets.llama(), "gpt2", written, saved)

    def check_grouped(self, model: onnx.ModelProto, *bound: str) -> dict[str, collections.Counter]:
        """Counts of kernels by target; `bound` inputs are constants."""
        path = self.folder / "grouped.onnx"
        onnx.save(model, path)
        feeds = feeds_of(model)
        runner = session(path, Levels.ORT_DISABLE_ALL)
        expected = dict(zip([info.name for info in runner.get_outputs()], runner.run(None, feeds)))
        words = []
        for name in bound:
            np.save(self.folder / f"bound_{name}.npy", feeds[name])
            words.append(f"--bind-input={name}={self.folder / f'bound_{name}.npy'}")
        left = {name: array for name, array in feeds.items() if name not in bound}
        return {target: self.compiled(path, target, left, expected, *words) for target in TARGETS}

    def test_first_tokens(self) -> None:
        """All layers' attention is one kernel, and no norm is left in parts."""
        for is_packed in (True, False):
            counts = self.check_grouped(nets.grouped(tokens=16, past=0, batch=1, is_packed=is_packed))
            self.assertEqual(counts["host"]["attention"], nets.LAYERS)
            for count in counts.values():
                self.assertEqual(count["tensornorm"], 2 * nets.LAYERS + 1)

    def test_next_token(self) -> None:
        """Where the cache ends is known when the model runs; with the mask bound, before."""
        model = nets.grouped(tokens=1, past=7)
        free = self.check_grouped(model)
        bound = self.check_grouped(nets.grouped(tokens=1, past=7, batch=1), "attention_mask")
        for target in TARGETS:
            self.assertEqual(free[target]["tensornorm"], 2 * nets.LAYERS + 1)
            self.assertGreater(free[target]["gather"], bound[target]["gather"])  # of angles
            self.assertEqual(bound[target]["pad"], 0)
            self.assertEqual(free[target]["broadcast"], 0)  # of keys for several heads of queries

    def test_one_program_for_all_steps(self) -> None:
        """A cache and a mask of the longest length: token by token as onnxruntime gives them all at once."""
        longest, tokens = 10, np.random.default_rng(4).integers(0, nets.VOCABULARY, 10)
        path, whole = self.folder / "step.onnx", self.folder / "whole.onnx"
        model = nets.grouped(tokens=1, past=longest, batch=1, total=longest)
        onnx.save(model, path)
        onnx.save(nets.grouped(tokens=longest, past=0, batch=1), whole)
        feeds = feeds_of(onnx.load(whole)) | {"input_ids": tokens[None]}
        (expected,) = session(whole, Levels.ORT_DISABLE_ALL).run([onnx.load(whole).graph.output[-1].name], feeds)
        program = self.folder / "step.npu"
        self.run_program("npuc", path, "-q", "--target=host", "-o", program)
        inputs = {name: np.zeros_like(array) for name, array in feeds_of(model).items()}
        names = [info.name for info in model.graph.output]
        for step in range(longest):
            inputs["input_ids"][0, 0], inputs["attention_mask"][0, step] = tokens[step], 1
            results = self.results_of(program, inputs, names)
            np.testing.assert_allclose(results[names[-1]][0, 0], expected[0, step], RTOL, ATOL, err_msg=str(step))
            inputs |= {name.replace("present", "past"): results[name] for name in names[:-1]}


if __name__ == "__main__":
    sys.exit(suite.main(__doc__))
