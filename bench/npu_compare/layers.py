# SPDX-License-Identifier: Apache-2.0
"""A model's values, from npuc and from onnxruntime, and how they differ.

All values are in the model's logical order: npu-run brings them there, whatever
the program stores.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
from onnx import helper

from npu_bench.agreement import Tolerance, difference
from npu_bench.contender import Case
from npu_bench.errors import BenchError, UsageError
from npu_bench.input_files import load_model
from npu_bench.npuc import program_of, run_tool
from npu_bench.program import save_array, temporary_folder
from npu_bench.words import bind_words, shape_words
from npu_reduce.shrink import reads_of


@dataclasses.dataclass
class Layer:
    """One value of the model, and the node that makes it."""

    value: str
    node: str
    op: str
    inputs: list[str]
    shape: list[int]
    kernels: list[str] = dataclasses.field(default_factory=list)  # implementations that computed the node here
    worst: float = 0.0  # largest absolute difference
    scaled: float = 0.0  # of the largest expected value
    wrong: int = 0  # elements beyond the tolerance
    place: list[int] | None = None  # the first of them
    found: float | None = None
    expected: float | None = None
    origin: bool = False  # differs, and nothing that it is computed from does
    alone: bool = False  # expected is what onnxruntime computes from our inputs of the node

    @property
    def differs(self) -> bool:
        return self.wrong > 0


@dataclasses.dataclass(frozen=True)
class Ours:
    """What a build with taps keeps."""

    values: dict[str, np.ndarray]
    kernels: dict[str, list[str]]  # implementations, by what npuc calls their nodes: "Conv 'c1'"


def with_bytes_out(case: Case, path: Path) -> Path:
    """The model, whose outputs are all of its quantised values that are computed."""
    model = load_model(case.model)
    known = {output.name for output in model.graph.output}
    names = [node.output[0] for node in model.graph.node if node.op_type == "QuantizeLinear"]
    if not names:
        raise UsageError("--bytes: the model has no QuantizeLinear, so no quantised values; leave --bytes out")
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names if name not in known)
    onnx.save(model, path)
    return path


def our_values(build: Path, case: Case, words: list[str], run_words: list[str], only_bytes: bool = False) -> Ours:
    """Compiles with npuc, runs with npu-run; every value, or the quantised ones, between which kernels are fused."""
    with temporary_folder("npu-compare-") as folder:
        program = folder / "model.npu"
        model = with_bytes_out(case, folder / "model.onnx") if only_bytes else case.model
        command = [str(program_of(build, "npuc")), str(model), "-q", "-o", str(program)]
        command += [] if only_bytes else ["--taps"]
        run_tool([*command, *shape_words(case.shapes), *bind_words(case.bound), *words], {str(model): str(case.model)})
        dump = [str(build / "bin" / "npu-dump"), str(program), "--signature", "--json"]
        outputs = [entry["name"] for entry in json.loads(run_tool(dump))["signature"]["outputs"]]
        command = [str(build / "bin" / "npu-run"), str(program), "--json", *run_words]
        free = {key: array for key, array in case.inputs.items() if key not in case.bound}
        for index, (key, array) in enumerate(free.items()):
            save_array(folder / f"in{index}.npy", array)
            command += ["--input", f"{key}={folder / f'in{index}.npy'}"]
        for index, key in enumerate(outputs):
            command += ["--output", f"{key}={folder / f'out{index}.npy'}"]
        kernels: dict[str, list[str]] = {}
        for kernel in json.loads(run_tool(command, {str(program): "the program"}))["kernels"]:
            kernels.setdefault(kernel["node"], []).append(kernel["implementation"])
        return Ours({key: np.load(folder / f"out{index}.npy") for index, key in enumerate(outputs)}, kernels)


def reference_values(case: Case, names: list[str]) -> dict[str, np.ndarray]:
    """onnxruntime's values of these names, unfused: as the model says it."""
    model = load_model(case.model)
    known = {output.name for output in model.graph.output}
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names if name not in known)
    return dict(zip(names, _ask(model, names, case.inputs)))


def _ask(model: onnx.ModelProto, names: list[str], inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
    """onnxruntime's values, without its graph rewrites."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        return session.run(names, inputs)
    except Exception as error:  # onnxruntime's own classes have no common base
        raise BenchError(f"onnxruntime: {str(error).splitlines()[0]}") from error


def part_alone(model: onnx.ModelProto, name: str, known: set[str]) -> tuple[list[onnx.NodeProto], set[str], set[str]]:
    """The nodes that compute one value from the nearest that are known, in order; what they read, and their weights."""
    maker = {output: node for node in model.graph.node for output in node.output if output}
    nodes, inputs, weights, open_names, seen = [], set(), set(), [name], set()
    while open_names:
        node = maker[open_names.pop()]
        if id(node) in seen:
            continue
        seen.add(id(node))
        nodes.append(node)
        for read in reads_of(node):
            if read in known and read != name:
                inputs.add(read)
            elif read in maker:
                open_names.append(read)
            else:
                weights.add(read)
    order = {id(node): place for place, node in enumerate(model.graph.node)}
    nodes.sort(key=lambda node: order[id(node)])
    return nodes, inputs, weights


def value_alone(model: onnx.ModelProto, name: str, known: dict[str, np.ndarray]) -> np.ndarray:
    """onnxruntime's value of one name, computed from the nearest values that are known."""
    nodes, inputs, weights = part_alone(model, name, set(known))
    values = [helper.make_tensor_value_info(key, helper.np_dtype_to_tensor_dtype(known[key].dtype), known[key].shape)
              for key in sorted(inputs)]  # fmt: skip
    tensors = [tensor for tensor in model.graph.initializer if tensor.name in weights]
    graph = helper.make_graph(nodes, "alone", values, [onnx.ValueInfoProto(name=name)], tensors)
    part = helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
    part.functions.extend(model.functions)
    return _ask(part, [name], {key: known[key] for key in inputs})[0]


def judge(layer: Layer, found: np.ndarray, expected: np.ndarray, tolerance: Tolerance) -> None:
    """Fills in how far the layer's value is off."""
    apart = difference(found, expected, tolerance)
    layer.shape, layer.worst, layer.scaled = list(expected.shape), apart.absolute, apart.relative
    layer.wrong, layer.found, layer.expected = apart.wrong, apart.found, apart.expected
    layer.place = None if apart.place is None else list(apart.place)


def layers_of(model: onnx.ModelProto, ours: Ours) -> list[Layer]:
    """The values that we have, in the order in which they are computed."""
    weights = {tensor.name for tensor in model.graph.initializer}
    layers = []
    for node in model.graph.node:
        inputs = [name for name in node.input if name and name not in weights]
        for name in node.output:
            if name in ours.values:
                title = node.name or name
                kernels = ours.kernels.get(f"{node.op_type} '{title}'", [])
                layers.append(Layer(name, title, node.op_type, inputs, [], kernels))
    return layers


def mark_origins(model: onnx.ModelProto, layers: list[Layer]) -> None:
    """A value that differs is an origin if nothing before it does, through values that were not kept, too."""
    by_name = {layer.value: layer for layer in layers}
    tainted: set[str] = set()
    for node in model.graph.node:
        is_tainted = any(name in tainted for name in node.input)
        for name in node.output:
            layer = by_name.get(name)
            if layer is None:
                if is_tainted:
                    tainted.add(name)
            elif layer.differs:
                layer.origin = not is_tainted
                tainted.add(name)


def judge_alone(model: onnx.ModelProto, layer: Layer, known: dict[str, np.ndarray], tolerance: Tolerance) -> None:
    layer.alone = True
    judge(layer, known[layer.value], value_alone(model, layer.value, known), tolerance)


def name_computed(model: onnx.ModelProto, layers: list[Layer], known: set[str]) -> None:
    """Of a quantised value: the operators since those before it, without what only quantises."""
    for layer in layers:
        nodes, _, _ = part_alone(model, layer.value, known)
        ops = [node.op_type for node in nodes if node.op_type not in ("QuantizeLinear", "DequantizeLinear")]
        layer.op = "+".join(ops) or layer.op


def compare_layers(
    case: Case, run: Callable[[], Ours], tolerance: Tolerance, only_bytes: bool = False
) -> list[Layer]:
    """Every value that both keep, in the model's order, with its difference; or the quantised ones.

    What is no difference yet, a step of a byte or the last bits of a sum, may be one a few layers on. So what
    differs is judged once more, from our own values of what its node reads.
    """
    model = load_model(case.model)
    ours = run()
    layers = layers_of(model, ours)
    expected = reference_values(case, [layer.value for layer in layers])
    for layer in layers:
        judge(layer, ours.values[layer.value], expected[layer.value], tolerance)
    known = {**ours.values, **case.inputs}
    for layer in layers:
        if layer.differs and known[layer.value].shape == expected[layer.value].shape:
            judge_alone(model, layer, known, tolerance)
    mark_origins(model, layers)
    if only_bytes:
        name_computed(model, layers, {*ours.values, *case.inputs})
    return layers
