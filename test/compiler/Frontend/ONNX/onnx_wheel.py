# SPDX-License-Identifier: Apache-2.0
"""The test cases of the onnx package that Debian's libonnx-testdata does not have, as files like Debian's."""

from __future__ import annotations

import pathlib
import warnings
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

# The newest opset that onnxruntime, the oracle for whole models, knows as
# finished; newer cases are folded by onnx_conformance.py.
NEWEST_OPSET = 25


def opset_of(model: onnx.ModelProto) -> int:
    return max((row.version for row in model.opset_import if row.domain in ("", "ai.onnx")), default=0)


def write_arrays(folder: pathlib.Path, kind: str, arrays: list[Any]) -> None:
    for i, array in enumerate(arrays):
        if isinstance(array, (np.ndarray, np.generic)):  # not a sequence: such cases are refused
            proto = numpy_helper.from_array(np.asarray(array))
            (folder / f"{kind}_{i}.pb").write_bytes(proto.SerializeToString())


def write_cases(root: pathlib.Path, known: set[str]) -> None:
    """Writes every case of a finished opset whose name is not among the known ones."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = collect_testcases(None)
    for case in cases:
        if case.name in known or not 0 < opset_of(case.model) <= NEWEST_OPSET:
            continue
        folder = root / "node" / case.name
        folder.mkdir(parents=True)
        (folder / "model.onnx").write_bytes(case.model.SerializeToString())
        for i, (inputs, outputs) in enumerate(case.data_sets):
            data = folder / f"test_data_set_{i}"
            data.mkdir()
            write_arrays(data, "input", inputs)
            write_arrays(data, "output", outputs)
