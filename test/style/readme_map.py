# SPDX-License-Identifier: Apache-2.0
"""A folder with many files has a README.md that names each, and none that is not there.

A pair such as Loader.h and Loader.cpp may be named once, as `Loader`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import tree

A_FEW = 6
# Test cases explain themselves; the README of their folder says what is common.
UNLISTED = re.compile(r"^test/.*\.(mlir|test|onnx|npy|txt|yaml)$|(^|/)(README\.md|CMakeLists\.txt|\..*)$")
NAMED = re.compile(r"^\| *`([\w.-]+\.[a-z]+|[\w./-]+/)`", re.MULTILINE)


def check(root: Path) -> list[str]:
    folders: dict[Path, list[Path]] = defaultdict(list)
    for path in tree.files(root):
        if path.name == "README.md":
            folders[path.parent] += []
        if not UNLISTED.search(path.as_posix()) and path.parent != Path("."):
            folders[path.parent].append(path)
    findings = []
    for folder, members in sorted(folders.items()):
        readme = folder / "README.md"
        if not (root / readme).is_file():
            if len(members) > A_FEW:
                findings.append(f"{folder}: {len(members)} files and no README.md that says what each is for")
            continue
        findings += compare(root, readme, members)
    return findings


def compare(root: Path, readme: Path, members: list[Path]) -> list[str]:
    """Files that are not named, and names at the start of a table's row without a file."""
    content = tree.text(root, readme)
    findings = []
    if len(members) > A_FEW:
        for path in members:
            if path.name not in content and not re.search(rf"`[^`]*\b{re.escape(path.stem)}\b", content):
                findings.append(f"{readme}: does not name {path.name}")
    for name in NAMED.findall(content):
        if not (root / readme.parent / name).exists():
            findings.append(f"{readme}: names {name}, which is not there")
    return findings


if __name__ == "__main__":
    tree.main(check, __doc__.splitlines()[0])
