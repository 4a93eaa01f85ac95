# SPDX-License-Identifier: Apache-2.0
"""The layout cases with a Transpose in front of each op that reads four dimensions.

Each of the 24 permutations in front of each such op of each case, so that what
is the channel in front of the op is something else behind it. Weights are cut
or repeated to fit; a variant that is no valid model all the same (two branches
whose shapes no longer meet) is left out and counted. Compiled for npu-nhwc: no
strategy but `none` refuses, and the outputs are those of onnxruntime (or those
that it gives for inputs next to these, where a quantisation is on an edge).
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import itertools
import math
import os
import random
import sys
import tempfile
from pathlib import Path

import build_cases
import case_builder
import numpy as np
import onnx
import run_cases

# Which of an op's inputs are weights: (input, dimension that goes with the data's channels).
WEIGHTS = {
    "Conv": [(1, 1)],
    "ConvTranspose": [(1, 0)],
    "BatchNormalization": [(1, 0), (2, 0), (3, 0), (4, 0)],
    "InstanceNormalization": [(1, 0), (2, 0)],
}
# Where the weight stands of ops whose kernel_shape may be left out.
WINDOWED = {"Conv": 1, "QLinearConv": 3}
# npuc's limit is 2 GB for a value.
MOST_ELEMENTS = 2**28
# Copies nothing, so it may refuse.
MAY_REFUSE = {"none"}


class DoesNotFit(Exception):
    """The Transpose makes no valid model of the case."""


@dataclasses.dataclass(frozen=True)
class Variant:
    """A case with a permutation in front of one node's input."""

    entry: dict
    node: int
    place: int
    permutation: tuple[int, ...]

    @property
    def name(self) -> str:
        return f"{self.entry['id']}-{self.node}-{''.join(map(str, self.permutation))}"


def shapes_of(model: onnx.ModelProto) -> dict[str, list[int | str]]:
    """The shapes that onnx infers, symbols by name."""
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True).graph
    known = [*inferred.input, *inferred.value_info, *inferred.output]
    return {
        value.name: [
            dim.dim_value if dim.HasField("dim_value") else dim.dim_param for dim in value.type.tensor_type.shape.dim
        ]
        for value in known
        if value.type.tensor_type.HasField("shape")
    }


def all_variants(models: Path, entries: list[dict]) -> list[Variant]:
    found = []
    for entry in entries:
        model = onnx.load(models / entry["file"])
        shapes = shapes_of(model)
        for number, node in enumerate(model.graph.node):
            images = [place for place, name in enumerate(node.input) if len(shapes.get(name, [])) == 4]
            if images and node.op_type != "Shape":
                found += [Variant(entry, number, images[0], p) for p in itertools.permutations(range(4))]
    return found


def fit_weights(model: onnx.ModelProto, node: onnx.NodeProto) -> None:
    """Weights for as many channels as the node's data has now."""
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    for place, dim in WEIGHTS.get(node.op_type, []):
        tensor = constants.get(node.input[place]) if place < len(node.input) else None
        shape = shapes_of(model).get(node.input[0], [])
        if tensor is None or len(shape) < 2:
            continue
        if not isinstance(shape[1], int):
            raise DoesNotFit("channels of a symbolic extent")
        array = onnx.numpy_helper.to_array(tensor)
        groups = next((a.i for a in node.attribute if a.name == "group"), 1)
        if array.shape[dim] * groups == shape[1]:
            continue
        if groups != 1:
            raise DoesNotFit("groups")
        fitted = np.resize(array, [*array.shape[:dim], shape[1], *array.shape[dim + 1 :]])
        copy = onnx.numpy_helper.from_array(fitted, f"{tensor.name}_for_{node.output[0]}")
        model.graph.initializer.append(copy)
        node.input[place] = copy.name


def windows_fit(model: onnx.ModelProto, node: onnx.NodeProto, shapes: dict[str, list[int | str]]) -> bool:
    """Whether a window lies within its padded data: onnx's shape inference rounds those up that do not."""
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    weights = {tensor.name: list(tensor.dims)[2:] for tensor in model.graph.initializer}
    kernel = attributes.get("kernel_shape")
    if kernel is None and node.op_type in WINDOWED:
        kernel = weights.get(node.input[WINDOWED[node.op_type]])
    if kernel is None:
        return True
    spatial = shapes.get(node.input[0], [])[2:]
    pads = attributes.get("pads", [0] * 2 * len(kernel))
    dilations = attributes.get("dilations", [1] * len(kernel))
    return all(
        not isinstance(extent, int) or extent + pads[i] + pads[i + len(kernel)] > (kernel[i] - 1) * dilations[i]
        for i, extent in enumerate(spatial)
    )


def with_transpose(model: onnx.ModelProto, variant: Variant) -> onnx.ModelProto:
    """The variant's model; raises DoesNotFit."""
    nodes = model.graph.node
    source = nodes[variant.node].input[variant.place]
    turned = onnx.helper.make_node("Transpose", [source], [f"{source}_turned"], perm=variant.permutation)
    nodes[variant.node].input[variant.place] = turned.output[0]
    nodes.insert(variant.node, turned)
    del model.graph.value_info[:]
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")
    for node in nodes[variant.node + 1 :]:
        fit_weights(model, node)
    try:
        shapes = shapes_of(model)
        for output in model.graph.output:
            value = onnx.helper.make_tensor_value_info(
                output.name, output.type.tensor_type.elem_type, shapes[output.name]
            )
            output.CopyFrom(value)
        onnx.checker.check_model(model, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError, KeyError) as failure:
        raise DoesNotFit(str(failure)) from failure
    if any(not windows_fit(model, node, shapes) for node in nodes):
        raise DoesNotFit("a window does not fit its data")
    if any(not 0 < math.prod(e for e in shape if isinstance(e, int)) <= MOST_ELEMENTS for shape in shapes.values()):
        raise DoesNotFit("a value is empty or too large")
    return model


def reference(path: Path, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What onnxruntime gives; a model that it refuses is none."""
    import onnxruntime.capi.onnxruntime_pybind11_state as ort

    try:
        outputs = run_cases.reference(path, inputs)
    except (ort.Fail, ort.InvalidArgument, ort.InvalidGraph, ort.RuntimeException) as failure:
        raise DoesNotFit(str(failure)) from failure
    if any(output.size == 0 for output in outputs.values()):
        raise DoesNotFit("a result is empty")
    return outputs


def is_rounding(model: Path, inputs: dict[str, np.ndarray], found: dict[str, np.ndarray]) -> bool:
    """Whether onnxruntime itself gives such outputs for inputs that are next to these.

    A sum that lies between two steps of a quantisation goes to the one or the
    other with the order of its additions, and what follows multiplies the step.
    """
    draw = np.random.default_rng(0)
    nudged = [
        reference(
            model,
            {
                name: (array + draw.choice([-1e-6, 1e-6], array.shape) * np.abs(array).max()).astype(array.dtype)
                for name, array in inputs.items()
            },
        )
        for _ in range(8)
    ]
    for name, array in found.items():
        others = np.stack([outputs[name] for outputs in nudged]).astype(np.float64)
        slack = 1e-3 * np.abs(others).max()
        if np.any(array < others.min(0) - slack) or np.any(array > others.max(0) + slack):
            return False
    return True


def check_variant(bench: run_cases.Bench, variant: Variant) -> None:
    """Raises Failure with the first thing that is wrong."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = with_transpose(onnx.load(bench.models / variant.entry["file"]), variant)
        entry = variant.entry | {"file": f"{variant.name}.onnx"}
        onnx.save(model, str(folder / entry["file"]))
        inputs, words = run_cases.saved_inputs(entry, folder)
        wanted = reference(folder / entry["file"], inputs)
        here = run_cases.Bench(bench.bin, folder)
        rows = run_cases.compiled(here, entry, "optimal", words, folder)["strategies"]
        refused = [row["name"] for row in rows if not row["feasible"] and row["name"] not in MAY_REFUSE]
        if refused:
            raise run_cases.Failure(f"refused by {', '.join(refused)}")
        other = random.Random(variant.name).choice([row["name"] for row in rows if row["name"] not in MAY_REFUSE])
        run_cases.compile_case(here, entry, other, words, folder)
        for layout in {"optimal", other}:
            found = run_cases.ran(here, entry, layout, words, folder)
            try:
                run_cases.check_numbers(entry, layout, found, wanted)
            except run_cases.Failure:
                quantises = any(node.op_type == "QuantizeLinear" for node in model.graph.node)
                if not quantises or not is_rounding(folder / entry["file"], inputs, found):
                    raise


def outcome(bench: run_cases.Bench, variant: Variant) -> str | None:
    """What is wrong; empty: nothing; None: no valid model."""
    try:
        check_variant(bench, variant)
    except DoesNotFit:
        return None
    except run_cases.Failure as failure:
        return str(failure)
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=run_cases.ROOT / "build", help="build folder")
    parser.add_argument("--only", default="", help="regular expression on the case's name")
    parser.add_argument("--sample", type=int, default=0, help="so many variants, drawn at random; 0: all")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="variants at a time")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        models = Path(name)
        entries = case_builder.build(models, case_builder.read_table(build_cases.TABLE), arguments.only)
        variants = all_variants(models, entries)
        if arguments.sample:
            variants = random.Random(arguments.seed).sample(variants, min(arguments.sample, len(variants)))
        bench = run_cases.Bench(arguments.build / "bin", models)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            results = list(pool.map(lambda variant: outcome(bench, variant), variants))
    failures = [(variant.name, found) for variant, found in zip(variants, results, strict=True) if found]
    for variant_name, found in failures:
        print(f"{variant_name}: {found}")
    invalid = results.count(None)
    print(f"{len(results)} variants, {invalid} no valid models, {results.count('')} pass, {len(failures)} fail")
    return 1 if failures or invalid == len(results) else 0


if __name__ == "__main__":
    sys.exit(main())
