# SPDX-License-Identifier: Apache-2.0
"""Parts of an ONNX graph, and the search for the smallest that still fails.

A part is a set of nodes. What they read from outside becomes an input, what
nobody in the part reads becomes an output. The search is delta debugging: ever
smaller runs of nodes are left out for as long as the rest still fails. It ends
because each accepted step has fewer nodes.
"""

from __future__ import annotations

from collections.abc import Callable

import onnx
from onnx import helper

from npu_bench.sizes import known_size


def known_types(model: onnx.ModelProto) -> dict[str, onnx.ValueInfoProto]:
    """Every value's type and shape, as far as ONNX can infer them."""
    try:
        inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
    except Exception:  # a model that is wrong has the types that it declares
        inferred = model
    graph = inferred.graph
    values = {}
    for value in [*graph.value_info, *graph.output, *graph.input]:
        if value.type.HasField("tensor_type") and value.type.tensor_type.elem_type:
            values[value.name] = value
    return values


def part_of(model: onnx.ModelProto, kept: list[int], types: dict[str, onnx.ValueInfoProto]) -> onnx.ModelProto | None:
    """The model of these nodes; nothing if an input's type is not known."""
    nodes = [model.graph.node[index] for index in kept]
    made = {name for node in nodes for name in node.output if name}
    read = [name for node in nodes for name in reads_of(node)]
    weights = {tensor.name: tensor for tensor in model.graph.initializer}
    inputs, used = [], []
    for name in dict.fromkeys(read):
        if name in made:
            continue
        if name in weights:
            used.append(weights[name])
        elif name in types:
            inputs.append(types[name])
        else:
            return None
    outputs = [types.get(name, onnx.ValueInfoProto(name=name)) for name in sorted(made - set(read))]
    outer = [value for value in model.graph.output if value.name in made and value.name in read]
    if not outputs and not outer:
        return None
    graph = helper.make_graph(nodes, model.graph.name, inputs, [*outputs, *outer], used)
    result = helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
    result.functions.extend(model.functions)
    return result


def reads_of(node: onnx.NodeProto) -> list[str]:
    """What a node reads, its subgraphs' reads from outside included."""
    names = [name for name in node.input if name]
    for attribute in node.attribute:
        if attribute.HasField("g"):
            inner = attribute.g
            defined = {value.name for value in inner.input} | {tensor.name for tensor in inner.initializer}
            defined |= {name for each in inner.node for name in each.output}
            reads = [name for each in inner.node for name in reads_of(each)]
            reads += [value.name for value in inner.output]
            names += [name for name in reads if name not in defined]
    return names


def bind_sizes(model: onnx.ModelProto, shapes: dict[str, list[int]], batch: int | None) -> None:
    """Gives inputs fixed sizes, so that parts need no options for values in the middle."""
    for value in model.graph.input:
        dims = value.type.tensor_type.shape.dim
        given = shapes.get(value.name)
        if given is not None and len(given) == len(dims):
            for dim, extent in zip(dims, given):
                dim.dim_value = extent
        elif batch is not None and len(dims) and known_size(dims[0]) is None:
            dims[0].dim_value = batch
    # What was inferred before spoke of unknown sizes.
    del model.graph.value_info[:]
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")


def shrink(
    model: onnx.ModelProto, fails: Callable[[onnx.ModelProto], bool], tell: Callable[[int, int], None]
) -> onnx.ModelProto:
    """The smallest part found that still fails; `tell` hears of nodes left and trials."""
    types = known_types(model)
    kept = list(range(len(model.graph.node)))
    best, trials = model, 0

    def attempt(candidate: list[int]) -> bool:
        nonlocal best, kept, trials
        part = part_of(model, candidate, types) if candidate else None
        if part is None:
            return False
        trials += 1
        tell(len(kept), trials)
        if not fails(part):
            return False
        best, kept = part, candidate
        return True

    run = max(len(kept) // 2, 1)
    while True:
        before = len(kept)
        start = 0
        while start < len(kept):
            if not attempt(kept[:start] + kept[start + run :]):
                start += run
        if run > 1:
            run //= 2
        elif len(kept) == before:
            return best
