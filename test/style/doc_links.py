# SPDX-License-Identifier: Apache-2.0
"""Links between pages, and the files, functions and types that pages name, exist.

A file is named in backticks, from the root, from the page's folder, or, if it is code, by its name alone:
`kernels/registry.cpp`, `registry.cpp`. Globs, `<name>` and build outputs are left out. A function or type is named
as the code has it: `decideInOrder`, `NPU_OP_COUNT`, `LayoutPlan`. Types are looked for only on pages about the code; others' (ONNX's ops,
say) stand on those for users.
"""

from __future__ import annotations

import re
from pathlib import Path

import tree

LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
NAMED = re.compile(r"`([\w-]+(?:/[\w.-]+)+\.[a-z]+)`")
CODE = (".cpp", ".h", ".td", ".py", ".c")
OTHERS = (".cmake", ".in", ".js", ".json", ".mlir", ".txt", ".yaml")
QUOTED = re.compile(r"`([\w.:-]+)(?:\(\))?`")
FUNCTION = re.compile(r"(?:\w+::)*([a-z]+[A-Z]\w*|NPUC?_[A-Z0-9_]+)")
TYPE = re.compile(r"(?:\w+::)*([A-Z][a-z]+[A-Z]\w*)")
FENCE = re.compile(r"```.*?```", re.DOTALL)


def is_about_code(page: Path) -> bool:
    return page.parts[0] != "docs" or page.name.startswith("adding-")


def check(root: Path) -> list[str]:
    findings = []
    paths = tree.files(root)
    known = {path.parts[0] for path in paths if len(path.parts) > 1}
    names = {path.name for path in paths}
    words = set()
    for path in paths:
        if path.suffix in CODE + OTHERS:
            words.update(re.findall(r"\w+", tree.text(root, path)))
    for page in tree.files(root, ".md"):
        content = FENCE.sub("", tree.text(root, page))
        for target in LINK.findall(content):
            if not (root / page.parent / target).exists():
                findings.append(f"{page}: links to {target}, which is not there")
        for name in NAMED.findall(content):
            if Path(name).parts[0] in known and not any((start / name).exists() for start in (root, root / page.parent)):
                findings.append(f"{page}: names {name}, which is not there")
        for name in QUOTED.findall(content):
            kinds = (FUNCTION, TYPE) if is_about_code(page) else (FUNCTION,)
            symbol = next(filter(None, (kind.fullmatch(name) for kind in kinds)), None)
            if (name not in names and not name.startswith(".")) if name.endswith(CODE) else (symbol and symbol[1] not in words):
                findings.append(f"{page}: names {name}, which no {'folder' if name.endswith(CODE) else 'code'} has")
    return findings


if __name__ == "__main__":
    tree.main(check, __doc__.splitlines()[0])
