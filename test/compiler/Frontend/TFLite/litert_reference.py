# SPDX-License-Identifier: Apache-2.0
"""Compares npuc with LiteRT's reference kernels on small models of every operator.

Integers must agree to the bit, floats within a tolerance. What npuc cannot give right it
must refuse by name, with exit code 5: `expected.py` lists that, and what is not defined.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

import expected
import tflite_cases
import tflite_control
import tflite_indices
import tflite_moves
import tflite_random
import tflite_recurrent
import tflite_windows
from litert_run import key
from tflite_builder import Graph
from tflite_cases import Case

RUNNER = Path(__file__).with_name("litert_run.py")
ELEMENTWISE, SUM = 2e-6, 1e-5  # relative to the value; to the largest
BATCH = 24
LACKS = "the chip lacks it"
TARGETS = Path(__file__).resolve().parents[4] / "targets"


@dataclass
class Trial:
    """A case with what LiteRT makes of it."""

    case: Case
    graph: Graph
    shapes: dict[str, list[int]]
    results: dict[str, np.ndarray]


def all_cases() -> list[Case]:
    return [*tflite_cases.elementwise(), *tflite_windows.windows(), *tflite_moves.movement(), *tflite_control.control(), *tflite_indices.indices(), *tflite_recurrent.recurrent()]


def add(graph: Graph, case: Case) -> None:
    graph.case = case.name
    case.make(graph, np.random.default_rng(zlib.crc32(case.name.encode())))


def save(path: Path, graph: Graph, shapes: dict[str, list[int]] | None = None) -> None:
    path.write_bytes(graph.bytes(shapes))
    np.savez(path.with_suffix(".npz"), **{key(name): values for name, values in graph.given.items()})


def litert(cases: list[Case], folder: Path) -> list[Trial]:
    """The cases that LiteRT runs, with its results; and those whose exact result is known."""
    made = []
    for number, case in enumerate(cases):
        graph = Graph()
        add(graph, case)
        save(folder / f"{number}.tflite", graph)
        made.append((case, graph, folder / f"{number}.tflite"))
    names = "".join(f"{path}\n" for _, _, path in made)
    done = subprocess.run([sys.executable, str(RUNNER)], input=names, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"litert_run.py failed ({done.returncode}): {done.stderr[-2000:]}")
    trials = []
    for case, graph, path in made:
        if path.with_suffix(".error").exists():
            if case.exact:
                values = case.exact(graph)
                shapes = {name: list(values.shape) for name in graph.results}
                trials.append(Trial(case, graph, shapes, {key(name): values for name in graph.results}))
            continue
        shapes = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        results = dict(np.load(path.with_suffix(".out.npz")))
        if case.exact:
            results = dict.fromkeys(results, case.exact(graph))
        trials.append(Trial(case, graph, shapes, results))
    return trials


def difference(found: np.ndarray, wanted: np.ndarray, largest: float) -> str:
    """What is wrong, or nothing. `largest` is above 0 for sums."""
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        return f"is {found.dtype}{list(found.shape)}, expected {wanted.dtype}{list(wanted.shape)}"
    finite = np.isfinite(found) & np.isfinite(wanted)
    same = (found == wanted) | (np.isnan(found) & np.isnan(wanted)) if found.dtype.kind == "f" else found == wanted
    distance = np.abs(np.where(finite, found, 0).astype(np.float64) - np.where(finite, wanted, 0).astype(np.float64))
    if found.dtype.kind == "f":
        size = np.abs(np.where(finite, wanted, 0).astype(np.float64))
        allowed = np.maximum(ELEMENTWISE * size, np.finfo(np.float32).tiny)
        # LiteRT's sums and products end at the largest finite numbers.
        limit = np.finfo(np.float32).max
        same |= (np.abs(wanted) == limit) & (found == np.copysign(np.float32(np.inf), wanted))
        allowed = np.maximum(allowed, SUM * max(size.max(initial=0), largest)) if largest else allowed
    else:
        allowed = np.zeros(found.shape)
    wrong = ~same & ~(finite & (distance <= allowed))
    if not wrong.any():
        return ""
    at = np.flatnonzero(wrong)[0]
    return (f"{wrong.sum()} of {wrong.size} differ, by at most {distance.max():.4g}; first {found.flat[at]} at {at}, "
            f"expected {wanted.flat[at]}")  # fmt: skip


def of_chip(trials: list[Trial], target: str) -> list[Trial]:
    """The cases of which the chip has all types that are read and given."""
    types = yaml.safe_load((TARGETS / f"{target}.yaml").read_text(encoding="utf-8"))["types"]
    # A complex number is two f32.
    known = {"i64", "i32", *(["c64"] if "f32" in types else []), *({"ui8": "u8", "i1": "bool"}.get(name, name) for name in types)}
    return [trial for trial in trials if known.issuperset(tensor.type for tensor in trial.graph.subgraphs[0].tensors)]


def run(command: list[str]) -> subprocess.CompletedProcess:
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)


def compiled(trials: list[Trial], folder: Path, programs: Path, target: str) -> tuple[list[str], str]:
    """For each trial what is wrong, or what npuc says; all in one model."""
    graph, shapes = Graph(), {}
    renamed = []
    for trial in trials:
        before = len(graph.subgraphs[0].tensors)
        add(graph, trial.case)
        own = trial.graph.subgraphs[0].tensors
        names = {old.name: new.name for old, new in zip(own, graph.subgraphs[0].tensors[before:], strict=True)}
        renamed.append(names)
        shapes.update({names[old]: shape for old, shape in trial.shapes.items() if old in names})
    model = folder / "model.tflite"
    model.write_bytes(graph.bytes(shapes))
    done = run([str(programs / "npuc"), "-q", str(model), f"--target={target}", "-o", str(folder / "model.npu")])
    if done.returncode != 0:
        return [], f"npuc ended with {done.returncode}: {done.stderr.strip()}"
    command = [str(programs / "npu-run"), str(folder / "model.npu"), "--threads=1"]
    for number, (name, values) in enumerate(graph.given.items()):
        np.save(folder / f"i{number}.npy", values)
        command += ["--input", f"{name}={folder}/i{number}.npy"]
    outputs = list(graph.results)
    for number, name in enumerate(outputs):
        command += ["--output", f"{name}={folder}/o{number}.npy"]
    done = run(command)
    if done.returncode != 0:
        return [], f"npu-run ended with {done.returncode}: {done.stderr.strip()}"
    found = {name: np.load(folder / f"o{number}.npy") for number, name in enumerate(outputs)}
    wrong = []
    for trial, names in zip(trials, renamed, strict=True):
        given = [np.abs(v[np.isfinite(v)]).max(initial=1) for v in trial.graph.given.values() if v.dtype.kind == "f"]
        largest = float(max(given, default=1)) if trial.case.is_sum else 0.0
        texts = [difference(found[names[name.replace("|", "/")]], values, largest)
                 for name, values in trial.results.items()]  # fmt: skip
        wrong.append("; ".join(text for text in texts if text))
    return wrong, ""


def tried(trials: list[Trial], folder: Path, programs: Path, target: str) -> dict[str, str]:
    """By the case's name what is wrong with it; halves where the model of all does not compile."""
    wrong, failure = compiled(trials, folder, programs, target)
    if not failure:
        return {trial.case.name: text for trial, text in zip(trials, wrong, strict=True)}
    if len(trials) == 1:
        # A chip says what it does not run.
        lacks = failure.startswith("npuc ended with 1") and f"target '{target}' does not run" in failure
        return {trials[0].case.name: LACKS if lacks else failure}
    middle = len(trials) // 2
    return {**tried(trials[:middle], folder, programs, target), **tried(trials[middle:], folder, programs, target)}


def refused(trial: Trial, reason: str, folder: Path, programs: Path) -> str:
    """What is wrong with how it is refused: exit code 5, and one line that names operator, tensor and reason."""
    model = folder / "model.tflite"
    model.write_bytes(trial.graph.bytes(trial.shapes))
    done = run([str(programs / "npuc"), "-q", str(model), "-o", str(folder / "model.npu")])
    # Of operators the last one's result, as cases end with the one they are of.
    operators = expected.operators(trial.graph)
    names = [tensor.name for tensor in trial.graph.subgraphs[0].tensors if "/y" in tensor.name]
    good = (done.returncode == 5 and done.stderr.count("\n") == 1 and reason in done.stderr
            and any(name in done.stderr for name in names) and any(name in done.stderr for name in operators))  # fmt: skip
    return "" if good else f"expected to be refused with {reason!r}, ended with {done.returncode}: {done.stderr.strip()}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog="example: litert_reference.py --every --only='pool/.*i8'"
    )
    parser.add_argument("--build", type=Path, required=True, help="folder with bin/npuc")
    parser.add_argument("--every", action="store_true", help="all cases; else some, always the same, or with NPU_EVERY_CASE")
    parser.add_argument("--random", type=int, default=0, metavar="COUNT", help="that many random cases in their place")
    parser.add_argument("--first", type=int, default=0, metavar="NUMBER", help="the number of the first random case")
    parser.add_argument("--only", default="", help="cases whose name has this regular expression")
    parser.add_argument("--target", action="append", help="host and npu-nhwc if none is given")
    parser.add_argument("--report", type=Path, help="writes what is wrong with each case, as JSON")
    arguments = parser.parse_args()
    known = tflite_random.generated(arguments.random, arguments.first) if arguments.random else all_cases()
    cases = [case for case in known if re.search(arguments.only, case.name) and not expected.is_undefined(case.name)]
    if not (arguments.every or arguments.only or arguments.random or os.environ.get("NPU_EVERY_CASE")):
        cases = [case for case in cases if zlib.crc32(case.name.encode()) % 16 == 0]
    programs = arguments.build / "bin"
    wrong: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as text:
        trials = litert(cases, Path(text))
        taken = [trial for trial in trials if expected.refusal(trial.case.name) is None]
        refusals = [trial for trial in trials if expected.refusal(trial.case.name) is not None]
        # Neighbours are alike: what one model cannot have is in few batches.
        jobs = []
        for target in arguments.target or ["host", "npu-nhwc"]:
            run_there = of_chip(taken, target)
            jobs += [(run_there[at : at + BATCH], target) for at in range(0, len(run_there), BATCH)]

        def one(job: tuple[list[Trial], str]) -> dict[str, str]:
            with tempfile.TemporaryDirectory(dir=text) as own:
                return {f"{name} on {job[1]}": found for name, found in tried(job[0], Path(own), programs, job[1]).items()}

        def one_refused(trial: Trial) -> dict[str, str]:
            with tempfile.TemporaryDirectory(dir=text) as own:
                return {trial.case.name: refused(trial, expected.refusal(trial.case.name) or "", Path(own), programs)}

        with ThreadPoolExecutor(2) as pool:
            for found in pool.map(one, jobs):
                wrong.update(found)
            for found in pool.map(one_refused, refusals):
                wrong.update(found)
    if arguments.report:
        arguments.report.write_text(json.dumps(wrong, indent=1), encoding="utf-8")
    lacking = sum(text == LACKS for text in wrong.values())
    failures = {name: text for name, text in wrong.items() if text and text != LACKS}
    for name, text in failures.items():
        print(f"{name}: {text}")
    families = collections.Counter(name.split("/")[0] for name in wrong)
    print(", ".join(f"{count} {family}" for family, count in families.items()))
    print(f"{len(wrong)} tried, {len(failures)} wrong, {lacking} lacking on a chip; LiteRT runs {len(trials)} of {len(cases)} cases")
    sys.exit(1 if failures or not wrong else 0)


if __name__ == "__main__":
    main()
