# SPDX-License-Identifier: Apache-2.0
"""Importing may give up at any node: ONNX's own cases with budgets that soon end.

A builder that goes on without the value that it did not get would crash, or never end; there must be one error.
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
NODES = (1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 30, 45, 70)
COMPUTED = (1, 4, 8, 30, 100, 400, 2000)
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


def of_constants(path: Path) -> onnx.ModelProto:
    """The model on the case's own numbers: all of it is computed while compiling."""
    model = onnx.load(path)
    for index, value in enumerate(model.graph.input):
        tensor = onnx.TensorProto()
        tensor.ParseFromString((path.parent / "test_data_set_0" / f"input_{index}.pb").read_bytes())
        tensor.name = value.name
        model.graph.initializer.append(tensor)
    del model.graph.input[:]
    return model


def fault_of(npuc: str, model: Path, budget: str) -> tuple[str, bool]:
    """What npuc does that is neither compiling nor refusing in one line; whether the budget ended."""
    words = [str(model), "-q", "--emit=mlir", "--layout=none", "--target=host", f"--budget={budget}", "-o", "-"]
    try:
        done = subprocess.run([npuc, *words], capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        return f"{model.name} with {budget} does not end", False
    lines = done.stderr.splitlines()
    if done.returncode < 0 or done.returncode and (len(lines) != 1 or not lines[0].startswith("npuc: error: ")):
        return f"{model.name} with {budget}: exit code {done.returncode}, {done.stderr[:500]}", False
    return "", "the budget is" in done.stderr


def first_fault(npuc: str, path: Path, folder: Path) -> str:
    for make, sizes in ((in_function, {"nodes": NODES}), (of_constants, {"fold": COMPUTED, "constants": COMPUTED})):
        model = folder / f"{path.parent.name}-{make.__name__}.onnx"
        onnx.save(make(path), model)
        for name, numbers in sizes.items():
            for number in numbers:
                fault, has_ended = fault_of(npuc, model, f"{name}={number}")
                if fault:
                    return fault
                if not has_ended:
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
        faults = list(filter(None, pool.map(lambda path: first_fault(npuc, path, Path(folder)), paths)))
    print("\n".join(faults[:20]))
    print(f"{len(paths)} cases, {len(faults)} at fault")
    sys.exit(1 if faults or not paths else 0)


if __name__ == "__main__":
    main()
