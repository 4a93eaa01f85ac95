# SPDX-License-Identifier: Apache-2.0
"""Rows as a table, as Markdown, as JSON and as a picture."""

from __future__ import annotations

import dataclasses
import io

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from npu_bench.json_text import json_text
from npu_bench.results import Row
from npu_bench.shown import plain
from npu_bench.statistics import Estimate

VERSION = 2  # of docs/npu-bench.schema.json
HEADINGS = (
    "model", "batch", "contender", "latency ms", "95 % interval", "of best peer", "over naive", "over none",
    "relayouts", "MB moved", "share", "peak MB", "difference",
)  # fmt: skip


# Only where a row has it: most targets say nothing of energy.
ENERGY = "uJ on chip"


def _headings(rows: list[Row]) -> tuple[str, ...]:
    return (*HEADINGS, ENERGY) if any(row.energy_pj for row in rows) else HEADINGS


def _ratio(value: Estimate | None) -> str:
    return f"{value.median:.2f}x" if value else ""


def _cells(row: Row, headings: tuple[str, ...]) -> list[str]:
    start = [row.model, str(row.batch), row.contender]
    if row.error:
        return [*start, "failed", *[""] * (len(headings) - 4)]
    latency = row.latency_ms
    energy = [f"{row.energy_pj / 1e6:.1f}" if row.energy_pj else ""] if ENERGY in headings else []
    return [
        *start,
        f"{latency.median:.2f}",
        f"{latency.low:.2f}..{latency.high:.2f}",
        _ratio(row.ratio_to_best_peer),
        _ratio(row.gain_over_naive),
        _ratio(row.gain_over_none),
        "" if row.relayouts is None else str(row.relayouts),
        "" if row.relayout_bytes is None else f"{row.relayout_bytes / 1e6:.1f}",
        "" if row.relayout_share is None else f"{100 * row.relayout_share:.1f} %",
        f"{row.peak_rss_bytes / 1e6:.0f}",
        f"{row.difference.absolute:.0e} of {row.difference.largest:.0e}",
        *energy,
    ]


def notes(rows: list[Row], brief: bool = False) -> list[str]:
    """What a reader of the table must know beside the numbers; `brief`: not what runs where."""
    # Slow kernels have a line of their own; the others speak of the machine.
    lines = list(dict.fromkeys(text for row in rows for text in row.warnings if "slow implementation" not in text))
    for row in rows:
        place = f"{row.model} batch {row.batch} {row.contender}"
        if row.error:
            lines.append(f"{place}: {row.error}")
        if row.implementations and not brief:
            names = ", ".join(f"{name or 'unnamed'} x{count}" for name, count in row.implementations.items())
            lines.append(f"{place}: {names}")
        if row.slow_kernels:
            lines.append(f"{place}: SLOW, on a reference: {', '.join(row.slow_kernels)}")
        if row.disturbed_rounds:
            lines.append(f"{place}: {row.disturbed_rounds} of {row.rounds} rounds were disturbed by other processes")
    return [plain(line) for line in lines]


# What a terminal shows of HEADINGS, in lines as short as they may be; the model and the batch are a table's title.
NARROW = {
    "contender": "contender", "latency ms": "latency\nms", "95 % interval": "95 %\ninterval", "of best peer": "of best\npeer",
    "over naive": "over\nnaive", "over none": "over\nnone", "relayouts": "relay-\nouts", "MB moved": "MB\nmoved", "share": "share",
    "peak MB": "peak\nMB", ENERGY: "uJ on\nchip",
}  # fmt: skip


def _cases(rows: list[Row]) -> list[tuple[str, list[Row]]]:
    """Rows by model and batch, each with a title."""
    cases = dict.fromkeys((row.model, row.batch) for row in rows)
    return [(f"{model}, batch {batch}", [row for row in rows if (row.model, row.batch) == (model, batch)]) for model, batch in cases]


def print_table(rows: list[Row], console: Console) -> None:
    """A table for each model and batch, within 100 columns."""
    headings = _headings(rows)
    shown = [number for number, heading in enumerate(headings) if heading in NARROW]
    for title, case in _cases(rows):
        table = Table(header_style="bold", box=SIMPLE_HEAD, padding=0, title=Text(title), title_justify="left", show_edge=False)
        for number in shown:
            table.add_column(NARROW[headings[number]], justify="left" if headings[number] == "contender" else "right", no_wrap=True)
        for row in case:
            cells = _cells(row, headings)
            table.add_row(*[Text(cells[number]) for number in shown], style="red" if row.error else None)
        console.print(table)
        differences = [f"{row.contender} {row.difference.absolute:.0e}" for row in case if row.difference]
        if differences:
            largest = max(row.difference.largest for row in case if row.difference)
            console.print(f"largest difference: {', '.join(differences)}; of values up to {largest:.0e}", style="dim", markup=False, highlight=False,
                          width=min(100, console.width))  # fmt: skip
    for line in notes(rows):
        console.print(f"- {line}", style="dim", markup=False, highlight=False, soft_wrap=True)


# What --layouts shows, in this order: a word for the layout, and who has it.
LAYOUTS = {
    "npu-nchw/none": "NCHW",  # a chip that reads the model's order
    "npu-nhwc/naive": "naive",  # each op's own pair of relayouts
    "npu-nhwc/auto-nhwc": "NHWC",
    "npu-nchw16c/optimal": "NCHWc",
    "npu-nhwc/optimal": "optimal",
}
LAYOUT_HEADINGS = ("layout", "target/strategy", "relayouts", "moved", "share", "chip ms", "host ms")


def bytes_text(number: int) -> str:
    """As npuc writes it: 512 B, 58.4 kB, 12.0 MB."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number} B"


def _layout_cells(row: Row) -> list[str]:
    start = [LAYOUTS.get(row.contender, ""), row.contender]
    if row.error:
        return [*start, "failed", *[""] * (len(LAYOUT_HEADINGS) - 3)]
    host = f"{row.latency_ms.median:.2f}"
    if row.relayouts is None:  # another runtime
        return [*start, "", "", "", "", host]
    moved, share = bytes_text(row.relayout_bytes), f"{100 * row.predicted_relayout_share:.1f} %"
    return [*start, str(row.relayouts), moved, share, f"{row.predicted_ms:.3f}", host]


def print_layouts(rows: list[Row], console: Console) -> None:
    """What each layout costs: a table for each model and batch, within 100 columns."""
    order = [*LAYOUTS, *dict.fromkeys(row.contender for row in rows)]
    for title, case in _cases(rows):
        table = Table(header_style="bold", pad_edge=False, title=Text(title), title_justify="left")
        for number, heading in enumerate(LAYOUT_HEADINGS):
            table.add_column(heading, justify="left" if number < 2 else "right", no_wrap=True)
        for row in sorted(case, key=lambda row: order.index(row.contender)):
            table.add_row(*_layout_cells(row), style="red" if row.error else None)
        console.print(table)
    console.print("share: relayouts' part of the chip's time\nchip ms: by the numbers of the target's file\n"
                  "host ms: median of the simulator's runs on this machine (docs/columns.md)", style="dim", highlight=False)  # fmt: skip
    for line in notes(rows, brief=True):
        console.print(f"- {line}", style="dim", markup=False, highlight=False, soft_wrap=True)


def markdown_text(rows: list[Row]) -> str:
    headings = _headings(rows)
    lines = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    lines += ["| " + " | ".join(_cells(row, headings)) + " |" for row in rows]
    lines += ["", *[f"- {line}" for line in notes(rows)]]
    return "\n".join(lines) + "\n"


def rows_json(rows: list[Row], settings: dict) -> str:
    content = {"version": VERSION, "settings": settings, "rows": [dataclasses.asdict(row) for row in rows]}
    return json_text(content)


def chart_bytes(rows: list[Row], suffix: str) -> bytes:
    """One group of bars for each model and batch; time as a part of the slowest."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["text.parse_math"] = False  # a $ in a name is a $
    from matplotlib import pyplot

    measured = [row for row in rows if row.latency_ms]
    cases = list(dict.fromkeys((row.model, row.batch) for row in measured))
    names = list(dict.fromkeys(row.contender for row in measured))
    found = {(row.model, row.batch, row.contender): row.latency_ms for row in measured}
    figure, axes = pyplot.subplots(figsize=(max(7.0, 0.45 * len(cases) * (len(names) + 1)), 4.5))
    width = 0.85 / max(len(names), 1)
    for position, name in enumerate(names):
        for number, case in enumerate(cases):
            value = found.get((*case, name))
            if value is None:
                continue
            slowest = max(found[(*case, other)].median for other in names if (*case, other) in found)
            place = number + (position - (len(names) - 1) / 2) * width
            error = [[(value.median - value.low) / slowest], [(value.high - value.median) / slowest]]
            label = name if number == 0 or name not in axes.get_legend_handles_labels()[1] else None
            axes.bar(place, value.median / slowest, width, color=f"C{position}", label=label, yerr=error)
            axes.text(place, 0.01, f" {value.median:.1f} ms", rotation=90, ha="center", va="bottom", fontsize=7)
    axes.set_xticks(range(len(cases)), [f"{model}\nbatch {batch}" for model, batch in cases])
    axes.set_ylabel("time, as a part of the slowest")
    if measured:
        axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, 1.18), ncols=3)
    else:
        axes.text(0.5, 0.5, "nothing could be measured", transform=axes.transAxes, ha="center")
    figure.tight_layout()
    picture = io.BytesIO()
    figure.savefig(picture, dpi=130, format=suffix.removeprefix("."))
    pyplot.close(figure)
    return picture.getvalue()
