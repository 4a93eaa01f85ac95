# SPDX-License-Identifier: Apache-2.0
"""The networks are what the benchmarks say they are, and make good tests."""

from __future__ import annotations

import argparse
import collections
import os
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "models"))

import small  # noqa: E402
import zoo  # noqa: E402

# What each file must contain: transposes, convolutions.
CONTENTS = {
    "resnet50": (0, 53),
    "resnet101": (0, 104),
    "vgg16": (1, 13),
    "mobilenet_v2": (0, 52),
    "resnet50_qdq": (0, 53),
    "mobilenet_v2_qdq": (0, 52),
    "densenet121": (0, 120),
    "inception_v3": (0, 94),
    "mobilenet_v3_large": (128, 64),
    "ppocr_det": (0, 62),
}
FULL_ONLY = {"resnet101"}  # its small size is no test's network


def check_network(name: str, quick: bool) -> None:
    net = zoo.find(name)
    size = net.small if quick else net.size
    path = zoo.ensure(name, size)
    model = onnx.load(path)
    kinds = collections.Counter(node.op_type for node in model.graph.node)
    assert (kinds["Transpose"], kinds["Conv"]) == CONTENTS[name], f"{name}: {dict(kinds)}"
    (value,) = model.graph.input
    sizes = value.type.tensor_type.shape.dim
    assert not sizes[0].HasField("dim_value"), f"{name}: the batch is fixed"

    sample = net.sample(2, size, net.order, seed=7)
    if net.source == "keras":
        assert [dim.dim_value for dim in sizes][1:] == list(sample.shape[1:]), f"{name}: input {sizes}"
    session = onnxruntime.InferenceSession(str(path))
    (output,) = session.run(None, {value.name: sample})
    assert np.isfinite(output).all(), f"{name}: not finite"
    assert not np.allclose(output[0], output[1], atol=1e-3), f"{name}: does not look at the picture"
    top = output.reshape(2, -1).max(axis=1)
    if net.source == "keras":
        assert output.shape == (2, 1000) and (top > 0.01).all() and (top < 0.95).all(), f"{name}: top {top}"
    print(f"{name} {size[0]}: ok, top {np.round(top, 2)}", flush=True)


def check_small(name: str) -> None:
    """Runs at any batch, and every picture of a batch has its own result."""
    model = small.make(name)
    assert model == small.make(name), f"{name}: another network each time"
    session = onnxruntime.InferenceSession(model.SerializeToString())
    shape = [3, *session.get_inputs()[0].shape[1:]]
    sample = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    (together,) = session.run(None, {"x": sample})
    (alone,) = session.run(None, {"x": sample[1:2]})
    assert np.isfinite(together).all() and together.std() > 1e-3, f"{name}: dull output"
    per_picture = together.reshape(3, -1)
    assert np.allclose(per_picture[1], alone.reshape(-1), atol=1e-5), f"{name}: depends on the batch"
    assert not np.allclose(per_picture[0], per_picture[1], atol=1e-4), f"{name}: the same for all pictures"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build folder")
    os.environ.setdefault("NPU_MODELS", str(parser.parse_args().build.resolve() / "models"))
    for name in small.NETWORKS:
        check_small(name)
    print(f"{len(small.NETWORKS)} small networks: ok")
    for name in CONTENTS:
        check_network(name, quick=False)
        if name not in FULL_ONLY:
            check_network(name, quick=True)


if __name__ == "__main__":
    main()
