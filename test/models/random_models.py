# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs random models of all supported operators, and compares them with onnxruntime.

A model is named by its seed alone. One that fails is kept with its inputs and
expected outputs; npu-reduce makes it smaller.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import functools
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnx

sys.path.insert(0, str(Path(__file__).resolve().parent))

from random_ops.choose import starting_value  # noqa: E402
from random_ops.graph import BFLOAT16, NEWEST_OF_ONNXRUNTIME, Graph, Refused, Value, opsets_of  # noqa: E402
from random_ops.table import BUILDERS, CHOICES, OPS  # noqa: E402

PLANS = ("npu-nhwc/optimal", "host/optimal", "npu-nchw16c/optimal", "npu-nhwc/auto-nhwc", "npu-nhwc/naive")
OPSETS = (9, 10, 11, 12, 13, 15, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28)
DECK = 50  # consecutive seeds whose models have each operator once, where it fits
TRIES = 20
ROUNDINGS = 4  # to 16 bits that may fall differently: fused kernels round once where onnxruntime rounds each time
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


@functools.cache
def hands_of(block: int) -> list[list[str]]:
    """Deals a shuffled deck of all operators to so many models; those of a hand have an opset in common."""
    deck = np.random.default_rng([block, len(OPS)]).permutation(OPS).tolist()
    deck.sort(key=lambda op: opsets_of(op)[1] - opsets_of(op)[0])
    hands, common = [[] for _ in range(DECK)], [(min(OPSETS), max(OPSETS))] * DECK
    for op in deck:
        first, last = opsets_of(op)
        fitting = [i for i, (low, high) in enumerate(common) if max(low, first) <= min(high, last)]
        place = min(fitting, key=lambda i: len(hands[i]))
        hands[place].append(op)
        common[place] = (max(common[place][0], first), min(common[place][1], last))
    return hands


def choose_opset(random: np.random.Generator, hand: list[str]) -> int:
    """One in which the whole hand may stand; one that onnxruntime knows, if possible."""
    first, last = max(opsets_of(op)[0] for op in hand), min(opsets_of(op)[1] for op in hand)
    fitting = [opset for opset in OPSETS if first <= opset <= last]
    return int(random.choice([opset for opset in fitting if opset <= NEWEST_OF_ONNXRUNTIME] or fitting))


def add_node(graph: Graph, op: str) -> bool:
    """A node of this operator, if any of a few tries fits; nothing stays of the others."""
    first, last = opsets_of(op)
    if not first <= graph.opset <= last:
        return False
    state = graph.state()
    for _ in range(TRIES):
        try:
            build = BUILDERS[op][graph.random.integers(len(BUILDERS[op]))]
            build(graph, op)
            return True
        except Refused:
            graph.restore(state)
    return False


def make(seed: int) -> Graph:
    """The model of this seed: its hand of operators and up to four others; families add inputs as they need them."""
    random = np.random.default_rng(seed)
    hand = list(hands_of(seed // DECK)[seed % DECK])
    graph = Graph(random, choose_opset(random, hand))
    graph.add_input(starting_value(random))
    if random.random() < 0.4:
        graph.add_input(starting_value(random))
    hand += [CHOICES[random.integers(len(CHOICES))][1] for _ in range(random.integers(5))]
    for op in random.permutation(hand):
        add_node(graph, str(op))
    return graph


def agree(found: np.ndarray, expected: np.ndarray, rounding: float, are_special: bool) -> np.ndarray:
    """Which elements do: what is not finite is the same; special values have errors of their own, not of the largest."""
    finite = np.isfinite(expected)
    largest = 0.0 if are_special else float(np.abs(expected[finite]).max(initial=1.0))
    absolute = 1e-6 if are_special else (1e-4 + ROUNDINGS * rounding) * max(largest, 1.0)
    relative = (1e-4 if are_special else 1e-3) + ROUNDINGS * rounding
    with np.errstate(invalid="ignore"):
        near = np.abs(found - expected) <= absolute + relative * np.abs(expected)
        same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    return np.where(finite, near, same)


def differs(found: np.ndarray, value: Value, is_stepped: bool, are_special: bool = False) -> str | None:
    """One clause that says how, or nothing."""
    expected = as_saved(value)
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return f"'{value.name}' is {found.dtype}{list(found.shape)}, expected {expected.dtype}{list(expected.shape)}"
    if expected.dtype.kind in "biu":
        limit = 1 if is_stepped else 0  # rounded to steps: where a tie goes is open
        wrong = np.abs(found.astype(np.int64) - expected.astype(np.int64)) > limit
    else:
        wrong = ~agree(found.astype(np.float64), expected.astype(np.float64), value.rounding, are_special)
    if not wrong.any():
        return None
    place = tuple(int(index) for index in np.argwhere(np.atleast_1d(wrong))[0])
    at = (np.atleast_1d(found)[place], np.atleast_1d(expected)[place])
    return f"'{value.name}': {int(wrong.sum())} of {wrong.size} elements differ, at {place} found {at[0]}, expected {at[1]}"


def as_saved(value: Value) -> np.ndarray:
    """As npu-run reads it: npy files have no bfloat16."""
    return value.array.astype(np.float32) if value.array.dtype == BFLOAT16 else value.array


def call(command: list[str]) -> subprocess.CompletedProcess:
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_SECONDS
    )


def complaint(done: subprocess.CompletedProcess) -> str:
    lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
    code = f"signal {-done.returncode}" if done.returncode < 0 else f"exit code {done.returncode}"
    said = [line for line in lines if "warning:" not in line] or lines or ["said nothing"]
    return f"{Path(done.args[0]).name} ({code}): {said[0]}"


def check(graph: Graph, plan: str, build: Path, folder: Path, threads: int = 2) -> str | None:
    """Compiles for the plan, runs and compares; a clause if something is wrong."""
    target, _, layout = plan.partition("/")
    model, program = folder / "model.onnx", folder / "model.npu"
    onnx.save(graph.model(), model)
    words = ["-q", f"--target={target}", f"--layout={layout}", "--verify-layout", "-o", str(program)]
    try:
        done = call([str(build / "bin" / "npuc"), str(model), *words])
        if done.returncode != 0:
            return None if "infeasible" in done.stderr and layout != "optimal" else complaint(done)
        command = [str(build / "bin" / "npu-run"), str(program), "--json", f"--threads={threads}"]
        for value in graph.inputs:
            np.save(folder / f"{value.name}.npy", as_saved(value))
            command += ["--input", f"{value.name}={folder / value.name}.npy"]
        for value in graph.outputs():
            np.save(folder / f"expected_{value.name}.npy", as_saved(value))
            command += ["--output", f"{value.name}={folder / f'found_{value.name}.npy'}"]
        done = call(command)
    except subprocess.TimeoutExpired as error:
        return f"{Path(error.cmd[0]).name} did not end within {TIMEOUT_SECONDS} s"
    if done.returncode != 0:
        return complaint(done)
    for value in graph.outputs():
        found = np.load(folder / f"found_{value.name}.npy")
        if clause := differs(found, value, value.name in graph.final, graph.is_special):
            return clause
    return None


def name_of(node: onnx.NodeProto) -> str:
    return f"{node.domain}.{node.op_type}" if node.domain else node.op_type


def try_seed(seed: int, build: Path, keep: Path | None, tally: Tally) -> None:
    graph = make(seed)
    if not graph.nodes:
        return
    tally.models += 1
    tally.nodes.update(name_of(node) for node in graph.nodes)
    plan = PLANS[seed % len(PLANS)]
    with tempfile.TemporaryDirectory(prefix="npu-random-") as name:
        clause = check(graph, plan, build, Path(name))
        if clause is None:
            return
        ops = " ".join(node.op_type for node in graph.nodes)
        tally.findings.append(f"seed {seed}, {plan}, {ops}: {clause}")
        print(f"FOUND {tally.findings[-1]}", flush=True)
        keep_files(Path(name), keep, seed)


def keep_files(folder: Path, keep: Path | None, seed: int) -> None:
    """Those of a finding, if anybody wants them."""
    if keep is None:
        return
    target = keep / f"seed{seed}"
    target.mkdir(parents=True, exist_ok=True)
    for file in folder.iterdir():
        shutil.move(file, target / file.name)


def report_operators(tally: Tally) -> None:
    """How often operators occurred, and which did not."""
    counts = [tally.nodes[op] for op in OPS]
    missing = [op for op in OPS if not tally.nodes[op]]
    print(f"{len(OPS) - len(missing)} of {len(OPS)} operators, each {min(counts)} times or more, "
          f"{int(np.median(counts))} in the median; none of: {' '.join(missing) or '-'}")  # fmt: skip


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, help="the first model's seed (one of the time of day)")
    parser.add_argument("--count", type=int, help="models to try (no limit)")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long to try (20; 0: until --count)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the files of findings go")
    parser.add_argument("--least-operators", type=int, default=0, help="how many operators have to occur (0)")
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
    report_operators(tally)
    if len(tally.nodes) < arguments.least_operators:
        print(f"{len(tally.nodes)} operators, expected {arguments.least_operators}: a family refuses all it chooses")
        return 1
    return 1 if tally.findings else 0


if __name__ == "__main__":
    sys.exit(main())
