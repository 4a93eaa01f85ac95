# SPDX-License-Identifier: Apache-2.0
"""Draws before-after.svg, the README's picture: examples/net.onnx with each op lowered by itself, and as npuc compiles it.

    build/venv/bin/python docs/before_after.py --build=build

`--check` draws nothing, and fails where the picture is not what npuc would make now.
"""

from __future__ import annotations

import argparse
import html
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURE = Path(__file__).resolve().with_name("before-after.svg")
TARGET, PLANS = "npu-nhwc", {"naive": "each op by itself", "optimal": "npuc's plan"}
WIDTH, BOX, ROW, TOP, LEFT, GAP = 720, 300, 28, 76, 30, 60
INK, PAPER, OP, MOVE = "#1b1f24", "#ffffff", "#dbe9ff", "#ffd8a8"
NAMES = {"abcd": "NCHW", "acdb": "NHWC"}


def report_of(build: Path, layout: str) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [build / "bin" / "npuc", ROOT / "examples" / "net.onnx", "-o", f"{folder}/net.npu", "-q",
                   f"--target={TARGET}", f"--layout={layout}", f"--report={report}"]  # fmt: skip
        subprocess.run(command, check=True)
        return json.loads(report.read_text(encoding="utf-8"))


def rows_of(report: dict) -> list[tuple[bool, str]]:
    """Of each kernel, in the order in which they run: whether it only moves bytes, and what the box says."""
    rows = []
    for kernel in report["kernels"]:
        if kernel["op"] == "relayout":
            before, after = (NAMES.get(layout, layout) for layout in (kernel["layouts"][0], kernel["layouts"][-1]))
            rows.append((True, f"relayout {before} to {after}, {kernel['cycles']:,} cycles"))
        else:
            rows.append((False, kernel["node"].replace("'", "")))
    return rows


def aligned(columns: list[list[tuple[bool, str]]]) -> list[list[tuple[bool, str] | None]]:
    """Ops stand beside each other; where one column has more relayouts, the other has nothing."""
    grid, places = [], [0] * len(columns)
    while any(place < len(column) for place, column in zip(places, columns)):
        here = [column[place] if place < len(column) else None for place, column in zip(places, columns)]
        moves = any(row and row[0] for row in here)
        line = [row if row and row[0] == moves else None for row in here]
        places = [place + (row is not None) for place, row in zip(places, line)]
        grid.append(line)
    return grid


def text(x: float, y: float, words: str, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" {more}>{html.escape(words)}</text>'


def column_of(x: int, rows: list[tuple[bool, str] | None]) -> list[str]:
    """Boxes, and the line that joins them where nothing is moved."""
    middle, last = x + BOX / 2, max(index for index, row in enumerate(rows) if row)
    parts = [f'<line x1="{middle:g}" y1="{TOP}" x2="{middle:g}" y2="{TOP + ROW * last}" stroke="{INK}"/>']
    for index, row in enumerate(rows):
        if row is None:
            continue
        y, dashed = TOP + ROW * index, ' stroke-dasharray="4 2"' if row[0] else ""
        parts.append(f'<rect x="{x}" y="{y}" width="{BOX}" height="{ROW - 7}" rx="4" fill="{MOVE if row[0] else OP}" stroke="{INK}"{dashed}/>')
        parts.append(text(middle, y + 15, row[1], 'text-anchor="middle"'))
    return parts


def drawn(reports: dict[str, dict]) -> str:
    grid = aligned([rows_of(report) for report in reports.values()])
    height = TOP + ROW * len(grid) + 10
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
             f'font-family="sans-serif" font-size="12" fill="{INK}" role="img">',
             "<title>The same network before and after layout assignment</title>",
             f'<rect width="{WIDTH}" height="{height}" fill="{PAPER}"/>']  # fmt: skip
    for index, (layout, report) in enumerate(reports.items()):
        x, count = LEFT + index * (BOX + GAP), report["relayouts"]["count"]
        parts.append(text(x, 28, f"{PLANS[layout]} (--layout={layout})", 'font-size="15" font-weight="bold"'))
        parts.append(text(x, 50, f"{count} relayout{'s'[: count != 1]}, {report['cost']:,} cycles on {TARGET}", 'font-size="13"'))
        parts += column_of(x, [line[index] for line in grid])
    return "\n".join([*parts, "</svg>"]) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build folder (build)")
    parser.add_argument("--check", action="store_true", help="only say whether the picture is up to date")
    arguments = parser.parse_args()
    picture = drawn({layout: report_of(arguments.build.resolve(), layout) for layout in PLANS})
    if not arguments.check:
        PICTURE.write_text(picture, encoding="utf-8")
    elif PICTURE.read_text(encoding="utf-8") != picture:
        print(f"{PICTURE.name} is not what npuc makes; run docs/before_after.py --build={arguments.build}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
