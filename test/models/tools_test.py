# SPDX-License-Identifier: Apache-2.0
"""Tests compare.py and npu-bench themselves, with stand-ins for our programs.

The stand-in for npuc keeps the model's path, the one for npu-run asks
onnxruntime. One that returns wrong numbers must be found out.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import stat
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from unittest import mock

import numpy as np
from rich.console import Console

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "bench"), str(ROOT / "bench" / "demo")]

import compare as models_compare  # noqa: E402
import detection  # noqa: E402
from npu_bench import __main__ as npu_bench_program  # noqa: E402
from npu_bench import agreement, case, measure, present, results, statistics  # noqa: E402
from npu_bench.contender import prune  # noqa: E402
from npu_bench.errors import BenchError  # noqa: E402

NPUC = """#!{python}
import json, sys
if "--layout=none" in sys.argv:
    sys.exit("npuc: conv 'Conv_0': plan 'none' is infeasible on npu-nhwc")
out = sys.argv[sys.argv.index("-o") + 1]
open(out, "w").write(sys.argv[1])
report = next(a for a in sys.argv if a.startswith("--report=")).split("=")[1]
json.dump({{"algorithms": [], "relayouts": {{"count": 2, "boundary_count": 2, "bytes": 8}}, "memory": {{"arena_bytes": 64, "arena_lower_bound_bytes": 64}}, "compile_seconds": {{"all": 0.1}}}}, open(report, "w"))
"""

NPU_RUN = """#!{python}
import json, sys
import numpy as np, onnxruntime
pairs = lambda flag: [sys.argv[i + 1].split("=", 1) for i, a in enumerate(sys.argv) if a == flag]
session = onnxruntime.InferenceSession(open(sys.argv[1]).read(), providers=["CPUExecutionProvider"])
names = [name for name, _ in pairs("--output")]
values = session.run(names, {{name: np.load(file) for name, file in pairs("--input")}})
for (name, file), value in zip(pairs("--output"), values):
    value = value.copy()
    {damage}
    np.save(file, value)
print(json.dumps({{"kernels": [{{"name": "k", "node": "n", "implementation": "ref:any", "slow": {slow}}}]}}))
"""


def fake_build(folder: Path, damage: str = "pass", slow: bool = False) -> None:
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    programs = {"npuc": NPUC, "npu-run": NPU_RUN}
    for name, text in programs.items():
        path = folder / "bin" / name
        path.write_text(text.format(python=sys.executable, damage=damage, slow=slow), encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)


def compare(folder: Path, *words: str, every: bool = False) -> subprocess.CompletedProcess:
    command = [sys.executable, str(HERE / "compare.py"), f"--build={folder}", *words]
    environment = {key: value for key, value in os.environ.items() if key != "NPU_EVERY_CASE"}
    if every:
        environment["NPU_EVERY_CASE"] = "1"
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment)


def expect(done: subprocess.CompletedProcess, code: int, text: str) -> None:
    assert done.returncode == code and text in done.stdout, f"{done.args}: {done.stdout}\n{done.stderr}"


def test_compare(folder: Path) -> None:
    plan = "--plans=npu-nhwc/auto-nhwc"
    fake_build(folder)
    expect(compare(folder, "conv_relu", plan, every=True), 0, "2 passed, 0 failed")
    # Batches take turns, and networks begin with different ones.
    for network, plans, batches in (("conv_relu", 2, [3, 1]), ("residual", 2, [1, 3]), ("conv_relu", 1, [3])):
        done = compare(folder, network, "--plans=" + ",".join(["npu-nhwc/auto-nhwc", "host/naive"][:plans]))
        expect(done, 0, f"{plans} passed, 0 failed")
        assert sorted(batches) == [int(number) for number in re.findall(r"batch (\d)", done.stdout)], done.stdout
    expect(compare(folder, "conv_relu", plan, "--max-relayouts=2"), 0, "2 relayouts")
    expect(compare(folder, "conv_relu", plan, "--max-relayouts=1"), 1, "allowed are 1")
    expect(compare(folder, "conv_relu", plan, "--min-algorithms=1"), 1, "0 ops are computed by another algorithm")
    expect(compare(folder, "conv_relu", "--infeasible=npu-nhwc/none"), 0, "refused, as expected")
    expect(compare(folder, "conv_relu", "--infeasible=npu-nhwc/naive"), 1, "was compiled, but")
    expect(compare(folder, "conv_relu", "--plans=npu-nhwc/none"), 1, "npuc failed (exit code 1)")
    fake_build(folder, slow=True)
    expect(compare(folder, "conv_relu", plan), 0, "1 slow kernels")
    expect(compare(folder, "conv_relu", plan, "--no-slow"), 1, "'n' on ref:any")


def test_compare_finds_wrong_results(folder: Path) -> None:
    damages = {
        "value.flat[3] += 0.01": "values differ; at",
        "value.flat[0] = np.nan": "not finite",
        "value = value[..., :-1]": "has shape",
        # Rounding is no error.
        "value *= 1.0008": "passed, 0 failed",
    }
    for damage, text in damages.items():
        fake_build(folder, damage=damage)
        code = 0 if "passed" in text else 1
        expect(compare(folder, "conv_relu", "--plans=npu-nhwc/naive", "--batch=1"), code, text)
    # 1e-4 is 0.2 % of a probability of 0.05: only the scaled check sees it.
    fake_build(folder, damage="value += 9e-5")
    expect(compare(folder, "global_pool", "--plans=npu-nhwc/naive", "--batch=1"), 1, "of its largest value")


def test_ceilings() -> None:
    """Of outputs that are judged as a whole: a few values that are far off do not hide among many, nor does chaos excuse all."""
    expected = np.random.default_rng(5).standard_normal((1, 10000)).astype(np.float32)
    sample = models_compare.Sample(Path("x.onnx"), {}, {"y": expected}, {}, Path("cache"), chaotic=True)
    noise = np.random.default_rng(6).standard_normal(expected.shape).astype(np.float32)
    spiked = expected.copy()
    spiked[0, 7] += 1.5  # a root mean square of 0.015
    for narrow, variant in ((models_compare.NARROW, None), (None, 0.01), (None, 5.0)):
        # What onnxruntime is from itself.
        other = expected if variant is None else expected + np.float32(variant) * noise
        with mock.patch.object(models_compare, "reference", lambda *_, other=other: {"y": other}):
            for found, text in ((expected + np.float32(0.005) * noise, ""), (expected + np.float32(0.2) * noise, "off, allowed are"),
                                (spiked, "at (0, 7) found")):  # fmt: skip
                said = ""
                try:
                    models_compare.compare_outputs(models_compare.Result("n", "p", 1), sample, [found], narrow)
                except models_compare.Failure as failure:
                    said = str(failure)
                assert (text in said) if text else not said, (narrow, variant, text, said)


def test_statistics() -> None:
    values = [10.0 + 0.1 * (index % 7) for index in range(70)]
    estimate = statistics.estimate(values)
    assert estimate.low <= estimate.median <= estimate.high
    assert abs(estimate.median - 10.3) < 1e-9 and estimate.high - estimate.low < 0.5
    # Rounds that are slow for both do not blur a ratio.
    drift = [1.0 + index % 10 for index in range(100)]
    ratio = statistics.estimate_ratio([2.0 * d for d in drift], drift)
    assert ratio.median == 2.0 and ratio.high - ratio.low < 1e-9, ratio


class FakeContender:
    """Answers as a worker does, disturbed in the rounds that are told."""

    def __init__(self, name: str, disturbed: set[int]) -> None:
        self.name, self.bad, self.asked = name, disturbed, 0

    def ask(self, runs: int) -> dict:
        number, self.asked = self.asked - 1, self.asked + 1  # the first is the trial round
        waited = 99.0 if number in self.bad else 0.0
        return {"times_ms": [50.0 if waited else 10.0] * runs, "waited_ms": waited, "peak_rss_bytes": 1}


def test_measure() -> None:
    one, two = FakeContender("one", {1}), FakeContender("two", {3})
    measure.measure([one, two], rounds=4, threads=2, tick=lambda: None)
    assert one.asked == two.asked == 1 + 6, "each disturbed round is repeated, for both"
    assert one.discarded == two.discarded == 2 and one.disturbed == 0
    assert measure.round_medians(one) == measure.round_medians(two) == [10.0] * 4
    noisy = FakeContender("noisy", set(range(100)))
    measure.measure([noisy], rounds=2, threads=2, tick=lambda: None)
    assert noisy.disturbed == 2 and noisy.asked == 1 + 2 * measure.RETRIES, "gives up, and says so"


def test_prune(folder: Path) -> None:
    """The programs used last stay, as far as there is room; the last one always."""
    for age in range(4):
        for path in (folder / f"{age}.npu", folder / f"{age}.json"):
            path.write_bytes(b"x" * 100)
            os.utime(path, (1e9 - age, 1e9 - age))
    prune(folder, 250)
    assert sorted(path.name for path in folder.iterdir()) == ["0.json", "0.npu", "1.json", "1.npu"]
    prune(folder, 50)
    assert sorted(path.name for path in folder.iterdir()) == ["0.json", "0.npu"]


def test_difference() -> None:
    """The one comparison of all programs: what is next to 0 is judged by what is allowed of 0, not by itself."""
    value, usual = [np.array([1.0, 2.0, -4.0], np.float32)], agreement.OF_NETWORKS["f32"]

    def wrong(found: list[np.ndarray], expected: list[np.ndarray], tolerance: agreement.Tolerance = usual) -> bool:
        return agreement.differences(found, expected, tolerance).wrong > 0

    apart = agreement.differences([value[0] + np.float32(0.4)], value, usual)
    assert abs(apart.absolute - 0.4) < 1e-6 and abs(apart.relative - 0.1) < 1e-6 and apart.wrong == 3 and apart.place == (0,), apart
    assert str(apart) == "largest difference 4.0e-01, of values up to 4.0e+00", apart
    assert not wrong(value, value) and not wrong([value[0] + np.float32(0.03)], value)
    assert wrong([value[0][:2]], value) and wrong([value[0] * np.nan], value) and wrong([], value)
    tiny = [np.array([3e-6, 0, 1e-6], np.float32)]
    assert not wrong([tiny[0] + np.float32(1e-7)], tiny) and wrong([tiny[0] + np.float32(2e-4)], tiny)
    odd = [np.array([np.nan, np.inf, -np.inf, 1], np.float32)]
    assert not wrong(odd, odd) and wrong([odd[0][::-1].copy()], odd) and wrong([np.ones(4, np.float32)], odd)
    # npu-run's --expect, element by element.
    strict = agreement.Tolerance(of_largest=0.0)
    assert wrong([value[0] * np.float32(1.002)], value, strict) and not wrong([value[0] * np.float32(1.0008)], value, strict)
    steps = [np.array([3, 200], np.uint8)]
    assert not wrong([steps[0] + np.uint8(1)], steps, strict) and wrong([steps[0] + np.uint8(2)], steps, strict)


def test_energy_column() -> None:
    """There where a target says energy, and nowhere else."""
    number = statistics.Estimate(2.0, 1.0, 3.0)
    rows = [results.Row("m", 1, "a", latency_ms=number, peak_rss_bytes=1, difference=agreement.Difference()), results.Row("m", 1, "b", error="e")]
    assert "uJ" not in present.markdown_text(rows)
    rows[0].energy_pj = 2_500_000
    head, _, first, failed = present.markdown_text(rows).splitlines()[:4]
    assert head.endswith("| uJ on chip |") and first.endswith("| 2.5 |"), (head, first)
    assert head.count("|") == first.count("|") == failed.count("|")


def test_table() -> None:
    """Within 100 columns, however long names and numbers are."""
    number, ratio = statistics.Estimate(12345.678, 12000.123, 13000.456), statistics.Estimate(12.3456, 12.0, 13.0)
    full = {"latency_ms": number, "difference": agreement.Difference(), "ratio_to_best_peer": ratio, "gain_over_naive": ratio, "gain_over_none": ratio,
            "relayouts": 1220, "relayout_bytes": 10**9, "relayout_share": 0.731, "peak_rss_bytes": 10**10}  # fmt: skip
    rows = [results.Row("mobilenet[red]", 16, plan, **full) for plan in ("npu-nhwc/auto-nhwc", "npu-nchw16c/optimal")]
    rows.append(results.Row("other", 1, "onnxruntime", error="e"))
    said = io.StringIO()
    present.print_table(rows, Console(file=said, width=160, markup=False))
    lines = said.getvalue().splitlines()
    assert max(map(len, lines)) <= 100, (max(map(len, lines)), said.getvalue())
    for text in ("mobilenet[red], batch 16", "other, batch 1", "12345.68", "npu-nchw16c/optimal", "failed", "largest difference: "):
        assert text in said.getvalue(), (text, said.getvalue())


def test_layouts_table() -> None:
    """Layouts in one order, within 100 columns; other runtimes and failures have rows, too."""
    number = statistics.Estimate(123.456, 1.0, 3.0)
    plans = list(present.LAYOUTS)
    rows = [results.Row("mobilenet_v3_large", 16, "onnxruntime", latency_ms=number, difference=agreement.Difference())]
    rows += [results.Row("mobilenet_v3_large", 16, plan, latency_ms=number, difference=agreement.Difference(), relayouts=122, relayout_bytes=58_368,
                         predicted_ms=23.1459, predicted_relayout_share=0.7304) for plan in reversed(plans[1:])]  # fmt: skip
    rows.append(results.Row("mobilenet_v3_large", 16, plans[0], error="infeasible"))
    said = io.StringIO()
    present.print_layouts(rows, Console(file=said, width=160))
    lines = said.getvalue().splitlines()
    table = [line for line in lines if line.startswith("│")]
    assert max(map(len, lines)) <= 100, lines
    assert [next(plan for plan in (*plans, "onnxruntime") if f" {plan} " in line) for line in table] == [*plans, "onnxruntime"], table
    assert "failed" in table[0] and "58.4 kB" in table[1] and "73.0 %" in table[1] and "23.146" in table[1] and "123.46" in table[-1], table
    assert any("infeasible" in line for line in lines) and "host ms" in said.getvalue(), lines


def test_wrong_words() -> None:
    """Each with exit code 2, and what is wrong."""
    cases = {
        (): "expected models, or --calibrate alone",
        ("resnet50", "--calibrate"): "expected models, or --calibrate alone",
        ("--calibrate", "--precision=bf16"): "--precision=bf16: --calibrate measures kernels of f32",
        ("--calibrate", "--plugin=x.so"): "--plugin: --calibrate measures npuc's own kernels",
        ("resnet50", "--plans=host"): "--plans: expected TARGET/LAYOUT, found 'host'",
        ("resnet50", "--peers=abacus"): "--peers: unknown 'abacus', expected one of: onnxruntime, openvino",
        ("resnet50", "--rounds=0"): "expected at least 1",
        ("resnet50", "--layouts", "--predictions"): "--layouts and --predictions are two tables",
        ("resnet50", "--layouts", "--plans=host/none"): "--plans: --layouts has plans of its own",
        ("resnet50", "--chart=a.txt"): "--chart: expected a name that ends in",
    }
    for words, expected in cases.items():
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            try:
                npu_bench_program.parse_arguments(list(words))
                raise AssertionError(f"{words} were taken")
            except SystemExit as left:
                assert left.code == 2 and expected in said.getvalue(), (words, left.code, said.getvalue())


def test_networks() -> None:
    """Those that other runtimes read, too: no TFLite."""
    assert "mobilenet_v2" in case.NETS
    try:
        case.make_case("mobilenet_v2_tflite", None, {})
        raise AssertionError("a TFLite network was taken for an ONNX file")
    except BenchError as error:
        said, _, known = str(error).partition("; known: ")
        assert "no network of that name; did you mean 'mobilenet_v2'?" in said and "tflite" not in known, error


def test_chart() -> None:
    """A picture without a word of matplotlib's, also if there is nothing to draw."""
    good = results.Row("m", 1, "a", latency_ms=statistics.Estimate(2.0, 1.0, 3.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for rows in ([results.Row("m", 1, "a", error="e")], [], [good, results.Row("m", 1, "b", error="e")]):
            assert present.chart_bytes(rows, ".png").startswith(b"\x89PNG"), rows


def test_boxes() -> None:
    """A tilted bar and a faint one: one box, grown by the right margin."""
    rows, columns = np.mgrid[0:120, 0:200]
    along = (columns - 100) * np.cos(0.2) + (rows - 60) * np.sin(0.2)
    across = -(columns - 100) * np.sin(0.2) + (rows - 60) * np.cos(0.2)
    image = np.where((abs(along) < 60) & (abs(across) < 8), 0.9, 0.0)
    image[110:116, 10:60] = 0.4
    (box,) = detection.find_boxes(image)
    margin = 120 * 16 * detection.UNCLIP / (2 * (120 + 16))
    sides = sorted(np.hypot(*(box.corners[i] - box.corners[i + 1])) for i in (0, 1))
    assert np.allclose(sides, [16 + 2 * margin, 120 + 2 * margin], atol=3.0), sides
    assert abs(box.score - 0.9) < 1e-6 and np.allclose(box.corners.mean(axis=0), [100, 60], atol=1.0)
    # A ring is one region, and touching at a corner counts.
    ring = np.zeros((6, 6), bool)
    ring[1, 1:4] = ring[3, 1:4] = ring[2, [1, 3]] = ring[4, 4] = True
    assert len(detection.components(ring)) == 1


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    for test in (test_statistics, test_ceilings, test_measure, test_difference, test_energy_column, test_table, test_layouts_table, test_wrong_words, test_networks, test_chart, test_boxes):
        test()
        print(f"{test.__name__} ok", flush=True)
    for test in (test_prune, test_compare, test_compare_finds_wrong_results):
        with tempfile.TemporaryDirectory() as folder:
            test(Path(folder))
        print(f"{test.__name__} ok", flush=True)


if __name__ == "__main__":
    main()
