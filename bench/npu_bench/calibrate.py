# SPDX-License-Identifier: Apache-2.0
"""npu-bench --calibrate: measures this machine's kernels in each layout, once."""

from __future__ import annotations

import dataclasses
import json
import statistics
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import yaml
from rich.console import Console
from rich.progress import Progress
from rich.table import Table as RichTable

from npu_bench import calibration_net
from npu_bench.caches import cache_kib
from npu_bench.contender import Contender, Tools, program_spec
from npu_bench.errors import BenchError
from npu_bench.fit import ROUNDS, Sample, fit, numbers
from npu_bench.installation import npuc_of
from npu_bench.npuc import run_tool
from npu_bench.program import temporary_folder
from npu_bench.table import TARGET, Table, cache_file, processor_name

RUNS_PER_ROUND = 4
# A kernel's time: that of its quicker runs, since what disturbs only adds.
PERCENTILE = 10


@dataclasses.dataclass(frozen=True)
class Variant:
    """The calibration network in given layouts, whatever they cost."""

    name: str
    words: tuple[str, ...]
    only: str = ""  # convolutions take nothing else
    winograd: bool = False  # wherever it fits

    def table(self, table: Table) -> Table:
        return table.only("conv2d", self.only) if self.only else table


VARIANTS = (
    Variant("NHWC", ("--layout=auto-nhwc",)),
    Variant("NCHW16c", ("--layout=convert", "--desired-layouts=conv2d:NCHW16c:default")),
    Variant("NCHW", ("--layout=none",)),
    Variant("NHWC pairs", ("--layout=naive",), only="NHWC"),
    Variant("NCHW16c pairs", ("--layout=naive",), only="NCHW16c"),
    Variant("winograd", ("--layout=auto-nhwc",), winograd=True),
)


class Calibration:
    """Compiles the variants in a folder of its own."""

    def __init__(self, tools: Tools, threads: int, folder: Path) -> None:
        self.tools, self.threads, self.folder = tools, threads, folder
        self.model = folder / "calibration.onnx"
        onnx.save(calibration_net.network(), self.model)
        self.kernels: dict[str, list[float]] = {}  # milliseconds, by variant

    def report(self, variant: Variant, table: Table, *words: str) -> dict:
        """What npuc says about a variant by a table's numbers."""
        target = self.folder / f"{TARGET}.yaml"
        variant.table(table).write(target)
        report = self.folder / "report.json"
        plan = [f"--layout-plan={self.folder / 'winograd.yaml'}"] if variant.winograd else []
        command = [self.tools.npuc, self.model, f"--target={target}", f"--report={report}", "-q",
                   f"--threads={self.threads}", *variant.words, *plan, *words]  # fmt: skip
        run_tool(list(map(str, command)))
        return json.loads(report.read_text(encoding="utf-8"))

    def pin_winograd(self, table: Table) -> None:
        """A plan that holds Winograd's algorithm wherever it fits."""
        cheap = table.copy()
        cheap.set_cost("conv2d_winograd", "NHWC", 0.01)
        plan = self.folder / "winograd.yaml"
        self.report(Variant("winograd", ("--layout=optimal",)), cheap, "--emit=mlir",
                    f"--output={self.folder / 'graph.mlir'}", f"--write-layout-plan={plan}")  # fmt: skip
        content = yaml.safe_load(plan.read_text(encoding="utf-8"))
        rows = [row for row in content.pop("layouts") if row.get("algorithm", "direct") != "direct"]
        content["pins"] = [{key: row[key] for key in ("op", "algorithm")} for row in rows]
        plan.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")

    def prepare(self, variant: Variant, table: Table) -> Contender:
        program = self.folder / f"{variant.name}.npu"
        contender = Contender(variant.name, program_spec(self.tools, program, self.threads))
        contender.report = self.report(variant, table, f"--output={program}")
        return contender

    def measure(self, contenders: list[Contender], rounds: int, tick: Callable[[], None]) -> None:
        times: dict[str, list[list[float]]] = {contender.name: [] for contender in contenders}
        for _ in range(rounds):
            for contender in contenders:
                contender.ask(runs=1)
                for _ in range(RUNS_PER_ROUND):
                    rows = contender.ask(profile=1)["kernels"]
                    times[contender.name].append([row["ms"] for row in rows])
            tick()
        for name, runs in times.items():
            self.kernels[name] = list(np.percentile(np.array(runs), PERCENTILE, axis=0))

    def samples(self, table: Table) -> list[Sample]:
        rows = []
        for variant in VARIANTS:
            report = self.report(variant, table, "--emit=html", f"--output={self.folder / 'graph.html'}")
            measured = self.kernels[variant.name]
            if len(report["kernels"]) != len(measured):
                raise BenchError(f"--calibrate: {variant.name} has other kernels than were measured")
            per_ms, cache = 1e3 * table.machine("clock"), 1024 * table.machine("cache")
            for kernel, ms in zip(report["kernels"], measured):
                moved = kernel["dram_read_bytes"] + kernel["dram_written_bytes"]
                rows.append(Sample(variant.name, kind_of(kernel["node"]), kernel["op"], kernel["bound"], moved > cache,
                                   max(ms, 1e-6), kernel["cycles"] / per_ms))  # fmt: skip
        return rows


def kind_of(node: str) -> str:
    """"Conv 'depthwise_5' + Relu 'depthwise_6'": depthwise."""
    return node.partition("'")[2].partition("_")[0]


def calibrate(tools: Tools, threads: int, rounds: int, progress: Progress) -> tuple[Table, list[Sample]]:
    """A table of this machine, and how well it predicts what it is from."""
    table = Table.shipped()
    task = progress.add_task("calibrating: caches", total=1 + len(VARIANTS) + rounds + ROUNDS)

    def tick() -> None:
        progress.advance(task)

    table.set_machine("cache", cache_kib(threads))
    tick()
    progress.update(task, description="calibrating: compiling")
    running: list[Contender] = []
    with temporary_folder("npu-calibrate-") as folder:
        try:
            calibration = Calibration(tools, threads, folder)
            calibration.pin_winograd(table)
            for variant in VARIANTS:
                running.append(calibration.prepare(variant, table))
                running[-1].start({"x": calibration_net.sample()})
                tick()
            progress.update(task, description="calibrating: measuring")
            calibration.measure(running, rounds, tick)
        finally:
            for contender in running:
                contender.stop()
        progress.update(task, description="calibrating: fitting")
        samples = fit(table, calibration.samples, tick)
    table.set_measured(npuc_of(tools.build).kernel_library(), threads)
    return table, samples


def run_calibration(tools: Tools, threads: int, rounds: int, console: Console) -> None:
    """Measures, keeps the table where npuc finds it, and prints it."""
    with Progress(console=Console(stderr=True), transient=True) as progress:
        table, samples = calibrate(tools, threads, rounds, progress)
    path = cache_file()
    table.write(path)
    rows = RichTable(title=f"{processor_name()}, {threads} threads")
    for heading in ("number", "built in", "measured", "kernels", "median error"):
        rows.add_column(heading, justify="left" if heading == "number" else "right")
    for number in numbers():
        off = [abs(sample.ratio - 1.0) for sample in samples if number.applies(sample)]
        rows.add_row(number.name, f"{number.get(Table.shipped()):.4g}", f"{number.get(table):.4g}", str(len(off)),
                     f"{100 * statistics.median(off):.0f} %" if off else "")  # fmt: skip
    console.print(rows)
    console.print(f"written to {path}; npuc --target={TARGET} uses it", markup=False, soft_wrap=True)
