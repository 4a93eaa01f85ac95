# SPDX-License-Identifier: Apache-2.0
"""--quantized-io: report, program, npu-dump, npu-run and Python say the same of the bytes, and they are these."""

from __future__ import annotations

import json

import numpy as np
import onnx
import programs
from onnx import helper
from programs import Bench, npuc_of

SCALES = {"x": (0.037, 131), "y": (0.25, -7)}


def model(scale: float) -> onnx.ModelProto:
    """A product of dequantized numbers; x is divided by `scale`."""
    rng = np.random.default_rng(3)
    weight = rng.integers(-127, 128, (24, 16), dtype=np.int8)
    constants = {
        "xs": np.float32(scale), "xz": np.uint8(SCALES["x"][1]), "ws": np.float32(0.01), "wz": np.int8(0), "w": weight,
        "ys": np.float32(SCALES["y"][0]), "yz": np.int8(SCALES["y"][1]),
    }  # fmt: skip
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "xs", "xz"], ["xq"]),
        helper.make_node("DequantizeLinear", ["xq", "xs", "xz"], ["xd"]),
        helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wd"]),
        helper.make_node("MatMul", ["xd", "wd"], ["p"]),
        helper.make_node("QuantizeLinear", ["p", "ys", "yz"], ["yq"]),
        helper.make_node("DequantizeLinear", ["yq", "ys", "yz"], ["y"]),
    ]
    weights = {name: np.asarray(value) for name, value in constants.items()}
    return programs.network("quantized", nodes, weights, {"x": [5, 24]}, ["y"])


def wrong_input(bench: Bench, program: object, values: np.ndarray) -> str:
    """What npu-run says of a file of another type."""
    np.save(bench.path("x.npy"), values)
    done = bench.run("npu-run", program, "--input", "x=x.npy")
    assert done.returncode == 8, done
    return done.stderr


def test_all_say_the_same(bench: Bench) -> None:
    network, npuc = model(SCALES["x"][0]), npuc_of(bench.build)
    report = bench.report(network, "--quantized-io")
    program = bench.path("out.npu")
    told = {row["name"]: (row["scale"], row["zero_point"]) for row in report["quantized_io"]}
    dumped = json.loads(bench.run("npu-dump", program, "--json").stdout)["signature"]
    of_file = {row["name"]: (row["quantized"]["scale"], row["quantized"]["zero_point"])
               for row in dumped["inputs"] + dumped["outputs"]}  # fmt: skip
    loaded = npuc.load(program)
    of_python = {row.name: (row.scale, row.zero_point) for row in loaded.inputs + loaded.outputs}
    assert told == of_file == of_python, (told, of_file, of_python)
    for name, (scale, zero) in SCALES.items():
        assert abs(told[name][0] / scale - 1) < 1e-6 and told[name][1] == zero, told
    assert f"quantized: (number - {SCALES['x'][1]}) * 0.037" in bench.run("npu-dump", program).stdout

    x = np.random.default_rng(4).normal(0, 2, (5, 24)).astype(np.float32)
    real = npuc.compile(network)(x)
    given = np.clip(np.round(x / np.float32(SCALES["x"][0])) + SCALES["x"][1], 0, 255).astype(np.uint8)
    found = (loaded(given).astype(np.float32) - SCALES["y"][1]) * np.float32(SCALES["y"][0])
    assert np.array_equal(found, real)


def test_real_numbers_are_no_bytes(bench: Bench) -> None:
    """npu-run says what the bytes mean."""
    program = bench.compile(model(SCALES["x"][0]), "--quantized-io", out="bytes.npu")
    said = wrong_input(bench, program, np.zeros((5, 24), np.float32))
    for text in ("'<f4', expected '|u1'", "scale 0.037", "zero point 131", "round(x / scale) + zero point"):
        assert text in said, said
    program = bench.compile(model(SCALES["x"][0]), out="real.npu")
    assert "quantized" not in wrong_input(bench, program, np.zeros((5, 24), np.uint8))
    assert npuc_of(bench.build).load(program).inputs[0].scale is None


def test_scale_that_is_none_stays_real(bench: Bench) -> None:
    """Of negative numbers and zero no program's file can say what bytes mean."""
    for scale in (-0.5, 0.0, float("inf")):
        report = bench.report(model(scale), "--quantized-io")
        assert "x" not in {row["name"] for row in report["quantized_io"]}, scale


if __name__ == "__main__":
    programs.main(__doc__)
