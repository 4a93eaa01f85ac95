# SPDX-License-Identifier: Apache-2.0
"""npu-reduce, once its words are read."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
from pathlib import Path

import onnx
from rich.console import Console

from npu_bench.calls import call
from npu_bench.errors import BenchError, Exit
from npu_bench.input_files import load_model
from npu_bench.npuc import error_of, program_of
from npu_bench.output_files import OutputFiles
from npu_bench.program import temporary_folder
from npu_bench.resolver import find_model
from npu_bench.shown import shown_message
from npu_bench.words import check_shapes, parse_shapes
from npu_reduce.shrink import bind_sizes, shrink


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


# Wrong words, outputs, and files of others that the words name.
NO_FAULT_OF_THE_MODEL = (Exit.USAGE, Exit.OUTPUT, Exit.INPUT)


class Trial:
    """Runs the failing command on a model."""

    def __init__(self, arguments: argparse.Namespace, words: list[str], folder: Path) -> None:
        self.arguments, self.words, self.folder = arguments, words, folder
        self.last: subprocess.CompletedProcess | None = None  # npuc's last end

    def run(self, model: onnx.ModelProto) -> str:
        path = self.folder / "part.onnx"
        onnx.save(model, path)
        test = self.arguments.reduce_test
        command: list[str] | str
        if test:
            quoted = shlex.quote(str(path))
            command = test.replace("{}", quoted) if "{}" in test else f"{test} {quoted}"
        else:
            command = [str(program_of(self.arguments.build, "npuc")), str(path), "-q", "-o", str(self.folder / "part.npu"), *self.words]
        try:
            done = call(command, self.arguments.timeout)
        except subprocess.TimeoutExpired:
            done = None
        if test:  # any failure is the failure
            return "" if done is not None and done.returncode == 0 else "failed"
        self.last = done
        return signature(done)

    def check_words(self) -> None:
        """After the whole model: what its words are to blame for, no part of it mends."""
        if self.last is not None and self.last.returncode in NO_FAULT_OF_THE_MODEL:
            raise BenchError(f"npuc: {error_of(self.last)}", self.last.returncode)


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
    model = load_model(find_model(arguments.model))
    before, shapes = len(model.graph.node), parse_shapes(arguments.input_shape)
    check_shapes(shapes, Path(arguments.model).stem, [value.name for value in model.graph.input])
    with temporary_folder("npu-reduce-") as folder, console.status("the whole model ...") as status:
        trial = Trial(arguments, words, folder)
        bind_sizes(model, shapes, arguments.batch)
        wanted = trial.run(model)
        trial.check_words()
        if not wanted:
            raise BenchError(f"'{arguments.model}' does not fail; there is nothing to reduce")
        part = shrink(
            model,
            lambda candidate: trial.run(candidate) == wanted,
            lambda left, trials: status.update(f"{left} of {before} nodes left, trial {trials}"),
        )
    with OutputFiles() as files:
        files.write(arguments.reduce, part.SerializeToString())
        files.commit()
    return before, len(part.graph.node)


def run(arguments: argparse.Namespace, words: list[str]) -> int:
    arguments.build = arguments.build.resolve()
    os.environ["NPU_NO_CRASH_REPORT"] = "1"  # each part that fails would leave one
    before, after = reduce_model(arguments, words, Console(stderr=True))
    print(shown_message(f"{arguments.reduce}: {after} of {before} nodes"))
    return Exit.OK
