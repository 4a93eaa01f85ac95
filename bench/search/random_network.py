# SPDX-License-Identifier: Apache-2.0
"""How long the layout stage, and the search in it, take on random networks whose ops a chip prices.

The networks are ONNX files of real operators, wired at random: each op reads any value of its shape that was made
before it, or (--near) one of the last few, as networks do that somebody has drawn. npuc compiles them, so costs are
those of the target's cost function. Loose ends are added up in the end, so a network wired at random has about a third
more ops than asked for.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = Path(__file__).resolve().parents[2]
SHAPES = [
    (16, 64, 64), (32, 32, 32), (64, 16, 16), (96, 8, 8), (24, 32, 32), (48, 16, 16), (16, 16, 64), (32, 8, 32),
]  # fmt: skip
TARGETS = ("npu-nhwc", "npu-nchw16c", "host")
NEAR = 3  # values back
HEADS = 4


class Network:
    """Nodes on values of a few shapes (channels, height, width), batch 1."""

    def __init__(self, seed: int, near: bool = False) -> None:
        self.reach = NEAR if near else sys.maxsize
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.weights: dict[str, onnx.TensorProto] = {}
        self.nodes: list[onnx.NodeProto] = []
        self.values = {shape: [f"input{i}"] for i, shape in enumerate(SHAPES)}

    def weight(self, *shape: int) -> str:
        """One of four of a shape, so that files stay small."""
        name = f"w{'x'.join(map(str, shape))}_{self.random.randrange(4)}"
        if name not in self.weights:
            values = self.numbers.standard_normal(shape).astype(np.float32) * np.float32(0.05)
            self.weights[name] = numpy_helper.from_array(values, name)
        return name

    def node(self, op: str, *inputs: str, **attributes: object) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], name=f"{op}{len(self.nodes)}", **attributes))
        return name

    def any(self, shape: tuple[int, ...]) -> str:
        return self.random.choice(self.values[shape][-self.reach :])

    def conv(self, x: str, shape: tuple[int, ...], kernel: int, group: int = 1) -> str:
        weight = self.weight(shape[0], shape[0] // group, kernel, kernel)
        return self.node("Conv", x, weight, pads=[kernel // 2] * 4, group=group)

    def gate(self, x: str, shape: tuple[int, ...]) -> str:
        """Squeeze and excite: an image of any shape scales the channels."""
        other = self.random.choice(SHAPES)
        mean = self.node("GlobalAveragePool", self.any(other))
        return self.node("Mul", x, self.node("Conv", mean, self.weight(shape[0], other[0], 1, 1)))

    def moved_softmax(self, x: str) -> str:
        order = self.random.choice([[0, 1, 3, 2], [0, 2, 3, 1]])
        moved = self.node("Softmax", self.node("Transpose", x, perm=order), axis=-1)
        return self.node("Transpose", moved, perm=[order.index(axis) for axis in range(4)])

    def numbers_of(self, *numbers: int) -> str:
        name = f"i{'x'.join(map(str, numbers))}"
        self.weights.setdefault(name, numpy_helper.from_array(np.array(numbers, np.int64), name))
        return name

    def joined(self, x: str, shape: tuple[int, ...]) -> str:
        """Two values side by side, as in dense networks."""
        both = self.node("Concat", x, self.any(shape), axis=1)
        return self.node("Conv", both, self.weight(shape[0], 2 * shape[0], 1, 1))

    def resized(self, x: str) -> str:
        sizes = np.array([1, 1, 2, 2], np.float32)
        self.weights.setdefault("sizes", numpy_helper.from_array(sizes, "sizes"))
        larger = self.node("Resize", x, "", "sizes", mode="nearest")
        return self.node("AveragePool", larger, kernel_shape=[2, 2], strides=[2, 2])

    def attention(self, x: str, shape: tuple[int, ...]) -> str:
        """Pixels as tokens, normalised, that look at each other."""
        channels, tokens = shape[0], shape[1] * shape[2]
        rows = self.node("Transpose", self.node("Reshape", x, self.numbers_of(1, channels, tokens)), perm=[0, 2, 1])
        normal = self.node("LayerNormalization", rows, self.weight(channels), self.weight(channels))
        split = self.numbers_of(1, tokens, HEADS, channels // HEADS)
        query, key, value = (
            self.node("Transpose", self.node("Reshape", self.node("MatMul", normal, self.weight(channels, channels)),
                                             split), perm=perm)
            for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])
        )  # fmt: skip
        seen = self.node("MatMul", self.node("Softmax", self.node("MatMul", query, key), axis=-1), value)
        heads = self.node("Reshape", self.node("Transpose", seen, perm=[0, 2, 1, 3]), self.numbers_of(1, tokens, channels))
        image = self.node("Transpose", self.node("Add", heads, rows), perm=[0, 2, 1])
        return self.node("Reshape", image, self.numbers_of(1, *shape))

    def step(self) -> None:
        """One op or a few; most stay with the shape of the ops around them."""
        near = SHAPES[len(self.nodes) // 50 % len(SHAPES)]
        shape = near if self.random.random() < 0.7 else self.random.choice(SHAPES)
        x, channels = self.any(shape), shape[0]
        steps = [
            (4, lambda: self.conv(x, shape, 1)),
            (3, lambda: self.conv(x, shape, 3)),
            (1, lambda: self.conv(x, shape, 3, channels)),
            (1, lambda: self.node("MaxPool", x, kernel_shape=[3, 3], pads=[1] * 4)),
            (1, lambda: self.gate(x, shape)),
            (1, lambda: self.node("Softmax", x, axis=self.random.choice([1, 2, -1]))),
            (1, lambda: self.node("MatMul", x, self.weight(shape[2], shape[2]))),
            (1, lambda: self.moved_softmax(x)),
            (1, lambda: self.joined(x, shape)),
            (0.5, lambda: self.resized(x)),
            (0.5 if shape[1] * shape[2] <= 256 else 0, lambda: self.attention(x, shape)),
            (5, lambda: self.node(self.random.choice(["Add", "Mul"]), x, self.any(shape))),
            (1, lambda: self.node("Sum", x, self.any(shape), self.any(shape))),
            (1, lambda: self.node(self.random.choice(["Relu", "Sigmoid"]), x)),
        ]
        _, make = self.random.choices(steps, [weight for weight, _ in steps])[0]
        self.values[shape].append(make())

    def join_loose_ends(self) -> list[tuple[str, tuple[int, ...]]]:
        """The outputs, one of each shape."""
        used = {name for node in self.nodes for name in node.input}
        outputs = []
        for shape, values in self.values.items():
            loose = [value for value in values[1:] if value not in used]
            while len(loose) > 1:
                loose.append(self.node("Add", loose.pop(), loose.pop()))
            outputs += [(value, shape) for value in loose]
        return outputs

    def write(self, path: Path) -> None:
        def info(name: str, shape: tuple[int, ...]) -> onnx.ValueInfoProto:
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, (1, *shape))

        outputs = [info(*output) for output in self.join_loose_ends()]
        used = {name for node in self.nodes for name in node.input}
        inputs = [info(values[0], shape) for shape, values in self.values.items() if values[0] in used]
        graph = helper.make_graph(self.nodes, path.stem, inputs, outputs, list(self.weights.values()))
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def measure(npuc: Path, model: Path, target: str, seconds: float) -> dict:
    """What npuc reports of its search, and how long the whole stage took."""
    report = model.with_suffix(f".{target}.json")
    command = [npuc, model, f"--target={target}", f"--report={report}", f"--layout-seconds={seconds}", "--emit=mlir"]
    done = subprocess.run([*command, "-q", "-o", model.with_suffix(".mlir")], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{model.name}, {target}: npuc failed\n{done.stderr}")
    content = json.loads(report.read_text())
    return {**content["optimal"], "stage_seconds": content["compile_seconds"]["layout"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ops", type=int, nargs="+", default=[1000, 10000], help="steps of each network (default: 1000 10000)")
    parser.add_argument("--near", action="store_true", help="ops read what was made just before them")
    parser.add_argument("--seeds", type=int, default=1, help="networks of each size (default: 1)")
    parser.add_argument("--targets", nargs="+", default=TARGETS, help=f"default: {' '.join(TARGETS)}")
    parser.add_argument("--seconds", type=float, default=10, help="limit of each search (default: 10)")
    parser.add_argument("--npuc", type=Path, default=ROOT / "build" / "bin" / "npuc", help="default: build/bin/npuc")
    parser.add_argument("--json", type=Path, help="write the measurements here")
    arguments = parser.parse_args()
    rows = []
    print(f"{'target':12} {'ops':>6} {'seed':>5} {'stage (s)':>9} {'search':>9}  {'optimum':7} {'gap (%)':>9}  method")
    with tempfile.TemporaryDirectory() as folder:
        for ops in arguments.ops:
            for seed in range(arguments.seeds):
                model = Path(folder) / f"random{ops}_{seed}.onnx"
                network = Network(seed, arguments.near)
                while len(network.nodes) < ops:
                    network.step()
                network.write(model)
                for target in arguments.targets:
                    row = {"target": target, "seed": seed, **measure(arguments.npuc, model, target, arguments.seconds)}
                    rows.append(row)
                    gap = 100 * (row["cost"] - row["lower_bound"]) / max(row["cost"], 1)
                    print(f"{target:12} {row['ops']:6} {seed:5} {row['stage_seconds']:9.3f} {row['seconds']:9.3f}  {'proved' if row['proved'] else 'no':7} "
                          f"{gap:9.4f}  {row['method']}", flush=True)  # fmt: skip
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
