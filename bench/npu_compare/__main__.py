# SPDX-License-Identifier: Apache-2.0
"""Compares a model layer by layer with onnxruntime, and says where a difference arises."""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import os
import sys
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from npu_bench.case import make_case, zoo
from npu_bench.contender import Case
from npu_bench.errors import BenchError
from npu_bench.output_files import OutputFiles, write_file
from npu_bench.program import Parser, start
from npu_bench.shown import complain, shown_message
from npu_bench.table import chip_plugins
from npu_bench.words import (
    add_bind_option, add_plugin_option, add_precision_option, file_name, parse_shapes, plugin_words, precision_words, size,
)  # fmt: skip
from npu_compare.layers import Layer, Tolerance, compare_layers, our_values

EPILOG = """The model is compiled with npuc --taps, which keeps every value that a node names. Kernels
are then not fused: where a difference shows in a plain compilation only, it lies in fusion.
--rtol is also allowed of a hundredth of the value's largest number, which sums of large numbers lose.
Bytes are compared in quantisation steps. A value that differs is judged once more from the values that its
own node got: a step, or the last bits of a sum, are no difference, but layers behind make more of them.
With --bytes kernels are those of the plain program, on a chip of integers, too: --steps=0 says of each how many
bytes differ from the model's, and by how much.

Examples:
  npu-compare model.onnx --batch=1
  npu-compare model.onnx --target=npu-nhwc --layout=naive --input image=picture.npy
  npu-compare efficientnet_b0 --rtol=1e-4 --atol=1e-5 --json=layers.json
  npu-compare model.onnx --all        # every layer, not just those that differ
  npu-compare int8.onnx --target=chip.yaml --bytes --steps=0

Exit codes: 0 all values agree, 1 some differ, 2 wrong usage, or the model cannot be compiled or run."""


def parse_arguments(words: list[str] | None) -> argparse.Namespace:
    parser = Parser(
        prog="npu-compare", description=__doc__, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", help=f"an ONNX file, or one of: {', '.join(zoo.NETS)}")
    parser.add_argument("--target", default="npu-nhwc", help="chip (npu-nhwc)")
    parser.add_argument("--fallback", help="the processor beside the chip (the target's own)")
    parser.add_argument("--layout", default="optimal", help="strategy (optimal)")
    parser.add_argument("--batch", type=size,
                        help="what inputs begin with where neither model nor --input-shape says it (1)")  # fmt: skip
    parser.add_argument("--input-shape", action="append", default=[], metavar="NAME=1,3,224,224",
                        help="binds unknown sizes; a first one of 1 is --batch's, if that is said")  # fmt: skip
    parser.add_argument("--input", action="append", default=[], metavar="NAME=FILE.npy",
                        help="an input's values (made, as npu-bench does)")  # fmt: skip
    add_bind_option(parser)
    add_plugin_option(parser)
    parser.add_argument("--rtol", type=float, default=1e-3, help="allowed relative difference (1e-3)")
    parser.add_argument("--atol", type=float, default=1e-4, help="allowed absolute difference (1e-4)")
    parser.add_argument("--steps", type=int, default=1, help="allowed difference of bytes, in quantisation steps (1)")
    parser.add_argument("--bytes", action="store_true",
                        help="compare quantised values only, and leave kernels between them fused")  # fmt: skip
    parser.add_argument("--all", action="store_true", help="print every layer")
    add_precision_option(parser)
    parser.add_argument("--json", type=file_name, metavar="FILE", help="write every layer's numbers here (-: print)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--build", type=Path, default=Path(os.environ.get("NPU_BUILD", "build")),
                        help="the build folder with npuc and npu-run")  # fmt: skip
    arguments = parser.parse_args(words)
    allowed = (arguments.rtol, arguments.atol, arguments.steps)
    if arguments.threads < 1 or not all(0 <= number < math.inf for number in allowed):
        parser.error("--threads: at least 1, --rtol, --atol and --steps: finite and not negative")
    return arguments


def line_of(layer: Layer) -> str:
    mark = "FIRST " if layer.origin else "wrong " if layer.differs else "ok    "
    text = f"{mark} {layer.op} '{layer.node}' -> '{layer.value}' {layer.shape}: largest difference {layer.worst:.1e}"
    counts = Counter(layer.kernels).most_common()  # a loop that is written out has thousands
    text += f" by {', '.join(name if count == 1 else f'{name} x{count}' for name, count in counts)}" if counts else ""
    text += " from its own inputs" if layer.alone else ""
    if layer.place is None:
        return text if not layer.differs else f"{text}; the shapes differ"
    return f"{text}; {layer.wrong} elements, at {layer.place} found {layer.found:.6g}, expected {layer.expected:.6g}"


def declare_files(arguments: argparse.Namespace, model: Path, files: OutputFiles) -> None:
    files.reads_model(model)
    for option, texts in (("--input", arguments.input), ("--bind-input", arguments.bind_input)):
        for text in texts:
            files.reads(option, text.partition("=")[2])
    files.reads_word("--target", arguments.target)
    for plugin in arguments.plugins:
        files.reads("--plugin", plugin)
    files.writes("--json", None if str(arguments.json) == "-" else arguments.json)


def json_text(arguments: argparse.Namespace, case: Case, layers: list[Layer]) -> str:
    data = {
        "model": case.title,
        "target": arguments.target,
        "layout": arguments.layout,
        "rtol": arguments.rtol,
        "atol": arguments.atol,
        "steps": arguments.steps,
        "first": [layer.value for layer in layers if layer.origin],
        "layers": [dataclasses.asdict(layer) for layer in layers],
    }
    return json.dumps(data, indent=1) + "\n"


def main(words: list[str] | None = None) -> int:
    arguments = parse_arguments(words)
    quiet = str(arguments.json) == "-"
    try:
        shapes = parse_shapes(arguments.input_shape)
        case = make_case(arguments.model, arguments.batch, shapes, arguments.input, arguments.bind_input)
        declare_files(arguments, case.model, OutputFiles())
        options = [f"--target={arguments.target}", f"--layout={arguments.layout}",
                   *plugin_words(arguments.plugins, arguments.allow_target_plugins)]  # fmt: skip
        options += precision_words(arguments.precision)
        plugins = [*arguments.plugins, *(chip_plugins(arguments.target) if arguments.allow_target_plugins else [])]
        options += [f"--fallback={arguments.fallback}"] if arguments.fallback else []
        tolerance = Tolerance(arguments.rtol, arguments.atol, arguments.steps)
        with Console(stderr=True).status(escape(f"{case.title}: compiling, running, asking onnxruntime")):
            build = arguments.build.resolve()
            layers = compare_layers(
                case, lambda: our_values(build, case, options, plugins, arguments.threads, arguments.bytes), tolerance, arguments.bytes
            )
        text = json_text(arguments, case, layers)
        if arguments.json and not quiet:
            write_file(arguments.json, text)
    except (BenchError, zoo.ZooError, OSError) as error:
        complain("npu-compare", error)
        return 2
    wrong = [layer for layer in layers if layer.differs]
    if quiet:
        print(text, end="")
    else:
        for layer in layers if arguments.all else wrong:
            print(shown_message(line_of(layer)))
        first = [layer for layer in layers if layer.origin]
        print(shown_message(f"{len(layers)} values compared, {len(wrong)} differ"
                            + (f", first at {first[0].op} '{first[0].node}'" if first else "")))  # fmt: skip
    return 1 if wrong else 0


if __name__ == "__main__":
    start("npu-compare", main, 2)
