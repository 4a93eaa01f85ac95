# SPDX-License-Identifier: Apache-2.0
"""npu-bench --predictions: what the cost function says of every strategy, beside what was measured."""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table as RichTable

from npu_bench.agreement import OF_NETWORKS
from npu_bench.contender import Case, Contender
from npu_bench.fit import weighted_median
from npu_bench.measure import measure, round_medians
from npu_bench.results import Row, make_row
from npu_bench.statistics import (
    Estimate, concordance, estimate, measured_order, order, rank_correlation, sittings_ratio,
)  # fmt: skip
from npu_bench.table import TARGET

STRATEGIES = (
    "optimal", "none", "naive", "auto-nhwc", "preset", "alter",
    "convert=conv2d:NHWC:default", "convert=conv2d:NCHW:default", "convert=conv2d:NCHW16c:default",
)  # fmt: skip
PLANS = tuple(f"{TARGET}/{strategy}" for strategy in STRATEGIES)
PROFILES = 10  # a kernel's time is the median of so many runs
RESOLUTION = 1e-3  # of predictions: each number of a table has four digits
OF_DEVIATION = 1.4826  # a standard deviation for a median deviation of normal errors


@dataclasses.dataclass
class Program:
    """One program, of one or more strategies."""

    row: Row
    times: list[list[float]]  # milliseconds, by sitting and round
    kernels: list[tuple[str, str, float, float]]  # node, implementation, predicted and measured milliseconds


@dataclasses.dataclass(frozen=True)
class Quality:
    """How good the predictions of one network are."""

    raw: float  # the rank correlation of medians
    correlation: float  # the same, with ties
    concordance: float  # of the pairs that measuring tells apart
    loss: Estimate  # the time of the predicted best, over that of the measured best
    kernel_error: float  # of predicted kernels, one standard deviation as a part


def merge(contenders: list[Contender]) -> list[Contender]:
    """One for strategies whose programs do the same work with the same kernels; the others are stopped."""
    merged: dict[str, Contender] = {}
    for contender in contenders:
        implementations = [kernel["implementation"] for kernel in contender.report["kernels"]]
        first = merged.setdefault(contender.facts["work"] + str(implementations), contender)
        if first is not contender:
            first.name += f", {contender.name.rpartition('/')[2]}"
            contender.stop()
    return list(merged.values())


def run(
    case: Case, contenders: list[Contender], arguments: argparse.Namespace, tick: Callable[[], None]
) -> list[Program]:
    """Measures in sittings; in each, every program has a new process."""
    rounds, sittings, threads = arguments.rounds, arguments.sittings, arguments.threads
    times: dict[str, list[list[float]]] = {contender.name: [] for contender in contenders}
    kept: dict[str, list[dict]] = {contender.name: [] for contender in contenders}
    discarded = disturbed = 0
    for sitting in range(sittings):
        for contender in contenders if sitting else []:
            contender.start(case.inputs)
        measure(contenders, math.ceil(rounds / sittings), threads, tick)
        discarded, disturbed = discarded + contenders[0].discarded, disturbed + contenders[0].disturbed
        for contender in contenders:
            times[contender.name].append(round_medians(contender))
            kept[contender.name] += contender.rounds
    programs = []
    for contender in contenders:
        contender.rounds, contender.discarded, contender.disturbed = kept[contender.name], discarded, disturbed
        contender.kernels = kernel_times(contender)
        row = make_row(case, contender, contenders[0].outputs(), OF_NETWORKS[arguments.precision])
        row.latency_ms = estimate(round_medians(contender))
        row.sittings_ms = times[contender.name]
        per_ms = 1e3 * contender.report["chip"]["clock_mhz"]
        kernels = [
            (kernel["node"], kernel["implementation"], kernel["cycles"] / per_ms, measured["ms"])
            for kernel, measured in zip(contender.report["kernels"], contender.kernels)
        ]
        programs.append(Program(row, times[contender.name], kernels))
    return programs


def kernel_times(contender: Contender) -> list[dict]:
    """Kernels with their median times."""
    runs = [contender.ask(profile=1)["kernels"] for _ in range(PROFILES)]
    medians = np.median([[kernel["ms"] for kernel in kernels] for kernels in runs], axis=0)
    return [{**kernel, "ms": float(ms)} for kernel, ms in zip(runs[0], medians)]


def kernel_error(programs: list[Program]) -> float:
    """What a kernel's predicted time is off, as one standard deviation; a common factor is no error."""
    rows = [kernel for program in programs for kernel in program.kernels]
    weights = [predicted for _, _, predicted, _ in rows]
    ratios = [math.log(max(measured, 1e-6) / max(predicted, 1e-6)) for _, _, predicted, measured in rows]
    middle = weighted_median(ratios, weights)
    return OF_DEVIATION * weighted_median([abs(ratio - middle) for ratio in ratios], weights)


def predicted_order(programs: list[Program]) -> np.ndarray:
    """`order` of the predictions; 0 where two are equal to the digits that a table has."""
    predicted = np.array([program.row.predicted_ms for program in programs])
    near = np.abs(predicted[:, None] - predicted) <= RESOLUTION * np.maximum(predicted[:, None], predicted)
    return np.where(near, 0, order(list(predicted)))


def quality(programs: list[Program]) -> Quality:
    """Of one network. Among equal predictions the first counts: STRATEGIES begin with `optimal`."""
    predicted = [program.row.predicted_ms for program in programs]
    measured = [program.row.latency_ms.median for program in programs]
    chosen, best = predicted.index(min(predicted)), measured.index(min(measured))
    ties, truth = predicted_order(programs), measured_order([program.times for program in programs])
    return Quality(
        rank_correlation(order(predicted), order(measured)),
        rank_correlation(ties, truth),
        concordance(ties, truth),
        sittings_ratio(programs[chosen].times, programs[best].times),
        kernel_error(programs),
    )


def correlation_text(value: float) -> str:
    """Not a number: nothing to put in an order."""
    return "none (all tie)" if math.isnan(value) else f"{value:.2f}"


def show_network(programs: list[Program], console: Console) -> Quality:
    found = quality(programs)
    row = programs[0].row
    loss = found.loss
    table = RichTable(
        title=f"{row.model} batch {row.batch}: rank correlation {correlation_text(found.correlation)} (without ties {found.raw:.2f}, "
        f"of pairs told apart {correlation_text(found.concordance)}), "
        f"predicted best {100 * (loss.median - 1):.1f} % above the measured best "
        f"({100 * (loss.low - 1):.1f} to {100 * (loss.high - 1):.1f}), kernels off by {100 * found.kernel_error:.0f} %"
    )
    for heading in ("strategy", "predicted ms", "measured ms", "95 % interval", "ratio"):
        table.add_column(heading, justify="left" if heading == "strategy" else "right")
    for row in sorted((program.row for program in programs), key=lambda row: row.latency_ms.median):
        time = row.latency_ms
        table.add_row(row.contender, f"{row.predicted_ms:.3f}", f"{time.median:.3f}", f"{time.low:.2f}..{time.high:.2f}",
                      f"{row.predicted_ms / time.median:.2f}")  # fmt: skip
    console.print(table)
    return found


def show(groups: list[list[Program]], console: Console) -> None:
    """A table of all networks, if they are several."""
    if len(groups) < 2:
        return
    table = RichTable(title="all networks")
    for heading in ("network", "programs", "rank correlation", "without ties", "of pairs told apart", "predicted best above",
                    "interval"):  # fmt: skip
        table.add_column(heading, justify="left" if heading == "network" else "right")
    for programs in groups:
        found, row = quality(programs), programs[0].row
        low, high = 100 * (found.loss.low - 1), 100 * (found.loss.high - 1)
        table.add_row(f"{row.model} batch {row.batch}", str(len(programs)), correlation_text(found.correlation),
                      f"{found.raw:.2f}", correlation_text(found.concordance), f"{100 * (found.loss.median - 1):.1f} %", f"{low:.1f}..{high:.1f} %")  # fmt: skip
    console.print(table)
    rows = [program.row for programs in groups for program in programs]
    together = rank_correlation(order([row.predicted_ms for row in rows]), order([row.latency_ms.median for row in rows]))
    console.print(f"rank correlation of all {len(rows)} programs: {together:.2f}", markup=False)
