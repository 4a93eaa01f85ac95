# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of docs/chip-time.md: what relayouts cost on chips, and what the same plans take on this machine.

Run it on a quiet machine after `make models`: each plan is timed on the host, too. With --keep-host nothing is timed:
what the page says of the host stays, where the plan was there.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from pages import replaced

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "chip-time.md"
sys.path[:0] = [str(ROOT / "test" / "models"), str(ROOT / "bench" / "models")]

import compare  # noqa: E402 (test/models/compare.py)
import zoo  # noqa: E402 (bench/models/zoo.py)

NETWORKS = {
    "resnet50": "ResNet-50", "mobilenet_v2": "MobileNetV2", "mobilenet_v3_large": "MobileNetV3-Large (Keras)",
    "ppocr_det": "PP-OCRv4 detection",
}  # fmt: skip
TARGETS = ("npu-nhwc", "npu-nchw16c")
STRATEGIES = ("naive", "auto-nhwc", "preset", "optimal")
MARK = "tables: docs/chip_time.py"


def run(build: Path, program: str, *words: object) -> subprocess.CompletedProcess:
    command = [str(build / "bin" / program), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def compile_plan(
    arguments: argparse.Namespace, name: str, target: str, strategy: str, folder: Path
) -> Path | None:
    """The program of one plan; None where the chip cannot run the plan."""
    path, inputs = compare.network_and_inputs(name, 1, arguments.small, arguments.build)
    shapes = [f"--input-shape={key}={','.join(map(str, value.shape))}" for key, value in inputs.items()]
    program = folder / f"{name}-{target}-{strategy}.npu"
    done = run(arguments.build, "npuc", path, "-o", program, "-q", f"--target={target}", f"--layout={strategy}", *shapes)
    if done.returncode:
        print(f"{name}, {target}/{strategy}: {done.stderr.strip().splitlines()[0]}", file=sys.stderr)
        return None
    return program


def measure(arguments: argparse.Namespace, name: str, target: str, folder: Path) -> dict[str, dict | None]:
    """npu-run's JSON of each strategy; on the host they take turns, `host_ms` is the median of all runs."""
    programs = {strategy: compile_plan(arguments, name, target, strategy, folder) for strategy in STRATEGIES}
    results: dict[str, dict | None] = dict.fromkeys(STRATEGIES)
    times: dict[str, list[float]] = {strategy: [] for strategy in STRATEGIES}
    for _ in range(1 if arguments.keep_host else arguments.rounds):
        for strategy, program in programs.items():
            if program is None:
                continue
            how = ["--simulate-only"] if arguments.keep_host else ["--random-inputs", "--warmup=2", "--repeat=3"]
            done = run(arguments.build, "npu-run", program, "--json", f"--threads={arguments.threads}", *how)
            if done.returncode:
                raise RuntimeError(done.stderr)
            results[strategy] = json.loads(done.stdout)
            if not arguments.keep_host:
                times[strategy].append(results[strategy]["latency_ms"]["median"])
    for strategy, found in results.items():
        if found is not None and times[strategy]:
            found["host_ms"] = statistics.median(times[strategy])
    return results


def host_columns(page: str) -> dict[tuple[str, str, str], str]:
    """What a page says of the host, by target, network and strategy."""
    columns, target = {}, ""
    for line in page.splitlines():
        if line.startswith("### "):
            target = line[4:]
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 12 and cells[2].startswith("`"):
            columns[target, cells[1], cells[2].strip("`")] = f"{cells[9]} | {cells[10]}"
    return columns


def table(target: str, results: dict[str, dict[str, dict | None]], kept: dict[tuple[str, str, str], str]) -> str:
    text = f"\n### {target}\n\n"
    text += "| network | strategy | chip ms | relayouts | their cycles | share | DRAM MB | times `optimal` | host ms | "
    text += "times `optimal` |\n|---|---|" + "---:|" * 8 + "\n"
    for name, plans in results.items():
        best = plans["optimal"]
        for strategy, found in plans.items():
            if found is None:
                text += f"| {NETWORKS[name]} | `{strategy}` | infeasible |" + " |" * 7 + "\n"
                continue
            chip = found["simulated"]
            count = sum(bool(kernel["relayout"]) for kernel in found["kernels"])
            traffic = (chip["dram_read_bytes"] + chip["dram_written_bytes"]) / 1e6
            host = kept.get((target, NETWORKS[name], strategy), " | ")
            if "host_ms" in found:
                host = f"{found['host_ms']:.1f} | {found['host_ms'] / best['host_ms']:.2f}"
            text += (
                f"| {NETWORKS[name]} | `{strategy}` | {chip['ms']:.2f} | {count} | {chip['relayout_cycles']:,} | "
                f"{100 * chip['relayout_cycles'] / chip['cycles']:.1f} % | {traffic:.1f} | "
                f"{chip['cycles'] / best['simulated']['cycles']:.2f} | {host} |\n"
            )
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build folder (build)")
    parser.add_argument("--out", type=Path, default=PAGE, help="the page whose tables are replaced")
    parser.add_argument("--small", action="store_true", help="in the smallest sensible sizes")
    parser.add_argument("--rounds", type=int, default=9, help="of three runs of each plan on the host (9)")
    parser.add_argument("--keep-host", action="store_true", help="of the host what the page says; for busy machines")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    os.environ.setdefault("NPU_MODELS", str(arguments.build / "models"))
    page, text = arguments.out.read_text(encoding="utf-8"), ""
    kept = host_columns(page) if arguments.keep_host else {}
    try:
        with tempfile.TemporaryDirectory(prefix="npu-chip-time-") as folder:
            for target in TARGETS:
                results: dict[str, dict[str, dict | None]] = {}
                for name in NETWORKS:
                    print(f"{target}: {name} ...", file=sys.stderr, flush=True)
                    results[name] = measure(arguments, name, target, Path(folder))
                text += table(target, results, kept)
    except (compare.Failure, zoo.ZooError, RuntimeError, OSError) as error:
        print(f"chip_time: {error}", file=sys.stderr)
        return 1
    arguments.out.write_text(replaced(page, MARK, text), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
