# SPDX-License-Identifier: Apache-2.0
"""npu-sweep, once its words are read."""

from __future__ import annotations

import argparse
import dataclasses
import os
import sys
import time

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from npu_bench.errors import Exit
from npu_bench.json_text import json_text
from npu_bench.output_files import OutputFiles
from npu_bench.resolver import find_target
from npu_bench.shown import complain, shown_name
from npu_sweep import page, table
from npu_sweep.grid import Axes, Point, Tools, axes_of, make_grid
from npu_sweep.security import Link
from npu_sweep.store import GRID, LOCK, Store

RESULTS = ("results.csv", "results.parquet", "times.csv", "page.html")
VERSION = 1  # of docs/npu-sweep.schema.json


@dataclasses.dataclass
class Sweep:
    """A grid and what is known of it; `results` is in the grid's order."""

    arguments: argparse.Namespace
    axes: Axes
    tools: Tools
    points: list[Point]
    store: Store
    results: list[dict | None]

    @property
    def missing(self) -> list[Point]:
        return [point for point, result in zip(self.points, self.results) if result is None]


def compute_missing(sweep: Sweep, console: Console) -> None:
    """Fills `results`; what a worker finishes is on the disk before we hear of it."""
    from npu_sweep import engine  # a second of imports that a mistake in the words need not wait for

    todo = sweep.missing
    workers = min(sweep.arguments.workers or len(os.sched_getaffinity(0)), len(todo))
    jobs = [point.job(sweep.store.points, sweep.tools, sweep.axes) for point in todo]
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
               TextColumn("left"), TimeRemainingColumn())  # fmt: skip
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("starting workers", total=len(sweep.points), completed=len(sweep.points) - len(todo))

        def finished(job, result: dict) -> None:
            sweep.results[job.number] = result
            point = sweep.points[job.number]
            progress.update(bar, advance=1, description=escape(f"{point.model.name} on {point.chip.name}"))

        with engine.connect(Link.of(sweep.arguments), workers) as client:
            sweep.store.open()
            engine.compute(client, jobs, finished)


def write_results(sweep: Sweep) -> list[dict]:
    rows = table.make_rows(sweep.points, sweep.results)
    units = table.units_of(sweep.points)
    contents = {
        "results.csv": table.csv_text(rows).encode(),
        "results.parquet": table.parquet_bytes(rows, units),
        "times.csv": table.times_csv(sweep.points, sweep.results).encode(),
        "page.html": page.make_page(table.page_data(rows, units)).encode(),
    }
    with OutputFiles() as files:
        for name in RESULTS:
            files.write(sweep.store.folder / name, contents[name])
        files.commit()
    return rows


def list_points(sweep: Sweep, console: Console) -> None:
    """--dry-run."""
    if sweep.arguments.json:
        states = [{"point": point.number, "model": point.model.name, "target": point.chip.name, "layout": point.layout,
                   "batch": point.batch, "settings": point.settings, "done": result is not None}
                  for point, result in zip(sweep.points, sweep.results)]  # fmt: skip
        sys.stdout.write(json_text({"version": VERSION, "points": len(states), "missing": len(sweep.missing), "grid": states}))
        return
    shown = Table("point", *table.WHO, *sweep.axes.settings, "done", header_style="bold", pad_edge=False, box=None)
    for point, result in zip(sweep.points, sweep.results):
        words = [point.model.name, point.chip.name, point.layout, str(point.batch), *point.settings.values()]
        shown.add_row(str(point.number), *words, "yes" if result else "")
    console.print(shown)
    print(f"{len(sweep.points)} points, {len(sweep.missing)} to do")


def print_front(rows: list[dict], units: dict[str, str], console: Console) -> None:
    names = [*table.WHO, *units, *table.objectives_of(rows), "ms", "relayout_cycles", "utilisation"]
    shown = Table(header_style="bold", pad_edge=False)
    for name in names:
        unit = {**table.SHORT_UNITS, **units}.get(name, "")
        shown.add_column(f"{name}\n{unit}", justify="left" if name in table.WHO else "right", no_wrap=True)
    front = [row for row in rows if row["front"]]
    for row in sorted(front, key=lambda row: (row["model"], row["batch"], row["cycles"], row["point"])):
        shown.add_row(*[f"{row[name]:.4g}" if name in table.REAL else str(row[name]) for name in names])
    console.print(shown)


def summarise(sweep: Sweep, rows: list[dict], computed: int, seconds: float) -> None:
    failed = [row for row in rows if row["error"]]
    folder, units = sweep.store.folder, table.units_of(sweep.points)
    if sweep.arguments.json:
        sys.stdout.write(json_text({
            "version": VERSION, "points": len(rows), "computed": computed, "reused": len(rows) - computed, "failed": len(failed),
            "seconds": round(seconds, 3), "output": str(folder), "objectives": table.objectives_of(rows),
            "units": {**table.MEASURES, **units}, "front": [row for row in rows if row["front"]],
        }))  # fmt: skip
        return
    print_front(rows, units, Console(width=None if sys.stdout.isatty() else 200, markup=False, emoji=False))
    print(f"{len(rows)} points in {seconds:.1f} s: {computed} computed, {len(rows) - computed} there before, "
          f"{len(failed)} failed; {shown_name(str(folder / 'page.html'))}")  # fmt: skip


def prepare(arguments: argparse.Namespace) -> Sweep:
    """The grid and what is done of it. Everything that can be wrong with the words is found here."""
    axes = axes_of(arguments)
    tools = Tools.of_build(arguments.build.resolve(), axes.plugins)
    store = Store(arguments.output, axes)
    store.check()
    points = make_grid(axes, tools)
    files = OutputFiles()
    for model in {point.model.path for point in points}:
        files.reads_model(model)
    for word in axes.targets:
        files.reads("--target", find_target(word))
    for plugin in axes.plugins:
        files.reads("--plugin", plugin)
    for name in (GRID, LOCK, *RESULTS) if store.folder.is_dir() else ():
        files.writes("--output", store.folder / name)
    return Sweep(arguments, axes, tools, points, store, [store.result(point) for point in points])


def fill(sweep: Sweep, console: Console) -> list[dict]:
    """The rows of all points."""
    try:
        if sweep.missing:
            compute_missing(sweep, console)
        else:
            sweep.store.open()
        return write_results(sweep)
    except KeyboardInterrupt:
        done = len(sweep.points) - len(sweep.missing)
        print(f"npu-sweep: interrupted; {done} of {len(sweep.points)} points are done, the same command does the rest",
              file=sys.stderr)  # fmt: skip
        raise


def run(arguments: argparse.Namespace) -> int:
    begin, errors = time.monotonic(), Console(stderr=True)
    with errors.status("checking the grid"):
        sweep = prepare(arguments)
    if arguments.dry_run:
        list_points(sweep, Console(width=None if sys.stdout.isatty() else 160, markup=False, emoji=False))
        return Exit.OK
    computed = len(sweep.missing)
    rows = fill(sweep, errors)
    summarise(sweep, rows, computed, time.monotonic() - begin)
    failed = [row for row in rows if row["error"]]
    for row in failed[:5]:
        complain("npu-sweep", f"point {row['point']} ({row['model']}, {row['target']}/{row['layout']}): {row['error']}")
    if len(failed) > 5:
        print(f"npu-sweep: and {len(failed) - 5} more; see results.csv", file=sys.stderr)
    return Exit.FAILED if failed else Exit.OK
