# SPDX-License-Identifier: Apache-2.0
"""A pass has one name: flag npu-fold-layout, file FoldLayout.cpp, test fold-layout.mlir."""

from __future__ import annotations

import re
from pathlib import Path

import tree

PASS = re.compile(r'^def\s+\w+\s*:\s*\w*Pass<"([\w-]+)"', re.MULTILINE)


def camel_case(flag: str) -> str:
    return "".join(part.capitalize() for part in flag.split("-"))


def check(root: Path) -> list[str]:
    sources = {path.name.lower() for path in tree.files(root, ".cpp")}
    tests = {path.name for path in tree.files(root, ".mlir") if path.parts[0] == "test"}
    findings = []
    for path in tree.files(root, ".td"):
        for flag in PASS.findall(tree.text(root, path)):
            if not flag.startswith("npu-"):
                findings.append(f"{path}: pass '{flag}' must be called npu-...")
                continue
            name = flag.removeprefix("npu-")
            if f"{camel_case(name)}.cpp".lower() not in sources:
                findings.append(f"{path}: pass '{flag}' has no file {camel_case(name)}.cpp")
            if f"{name}.mlir" not in tests:
                findings.append(f"{path}: pass '{flag}' has no test {name}.mlir under test/")
    return findings


if __name__ == "__main__":
    tree.main(check, __doc__)
