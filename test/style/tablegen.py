# SPDX-License-Identifier: Apache-2.0
"""The ops and passes that the tree's .td files define, as TableGen itself reads them."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import tree

TBLGEN = "llvm-tblgen-22"
CONFIG = "llvm-config-22"
INCLUDE = re.compile(r'^\s*include\s+"([^"]+)"', re.MULTILINE)


@dataclass(frozen=True)
class Record:
    """An op (`npu.conv2d`) or a pass (`npu-fold-layout`)."""

    kind: str  # "op" or "pass"
    name: str
    summary: str
    description: str
    where: str  # file and line


def roots(root: Path) -> list[Path]:
    """The .td files that no other one includes."""
    paths = tree.files(root, ".td")
    included = {name for path in paths for name in INCLUDE.findall(tree.text(root, path))}
    return [path for path in paths if path.as_posix() not in included]


def dump(root: Path, path: Path) -> dict:
    """All records of one file; what TableGen says against it is raised."""
    headers = subprocess.run([CONFIG, "--includedir"], capture_output=True, text=True, check=True).stdout.strip()
    command = [TBLGEN, "--dump-json", "-I", headers, "-I", str(root), str(root / path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise ValueError(f"{path}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def records(root: Path) -> list[Record]:
    found: dict[str, Record] = {}
    for path in roots(root):
        content = dump(root, path)
        for kind, base in (("op", "Op"), ("pass", "PassBase")):
            for key in content["!instanceof"].get(base, []):
                found.setdefault(key, record(kind, content[key]))
    return sorted(found.values(), key=lambda item: item.name)


def record(kind: str, fields: dict) -> Record:
    name = fields["argument"] if kind == "pass" else fields["opName"]
    where = fields["!locs"][0] if fields["!locs"] else "?"
    return Record(kind, name, fields["summary"].strip(), fields["description"], where)
