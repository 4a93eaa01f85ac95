# SPDX-License-Identifier: Apache-2.0
"""Writes net.onnx and x.npy: a network of 7 KB with fixed sizes, on which the commands of README and docs/ work.

    python examples/net.py examples

It has what layouts are about: convolutions that a chip wants channels last, a residual sum, pooling, a classifier.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SHAPE = (1, 3, 16, 16)
CLASSES = 10


def make() -> tuple[onnx.ModelProto, np.ndarray]:
    """The network, and a picture (f32, 1x3x16x16) for it; the same ones each time."""
    draw = np.random.default_rng(1)
    shapes = {"w1": (8, 3, 3, 3), "w2": (8, 8, 3, 3), "w3": (8, 8, 3, 3), "w4": (16, 8, 1, 1), "w5": (16, CLASSES)}
    weights = [numpy_helper.from_array((draw.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))).astype(np.float32), name)
               for name, shape in shapes.items()]  # fmt: skip
    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["a"], "conv1", pads=[1] * 4),
        helper.make_node("Relu", ["a"], ["b"], "relu1"),
        helper.make_node("Conv", ["b", "w2"], ["c"], "conv2", pads=[1] * 4),
        helper.make_node("Relu", ["c"], ["d"], "relu2"),
        helper.make_node("Conv", ["d", "w3"], ["e"], "conv3", pads=[1] * 4),
        helper.make_node("Add", ["e", "b"], ["f"], "sum"),
        helper.make_node("MaxPool", ["f"], ["g"], "pool", kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Conv", ["g", "w4"], ["h"], "conv4"),
        helper.make_node("GlobalAveragePool", ["h"], ["i"], "mean"),
        helper.make_node("Flatten", ["i"], ["j"], "flatten"),
        helper.make_node("Gemm", ["j", "w5"], ["k"], "classes"),
        helper.make_node("Softmax", ["k"], ["y"], "softmax"),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, CLASSES))
    graph = helper.make_graph(nodes, "net", [x], [y], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="examples/net.py")
    return model, draw.standard_normal(SHAPE).astype(np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where net.onnx and x.npy are written")
    folder = parser.parse_args().folder
    model, picture = make()
    onnx.checker.check_model(model, full_check=True)
    (folder / "net.onnx").write_bytes(model.SerializeToString(deterministic=True))
    np.save(folder / "x.npy", picture)


if __name__ == "__main__":
    main()
