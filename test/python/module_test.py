# SPDX-License-Identifier: Apache-2.0
"""The module npuc as its users see it: models, options, arrays, errors, threads. Results against onnxruntime."""

from __future__ import annotations

import contextlib
import doctest
import functools
import gc
import importlib
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import onnx
from onnx import helper

TOOLS = Path(__file__).resolve().parents[1] / "compiler" / "tools"
sys.path[:0] = [str(TOOLS), str(TOOLS.parents[1] / "plugin")]
BUILD = Path(next(word.split("=", 1)[1] for word in sys.argv if word.startswith("--build=")))
sys.path.insert(0, str(BUILD / "python"))

import npuc  # noqa: E402
import plugins  # noqa: E402
import programs  # noqa: E402
import small  # noqa: E402
from programs import Bench, chain, check_close, expected, sample  # noqa: E402

SHAPE = (2, 3, 32, 32)


def raises(kind: type[Exception], says: str, call, *words, **named) -> Exception:
    try:
        call(*words, **named)
    except kind as error:
        assert says in str(error), f"'{says}' is not in: {error}"
        return error
    raise AssertionError(f"no {kind.__name__}: {words} {named}")


def environment(bench: Bench) -> dict[str, str]:
    """For a Python of its own."""
    return {**os.environ, "PYTHONPATH": str(bench.build / "python")}


def test_five_lines(bench: Bench) -> None:
    path = bench.save("residual")
    x = sample(*SHAPE)
    p = npuc.compile(path, target="npu-nhwc", batch=2)
    check_close(p.run(x=x)["y"], expected(path, {"x": x})[0])
    assert p.report["target"] == "npu-nhwc"
    assert "naive" in p.explain() and '(io_layout="x=' in p.explain(), p.explain()
    profile = p.profile(runs=2)
    assert all(kernel["ms"] > 0 and kernel["cycles"] > 0 for kernel in profile)
    assert all(kernel["measured_cycles"] == 0 < kernel["cycles"] for kernel in p.kernels)
    assert [kernel["name"] for kernel in profile] == [kernel["name"] for kernel in p.kernels]
    (x_in,), (y_out,) = p.inputs, p.outputs
    assert (x_in.name, x_in.shape, x_in.dtype) == ("x", SHAPE, np.float32)
    assert y_out.name == "y" and y_out.shape[0] == 2 and y_out.dtype == np.float32
    assert "x: float32[2, 3, 32, 32]" in repr(p)


def test_every_kind_of_model(bench: Bench) -> None:
    model = small.make("residual")
    path, x = bench.save("residual"), sample(*SHAPE)
    wanted = expected(path, {"x": x})[0]
    data = path.read_bytes()
    text = npuc.emit(path, "mlir", batch=2)
    for given in (path, str(path), data, bytearray(data), memoryview(data), model):
        check_close(npuc.compile(given, batch=2)(x), wanted)
    check_close(npuc.compile(text)(x), wanted)
    check_close(npuc.compile(text, name="other.mlir")(x), wanted)
    raises(TypeError, "not int", npuc.compile, 5)
    raises(TypeError, "in memory", npuc.compile, path, name="x.onnx")


def test_zeros_in_names(bench: Bench) -> None:
    """As Python's own functions have it; the C API would take what stands before the zero."""
    path = str(bench.save("residual"))
    for call in (
        lambda: npuc.compile(path + "\0x", batch=1),
        lambda: npuc.compile(path, batch=1, target="npu-nhwc\0x"),
        lambda: npuc.compile(path, batch=1, plugin="a.so\0x"),
        lambda: npuc.compile(path, batch=1, output=str(bench.path("o.npu\0x"))),
        lambda: npuc.load(str(bench.path("o.npu")) + "\0x"),
        lambda: npuc.load(bench.compile("residual", "--batch=1"), plugin="a.so\0x"),
    ):
        raises(ValueError, "null byte", call)
    assert not bench.path("o.npu").exists()


def test_plugin(bench: Bench) -> None:
    """The program of a compilation has its plugins; one that is loaded gets them by name."""
    bump = onnx.helper.make_node("Bump", ["x"], ["y"], name="bump", domain=plugins.DOMAIN)
    path = bench.save(plugins.network("bump", [bump], {}, [2, 3], [2, 3]))
    raises(npuc.CompileError, "test.demo.Bump", npuc.compile, path)
    raises(npuc.CompileError, "'none.so' cannot be read: No such file", npuc.compile, path, plugin="none.so")
    x, demo = sample(2, 3), plugins.library(bench)
    text = (TOOLS.parents[2] / "targets" / "npu-nchw.yaml").read_text(encoding="utf-8")
    chip = bench.path("demo-chip.yaml")
    chip.write_text(text.replace("name: npu-nchw", "name: demo-chip") + f"\nplugins: [{demo}]\n", encoding="utf-8")
    raises(npuc.CompileError, "is code that would run here", npuc.compile, path, target=chip)
    for given in ({"allow_target_plugins": True}, {"plugin": demo}):
        check_close(npuc.compile(path, target=chip, **given)(x), x + 1)
    p = npuc.compile(path, plugin=demo)
    check_close(p(x), x + 1)
    p.save(bench.path("bump.npu"))
    error = raises(npuc.RunError, "plugin demo 1.0, which is not loaded", npuc.load, bench.path("bump.npu"))
    assert error.code == "bad plugin"
    for given in (demo, str(demo), [demo]):
        check_close(npuc.load(bench.path("bump.npu"), plugin=given)(x), x + 1)


def test_options(bench: Bench) -> None:
    path, x = bench.save("residual"), sample(*SHAPE)
    wanted = expected(path, {"x": x})[0]
    for options in (
        {"batch": 2, "layout": "naive", "target": "npu-nchw"}, {"input_shape": {"x": SHAPE}},
        {"input_shape": ["x=2,3,32,32"], "verify_layout": True}, {"batch": 2, "io_layout": {"x": "free", "y": "NHWC"}},
        {"batch": 2, "threads": 1, "mcpu": None},
    ):  # fmt: skip
        check_close(npuc.compile(path, **options)(x=x), wanted)
    bound = npuc.compile(path, bind_input={"x": x})
    check_close(bound(), wanted)
    assert bound.inputs == ()
    assert {"target", "layout_seconds", "io_layout"} <= set(npuc.option_names())
    assert len(npuc.compile(path, batch=1, compare=True).report["strategies"]) > 5


def test_files(bench: Bench) -> None:
    path, x = bench.save("residual"), sample(*SHAPE)
    p = npuc.compile(path, output=bench.path("kept.npu"), batch=2)
    saved = bench.path("copy.npu")
    p.save(saved)
    loaded = npuc.load(saved, threads=1)
    check_close(loaded(x=x), p(x=x))
    assert loaded.manifest["model"] and loaded.chip["name"] == "npu-nhwc" and loaded.load_stats["threads"] == 1
    raises(npuc.RunError, "--report", lambda: loaded.report)
    raises(npuc.RunError, "--explain-layout", loaded.explain)
    temporary = npuc.compile(path, batch=2)
    folder = temporary.path.parent
    assert temporary.path.is_file()
    del temporary
    gc.collect()
    assert not folder.exists(), "the temporary program stays"
    assert bench.path("kept.npu").is_file()


def test_manifest(bench: Bench) -> None:
    """Of kernels that are alike the file says once what they have in common; here each has all of it."""
    steps = [helper.make_node("Softmax", [f"v{i}"], [f"v{i + 1}"], name=f"step {i}") for i in range(5)]
    program = npuc.compile(bench.save(programs.network("steps", steps, {}, {"v0": [4, 8]}, ["v5"])))
    text = json.loads(bench.run("npu-dump", program.path, "--manifest").stdout)
    assert any(isinstance(kernel, list) for kernel in text["kernels"]), text["kernels"]
    kernels = program.manifest["kernels"]
    assert len(kernels) == len(text["kernels"])
    printed = json.loads(bench.run("npu-dump", program.path, "--kernels", "--json").stdout)["kernels"]
    assert [kernel["name"] for kernel in kernels] == [kernel["name"] for kernel in printed]
    assert len({kernel["name"] for kernel in kernels}) == len(kernels)
    for kernel in kernels:
        assert kernel["node"] and kernel["op"] and kernel["work"]["reads"] and kernel["layouts"], kernel


def test_arrays(bench: Bench) -> None:
    path, x = bench.save("residual"), sample(*SHAPE)
    p = npuc.compile(path, batch=2)
    wanted = p(x=x)
    frozen = x.copy()
    frozen.flags.writeable = False
    unaligned = np.frombuffer(b"\0\0\0\0" + x.tobytes(), np.float32)[1:].reshape(SHAPE)
    for given in (frozen, unaligned, np.asfortranarray(x), x[::-1][::-1], x.tolist(), Exporter(x)):
        assert np.array_equal(p(x=given), wanted)
    assert np.array_equal(p({"x": x}), wanted) and np.array_equal(p.run(x)["y"], wanted)
    kept = p(x=x)
    p(x=x * 2)
    assert np.array_equal(kept, wanted), "a later run changes a result"
    assert np.array_equal(np.from_dlpack(kept), wanted)


class Exporter:
    """An array of another library."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **words):
        return self.array.__dlpack__(**words)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_types_and_several_outputs(bench: Bench) -> None:
    del bench
    p = npuc.compile(network_of_three())
    x = sample(3, 5)
    found = p.run(x=x)
    assert list(found) == ["r", "i", "b"]
    assert np.array_equal(found["r"], np.maximum(x, 0))
    assert np.array_equal(found["i"], x.argmax(1)) and found["i"].dtype == np.int64
    assert np.array_equal(found["b"], x > np.maximum(x, 0)) and found["b"].dtype == np.bool_


def network_of_three() -> onnx.ModelProto:
    """Three outputs, of three types."""
    nodes = [onnx.helper.make_node("Relu", ["x"], ["r"]), onnx.helper.make_node("ArgMax", ["x"], ["i"], axis=1, keepdims=0),
             onnx.helper.make_node("Greater", ["x", "r"], ["b"])]  # fmt: skip
    kinds = {"r": onnx.TensorProto.FLOAT, "i": onnx.TensorProto.INT64, "b": onnx.TensorProto.BOOL}
    graph = onnx.helper.make_graph(
        nodes, "three", [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [3, 5])],
        [onnx.helper.make_tensor_value_info(name, kind, None) for name, kind in kinds.items()],
    )  # fmt: skip
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)


def test_wrong_inputs(bench: Bench) -> None:
    p = npuc.compile(bench.save("residual"), batch=2)
    x = sample(*SHAPE)
    raises(npuc.RunError, "there is no input 'z', expected 'x'", p.run, z=x)
    raises(npuc.RunError, "input 'x' is missing", p.run)
    raises(npuc.RunError, "got 2 inputs, expected 1: 'x'", p.run, x, x)
    raises(npuc.RunError, "has shape (1, 3, 32, 32), expected (2, 3, 32, 32)", p.run, x[:1])
    raises(npuc.RunError, "elements of float64, expected float32", p.run, x=x.astype(np.float64))
    raises(TypeError, "not both", p.run, x, x=x)
    raises(ValueError, "`runs` is 0", p.profile, runs=0)


def test_errors(bench: Bench) -> None:
    path = bench.save("residual")
    error = raises(npuc.CompileError, "neither a file nor a shipped target", npuc.compile, path, target="nowhere")
    assert error.code == "bad options" and error.number == 2
    raises(npuc.CompileError, "unknown option 'colour'", npuc.compile, path, colour=1)
    raises(npuc.CompileError, "threads: ", npuc.compile, path, threads=0)
    assert raises(npuc.CompileError, "cannot be read", npuc.compile, "none.onnx").code == "bad model"
    raises(npuc.CompileError, "is not an ONNX model", npuc.compile, b"nothing")
    raises(npuc.CompileError, "there is no folder", npuc.compile, path, output="/no/such/folder/x.npu", batch=1)
    raises(ValueError, "emit() gives", npuc.compile, path, emit="asm")
    raises(npuc.CompileError, "unknown 'gif'", npuc.emit, path, "gif")
    raises(ValueError, "expected some of", npuc.Compilation, path, wanted=("luck",))
    model = chain("wrong", [1, 3, 4, 4], "Relu", "Frobnicate")
    error = raises(npuc.CompileError, "Frobnicate", npuc.compile, model)
    assert error.code == "unsupported" and error.messages[0].severity == "error"
    assert error.messages[0].file == "model.onnx" and str(error.messages[0]) == str(error)
    error = raises(npuc.RunError, "none.npu", npuc.load, "none.npu")
    assert error.code == "cannot read" and isinstance(error, npuc.Error)
    raises(npuc.RunError, "", npuc.load, path)


def test_stages(bench: Bench) -> None:
    path = bench.save("residual")
    found = dict(npuc.stages(path, batch=2))
    assert list(found) == ["imported", "fused", "layout", "planned"]
    assert "npu.fused" not in found["imported"] and "npu.fused" in found["fused"]
    assert "#npu.layout" not in found["fused"] and "#npu.layout" in found["layout"]
    one = npuc.Compilation(path, batch=2, wanted=("certificate", "layout_plan"))
    raises(npuc.CompileError, "has not run", one.text, "ir")
    raises(ValueError, "expected one of imported", one.run, "cooked")
    raises(ValueError, "expected one of ir", one.text, "poem")
    assert one.run("layout").report["relayouts"] is not None
    assert one.text("certificate").startswith("{") and "residual" in one.text("layout_plan")
    raises(npuc.CompileError, "has not run", one.text, "costs")
    assert one.run("planned").text("costs").startswith("op,layouts,sizes,types,model_cycles,cycles\n")
    assert one.run().output[:4] == b"\x7fELF"
    assert b"npu_run" in npuc.emit(path, "asm", batch=2)


def test_threads(bench: Bench) -> None:
    """The interpreter goes on while npuc compiles and runs, and each thread gets its own result."""
    path = bench.save("residual")
    wrong: list[str] = []

    def work(number: int) -> None:
        p = npuc.compile(path, batch=2, threads=1, layout=("optimal", "naive")[number % 2])
        x = sample(*SHAPE, seed=number)
        alone = p(x=x)
        if not np.array_equal(alone, shared(x=x)) and not np.allclose(alone, shared(x=x), 1e-3, 1e-4):
            wrong.append(f"thread {number}")

    shared = npuc.compile(path, batch=2, threads=1)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong


def test_several_outputs_have_names(bench: Bench) -> None:
    del bench
    p = npuc.compile(network_of_three())
    raises(npuc.RunError, "has the outputs 'r', 'i', 'b'; run() gives them by name", p, sample(3, 5))


def test_with_and_close(bench: Bench) -> None:
    path, x = bench.save("residual"), sample(*SHAPE)
    with npuc.compile(path, batch=2) as p:
        y, folder = p(x), p.path.parent
    assert y.shape[0] == 2 and not folder.exists(), "the temporary program stays"
    raises(npuc.RunError, "this program is closed", p, x)
    kept = npuc.compile(path, batch=2, output=bench.path("kept.npu"))
    with npuc.load(kept.path) as loaded:
        check_close(loaded(x), y)
    assert kept.path.is_file() and np.array_equal(kept(x), y), "closing one program closes another"
    kept.close()
    kept.close()


def test_pickle(bench: Bench) -> None:
    """A process of its own runs what this one has compiled, and gets its errors as they were."""
    path, x = bench.save("residual"), sample(*SHAPE)
    p = npuc.compile(path, batch=2, threads=1)
    bench.path("p.pickle").write_bytes(pickle.dumps(p))
    np.save(bench.path("x.npy"), x)
    code = (
        "import numpy, pickle; p = pickle.load(open('p.pickle', 'rb')); x = numpy.load('x.npy')\n"
        "numpy.save('y.npy', p(x)); assert p.report['target'] == 'npu-nhwc' and p.load_stats['threads'] == 1\n"
        "folder = p.path.parent; assert folder.exists(); del p; assert not folder.exists()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=bench.folder, env=environment(bench))
    assert np.array_equal(np.load(bench.path("y.npy")), p(x))
    error = raises(npuc.CompileError, "nowhere", npuc.compile, path, target="nowhere")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.code, again.messages) == (str(error), error.code, error.messages)


def test_notebook_shows_a_program(bench: Bench) -> None:
    p = npuc.compile(bench.save("residual"), batch=2, target="npu-nhwc", layout="naive")
    page = ElementTree.fromstring(p._repr_html_())
    text = " ".join(page.itertext())
    count = p.report["relayouts"]["count"]
    assert "float32 2×3×32×32" in text and f"{count} relayouts" in text and "npu-nhwc" in text, text
    evil = chain("evil", [1, 4], "Relu")
    evil.graph.input[0].name = evil.graph.node[0].input[0] = "<b>&"
    assert "<b>" not in npuc.compile(evil)._repr_html_()


def test_interrupt(bench: Bench) -> None:
    """Ctrl-C ends a long row of runs between two of them, and the program goes on afterwards."""
    code = (
        "import numpy, npuc, os, signal, threading\n"
        f"p = npuc.load('out.npu'); x = numpy.zeros({SHAPE}, numpy.float32); r = p.bind(x)\n"
        "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "try:\n    r.run(10**9)\nexcept KeyboardInterrupt:\n    print('ended', p(x).shape)\n"
    )
    bench.compile("residual", "--batch=2")
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=bench.folder, env=environment(bench), capture_output=True, text=True, timeout=60
    )
    assert run.stdout.startswith("ended (2,"), run


def test_layout_rule(bench: Bench) -> None:
    path, x = bench.save("residual"), sample(*SHAPE)
    asked: list[npuc.Op] = []

    def rule(op: npuc.Op):
        asked.append(op)
        return ("NHWC", "default") if op.name == "conv2d" else None

    wanted = expected(path, {"x": x})[0]
    for layout, given in (("convert", rule), ("alter", rule), ("convert", lambda op: None)):
        p = npuc.compile(path, batch=2, target="host", layout=layout, layout_rule=given)
        check_close(p(x), wanted)
        found = {kernel["layouts"][:4] for kernel in p.kernels if kernel["op"] == "npu.conv2d"}
        assert found == {"acdb" if given is rule else "abcd"}, (layout, found)
    conv = next(op for op in asked if op.name == "conv2d")
    assert conv.target == "host" and conv.node.startswith("Conv '") and conv.facts["window"] == (3, 3), conv
    assert [value.role for value in conv.operands][:2] == ["data", "weight"] and conv.operands[1].is_constant, conv
    assert conv.operands[0].shape == SHAPE and conv.operands[0].type == "f32", conv

    def broken(op: npuc.Op):
        raise KeyError(op.name)

    compile_with = functools.partial(npuc.compile, path, batch=2, layout="convert")
    raises(KeyError, "conv2d", compile_with, layout_rule=broken)
    raises(TypeError, "not (1, 2)", compile_with, layout_rule=lambda op: (1, 2))
    raises(npuc.CompileError, "the caller's layout rule's answer makes no sense", compile_with, layout_rule=lambda op: ("NHWX", "default"))
    raises(npuc.CompileError, 'asked by layout="convert"', npuc.compile, path, layout_rule=rule)


def test_messages_speak_python(bench: Bench) -> None:
    path = bench.save("residual")
    error = raises(npuc.CompileError, "batch=N", npuc.compile, path)
    assert "--" not in str(error) and 'input_shape={"x": (' in str(error), error
    assert all("--" not in message.shown for message in error.messages)
    error = raises(npuc.CompileError, "f64", npuc.compile, path, f64="f16")
    assert "--" not in str(error), error


def test_targets(bench: Bench) -> None:
    path = bench.save("residual")
    shipped = {file.stem for file in (TOOLS.parents[2] / "targets").glob("*.yaml")}
    assert set(npuc.targets()) == shipped, (npuc.targets(), shipped)
    assert set(npuc.Options.__annotations__) == set(npuc.option_names())
    assert npuc.compile(path, batch=1, target=npuc.targets()[-1]).report["target"] == npuc.targets()[-1]


def test_modules_of_torch(bench: Bench) -> None:
    """What needs no PyTorch: who is told to bring arguments, and how nodes are named; torch_test.py has the rest."""
    from npuc import exported

    kind = type("Module", (), {"__module__": "torch.nn.modules.module"})
    raises(TypeError, "compile(module, (x,))", npuc.compile, type("Net", (kind,), {})())
    raises(TypeError, "`args` are those of a module of PyTorch", npuc.compile, bench.save("residual"), (1,))
    model = chain("scopes", [1, 4], "Relu", "Sigmoid", "Relu")
    for node, scopes in zip(model.graph.node, (["", "relu"], ["", "a", "a.b", "sigmoid"], ["", "a", "a.b", "sigmoid"])):
        node.metadata_props.add(key=exported.SCOPES, value=str(scopes))
    exported.name_nodes(model)
    assert [node.name for node in model.graph.node] == ["relu", "a.b/sigmoid", "a.b/sigmoid:2"]


def test_docstrings(bench: Bench) -> None:
    """Their examples, on the network of examples/."""
    shutil.copy(programs.ROOT / "examples" / "net.onnx", bench.folder)
    for name in ("compiler", "errors", "program", "words"):
        module = importlib.import_module(f"npuc.{name}")
        with contextlib.chdir(bench.folder):
            found = doctest.testmod(module)
        assert found.failed == 0 and found.attempted > 0, (name, found)


def test_notebook(bench: Bench) -> None:
    """docs/layout-map.ipynb, cell by cell."""
    os.environ |= {"MODEL": str(bench.save("residual")), "MPLBACKEND": "Agg"}
    notebook = json.loads((programs.ROOT / "docs" / "layout-map.ipynb").read_text(encoding="utf-8"))
    names: dict = {}
    for cell in notebook["cells"]:
        assert not cell.get("outputs"), "the notebook is kept without its outputs"
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)  # noqa: S102
    assert set(names["layouts"]) == {"naive", "auto-nhwc", "convert", "optimal"}
    black = {name: line.count("relayout") for name, line in names["layouts"].items()}
    assert black["optimal"] < black["naive"] and "acdb" in names["kinds"], black
    drawn = sum(map(len, names["layouts"].values()))
    assert len(names["axes"].patches) == drawn, f"{len(names['axes'].patches)} bars for {drawn} kernels"


def test_bound_inputs(bench: Bench) -> None:
    """Copied once: what the caller does with them afterwards shows in no run; results stay what they were."""
    path = bench.save("residual")
    x = sample(*SHAPE)
    wanted = expected(path, {"x": x})[0]
    for boundary in ("fixed", "free"):
        given = x.copy()
        runs = npuc.compile(path, batch=2, io_layout=boundary).bind(given)
        given[:] = 7
        runs.run(3)
        first = runs.outputs()
        check_close(first["y"], wanted)
        assert all(kernel["ms"] > 0 for kernel in runs.profile(2))
        assert np.array_equal(runs.outputs()["y"], first["y"])
    raises(npuc.RunError, "has shape", npuc.compile(path, batch=2).bind, x[:1])


def test_running_needs_no_llvm(bench: Bench) -> None:
    """Who loads and runs a program has the compiler neither loaded nor, in the worker's peak of memory, measured."""
    path = bench.compile("residual", "--batch=2")
    code = (
        "import sys, numpy, npuc\n"
        f"y = npuc.load({str(path)!r})(numpy.zeros({SHAPE}, numpy.float32))\n"
        "assert 'libLLVM' not in open('/proc/self/maps').read() and 'npuc._npuc' not in sys.modules\n"
        "assert 'compile' in dir(npuc) and npuc.option_names() and 'npuc._npuc' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=environment(bench))
    raises(AttributeError, "no attribute 'decompile'", lambda: npuc.decompile)


def test_typed(bench: Bench) -> None:
    del bench
    package = Path(npuc.__file__).parent
    assert (package / "py.typed").is_file() and "class Model" in (package / "_npu.pyi").read_text()
    assert "class Compilation" in (package / "_npuc.pyi").read_text()


# What somebody writes in a row of the page's table of options, or in its text: a call, or named arguments.
CALL, NAMED = re.compile(r"`((?:[a-z] = )?(?:p|r|npuc)\.[^`]*\([^`]*\))`"), re.compile(r"`([a-z_]+=[^`]*)`")
ELSEWHERE = ("plugin=", "**options", "path)", "run()", "module, args")  # test_plugin; what is spoken of, not called


def test_page(bench: Bench) -> None:
    """Every snippet of docs/python.md runs as it stands, on a network whose input is x."""
    page = (programs.ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    fixed = small.make("residual")
    fixed.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 1
    onnx.save(fixed, bench.path("model.onnx"))
    names = {"x": sample(1, *SHAPE[1:]), "array": np.ones(3, np.float32), "model": "model.onnx", "npuc": npuc}
    with contextlib.chdir(bench.folder):
        for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
            exec(block, names)  # noqa: S102
        names["p"].save("model.npu")
        calls = [text for text in CALL.findall(page) if not any(word in text for word in ELSEWHERE)]
        assert len(calls) >= 8 and any("{" in text for text in calls), calls
        for text in calls:
            exec(text, names)  # noqa: S102
        table = [line.split("|")[2] for line in page.splitlines() if line.startswith("| `--") or line.startswith("| `-o")]
        rows = [text for cell in table for text in NAMED.findall(cell)]
        assert len(rows) >= 8, rows
        for text in rows:
            given = eval(f"dict({text})", names)  # noqa: S307
            unknown = {"output", "compare"} | set(npuc.option_names())
            assert set(given) <= unknown, text


if __name__ == "__main__":
    programs.main(__doc__)
