# SPDX-License-Identifier: Apache-2.0
"""Nine small networks as onnxruntime's static quantizer takes them, of what networks of today are made of.

Each is a function that adds nodes to a Net and gives its result. Weights are random.
"""

from __future__ import annotations

import numpy as np
from onnx_net import OnnxNet


class Net(OnnxNet):
    """With what networks of today are made of."""

    def __init__(self, seed: int) -> None:
        super().__init__(np.random.default_rng(seed), opset=18)

    def number(self, value: float) -> str:
        return self.constant(np.float32(value))

    def normal(self, *shape: int, spread: float = 0.1, middle: float = 0) -> str:
        return self.constant(self.random.normal(middle, spread, shape).astype(np.float32))

    def input(self, *shape: int) -> str:
        name = f"x{len(self.inputs)}"
        self.inputs[name] = shape
        return name

    def linear(self, x: str, depth: int, width: int) -> str:
        product = self.op("MatMul", x, self.normal(depth, width, spread=depth**-0.5))
        return self.op("Add", product, self.normal(width))

    def conv(self, x: str, inner: int, filters: int, kernel: tuple[int, ...] = (3, 3), **attributes: object) -> str:
        attributes.setdefault("pads", [k // 2 for k in kernel] * 2)
        per_group = inner // int(attributes.get("group", 1))
        spread = (per_group * int(np.prod(kernel))) ** -0.5
        return self.op("Conv", x, self.normal(filters, per_group, *kernel, spread=spread), self.normal(filters), **attributes)

    def layer_norm(self, x: str, depth: int) -> str:
        return self.op("LayerNormalization", x, self.normal(depth, middle=1), self.normal(depth), axis=-1)

    def gelu(self, x: str) -> str:
        error = self.op("Add", self.op("Erf", self.op("Div", x, self.number(2**0.5))), self.number(1))
        return self.op("Mul", self.op("Mul", x, error), self.number(0.5))

    def silu(self, x: str) -> str:
        return self.op("Mul", x, self.op("Sigmoid", x))

    def heads(self, x: str, rows: int, depth: int, heads: int) -> str:
        return self.op("Transpose", self.op("Reshape", x, self.ints(-1, rows, heads, depth // heads)), perm=[0, 2, 1, 3])

    def attend(self, query: str, key: str, value: str, shape: tuple[int, int, int], mask: str = "") -> str:
        """Of heads; what is (windows, rows, depth) again."""
        windows, rows, depth = shape
        scores = self.op("Mul", self.op("MatMul", query, self.op("Transpose", key, perm=[0, 1, 3, 2])), self.number(0.25))
        scores = self.op("Add", scores, mask) if mask else scores
        mixed = self.op("MatMul", self.op("Softmax", scores, axis=-1), value)
        mixed = self.op("Reshape", self.op("Transpose", mixed, perm=[0, 2, 1, 3]), self.ints(windows, rows, depth))
        return self.linear(mixed, depth, depth)

    def attention(self, x: str, shape: tuple[int, int, int], heads: int, mask: str = "") -> str:
        _, rows, depth = shape
        parts = (self.heads(self.linear(x, depth, depth), rows, depth, heads) for _ in range(3))
        return self.attend(*parts, shape, mask)


def whisper_encoder(net: Net) -> str:
    x = net.input(1, 80, 60)
    x = net.gelu(net.conv(x, 80, 64, (3,)))
    x = net.gelu(net.conv(x, 64, 64, (3,), strides=[2]))
    x = net.op("Add", net.op("Transpose", x, perm=[0, 2, 1]), net.normal(30, 64, spread=0.3))
    x = net.op("Add", x, net.attention(net.layer_norm(x, 64), (1, 30, 64), 4))
    x = net.op("Add", x, net.linear(net.gelu(net.linear(net.layer_norm(x, 64), 64, 128)), 128, 64))
    return net.linear(net.layer_norm(x, 64), 64, 20)


def shifted_windows(net: Net) -> str:
    """Swin's."""
    depth = 32
    x = net.conv(net.input(1, 3, 32, 32), 3, depth, (4, 4), strides=[4, 4], pads=[0] * 4)
    x = net.layer_norm(net.op("Transpose", x, perm=[0, 2, 3, 1]), depth)
    y = net.layer_norm(x, depth)
    one = net.ints(1)
    rolled = [net.op("Slice", y, net.ints(start), net.ints(end), one) for start, end in ((2, 8), (0, 2))]
    y = net.op("Reshape", net.op("Concat", *rolled, axis=1), net.ints(1, 2, 4, 2, 4, depth))
    y = net.op("Reshape", net.op("Transpose", y, perm=[0, 1, 3, 2, 4, 5]), net.ints(4, 16, depth))
    y = net.attention(y, (4, 16, depth), 2, net.normal(1, 2, 16, 16, spread=0.5))
    y = net.op("Reshape", y, net.ints(1, 2, 2, 4, 4, depth))
    y = net.op("Reshape", net.op("Transpose", y, perm=[0, 1, 3, 2, 4, 5]), net.ints(1, 8, 8, depth))
    x = net.op("Add", x, y)
    x = net.op("Add", x, net.linear(net.gelu(net.linear(net.layer_norm(x, depth), depth, 64)), 64, depth))
    return net.linear(net.op("ReduceMean", x, net.ints(1, 2), keepdims=0), depth, 10)


def conformer(net: Net) -> str:
    depth, shape = 48, (1, 40, 48)
    x = net.input(*shape)
    y = net.linear(net.silu(net.linear(net.layer_norm(x, depth), depth, 96)), 96, depth)
    x = net.op("Add", x, net.op("Mul", y, net.number(0.5)))
    x = net.op("Add", x, net.attention(net.layer_norm(x, depth), shape, 4))
    y = net.conv(net.op("Transpose", net.layer_norm(x, depth), perm=[0, 2, 1]), depth, 96, (1,))
    value, gate = net.ops("Split", y, net.ints(48, 48), outputs=2, axis=1)
    y = net.op("Mul", value, net.op("Sigmoid", gate))
    y = net.conv(net.silu(net.conv(y, depth, depth, (7,), group=depth)), depth, depth, (1,))
    x = net.op("Add", x, net.op("Transpose", y, perm=[0, 2, 1]))
    return net.op("Softmax", net.linear(net.layer_norm(x, depth), depth, 30), axis=-1)


def diffusion(net: Net) -> str:
    """A residual block with group norms and the time's embedding."""
    x, time = net.input(1, 4, 16, 16), net.input(1, 32)
    x = net.conv(x, 4, 32)
    ones, zeros = net.constant(np.ones(8, np.float32)), net.constant(np.zeros(8, np.float32))
    y = net.op("InstanceNormalization", net.op("Reshape", x, net.ints(1, 8, -1)), ones, zeros)
    y = net.op("Mul", net.op("Reshape", y, net.ints(1, 32, 16, 16)), net.normal(32, 1, 1, middle=1))
    y = net.conv(net.silu(net.op("Add", y, net.normal(32, 1, 1))), 32, 32)
    y = net.op("Add", y, net.op("Reshape", net.linear(net.silu(time), 32, 32), net.ints(1, 32, 1, 1)))
    x = net.op("Add", x, net.conv(net.silu(y), 32, 32))
    return net.conv(x, 32, 4)


def decoder(net: Net) -> str:
    x = net.input(1, 16, 8, 8)
    x = net.op("Relu", net.op("ConvTranspose", x, net.normal(16, 16, 2, 2), net.normal(16), strides=[2, 2]))
    scales = net.constant(np.array([1, 1, 2, 2], np.float32))
    y = net.op("Resize", x, "", scales, mode="linear", coordinate_transformation_mode="half_pixel")
    z = net.op("ConvTranspose", x, net.normal(16, 8, 4, 4), net.normal(8), strides=[2, 2], pads=[1] * 4)
    z = net.op("LeakyRelu", z, alpha=0.1)
    x = net.conv(net.op("Concat", y, z, axis=1), 24, 12)
    return net.conv(net.op("Tanh", net.op("DepthToSpace", x, blocksize=2, mode="CRD")), 3, 3)


def mobile_vit(net: Net) -> str:
    x = net.silu(net.conv(net.input(1, 3, 32, 32), 3, 16, strides=[2, 2]))
    x = net.conv(net.silu(net.conv(x, 16, 16, group=16)), 16, 32, (1, 1))
    y = net.op("Transpose", net.op("Reshape", x, net.ints(256, 2, 8, 2)), perm=[0, 2, 1, 3])
    y = net.op("Transpose", net.op("Reshape", y, net.ints(1, 32, 64, 4)), perm=[0, 3, 2, 1])
    y = net.op("Reshape", y, net.ints(4, 64, 32))
    y = net.layer_norm(net.op("Add", y, net.attention(y, (4, 64, 32), 2)), 32)
    y = net.op("Transpose", net.op("Reshape", y, net.ints(1, 4, 64, 32)), perm=[0, 3, 2, 1])
    y = net.op("Transpose", net.op("Reshape", y, net.ints(256, 8, 2, 2)), perm=[0, 2, 1, 3])
    x = net.op("Concat", x, net.op("Reshape", y, net.ints(1, 32, 16, 16)), axis=1)
    x = net.op("Flatten", net.op("GlobalAveragePool", net.silu(net.conv(x, 64, 32))))
    return net.op("Gemm", x, net.normal(10, 32), net.normal(10), transB=1)


def detector(net: Net) -> str:
    """YOLO's parts: split, pyramid pooling, upsampling, a head with boxes as distributions."""

    def step(x: str, inner: int, filters: int, kernel: int = 3, stride: int = 1) -> str:
        return net.silu(net.conv(x, inner, filters, (kernel, kernel), strides=[stride, stride]))

    near = step(step(net.input(1, 3, 64, 64), 3, 16, stride=2), 16, 32, stride=2)
    left, right = net.ops("Split", step(near, 32, 32, 1), net.ints(16, 16), outputs=2, axis=1)
    sums = net.op("Add", right, step(right, 16, 16))
    near = step(net.op("Concat", left, right, sums, axis=1), 48, 32, 1)
    far = [step(near, 32, 32, stride=2)]
    far += [net.op("MaxPool", far[0], kernel_shape=[k, k], pads=[k // 2] * 4) for k in (5, 9)]
    far_all = step(net.op("Concat", *far, axis=1), 96, 32, 1)
    scales = net.constant(np.array([1, 1, 2, 2], np.float32))
    up = net.op("Resize", far_all, "", scales, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    both = ((step(net.op("Concat", up, near, axis=1), 64, 32), 256), (far_all, 64))
    heads = []
    for x, places in both:
        boxes = net.op("Reshape", net.conv(x, 32, 32, (1, 1)), net.ints(1, 4, 8, places))
        boxes = net.op("Softmax", net.op("Transpose", boxes, perm=[0, 2, 1, 3]), axis=1)
        steps = net.constant(np.arange(8, dtype=np.float32).reshape(1, 8, 1, 1))
        boxes = net.op("Reshape", net.op("Conv", boxes, steps), net.ints(1, 4, places))
        classes = net.op("Sigmoid", net.op("Reshape", net.conv(x, 32, 5, (1, 1)), net.ints(1, 5, places)))
        heads.append(net.op("Concat", boxes, classes, axis=1))
    return net.op("Concat", *heads, axis=2)


def language_model(net: Net) -> str:
    """A layer of Llama's: root mean square norms, rotary embedding, a causal mask, gates."""
    rows, depth = 16, 64
    angles = np.outer(np.arange(rows), 10.0 ** -(np.arange(16) % 8 / 8))
    cosine, sine = net.constant(np.cos(angles).astype(np.float32)), net.constant(np.sin(angles).astype(np.float32))

    def norm(x: str) -> str:
        mean = net.op("ReduceMean", net.op("Mul", x, x), net.ints(-1), keepdims=1)
        root = net.op("Sqrt", net.op("Add", mean, net.number(1e-5)))
        return net.op("Mul", net.op("Div", x, root), net.normal(depth, middle=1))

    def rotate(x: str) -> str:
        left, right = net.ops("Split", x, net.ints(8, 8), outputs=2, axis=3)
        turned = net.op("Concat", net.op("Neg", right), left, axis=3)
        return net.op("Add", net.op("Mul", x, cosine), net.op("Mul", turned, sine))

    x = net.input(1, rows, depth)
    y = norm(x)
    query, key, value = (net.heads(net.linear(y, depth, depth), rows, depth, 4) for _ in range(3))
    mask = net.constant(np.triu(np.full((rows, rows), -50, np.float32), 1))
    x = net.op("Add", x, net.attend(rotate(query), rotate(key), value, (1, rows, depth), mask))
    y = norm(x)
    gated = net.op("Mul", net.silu(net.linear(y, depth, 128)), net.linear(y, depth, 128))
    return net.linear(norm(net.op("Add", x, net.linear(gated, 128, depth))), depth, 100)


def temporal(net: Net) -> str:
    """Dilated convolutions that see the past alone."""
    x = net.input(1, 20, 64)
    for dilation in (1, 2, 4):
        past = net.op("Pad", x, net.ints(0, 0, 2 * dilation, 0, 0, 0))
        x = net.op("Add", x, net.op("Relu", net.conv(past, 20, 20, (3,), dilations=[dilation], pads=[0, 0])))
    x = net.op("ReduceMax", net.op("AveragePool", x, kernel_shape=[4], strides=[4]), net.ints(2), keepdims=0)
    x = net.op("HardSwish", net.op("Gemm", x, net.normal(12, 20), net.normal(12), transB=1))
    return net.op("Gemm", x, net.normal(5, 12), net.normal(5), transB=1)


NETWORKS = (
    whisper_encoder, shifted_windows, conformer, diffusion, decoder, mobile_vit, detector, language_model, temporal,
)  # fmt: skip
