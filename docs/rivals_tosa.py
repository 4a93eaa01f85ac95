# SPDX-License-Identifier: Apache-2.0
"""TOSA programs as a framework that is channels first writes them, and how many transposes are left in them.

TOSA's convolutions and poolings are channels last, so such a framework writes a
transpose on each side of every one of them.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "bench" / "models"), str(ROOT / "bench"), str(ROOT / "test" / "models")]

import zoo  # noqa: E402 (bench/models/zoo.py)

MLIR_OPT = "mlir-opt-22"
REDUCE = "--pass-pipeline=builtin.module(func.func(canonicalize,tosa-reduce-transposes,canonicalize,cse))"
TFLITE = ("mobilenet_v2_tflite", "mobilenet_v2_tflite_int8")
TRANSPOSE = re.compile(r"tosa\.transpose .*?perms = array<i32: ([\d, ]+)>.*?: \(tensor<([\dx?]+)x\w+>\)")


@dataclasses.dataclass
class Program:
    """One function; values are their names, with shapes."""

    lines: list[str] = dataclasses.field(default_factory=list)
    shapes: dict[str, tuple[int, ...]] = dataclasses.field(default_factory=dict)

    def kind(self, value: str) -> str:
        return f"tensor<{'x'.join(map(str, (*self.shapes[value], 'f32')))}>"

    def new(self, shape: tuple[int, ...]) -> str:
        value = f"%v{len(self.shapes)}"
        self.shapes[value] = shape
        return value

    def constant(self, shape: tuple[int, ...], number: float = 0.5) -> str:
        value = self.new(shape)
        kind = self.kind(value)
        self.lines.append(f'{value} = "tosa.const"() <{{values = dense<{number}> : {kind}}}> : () -> {kind}')
        return value

    def size(self, numbers: tuple[int, ...]) -> str:
        value = f"%s{len(self.lines)}"
        text = f"tosa.const_shape {{values = dense<{list(numbers)}> : tensor<{len(numbers)}xindex>}}"
        self.lines.append(f"{value} = {text} : () -> !tosa.shape<{len(numbers)}>")
        return value

    def op(self, name: str, operands: list[str], shape: tuple[int, ...], attributes: str = "") -> str:
        value = self.new(shape)
        kinds = [self.kind(one) if one in self.shapes else f"!tosa.shape<{len(shape)}>" for one in operands]
        words = f" {{{attributes}}}" if attributes else ""
        text = f"{value} = tosa.{name} {', '.join(operands)}{words} : ({', '.join(kinds)}) -> {self.kind(value)}"
        self.lines.append(text)
        return value

    def transpose(self, value: str, perms: tuple[int, ...]) -> str:
        shape = tuple(self.shapes[value][dim] for dim in perms)
        return self.op("transpose", [value], shape, f"perms = array<i32: {', '.join(map(str, perms))}>")

    def last(self, value: str) -> str:
        return self.transpose(value, (0, 2, 3, 1))

    def first(self, value: str) -> str:
        return self.transpose(value, (0, 3, 1, 2))

    def conv(self, value: str, out: int = 0) -> str:
        n, c, h, w = self.shapes[value]
        out = out or c
        operands = [self.last(value), self.constant((out, 1, 1, c)), self.constant((out,))]
        operands += [self.constant((1,), 0.0), self.constant((1,), 0.0)]
        steps = "pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>"
        return self.first(self.op("conv2d", operands, (n, h, w, out), f"acc_type = f32, {steps}"))

    def pool(self, value: str) -> str:
        n, c, h, w = self.shapes[value]
        words = "kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>"
        return self.first(self.op("max_pool2d", [self.last(value)], (n, h // 2, w // 2, c), words))

    def relu(self, value: str) -> str:
        return self.op("clamp", [value], self.shapes[value], "min_val = 0.0 : f32, max_val = 6.0 : f32")

    def add(self, a: str, b: str) -> str:
        return self.op("add", [a, b], self.shapes[a])

    def mul(self, a: str, b: str) -> str:
        shift = f"%s{len(self.lines)}"
        kind = "tensor<1xi8>"
        self.lines.append(f'{shift} = "tosa.const"() <{{values = dense<0> : {kind}}}> : () -> {kind}')
        value = self.new(self.shapes[a])
        kinds = f"({self.kind(a)}, {self.kind(b)}, {kind})"
        self.lines.append(f"{value} = tosa.mul {a}, {b}, {shift} : {kinds} -> {self.kind(value)}")
        return value

    def concat(self, *values: str) -> str:
        n, _, h, w = self.shapes[values[0]]
        channels = sum(self.shapes[value][1] for value in values)
        return self.op("concat", list(values), (n, channels, h, w), "axis = 1 : i32")

    def slice(self, value: str, begin: int, count: int) -> str:
        n, _, h, w = self.shapes[value]
        start, size = self.size((0, begin, 0, 0)), self.size((n, count, h, w))
        return self.op("slice", [value, start, size], (n, count, h, w))

    def reshape(self, value: str, shape: tuple[int, ...]) -> str:
        return self.op("reshape", [value, self.size(shape)], shape)

    def mean(self, value: str) -> str:
        n, c, h, w = self.shapes[value]
        rows = self.op("reduce_sum", [value], (n, c, 1, w), "axis = 2 : i32")
        return self.op("reduce_sum", [rows], (n, c, 1, 1), "axis = 3 : i32")

    def text(self, results: list[str]) -> str:
        kinds = ", ".join(map(self.kind, results))
        lines = [f"func.func @main(%v0: {self.kind('%v0')}) -> ({kinds}) {{"]
        lines += [f"  {line}" for line in self.lines]
        return "\n".join([*lines, f"  return {', '.join(results)} : {kinds}", "}"]) + "\n"


def chain(p: Program, x: str) -> list[str]:
    return [p.relu(p.conv(p.relu(p.conv(x))))]


def residual(p: Program, x: str) -> list[str]:
    stem = p.relu(p.conv(x))
    return [p.conv(p.relu(p.add(p.conv(p.relu(p.conv(stem))), stem)))]


def scaled(p: Program, x: str) -> list[str]:
    channels = (1, p.shapes[x][1], 1, 1)
    return [p.conv(p.relu(p.add(p.mul(p.conv(x), p.constant(channels)), p.constant(channels))))]


def pooled(p: Program, x: str) -> list[str]:
    return [p.conv(p.relu(p.pool(p.conv(x))))]


def branches(p: Program, x: str) -> list[str]:
    stem = p.relu(p.conv(x))
    return [p.conv(p.concat(p.relu(p.conv(stem)), p.conv(stem)))]


def halves(p: Program, x: str) -> list[str]:
    stem = p.conv(x)
    half = p.shapes[stem][1] // 2
    return [p.conv(p.concat(p.conv(p.slice(stem, 0, half)), p.slice(stem, half, half)))]


def gated(p: Program, x: str) -> list[str]:
    stem = p.conv(x)
    gate = p.op("sigmoid", [p.conv(p.mean(stem))], (*p.shapes[stem][:2], 1, 1))
    return [p.conv(p.mul(stem, gate))]


def shuffled(p: Program, x: str) -> list[str]:
    stem = p.conv(x)
    n, c, h, w = p.shapes[stem]
    groups = p.transpose(p.reshape(stem, (n, 2, c // 2, h, w)), (0, 2, 1, 3, 4))
    return [p.conv(p.reshape(groups, (n, c, h, w)))]


def flattened(p: Program, x: str) -> list[str]:
    stem = p.relu(p.conv(x))
    features = math.prod(p.shapes[stem][1:])
    rows = p.reshape(stem, (1, 1, features))
    zeros = [p.constant((1,), 0.0), p.constant((1,), 0.0)]
    return [p.op("matmul", [rows, p.constant((1, features, 10)), *zeros], (1, 1, 10))]


def read_twice(p: Program, x: str) -> list[str]:
    stem = p.relu(p.conv(x))
    return [stem, p.conv(stem)]


# What is in a program beside convolutions.
PROGRAMS: dict[Callable[[Program, str], list[str]], str] = {
    chain: "an activation between two convolutions",
    residual: "a sum with what came in",
    scaled: "a scale and an offset for each channel",
    pooled: "a pooling",
    branches: "a concatenation of the channels",
    halves: "channels cut in halves, one of them convolved",
    gated: "a mean of each channel that scales it",
    shuffled: "groups of channels, shuffled",
    flattened: "a Flatten and a matrix product",
    read_twice: "an output inside",
}


def moves(text: str) -> int:
    """Transposes of a program that move data: not only dimensions of one."""
    count = 0
    for perms, extents in TRANSPOSE.findall(text):
        sizes = extents.split("x")
        order = [int(dim) for dim in perms.split(",") if sizes[int(dim)] != "1"]
        count += order != sorted(order)
    return count


def run(command: list[str | Path]) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr.strip()[-1000:]}")
    return done.stdout


def relayouts(build: Path, program: Path) -> int:
    """What npuc leaves for the chip that wants TOSA's own order."""
    report = program.with_suffix(".json")
    command = [build / "bin" / "npuc", program, "--quiet", "--emit=mlir", "-o", os.devnull, f"--report={report}"]
    run([*command, "--target=npu-nhwc", "--objective=count", "--batch=1"])
    content = json.loads(report.read_text(encoding="utf-8"))
    if not content["optimal"]["proved"]:
        raise RuntimeError(f"{program.name}: not proved")
    return content["relayouts"]["count"]


def row(build: Path, program: Path, name: str, what: str) -> str:
    text = program.read_text(encoding="utf-8")
    reduced = program.with_name("reduced.mlir")
    run([MLIR_OPT, program, REDUCE, "-o", reduced])
    numbers = [moves(text), moves(reduced.read_text(encoding="utf-8"))]
    numbers += [relayouts(build, reduced), relayouts(build, program)]
    return f"| {name} | {what} | " + " | ".join(map(str, numbers)) + " |"


def table(build: Path) -> list[str]:
    heads = ["program", "what is in it", "transposes", "after `tosa-reduce-transposes`", "and then `optimal`", "`optimal`"]
    lines = ["| " + " | ".join(heads) + " |", "|---|---|" + "---:|" * (len(heads) - 2)]
    with tempfile.TemporaryDirectory(prefix="npu-rivals-") as name:
        path = Path(name) / "program.mlir"
        for network in TFLITE:
            net = zoo.find(network)
            converter = Path(sys.executable).parent / "tosa-converter-for-tflite"
            run([converter, zoo.ensure(net.name, net.small), "--text", "-o", path])
            lines.append(row(build, path, network, "MobileNetV2 from a TFLite file, channels last"))
        for function, what in PROGRAMS.items():
            program = Program(shapes={"%v0": (1, 8, 6, 6)})
            path.write_text(program.text(function(program, "%v0")), encoding="utf-8")
            lines.append(row(build, path, function.__name__, what))
    return lines
