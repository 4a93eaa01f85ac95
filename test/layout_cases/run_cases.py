# SPDX-License-Identifier: Apache-2.0
"""Compiles, runs and checks the layout cases (README.md says what a case is).

Each case is compiled with --layout=optimal --objective=count for npu-nhwc with
fixed inputs and outputs: not more relayouts than its minimum, and the outputs
of onnxruntime. Every other strategy that is feasible gives the same numbers
and leaves no fewer relayouts; one whose plan costs in all respects what another's
does is not run beside it, unless --every asks for that.

With --target (several times), for these chips instead, for which no minimum is
known: the outputs are onnxruntime's, no strategy leaves fewer relayouts, and
what is not proved says why.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import build_cases
import case_builder
import numpy as np
import rich.console
import rich.progress

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 120
TARGET = "npu-nhwc"  # of which the minima are known
FIXED = ["--objective=count", "--io-layout=fixed", "-q"]
# Chips that differ from this one in their blocks are made from it.
BLOCKED = re.compile(r"npu-nchw(\d+)c")
BLOCKED_TARGET = ROOT / "targets" / "npu-nchw16c.yaml"
RTOL = {"f16": 1e-2}
LARGEST_SHARE = 1e-5
# Ties of roundings to bytes: a step of 8 bits, in one value of a thousand or in one alone. None of the cases has any where
# the processor has instructions for bytes.
LARGEST_LOOSE_SHARE, LOOSE_OUTSIDE = 1 / 255, 1e-3


class Failure(Exception):
    """A sentence: what was expected and what came."""


@dataclasses.dataclass(frozen=True)
class Bench:
    """The programs and where the models lie."""

    bin: Path
    models: Path
    every: bool = False

    def call(self, program: str, *words: object) -> str:
        """Runs it; returns the first line of its complaint, empty if it has none."""
        command = [str(self.bin / program), *map(str, words)]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False
        )
        if done.returncode == 0:
            return ""
        text = (done.stderr.strip() or done.stdout.strip()).splitlines()
        return text[0] if text else f"{program} ended with {done.returncode} and no message"


def saved_inputs(entry: dict, folder: Path) -> tuple[dict[str, np.ndarray], list[str]]:
    """Inputs, each in NAME.npy, and the words that bind symbolic sizes and inputs that decide shapes."""
    inputs = case_builder.sample_inputs(entry)
    words = []
    for name, array in inputs.items():
        np.save(folder / f"{name}.npy", array)
    for name, spec in entry["inputs"].items():
        if "sample" in spec and entry["dynamic"]:
            words.append(f"--bind-input={name}={folder}/{name}.npy")
        elif any(not isinstance(extent, int) for extent in spec["shape"]):
            words.append(f"--input-shape={name}={','.join(map(str, inputs[name].shape))}")
    return inputs, words


def compile_case(
    bench: Bench, entry: dict, layout: str, words: list[str], folder: Path, target: str | Path = TARGET
) -> None:
    """To folder/LAYOUT.npu."""
    complaint = bench.call(
        "npuc", bench.models / entry["file"], "-o", folder / f"{layout}.npu", *FIXED, f"--target={target}",
        f"--layout={layout}", *words,
    )  # fmt: skip
    if complaint:
        raise Failure(f"refused: {complaint}")


def compiled(
    bench: Bench, entry: dict, layout: str, words: list[str], folder: Path, target: str | Path = TARGET
) -> dict:
    """The same with its report, for which npuc tries every strategy."""
    report = folder / f"{layout}.json"
    compile_case(bench, entry, layout, [*words, f"--report={report}"], folder, target)
    return json.loads(report.read_text(encoding="utf-8"))


def ran(bench: Bench, entry: dict, layout: str, words: list[str], folder: Path) -> dict[str, np.ndarray]:
    """The outputs of folder/LAYOUT.npu."""
    bound = {word.split("=")[1] for word in words if word.startswith("--bind-input=")}
    options = [f"--input={name}={folder}/{name}.npy" for name in entry["inputs"] if name not in bound]
    options += [f"--output={name}={folder}/{layout}-{name}.npy" for name in entry["outputs"]]
    complaint = bench.call("npu-run", folder / f"{layout}.npu", *options)
    if complaint:
        raise Failure(f"{layout} does not run: {complaint}")
    return {name: np.load(folder / f"{layout}-{name}.npy") for name in entry["outputs"]}


def difference(kind: str, found: np.ndarray, wanted: np.ndarray, dtype: str) -> str:
    """What is wrong with an output; empty if nothing is."""
    if found.shape != wanted.shape:
        return f"shape {found.shape} instead of {wanted.shape}"
    if wanted.size == 0:
        return ""
    if kind == "exact":
        return "" if np.array_equal(found, wanted, equal_nan=wanted.dtype.kind == "f") else "values differ"
    a, b = found.astype(np.float64), wanted.astype(np.float64)
    error = np.abs(a - b)
    tolerance = RTOL.get(dtype, 1e-4) * np.abs(b) + LARGEST_SHARE * np.abs(b).max()
    outside = ~(error <= tolerance)
    if kind == "float":
        return f"off by {error.max():.3g}" if outside.any() else ""
    limit = 1.0 if wanted.dtype.kind in "iu" else LARGEST_LOOSE_SHARE * float(b.max() - b.min())
    if outside.sum() > max(LOOSE_OUTSIDE * outside.size, 1):
        return f"{100 * outside.mean():.1f} % of the values are off"
    return f"off by {error.max():.3g}" if not (error[outside] <= limit).all() else ""


def check_numbers(entry: dict, layout: str, found: dict, wanted: dict) -> None:
    for name, spec in entry["outputs"].items():
        wrong = difference(entry["compare"], found[name], wanted[name], spec["type"])
        if wrong:
            raise Failure(f"{layout}: output {name}: {wrong}")


def reference(path: Path, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs), strict=True))


def check_case(bench: Bench, entry: dict) -> None:
    """Raises Failure with the first thing that is wrong."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        inputs, words = saved_inputs(entry, folder)
        report = compiled(bench, entry, "optimal", words, folder)
        count, least = report["relayouts"]["count"], entry["oracle_min_total"]
        if count > least:
            raise Failure(f"{count} relayouts, {least} are enough")
        if not report["optimal"]["proved"] or report["optimal"]["cost"] != count:
            raise Failure(f"{count} relayouts, the search says {report['optimal']}")
        wanted = reference(bench.models / entry["file"], inputs)
        known = set()  # what plans cost that ran
        for row in sorted(report["strategies"], key=lambda row: row["name"] != "optimal"):
            if not row["feasible"]:
                continue
            if row["count"] < count:
                raise Failure(f"{row['name']} leaves {row['count']} relayouts, optimal {count}")
            costs = row["count"], row["bytes"], row["cycles"]
            if costs in known and not bench.every:
                continue
            known.add(costs)
            if row["name"] != "optimal":
                compile_case(bench, entry, row["name"], words, folder)
            check_numbers(entry, row["name"], ran(bench, entry, row["name"], words, folder), wanted)


def check_search(report: dict) -> str:
    """Why the search proves nothing; empty where it does."""
    count, search = report["relayouts"]["count"], report["optimal"]
    if search["cost"] != count:
        raise Failure(f"{count} relayouts, the search says {search}")
    if search["proved"]:
        return ""
    if not search["capped_values"]:
        raise Failure(f"{count} relayouts, not proved: {search}")
    return f"{count} relayouts, not proved: {search['space']}"


def check_on_chip(bench: Bench, entry: dict, target: str | Path) -> str:
    """A remark; raises Failure with the first thing that is wrong."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        inputs, words = saved_inputs(entry, folder)
        report = compiled(bench, entry, "optimal", words, folder, target)
        for row in report["strategies"]:
            if row["feasible"] and row["count"] < report["relayouts"]["count"]:
                raise Failure(f"{row['name']} leaves {row['count']} relayouts, optimal {report['relayouts']['count']}")
        wanted = reference(bench.models / entry["file"], inputs)
        check_numbers(entry, "optimal", ran(bench, entry, "optimal", words, folder), wanted)
        return check_search(report)


@dataclasses.dataclass
class Outcome:
    """A case, on a chip: what is wrong with it, and what else is to say."""

    name: str
    wrong: str = ""
    remark: str = ""


def outcome(bench: Bench, entry: dict, target: str | Path | None) -> Outcome:
    result = Outcome(f"{entry['id']} on {Path(target).stem}" if target else entry["id"])
    try:
        if target:
            result.remark = check_on_chip(bench, entry, target)
        else:
            check_case(bench, entry)
    except Failure as failure:
        result.wrong = str(failure)
    except subprocess.TimeoutExpired as failure:
        result.wrong = f"{Path(failure.cmd[0]).name} did not end within {TIMEOUT_SECONDS} s"
    return result


def run_all(bench: Bench, tasks: list[tuple[dict, str | Path | None]], jobs: int) -> list[Outcome]:
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = [pool.submit(outcome, bench, *task) for task in tasks]
        done = rich.progress.track(
            concurrent.futures.as_completed(running),
            total=len(running),
            description="cases",
            console=rich.console.Console(stderr=True),
            disable=not sys.stderr.isatty(),
        )
        return sorted((future.result() for future in done), key=lambda result: result.name)


def chip(name: str, folder: Path) -> str | Path:
    """A target as npuc takes it; one that differs from another in its blocks is written down."""
    blocked = BLOCKED.fullmatch(name)
    if not blocked or (ROOT / "targets" / f"{name}.yaml").exists():
        return name
    path = folder / f"{name}.yaml"
    text = BLOCKED_TARGET.read_text(encoding="utf-8")
    path.write_text(re.sub(r"\b16\b(?! MAC)|16(?=[co])", blocked[1], text), encoding="utf-8")
    return path


def sampled(tasks: list, count: int) -> list:
    """So many of them, spread evenly; 0: all."""
    if not 0 < count < len(tasks):
        return tasks
    return [tasks[index * len(tasks) // count] for index in range(count)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="build folder")
    parser.add_argument("--only", default="", help="regular expression on the case's name")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="cases at a time")
    parser.add_argument(
        "--target",
        action="append",
        default=[],
        help="a chip, by name or file, in place of npu-nhwc and the minima; npu-nchwNc: npu-nchw16c with such blocks",
    )
    parser.add_argument("--sample", type=int, default=0, help="so many cases on chips, spread evenly; 0: all")
    parser.add_argument("--every", action="store_true", help="run strategies whose plans cost the same, too")
    arguments = parser.parse_args()
    models = arguments.build / "layout_cases"
    entries = case_builder.build(models, case_builder.read_table(build_cases.TABLE), arguments.only)
    targets = [chip(name, models) for name in arguments.target] or [None]
    tasks = sampled([(entry, target) for entry in entries for target in targets], arguments.sample)
    results = run_all(Bench(arguments.build / "bin", models, arguments.every), tasks, arguments.jobs)
    for result in results:
        if result.wrong or result.remark:
            print(f"{result.name}: {result.wrong or result.remark}")
    failures = sum(bool(result.wrong) for result in results)
    print(f"{len(results)} cases, {len(results) - failures} pass, {failures} fail")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
