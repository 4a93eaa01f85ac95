# SPDX-License-Identifier: Apache-2.0
"""The rows of operator and types in TOSA's base inference profiles, as MLIR's headers have them.

A row is the name and the element types of operands and result, in the order of
TosaComplianceData.h.inc.
"""

from __future__ import annotations

import re
from pathlib import Path

Row = tuple[str, tuple[str, ...]]

NAMES = {"i1": "bool", "f16": "fp16", "f32": "fp32"}
# Operands that a row leaves out.
LEFT_OUT = {"mul": (2,), "select": (0,), "concat": (1,), "rescale": (1, 2)}
# State between runs, which npuc does not have.
NOT_SUPPORTED = ("variable", "variable_read", "variable_write")


def rows(header: Path) -> set[Row]:
    """What the profiles PRO-INT and PRO-FP ask for."""
    text = header.read_text(encoding="utf-8").split("profileComplianceMap")[1].split("extensionComplianceMap")[0]
    found = set()
    for entry in re.sub(r"\s+", "", text).split('{"tosa.')[1:]:
        name = entry.split('"')[0]
        for types in re.findall(r"\{\{([a-z0-9T,]+)\},SpecificationVersion", entry):
            found.add((name, tuple(one.removesuffix("T") for one in types.split(","))))
    return {row for row in found if row[0] not in NOT_SUPPORTED}


def row_of(line: str) -> Row:
    """The row that a line of MLIR stands for."""
    name = re.search(r"tosa\.(\w+)", line).group(1)
    types = re.findall(r"tensor<(?:\d+x)*(\w+)>", line.rsplit(" : (", 1)[1])
    kept = [NAMES.get(one, one) for i, one in enumerate(types) if i not in LEFT_OUT.get(name, ())]
    accumulator = re.search(r"acc_type = (\w+)", line)
    if accumulator:
        kept.insert(-1, NAMES.get(accumulator.group(1), accumulator.group(1)))
    return name, tuple(kept)
