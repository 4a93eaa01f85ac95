# SPDX-License-Identifier: Apache-2.0
"""A plan that fits less memory is found there: networks on chips with eight sizes of on-chip memory.

If what is planned for B peaks at most at S < B, tiles included, then as few cycles are found for S. Where both are
proved that is a law, whatever the network and the chip: what is chosen among does not depend on the memory.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench" / "models")]

import zoo  # noqa: E402
from npu_sweep.chip import Chip, with_values  # noqa: E402

SIZES = (48, 128, 256, 512, 1024, 1536, 3072, 8192)
TARGETS = tuple(file.stem for file in sorted((ROOT / "targets").glob("npu-*.yaml")))
TIMEOUT_SECONDS = 300


class Plan:
    """What is planned for one size; None where the chip is too small."""

    def __init__(self, report: dict) -> None:
        self.cycles = report["chip"]["cycles"]
        self.peak = report["chip"]["on_chip_peak_bytes"]
        self.proved = report["optimal"]["proved"]


class Model:
    """A network's file, and the options that bind its sizes."""

    def __init__(self, name: str, is_small: bool) -> None:
        net = zoo.find(name)
        size = net.small if is_small else net.size
        self.path = zoo.ensure(name, net.small if is_small else None)
        self.name = self.path.name
        inputs = {} if net.is_tflite else net.inputs(self.path, 1, size, net.order)
        self.options = [f"--input-shape={given}={','.join(map(str, values.shape))}" for given, values in inputs.items()]
        self.options = self.options or ["--batch=1"]


def plan_of(npuc: Path, model: Model, target: str, kib: int, folder: Path) -> Plan | None:
    text = (ROOT / "targets" / f"{target}.yaml").read_text(encoding="utf-8")
    chip = folder / f"{target}.yaml"  # a target is called as its file
    chip.write_text(with_values(Chip(target, text), {"sram": f"{kib} KiB"}), encoding="utf-8")
    report = folder / "report.json"
    command = [npuc, model.path, *model.options, f"--target={chip}", "-q", "--layout=optimal", "--emit=mlir",
               "--stage=planned", "-o", folder / "out.mlir", f"--report={report}"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
    if done.returncode:  # a chip of integers has no f32
        assert "its smallest tile" in done.stderr or "does not run" in done.stderr, f"{model.name}, {target}, {kib} KiB: {done.stderr}"
        return None
    read = json.loads(report.read_text(encoding="utf-8"))
    plan = Plan(read)
    assert plan.peak <= kib * 1024, f"{model.name}, {target}: {plan.peak} bytes of {kib} KiB"
    check_addresses(read)
    return plan


def check_addresses(report: dict) -> None:
    """Values that are there at once lie apart, below what the kernels say."""
    values = report["on_chip"]["values"]
    for index, kernel in enumerate(report["kernels"]):
        there = sorted((value["offset"], value["offset"] + value["bytes"]) for value in values
                       if value["first_kernel"] <= index <= value["last_kernel"])  # fmt: skip
        for before, behind in zip(there, there[1:]):
            assert before[1] <= behind[0], (kernel["name"], there)
        assert not there or max(end for _, end in there) <= kernel["resident_bytes"], (kernel, there)


def check(npuc: Path, model: Model, target: str) -> tuple[int, int]:
    """How many pairs the law speaks of, and how many of them break it."""
    with tempfile.TemporaryDirectory() as folder:
        plans = {kib: plan_of(npuc, model, target, kib, Path(folder)) for kib in SIZES}
    pairs = broken = 0
    for large, plan in plans.items():
        for small, other in plans.items():
            if small >= large or not plan or plan.peak > small * 1024:
                continue
            pairs += 1
            if not other or (other.cycles > plan.cycles and other.proved):
                broken += 1
                found = f"{other.cycles} cycles" if other else "nothing"
                print(f"{model.name}, {target}: {plan.cycles} cycles for {large} KiB peak at {plan.peak} bytes; "
                      f"for {small} KiB there is {found}", file=sys.stderr)  # fmt: skip
    for larger, smaller in zip(SIZES[1:], SIZES):
        more, less = plans[larger], plans[smaller]
        if less and (not more or (more.proved and more.cycles > less.cycles)):
            broken += 1
            print(f"{model.name}, {target}: slower for {larger} KiB than for {smaller}", file=sys.stderr)
    return pairs, broken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True, help="the build folder")
    parser.add_argument("--targets", nargs="+", default=TARGETS, help="names of shipped targets")
    parser.add_argument("--networks", nargs="+", default=list(zoo.NETS), help="of bench/models")
    parser.add_argument("--small", action="store_true", help="in their smallest sensible size")
    arguments = parser.parse_args()
    npuc = arguments.build / "bin" / "npuc"
    models = [Model(name, arguments.small) for name in arguments.networks]
    with ThreadPoolExecutor(2) as pool:
        both = [(model, target) for model in models for target in arguments.targets]
        found = list(pool.map(lambda one: check(npuc, *one), both))
    pairs, broken = (sum(column) for column in zip(*found))
    print(f"{pairs} pairs of memories, {broken} broken")
    return 1 if broken or not pairs else 0


if __name__ == "__main__":
    sys.exit(main())
