# SPDX-License-Identifier: Apache-2.0
"""Chips and networks of the simulator's tests: target files and ONNX files, nothing else."""

from __future__ import annotations

import csv
import dataclasses
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "compiler" / "tools"))

import programs  # noqa: E402
from programs import Bench, network  # noqa: E402

# Kernels start in one cycle and transfers in none, and nothing waits for a buffer, so that what is asked is nearly all
# there is.
MACHINE = {
    "clock": "1000 MHz", "mac_rows": "32 MAC", "mac_columns": "32 MAC", "vector_lanes": "32 lanes",
    "sram": "1048576 KiB", "dram": "4096 MiB", "dram_bandwidth": "8 GB/s", "dma_burst": "32 B",
    "dma_start": "0 cycles", "kernel_start": "1 cycles", "strided_access": "1 times",
    "overlap": "all",
}  # fmt: skip

# Sums of bytes do not leave the kernel that makes them.
FUSES = "fuses: [{ops: [conv2d, matmul], then: [eltwise]}, {ops: [eltwise], then: [eltwise]}]\n"


@dataclasses.dataclass
class Chip:
    """A target file: machine numbers (with units) that differ from MACHINE's, and the rest as text."""

    name: str
    machine: dict[str, str] = dataclasses.field(default_factory=dict)
    blocks: str = "[]"
    demands: str = "[]"
    runs: str = "[]"

    def write(self, folder: Path) -> Path:
        numbers = "".join(f"  {key}: {value}\n" for key, value in (MACHINE | self.machine).items() if value)
        path = folder / f"{self.name}.yaml"
        path.write_text(
            f"name: {self.name}\nsummary: a chip of a test\ntypes: [f32, i8, ui8, i32, i64, i1]\n"
            f"blocks: {self.blocks}\nmachine:\n{numbers}runs: {self.runs}\ndemands: {self.demands}\n{FUSES}",
            encoding="utf-8",
        )
        return path


def orders(ops: str, letters: str, roles: tuple[str, ...] = ("data", "result")) -> str:
    """A demand that these ops' operands have this order of logical dimensions."""
    held = ", ".join(f"{role}: [{letters}]" for role in roles)
    return f"{{ops: [{ops}], {held}}}"


def simulate(bench: Bench, chip: Chip, model: onnx.ModelProto | Path, *words: object) -> dict:
    """npu-run's JSON of one network on one chip; nothing is run."""
    path = model if isinstance(model, Path) else bench.save(model)
    bench.npuc(path, "-o", "out.npu", "-q", f"--target={chip.write(bench.folder)}", *words)
    done = bench.run("npu-run", "out.npu", "--simulate-only", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@dataclasses.dataclass
class Layer:
    """One row of SCALE-Sim's table."""

    array: int
    flow: str
    name: str
    out: int
    kernel: int
    stride: int
    inputs: int
    outputs: int
    cycles: int
    utilisation: float
    input_reads: int
    weight_reads: int
    output_writes: int


def layers() -> Iterator[Layer]:
    with (HERE / "scalesim_resnet50.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            yield Layer(
                int(row["array"]), row["data_flow"], row["layer"], int(row["out_hw"]), int(row["k"]),
                int(row["stride"]), int(row["cin"]), int(row["cout"]), int(row["cycles"]),
                float(row["utilisation_percent"]), int(row["input_reads"]), int(row["weight_reads"]),
                int(row["output_writes"]),
            )  # fmt: skip


def convolutions(rows: list[Layer]) -> onnx.ModelProto:
    """Each layer by itself; weights are inputs, for nobody looks at their numbers."""
    nodes, inputs, outputs = [], [], []
    for index, layer in enumerate(rows):
        size = (layer.out - 1) * layer.stride + layer.kernel
        shapes = {
            f"x{index}": [1, layer.inputs, size, size],
            f"w{index}": [layer.outputs, layer.inputs, layer.kernel, layer.kernel],
        }
        for name, shape in shapes.items():
            inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        outputs.append(helper.make_tensor_value_info(f"y{index}", TensorProto.FLOAT, None))
        nodes.append(helper.make_node("Conv", list(shapes), [f"y{index}"], name=f"layer{index}",
                                      strides=[layer.stride] * 2))  # fmt: skip
    graph = helper.make_graph(nodes, "layers", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def convolution(channels: int, size: int = 56, kernel: int = 3) -> onnx.ModelProto:
    pad = kernel // 2
    weight = np.zeros([channels, channels, kernel, kernel], np.float32)
    node = helper.make_node("Conv", ["x", "w"], ["y"], name="conv", pads=[pad] * 4)
    return network("conv", [node], {"w": weight}, {"x": [1, channels, size, size]}, ["y"])


def copy_of(channels: int, size: int = 56) -> onnx.ModelProto:
    """int8 in, int8 out, elementwise."""
    node = helper.make_node("Relu", ["x"], ["y"], name="relu")
    return network("copy", [node], {}, {"x": [1, channels, size, size]}, ["y"], TensorProto.INT8)


def turned(channels: int, size: int) -> onnx.ModelProto:
    """int8, NHWC in and NCHW out."""
    node = helper.make_node("Transpose", ["x"], ["y"], name="turn", perm=[0, 3, 1, 2])
    return network("turned", [node], {}, {"x": [1, size, size, channels]}, ["y"], TensorProto.INT8)


def connected(depth: int, width: int) -> onnx.ModelProto:
    """A fully connected layer of int8."""
    one, zero = np.array(1, np.float32), np.array(0, np.int8)
    weights = {"w": np.zeros([depth, width], np.int8), "one": one, "zero": zero}
    node = helper.make_node(
        "QLinearMatMul", ["x", "one", "zero", "w", "one", "zero", "one", "zero"], ["y"], name="fc"
    )
    return network("fc", [node], weights, {"x": [1, depth]}, ["y"], TensorProto.INT8)


class Net:
    """A network of convolutions, layer by layer, of f32 or quantised to int8; all weights are one."""

    def __init__(self, name: str, size: int, quantised: bool) -> None:
        self.name, self.size, self.value, self.channels, self.quantised = name, size, "x", 3, quantised
        self.shape = [1, 3, size, size]
        self.nodes: list[onnx.NodeProto] = []
        self.weights: dict[str, np.ndarray] = {}
        if quantised:
            self.weights = {"scale": np.array(0.1, np.float32), "zero": np.array(0, np.int8)}

    def node(self, kind: str, inputs: list[str], **attributes: object) -> str:
        result = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [result], name=f"{kind}{len(self.nodes)}", **attributes))
        self.value = result
        return result

    def conv(self, outputs: int, kernel: int = 1, stride: int = 1, groups: int = 1) -> str:
        weight = f"w{len(self.nodes)}"
        element = np.int8 if self.quantised else np.float32
        self.weights[weight] = np.ones([outputs, self.channels // groups, kernel, kernel], element)
        pad = (kernel - 1) // 2
        operands = [self.value, weight]
        if self.quantised:
            operands = [self.value, "scale", "zero", weight, "scale", "zero", "scale", "zero"]
        kind = "QLinearConv" if self.quantised else "Conv"
        result = self.node(kind, operands, strides=[stride] * 2, pads=[pad] * 4, group=groups)
        self.channels, self.size = outputs, (self.size + 2 * pad - kernel) // stride + 1
        return result

    def add(self, a: str, b: str) -> str:
        """If quantised, as quantisers write it: both to f32, and back."""
        if not self.quantised:
            return self.node("Add", [a, b])
        a = self.node("DequantizeLinear", [a, "scale", "zero"])
        b = self.node("DequantizeLinear", [b, "scale", "zero"])
        return self.node("QuantizeLinear", [self.node("Add", [a, b]), "scale", "zero"])

    def model(self) -> onnx.ModelProto:
        element = TensorProto.INT8 if self.quantised else TensorProto.FLOAT
        return network(self.name, self.nodes, self.weights, {"x": self.shape}, [self.value], element)


def mobilenet_v2(width: float, size: int, quantised: bool = True) -> onnx.ModelProto:
    """Sandler et al., 2018, table 2: its convolutions."""
    net = Net("mobilenet_v2", size, quantised)

    def channels(count: int) -> int:
        """Multiples of 8, not less than nine tenths of what the width says."""
        rounded = max(8, int(count * width + 4) // 8 * 8)
        return rounded + 8 if rounded < 0.9 * count * width else rounded

    net.conv(channels(32), 3, 2)
    for expansion, count, repeats, stride in (
        (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1),
    ):  # fmt: skip
        for repeat in range(repeats):
            start, inputs, step = net.value, net.channels, stride if repeat == 0 else 1
            if expansion > 1:
                net.conv(inputs * expansion)
            net.conv(net.channels, 3, step, net.channels)
            net.conv(channels(count))
            if step == 1 and inputs == net.channels:
                net.add(start, net.value)
    net.conv(max(1280, channels(1280)))
    return net.model()


def resnet50(size: int, quantised: bool = True) -> onnx.ModelProto:
    """He et al., 2015, with strides on the 3x3 convolutions (v1.5)."""
    net = Net("resnet50", size, quantised)
    net.conv(64, 7, 2)
    net.node("MaxPool", [net.value], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    net.size //= 2
    for count, repeats, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for repeat in range(repeats):
            start, inputs, size = net.value, net.channels, net.size
            step = stride if repeat == 0 else 1
            net.conv(count)
            net.conv(count, 3, step)
            branch = net.conv(4 * count)
            after = net.size
            if repeat == 0:
                net.value, net.channels, net.size = start, inputs, size
                start = net.conv(4 * count, 1, step)
                net.size = after
            net.add(branch, start)
    return net.model()
