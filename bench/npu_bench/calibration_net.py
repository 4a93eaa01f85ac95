# SPDX-License-Identifier: Apache-2.0
"""The network that npu-bench --calibrate measures: a bit of everything, in the sizes of real networks.

Kernels are measured inside a network and not by themselves, since what they
read must be where it is in a network: activations in the cache where the kernel
before has left them, weights in none.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import helper

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "models"))

import small  # noqa: E402

# Height and width, channels: a network's stages.
STAGES = [(112, 24), (56, 64), (28, 128), (14, 256), (7, 512)]
EXPANSION = 4  # of a stage's channels for its depthwise convolutions
CLASSES = 1000
LARGE = 192  # channels at the first stage's size, in f32 more than a core's share of any cache


class Builder(small.Builder):
    """small.Builder whose node names begin with what kind of kernel they become."""

    kind = ""

    def op(self, kind: str, *inputs: str, **attributes) -> str:
        output = super().op(kind, *inputs, **attributes)
        if self.kind:
            self.nodes[-1].name = f"{self.kind}_{len(self.nodes)}"
        return output

    def labelled(self, label: str, kind: str, *inputs: str, **attributes) -> str:
        self.kind = label
        output = self.op(kind, *inputs, **attributes)
        self.kind = ""
        return output

    def unit(self, label: str, x: str, inputs: int, outputs: int, kernel: int, **attributes) -> str:
        """A convolution and relu, one kernel."""
        self.kind = label
        output = self.op("Relu", self.conv(x, inputs, outputs, kernel, **attributes))
        self.kind = ""
        return output

    def pool(self, kind: str, x: str, window: int, stride: int) -> str:
        pad = (window - 1) // 2
        return self.labelled(kind.lower(), kind, x, kernel_shape=[window] * 2, strides=[stride] * 2, pads=[pad] * 4)


def _squeeze_excite(b: Builder, x: str, channels: int) -> str:
    """With a copy of next to nothing, which shows what starting a kernel takes."""
    squeezed = b.op("GlobalAveragePool", x)
    twice = b.labelled("tiny", "Concat", squeezed, squeezed, axis=1)
    squeezed = b.unit("weights", twice, 2 * channels, channels // 4, 1)
    gate = b.conv(squeezed, channels // 4, channels, 1)
    return b.labelled("eltwise", "Mul", x, b.op("Sigmoid", gate))


def _stage(b: Builder, x: str, channels: int) -> str:
    wide = EXPANSION * channels
    inner = b.unit("pointwise", x, channels, wide, 1)
    inner = b.unit("depthwise", inner, wide, wide, 3, group=wide)
    inner = _squeeze_excite(b, inner, wide)
    inner = b.unit("depthwise", inner, wide, wide, 5, group=wide)
    x = b.labelled("eltwise", "Add", x, b.unit("pointwise", inner, wide, channels, 1))
    for _ in range(2):
        x = b.unit("conv", x, channels, channels, 3)
    # Read twice, so that neither is fused into the other.
    pooled = b.pool("AveragePool", x, 3, 1)
    x = b.labelled("eltwise", "Add", x, b.pool("MaxPool", pooled, 3, 1))
    joined = b.labelled("copy", "Concat", x, pooled, axis=1)
    return b.unit("pointwise", joined, 2 * channels, channels, 1)


def _large(b: Builder, x: str) -> str:
    """A kernel that only moves more than caches hold."""
    sides = [b.unit("large", x, STAGES[0][1], LARGE, 1) for _ in range(2)]
    joined = b.labelled("beyond", "Concat", *sides, axis=1)
    return b.labelled("large", "GlobalAveragePool", joined)


def network() -> onnx.ModelProto:
    """x: 1x3x224x224 to 1x1000."""
    b = Builder(seed=11)
    x = b.unit("stem", "x", 3, STAGES[0][1], 3, strides=[2, 2])
    large, deconv = _large(b, x), ""
    for index, (size, channels) in enumerate(STAGES):
        if index:
            before = STAGES[index - 1][1]
            x = b.unit("depthwise", x, before, before, 3, group=before, strides=[2, 2])
            x = b.unit("pointwise", x, before, channels, 1)
        x = _stage(b, x, channels)
        if size == 28:
            weight = b.normal(channels, channels // 2, 2, 2, scale=0.05)
            deconv = b.labelled("deconv", "ConvTranspose", x, weight, kernel_shape=[2, 2], strides=[2, 2])
    x = b.op("Flatten", b.op("GlobalAveragePool", x))
    weight = b.normal(STAGES[-1][1], CLASSES, scale=0.05)
    y = b.op("Softmax", b.labelled("matmul", "MatMul", x, weight))
    return _model(b, [y, b.op("GlobalAveragePool", deconv), large])


def _model(b: Builder, outputs: list[str]) -> onnx.ModelProto:
    float32 = onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        b.nodes, "calibration", [helper.make_tensor_value_info("x", float32, [1, 3, 224, 224])],
        [helper.make_tensor_value_info(name, float32, None) for name in outputs], b.weights,
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", small.OPSET)], ir_version=8)
    return onnx.shape_inference.infer_shapes(model, strict_mode=True)


def sample() -> np.ndarray:
    return np.random.default_rng(7).uniform(-1.0, 1.0, (1, 3, 224, 224)).astype(np.float32)
