# SPDX-License-Identifier: Apache-2.0
"""Tests npu-compare and npu-reduce: what they find must be what was broken."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import onnx
from onnx import helper, numpy_helper

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench" / "models"), str(ROOT / "test" / "compiler" / "tools")]

import small  # noqa: E402
from npu_bench import case  # noqa: E402
from npu_bench.contender import Case  # noqa: E402
from npu_bench.errors import BenchError  # noqa: E402
from npu_bench.sizes import bind_sizes  # noqa: E402
from npu_bench.agreement import Tolerance, is_quantised  # noqa: E402
from npu_bench.words import NPUC_BUDGETS  # noqa: E402
from npu_compare import command as npu_compare_program  # noqa: E402
from npu_compare import layers  # noqa: E402
from npu_reduce import shrink  # noqa: E402
from programs import called, check_schema  # noqa: E402


def run(build: Path, program: str, *words: object) -> subprocess.CompletedProcess:
    if program in ("npu-compare", "npu-reduce", "npu-bench"):
        return called(build, program, *words)
    command = [str(build / "bin" / program), *map(str, words)]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)


def expect(done: subprocess.CompletedProcess, code: int, text: str) -> None:
    said = done.stdout + done.stderr
    assert done.returncode == code and text in said, f"{done.args}: {done.returncode}\n{said}"


def test_compare(build: Path, folder: Path) -> None:
    model = folder / "residual.onnx"
    onnx.save(small.make("residual"), model)
    expect(run(build, "npu-compare", model, "--batch=2"), 0, " 0 differ")
    report = folder / "layers.json"
    # Convolutions are not equal to the last bit, each from its own inputs: the first is where it begins.
    done = run(build, "npu-compare", model, "--rtol=0", "--atol=0", f"--json={report}", "--target=npu-nchw16c")
    expect(done, 1, "first at Conv 'Conv_0'")
    data = json.loads(report.read_text(encoding="utf-8"))
    check_schema("npu-compare", data)
    assert data["first"][0] == "conv0" and len(data["layers"]) > 5, data["first"]
    np.save(folder / "x.npy", np.zeros((1, 3, 32, 32), np.float32))
    expect(run(build, "npu-compare", model, "--input", f"x={folder}/x.npy", "--all"), 0, "ok     Conv 'Conv_0'")
    expect(run(build, "npu-compare", model, "--input", f"y={folder}/x.npy"), 2, "is not NAME=FILE.npy of an input")
    expect(run(build, "npu-compare", model, "--batch=2", "--input", f"x={folder}/x.npy"), 8, "expected float32[2, 3")
    expect(run(build, "npu-compare", folder / "none.onnx"), 1, "there is no file")
    expect(run(build, "npu-compare", model, "--target=npu-nhcw"), 2, "there is no target 'npu-nhcw'; did you mean 'npu-nhwc'?")
    expect(run(build, "npu-compare", model, "--layout=optimol"), 2, "error: npuc: unknown layout strategy 'optimol'")


def test_origin(folder: Path) -> None:
    """A wrong value in the middle is found, and what it spoils is not blamed."""
    path = folder / "hard_swish.onnx"
    model = small.make("hard_swish")
    onnx.save(model, path)
    image = np.random.default_rng(5).random((1, 3, 32, 32), np.float32)
    network = Case("x", path, 1, {"x": [1, 3, 32, 32]}, {}, {model.graph.input[0].name: image})
    names = [name for node in model.graph.node for name in node.output]
    right = layers.reference_values(network, names)
    wrong = {name: array.copy() for name, array in right.items()}
    wrong[names[3]][0, 1, 2, 3] = np.nan
    for name in names[4:]:
        wrong[name] = layers.value_alone(model, name, {**wrong, **network.inputs})
    assert np.isnan(wrong[names[-1]]).any(), "what follows is spoilt"
    found = layers.compare_layers(network, lambda: layers.Ours(wrong, {}), Tolerance(1e-3, 1e-4))
    assert [layer.value for layer in found if layer.differs] == [names[3]], found
    assert found[3].origin and found[3].place == [0, 1, 2, 3] and found[3].wrong == 1
    layer = layers.Layer("v", "n", "Conv", [], [])
    layers.judge(layer, np.ones((3, 2), np.float32), np.ones((2, 3), np.float32), Tolerance(1, 1))
    assert layer.differs and layer.worst == float("inf")


def test_quantised(folder: Path) -> None:
    """Steps that layers make of one step are right; three steps of one node's own are its fault alone."""
    path = folder / "quantised.onnx"
    model = small.make("quantized")
    onnx.save(model, path)
    image = np.random.default_rng(5).random((1, 3, 32, 32), np.float32)
    network = Case("x", path, 1, {"x": [1, 3, 32, 32]}, {}, {model.graph.input[0].name: image})
    names = [name for node in model.graph.node for name in node.output]
    right = layers.reference_values(network, names)
    first = next(name for name in names if is_quantised(right[name]))
    one_off = dict(right)
    one_off[first] = (right[first] ^ 1).astype(right[first].dtype)  # each number one step off, up or down
    for name in names[names.index(first) + 1 :]:
        one_off[name] = layers.value_alone(model, name, {**one_off, **network.inputs})
    far = [name for name in names if is_quantised(right[name])
           and np.abs(one_off[name].astype(int) - right[name]).max() > 1]  # fmt: skip
    assert far, "the layers make more of a step"

    def compare(values: dict[str, np.ndarray]) -> list[layers.Layer]:
        return layers.compare_layers(network, lambda: layers.Ours(values, {}), Tolerance(1e-3, 1e-4))

    assert not [layer for layer in compare(one_off) if layer.differs]
    wrong = dict(one_off)
    wrong[far[0]] = np.clip(one_off[far[0]].astype(int), 0, 250).astype(np.uint8) + np.uint8(3)
    for name in names[names.index(far[0]) + 1 :]:
        wrong[name] = layers.value_alone(model, name, {**wrong, **network.inputs})
    found = [layer for layer in compare(wrong) if layer.differs]
    assert [layer.value for layer in found] == [far[0]] and found[0].origin and found[0].alone, found


def test_only_bytes(build: Path, folder: Path) -> None:
    """On a chip of integers: each quantised value is named by what computes it, and is the model's or one step off."""
    path, report = folder / "quantised.onnx", folder / "bytes.json"
    onnx.save(small.make("quantized"), path)
    words = (f"--target={ROOT / 'test' / 'models' / 'npu-int8.yaml'}", "--bytes", f"--json={report}")
    expect(run(build, "npu-compare", path, *words), 0, " 0 differ")
    assert run(build, "npu-compare", path, *words, "--steps=0").returncode in (0, 1)
    found = json.loads(report.read_text(encoding="utf-8"))["layers"]
    made = {output for node in onnx.load(path).graph.node if node.op_type == "QuantizeLinear" for output in node.output}
    assert made <= {layer["value"] for layer in found} and any("Conv" in layer["op"] for layer in found), found
    assert all(layer["worst"] <= 1 for layer in found if layer["value"] in made and layer["alone"]), found
    expect(run(build, "npu-compare", path, *words, "--fallback=none"), 1, "ops; a processor beside it would")
    onnx.save(small.make("residual"), path)
    expect(run(build, "npu-compare", path, "--bytes"), 2, "no QuantizeLinear, so no quantised values")


def test_counted_kernels() -> None:
    """A recurrence that is written out runs thousands of kernels: a line counts them, the most used first."""
    kernels = [*["b"] * 3, "a", *["c\x1b"] * 12800, "b"]
    text = npu_compare_program.line_of(layers.Layer("v", "n", "LSTM", [], [1], kernels))
    assert " by c\x1b x12800, b x4, a" in text and len(text) < 120, text
    assert " by a" in npu_compare_program.line_of(layers.Layer("v", "n", "Conv", [], [1], ["a"]))
    assert " by " not in npu_compare_program.line_of(layers.Layer("v", "n", "Conv", [], [1]))


def odd_inputs(path: Path) -> dict[str, np.ndarray]:
    """A model with inputs that are easily taken for others; values for them."""
    values = {
        "number": np.array(2.5, np.float32), "empty": np.zeros((0, 3), np.float32), "void": np.zeros((2, 0), np.float32),
        "flags": np.array([True, False]), "halves": np.array([0.5, -2.0], np.float16),
    }  # fmt: skip
    nodes = [helper.make_node("Identity", [name], [f"{name}_"], name=name) for name in values]
    kinds = {name: helper.np_dtype_to_tensor_dtype(value.dtype) for name, value in values.items()}
    inputs = [helper.make_tensor_value_info(name, kinds[name], value.shape) for name, value in values.items()]
    outputs = [helper.make_tensor_value_info(f"{name}_", kinds[name], value.shape) for name, value in values.items()]
    graph = helper.make_graph(nodes, "g", inputs, outputs)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return values


def test_odd_inputs(build: Path, folder: Path) -> None:
    """A number, empty tensors, flags and halves: random ones, and from files."""
    model = folder / "odd.onnx"
    values = odd_inputs(model)
    # A batch that no input has.
    expect(run(build, "npu-compare", model, "--batch=3"), 0, "5 values compared, 0 differ")
    expect(run(build, "npu-bench", model, "--plans=npu-nhwc/naive", "--peers=onnxruntime", "--rounds=1"), 0, "odd")
    files = []
    for name, value in values.items():
        np.save(folder / f"{name}.npy", value)
        files.append(f"{name}={folder}/{name}.npy")
    expect(run(build, "npu-compare", model, *[f"--input={file}" for file in files]), 0, "5 values compared, 0 differ")
    with mock.patch.object(case, "_made_input", side_effect=AssertionError("values are given")):
        made = case.make_case(str(model), 3, {}, tuple(files))
    for name, value in values.items():
        assert made.shapes[name] == list(value.shape) and (made.inputs[name] == value).all(), name


def text_model(path: Path) -> None:
    """Token ids by way of casts and reshapes into a table of 7 rows and one of 5, a mask, and any number."""
    tables = [numpy_helper.from_array(np.ones((rows, 4), np.int8), f"t{rows}") for rows in (7, 5)]
    scale = numpy_helper.from_array(np.float32(0.5), "s")
    nodes = [
        helper.make_node("DequantizeLinear", ["t7", "s"], ["words"]),
        helper.make_node("DequantizeLinear", ["t5", "s"], ["kinds"]),
        helper.make_node("Cast", ["ids"], ["wide"], to=onnx.TensorProto.INT64),
        helper.make_node("Unsqueeze", ["wide", "zero"], ["more"]),
        helper.make_node("Gather", ["words", "more"], ["a"]),
        helper.make_node("Gather", ["kinds", "type_ids"], ["b"]),
        helper.make_node("Mul", ["the_mask", "number"], ["c"]),
    ]
    inputs = [helper.make_tensor_value_info("ids", onnx.TensorProto.INT32, ["n", 64])]
    inputs += [helper.make_tensor_value_info(name, onnx.TensorProto.INT64, ["n", 64])
               for name in ("type_ids", "the_mask", "number")]  # fmt: skip
    outputs = [helper.make_tensor_value_info(name, kind, None)
               for name, kind in zip("abc", (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT, onnx.TensorProto.INT64))]
    zero = numpy_helper.from_array(np.array([0]), "zero")
    graph = helper.make_graph(nodes, "g", inputs, outputs, [*tables, scale, zero])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def test_integers_within_their_limits(build: Path, folder: Path) -> None:
    """Ids of all rows of their table and of no other, masks of ones: text models run without files of inputs."""
    model = folder / "text.onnx"
    text_model(model)
    made = case.make_case(str(model), 4, {}).inputs
    assert set(made["ids"].ravel()) == set(range(7)) and made["ids"].dtype == np.int32, made["ids"]
    assert set(made["type_ids"].ravel()) == set(range(5)), made["type_ids"]
    assert (made["the_mask"] == 1).all() and made["number"].max() > 7, made
    np.save(folder / "ids.npy", np.full((4, 64), 6, np.int32))
    given = f"--input=ids={folder}/ids.npy"
    done = run(build, "npu-bench", model, "--batch=4", given, "--plans=npu-nhwc/optimal", "--peers=onnxruntime", "--rounds=1")
    expect(done, 0, "text")
    expect(run(build, "npu-bench", model, f"{given}x", "--plans=npu-nhwc/optimal"), 8, "cannot be read")
    expect(run(build, "npu-bench", model, "--input=idx=a.npy"), 2, "is not NAME=FILE.npy of an input; there are: ids")


def wrapped_ids(kind: str) -> tuple[list[onnx.NodeProto], int]:
    """Nodes from x to `ids` in a table of 7 rows, as exporters wrap or hold them; how many ids are right."""
    node = helper.make_node
    below = [node("Cast", ["x"], ["wide"], to=onnx.TensorProto.FLOAT), node("Less", ["wide", "zero_f"], ["below"])]
    plus = node("Add", ["x", "size"], ["more"])
    match kind:
        case "sum":  # of tf2onnx: (x + size) * (x < 0) + x * not (x < 0)
            casts = [node("Not", ["below"], ["other"])]
            casts += [node("Cast", [name], [f"{name}_i"], to=onnx.TensorProto.INT64) for name in ("below", "other")]
            products = [node("Mul", ["below_i", "more"], ["p"]), node("Mul", ["x", "other_i"], ["q"])]
            return [*below, plus, *casts, *products, node("Add", ["p", "q"], ["ids"])], 7
        case "where":
            return [*below, plus, node("Where", ["below", "more", "x"], ["ids"])], 7
        case "not below":
            return [node("GreaterOrEqual", ["x", "zero"], ["at"]), plus, node("Where", ["at", "x", "more"], ["ids"])], 7
        case "clip":
            return [node("Clip", ["x", "zero", "last"], ["ids"])], 7
        case "bounds":
            return [node("Max", ["x", "zero"], ["m"]), node("Min", ["m", "last"], ["ids"])], 7
        case "positions":  # that begin behind those of padding
            return [node("Add", ["x", "two"], ["ids"])], 5
    raise AssertionError(kind)


def test_wrapped_ids(folder: Path) -> None:
    """Ids that a model wraps, clips or shifts on their way to the table are limited by it all the same."""
    numbers = {"size": 7, "zero": 0, "last": 6, "two": 2}
    tensors = [numpy_helper.from_array(np.array(number), name) for name, number in numbers.items()]
    tensors += [numpy_helper.from_array(np.float32(0), "zero_f"), numpy_helper.from_array(np.ones((7, 2), np.float32), "t")]
    x = helper.make_tensor_value_info("x", onnx.TensorProto.INT64, [4, 64])
    model = folder / "wrapped.onnx"
    for kind in ("sum", "where", "not below", "clip", "bounds", "positions"):
        nodes, rows = wrapped_ids(kind)
        nodes.append(helper.make_node("Gather", ["t", "ids"], ["y"]))
        graph = helper.make_graph(nodes, "g", [x], [onnx.ValueInfoProto(name="y")], tensors)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
        made = case.make_case(str(model), None, {})
        assert set(made.inputs["x"].ravel()) == set(range(rows)), (kind, made.inputs["x"])
        layers.reference_values(made, ["y"])
    for number in (np.inf, np.nan, None):  # a model's number may be anything, and need not be there
        tensor = helper.make_tensor("far", 1, [], [0 if number is None else number])
        if number is None:
            tensor.ClearField("float_data")
        nodes = [helper.make_node("Cast", ["x"], ["f"], to=1), helper.make_node("Add", ["f", "far"], ["g"]),
                 helper.make_node("Cast", ["g"], ["ids"], to=7), helper.make_node("Gather", ["t", "ids"], ["y"])]  # fmt: skip
        graph = helper.make_graph(nodes, "g", [x], [onnx.ValueInfoProto(name="y")], [tensor, *tensors])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
        assert case.make_case(str(model), None, {}).inputs["x"].max() >= 7


def test_dynamic_layers(build: Path, folder: Path) -> None:
    """Each layer of a network whose scales depend on data is onnxruntime's, judged from the values that it got."""
    net = case.zoo.find("t5_encoder_int8")
    path = case.zoo.ensure(net.name, net.small)
    files = []
    for name, value in net.inputs(path, 1, net.small, net.order, seed=3).items():
        np.save(folder / f"{name}.npy", value)
        files += [f"--input={name}={folder}/{name}.npy", f"--input-shape={name}={','.join(map(str, value.shape))}"]
    expect(run(build, "npu-compare", path, *files), 0, " values compared, 0 differ")


def test_any_rank(build: Path, folder: Path) -> None:
    x = onnx.ValueInfoProto(name="x", type=helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, None))
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [onnx.ValueInfoProto(name="y")])
    model = folder / "rank.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
    expect(run(build, "npu-compare", model), 2, "the rank of input 'x' is unknown; say --input-shape=x=N")
    expect(run(build, "npu-compare", model, "--input-shape=x=1,3", "--batch=2"), 0, "1 values compared, 0 differ")
    expect(run(build, "npu-compare", model, "--input-shape=x=4,3"), 0, "1 values compared, 0 differ")
    wrong = run(build, "npu-compare", model, "--input-shape=x=4,3", "--batch=2")
    expect(wrong, 2, "--batch=2: 'x' begins with 4; say --batch=4, or leave --batch out")


def graph_network(path: Path) -> None:
    """Features of nodes and of edges, and by which node an edge ends: sizes that have nothing in common."""
    kinds = {"feat": (1, ["nodes", 5]), "edge_feat": (1, ["edges", 5]), "ends": (7, ["edges"]), "slots": (1, ["graphs"])}
    inputs = [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in kinds.items()]
    nodes = [
        helper.make_node("Gather", ["feat", "ends"], ["at"]), helper.make_node("Mul", ["at", "edge_feat"], ["message"]),
        helper.make_node("ReduceSum", ["message"], ["sum"], keepdims=0), helper.make_node("Add", ["slots", "sum"], ["y"]),
    ]  # fmt: skip
    graph = helper.make_graph(nodes, "g", inputs, [onnx.ValueInfoProto(name="y")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def test_first_sizes(build: Path, folder: Path) -> None:
    """Each input's own, also where a batch is asked for; what the sizes leave open is the batch."""
    model = folder / "graph.onnx"
    graph_network(model)
    np.save(folder / "ends.npy", np.arange(46) % 24)
    words = ("--input-shape=feat=24,5", "--input-shape=edge_feat=46,5", f"--input=ends={folder}/ends.npy")
    bench = ("npu-bench", model, *words, "--plans=npu-nhwc/naive", "--peers=onnxruntime", "--rounds=1", f"--json={folder}/b.json")
    expect(run(build, *bench), 0, "graph")
    measured = json.loads((folder / "b.json").read_text(encoding="utf-8"))
    check_schema("npu-bench", measured)
    row = measured["rows"][0]
    assert row["batch"] == 1 and row["difference"]["wrong"] == 0, row
    expect(run(build, *bench, "--batch=2,3"), 0, "graph")
    expect(run(build, "npu-compare", model, *words, "--batch=3", "--input-shape=slots=1"), 0, "values compared, 0 differ")
    expect(run(build, "npu-compare", model, *words, "--input-shape=slots=7"), 0, "values compared, 0 differ")
    wrong = run(build, "npu-compare", model, *words, "--input-shape=slots=7", "--batch=3")
    expect(wrong, 2, "--batch=3: 'feat' begins with 24, 'edge_feat' begins with 46, 'ends' begins with 46, "
                     "'slots' begins with 7; leave --batch out")  # fmt: skip
    wrong = run(build, "npu-compare", model, *words, "--input-shape=ends=45")
    expect(wrong, 2, "size 0 of input 'ends' is 'edges', which is 46 elsewhere, found 45")


def test_sizes() -> None:
    """Which sizes are whose: (inputs, --batch, --input-shape) to (shapes, names, batch)."""
    def found(dims: dict[str, list], batch: int | None, given: dict[str, list[int]]) -> tuple:
        values = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name, shape in dims.items()]
        sizes = bind_sizes(values, batch, given, {})
        return list(sizes.shapes.values()), sizes.dimensions, sizes.batch

    pair = {"x": ["n", 3], "m": ["n", "t"]}
    assert found(pair, None, {"m": [1, 9]}) == ([[1, 3], [1, 9]], {"n": 1, "t": 9}, 1)
    assert found(pair, None, {"m": [4, 9]}) == ([[4, 3], [4, 9]], {"n": 4, "t": 9}, 4)
    assert found(pair, 4, {"m": [1, 9]}) == ([[4, 3], [4, 9]], {"n": 4, "t": 9}, 4)
    assert found(pair, 4, {"m": [4, 9]}) == ([[4, 3], [4, 9]], {"n": 4, "t": 9}, 4)
    assert found({"x": [None, 3], "m": [-1]}, 4, {}) == ([[4, 3], [4]], {}, 4)
    assert found({"x": ["n"], "m": [None, "n"]}, None, {"m": [2, 5]}) == ([[5], [2, 5]], {"n": 5}, 1)
    assert found({"x": [2, 3], "s": []}, 4, {}) == ([[2, 3], []], {}, 4), "as many as the model has"
    for batch, given, text in ((4, {"m": [2, 9]}, "say --batch=2, or leave --batch out"), (None, {}, "size 1 of input 'm' is unknown")):
        try:
            raise AssertionError(found(pair, batch, given))
        except BenchError as error:
            assert text in str(error), error


def test_sizes_that_contradict(build: Path, folder: Path) -> None:
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n", 3])
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [onnx.ValueInfoProto(name="y")])
    model = folder / "sizes.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
    expect(run(build, "npu-compare", model, "--input-shape=x=1,4"), 2, "dimension 1 of input 'x' is 3 in the model, found 4")
    expect(run(build, "npu-compare", model, "--input-shape=x=4,3", "--batch=1"), 2, "--batch=1: 'x' begins with 4; say --batch=4")


def switched_network(path: Path) -> None:
    """A branch that a number chooses, before a shape that another input holds."""
    branches = {}
    for name, op in (("then_branch", "Neg"), ("else_branch", "Exp")):
        branches[name] = helper.make_graph([helper.make_node(op, ["x"], ["b"])], name, [], [onnx.ValueInfoProto(name="b")])
    nodes = [helper.make_node("Equal", ["rate", "wanted"], ["is_it"]), helper.make_node("If", ["is_it"], ["z"], **branches),
             helper.make_node("Reshape", ["z", "sizes"], ["y"])]  # fmt: skip
    inputs = [helper.make_tensor_value_info(name, kind, shape)
              for name, kind, shape in (("x", 1, ["n", 6]), ("rate", 7, []), ("sizes", 7, ["k"]))]  # fmt: skip
    wanted = numpy_helper.from_array(np.array(16000), "wanted")
    graph = helper.make_graph(nodes, "g", inputs, [onnx.ValueInfoProto(name="y")], [wanted])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def test_bound_inputs(build: Path, folder: Path) -> None:
    """Constants to npuc, inputs to the others: a network that is compiled for one value of an input."""
    model = folder / "switched.onnx"
    switched_network(model)
    for name, value in (("r", 16000), ("s", [3, -1]), ("short", np.int32(16000))):
        np.save(folder / f"{name}.npy", np.array(value))
    words = (f"--bind-input=rate={folder}/r.npy", f"--bind-input=sizes={folder}/s.npy")
    expect(run(build, "npu-compare", model), 5, "depends on the model's data")
    expect(run(build, "npu-compare", model, *words), 0, "2 values compared, 0 differ")
    bench = ("npu-bench", model, "--plans=npu-nhwc/naive", "--peers=onnxruntime", "--rounds=1")
    expect(run(build, *bench, *words, "--batch=2"), 0, "switched")
    np.save(folder / "r.npy", np.array(8000))  # another program, though the command is the same
    expect(run(build, *bench, *words), 0, "switched")
    expect(run(build, "npu-compare", model, *words, "--batch=2"), 0, "2 values compared, 0 differ")
    refused = {
        "--bind-input: 'short.npy' is not NAME=FILE.npy of an input; there are: x, rate, sizes": "short.npy",
        "--bind-input: 'none.npy' cannot be read": "rate=none.npy",
        "holds int32[], expected int64[]": f"rate={folder}/short.npy",
        "--bind-input: 'rate' has 0 dimensions, not 1": f"rate={folder}/s.npy",
        "--bind-input: 'x' has 2 dimensions, not 1": f"x={folder}/s.npy",
    }
    for text, word in refused.items():
        code = 8 if "cannot be read" in text or "holds" in text else 2
        expect(run(build, "npu-compare", model, f"--bind-input={word}"), code, text)
    expect(run(build, *bench, "--bind-input=rate=none.npy"), 8, "--bind-input: 'none.npy' cannot be read")
    expect(run(build, "npu-compare", model, *words, words[0]), 2, "--bind-input: 'rate' has two files")
    both = (*words, f"--input=rate={folder}/r.npy")
    expect(run(build, "npu-compare", model, *both), 2, "'rate' has values of --input and of --bind-input")
    expect(run(build, "npu-compare", model, *words, "--input-shape=sizes=3"), 2, "--bind-input gives it [2]")


def test_if_of_data(build: Path, folder: Path) -> None:
    """The branch that the data chooses, whatever the other would give."""
    branches = {}
    for name, op in (("then_branch", "Sqrt"), ("else_branch", "Exp")):
        outputs = [onnx.ValueInfoProto(name=output) for output in "abc"]
        nodes = [helper.make_node(op, ["x"], ["a"]), helper.make_node("Cast", ["a"], ["b"], to=onnx.TensorProto.INT32),
                 helper.make_node("Identity", ["x"], ["c"])]  # fmt: skip
        branches[name] = helper.make_graph(nodes, name, [], outputs)
    nodes = [helper.make_node("ReduceMin", ["x"], ["least"], keepdims=1), helper.make_node("Greater", ["least", "zero"], ["positive"]),
             helper.make_node("If", ["positive"], ["y", "z", "same"], **branches)]  # fmt: skip
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [3, 7])
    zero = numpy_helper.from_array(np.float32(0), "zero")
    graph = helper.make_graph(nodes, "g", [x], [onnx.ValueInfoProto(name=name) for name in ("y", "z", "same")], [zero])
    model = folder / "if.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
    positive = np.random.default_rng(4).uniform(1, 88, (3, 7)).astype(np.float32)
    for values in (positive, -positive, positive * np.float32(100)):  # of -4 the root is NaN, of 8800 Exp is infinite
        np.save(folder / "x.npy", values)
        expect(run(build, "npu-compare", model, f"--input=x={folder}/x.npy"), 0, "values compared, 0 differ")


def test_minus_one(build: Path, folder: Path) -> None:
    """Old exporters write -1 for a size that is unknown."""
    x, y = (helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [-1, 3, -1]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y], value_info=[y])
    model, part = folder / "minus.onnx", folder / "part.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
    expect(run(build, "npu-compare", model, "--input-shape=x=1,3,5", "--batch=2"), 0, "1 values compared, 0 differ")
    words = ("--input-shape=x=1,3,5", "--plans=npu-nhwc/naive", "--peers=onnxruntime", "--rounds=1")
    expect(run(build, "npu-bench", model, *words), 0, "minus")
    program = folder / "minus.npu"
    expect(run(build, "npuc", model, "-o", program, "--input-shape=x=1,3,5"), 0, "")
    np.save(folder / "x.npy", np.ones((1, 3, 5), np.float32))
    expect(run(build, "npu-run", program, f"--input=x={folder}/x.npy", f"--expect=y={folder}/x.npy"), 0, "")
    graph.node[0].op_type, graph.input[0].type.tensor_type.shape.dim[2].dim_value = "Unheard", 5
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
    expect(run(build, "npu-reduce", model, "--batch=2", f"--reduce={part}"), 0, "1 of ")
    assert onnx.load(part).graph.input[0].type.tensor_type.shape.dim[0].dim_value == 2


def broken_model(path: Path) -> None:
    """A network with one operator that nobody knows."""
    model = small.make("depthwise")
    nodes = list(model.graph.node)
    place = len(nodes) // 2
    unknown = helper.make_node("Unheard", [nodes[place].output[0]], ["u"], name="it", domain="test")
    for node in nodes[place + 1 :]:
        node.input[:] = ["u" if name == nodes[place].output[0] else name for name in node.input]
    del model.graph.node[:]
    model.graph.node.extend([*nodes[: place + 1], unknown, *nodes[place + 1 :]])
    model.opset_import.append(helper.make_opsetid("test", 1))
    del model.graph.value_info[:]
    onnx.save(model, path)


def test_reduce(build: Path, folder: Path) -> None:
    model, out = folder / "broken.onnx", folder / "part.onnx"
    broken_model(model)
    expect(run(build, "npuc", model, "--batch=2", f"--reduce={out}"), 0, "1 of ")
    assert [node.op_type for node in onnx.load(out).graph.node] == ["Unheard"]
    expect(run(build, "npuc", out, "-o", folder / "out.npu"), 5, "Unheard")
    two_words = run(build, "npuc", "--target", "host", "-q", "--batch", "2", "-o", folder / "out.npu", model, "--reduce", out)
    expect(two_words, 0, "1 of ")
    assert [node.op_type for node in onnx.load(out).graph.node] == ["Unheard"]
    direct = run(build, "npu-reduce", "--target", "host", model, "--batch=2", f"--reduce={out}")
    expect(direct, 2, f"found '{model}' beside the model 'host'")
    whole = folder / "concat.onnx"
    onnx.save(small.make("concat"), whole)
    expect(run(build, "npuc", whole, "--batch=1", f"--reduce={out}"), 1, "does not fail")
    # Any command: what fails here is whatever has both of these.
    test = "! (grep -q MaxPool {} && grep -q Concat {})"
    expect(run(build, "npu-reduce", whole, "--batch=1", f"--reduce={out}", "--reduce-test", test), 0, "2 of ")
    assert [node.op_type for node in onnx.load(out).graph.node] == ["Concat", "MaxPool"]
    onnx.checker.check_model(onnx.load(out))
    expect(run(build, "npu-reduce", folder / "none.onnx", f"--reduce={out}"), 1, "there is no file")
    expect(run(build, "npu-reduce", whole, f"--reduce={out}", "--input-shape=x"), 2, "expected NAME=1,3,224,224")
    well = folder / "does not fail.onnx"
    well.write_bytes(b"no model")
    expect(run(build, "npu-reduce", well, f"--reduce={out}"), 1, "cannot be read")
    expect(run(build, "npuc", whole, "--reduce-test=true"), 2, "--reduce-test goes with --reduce")


def test_reduce_of_wrong_words(build: Path, folder: Path) -> None:
    """What the words are to blame for, no part of the model mends: the same message and exit code as npuc's."""
    whole, out = folder / "whole.onnx", folder / "wrong.onnx"
    onnx.save(small.make("concat"), whole)
    for words in ("--target=npu-nhcw",), ("--layout=optimol",), ("--budget=node=5",), ("--unheard",), ("--layout-plan=none.yaml",):
        direct = run(build, "npuc", whole, "-o", folder / "whole.npu", "-q", "--batch=1", *words)
        code, text = direct.returncode, direct.stderr.strip().splitlines()[0].partition("error: ")[2].partition("; see npuc")[0]
        assert code in (2, 8), direct
        for program in ("npuc", "npu-reduce"):
            done = run(build, program, whole, "--batch=1", f"--reduce={out}", *words)
            expect(done, code, text.replace(str(whole), ""))
            assert not out.exists() and len(done.stderr.splitlines()) == 1, done
            done = run(build, program, whole, "--batch=1", f"--reduce={out}", "--input-shape=y=1,2")
            expect(done, 2, "--input-shape: whole has no input 'y'; it has: x")


def test_differing(build: Path, folder: Path) -> None:
    """Outputs next to 0 that differ by nothing but rounding agree; wrong ones do not, however small."""
    weight = numpy_helper.from_array(np.random.default_rng(5).standard_normal((64, 64)).astype(np.float32) * 1e-3, "w")
    minus = numpy_helper.from_array(-weight_of(weight), "m")
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("MatMul", ["x", "m"], ["b"]),
             helper.make_node("Add", ["a", "b"], ["y"])]  # fmt: skip
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [8, 64])
    graph = helper.make_graph(nodes, "g", [x], [onnx.ValueInfoProto(name="y")], [weight, minus])
    model = folder / "zero.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
    done = run(build, "npu-bench", model, "--plans=npu-nhwc/optimal,host/naive", "--peers=onnxruntime", "--rounds=1")
    expect(done, 0, "zero")


def weight_of(tensor: onnx.TensorProto) -> np.ndarray:
    return numpy_helper.to_array(tensor)


def test_budgets(build: Path, folder: Path) -> None:
    """A message that names --budget is of a program that has it; and with it the work is done."""
    model = folder / "budget.onnx"
    onnx.save(small.make("residual"), model)
    bench = ("npu-bench", model, "--batch=1", "--plans=npu-nhwc/optimal", "--rounds=1")
    for words in (("npu-compare", model, "--batch=1"), bench):
        refused = run(build, *words, "--budget=memory=100000")  # by npu-run, or as it does
        expect(refused, refused.returncode or 4, "raise it with --budget=memory=N")
        expect(run(build, *words, "--budget=memory=100000000"), 0, "")
        expect(run(build, *words, "--budget=memry=1"), 2, "unknown 'memry', expected one of: nodes, fold, constants, file")
        expect(run(build, *words, "--budget=fold=0"), 2, "no number of 1 or more")
        expect(run(build, *words, "--budget=file=1000"), 1, "--budget=file=N")
        expect(run(build, *words, "--budget=name=300", "--layout-seconds=5"), 0, "")
    reduce = ("npu-reduce", model, "--batch=1", f"--reduce={folder}/less.onnx", "--budget=file=1000")
    assert run(build, *reduce).returncode in (0, 1)
    said = run(build, "npuc", model, "--budget=none=1").stderr
    known = said.partition("expected: ")[2] or said.partition("expected one of: ")[2]
    for name in NPUC_BUDGETS:
        assert name in known, (name, said)


def test_shrink() -> None:
    """Only nodes 3 and 17 of twenty matter; a graph in an If is read as well."""
    nodes = [helper.make_node("Relu", [f"v{i}"], [f"v{i + 1}"], name=str(i)) for i in range(20)]
    values = [helper.make_tensor_value_info(f"v{i}", onnx.TensorProto.FLOAT, [2]) for i in (0, 20)]
    model = helper.make_model(helper.make_graph(nodes, "g", values[:1], values[1:]))
    part = shrink.shrink(model, lambda m: {"3", "17"} <= {node.name for node in m.graph.node}, lambda *_: None)
    assert [node.name for node in part.graph.node] == ["3", "17"]
    assert [value.name for value in part.graph.input] == ["v3", "v17"]
    inner = helper.make_graph(nodes[:1], "inner", [], [helper.make_tensor_value_info("v1", 1, [2])])
    node = helper.make_node("If", ["c"], ["y"], then_branch=inner, else_branch=inner)
    assert set(shrink.reads_of(node)) == {"c", "v0"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build folder")
    build = parser.parse_args().build.resolve()
    test_shrink()
    test_sizes()
    test_counted_kernels()
    with tempfile.TemporaryDirectory() as name:
        test_origin(Path(name))
        test_quantised(Path(name))
        test_wrapped_ids(Path(name))
        for test in (test_compare, test_only_bytes, test_odd_inputs, test_integers_within_their_limits,
                     test_dynamic_layers, test_any_rank, test_first_sizes, test_bound_inputs, test_if_of_data, test_sizes_that_contradict, test_minus_one, test_reduce,
                     test_reduce_of_wrong_words, test_differing, test_budgets):  # fmt: skip
            test(build, Path(name))
            print(f"{test.__name__} ok", flush=True)


if __name__ == "__main__":
    main()
