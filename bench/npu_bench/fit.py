# SPDX-License-Identifier: Apache-2.0
"""Turns the numbers of a table until the cost function predicts what was measured.

Every number has kernels that speak of it. It is multiplied by what their
predicted times are off (the median of the ratios, each with the weight of its
predicted time), all numbers at once, a few times over. The predictions come from npuc
itself, so nothing here knows the cost function's formulas.
"""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Callable

from npu_bench.table import Table

ROUNDS = 8
LEAST, MOST = 1e-3, 1e6


@dataclasses.dataclass(frozen=True)
class Sample:
    """One kernel of one variant."""

    variant: str
    kind: str  # of the calibration network's node
    op: str
    bound: str  # by what the prediction is: "mac array", "vector unit", "dma"
    is_large: bool  # moves more than the table's cache holds
    measured_ms: float
    predicted_ms: float

    @property
    def ratio(self) -> float:
        return self.measured_ms / self.predicted_ms


@dataclasses.dataclass(frozen=True)
class Number:
    """A number of the table, and the kernels that speak of it."""

    name: str
    get: Callable[[Table], float]
    set: Callable[[Table, float], None]
    applies: Callable[[Sample], bool]
    inverse: bool = False  # the larger, the faster
    least: float = LEAST
    added: float = 0.0  # not 0: is added to each kernel's time, so many for a millisecond


def weighted_median(values: list[float], weights: list[float]) -> float:
    pairs = sorted(zip(values, weights))
    half, sum_so_far = sum(weights) / 2, 0.0
    for value, weight in pairs:
        sum_so_far += weight
        if sum_so_far >= half:
            return value
    raise ValueError("no values")


def machine_number(
    key: str, applies: Callable[[Sample], bool], inverse: bool = False, least: float = LEAST, added: float = 0.0
) -> Number:
    return Number(key, lambda t: t.machine(key), lambda t, v: t.set_machine(key, v), applies, inverse, least, added)


def layout_cost(name: str, ops: list[str], layout: str, applies: Callable[[Sample], bool], fact: str = "") -> Number:
    def change(table: Table, value: float) -> None:
        for op in ops:
            table.set_cost(op, layout, value, fact)

    return Number(f"{name} {layout}", lambda t: t.cost(ops[-1], layout, fact), change, applies)


def numbers() -> list[Number]:
    """All that is fitted. Variants are the layouts of calibrate.VARIANTS."""
    per_ms = 1e3 * Table.shipped().machine("clock")
    rows = [
        machine_number("mac_columns", lambda s: s.variant == "NHWC" and s.kind == "conv" and s.bound == "mac array", True),
        machine_number("dram_bandwidth", lambda s: s.variant == "NHWC" and s.kind == "copy" and not s.is_large, True),
        machine_number("kernel_start", lambda s: s.kind == "tiny", added=per_ms),
        # Nothing is faster for being far away, or apart.
        machine_number("beyond_cache", lambda s: s.is_large and s.kind == "beyond", least=1.0),
        machine_number("strided_access", lambda s: s.op == "relayout" and s.variant == "NHWC pairs", least=1.0),
    ]  # fmt: skip
    convs = ["conv2d"]
    for layout in ("NHWC", "NCHW16c", "NCHW"):
        def of(kind: str, layout: str = layout) -> Callable[[Sample], bool]:
            return lambda s: s.variant == layout and s.kind == kind and s.op != "relayout"

        if layout != "NHWC":
            rows.append(layout_cost("conv", convs, layout, of("conv")))
        rows.append(layout_cost("pointwise", convs, layout, of("pointwise"), "pointwise"))
        rows.append(layout_cost("depthwise", convs, layout, of("depthwise"), "depthwise"))
        rows.append(layout_cost("deconv", ["conv_transpose2d"], layout, of("deconv")))
        rows.append(layout_cost("max pool", ["max_pool"], layout, of("maxpool")))
        rows.append(layout_cost("avg pool", ["avg_pool"], layout, of("averagepool")))
    rows.append(layout_cost("winograd", ["conv2d_winograd"], "NHWC", lambda s: s.op == "conv2d_winograd"))
    return rows


def _better(row: Number, value: float, chosen: list[Sample]) -> float:
    if row.added:
        return value + row.added * statistics.median(s.measured_ms - s.predicted_ms for s in chosen)
    off = weighted_median([s.ratio for s in chosen], [s.predicted_ms for s in chosen])
    return value / off if row.inverse else value * off


def fit(table: Table, predict: Callable[[Table], list[Sample]], tick: Callable[[], None]) -> list[Sample]:
    """Changes the table; returns the samples with their last predictions."""
    rows = numbers()
    samples = predict(table)
    for _ in range(ROUNDS):
        for row in rows:
            chosen = [sample for sample in samples if row.applies(sample)]
            if not chosen:
                continue
            row.set(table, min(max(_better(row, row.get(table), chosen), row.least), MOST))
        samples = predict(table)
        tick()
    return samples
