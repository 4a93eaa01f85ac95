# SPDX-License-Identifier: Apache-2.0
"""clang-format 22 would change nothing in any C or C++ file."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import tree

PROGRAM = "clang-format-22"


def check(root: Path) -> list[str]:
    paths = tree.files(root, ".c", ".cpp", ".h")
    if not paths:
        return []
    style = f"--style=file:{tree.ROOT / '.clang-format'}"
    command = [PROGRAM, style, "--dry-run", *map(str, paths)]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    except FileNotFoundError:
        return [f"{PROGRAM} is not there; run `make deps`"]
    places = re.findall(r"^(.+?):\d+:\d+: (?:warning|error)", done.stderr, re.MULTILINE)
    findings = [f"{path}: run `make format`" for path in sorted(set(places))]
    return findings or ([] if done.returncode == 0 else [done.stderr.strip()])


if __name__ == "__main__":
    tree.main(check, __doc__)
