# SPDX-License-Identifier: Apache-2.0
"""Wrong ONNX models from right ones: each mutation is a function of a model and a source of chance."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator

import google.protobuf.message
import onnx
from onnx import AttributeProto, TensorProto, helper

EXTENTS = (0, 1, 2, 3, 5, 7, 64, 4096, 65536, 2**20, 2**24, 2**31 - 1, 2**31, 2**40, 2**63 - 1, -1, -2, -(2**63))
FLOATS = (0.0, -0.0, 1.0, -1.0, 1e-45, 3.4e38, -3.4e38, float("inf"), float("-inf"), float("nan"))
WORDS = ("", "NOTSET", "SAME_UPPER", "VALID", "linear", "cubic", "nearest", "constant", "reflect", "DCR", "mean", "abc", "ij,jk->ik", "...", "🦀")
NAMES = ("", "x", "a\nnpuc: error: forged", "\x1b[2J\x1b[31mred", "quote'd' \"name\"", "n" * 100_000, "\u202egnp.exe", "%s%n{0}")
ELEMENTS = list(TensorProto.DataType.values())
KINDS = list(AttributeProto.AttributeType.values())
BYTES_OF_TENSOR = 1 << 16
LARGEST = 1 << 22

Mutation = Callable[[onnx.ModelProto, random.Random], None]


def graphs_in(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    """The graph and those inside its nodes."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                yield from graphs_in(attribute.g)


def all_nodes(model: onnx.ModelProto) -> list[onnx.NodeProto]:
    nodes = [node for graph in graphs_in(model.graph) for node in graph.node]
    return nodes + [node for function in model.functions for node in function.node]


def all_tensors(model: onnx.ModelProto) -> list[onnx.TensorProto]:
    tensors = [tensor for graph in graphs_in(model.graph) for tensor in graph.initializer]
    return tensors + [a.t for node in all_nodes(model) for a in node.attribute if a.type == AttributeProto.TENSOR]


def values_of(model: onnx.ModelProto) -> list[str]:
    graph = model.graph
    names = [info.name for info in graph.input] + [tensor.name for tensor in graph.initializer]
    return names + [name for node in graph.node for name in node.output] or ["x"]


def some_node(model: onnx.ModelProto, chance: random.Random) -> onnx.NodeProto:
    nodes = all_nodes(model)
    return chance.choice(nodes) if nodes else model.graph.node.add(op_type="Identity", input=["x"], output=["y"])


def some_graph(model: onnx.ModelProto, chance: random.Random) -> onnx.GraphProto:
    return chance.choice(list(graphs_in(model.graph)))


def swap_inputs(model: onnx.ModelProto, chance: random.Random) -> None:
    node = some_node(model, chance)
    if len(node.input) > 1:
        i, j = chance.sample(range(len(node.input)), 2)
        node.input[i], node.input[j] = node.input[j], node.input[i]


def drop_input(model: onnx.ModelProto, chance: random.Random) -> None:
    node = some_node(model, chance)
    if node.input:
        del node.input[chance.randrange(len(node.input)) :]


def blank_input(model: onnx.ModelProto, chance: random.Random) -> None:
    node = some_node(model, chance)
    if node.input:
        node.input[chance.randrange(len(node.input))] = ""


def other_input(model: onnx.ModelProto, chance: random.Random) -> None:
    """A value from anywhere: cycles, other types, other ranks."""
    node = some_node(model, chance)
    if node.input:
        node.input[chance.randrange(len(node.input))] = chance.choice(values_of(model))


def add_input(model: onnx.ModelProto, chance: random.Random) -> None:
    some_node(model, chance).input.extend([chance.choice(values_of(model))] * chance.choice((1, 2, 40)))


def drop_output(model: onnx.ModelProto, chance: random.Random) -> None:
    node = some_node(model, chance)
    if node.output:
        del node.output[chance.randrange(len(node.output)) :]


def add_output(model: onnx.ModelProto, chance: random.Random) -> None:
    node = some_node(model, chance)
    for _ in range(chance.choice((1, 3, 300))):
        name = f"more{chance.randrange(10**9)}"
        node.output.append(name)
        if chance.random() < 0.5:
            model.graph.output.add(name=name)


def rename_output(model: onnx.ModelProto, chance: random.Random) -> None:
    node = some_node(model, chance)
    if node.output:
        node.output[chance.randrange(len(node.output))] = chance.choice((chance.choice(values_of(model)), chance.choice(NAMES)))


def other_operator(model: onnx.ModelProto, chance: random.Random) -> None:
    some_node(model, chance).op_type = chance.choice(OPERATORS)


def other_name(model: onnx.ModelProto, chance: random.Random) -> None:
    """Of a node, a value, an input: what messages and files then show."""
    name, graph = chance.choice(NAMES), some_graph(model, chance)
    holder = chance.choice([*graph.node, *graph.initializer, *graph.input, *graph.output, graph])
    old = holder.name
    holder.name = name
    for node in graph.node:
        for i, given in enumerate(node.input):
            if given == old and chance.random() < 0.7:
                node.input[i] = name


def drop_attribute(model: onnx.ModelProto, chance: random.Random) -> None:
    node = some_node(model, chance)
    if node.attribute:
        del node.attribute[chance.randrange(len(node.attribute))]


def some_extent(chance: random.Random) -> int:
    return chance.choice(EXTENTS) if chance.random() < 0.7 else chance.randrange(-8, 70)


def fill_attribute(attribute: AttributeProto, kind: int, chance: random.Random) -> None:
    """A value of this kind, right or not."""
    for field in ("f", "i", "s", "t", "g", "floats", "ints", "strings", "tensors", "graphs"):
        attribute.ClearField(field)
    attribute.type = kind
    count = chance.choice((0, 1, 2, 3, 4, 5, 8, 33))
    if kind == AttributeProto.INT:
        attribute.i = some_extent(chance)
    elif kind == AttributeProto.FLOAT:
        attribute.f = chance.choice(FLOATS)
    elif kind == AttributeProto.STRING:
        attribute.s = chance.choice((*WORDS, *NAMES)).encode()
    elif kind == AttributeProto.INTS:
        attribute.ints.extend(some_extent(chance) for _ in range(count))
    elif kind == AttributeProto.FLOATS:
        attribute.floats.extend(chance.choice(FLOATS) for _ in range(count))
    elif kind == AttributeProto.STRINGS:
        attribute.strings.extend(chance.choice(WORDS).encode() for _ in range(count))
    elif kind == AttributeProto.TENSOR:
        attribute.t.data_type = chance.choice(ELEMENTS)
        attribute.t.dims.extend(some_extent(chance) for _ in range(chance.randrange(4)))
        attribute.t.raw_data = chance.randbytes(chance.choice((0, 1, 4, 8, 64)))
    elif kind == AttributeProto.GRAPH:
        attribute.g.output.add(name=chance.choice(("x", "y", "")))


def change_attribute(model: onnx.ModelProto, chance: random.Random) -> None:
    """Another number, another length, another type."""
    nodes = [node for node in all_nodes(model) if node.attribute]
    if not nodes:
        return add_attribute(model, chance)
    attribute = chance.choice(chance.choice(nodes).attribute)
    if attribute.type == AttributeProto.INTS and attribute.ints and chance.random() < 0.6:
        attribute.ints[chance.randrange(len(attribute.ints))] = some_extent(chance)
    else:
        fill_attribute(attribute, attribute.type if chance.random() < 0.6 else chance.choice(KINDS), chance)


def add_attribute(model: onnx.ModelProto, chance: random.Random) -> None:
    """One that some operator has, or nobody."""
    attribute = some_node(model, chance).attribute.add(name=chance.choice((*ATTRIBUTES, *NAMES)))
    fill_attribute(attribute, chance.choice(KINDS), chance)


def change_tensor(model: onnx.ModelProto, chance: random.Random) -> None:
    """Its elements: indices, shapes, scales that mean something else."""
    tensors = all_tensors(model)
    if not tensors:
        return
    tensor = chance.choice(tensors)
    for field, choices in (("int64_data", EXTENTS), ("float_data", FLOATS), ("int32_data", (0, 1, -1, 2**31 - 1))):
        values = getattr(tensor, field)
        if values:
            values[chance.randrange(len(values))] = chance.choice(choices)
    if tensor.raw_data and len(tensor.raw_data) < BYTES_OF_TENSOR:
        data = bytearray(tensor.raw_data)
        if tensor.data_type == TensorProto.INT64 and len(data) >= 8:
            at = 8 * chance.randrange(len(data) // 8)
            data[at : at + 8] = some_extent(chance).to_bytes(8, "little", signed=True)
        else:
            at = chance.randrange(len(data))
            data[at : at + 4] = chance.choice((b"\0\0\xc0\x7f", b"\0\0\x80\x7f", b"\xff\xff\xff\xff", b"\0\0\0\0"))[: len(data) - at]
        tensor.raw_data = bytes(data)


def reshape_tensor(model: onnx.ModelProto, chance: random.Random) -> None:
    """Extents and type that its bytes do not fit."""
    tensors = all_tensors(model)
    if not tensors:
        return
    tensor = chance.choice(tensors)
    match chance.randrange(5):
        case 0:
            tensor.dims.extend([some_extent(chance)])
        case 1 if tensor.dims:
            tensor.dims[chance.randrange(len(tensor.dims))] = some_extent(chance)
        case 2:
            tensor.data_type = chance.choice((*ELEMENTS, 99, -1))
        case 3:
            tensor.raw_data = tensor.raw_data[: chance.randrange(1 + len(tensor.raw_data))]
        case _:
            del tensor.dims[:]


def outside_tensor(model: onnx.ModelProto, chance: random.Random) -> None:
    """Data in a file that is not there, or should not be read."""
    tensors = all_tensors(model)
    if not tensors:
        return
    tensor = chance.choice(tensors)
    tensor.data_location = TensorProto.EXTERNAL
    places = ("weights.bin", "/dev/zero", "../../../etc/passwd", ".", "/", "messages.txt", chance.choice(NAMES))
    for key, value in {"location": chance.choice(places), "offset": str(some_extent(chance)), "length": str(some_extent(chance))}.items():
        if chance.random() < 0.8:
            tensor.external_data.add(key=key, value=value)


def change_boundary(model: onnx.ModelProto, chance: random.Random) -> None:
    """What an input or output of a graph is declared as."""
    graph = some_graph(model, chance)
    infos = [*graph.input, *graph.output, *graph.value_info]
    if not infos:
        return
    tensor = chance.choice(infos).type.tensor_type
    match chance.randrange(5):
        case 0:
            tensor.elem_type = chance.choice(ELEMENTS)
        case 1:
            tensor.shape.dim.add(dim_value=some_extent(chance))
        case 2 if tensor.shape.dim:
            tensor.shape.dim[chance.randrange(len(tensor.shape.dim))].dim_value = some_extent(chance)
        case 3 if tensor.shape.dim:
            tensor.shape.dim[chance.randrange(len(tensor.shape.dim))].dim_param = chance.choice(("n", *NAMES))
        case _:
            tensor.ClearField(chance.choice(("shape", "elem_type")))


def change_lists(model: onnx.ModelProto, chance: random.Random) -> None:
    """Nodes, inputs, outputs or weights are dropped, doubled, shuffled."""
    graph = some_graph(model, chance)
    rows = getattr(graph, chance.choice(("node", "input", "output", "initializer")))
    if not rows:
        return
    match chance.randrange(3):
        case 0:
            del rows[chance.randrange(len(rows))]
        case 1:
            rows.add().CopyFrom(chance.choice(rows))
        case _:
            copies = [type(rows[0]).FromString(row.SerializeToString()) for row in rows]
            chance.shuffle(copies)
            del rows[:]
            rows.extend(copies)


def change_version(model: onnx.ModelProto, chance: random.Random) -> None:
    if chance.random() < 0.3:
        model.ir_version = chance.choice((0, 1, 3, 10, 99, 2**63 - 1))
    elif model.opset_import and chance.random() < 0.7:
        model.opset_import[0].version = chance.choice((*range(1, 30), 0, -1, 2**31, 2**63 - 1))
    else:
        some_node(model, chance).domain = chance.choice(("ai.onnx", "com.microsoft", "ai.onnx.ml", "x", *NAMES))


def wrap_node(model: onnx.ModelProto, chance: random.Random) -> None:
    """A node goes into a branch, a loop, or branches inside branches."""
    graph = some_graph(model, chance)
    if not graph.node:
        return
    node = chance.choice(graph.node)
    results = list(node.output)
    for depth in range(chance.choice((1, 1, 2, 5, 20))):
        infos = [helper.make_empty_tensor_value_info(name) for name in results]
        inner = helper.make_graph([onnx.NodeProto.FromString(node.SerializeToString())], "inner", [], infos)
        node.Clear()
        node.output.extend(results)
        if chance.random() < 0.7:
            node.op_type = "If"
            node.input.append(add_number(graph, TensorProto.BOOL, 1))
            other = onnx.GraphProto(name="other", output=infos)
            node.attribute.extend([helper.make_attribute("then_branch", inner), helper.make_attribute("else_branch", other)])
        else:
            node.op_type = "Loop"
            turns = chance.choice((0, 1, 2, 3, 1000, 60000, 2**31, 2**63 - 1))
            node.input.extend([add_number(graph, TensorProto.INT64, turns), ""])
            inner.input.extend([helper.make_tensor_value_info("turn", 7, []), helper.make_tensor_value_info("go", 9, [])])
            inner.output.insert(0, helper.make_empty_tensor_value_info("go"))
            node.attribute.append(helper.make_attribute("body", inner))


def add_number(graph: onnx.GraphProto, element: int, number: int) -> str:
    name = f"number{len(graph.initializer)}"
    graph.initializer.append(helper.make_tensor(name, element, [], [number]))
    return name


def call_function(model: onnx.ModelProto, chance: random.Random) -> None:
    """A node becomes a call of a function around it, which may call itself."""
    node = some_node(model, chance)
    body = onnx.NodeProto.FromString(node.SerializeToString())
    if chance.random() < 0.3:
        body.op_type, body.domain = "wrapped", "test"
    bodies = [body] * chance.choice((1, 1, 2))
    opsets = [helper.make_opsetid("", chance.choice((13, 17, 21)))]
    model.functions.append(helper.make_function("test", "wrapped", list(node.input), list(node.output), bodies, opsets))
    node.op_type, node.domain = "wrapped", "test"
    model.opset_import.append(helper.make_opsetid("test", 1))


def add_rarity(model: onnx.ModelProto, chance: random.Random) -> None:
    """Parts of a file that few models have."""
    graph = model.graph
    match chance.randrange(5):
        case 0:
            graph.sparse_initializer.add().dims.extend([4])
        case 1:
            graph.input.add(name="s").type.sequence_type.elem_type.tensor_type.elem_type = 1
        case 2:
            graph.initializer.add(name=chance.choice(values_of(model)), data_type=8).string_data.extend([b"a", b"\xff"])
        case 3:
            graph.quantization_annotation.add(tensor_name=chance.choice(NAMES))
        case _:
            model.metadata_props.add(key=chance.choice(NAMES), value=chance.choice(NAMES))


MUTATIONS: tuple[Mutation, ...] = (
    swap_inputs, drop_input, blank_input, other_input, other_input, add_input, drop_output, add_output, rename_output,
    other_operator, other_name, drop_attribute, change_attribute, change_attribute, change_attribute, add_attribute,
    change_tensor, change_tensor, reshape_tensor, outside_tensor, change_boundary, change_boundary, change_lists,
    change_version, wrap_node, call_function, add_rarity,
)  # fmt: skip
SCHEMAS = onnx.defs.get_all_schemas_with_history()
OPERATORS = sorted({schema.name for schema in SCHEMAS if schema.domain == ""})
ATTRIBUTES = sorted({name for schema in SCHEMAS for name in schema.attributes})


def damage(data: bytes, chance: random.Random) -> bytes:
    """Bytes that are changed, cut out, or doubled."""
    at, length = chance.randrange(len(data)), chance.choice((1, 2, 8, 100))
    match chance.randrange(4):
        case 0:
            return data[:at]
        case 1:
            return data[:at] + data[at + length :]
        case 2:
            return data[:at] + data[at : at + length] * chance.choice((2, 100)) + data[at + length :]
        case _:
            changed = bytearray(data)
            for _ in range(chance.choice((1, 1, 4, 30))):
                changed[chance.randrange(len(data))] = chance.choice((0, 1, 127, 128, 255, chance.randrange(256)))
            return bytes(changed)


def mutate(seed: bytes, chance: random.Random) -> bytes:
    """The model with one to four things wrong; one of ten has wrong bytes, too."""
    model = onnx.ModelProto.FromString(seed)
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4))):
        with contextlib.suppress(google.protobuf.message.DecodeError):  # deeper than its own limit
            chance.choice(MUTATIONS)(model, chance)
    data = model.SerializeToString()[:LARGEST]
    return damage(data, chance) if data and chance.random() < 0.1 else data
