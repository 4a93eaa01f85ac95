# SPDX-License-Identifier: Apache-2.0
"""Compares npuc with TOSA's reference model on random ops.

Integers must agree to the bit, floats within a tolerance. Prints a table by
operator.
"""

from __future__ import annotations

import argparse
import collections
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import tosa_builder
import tosa_cases
import tosa_profiles

# Relative to the largest value of a result: sums differ in order, and TOSA's
# are of 16 bits where it says so, npuc's of 32.
TOLERANCES = {np.dtype(np.float32): 2e-5, np.dtype(np.float16): 1e-2}


def run(command: list[str]) -> None:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"failed ({done.returncode}): {' '.join(command)[:300]}\n{done.stderr[-3000:]}")


def reference(folder: Path, tools: Path, case: tosa_builder.Builder) -> list[np.ndarray]:
    """What TOSA's reference model gives."""
    options = f"retain-graph-input-output-names=true tosa-flatbuffer-filename={folder / 'model.tosa'}"
    target = "specification_version=1.0 profiles=pro_int,pro_fp"
    run([str(tools / "tosa-opt"), str(folder / "model.mlir"), f"--tosa-attach-target={target}",
         f"--tosa-serialize={options}", "-o", os.devnull])  # fmt: skip
    outputs = [f"y{i}" for i in range(len(case.results))]
    run([str(tools / "tosa_reference_model"), f"--tosa_file={folder / 'model.tosa'}",
         f"--flatbuffer_dir={folder}", f"--output_dir={folder}",
         "--ifm_name=" + ",".join(case.inputs), "--ifm_file=" + ",".join(f"{name}.npy" for name in case.inputs),
         "--ofm_name=" + ",".join(outputs), "--ofm_file=" + ",".join(f"{name}-reference.npy" for name in outputs)])  # fmt: skip
    return [np.load(folder / f"{name}-reference.npy") for name in outputs]


def compiled(folder: Path, programs: Path, case: tosa_builder.Builder, options: list[str]) -> list[np.ndarray]:
    """What npuc's program gives."""
    run([str(programs / "npuc"), "-q", str(folder / "model.mlir"), "-o", str(folder / "model.npu"), *options])
    command = [str(programs / "npu-run"), str(folder / "model.npu")]
    for name in case.inputs:
        command += ["--input", f"{name}={folder / name}.npy"]
    for i in range(len(case.results)):
        command += ["--output", f"y{i}={folder}/y{i}.npy"]
    run(command)
    return [np.load(folder / f"y{i}.npy") for i in range(len(case.results))]


def difference(found: np.ndarray, expected: np.ndarray) -> str:
    """What is wrong, or nothing."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return f"is {found.dtype}{list(found.shape)}, expected {expected.dtype}{list(expected.shape)}"
    if found.dtype not in TOLERANCES:
        return disagreement(found, expected, found != expected)
    special = ~np.isfinite(expected)
    wrong = (special | ~np.isfinite(found)) & (found != expected) & ~(np.isnan(found) & np.isnan(expected))
    if wrong.any():
        return disagreement(found, expected, wrong)
    finite = expected[~special].astype(np.float64)
    distance = np.abs(found[~special].astype(np.float64) - finite).max(initial=0)
    allowed = TOLERANCES[found.dtype] * np.abs(finite).max(initial=1)
    return f"differs by {distance:.2e}, expected at most {allowed:.2e}" if distance > allowed else ""


def disagreement(found: np.ndarray, expected: np.ndarray, wrong: np.ndarray) -> str:
    places = np.flatnonzero(wrong)
    if places.size == 0:
        return ""
    first = places[0]
    return f"{places.size} of {found.size} differ; first: {found.flat[first]}, expected {expected.flat[first]}"


def check(family: str, seed: int, arguments: argparse.Namespace, table: collections.Counter) -> list[str]:
    """What is wrong. Counts the rows of operator and types that were tried."""
    case = tosa_builder.Builder(np.random.default_rng([seed, len(family), *family.encode()]))
    tosa_cases.FAMILIES[family](case)
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        (folder / "model.mlir").write_text(case.text(), encoding="utf-8")
        for name, array in case.inputs.items():
            np.save(folder / f"{name}.npy", array)
        expected = reference(folder, arguments.tools, case)
        found = compiled(folder, arguments.build / "bin", case, arguments.option)
    problems = []
    lines = {line.split(" ", 1)[0]: line for line in case.lines}
    for i, (value, kind, op) in enumerate(case.results):
        table[tosa_profiles.row_of(lines[value])] += 1
        problem = difference(found[i], expected[i])
        if problem:
            problems.append(f"{family}, seed {seed}, y{i}: {op} -> {kind}: {problem}")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog="example: tosa_reference.py --build=build --seeds=20 rescales"
    )
    parser.add_argument("families", nargs="*", default=list(tosa_cases.FAMILIES), help="families of ops (all)")
    parser.add_argument("--build", type=Path, default=Path("build"), help="folder with bin/npuc")
    parser.add_argument("--tools", type=Path, help="folder with tosa-opt and tosa_reference_model [build/venv-tosa/bin]")
    parser.add_argument("--seeds", type=int, default=1, help="how many random cases of each family")
    parser.add_argument("--first", type=int, default=0, help="the first case's number")
    parser.add_argument("--profiles", type=Path, help="MLIR's TosaComplianceData.h.inc: fail if a row of it is not tried")
    parser.add_argument("--option", action="append", default=[], help="an option for npuc; may be repeated")
    arguments = parser.parse_args()
    environment = os.environ.get("NPU_VENV_TOSA", arguments.build / "venv-tosa")
    arguments.tools = arguments.tools or Path(environment) / "bin"
    if not (arguments.tools / "tosa_reference_model").exists():
        raise SystemExit(f"{arguments.tools} has no tosa_reference_model; run `make deps-tosa`")
    table: collections.Counter = collections.Counter()
    problems: list[str] = []
    for seed in range(arguments.first, arguments.first + arguments.seeds):
        for family in arguments.families:
            problems += check(family, seed, arguments, table)
    print("| operator | cases |\n|---|---|")
    counts: collections.Counter = collections.Counter()
    for (op, _), count in table.items():
        counts[op] += count
    for op, count in sorted(counts.items()):
        print(f"| {op} | {count} |")
    print(f"{sum(table.values())} results, {len(problems)} wrong")
    if arguments.profiles:
        wanted = tosa_profiles.rows(arguments.profiles)
        missing = wanted - set(table)
        print(f"{len(wanted) - len(missing)} of {len(wanted)} rows of the base inference profiles")
        problems += [f"not tried: {name} of {', '.join(types)}" for name, types in sorted(missing)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
