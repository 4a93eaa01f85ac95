# SPDX-License-Identifier: Apache-2.0
"""From points and their results to rows, the Pareto front, and files."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import defaultdict

import pyarrow
from pyarrow import parquet

from npu_bench.shown import plain
from npu_sweep.chip import unit_of
from npu_sweep.grid import Point, number_of

# Columns of a result, with their units. Nothing here depends on when or where it was computed.
MEASURES = {
    "cycles": "cycles",
    "ms": "ms at the chip's clock",
    "compute_cycles": "cycles",
    "dma_cycles": "cycles",
    "relayout_cycles": "cycles",
    "relayouts": "",
    "relayout_bytes": "B",
    "dram_read_bytes": "B",
    "dram_written_bytes": "B",
    "dram_bytes": "B, read and written",
    "on_chip_read_bytes": "B, by array and vector unit",
    "on_chip_written_bytes": "B, by array and vector unit",
    "on_chip_peak_bytes": "B, used",
    "sram_bytes": "B, of the chip",
    "macs_per_cycle": "MAC, of the chip",
    "macs": "multiply-accumulates",
    "energy_pj": "pJ",
    "utilisation": "part of the array's peak",
    "arena_bytes": "B",
    "weight_bytes": "B",
}
# "B, used" is B.
SHORT_UNITS = {name: unit.partition(",")[0].partition(" at ")[0] for name, unit in MEASURES.items()}
REAL = ("ms", "utilisation")
# What a chip has costs area, whatever a network uses of it.
OBJECTIVES = ("cycles", "sram_bytes", "macs_per_cycle", "dram_bytes", "energy_pj")
# 0 where a chip's file says nothing: as much as is asked for, and as dear as may be.
MAY_BE_UNSAID = ("sram_bytes", "energy_pj")
WHO = ("model", "target", "layout", "batch")


def make_rows(points: list[Point], results: list[dict]) -> list[dict]:
    """One row a point, in the grid's order."""
    rows = []
    for point, result in zip(points, results):
        values = dict(result["values"])
        if values:
            values["dram_bytes"] = values["dram_read_bytes"] + values["dram_written_bytes"]
        row = {"point": point.number, "model": point.model.name, "target": point.chip.name}
        row |= {"layout": point.layout, "batch": point.batch}
        row |= {key: number_of(value) for key, value in point.settings.items()}
        row |= {name: _measure(name, values) for name in MEASURES}
        rows.append({**row, "front": False, "error": plain(result["error"])})
    mark_fronts(rows)
    return rows


def objectives_of(rows: list[dict]) -> list[str]:
    """Energy only where a chip says it."""
    return [name for name in OBJECTIVES if name != "energy_pj" or any(row.get(name) for row in rows)]


def _measure(name: str, values: dict) -> int | float | None:
    if name not in values:
        return None
    return float(values[name]) if name in REAL else int(values[name])


def mark_fronts(rows: list[dict]) -> None:
    """Compares points of the same network and batch: a front over several would say nothing."""
    groups, names = defaultdict(list), objectives_of(rows)
    for row in rows:
        if not row["error"]:
            groups[row["model"], row["batch"]].append(row)
    for group in groups.values():
        costs = [tuple(row[name] if row[name] or name not in MAY_BE_UNSAID else math.inf for name in names)
                 for row in group]  # fmt: skip
        best = pareto(costs)
        for row, cost in zip(group, costs):
            row["front"] = cost in best


def pareto(costs: list[tuple]) -> set[tuple]:
    """Those that no other undercuts: nowhere worse, and better somewhere."""
    front: list[tuple] = []
    for cost in sorted(set(costs)):  # whatever beats a cost sorts before it
        if not any(all(mine <= other for mine, other in zip(one, cost)) for one in front):
            front.append(cost)
    return set(front)


def csv_text(rows: list[dict]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(rows[0])
    for row in rows:
        writer.writerow([_cell(value) for value in row.values()])
    return out.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def parquet_bytes(rows: list[dict], units: dict[str, str]) -> bytes:
    """The same table; each column's unit is in its field's metadata."""
    fields, columns = [], []
    for name in rows[0]:
        values = [row[name] for row in rows]
        kind = _type_of(name, values)
        if kind == pyarrow.string():
            values = [None if value is None else str(value) for value in values]
        unit = {**MEASURES, **units}.get(name, "")
        fields.append(pyarrow.field(name, kind, metadata={"unit": unit} if unit else None))
        columns.append(pyarrow.array(values, kind))
    out = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.Table.from_arrays(columns, schema=pyarrow.schema(fields)), out)
    return out.getvalue().to_pybytes()


def _type_of(name: str, values: list) -> pyarrow.DataType:
    """A column's type does not depend on which points failed."""
    if name in MEASURES:
        return pyarrow.float64() if name in REAL else pyarrow.int64()
    if name == "front":
        return pyarrow.bool_()
    if all(isinstance(value, int) for value in values):
        return pyarrow.int64()
    return pyarrow.float64() if all(isinstance(value, (int, float)) for value in values) else pyarrow.string()


def times_csv(points: list[Point], results: list[dict]) -> str:
    """What differs from run to run: who computed a point, and the seconds it took."""
    lines = ["point,worker,compile_seconds,simulate_seconds"]
    for point, result in zip(points, results):
        seconds = [result["seconds"].get(stage) for stage in ("compile", "simulate")]
        texts = ["" if value is None else f"{value:.3f}" for value in seconds]
        lines.append(",".join([str(point.number), result["worker"], *texts]))
    return "\n".join(lines) + "\n"


def units_of(points: list[Point]) -> dict[str, str]:
    """Of the columns that --set makes, as the first target's file says."""
    first = points[0]
    return {key: unit_of(first.chip, key, value) for key, value in first.settings.items()}


def page_data(rows: list[dict], units: dict[str, str]) -> str:
    """JSON that may stand inside a page's <script>."""
    data = {
        "objectives": objectives_of(rows),
        "who": WHO,
        "settings": list(units),
        "units": {**MEASURES, **units},
        "short_units": {**SHORT_UNITS, **units},
        "columns": list(rows[0]),
        "rows": [list(row.values()) for row in rows],
    }
    return json.dumps(data).replace("<", "\\u003c").replace("\u2028", "\\u2028")
