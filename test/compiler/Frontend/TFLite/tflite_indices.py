# SPDX-License-Identifier: Apache-2.0
"""Cases of operators that address elements by index, of those that give numbers of shapes, and of sparse constants."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from tflite_builder import Graph, Quant, Tensor
from tflite_cases import ALL, INTEGERS, Case, bytes_of, data, floats, numbers, quants


def gather(g: Graph, rng: np.random.Generator, dtype: str, axis: int, batch: int) -> None:
    x = data(g, rng, dtype, [4, 5, 6])
    shape = {0: [2, 3], 1: [4, 3], -1: [4, 1]}[batch]
    at = g.input(rng.integers(0, 4, shape).astype(np.int32))
    g.output(g.op("GATHER", [x, at], dtype, x.quant, "GatherOptions", version=5, axis=axis, batchDims=batch))


def gather_nd(g: Graph, rng: np.random.Generator, dtype: str, kind: type) -> None:
    x = data(g, rng, dtype, [4, 5, 6])
    for width in (1, 2, 3):
        at = g.input(rng.integers(0, 4, (2, 3, width)).astype(kind))
        g.output(g.op("GATHER_ND", [x, at], dtype, x.quant, "GatherNdOptions", version=5))


def one_hot(g: Graph, rng: np.random.Generator, dtype: str, kind: type) -> None:
    on, off = {"f32": (2.5, -1.0), "bool": (True, False)}.get(dtype, (3, 1))
    stored = {"f32": np.float32, "bool": np.bool_, **INTEGERS}[dtype]
    for axis in (-1, 0):
        values = [np.array(3, np.int32), np.array(on, stored), np.array(off, stored)]
        at = g.input(np.array([0, 2, -1, 3, 1], kind))
        g.output(g.op("ONE_HOT", [at, *(g.constant(v) for v in values)], dtype, None, "OneHotOptions", axis=axis))


def scatter(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    at = g.input(np.array([[4], [3], [1], [7]], np.int32))
    x = data(g, rng, dtype, [4, 2])
    g.output(g.op("SCATTER_ND", [at, x, g.constant(numbers(8, 2))], dtype, None, "ScatterNdOptions"))


def scatter_twice(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    at = g.input(np.array([[1], [1], [0], [1]], np.int32))
    x = data(g, rng, dtype, [4])
    g.output(g.op("SCATTER_ND", [at, x, g.constant(numbers(3))], dtype, None, "ScatterNdOptions"))


def embedding(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    quant = quants(dtype)[0] if dtype in ("i8", "u8") else None
    table = floats(rng, 6, 3) if dtype in ("f32", "bool") else bytes_of(rng, dtype, 6, 3)
    table = table > 0 if dtype == "bool" else table
    g.output(g.op("EMBEDDING_LOOKUP", [g.input(numbers(5, 0, 2)), g.constant(table, quant)], dtype, quant))


def filled(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    x = data(g, rng, dtype, [])
    g.output(g.op("FILL", [g.constant(numbers(2, 3)), x], dtype, x.quant, "FillOptions", version=3))


def top(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    x = data(g, rng, dtype, [3, 9])
    most = g.constant(np.array(4, np.int32))
    values, at = g.op("TOPK_V2", [x, most], [dtype, "i32"], x.quant, "TopKV2Options", version=2)
    g.output(values, at)


def shape(g: Graph, rng: np.random.Generator) -> None:
    x = data(g, rng, "f32", [3, 4])
    y = g.op("SHAPE", [x], "i32", options="ShapeOptions", outType=2)
    z = g.op("RANK", [x], "i32", options="RankOptions")
    for made in (y, z):
        g.output(g.op("ADD", [made, data(g, rng, "i32", [2])], "i32", options="AddOptions"))


def buckets(g: Graph, rng: np.random.Generator) -> None:
    x = g.input(np.float32([-5, 0, 0.5, 1, 10, 99]))
    g.output(g.op("BUCKETIZE", [x], "i32", None, "BucketizeOptions", boundaries=[0.0, 1.0, 10.0]))


def spectrum(g: Graph, rng: np.random.Generator, shape: list[int], lengths: tuple[int, int]) -> None:
    """What is made of complex numbers, as they are and moved."""
    made = g.op("RFFT2D", [data(g, rng, "f32", shape), g.constant(numbers(*lengths))], "c64", None, "Rfft2dOptions")
    longer = g.op("EXPAND_DIMS", [made, g.constant(np.array(0, np.int32))], "c64", options="ExpandDimsOptions")
    flat = g.op("RESHAPE", [made, g.constant(numbers(-1))], "c64", options="ReshapeOptions")
    squeezed = g.op("SQUEEZE", [longer], "c64", options="SqueezeOptions", squeezeDims=[0])
    g.output(g.op("REAL", [longer], "f32"), g.op("IMAG", [flat], "f32"), g.op("COMPLEX_ABS", [squeezed], "f32"),
             g.op("CAST", [made], "f32", options="CastOptions"))  # fmt: skip


def real_numbers(g: Graph, rng: np.random.Generator) -> None:
    """Complex numbers whose imaginary parts are zeros."""
    made = g.op("CAST", [data(g, rng, "f32", [3, 4])], "c64", options="CastOptions")
    moved = g.op("RESHAPE", [made, g.constant(numbers(2, 6))], "c64", options="ReshapeOptions")
    g.output(g.op("IMAG", [moved], "f32"), g.op("REAL", [moved], "f32"), g.op("COMPLEX_ABS", [moved], "f32"))


def counted(g: Graph, rng: np.random.Generator) -> None:
    bounds = [g.constant(np.array(n, np.int32)) for n in (2, 11, 3)]
    made = g.op("RANGE", bounds, "i32", options="RangeOptions")
    g.output(g.op("ADD", [made, data(g, rng, "i32", [3])], "i32", options="AddOptions"))


def sparse(g: Graph, rng: np.random.Generator) -> None:
    at, values = g.constant(numbers(1, 3)), g.input(np.float32([5, 6]))
    size, rest = g.constant(numbers(5)), g.constant(np.float32(0))
    g.output(g.op("SPARSE_TO_DENSE", [at, size, values, rest], "f32", None, "SparseToDenseOptions"))


def sparse_rows(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    at = g.input(np.array([[0, 1], [2, 0], [2, 3]], np.int32))
    values, rest = data(g, rng, dtype, [3]), data(g, rng, dtype, [])
    g.output(g.op("SPARSE_TO_DENSE", [at, g.constant(numbers(3, 4)), values, rest], dtype, values.quant, "SparseToDenseOptions"))


def embedding_of_bytes(g: Graph, rng: np.random.Generator, scale: float | tuple[float, ...]) -> None:
    table = g.constant(bytes_of(rng, "i8", 6, 3), Quant(scale))
    g.output(g.op("EMBEDDING_LOOKUP", [g.input(numbers(5, 0, 2)), table], "f32"))


def counted_floats(g: Graph, rng: np.random.Generator) -> None:
    bounds = [g.constant(np.array(n, np.float32)) for n in (2.5, -1, -0.5)]
    g.output(g.op("ADD", [g.op("RANGE", bounds, "f32", options="RangeOptions"), data(g, rng, "f32", [7])], "f32", options="AddOptions"))
    bounds = [g.constant(np.array(n, np.int64)) for n in (2, -11, -3)]
    g.output(g.op("ADD", [g.op("RANGE", bounds, "i64", options="RangeOptions"), data(g, rng, "i64", [5])], "i64", options="AddOptions"))


def broadcast_shape(g: Graph, rng: np.random.Generator) -> None:
    shape = g.op("BROADCAST_ARGS", [g.constant(numbers(3, 1)), g.constant(numbers(2, 1, 4))], "i32")
    g.output(g.op("BROADCAST_TO", [data(g, rng, "f32", [3, 1]), shape], "f32", None, "BroadcastToOptions", version=2))


def updated(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    for start in ([1, 0, 2], [9, 0, -4]):
        x = data(g, rng, dtype, [4, 5, 6])
        part = data(g, rng, dtype, [2, 5, 3])
        g.output(g.op("DYNAMIC_UPDATE_SLICE", [x, part, g.input(numbers(*start))], dtype, x.quant, "DynamicUpdateSliceOptions"))
        rows = data(g, rng, dtype, [1, 5, 6])
        g.output(g.op("DYNAMIC_UPDATE_SLICE", [x, rows, g.input(numbers(*start))], dtype, x.quant, "DynamicUpdateSliceOptions"))


def diagonal(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    x = data(g, rng, dtype, [2, 3])
    g.output(g.op("MATRIX_DIAG", [x], dtype, x.quant, "MatrixDiagOptions"))
    for rows, columns in ((3, 3), (3, 5), (4, 3)):
        matrices = data(g, rng, dtype, [2, rows, columns])
        g.output(g.op("MATRIX_SET_DIAG", [matrices, x], dtype, x.quant, "MatrixSetDiagOptions"))


def sequences(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    x = data(g, rng, dtype, [3, 5, 2])
    for time, batch, lengths in ((1, 0, numbers(0, 5, 3)), (0, 1, np.array([1, 3, 2, 0, 3], np.int64))):
        g.output(g.op("REVERSE_SEQUENCE", [x, g.input(lengths)], dtype, x.quant, "ReverseSequenceOptions", seqDim=time, batchDim=batch))


def segments(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    x = data(g, rng, dtype, [5, 3])
    g.output(g.op("SEGMENT_SUM", [x, g.constant(numbers(0, 0, 1, 2, 2))], dtype, None, "SegmentSumOptions"))


def unsorted_segments(g: Graph, rng: np.random.Generator, dtype: str, name: str) -> None:
    for ids in (numbers(3, -1, 0, 3), np.array([[1, 0, 1], [2, 4, 2], [-1, 0, 0], [1, 1, 1]], np.int32)):
        x = data(g, rng, dtype, [4, 3])
        g.output(g.op(name, [x, g.input(ids), g.constant(np.array(5, np.int32))], dtype, None, "UnsortedSegment" + name[17:].title() + "Options"))


def places(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    values = {"bool": np.bool_, "f32": np.float32, **INTEGERS}[dtype]
    given = g.constant(np.array([[0, 2, 0], [3, 0, 1]]).astype(values), quants(dtype)[0] if dtype in ("i8", "u8") else None)
    found = g.op("WHERE", [given], "i64", options="WhereOptions")
    g.output(g.op("ADD", [found, data(g, rng, "i64", [3, 2])], "i64", options="AddOptions"))


def ties(g: Graph, rng: np.random.Generator) -> None:
    x = g.input(np.float32([[1, 3, 3, 2, 3], [5, 5, 5, 5, 5], [-np.inf, np.inf, 0, -0.0, 0]]))
    g.output(*g.op("TOPK_V2", [x, g.constant(np.array(4, np.int32))], ["f32", "i32"], None, "TopKV2Options", version=2))


def sparse_constant(g: Graph, values: np.ndarray, blocks: tuple[int, int], kind: type, order: tuple[int, int] = (0, 1)) -> Tensor:
    """A matrix of which the blocks that are not all 0 are stored; rows of blocks are dense, columns are not."""
    tall, wide = (size // block for size, block in zip(values.shape, blocks))
    grid = values.reshape(tall, blocks[0], wide, blocks[1]).transpose(0, 2, 1, 3)
    if order == (1, 0):
        grid = grid.transpose(1, 0, 2, 3)
    used = grid.any(axis=(2, 3))
    tensor = g.constant(grid[used], quants("i8")[0] if values.dtype == np.int8 else None)
    segments = np.concatenate([[0], np.cumsum(used.sum(axis=1))])
    table = {np.int32: schema.Int32VectorT, np.uint16: schema.Uint16VectorT, np.uint8: schema.Uint8VectorT}[kind]
    number = {np.int32: 1, np.uint16: 2, np.uint8: 3}[kind]
    levels = [schema.DimensionMetadataT() for _ in range(4 if blocks != (1, 1) else 2)]
    levels[0].denseSize = len(used)
    levels[1].format = schema.DimensionType.SPARSE_CSR
    levels[1].arraySegmentsType = levels[1].arrayIndicesType = number
    levels[1].arraySegments, levels[1].arrayIndices = table(), table()
    levels[1].arraySegments.values = segments.astype(kind)
    levels[1].arrayIndices.values = np.nonzero(used)[1].astype(kind)
    made = schema.SparsityParametersT()
    made.traversalOrder = [*order]
    if blocks != (1, 1):
        made.traversalOrder += [2, 3]
        made.blockMap = [0, 1]
        levels[2].denseSize, levels[3].denseSize = blocks
    made.dimMetadata = levels
    tensor.shape, tensor.sparsity = list(values.shape), made
    return tensor


def sparse_values(rng: np.random.Generator, dtype: type, rows: int, columns: int) -> np.ndarray:
    values = rng.integers(-100, 100, (rows, columns))
    return np.where(rng.random((rows // 2, columns // 4)).repeat(2, 0).repeat(4, 1) < 0.6, 0, values).astype(dtype)


def dense(g: Graph, rng: np.random.Generator, dtype: str) -> None:
    kind = {"f32": np.float32, "f16": np.float16, "i8": np.int8}[dtype]
    for blocks, width, order in (((1, 1), np.int32, (0, 1)), ((2, 4), np.uint16, (0, 1)), ((1, 4), np.uint8, (0, 1)), ((1, 1), np.uint8, (1, 0))):
        made = g.op("DENSIFY", [sparse_constant(g, sparse_values(rng, kind, 8, 16), blocks, width, order)], dtype,
                    quants("i8")[0] if dtype == "i8" else None, "DensifyOptions")  # fmt: skip
        if dtype != "f32":
            made = g.op("DEQUANTIZE", [made], "f32", None, "DequantizeOptions", version=3)
        g.output(g.op("ADD", [made, data(g, rng, "f32", [16])], "f32", options="AddOptions"))


def sparse_product(g: Graph, rng: np.random.Generator) -> None:
    weights = sparse_constant(g, sparse_values(rng, np.float32, 8, 16), (1, 4), np.uint8)
    g.output(g.op("FULLY_CONNECTED", [data(g, rng, "f32", [3, 16]), weights, None], "f32", None, "FullyConnectedOptions", version=8))


INDICES = {
    "SCATTER_ND": scatter, "SCATTER_ND-twice": scatter_twice, "EMBEDDING_LOOKUP": embedding, "FILL": filled, "TOPK_V2": top,
    "SPARSE_TO_DENSE": sparse_rows, "DYNAMIC_UPDATE_SLICE": updated, "MATRIX_DIAG": diagonal, "REVERSE_SEQUENCE": sequences,
    "SEGMENT_SUM": segments, "WHERE": places,
    **{f"UNSORTED_SEGMENT_{kind}": partial(unsorted_segments, name=f"UNSORTED_SEGMENT_{kind}") for kind in ("SUM", "PROD", "MAX", "MIN")},
}  # fmt: skip
SINGLE = {
    "SHAPE": shape, "BUCKETIZE": buckets, "CAST-complex": real_numbers, "RANGE": counted, "RANGE-others": counted_floats,
    "SPARSE_TO_DENSE": sparse, "BROADCAST_ARGS": broadcast_shape, "TOPK_V2": ties,
    "EMBEDDING_LOOKUP-bytes": partial(embedding_of_bytes, scale=0.02),
    "EMBEDDING_LOOKUP-rows": partial(embedding_of_bytes, scale=(0.02, 0.01, 0.5, 0.03, 1.0, 0.1)),
}  # fmt: skip


def indices() -> Iterator[Case]:
    for dtype, axis, batch in itertools.product(ALL, [0, 1, -1], [0, 1, -1]):
        if not batch or (dtype in ("f32", "i8") and axis != 0):
            yield Case(f"index/GATHER/{dtype}-{axis}-{batch}", partial(gather, dtype=dtype, axis=axis, batch=batch))
    for dtype, kind in itertools.product(ALL, [np.int32, np.int64]):
        for name, make in (("GATHER_ND", gather_nd), ("ONE_HOT", one_hot)):
            yield Case(f"index/{name}/{dtype}-{np.dtype(kind).name}", partial(make, dtype=dtype, kind=kind))
    for dtype in ALL:
        for name, make in INDICES.items():
            yield Case(f"index/{name}/{dtype}", partial(make, dtype=dtype))
    for dtype in ("f32", "f16", "i8"):
        yield Case(f"sparse/DENSIFY/{dtype}", partial(dense, dtype=dtype), is_sum=True)
    yield Case("sparse/FULLY_CONNECTED", sparse_product, is_sum=True)
    for shape, lengths in (([1, 1, 8], (1, 8)), ([2, 4, 16], (4, 16)), ([3, 5, 6], (4, 8)), ([4, 7], (2, 4))):
        text = f"{'x'.join(map(str, shape))}-{lengths[0]}x{lengths[1]}"
        yield Case(f"index/RFFT2D/{text}", partial(spectrum, shape=shape, lengths=lengths), is_sum=True)
    for name, make in SINGLE.items():
        yield Case(f"index/{name}", make)
