# SPDX-License-Identifier: Apache-2.0
"""The quantised model as npuc compiles it and npu-run's runtime runs it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np

from npu_bench.calls import call
from npu_bench.contender import Case
from npu_bench.errors import BenchError
from npu_bench.installation import npuc_of
from npu_bench.words import shape_words
from npuc_quantize.accuracy import Accuracy
from npuc_quantize.layers import compare_outputs


@dataclasses.dataclass(frozen=True)
class Compilation:
    """What npuc is asked for."""

    target: str
    layout: str
    fallback: str | None

    def words(self) -> list[str]:
        return [f"--target={self.target}", f"--layout={self.layout}"] + (
            [f"--fallback={self.fallback}"] if self.fallback else []
        )


class Compiled:
    """A program, its report, and how exact it is."""

    def __init__(self, build: Path, model: Path, case: Case, compilation: Compilation, folder: Path, threads: int) -> None:
        self.npuc = npuc_of(build)
        self.path = folder / "model.npu"
        report = folder / "npuc.json"
        command = [str(build / "bin" / "npuc"), str(model), "-q", "-o", str(self.path), f"--report={report}"]
        if not Path(command[0]).exists():
            raise BenchError(f"{command[0]} is not there; run `make build` first, or say --build=FOLDER")
        done = call([*command, *shape_words(case.shapes), *compilation.words()])
        if done.returncode != 0:
            raise BenchError(_npuc_said(done.stderr, done.returncode, model))
        self.report = json.loads(report.read_text(encoding="utf-8"))
        try:
            self.program = self.npuc.load(self.path, threads=threads)
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


def _npuc_said(text: str, code: int, model: Path) -> str:
    """Its first line, without the name of a file that nobody has heard of."""
    first = next(iter(text.strip().splitlines()), f"exit code {code}")
    return f"npuc: {first.removeprefix('npuc: error: ').replace(f'{model}: ', '').replace(str(model), 'the quantised model')}"
