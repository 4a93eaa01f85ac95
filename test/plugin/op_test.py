# SPDX-License-Identifier: Apache-2.0
"""Ops of a plugin: in a network under every strategy and on several chips, against numpy; what is folded, printed, refused."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable

import numpy as np
import onnx
import plugins
from onnx import helper
from flatbuffers import flexbuffers
from plugins import DOMAIN, Bench, option, programs
from tflite_builder import Graph

import npuc_file_test  # isort: skip

RNG = np.random.default_rng(11)
STRATEGIES = ("none", "naive", "auto-nhwc", "convert", "preset", "alter", "optimal", "pbqp", "smartmem")
TARGETS = ("npu-nhwc", "npu-nchw16c", "npu-nchw", "host")
SHAPE = [1, 4, 12, 12]


def conv(source: str, result: str, weight: str) -> onnx.NodeProto:
    return helper.make_node("Conv", [source, weight], [result], name=result, kernel_shape=[3, 3], pads=[1, 1, 1, 1])


def demo(kind: str, sources: list[str], result: str, **attributes: object) -> onnx.NodeProto:
    return helper.make_node(kind, sources, [result], name=result, domain=DOMAIN, **attributes)


def model(name: str = "net") -> tuple[onnx.ModelProto, np.ndarray, np.ndarray]:
    """Two convolutions with the plugin's ops between: its input and what comes out."""
    w, v = (RNG.standard_normal(shape).astype(np.float32) / 4 for shape in ([8, 4, 3, 3], [5, 8, 3, 3]))
    s = np.linspace(0.5, 2, 8, dtype=np.float32)
    nodes = [
        conv("x", "c", "w"),
        demo("Scale", ["c", "s"], "d", axis=1, factor=1.5),
        demo("Halve", ["d"], "e"),
        helper.make_node("Relu", ["e"], ["f"], name="f"),
        demo("Bump", ["f"], "g"),
        conv("g", "y", "v"),
    ]
    net = plugins.network(name, nodes, {"w": w, "v": v, "s": s}, SHAPE, [1, 5, 6, 6])
    x = RNG.standard_normal(SHAPE).astype(np.float32)
    d = convolved(x, w) * s[None, :, None, None] * np.float32(1.5)
    e = d.reshape(1, 8, 6, 2, 6, 2).mean(axis=(3, 5))
    return net, x, convolved(np.maximum(e, 0) + 1, v)


def convolved(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """3x3, padded by one."""
    padded = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, w).astype(np.float32)


def run(bench: Bench, x: np.ndarray, program: str = "out.npu") -> np.ndarray:
    np.save(bench.path("x.npy"), x)
    words = ("--input", "x=x.npy", "--output", "y=y.npy", "--threads=2")
    done = bench.run("npu-run", program, option(bench), *words)
    assert done.returncode == 0, done.stderr
    return np.load(bench.path("y.npy"))


def test_every_strategy(bench: Bench) -> None:
    net, x, wanted = model()
    path = bench.save(net)
    for target in TARGETS:
        feasible = set()
        for strategy in STRATEGIES:
            words = (f"--target={target}", f"--layout={strategy}", option(bench), "--verify-layout", "-o", "out.npu")
            done = bench.run("npuc", path, *words)
            if done.returncode == 1 and "op infeasible: target" in done.stderr:
                continue  # of the convolutions: docs/strategy-target-matrix.md
            assert done.returncode == 0, (target, strategy, done.stderr)
            feasible.add(strategy)
            programs.check_close(run(bench, x), wanted)
        assert {"naive", "alter", "optimal"} <= feasible, (target, feasible)


def test_report_and_dump(bench: Bench) -> None:
    """The ops are kernels by their names, on the chip's bill; what an op moves is a relayout, not hidden."""
    report = bench.report(model()[0], "--target=npu-nhwc", option(bench))
    ops = {kernel["op"]: kernel for kernel in report["kernels"]}
    assert {"demo.scale", "demo.halve", "demo.bump"} <= ops.keys(), ops.keys()
    assert ops["demo.halve"]["implementation"] == "demo:halve_last", ops["demo.halve"]
    assert report["relayouts"]["count"] <= 2 and report["optimal"]["proved"], report["relayouts"]
    assert report["cost"] == sum(kernel["cycles"] for kernel in report["kernels"])
    assert "demo.halve" in bench.run("npu-dump", "out.npu").stdout
    explained = bench.npuc("net.onnx", "--target=npu-nchw16c", "--explain-layout", option(bench), "-o", "o.npu")
    assert "relayout" in explained.stdout, explained.stdout


def test_demands(bench: Bench) -> None:
    """A target speaks of the op by its name, and of its roles; what it does not have is an error."""
    text = (programs.ROOT / "targets" / "npu-nchw.yaml").read_text(encoding="utf-8")
    head, _, tail = text.replace("name: npu-nchw", "name: demo-chip").partition("demands:\n")
    chip = bench.path("demo-chip.yaml")

    def write(demand: str, where: str = f"plugins: [{plugins.library(bench)}]\n") -> None:
        chip.write_text(f"{head}{where}demands:\n  - {demand}\n{tail}", encoding="utf-8")

    net = model()[0]
    write("{ops: [demo.halve], data: [acdb], result: [acdb]}")
    report = bench.report(net, "--target=demo-chip.yaml", "--allow-target-plugins")
    (halve,) = [kernel for kernel in report["kernels"] if kernel["op"] == "demo.halve"]
    assert halve["layouts"] == ["acdb", "acdb"] and report["relayouts"]["count"] > 0, halve
    write("{ops: [demo.halve], data: [acdb], result: [acdb]}", "")
    assert bench.report(net, "--target=demo-chip.yaml", option(bench))["cost"] == report["cost"]
    covered = bench.run("npuc", "--check-target", "--target=demo-chip.yaml", option(bench))
    assert covered.returncode == 0, covered.stderr
    for demand, where, says in [
        ("{ops: [demo.other], data: [acdb]}", None, "unknown op 'demo.other'"),
        ("{ops: [demo.halve], weight: [acdb]}", None, "weight"),
        ("{ops: [demo.halve], data: [acdb]}", "", "unknown op 'demo.halve'"),
    ]:
        write(demand, *(() if where is None else (where,)))
        done = bench.run("npuc", "net.onnx", "--target=demo-chip.yaml", option(bench) if where is None else "--allow-target-plugins")
        assert done.returncode == 8 and says in done.stderr, done


def test_constants_fold(bench: Bench) -> None:
    """By the reference, at compile time: nothing of the op is left, so no plugin is needed."""
    t = RNG.standard_normal(SHAPE).astype(np.float32)
    s = np.linspace(1, 2, 4, dtype=np.float32)
    nodes = [
        demo("Scale", ["t", "s"], "u", factor=2.0),
        helper.make_node("Add", ["x", "u"], ["y"], name="add"),
    ]
    bench.compile(plugins.network("fold", nodes, {"t": t, "s": s}, SHAPE, SHAPE), option(bench))
    assert "demo" not in bench.run("npu-dump", "out.npu").stdout
    x = RNG.standard_normal(SHAPE).astype(np.float32)
    programs.check_close(run(bench, x), x + t * s[None, :, None, None] * 2)


def test_in_place(bench: Bench) -> None:
    """The result takes the memory of the input that the op names, if nobody reads it afterwards."""
    relu = helper.make_node("Sigmoid", ["x"], ["a"], name="a")
    last = helper.make_node("Tanh", ["b"], ["y"], name="last")
    bench.compile(plugins.network("once", [relu, demo("Bump", ["a"], "b"), last], {}, SHAPE, SHAPE), option(bench))
    assert "result in place of input 0" in kernel_line(bench, "demo_bump")
    again = helper.make_node("Add", ["b", "a"], ["y"], name="again")
    bench.compile(plugins.network("twice", [relu, demo("Bump", ["a"], "b"), again], {}, SHAPE, SHAPE), option(bench))
    assert "in place" not in kernel_line(bench, "demo_bump")
    x = RNG.standard_normal(SHAPE).astype(np.float32)
    programs.check_close(run(bench, x), 2 / (1 + np.exp(-x)) + 1)


def kernel_line(bench: Bench, name: str) -> str:
    (line,) = [line for line in bench.run("npu-dump", "out.npu").stdout.splitlines() if f"_{name}:" in line]
    return line


def test_text(bench: Bench) -> None:
    """Round trip in MLIR text, also after each stage; without the plugin an error says what is missing."""
    net, x, wanted = model()
    path = bench.save(net)
    for stage in ("imported", "fused", "layout", "planned"):
        bench.npuc(path, option(bench), "--emit=mlir", f"--stage={stage}", "-o", "a.mlir", "-q")
        text = bench.path("a.mlir").read_text(encoding="utf-8")
        assert re.search(r'parameters = {axis = array<i64: 1>, factor = array<f32: 1.5\d*(E\+00|e\+00)?>}', text), text
        done = bench.run("npu-opt", "a.mlir", option(bench), "-o", "b.mlir")
        assert done.returncode == 0, done.stderr
        assert bench.run("npu-opt", "b.mlir", option(bench), "-o", "c.mlir").returncode == 0
        assert bench.path("b.mlir").read_text(encoding="utf-8") == bench.path("c.mlir").read_text(encoding="utf-8")
        bench.npuc("b.mlir", option(bench), "-o", "out.npu", "-q")
        programs.check_close(run(bench, x), wanted)
    for words, says in [
        ((), "it needs plugin demo 1.0, which is not loaded; name it with --plugin"),
        ((option(bench, "newer"),), "it needs plugin demo 1.0, and version 2.0 is loaded"),
    ]:
        done = bench.run("npu-opt", "b.mlir", *words)
        assert done.returncode == 1 and says in done.stderr, done
    for wrong, says in [
        (text.replace('"scale"', '"stretch"'), "plugin demo 1.0 has no op 'stretch'"),
        (text.replace("axis = array<i64: 1>", "axis = 1 : i64"), "parameter "),
        (text.replace("axis = array<i64: 1>", "axis = array<i64: 0>"), "scale takes f32 x and s"),
    ]:
        bench.path("wrong.mlir").write_text(wrong, encoding="utf-8")
        done = bench.run("npu-opt", "wrong.mlir", option(bench))
        assert wrong != text and done.returncode == 1 and says in done.stderr, (says, done)


def small_graph() -> onnx.GraphProto:
    return helper.make_graph([], "part", [], [])


def cut_tensor() -> onnx.TensorProto:
    return onnx.TensorProto(name="t", data_type=1, dims=[2], raw_data=b"four")


def test_results_and_left_out_inputs(bench: Bench) -> None:
    """Each result is an op of its own; a tensor and strings are attributes; inputs are left out in every way."""
    table = helper.make_tensor("t", onnx.TensorProto.FLOAT, [2], [2.0, -3.0])
    x, a, b = (RNG.standard_normal(SHAPE).astype(np.float32) for _ in range(3))
    for sources, results, wanted in [
        (["x", "a", "b"], ["p", "q"], (2 * x + a) - (-3 * x + b)),
        (["x", "", "b"], ["p", "q"], 2 * x - (-3 * x + b)),
        (["x", "a"], ["p", "q"], (2 * x + a) - -3 * x),
        (["x"], ["p", "q"], 5 * x),
        (["x", "", "b"], ["", "q"], -(-3 * x + b)),
        (["x", "a", "b"], ["p"], 2 * x + a),
    ]:
        nodes = [helper.make_node("Pick", sources, results, name="pick", domain=DOMAIN, table=table, modes=["u", "v"])]
        if len(results) == 1:
            nodes.append(helper.make_node("Identity", ["p"], ["y"], name="last"))
        else:
            last = ("Sub", ["p", "q"]) if results[0] else ("Neg", ["q"])
            nodes.append(helper.make_node(*last, ["y"], name="last"))
        net = plugins.network("pick", nodes, {"a": a, "b": b}, SHAPE, SHAPE)
        for words in (("--target=npu-nhwc",), ("--target=host", "--layout=convert", "--io-layout=free")):
            bench.compile(net, option(bench), *words)
            programs.check_close(run(bench, x), wanted)
        bench.npuc("pick.onnx", option(bench), "--emit=mlir", "--stage=fused", "-o", "a.mlir", "-q")
        bench.npuc("a.mlir", option(bench), "-o", "out.npu", "-q")
        programs.check_close(run(bench, x), wanted)
        text = bench.path("a.mlir").read_text(encoding="utf-8")
        assert ("places = array<i64: 0, 2>" in text) == (sources[1:2] == [""]), text
        assert text.count("npu.custom") == sum(bool(name) for name in results), text
    dump = bench.run("npu-dump", "out.npu").stdout
    assert "op     demo 1.0 pick, result 0: modes=['u', 'v'], table=[f32 2]" in dump, dump
    kernels = json.loads(bench.run("npu-dump", "out.npu", "--json").stdout)["kernels"]
    (told,) = [kernel["plugin_op"] for kernel in kernels if "plugin_op" in kernel]
    assert told == {
        "plugin": "demo", "version": "1.0", "op": "pick", "result": 0, "inputs": [0, 1, 2],
        "attributes": {"modes": ["u", "v"], "table": [{"dtype": "f32", "shape": [2], "bytes": 8}]},
    }, told  # fmt: skip


def test_ops_of_npuc_in_its_place(bench: Bench) -> None:
    """An alternative is told the node's attributes, which result it is and which inputs there are."""
    text = (programs.ROOT / "targets" / "npu-nhwc.yaml").read_text(encoding="utf-8")
    text = re.sub("(?m)^name: .*", "name: chip", re.sub("(?m)^algorithms:.*", "algorithms: [demo.plain]", text))
    bench.path("chip.yaml").write_text(text, encoding="utf-8")
    table = helper.make_tensor("t", onnx.TensorProto.FLOAT, [2], [2.0, -3.0])
    x, b = (RNG.standard_normal(SHAPE).astype(np.float32) for _ in range(2))
    pick = helper.make_node("Pick", ["x", "", "b"], ["p", "q"], name="pick", domain=DOMAIN, table=table)
    net = plugins.network("set", [pick, helper.make_node("Sub", ["p", "q"], ["y"], name="last")], {"b": b}, SHAPE, SHAPE)
    words = (option(bench, "both"), "--target=chip.yaml")
    bench.compile(net, *words, "--write-layout-plan=plan.yaml")
    plan = bench.path("plan.yaml").read_text(encoding="utf-8")
    assert plan.count("algorithm: ") == 2, plan
    bench.path("plan.yaml").write_text(
        re.sub("algorithm: .*", "algorithm: demo.plain\n    pin: true", plan), encoding="utf-8"
    )
    bench.compile(net, *words, "--layout-plan=plan.yaml")
    assert "demo" not in bench.run("npu-dump", "out.npu").stdout
    programs.check_close(run(bench, x), 2 * x - (-3 * x + b))


def test_alike_ops_are_asked_once(bench: Bench) -> None:
    """About their dimensions: once for each set of types, however many ops and strategies there are."""
    names = ["x", *[f"v{i}" for i in range(29)], "y"]
    nodes = [demo("Scale", [source, "s"], result) for source, result in zip(names, names[1:])]
    net = plugins.network("alike", nodes, {"s": np.ones(4, np.float32)}, SHAPE, SHAPE)
    said = bench.npuc(bench.save(net), option(bench, "talks"), "--report=report.json", "-o", "out.npu").stderr
    assert 1 <= said.count("relate is asked") <= 10, said


def test_large_and_odd_tensors(bench: Bench) -> None:
    """Attributes of every kind of element, of any size, in another file, arrive as they are; none are dropped."""
    tensors = {
        "half": np.ones((3, 2), np.float16), "flags": np.array([True, False]), "many": np.arange(9, dtype=np.int64),
        "scalar": np.float32(3), "none": np.zeros((0, 4), np.int32), "large": RNG.integers(0, 255, 100_000).astype(np.uint8),
    }  # fmt: skip
    attributes = {name: onnx.numpy_helper.from_array(np.asarray(value)) for name, value in tensors.items()}
    attributes["two"] = [onnx.numpy_helper.from_array(np.ones(2, np.float32) * i) for i in range(2)]
    net = plugins.network("odd", [demo("Bump", ["x"], "y", **attributes)], {}, SHAPE, SHAPE)
    bench.compile(net, option(bench))
    x = RNG.standard_normal(SHAPE).astype(np.float32)
    programs.check_close(run(bench, x), x + 1)
    kernels = json.loads(bench.run("npu-dump", "out.npu", "--json").stdout)["kernels"]
    (told,) = [kernel["plugin_op"]["attributes"] for kernel in kernels if "plugin_op" in kernel]
    assert told["large"] == [{"dtype": "u8", "shape": [100000], "bytes": 100000}] and len(told["two"]) == 2, told
    assert told["none"] == [{"dtype": "i32", "shape": [0, 4], "bytes": 0}] and told["scalar"][0]["shape"] == [], told
    program = bench.path("out.npu").read_bytes()
    assert tensors["large"].tobytes() in program and tensors["half"].tobytes() in program
    bench.npuc("odd.onnx", option(bench), "--emit=mlir", "-o", "a.mlir", "-q")
    bench.npuc("a.mlir", option(bench), "-o", "again.npu", "-q")
    assert tensors["large"].tobytes() in bench.path("again.npu").read_bytes()


def test_errors(bench: Bench) -> None:
    net = model()[0]
    path = bench.save(net)
    cases = [
        ((), 5, "test.demo.Bump at 'g'"),
        ((), 5, "or of a plugin (--plugin, docs/plugins.md)"),
        ((option(bench, "relation"),), 1, "plugin demo 1.0: op 'scale': relate gave two dimensions of a value"),
        ((option(bench, "infer"),), 1, "gave a result of rank 99"),
    ]
    for words, code, says in cases:
        done = bench.run("npuc", path, "-o", "out.npu", *words)
        assert done.returncode == code and says in done.stderr, (words, done)
        assert not bench.path("out.npu").exists()
    endless = plugins.network("endless", [demo("Pick", ["x"], "y")], {}, SHAPE)
    done = bench.run("npuc", bench.save(endless), "-o", "out.npu", option(bench, "reason"))
    assert done.returncode == 1 and "plugin demo 1.0: xxx" in done.stderr, done
    wrong = [
        ([demo("Halve", ["x", "x"], "y")], "it has 2 inputs, expected 1 to 1"),
        ([demo("Scale", ["x", "s"], "y", axis=2)], "plugin demo 1.0: scale takes f32 x and s"),
        ([demo("Scale", ["", "s"], "y")], "leaves out input 0, which op 'scale' needs"),
        ([helper.make_node("Halve", ["x"], ["y", "z"], name="two", domain=DOMAIN)], "has 1 inputs and 2 results, expected"),
        ([demo("Halve", ["x"], "y", part=small_graph())], "has the attribute 'part', which a plugin cannot get"),
        ([demo("Halve", ["x"], "y", mode=b"a\0b")], "has the attribute 'mode', which a plugin cannot get"),
        ([demo("Pick", ["x"], "y", table=[1.0, 2.0])], "plugin demo 1.0: pick takes a table of two floats"),
        ([demo("Pick", ["x"], "y", table=cut_tensor())], "has 4 bytes of data, expected 8 for its shape"),
    ]
    for nodes, says in wrong:
        bad = plugins.network("bad", nodes, {"s": np.ones(4, np.float32)}, SHAPE)
        done = bench.run("npuc", bench.save(bad), "-o", "out.npu", option(bench))
        assert done.returncode == 1 and says in done.stderr, (says, done)


def lite(options: bytes, name: str = "Scale") -> bytes:
    """A TFLite file with an operator that it calls CUSTOM."""
    graph = Graph()
    x = graph.input(np.ones((1, 2, 2, 4), np.float32))
    s = graph.constant(np.linspace(0.5, 2, 4, dtype=np.float32))
    grown = graph.op("ADD", [x, x], "f32", options="AddOptions")
    graph.output(graph.op("CUSTOM", [grown, s], "f32", custom=name, custom_options=options))
    return graph.bytes()


def test_tflite(bench: Bench) -> None:
    """CUSTOM operators of TFLite are ops of the domain tflite; their options are FlexBuffers, or bytes."""
    bench.path("net.tflite").write_bytes(lite(flexbuffers.Dumps({"axis": 3, "factor": 1.5})))
    bench.npuc("net.tflite", option(bench), "--target=npu-nhwc", "-o", "out.npu", "-q")
    np.save(bench.path("x.npy"), np.arange(16, dtype=np.float32).reshape(1, 2, 2, 4))
    dump = bench.run("npu-dump", "out.npu").stdout
    assert "demo.lite_scale" in dump and "factor" in dump, dump
    done = bench.run("npu-run", "out.npu", option(bench), "--input", "case/x0=x.npy", "--output", "case/y3=y.npy")
    assert done.returncode == 0, done.stderr
    wanted = 3 * np.load(bench.path("x.npy")) * np.linspace(0.5, 2, 4, dtype=np.float32)
    programs.check_close(np.load(bench.path("y.npy")), wanted)
    for options, name, code, says in [
        (b"", "Other", 5, "CUSTOM 'Other' at"),
        (flexbuffers.Dumps({"axis": 3, "factor": [1.5, "a"]}), "Scale", 1, "has the attribute 'factor', which a plugin cannot get"),
        (flexbuffers.Dumps({"axis": 3, "factor": []}), "Scale", 1, "has the attribute 'factor', which a plugin cannot get"),
        (flexbuffers.Dumps({"axis": 3, "factor": {"a": 1}}), "Scale", 1, "has the attribute 'factor', which a plugin cannot get"),
        (b"\1\0\0\0", "Scale", 1, "plugin demo 1.0: scale takes"),
        (b"", "Scale", 1, "plugin demo 1.0: scale takes"),
    ]:
        bench.path("bad.tflite").write_bytes(lite(options, name))
        done = bench.run("npuc", "bad.tflite", option(bench), "-o", "bad.npu", "-q")
        assert done.returncode == code and says in done.stderr, (says, done)


def with_manifest(key: str, value: object) -> Callable[[bytes], bytes]:
    """The program with another value in its manifest; None: without the key."""

    def change(content: bytes) -> bytes:
        offset, size = struct.unpack_from("<QQ", content, len(content) - 40)
        tree = json.loads(content[offset : offset + size])
        tree[key] = value
        if value is None:
            del tree[key]
        return npuc_file_test.resealed(content, manifest=json.dumps(tree).encode())

    return change


def with_bytes(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    """The program with other bytes in its weights."""

    def change(content: bytes) -> bytes:
        assert old in content and len(old) == len(new)
        return npuc_file_test.resealed(content.replace(old, new))

    return change


def test_damage(bench: Bench) -> None:
    """A manifest without, or with another, plugin; an op's bytes that are none."""
    net, _, _ = model()
    bench.compile(net, option(bench))
    length = (5).to_bytes(8, "little")
    for change, says in [
        (with_manifest("plugins", None), "manifest key 'plugins' is missing"),
        (with_manifest("plugins", [{"name": "demo"}]), "manifest key 'plugins[0].version' is missing"),
        (with_manifest("plugins", 3), "manifest key 'plugins' is 3, expected an array"),
        (with_manifest("plugins", []), "it needs plugin demo 1.0, which is not loaded"),
        (with_manifest("plugins", [{"name": "demo", "version": "0.9"}]), "was compiled with plugin demo 0.9, but"),
        (with_bytes(length + b"halve", length + b"carve"), "plugin demo 1.0 has no op 'carve'"),
        (with_bytes(length + b"halve", (6).to_bytes(8, "little") + b"halve"), "its op"),
        (with_bytes(length + b"halve", (1 << 60).to_bytes(8, "little") + b"halve"), "its op ends within a part"),
    ]:
        bench.path("bad.npu").write_bytes(change(bench.path("out.npu").read_bytes()))
        done = bench.run("npu-run", "bad.npu", "--random-inputs", option(bench))
        assert done.returncode == 8 and says in done.stderr, (says, done)


if __name__ == "__main__":
    plugins.programs.main(__doc__)
