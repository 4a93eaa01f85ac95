# SPDX-License-Identifier: Apache-2.0
"""One fault has one sentence and one exit code, whichever program meets it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable

import numpy as np
import programs
from programs import Bench

MODEL, USAGE, OUTPUT, BUDGET, INPUT = 1, 2, 3, 4, 8
Call = Callable[[str], list[str]]  # a path: the words of a call


def prepare(bench: Bench) -> None:
    """A model, its program, arrays and a certificate, from which the calls differ by one path."""
    bench.save("conv_relu")
    report = bench.report("conv_relu", "--batch=1")
    assert report["kernels"]
    bench.npuc("conv_relu.onnx", "--batch=1", "-q", "--emit=mlir", "-o", "good.mlir")
    np.save(bench.path("x.npy"), programs.sample(1, 3, 32, 32))


def input_calls() -> dict[str, tuple[int, Call]]:
    """Every place that a program reads a file from; what is no model has a code of its own."""
    compiling = ["npuc", "conv_relu.onnx", "--batch=1", "-q"]
    running = ["npu-run", "out.npu"]
    return {
        "npuc .onnx": (MODEL, lambda path: ["npuc", path]),
        "npuc --target": (INPUT, lambda path: [*compiling, "--target", f"./{path}"]),
        "npuc --check-target": (INPUT, lambda path: ["npuc", "--check-target", f"--target=./{path}"]),
        "npuc --fallback": (INPUT, lambda path: [*compiling, "--target=npu-nhwc", f"--fallback=./{path}"]),
        "npuc --layout-plan": (INPUT, lambda path: [*compiling, "--layout-plan", path]),
        "npuc --bind-input": (INPUT, lambda path: [*compiling, f"--bind-input=x={path}"]),
        "npuc --plugin": (INPUT, lambda path: [*compiling, "--plugin", f"./{path}"]),
        "npu-run": (INPUT, lambda path: ["npu-run", path, "--random-inputs"]),
        "npu-run --input": (INPUT, lambda path: [*running, "--input", f"x={path}"]),
        "npu-run --expect": (INPUT, lambda path: [*running, "--random-inputs", "--expect", f"y={path}"]),
        "npu-run --plugin": (INPUT, lambda path: [*running, "--random-inputs", "--plugin", f"./{path}"]),
        "npu-dump": (INPUT, lambda path: ["npu-dump", path]),
        "npu-check-certificate": (INPUT, lambda path: ["npu-check-certificate", path]),
        "npu-opt": (MODEL, lambda path: ["npu-opt", path]),
        "npu-opt --plugin": (INPUT, lambda path: ["npu-opt", "good.mlir", f"--plugin=./{path}"]),
    }  # fmt: skip


def one_error(bench: Bench, words: list[str], code: int, says: str, **how: object) -> str:
    command = [str(bench.build / "bin" / words[0]), *words[1:]]
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **how}
    done = subprocess.run(command, cwd=bench.folder, text=True, timeout=programs.TIMEOUT_SECONDS, **given)
    lines = done.stderr.splitlines()
    assert done.returncode == code and len(lines) == 1, (words, code, done)
    assert lines[0].startswith(f"{words[0]}: error: ") and says in lines[0], (words, says, lines)
    assert not done.stdout, (words, done)
    return lines[0]


def test_inputs(bench: Bench) -> None:
    prepare(bench)
    bench.path("folder").mkdir()
    os.mkfifo(bench.path("pipe"))
    bench.path("closed").write_text("closed", encoding="utf-8")
    bench.path("closed").chmod(0)
    faults = {
        "missing": "cannot be read: No such file or directory",
        "folder": "cannot be read: it is a folder",
        "pipe": "cannot be read: it is not a regular file",
        "none/missing": "cannot be read: No such file or directory",
    }
    if not os.access(bench.path("closed"), os.R_OK):  # whoever is root may read it
        faults["closed"] = "cannot be read: Permission denied"
    for code, call in input_calls().values():
        for path, sentence in faults.items():
            assert path in one_error(bench, call(path), code, sentence)


def test_damaged_inputs(bench: Bench) -> None:
    """Empty, a text, random bytes: the same code, and the file's name."""
    prepare(bench)
    contents = {"empty": b"", "text": b"<html>not found</html>\n", "bytes": np.random.default_rng(1).bytes(5000)}
    for name, (code, call) in input_calls().items():
        for path, content in contents.items():
            bench.path(path).write_bytes(content)
            if name != "npu-opt":  # where MLIR shows the line, and an empty file is a module
                one_error(bench, call(path), code, path)


def test_outputs(bench: Bench) -> None:
    prepare(bench)
    bench.path("folder").mkdir()
    compiling, running = ["npuc", "conv_relu.onnx", "--batch=1", "-q", "-o", "new.npu"], ["npu-run", "out.npu", "--random-inputs"]
    calls: list[Call] = [
        lambda path: [*compiling[:-2], "--emit=mlir", "-o", path],
        *((lambda path, option=option: [*compiling, f"--{option}={path}"])
          for option in ("report", "write-layout-plan", "write-costs", "certificate")),
        lambda path: [*running, "--output", f"y={path}"],
        *((lambda path, option=option: [*running, f"--{option}={path}"]) for option in ("trace", "profile")),
        lambda path: ["npu-opt", "good.mlir", "-o", path],
    ]  # fmt: skip
    faults = {
        "none/out": "there is no folder 'none'; make it first",
        "x.npy/out": "there is no folder '",  # but a file
        "folder": "it is a folder; name a file in it",
        "/dev/full": "No space left on device; free some space or write elsewhere",
    }
    before = sorted(bench.folder.rglob("*"))
    for call in calls:
        for path, why in faults.items():
            one_error(bench, call(path), OUTPUT, f"cannot write '{path}': {why}")
            assert sorted(bench.folder.rglob("*")) == before, call(path)


def test_names(bench: Bench) -> None:
    """What does not exist is wrong usage, with the name that was probably meant."""
    prepare(bench)
    compiling, running = ["npuc", "conv_relu.onnx", "--batch=1", "-q"], ["npu-run", "out.npu"]
    cases = [
        ([*compiling, "--target=npu-nwhc"], "npu-nhwc"), ([*compiling, "--fallback=hots"], "host"),
        ([*compiling, "--layout=optimla"], "optimal"), ([*compiling, "--emit=mlri"], "mlir"),
        ([*compiling, "--emit=mlir", "--stage=fsued"], "fused"), ([*compiling, "--budget=ndoes=5"], "nodes"),
        ([*compiling, "--objective=tiem"], "time"), ([*compiling, "--precision=bf61"], "bf16"),
        ([*compiling, "--pass-pipeline-after=layuot:cse"], "layout"), ([*compiling, "--batchs=1"], "--batch"),
        ([*running, "--radnom-inputs"], "--random-inputs"), ([*running, "--budget=memroy=5"], "memory"),
        (["npu-dump", "out.npu", "--kernel"], "--kernels"), (["npu-check-certificate", "p", "--jsno"], "--json"),
        (["npu-kernel-table", "--thread=2"], "--threads"), (["npu-winograd-table", "--bacth=1"], "--batch"),
    ]  # fmt: skip
    for words, meant in cases:
        assert "see " in one_error(bench, words, USAGE, f"did you mean '{meant}'?") or words[0] == "npuc"
    model = programs.chain("named", [1, 3, 8, 8], "Relu")
    model.graph.input[0].name = model.graph.node[0].input[0] = "image"
    bench.compile(model, out="named.npu")
    for words in (["npuc", "named.onnx", "--input-shape=imgae=1,3,8,8"], ["npuc", "named.onnx", "--bind-input=imaeg=x.npy"],
                  ["npuc", "named.onnx", "-q", "--io-layout=imag=NHWC"], ["npu-run", "named.npu", "--input", "imge=x.npy"]):  # fmt: skip
        one_error(bench, words, USAGE, "did you mean 'image'?")


def test_odd_uses(bench: Bench) -> None:
    """What is neither a name nor a value, and what LLVM says in its own words."""
    prepare(bench)
    compiling = ["npuc", "conv_relu.onnx", "--batch=1", "-q"]
    for words, says in (
        ([*compiling, "-o", ""], "--output: '' is no value"), ([*compiling, "--report="], "--report: a value is missing"),
        ([*compiling, "--target"], "--target: a value is missing; see npuc --help"), (["npu-run", ""], "program: '' is no value"),
        (["npu-dump", "a", "b"], "unexpected argument 'b'"),
        (["npu-run", "out.npu", "--input", "x"], "names no input of the program; write NAME=FILE.npy with one of these names: x"),
        (["npu-opt", "good.mlir", "--npu-fold-layot"], "unknown option '--npu-fold-layot'; did you mean '--npu-fold-layout'?; see"),
        ([*compiling, "--mlir-tming"], "unknown option '--mlir-tming'"), ([*compiling, "--pass-pipeline-after=fused:cse,nonsense"], "is no pipeline: "),
    ):  # fmt: skip
        line = one_error(bench, words, USAGE, says)
        assert "\\n" not in line and "Try:" not in line and "{" not in line, line


def test_budgets(bench: Bench) -> None:
    prepare(bench)
    one_error(bench, ["npu-run", "out.npu", "--random-inputs", "--budget=memory=1"], BUDGET, "the budget is 1")
    done = bench.run("npuc", "conv_relu.onnx", "--batch=1", "--target=npu-nhwc", "--layout=naive", "--max-transposes=0")
    assert done.returncode == BUDGET and "--max-transposes allows 0" in done.stderr, done


def test_reducing_wrong_usage(bench: Bench) -> None:
    """What is wrong with the command line is said, and not looked for in the model."""
    prepare(bench)
    for words, code, says in (
        (["--target=npu-nwhc"], USAGE, "did you mean 'npu-nhwc'?"), (["--layout=best"], USAGE, "unknown layout strategy 'best'"),
        (["--mcpu=z80"], USAGE, "'z80' is no processor"), (["--target=none.yaml"], INPUT, "'none.yaml' cannot be read"),
        (["--plugin=none.so"], INPUT, "'none.so' cannot be read"), (["--bind-input=x=none.npy"], INPUT, "'none.npy' cannot be read"),
        (["--emit=exe"], USAGE, "unknown 'exe'"), (["--objective=energy", "--target=npu-nhwc"], USAGE, "says nothing of energy"),
    ):  # fmt: skip
        one_error(bench, ["npuc", "conv_relu.onnx", "--batch=1", "--reduce=small.onnx", *words], code, says)
        assert not bench.path("small.onnx").exists(), words
    one_error(bench, ["npuc", "conv_relu.onnx", "--reduce=none/small.onnx"], OUTPUT, "there is no folder 'none'")


if __name__ == "__main__":
    programs.main(__doc__)
