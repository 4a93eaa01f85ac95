# SPDX-License-Identifier: Apache-2.0
"""Compares layouts of a model with each other and with other runtimes.

Every contender has a process of its own. All are measured in the same rounds,
one after the other, so that whatever slows the machine slows all of them;
rounds in which the system took a processor away are repeated.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from npu_bench import predictions, present
from npu_bench.calibrate import run_calibration
from npu_bench.case import NETS, make_case, model_file, zoo
from npu_bench.contender import PEERS, Case, Contender, Tools, ours, peer
from npu_bench.errors import BenchError, UsageError, reason_of
from npu_bench.measure import measure, profile
from npu_bench.output_files import OutputFiles
from npu_bench.program import Parser, start
from npu_bench.results import Row, compare, make_row
from npu_bench.shown import complain, shown_name
from npu_bench.table import processor_name
from npu_bench.words import add_bind_option, add_plugin_option, add_precision_option, file_name, parse_shapes, sizes

PLANS = "npu-nchw/none,npu-nhwc/naive,npu-nhwc/optimal,npu-nchw16c/optimal,host/optimal"
# A relative difference of outputs that is no rounding.
DIFFERENT = {"f32": 1e-2, "bf16": 5e-2, "i8": 5e-2}


def parse_arguments(words: list[str] | None) -> argparse.Namespace:
    parser = Parser(prog="npu-bench", description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"an ONNX file, or one of: {', '.join(NETS)}")
    parser.add_argument("--calibrate", action="store_true",
                        help="measure this machine's kernels for --target=host and keep the table; no models")  # fmt: skip
    parser.add_argument("--predictions", action="store_true",
                        help="instead of --plans: every strategy on host, npuc's predicted times beside measured ones, and "
                        "their rank correlation; what cannot be told apart counts as a tie (docs/calibration.md)")  # fmt: skip
    parser.add_argument("--plans", default=PLANS, help=f"TARGET/LAYOUT (or TARGET/convert=conv2d:NCHW16c:default), comma separated ({PLANS})")
    parser.add_argument("--batch", type=sizes, default=[None],
                        help="batch sizes, comma separated: what inputs begin with where neither model nor --input-shape says it (1)")  # fmt: skip
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="threads (all processors)")
    parser.add_argument("--peers", default="", help=f"other runtimes to measure: {','.join(PEERS)}")
    parser.add_argument("--rounds", type=int, default=15, help="good rounds of each contender (15)")
    parser.add_argument("--sittings", type=int, default=3,
                        help="of --predictions: into so many parts the rounds are divided, each with new processes (3)")  # fmt: skip
    parser.add_argument("--input-shape", action="append", default=[], metavar="NAME=1,3,224,224",
                        help="binds unknown sizes; a first one of 1 is --batch's, if that is said")  # fmt: skip
    parser.add_argument("--input", action="append", default=[], metavar="NAME=FILE.npy",
                        help="an input's values (made: integers below the rows of the table that they are looked up in, "
                        "masks of ones, else random numbers)")  # fmt: skip
    add_bind_option(parser)
    add_plugin_option(parser)
    add_precision_option(parser)
    parser.add_argument("--json", type=file_name, metavar="FILE", help="write all numbers here")
    parser.add_argument("--markdown", type=file_name, metavar="FILE", help="write the table here")
    parser.add_argument("--chart", type=file_name, metavar="FILE.png", help="draw bars here")
    parser.add_argument("--build", type=Path, default=Path(os.environ.get("NPU_BUILD", "build")),
                        help="the build folder with npuc and libnpu.so")  # fmt: skip
    arguments = parser.parse_args(words)
    if arguments.calibrate == bool(arguments.models):
        parser.error("expected models, or --calibrate alone")
    if arguments.calibrate and arguments.plugins:
        parser.error("--plugin: --calibrate measures npuc's own kernels")
    if arguments.calibrate and arguments.precision != "f32":
        parser.error(f"--precision={arguments.precision}: --calibrate measures kernels of f32")
    arguments.plans = [plan for plan in arguments.plans.split(",") if plan]
    arguments.peers = [name for name in arguments.peers.split(",") if name]
    for plan in arguments.plans:
        if "/" not in plan or not all(plan.rsplit("/", 1)):
            parser.error(f"--plans: expected TARGET/LAYOUT, found '{plan}'")
    if arguments.chart and arguments.chart.suffix not in present.PICTURES:
        parser.error(f"--chart: expected a name that ends in {', '.join(present.PICTURES)}, found '{arguments.chart}'")
    for name in arguments.peers:
        if name not in PEERS:
            parser.error(f"--peers: unknown runtime '{name}'; known: {', '.join(PEERS)}")
    if min(arguments.threads, arguments.rounds, arguments.sittings) < 1:
        parser.error("--threads, --rounds and --sittings: expected at least 1")
    return arguments


def start_all(
    case: Case, arguments: argparse.Namespace, tell: Callable[[str], None], stack: contextlib.ExitStack
) -> tuple[list[Contender], list[Row]]:
    """Compiles and starts every contender; those that cannot become rows with the reason. `stack` stops them."""
    tools = Tools.of_build(
        arguments.build.resolve(), arguments.plugins, arguments.precision, arguments.allow_target_plugins
    )
    running, failed = [], []
    makers = [(name, lambda name=name: peer(case, name, arguments.threads, arguments.precision))
              for name in arguments.peers]  # fmt: skip
    makers += [(plan, lambda plan=plan: ours(tools, case, plan, arguments.threads)) for plan in arguments.plans]
    for name, make in makers:
        tell(f"preparing {shown_name(name)}")
        try:
            contender = make()
            stack.callback(contender.stop)
            contender.start(case.inputs)
            running.append(contender)
        except (BenchError, OSError) as error:
            failed.append(Row(case.title, case.batch, shown_name(name), error=reason_of(error)))
    return running, failed


@contextlib.contextmanager
def shown_task(case: Case, arguments: argparse.Namespace, progress: Progress) -> Iterator[tuple[Callable, Callable]]:
    """Functions that say what happens, and that a round has been measured."""
    task = progress.add_task("", total=arguments.rounds)
    title = f"{case.title} batch {case.batch}"
    try:
        yield (
            lambda text: progress.update(task, description=escape(f"{title}: {text}")),
            lambda: progress.advance(task),
        )
    finally:
        progress.remove_task(task)


def run_case(case: Case, arguments: argparse.Namespace, progress: Progress) -> list[Row]:
    with contextlib.ExitStack() as stack:
        tell, tick = stack.enter_context(shown_task(case, arguments, progress))
        contenders, rows = start_all(case, arguments, tell, stack)
        if contenders:
            tell("measuring")
            measure(contenders, arguments.rounds, arguments.threads, tick)
            for contender in contenders:
                profile(contender)
            reference = contenders[0].outputs()
            measured = [make_row(case, contender, reference) for contender in contenders]
            compare(measured, contenders)
            rows = measured + rows
    return rows


def run_predictions(models: list, arguments: argparse.Namespace, console: Console, progress: Progress) -> list[Row]:
    """Every strategy of every case; one table as soon as a network is measured."""
    rows, groups = [], []
    for make in models:
        case = make()
        with contextlib.ExitStack() as stack:
            tell, tick = stack.enter_context(shown_task(case, arguments, progress))
            contenders, failed = start_all(case, arguments, tell, stack)
            contenders = predictions.merge(contenders)
            tell("measuring")
            group = contenders and predictions.run(
                case, contenders, arguments.rounds, arguments.sittings, arguments.threads, tick
            )
        if group:
            groups.append(group)
            predictions.show_network(group, console)
        rows += [program.row for program in group] + failed
    predictions.show(groups, console)
    for line in present.notes(rows, brief=True):
        console.print(f"- {line}", style="dim", markup=False, highlight=False, soft_wrap=True)
    return rows


def declare_files(arguments: argparse.Namespace, files: OutputFiles) -> None:
    for model in arguments.models:
        files.reads_model(model_file(model))
    for option, texts in (("--input", arguments.input), ("--bind-input", arguments.bind_input)):
        for text in texts:
            files.reads(option, text.partition("=")[2])
    for plan in arguments.plans:
        files.reads_word("--plans", plan.rpartition("/")[0])
    for plugin in arguments.plugins:
        files.reads("--plugin", plugin)
    for option in ("json", "markdown", "chart"):
        files.writes(f"--{option}", getattr(arguments, option))


def write_files(rows: list[Row], arguments: argparse.Namespace, files: OutputFiles) -> None:
    settings = {"threads": arguments.threads, "rounds": arguments.rounds, "precision": arguments.precision,
                "processor": processor_name()}  # fmt: skip
    if arguments.json:
        files.write(arguments.json, present.json_text(rows, settings).encode("utf-8"))
    if arguments.markdown:
        files.write(arguments.markdown, present.markdown_text(rows).encode("utf-8"))
    if arguments.chart:
        files.write(arguments.chart, present.chart_bytes(rows, arguments.chart.suffix))
    files.commit()


def measure_all(arguments: argparse.Namespace, console: Console, files: OutputFiles) -> list[Row]:
    shapes = parse_shapes(arguments.input_shape)
    declare_files(arguments, files)
    bar = Console(stderr=True)
    with Progress(console=bar, transient=True, disable=not bar.is_terminal) as progress:
        makers = [lambda model=model, batch=batch: make_case(model, batch, shapes, arguments.input, arguments.bind_input)
                  for model in arguments.models for batch in arguments.batch]  # fmt: skip
        if arguments.predictions:
            return run_predictions(makers, arguments, console, progress)
        return [row for make in makers for row in run_case(make(), arguments, progress)]


def failed(error: Exception) -> int:
    complain("npu-bench", error)
    return 2 if isinstance(error, UsageError) else 1


def main(words: list[str] | None = None) -> int:
    arguments = parse_arguments(words)
    console, files = Console(width=None if sys.stdout.isatty() else 160, markup=False, emoji=False), OutputFiles()
    if arguments.predictions:
        arguments.plans = list(predictions.PLANS)
    try:
        if arguments.calibrate:
            run_calibration(Tools.of_build(arguments.build.resolve()), arguments.threads, arguments.rounds, console)
            return 0
        rows = measure_all(arguments, console, files)
    except (BenchError, zoo.ZooError, OSError) as error:
        return failed(error)
    if not arguments.predictions:
        present.print_table(rows, console)
    try:
        with files:
            write_files(rows, arguments, files)
    except OSError as error:
        return failed(error)
    different = [row for row in rows if row.difference is not None and row.difference > DIFFERENT[arguments.precision]]
    for row in different:
        print(f"npu-bench: {row.model} batch {row.batch}: {row.contender} gives other results than "
              f"{rows[0].contender}, by {row.difference:.1e}", file=sys.stderr)  # fmt: skip
    return 1 if different or any(row.error for row in rows) else 0


if __name__ == "__main__":
    start("npu-bench", main, 1)
