# SPDX-License-Identifier: Apache-2.0
"""Kernels of a plugin: chosen before ours where they take the problem, right, named, priced, and bound to a version."""

from __future__ import annotations

import json
import re
import signal

import numpy as np
import plugins
from onnx import helper
from plugins import Bench, library, option, programs

RNG = np.random.default_rng(7)


def convolution(name: str, bias: bool = False) -> tuple:
    """One convolution with relu behind it, and its input."""
    inputs = ["x", "w", "b"] if bias else ["x", "w"]
    nodes = [
        helper.make_node("Conv", inputs, ["c"], name="conv", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["y"], name="act"),
    ]
    weights = {"w": RNG.standard_normal((8, 4, 3, 3)).astype(np.float32)}
    if bias:
        weights["b"] = np.ones(8, np.float32)
    return plugins.network(name, nodes, weights, [1, 4, 10, 10], [1, 8, 10, 10]), programs.sample(1, 4, 10, 10)


def kernels_of(bench: Bench, program: str, *words: object) -> list[dict]:
    done = bench.run("npu-run", program, "--random-inputs", "--json", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["kernels"]


def test_is_chosen_and_right(bench: Bench) -> None:
    model, x = convolution("net")
    report = bench.report(model, "--target=npu-nchw", "--layout=none", option(bench))
    (kernel,) = [row for row in report["kernels"] if "conv" in row["op"]]
    assert kernel["implementation"] == "demo:rows", kernel
    for threads in (1, 2):
        done = bench.run("npu-run", "out.npu", option(bench), f"--threads={threads}", *inputs(bench, x))
        assert done.returncode == 0, done.stderr
        programs.check_close(np.load(bench.path("y.npy")), programs.expected(bench.path("net.onnx"), {"x": x})[0])
    (kernel,) = kernels_of(bench, "out.npu", option(bench))
    assert kernel["implementation"] == "demo:rows", kernel
    profile = bench.run("npu-run", "out.npu", option(bench), "--random-inputs", "--profile")
    assert "demo:rows" in profile.stdout, profile.stdout


def inputs(bench: Bench, x: np.ndarray) -> tuple[str, ...]:
    np.save(bench.path("x.npy"), x)
    return "--input", "x=x.npy", "--output", "y=y.npy"


def test_cycles_are_its_own(bench: Bench) -> None:
    """The search, the report and the simulator agree on what the plugin says."""
    model, _ = convolution("net")
    report = bench.report(model, "--target=npu-nchw", option(bench))
    (kernel,) = [row for row in report["kernels"] if "conv" in row["op"]]
    assert kernel["cycles"] == kernel["measured_cycles"] == 4321, kernel
    assert report["cost"] == sum(row["cycles"] for row in report["kernels"]), report["cost"]
    assert [row["cycles"] for row in kernels_of(bench, "out.npu", option(bench)) if "conv" in row["op"]] == [4321]
    plain = bench.report(model, "--target=npu-nchw")
    assert plain["kernels"][0]["measured_cycles"] == 0, plain["kernels"]


def test_other_targets_and_refusals(bench: Bench) -> None:
    """Where it is not for the target, or refuses, ours run, and the program needs no plugin."""
    for model, target in [(convolution("net")[0], "npu-nhwc"), (convolution("bias", bias=True)[0], "npu-nchw")]:
        with_it = bench.compile(model, f"--target={target}", "--layout=optimal", option(bench)).read_bytes()
        without = bench.compile(model, f"--target={target}", "--layout=optimal").read_bytes()
        assert with_it == without
        assert "demo" not in bench.run("npu-dump", "out.npu").stdout
        kernels_of(bench, "out.npu")


def test_program_names_its_plugin(bench: Bench) -> None:
    model, _ = convolution("net")
    bench.compile(model, "--target=npu-nchw", "--layout=none", option(bench))
    assert "plugin demo 1.0" in bench.run("npu-dump", "out.npu").stdout
    signature = json.loads(bench.run("npu-dump", "out.npu", "--json").stdout)["signature"]
    assert signature["plugins"] == [{"name": "demo", "version": "1.0"}]
    for words, says in [
        ((), "was compiled with plugin demo 1.0, which is not loaded; name its library with --plugin"),
        ((option(bench, "newer"),), f"but '{library(bench, 'newer')}' is demo 2.0; load that version, or compile it"),
    ]:
        for more in ((), ("--simulate-only",)):
            done = bench.run("npu-run", "out.npu", *(more or ("--random-inputs",)), *words)
            assert done.returncode == 8 and says in done.stderr, done


def test_wrong_answers(bench: Bench) -> None:
    model, _ = convolution("net")
    path = bench.save(model)
    for name, says in [
        ("cost", "plugin demo 1.0: kernel 'rows': query gave a cost of nan cycles, expected a finite number"),
        ("status", "plugin demo 1.0: kernel 'rows': query ended with status 3"),
    ]:
        done = bench.run("npuc", path, "--target=npu-nchw", "-o", "out.npu", option(bench, name))
        assert done.returncode == 1 and says in done.stderr, done
        assert not bench.path("out.npu").exists()


def test_crash_in_query(bench: Bench) -> None:
    """The crash report has the plugin's name, and nothing is left of the output."""
    path = bench.save(convolution("net")[0])
    done = bench.run("npuc", path, "--target=npu-nchw", "-o", "out.npu", option(bench, "crash_query"))
    assert done.returncode == -signal.SIGSEGV, done
    assert "npuc: error: crashed in plugin demo 1.0 (kernel 'rows': query)" in done.stderr, done.stderr
    (folder,) = bench.folder.glob("npuc-crash-*")
    report = (folder / "report.txt").read_text(encoding="utf-8")
    assert re.search(r"^plugin: demo 1\.0 \(kernel 'rows': query\)$", report, re.MULTILINE), report
    left = sorted(one.name for one in bench.folder.iterdir() if one != folder)
    assert left == ["net.onnx"], left


def test_exception_in_a_strategy(bench: Bench) -> None:
    """It goes through nobody's code: the process ends there, in the plugin's name."""
    path = bench.save(convolution("net")[0])
    done = bench.run("npuc", path, "-o", "out.npu", option(bench, "throws"), "--layout=thrower.throws")
    assert done.returncode == -signal.SIGABRT, done
    assert "npuc: error: crashed in plugin thrower 1 (strategy 'throws')" in done.stderr, done.stderr
    assert not bench.path("out.npu").exists()


def test_crash_in_run(bench: Bench) -> None:
    bench.compile(convolution("net")[0], "--target=npu-nchw", "--layout=none", option(bench))
    done = bench.run("npu-run", "out.npu", "--random-inputs", option(bench, "crash_run"))
    assert done.returncode == -signal.SIGSEGV, done
    assert done.stderr.endswith(
        "npu-run: error: crashed in plugin demo 1.0 (kernel 'rows': run), please report it to whom the plugin is from\n"
    ), done.stderr


if __name__ == "__main__":
    plugins.programs.main(__doc__)
