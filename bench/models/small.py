# SPDX-License-Identifier: Apache-2.0
"""Small ONNX networks for tests: one for each thing that a compiler gets wrong.

Every network is built from a few lines below, has reproducible random weights
and an unknown batch size, and passes ONNX's own checker.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17


class Builder:
    """Collects nodes and weights; every method returns a value's name."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def constant(self, values: np.ndarray) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.require(values, requirements="C"), name))
        return name

    def scalar(self, value: float) -> str:
        return self.constant(np.array(value, np.float32))

    def integers(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def normal(self, *shape: int, scale: float = 1.0) -> str:
        return self.constant((self.random.standard_normal(shape) * scale).astype(np.float32))

    def op(self, kind: str, *inputs: str, **attributes) -> str:
        output = f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], name=f"{kind}_{len(self.nodes)}", **attributes))
        return output

    def conv(self, x: str, inputs: int, outputs: int, kernel: int, bias: bool = True, **attributes) -> str:
        groups = attributes.get("group", 1)
        fan_in = inputs // groups * kernel * kernel
        weight = self.normal(outputs, inputs // groups, kernel, kernel, scale=(2.0 / fan_in) ** 0.5)
        operands = [x, weight, self.normal(outputs, scale=0.1)] if bias else [x, weight]
        pad = kernel // 2
        attributes.setdefault("pads", [pad] * 4)
        return self.op("Conv", *operands, kernel_shape=[kernel] * 2, **attributes)

    def norm(self, x: str, channels: int) -> str:
        def positive(low: float, high: float) -> str:
            return self.constant(self.random.uniform(low, high, channels).astype(np.float32))

        statistics = (positive(0.8, 1.2), self.normal(channels, scale=0.1))
        moments = (self.normal(channels, scale=0.1), positive(0.5, 1.5))
        return self.op("BatchNormalization", x, *statistics, *moments, epsilon=1e-3)

    def hard_swish(self, x: str) -> str:
        """As Keras writes it: x * (clip(x + 3, 0, 6) * (1 / 6))."""
        shifted = self.op("Add", x, self.scalar(3.0))
        clipped = self.op("Clip", shifted, self.scalar(0.0), self.scalar(6.0))
        return self.op("Mul", x, self.op("Mul", clipped, self.scalar(1.0 / 6.0)))


def conv_relu(b: Builder, x: str) -> str:
    return b.op("Relu", b.conv(x, 3, 16, 3, strides=[2, 2], pads=[0, 0, 1, 1]))


def residual(b: Builder, x: str) -> str:
    """Convolution, batch normalisation, and an addition around them."""
    stem = b.op("Relu", b.norm(b.conv(x, 3, 16, 3, bias=False), 16))
    branch = b.op("Relu", b.norm(b.conv(stem, 16, 16, 3, bias=False), 16))
    branch = b.norm(b.conv(branch, 16, 16, 3, bias=False), 16)
    return b.op("Relu", b.op("Add", branch, stem))


def depthwise(b: Builder, x: str) -> str:
    expanded = b.op("Clip", b.norm(b.conv(x, 3, 24, 1, bias=False), 24), b.scalar(0.0), b.scalar(6.0))
    filtered = b.conv(expanded, 24, 24, 3, bias=False, group=24, strides=[2, 2])
    filtered = b.op("Clip", b.norm(filtered, 24), b.scalar(0.0), b.scalar(6.0))
    return b.norm(b.conv(filtered, 24, 8, 1, bias=False), 8)


def grouped(b: Builder, x: str) -> str:
    stem = b.conv(x, 3, 32, 1)
    return b.conv(stem, 32, 64, 3, group=4, dilations=[2, 2], pads=[2, 2, 2, 2])


def concat(b: Builder, x: str) -> str:
    """Branches of odd widths, pooled, joined along the channels."""
    first = b.op("Relu", b.conv(x, 3, 5, 1))
    second = b.op("Relu", b.conv(x, 3, 19, 3))
    pooled = b.op("AveragePool", x, kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1])
    joined = b.op("Concat", first, second, pooled, axis=1)
    return b.conv(b.op("MaxPool", joined, kernel_shape=[2, 2], strides=[2, 2]), 27, 8, 1)


def dense_concat(b: Builder, x: str) -> str:
    """DenseNet-121's four blocks, narrow: each layer concatenates all before it anew."""
    growth, channels = 4, 8
    value = b.op("Relu", b.conv(x, 3, channels, 3))
    for number, layers in enumerate((6, 12, 24, 16)):
        if number:
            value = b.op("AveragePool", b.conv(value, channels, 8, 1), kernel_shape=[2, 2], strides=[2, 2])
            channels = 8
        parts = [value]
        for _ in range(layers):
            joined = b.op("Concat", *parts, axis=1) if len(parts) > 1 else value
            layer = b.op("Relu", b.norm(b.conv(joined, channels, 4 * growth, 1), 4 * growth))
            parts.append(b.op("Relu", b.conv(layer, 4 * growth, growth, 3)))
            channels += growth
        value = b.op("Concat", *parts, axis=1)
    return b.op("GlobalAveragePool", value)


def upsample(b: Builder, x: str) -> str:
    """Resize beside a transposed convolution, added together."""
    stem = b.op("Relu", b.conv(x, 3, 16, 3, strides=[2, 2]))
    scales = b.constant(np.array([1, 1, 2, 2], np.float32))
    resized = b.op("Resize", stem, "", scales, mode="nearest", coordinate_transformation_mode="asymmetric",
                   nearest_mode="floor")
    weight, bias = b.normal(16, 16, 2, 2, scale=0.1), b.normal(16, scale=0.1)
    deconv = b.op("ConvTranspose", stem, weight, bias, kernel_shape=[2, 2], strides=[2, 2])
    return b.op("Sigmoid", b.conv(b.op("Add", resized, deconv), 16, 1, 3))


def squeeze_excite(b: Builder, x: str) -> str:
    stem = b.op("Relu", b.conv(x, 3, 32, 3))
    squeezed = b.op("Relu", b.conv(b.op("GlobalAveragePool", stem), 32, 8, 1))
    gate = b.op("HardSigmoid", b.conv(squeezed, 8, 32, 1), alpha=0.2, beta=0.5)
    return b.conv(b.op("Mul", stem, gate), 32, 8, 1)


def hard_swish(b: Builder, x: str) -> str:
    return b.hard_swish(b.conv(b.hard_swish(b.conv(x, 3, 16, 3)), 16, 16, 3))


def channels_last(b: Builder, x: str) -> str:
    """Two Transposes around every convolution, as exporters write NHWC."""
    value = x
    for inputs, outputs in ((3, 16), (16, 16)):
        value = b.op("Transpose", value, perm=[0, 3, 1, 2])
        value = b.op("Transpose", b.conv(value, inputs, outputs, 3), perm=[0, 2, 3, 1])
        value = b.hard_swish(b.op("Add", value, b.normal(outputs, scale=0.1)))
    return value


def classifier(b: Builder, x: str) -> str:
    """Flatten of a feature map, two dense layers in both spellings, softmax."""
    features = b.op("Relu", b.conv(x, 3, 8, 3, strides=[4, 4]))
    flat = b.op("Flatten", features, axis=1)
    hidden = b.op("Relu", b.op("Gemm", flat, b.normal(32, 8 * 8 * 8, scale=0.05), b.normal(32), transB=1))
    scores = b.op("Add", b.op("MatMul", hidden, b.normal(32, 10, scale=0.3)), b.normal(10))
    return b.op("Softmax", scores, axis=-1)


def global_pool(b: Builder, x: str) -> str:
    """Average over the image spelled as ReduceMean, then Squeeze."""
    features = b.op("Relu", b.conv(x, 3, 20, 3))
    mean = b.op("ReduceMean", features, axes=[2, 3], keepdims=1)
    return b.op("Softmax", b.op("Squeeze", mean, b.integers(2, 3)), axis=1)


def shape_arithmetic(b: Builder, x: str) -> str:
    """Shape, Gather, Concat, Reshape: gone once the batch is bound."""
    features = b.conv(x, 3, 8, 3)
    batch = b.op("Gather", b.op("Shape", features), b.constant(np.array([0], np.int64)), axis=0)
    target = b.op("Concat", batch, b.integers(8, -1), axis=0)
    tokens = b.op("Transpose", b.op("Reshape", features, target), perm=[0, 2, 1])
    return b.op("MatMul", tokens, b.normal(8, 4))


def quantized(b: Builder, x: str) -> str:
    """Bytes from end to end: per-channel weights, zero points, padding, pooling, groups."""
    scale, zero = b.scalar(0.03), b.constant(np.array(120, np.uint8))
    value = b.op("QuantizeLinear", x, scale, zero)
    for inputs, outputs, groups in ((3, 16, 1), (16, 32, 2)):
        weight = b.constant(b.random.integers(-127, 128, (outputs, inputs // groups, 3, 3)).astype(np.int8))
        scales = b.constant(b.random.uniform(0.002, 0.004, outputs).astype(np.float32))
        zeros, bias = b.constant(np.zeros(outputs, np.int8)), b.random.integers(-900, 900, outputs).astype(np.int32)
        next_scale, next_zero = b.scalar(0.05), b.constant(np.array(90, np.uint8))
        value = b.op("QLinearConv", value, scale, zero, weight, scales, zeros, next_scale, next_zero,
                     b.constant(bias), kernel_shape=[3, 3], pads=[1] * 4, group=groups)
        value = b.op("MaxPool", value, kernel_shape=[2, 2], strides=[2, 2])
        scale, zero = next_scale, next_zero
    return b.op("DequantizeLinear", value, scale, zero)


def quantized_averages(b: Builder, x: str) -> str:
    """Averages between bytes: padded, with padding that counts, rounded up, to another type, of the whole image."""

    def between(value: str, scale: float, zero: np.number) -> str:
        parameters = b.scalar(scale), b.constant(np.array(zero))
        return b.op("DequantizeLinear", b.op("QuantizeLinear", value, *parameters), *parameters)

    value = b.op("Concat", *(between(x, scale, np.uint8(120)) for scale in (0.031, 0.017, 0.012)), axis=1)
    value = between(value, 0.0173, np.uint8(101))
    value = between(b.op("AveragePool", value, kernel_shape=[3, 3], pads=[1] * 4), 0.0091, np.uint8(117))
    value = between(b.op("AveragePool", value, kernel_shape=[3, 3], pads=[1] * 4, count_include_pad=1), 0.0067, np.uint8(90))
    value = between(b.op("AveragePool", value, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1), 0.0041, np.int8(-3))
    value = between(b.op("AveragePool", value, kernel_shape=[2, 2]), 0.0039, np.int8(5))
    return between(b.op("GlobalAveragePool", value), 0.0013, np.int8(-20))


def by_index(b: Builder, x: str) -> str:
    """Positions, gather and scatter by element between two convolutions."""
    features = b.conv(x, 3, 8, 3)
    best = b.op("ArgMax", features, axis=1, keepdims=1)
    picked = b.op("GatherElements", features, best, axis=1)
    running = b.op("CumSum", picked, b.integers(3), reverse=1)
    scattered = b.op("ScatterElements", features, best, running, axis=1, reduction="add")
    return b.conv(scattered, 8, 4, 1)


def image_ops(b: Builder, x: str) -> str:
    """What chips have kernels of their own for: unpooling by places, mirroring, normalisation."""
    features = b.conv(x, 3, 8, 3)
    pooled, places = "pooled", "places"
    b.nodes.append(
        helper.make_node("MaxPool", [features], [pooled, places], name="pool", kernel_shape=[2, 2], strides=[2, 2])
    )
    normal = b.op("InstanceNormalization", pooled, b.normal(8), b.normal(8))
    spread = b.op("MaxUnpool", b.conv(normal, 8, 8, 1), places, kernel_shape=[2, 2], strides=[2, 2])
    ends = b.integers(np.iinfo(np.int64).min)
    mirrored = b.op("Slice", spread, b.integers(-1), ends, b.integers(3), b.integers(-1))
    last = b.op("Transpose", b.op("Add", mirrored, features), perm=[0, 2, 3, 1])
    layer = b.op("LayerNormalization", last, b.normal(8), b.normal(8))
    return b.conv(b.op("Transpose", layer, perm=[0, 3, 1, 2]), 8, 4, 3)


def channel_shuffle(b: Builder, x: str) -> str:
    """Units of ShuffleNet: the channels of two branches change places, half of them go on as they are."""

    def shuffled(left: str, right: str) -> str:
        both = b.op("Concat", left, right, axis=1)
        apart = b.op("Reshape", both, b.integers(0, 2, 12, 16, 16))
        return b.op("Reshape", b.op("Transpose", apart, perm=[0, 2, 1, 3, 4]), b.integers(0, 24, 16, 16))

    def branch(x: str) -> str:
        x = b.op("Relu", b.conv(x, 12, 12, 1))
        x = b.conv(x, 12, 12, 3, group=12)
        return b.op("Relu", b.conv(x, 12, 12, 1))

    x = b.op("Relu", b.conv(x, 3, 12, 3))
    short = b.op("Relu", b.conv(b.conv(x, 12, 12, 3, group=12, strides=[2, 2]), 12, 12, 1))
    right = b.op("Relu", b.conv(x, 12, 12, 1))
    right = b.op("Relu", b.conv(b.conv(right, 12, 12, 3, group=12, strides=[2, 2]), 12, 12, 1))
    x = shuffled(short, right)
    for _ in range(3):
        kept = b.op("Slice", x, b.integers(0), b.integers(12), b.integers(1))  # channels
        right = b.op("Slice", x, b.integers(12), b.integers(24), b.integers(1))
        x = shuffled(kept, branch(right))
    x = b.conv(x, 24, 24, 3, group=24)
    return b.conv(x, 24, 8, 1)


def dilated_by_phases(b: Builder, x: str) -> str:
    """Dilated convolutions as TensorFlow writes them: of each phase of the image, which are batches."""
    x = b.op("Relu", b.conv(x, 3, 8, 3))
    for step, groups in ((2, 1), (3, 8)):
        edge, more = (step, step) if 32 % step == 0 else (step, step + step - (32 + 2 * step) % step)
        padded = b.op("Pad", x, b.integers(0, 0, edge, edge, 0, 0, more, more))
        phases = b.op("SpaceToDepth", b.op("Transpose", padded, perm=[1, 0, 2, 3]), blocksize=step)
        phases = b.op("Transpose", phases, perm=[1, 0, 2, 3])
        phases = b.conv(phases, 8, 8, 3, bias=False, pads=[0] * 4, group=groups)
        whole = b.op("DepthToSpace", b.op("Transpose", phases, perm=[1, 0, 2, 3]), blocksize=step)
        whole = b.op("Transpose", whole, perm=[1, 0, 2, 3])
        whole = b.op("Slice", whole, b.integers(0, 0), b.integers(32, 32), b.integers(2, 3))
        x = b.op("Relu", b.op("Add", whole, b.normal(8, 1, 1)))
    return b.conv(x, 8, 4, 1)


def sliced_windows(b: Builder, x: str) -> str:
    """Slices that only say which windows a convolution has: every second element, without the last ones."""
    x = b.op("Relu", b.conv(x, 3, 8, 3))
    end = b.integers(np.iinfo(np.int64).max, np.iinfo(np.int64).max)
    axes = b.integers(2, 3)
    second = b.op("Slice", x, b.integers(0, 0), end, axes, b.integers(2, 2))
    cropped = b.op("Slice", x, b.integers(0, 0), b.integers(31, 31), axes)
    behind = b.op("Slice", b.conv(x, 8, 8, 3), b.integers(0, 0), end, axes, b.integers(2, 2))
    most = b.op("Slice", x, b.integers(0, 0), b.integers(-1, -1), axes)
    x = b.op("Add", b.conv(second, 8, 8, 1), b.conv(cropped, 8, 8, 1, strides=[2, 2]))
    x = b.op("Add", x, b.conv(second, 8, 8, 3))
    x = b.op("Add", x, behind)
    pooled = b.op("MaxPool", most, kernel_shape=[2, 2], strides=[2, 2], pads=[1, 1, 0, 0])
    return b.conv(b.op("Add", x, pooled), 8, 4, 1)


def many_kernels(b: Builder, x: str) -> str:
    """More kernels than one generated function holds."""
    x = b.conv(x, 3, 4, 1)
    for step in range(260):
        kind = "MaxPool" if step % 8 == 0 else "AveragePool"
        x = b.op(kind, x, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    return x


Network = Callable[[Builder, str], str]
NETWORKS: dict[str, Network] = {
    function.__name__: function
    for function in (
        conv_relu, residual, depthwise, grouped, concat, dense_concat, upsample, squeeze_excite, hard_swish,
        channels_last, classifier, global_pool, shape_arithmetic, quantized,
        quantized_averages, by_index, image_ops, channel_shuffle,
        dilated_by_phases, sliced_windows, many_kernels,
    )
}  # fmt: skip


def make(name: str, size: int = 32, seed: int = 0) -> onnx.ModelProto:
    """The network with input `x` and output `y`."""
    builder = Builder(seed)
    result = NETWORKS[name](builder, "x")
    builder.nodes.append(helper.make_node("Identity", [result], ["y"], name="output"))
    shape = ["batch", size, size, 3] if name == "channels_last" else ["batch", 3, size, size]
    graph = helper.make_graph(
        builder.nodes,
        name,
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        builder.weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    model = onnx.shape_inference.infer_shapes(model, strict_mode=True)
    onnx.checker.check_model(model, full_check=True)
    return model


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="+", metavar="NAME", help=f"'all', or one of: {', '.join(NETWORKS)}")
    parser.add_argument("--out", type=Path, required=True, help="a folder; files are named NAME.onnx")
    parser.add_argument("--image-size", type=int, default=32, help="height and width of the input (32)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random weights")
    arguments = parser.parse_args()
    names = list(NETWORKS) if arguments.name == ["all"] else arguments.name
    unknown = [name for name in names if name not in NETWORKS]
    if unknown:
        parser.error(f"unknown network '{unknown[0]}'; known are: {', '.join(NETWORKS)}")
    if arguments.image_size != 32 and "classifier" in names:
        parser.error("'classifier' flattens its image and exists in size 32 only")
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in names:
        path = arguments.out / f"{name}.onnx"
        onnx.save(make(name, arguments.image_size, arguments.seed), path)
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
