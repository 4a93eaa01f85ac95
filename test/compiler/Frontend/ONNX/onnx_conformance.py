# SPDX-License-Identifier: Apache-2.0
"""Runs ONNX's own node tests through the front end and its evaluator.

Every case of onnx.backend.test whose operators are all supported is imported
with its inputs bound, so that it folds to constants, and these are compared with
the expected outputs. Cases that must fail are listed in REFUSED with the reason;
one that fails unexpectedly, or passes although it is listed, fails the test.
"""

import argparse
import concurrent.futures
import pathlib
import sys
import tempfile
import threading
import warnings

import numpy as np
import onnx
from onnx_arrays import ATOL, DTYPES, FLOATS, RTOL, compare
from onnx.backend.test.case.node import collect_testcases

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "servers"))

from fork_server import Outcome, Server  # noqa: E402

# Parts of a case's name: why it is refused, or differs.
REFUSED = {
    "training_dropout": "training mode",
    "identity_sequence": "sequences",
    "identity_opt": "optionals",
    "if_seq": "sequences",
    "if_opt": "optionals",
    # The definition uses the rounded extent in one place and not in another;
    # onnxruntime, the oracle for whole models, rounds in both, as we do.
    "resize_downsample_scales_linear_align_corners": "rounded extent",
    "resize_downsample_scales_cubic_align_corners": "rounded extent",
}


class Fold:
    """onnx-fold, one server for each thread."""

    def __init__(self, program: pathlib.Path):
        self.program, self.local = program, threading.local()

    def run(self, folder: pathlib.Path, *arguments: object) -> Outcome:
        if not hasattr(self.local, "server"):
            self.local.server = Server(self.program)
        return self.local.server.run(folder, list(arguments))

    def supported_ops(self) -> set[str]:
        with tempfile.TemporaryDirectory() as name:
            return operators_of(self.run(pathlib.Path(name), "--supported-ops").text)


def operators_of(text: str) -> set[str]:
    """Operators of the table that `onnx-fold --supported-ops` prints."""
    text = text.partition("\n## ")[0]  # what follows is out of scope
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| ")][1:]
    return {row[1].strip() for row in rows}


def write_tensor(path: pathlib.Path, array: np.ndarray) -> None:
    extents = "".join(f" {extent}" for extent in array.shape)
    header = f"{DTYPES.index(array.dtype)} {array.ndim}{extents}\n"
    path.write_bytes(header.encode() + array.tobytes())


def read_tensor(path: pathlib.Path) -> np.ndarray:
    header, data = path.read_bytes().split(b"\n", 1)
    dtype, _, *shape = (int(word) for word in header.split())
    return np.frombuffer(data, dtype=DTYPES[dtype]).reshape(shape)


def is_covered(case, table: set[str]) -> bool:
    """Whether the table has the case's operators and types."""
    inputs, outputs = case.data_sets[0]
    arrays = all(isinstance(a, (np.ndarray, np.generic)) and a.dtype in DTYPES for a in (*inputs, *outputs))
    names = (f"{node.domain}.{node.op_type}".lstrip(".") for node in case.model.graph.node)
    return arrays and all(name in table for name in names)


def agree(found: np.ndarray, expected: np.ndarray) -> str:
    """What differs, or nothing; 16-bit floats are rounded where definitions round otherwise."""
    is_narrow = expected.dtype in FLOATS[1:3]
    return compare(found, expected, *((1e-2, 1e-2) if is_narrow else (RTOL, ATOL)))


def run_case(fold: Fold, case) -> str:
    """What is wrong with a case, or nothing."""
    inputs, outputs = case.data_sets[0]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "model.onnx").write_bytes(case.model.SerializeToString())
        arguments = []
        for i, (info, array) in enumerate(zip(case.model.graph.input, inputs)):
            write_tensor(folder / f"in{i}", np.asarray(array))
            arguments.append(f"{info.name}={folder / f'in{i}'}")
        ran = fold.run(folder, folder / "model.onnx", folder / "out", *arguments)
        if ran.code:
            return f"exit code {ran.code}: {ran.text.strip()}"
        differences = (
            agree(read_tensor(folder / f"out{i}"), np.asarray(array)) for i, array in enumerate(outputs)
        )
        return "; ".join(filter(None, differences))


def judge(case, problem: str) -> str:
    """The complaint about a case, or nothing."""
    reasons = [reason for part, reason in REFUSED.items() if part in case.name]
    if "exit code -" in problem:
        return f"{case.name}: crashed: {problem}"
    if problem and not reasons:
        return f"{case.name}: {problem}"
    if not problem and reasons:
        return f"{case.name}: passes, but REFUSED says: {reasons[0]}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", type=pathlib.Path, help="the program onnx-fold-server")
    parser.add_argument("--filter", default="", help="run only cases whose name contains this")
    parser.add_argument("--jobs", type=int, default=2, help="cases at a time")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")

    fold = Fold(arguments.tool)
    table = fold.supported_ops()
    cases = [c for c in collect_testcases(None) if arguments.filter in c.name and is_covered(c, table)]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        problems = pool.map(lambda case: run_case(fold, case), cases)
        complaints = list(filter(None, map(judge, cases, problems)))
    print("\n".join(complaints))
    print(f"{len(cases)} cases, {len(complaints)} complaints")
    return 1 if complaints or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
