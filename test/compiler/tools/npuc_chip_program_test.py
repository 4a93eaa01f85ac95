# SPDX-License-Identifier: Apache-2.0
"""--chip-program: what is in the file is shown, executed and refused, and files without it are as they were."""

from __future__ import annotations

import numpy as np
import onnx
import programs
from onnx import helper
from programs import Bench

TARGET = programs.ROOT / "targets" / "npu-nhwc.yaml"


def model() -> onnx.ModelProto:
    """A convolution of an image, and a sum."""
    rng = np.random.default_rng(4)
    weights = {
        "w": rng.standard_normal((16, 8, 3, 3), dtype=np.float32),
        "v": rng.standard_normal((16, 1, 1), dtype=np.float32),
    }
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("Softmax", ["c"], ["s"], axis=1),
        helper.make_node("Add", ["s", "v"], ["y"]),
    ]
    return programs.network("small", nodes, weights, {"x": [1, 8, 40, 40]}, ["y"])


def chip_of(bench: Bench, kib: int) -> str:
    """npu-nhwc with so much on-chip memory."""
    text = TARGET.read_text(encoding="utf-8").replace("sram: 2048 KiB", f"sram: {kib} KiB")
    bench.path("npu-nhwc.yaml").write_text(text, encoding="utf-8")
    return "--target=npu-nhwc.yaml"


def run(bench: Bench, program: object, execute: str) -> np.ndarray:
    done = bench.run("npu-run", program, "--random-inputs", f"--execute={execute}", "--output=y=y.npy")
    assert done.returncode == 0, done
    return np.load(bench.path("y.npy"))


def test_is_executed_and_shown(bench: Bench) -> None:
    for kib in (2048, 64, 16):
        program = bench.compile(model(), chip_of(bench, kib), "--chip-program")
        expected = run(bench, program, "kernels")
        for execute in ("chip", "chip-unchecked"):
            assert np.abs(run(bench, program, execute) - expected).max() <= 1e-5 * np.abs(expected).max(), kib
        shown = bench.run("npu-dump", program, "--chip").stdout
        assert f"the on-chip memory: {kib * 1024} bytes" in shown, shown
        assert "array conv" in shown and "dma the weights" in shown, shown
        assert ("  loop " in shown) == (kib < 2048), shown


def test_is_there_only_if_asked_for(bench: Bench) -> None:
    without = bench.compile(model(), out="without.npu")
    program = bench.compile(model(), "--chip-program")
    assert without.read_bytes()[:-64] == program.read_bytes()[: without.stat().st_size - 64]
    done = bench.run("npu-run", without, "--random-inputs", "--execute=chip")
    assert done.returncode == 8 and "compile it with npuc --chip-program" in done.stderr, done
    done = bench.run("npu-dump", without, "--chip")
    assert done.returncode == 8 and "has no chip's program" in done.stderr, done


def test_what_does_not_fit_is_refused_by_name(bench: Bench) -> None:
    # Its sum is too long for any tile, and K is never cut.
    weights = {"w": np.ones((16384, 8), np.float32)}
    network = programs.network("long", [helper.make_node("MatMul", ["x", "w"], ["y"])], weights, {"x": [4, 16384]}, ["y"])
    done = bench.run("npuc", bench.save(network), chip_of(bench, 32), "--chip-program", "-o", "out.npu")
    assert done.returncode == 1, done
    assert "the chip's program cannot have k0_matmul: its smallest tile needs" in done.stderr, done.stderr
    bench.compile(network, chip_of(bench, 32))


def test_options_that_contradict(bench: Bench) -> None:
    program = bench.compile(model(), "--chip-program")
    for words in (
        ("npuc", bench.save(model()), "--chip-program", "--emit=mlir"),
        ("npu-run", program, "--random-inputs", "--execute=chip", "--profile"),
        ("npu-run", program, "--execute=chip", "--simulate-only"),
        ("npu-run", program, "--execute=tiles"),
        ("npu-dump", program, "--chip", "--json"),
    ):
        assert bench.run(*words).returncode == 2, words


def test_a_target_without_on_chip_memory_is_refused(bench: Bench) -> None:
    done = bench.run("npuc", bench.save(model()), "--target=host", "--chip-program", "-o", "out.npu")
    assert done.returncode == 2 and "sram" in done.stderr, done


if __name__ == "__main__":
    programs.main(__doc__)
