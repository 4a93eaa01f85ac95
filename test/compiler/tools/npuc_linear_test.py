# SPDX-License-Identifier: Apache-2.0
"""Compiling a chain takes instructions in proportion to its length, whatever npuc does with it.

Instructions are counted by valgrind's cachegrind: time wobbles, and a loop over all pairs of ops does not show in it
before a network has thousands of them. `--report` runs every layout strategy.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Of three nodes each; times a power of two, that hash tables are equally full. `make soak` goes on to the last.
LINKS = (64, 128, 2048 if "NPU_EVERY_CASE" in os.environ else 512)
# The longer chain's links may be dearer by so much. It is 0.2 % as it is (trees, sorting); an empty loop over all pairs of
# 1,024 kernels makes it 1.1 % more. Where things lie in memory (the length of a path, the environment) is where tables keyed by
# pointers have collisions: 0.1 % of a run, 0.3 % of what is compared here.
TOLERANCE = 1.01
SHAPE = [1, 8, 12, 12]


def chain(links: int) -> onnx.ModelProto:
    """Residual blocks in a row: a 1x1 convolution, a sigmoid, the sum with what came in."""
    nodes = []
    for i in range(links):
        nodes += [
            helper.make_node("Conv", [f"x{i}", "w"], [f"c{i}"]),
            helper.make_node("Sigmoid", [f"c{i}"], [f"s{i}"]),
            helper.make_node("Add", [f"s{i}", f"x{i}"], [f"x{i + 1}"]),
        ]
    images = [helper.make_tensor_value_info(name, TensorProto.FLOAT, SHAPE) for name in ("x0", f"x{links}")]
    weight = numpy_helper.from_array(np.full((8, 8, 1, 1), 0.1, np.float32), "w")
    graph = helper.make_graph(nodes, "chain", images[:1], images[1:], [weight])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def instructions(npuc: str, links: int, folder: Path) -> int:
    model = folder / f"chain{links}.onnx"
    onnx.save(chain(links), model)
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", npuc, str(model)]
    # Threads that look for work count, too, and more of them on a busy machine.
    command += ["--mlir-disable-threading", f"--report={model.with_suffix('.json')}", "-o", str(model.with_suffix(".npu"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if done.returncode or not found:
        sys.exit(f"{' '.join(command)} fails:\n{done.stderr[-2000:]}")
    return int(found[1].replace(",", ""))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="the build's folder")
    npuc = f"{parser.parse_args().build}/bin/npuc"
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        short, middle, long = pool.map(lambda links: instructions(npuc, links, Path(folder)), LINKS)
    first = (middle - short) / (LINKS[1] - LINKS[0])
    second = (long - middle) / (LINKS[2] - LINKS[1])
    print(f"{short:,}, {middle:,}, {long:,} instructions: {first:,.0f}, then {second:,.0f} for a link of the chain")
    if second > TOLERANCE * first:
        sys.exit("not in proportion to the length: callgrind says which function grows")


if __name__ == "__main__":
    main()
