# SPDX-License-Identifier: Apache-2.0
"""Compiles networks for each shipped chip as on other processors, and compares what is said of the chip.

Plan, kernels, cycles and bytes follow from model, target and options: they must be the same whatever instructions the
processor has (ONEDNN_MAX_CPU_ISA hides some) and for each number of threads. Only how this machine simulates a kernel
may differ, and how long compiling took. The programs then give the same bytes on each processor.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "bench" / "models"))

import zoo  # noqa: E402

NETWORKS = ("efficientnet_b0", "mobilenet_v3_large", "minilm_l3", "ppocr_rec", "mobilenet_v2_qdq", "mobilenet_v2_tflite_int8")
# Their outputs are bytes, or made of bytes alone: the same to the bit.
INTEGERS = ("mobilenet_v2_tflite_int8",)
ISAS = ("", "SSE41", "AVX2", "AVX512_CORE")  # of ONEDNN_MAX_CPU_ISA; empty: all that there is
THREADS = (1, 2, 16)
# What is about this machine.
OWN = ("implementation", "slow", "adapter_bytes", "compile_seconds", "seconds")
CLOSE = 1e-4  # of the largest output: sums in another order


def chips() -> list[str]:
    return sorted(path.stem for path in (ROOT / "targets").glob("*.yaml") if path.stem != "host")


def computes_floats(chip: str) -> bool:
    text = (ROOT / "targets" / f"{chip}.yaml").read_text(encoding="utf-8")
    return "f32" in next(line for line in text.splitlines() if line.startswith("types:"))


def call(isa: str, *command: object) -> str:
    environment = {**os.environ, "ONEDNN_MAX_CPU_ISA": isa} if isa else dict(os.environ)
    result = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            timeout=600, check=False, env=environment)  # fmt: skip
    if result.returncode != 0:
        raise SystemExit(f"failed ({result.returncode}) with '{isa}': {command}\n{result.stderr[-2000:]}")
    return result.stdout


def of_chip(found: object) -> object:
    """A report without what is about this machine."""
    if isinstance(found, dict):
        return {key: of_chip(value) for key, value in found.items() if key not in OWN}
    return [of_chip(value) for value in found] if isinstance(found, list) else found


def difference(one: object, other: object, where: str = "report") -> str:
    """Where they differ first; empty: nowhere."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        pairs = [(one[key], other[key], f"{where}.{key}") for key in one]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = [(a, b, f"{where}[{index}]") for index, (a, b) in enumerate(zip(one, other, strict=True))]
    else:
        return "" if one == other else f"{where}: {str(one)[:300]} and {str(other)[:300]}"
    return next(filter(None, (difference(*pair) for pair in pairs)), "")


class Case:
    """A network on a chip."""

    def __init__(self, build: Path, network: str, chip: str, folder: Path) -> None:
        self.build, self.net, self.chip, self.folder = build, zoo.find(network), chip, folder
        net, self.model = self.net, zoo.ensure(network, self.net.small)
        self.inputs = {} if net.is_tflite else net.inputs(self.model, 1, net.small, net.order, seed=1)

    def report(self, isa: str, threads: int, program: Path) -> dict:
        path = self.folder / "report.json"
        shapes = [f"--input-shape={name}={','.join(map(str, values.shape))}" for name, values in self.inputs.items()]
        call(isa, self.build / "bin" / "npuc", self.model, *shapes or ["--batch=1"], f"--target={self.chip}",
             "--fallback=host", "-q", f"--threads={threads}", "-o", program, f"--report={path}")  # fmt: skip
        return json.loads(path.read_text(encoding="utf-8"))

    def outputs(self, isa: str, program: Path) -> list[np.ndarray]:
        dump = json.loads(call(isa, self.build / "bin" / "npu-dump", "--json", program))["signature"]
        command: list[object] = [self.build / "bin" / "npu-run", program, "--threads=2", "--random-inputs"]
        results = []
        for index, output in enumerate(dump["outputs"]):
            results.append(self.folder / f"y{index}.npy")
            command += ["--output", f"{output['name']}={results[-1]}"]
        for index, (name, values) in enumerate(self.inputs.items()):
            np.save(self.folder / f"x{index}.npy", values)
            command += ["--input", f"{name}={self.folder / f'x{index}.npy'}"]
        call(isa, *command)
        return [np.load(result).astype(np.float64) for result in results]

    def check_reports(self, settings: list[tuple[str, int]]) -> None:
        first = self.report("", 2, self.folder / "first.npu")
        # A group for which there is no kernel runs its op by a fast one all the same.
        slow = [kernel["node"] for kernel in first["kernels"] if kernel["slow"]]
        if slow:
            raise SystemExit(f"{self.net.name} on {self.chip}: on a reference: {slow}")
        for isa, threads in settings:
            other = self.report(isa, threads, self.folder / "other.npu")
            found = difference(of_chip(first), of_chip(other))
            if found:
                raise SystemExit(f"{self.net.name} on {self.chip}, '{isa}', {threads} threads: {found}")

    def check_outputs(self) -> None:
        first, *others = [self.outputs(isa, self.folder / "first.npu") for isa in ISAS]
        for isa, other in zip(ISAS[1:], others, strict=True):
            far = max(np.abs(a - b).max() / max(np.abs(a).max(), 1e-30) for a, b in zip(first, other, strict=True))
            if far > (0 if self.net.name in INTEGERS else CLOSE):
                raise SystemExit(f"{self.net.name} on {self.chip}, '{isa}': outputs are {far} of the largest away")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog="example: same_chip_test.py --networks minilm_l3 --chips npu-nhwc"
    )
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="folder with bin/npuc")
    parser.add_argument("--networks", nargs="+", default=NETWORKS, help="networks of bench/models/zoo.py")
    parser.add_argument("--chips", nargs="+", default=chips(), help="targets")
    parser.add_argument("--every", action="store_true",
                        help="each with each; else each network on every second chip, with one other setting")  # fmt: skip
    arguments = parser.parse_args()
    every = [setting for setting in itertools.product(ISAS, THREADS) if setting != ("", 2)]
    # Neighbours in this order differ in both.
    some = [("SSE41", 1), ("AVX2", 16), ("AVX512_CORE", 1), ("", 16)]
    with tempfile.TemporaryDirectory() as text:
        for row, network in enumerate(arguments.networks):
            for column, chip in enumerate(arguments.chips):
                # What a chip of integers runs of others is the processor's.
                if not network.endswith(("_qdq", "_int8")) and not computes_floats(chip):
                    continue
                if not arguments.every and (row + column) % 2 == 1:
                    continue
                case = Case(arguments.build, network, chip, Path(text))
                case.check_reports(every if arguments.every else [some[(row + column) // 2 % len(some)]])
                if arguments.every or column == row % len(arguments.chips):
                    case.check_outputs()
    print(f"{len(arguments.networks)} networks on {len(arguments.chips)} chips: the same on every processor")


if __name__ == "__main__":
    main()
