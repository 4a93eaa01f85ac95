# SPDX-License-Identifier: Apache-2.0
"""examples/acme-npu, a chip of somebody else's: what docs/bring-your-chip.md does, where npuc is installed only."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

if TYPE_CHECKING:
    from install_test import World


def write_acme_model(world: World, channels: int = 32) -> None:
    """What each thing that Acme brings has an opinion of: whole blocks of channels, and a depthwise convolution."""
    random = np.random.default_rng(5)
    shapes = {"w0": (channels, 3, 3, 3), "w1": (channels, 1, 3, 3), "w2": (48, channels, 1, 1), "b2": (48,)}
    weights = {name: random.standard_normal(shape).astype(np.float32) / 4 for name, shape in shapes.items()}
    pads = {"pads": [1, 1, 1, 1]}
    nodes = [
        helper.make_node("Conv", ["x", "w0"], ["a"], name="stem", **pads),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("Conv", ["b", "w1"], ["c"], name="depthwise", group=channels, **pads),
        helper.make_node("Relu", ["c"], ["d"]),
        helper.make_node("Conv", ["d", "w2", "b2"], ["e"], name="pointwise"),
        helper.make_node("Relu", ["e"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "acme",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 3, 24, 24))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 48, 24, 24))],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, world.folder / "acme.onnx")
    x = random.standard_normal((1, 3, 24, 24)).astype(np.float32)
    np.save(world.folder / "acme-x.npy", x)

    def convolved(data: np.ndarray, weight: np.ndarray, groups: int = 1) -> np.ndarray:
        edge = weight.shape[2] // 2
        data = np.pad(data, ((0, 0), (edge, edge), (edge, edge)))
        windows = np.lib.stride_tricks.sliding_window_view(data, weight.shape[2:], (1, 2))
        if groups > 1:
            return np.einsum("chwij,cij->chw", windows, weight[:, 0])
        return np.einsum("chwij,ocij->ohw", windows, weight)

    y = np.maximum(convolved(x[0], weights["w0"]), 0)
    y = np.maximum(convolved(y, weights["w1"], channels), 0)
    y = np.maximum(convolved(y, weights["w2"]) + weights["b2"][:, None, None], 0)
    np.save(world.folder / "acme-y.npy", y[None])


def compiled(world: World, *words: object) -> dict:
    """A report; the program that belongs to it computes what it has to."""
    world.run("npuc", "acme.onnx", "-o", "acme.npu", "--report=acme.json", *words)
    world.run("npu-run", "acme.npu", "--input", "x=acme-x.npy", "--output", "y=acme-out.npy")
    want = np.load(world.folder / "acme-y.npy")
    np.testing.assert_allclose(np.load(world.folder / "acme-out.npy"), want, rtol=1e-4, atol=1e-4)
    return json.loads((world.folder / "acme.json").read_text())


def layouts(report: dict) -> list[str]:
    """Of the data of each convolution."""
    return [kernel["layouts"][0] for kernel in report["kernels"] if kernel["op"] == "conv2d"]


def chip(build: Path) -> tuple[str, str]:
    """npuc's options for the chip, whose file alone runs nothing."""
    return f"--target={build / 'acme.yaml'}", f"--plugin={build / 'libacme.so'}"


def assembly(world: World, build: Path, model: str, *words: str) -> tuple[str, dict]:
    """What the backend writes of a model, and npuc's report with the same options."""
    words = (*chip(build), *words)
    world.run(build / "acme-asm", model, "model.s", *words)
    world.run("npuc", model, "-o", "model.npu", "--report=model.json", *words)
    return (world.folder / "model.s").read_text(), json.loads((world.folder / "model.json").read_text())


def expect_whole(text: str, report: dict) -> None:
    """Every kernel by its name and in order, every relayout as a move."""
    names = re.findall(r"(?m)^(\w+):", text)
    assert names == [kernel["name"] for kernel in report["kernels"]], (names, report["kernels"])
    moves = re.findall(r"(?m)^  move   (\w+) -> (\w+)$", text)
    assert len(moves) == report["relayouts"]["count"] > 0, (moves, report["relayouts"])
    assert text.endswith("  halt\n"), text[-100:]


def test_acme_npu(world: World) -> None:
    """The example's project, its plugin and its backend."""
    shutil.copytree(world.prefix / "share" / "npuc" / "examples" / "acme-npu", world.folder / "acme-npu")
    build = world.build_project("acme-npu")
    write_acme_model(world)
    text = (world.folder / "acme-npu" / "acme.yaml").read_text()
    alone = world.folder / "without" / "acme.yaml"
    alone.parent.mkdir()
    alone.write_text(re.sub(r"(?m)^(algorithms|plugins):.*\n", "", text))
    world.run("npuc", "--check-target", f"--target={alone}")

    # The rule changes what convert does; without the plugin it has no opinion.
    plain = layouts(compiled(world, f"--target={alone}", "--layout=convert"))
    ruled = layouts(compiled(world, *chip(build), "--layout=convert"))
    assert ruled != plain and "aBcd16b" in ruled, (plain, ruled)

    # The strategy is in the table, and no better than the optimum.
    assert "acme.greedy" in world.run("npuc", "--help", f"--plugin={build / 'libacme.so'}")
    report = compiled(world, *chip(build), "--layout=acme.greedy")
    costs = {row["name"]: row["cost"] for row in report["strategies"] if row["feasible"]}
    assert report["layout"] == "acme.greedy" and costs["acme.greedy"] >= costs["optimal"], costs

    # The alternative is chosen, and cheaper.
    report = compiled(world, *chip(build), "--verify-layout")
    assert [row["algorithm"] for row in report["algorithms"]] == ["acme.dense"], report["algorithms"]
    assert report["optimal"]["cost"] < compiled(world, f"--target={alone}")["optimal"]["cost"], report["optimal"]

    expect_whole(*assembly(world, build, "acme.onnx"))

    # One block holds all channels: channels last and blocks are the same bytes, in two spellings.
    write_acme_model(world, channels=16)
    report = compiled(world, *chip(build), "--verify-layout")
    assert [row["algorithm"] for row in report["algorithms"]] == ["acme.dense"], report["algorithms"]
    expect_whole(*assembly(world, build, "acme.onnx"))
    said = world.run(build / "acme-asm", "absent.onnx", "absent.s", *chip(build), code=1)
    assert "absent.onnx: cannot be read" in said and not (world.folder / "absent.s").exists(), said


def write_ops_model(world: World) -> None:
    """What Acme's kernel computes, then its op."""
    nodes = [
        helper.make_node("MaxPool", ["x"], ["p"], name="pool", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
        helper.make_node("Swoosh", ["p"], ["y"], name="swoosh", domain="com.acme", slope=1.5),
    ]
    graph = helper.make_graph(
        nodes,
        "ops",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 3, 12, 10))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 3, 6, 5))],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.acme", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), world.folder / "ops.onnx")
    x = np.random.default_rng(9).standard_normal((1, 3, 12, 10)).astype(np.float32)
    np.save(world.folder / "ops-x.npy", x)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))[:, :, ::2, ::2]
    pooled = windows.max(axis=(4, 5))
    np.save(world.folder / "ops-y.npy", pooled / (1 + np.exp(-1.5 * pooled)))


def test_acme_kernel_and_op(world: World) -> None:
    """Both run, by their names; the example is built."""
    build = world.folder / "acme-npu-build"
    write_ops_model(world)
    said = world.run("npuc", "ops.onnx", "-o", "ops.npu", f"--target={build / 'acme.yaml'}", code=8)
    assert "libacme.so' is code that would run here" in said, said
    world.run("npuc", "ops.onnx", "-o", "ops.npu", f"--target={build / 'acme.yaml'}", "--allow-target-plugins")
    plugin = f"--plugin={build / 'libacme.so'}"
    words = ["npu-run", "ops.npu", "--input", "x=ops-x.npy", "--output", "y=ops-out.npy", "--profile=ops.json"]
    world.run(*words, plugin)
    want = np.load(world.folder / "ops-y.npy")
    np.testing.assert_allclose(np.load(world.folder / "ops-out.npy"), want, rtol=1e-5, atol=1e-6)
    profile = (world.folder / "ops.json").read_text()
    assert "acme:pool" in profile and "acme:swoosh" in profile, profile
    said = world.run(*words, code=8)
    assert "acme" in said and "plugin" in said, said
    text, report = assembly(world, build, "ops.onnx")
    expect_whole(text, report)
    assert "custom" in text and "max_pool" in text, text


def test_acme_assembles_a_network(world: World) -> None:
    """ResNet-50; the example is built."""
    text, report = assembly(world, world.folder / "acme-npu-build", "resnet50.onnx", "--batch=1")
    expect_whole(text, report)
    assert text.count("  conv2d ") == 53, text.count("  conv2d ")
