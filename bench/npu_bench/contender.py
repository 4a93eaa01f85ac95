# SPDX-License-Identifier: Apache-2.0
"""What is compared: our plans (compiled here first) and other runtimes."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from npu_bench.errors import BenchError
from npu_bench.npuc import program_of, run_tool
from npu_bench.program import save_array, signals_wait
from npu_bench.shown import shown_name
from npu_bench.table import cache_file, chip_files
from npu_bench.words import bind_words, shape_words

CACHE_BYTES = 8 * 2**30  # of compiled programs in the build folder


@dataclasses.dataclass(frozen=True)
class Case:
    """One model at one batch size, with its inputs."""

    title: str
    model: Path
    batch: int
    shapes: dict[str, list[int]]  # of every input, nothing unknown
    dimensions: dict[str, int]  # the model's names for unknown sizes
    inputs: dict[str, np.ndarray]  # of every input
    bound: dict[str, str] = dataclasses.field(default_factory=dict)  # those that are constants to npuc, and their files


@dataclasses.dataclass(frozen=True)
class Tools:
    """Where the build, or the installation, put things."""

    build: Path
    npuc: Path
    cache: Path
    words: tuple[str, ...] = ()  # npuc's options, of all plans
    plugins: tuple[str, ...] = ()  # files that they name

    @staticmethod
    def of_build(build: Path, words: Sequence[str] = (), plugins: Sequence[str] = ()) -> "Tools":
        cache = Path(os.environ.get("NPU_BENCH_CACHE", build / "bench-cache"))
        return Tools(build, program_of(build, "npuc"), cache, tuple(words), tuple(plugins))


@dataclasses.dataclass
class Compiled:
    program: Path
    report: dict


def prune(cache: Path, most: int = CACHE_BYTES) -> None:
    """Removes the programs that were not used for longest, so that all together take at most `most` bytes."""
    programs = sorted(cache.glob("*.npu"), key=lambda path: path.stat().st_mtime, reverse=True)
    total = 0
    for program in programs:
        total += program.stat().st_size
        if total > most and program != programs[0]:
            program.unlink(missing_ok=True)
            program.with_suffix(".json").unlink(missing_ok=True)


def plan_words(plan: str) -> tuple[str, list[str]]:
    """The target of TARGET/LAYOUT or TARGET/convert=DESIRED-LAYOUTS, and npuc's options."""
    target, _, strategy = plan.rpartition("/")
    layout, _, desired = strategy.partition("=")
    return target, [f"--target={target}", f"--layout={layout}", *([f"--desired-layouts={desired}"] if desired else [])]


def compile_plan(tools: Tools, case: Case, plan: str, threads: int) -> Compiled:
    """Compiles a plan, unless the same compiler has done it before.

    The same: with the same words, chip, plugins, bound inputs and table of this machine's numbers.
    """
    target, words = plan_words(plan)
    words += [f"--threads={threads}", *tools.words, *shape_words(case.shapes), *bind_words(case.bound)]
    others = [cache_file(), *map(Path, tools.plugins), *map(Path, case.bound.values())]
    files = [(file, os.stat(file)) for file in (tools.npuc, case.model, *filter(Path.exists, others), *chip_files(target))]
    identity = [f"{file} {stat.st_size} {stat.st_mtime_ns}" for file, stat in files]
    key = hashlib.sha256(os.fsencode("\n".join(identity + words))).hexdigest()[:16]
    layout = plan.rpartition("/")[2].partition("=")[0]
    program = tools.cache / f"{case.title}-b{case.batch}-{Path(target).stem}-{layout}-{key}.npu"
    report = program.with_suffix(".json")
    if not (program.exists() and report.exists()):
        tools.cache.mkdir(parents=True, exist_ok=True)
        command = [str(tools.npuc), str(case.model), "-o", str(program), f"--report={report}", *words]
        run_tool(command)
        prune(tools.cache)
    os.utime(program)
    return Compiled(program, json.loads(report.read_text(encoding="utf-8")))


class Contender:
    """A worker process that waits until it is its turn."""

    def __init__(self, name: str, spec: dict, without: Collection[str] = ()) -> None:
        self.name = shown_name(name)
        self.spec = spec
        self.without = without  # inputs that it does not have
        self.folder: tempfile.TemporaryDirectory | None = None
        self.process: subprocess.Popen | None = None
        self.facts: dict = {}
        self.report: dict = {}
        self.kernels: list[dict] = []
        self.rounds: list[dict] = []  # kept rounds, by number
        self.discarded = 0  # rounds thrown away because something disturbed them
        self.disturbed = 0  # kept all the same, for want of better ones

    def start(self, inputs: dict[str, np.ndarray]) -> None:
        """Starts the process, or ends it and starts another; whoever calls this calls stop(), whatever happens."""
        self._end()
        with signals_wait():
            self.folder = self.folder or tempfile.TemporaryDirectory(prefix="npu-bench-")
        files = {}
        own = {name: array for name, array in inputs.items() if name not in self.without}
        for index, (name, array) in enumerate(own.items()):
            files[name] = self._file(f"input{index}.npy")
            save_array(files[name], array)
        spec = {**self.spec, "inputs": files, "outputs": self._file("outputs.npz")}
        threads = str(self.spec["threads"])
        package = str(Path(__file__).resolve().parent.parent)
        environment = {**os.environ, "OMP_NUM_THREADS": threads, "PYTHONPATH": package}
        command = [sys.executable, "-P", "-m", "npu_bench.worker", json.dumps(spec)]
        with signals_wait():
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True, errors="replace", env=environment,
            )  # fmt: skip
        self.facts = self._answer()

    def _file(self, name: str) -> str:
        return str(Path(self.folder.name) / name)

    def ask(self, **request) -> dict:
        with contextlib.suppress(BrokenPipeError):  # why it has ended, its answer says
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict:
        line = self.process.stdout.readline()
        if not line:
            complaint = (self.process.stderr.read().strip().splitlines() or ["nothing on stderr"])[-1]
            code = self.process.wait()
            raise BenchError(f"the worker of {self.name} ended with code {code}: {complaint}")
        answer = json.loads(line)
        if "error" in answer:
            raise BenchError(answer["error"], answer.get("code"))
        return answer

    def outputs(self) -> list[np.ndarray]:
        with np.load(self._file("outputs.npz")) as values:
            return [values[f"value{index}"] for index in range(len(values.files))]

    def _end(self) -> None:
        if self.process:
            self.process.kill()  # it may be in the middle of a long run
            self.process.communicate()
        self.process = None

    def stop(self) -> None:
        with signals_wait():
            self._end()
            if self.folder:
                self.folder.cleanup()
            self.folder = None


def program_spec(
    tools: Tools, program: Path, threads: int, plugins: Sequence[str] = (), memory: int | None = None
) -> dict:  # fmt: skip
    """What a worker has to know to run a compiled program."""
    return {"kind": "npu", "build": str(tools.build), "program": str(program), "threads": threads,
            "plugins": list(plugins), "memory": memory}  # fmt: skip


def ours(tools: Tools, case: Case, plan: str, threads: int, memory: int | None = None) -> Contender:
    compiled = compile_plan(tools, case, plan, threads)
    plugins = [plugin["path"] for plugin in compiled.report["plugins"]]
    contender = Contender(plan, program_spec(tools, compiled.program, threads, plugins, memory), case.bound)
    contender.report = compiled.report
    return contender


def peer(case: Case, name: str, threads: int, precision: str = "f32") -> Contender:
    spec = {"kind": name, "model": str(case.model), "threads": threads, "dimensions": case.dimensions}
    return Contender(name, {**spec, "precision": precision})
