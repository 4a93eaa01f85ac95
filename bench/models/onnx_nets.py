# SPDX-License-Identifier: Apache-2.0
"""Networks as PyTorch's exporter writes them: NCHW, normalisation folded away.

The weights are random and scaled by what the activation before them does to
the variance, so that activations neither fade nor grow.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import small

# Mean square of an activation's result where its argument is normal.
RELU, SILU, NONE = 0.5, 0.355, 1.0
TOKENS, VOCABULARY = 32, 1000  # of the two towers' texts


class Builder(small.Builder):
    """small.Builder with the blocks that these networks are made of."""

    def constant(self, values: np.ndarray) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(values, order="C"), name))  # a scalar stays one
        return name

    def unit(self, x: str, inputs: int, outputs: int, kernel: int, stride: int = 1, gain: float = SILU) -> str:
        """A convolution and SiLU."""
        value = self.plain(x, inputs, outputs, kernel, stride, gain)
        return self.op("Mul", value, self.op("Sigmoid", value))

    def plain(self, x: str, inputs: int, outputs: int, kernel: int, stride: int = 1, gain: float = SILU) -> str:
        weight = self.normal(outputs, inputs, kernel, kernel, scale=1.0 / math.sqrt(gain * inputs * kernel**2))
        pads = [kernel // 2] * 4 if stride < kernel else [0] * 4
        bias = self.normal(outputs, scale=0.1)
        return self.op("Conv", x, weight, bias, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=pads)

    def linear(self, x: str, inputs: int, outputs: int, scale: float = 1.0) -> str:
        product = self.op("MatMul", x, self.normal(inputs, outputs, scale=scale / math.sqrt(inputs)))
        return self.op("Add", self.normal(outputs, scale=0.1), product)

    def layer_norm(self, x: str, width: int) -> str:
        scale = self.constant(self.random.uniform(0.8, 1.2, width).astype(np.float32))
        return self.op("LayerNormalization", x, scale, self.normal(width, scale=0.1), axis=-1, epsilon=1e-5)

    def gelu(self, x: str) -> str:
        error = self.op("Erf", self.op("Div", x, self.scalar(math.sqrt(2.0))))
        return self.op("Mul", self.op("Mul", x, self.op("Add", error, self.scalar(1.0))), self.scalar(0.5))

    def attention(self, x: str, width: int, heads: int, mask: str = "") -> str:
        """All of query, key and value from one product, as timm writes it."""
        one = width // heads
        joined = self.op("Reshape", self.linear(x, width, 3 * width), self.integers(0, -1, 3, heads, one))
        turned = self.op("Transpose", joined, perm=[2, 0, 3, 1, 4])
        q, k, v = (self.op("Gather", turned, self.constant(np.array(i, np.int64)), axis=0) for i in range(3))
        q = self.op("Mul", q, self.scalar(one**-0.5))
        scores = self.op("MatMul", q, self.op("Transpose", k, perm=[0, 1, 3, 2]))
        if mask:
            scores = self.op("Add", scores, mask)
        mixed = self.op("MatMul", self.op("Softmax", scores, axis=-1), v)
        mixed = self.op("Reshape", self.op("Transpose", mixed, perm=[0, 2, 1, 3]), self.integers(0, -1, width))
        return self.linear(mixed, width, width)

    def transformer(self, x: str, width: int, heads: int, mask: str = "") -> str:
        x = self.op("Add", x, self.attention(self.layer_norm(x, width), width, heads, mask))
        inner = self.gelu(self.linear(self.layer_norm(x, width), width, 4 * width))
        return self.op("Add", x, self.linear(inner, 4 * width, width))

    def split(self, x: str, axis: int, *sizes: int) -> list[str]:
        outputs = [f"split{len(self.nodes)}_{i}" for i in range(len(sizes))]
        name = f"Split_{len(self.nodes)}"
        self.nodes.append(helper.make_node("Split", [x, self.integers(*sizes)], outputs, name=name, axis=axis))
        return outputs

    def unit_length(self, x: str) -> str:
        return self.op("Div", x, self.op("ReduceL2", x, axes=[-1], keepdims=1))


def _c2f(b: Builder, x: str, inputs: int, outputs: int, count: int, shortcut: bool) -> str:
    """YOLOv8's block: split, bottlenecks on one half, all of it concatenated."""
    half = outputs // 2
    parts = b.split(b.unit(x, inputs, outputs, 1), 1, half, half)
    for _ in range(count):
        inner = b.unit(b.unit(parts[-1], half, half, 3), half, half, 3)
        parts.append(b.op("Add", parts[-1], inner) if shortcut else inner)
    return b.unit(b.op("Concat", *parts, axis=1), (2 + count) * half, outputs, 1)


def _sppf(b: Builder, x: str, channels: int) -> str:
    parts = [b.unit(x, channels, channels // 2, 1)]
    for _ in range(3):
        parts.append(b.op("MaxPool", parts[-1], kernel_shape=[5, 5], pads=[2] * 4, strides=[1, 1]))
    return b.unit(b.op("Concat", *parts, axis=1), 2 * channels, channels, 1)


def _doubled(b: Builder, x: str) -> str:
    scales = b.constant(np.array([1, 1, 2, 2], np.float32))
    return b.op("Resize", x, "", scales, mode="nearest", nearest_mode="floor",
                coordinate_transformation_mode="asymmetric")  # fmt: skip


def _anchors(size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Centres [1, 2, places] and strides [1, places] of the three maps."""
    centres, strides = [], []
    for stride in (8, 16, 32):
        rows, columns = (np.arange(extent // stride) + 0.5 for extent in size)
        grid = np.stack(np.meshgrid(columns, rows), 0).reshape(2, -1)
        centres.append(grid)
        strides.append(np.full((1, grid.shape[1]), stride))
    return np.concatenate(centres, 1)[None].astype(np.float32), np.concatenate(strides, 1).astype(np.float32)


def _yolo_head(b: Builder, maps: list[tuple[str, int]], size: tuple[int, int]) -> str:
    flat = []
    for value, channels in maps:
        box = b.plain(b.unit(b.unit(value, channels, 64, 3), 64, 64, 3), 64, 64, 1)
        kind = b.plain(b.unit(b.unit(value, channels, 80, 3), 80, 80, 3), 80, 80, 1)
        flat.append(b.op("Reshape", b.op("Concat", box, kind, axis=1), b.integers(0, 144, -1)))
    boxes, kinds = b.split(b.op("Concat", *flat, axis=2), 1, 64, 80)
    # Each side of a box is the mean of a distribution over 16 distances.
    boxes = b.op("Transpose", b.op("Reshape", boxes, b.integers(0, 4, 16, -1)), perm=[0, 2, 1, 3])
    distances = b.constant(np.arange(16, dtype=np.float32).reshape(1, 16, 1, 1))
    sides = b.op("Conv", b.op("Softmax", boxes, axis=1), distances, kernel_shape=[1, 1])
    near, far = b.split(b.op("Reshape", sides, b.integers(0, 4, -1)), 1, 2, 2)
    centres, strides = (b.constant(values) for values in _anchors(size))
    low, high = b.op("Sub", centres, near), b.op("Add", centres, far)
    middle = b.op("Div", b.op("Add", low, high), b.scalar(2.0))
    place = b.op("Concat", middle, b.op("Sub", high, low), axis=1)
    return b.op("Concat", b.op("Mul", place, strides), b.op("Sigmoid", kinds), axis=1)


def yolo(b: Builder, size: tuple[int, int]) -> dict[str, str]:
    """YOLOv8-n: backbone, two ways through a pyramid, heads with reshape, transpose and concat."""
    value = b.unit(b.unit("images", 3, 16, 3, 2, gain=NONE), 16, 32, 3, 2)
    value = b.unit(_c2f(b, value, 32, 32, 1, True), 32, 64, 3, 2)
    p3 = _c2f(b, value, 64, 64, 2, True)
    p4 = _c2f(b, b.unit(p3, 64, 128, 3, 2), 128, 128, 2, True)
    p5 = _sppf(b, _c2f(b, b.unit(p4, 128, 256, 3, 2), 256, 256, 1, True), 256)
    n4 = _c2f(b, b.op("Concat", _doubled(b, p5), p4, axis=1), 384, 128, 1, False)
    n3 = _c2f(b, b.op("Concat", _doubled(b, n4), p3, axis=1), 192, 64, 1, False)
    m4 = _c2f(b, b.op("Concat", b.unit(n3, 64, 64, 3, 2), n4, axis=1), 192, 128, 1, False)
    m5 = _c2f(b, b.op("Concat", b.unit(m4, 128, 128, 3, 2), p5, axis=1), 384, 256, 1, False)
    return {"output0": _yolo_head(b, [(n3, 64), (m4, 128), (m5, 256)], size)}


def vit_timm(b: Builder, size: tuple[int, int]) -> dict[str, str]:
    """ViT-Tiny as timm exports it: class token, one product for query, key and value."""
    width, heads, places = 192, 3, (size[0] // 16) * (size[1] // 16)
    patches = b.plain("image", 3, width, 16, 16, gain=NONE)
    tokens = b.op("Transpose", b.op("Reshape", patches, b.integers(0, width, -1)), perm=[0, 2, 1])
    batch = b.op("Gather", b.op("Shape", "image"), b.constant(np.array([0], np.int64)), axis=0)
    shape = b.op("Concat", batch, b.integers(1, width), axis=0)
    first = b.op("Expand", b.normal(1, 1, width, scale=0.5), shape)
    value = b.op("Add", b.op("Concat", first, tokens, axis=1), b.normal(1, places + 1, width, scale=0.2))
    for _ in range(12):
        value = b.transformer(value, width, heads)
    token = b.op("Gather", b.layer_norm(value, width), b.constant(np.array(0, np.int64)), axis=1)
    weight, bias = b.normal(1000, width, scale=3.0 / math.sqrt(width)), b.normal(1000, scale=0.1)
    return {"logits": b.op("Gemm", token, weight, bias, transB=1)}


def _image_tower(b: Builder, embedding: int) -> str:
    """Residual convolutions, and attention over the places of the last map."""
    value = b.op("Relu", b.plain("image", 3, 32, 3, 2, gain=NONE))
    value = b.op("AveragePool", value, kernel_shape=[2, 2], strides=[2, 2])
    channels = 32
    for outputs in (64, 128, 256):
        inner = b.op("Relu", b.plain(value, channels, outputs, 3, 2, gain=RELU))
        inner = b.plain(inner, outputs, outputs, 3, gain=2 * RELU)
        value = b.op("AveragePool", value, kernel_shape=[2, 2], strides=[2, 2])
        value = b.op("Relu", b.op("Add", b.plain(value, channels, outputs, 1, gain=2 * RELU), inner))
        channels = outputs
    places = b.op("Transpose", b.op("Reshape", value, b.integers(0, channels, -1)), perm=[0, 2, 1])
    mean = b.op("ReduceMean", places, axes=[1], keepdims=1)
    mixed = b.attention(b.op("Concat", mean, places, axis=1), channels, 4)
    first = b.op("Gather", mixed, b.constant(np.array(0, np.int64)), axis=1)
    return b.unit_length(b.op("MatMul", first, b.normal(channels, embedding, scale=1.0 / 16.0)))


def _text_tower(b: Builder, embedding: int) -> str:
    """A causal transformer; the state at the largest token stands for the text."""
    width = 128
    words = b.op("Gather", b.normal(VOCABULARY, width), "tokens", axis=0)
    value = b.op("Add", words, b.normal(TOKENS, width, scale=0.2))
    mask = b.constant(np.triu(np.full((TOKENS, TOKENS), -np.inf, np.float32), 1))
    for _ in range(3):
        value = b.transformer(value, width, 4, mask)
    value = b.layer_norm(value, width)
    last = b.op("Unsqueeze", b.op("ArgMax", "tokens", axis=1, keepdims=1), b.integers(2))
    last = b.op("Expand", last, b.integers(1, 1, width))
    state = b.op("Squeeze", b.op("GatherElements", value, last, axis=1), b.integers(1))
    return b.unit_length(b.op("MatMul", state, b.normal(width, embedding, scale=1.0 / 11.0)))


def two_tower(b: Builder, size: tuple[int, int]) -> dict[str, str]:
    """CLIP's shape: how well each image of a batch goes with each text."""
    image, text = _image_tower(b, 64), _text_tower(b, 64)
    scores = b.op("Mul", b.op("MatMul", image, b.op("Transpose", text, perm=[1, 0])), b.scalar(20.0))
    return {"scores": scores, "probabilities": b.op("Softmax", scores, axis=-1), "text": text}


Network = Callable[[Builder, tuple[int, int]], dict[str, str]]
# What makes it, and the name of its image.
NETWORKS: dict[str, tuple[Network, str]] = {
    "yolo": (yolo, "images"),
    "vit_timm": (vit_timm, "image"),
    "two_tower": (two_tower, "image"),
}


def make(name: str, size: tuple[int, int], seed: int = 0) -> onnx.ModelProto:
    """The network with an unknown batch; checked by onnx itself."""
    network, image = NETWORKS[name]
    builder = Builder(seed)
    results = network(builder, size)
    for output, value in results.items():
        builder.nodes.append(helper.make_node("Identity", [value], [output], name=f"output_{output}"))
    inputs = [helper.make_tensor_value_info(image, TensorProto.FLOAT, ["batch", 3, *size])]
    if name == "two_tower":
        inputs.append(helper.make_tensor_value_info("tokens", TensorProto.INT64, ["batch", TOKENS]))
    outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, None) for output in results]
    graph = helper.make_graph(builder.nodes, name, inputs, outputs, builder.weights)
    opset = helper.make_opsetid("", small.OPSET)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=8)
    model = onnx.shape_inference.infer_shapes(model, strict_mode=True)
    onnx.checker.check_model(model, full_check=True)
    return model


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=NETWORKS)
    parser.add_argument("path", type=Path, help="the ONNX file to write")
    parser.add_argument("--size", type=int, default=224, help="height and width of the image (224)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random weights")
    arguments = parser.parse_args()
    if arguments.size % 32:
        parser.error(f"--size: expected a multiple of 32, found {arguments.size}")
    model = make(arguments.name, (arguments.size, arguments.size), arguments.seed)
    temporary = arguments.path.with_suffix(".part.onnx")
    onnx.save(model, temporary)
    temporary.rename(arguments.path)
    print(f"{arguments.path.name}: {arguments.path.stat().st_size / 1e6:.1f} MB, {len(model.graph.node)} nodes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
