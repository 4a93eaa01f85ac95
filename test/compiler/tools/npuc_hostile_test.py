# SPDX-License-Identifier: Apache-2.0
"""Files and names that mean harm: one error in little time and memory, on one plain line."""

from __future__ import annotations

import itertools
import json
import os
import resource
import subprocess
import threading
import time
from pathlib import Path

import numpy as np
import onnx
import programs
import small
from npu_bench import shown
from npuc_errors_test import INPUT, MODEL, UNSUPPORTED, USAGE, refuse, refuse_model
from onnx import TensorProto, helper
from programs import Bench

MEMORY = 6
SECONDS, MEBIBYTES = 10, 1536  # that a refusal may take
NASTY = ("a\nnpuc: error: forged", "\x1b[2J\x1b[31mred", "\u202egnp.exe", "n" * 100_000)
FUNCTION = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}\n"


def refuse_soon(bench: Bench, code: int, text: str, *words: object) -> str:
    """refuse() within time, and within memory: the error is another one beyond it.

    Memory is the most that any call took so far, so a test whose calls may take more stands last."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    line = refuse(bench, code, text, *words)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert taken < SECONDS, f"{taken:.1f} seconds for: {line}"
    assert after.ru_maxrss < MEBIBYTES * 1024, f"{after.ru_maxrss >> 10} MiB until: {line}"
    return line


def loop(turns: int, body: list[onnx.NodeProto], name: str, state: str, result: str) -> tuple[onnx.NodeProto, onnx.TensorProto]:
    """`state` through the nodes, which make `next` of `state`, again and again."""
    infos = [helper.make_tensor_value_info("turn", TensorProto.INT64, []), helper.make_tensor_value_info("go", TensorProto.BOOL, [])]
    infos.append(helper.make_empty_tensor_value_info("state"))
    ends = [helper.make_empty_tensor_value_info("go"), helper.make_empty_tensor_value_info("next")]
    graph = helper.make_graph(body, "body", infos, ends)
    count = helper.make_tensor(f"{name}-count", TensorProto.INT64, [], [turns])
    return helper.make_node("Loop", [count.name, "", state], [result], name=name, body=graph), count


def loops(*turns: int, op: str = "Relu") -> onnx.ModelProto:
    """Loops inside loops around one op."""
    body, counts = [helper.make_node(op, ["state"], ["next"], name="inside")], []
    for depth, number in enumerate(turns):
        isLast = depth + 1 == len(turns)
        node, count = loop(number, body, f"loop{depth}", "x" if isLast else "state", "y" if isLast else "next")
        body, counts = [node], [*counts, count]
    model = programs.network("loops", body, {}, {"x": [2]}, ["y"])
    model.graph.initializer.extend(counts)
    return model


def recurrent(op: str, steps: int, gates: int) -> onnx.ModelProto:
    weights = {"w": np.ones((1, gates, 1), np.float32), "r": np.ones((1, gates, 1), np.float32)}
    node = helper.make_node(op, ["x", "w", "r"], ["y"], name="net", hidden_size=1)
    return programs.network(op, [node], weights, {"x": [steps, 1, 1]}, ["y"])


def test_nodes(bench: Bench) -> None:
    """Loops of any kind, by themselves and inside each other."""
    def over(model: onnx.ModelProto) -> str:
        path = bench.save(model)
        return refuse_soon(bench, UNSUPPORTED, "the budget is 50000; if that is meant, raise it with --budget=nodes=N", path)

    over(loops(4000, 4000))
    assert "takes at least 1000000000 nodes" in over(loops(10**9))
    over(loops(2**63 - 1))
    over(loops(300, 300, op="Identity"))
    for op, gates in (("RNN", 1), ("GRU", 3), ("LSTM", 4)):
        assert "takes at least 1000000 nodes" in over(recurrent(op, 10**6, gates)), op
        over(recurrent(op, 49_000, gates))
    scanned = helper.make_graph([helper.make_node("Relu", ["i"], ["o"])], "body", [helper.make_empty_tensor_value_info("i")],
                                [helper.make_empty_tensor_value_info("o")])  # fmt: skip
    over(programs.network("scan", [helper.make_node("Scan", ["x"], ["y"], body=scanned, num_scan_inputs=1)], {}, {"x": [10**6, 2]}, ["y"]))


def test_functions(bench: Bench) -> None:
    """Each calls the next one twice: 2^60 nodes."""
    model = programs.network("calls", [helper.make_node("f0", ["x"], ["y"], domain="t")], {}, {"x": [2]}, ["y"])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("t", 1)]
    for depth in range(60):
        inner, domain = ("Relu", "") if depth == 59 else (f"f{depth + 1}", "t")
        nodes = [helper.make_node(inner, ["a"], ["m"], domain=domain), helper.make_node(inner, ["m"], ["b"], domain=domain)]
        model.functions.append(helper.make_function("t", f"f{depth}", ["a"], ["b"], nodes, opsets))
    model.opset_import.append(helper.make_opsetid("t", 1))
    refuse_soon(bench, UNSUPPORTED, "--budget=nodes=N", bench.save(model))


def test_counted_constants(bench: Bench) -> None:
    """Constants that a node needs to count along what it makes, and whose size is an attribute or an extent."""
    huge, regions = 2**31 - 1, np.zeros((1, 5), np.float32)
    bins = helper.make_node("MaxRoiPool", ["x", "regions"], ["y"], pooled_shape=[1, huge])
    refuse_soon(bench, UNSUPPORTED, "--budget=constants=N", bench.save(programs.network("bins", [bins], {"regions": regions}, {"x": [1, 1, 4, 4]}, ["y"])))
    depth = helper.make_node("OneHot", ["place", "depth", "values"], ["y"])
    small = {"depth": np.array(huge, np.int64), "values": np.array([0, 1], np.float32), "to": np.array([1], np.int64)}
    place = [helper.make_node("Cast", ["x"], ["place"], to=onnx.TensorProto.INT64), depth]
    refuse_soon(bench, UNSUPPORTED, "--budget=constants=N", bench.save(programs.network("depth", place, small, {"x": [1]}, ["y"])))
    frames = helper.make_node("STFT", ["x", "step", "", "length"], ["y"])
    sizes = {"step": np.array(1, np.int64), "length": np.array(2**14, np.int64)}
    refuse_soon(bench, UNSUPPORTED, "--budget=constants=N", bench.save(programs.network("frames", [frames], sizes, {"x": [1, 2**20, 1]}, ["y"])))


def test_constants_from_little(bench: Bench) -> None:
    """A few bytes of a model that are many in memory, and a constant that is put behind itself again and again."""
    some = {"shape": np.array([600], np.int64), "zero": np.array(0, np.float32), "end": np.array(600, np.float32), "step": np.array(1, np.float32)}
    doubled = [helper.make_node("Concat", [f"c{i}", f"c{i}"], [f"c{i + 1}"], axis=0) for i in range(8)]
    for name, nodes, constants, made in (
        ("filled", [helper.make_node("ConstantOfShape", ["shape"], ["c"])], some, "c"),
        ("range", [helper.make_node("Range", ["zero", "end", "step"], ["c"])], some, "c"),
        ("doubled", doubled, {"c0": np.arange(4, dtype=np.float32)}, "c8"),
    ):
        model = programs.network(name, [*nodes, helper.make_node("Add", ["x", made], ["y"])], constants, {"x": [1]}, ["y"])
        refuse(bench, UNSUPPORTED, "--budget=constants=N", bench.save(model), "--budget=constants=1000")


def test_budgets_are_raised(bench: Bench) -> None:
    path = bench.save(loops(60, 60))
    refuse(bench, UNSUPPORTED, "the budget is 1000;", path, "--budget=nodes=1000")
    bench.npuc(path, "--budget=nodes=1000", "--budget=nodes=20000", "-o", "out.npu", "-q")
    refuse(bench, USAGE, "unknown 'steps', expected one of: nodes, fold", path, "--budget=steps=4")
    for wrong in ("nodes", "nodes=", "nodes=0", "nodes=-1", "nodes=many", "nodes=99999999999999999999"):
        refuse(bench, USAGE, "--budget: '" + wrong, path, f"--budget={wrong}")
    refuse(bench, MODEL, "--budget=file=N", path, "--budget=file=10")
    refuse(bench, INPUT, "--budget=text=N", path, "--budget=text=10")
    page = (programs.ROOT / "docs" / "npuc.md").read_text(encoding="utf-8")
    listed = bench.run("npuc", "--help").stdout.partition("Budgets:\n")[2].partition("\n\n")[0].splitlines()
    for row in listed:
        name, usual = row.split()[:2]
        assert f"| `{name}` | {usual} | " in page, row


def test_names(bench: Bench) -> None:
    """Wherever a name stands: one line, no control characters, not long; files keep it."""
    def plain(line: str) -> None:
        assert line.isprintable() and len(line) < 1500, line[:2000]

    path = bench.save("conv_relu")
    for name in NASTY:
        unknown = programs.network("unknown", [helper.make_node("Whatever", ["x"], ["y"], name=name)], {}, {"x": [2]}, ["y"])
        plain(refuse_model(bench, "Whatever", unknown, code=UNSUPPORTED))
        missing = programs.network("missing", [helper.make_node("Relu", [name], ["y"], name="one")], {}, {"x": [2]}, ["y"])
        plain(refuse_model(bench, "reads", missing))
        kind = programs.network("kind", [helper.make_node(name, ["x"], ["y"], name="one")], {}, {"x": [2]}, ["y"])
        plain(refuse_model(bench, "not supported", kind, code=UNSUPPORTED))
        for value, extent in ((name, "n"), ("x", name)):
            size = programs.network("size", [helper.make_node("Relu", [value], ["y"])], {}, {value: [extent]}, ["y"])
            plain(refuse_model(bench, "unknown size", size))
        short = name[:200]
        for words in ((f"--layout={short}",), (f"--target={short}",), (f"--bind-input={short}=none.npy",), (f"--emit={short}",),
                      (f"--input-shape={short}",), (f"--io-layout={short}=q",), (f"--desired-layouts={short}", "--layout=convert")):  # fmt: skip
            done = bench.run("npuc", path, "--batch=1", *words)
            lines = done.stderr.splitlines()
            assert done.returncode and len(lines) == 1, (words, done.stderr)
            plain(lines[0])
        yaml = json.dumps(name)
        for text in (f"{yaml}: 1\n", f"name: [{yaml}\n", f"name: {yaml}\nmachine: {yaml}\n"):
            bench.path("chip.yaml").write_text(text, encoding="utf-8")
            plain(refuse(bench, INPUT, "chip.yaml", path, "--batch=1", "--target=chip.yaml"))
        bench.path("plan.yaml").write_text(f"version: 1\nlayouts:\n  - value: {yaml}\n    {yaml}: q\n", encoding="utf-8")
        plain(refuse(bench, INPUT, "plan.yaml", path, "--batch=1", "--layout-plan=plan.yaml"))
        assert shown.shown_message(f"model's '{name}' is wrong").isprintable()
        missing.graph.node[0].name = name
        onnx.save(missing, bench.path("missing.onnx"))
        for words in (("npu-compare", "missing.onnx"), ("npu-reduce", f"{short}.onnx", "--reduce=small.onnx")):
            done = bench.run(*words)
            assert done.returncode == MODEL and len(done.stderr.splitlines()) == 1, (words, done.stderr[:2000])
            plain(done.stderr.strip())
    assert shown.plain("größe 入力 🦀 it's") == "größe 入力 🦀 it's"
    assert len(shown.shown_name("n" * 10**5)) < 300
    named = small.make("conv_relu")
    named.graph.node[0].name = NASTY[0]
    report = bench.report(named, "--batch=1")
    assert any(NASTY[0] in kernel["node"] for kernel in report["kernels"]), report["kernels"]
    for words in (("out.npu",), ("out.npu", "--kernels")):
        assert "\nnpuc: error" not in bench.run("npu-dump", *words).stdout
    assert "\nnpuc: error" not in bench.run("npuc", "conv_relu.onnx", "--batch=1", "--explain-layout", "-o", "out.npu").stdout


def test_files(bench: Bench) -> None:
    """Endless, waiting, unreadable: every input of every program."""
    path = bench.save("conv_relu")
    bench.compile("conv_relu", "--batch=1", "--report=report.json")
    os.mkfifo(bench.path("pipe"))
    bench.path("folder").mkdir()
    inputs = [bench.path("pipe"), bench.path("folder"), Path("/dev/zero"), bench.path("none")]
    for kind in (".onnx", ".mlir", ".yaml", ".npy", ".json", ".npu", ".tflite"):
        link = bench.path(f"endless{kind}")
        link.symlink_to("/dev/zero")
        inputs.append(link)
    for given in inputs:
        refuse_soon(bench, MODEL, "cannot be read", given)
        refuse_soon(bench, INPUT, "cannot be read", path, "--batch=1", f"--target={given}")
        refuse_soon(bench, INPUT, "cannot be read", path, "--batch=1", f"--layout-plan={given}")
        refuse_soon(bench, INPUT, "cannot be read", path, f"--bind-input=x={given}")
        for words in (("npu-dump", given), ("npu-layout-diff", "report.json", given), ("npu-run", given),
                      ("npu-run", "out.npu", "--input", f"x={given}"), ("npu-opt", given)):  # fmt: skip
            done = bench.run(words[0], *words[1:])
            assert done.returncode not in ((0, 1) if words[0] == "npu-layout-diff" else (0,)), (words, done)
            assert done.stderr.count("error: ") == 1, (words, done.stderr)


def test_deep(bench: Bench) -> None:
    """Brackets in brackets, a long chain, a long sum: no parser and no pass runs out of stack."""
    deep = 10_000
    for text in ("module attributes {a.b = " + "[" * deep + "]" * deep + "} {}", "module {" * deep + "}" * deep,
                 "module attributes {a.b = affine_map<(d0) -> (" + "(" * deep + "d0" + ")" * deep + ")>} {}",
                 "module attributes {a.b = affine_map<(d0) -> (" + "-" * deep + "d0)>} {}"):  # fmt: skip
        bench.path("deep.mlir").write_text(text, encoding="utf-8")
        refuse_soon(bench, MODEL, "brackets, graphs or calls inside each other, or dimensions of a type, the budget is 256", "deep.mlir")
    bench.path("deep.mlir").write_text("func.func @main(%a: tensor<" + "1x" * 100_000 + "f32>) { return }", encoding="utf-8")
    refuse_soon(bench, MODEL, "the budget is 256", "deep.mlir")
    path = bench.save("conv_relu")
    for text in ("name: " + "[" * deep + "]" * deep, "name: " + "{a: " * deep + "}" * deep, "- " * deep + "a", "? " * deep + "a"):
        bench.path("deep.yaml").write_text(text, encoding="utf-8")
        refuse_soon(bench, INPUT, "the budget is 256", path, "--batch=1", "--target=deep.yaml")
        refuse_soon(bench, INPUT, "the budget is 256", path, "--batch=1", "--layout-plan=deep.yaml")
    bench.path("deep.json").write_text("[" * 10**6, encoding="utf-8")
    done = bench.run("npu-layout-diff", "deep.json", "deep.json")
    assert done.returncode == INPUT and done.stderr.count("error: ") == 1, done
    bench.path("sum.mlir").write_text("module attributes {a.b = affine_map<(d0) -> (" + "d0 * " * 2_000_000 + "d0)>} {}", encoding="utf-8")
    done = bench.run("npuc", "sum.mlir")
    assert done.returncode in (MODEL, MEMORY) and done.stderr.count("npuc: error: ") == 1, done.stderr[:300]


def test_resource_without_alignment(bench: Bench) -> None:
    """MLIR's parser ends the process for an alignment of 0."""
    bench.path("blob.mlir").write_text(
        "func.func @main() -> tensor<1xf32> {\n  %0 = npu.constant dense_resource<w> : tensor<1xf32> -> tensor<1xf32>\n  return %0 : tensor<1xf32>\n}\n"
        '{-#\n  dialect_resources: { builtin: { w: "0x000000000000803F" } }\n#-}\n', encoding="utf-8")  # fmt: skip
    refuse_soon(bench, MODEL, "a resource whose alignment is 0", "blob.mlir")
    done = bench.run("npu-opt", "blob.mlir")
    assert done.returncode == 1 and "a resource whose alignment is 0" in done.stderr, done


def test_shrinking(bench: Bench) -> None:
    """A model that becomes shorter and longer all the time while it is read."""
    model = programs.network("big", [helper.make_node("Add", ["x", "w"], ["y"])], {"w": np.ones(4_000_000, np.float32)}, {"x": [1]}, ["y"])
    data = model.SerializeToString()
    path = bench.path("big.onnx")
    path.write_bytes(data)
    isOver = threading.Event()

    def shrink() -> None:
        while not isOver.is_set():
            os.truncate(path, 1000)
            path.write_bytes(data)

    thread = threading.Thread(target=shrink)
    thread.start()
    try:
        end = time.monotonic() + 3
        while time.monotonic() < end:
            done = bench.run("npuc", path, "-q", "--emit=mlir", "-o", "out.mlir")
            assert done.returncode in (0, MODEL), done
            assert done.stderr.count("npuc: error: ") == (done.returncode != 0), done.stderr
    finally:
        isOver.set()
        thread.join()


def run_within(bench: Bench, mebibytes: int, *words: str) -> subprocess.CompletedProcess:
    limit = mebibytes << 20
    return subprocess.run([str(bench.build / "bin" / words[0]), *words[1:]], cwd=bench.folder, capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))  # fmt: skip


def sweep(bench: Bench, codes: set[int], least: int, step: int, *words: str) -> None:
    """From where the program starts at all to where it works: exit codes, one error."""
    ends = set()
    while run_within(bench, least, words[0], "--version").returncode:
        least += step
    for mebibytes in range(least, least + 200 * step, step):
        done = run_within(bench, mebibytes, *words)
        call = f"{words} within {mebibytes} MiB: exit code {done.returncode}\n{done.stderr[:2000]}"
        assert done.returncode in codes | {0}, call
        assert sum("error: " in line for line in done.stderr.splitlines()) == (done.returncode != 0), call
        ends.add(done.returncode)
        if done.returncode == 0:
            return
    raise AssertionError(f"{words} never works: {ends}")


def test_memory(bench: Bench) -> None:
    """Every limit between starting and working."""
    bench.save("residual")
    sweep(bench, {MEMORY}, 300, 16, "npuc", "residual.onnx", "--batch=1", "-q", "-o", "out.npu", "--threads=1")
    assert bench.path("out.npu").is_file() and {path.name for path in bench.folder.iterdir()} == {"residual.onnx", "out.npu"}
    for threads in (1, 6):
        sweep(bench, {MEMORY}, 20, 4, "npu-run", "out.npu", "--random-inputs", f"--threads={threads}")


def test_splats(bench: Bench) -> None:
    """One number of a module that is many in memory, alone and together."""
    for count, size in ((1, 2**28), (9, 2**25)):
        text = "".join(f"  %{i} = npu.constant dense<{i + 1}.0> : tensor<{size}xf32> -> tensor<{size}xf32>\n" for i in range(count))
        bench.path("splat.mlir").write_text("func.func @main() -> tensor<%dxf32> {\n%s  return %%0 : tensor<%dxf32>\n}" % (size, text, size),
                                            encoding="utf-8")  # fmt: skip
        refuse_soon(bench, MODEL, "--budget=constants=N", "splat.mlir")


def test_constants(bench: Bench) -> None:
    """Constants that are computed from small ones: by size, by number, by work."""
    def nodes(*rows: tuple) -> onnx.ModelProto:
        made = [helper.make_node(op, inputs, [result], **attributes) for op, inputs, result, attributes in rows]
        made.append(helper.make_node("Add", ["x", made[-1].output[0]], ["y"]))
        side = np.array([20000, 20000], np.int64)
        weights = {"big": np.array([16_000_000], np.int64), "square": np.array([4000, 4000], np.int64), "side": side,
                   "zero": np.array(0, np.int64), "last": np.array(10**12, np.int64), "one": np.array(1, np.int64)}  # fmt: skip
        return programs.network("constants", made, weights, {"x": [1]}, ["y"])

    grown = [("ConstantOfShape", ["square"], "c0", {}), ("Exp", ["c0"], "e0", {})]
    work = list(itertools.chain(grown, [("MatMul", ["e0", "e0"], "m0", {}), ("ReduceSum", ["m0"], "r", {"keepdims": 0})]))
    refuse_soon(bench, UNSUPPORTED, "--budget=fold=N", bench.save(nodes(*work)))
    refuse_soon(bench, UNSUPPORTED, "--budget=constants=N", bench.save(nodes(("Range", ["zero", "last", "one"], "r", {}))))
    many: list[tuple] = [("ConstantOfShape", ["big"], "c0", {})]
    for index in range(200):
        many.append(("Exp", [f"c{index}"], f"c{index + 1}", {}))
    refuse(bench, UNSUPPORTED, "--budget=fold=N", bench.save(nodes(*many, ("ReduceSum", ["c200"], "r", {"keepdims": 0}))))


if __name__ == "__main__":
    programs.main(__doc__)
