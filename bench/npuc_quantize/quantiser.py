# SPDX-License-Identifier: Apache-2.0
"""onnxruntime's static quantiser, on a model and values for its inputs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import onnx
import onnx.version_converter
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.registry import QDQRegistry, QLinearOpsRegistry
from onnxruntime.quantization.shape_inference import quant_pre_process

from npu_bench.errors import BenchError, UsageError, did_you_mean, reason_of
from npuc_quantize.data import Feeds
from npuc_quantize.model import name_nodes
from npuc_quantize.ort import OnnxRuntimeError, onnxruntime_speaks, run, session_of

METHODS = {"minmax": CalibrationMethod.MinMax, "entropy": CalibrationMethod.Entropy,
           "percentile": CalibrationMethod.Percentile}  # fmt: skip
OPSET = 13
BIAS = 2  # the operand that gets the scales of the two before it
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
                raise UsageError(f"{option}: the model has no {'operator' if option == '--ops' else 'node'} '{word}'"
                                 f" after folding{did_you_mean(word, have)}")  # fmt: skip
            if option == "--ops" and word not in known:
                raise UsageError(f"--ops: onnxruntime's quantiser does not know '{word}'; it knows: {', '.join(sorted(known))}")


def _names(model: onnx.ModelProto) -> dict[str, str]:
    """A node's name, by itself and by each value that it makes."""
    by_value = {name: node.name for node in model.graph.node for name in node.output if name}
    return by_value | {node.name: node.name for node in model.graph.node}


@dataclasses.dataclass(frozen=True)
class Spared:
    """A node that onnxruntime cannot quantise as it is asked to: what is done instead, and why."""

    node: str
    instead: str  # "per tensor" or "float32"
    reason: str


@dataclasses.dataclass(frozen=True)
class Plan:
    """What is left out of a quantisation: nodes that stay in float32, weights that get one scale."""

    kept: frozenset[str]
    one_scale: frozenset[str] = frozenset()

    def keeping(self, nodes: Iterable[str]) -> Plan:
        return Plan(self.kept | frozenset(nodes), self.one_scale)


class Quantiser:
    """One model, quantised by ever other plans; its ranges are measured once."""

    def __init__(self, folded: Path, feeds: Feeds, settings: Settings, target: Path, progress: Callable[[], None]) -> None:
        self.folded, self.feeds, self.settings, self.target, self.progress = folded, feeds, settings, target, progress
        self.ranges = target.with_suffix(".ranges.json")

    def attempt(self, plan: Plan) -> None:
        """Also loads and runs the result, which is where onnxruntime finds some mistakes of its own."""
        settings = self.settings
        extra = {"CalibStridedMinMax": 1, "CalibPercentile": settings.percentile, "ActivationSymmetric": settings.symmetric,
                 "CalibTensorRangeSymmetric": settings.symmetric,
                 "TensorQuantOverrides": {name: [{"quant_type": TYPES[settings.weights]}] for name in plan.one_scale}}  # fmt: skip
        with onnxruntime_speaks("onnxruntime cannot quantise the model"):
            quantize_static(
                str(self.folded), str(self.target), Reader(self.feeds, self.progress), quant_format=QuantFormat.QDQ,
                op_types_to_quantize=list(settings.ops) or None, per_channel=settings.per_channel,
                activation_type=TYPES[settings.activations], weight_type=TYPES[settings.weights],
                nodes_to_exclude=sorted(plan.kept), calibrate_method=METHODS[settings.method], extra_options=extra,
                calibration_cache_path=str(self.ranges),
            )  # fmt: skip
        quantised = onnx.load(self.target)
        run(session_of(quantised, []), [output.name for output in quantised.graph.output], self.feeds.feed(0))

    def failure(self, plan: Plan) -> str:
        """What onnxruntime says; empty if all is well."""
        try:
            self.attempt(plan)
        except OnnxRuntimeError as error:
            return str(error)
        return ""

    def culprit(self, names: list[str], plan: Plan) -> str | None:
        """The node that fails where those before it do not: found by halves, whatever it is that fails."""
        good, bad = 0, len(names)  # of the nodes from the first on, as many as are quantised
        if self.failure(plan.keeping(names)):
            return None  # no node is to blame
        while bad - good > 1:
            middle = (good + bad) // 2
            good, bad = (good, middle) if self.failure(plan.keeping(names[middle:])) else (middle, bad)
        return names[bad - 1]

    def spare(self, node: onnx.NodeProto, weights: set[str], others: list[str], plan: Plan, reason: str) -> tuple[Plan, Spared]:
        """One scale for its weights, where that is enough; else it stays in float32."""
        said = self.failure(plan.keeping(others)) or reason  # of this node alone
        said = said.partition(": ")[2] or said
        one_scale = {name for index, name in enumerate(node.input) if name in weights and index != BIAS} - plan.one_scale
        simpler = Plan(plan.kept, plan.one_scale | one_scale)
        if self.settings.per_channel and one_scale and not self.failure(simpler.keeping(others)):
            return simpler, Spared(node.name, "per tensor", said)
        return plan.keeping([node.name]), Spared(node.name, "float32", said)


def quantise(
    folded: Path, feeds: Feeds, settings: Settings, target: Path, progress: Callable[[], None]
) -> tuple[onnx.ModelProto, list[Spared]]:
    """Writes the 8-bit form of `folded` to `target`, and says which nodes are other than asked for.

    Whatever onnxruntime throws, and wherever: no one node ends the work.
    """
    model = onnx.load(folded)
    check_names(model, settings)
    by_word = _names(model)
    nodes = {node.name: node for node in model.graph.node}
    weights = {tensor.name for tensor in model.graph.initializer}
    quantiser = Quantiser(folded, feeds, settings, target, progress)
    plan, spared = Plan(frozenset(by_word[word] for word in settings.keep)), []
    while reason := quantiser.failure(plan):
        names = [name for name in nodes if name not in plan.kept]
        name = quantiser.culprit(names, plan)
        if name is None:
            raise BenchError(reason)
        plan, one = quantiser.spare(nodes[name], weights, [other for other in names if other != name], plan, reason)
        spared.append(one)
    quantised = onnx.load(target)
    if not any(node.op_type == "QuantizeLinear" for node in quantised.graph.node):
        kinds = ", ".join(sorted({node.op_type for node in model.graph.node}))
        why = "".join(f"; '{one.node}': {one.reason}" for one in spared[:1])
        raise BenchError(f"nothing of the model can be quantised; its operators are: {kinds or 'none'}{why}")
    return quantised, spared
