# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs random convolution nets whose weights are narrow, and compares them with onnxruntime.

Weights are int8, uint8 and int4 with scales, float16 and bfloat16: kernels keep them so, whatever windows, strides,
padding, norms, activations and teams of threads are like. A model is named by its seed alone.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import ml_dtypes
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

import random_models  # noqa: E402
from random_ops.graph import BFLOAT16, Graph, Refused, Value  # noqa: E402

PLANS = ("host/optimal", "host/auto-nhwc", "npu-nhwc/optimal", "host/optimal", "npu-nchw16c/optimal")
OPSET = 21  # the first that has four bits
MOST_ELEMENTS = 2_000_000
CHANNELS = (3, 8, 16, 40, 64, 96, 130, 200)
FILTERS = (8, 24, 64, 65, 128, 192, 300)
EXTENTS = {1: 60, 2: 34, 3: 12}  # by the number of dimensions, the largest
BYTES = {"int8": np.int8, "uint8": np.uint8, "int4": ml_dtypes.int4}
EPILOG = """Examples:
  narrow_models.py --count=1000                  # a thousand models, from the first
  narrow_models.py --seed=17 --count=1 --keep=.  # one model again, and its files
Exit codes: 0 all agree, 1 findings, 2 wrong usage."""


def weight(graph: Graph, shape: list[int], axis: int = 0) -> Value:
    """Real numbers of narrow ones, with a scale for each index of the axis if they are integers."""
    random = graph.random
    fan = float(np.sqrt(np.prod(shape[1:])))
    kind = str(random.choice([*BYTES, "float16", "bfloat16"]))
    if kind not in BYTES:
        real = random.standard_normal(shape) / fan
        return graph.op("Cast", [graph.constant(real.astype(BFLOAT16 if kind == "bfloat16" else np.float16))], to=1)[0]
    low, high = {"int8": (-127, 128), "uint8": (0, 256), "int4": (-8, 8)}[kind]
    numbers = random.integers(low, high, shape).astype(BYTES[kind])
    scales = random.uniform(0.8, 1.2, shape[axis]) / fan / (0.3 * (high - low))
    operands = [graph.constant(numbers), graph.constant(scales.astype(np.float32))]
    if kind == "uint8":
        operands.append(graph.constant(random.integers(118, 138, shape[axis]).astype(np.uint8)))
    return graph.op("DequantizeLinear", operands, axis=axis)[0]


def windows(random: np.random.Generator, rank: int) -> dict[str, list[int]]:
    """What a convolution does with its windows; half of them are plain."""
    kernel = [3] * rank if random.random() < 0.4 else random.choice((1, 1, 2, 3, 3, 5, 7), rank).tolist()
    if random.random() < 0.5:
        return {"kernel_shape": kernel, "pads": [size // 2 for size in kernel] * 2}
    dilations = random.choice((1, 1, 2), rank).tolist()
    return {
        "kernel_shape": kernel,
        "dilations": dilations,
        "strides": random.choice((1, 1, 2, 3), rank).tolist(),
        "pads": [int(random.integers(size * apart + 1)) for size, apart in zip(kernel * 2, dilations * 2)],
    }


def layer(graph: Graph, data: Value) -> Value:
    """A convolution, and what networks have behind it."""
    random = graph.random
    channels, rank = data.array.shape[1], data.array.ndim - 2
    filters = int(random.choice(FILTERS))
    bias = graph.constant(random.standard_normal(filters).astype(np.float32)) if random.random() < 0.6 else None
    if random.random() < 0.08:
        taps = weight(graph, [channels, filters, *[2] * rank], axis=1)
        result = graph.op("ConvTranspose", [data, taps, bias], strides=[2] * rank)[0]
    else:
        groups = 8 if random.random() < 0.12 and channels % 8 == 0 and filters % 8 == 0 else 1
        how = windows(random, rank)
        taps = weight(graph, [filters, channels // groups, *how["kernel_shape"]])
        result = graph.op("Conv", [data, taps, bias], group=groups, **how)[0]
    choice = random.random()
    if choice < 0.3:
        result = graph.op("Relu", [result])[0]
    elif choice < 0.5:
        result = graph.op("Mul", [result, graph.op("Sigmoid", [result])[0]])[0]
    elif choice < 0.7:
        bounds = ((0.5, 1.5), (-1, 1), (-1, 1), (0.5, 1.5))  # scale, bias, mean, variance
        norm = [graph.constant(random.uniform(*each, filters).astype(np.float32)) for each in bounds]
        result = graph.op("BatchNormalization", [result, *norm])[0]
    elif result.array.shape == data.array.shape:
        result = graph.op("Add", [result, data])[0]
    return excite(graph, result) if random.random() < 0.2 else result


def excite(graph: Graph, data: Value) -> Value:
    """Channels scaled by what a product of few rows makes of their means."""
    channels, rank = data.array.shape[1], data.array.ndim - 2
    mean = graph.op("GlobalAveragePool", [data])[0]
    gate = graph.op("Conv", [mean, weight(graph, [channels, channels, *[1] * rank])])[0]
    return graph.op("Mul", [data, graph.op("Sigmoid", [gate])[0]])[0]


def make(seed: int) -> Graph:
    """One to four layers on one to three dimensions."""
    random = np.random.default_rng([seed, 4711])
    graph = Graph(random, OPSET, most_elements=MOST_ELEMENTS)
    rank = int(random.choice((1, 2, 2, 2, 2, 3)))
    shape = [int(random.choice((1, 1, 1, 2, 5))), int(random.choice(CHANNELS))]
    shape += random.integers(5, EXTENTS[rank], rank).tolist()
    data = graph.add_input(random.standard_normal(shape).astype(np.float32))
    for _ in range(int(random.integers(1, 5))):
        state = graph.state()
        try:
            data = layer(graph, data)
        except Refused:  # no place for such windows
            graph.restore(state)
    return graph


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=0, help="the first model's seed (0)")
    parser.add_argument("--count", type=int, required=True, help="models to try")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the files of findings go")
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build folder (build)")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    models, findings = 0, 0
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        graph = make(seed)
        if not graph.nodes:
            continue
        models += 1
        plan = PLANS[seed % len(PLANS)]
        with tempfile.TemporaryDirectory(prefix="npu-narrow-") as name:
            folder = Path(name)
            clause = random_models.check(graph, plan, arguments.build.resolve(), folder, threads=1 + seed % 3)
            if clause is not None:
                findings += 1
                print(f"FOUND seed {seed}, {plan}: {clause}", flush=True)
                random_models.keep_files(folder, arguments.keep, seed)
        if models % 100 == 0:
            print(f"{models} models, {findings} findings", file=sys.stderr, flush=True)
    print(f"{models} models, {findings} findings")
    return 1 if findings or not models else 0


if __name__ == "__main__":
    sys.exit(main())
