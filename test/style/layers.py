# SPDX-License-Identifier: Apache-2.0
"""Includes go downward in the picture of compiler/README.md.

The picture is its block ```layers: a line names folders that stand side by side. A file includes what is in its own
folder or in a line further down; a folder that is named by itself is no part of the one that it lies in. bench/, examples/ and
test/ stand above all of it.
"""

from __future__ import annotations

import re
from pathlib import Path

import tree

PICTURE = Path("compiler/README.md")
ABOVE = ("bench", "examples", "test")
BLOCK = re.compile(r"^```layers\n(.*?)^```", re.MULTILINE | re.DOTALL)
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.MULTILINE)


def heights(picture: str) -> dict[str, int]:
    """How high each folder stands; the lowest line is 1."""
    lines = picture.strip().splitlines()
    return {folder: len(lines) - number for number, line in enumerate(lines) for folder in line.split()}


def room_of(path: str, rooms: dict[str, int]) -> str | None:
    """The longest named folder that the file lies in."""
    inside = [room for room in rooms if path.startswith(f"{room}/")]
    return max(inside, key=len, default=None)


def check(root: Path) -> list[str]:
    found = BLOCK.search(tree.text(root, PICTURE)) if (root / PICTURE).is_file() else None
    if not found:
        return [f"{PICTURE}: has no block ```layers"]
    rooms = heights(found[1])
    findings = [f"{PICTURE}: names {room}, which is not there" for room in rooms if not (root / room).is_dir()]
    for path in tree.files(root, ".h", ".hpp", ".cpp", ".c"):
        if path.parts[0] in ABOVE:
            continue
        room = room_of(path.as_posix(), rooms)
        if room is None:
            findings.append(f"{path}: lies in no folder of the picture in {PICTURE}")
            continue
        for header in INCLUDE.findall(tree.text(root, path)):
            other = room_of(f"include/{header}" if header.startswith(("npu/", "npuc/")) else header, rooms)
            if header.split("/")[0] in ABOVE or (other and other != room and rooms[other] >= rooms[room]):
                findings.append(f"{path}: includes {header}, which does not stand below {room} in {PICTURE}")
    return findings


if __name__ == "__main__":
    tree.main(check, __doc__.splitlines()[0])
