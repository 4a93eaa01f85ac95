# SPDX-License-Identifier: Apache-2.0
"""The chip's own ops, written in the npu dialect, compiled for every target and compared with numpy."""

from __future__ import annotations

import itertools

import numpy as np
import programs
from programs import Bench, check_close, sample

PLANS = (("npu-nhwc", "optimal"), ("npu-nhwc", "naive"), ("npu-nchw", "none"), ("npu-nchw16c", "optimal"),
         ("host", "optimal"))  # fmt: skip
WINDOW = "{dilations = [1, 1], groups = 1 : i64, pads = [1, 0, 1, 2], strides = [2, 1]}"


def tensor(array: np.ndarray) -> str:
    kind = {np.dtype(np.float32): "f32", np.dtype(np.int64): "i64"}[array.dtype]
    return f"tensor<{'x'.join(map(str, array.shape))}x{kind}>"


def check(bench: Bench, op: str, attributes: str, inputs: list[np.ndarray], wanted: np.ndarray) -> None:
    """One op as a model, on every plan."""
    names = [f"x{index}" for index in range(len(inputs))]
    arguments = ", ".join(f'%{name}: {tensor(x)} {{npu.name = "{name}"}}' for name, x in zip(names, inputs))
    operands, types = ", ".join(f"%{name}" for name in names), ", ".join(map(tensor, inputs))
    result = tensor(wanted.astype(np.float32))
    bench.path("model.mlir").write_text(
        f'func.func @main({arguments}) -> ({result} {{npu.name = "y"}}) {{\n'
        f"  %y = npu.{op}({operands}) {attributes} : ({types}) -> {result}\n"
        f"  return %y : {result}\n}}\n",
        encoding="utf-8",
    )
    for target, layout in PLANS:
        words = [f"--target={target}", f"--layout={layout}", "--verify-layout", "-q"]
        bench.npuc("model.mlir", "-o", "out.npu", *words)
        (found,) = bench.execute(bench.path("out.npu"), dict(zip(names, inputs)), "y")
        check_close(found, wanted.astype(np.float32))


def convolve(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The convolution of WINDOW: strides 2 and 1, pads 1 and 0 before, 1 and 2 behind."""
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (0, 2)))
    rows, columns = (padded.shape[2] - w.shape[2]) // 2 + 1, padded.shape[3] - w.shape[3] + 1
    result = np.zeros((x.shape[0], w.shape[0], rows, columns))
    for i, j in itertools.product(range(w.shape[2]), range(w.shape[3])):
        part = padded[:, :, i : i + 2 * rows - 1 : 2, j : j + columns]
        result += np.einsum("nchw,oc->nohw", part, w[:, :, i, j])
    return result


def slopes(function, at: np.ndarray) -> np.ndarray:
    """Of a linear function of an array: its value for each unit array."""
    units = np.eye(at.size).reshape(at.size, *at.shape)
    return np.array([function(unit) for unit in units]).reshape(at.shape)


def test_gradients(bench: Bench) -> None:
    """Both gradients of a convolution are its slopes."""
    x, w = sample(2, 3, 6, 5), sample(4, 3, 3, 2, seed=4)
    dy = sample(*convolve(x, w).shape, seed=5)
    check(bench, "conv_bpa", WINDOW, [dy, w], slopes(lambda unit: np.sum(convolve(unit, w) * dy), x))
    check(bench, "conv_bpw", WINDOW, [x, dy], slopes(lambda unit: np.sum(convolve(x, unit) * dy), w))


def test_img2col(bench: Bench) -> None:
    """The patches times the weight are the convolution."""
    x, w = sample(2, 3, 6, 5), sample(4, 3, 3, 2, seed=4)
    result = convolve(x, w)
    patches = np.zeros((2, 18, *result.shape[2:]), np.float32)
    for tap in range(6):
        for channel in range(3):
            unit = np.zeros((1, 3, 3, 2))
            unit[0, channel, tap // 2, tap % 2] = 1
            patches[:, channel * 6 + tap] = convolve(x, unit)[:, 0]
    np.testing.assert_allclose(np.einsum("nchw,oc->nohw", patches, w.reshape(4, 18)), result, rtol=1e-4, atol=1e-4)
    attributes = "{dilations = [1, 1], kernel = [3, 2], pads = [1, 0, 1, 2], strides = [2, 1]}"
    check(bench, "img2col", attributes, [x], patches)


def test_unpool(bench: Bench) -> None:
    x = sample(2, 17, 4, 5)
    nearest = x.repeat(2, axis=2).repeat(3, axis=3)
    zero = np.zeros_like(nearest)
    zero[:, :, ::2, ::3] = x
    check(bench, "unpool", '{kernel = [2, 3], mode = #npu.unpool_mode<nearest>}', [x], nearest)
    check(bench, "unpool", '{kernel = [2, 3], mode = #npu.unpool_mode<zero>}', [x], zero)


def test_maskunpool(bench: Bench) -> None:
    x, wanted = sample(2, 17, 3, 4), np.zeros((2, 17, 6, 9), np.float32)
    places = np.random.default_rng(1).permutation(wanted.size)[: x.size].reshape(x.shape)
    wanted.reshape(-1)[places] = x
    check(bench, "maskunpool", "", [x, places.astype(np.int64)], wanted)


def test_mirror_and_rotate(bench: Bench) -> None:
    x = sample(2, 17, 4, 5)
    check(bench, "mirror", "{axes = [3]}", [x], np.flip(x, 3))
    check(bench, "mirror", "{axes = [1, 2]}", [x], np.flip(x, (1, 2)))
    for turns in (1, 2, 3):
        attributes = f"{{axes = [2, 3], turns = {turns} : i64}}"
        check(bench, "rotate", attributes, [x], np.rot90(x, turns, axes=(2, 3)))


def test_tensornorm(bench: Bench) -> None:
    """Instance, layer and group normalisation, without a mean, and with a large one."""
    x = sample(2, 32, 6, 5) + 100
    for shape, axes, groups, centred in (
        ((32, 1, 1), (2, 3), 1, True), ((32, 6, 5), (1, 2, 3), 1, True), ((5,), (3,), 1, True),
        ((32, 1, 1), (1, 2, 3), 8, True), ((32, 1, 1), (1,), 1, False),
    ):  # fmt: skip
        scale, bias = sample(*shape, seed=6), sample(*shape, seed=7)
        parts = x.astype(np.float64).reshape(2, groups, 32 // groups, 6, 5)
        inner = tuple(axis + 1 for axis in axes)
        mean = parts.mean(inner, keepdims=True) if centred else 0
        normal = (parts - mean) / np.sqrt(((parts - mean) ** 2).mean(inner, keepdims=True) + 1e-5)
        attributes = (f"{{axes = {list(axes)}, centered = {str(centred).lower()}, epsilon = 1.0e-5 : f64, "
                      f"groups = {groups} : i64}}")  # fmt: skip
        check(bench, "tensornorm", attributes, [x, scale, bias], normal.reshape(x.shape) * scale + bias)


if __name__ == "__main__":
    programs.main(__doc__)
