# SPDX-License-Identifier: Apache-2.0
"""Measures docs/strategies-side-by-side.md anew: every strategy on one trained network, for three targets.

Tables go between the marks in the page, pictures beside it. Run it on a quiet
machine after `make models`: it measures for some minutes.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.patches import Patch, Rectangle  # noqa: E402
from pages import replaced  # noqa: E402
from strategy_target_matrix import strategy_names  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "strategies-side-by-side.md"
MODEL, SHAPE = "ppocr_rec", "x=1,3,48,320"
TARGETS = ("npu-nhwc", "npu-nchw16c", "host")
# What an order of the last result means in this network: images have rank 4.
KINDS = {
    "NHWC": ("acdb", "#e8b93c"),
    "NCHW": ("abcd", "#4f8fc0"),
    "NCHW16c": ("aBcd16b", "#5aa469"),
    "row-major, other ranks": ("", "#b9cfe0"),
    "another order": (None, "#a08bc0"),
}
RELAYOUT = "#c8102e"


@dataclasses.dataclass
class Plan:
    """One strategy for one target: npuc's report, or why there is none."""

    target: str
    strategy: str
    report: dict | None
    reason: str = ""
    latency: dict | None = None

    @property
    def name(self) -> str:
        return f"{self.target}/{self.strategy}"


def compile_plan(build: Path, target: str, strategy: str, folder: Path) -> Plan:
    report = folder / f"{target}.{strategy}.json"
    command = [build / "bin" / "npuc", build / "models" / f"{MODEL}.onnx", f"--input-shape={SHAPE}"]
    command += [f"--target={target}", f"--layout={strategy}", "-o", folder / "model.npu", f"--report={report}", "-q"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return Plan(target, strategy, json.loads(report.read_text(encoding="utf-8")))
    if done.returncode != 1 or "infeasible" not in done.stderr:
        raise RuntimeError(f"{target}/{strategy}: {done.stderr.strip()}")
    return Plan(target, strategy, None, done.stderr.strip().splitlines()[0])


def measure(build: Path, plans: list[Plan], rounds: int, folder: Path) -> None:
    """Latencies of all feasible plans, in the same rounds."""
    names = ",".join(plan.name for plan in plans if plan.report)
    output = folder / "bench.json"
    command = [build / "bin" / "npu-bench", MODEL, f"--input-shape={SHAPE}", f"--plans={names}"]
    command += [f"--rounds={rounds}", f"--json={output}", "--threads=2"]
    subprocess.run(list(map(str, command)), check=True)
    rows = {row["contender"]: row for row in json.loads(output.read_text(encoding="utf-8"))["rows"]}
    for plan in plans:
        plan.latency = rows[plan.name]["latency_ms"] if plan.report else None


def table(plans: list[Plan]) -> str:
    naive = next((plan.latency["median"] for plan in plans if plan.strategy == "naive" and plan.latency), None)
    headings = ("relayouts inside", "at the boundary", "MB moved", "kernels", "cycles by the target's costs", "ms")
    lines = [f"| strategy | {' | '.join(headings)} | gain over `naive` |", "|---|" + "---:|" * (len(headings) + 1)]
    for plan in plans:
        if not plan.report:
            lines.append(f"| `{plan.strategy}` | infeasible | | | | | | |")
            continue
        moved, time = plan.report["relayouts"], plan.latency
        gain = f"{naive / time['median']:.2f}x" if naive else ""
        cells = [
            f"`{plan.strategy}`",
            str(moved["count"] - moved["boundary_count"]),
            str(moved["boundary_count"]),
            f"{moved['bytes'] / 1e6:.2f}",
            str(len(plan.report["kernels"])),
            f"{plan.report['cost']:,}",
            f"{time['median']:.2f} ({time['low']:.2f} to {time['high']:.2f})",
            gain,
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def kind_of(letters: str) -> str:
    for name, (order, _) in KINDS.items():
        if letters == order:
            return name
    plain = letters == "".join(sorted(letters)) and letters.isalpha() and letters.islower()
    return "row-major, other ranks" if plain else "another order"


def draw_row(axes: pyplot.Axes, plan: Plan, y: float) -> set[str]:
    """One cell a computing kernel, in the order of the program; red: data moved in front of it."""
    seen: set[str] = set()
    place = waiting = 0

    def draw_waiting() -> None:
        for number in range(waiting):
            axes.add_patch(Rectangle((place - 0.2, y + 0.52 + 0.12 * number), 0.4, 0.1, facecolor=RELAYOUT))

    for kernel in plan.report["kernels"]:
        if kernel["op"] in ("relayout", "transpose", "reshape"):
            waiting += 1
            continue
        kind = kind_of(kernel["layouts"][-1])
        seen.add(kind)
        axes.add_patch(Rectangle((place, y), 1, 0.5, facecolor=KINDS[kind][1], edgecolor="white", linewidth=0.4))
        draw_waiting()
        waiting, place = 0, place + 1
    draw_waiting()
    return seen


def draw(plans: list[Plan], path: Path) -> None:
    feasible = [plan for plan in plans if plan.report]
    figure, axes = pyplot.subplots(figsize=(11, 0.62 * len(feasible) + 1.1))
    seen: set[str] = set()
    for row, plan in enumerate(reversed(feasible)):
        seen |= draw_row(axes, plan, row)
        moved = plan.report["relayouts"]
        axes.text(-1, row + 0.25, plan.strategy, ha="right", va="center", fontsize=10, family="monospace")
        axes.text(
            99, row + 0.25, f"{moved['count']} relayouts, {moved['bytes'] / 1e6:.2f} MB", va="center", fontsize=9
        )
    axes.set_xlim(-12, 120)
    axes.set_ylim(-0.1, len(feasible) + 0.2)
    axes.axis("off")
    patches = [Patch(color=color, label=name) for name, (_, color) in KINDS.items() if name in seen]
    patches.append(Patch(color=RELAYOUT, label="a relayout in front of the kernel"))
    axes.legend(
        handles=patches, loc="lower center", bbox_to_anchor=(0.5, -0.12), ncols=len(patches), fontsize=8, frameon=False
    )
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="build folder")
    parser.add_argument("--rounds", type=int, default=15, help="rounds of each plan")
    arguments = parser.parse_args()
    text = PAGE.read_text(encoding="utf-8")
    strategies = strategy_names(arguments.build / "bin" / "npuc")
    with tempfile.TemporaryDirectory() as name:
        for target in TARGETS:
            plans = [compile_plan(arguments.build, target, strategy, Path(name)) for strategy in strategies]
            measure(arguments.build, plans, arguments.rounds, Path(name))
            text = replaced(text, target, table(plans))
            draw(plans, PAGE.with_name(f"{PAGE.stem}-{target}.png"))
    PAGE.write_text(text, encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)} and its pictures")
    return 0


if __name__ == "__main__":
    sys.exit(main())
