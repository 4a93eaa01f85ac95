# SPDX-License-Identifier: Apache-2.0
"""Shrinks a model that npuc fails on to the nodes that matter."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import onnx
from rich.console import Console

from npu_bench.calls import call
from npu_bench.errors import BenchError
from npu_bench.input_files import load_model
from npu_bench.output_files import OutputFiles
from npu_bench.program import Parser, start, temporary_folder
from npu_bench.shown import complain, shown_message
from npu_bench.words import file_name, parse_shapes, size
from npu_reduce.shrink import bind_sizes, shrink

EPILOG = """Without --reduce-test a part fails if npuc ends with the same signal, or with the same message
apart from names and numbers. With it, a part fails if the command ends with another exit code than 0; {}
stands for the part's file. Options that are not listed here go to npuc (--target=NAME, --layout=NAME, ...), each
as one word; sizes are bound in the model first.

Examples:
  npuc model.onnx --target=npu-nhwc --reduce=small.onnx
  npu-reduce model.onnx --reduce=small.onnx --reduce-test='npu-compare {}; test $? -ne 1'
  npu-reduce model.onnx --reduce=small.onnx --reduce-test='! ./my-check.sh {} | grep wrong'

Exit codes: 0 written, 1 the model does not fail, 2 wrong usage."""


class NoFailure(BenchError):
    """There is nothing to reduce: exit code 1."""


def parse_arguments(words: list[str] | None) -> tuple[argparse.Namespace, list[str]]:
    parser = Parser(
        prog="npu-reduce", description=__doc__, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )  # fmt: skip
    parser.add_argument("model", type=Path, help="the ONNX file")
    parser.add_argument("--reduce", type=file_name, required=True, metavar="OUT.onnx", help="where the part is written")
    parser.add_argument("--reduce-test", metavar="COMMAND", help="fails in place of npuc; {} is the model")
    parser.add_argument("--input-shape", action="append", default=[], metavar="NAME=1,3,224,224")
    parser.add_argument("--batch", type=size, help="the unknown first size of inputs")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds after which a command failed (120)")
    parser.add_argument("--build", type=Path, default=Path(os.environ.get("NPU_BUILD", "build")),
                        help="the build folder with npuc")  # fmt: skip
    arguments, others = parser.parse_known_args(words)
    words = sys.argv[1:] if words is None else words
    for before, word in zip(["", *words], words):
        if word in others and not word.startswith("-") and not before.startswith("-"):
            parser.error(f"found '{word}' beside the model '{arguments.model}'; write npuc's options as one word, --target=NAME")
    return arguments, others


def signature(done: subprocess.CompletedProcess | None) -> str:
    """How a command ended: empty if well, else the same for the same cause."""
    if done is None:
        return "timeout"
    if done.returncode == 0:
        return ""
    if done.returncode < 0 or done.returncode > 128:
        return f"signal {done.returncode}"
    lines = (done.stderr or "").splitlines()
    errors = [line for line in lines if "error" in line] or lines[:1] or [""]
    text = re.sub(r"^npuc: error: [^:]*(: \w+ '[^']*')?: ", "", errors[0])
    text = re.sub(r"[0-9]+", "N", re.sub(r"'[^']*'", "NAME", text))
    return f"{done.returncode} {text}"


class Trial:
    """Runs the failing command on a model."""

    def __init__(self, arguments: argparse.Namespace, words: list[str], folder: Path) -> None:
        self.arguments, self.words, self.folder = arguments, words, folder

    def run(self, model: onnx.ModelProto) -> str:
        path = self.folder / "part.onnx"
        onnx.save(model, path)
        test = self.arguments.reduce_test
        command: list[str] | str
        if test:
            quoted = shlex.quote(str(path))
            command = test.replace("{}", quoted) if "{}" in test else f"{test} {quoted}"
        else:
            program = self.arguments.build / "bin" / "npuc"
            command = [str(program), str(path), "-q", "-o", str(self.folder / "part.npu"), *self.words]
        try:
            done = call(command, self.arguments.timeout)
        except subprocess.TimeoutExpired:
            done = None
        if test:  # any failure is the failure
            return "" if done is not None and done.returncode == 0 else "failed"
        return signature(done)


def declare_files(arguments: argparse.Namespace, words: list[str], files: OutputFiles) -> None:
    """Of npuc's options we know only that they may name files: --target=FILE, --target FILE, --bind-input=x=FILE."""
    files.reads_model(arguments.model)
    option = ""
    for word in words:
        parts = word.split("=")
        option = parts[0] if word.startswith("-") else option
        for first in range(len(parts)):
            files.reads_word(option, "=".join(parts[first:]))
    files.writes("--reduce", arguments.reduce)


def reduce_model(arguments: argparse.Namespace, words: list[str], console: Console) -> tuple[int, int]:
    """Writes the part; the numbers of nodes before and after."""
    declare_files(arguments, words, OutputFiles())
    model = load_model(arguments.model)
    before = len(model.graph.node)
    with temporary_folder("npu-reduce-") as folder, console.status("the whole model ...") as status:
        trial = Trial(arguments, words, folder)
        bind_sizes(model, parse_shapes(arguments.input_shape), arguments.batch)
        wanted = trial.run(model)
        if not wanted:
            raise NoFailure(f"'{arguments.model}' does not fail; there is nothing to reduce")
        part = shrink(
            model,
            lambda candidate: trial.run(candidate) == wanted,
            lambda left, trials: status.update(f"{left} of {before} nodes left, trial {trials}"),
        )
    with OutputFiles() as files:
        files.write(arguments.reduce, part.SerializeToString())
        files.commit()
    return before, len(part.graph.node)


def main(words: list[str] | None = None) -> int:
    arguments, others = parse_arguments(words)
    arguments.build = arguments.build.resolve()
    os.environ["NPU_NO_CRASH_REPORT"] = "1"  # each part that fails would leave one
    try:
        before, after = reduce_model(arguments, others, Console(stderr=True))
    except (BenchError, OSError) as error:
        complain("npu-reduce", error)
        return 1 if isinstance(error, NoFailure) else 2
    print(shown_message(f"{arguments.reduce}: {after} of {before} nodes"))
    return 0


if __name__ == "__main__":
    start("npu-reduce", main, 2)
