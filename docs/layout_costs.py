# SPDX-License-Identifier: Apache-2.0
"""Writes the README's table of what each layout costs on a chip, from npuc's reports; `--check` only compares.

    build/venv/bin/python docs/layout_costs.py --build=build

`npu-bench MODEL --layouts` prints the same table for one model and adds times on this processor.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench" / "models")]

import zoo  # noqa: E402
from npu_bench.present import LAYOUTS, bytes_text  # noqa: E402
from pages import replaced  # noqa: E402

PAGE, MARK = ROOT / "README.md", "table: docs/layout_costs.py"
NETWORKS = {"resnet50": "ResNet-50", "mobilenet_v2": "MobileNetV2"}
HEADS = ("layout", "chip and strategy", "relayouts", "they move", "of the chip's time", "chip time")


def report_of(build: Path, network: str, plan: str) -> dict:
    target, _, layout = plan.partition("/")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [build / "bin" / "npuc", zoo.ensure(network), "-o", f"{folder}/net.npu", "-q", "--batch=1",
                   f"--target={target}", f"--layout={layout}", f"--report={report}"]  # fmt: skip
        subprocess.run(command, check=True)
        return json.loads(report.read_text(encoding="utf-8"))


def table_of(build: Path) -> str:
    lines = ["| network | " + " | ".join(HEADS) + " |", "|---|---|---|---:|---:|---:|---:|"]
    for network, title in NETWORKS.items():
        for plan, layout in LAYOUTS.items():
            report = report_of(build, network, plan)
            relayouts, chip = report["relayouts"], report["chip"]
            cells = [title, layout, f"`{plan}`", str(relayouts["count"]), bytes_text(relayouts["bytes"]),
                     f"{100 * chip['relayout_cycles'] / chip['cycles']:.1f} %", f"{chip['ms']:.2f} ms"]  # fmt: skip
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build folder (build)")
    parser.add_argument("--check", action="store_true", help="only say whether the table is up to date")
    arguments = parser.parse_args()
    os.environ.setdefault("NPU_MODELS", str(arguments.build.resolve() / "models"))
    before = PAGE.read_text(encoding="utf-8")
    page = replaced(before, MARK, table_of(arguments.build.resolve()))
    if not arguments.check:
        PAGE.write_text(page, encoding="utf-8")
    elif page != before:
        print(f"the table of {PAGE.name} is not what npuc says now; run docs/layout_costs.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
