# SPDX-License-Identifier: Apache-2.0
"""Every op and every pass has a summary, and a description with an example."""

from __future__ import annotations

import re
from pathlib import Path

import tree

DEFINITION = re.compile(r'^def\s+(\w+)\s*:\s*(\w*(?:Op|Pass))<"([\w.-]+)"', re.MULTILINE)
EXAMPLE = re.compile(r"```mlir\n.*?```", re.DOTALL)


def definitions(source: str) -> list[tuple[str, int, str]]:
    """Mnemonic or flag, line and text of each op and pass in a .td file."""
    matches = list(DEFINITION.finditer(source))
    ends = [match.start() for match in matches[1:]] + [len(source)]
    return [
        (match[3], source.count("\n", 0, match.start()) + 1, source[match.start() : end])
        for match, end in zip(matches, ends)
    ]


def check(root: Path) -> list[str]:
    findings = []
    for path in tree.files(root, ".td"):
        for name, line, body in definitions(tree.text(root, path)):
            if not re.search(r'\bsummary\s*=\s*"|^def[^{]*,\s*"[^"]+"', body) and "Pass<" not in body:
                findings.append(f"{path}:{line}: '{name}' has no summary")
            if not re.search(r"\bdescription\s*=\s*\[\{", body):
                findings.append(f"{path}:{line}: '{name}' has no description")
            elif not EXAMPLE.search(body):
                findings.append(f"{path}:{line}: the description of '{name}' has no example (```mlir ... ```)")
    return findings


if __name__ == "__main__":
    tree.main(check, __doc__)
