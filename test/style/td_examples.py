# SPDX-License-Identifier: Apache-2.0
"""Every op and every pass has a summary, and a description with an example.

test/compiler/examples_test.py runs the examples.
"""

from __future__ import annotations

import re
from pathlib import Path

import tablegen
import tree

EXAMPLE = re.compile(r"```mlir\n.*?```", re.DOTALL)


def check(root: Path) -> list[str]:
    findings = []
    for record in tablegen.records(root):
        if not record.summary:
            findings.append(f"{record.where}: '{record.name}' has no summary")
        if not record.description.strip():
            findings.append(f"{record.where}: '{record.name}' has no description")
        elif not EXAMPLE.search(record.description):
            findings.append(
                f"{record.where}: the description of '{record.name}' has no example (```mlir ... ```)"
            )
    return findings


if __name__ == "__main__":
    tree.main(check, __doc__.splitlines()[0])
