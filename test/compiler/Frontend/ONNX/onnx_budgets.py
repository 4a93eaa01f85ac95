# SPDX-License-Identifier: Apache-2.0
"""Importing may give up at any node: ONNX's own cases inside a function, with budgets of few nodes.

A builder that goes on without the value that it did not get would crash; it must end with one error.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import onnx
from onnx import helper

CASES = Path("/usr/share/libonnx-testdata/data/node")
BUDGETS = (1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 30, 45, 70)
TIMEOUT_SECONDS = 60


def in_function(path: Path) -> onnx.ModelProto:
    """The model's graph as a function that is called once: its nodes are written out, so they count."""
    model = onnx.load(path)
    graph, imports = model.graph, list(model.opset_import)
    inputs, outputs = [value.name for value in graph.input], [value.name for value in graph.output]
    function = helper.make_function("test", "Case", inputs, outputs, list(graph.node), imports)
    call = helper.make_graph([helper.make_node("Case", inputs, outputs, domain="test")], "case", graph.input, graph.output)
    return helper.make_model(
        call, opset_imports=[*imports, helper.make_opsetid("test", 1)], functions=[function], ir_version=8
    )


def fault_of(npuc: str, path: Path, folder: Path) -> str:
    """The first budget with which npuc does anything but compile or refuse in one line."""
    model = folder / f"{path.parent.name}.onnx"
    onnx.save(in_function(path), model)
    for nodes in BUDGETS:
        words = [str(model), "-q", "--emit=mlir", "--layout=none", "--target=host", f"--budget=nodes={nodes}", "-o", "-"]
        done = subprocess.run([npuc, *words], capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS)
        lines = done.stderr.splitlines()
        if done.returncode < 0 or done.returncode and (len(lines) != 1 or not lines[0].startswith("npuc: error: ")):
            return f"{path.parent.name}, {nodes} nodes: exit code {done.returncode}, {done.stderr[:500]}"
        if "the budget is" not in done.stderr:
            break
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="the build folder with bin/npuc")
    parser.add_argument("--every", type=int, default=1, help="only each N-th case (1)")
    arguments = parser.parse_args()
    paths = sorted(CASES.glob("*/model.onnx"))[:: arguments.every]
    npuc = str(arguments.build.resolve() / "bin" / "npuc")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        faults = list(filter(None, pool.map(lambda path: fault_of(npuc, path, Path(folder)), paths)))
    print("\n".join(faults[:20]))
    print(f"{len(paths)} cases, {len(faults)} at fault")
    sys.exit(1 if faults or not paths else 0)


if __name__ == "__main__":
    main()
