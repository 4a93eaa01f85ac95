# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of docs/chip-time.md that have Vela's numbers beside ours: int8 MobileNetV2 on npu-ethos-u55.

Vela is a compiler of its own environment: setup/install-python.sh build/venv-vela setup/requirements-vela.txt. Nothing
is timed here, so that a busy machine will do.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from pages import replaced

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "chip-time.md"
sys.path.insert(0, str(ROOT / "bench" / "models"))

import zoo  # noqa: E402 (bench/models/zoo.py)

MARK = "vela: docs/vela_beside.py"
NETWORKS = ((1.0, 224), (0.75, 192), (0.5, 160), (0.35, 96))
VELA = ("--accelerator-config=ethos-u55-256", "--system-config=Ethos_U55_High_End_Embedded", "--memory-mode=Shared_Sram",
        "--config=Arm/vela.ini", "--verbose-performance")  # fmt: skip
# Which part of the network a node belongs to, by its name; the first that fits.
PARTS = {
    "softmax": r"Softmax|StatefulPartitionedCall",
    "depthwise": r"depthwise",
    "first convolution": r"/Conv1",
    "average": r"global_average",
    "fully connected": r"predictions",
    "1x1 convolutions, additions": r"",
}
BOUNDS = ("NPU", "SRAM AC", "OffFlash AC")


def part_of(name: str) -> str:
    return next(part for part, pattern in PARTS.items() if re.search(pattern, name))


def call(*command: object) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[0]}: exit code {done.returncode}\n{done.stderr or done.stdout}")
    return done.stdout


def model_of(width: float, size: int) -> Path:
    """Kept beside the other networks."""
    path = zoo.cache_folder() / f"mobilenet_v2-{width}-{size}-int8.tflite"
    with zoo.locked(path):
        if not path.exists():
            made = path.with_suffix(".part")
            call(zoo.keras_python(), ROOT / "docs" / "vela_models.py", made, f"--width={width}", f"--size={size}")
            made.rename(path)
    return path


class Estimate:
    """Cycles of a network and of its parts, with what bounds them, and bytes behind the DMA."""

    def __init__(self) -> None:
        self.cycles, self.bytes = 0.0, 0.0
        self.parts = dict.fromkeys(PARTS, 0.0)
        self.apart = dict.fromkeys(PARTS, 0.0)
        self.bounds: dict[str, dict[str, float]] = {part: {} for part in PARTS}

    def add(self, part: str, cycles: float, bound: str, apart: bool = False) -> None:
        """`apart`: elementwise work that is a kernel of its own."""
        self.cycles += cycles
        self.parts[part] += cycles
        self.apart[part] += cycles if apart else 0
        self.bounds[part][bound] = self.bounds[part].get(bound, 0) + cycles

    def bound_of(self, part: str) -> str:
        """What most of a part's cycles are bound by."""
        return max(self.bounds[part], key=self.bounds[part].get, default="")


def by_vela(vela: Path, model: Path, folder: Path) -> Estimate:
    call(vela, model, *VELA, f"--output-dir={folder}")
    found = Estimate()
    with open(folder / f"{model.stem}_per-layer.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            bound = max(BOUNDS, key=lambda name: float(row[name]))
            name = "Softmax" if row["Original Operator"] == "Softmax" else row["Name"]
            found.add(part_of(name), float(row["Op Cycles"]), bound)
    (summary,) = folder.glob(f"{model.stem}_summary_*.csv")
    with open(summary, encoding="utf-8", newline="") as file:
        found.bytes = float(next(csv.DictReader(file))["off_chip_flash_total_bytes"])
    return found


def chip_as_vela_counts(folder: Path) -> Path:
    """Vela's cycles are of a chip on which everything overlaps."""
    name = "npu-ethos-u55.yaml"
    text = (ROOT / "targets" / name).read_text(encoding="utf-8")
    path = folder / name
    path.write_text(text.replace("\nmachine:\n", "\nmachine:\n  overlap: all\n", 1), encoding="utf-8")
    return path


def by_npuc(build: Path, model: Path, folder: Path) -> Estimate:
    program = folder / "model.npu"
    call(build / "bin" / "npuc", model, "-o", program, "-q", "--batch=1", f"--target={chip_as_vela_counts(folder)}")
    told = json.loads(call(build / "bin" / "npu-run", program, "--simulate-only", "--json"))
    found = Estimate()
    for kernel in told["kernels"]:
        found.add(part_of(kernel["node"]), kernel["cycles"], kernel["bound"], apart=kernel["op"].removeprefix("npu.") == "eltwise")
    found.bytes = told["simulated"]["dram_read_bytes"] + told["simulated"]["dram_written_bytes"]
    return found


def change(vela: float, ours: float) -> str:
    return f"{100 * (ours / vela - 1):+.0f} %" if vela else ""


def tables(estimates: dict[str, tuple[Estimate, Estimate]]) -> str:
    text = "\n| MobileNetV2 int8 | cycles, Vela | npuc | | flash bytes, Vela | DRAM bytes, npuc | |\n"
    text += "|---|---:|---:|---:|---:|---:|---:|\n"
    for name, (vela, ours) in estimates.items():
        text += f"| {name} | {vela.cycles:,.0f} | {ours.cycles:,.0f} | {change(vela.cycles, ours.cycles)} "
        text += f"| {vela.bytes:,.0f} | {ours.bytes:,.0f} | {change(vela.bytes, ours.bytes)} |\n"
    text += "\n| MobileNetV2 int8 | part | cycles, Vela | bound by | npuc | bound by | of it elementwise kernels | |\n"
    text += "|---|---|---:|---|---:|---|---:|---:|\n"
    for name, (vela, ours) in estimates.items():
        for part in reversed(PARTS):
            text += f"| {name} | {part} | {vela.parts[part]:,.0f} | {vela.bound_of(part)} | {ours.parts[part]:,.0f} "
            text += f"| {ours.bound_of(part)} | {ours.apart[part]:,.0f} | {change(vela.parts[part], ours.parts[part])} |\n"
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build folder (build)")
    parser.add_argument("--vela", type=Path, default=ROOT / "build" / "venv-vela" / "bin" / "vela", help="Vela's program")
    parser.add_argument("--out", type=Path, default=PAGE, help="the page whose tables are replaced")
    arguments = parser.parse_args()
    os.environ.setdefault("NPU_MODELS", str(arguments.build.resolve() / "models"))
    estimates = {}
    try:
        for width, size in NETWORKS:
            model = model_of(width, size)
            with tempfile.TemporaryDirectory(prefix="npu-vela-") as folder:
                estimates[f"{width} at {size}x{size}"] = (
                    by_vela(arguments.vela, model, Path(folder)),
                    by_npuc(arguments.build, model, Path(folder)),
                )
        page = replaced(arguments.out.read_text(encoding="utf-8"), MARK, tables(estimates))
    except (RuntimeError, OSError) as error:
        print(f"vela_beside: {error}", file=sys.stderr)
        return 1
    arguments.out.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
