# SPDX-License-Identifier: Apache-2.0
"""onnxruntime's static quantiser, on a model and values for its inputs."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnx.version_converter
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.registry import QDQRegistry, QLinearOpsRegistry
from onnxruntime.quantization.shape_inference import quant_pre_process

from npu_bench.errors import BenchError, reason_of
from npuc_quantize.data import Feeds
from npuc_quantize.model import name_nodes
from npuc_quantize.ort import onnxruntime_speaks, session_of

METHODS = {"minmax": CalibrationMethod.MinMax, "entropy": CalibrationMethod.Entropy,
           "percentile": CalibrationMethod.Percentile}  # fmt: skip
OPSET = 13
TYPES = {"u8": QuantType.QUInt8, "s8": QuantType.QInt8}


@dataclasses.dataclass(frozen=True)
class Settings:
    """How to quantise; names and words are those of the options."""

    activations: str = "u8"
    weights: str = "s8"
    per_channel: bool = True
    symmetric: bool = False
    method: str = "minmax"
    percentile: float = 99.99
    ops: tuple[str, ...] = ()  # none: all that onnxruntime can
    keep: tuple[str, ...] = ()  # nodes that stay in float32


class Reader(CalibrationDataReader):
    """One run at a time: the ranges are merged after each, so that memory does not grow with the data."""

    def __init__(self, feeds: Feeds, progress: Callable[[], None]) -> None:
        self.feeds, self.progress = feeds, progress
        self.place = self.end = 0

    def __len__(self) -> int:
        return len(self.feeds)

    def set_range(self, start_index: int, end_index: int) -> None:
        self.place, self.end = start_index, end_index

    def get_next(self) -> dict[str, np.ndarray] | None:
        if self.place == self.end:
            return None
        self.place += 1
        if self.place > 1:
            self.progress()
        return self.feeds.feed(self.place - 1)


def fold(model: onnx.ModelProto, folder: Path) -> Path:
    """The same model as the quantiser wants it: batch normalisation and constants folded, shapes known."""
    source, folded = folder / "model.onnx", folder / "folded.onnx"
    session_of(model, [])  # or preparing goes on with what cannot be run, and says it of another file
    with onnxruntime_speaks("onnxruntime cannot prepare the model"):
        onnx.save(_up_to_date(model), source)
        quant_pre_process(str(source), str(folded), skip_symbolic_shape=True)
    prepared = onnx.load(folded)
    name_nodes(prepared)
    onnx.save(prepared, folded)
    return folded


def _up_to_date(model: onnx.ModelProto) -> onnx.ModelProto:
    """Older versions of DequantizeLinear have one scale for all channels."""
    version = next((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), OPSET)
    if version >= OPSET:
        return model
    try:
        return onnx.version_converter.convert_version(model, OPSET)
    except Exception as error:  # its classes have no common base either
        raise BenchError(f"onnx cannot bring the model from opset {version} to {OPSET}, which scales for each channel "
                         f"need: {reason_of(error)}; export it with a newer opset") from error  # fmt: skip


def check_names(model: onnx.ModelProto, settings: Settings) -> None:
    """onnxruntime passes over names that nothing has."""
    kinds = {node.op_type for node in model.graph.node}
    known = {**QLinearOpsRegistry, **QDQRegistry}
    for option, words, have in (("--ops", settings.ops, kinds), ("--keep", settings.keep, _names(model))):
        for word in words:
            if word not in have:
                near = difflib.get_close_matches(word, have, 1)
                text = f"; did you mean '{near[0]}'?" if near else ""
                raise BenchError(f"{option}: the model has no {'operator' if option == '--ops' else 'node'} '{word}'"
                                 f" after folding{text}")  # fmt: skip
            if option == "--ops" and word not in known:
                raise BenchError(f"--ops: onnxruntime's quantiser does not know '{word}'; it knows: {', '.join(sorted(known))}")


def _names(model: onnx.ModelProto) -> dict[str, str]:
    """A node's name, by itself and by each value that it makes."""
    by_value = {name: node.name for node in model.graph.node for name in node.output if name}
    return by_value | {node.name: node.name for node in model.graph.node}


def quantise(folded: Path, feeds: Feeds, settings: Settings, target: Path, progress: Callable[[], None]) -> onnx.ModelProto:
    """Writes the 8-bit form of `folded` to `target`."""
    model = onnx.load(folded)
    check_names(model, settings)
    extra = {"CalibStridedMinMax": 1, "CalibPercentile": settings.percentile, "ActivationSymmetric": settings.symmetric,
             "CalibTensorRangeSymmetric": settings.symmetric}  # fmt: skip
    names = _names(model)
    with onnxruntime_speaks("onnxruntime cannot quantise the model"):
        quantize_static(
            str(folded), str(target), Reader(feeds, progress), quant_format=QuantFormat.QDQ,
            op_types_to_quantize=list(settings.ops) or None, per_channel=settings.per_channel,
            activation_type=TYPES[settings.activations], weight_type=TYPES[settings.weights],
            nodes_to_exclude=[names[word] for word in settings.keep], calibrate_method=METHODS[settings.method],
            extra_options=extra,
        )  # fmt: skip
    quantised = onnx.load(target)
    if not any(node.op_type == "QuantizeLinear" for node in quantised.graph.node):
        kinds = ", ".join(sorted({node.op_type for node in model.graph.node}))
        raise BenchError(f"nothing of the model can be quantised; its operators are: {kinds or 'none'}")
    return quantised
