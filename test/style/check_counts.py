# SPDX-License-Identifier: Apache-2.0
"""FileCheck's PREFIX-COUNT-N means at least N: a NOT or a NEXT behind it says that there are no more."""

from __future__ import annotations

import re
from pathlib import Path

import tree

COUNT = re.compile(r"([A-Z][\w-]*)-COUNT-(\d+): *(.*?) *$")


def closes(line: str, prefix: str, pattern: str) -> bool:
    """Whether no more matches can stand where this line is looked for."""
    if re.search(rf"{prefix}-(NEXT|EMPTY):", line):
        return True
    same = re.search(rf"{prefix}-NOT: *(.*?) *$", line)
    return bool(same) and same.group(1) == pattern


def check(root: Path) -> list[str]:
    findings = []
    for path in tree.files(root, ".mlir", ".test"):
        lines = tree.text(root, path).splitlines()
        for number, (line, after) in enumerate(zip(lines, lines[1:] + [""], strict=True), 1):
            found = COUNT.search(line)
            if not found:
                continue
            prefix, count, pattern = found.groups()
            if count == "1":
                findings.append(
                    f"{path}:{number}: {prefix}-COUNT-1 is {prefix}: at least one; "
                    f"for exactly one put {prefix}-NOT: {pattern} behind it"
                )
            elif not closes(after, prefix, pattern):
                findings.append(
                    f"{path}:{number}: {prefix}-COUNT-{count} allows more; "
                    f"put {prefix}-NOT: {pattern} on the next line"
                )
    return findings


if __name__ == "__main__":
    tree.main(check, __doc__)
