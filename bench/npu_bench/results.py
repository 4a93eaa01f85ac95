# SPDX-License-Identifier: Apache-2.0
"""From measured rounds to rows: plain data that tables, JSON and charts share."""

from __future__ import annotations

import dataclasses
from collections import Counter

import numpy as np

from npu_bench.agreement import Difference, Tolerance, differences
from npu_bench.contender import Case, Contender
from npu_bench.measure import round_medians
from npu_bench.statistics import Estimate, estimate, estimate_ratio
from npu_bench.words import PEERS


@dataclasses.dataclass
class Row:
    """One contender in one case. Fields that do not apply are None."""

    model: str
    batch: int
    contender: str
    error: str | None = None
    exit_code: int = 0  # that goes with the error
    latency_ms: Estimate | None = None
    min_ms: float | None = None
    rounds: int = 0
    discarded_rounds: int = 0
    disturbed_rounds: int = 0
    peak_rss_bytes: int | None = None
    load_ms: float | None = None
    difference: Difference | None = None  # of outputs, from the first contender that ran
    ratio_to_best_peer: Estimate | None = None  # below 1: faster than it
    gain_over_naive: Estimate | None = None  # above 1: faster than it
    gain_over_none: Estimate | None = None
    relayouts: int | None = None
    relayout_bytes: int | None = None
    relayout_share: float | None = None
    kernels: int | None = None
    implementations: dict[str, int] = dataclasses.field(default_factory=dict)
    slow_kernels: list[str] = dataclasses.field(default_factory=list)
    warnings: list[str] = dataclasses.field(default_factory=list)
    version: str | None = None
    predicted_ms: float | None = None  # by the target's cost function
    predicted_relayout_share: float | None = None  # of predicted_ms
    energy_pj: int | None = None  # by the target's numbers, if it says energy
    sittings_ms: list[list[float]] | None = None  # of --predictions: each round's median, by sitting


def make_row(case: Case, contender: Contender, reference: list[np.ndarray], tolerance: Tolerance) -> Row:
    answers = contender.rounds
    row = Row(case.title, case.batch, contender.name)
    row.latency_ms = estimate(round_medians(contender))
    row.min_ms = min(min(answer["times_ms"]) for answer in answers)
    row.rounds, row.discarded_rounds = len(answers), contender.discarded
    row.disturbed_rounds = contender.disturbed
    row.peak_rss_bytes = max(answer["peak_rss_bytes"] for answer in answers)
    row.load_ms = contender.facts.get("load_ms")
    row.version = contender.facts.get("version")
    row.warnings = contender.facts.get("warnings", [])
    row.difference = differences(contender.outputs(), reference, tolerance)
    if contender.report:
        _add_report(row, contender)
    return row


def _add_report(row: Row, contender: Contender) -> None:
    relayouts = contender.report["relayouts"]
    kernels = contender.report["kernels"]
    chip = contender.report["chip"]
    row.predicted_ms = chip["ms"]
    row.predicted_relayout_share = chip["relayout_cycles"] / chip["cycles"] if chip["cycles"] else 0.0
    row.energy_pj = chip["energy_pj"] or None
    row.relayouts, row.relayout_bytes = relayouts["count"], relayouts["bytes"]
    total = sum(kernel["ms"] for kernel in contender.kernels)
    moving = sum(kernel["ms"] for kernel in contender.kernels if kernel["relayout"])
    row.relayout_share = moving / total if total else 0.0
    row.kernels = len(contender.kernels)
    row.implementations = dict(Counter(kernel["implementation"] for kernel in contender.kernels).most_common())
    row.slow_kernels = [kernel["name"] for kernel in contender.kernels if kernel["slow"]]


def compare(rows: list[Row], contenders: list[Contender]) -> None:
    """Adds ratios between contenders of one case, which shared their rounds."""
    times = {contender.name: round_medians(contender) for contender in contenders}
    medians = {row.contender: row.latency_ms.median for row in rows if row.latency_ms}
    peers = [name for name in PEERS if name in medians]
    best_peer = min(peers, key=medians.__getitem__) if peers else None
    baselines = {layout: next((n for n in medians if n.endswith(f"/{layout}")), None) for layout in ("naive", "none")}
    for row in rows:
        if not row.latency_ms:
            continue
        own = times[row.contender]
        if best_peer and row.contender not in PEERS:
            row.ratio_to_best_peer = estimate_ratio(own, times[best_peer])
        if baselines["naive"] and row.contender not in PEERS:
            row.gain_over_naive = estimate_ratio(times[baselines["naive"]], own)
        if baselines["none"] and row.contender not in PEERS:
            row.gain_over_none = estimate_ratio(times[baselines["none"]], own)
