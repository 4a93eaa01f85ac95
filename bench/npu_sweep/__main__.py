# SPDX-License-Identifier: Apache-2.0
"""Sweeps a grid of chips, networks, layouts and batches through compiler and simulator."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from npu_bench.case import zoo
from npu_bench.errors import BenchError
from npu_bench.output_files import OutputFiles
from npu_bench.program import Parser, start
from npu_bench.shown import complain, shown_name
from npu_bench.words import add_plugin_option, sizes
from npu_sweep import page, table
from npu_sweep.chip import path_of
from npu_sweep.grid import Axes, Point, Tools, make_grid, parse_settings
from npu_sweep.store import GRID, LOCK, Store

RESULTS = ("results.csv", "results.parquet", "times.csv", "page.html")

EPILOG = """A point is compiled by npuc and timed by `npu-run --simulate-only`; no kernel runs. --set varies
a key of the target file's `machine` map (targets/README.md); a value keeps the unit that the file
gives it, others say theirs: --set "sram_banks=2 banks,4 banks". array.rows and array.columns
are mac_rows and mac_columns.

Every finished point is kept in the output folder at once. The same command with the same folder
does what is missing: after an interruption, after a killed worker, after a network has changed.

Written to the folder when no point is missing: results.csv, results.parquet (one row a point, in
the grid's order, the same whoever computed it), times.csv, page.html (Pareto front, for a browser).

Examples:
  npu-sweep model.onnx --target=npu-nhwc,npu-nchw16c --layout=naive,optimal --batch=1,4
  npu-sweep resnet50 mobilenet_v2 --set array.rows=16,32,64 --set sram=512,1024 --output=sweep
  npu-sweep model.onnx --set sram=256,512,1024,2048 --dry-run     # only lists the points
  npu-sweep model.onnx --set dram_bandwidth=16,32 --scheduler=tcp://10.0.0.1:8786

A scheduler's workers need Python with dask and distributed, and must see model, programs and output folder
under the same paths.

Exit codes: 0 every point has a result, 1 some could not be compiled or simulated (their rows say why),
2 wrong usage, or nothing could be started, 3 the results cannot be written. Interrupted, it ends by that signal (130 in a shell)."""


def parse_arguments(words: list[str] | None) -> tuple[argparse.Namespace, Axes]:
    parser = Parser(
        prog="npu-sweep", description=__doc__, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="+", metavar="MODEL",
                        help=f"a file that npuc reads, or one of: {', '.join(zoo.NETS)}")  # fmt: skip
    parser.add_argument("--target", default="npu-nhwc", help="chips: names or .yaml files, comma separated (npu-nhwc)")
    parser.add_argument("--layout", default="optimal", help="strategies, comma separated (optimal)")
    parser.add_argument("--batch", type=sizes, default="1", help="batch sizes, comma separated (1)")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=V1,V2", dest="settings",
                        help="values of a machine number of the target; may be repeated")  # fmt: skip
    parser.add_argument("--input-shape", action="append", default=[], metavar="NAME=1,3,224,224",
                        help="binds unknown sizes; the first one is the batch's")  # fmt: skip
    parser.add_argument("--objective", default="time", help="what --layout=optimal makes small (time)")
    add_plugin_option(parser)
    parser.add_argument("--output", type=Path, default=Path("npu-sweep"), metavar="FOLDER",
                        help="where results are kept (npu-sweep)")  # fmt: skip
    parser.add_argument("--workers", type=int, default=None,
                        help="processes on this machine (one a processor)")  # fmt: skip
    parser.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler to use in place of own processes")
    parser.add_argument("--dry-run", action="store_true", help="lists the points and what is done, computes nothing")
    parser.add_argument("--json", action="store_true", help="prints a summary as one JSON object")
    parser.add_argument("--build", type=Path, default=Path(os.environ.get("NPU_BUILD", "build")),
                        help="the build folder with npuc and npu-run")  # fmt: skip
    arguments = parser.parse_args(words)
    if arguments.workers is not None and (arguments.scheduler or arguments.workers < 1):
        parser.error("--workers: at least 1, and not together with --scheduler")
    return arguments, Axes(
        arguments.models, arguments.target.split(","), arguments.layout.split(","), arguments.batch,
        parse_settings(arguments.settings), arguments.input_shape, arguments.objective,
        tuple(str(Path(plugin).resolve()) for plugin in arguments.plugins), arguments.allow_target_plugins,
    )  # fmt: skip


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
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("starting workers", total=len(sweep.points), completed=len(sweep.points) - len(todo))

        def finished(job, result: dict) -> None:
            sweep.results[job.number] = result
            point = sweep.points[job.number]
            progress.update(bar, advance=1, description=escape(f"{point.model.name} on {point.chip.name}"))

        with engine.connect(sweep.arguments.scheduler, workers) as client:
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
                   "batch": point.batch, **point.settings, "done": result is not None}
                  for point, result in zip(sweep.points, sweep.results)]  # fmt: skip
        print(json.dumps({"points": len(states), "missing": len(sweep.missing), "grid": states}, indent=1))
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
        print(json.dumps({
            "points": len(rows), "computed": computed, "reused": len(rows) - computed, "failed": len(failed),
            "seconds": round(seconds, 3), "output": str(folder), "objectives": table.objectives_of(rows),
            "units": {**table.MEASURES, **units}, "front": [row for row in rows if row["front"]],
        }, indent=1))  # fmt: skip
        return
    print_front(rows, units, Console(width=None if sys.stdout.isatty() else 200, markup=False, emoji=False))
    print(f"{len(rows)} points in {seconds:.1f} s: {computed} computed, {len(rows) - computed} there before, "
          f"{len(failed)} failed; {shown_name(str(folder / 'page.html'))}")  # fmt: skip


def prepare(arguments: argparse.Namespace, axes: Axes) -> Sweep:
    """The grid and what is done of it. Everything that can be wrong with the words is found here."""
    tools = Tools.of_build(arguments.build.resolve(), axes.plugins)
    store = Store(arguments.output, axes)
    store.check()
    points = make_grid(axes, tools)
    files = OutputFiles()
    for model in {point.model.path for point in points}:
        files.reads_model(model)
    for word in axes.targets:
        files.reads("--target", path_of(word))
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


def main(words: list[str] | None = None) -> int:
    begin, errors = time.monotonic(), Console(stderr=True)
    rows, computed = [], 0
    try:
        arguments, axes = parse_arguments(words)
        with errors.status("checking the grid"):
            sweep = prepare(arguments, axes)
        if not arguments.dry_run:
            computed = len(sweep.missing)
            rows = fill(sweep, errors)
    except (BenchError, zoo.ZooError) as error:
        complain("npu-sweep", error)
        return 2
    except OSError as error:
        complain("npu-sweep", error)
        return 3
    if arguments.dry_run:
        list_points(sweep, Console(width=None if sys.stdout.isatty() else 160, markup=False, emoji=False))
        return 0
    summarise(sweep, rows, computed, time.monotonic() - begin)
    failed = [row for row in rows if row["error"]]
    for row in failed[:5]:
        complain("npu-sweep", f"point {row['point']} ({row['model']}, {row['target']}/{row['layout']}): {row['error']}")
    if len(failed) > 5:
        print(f"npu-sweep: and {len(failed) - 5} more; see results.csv", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    start("npu-sweep", main, 3)
