# SPDX-License-Identifier: Apache-2.0
"""How exact the quantised model is, as a table and as JSON (docs/npuc-quantize.md has the keys)."""

from __future__ import annotations

import dataclasses

from rich.table import Table

from npu_bench.contender import Case
from npu_bench.shown import shown_name
from npuc_quantize.accuracy import MOST_DECIBELS, Accuracy
from npuc_quantize.compiled import Compiled
from npuc_quantize.data import Feeds
from npuc_quantize.layers import Comparison, Layer
from npuc_quantize.pictures import Preparation
from npuc_quantize.quantiser import Settings, Spared

LAYERS_SHOWN = 10


@dataclasses.dataclass(frozen=True)
class Result:
    """All that is known when it is done."""

    case: Case
    settings: Settings
    preparation: Preparation
    calibration: Feeds
    tests: Feeds
    is_tested_on_others: bool
    comparison: Comparison
    compiled: Compiled | None
    spared: list[Spared]

    def outputs(self) -> list[tuple[str, str, Accuracy]]:
        """Of every output: who computed it, and how exact it is."""
        rows = [(name, "onnxruntime", accuracy) for name, accuracy in self.comparison.outputs.items()]
        if self.compiled:
            rows += [(name, "npu-run", accuracy) for name, accuracy in self.compiled.outputs.items()]
        return rows

    def judged(self) -> list[tuple[str, Accuracy]]:
        """What budgets are about: the outputs of the program, if there is one."""
        judge = "npu-run" if self.compiled else "onnxruntime"
        return [(name, accuracy) for name, by, accuracy in self.outputs() if by == judge]

    @property
    def layers_on_bytes(self) -> int:
        return sum(layer.on_bytes for layer in self.comparison.layers)


def json_of(result: Result) -> dict:
    return {
        "version": 1,
        "model": result.case.title,
        "settings": dataclasses.asdict(result.settings),
        "inputs": [_input_json(result, name) for name in result.case.shapes],
        "calibration": {"data": result.calibration.paths(), "samples": result.calibration.samples},
        "test": {"data": result.tests.paths(), "samples": result.tests.samples,
                 "is_calibration_data": not result.is_tested_on_others},
        "outputs": [{"name": name, "by": by, "shape": result.comparison.shapes[name], **accuracy.as_json()}
                    for name, by, accuracy in result.outputs()],
        "spared": [dataclasses.asdict(one) for one in result.spared],
        "layers_on_bytes": result.layers_on_bytes,
        "layers": [_layer_json(layer) for layer in result.comparison.layers],
        "program": result.compiled.as_json() if result.compiled else None,
    }  # fmt: skip


def _input_json(result: Result, name: str) -> dict:
    frame = result.calibration.frames().get(name)
    found = {"name": name, "shape": result.case.shapes[name], "pictures": None}
    if frame:
        prepared = dataclasses.asdict(result.preparation)
        del prepared["most_pixels"]
        found["pictures"] = {**dataclasses.asdict(frame), **prepared}
    return found


def _layer_json(layer: Layer) -> dict:
    step = layer.step
    return {
        "node": layer.node,
        "op": layer.op,
        "value": layer.value,
        "shape": layer.shape,
        "on_bytes": layer.on_bytes,
        "scale": step.scale if step else None,
        "zero_point": step.zero_point if step else None,
        **layer.error.as_json(),
        "own_sqnr_db": round(layer.own.sqnr, 3) if step else None,
    }


def decibels(value: float) -> str:
    return "exact" if value >= MOST_DECIBELS else f"{value:.1f}"


def output_table(result: Result) -> Table:
    table = Table("output", "computed by", header_style="bold", pad_edge=False, box=None)
    for name in ("SQNR, dB", "max error", "of at most", "cosine", "same class"):
        table.add_column(name, justify="right")
    for name, by, accuracy in result.outputs():
        top1 = "" if accuracy.top1 is None else f"{accuracy.agreed} of {accuracy.classes}"
        table.add_row(shown_name(name), by, decibels(accuracy.sqnr), f"{accuracy.worst:.3g}", f"{accuracy.largest:.3g}",
                      f"{accuracy.cosine:.6f}", top1)  # fmt: skip
    return table


def layer_table(layers: list[Layer]) -> Table:
    table = Table("node", "op", "in", header_style="bold", pad_edge=False, box=None)
    for name in ("SQNR, dB", "own, dB", "max error", "of at most", "cosine"):
        table.add_column(name, justify="right")
    for layer in layers:
        own = decibels(layer.own.sqnr) if layer.step else ""
        error = layer.error
        table.add_row(shown_name(layer.node), layer.op, "bytes" if layer.on_bytes else "float32", decibels(error.sqnr),
                      own, f"{error.worst:.3g}", f"{error.largest:.3g}", f"{error.cosine:.6f}")  # fmt: skip
    return table


def shown_layers(result: Result, every: bool) -> list[Layer]:
    """All, or those that lose most, in the model's order."""
    layers = result.comparison.layers
    if every:
        return layers
    worst = sorted(range(len(layers)), key=lambda place: layers[place].error.sqnr)[:LAYERS_SHOWN]
    return [layers[place] for place in sorted(worst)]


def summary(result: Result) -> list[str]:
    """What was done, in sentences."""
    lines = [f"input '{name}' takes pictures as {frame}; {result.preparation}"
             for name, frame in result.calibration.frames().items()]  # fmt: skip
    data = "other samples" if result.is_tested_on_others else "them, too; --test-data=... says more"
    lines.append(f"ranges from {result.calibration.samples} samples; measured on {result.tests.samples} of {data}")
    total = len(result.comparison.layers)
    lines.append(f"{result.layers_on_bytes} of {total} layers read and write bytes")
    done = {"per tensor": "has one scale for all channels", "float32": "stays in float32"}
    lines += [f"'{one.node}' {done[one.instead]}: onnxruntime's quantiser says of it: {one.reason}" for one in result.spared]
    if result.compiled:
        facts = result.compiled.as_json()
        moved = (facts["dram_read_bytes"] + facts["dram_written_bytes"]) / 1e6
        lines.append(f"{facts['target']}: {facts['kernels']} kernels, {facts['relayouts']} relayouts, "
                     f"{facts['ms']:.3f} ms, {moved:.1f} MB of DRAM")  # fmt: skip
    return lines
