# SPDX-License-Identifier: Apache-2.0
"""Gives npuc, npu-run and npu-layout-diff thousands of wrong files, and looks at how they end.

Each run must end with one of the tool's exit codes, within time and memory,
with one error if it is not 0 and none if it is, on plain lines, and leave
nothing behind but what it was asked for. What compiles is also loaded and run.
A case is named by its kind and number, and is the same each time.

Examples:
  mutate.py --build=build --seconds=60               # all kinds in turn, from a number of today's
  mutate.py --build=build --kind=onnx --count=20000
  mutate.py --build=build --kind=onnx --first=4711 --count=1 --keep=here
Exit codes: 0 nothing found, 1 findings, 2 wrong usage."""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import datetime
import os
import random
import re
import shlex
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import cases  # noqa: E402
from fork_server import Outcome, Server  # noqa: E402

CODES = {"npuc": range(9), "npu-run": range(9), "npu-layout-diff": {0, 1, 2, 3, 6, 8}}
PYTHON = {"npu-layout-diff": Path(__file__).resolve().parents[2] / "bench" / "npu_layout_diff"}
QUIET = {"npu-layout-diff": {0, 1}}  # exit codes that are no error
LONGEST_LINE = 6000
PLAIN = re.compile(r"[^\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\udc80-\udcff]*\Z")
PER_DAY = 1_000_000


class Limits:
    """What a run may take."""

    def __init__(self, arguments: argparse.Namespace):
        self.seconds, self.memory = arguments.run_seconds, arguments.memory
        # The hard limits lie above those that are judged: waiting is not work.
        self.hang = int(max(60, 6 * self.seconds))


class Tools:
    """The servers of one thread, and its folder."""

    def __init__(self, build: Path, folder: Path, limits: Limits):
        self.folder, self.limits = folder, limits
        self.servers = {name: Server(PYTHON.get(name, build / "bin" / f"{name}-server"), limits.hang) for name in CODES}
        folder.mkdir()

    def clean(self) -> None:
        for path in self.folder.iterdir():
            path.unlink()

    def run(self, tool: str, words: list[str], made: str) -> tuple[Outcome, str]:
        """How it ended, and what is wrong with that."""
        before = {path.name for path in self.folder.iterdir()} | {"messages.txt"}
        outcome = self.servers[tool].run(self.folder, words)
        left = {path.name for path in self.folder.iterdir()} - before
        wrong = complaint(tool, words, outcome, self.limits)
        if not wrong and left != ({made} if made and outcome.code == 0 else set()):
            wrong = f"leaves {sorted(left)} with exit code {outcome.code}"
        return outcome, wrong


def complaint(tool: str, words: list[str], outcome: Outcome, limits: Limits) -> str:
    """What is wrong with the end of a run, or nothing."""
    if outcome.code < 0:
        return f"is ended by signal {-outcome.code}"
    if outcome.code not in CODES[tool]:
        return f"has the exit code {outcome.code}"
    if outcome.seconds > limits.seconds:
        return f"takes {outcome.seconds:.1f} seconds"
    if outcome.memory > limits.memory:
        return f"takes {outcome.memory >> 20} MiB"
    lines, expected = outcome.text.splitlines(), outcome.code not in QUIET.get(tool, {0})
    if not PLAIN.match(outcome.text.replace("\n", "")):
        return "prints control characters"
    is_data = "--json" in words and outcome.code in QUIET.get(tool, {0})  # strings stand there whole
    if not is_data and max(map(len, lines), default=0) > LONGEST_LINE:
        return f"prints a line of {max(map(len, lines))} characters"
    if len(outcome.errors(tool)) != expected or sum("error: " in line for line in lines) < expected:
        return f"prints {len(outcome.errors(tool))} errors with exit code {outcome.code}"
    known = (f"{tool}: error: ", f"{tool}: note: ", f"{tool}: warning: ")
    if outcome.code not in QUIET.get(tool, {0}) and (other := [line for line in lines if not line.startswith(known)]):
        return f"prints '{other[0][:200]}'"
    return ""


def run_case(kind: str, number: int, tools: Tools) -> tuple[str, str, list[str]]:
    """What is wrong, the tool's text, and the commands so far."""
    tools.clean()
    files, command = cases.KINDS[kind](random.Random(f"{kind} {number}"))
    for name, data in files.items():
        (tools.folder / name).write_bytes(data)
    commands = [f"{command.tool} {shlex.join(command.words)}"]
    outcome, wrong = tools.run(command.tool, command.words, command.makes)
    if wrong or outcome.code != 0 or command.makes != "out.npu":
        return wrong, outcome.text, commands
    words = ["out.npu", "--random-inputs=1", "--threads=1"]
    commands.append(f"npu-run {shlex.join(words)}")
    outcome, wrong = tools.run("npu-run", words, "")
    return wrong, outcome.text, commands


class Hunt:
    """Runs cases with several threads and collects what is wrong."""

    def __init__(self, arguments: argparse.Namespace, scratch: Path):
        self.arguments, self.scratch = arguments, scratch
        self.limits = Limits(arguments)
        self.lock, self.indices = threading.Lock(), iter(range(arguments.count))
        self.counts: collections.Counter[str] = collections.Counter()
        self.findings: collections.Counter[str] = collections.Counter()
        self.end = time.monotonic() + arguments.seconds if arguments.seconds else None

    def work(self, thread: int) -> None:
        """Takes the next case until there is none, or the time is over."""
        tools = Tools(self.arguments.build, self.scratch / str(thread), self.limits)
        kinds = kinds_of(self.arguments)
        while self.end is None or time.monotonic() < self.end:
            with self.lock:
                index = next(self.indices, None)
            if index is None:
                return
            kind, number = kinds[index % len(kinds)], self.arguments.first + index
            wrong, text, commands = run_case(kind, number, tools)
            with self.lock:
                self.counts[kind] += 1
                if wrong:
                    self.report(kind, number, wrong, text, commands, tools)

    def report(self, kind: str, number: int, wrong: str, text: str, commands: list[str], tools: Tools) -> None:
        """Keeps the files, and says how to see it again."""
        program = commands[-1].split()[0]
        self.findings[f"{program} {wrong}"] += 1
        folder = self.arguments.keep / f"{kind}-{number}"
        folder.mkdir(parents=True, exist_ok=True)
        for path in tools.folder.iterdir():
            if path.is_file():
                (folder / path.name).write_bytes(path.read_bytes())
        again = f"python3 {Path(__file__).name} --build={self.arguments.build} --kind={kind} --first={number} --count=1"
        (folder / "command.txt").write_text("\n".join([*commands, again, wrong]) + "\n", encoding="utf-8")
        first = text.splitlines()[0][:300] if text else ""
        print(f"{kind} {number}: {program} {wrong}\n  {first!r}\n  kept in {folder}", flush=True)


def kinds_of(arguments: argparse.Namespace) -> list[str]:
    """The kinds in turn; without a choice five ONNX models to one of each other."""
    return arguments.kind or ["onnx"] * 5 + [kind for kind in cases.KINDS if kind != "onnx"]


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    today = datetime.date.today().timetuple().tm_yday
    parser.add_argument("--build", type=Path, required=True, help="the build folder with bin/")
    parser.add_argument("--kind", choices=tuple(cases.KINDS), action="append", help="only files of this kind; may be repeated")
    parser.add_argument("--count", type=int, default=10**6, help="how many cases")
    parser.add_argument("--seconds", type=float, help="how long to go on, if that is less")
    parser.add_argument("--first", type=int, default=today * PER_DAY, help="number of the first case [another one each day]")
    parser.add_argument("--run-seconds", type=float, default=10, help="the most that one run may take of the processor [10]")
    parser.add_argument("--memory", type=int, default=3 << 29, help="the most bytes that one run may take [1.5 GiB]")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time")
    parser.add_argument("--keep", type=Path, default=Path("mutation-findings"), help="where the files of findings go")
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    return arguments


def main() -> int:
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        hunt = Hunt(arguments, scratch)
        first = Tools(arguments.build, scratch / "examples", hunt.limits)
        cases.make_examples(first.servers["npuc"], first.folder)
        print(f"from number {arguments.first}", flush=True)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            list(pool.map(hunt.work, range(arguments.jobs)))
    print(", ".join(f"{count} {kind}" for kind, count in hunt.counts.items()))
    for what, count in hunt.findings.most_common():
        print(f"{count:5} {what}")
    print(f"{sum(hunt.findings.values())} findings")
    return 1 if hunt.findings else 0


if __name__ == "__main__":
    sys.exit(main())
