# SPDX-License-Identifier: Apache-2.0
"""A chip that lacks some ops: what is said of them, what runs beside it, and what that costs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import numpy as np
import programs
from onnx import ModelProto, helper
from programs import ROOT, Bench, check_close, expected, sample

LACKS = """unsupported:
  - ops: [conv_transpose2d]
  - ops: [softmax]
    when: {length: from 9}
"""
FALLBACK = """fallback:
  target: host
  link_bandwidth: 2 GB/s
  link_start: 1000 cycles
"""
CHANNELS, SIDE = 8, 6


def chip(bench: Bench, more: str) -> Path:
    """npu-nhwc with further lines."""
    text = (ROOT / "targets" / "npu-nhwc.yaml").read_text(encoding="utf-8")
    path = bench.path("lacking.yaml")
    path.write_text(text.replace("name: npu-nhwc", "name: lacking") + more, encoding="utf-8")
    return path


def model() -> ModelProto:
    """Convolutions around a transposed one and its activation, then a long softmax, then a short one."""
    weights = {
        "w0": sample(CHANNELS, 3, 3, 3, seed=1),
        "w1": sample(CHANNELS, CHANNELS, 2, 2, seed=2),
        "w2": sample(CHANNELS, CHANNELS, 1, 1, seed=4),
    }
    nodes = [
        helper.make_node("Conv", ["x", "w0"], ["a"], name="first", pads=[1, 1, 1, 1]),
        helper.make_node("ConvTranspose", ["a", "w1"], ["b"], name="up", strides=[2, 2]),
        helper.make_node("Conv", ["b", "w2"], ["c"], name="second"),
        helper.make_node("Softmax", ["c"], ["d"], name="long", axis=3),
        helper.make_node("Relu", ["d"], ["e"], name="between"),
        helper.make_node("Softmax", ["e"], ["f"], name="again", axis=2),
        helper.make_node("Softmax", ["f"], ["y"], name="short", axis=1),
    ]
    return programs.network("lacking", nodes, weights, {"x": [1, 3, SIDE, SIDE]}, ["y"])


def test_one_error_for_all(bench: Bench) -> None:
    bench.save(model())
    done = bench.run("npuc", "lacking.onnx", f"--target={chip(bench, LACKS)}", "-o", "out.npu")
    assert done.returncode == 1, done
    assert "target 'lacking' does not run 3 of 7 ops" in done.stderr
    for part in (
        "ConvTranspose 'up' (conv_transpose2d) is listed in `unsupported`",
        "2 ops (Softmax 'long' (softmax), Softmax 'again' (softmax)): length is 12; `unsupported` lists length: from 9",
    ):
        assert part in done.stderr, f"{part}\n{done.stderr}"
    assert "short" not in done.stderr and done.stderr.count("\n") == 3, done.stderr
    assert not bench.path("out.npu").exists()


def test_numbers(bench: Bench) -> None:
    """Under every strategy as onnxruntime's, and optimal never dearer."""
    target, x = chip(bench, LACKS + FALLBACK), sample(1, 3, SIDE, SIDE)
    cycles = {}
    for layout in ("naive", "auto-nhwc", "convert", "preset", "alter", "optimal"):
        report = bench.report(model(), f"--target={target}", f"--layout={layout}")
        (wanted,) = expected(bench.path("lacking.onnx"), {"x": x})
        (found,) = bench.execute(bench.path("out.npu"), {"x": x}, "y")
        check_close(found, wanted)
        cycles[layout] = report["chip"]["cycles"]
    assert cycles["optimal"] == min(cycles.values()), cycles


def test_what_it_costs(bench: Bench) -> None:
    """A crossing for each value that passes, by hand; what stands between is not crossed into."""
    report = bench.report(model(), f"--target={chip(bench, LACKS + FALLBACK)}")
    schema = json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(report, schema)
    assert report["quantized_io"] == []
    assert [row["node"] for row in report["placement"]] == [
        "ConvTranspose 'up'", "Softmax 'long'", "Relu 'between'", "Softmax 'again'",
    ]  # fmt: skip
    small, large = 4 * CHANNELS * SIDE**2, 4 * CHANNELS * (2 * SIDE) ** 2
    beside = {k["node"]: k for k in report["kernels"] if k["mapping"] == "processor"}
    sizes = {
        "ConvTranspose 'up'": [small, large], "Softmax 'long'": [large],
        "Relu 'between'": [], "Softmax 'again'": [large],
    }  # fmt: skip
    assert beside.keys() == sizes.keys(), beside.keys()
    for node, kernel in beside.items():
        assert kernel["link_bytes"] == sum(sizes[node]), (node, kernel)
        assert kernel["link_cycles"] == sum(1000 + size // 2 for size in sizes[node]), (node, kernel)
        assert kernel["cycles"] == kernel["link_cycles"] + kernel["processor_cycles"], kernel
        assert kernel["processor_cycles"] > 0 and kernel["dram_read_bytes"] == 0, kernel
    assert report["chip"]["link_bytes"] == small + 3 * large
    done = bench.run("npu-run", "out.npu", "--simulate-only", "--json")
    assert json.loads(done.stdout)["simulated"]["cycles"] == report["chip"]["cycles"]
    assert "processor" in bench.run("npu-dump", "out.npu").stdout


def test_options(bench: Bench) -> None:
    bench.save(model())
    target = f"--target={chip(bench, LACKS)}"
    told = bench.npuc("lacking.onnx", target, "--fallback=host", "-o", "a.npu", "--explain-placement").stdout
    assert told.startswith("4 ops run on the processor (host):\n"), told
    assert "Relu 'between' (eltwise) stands between ops that the processor runs; bring these on the chip" in told
    over = bench.run("npuc", "lacking.onnx", target, "--fallback=host", "-o", "b.npu", "--max-fallback-ops=3")
    assert over.returncode == 4 and "over budget: 4 ops run on the processor" in over.stderr, over
    assert not bench.path("b.npu").exists()
    bench.npuc("lacking.onnx", target, "--fallback=host", "-o", "b.npu", "--max-fallback-ops=4")
    target = f"--target={chip(bench, LACKS + FALLBACK)}"
    none = bench.run("npuc", "lacking.onnx", target, "--fallback=none", "-o", "c.npu")
    assert none.returncode == 1 and "does not run 3 of 7 ops" in none.stderr, none
    wrong = bench.run("npuc", "lacking.onnx", target, "--fallback=nowhere", "-o", "c.npu")
    assert wrong.returncode == 2 and "--fallback: target 'nowhere' is neither" in wrong.stderr, wrong
    itself = bench.run("npuc", "lacking.onnx", target, f"--fallback={bench.path('lacking.yaml')}", "-o", "c.npu")
    assert itself.returncode == 8 and "is a `fallback`, which runs everything, but has" in itself.stderr, itself
    told = bench.npuc("lacking.onnx", "-o", "d.npu", "--explain-placement").stdout
    assert told == "all ops run on the chip\n", told


def test_page(bench: Bench) -> None:
    bench.save(model())
    bench.npuc("lacking.onnx", f"--target={chip(bench, LACKS + FALLBACK)}", "--emit=html", "-o", "page.html")
    text = bench.path("page.html").read_text(encoding="utf-8")
    assert len(re.findall(r'"processor":\s*\{"change"', text)) == 4, "nodes of the processor"


def test_types(bench: Bench) -> None:
    """A chip of bytes says which ops of a float network it lacks; with a processor all of it runs there."""
    text = LACKS + FALLBACK
    target = chip(bench, text)
    target.write_text(re.sub(r"types: \[.*\]", "types: [i8, i32]", target.read_text(encoding="utf-8")), encoding="utf-8")
    bench.save(model())
    none = bench.run("npuc", "lacking.onnx", f"--target={target}", "--fallback=none", "-o", "c.npu")
    assert none.returncode == 1 and "does not run 7 of 7 ops" in none.stderr, none
    assert "gives f32, which `types` does not list; quantize the model" in none.stderr, none
    report = bench.report(model(), f"--target={target}")
    assert report["chip"]["link_bytes"] == 0 and report["chip"]["compute_cycles"] == 0, report["chip"]
    x = sample(1, 3, SIDE, SIDE)
    (found,) = bench.execute(bench.path("out.npu"), {"x": x}, "y")
    check_close(found, expected(bench.path("lacking.onnx"), {"x": x})[0])


def heads() -> ModelProto:
    """Products of matrices around transposes and reshapes; the input is an output, too."""
    nodes = [
        helper.make_node("Transpose", ["x"], ["t"], name="rows", perm=[0, 2, 1, 3]),
        helper.make_node("Transpose", ["x"], ["k"], name="columns", perm=[0, 2, 3, 1]),
        helper.make_node("MatMul", ["t", "k"], ["s"], name="scores"),
        helper.make_node("MatMul", ["s", "t"], ["p"], name="values"),
        helper.make_node("Transpose", ["p"], ["b"], name="back", perm=[0, 2, 1, 3]),
        helper.make_node("Reshape", ["b", "shape"], ["r"], name="merge"),
        helper.make_node("MatMul", ["r", "w"], ["y"], name="last"),
        helper.make_node("Identity", ["x"], ["again"], name="again"),
    ]
    weights = {"shape": np.array([1, 8, 8], np.int64), "w": sample(8, 8, seed=3)}
    return programs.network("heads", nodes, weights, {"x": [1, 8, 2, 4]}, ["y", "again"])


def test_moves_of_types(bench: Bench) -> None:
    """The processor makes relayouts and copies of types that the chip lacks, under every strategy; nothing crosses."""
    target, x = chip(bench, FALLBACK), sample(1, 8, 2, 4)
    target.write_text(re.sub(r"types: \[.*\]", "types: [i8, i32]", target.read_text(encoding="utf-8")), encoding="utf-8")
    cycles, moved = {}, 0
    for layout in ("naive", "auto-nhwc", "convert", "preset", "alter", "smartmem", "pbqp", "optimal"):
        report = bench.report(heads(), f"--target={target}", f"--layout={layout}")
        assert {kernel["mapping"] for kernel in report["kernels"]} == {"processor"}, (layout, report["kernels"])
        assert report["chip"]["link_bytes"] == 0 and report["chip"]["dram_read_bytes"] == 0, (layout, report["chip"])
        moved += report["relayouts"]["count"]
        wanted = expected(bench.path("heads.onnx"), {"x": x})
        for found, want in zip(bench.execute(bench.path("out.npu"), {"x": x}, "y", "again"), wanted, strict=True):
            check_close(found, want)
        cycles[layout] = report["chip"]["cycles"]
    assert moved > 0, "no strategy moved anything"
    none = bench.run("npuc", "heads.onnx", f"--target={target}", "--fallback=none", "-o", "none.npu")
    assert none.returncode == 1 and "--fallback=host" in none.stderr, none
    assert cycles["optimal"] == min(cycles.values()), cycles


if __name__ == "__main__":
    np.seterr(all="raise")
    programs.main(__doc__)
