# SPDX-License-Identifier: Apache-2.0
"""kernel-bench: every benchmark runs and says what it measured; compare.py says what changed, and refuses what is no run."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

COMPARE = Path(__file__).resolve().parents[2] / "bench" / "kernels" / "compare.py"


def run(*words: object, code: int = 0) -> str:
    done = subprocess.run([*map(str, words)], capture_output=True, text=True)
    assert done.returncode == code, f"{words}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def test_bench(program: Path, folder: Path) -> None:
    out = folder / "run.json"
    # Iterations by number: one of each is all that can go wrong.
    run(program, "--benchmark_min_time=0.000001", f"--benchmark_out={out}")
    result = json.loads(out.read_text())
    assert float(result["context"]["peak_gflops"]) > 0 and float(result["context"]["peak_gigabytes"]) > 0
    rows = {row["name"].removesuffix("/real_time"): row for row in result["benchmarks"]}
    for layout in ("NCHW", "NHWC", "NCHW16c"):
        for kind in ("conv3x3/f32", "conv3x3/u8", "depthwise3x3/f32", "max_pool2x2", "softmax"):
            assert any(name.startswith(kind) and name.endswith(f"/{layout}") for name in rows), f"no {kind} in {layout}"
    for name, row in rows.items():
        assert not row.get("error_occurred"), row
        assert row["GB/s"] > 0 and row["label"], row
        assert ("GFLOP/s" in row) == (not name.startswith(("relayout", "transpose", "softmax"))), row
        assert ("of_peak" in row) == ("GFLOP/s" in row and "/u8/" not in name), row


def write(folder: Path, name: str, times: dict[str, list[float]]) -> Path:
    rows = [
        {"name": key, "run_type": "iteration", "real_time": time, "cpu_time": 2 * time, "time_unit": "us"}
        for key, each in times.items()
        for time in each
    ]
    path = folder / name
    path.write_text(json.dumps({"context": {}, "benchmarks": rows}))
    return path


def test_compare(folder: Path) -> None:
    old = write(folder, "old.json", {"a": [10, 10, 10], "b": [10, 12, 14], "gone": [1]})
    new = write(folder, "new.json", {"a": [5, 5, 5], "b": [11, 13, 15], "come": [1]})
    rows = json.loads(run(sys.executable, COMPARE, old, new, "--json"))
    assert set(rows) == {"a", "b"}
    assert rows["a"]["time"] == -0.5 and rows["a"]["cpu"] == -0.5 and not rows["a"]["within_spread"]
    assert rows["b"]["time_old_ns"] == 12000 and rows["b"]["within_spread"]
    text = run(sys.executable, COMPARE, old, new)
    for words in ("-0.5000", "gone: only in the old run", "come: only in the new run", "within the spread"):
        assert words in text, text
    wrong = folder / "wrong.json"
    for content in ("", "[]", "{}", '{"benchmarks": [{"run_type": "iteration"}]}', '{"benchmarks": 3}'):
        wrong.write_text(content)
        assert "benchmark_out" in run(sys.executable, COMPARE, old, wrong, code=1)
    assert "absent.json" in run(sys.executable, COMPARE, old, folder / "absent.json", code=1)
    other = write(folder, "other.json", {"z": [1]})
    assert "in common" in run(sys.executable, COMPARE, old, other, code=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    program = parser.parse_args().build / "bin" / "kernel-bench"
    assert "NPU_BENCH_THREADS" in run("env", "NPU_BENCH_THREADS=0", program, code=2)
    with tempfile.TemporaryDirectory() as folder:
        test_compare(Path(folder))
        test_bench(program, Path(folder))


if __name__ == "__main__":
    main()
