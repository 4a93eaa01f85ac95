# SPDX-License-Identifier: Apache-2.0
"""What the tests of plugins share: the libraries of CMakeLists.txt, and networks."""

from __future__ import annotations

import sys
from pathlib import Path

for part in ("tools", "Frontend/TFLite"):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compiler" / part))

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import programs  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from programs import Bench  # noqa: E402

__all__ = ["Bench", "library", "network", "option", "programs"]
DOMAIN = "test.demo"


def library(bench: Bench, name: str = "demo") -> Path:
    return bench.build / "test" / "plugin" / f"{name}.so"


def option(bench: Bench, name: str = "demo") -> str:
    return f"--plugin={library(bench, name)}"


def network(
    name: str, nodes: list, weights: dict[str, np.ndarray], shape: list, result: list | None = None
) -> onnx.ModelProto:
    """From x to y, with nodes of the plugin's domain among them, whose results nothing infers."""
    graph = helper.make_graph(
        nodes,
        name,
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, result)],
        [numpy_helper.from_array(value, key) for key, value in weights.items()],
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(DOMAIN, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)
