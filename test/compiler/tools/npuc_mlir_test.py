# SPDX-License-Identifier: Apache-2.0
"""Out of MLIR: the module after each stage, MLIR's own options, and what a crash leaves."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import programs
from programs import Bench

STAGES = ("imported", "fused", "layout", "planned")
IMAGE = "tensor<1x8x12x12xf32>"


def emit(bench: Bench, model: Path, stage: str, *words: str) -> str:
    bench.npuc(model, "--batch=1", "--emit=mlir", f"--stage={stage}", "-o", f"{stage}.mlir", *words)
    return bench.path(f"{stage}.mlir").read_text(encoding="utf-8")


def test_stages(bench: Bench) -> None:
    """Each is a module that npu-opt reads, and from which the same program comes."""
    model = bench.save("residual")
    bench.npuc(model, "--batch=1", "-o", "straight.npu", "-q")
    texts = {stage: emit(bench, model, stage, "-q") for stage in STAGES}
    assert "npu.fused" not in texts["imported"] and "#npu.layout" not in texts["imported"]
    assert "#npu.layout" not in texts["fused"] and texts["fused"] != texts["imported"]
    assert "#npu.layout" in texts["layout"] and "npu.kernel" not in texts["layout"]
    assert texts["planned"] != texts["layout"] and "npu.kernel" in texts["planned"]
    bench.npuc(model, "--batch=1", "--emit=mlir", "-o", "default.mlir", "-q")
    assert bench.path("default.mlir").read_text(encoding="utf-8") == texts["layout"]
    for stage in STAGES:
        done = bench.run("npu-opt", f"{stage}.mlir", "-o", "read.mlir")
        assert done.returncode == 0, done.stderr
        bench.npuc(f"{stage}.mlir", "-o", f"{stage}.npu", "-q")
        bench.npuc(f"{stage}.mlir", "--emit=mlir", "-o", "again.mlir", "-q")
        assert "npu.kernel" not in bench.path("again.mlir").read_text(encoding="utf-8")


def test_plan_is_the_program(bench: Bench) -> None:
    """Names, memory and tiles in the module are those of the report; kernels do not write over what they read."""
    model = bench.save("residual")
    report = bench.report("residual", "--batch=1")
    text = emit(bench, model, "planned", "-q")
    assert re.search(rf"npu.memory = {{arena = {report['memory']['arena_bytes']} : i64", text), text
    names = re.findall(r'npu.kernel = {name = "(\w+)"', text)
    assert names == [kernel["name"] for kernel in report["kernels"]]
    for line in text.splitlines():
        if "npu.kernel" in line:
            places = re.search(r"places = \[([^]]*)\]", line)
            assert places and re.fullmatch(r"({(arena|weights|input|output) = \d+ : i64}(, )?)+", places[1]), line
            assert re.search(r"tile = {buffers = [12] : i64, (pieces = \d+|count = \d+ : i64, k = \d+)", line), line


def test_stage_errors(bench: Bench) -> None:
    model = bench.save("conv_relu")
    cases = [
        (("--emit=mlir", "--stage=fuse"), "expected one of: imported, fused, layout, planned"),
        (("--stage=fused",), "--stage goes with --emit=mlir"),
        (("--emit=mlir", "--stage=fused", "--report=r.json"), "before the layouts are decided"),
        (("--emit=mlir", "--stage=imported", "--max-transposes=3"), "before the layouts are decided"),
        (("--mlir-print-ir-before=npu-nothing",), "npuc --mlir-help lists them"),
        (("--mlir-no-such-option",), "--mlir-no-such-option"),
    ]
    for words, says in cases:
        done = bench.run("npuc", model, "--batch=1", *words)
        lines = done.stderr.splitlines()
        assert done.returncode == 2 and says in lines[-1] and lines[-1].startswith("npuc: error: "), done


def test_options_of_mlir(bench: Bench) -> None:
    model = bench.save("residual")
    plain = bench.npuc(model, "--batch=1", "-o", "plain.npu", "-q")
    assert plain.stderr == ""
    dumps = bench.npuc(model, "--batch=1", "-o", "a.npu", "-q", "--mlir-print-ir-after-all").stderr
    passes = re.findall(r"IR Dump After .*\(([\w-]+)\)", dumps)
    assert passes[-1] == "npu-assign-layout" and len(passes) > 3, passes
    one = bench.npuc(model, "--batch=1", "-o", "b.npu", "-q", "--mlir-print-ir-before=npu-assign-layout").stderr
    assert one.count("IR Dump Before") == 1 and "#npu.layout" not in one
    timing = bench.npuc(model, "--batch=1", "-o", "c.npu", "-q", "--mlir-timing").stderr
    assert timing.count("Execution time report") == 1
    for stage in ("import", "fuse", "layout", "AssignLayout", "plan", "generate", "write"):
        assert re.search(rf"^ .*\b{stage}$", timing, re.MULTILINE), f"{stage} is not in\n{timing}"
    bench.npuc(model, "--batch=1", "-o", "d.npu", "-q", "--mlir-disable-threading", "--mlir-pass-statistics")
    same = {bench.path(f"{name}.npu").read_bytes() for name in ("plain", "a", "b", "c", "d")}
    assert len(same) == 1, "what is printed changes the program"
    listed = bench.npuc("--mlir-help").stdout
    assert "--mlir-print-ir-after-all" in listed and "--mlir-timing" in listed


def test_dialects_of_others(bench: Bench) -> None:
    """What other programs' modules are in, npu-opt reads and prints."""
    bench.path("others.mlir").write_text(
        """func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x3xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = tosa.add %x, %fill : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
""",
        encoding="utf-8",
    )
    done = bench.run("npu-opt", "others.mlir")
    assert done.returncode == 0 and "tosa.add" in done.stdout and "linalg.fill" in done.stdout, done


def long_module(bench: Bench, blocks: int) -> Path:
    """Takes seconds to compile."""
    lines = []
    for i in range(blocks):
        lines.append(
            f"  %c{i} = npu.conv2d(%x{i}, %w) {{dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]}}"
            f" : ({IMAGE}, tensor<8x8x1x1xf32>) -> {IMAGE}"
        )
        lines.append(f"  %x{i + 1} = npu.eltwise add(%c{i}, %x{i}) : ({IMAGE}, {IMAGE}) -> {IMAGE}")
    head = f'func.func @main(%x0: {IMAGE} {{npu.name = "x"}}, %w: tensor<8x8x1x1xf32> {{npu.name = "w"}})'
    text = "\n".join([f'{head} -> ({IMAGE} {{npu.name = "y"}}) {{', *lines, f"  return %x{blocks} : {IMAGE}", "}\n"])
    bench.path("long.mlir").write_text(text, encoding="utf-8")
    return bench.path("long.mlir")


def crash(
    bench: Bench, program: str, *words: object, number: int = signal.SIGSEGV, variables: dict[str, str] | None = None
) -> tuple[subprocess.Popen, str]:
    """Starts the program and has it crash while it compiles."""
    command = [str(bench.build / "bin" / program), *map(str, words)]
    environment = {**os.environ, **(variables or {})}
    process = subprocess.Popen(
        command, cwd=bench.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True, env=environment,
    )  # fmt: skip
    assert process.stderr
    said = ""
    while "IR Dump After" not in said:  # it is past its first pass
        line = process.stderr.readline()
        assert line, f"{command} ended: {said}"
        said += line
    process.send_signal(number)
    said += process.communicate(timeout=programs.TIMEOUT_SECONDS)[1]
    return process, said


def folders(bench: Bench) -> list[Path]:
    return sorted(path for path in bench.folder.iterdir() if path.is_dir())


def test_crash_report(bench: Bench) -> None:
    model = long_module(bench, 3000)
    words = (model, "-o", "out.npu", "--target=npu-nhwc", "--mlir-print-ir-after=npu-simplify")
    for number in (signal.SIGSEGV, signal.SIGABRT):
        process, said = crash(bench, "npuc", *words, number=number)
        assert process.returncode == -number, process
        left = folders(bench)
        assert len(left) == 1 and re.fullmatch(r"npuc-crash-\w{6}", left[0].name), left
        assert f"npuc: error: crashed at '" in said and f"./{left[0].name}" in said, said[-500:]
        report = (left[0] / "report.txt").read_text(encoding="utf-8")
        assert re.search(r"^versions: npuc \d+\.\d+\.\d+, LLVM \d+", report), report
        assert f"{model} -o out.npu --target=npu-nhwc" in report and f"signal: {int(number)}\n" in report, report
        stage = re.search(r"^stage: (\w+)$", report, re.MULTILINE)
        assert stage and stage[1] in ("fuse", "layout", "plan", "generate", "write"), report
        assert re.search(r"^stack:\n(.+\n){3}", report, re.MULTILINE), report
        before = (left[0] / "before.mlir").read_text(encoding="utf-8")
        assert ("#npu.layout" in before) == (stage[1] in ("plan", "generate", "write")), stage
        assert before.count("npu.conv2d") >= 3000
        for path in (*left[0].iterdir(), left[0]):
            path.rmdir() if path.is_dir() else path.unlink()
        assert sorted(path.name for path in bench.folder.iterdir()) == ["long.mlir"], "something is left"


def test_crash_of_npu_opt(bench: Bench) -> None:
    model = long_module(bench, 3000)
    words = (model, "--canonicalize", "--npu-assign-layout=target=npu-nhwc", "--mlir-print-ir-after=canonicalize")
    process, said = crash(bench, "npu-opt", *words)
    assert process.returncode == -signal.SIGSEGV and "npu-opt: error: crashed at '" in said, said[-500:]
    (left,) = folders(bench)
    assert "versions: npu-opt" in (left / "report.txt").read_text(encoding="utf-8")
    assert (left / "before.mlir").read_text(encoding="utf-8") == model.read_text(encoding="utf-8")


def test_no_crash_leaves_nothing(bench: Bench) -> None:
    """Nor does one that is told so, nor an error, nor a signal that is no crash."""
    model = long_module(bench, 3000)
    words = (model, "-o", "out.npu", "--mlir-print-ir-after=npu-simplify")
    crash(bench, "npuc", *words, variables={"NPU_NO_CRASH_REPORT": "1"})
    crash(bench, "npuc", *words, number=signal.SIGTERM)
    small = bench.save("conv_relu")
    bench.npuc(small, "--batch=1")
    bench.run("npuc", small, "--batch=1", "--target=no-such-chip")
    assert not folders(bench)


if __name__ == "__main__":
    programs.main(__doc__)
