# SPDX-License-Identifier: Apache-2.0
"""npuc-quantize, once its words are read."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import onnx
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from npu_bench.contender import Case
from npu_bench.errors import Exit
from npu_bench.json_text import json_text
from npu_bench.npuc import check_words, program_of
from npu_bench.output_files import OutputFiles
from npu_bench.picture_file import MOST_PIXELS
from npu_bench.program import temporary_folder
from npu_bench.resolver import find_target
from npu_bench.shown import complain, shown_message
from npu_bench.words import budget_of, compiler_words, parse_shapes
from npuc_quantize import ort, quantiser, report
from npuc_quantize.compiled import Compilation, Compiled
from npuc_quantize.data import Feeds, make_feeds
from npuc_quantize.layers import Comparison
from npuc_quantize.model import inputs_of, open_model
from npuc_quantize.pictures import Preparation


def settings_of(arguments: argparse.Namespace) -> quantiser.Settings:
    return quantiser.Settings(
        arguments.activations, arguments.weights, not arguments.per_tensor, arguments.symmetric, arguments.method,
        arguments.percentile, arguments.ops, tuple(arguments.keep),
    )  # fmt: skip


def preparation_of(arguments: argparse.Namespace) -> Preparation:
    return Preparation(arguments.fit, *arguments.range, arguments.mean, arguments.std, arguments.bgr,
                       budget_of(arguments.budgets, "pixels", MOST_PIXELS))  # fmt: skip


def declare_files(arguments: argparse.Namespace, model: Path, feeds: list[Feeds], files: OutputFiles) -> None:
    files.reads_model(model)
    for path in {path for feed in feeds for path in feed.files()}:
        files.reads("--data", path)
    if arguments.target:
        files.reads_word("--target", arguments.target)
    files.writes("-o", arguments.output)
    files.writes("--json", None if str(arguments.json) == "-" else arguments.json)
    files.writes("--program", arguments.program)


class Work:
    """The steps, in their order, and how far they have come."""

    def __init__(self, arguments: argparse.Namespace, case: Case, model, calibration: Feeds, tests: Feeds) -> None:
        self.arguments, self.case, self.model = arguments, case, model
        self.calibration, self.tests = calibration, tests

    def run(self, folder: Path, progress: Progress) -> report.Result:
        bar = progress.add_task("folding", total=None)
        folded = quantiser.fold(self.model, folder)
        progress.update(bar, description="measuring ranges", total=len(self.calibration))
        settings, target = settings_of(self.arguments), folder / "quantised.onnx"
        quantised, spared = quantiser.quantise(folded, self.calibration, settings, target, lambda: progress.advance(bar))
        progress.update(bar, description="loading", completed=0, total=None)
        comparison = Comparison(self.model, onnx.load(folded), quantised)
        compiled = self._compile(target, folder, progress, bar)
        progress.update(bar, description="measuring accuracy", total=len(self.tests))
        batch = self.tests.samples // len(self.tests)
        for feed in self.tests:
            expected = comparison.add(feed, batch)
            if compiled:
                compiled.add(feed, expected, batch)
            progress.advance(bar)
        return report.Result(self.case, settings, preparation_of(self.arguments), self.calibration, self.tests,
                             bool(self.arguments.test_data), comparison, compiled, spared)  # fmt: skip

    def _compile(self, model: Path, folder: Path, progress: Progress, bar) -> Compiled | None:
        if not self.arguments.target:
            return None
        progress.update(bar, description=f"compiling for {Path(self.arguments.target).stem}")
        compilation = Compilation(self.arguments.target, self.arguments.layout, tuple(compiler_words(self.arguments)),
                                  budget_of(self.arguments.budgets, "memory", None))  # fmt: skip
        return Compiled(self.arguments.build.resolve(), model, self.case, compilation, folder, self.arguments.threads)


def shortcomings(result: report.Result, arguments: argparse.Namespace) -> list[str]:
    found = []
    for name, accuracy in result.judged():
        if arguments.min_sqnr is not None and accuracy.sqnr < arguments.min_sqnr:
            found.append(f"output '{name}' has an SQNR of {accuracy.sqnr:.1f} dB, --min-sqnr asks for {arguments.min_sqnr:g}")
        if arguments.min_top1 is not None and accuracy.top1 is not None and accuracy.top1 < arguments.min_top1:
            found.append(f"output '{name}' has the same class in {accuracy.agreed} of {accuracy.classes} samples, "
                         f"--min-top1 asks for {arguments.min_top1:g}")  # fmt: skip
    return found


def show(result: report.Result, arguments: argparse.Namespace) -> None:
    console = Console(width=None if sys.stdout.isatty() else 160, markup=False, emoji=False, highlight=False)
    for line in report.summary(result):
        print(shown_message(line))
    layers = report.shown_layers(result, arguments.all)
    print(f"\nlayers{'' if arguments.all else f', the {len(layers)} least exact'}:")
    console.print(report.layer_table(layers))
    print()
    console.print(report.output_table(result))


def work(arguments: argparse.Namespace, progress: Progress, files: OutputFiles) -> tuple[report.Result, list[str]]:
    ort.be_quiet()
    if arguments.target:  # before the long work
        find_target(arguments.target)
        words = [f"--target={arguments.target}", f"--layout={arguments.layout}", *compiler_words(arguments)]
        check_words(program_of(arguments.build.resolve(), "npuc"), words)
    case, model = open_model(arguments.model, arguments.batch, parse_shapes(arguments.input_shape))
    inputs, preparation = inputs_of(case), preparation_of(arguments)

    def feeds(texts: list[str], most: int) -> Feeds:
        return make_feeds(texts, inputs, preparation, arguments.order, most)

    calibration = feeds(arguments.data, arguments.samples)
    tests = feeds(arguments.test_data or arguments.data, arguments.test_samples)
    declare_files(arguments, case.model, [calibration, tests], OutputFiles())
    with temporary_folder("npuc-quantize-") as folder:
        result = Work(arguments, case, model, calibration, tests).run(folder, progress)
        short = shortcomings(result, arguments)
        if not short:
            files.write(arguments.output, (folder / "quantised.onnx").read_bytes())
            if arguments.program and result.compiled:
                files.write(arguments.program, result.compiled.path.read_bytes())
    if arguments.json and str(arguments.json) != "-":
        files.write(arguments.json, json_text(report.json_of(result)).encode())
    files.commit()
    return result, short


def progress_bar() -> Progress:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def run(arguments: argparse.Namespace) -> int:
    with progress_bar() as progress, OutputFiles() as files:
        result, short = work(arguments, progress, files)
    if str(arguments.json) == "-":
        sys.stdout.write(json_text(report.json_of(result)))
    else:
        show(result, arguments)
    for line in short:
        complain("npuc-quantize", line)
    return Exit.FAILED if short else Exit.OK
