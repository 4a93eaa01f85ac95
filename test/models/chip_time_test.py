# SPDX-License-Identifier: Apache-2.0
"""On no chip does another strategy's plan take less time than optimal's, whatever the network.

npuc's report lists what each strategy's plan costs: cycles of the chip, since time is the objective. That these are
the simulated ones is checked on the optimal plan of every network and, with --every, on every strategy's, each
compiled by itself. Prints what was found as a table.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from compare import TIMEOUT_SECONDS, Failure, check_search, complaint, network_and_inputs, zoo

TARGETS = ("npu-nhwc", "npu-nchw16c", "host")


def compile_plan(build: Path, words: list[str], layout: str) -> dict:
    """npuc's report; the program itself, with all its weights, is not written."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        done = subprocess.run(
            [str(build / "bin" / "npuc"), *words, f"--layout={layout}", "--emit=html", "-o", f"{folder}/page.html",
             f"--report={report}", "--quiet"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_SECONDS,
        )  # fmt: skip
        if done.returncode != 0:
            raise Failure(f"{layout}: {complaint(done)}")
        return json.loads(report.read_text(encoding="utf-8"))


def model_words(name: str, quick: bool, build: Path) -> list[str]:
    """The model's file and its sizes."""
    net = zoo.find(name)
    if net.is_tflite:
        return [str(zoo.ensure(name, net.small if quick else net.size)), "--batch=1"]
    path, inputs = network_and_inputs(name, 1, quick, build)
    return [str(path), *(f"--input-shape={key}={','.join(map(str, a.shape))}" for key, a in inputs.items())]


def check_target(build: Path, words: list[str], target: str, every: bool) -> dict[str, int]:
    """Cycles of each feasible strategy."""
    words = [*words, f"--target={target}"]
    report = compile_plan(build, words, "optimal")
    check_search(report)
    cycles = {row["name"]: row["cycles"] for row in report["strategies"] if row["feasible"]}
    if not {"naive", "preset", "alter", "optimal"} <= cycles.keys():
        raise Failure(f"only {', '.join(cycles)} are feasible on {target}")
    found = {"optimal": report["chip"]["cycles"]}
    if every:
        others = [name for name in cycles if name != "optimal"]
        found |= {name: compile_plan(build, words, name)["chip"]["cycles"] for name in others}
    for name, simulated in found.items():
        if simulated != cycles[name]:
            raise Failure(f"{name} on {target}: the search says {cycles[name]} cycles, the simulator {simulated}")
    if cycles["optimal"] > min(cycles.values()):
        raise Failure(f"another strategy is faster on {target}: {cycles}")
    return cycles


def check_network(build: Path, name: str, quick: bool, every: bool) -> list[str]:
    """Lines of the table, or one that begins with FAILED."""
    lines = []
    try:
        words = model_words(name, quick, build)
        for target in TARGETS:
            cycles = check_target(build, words, target, every)
            best = cycles["optimal"]
            others = " ".join(f"{key} {value / best:.3f}" for key, value in cycles.items() if key != "optimal")
            lines.append(f"{name:26} {'small' if quick else 'full':5} {target:11} {best:>12,}  {others}")
    except (Failure, zoo.ZooError, subprocess.TimeoutExpired) as error:
        return [*lines, f"FAILED {name}: {error}"]
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        epilog="example: chip_time_test.py --build=build --networks mobilenet_v2 --every mobilenet_v2",
    )
    parser.add_argument("--build", type=Path, required=True, help="the build folder with bin/")
    parser.add_argument("--networks", nargs="*", default=list(zoo.NETS), help="small (default: all of bench/models)")
    parser.add_argument("--full", nargs="*", default=[], help="networks to try in their original size, too")
    parser.add_argument("--every", nargs="*", default=[], help="networks for which each strategy is compiled by itself")
    arguments = parser.parse_args()
    jobs = [(name, True) for name in arguments.networks] + [(name, False) for name in arguments.full]
    with ThreadPoolExecutor(2) as pool:
        tables = pool.map(
            lambda job: check_network(arguments.build.resolve(), *job, job[0] in arguments.every), jobs
        )
        lines = [line for table in tables for line in table]
        print("network, target, cycles of optimal; how many times as long the others take")
        print("\n".join(lines), flush=True)
    return int(any(line.startswith("FAILED") for line in lines))


if __name__ == "__main__":
    sys.exit(main())
