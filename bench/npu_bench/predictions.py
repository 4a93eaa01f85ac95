# SPDX-License-Identifier: Apache-2.0
"""npu-bench --predictions: what the cost function says of every strategy, beside what was measured."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table as RichTable

from npu_bench.results import Row
from npu_bench.statistics import rank_correlation
from npu_bench.table import TARGET

STRATEGIES = (
    "none", "naive", "auto-nhwc", "preset", "alter", "optimal",
    "convert=conv2d:NHWC:default", "convert=conv2d:NCHW:default", "convert=conv2d:NCHW16c:default",
)  # fmt: skip
PLANS = tuple(f"{TARGET}/{strategy}" for strategy in STRATEGIES)


def merge(rows: list[Row]) -> list[Row]:
    """One row for strategies that made the same program; the quickest measurement of it counts."""
    merged: dict[tuple, Row] = {}
    for row in rows:
        key = (row.model, row.batch, row.program or row.contender)
        first = merged.setdefault(key, row)
        if first is not row:
            first.contender += f", {row.contender.rpartition('/')[2]}"
            if row.latency_ms.median < first.latency_ms.median:
                first.latency_ms = row.latency_ms
    return list(merged.values())


def quality(rows: list[Row]) -> tuple[float, float]:
    """Of one network: the rank correlation, and by how much the predicted best is slower than the best."""
    predicted, measured = [row.predicted_ms for row in rows], [row.latency_ms.median for row in rows]
    chosen = measured[predicted.index(min(predicted))]
    return rank_correlation(predicted, measured), chosen / min(measured) - 1.0


def show(rows: list[Row], console: Console) -> list[Row]:
    """Prints one table for each network; returns the merged rows."""
    failed = [row for row in rows if row.error]
    merged = merge([row for row in rows if not row.error])
    for title, batch in dict.fromkeys((row.model, row.batch) for row in merged):
        group = [row for row in merged if (row.model, row.batch) == (title, batch)]
        correlation, loss = quality(group)
        table = RichTable(title=f"{title} batch {batch}: rank correlation {correlation:.2f}, "
                                f"predicted best {100 * loss:.1f} % above the measured best")  # fmt: skip
        for heading in ("strategy", "predicted ms", "measured ms", "ratio"):
            table.add_column(heading, justify="left" if heading == "strategy" else "right")
        for row in sorted(group, key=lambda row: row.latency_ms.median):
            table.add_row(row.contender, f"{row.predicted_ms:.3f}", f"{row.latency_ms.median:.3f}",
                          f"{row.predicted_ms / row.latency_ms.median:.2f}")  # fmt: skip
        console.print(table)
    for row in failed:
        console.print(f"{row.model} batch {row.batch}: {row.contender}: {row.error}", markup=False)
    return merged + failed
