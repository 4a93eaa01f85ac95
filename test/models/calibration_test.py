# SPDX-License-Identifier: Apache-2.0
"""Tests npu-bench --calibrate: the fit with made-up times, and a small real run whose table npuc takes."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench" / "models")]

import onnx  # noqa: E402
import small  # noqa: E402
import suite  # noqa: E402
from npu_bench import caches, fit, predictions, statistics, table  # noqa: E402
from npu_bench.results import Row  # noqa: E402


def compile_small(
    cache: Path, *words: str, target: str = "host", threads: int = 2
) -> tuple[subprocess.CompletedProcess, dict]:
    """npuc on a small network, with `cache` as the user's cache folder; the report is empty if it failed."""
    with tempfile.TemporaryDirectory() as folder:
        model, report = Path(folder) / "residual.onnx", Path(folder) / "report.json"
        onnx.save(small.make("residual"), model)
        command = [suite.BUILD / "bin" / "npuc", model, "--batch=1", f"--target={target}", f"--report={report}",
                   f"--output={Path(folder) / 'x.html'}", "--emit=html", "--layout=none", f"--threads={threads}", *words]  # fmt: skip
        done = subprocess.run(
            list(map(str, command)), capture_output=True, text=True, env={**os.environ, "XDG_CACHE_HOME": str(cache)}
        )
        return done, json.loads(report.read_text()) if done.returncode == 0 else {}


class TableTest(unittest.TestCase):
    """npuc and a table written by hand."""

    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.cache = Path(self.folder.name)
        self.path = self.cache / "npuc" / "host.yaml"
        _, self.before = compile_small(self.cache)
        self.table = table.Table.shipped()
        self.table.set_measured("oneDNN 3.2.0", 2)

    def write(self, text: str = "", **replaced: str) -> None:
        self.table.write(self.path)
        content = self.path.read_text()
        for old, new in replaced.items():
            content = content.replace(old, new)
        self.path.write_text(text or content)

    def test_absent(self) -> None:
        done, report = compile_small(self.cache)
        self.assertIn("npu-bench --calibrate", done.stderr)
        self.assertFalse(report["measured"]["of_this_machine"])
        self.assertEqual(compile_small(self.cache, "-q")[0].stderr, "")

    def test_used(self) -> None:
        self.table.set_machine("mac_columns", self.table.machine("mac_columns") / 100)
        self.write()
        done, report = compile_small(self.cache)
        self.assertNotIn("calibrate", done.stderr)
        self.assertTrue(report["measured"]["of_this_machine"])
        self.assertEqual(report["measured"]["file"], str(self.path))
        self.assertGreater(report["cost"], 2 * self.before["cost"])

    def test_other_threads(self) -> None:
        self.table.set_machine("mac_columns", self.table.machine("mac_columns") / 100)
        self.write()
        self.assertEqual(compile_small(self.cache)[0].stderr.count("threads"), 0)
        done, report = compile_small(self.cache, threads=1)
        for text in (str(self.path), "with 2 threads, the program is for 1", "--calibrate --threads=1"):
            self.assertIn(text, done.stderr)
        self.assertTrue(report["measured"]["of_this_machine"])
        self.assertGreater(report["cost"], 2 * self.before["cost"])
        self.assertEqual(compile_small(self.cache, "-q", threads=1)[0].stderr, "")

    def test_cost_of_layouts_without_demand(self) -> None:
        self.table.set_cost("conv2d", "NCHW", 50)
        self.table.set_cost("max_pool", "NCHW", 3)
        self.write()
        _, report = compile_small(self.cache)
        self.assertGreater(report["cost"], 2 * self.before["cost"])

    def check_unused(self, *expected: str) -> None:
        done, report = compile_small(self.cache)
        for text in (*expected, str(self.path), "npu-bench --calibrate"):
            self.assertIn(text, done.stderr)
        self.assertEqual(report["cost"], self.before["cost"])
        self.assertFalse(report["measured"]["of_this_machine"])

    def test_another_processor(self) -> None:
        self.table.set_machine("mac_columns", 1)
        self.table.content["measured"]["processor"] = "Abacus 2000"
        self.write()
        self.check_unused("'Abacus 2000'", table.processor_name())

    def test_another_library(self) -> None:
        self.table.set_machine("mac_columns", 1)
        self.table.content["measured"]["library"] = "oneDNN 2.7.1"
        self.write()
        self.check_unused("'oneDNN 2.7.1'", "'oneDNN 3.2.0'")

    def test_damaged(self) -> None:
        whole = {
            "mac_columns: 32 MAC": "mac_columns: -1 MAC",
            "clock: 2500 MHz": "clock: 2500",
            "kernel_start:": "kernel_stop:",
            "threads: 2 threads": "threads: two",
            "library: oneDNN 3.2.0": "",
            "measured:": "weasured:",
            "name: host": "name: guest",
        }
        for old, new in whole.items():
            self.write(**{old: new})
            self.assertIn(new, self.path.read_text())
            self.check_refused()
        for text in ("garbage", "name: host\n", "name: host\nmachine: {", table.SHIPPED.read_text().split("measured:")[0]):
            self.write(text)
            self.check_refused()

    def check_refused(self) -> None:
        done, _ = compile_small(self.cache)
        self.assertEqual(done.returncode, 8, done.stderr)
        self.assertRegex(done.stderr, rf"npuc: error: {self.path}:\d+: .*remove the file")

    def test_only_the_name_asks_for_it(self) -> None:
        self.write("garbage")
        self.assertEqual(compile_small(self.cache, target=str(table.SHIPPED))[0].returncode, 0)
        self.assertEqual(compile_small(self.cache, target="npu-nchw")[0].returncode, 0)

    def test_a_folder_that_cannot_be(self) -> None:
        (self.cache / "npuc").write_text("a file")
        with self.assertRaisesRegex(table.OutputError, "cannot write the table"):
            self.table.write(self.path)

    def test_nothing_is_left_of_one_that_cannot_be_written(self) -> None:
        self.path.mkdir(parents=True)
        with self.assertRaisesRegex(Exception, "cannot write .*: Is a directory"):
            self.table.write(self.path)
        self.assertEqual(list(self.path.parent.iterdir()), [self.path])


class FitTest(unittest.TestCase):
    def test_numbers_are_found(self) -> None:
        """Times from a model of two numbers; the fit starts elsewhere."""
        truth = table.Table.shipped()
        truth.set_machine("mac_columns", 10)
        truth.set_cost("conv2d", "NCHW16c", 1.5)

        def times(values: table.Table) -> dict[str, float]:
            alone = 1.0 / values.machine("mac_columns")
            return {"NHWC": alone, "NCHW16c": alone * values.cost("conv2d", "NCHW16c")}

        def predict(values: table.Table) -> list[fit.Sample]:
            return [fit.Sample(variant, "conv", "conv2d", "mac array", False, times(truth)[variant], ms)
                    for variant, ms in times(values).items()]  # fmt: skip

        found = table.Table.shipped()
        samples = fit.fit(found, predict, lambda: None)
        self.assertAlmostEqual(found.machine("mac_columns"), 10, delta=0.01)
        self.assertAlmostEqual(found.cost("conv2d", "NCHW16c"), 1.5, delta=0.01)
        self.assertEqual(found.cost("conv2d", "NDHWC"), 1)
        self.assertEqual(found.cost("conv2d", "NCDHW16c"), found.cost("conv2d", "NCHW16c"))
        self.assertTrue(all(abs(sample.ratio - 1) < 0.01 for sample in samples))

    def test_memory_cache_and_start_are_told_apart(self) -> None:
        truth = table.Table.shipped()
        for key, value in (("dram_bandwidth", 80), ("beyond_cache", 3), ("kernel_start", 12500), ("strided_access", 4)):
            truth.set_machine(key, value)

        def times(values: table.Table) -> dict[tuple[str, str, str, bool], float]:
            def moved(mib: float) -> float:
                return mib * 2**20 / values.machine("dram_bandwidth") / 1e6

            start = values.machine("kernel_start") / 2.5e6
            far, apart = values.machine("beyond_cache"), values.machine("strided_access")
            return {
                ("NHWC", "tiny", "concat", False): start,
                ("NHWC", "copy", "concat", False): start + moved(2),
                ("NHWC", "beyond", "concat", True): start + moved(40) * far,
                ("NHWC pairs", "conv", "relayout", False): start + moved(1) * (1 + apart),
            }

        def predict(values: table.Table) -> list[fit.Sample]:
            return [fit.Sample(variant, kind, op, "dma", large, times(truth)[variant, kind, op, large], ms)
                    for (variant, kind, op, large), ms in times(values).items()]  # fmt: skip

        found = table.Table.shipped()
        for _ in range(5):
            fit.fit(found, predict, lambda: None)
        for key in ("dram_bandwidth", "beyond_cache", "kernel_start", "strided_access"):
            self.assertAlmostEqual(found.machine(key) / truth.machine(key), 1, delta=0.03, msg=key)

    def test_families_of_convolutions(self) -> None:
        truth = table.Table.shipped()
        kinds = {"conv": "", "pointwise": "pointwise", "depthwise": "depthwise"}
        for fact, value in zip(kinds.values(), (1.5, 1.2, 3)):
            truth.set_cost("conv2d", "NCHW", value, fact)

        def predict(values: table.Table) -> list[fit.Sample]:
            return [fit.Sample("NCHW", kind, "conv2d", "mac array", False, truth.cost("conv2d", "NCHW", fact),
                               values.cost("conv2d", "NCHW", fact)) for kind, fact in kinds.items()]  # fmt: skip

        found = table.Table.shipped()
        fit.fit(found, predict, lambda: None)
        for fact in kinds.values():
            self.assertAlmostEqual(found.cost("conv2d", "NCHW", fact), truth.cost("conv2d", "NCHW", fact), delta=0.01)

    def test_nothing_is_faster_for_being_far_away(self) -> None:
        """Also where a disturbed measurement says so."""
        found = table.Table.shipped()
        fit.fit(found, lambda values: [fit.Sample("NHWC", "beyond", "concat", "dma", True, 0.5, 1.0)], lambda: None)
        self.assertEqual(found.machine("beyond_cache"), 1)

    def test_step(self) -> None:
        sizes = [1.0, 4.0, 16.0, 64.0]
        self.assertAlmostEqual(caches.step(sizes, [1, 1.1, 2, 2.2]), 8)
        self.assertAlmostEqual(caches.step(sizes, [1, 3, 3.1, 2.9]), 2)
        # A smaller step before the largest is none.
        self.assertAlmostEqual(caches.step(sizes, [1, 1.5, 1.6, 6]), 32)

    def test_times_of_memory(self) -> None:
        """Whatever they are here, they are of two threads and finite."""
        for size in (64, 4096):
            self.assertTrue(0 < caches.times_per_kib(size, 2) < 1)

    def test_weighted_median(self) -> None:
        self.assertEqual(fit.weighted_median([3, 1, 2], [1, 1, 1]), 2)
        self.assertEqual(fit.weighted_median([3, 1, 2], [9, 1, 1]), 3)
        with self.assertRaises(ValueError):
            fit.weighted_median([], [])


class StandIn:
    """Of a contender: what `merge` looks at."""

    def __init__(self, name: str, work: str, *implementations: str) -> None:
        self.name, self.facts, self.stopped = name, {"work": work}, False
        self.report = {"kernels": [{"implementation": name} for name in implementations]}

    def stop(self) -> None:
        self.stopped = True


class PredictionsTest(unittest.TestCase):
    def program(self, predicted: float, *sittings: list[float], kernels: list[tuple] = ()) -> predictions.Program:
        """Kernels: node and predicted time; without: one of its own, predicted without error."""
        median = statistics.estimate([value for sitting in sittings for value in sitting])
        row = Row("net", 1, f"host/{predicted}", predicted_ms=predicted, latency_ms=median)
        rows = [(node, "", ms, ms) for node, ms in kernels or [(str(predicted), predicted)]]
        return predictions.Program(row, list(sittings), rows)

    def test_rank_correlation(self) -> None:
        def of(first: list[float], second: list[float]) -> float:
            return statistics.rank_correlation(statistics.order(first), statistics.order(second))

        self.assertAlmostEqual(of([1, 2, 3], [10, 20, 90]), 1)
        self.assertAlmostEqual(of([1, 2, 3], [3, 2, 1]), -1)
        self.assertAlmostEqual(of([1, 1, 3], [1, 2, 3]), 3**0.5 / 2)
        self.assertAlmostEqual(of([1, 2, 3, 4], [2, 1, 3, 4]), 0.8)
        self.assertEqual(of([1, 1], [1, 2]), 0)
        self.assertTrue(math.isnan(of([1, 2], [1, 1])))

    def test_measured_ties(self) -> None:
        """Noise between rounds, and between processes: only what stands out of both is an order."""
        steady = [[1.0, 1.01, 0.99], [1.0, 0.99, 1.01]]
        slower = [[1.1, 1.11, 1.09], [1.1, 1.09, 1.11]]
        jumping = [[0.9, 0.91, 0.89], [1.3, 1.31, 1.29]]
        signs = statistics.measured_order([steady, slower, jumping])
        self.assertEqual(signs.tolist(), [[0, -1, 0], [1, 0, 0], [0, 0, 0]])
        # The same rounds, each twice as slow as the one before: what is common to both cancels out.
        drift = [[1.0, 2.0, 4.0], [1.0, 2.0, 4.0]]
        signs = statistics.measured_order([drift, [[1.2 * value for value in sitting] for sitting in drift]])
        self.assertEqual(signs.tolist(), [[0, -1], [1, 0]])

    def test_concordance(self) -> None:
        """Only what differs when measured counts; what is predicted alike there is wrong by half."""
        same, measured = statistics.order([1, 2, 3, 4]), statistics.order([1, 1, 1, 2])
        self.assertEqual(statistics.concordance(same, measured), 1)
        self.assertAlmostEqual(statistics.concordance(statistics.order([4, 2, 3, 3]), measured), (1 - 1 + 0) / 3)
        self.assertEqual(statistics.concordance(statistics.order([1, 1, 1, 1]), measured), 0)
        self.assertEqual(statistics.concordance(-measured, measured), -1)
        self.assertTrue(math.isnan(statistics.concordance(same, statistics.order([1, 1, 1, 1]))))

    def test_predicted_ties(self) -> None:
        programs = [self.program(ms, [1.0]) for ms in (10.0, 10.009, 10.02)]
        self.assertEqual(predictions.predicted_order(programs).tolist(), [[0, 0, -1], [0, 0, -1], [1, 1, 0]])

    def test_kernel_error(self) -> None:
        exact = self.program(2, [1.0])
        self.assertEqual(predictions.kernel_error([exact]), 0)
        exact.kernels = [("a", "", 1, 2), ("b", "", 1, 2), ("c", "", 1, 2)]  # all twice: the order is right
        self.assertEqual(predictions.kernel_error([exact]), 0)
        exact.kernels = [("a", "", 1, 1), ("b", "", 1, 1.1), ("c", "", 1, 1.21)]
        self.assertAlmostEqual(predictions.kernel_error([exact]), 1.4826 * math.log(1.1))

    def test_merge(self) -> None:
        rows = [StandIn("host/optimal", "a", "x"), StandIn("host/none", "b", "x"), StandIn("host/alter", "a", "x"),
                StandIn("host/preset", "a", "y")]  # fmt: skip
        merged = predictions.merge(rows)
        self.assertEqual([row.name for row in merged], ["host/optimal, alter", "host/none", "host/preset"])
        self.assertEqual([row.stopped for row in rows], [False, False, True, False])

    def test_quality(self) -> None:
        programs = [self.program(4, [4.5, 4.5], [4.5]), self.program(1, [2.2, 2.2], [2.2]),
                    self.program(2, [2.0, 2.0], [2.0])]  # fmt: skip
        found = predictions.quality(programs)
        self.assertAlmostEqual(found.raw, 0.5)
        self.assertAlmostEqual(found.correlation, 0.5)
        self.assertAlmostEqual(found.concordance, 1 / 3)
        self.assertAlmostEqual(found.loss.median, 1.1)
        self.assertAlmostEqual(found.loss.high, 1.1)


class CalibrateTest(unittest.TestCase):
    def test_writes_a_table_that_npuc_takes(self) -> None:
        """One round: the numbers are poor, the table is whole."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [str(suite.BUILD / "bin" / "npu-bench"), "--calibrate", "--rounds=1", "--threads=2"], capture_output=True,
                text=True, env={**os.environ, "XDG_CACHE_HOME": folder},
            )  # fmt: skip
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("mac_columns", done.stdout)
            self.assertEqual([file.name for file in (Path(folder) / "npuc").iterdir()], ["host.yaml"])
            compiled, report = compile_small(Path(folder))
            self.assertTrue(report["measured"]["of_this_machine"], compiled.stderr)


if __name__ == "__main__":
    sys.exit(suite.main(__doc__))
