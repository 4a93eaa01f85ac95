# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of docs/rivals.md: every strategy on networks and chips, and transposes of TOSA programs.

Tables go between the marks in the page. --check changes nothing and fails if
they would change; networks that are named are the only ones it looks at then.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "rivals.md"
sys.path[:0] = [str(ROOT / "test" / folder) for folder in ("models", "layout_cases")] + [str(ROOT / "bench" / "models")]

import build_cases  # noqa: E402 (test/layout_cases)
import case_builder  # noqa: E402
import compare  # noqa: E402 (test/models/compare.py)
import rivals_tosa  # noqa: E402
import run_cases  # noqa: E402
import zoo  # noqa: E402 (bench/models/zoo.py)
from pages import replaced  # noqa: E402
from strategy_target_matrix import strategy_names  # noqa: E402

NETWORKS = (
    "resnet50", "resnet101", "vgg16", "mobilenet_v2", "densenet121", "inception_v3", "mobilenet_v3_large",
    "mobilenet_v3_small", "efficientnet_b0", "convnext_tiny", "nasnet_mobile", "unet", "audio", "video", "vit",
    "vit_timm", "yolo", "two_tower", "ppocr_det", "ppocr_rec",
)  # fmt: skip
CHIPS = ("npu-nchw", "npu-nhwc", "npu-nchw16c", "npu-tiles", "npu-sticks", "npu-packs")
# What npuc makes small, and the number of its report that says how far it came.
OBJECTIVES = {"count": "count", "bytes": "bytes", "time": "cycles"}

# Of a strategy in one cell: a number for each objective; None: infeasible.
Numbers = dict[str, int] | None
# By network, chip and strategy.
Cells = dict[tuple[str, str], dict[str, Numbers]]


@functools.cache
def model(build: Path, name: str) -> list[str]:
    """The network's file and the shapes of its inputs, as npuc's words."""
    path, inputs = compare.network_and_inputs(name, 1, True, build)
    return [str(path)] + [f"--input-shape={one}={','.join(map(str, array.shape))}" for one, array in inputs.items()]


def report(build: Path, name: str, chip: str, objective: str) -> dict:
    """What npuc says of a network on a chip, all strategies side by side."""
    with tempfile.TemporaryDirectory(prefix="npu-rivals-") as folder:
        written = Path(folder) / "report.json"
        command = [build / "bin" / "npuc", *model(build, name), "--quiet", "--emit=mlir", "-o", os.devnull, f"--report={written}"]
        command += [f"--target={ROOT / 'targets' / chip}.yaml", f"--objective={objective}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{name} on {chip}: {done.stderr.strip()}")
        return json.loads(written.read_text(encoding="utf-8"))


def cell(build: Path, name: str, chip: str) -> dict[str, Numbers]:
    """The numbers of every strategy; fails where one of them is better than optimal."""
    found: dict[str, Numbers] = {}
    for objective, key in OBJECTIVES.items():
        rows = report(build, name, chip, objective)["strategies"]
        least = next(row[key] for row in rows if row["name"] == "optimal")
        for row in rows:
            if not row["feasible"]:
                found[row["name"]] = None
                continue
            if row[key] < least:
                raise RuntimeError(f"{name} on {chip}: {row['name']} has {row[key]} {key}, optimal {least}")
            found.setdefault(row["name"], {})[key] = row[key]
    return found


def measure(build: Path, networks: list[str], jobs: int) -> Cells:
    keys = [(name, chip) for name in networks for chip in CHIPS]
    with ThreadPoolExecutor(jobs) as pool:
        return dict(zip(keys, pool.map(lambda key: cell(build, *key), keys), strict=True))


def shown(numbers: Numbers) -> str:
    """Relayouts, kB, thousands of cycles."""
    if numbers is None:
        return ""
    return f"{numbers['count']} / {numbers['bytes'] / 1000:,.0f} / {numbers['cycles'] / 1000:,.0f}"


def chip_row(cells: Cells, name: str, chip: str, strategies: list[str]) -> str:
    return f"| {name} | " + " | ".join(shown(cells[name, chip][one]) for one in strategies) + " |"


def chip_tables(cells: Cells, networks: list[str], strategies: list[str]) -> list[str]:
    lines = []
    for chip in CHIPS:
        lines += [f"### `{chip}`", "", "| network | " + " | ".join(f"`{one}`" for one in strategies) + " |"]
        lines += ["|---|" + "---:|" * len(strategies)]
        lines += [chip_row(cells, name, chip, strategies) for name in networks] + [""]
    return lines


def ratios(cells: Cells, strategy: str, key: str) -> list[float]:
    """To optimal's, where that is not 0."""
    pairs = [(found[strategy], found["optimal"]) for found in cells.values() if found[strategy]]
    return [one[key] / least[key] for one, least in pairs if least[key]]


def summary_row(cells: Cells, strategy: str) -> str:
    feasible = [found for found in cells.values() if found[strategy]]
    texts = [str(len(feasible))]
    for key in OBJECTIVES.values():
        equal = sum(found[strategy][key] == found["optimal"][key] for found in feasible)
        values = ratios(cells, strategy, key)
        mean = math.exp(statistics.fmean(map(math.log, values)))
        texts += [str(equal), f"{mean:.3f}", f"{max(values):.2f}"]
    return f"| `{strategy}` | " + " | ".join(texts) + " |"


def summary(cells: Cells, strategies: list[str]) -> list[str]:
    heads = ["strategy", "feasible"]
    for text in ("relayouts", "bytes", "cycles"):
        heads += [f"least {text}", "ratio, mean", "most"]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    return lines + [summary_row(cells, one) for one in strategies]


def by_chip(cells: Cells, strategies: list[str]) -> list[str]:
    """In how many networks a strategy leaves the least relayouts, chip by chip."""
    lines = ["| strategy | " + " | ".join(f"`{chip}`" for chip in CHIPS) + " |", "|---|" + "---:|" * len(CHIPS)]
    for strategy in strategies:
        texts = []
        for chip in CHIPS:
            here = [found for (_, where), found in cells.items() if where == chip]
            pairs = [(found[strategy], found["optimal"]) for found in here if found[strategy]]
            equal = sum(one["count"] == least["count"] for one, least in pairs)
            texts.append(f"{equal} of {len(pairs)}" if pairs else "")
        lines.append(f"| `{strategy}` | " + " | ".join(texts) + " |")
    return lines


def case_rows(bench: run_cases.Bench, entry: dict) -> dict[str, int | None]:
    """The relayouts that each strategy leaves in one of the layout cases; None: infeasible."""
    with tempfile.TemporaryDirectory(prefix="npu-rivals-") as folder:
        _, words = run_cases.saved_inputs(entry, Path(folder))
        rows = run_cases.compiled(bench, entry, "optimal", words, Path(folder))["strategies"]
    return {row["name"]: row["count"] if row["feasible"] else None for row in rows}


def case_table(build: Path, strategies: list[str], jobs: int) -> list[str]:
    models = build / "layout_cases"
    entries = case_builder.build(models, case_builder.read_table(build_cases.TABLE), "")
    bench = run_cases.Bench(build / "bin", models)
    with ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(lambda entry: case_rows(bench, entry), entries))
    lines = ["| strategy | feasible | least relayouts | all relayouts | least of these cases | most beyond it |",
             "|---|---:|---:|---:|---:|---:|"]  # fmt: skip
    for strategy in strategies:
        pairs = [(rows[strategy], rows["optimal"]) for rows in found if rows[strategy] is not None]
        equal = sum(count == least for count, least in pairs)
        numbers = [len(pairs), equal, sum(count for count, _ in pairs), sum(least for _, least in pairs)]
        numbers.append(max((count - least for count, least in pairs), default=0))
        lines.append(f"| `{strategy}` | " + " | ".join(map(str, numbers)) + " |")
    return lines


def missing(text: str, build: Path, networks: list[str], strategies: list[str], jobs: int) -> list[str]:
    """The rows of these networks, and of the TOSA programs, that the page has not."""
    cells = measure(build, networks, jobs)
    rows = [chip_row(cells, name, chip, strategies) for name in networks for chip in CHIPS]
    return [row for row in rows + rivals_tosa.table(build) if row not in text.splitlines()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help="with --check: only these")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build folder (build)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="compilations at a time")
    parser.add_argument("--check", action="store_true", help="change nothing; fail if the page would change")
    arguments = parser.parse_args()
    if arguments.networks and not arguments.check:
        parser.error("networks go with --check")
    build = arguments.build.resolve()
    os.environ.setdefault("NPU_MODELS", str(build / "models"))
    strategies = strategy_names(build / "bin" / "npuc")
    old = PAGE.read_text(encoding="utf-8")
    try:
        if arguments.networks:
            new = missing(old, build, arguments.networks, strategies, arguments.jobs)
            print(*(f"{PAGE.relative_to(ROOT)} has no such row: {row}" for row in new), sep="\n")
            return 1 if new else 0
        cells = measure(build, list(NETWORKS), arguments.jobs)
        parts = {
            "summary": summary(cells, strategies),
            "chips": by_chip(cells, strategies),
            "cases": case_table(build, strategies, arguments.jobs),
            "tosa": rivals_tosa.table(build),
            "cells": chip_tables(cells, list(NETWORKS), strategies),
        }
        page = old
        for mark, lines in parts.items():
            page = replaced(page, mark, "\n".join(lines).rstrip())
    except (compare.Failure, run_cases.Failure, zoo.ZooError, RuntimeError, OSError) as error:
        print(f"rivals: {error}", file=sys.stderr)
        return 1
    if not arguments.check:
        PAGE.write_text(page, encoding="utf-8")
        return 0
    if page == old:
        return 0
    print(f"{PAGE.relative_to(ROOT)} is out of date; run this without --check. It should be:\n{page}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
