# SPDX-License-Identifier: Apache-2.0
"""A chip with more of something is never slower: random networks on pairs of chips.

Each pair is a network, a chip, and the chip with more of one thing (or of several). All strategies are compared, the
memory that one of them takes is measured, and no strategy is faster than `optimal`. Of a chip that takes more layouts
only what is proved is compared: simple strategies take what is listed, whether it is good for them or not.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench")]

from npu_sweep.chip import Chip, with_values  # noqa: E402

TARGETS = ("npu-nhwc", "npu-nchw16c", "npu-nchw")
LAYOUTS = ("optimal", "optimal", "naive", "preset", "alter", "auto-nhwc", "convert", "smartmem", "pbqp")
FLOWS = ("dot-product", "weight-stationary", "output-stationary", "input-stationary")
MORE = ("mac_rows", "mac_columns", "mac_rates", "vector_lanes", "vector_unit", "sram", "sram_bandwidth",
        "dram_bandwidth", "dma_channels", "sram_banks", "transpose_bandwidth", "clock", "demands", "demands")  # fmt: skip
UNITS = {
    "clock": "MHz", "mac_rows": "MAC", "mac_columns": "MAC", "vector_lanes": "lanes", "sram": "KiB", "dram": "MiB",
    "sram_banks": "banks", "dram_bandwidth": "GB/s", "sram_bandwidth": "GB/s", "dma_burst": "B", "dma_channels": "channels",
    "dma_start": "cycles", "kernel_start": "cycles", "strided_access": "times", "transpose_bandwidth": "B/cycle",
}  # fmt: skip
PLACES = ("after", "beside")
# Of ops that all of the targets list: roles, and the orders of which a further entry has some.
IMAGES = ("NHWC", "NCHW", "NHCW", "NWHC")
MATRICES = ("row-major", "ba", "acb", "bac", "abdc", "acbd")
ENTRIES = {
    "conv2d": {"data": IMAGES, "weight": ("OIHW", "HWOI", "OHWI"), "result": IMAGES},
    "max_pool": {"data": IMAGES, "result": IMAGES},
    "matmul": {"a": MATRICES, "b": MATRICES, "result": MATRICES},
}
# Words that two chips have in common, each of those that may be.
WORDS = {
    "sum_reads": ("each", "none"), "window_reads": ("each", "once"), "weight_load": ("in-turn", "preload"),
    "rows": ("either", "either", "channels", "window"), "depthwise": ("columns", "columns", "channels", "vector"),
    "overlap": ("tiles", "tiles", "tiles", "all"),
}  # fmt: skip
TOO_SMALL = ("its smallest tile", "the chip's memory is too small")
TIMEOUT_SECONDS = 120


class Network:
    """Convolutions, poolings, sums, concats and products on a few values, wired at random."""

    def __init__(self, choice: random.Random) -> None:
        self.choice = choice
        self.nodes: list[onnx.NodeProto] = []
        self.weights: dict[str, onnx.TensorProto] = {}
        size = choice.choice((7, 14, 20, 28, 56))
        self.shape = [choice.choice((1, 1, 1, 3)), choice.choice((3, 8, 16, 40)), size, choice.choice((size, 9))]
        self.values = {"x": tuple(self.shape)}
        self.add("Relu", ["x"], self.values["x"])
        for _ in range(choice.randint(1, 9)):
            self.grow()
        # What nobody reads is an output; of a view the program would make a copy, which is no matter of layouts.
        for node in [node for node in self.nodes if node.op_type in ("Flatten", "Transpose", "Reshape")]:
            if not self.is_read(node.output[0]):
                self.add("Relu", list(node.output), self.values[node.output[0]])
        self.outputs = [name for name in self.values if not self.is_read(name)]

    def is_read(self, name: str) -> bool:
        return any(name in node.input for node in self.nodes)

    def add(self, kind: str, inputs: list[str], shape: tuple, **attributes: object) -> None:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=f"{kind}{len(self.nodes)}", **attributes))
        self.values[name] = shape

    def weight(self, *shape: int) -> str:
        name = f"w{len(self.weights)}"
        self.weights[name] = numpy_helper.from_array(np.full(shape, 0.01, np.float32), name)
        return name

    def grow(self) -> None:
        choice, name = self.choice, self.choice.choice(list(self.values)[-3:])
        shape = self.values[name]
        kinds = ["Relu", "HardSigmoid", "twin"]
        if len(shape) == 4:
            kinds += ["Conv", "Conv", "Conv", "depthwise", "grouped", "MaxPool", "Transpose", "Flatten", "Resize", "windows"]
        if len(shape) == 2 or shape[-1] <= 64:
            kinds += ["MatMul", "Softmax"]
        kind = choice.choice(kinds)
        if kind in ("Relu", "HardSigmoid", "Softmax"):
            self.add(kind, [name], shape)
        elif kind == "twin":
            twins = [other for other, found in self.values.items() if found == shape]
            axis = choice.randrange(1, len(shape))
            joined = shape[:axis] + (2 * shape[axis],) + shape[axis + 1 :]
            if choice.random() < 0.5:
                self.add("Add", [name, choice.choice(twins)], shape)
            elif np.prod(joined) < 1 << 19:
                self.add("Concat", [name, choice.choice(twins)], joined, axis=axis)
        elif kind in ("Conv", "depthwise", "grouped"):
            self.convolve(name, kind)
        elif kind == "MaxPool" and min(shape[2:]) > 3:
            self.add(kind, [name], (*shape[:2], *((side + 1) // 2 for side in shape[2:])),
                     kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])  # fmt: skip
        elif kind == "Transpose":
            order = [0, *choice.sample(range(1, 4), 3)]
            self.add(kind, [name], tuple(shape[dim] for dim in order), perm=order)
        elif kind == "Flatten" and np.prod(shape[1:]) <= 4096:
            self.add(kind, [name], (shape[0], int(np.prod(shape[1:]))))
        elif kind == "windows":
            self.cut_windows(name)
        elif kind == "MatMul":
            width = choice.choice((8, 50, 128, 300))
            self.add(kind, [name, self.weight(shape[-1], width)], (*shape[:-1], width))

    def cut_windows(self, name: str) -> None:
        """Of an image windows of so many rows and columns, and their pixels, channels last; then a product."""
        batch, channels, rows, columns = self.values[name]
        side = next((side for side in (7, 4, 2) if rows % side == 0 and columns % side == 0), 0)
        if not side:
            return
        cut = (batch, channels, rows // side, side, columns // side, side)
        order = self.choice.choice(([0, 2, 4, 3, 5, 1], [0, 3, 5, 2, 4, 1]))  # windows, or grids
        turned = tuple(cut[dim] for dim in order)
        merged = (batch, turned[1] * turned[2], turned[3] * turned[4], channels)
        self.add("Reshape", [name, self.shape_of(cut)], cut)
        self.add("Transpose", [list(self.values)[-1]], turned, perm=order)
        self.add("Reshape", [list(self.values)[-1], self.shape_of(merged)], merged)
        for _ in range(self.choice.randint(1, 3)):
            self.add("MatMul", [list(self.values)[-1], self.weight(channels, channels)], merged)

    def shape_of(self, shape: tuple) -> str:
        name = f"w{len(self.weights)}"
        self.weights[name] = numpy_helper.from_array(np.array(shape, np.int64), name)
        return name

    def convolve(self, name: str, kind: str) -> None:
        choice, shape = self.choice, self.values[name]
        batch, channels, *sides = shape
        groups = channels if kind == "depthwise" else 4 if kind == "grouped" and channels % 4 == 0 else 1
        outputs = channels if kind == "depthwise" else choice.choice((8, 16, 24, 60, 128, 256))
        kernel, stride = choice.choice((1, 3, 3, 5)), choice.choice((1, 1, 2))
        if outputs * channels // groups * kernel**2 > 1 << 19 or min(sides) < kernel:
            return
        pad = kernel // 2
        made = tuple((side + 2 * pad - kernel) // stride + 1 for side in sides)
        inputs = [name, self.weight(outputs, channels // groups, kernel, kernel)]
        if choice.random() < 0.5:
            inputs.append(self.weight(outputs))
        self.add("Conv", inputs, (batch, outputs, *made), group=groups, strides=[stride] * 2, pads=[pad] * 4)

    def model(self) -> onnx.ModelProto:
        graph = helper.make_graph(
            self.nodes, "random", [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, self.values[name]) for name in self.outputs],
            list(self.weights.values()),
        )  # fmt: skip
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def random_chip(choice: random.Random) -> dict[str, float]:
    machine = {
        "clock": choice.randint(100, 2000), "mac_rows": choice.randint(1, 130), "mac_columns": choice.randint(1, 130),
        "vector_lanes": choice.randint(1, 130), "sram": choice.choice((8, 16, 40, 64, 100, 256, 700, 2048, 9999)),
        "dram_bandwidth": choice.choice((0.5, 3.75, 8, 32, 100)), "dma_burst": choice.choice((1, 16, 64, 128)),
        "dma_channels": choice.randint(1, 2), "dma_start": choice.choice((0, 1, 100, 700)),
        "kernel_start": choice.choice((0, 200)), "strided_access": choice.choice((1, 4)), "dram": 4096,
    }  # fmt: skip
    if choice.random() < 0.3:
        machine["sram_banks"] = choice.choice((4, 16, 30))
    if choice.random() < 0.3:
        machine["transpose_bandwidth"] = choice.choice((1, 16))
    if choice.random() < 0.5:
        machine["sram_bandwidth"] = choice.choice((1, 8, 50, 300))
    machine["mac_rates"] = choice.choice((0.25, 1, 1, 4))  # of f32
    machine["vector_unit"] = choice.choice(PLACES)
    machine |= {key: choice.choice(words) for key, words in WORDS.items()}
    return machine


def with_more(choice: random.Random, machine: dict[str, float]) -> tuple[dict[str, float], str]:
    """The chip with more of one thing, sometimes of all; what that is."""
    more = dict(machine)
    keys = [choice.choice(MORE)] if choice.random() < 0.9 else list(MORE)
    for key in keys:
        if key == "dma_channels":
            more[key] = 2
        elif key == "sram_banks":
            more[key] = machine.get(key, 0) * choice.randint(2, 3)
        elif key == "vector_unit":
            more[key] = "beside"
        elif key == "sram_bandwidth" and key not in machine:
            continue  # what has no bandwidth never makes anybody wait
        elif key == "demands":
            more[key] = further_entry(choice)
        else:
            # Once by one, once by much.
            more[key] = machine.get(key, 0) + choice.choice((1, choice.randint(1, 40), machine.get(key, 0)))
    more = {key: value for key, value in more.items() if value or key in machine}
    changed = {key: (machine.get(key), more.get(key)) for key in more if more[key] != machine.get(key)}
    return more, str(changed)


def further_entry(choice: random.Random) -> str:
    """A signature of an op beside those that the target has."""
    op = choice.choice(list(ENTRIES))
    roles = {role: choice.sample(orders, choice.randint(1, 2)) for role, orders in ENTRIES[op].items()}
    return f"  - ops: [{op}]\n" + "".join(f"    {role}: [{', '.join(orders)}]\n" for role, orders in roles.items())


def write_chip(folder: Path, name: str, target: str, flow: str, machine: dict[str, float]) -> Path:
    text = (ROOT / "targets" / f"{target}.yaml").read_text(encoding="utf-8").replace(f"name: {target}", f"name: {name}")
    values = {key: f"{value} {UNITS[key]}" for key, value in machine.items() if key in UNITS}
    values |= {"data_flow": flow, "vector_unit": machine["vector_unit"], **{key: machine[key] for key in WORDS}}
    values["mac_rates"] = f"{{f32: {machine['mac_rates']} times}}"
    # Last, for simple strategies take the first that fits.
    text = text.replace("\nfuses:\n", "\n" + machine.get("demands", "") + "fuses:\n")
    path = folder / f"{name}.yaml"
    path.write_text(with_values(Chip(name, text), values), encoding="utf-8")
    return path


def compile_on(npuc: Path, model: Path, chip: Path, layout: str) -> dict | str:
    """npuc's report, or what it refuses."""
    report = chip.with_suffix(".json")
    words = [model.name, "-o", f"{chip.stem}.npu", "-q", f"--target={chip.name}", f"--layout={layout}",
             f"--report={report.name}", "--threads=1"]  # fmt: skip
    done = subprocess.run([str(npuc), *words], cwd=chip.parent, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    if done.returncode:
        return done.stderr.strip() or f"exit code {done.returncode}"
    return json.loads(report.read_text(encoding="utf-8"))


def faults_of(report: dict) -> list[str]:
    """What cannot be, of one chip."""
    chip, faults = report["chip"], []
    if chip["on_chip_peak_bytes"] > chip["sram_bytes"]:
        faults.append(f"takes {chip['on_chip_peak_bytes']} of {chip['sram_bytes']} bytes")
    for part in (*report["kernels"], chip):
        if part["floor_cycles"] > part["cycles"]:
            faults.append(f"{part.get('name', 'all')} takes {part['cycles']} cycles, its floor is {part['floor_cycles']}")
    for kernel in report["kernels"]:
        if not 0 <= kernel["utilisation"] <= 1:
            faults.append(f"{kernel['name']} uses {kernel['utilisation']} of the array")
    costs = {row["name"]: row["cost"] for row in report["strategies"] if row["feasible"]}
    if costs.get("optimal") != min(costs.values()):
        faults.append(f"optimal is not the fastest: {costs}")
    if chip["cycles"] != report["cost"] or report["cost"] != costs[report["layout"]]:
        faults.append(f"{chip['cycles']} cycles are simulated, the search says {report['cost']}, {costs}")
    return faults


def times_of(report: dict, proved: bool) -> dict[str, float]:
    """Microseconds of each strategy, and of the one that was asked for; or of what is proved alone."""
    clock = report["chip"]["clock_mhz"]
    if proved:
        return {"optimal": report["cost"] / clock} if report.get("optimal", {}).get("proved") else {}
    times = {row["name"]: row["cost"] / clock for row in report["strategies"] if row["feasible"]}
    return {**times, "the program": report["chip"]["ms"] * 1e3}


def slower(less: dict, more: dict, proved: bool) -> list[str]:
    before, after, slack = times_of(less, proved), times_of(more, proved), 0.0
    if proved and not after:
        return []
    clock = less["chip"]["clock_mhz"]
    if clock != more["chip"]["clock_mhz"]:
        # Bandwidths are of seconds: at another clock each kernel's cycles are rounded elsewhere.
        most = max(row["count"] for row in less["strategies"] if row["feasible"])
        slack = 2 * (len(less["kernels"]) + most) / clock
    return [f"{name} took {time} us, takes {after.get(name)}"
            for name, time in before.items() if after.get(name, math.inf) > time * (1 + 1e-9) + slack]  # fmt: skip


def try_pair(seed: int, npuc: Path, keep: Path | None) -> str:
    """A fault, "too small", or nothing."""
    choice = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        model = folder / "random.onnx"
        onnx.save(Network(choice).model(), model)
        target, flow, layout = choice.choice(TARGETS), choice.choice(FLOWS), choice.choice(LAYOUTS)
        machine = random_chip(choice)
        larger, changed = with_more(choice, machine)
        takes_more = "demands" in larger
        if takes_more:
            layout = "optimal"
        reports = [compile_on(npuc, model, write_chip(folder, *chip), layout)
                   for chip in (("less", target, flow, machine), ("more", target, flow, larger))]  # fmt: skip
    words = f"seed {seed}, {target}, {flow}, {layout}, {changed}: "
    less, more = reports
    if isinstance(less, str):
        if any(text in less for text in (*TOO_SMALL, "infeasible")):
            return "too small"
        return words + less
    if isinstance(more, str):
        return words + "only with less: " + more
    faults = faults_of(less) + faults_of(more) + slower(less, more, takes_more)
    return words + "; ".join(faults) if faults else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="the build folder with bin/npuc")
    parser.add_argument("--pairs", type=int, default=40, help="how many (40)")
    parser.add_argument("--seed", type=int, default=0, help="of the first pair (0)")
    parser.add_argument("--keep", type=Path, help="a folder for the network and the chips of the last pair")
    arguments = parser.parse_args()
    npuc = arguments.build.resolve() / "bin" / "npuc"
    seeds = range(arguments.seed, arguments.seed + arguments.pairs)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = list(pool.map(lambda seed: try_pair(seed, npuc, arguments.keep), seeds))
    small = found.count("too small")
    faults = [text for text in found if text and text != "too small"]
    for text in faults[:20]:
        print(text)
    print(f"{len(found)} pairs, {small} of them too small for their network, {len(faults)} at fault")
    if small > len(found) // 2:
        print("more than half compare nothing")
    return 1 if faults or small > len(found) // 2 else 0


if __name__ == "__main__":
    sys.exit(main())
