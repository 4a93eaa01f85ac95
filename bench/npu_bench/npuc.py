# SPDX-License-Identifier: Apache-2.0
"""npuc and npu-run as the programs in Python call them: their messages and exit codes become ours."""

from __future__ import annotations

import subprocess
from pathlib import Path

from npu_bench.calls import call
from npu_bench.errors import BenchError, Exit
from npu_bench.program import temporary_folder

# The least that npuc compiles: enough to hear what it thinks of its options.
PROBE = "func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {\n  return %x : tensor<1xf32>\n}\n"
KNOWN_CODES = {int(code) for code in Exit}


def program_of(build: Path, name: str) -> Path:
    path = build / "bin" / name
    if not path.is_file():
        raise BenchError(f"{path} is not there; run `make build` first, or say --build=FOLDER")
    return path


def error_of(done: subprocess.CompletedProcess) -> str:
    """Its first error, without its name in front."""
    name = Path(done.args[0]).name
    said = (done.stderr.strip() or done.stdout.strip()).splitlines()
    lines = [line for line in said if "error: " in line] or said[-1:]
    if not lines:
        return f"signal {-done.returncode}" if done.returncode < 0 else f"exit code {done.returncode}, without a word"
    return lines[0].removeprefix(f"{name}: ").removeprefix("error: ")


def failure_of(done: subprocess.CompletedProcess, instead: dict[str, str] | None = None) -> BenchError:
    """`instead`: texts for names of files that nobody has heard of."""
    text = error_of(done)
    for name, other in (instead or {}).items():
        text = text.replace(name, other)
    return BenchError(f"{Path(done.args[0]).name}: {text}", done.returncode if done.returncode in KNOWN_CODES else Exit.FAILED)


def run_tool(command: list[str], instead: dict[str, str] | None = None) -> str:
    """Standard output of npuc, npu-run, npu-dump; raises BenchError with its exit code."""
    done = call(command)
    if done.returncode != 0:
        raise failure_of(done, instead)
    return done.stdout


def complaint(npuc: Path, words: list[str], files: dict[str, str] | None = None) -> BenchError | None:
    """What npuc has against such options, before there is a model; `files` are beside it."""
    with temporary_folder("npuc-probe-") as folder:
        for name, text in (files or {}).items():
            (folder / name).write_text(text, encoding="utf-8")
        probe = folder / "probe.mlir"
        probe.write_text(PROBE, encoding="utf-8")
        command = [str(npuc), str(probe), "--emit=mlir", "-o", "-", "--quiet", *words]
        done = call(command, folder=folder if files else None)
    return failure_of(done) if done.returncode in (Exit.USAGE, Exit.INPUT) else None


def check_words(npuc: Path, words: list[str]) -> None:
    error = complaint(npuc, words)
    if error:
        raise error
