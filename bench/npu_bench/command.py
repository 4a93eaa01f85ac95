# SPDX-License-Identifier: Apache-2.0
"""npu-bench, once its words are read: every contender is a process of its own."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from npu_bench import predictions, present
from npu_bench.agreement import OF_NETWORKS
from npu_bench.calibrate import run_calibration
from npu_bench.case import make_case
from npu_bench.contender import Case, Contender, Tools, ours, peer, plan_words
from npu_bench.errors import BenchError, Exit, exit_code_of, reason_of
from npu_bench.measure import measure, profile
from npu_bench.npuc import check_words
from npu_bench.output_files import OutputFiles
from npu_bench.resolver import find_model, find_target
from npu_bench.results import Row, compare, make_row
from npu_bench.shown import complain, shown_name
from npu_bench.table import processor_name
from npu_bench.words import budget_of, compiler_words, parse_shapes


def start_all(
    case: Case, arguments: argparse.Namespace, tools: Tools, tell: Callable[[str], None], stack: contextlib.ExitStack
) -> tuple[list[Contender], list[Row]]:
    """Compiles and starts every contender; those that cannot become rows with the reason. `stack` stops them."""
    memory = budget_of(arguments.budgets, "memory", None)
    running, failed = [], []
    makers = [(name, lambda name=name: peer(case, name, arguments.threads, arguments.precision))
              for name in arguments.peers]  # fmt: skip
    makers += [(plan, lambda plan=plan: ours(tools, case, plan, arguments.threads, memory)) for plan in arguments.plans]
    for name, make in makers:
        tell(f"preparing {shown_name(name)}")
        try:
            contender = make()
            stack.callback(contender.stop)
            contender.start(case.inputs)
            running.append(contender)
        except (BenchError, OSError) as error:
            failed.append(Row(case.title, case.batch, shown_name(name), reason_of(error), int(exit_code_of(error))))
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


def run_case(case: Case, arguments: argparse.Namespace, tools: Tools, progress: Progress) -> list[Row]:
    with contextlib.ExitStack() as stack:
        tell, tick = stack.enter_context(shown_task(case, arguments, progress))
        contenders, rows = start_all(case, arguments, tools, tell, stack)
        if contenders:
            tell("measuring")
            measure(contenders, arguments.rounds, arguments.threads, tick)
            for contender in contenders:
                profile(contender)
            reference, tolerance = contenders[0].outputs(), OF_NETWORKS[arguments.precision]
            measured = [make_row(case, contender, reference, tolerance) for contender in contenders]
            compare(measured, contenders)
            rows = measured + rows
    return rows


def run_predictions(
    models: list, arguments: argparse.Namespace, tools: Tools, console: Console, progress: Progress
) -> list[Row]:
    """Every strategy of every case; one table as soon as a network is measured."""
    rows, groups = [], []
    for make in models:
        case = make()
        with contextlib.ExitStack() as stack:
            tell, tick = stack.enter_context(shown_task(case, arguments, progress))
            contenders, failed = start_all(case, arguments, tools, tell, stack)
            contenders = predictions.merge(contenders)
            tell("measuring")
            group = contenders and predictions.run(case, contenders, arguments, tick)
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
        files.reads_model(find_model(model))
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
        files.write(arguments.json, present.rows_json(rows, settings).encode("utf-8"))
    if arguments.markdown:
        files.write(arguments.markdown, present.markdown_text(rows).encode("utf-8"))
    if arguments.chart:
        files.write(arguments.chart, present.chart_bytes(rows, arguments.chart.suffix))
    files.commit()


def measure_all(arguments: argparse.Namespace, tools: Tools, console: Console) -> list[Row]:
    shapes = parse_shapes(arguments.input_shape)
    bar = Console(stderr=True)
    with Progress(console=bar, transient=True, disable=not bar.is_terminal) as progress:
        makers = [lambda model=model, batch=batch: make_case(model, batch, shapes, arguments.input, arguments.bind_input)
                  for model in arguments.models for batch in arguments.batch]  # fmt: skip
        if arguments.predictions:
            return run_predictions(makers, arguments, tools, console, progress)
        return [row for make in makers for row in run_case(make(), arguments, tools, progress)]


def check_plans(arguments: argparse.Namespace, tools: Tools) -> None:
    """A misspelled name is found before anything is measured."""
    for plan in arguments.plans:
        target, words = plan_words(plan)
        find_target(target, "--plans")
        check_words(tools.npuc, [*words, *tools.words])


def exit_code(rows: list[Row], different: list[Row]) -> int:
    """That of what went wrong, if all is of one kind."""
    codes = {row.exit_code for row in rows if row.error} | ({int(Exit.FAILED)} if different else set())
    return codes.pop() if len(codes) == 1 else Exit.FAILED if codes else Exit.OK


def run(arguments: argparse.Namespace) -> int:
    console, files = Console(width=None if sys.stdout.isatty() else 160, markup=False, emoji=False), OutputFiles()
    build = arguments.build.resolve()
    if arguments.calibrate:
        run_calibration(Tools.of_build(build), arguments.threads, arguments.rounds, console)
        return Exit.OK
    if arguments.predictions:
        arguments.plans = list(predictions.PLANS)
    if arguments.layouts:
        arguments.plans = list(present.LAYOUTS)
    tools = Tools.of_build(build, compiler_words(arguments), arguments.plugins)
    declare_files(arguments, files)
    check_plans(arguments, tools)
    rows = measure_all(arguments, tools, console)
    if arguments.layouts:
        present.print_layouts(rows, console)
    elif not arguments.predictions:
        present.print_table(rows, console)
    with files:
        write_files(rows, arguments, files)
    different = [row for row in rows if row.difference is not None and row.difference.wrong]
    for row in different:
        complain("npu-bench", f"{row.model} batch {row.batch}: {row.contender} gives other results than "
                              f"{rows[0].contender}: {row.difference}")  # fmt: skip
    return exit_code(rows, different)
