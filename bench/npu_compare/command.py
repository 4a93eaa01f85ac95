# SPDX-License-Identifier: Apache-2.0
"""npu-compare, once its words are read."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from npu_bench.agreement import Tolerance
from npu_bench.case import make_case
from npu_bench.contender import Case
from npu_bench.json_text import json_text
from npu_bench.npuc import check_words, program_of
from npu_bench.output_files import OutputFiles, write_file
from npu_bench.resolver import find_target
from npu_bench.shown import shown_message
from npu_bench.table import chip_plugins
from npu_bench.words import budget_words, compiler_words, parse_shapes, plugin_words
from npu_compare.layers import Layer, compare_layers, our_values

VERSION = 1  # of docs/npu-compare.schema.json


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


def layers_json(arguments: argparse.Namespace, case: Case, layers: list[Layer]) -> str:
    data = {
        "version": VERSION,
        "model": case.title,
        "target": arguments.target,
        "layout": arguments.layout,
        "rtol": arguments.rtol,
        "atol": arguments.atol,
        "steps": arguments.steps,
        "first": [layer.value for layer in layers if layer.origin],
        "layers": [dataclasses.asdict(layer) for layer in layers],
    }
    return json_text(data)


def compared(arguments: argparse.Namespace) -> tuple[Case, list[Layer]]:
    find_target(arguments.target)
    build = arguments.build.resolve()
    words = [f"--target={arguments.target}", f"--layout={arguments.layout}", *compiler_words(arguments)]
    shapes = parse_shapes(arguments.input_shape)
    case = make_case(arguments.model, arguments.batch, shapes, arguments.input, arguments.bind_input)
    declare_files(arguments, case.model, OutputFiles())
    check_words(program_of(build, "npuc"), words)
    run_words = [f"--threads={arguments.threads}", *budget_words(arguments.budgets, "memory"),
                 *plugin_words([*arguments.plugins, *chip_plugins(arguments.target)])]  # fmt: skip
    tolerance = Tolerance(arguments.rtol, arguments.atol, arguments.steps)
    with Console(stderr=True).status(escape(f"{case.title}: compiling, running, asking onnxruntime")):
        return case, compare_layers(
            case, lambda: our_values(build, case, words, run_words, arguments.bytes), tolerance, arguments.bytes
        )


def run(arguments: argparse.Namespace) -> int:
    case, layers = compared(arguments)
    text = layers_json(arguments, case, layers)
    wrong = [layer for layer in layers if layer.differs]
    if str(arguments.json) == "-":
        sys.stdout.write(text)
        return 1 if wrong else 0
    if arguments.json:
        write_file(arguments.json, text)
    for layer in layers if arguments.all else wrong:
        print(shown_message(line_of(layer)))
    first = [layer for layer in layers if layer.origin]
    print(shown_message(f"{len(layers)} values compared, {len(wrong)} differ"
                        + (f", first at {first[0].op} '{first[0].node}'" if first else "")))  # fmt: skip
    return 1 if wrong else 0
