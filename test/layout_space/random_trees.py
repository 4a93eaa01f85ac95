#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare `optimal` with exact dynamic programming on random trees and random chips.

    random_trees.py --build=BUILD [--trees=N] [--seed=N]

Trees have up to three kernels and the views between them, chips list permutations, sticks, tiles and
mixed orders. What is left to move in npu-opt's output is counted here, from the layouts in its types.

Exit codes: 0 as few relayouts as the oracle's everywhere, 1 more or fewer somewhere, 2 it could not run.
"""
from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import oracle
from oracle import Chip, Node, Spelled

TREES_OF_A_CHIP = 10
MACHINE = """machine:
  clock: 1000 MHz
  mac_rows: 8 MAC
  mac_columns: 8 MAC
  vector_lanes: 8 lanes
  dram: 64 MiB
  dma_bandwidth: 16 B/cycle
  dma_burst: 64 B
  dma_start: 100 cycles
  kernel_start: 200 cycles
  strided_access: 4 times
"""
OPERANDS = {"matmul": "a", "conv": "data"}


# ---------------------------------------------------------------- what is drawn
def random_layout(rng: random.Random, rank: int, blocks: oracle.Shape) -> Spelled:
    order = list(range(rank))
    if rng.random() < 0.6:
        rng.shuffle(order)
    count = rng.choice([0, 1, 1, 2, 2])
    dims = rng.sample(range(max(0, rank - 2), rank), min(count, 2)) if rng.random() < 0.8 else \
        rng.sample(range(rank), min(count, rank))
    return Spelled(tuple(order), tuple((dim, rng.choice(blocks)) for dim in dims))


def random_chip(rng: random.Random) -> Chip:
    blocks = rng.choice([(2,), (4,), (2, 3), (2, 4), (3,)])
    listed = {}
    for kind, rank in (("matmul", 2), ("matmul", 3), ("conv", 4)):
        read, written = ([random_layout(rng, rank, blocks) for _ in range(rng.choice([1, 1, 2]))] for _ in range(2))
        if rng.random() < 0.6:
            written = written + read if rng.random() < 0.3 else list(read)
        listed[kind, rank] = (list(dict.fromkeys(read)), list(dict.fromkeys(written)))
    return Chip(blocks, listed)


def random_shape(rng: random.Random, elements: int, most: int = 4) -> oracle.Shape | None:
    """Extents larger than 1 whose product it is."""
    shape: list[int] = []
    while elements > 1:
        divisors = [d for d in range(2, elements + 1) if elements % d == 0]
        extent = elements if len(shape) + 1 == most else rng.choice(divisors)
        shape.append(extent)
        elements //= extent
    return tuple(shape)


def random_tree(rng: random.Random, kernels: int, shape: oracle.Shape) -> Node:
    """A tree whose value has this shape, made from the root down."""
    if kernels == 0:
        return Node("input", shape)
    kind = rng.choice(["relu", "add", "transpose", "transpose", "reshape", "reshape", "matmul", "conv"])
    if kind == "transpose":
        permutation = rng.sample(range(len(shape)), len(shape))
        source = [0] * len(shape)
        for at, dim in enumerate(permutation):
            source[dim] = shape[at]
        return Node(kind, shape, [random_tree(rng, kernels, tuple(source))], tuple(permutation))
    if kind == "reshape":
        elements = 1
        for extent in shape:
            elements *= extent
        return Node(kind, shape, [random_tree(rng, kernels, random_shape(rng, elements))])
    if kind == "add":
        left = rng.randrange(kernels)
        return Node(kind, shape, [random_tree(rng, left, shape), random_tree(rng, kernels - 1 - left, shape)])
    if kind == "matmul" and len(shape) in (2, 3):
        return Node(kind, shape, [random_tree(rng, kernels - 1, (*shape[:-1], rng.choice([2, 3, 4, 6])))])
    if kind == "conv" and len(shape) == 4:
        source = (shape[0], rng.choice([2, 3, 4]), *shape[2:])
        return Node(kind, shape, [random_tree(rng, kernels - 1, source)])
    return Node("relu", shape, [random_tree(rng, kernels - 1, shape)])


# ---------------------------------------------------------------- as text
def chip_text(chip: Chip) -> str:
    text = f"name: drawn\nsummary: drawn at random\ntypes: [f32]\nblocks: {list(chip.blocks)}\n{MACHINE}demands:\n"
    roles: dict[str, tuple[list[str], list[str]]] = {}
    for (kind, _), (read, written) in chip.listed.items():
        data, result = roles.setdefault(kind, ([], []))
        data += [layout.letters for layout in read]
        result += [layout.letters for layout in written]
    for kind, (data, result) in roles.items():
        op = "conv2d" if kind == "conv" else kind
        text += f"  - ops: [{op}]\n    {OPERANDS[kind]}: [{', '.join(data)}]\n    result: [{', '.join(result)}]\n"
    return text


def type_text(shape: oracle.Shape) -> str:
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


class Function:
    """A tree as one function."""

    def __init__(self, name: str, root: Node) -> None:
        self.arguments: list[str] = []
        self.lines: list[str] = []
        value, result = self.value(root), type_text(root.shape)
        body = "\n".join(f"  {line}" for line in [*self.lines, f"return {value} : {result}"])
        self.text = f"func.func @{name}({', '.join(self.arguments)}) -> {result} {{\n{body}\n}}\n"

    def line(self, what: str, types: list[oracle.Shape], shape: oracle.Shape) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {what} : ({', '.join(map(type_text, types))}) -> {type_text(shape)}")
        return name

    def constant(self, shape: oracle.Shape) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = npu.constant dense<1.0> : {type_text(shape)} -> {type_text(shape)}")
        return name

    def value(self, node: Node) -> str:
        if node.kind == "input":
            name = f"%x{len(self.arguments)}"
            self.arguments.append(f"{name}: {type_text(node.shape)}")
            return name
        operands, shapes = [self.value(operand) for operand in node.operands], [o.shape for o in node.operands]
        listed = ", ".join(operands)
        if node.kind in ("relu", "add"):
            return self.line(f"npu.eltwise {node.kind}({listed})", shapes, node.shape)
        if node.kind == "reshape":
            return self.line(f"npu.reshape({listed})", shapes, node.shape)
        if node.kind == "transpose":
            return self.line(f"npu.transpose({listed}) {{permutation = {list(node.permutation)}}}", shapes, node.shape)
        inner, outer = (shapes[0][-1], node.shape[-1]) if node.kind == "matmul" else (shapes[0][1], node.shape[1])
        weight = (inner, outer) if node.kind == "matmul" else (outer, inner, 1, 1)
        what = f"npu.matmul({listed}, {self.constant(weight)})"
        if node.kind == "conv":
            what = f"npu.conv2d({listed}, %v{len(self.lines) - 1}) " \
                   "{dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]}"
        return self.line(what, [*shapes, weight], node.shape)


# ---------------------------------------------------------------- what npu-opt leaves
LINE = re.compile(r"(%\w+) = npu\.(relayout|reshape|transpose)\((%\w+)\)(.*) : \((.*)\) -> (.*)")
TYPE = re.compile(r"tensor<([\dx]*)xf32, #npu\.layout<(\w+)>>")


def parsed_type(text: str) -> tuple[oracle.Shape, Spelled]:
    match = TYPE.fullmatch(text)
    if not match:
        raise ValueError(f"no decided tensor: {text}")
    letters = re.match(r"[a-zA-Z]+?(?=\d|$)", match[2])
    order = tuple(ord(letter.lower()) - ord("a") for letter in letters[0])
    blocks = tuple((ord(dim) - ord("a"), int(size)) for size, dim in re.findall(r"(\d+)([a-z])", match[2]))
    return tuple(map(int, match[1].split("x"))), Spelled(order, blocks)


def count_moves(text: str) -> int:
    """Relayouts and views that move data, of what is not a constant."""
    moves = 0
    constants = set(re.findall(r"(%\w+) = npu\.constant", text))
    for _, op, operand, attributes, source, result in LINE.findall(text):
        (shape, layout), (result_shape, result_layout) = parsed_type(source), parsed_type(result)
        permutation = re.search(r"permutation = \[(.*?)\]", attributes)
        node = Node(op, result_shape, [Node("input", shape)],
                    tuple(map(int, permutation[1].split(","))) if permutation else ())
        seen = oracle.seen_through(node, oracle.memory(layout, shape))
        moves += seen != oracle.memory(result_layout, result_shape) and operand not in constants
    return moves


def run_chip(build: Path, chip: Chip, trees: list[Node], is_free: bool) -> list[str]:
    """What npu-opt makes of each tree."""
    with tempfile.TemporaryDirectory() as folder:
        target, module = Path(folder) / "drawn.yaml", Path(folder) / "trees.mlir"
        target.write_text(chip_text(chip), encoding="utf-8")
        module.write_text("".join(Function(f"t{at}", tree).text for at, tree in enumerate(trees)), encoding="utf-8")
        options = f"strategy=optimal objective=count target={target} io-layout={'free' if is_free else 'fixed'}"
        done = subprocess.run([build / "bin" / "npu-opt", module, f"--npu-assign-layout={options} verify-exactly=true"],
                              capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"npu-opt ends with {done.returncode}:\n{done.stderr[:2000]}\n{chip_text(chip)}")
    return re.split(r"(?=func\.func )", done.stdout)[1:]


def check_chip(build: Path, seed: int) -> int:
    """How many trees of one chip differ."""
    rng = random.Random(seed)
    chip, is_free = random_chip(rng), rng.random() < 0.5
    trees = [random_tree(rng, rng.randint(1, 3), random_shape(rng, rng.choice([8, 12, 16, 24, 36, 48])))
             for _ in range(TREES_OF_A_CHIP)]
    differing = 0
    for at, (tree, text) in enumerate(zip(trees, run_chip(build, chip, trees, is_free))):
        least, found = oracle.least_relayouts(tree, chip, is_free), count_moves(text)
        if least != found:
            differing += 1
            print(f"seed {seed}, tree {at}, {'free' if is_free else 'fixed'}: "
                  f"{found} relayouts, the oracle needs {least}\n{chip_text(chip)}{Function('t', tree).text}{text}")
    return differing


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="folder of the build")
    parser.add_argument("--trees", type=int, default=200, help="how many (200), ten for each chip")
    parser.add_argument("--seed", type=int, default=1, help="of the first chip (1)")
    options = parser.parse_args()
    try:
        chips = range(options.seed, options.seed + max(1, options.trees // TREES_OF_A_CHIP))
        differing = sum(check_chip(options.build, seed) for seed in chips)
    except (OSError, RuntimeError) as error:
        print(f"random_trees.py: {error}", file=sys.stderr)
        return 2
    print(f"{len(chips) * TREES_OF_A_CHIP} trees, {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
