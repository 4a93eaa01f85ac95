# SPDX-License-Identifier: Apache-2.0
"""No order of a state costs less than the one that `optimal` gives it: random networks, every order tried.

Both sides of a state are one choice of the search. So what it proves is no more than what it proves with the state held
to any order (--io-layout), and the same where it is held to the order that it has chosen.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = Path(__file__).resolve().parents[2]
TARGETS = ("npu-nhwc", "npu-nchw16c", "host")
SHAPE = (1, 16, 2, 6)
ORDERS = ["".join(order) for order in itertools.permutations("abcd")]


class Net:
    """A few ops on one image, and a state beside it that some of them read."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, values: np.ndarray) -> str:
        self.constants.append(numpy_helper.from_array(values, f"c{len(self.constants)}"))
        return self.constants[-1].name

    def node(self, op: str, inputs: list[str], **attributes: object) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], name, **attributes))
        return name

    def step(self, value: str, state: str) -> str:
        """Of the same shape."""
        kind = self.random.choice(("conv", "conv", "add", "mul", "softmax", "transposes", "relu", "matmul"))
        if kind == "conv":
            weight = self.constant(self.numbers.standard_normal((16, 16, 1, 3)).astype(np.float32))
            return self.node("Conv", [value, weight], pads=[0, 1, 0, 1])
        if kind in ("add", "mul"):
            return self.node(kind.capitalize(), [value, state])
        if kind == "softmax":
            return self.node("Softmax", [value], axis=self.random.randrange(4))
        if kind == "matmul":
            return self.node("MatMul", [value, self.constant(self.numbers.standard_normal((6, 6)).astype(np.float32))])
        if kind == "transposes":
            order = self.random.sample(range(4), 4)
            there = self.node("Transpose", [value], perm=order)
            return self.node("Transpose", [self.node("Sigmoid", [there])], perm=[order.index(i) for i in range(4)])
        return self.node("Relu", [value])

    def model(self) -> onnx.ModelProto:
        value = "x"
        states = ["s", "t"][: self.random.choice((1, 1, 2))]
        left = {}
        for state in states:
            for _ in range(self.random.randrange(1, 4)):
                value = self.step(value, state)
            value = self.node("Add", [value, self.step(state, "x")])
            kept = value if self.random.random() < 0.5 else state
            left[state] = self.step(self.node("Sub", [kept, "x"]), state)
        result = self.step(value, "x")
        info = helper.make_tensor_value_info
        graph = helper.make_graph(
            self.nodes, "states", [info(name, TensorProto.FLOAT, SHAPE) for name in ["x", *states]],
            [info(name, TensorProto.FLOAT, SHAPE) for name in [result, *left.values()]], self.constants)  # fmt: skip
        self.pairs = [f"{state}={name}" for state, name in left.items()]
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def check(npuc, seed: int, target: str) -> int:  # noqa: ANN001
    net = Net(seed)
    model = net.model()

    def compiled(**words: object) -> dict:
        return npuc.compile(model, name=f"states{seed}.onnx", target=target, state=net.pairs, objective="time", threads=1, **words).report

    free = compiled(verify_layout=True)
    if not free["optimal"]["proved"]:
        raise SystemExit(f"seed {seed} on {target}: not proved")
    tried = 0
    for pair, state in zip(net.pairs, free["states"]):
        name = pair.split("=")[0]
        costs = {}
        for order in [*ORDERS, "NCHW16c"] if target == "npu-nchw16c" else ORDERS:
            held = compiled(io_layout=[f"{name}={order}"])
            if not held["optimal"]["proved"]:
                continue
            costs[order] = held["cost"]
            tried += 1
        best = min(costs, key=costs.get)
        if costs[best] < free["cost"]:
            raise SystemExit(f"seed {seed} on {target}: state {name} as {best} costs {costs[best]}, as {state['layout']} {free['cost']}")
        if costs[best] > free["cost"] and state["layout"] in ("NCHW", "NHWC", "NCHW16c", *ORDERS):
            raise SystemExit(f"seed {seed} on {target}: state {name} held to any order costs {costs[best]}, free {free['cost']}")
    return tried


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="example: state_layouts_test.py --build=build --seed=100 --count=50")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="folder with bin/npuc")
    parser.add_argument("--seed", type=int, default=0, help="of the first network")
    parser.add_argument("--count", type=int, default=40 if os.environ.get("NPU_EVERY_CASE") else 2, help="networks")
    arguments = parser.parse_args()
    sys.path.insert(0, str(arguments.build.resolve() / "python"))
    import npuc  # noqa: PLC0415

    tried = sum(check(npuc, seed, target) for seed in range(arguments.seed, arguments.seed + arguments.count) for target in TARGETS)
    print(f"{arguments.count} networks on {len(TARGETS)} chips: none of {tried} orders of a state costs less")


if __name__ == "__main__":
    main()
