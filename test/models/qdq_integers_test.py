# SPDX-License-Identifier: Apache-2.0
"""QDQ operators on a chip of integers alone: no float is left, and bytes are onnxruntime's or next to them.

OPERATORS is the table that docs/quantized-networks.md shows. Each is made with random scales and zero points, for int8
and uint8, compiled for npu-ethos-u55 with bytes in and out and nothing beside the chip.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np  # noqa: E402
import onnxruntime  # noqa: E402
import suite  # noqa: E402
from onnx_net import OnnxNet  # noqa: E402

DOCS = Path(__file__).resolve().parents[2] / "docs" / "quantized-networks.md"
IMAGE = (1, 16, 8, 8)
# Halves go upwards on the chip and to even in the model: of generated scales few numbers lie there.
MOST_OFF = 0.05
# Several roundings, one behind the other: a step of one is some of the next.
CHAINS = ("squeeze and excite", "attention", "parts", "root mean square", "exponentials")


class Net(OnnxNet):
    """A network of dequantized numbers; of an input shape, scale and zero point."""

    def __init__(self, random: np.random.Generator, kind: type) -> None:
        super().__init__(random, opset=17)
        self.kind = kind

    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {name: row[0] for name, row in self.inputs.items()}

    def zero(self) -> int:
        limits = np.iinfo(self.kind)
        return int(self.random.integers(limits.min, limits.max + 1))

    def pair(self, value: str, scale: float, zero: int) -> str:
        parts = self.constant(np.float32(scale)), self.constant(self.kind(zero))
        return self.op("DequantizeLinear", self.op("QuantizeLinear", value, *parts), *parts)

    def middle(self, value: str, scale: float) -> str:
        """Quantized with the zero point in the middle."""
        return self.pair(value, scale, 0 if self.kind is np.int8 else 128)

    def share(self, value: str) -> str:
        """Quantized from 0 to 1."""
        return self.pair(value, 1 / 256, np.iinfo(self.kind).min)

    def input(self, *shape: int) -> str:
        name = f"x{len(self.inputs)}"
        self.inputs[name] = (shape or IMAGE, np.float32(self.random.uniform(0.005, 0.1)), self.zero())
        return self.pair(name, *self.inputs[name][1:])

    def weight(self, *shape: int) -> str:
        parts = self.constant(np.float32(0.01)), self.constant(np.int8(0))
        return self.op("DequantizeLinear", self.constant(self.random.integers(-99, 100, shape).astype(np.int8)), *parts)


def silu(net: Net) -> str:
    x = net.input()
    return net.op("Mul", x, net.share(net.op("Sigmoid", x)))


def squeeze_and_excite(net: Net) -> str:
    x = net.input()
    scale, zero = net.inputs["x0"][1:]
    y = net.pair(net.op("GlobalAveragePool", x), scale, zero)
    y = net.middle(net.op("Relu", net.op("Conv", y, net.weight(8, 16, 1, 1))), 0.05)
    y = net.middle(net.op("Conv", y, net.weight(16, 8, 1, 1)), 0.05)
    return net.op("Mul", x, net.share(net.op("HardSigmoid", y)))


def resize(scale: float, coordinates: str) -> Callable[[Net], str]:
    return lambda net: net.op("Resize", net.input(), "", net.constant(np.array([1, 1, scale, scale], np.float32)),
                              mode="linear", coordinate_transformation_mode=coordinates)  # fmt: skip


def attention(net: Net) -> str:
    query, key, value = (net.input(1, 2, 10, 16) for _ in range(3))
    scores = net.middle(net.op("MatMul", query, net.op("Transpose", key, perm=[0, 1, 3, 2])), 0.5)
    scores = net.share(net.op("Softmax", scores, axis=-1))
    return net.op("MatMul", scores, value)


def where(net: Net) -> str:
    return net.op("Where", net.constant(net.random.integers(0, 2, IMAGE).astype(bool)), net.input(), net.input())


def slopes(net: Net) -> str:
    return net.op("PRelu", net.input(), net.constant(net.random.normal(0, 0.5, (16, 1, 1)).astype(np.float32)))


def branches(net: Net) -> str:
    parts = [net.op("Transpose", net.input(1, 8, 8, 4), perm=[0, 3, 1, 2]), net.input(), net.input(1, 3, 8, 8)]
    return net.op("Concat", *parts, axis=1)


def layer_norm(*shape: int) -> Callable[[Net], str]:
    def build(net: Net) -> str:
        scale = net.constant(net.random.normal(1, 0.3, shape[-1]).astype(np.float32))
        bias = net.constant(net.random.normal(0, 0.3, shape[-1]).astype(np.float32))
        return net.op("LayerNormalization", net.input(*shape), scale, bias, axis=-1)

    return build


def instance_norm(net: Net) -> str:
    scale, bias = (net.constant(net.random.normal(1, 0.3, 16).astype(np.float32)) for _ in range(2))
    return net.op("InstanceNormalization", net.input(), scale, bias)


def group_norm(net: Net) -> str:
    net.opset = 21
    scale, bias = (net.constant(net.random.normal(1, 0.3, 16).astype(np.float32)) for _ in range(2))
    return net.op("GroupNormalization", net.input(), scale, bias, num_groups=4)


def gemm_in_parts(net: Net) -> str:
    """Of which each reader takes some columns, as attention's query, key and value."""
    rows = net.op("MatMul", net.input(10, 16), net.weight(16, 24))
    rows = net.middle(net.op("Add", rows, net.constant(net.random.normal(0, 1, 24).astype(np.float32))), 0.05)
    left, right = (net.op("Slice", rows, net.ints(i), net.ints(i + 12), net.ints(1)) for i in (0, 12))
    return net.op("Mul", left, right)


def rms_norm(net: Net) -> str:
    """Spelled out, with the root real between two quantized numbers, as onnxruntime's tools leave it."""
    x = net.input(1, 12, 48)
    mean = net.pair(net.op("ReduceMean", net.pair(net.op("Mul", x, x), 0.05, np.iinfo(net.kind).min), axes=[-1]), 0.04,
                    np.iinfo(net.kind).min)  # fmt: skip
    return net.op("Div", x, net.op("Sqrt", net.op("Add", mean, net.constant(np.float32(1e-5)))))


def exponentials(net: Net) -> str:
    """A softmax that is spelled out."""
    powers = net.share(net.op("Exp", net.pair("x0", 1 / 32, np.iinfo(net.kind).max)))
    net.inputs["x0"] = ((1, 12, 48), np.float32(1 / 32), np.iinfo(net.kind).max)
    return net.op("Div", powers, net.pair(net.op("ReduceSum", powers, net.ints(-1)), 0.2, np.iinfo(net.kind).min))


# What a row of the page has, and networks of it.
OPERATORS: dict[str, dict[str, Callable[[Net], str]]] = {
    "Add, Sub": {
        "sum": lambda net: net.op("Add", net.input(), net.input()),
        "of a channel": lambda net: net.op("Sub", net.input(1, 16, 1, 1), net.input()),
    },
    "Mul": {
        "product": lambda net: net.op("Mul", net.input(), net.input()),
        "by channel": lambda net: net.op("Mul", net.input(1, 16, 1, 1), net.input()),
        "row by column": lambda net: net.op("Mul", net.input(1, 12, 1), net.weight(1, 1, 16)),
        "row by ones": lambda net: net.op("Mul", net.input(1, 12, 1), net.constant(np.ones((1, 1, 16), np.float32))),
        "squeeze and excite": squeeze_and_excite,
    },
    "Div": {
        "root mean square": rms_norm,
        "exponentials": exponentials,
        "quotient": lambda net: net.op("Div", net.input(), net.share(net.op("Sigmoid", net.input()))),
    },
    "Max, Min": {
        "max": lambda net: net.op("Max", net.input(), net.input(), net.input(1, 16, 1, 1)),
        "min": lambda net: net.op("Min", net.input(), net.input()),
    },
    "Concat, Where": {"branches": branches, "where": where},
    "Resize": {
        "half pixels": resize(2, "half_pixel"),
        "corners": resize(1.75, "align_corners"),
        "asymmetric": resize(3, "asymmetric"),
        "smaller": resize(0.6, "pytorch_half_pixel"),
    },
    "ReduceMean, ReduceSum": {
        "image": lambda net: net.op("ReduceMean", net.input(), axes=[2, 3], keepdims=1),
        "rows": lambda net: net.op("ReduceMean", net.input(1, 12, 32), axes=[1], keepdims=0),
        "sum": lambda net: net.op("ReduceSum", net.input(1, 12, 32), net.ints(-1)),
    },
    "AveragePool, GlobalAveragePool": {
        "windows": lambda net: net.op("AveragePool", net.input(), kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        "line": lambda net: net.op("GlobalAveragePool", net.input(1, 16, 40)),
        "windows of a line": lambda net: net.op("AveragePool", net.input(1, 16, 40), kernel_shape=[5], strides=[2],
                                                pads=[2, 2]),  # fmt: skip
    },
    "LayerNormalization, InstanceNormalization": {
        "rows": layer_norm(1, 12, 48),
        "long rows": layer_norm(3, 768),
        "images": instance_norm,
        "groups": group_norm,
    },
    "ReduceMax, ReduceMin": {
        "max": lambda net: net.op("ReduceMax", net.input(), axes=[2, 3], keepdims=1),
        "min": lambda net: net.op("ReduceMin", net.input(), axes=[1], keepdims=0),
    },
    "PRelu": {"slopes": slopes},
    "MatMul": {
        "matrices": lambda net: net.op("MatMul", net.input(2, 3, 10, 24), net.input(2, 3, 24, 12)),
        "parts": gemm_in_parts,
    },
    "Softmax": {"attention": attention},
    "functions of one": {
        "silu": silu,
        "square": lambda net: (lambda x: net.op("Mul", x, x))(net.input()),
        "two": lambda net: net.op("Exp", net.share(net.op("Sigmoid", net.input()))),
    },
}


class QdqIntegersTest(unittest.TestCase):
    def make(self, kind: type, build: Callable[[Net], str], seed: int, path: Path) -> tuple[Net, np.float32]:
        """The network with a result that fills its bytes; how large it is, onnxruntime says."""
        net = Net(np.random.default_rng(seed), kind)
        result = build(net)
        net.save(path, result)
        real = self.run_reference(path, {name: self.floats(net, name) for name in net.inputs})
        scale, limits = np.float32((real.max() - real.min()) / 240 + 1e-6), np.iinfo(kind)
        zero = int(np.clip(np.rint(limits.min + 8 - real.min() / scale), limits.min, limits.max))
        net.save(path, net.pair(result, scale, zero))
        return net, scale

    def bytes_of(self, net: Net, name: str) -> np.ndarray:
        limits = np.iinfo(net.kind)
        random = np.random.default_rng(int(name[1:]))
        return random.integers(limits.min, limits.max + 1, net.inputs[name][0]).astype(net.kind)

    def floats(self, net: Net, name: str) -> np.ndarray:
        _, scale, zero = net.inputs[name]
        return (self.bytes_of(net, name).astype(np.float32) - zero) * scale

    def run_reference(self, path: Path, inputs: dict[str, np.ndarray]) -> np.ndarray:
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        return session.run(None, inputs)[0]

    def run_tool(self, *command: object) -> None:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-600:])

    def check(self, kind: type, build: Callable[[Net], str], seed: int, folder: Path, most: int) -> None:
        model, program = folder / "model.onnx", folder / "model.npu"
        net, scale = self.make(kind, build, seed, model)
        self.run_tool(suite.BUILD / "bin" / "npuc", model, "--target=npu-ethos-u55", "--fallback=none", "-q",
                      "--quantized-io", f"--report={folder / 'report.json'}", "-o", program)  # fmt: skip
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        self.assertEqual(report["placement"], [])
        (output,) = (row for row in report["quantized_io"] if row["name"] not in net.inputs)
        command = [suite.BUILD / "bin" / "npu-run", program, "--output", f"{output['name']}={folder / 'y.npy'}"]
        for name in net.inputs:
            np.save(folder / f"{name}.npy", self.bytes_of(net, name))
            command += ["--input", f"{name}={folder / name}.npy"]
        self.run_tool(*command)
        found = (np.load(folder / "y.npy").astype(np.float64) - output["zero_point"]) * output["scale"]
        expected = self.run_reference(model, {name: self.floats(net, name) for name in net.inputs})
        steps = np.abs(np.rint((found - expected) / scale))
        self.assertLessEqual(steps.max(), most)
        self.assertLessEqual((steps > 0).mean(), MOST_OFF)

    def test_operators(self) -> None:
        for group in OPERATORS.values():
            for name, build in group.items():
                for seed in range(40 if os.environ.get("NPU_EVERY_CASE") else 2):
                    kind = (np.int8, np.uint8)[seed % 2]
                    with self.subTest(f"{name}, {kind.__name__}, seed {seed}"), tempfile.TemporaryDirectory() as folder:
                        self.check(kind, build, seed, Path(folder), 3 if name in CHAINS else 1)

    def test_real_inputs(self) -> None:
        """Without options the processor beside the chip converts the model's inputs and its result, nothing else."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            model, program, told = folder / "model.onnx", folder / "model.npu", folder / "report.json"
            net, scale = self.make(np.int8, squeeze_and_excite, 1, model)
            npuc = (suite.BUILD / "bin" / "npuc", model, "--target=npu-ethos-u55", "-q", "-o", program)
            self.run_tool(*npuc, f"--report={told}")
            placement = json.loads(told.read_text(encoding="utf-8"))["placement"]
            kinds = {row["node"].split(" ")[0] for row in placement}
            self.assertEqual(kinds, {"QuantizeLinear", "DequantizeLinear"})
            self.assertEqual(len({row["node"] for row in placement}), len(net.inputs) + 1)
            inputs = {name: self.floats(net, name) for name in net.inputs}
            command = [suite.BUILD / "bin" / "npu-run", program, "--output", f"{net.nodes[-1].output[0]}={folder / 'y.npy'}"]
            for name, value in inputs.items():
                np.save(folder / f"{name}.npy", value)
                command += ["--input", f"{name}={folder / name}.npy"]
            self.run_tool(*command)
            found, expected = np.load(folder / "y.npy"), self.run_reference(model, inputs)
            self.assertLessEqual(np.abs(np.rint((found - expected) / scale)).max(), 3)
            refused = subprocess.run([str(word) for word in (*npuc, "--fallback=none")], capture_output=True, text=True,
                                     check=False)  # fmt: skip
            self.assertEqual(refused.returncode, 1)
            self.assertIn("--quantized-io", refused.stderr)

    def test_page(self) -> None:
        page = DOCS.read_text(encoding="utf-8")
        for row in OPERATORS:
            self.assertIn(f"\n| {row} |", page)


if __name__ == "__main__":
    sys.exit(suite.main(__doc__))
