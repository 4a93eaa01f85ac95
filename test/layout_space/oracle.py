# SPDX-License-Identifier: Apache-2.0
"""The least number of relayouts of a small graph of ops, by dynamic programming over all layouts.

It shares no code with the compiler and none of its rules: a layout is what it does to memory, the
offset of every element. A reshape leaves the offsets alone, a transpose permutes them, and both are
free where some layout of the result has these very offsets.
"""
from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Spelled:
    """A layout as a chip lists it: dimensions, outermost first, then blocks (dimension, size)."""

    order: Shape
    blocks: tuple[tuple[int, int], ...] = ()

    @property
    def letters(self) -> str:
        blocked = {dim for dim, _ in self.blocks}
        text = "".join(chr(ord("A" if dim in blocked else "a") + dim) for dim in self.order)
        return text + "".join(f"{size}{chr(ord('a') + dim)}" for dim, size in self.blocks)


@dataclass(frozen=True)
class Memory:
    """Where each element lies, in row-major order of the elements, and how many are stored."""

    offsets: Shape
    stored: int


@lru_cache(maxsize=None)
def memory(layout: Spelled, shape: Shape) -> Memory:
    inside = [1] * len(shape)
    for dim, size in layout.blocks:
        inside[dim] *= size
    index = np.indices(shape).reshape(len(shape), -1)
    offset, stored = np.zeros(index.shape[1], dtype=np.int64), 1
    for dim in layout.order:
        outer = -(-shape[dim] // inside[dim])
        offset, stored = offset * outer + index[dim] // inside[dim], stored * outer
    for dim, size in layout.blocks:
        inside[dim] //= size
        offset, stored = offset * size + index[dim] // inside[dim] % size, stored * size
    return Memory(tuple(offset.tolist()), stored)


@dataclass(frozen=True)
class Run:
    """Part of a dimension: `size` steps of `place` elements, each `stride` further in memory."""

    stride: int
    dim: int
    place: int
    size: int
    is_outermost: bool


@lru_cache(maxsize=None)
def runs(stored: Memory, shape: Shape) -> tuple[Run, ...] | None:
    """The runs that memory is made of, outermost first; None if no layout looks like that.

    Extents are larger than 1. What the outermost run of a dimension lacks is padding.
    """
    offsets = np.array(stored.offsets).reshape(shape)
    if offsets.flat[0] != 0:
        return None
    found: list[Run] = []
    total = np.zeros(shape, dtype=np.int64)
    for dim, extent in enumerate(shape):
        along = offsets[tuple(slice(None) if i == dim else 0 for i in range(len(shape)))]
        place, before = 1, 0
        while place < extent:
            stride, size = int(along[place]), 1
            if stride <= before:
                return None
            while place * size < extent and along[place * size] == stride * size:
                size += 1
            found.append(Run(stride, dim, place, size, place * size >= extent))
            place, before = place * size, stride
        view = [1] * len(shape)
        view[dim] = extent
        total = total + along.reshape(view)
        digits = sum(np.arange(extent) // run.place % run.size * run.stride for run in found if run.dim == dim)
        if np.any(digits != along):
            return None
    return pad(sorted(found, key=lambda run: run.stride), stored.stored) if not np.any(total != offsets) else None


def pad(inner_first: list[Run], stored: int) -> tuple[Run, ...] | None:
    """Gives each run the size that fills memory up to the next one."""
    result, inside = [], 1
    for at, run in enumerate(inner_first):
        end = inner_first[at + 1].stride if at + 1 < len(inner_first) else stored
        size = end // run.stride
        if run.stride != inside or end % run.stride or size < run.size or (size > run.size and not run.is_outermost):
            return None
        result.append(Run(run.stride, run.dim, run.place, size, run.is_outermost))
        inside = end
    return tuple(reversed(result))


def digits(stored: Memory, shape: Shape) -> str:
    """As text, outermost first: a dimension's letter and the size of the run, padding included."""
    return " ".join(f"{chr(ord('a') + run.dim)}{run.size}" for run in runs(stored, shape) or ()) or "none"


def is_product(size: int, blocks: Shape) -> bool:
    return size == 1 or any(size % block == 0 and is_product(size // block, blocks) for block in blocks)


@lru_cache(maxsize=None)
def is_kernels(stored: Memory, shape: Shape, blocks: Shape) -> bool:
    """Whether kernels know it: plain dimensions outside, known blocks inside."""
    parts = runs(stored, shape)
    if parts is None:
        return False

    def follows(run: Run, block: int) -> bool:
        outer, rest = divmod(run.size, block)
        return run.is_outermost and rest == 0 and outer == -(-shape[run.dim] // (run.place * block))

    for at, run in enumerate(parts):
        if follows(run, 1):
            continue
        inner = [other.size for other in parts[at + 1:]]
        splits = [block for block in range(2, run.size + 1) if run.size % block == 0 and follows(run, block)]
        return all(is_product(size, blocks) for size in inner) and any(
            is_product(block, blocks) for block in [run.size, *splits])
    return True


@lru_cache(maxsize=None)
def spellings(rank: int, blocks: Shape) -> list[Spelled]:
    """All that kernels know, with up to three blocks; of four dimensions and more than one size, two."""
    single = [(dim, size) for dim in range(rank) for size in blocks]
    most = 2 if len(single) > 6 else 3
    lists = [chosen for count in range(most + 1) for chosen in itertools.product(single, repeat=count)]
    return [Spelled(order, chosen) for order in itertools.permutations(range(rank)) for chosen in lists]


@lru_cache(maxsize=None)
def unpadded(shape: Shape) -> frozenset[Memory]:
    """All layouts without padding: each step inwards splits a prime off what is left of some dimension."""
    layouts = set()

    def extend(left: Shape, index: list[np.ndarray], offsets: np.ndarray, stride: int) -> None:
        if max(left) == 1:
            layouts.add(Memory(tuple(offsets.tolist()), stride))
        for dim, extent in enumerate(left):
            for prime in (prime for prime in range(2, extent + 1) if extent % prime == 0 and is_prime(prime)):
                rest = [part // prime if at == dim else part for at, part in enumerate(index)]
                extend(tuple(extent // prime if at == dim else other for at, other in enumerate(left)), rest,
                       offsets + index[dim] % prime * stride, stride * prime)

    index = list(np.indices(shape).reshape(len(shape), -1))
    extend(shape, index, np.zeros_like(index[0]), 1)
    return frozenset(layouts)


def is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, number))


# ---------------------------------------------------------------- graphs
@dataclass(eq=False)
class Node:
    """An op and its value."""

    kind: str  # input, relu, add, transpose, reshape, matmul, conv, slice, pad, concat
    shape: Shape
    operands: list[Node] = field(default_factory=list)
    permutation: Shape = ()  # of a transpose
    starts: Shape = ()  # of a slice: its first element; of a pad: the first of what is padded
    axis: int = 0  # of a concat


@dataclass
class Graph:
    nodes: list[Node]  # operands first
    outputs: list[Node]


@dataclass
class Chip:
    blocks: Shape
    # by kind of op and rank, of which one holds: what is listed for the operands, and for the result
    signatures: dict[tuple[str, int], list[tuple[list[Spelled], list[Spelled]]]]


VIEWS = ("transpose", "reshape")


def row_major(shape: Shape) -> Memory:
    return memory(Spelled(tuple(range(len(shape)))), shape)


@lru_cache(maxsize=None)
def permuted(stored: Memory, shape: Shape, permutation: Shape) -> Memory:
    offsets = np.array(stored.offsets).reshape(shape).transpose(permutation)
    return Memory(tuple(offsets.reshape(-1).tolist()), stored.stored)


def seen_through(node: Node, stored: Memory) -> Memory | None:
    """What a view shows of memory; None if that is no layout."""
    if node.kind == "transpose":
        return permuted(stored, node.operands[0].shape, node.permutation)
    return stored if runs(stored, node.shape) is not None else None


def seen_back(node: Node, stored: Memory) -> Memory | None:
    """What a view shows so."""
    back = Node(node.kind, node.operands[0].shape, [node], tuple(np.argsort(node.permutation).tolist()))
    return seen_through(back, stored)


Way = tuple[Memory, ...]  # a layout for each operand, then the result's


Alike = dict[Memory, set[Memory]]


@lru_cache(maxsize=None)
def spelled_alike(shape: Shape, other: Shape, blocks: Shape) -> tuple[Alike, Alike]:
    """How a value of each shape may be stored where the other is stored so, as one spelling says of both."""
    there: Alike = {}
    back: Alike = {}
    for spelling in spellings(len(shape), blocks):
        stored, others = memory(spelling, shape), memory(spelling, other)
        there.setdefault(stored, set()).add(others)
        back.setdefault(others, set()).add(stored)
    return there, back


def agree(a: Spelled, shape_a: Shape, b: Spelled, shape_b: Shape, shared: list[int], blocks: Shape) -> bool:
    """Whether the dimensions that both have are stored as one spelling says, which need not be theirs."""
    number = {dim: at for at, dim in enumerate(shared)}

    def project(layout: Spelled, shape: Shape) -> tuple[Memory, Shape]:
        left = Spelled(tuple(number[dim] for dim in layout.order if dim in number),
                       tuple((number[dim], size) for dim, size in layout.blocks if dim in number))
        extents = tuple(shape[dim] for dim in shared)
        return memory(left, extents), extents

    (one, shape), (other, others) = project(a, shape_a), project(b, shape_b)
    return one == other if shape == others else other in spelled_alike(shape, others, blocks)[0][one]


def listed_ways(node: Node, read: list[Spelled], written: list[Spelled], blocks: Shape) -> set[Way]:
    """Orders in and out that a signature lists: those that agree, and those without a partner."""
    shape = node.operands[0].shape
    shared = list(range(len(shape) - (node.kind == "matmul")))

    def is_pair(a: Spelled, b: Spelled, operand: Node) -> bool:
        return agree(a, operand.shape, b, node.shape, shared, blocks)

    def choices(operand: Node, b: Spelled) -> Iterator[Memory]:
        for a in read:
            if is_pair(a, b, operand) or not any(is_pair(a, other, operand) for other in written) or not any(
                    is_pair(other, b, operand) for other in read):
                yield memory(a, operand.shape)

    return {(*way, memory(b, node.shape)) for b in written
            for way in itertools.product(*(set(choices(operand, b)) for operand in node.operands))}


# ---------------------------------------------------------------- which layouts there are
class Space:
    """The layouts that each value may have, and the ways in which each op may run.

    Padding helps nothing through that does not pass without. So these are all layouts without, what the
    chip lists, and what follows from either through views and ops, both ways.
    """

    def __init__(self, graph: Graph, chip: Chip, is_free: bool) -> None:
        self.graph = graph
        self.chip = chip
        self.layouts: dict[Node, dict[Memory, int]] = {node: {} for node in graph.nodes}
        self.ways: dict[Node, set[Way]] = {node: set() for node in graph.nodes}
        self.readers: dict[Node, list[Node]] = {node: [] for node in graph.nodes}
        self.fresh: list[tuple[Node, Memory]] = []
        for node in graph.nodes:
            for operand in dict.fromkeys(node.operands):
                self.readers[operand].append(node)
        for node in graph.nodes:
            for stored in unpadded(node.shape):
                self.add(node, stored)
            for read, written in chip.signatures.get((node.kind, len(node.shape)), ()):
                for way in listed_ways(node, read, written, chip.blocks):
                    self.add_way(node, way)
        while self.fresh:
            value, stored = self.fresh.pop()
            self.spread(value, value, stored)
            for reader in self.readers[value]:
                self.spread(reader, value, stored)
        for node in (node for node in graph.nodes if node.kind == "input"):
            self.ways[node] = {(stored,) for stored in (self.layouts[node] if is_free else [row_major(node.shape)])}

    def add(self, value: Node, stored: Memory) -> None:
        if stored not in self.layouts[value]:
            self.layouts[value][stored] = len(self.layouts[value])
            self.fresh.append((value, stored))

    def add_way(self, node: Node, way: Way) -> None:
        self.ways[node].add(way)
        for value, stored in zip([*node.operands, node], way):
            self.add(value, stored)

    def spread(self, node: Node, value: Node, stored: Memory) -> None:
        """What an op makes of a layout of its result or of one of its operands."""
        if node.kind == "input" or (node.kind, len(node.shape)) in self.chip.signatures:
            return
        if node.kind in VIEWS:
            other = seen_back(node, stored) if value is node else seen_through(node, stored)
            if other is not None:
                self.add_way(node, (other, stored) if value is node else (stored, other))
        elif node.kind in ("relu", "add"):
            if is_kernels(stored, node.shape, self.chip.blocks):
                self.add_way(node, (stored,) * (len(node.operands) + 1))
        else:
            self.spread_by_parts(node, value, stored)

    def spread_by_parts(self, node: Node, value: Node, stored: Memory) -> None:
        """Of a slice, a padding, a concatenation: it reads each operand by itself, in whatever goes with the result."""
        alike = [spelled_alike(operand.shape, node.shape, self.chip.blocks) for operand in node.operands]
        results = {stored} if value is node else {
            result for (there, _), operand in zip(alike, node.operands) if operand is value
            for result in there.get(stored, ())}
        for result in results:
            for way in itertools.product(*(back.get(result, set()) for _, back in alike)):
                self.add_way(node, (*way, result))


# ---------------------------------------------------------------- the least
Edge = tuple[Node, int]  # one operand of a node, or (an output, -1)
DEAR = 99
MOST_ENTRIES = 1 << 24


class TooLarge(Exception):
    """A table of the graph has more entries than are looked at."""


def check_size(shape: Shape) -> None:
    if math.prod(shape) > MOST_ENTRIES:
        raise TooLarge


class Table:
    """The least cost so far, by the layouts in which some edges are read."""

    def __init__(self, edges: list[Edge], cost: np.ndarray) -> None:
        self.edges = edges
        self.cost = cost

    def plus(self, other: Table) -> Table:
        check_size(self.cost.shape + other.cost.shape)
        own = self.cost.reshape(self.cost.shape + (1,) * other.cost.ndim)
        return Table(self.edges + other.edges, np.minimum(own + other.cost, DEAR).astype(np.uint8))

    def with_last(self, edges: list[Edge]) -> Table:
        """The same, these edges last."""
        order = [at for at, edge in enumerate(self.edges) if edge not in edges]
        order += [self.edges.index(edge) for edge in edges]
        return Table([self.edges[at] for at in order], self.cost.transpose(order))


def least_relayouts(graph: Graph, chip: Chip, is_free: bool) -> int:
    """Of the whole graph; `is_free`: inputs and outputs may be stored in any order.

    Each value is stored in one layout, each reader has it in one; each other layout than that in which it is
    stored is one relayout, however many read it. Raises TooLarge where too much depends on one another.
    """
    return least_in(Space(graph, chip, is_free), is_free)


def least_in(space: Space, is_free: bool) -> int:
    """The same, of what is left of a space."""
    graph = space.graph
    edges: dict[Node, list[Edge]] = {node: [] for node in graph.nodes}
    for node in graph.nodes:
        for at, operand in enumerate(node.operands):
            edges[operand].append((node, at))
    for output in graph.outputs:
        edges[output].append((output, -1))
    tables: list[Table] = []

    def joined(wanted: list[Edge]) -> Table:
        """All that depends on these edges."""
        result = Table([], np.zeros((), dtype=np.uint8))
        for table in list(tables):
            if any(edge in wanted for edge in table.edges):
                tables.remove(table)
                result = result.plus(table)
        return result.with_last(wanted)

    for node in graph.nodes:
        operands = [(node, at) for at in range(len(node.operands))]
        before = joined(operands)
        others = before.edges[:len(before.edges) - len(operands)]
        stored = run_node(node, space, before.cost)
        tables.append(Table(others + edges[node], read_by(stored, len(edges[node]))))
        if node in graph.outputs:
            table = joined([(node, -1)])
            cost = table.cost.min(axis=-1) if is_free else table.cost[..., space.layouts[node][row_major(node.shape)]]
            tables.append(Table(table.edges[:-1], cost))
    return int(sum(table.cost for table in tables))


def cheapest_ways(graph: Graph, chip: Chip, is_free: bool) -> dict[Node, Way | None]:
    """One way for each node that together cost the least; None: a view that moves its data."""
    space = Space(graph, chip, is_free)
    least = least_in(space, is_free)
    chosen: dict[Node, Way | None] = {}
    for node in graph.nodes:
        ways: list[Way | None] = sorted(space.ways[node], key=lambda way: [stored.offsets for stored in way])
        for way in [None, *ways] if node.kind in VIEWS else ways:
            space.ways[node] = {way} if way else set()
            if least_in(space, is_free) == least:
                chosen[node] = way
                break
    return chosen


def run_node(node: Node, space: Space, before: np.ndarray) -> np.ndarray:
    """The cost by the layout that the node's value is stored in (last), from that by the layouts it reads."""
    layouts = space.layouts[node]
    others = before.shape[:before.ndim - len(node.operands)]
    result = np.full((len(layouts), *others), DEAR, dtype=np.uint8)
    for *read, written in space.ways[node]:
        at = tuple(space.layouts[operand][stored] for operand, stored in zip(node.operands, read))
        place = layouts[written]
        result[place] = np.minimum(result[place], before[(..., *at)])
    if node.kind in VIEWS:  # which may move its data, from any layout to any
        result = np.minimum(result, before.min(axis=-1) + 1)
    return np.moveaxis(result, 0, -1)


def read_by(stored: np.ndarray, readers: int) -> np.ndarray:
    """The cost by the layouts in which a value is read, from that by the one in which it is stored (last)."""
    count = stored.shape[-1]
    check_size(stored.shape[:-1] + (count,) * readers)
    least = stored.min(axis=-1).reshape(stored.shape[:-1] + (1,) * readers)
    places = np.indices((count,) * readers, sparse=True) if readers else []
    distinct = np.zeros((1,) * readers, dtype=np.uint8)
    for at in range(readers):
        is_new = np.ones((1,) * readers, dtype=bool)
        for before in range(at):
            is_new = is_new & (places[at] != places[before])
        distinct = distinct + is_new
    cost = least + distinct
    for at in range(readers):
        shape = stored.shape[:-1] + tuple(count if axis == at else 1 for axis in range(readers))
        cost = np.minimum(cost, stored.reshape(shape) + distinct - 1)
    return np.minimum(cost, DEAR).astype(np.uint8)
