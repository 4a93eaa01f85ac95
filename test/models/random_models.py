# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs random models of all supported operators, and compares them with onnxruntime.

A model is named by its seed alone. One that fails is kept with its inputs and
expected outputs; npu-reduce makes it smaller.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnx

sys.path.insert(0, str(Path(__file__).resolve().parent))

from random_ops import movement, operators  # noqa: E402
from random_ops.graph import Graph, Refused, Value  # noqa: E402

PLANS = ("npu-nhwc/optimal", "host/optimal", "npu-nchw16c/optimal", "npu-nhwc/auto-nhwc", "npu-nhwc/naive")
CHOICES = [(build, op) for build, ops in operators.TABLE + movement.TABLE for op in ops.split()]
TIMEOUT_SECONDS = 120
EPILOG = """Examples:
  random_models.py --seconds=20                 # from a seed of today's, which is printed
  random_models.py --seed=17 --count=1 --keep=.  # one model again, and its files
Exit codes: 0 all agree, 1 findings, 2 wrong usage."""


@dataclasses.dataclass
class Tally:
    """What was tried."""

    models: int = 0
    nodes: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    findings: list[str] = dataclasses.field(default_factory=list)


def starting_value(random: np.random.Generator) -> np.ndarray:
    """Mostly images of rank 3 to 5; multiples of 1/16, which any sum of two keeps exactly."""
    rank = int(random.choice([1, 2, 3, 4, 4, 4, 5]))
    shape = [int(random.integers(1, 9)) for _ in range(rank)]
    if rank >= 3:
        shape[:2] = [int(random.integers(1, 3)), int(random.choice([1, 2, 3, 4, 8, 16, 17]))]
    kind = random.choice(["f", "f", "f", "f", "f", "i", "l", "b"])
    if kind == "f":
        return (random.integers(-32, 33, shape) / 16).astype(np.float32)
    if kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    return random.integers(-5, 6, shape).astype(np.int32 if kind == "i" else np.int64)


def make(seed: int) -> Graph:
    """The model of this seed: 1 to 8 steps, inputs added as needed."""
    random = np.random.default_rng(seed)
    graph = Graph(random, int(random.choice([13, 17, 17, 18, 21])))
    graph.add_input(starting_value(random))
    if random.random() < 0.4:
        graph.add_input(starting_value(random))
    wanted = int(random.integers(1, 9))
    for _ in range(12 * wanted):
        if len(graph.nodes) >= wanted:
            break
        build, op = CHOICES[random.integers(len(CHOICES))]
        try:
            build(graph, op)
        except Refused:
            continue
    return graph


def differs(found: np.ndarray, value: Value, is_stepped: bool) -> str | None:
    """One clause that says how, or nothing."""
    expected = value.array
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return f"'{value.name}' is {found.dtype}{list(found.shape)}, expected {expected.dtype}{list(expected.shape)}"
    if expected.dtype.kind in "biu":
        limit = 1 if is_stepped else 0
        wrong = np.abs(found.astype(np.int64) - expected.astype(np.int64)) > limit
    else:
        error = np.abs(found.astype(np.float64) - expected)
        largest = float(np.abs(expected).max(initial=0.0))
        wrong = ~(error <= 1e-4 * max(largest, 1.0) + 1e-3 * np.abs(expected))
    if not wrong.any():
        return None
    place = tuple(int(index) for index in np.argwhere(np.atleast_1d(wrong))[0])
    at = (np.atleast_1d(found)[place], np.atleast_1d(expected)[place])
    return f"'{value.name}': {int(wrong.sum())} of {wrong.size} elements differ, at {place} found {at[0]}, expected {at[1]}"


def call(command: list[str]) -> subprocess.CompletedProcess:
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_SECONDS
    )


def complaint(done: subprocess.CompletedProcess) -> str:
    lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
    code = f"signal {-done.returncode}" if done.returncode < 0 else f"exit code {done.returncode}"
    return f"{Path(done.args[0]).name} ({code}): {lines[0] if lines else 'said nothing'}"


def check(graph: Graph, plan: str, build: Path, folder: Path) -> str | None:
    """Compiles for the plan, runs and compares; a clause if something is wrong."""
    target, _, layout = plan.partition("/")
    model, program = folder / "model.onnx", folder / "model.npu"
    onnx.save(graph.model(), model)
    words = ["-q", f"--target={target}", f"--layout={layout}", "--verify-layout", "-o", str(program)]
    try:
        done = call([str(build / "bin" / "npuc"), str(model), *words])
        if done.returncode != 0:
            return None if "infeasible" in done.stderr and layout != "optimal" else complaint(done)
        command = [str(build / "bin" / "npu-run"), str(program), "--json", "--threads=2"]
        for value in graph.inputs:
            np.save(folder / f"{value.name}.npy", value.array)
            command += ["--input", f"{value.name}={folder / value.name}.npy"]
        for value in graph.outputs():
            np.save(folder / f"expected_{value.name}.npy", value.array)
            command += ["--output", f"{value.name}={folder / f'found_{value.name}.npy'}"]
        done = call(command)
    except subprocess.TimeoutExpired as error:
        return f"{Path(error.cmd[0]).name} did not end within {TIMEOUT_SECONDS} s"
    if done.returncode != 0:
        return complaint(done)
    for value in graph.outputs():
        found = np.load(folder / f"found_{value.name}.npy")
        if clause := differs(found, value, value.name in graph.final):
            return clause
    return None


def try_seed(seed: int, build: Path, keep: Path | None, tally: Tally) -> None:
    graph = make(seed)
    if not graph.nodes:
        return
    tally.models += 1
    tally.nodes.update(node.op_type for node in graph.nodes)
    plan = PLANS[seed % len(PLANS)]
    with tempfile.TemporaryDirectory(prefix="npu-random-") as name:
        clause = check(graph, plan, build, Path(name))
        if clause is None:
            return
        ops = " ".join(node.op_type for node in graph.nodes)
        tally.findings.append(f"seed {seed}, {plan}, {ops}: {clause}")
        print(f"FOUND {tally.findings[-1]}", flush=True)
        if keep:
            target = keep / f"seed{seed}"
            target.mkdir(parents=True, exist_ok=True)
            for file in Path(name).iterdir():
                file.rename(target / file.name)


def report_missing(tally: Tally, root: Path) -> None:
    """Operators of the documented table that no model had."""
    text = (root / "docs" / "onnx-ops.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| (\w+) \|", text, re.MULTILINE)
    missing = [op for op in table if op not in tally.nodes and op != "operator"]
    print(f"{len(tally.nodes)} operators; of the table not tried: {' '.join(missing)}")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, help="the first model's seed (one of the time of day)")
    parser.add_argument("--count", type=int, help="models to try (no limit)")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long to try (20; 0: until --count)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the files of findings go")
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build folder (build)")
    arguments = parser.parse_args()
    if arguments.seconds == 0 and arguments.count is None:
        parser.error("--seconds=0 needs --count")
    if arguments.seed is None:
        arguments.seed = int(time.time()) % 1_000_000 * 1000
    return arguments


def main() -> int:
    arguments = parse_arguments()
    tally, start, seed = Tally(), time.monotonic(), arguments.seed
    last = start
    print(f"first seed {seed}", flush=True)
    while arguments.count is None or seed < arguments.seed + arguments.count:
        now = time.monotonic()
        if arguments.seconds and now - start > arguments.seconds:
            break
        if now - last > 10:
            print(f"{tally.models} models, {len(tally.findings)} findings", file=sys.stderr, flush=True)
            last = now
        try_seed(seed, arguments.build.resolve(), arguments.keep, tally)
        seed += 1
    taken = time.monotonic() - start
    print(f"{tally.models} models of {sum(tally.nodes.values())} nodes in {taken:.0f} s, seeds {arguments.seed} to "
          f"{seed - 1}: {len(tally.findings)} findings")  # fmt: skip
    report_missing(tally, Path(__file__).resolve().parents[2])
    return 1 if tally.findings else 0


if __name__ == "__main__":
    sys.exit(main())
