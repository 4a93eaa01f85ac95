# SPDX-License-Identifier: Apache-2.0
"""The least number of relayouts of a small tree of ops, by dynamic programming over all layouts.

It shares no code with the compiler and none of its rules: a layout is what it does to memory, the
offset of every element. A reshape leaves the offsets alone, a transpose permutes them, and both are
free where some layout of the result has these very offsets.
"""
from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
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
def kernels(shape: Shape, blocks: Shape) -> frozenset[Memory]:
    """All that kernels know, with up to three blocks."""
    single = [(dim, size) for dim in range(len(shape)) for size in blocks]
    lists = [chosen for count in range(4) for chosen in itertools.product(single, repeat=count)
             if not has_empty(chosen, shape)]
    return frozenset(memory(Spelled(order, chosen), shape)
                     for order in itertools.permutations(range(len(shape))) for chosen in lists)


@lru_cache(maxsize=None)
def unpadded(shape: Shape) -> frozenset[Memory]:
    """All layouts without padding: each step inwards splits a prime off what is left of some dimension."""
    layouts = set()

    def extend(left: Shape, index: list[np.ndarray], offsets: np.ndarray, stride: int) -> None:
        if max(left) == 1:
            layouts.add(Memory(tuple(offsets.tolist()), stride))
        for dim, extent in enumerate(left):
            for prime in (prime for prime in (2, 3, 5, 7, 11, 13) if extent % prime == 0):
                rest = [part // prime if at == dim else part for at, part in enumerate(index)]
                extend(tuple(extent // prime if at == dim else other for at, other in enumerate(left)), rest,
                       offsets + index[dim] % prime * stride, stride * prime)

    index = list(np.indices(shape).reshape(len(shape), -1))
    extend(shape, index, np.zeros_like(index[0]), 1)
    return frozenset(layouts)


def has_empty(blocks: tuple[tuple[int, int], ...], shape: Shape) -> bool:
    """Whether some block begins behind its dimension's end."""
    inside = [1] * len(shape)
    for dim, size in reversed(blocks):
        if inside[dim] >= shape[dim]:
            return True
        inside[dim] *= size
    return False


def agree(a: Spelled, shape_a: Shape, b: Spelled, shape_b: Shape, shared: list[int]) -> bool:
    """Whether the dimensions that both have are stored alike, at the extents of one of them."""
    number = {dim: at for at, dim in enumerate(shared)}

    def project(layout: Spelled) -> Spelled:
        return Spelled(tuple(number[dim] for dim in layout.order if dim in number),
                       tuple((number[dim], size) for dim, size in layout.blocks if dim in number))

    shapes = [tuple(shape[dim] for dim in shared) for shape in (shape_a, shape_b)]
    return any(memory(project(a), shape) == memory(project(b), shape) for shape in shapes)


def anything(_: Memory) -> bool:
    return True


@dataclass(frozen=True)
class Cheap:
    """The least cost of a value and the layouts that have it, as a set or as a test; any other costs one more."""

    cost: int
    layouts: frozenset[Memory] | Callable[[Memory], bool]

    def has(self, stored: Memory) -> bool:
        return stored in self.layouts if isinstance(self.layouts, frozenset) else self.layouts(stored)

    def then(self, image: Iterable[Memory], others: frozenset[Memory] | Callable[[Memory], bool]) -> Cheap:
        """Where the cheap layouts lead; where nowhere, all others for one relayout more."""
        led = frozenset(image)
        return Cheap(self.cost, led) if led else Cheap(self.cost + 1, others)


@dataclass
class Node:
    kind: str  # input, relu, add, transpose, reshape, matmul, conv
    shape: Shape
    operands: list[Node] = field(default_factory=list)
    permutation: Shape = ()


@dataclass
class Chip:
    blocks: Shape
    # by kind of op and rank: what is listed for the data and for the result
    listed: dict[tuple[str, int], tuple[list[Spelled], list[Spelled]]]


def seen_through(node: Node, stored: Memory) -> Memory | None:
    """What a view shows of memory; None if that is no layout."""
    if node.kind == "transpose":
        offsets = np.array(stored.offsets).reshape(node.operands[0].shape).transpose(node.permutation)
        stored = Memory(tuple(offsets.reshape(-1).tolist()), stored.stored)
    return stored if runs(stored, node.shape) is not None else None


def cheap_view(node: Node, chip: Chip, is_free: bool) -> Cheap:
    operand, source = node.operands[0], cheapest(node.operands[0], chip, is_free)
    if not isinstance(source.layouts, frozenset):
        back = Node(node.kind, operand.shape, [node], tuple(np.argsort(node.permutation)))

        def comes_from_one(stored: Memory) -> bool:
            before = seen_through(back, stored)
            return before is not None and source.has(before)

        # Padding helps nothing through that does not pass without.
        if any(map(comes_from_one, unpadded(node.shape))):
            return Cheap(source.cost, comes_from_one)
        return Cheap(source.cost + 1, anything)
    image = [seen_through(node, stored) for stored in source.layouts]
    return source.then([stored for stored in image if stored is not None], anything)


def cheap_add(node: Node, chip: Chip, is_free: bool) -> Cheap:
    known = kernels(node.shape, chip.blocks)
    sides = [cheapest(operand, chip, is_free) for operand in node.operands]
    cost = sum(side.cost for side in sides)
    sets = [frozenset(stored for stored in side.layouts if is_kernels(stored, node.shape, chip.blocks))
            if isinstance(side.layouts, frozenset) else frozenset(filter(side.layouts, known)) for side in sides]
    if both := frozenset.intersection(*sets):
        return Cheap(cost, both)
    one = frozenset.union(*sets)
    return Cheap(cost + 1, one) if one else Cheap(cost + len(sides), known)


def cheap_listed(node: Node, chip: Chip, is_free: bool) -> Cheap:
    """Orders in and out that the chip lists: those that agree, and those without a partner."""
    source, shape = cheapest(node.operands[0], chip, is_free), node.operands[0].shape
    read, written = chip.listed[node.kind, len(node.shape)]
    shared = list(range(len(shape) - (node.kind == "matmul")))

    def is_pair(a: Spelled, b: Spelled) -> bool:
        return agree(a, shape, b, node.shape, shared)

    pairs = [(a, b) for a in read for b in written
             if is_pair(a, b) or not any(is_pair(a, other) for other in written)
             or not any(is_pair(other, b) for other in read)]
    image = [memory(b, node.shape) for a, b in pairs if source.has(memory(a, shape))]
    return source.then(image, frozenset(memory(b, node.shape) for _, b in pairs))


def cheapest(node: Node, chip: Chip, is_free: bool) -> Cheap:
    if node.kind == "input":
        return Cheap(0, anything if is_free else frozenset([row_major(node.shape)]))
    if node.kind in ("transpose", "reshape"):
        return cheap_view(node, chip, is_free)
    if node.kind in ("relu", "add"):
        return cheap_add(node, chip, is_free)
    return cheap_listed(node, chip, is_free)


def row_major(shape: Shape) -> Memory:
    return memory(Spelled(tuple(range(len(shape)))), shape)


def least_relayouts(root: Node, chip: Chip, is_free: bool) -> int:
    """Of the whole tree; `is_free`: inputs and the output may be stored in any order."""
    result = cheapest(root, chip, is_free)
    return result.cost + (not is_free and not result.has(row_major(root.shape)))
