# SPDX-License-Identifier: Apache-2.0
"""No file of code or prose is longer than 700 lines."""

from __future__ import annotations

from pathlib import Path

import tree

LIMIT = 700
SUFFIXES = (".c", ".cmake", ".cpp", ".h", ".md", ".mlir", ".py", ".sh", ".td", ".txt", ".yaml")


def check(root: Path) -> list[str]:
    findings = []
    for path in tree.files(root, *SUFFIXES):
        lines = tree.text(root, path).count("\n")
        if lines > LIMIT:
            findings.append(f"{path}: {lines} lines; split it into files of at most {LIMIT}")
    return findings


if __name__ == "__main__":
    tree.main(check, __doc__)
