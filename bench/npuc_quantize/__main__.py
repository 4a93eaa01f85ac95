# SPDX-License-Identifier: Apache-2.0
"""Quantises a float32 ONNX model to 8 bits by onnxruntime's static quantiser, and says how exact it still is."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from pathlib import Path

import onnx
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from npu_bench.case import zoo
from npu_bench.contender import Case
from npu_bench.errors import BenchError
from npu_bench.output_files import OutputFiles
from npu_bench.program import Parser, start, temporary_folder
from npu_bench.shown import complain, shown_message
from npu_bench.words import file_name, parse_shapes, size
from npuc_quantize import ort, quantiser, report
from npuc_quantize.compiled import Compilation, Compiled
from npuc_quantize.data import Feeds, make_feeds
from npuc_quantize.layers import Comparison
from npuc_quantize.model import inputs_of, open_model
from npuc_quantize.pictures import FITS, ORDERS, Preparation

EPILOG = """--data is a .npy file or a folder of pictures; with several inputs NAME=FILE. It may be repeated. A file holds one
sample, or many along its first dimension. A folder is read with all folders inside, in the order of names; pictures
are brought to the size that the input's shape says, and to its order: NCHW or NHWC, by where its 1 or 3 channels are.

Accuracy is measured against the float32 model, on --test-data. SQNR is signal to quantisation noise in decibels (20: the
error is a tenth of the values, 40: a hundredth); "own" is that of a value's rounding alone, if all before it were exact: a
layer that is low there wants another --method, or --keep. With --target the model is also compiled by npuc and
run as npu-run does, and that program's outputs are compared, too.

Examples:
  npuc-quantize resnet50.onnx --data=pictures -o resnet50.int8.onnx
  npuc-quantize resnet50.onnx --data=pictures --range=0,1 --mean=0.485,0.456,0.406 --std=0.229,0.224,0.225 \\
    -o resnet50.int8.onnx --json=accuracy.json --target=npu-nhwc --program=resnet50.npu
  npuc-quantize two_inputs.onnx --data image=images.npy --data tokens=tokens.npy -o small.onnx --method=percentile
  npuc-quantize model.onnx --input-shape x=1,3,480,640 --data=scans --fit=pad -o model.int8.onnx --keep=/head/Conv
  npuc-quantize model.onnx --data=pictures --test-data=others -o model.int8.onnx --min-top1=0.99

Exit codes: 0 written, 1 less exact than --min-sqnr or --min-top1 asks for (--json is written, nothing else),
2 wrong usage, or the model cannot be quantised, compiled or run, 3 a result cannot be written."""


def numbers(text: str) -> tuple[float, ...]:
    try:
        found = tuple(float(part) for part in text.split(","))
    except ValueError:
        found = (math.nan,)
    if not all(map(math.isfinite, found)):
        raise argparse.ArgumentTypeError(f"expected numbers such as 0.5 or 0.485,0.456,0.406, found '{text}'")
    return found


def names(text: str) -> tuple[str, ...]:
    if not all(text.split(",")):
        raise argparse.ArgumentTypeError(f"expected names with commas between, found '{text}'")
    return tuple(text.split(","))


def add_data_options(parser: Parser) -> None:
    group = parser.add_argument_group("values")
    group.add_argument("--data", action="append", required=True, metavar="[NAME=]PATH",
                       help="what ranges are measured with: a .npy file or a folder of pictures")  # fmt: skip
    group.add_argument("--test-data", action="append", default=[], metavar="[NAME=]PATH",
                       help="what accuracy is measured with (--data)")  # fmt: skip
    group.add_argument("--samples", type=size, default=100, help="most of --data, spread over all of it (100)")
    group.add_argument("--test-samples", type=size, default=20, help="most that accuracy is measured with (20)")
    group.add_argument("--batch", type=size,
                       help="what inputs begin with where neither model nor --input-shape says it (1)")  # fmt: skip
    group.add_argument("--input-shape", action="append", default=[], metavar="NAME=1,3,224,224",
                       help="binds unknown sizes while ranges are measured; the model that is written keeps them")  # fmt: skip


def add_picture_options(parser: Parser) -> None:
    group = parser.add_argument_group("pictures", "value = (LOW + pixel / 255 * (HIGH - LOW) - mean) / std")
    group.add_argument("--fit", choices=FITS, default="crop",
                       help="to the input's size: cut off what is longer, stretch, or pad with black (crop)")  # fmt: skip
    group.add_argument("--range", type=numbers, default=(0.0, 1.0), metavar="LOW,HIGH",
                       help="what black and white become (0,1)")  # fmt: skip
    group.add_argument("--mean", type=numbers, default=(0.0,), help="is taken off: one number, or one a channel (0)")
    group.add_argument("--std", type=numbers, default=(1.0,), help="divides: one number, or one a channel (1)")
    group.add_argument("--bgr", action="store_true", help="channels in the order blue, green, red")
    group.add_argument("--order", choices=ORDERS, help="of the input, where its shape leaves it open")


def add_quantiser_options(parser: Parser) -> None:
    group = parser.add_argument_group("quantisation")
    group.add_argument("--activations", choices=quantiser.TYPES, default="u8", help="bytes of values (u8)")
    group.add_argument("--weights", choices=quantiser.TYPES, default="s8", help="bytes of weights (s8)")
    group.add_argument("--per-tensor", action="store_true", help="one scale for a weight, not one a channel")
    group.add_argument("--symmetric", action="store_true", help="values' zero points in the middle (s8: 0)")
    group.add_argument("--method", choices=quantiser.METHODS, default="minmax", help="how ranges are found (minmax)")
    group.add_argument("--percentile", type=float, default=99.99,
                       help="part of the values inside of the range, of --method=percentile (99.99)")  # fmt: skip
    group.add_argument("--ops", type=names, default=(), metavar="Conv,MatMul,...",
                       help="operators to quantise (all that onnxruntime can)")  # fmt: skip
    group.add_argument("--keep", action="append", default=[], metavar="NODE",
                       help="a node that stays in float32, by its name or a value's that it gives; may be repeated")  # fmt: skip


def add_result_options(parser: Parser) -> None:
    group = parser.add_argument_group("results")
    group.add_argument("-o", "--output", type=file_name, required=True, metavar="FILE.onnx", help="the model in 8 bits")
    group.add_argument("--json", type=file_name, metavar="FILE", help="write every layer's numbers here (-: print)")
    group.add_argument("--all", action="store_true", help="print every layer, not just the least exact")
    group.add_argument("--min-sqnr", type=float, metavar="DB", help="least SQNR of every output")
    group.add_argument("--min-top1", type=float, metavar="PART", help="least part of samples with the same class")
    group.add_argument("--target", help="a chip to compile the result for, and to run it as")
    group.add_argument("--layout", default="optimal", help="npuc's strategy (optimal)")
    group.add_argument("--fallback", help="where nodes run that the chip lacks: npuc's --fallback")
    group.add_argument("--program", type=file_name, metavar="FILE.npu", help="keep what was compiled")
    group.add_argument("--threads", type=size, default=len(os.sched_getaffinity(0)), help="of the program")
    group.add_argument("--build", type=Path, default=Path(os.environ.get("NPU_BUILD", "build")),
                       help="the build folder with npuc")  # fmt: skip


def parse_arguments(words: list[str] | None) -> argparse.Namespace:
    parser = Parser(
        prog="npuc-quantize", description=__doc__, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", help="an ONNX file, or a network of bench/models by name")
    for add in (add_data_options, add_picture_options, add_quantiser_options, add_result_options):
        add(parser)
    arguments = parser.parse_args(words)
    if len(arguments.range) != 2 or arguments.range[0] >= arguments.range[1]:
        parser.error("--range: expected two numbers, the smaller first, such as -1,1")
    if not all(number > 0 for number in arguments.std):
        parser.error("--std: expected numbers above 0")
    if not 0 < arguments.percentile <= 100:
        parser.error("--percentile: expected a number above 0, at most 100")
    if arguments.activations == "s8" and arguments.weights == "u8":
        parser.error("--weights=u8: onnxruntime has it with --activations=u8 only")
    if arguments.program and not arguments.target:
        parser.error("--program: say which chip it is for, by --target")
    for name in ("min_sqnr", "min_top1"):
        limit = getattr(arguments, name)
        if limit is not None and not (math.isfinite(limit) and (name == "min_sqnr" or 0 <= limit <= 1)):
            parser.error(f"--{name.replace('_', '-')}: expected a number{'' if name == 'min_sqnr' else ' from 0 to 1'}")
    return arguments


def settings_of(arguments: argparse.Namespace) -> quantiser.Settings:
    return quantiser.Settings(
        arguments.activations, arguments.weights, not arguments.per_tensor, arguments.symmetric, arguments.method,
        arguments.percentile, arguments.ops, tuple(arguments.keep),
    )  # fmt: skip


def preparation_of(arguments: argparse.Namespace) -> Preparation:
    return Preparation(arguments.fit, *arguments.range, arguments.mean, arguments.std, arguments.bgr)


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
        quantised = quantiser.quantise(folded, self.calibration, settings, target, lambda: progress.advance(bar))
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
                             bool(self.arguments.test_data), comparison, compiled)  # fmt: skip

    def _compile(self, model: Path, folder: Path, progress: Progress, bar) -> Compiled | None:
        if not self.arguments.target:
            return None
        progress.update(bar, description=f"compiling for {Path(self.arguments.target).stem}")
        compilation = Compilation(self.arguments.target, self.arguments.layout, self.arguments.fallback)
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
        files.write(arguments.json, json_text(result).encode())
    files.commit()
    return result, short


def json_text(result: report.Result) -> str:
    return json.dumps(report.json_of(result), indent=1) + "\n"


def progress_bar() -> Progress:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def main(words: list[str] | None = None) -> int:
    arguments = parse_arguments(words)
    try:
        with progress_bar() as progress, OutputFiles() as files:
            result, short = work(arguments, progress, files)
    except (BenchError, zoo.ZooError) as error:
        complain("npuc-quantize", error)
        return 2
    except OSError as error:
        complain("npuc-quantize", error)
        return 3
    if str(arguments.json) == "-":
        print(json_text(result), end="")
    else:
        show(result, arguments)
    for line in short:
        complain("npuc-quantize", line)
    return 1 if short else 0


if __name__ == "__main__":
    start("npuc-quantize", main, 3)
