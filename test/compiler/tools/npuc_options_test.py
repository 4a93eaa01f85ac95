# SPDX-License-Identifier: Apache-2.0
"""npuc's options where they must work, results checked with npu-run; and .mlir as input."""

from __future__ import annotations

import json
import re
import subprocess

import numpy as np
import programs
from onnx import helper
from programs import Bench, check_close, expected, sample

MODULE = """func.func @main(%x: tensor<2x3x4xf32> {npu.name = "in"}) -> (tensor<2x4x3xf32> {npu.name = "out"}) {
  %w = npu.constant dense<2.0> : tensor<1xf32> -> tensor<1xf32>
  %0 = npu.eltwise mul(%x, %w) : (tensor<2x3x4xf32>, tensor<1xf32>) -> tensor<2x3x4xf32>
  %1 = npu.transpose(%0) {permutation = [0, 2, 1]} : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  return %1 : tensor<2x4x3xf32>
}
"""


def test_help_and_version(bench: Bench) -> None:
    done = bench.npuc("--help")
    for word in ("--target", "--layout", "--report", "--io-layout", "Exit codes (docs/exit-codes.md):\n  0  ", "none, naive, auto-nhwc",
                 "npu, mlir, llvm, asm, obj, html"):  # fmt: skip
        assert word in done.stdout, f"'{word}' is not in\n{done.stdout}"
    assert re.fullmatch(r"npuc \d+\.\d+\.\d+\n", bench.npuc("--version").stdout)


def test_default_output(bench: Bench) -> None:
    """MODEL.npu in the current folder, and nothing on standard output."""
    path = bench.save("conv_relu")
    assert bench.npuc(path, "--batch=1").stdout == ""
    for kind, name in (("llvm", "conv_relu.ll"), ("asm", "conv_relu.s"), ("obj", "conv_relu.o"),
                       ("mlir", "conv_relu.npu.mlir"), ("html", "conv_relu.html")):  # fmt: skip
        bench.npuc(path, "--batch=1", f"--emit={kind}")
        assert bench.path(name).stat().st_size > 0
    assert bench.path("conv_relu.npu").read_bytes()[:4] == b"\x7fELF"


def test_quiet(bench: Bench) -> None:
    path = bench.save("conv_relu")
    assert bench.npuc(path, "--batch=1", "-q").stderr == ""
    assert "3 kernels, 2 relayouts" in bench.npuc(path, "--batch=1").stderr


def test_batches_and_threads(bench: Bench) -> None:
    path = bench.save("residual")
    for batch, threads in ((1, 1), (3, 2), (5, 4)):
        x = {"x": sample(batch, 3, 32, 32)}
        program = bench.compile("residual", f"--batch={batch}", f"--threads={threads}")
        check_close(bench.execute(program, x, "y")[0], expected(path, x)[0])


def test_input_shape(bench: Bench) -> None:
    path = bench.save("residual")
    x = {"x": sample(2, 3, 32, 32)}
    program = bench.compile("residual", "--input-shape=x=2,3,32,32")
    check_close(bench.execute(program, x, "y")[0], expected(path, x)[0])
    assert bench.compile("residual", "--batch=2", out="batch.npu").read_bytes() == program.read_bytes()


def test_bound_input(bench: Bench) -> None:
    """A bound input is no input of the program any more."""
    nodes = [helper.make_node("Relu", ["b"], ["r"]), helper.make_node("Mul", ["a", "r"], ["y"])]
    model = programs.network("bound", nodes, {}, {"a": [4, 5], "b": [4, 5]}, ["y"])
    path = bench.save(model)
    values = {"a": sample(4, 5), "b": sample(4, 5, seed=9)}
    np.save(bench.path("b.npy"), values["b"])
    program = bench.compile(model, "--bind-input=b=b.npy")
    check_close(bench.execute(program, {"a": values["a"]}, "y")[0], expected(path, values)[0])
    done = bench.run("npu-run", program, "--input", "a=b.npy", "--input", "b=b.npy")
    assert done.returncode != 0 and "names no input of the program" in done.stderr, done.stderr


def test_io_layout(bench: Bench) -> None:
    """The stored order is the caller's choice; names, logical shapes and numbers never change."""
    path = bench.save("residual")
    x = {"x": sample(2, 3, 32, 32)}
    wanted = expected(path, x)[0]
    cases = {
        "fixed": (2, ["NCHW", "NCHW"]), "free": (0, ["NHWC", "NHWC"]), "x=NHWC": (1, ["NHWC", "NCHW"]),
        "y=NHWC": (1, ["NCHW", "NHWC"]), "x=NHWC,y=acdb": (0, ["NHWC", "NHWC"]),
    }  # fmt: skip
    for io, (count, layouts) in cases.items():
        words = [f"--io-layout={one}" for one in io.split(",")]
        report = bench.report("residual", "--batch=2", "--target=npu-nhwc", *words)
        assert report["relayouts"]["boundary_count"] == count, f"{io}: {report['relayouts']}"
        program = bench.program(bench.path("out.npu"), threads=1)
        tensors = [*program.inputs, *program.outputs]
        assert [tensor.layout for tensor in tensors] == layouts, io
        assert [tensor.shape for tensor in tensors] == [(2, 3, 32, 32), (2, 16, 32, 32)], io
        check_close(bench.execute(bench.path("out.npu"), x, "y")[0], wanted)


def test_verified_layouts(bench: Bench) -> None:
    for name in ("residual", "channels_last", "concat"):
        for layout in ("naive", "auto-nhwc"):
            bench.compile(name, "--batch=1", f"--layout={layout}", "--verify-layout")


def test_emitted_code(bench: Bench) -> None:
    path = bench.save("hard_swish")
    for kind in ("llvm", "asm", "obj"):
        bench.npuc(path, "--batch=1", f"--emit={kind}", "-o", f"out.{kind}", "-q")
    assert "@npu_program = " in bench.path("out.llvm").read_text(encoding="utf-8")
    subprocess.run(["clang-22", "-Wno-override-module", "-x", "ir", "-c", "out.llvm", "-o", "ir.o"], cwd=bench.folder, check=True)
    subprocess.run(["clang-22", "-x", "assembler", "-c", "out.asm", "-o", "asm.o"], cwd=bench.folder, check=True)
    names = [
        {line.split()[-1] for line in subprocess.run(
            ["nm", file], cwd=bench.folder, capture_output=True, text=True, check=True).stdout.splitlines()}
        for file in ("ir.o", "asm.o", "out.obj")
    ]  # fmt: skip
    assert names[1] == names[2] and "npu_program" in names[0] & names[2], names
    on_screen = bench.npuc(path, "--batch=1", "--emit=asm", "-o", "-", "-q").stdout
    assert on_screen == bench.path("out.asm").read_text(encoding="utf-8")


def test_graph_compiles_again(bench: Bench) -> None:
    """--emit=mlir to a file is a model: the same numbers, the same kernels, the same relayouts."""
    for name, target in (("residual", "npu-nhwc"), ("classifier", "npu-nhwc"), ("channels_last", "npu-nhwc"),
                         ("residual", "npu-nchw16c")):  # fmt: skip
        shape = (2, 32, 32, 3) if name == "channels_last" else (2, 3, 32, 32)
        path, x = bench.save(name), {"x": sample(*shape)}
        words = [f"--target={target}", "--layout=naive" if target == "npu-nchw16c" else "--layout=auto-nhwc", "-q"]
        bench.npuc(path, "--batch=2", "--emit=mlir", "-o", "again.mlir", *words)
        bench.npuc(path, "--batch=2", "--report=first.json", "-o", "first.npu", *words)
        bench.npuc("again.mlir", "--report=second.json", "-o", "second.npu", *words)
        first, second = (json.loads(bench.path(f"{file}.json").read_text(encoding="utf-8"))
                         for file in ("first", "second"))  # fmt: skip
        assert [row["name"] for row in first["kernels"]] == [row["name"] for row in second["kernels"]], name
        for key in ("count", "bytes", "boundary_count"):
            assert first["relayouts"][key] == second["relayouts"][key], f"{name}: {key}"
        check_close(bench.execute(bench.path("second.npu"), x, "y")[0], expected(path, x)[0])


def test_graph_compiles_for_another_target(bench: Bench) -> None:
    """The layouts in the graph are forgotten: the result is that of the model itself."""
    path, x = bench.save("residual"), {"x": sample(2, 3, 32, 32)}
    bench.npuc(path, "--batch=2", "--emit=mlir", "-o", "again.mlir", "-q")
    for target, layout in (("npu-nhwc", "naive"), ("npu-nchw", "none"), ("npu-nchw16c", "naive")):
        words = [f"--target={target}", f"--layout={layout}", "-q"]
        direct = bench.report("residual", "--batch=2", *words)["relayouts"]
        bench.npuc("again.mlir", "--report=again.json", "-o", "again.npu", *words)
        again = json.loads(bench.path("again.json").read_text(encoding="utf-8"))["relayouts"]
        for key in ("count", "bytes", "boundary_count"):
            assert direct[key] == again[key], f"{target}: {key}: {direct[key]} and {again[key]}"
        check_close(bench.execute(bench.path("again.npu"), x, "y")[0], expected(path, x)[0])


def test_hand_written_module(bench: Bench) -> None:
    bench.path("hand.mlir").write_text(MODULE, encoding="utf-8")
    bench.npuc("hand.mlir", "-o", "hand.npu", "-q")
    value = sample(2, 3, 4)
    check_close(bench.execute(bench.path("hand.npu"), {"in": value}, "out")[0], 2 * value.transpose(0, 2, 1))


def test_module_errors(bench: Bench) -> None:
    """Each says file, line and column, once."""
    cases = [
        (4, MODULE.replace("[0, 2, 1]", "[0, 2, 2]")),  # no permutation
        (3, MODULE.replace("tensor<1xf32>", "tensor<5xf32>")),  # does not broadcast
        (3, MODULE.replace("eltwise mul", "eltwise frobnicate")),
        (6, MODULE.replace("return %1", "return %2").replace("  return", "\n  return")),
        (2, MODULE.replace("npu.constant", "npu.konstant")),
    ]
    for line, text in cases:
        bench.path("wrong.mlir").write_text(text, encoding="utf-8")
        done = bench.run("npuc", "wrong.mlir", "-o", "wrong.npu")
        errors = [line for line in done.stderr.splitlines() if "error:" in line]
        assert done.returncode == 1 and len(errors) == 1, f"{line}: {done}"
        assert re.match(rf"npuc: error: wrong.mlir:{line}:\d+: ", errors[0]), f"expected line {line}: {errors[0]}"
        assert not bench.path("wrong.npu").exists()
    bench.path("two.mlir").write_text(MODULE + MODULE.replace("@main", "@other"), encoding="utf-8")
    done = bench.run("npuc", "two.mlir")
    assert done.returncode == 1 and done.stderr.startswith("npuc: error: two.mlir: the module must hold"), done


def test_weights_left_out(bench: Bench) -> None:
    path = bench.save("residual")
    text = bench.npuc(path, "--batch=1", "--emit=mlir", "-o", "-", "-q").stdout
    bench.path("short.mlir").write_text(text, encoding="utf-8")
    done = bench.run("npuc", "short.mlir")
    assert done.returncode == 1 and "leaves weights out" in done.stderr, done


if __name__ == "__main__":
    programs.main(__doc__)
