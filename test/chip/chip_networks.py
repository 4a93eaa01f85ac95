# SPDX-License-Identifier: Apache-2.0
"""Networks executed by the chip's program, tile by tile, beside their usual run, on chips with several sizes of memory.

Integers must be the same to the bit, floats within 1e-5 of the largest. What npuc refuses it must refuse with the
kernel and the bytes that it needs; a network that compiles for some memory compiles for more.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench" / "models")]

import zoo  # noqa: E402
from npu_sweep.chip import Chip, with_values  # noqa: E402

# Network, chip, KiB of on-chip memory.
SAMPLE = (
    ("mobilenet_v2_tflite_int8", "npu-ethos-u55", (4096, 384, 64)),
    ("mobilenet_v2", "npu-nhwc", (2048, 256, 64)),
    ("mobilenet_v3_small", "npu-nchw16c", (2048, 256, 64)),
)
NETWORKS = ("mobilenet_v2", "mobilenet_v2_qdq", "mobilenet_v3_small", "resnet50", "efficientnet_b0", "squeezenet", "unet",
            "minilm_l3", "ppocr_rec")  # fmt: skip
CHIPS = ("npu-nhwc", "npu-nchw16c", "npu-nc1hwc2")
SIZES = (8192, 2048, 512, 128, 32)
CLOSE = 1e-5  # of the largest


class Case:
    def __init__(self, build: Path, network: str, chip: str, folder: Path) -> None:
        self.bin, self.network, self.chip, self.folder = build / "bin", network, chip, folder
        self.model = zoo.ensure(network, zoo.find(network).small)

    def call(self, *command: object) -> subprocess.CompletedProcess[str]:
        words = [str(word) for word in command]
        words[0] = str(self.bin / words[0])
        return subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)

    def compiled(self, kib: int) -> Path | None:
        """The program; None where the chip is too small."""
        text = (ROOT / "targets" / f"{self.chip}.yaml").read_text(encoding="utf-8")
        target = self.folder / f"{self.chip}.yaml"  # a target is called as its file
        target.write_text(with_values(Chip(self.chip, text), {"sram": f"{kib} KiB"}), encoding="utf-8")
        program = self.folder / "program.npu"
        done = self.call("npuc", self.model, f"--target={target}", "--batch=1", "-q", "--chip-program", "-o", program)
        if done.returncode == 0:
            return program
        told = "its smallest tile" in done.stderr and "bytes of on-chip memory" in done.stderr
        assert told, f"{self.network}, {self.chip}, {kib} KiB: {done.stderr[-1000:]}"
        print(f"{self.network} on {self.chip}, {kib} KiB: {done.stderr.strip().splitlines()[0][-160:]}")
        return None

    def outputs(self, program: Path, execute: str) -> dict[str, np.ndarray]:
        told = json.loads(self.call("npu-dump", program, "--signature", "--json").stdout)["signature"]["outputs"]
        files = {row["name"]: self.folder / f"{execute}{index}.npy" for index, row in enumerate(told)}
        words = [f"--output={name}={file}" for name, file in files.items()]
        done = self.call("npu-run", program, "--random-inputs=1", f"--execute={execute}", *words)
        assert done.returncode == 0, f"{self.network}, {self.chip}, {execute}: {done.stderr[-1000:]}"
        return {name: np.load(file) for name, file in files.items()}

    def check(self, kib: int) -> bool:
        program = self.compiled(kib)
        if not program:
            return False
        expected, found = self.outputs(program, "kernels"), self.outputs(program, "chip")
        worst = 0.0
        for name, values in expected.items():
            if not np.issubdtype(values.dtype, np.floating):
                assert np.array_equal(values, found[name]), f"{self.network}, {self.chip}, {kib} KiB: {name} differs"
                continue
            apart = np.abs(values.astype(np.float64) - found[name]).max(initial=0)
            worst = max(worst, apart / max(np.abs(values).max(initial=0), 1e-30))
        assert worst <= CLOSE, f"{self.network}, {self.chip}, {kib} KiB: {worst:.1e} of the largest"
        print(f"{self.network} on {self.chip}, {kib} KiB: {worst:.1e} of the largest")
        return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--every", action="store_true", help="more networks, on each chip and size")
    arguments = parser.parse_args()
    cases = SAMPLE
    if arguments.every:
        cases += tuple((network, chip, SIZES) for network in NETWORKS for chip in CHIPS)
    executed = 0
    for network, chip, sizes in cases:
        with tempfile.TemporaryDirectory() as folder:
            case = Case(arguments.build, network, chip, Path(folder))
            fitted = [case.check(kib) for kib in sizes]
        # From the largest to the smallest.
        assert fitted == sorted(fitted, reverse=True), f"{network} on {chip} does not fit more memory: {fitted}"
        assert fitted[0], f"{network} on {chip} fits nowhere"
        executed += sum(fitted)
    print(f"{executed} programs executed")


if __name__ == "__main__":
    main()
