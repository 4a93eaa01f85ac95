#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare `optimal` with exact dynamic programming on random graphs and random chips.

    random_graphs.py --build=BUILD [--graphs=N] [--seed=N]

Graphs have up to eight ops, views and kernels, and values with several readers; chips list
permutations, sticks, tiles, mixed orders, in several signatures. What is left to move in npu-opt's output is counted
here, from the layouts in its types.

Exit codes: 0 as few relayouts as the oracle's everywhere, 1 more or fewer somewhere, 2 it could not run.
"""
from __future__ import annotations

import argparse
import math
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import oracle
from oracle import Chip, Graph, Node, Spelled

GRAPHS_OF_A_CHIP = 10
MOST_ELEMENTS = 64
MACHINE = """machine:
  clock: 1000 MHz
  mac_rows: 8 MAC
  mac_columns: 8 MAC
  vector_lanes: 8 lanes
  dram: 64 MiB
  dram_bandwidth: 16 GB/s
  dma_burst: 64 B
  dma_start: 100 cycles
  kernel_start: 200 cycles
  strided_access: 4 times
"""
OPERANDS = {"matmul": "a", "conv": "data", "slice": "input", "concat": "inputs"}


# ---------------------------------------------------------------- what is drawn
def random_layout(rng: random.Random, rank: int, blocks: oracle.Shape) -> Spelled:
    order = list(range(rank))
    if rng.random() < 0.6:
        rng.shuffle(order)
    count = rng.choice([0, 1, 1, 2, 2])
    dims = rng.sample(range(max(0, rank - 2), rank), min(count, 2)) if rng.random() < 0.8 else \
        rng.sample(range(rank), min(count, rank))
    return Spelled(tuple(order), tuple((dim, rng.choice(blocks)) for dim in dims))


def random_signature(rng: random.Random, rank: int, blocks: oracle.Shape) -> tuple[list[Spelled], list[Spelled]]:
    read, written = ([random_layout(rng, rank, blocks) for _ in range(rng.choice([1, 1, 2]))] for _ in range(2))
    if rng.random() < 0.6:
        written = written + read if rng.random() < 0.3 else list(read)
    return list(dict.fromkeys(read)), list(dict.fromkeys(written))


def random_chip(rng: random.Random) -> Chip:
    """Every product has one signature or several; what cuts and joins has some on a third of the chips."""
    blocks = rng.choice([(2,), (4,), (2, 3), (2, 4), (3,)])
    signatures = {}
    for kind, ranks in (("matmul", (2, 3)), ("conv", (4,)), ("slice", (2, 3)), ("concat", (2, 3))):
        count = rng.choice([1, 1, 2, 3]) if kind in ("matmul", "conv") else rng.choice([0, 0, 0, 0, 1, 2])
        for rank in ranks if count else ():
            signatures[kind, rank] = [random_signature(rng, rank, blocks) for _ in range(count)]
    return Chip(blocks, signatures)


def random_shape(rng: random.Random, elements: int, most: int = 4) -> oracle.Shape:
    """Extents larger than 1 whose product it is."""
    shape: list[int] = []
    while elements > 1:
        divisors = [d for d in range(2, elements + 1) if elements % d == 0]
        extent = elements if len(shape) + 1 == most else rng.choice(divisors)
        shape.append(extent)
        elements //= extent
    return tuple(shape)


def with_extent(shape: oracle.Shape, dim: int, extent: int) -> oracle.Shape:
    return (*shape[:dim], extent, *shape[dim + 1:])


class Drawing:
    """A graph that grows by ops on values that are there, old ones too."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.nodes: list[Node] = []
        self.new_input()

    def new_input(self) -> Node:
        return self.add("input", random_shape(self.rng, self.rng.choice([8, 12, 16, 24, 36, 48])))

    def add(self, kind: str, shape: oracle.Shape, operands: list[Node] | None = None, **attributes: object) -> Node:
        self.nodes.append(Node(kind, shape, operands or [], **attributes))
        return self.nodes[-1]

    def operand(self) -> Node:
        """Mostly the newest value."""
        return self.nodes[-1] if self.rng.random() < 0.6 else self.rng.choice(self.nodes)

    def extent(self, kind: str, value: Node, dim: int) -> int:
        if kind == "slice":
            return self.rng.randint(2, value.shape[dim])
        return value.shape[dim] + self.rng.randint(1, 4)

    def step(self) -> None:
        rng, value = self.rng, self.operand()
        shape, rank = value.shape, len(value.shape)
        kind = rng.choice(["input", "relu", "add", "add", "transpose", "transpose", "reshape", "reshape", "matmul",
                           "matmul", "conv", "slice", "pad", "concat", "concat"])
        if kind == "input":
            self.new_input()
        elif kind == "transpose":
            permutation = tuple(rng.sample(range(rank), rank))
            self.add(kind, tuple(shape[dim] for dim in permutation), [value], permutation=permutation)
        elif kind == "reshape":
            self.add(kind, random_shape(rng, math.prod(shape)), [value])
        elif kind == "matmul" and rank in (2, 3):
            self.add(kind, with_extent(shape, rank - 1, rng.choice([2, 3, 4, 6])), [value])
        elif kind == "conv" and rank == 4:
            self.add(kind, with_extent(shape, 1, rng.choice([2, 3, 4])), [value])
        elif kind in ("slice", "pad"):
            dim = rng.randrange(rank)
            extent = self.extent(kind, value, dim)
            first = rng.randint(0, abs(extent - shape[dim]))
            self.add(kind, with_extent(shape, dim, extent), [value], starts=with_extent((0,) * rank, dim, first))
        elif kind == "concat":
            dim = rng.randrange(rank)
            fitting = [other for other in self.nodes if len(other.shape) == rank
                       and with_extent(other.shape, dim, 0) == with_extent(shape, dim, 0)]
            others = rng.choices(fitting, k=rng.choice([1, 1, 2]))
            self.add(kind, with_extent(shape, dim, sum(each.shape[dim] for each in [value, *others])),
                     [value, *others], axis=dim)
        elif kind == "add":
            fitting = [other for other in self.nodes if other.shape == shape]
            self.add(kind, shape, [value, rng.choice(fitting)])
        else:
            self.add("relu", shape, [value])
        if math.prod(self.nodes[-1].shape) > MOST_ELEMENTS:
            self.nodes.pop()


def drawn_graph(rng: random.Random) -> Graph:
    """Of up to eight ops; what nobody reads is an output, and sometimes what somebody does."""
    drawing = Drawing(rng)
    for _ in range(rng.randint(2, 8)):
        drawing.step()
    if all(node.kind == "input" for node in drawing.nodes):
        return drawn_graph(rng)
    read = {operand for node in drawing.nodes for operand in node.operands}
    nodes = [node for node in drawing.nodes if node.kind != "input" or node in read]
    outputs = [node for node in nodes if node not in read or (node.kind != "input" and rng.random() < 0.1)]
    return Graph(nodes, outputs)


def random_graph(rng: random.Random, chip: Chip, is_free: bool) -> tuple[Graph, int]:
    """One that the oracle takes, and the least number of relayouts in it."""
    while True:
        graph = drawn_graph(rng)
        try:
            return graph, oracle.least_relayouts(graph, chip, is_free)
        except oracle.TooLarge:
            continue


# ---------------------------------------------------------------- as text
def chip_text(chip: Chip) -> str:
    text = f"name: drawn\nsummary: drawn at random\ntypes: [f32]\nblocks: {list(chip.blocks)}\n{MACHINE}demands:\n"
    entries = []  # drawn twice, an entry stands once: a target's file may not repeat one
    for kind in dict.fromkeys(kind for kind, _ in chip.signatures):
        of_ranks = [lists for (other, _), lists in chip.signatures.items() if other == kind]
        for signature in zip(*of_ranks):
            read, written = (", ".join(layout.letters for lists in signature for layout in lists[at]) for at in (0, 1))
            op = "conv2d" if kind == "conv" else kind
            entries.append(f"  - ops: [{op}]\n    {OPERANDS[kind]}: [{read}]\n    result: [{written}]\n")
    return text + "".join(dict.fromkeys(entries))


def type_text(shape: oracle.Shape) -> str:
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


class Function:
    """A graph as one function."""

    def __init__(self, name: str, graph: Graph) -> None:
        self.names: dict[Node, str] = {}
        self.lines: list[str] = []
        arguments = []
        for node in graph.nodes:
            if node.kind == "input":
                self.names[node] = f"%x{len(arguments)}"
                arguments.append(f"{self.names[node]}: {type_text(node.shape)}")
            else:
                self.names[node] = self.value(node)
        results = ", ".join(type_text(output.shape) for output in graph.outputs)
        self.lines.append(f"return {', '.join(self.names[output] for output in graph.outputs)} : {results}")
        body = "\n".join(f"  {line}" for line in self.lines)
        self.text = f"func.func @{name}({', '.join(arguments)}) -> ({results}) {{\n{body}\n}}\n"

    def line(self, what: str, types: list[oracle.Shape], shape: oracle.Shape) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {what} : ({', '.join(map(type_text, types))}) -> {type_text(shape)}")
        return name

    def constant(self, shape: oracle.Shape) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = npu.constant dense<1.0> : {type_text(shape)} -> {type_text(shape)}")
        return name

    def value(self, node: Node) -> str:
        shapes = [operand.shape for operand in node.operands]
        listed = ", ".join(self.names[operand] for operand in node.operands)
        if node.kind in ("matmul", "conv"):
            return self.product(node, listed, shapes[0])
        op = f"eltwise {node.kind}" if node.kind in ("relu", "add") else node.kind
        return self.line(f"npu.{op}({listed}){self.attributes(node)}", shapes, node.shape)

    def attributes(self, node: Node) -> str:
        if node.kind == "transpose":
            return f" {{permutation = {list(node.permutation)}}}"
        if node.kind == "slice":
            return f" {{starts = {list(node.starts)}, steps = {[1] * len(node.shape)}}}"
        if node.kind == "pad":
            behind = [extent - first - inner for extent, first, inner in
                      zip(node.shape, node.starts, node.operands[0].shape)]
            return f" {{mode = #npu.pad_mode<constant>, pads = {[*node.starts, *behind]}}}"
        return f" {{axis = {node.axis}}}" if node.kind == "concat" else ""

    def product(self, node: Node, operand: str, shape: oracle.Shape) -> str:
        inner, outer = (shape[-1], node.shape[-1]) if node.kind == "matmul" else (shape[1], node.shape[1])
        weight = (inner, outer) if node.kind == "matmul" else (outer, inner, 1, 1)
        what = f"({operand}, {self.constant(weight)})"
        attributes = " {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]}"
        what = f"npu.matmul{what}" if node.kind == "matmul" else f"npu.conv2d{what}{attributes}"
        return self.line(what, [shape, weight], node.shape)


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


def run_chip(build: Path, chip: Chip, graphs: list[Graph], is_free: bool) -> list[str]:
    """What npu-opt makes of each graph."""
    with tempfile.TemporaryDirectory() as folder:
        target, module = Path(folder) / "drawn.yaml", Path(folder) / "graphs.mlir"
        target.write_text(chip_text(chip), encoding="utf-8")
        module.write_text("".join(Function(f"g{at}", graph).text for at, graph in enumerate(graphs)), encoding="utf-8")
        options = f"strategy=optimal objective=count target={target} io-layout={'free' if is_free else 'fixed'}"
        done = subprocess.run([build / "bin" / "npu-opt", module, f"--npu-assign-layout={options} verify-exactly=true"],
                              capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"npu-opt ends with {done.returncode}:\n{done.stderr[:2000]}\n{chip_text(chip)}")
    return re.split(r"(?=func\.func )", done.stdout)[1:]


def plan_text(graph: Graph, chip: Chip, is_free: bool, function: Function) -> str:
    """What the oracle would do: the digits that each op reads and writes."""
    text = ""
    for node, way in oracle.cheapest_ways(graph, chip, is_free).items():
        values = [*node.operands, node]
        read = [oracle.digits(stored, value.shape) for stored, value in zip(way, values)] if way else ["moves"]
        text += f"  {function.names[node]}: {', '.join(read[:-1])} -> {read[-1]}\n"
    return text


def check_chip(build: Path, seed: int) -> int:
    """How many graphs of one chip differ."""
    rng = random.Random(seed)
    chip, is_free = random_chip(rng), rng.random() < 0.5
    graphs = [random_graph(rng, chip, is_free) for _ in range(GRAPHS_OF_A_CHIP)]
    texts = run_chip(build, chip, [graph for graph, _ in graphs], is_free)
    differing = 0
    for at, ((graph, least), text) in enumerate(zip(graphs, texts)):
        found = count_moves(text)
        if least != found:
            differing += 1
            function = Function("g", graph)
            print(f"seed {seed}, graph {at}, {'free' if is_free else 'fixed'}: "
                  f"{found} relayouts, the oracle needs {least}\n{chip_text(chip)}{function.text}"
                  f"the oracle's plan:\n{plan_text(graph, chip, is_free, function)}{text}")
    return differing


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="folder of the build")
    parser.add_argument("--graphs", type=int, default=200, help="how many (200), ten for each chip")
    parser.add_argument("--seed", type=int, default=1, help="of the first chip (1)")
    options = parser.parse_args()
    try:
        chips = range(options.seed, options.seed + max(1, options.graphs // GRAPHS_OF_A_CHIP))
        differing = sum(check_chip(options.build, seed) for seed in chips)
    except (OSError, RuntimeError) as error:
        print(f"random_graphs.py: {error}", file=sys.stderr)
        return 2
    print(f"{len(chips) * GRAPHS_OF_A_CHIP} graphs, {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
