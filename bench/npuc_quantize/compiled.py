# SPDX-License-Identifier: Apache-2.0
"""The quantised model as npuc compiles it and npu-run's runtime runs it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np

from npu_bench import memory
from npu_bench.contender import Case
from npu_bench.errors import BenchError
from npu_bench.installation import npuc_of
from npu_bench.npuc import program_of, run_tool
from npu_bench.words import shape_words
from npuc_quantize.accuracy import Accuracy
from npuc_quantize.layers import compare_outputs


@dataclasses.dataclass(frozen=True)
class Compilation:
    """What npuc is asked for."""

    target: str
    layout: str
    more: tuple[str, ...] = ()  # npuc's other options
    memory: int | None = None  # the budget of a run

    def words(self) -> list[str]:
        return [f"--target={self.target}", f"--layout={self.layout}", *self.more]


class Compiled:
    """A program, its report, and how exact it is."""

    def __init__(self, build: Path, model: Path, case: Case, compilation: Compilation, folder: Path, threads: int) -> None:
        self.npuc = npuc_of(build)
        self.path = folder / "model.npu"
        report = folder / "npuc.json"
        command = [str(program_of(build, "npuc")), str(model), "-q", "-o", str(self.path), f"--report={report}"]
        run_tool([*command, *shape_words(case.shapes), *compilation.words()],
                 {f"{model}: ": "", str(model): "the quantised model"})  # fmt: skip
        self.report = json.loads(report.read_text(encoding="utf-8"))
        plugins = [plugin["path"] for plugin in self.report["plugins"]]
        try:
            self.program = self.npuc.load(self.path, threads=threads, plugin=plugins)
            memory.check(self.program, self.path, compilation.memory)
        except self.npuc.RunError as error:
            raise BenchError(f"npu-run: {error}") from error
        self.outputs: dict[str, Accuracy] = {}

    def add(self, feed: dict[str, np.ndarray], expected: dict[str, np.ndarray], batch: int) -> None:
        try:
            runs = self.program.bind(feed)
            runs.run()
        except self.npuc.RunError as error:
            raise BenchError(f"npu-run: {error}") from error
        found = runs.outputs()
        for name, right in expected.items():
            compare_outputs(self.outputs.setdefault(name, Accuracy()), found[name], right, batch)

    def as_json(self) -> dict:
        """The keys are npuc's own."""
        keys = ("cycles", "ms", "dram_read_bytes", "dram_written_bytes")
        return {
            "target": self.report["target"],
            "layout": self.report["layout"],
            "kernels": len(self.report["kernels"]),
            "relayouts": self.report["relayouts"]["count"],
            **{key: self.report["chip"][key] for key in keys},
        }
