# SPDX-License-Identifier: Apache-2.0
"""Links between pages, and the project's files that pages name, exist.

A file is named in backticks, from the root: `kernels/registry.cpp`. Globs, `<name>` and build outputs are left out.
"""

from __future__ import annotations

import re
from pathlib import Path

import tree

LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
NAMED = re.compile(r"`([\w-]+(?:/[\w.-]+)+\.[a-z]+)`")
FENCE = re.compile(r"```.*?```", re.DOTALL)


def check(root: Path) -> list[str]:
    findings = []
    known = {path.parts[0] for path in tree.files(root) if len(path.parts) > 1}
    for page in tree.files(root, ".md"):
        content = FENCE.sub("", tree.text(root, page))
        for target in LINK.findall(content):
            if not (root / page.parent / target).exists():
                findings.append(f"{page}: links to {target}, which is not there")
        for name in NAMED.findall(content):
            if Path(name).parts[0] in known and not any((start / name).exists() for start in (root, root / page.parent)):
                findings.append(f"{page}: names {name}, which is not there")
    return findings


if __name__ == "__main__":
    tree.main(check, __doc__.splitlines()[0])
