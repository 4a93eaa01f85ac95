# SPDX-License-Identifier: Apache-2.0
"""A class or function that other files could define too is defined in one file only.

Two different definitions of one qualified name in one program break C++'s one-definition rule: the linker keeps either,
without a word. Universal Ctags reads the files, so nothing needs to be built; it knows what stands in a namespace without
a name. Programs of their own may not share a name either: a library may come to hold both files.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import tree

CTAGS = ["ctags", "--output-format=json", "--language-force=C++", "--kinds-C++=cgsuf", "--fields=+fnSsZ", "-f", "-", "-L", "-"]
# What each program or test has one of, and the file that stands for the library where that is not built in.
OF_EACH_PROGRAM = re.compile(r"main|toolMain|LLVMFuzzerTestOneInput|[A-Z][A-Z0-9_]+")
INSTEAD = ("kernels/onednn/absent.cpp",)
DEFAULT = re.compile(r"\s*=[^,()]*(?:\([^()]*\))?")
PARAMETER_NAME = re.compile(r"(?<=[\w>&*\]] )\w+\s*(?=[,)\[])|(?<=[&*])\w+\s*(?=[,)\[])")


def signature(written: str) -> str:
    """The types of a function's parameters: under other names of them it is the same function."""
    return re.sub(r"\s+", "", PARAMETER_NAME.sub("", DEFAULT.sub("", written)))


def definitions(root: Path) -> Iterator[tuple[str, str, int]]:
    """Qualified name, file and line of all with external linkage."""
    paths = [path.as_posix() for path in tree.files(root, ".h", ".hpp", ".cpp") if path.as_posix() not in INSTEAD]
    done = subprocess.run(CTAGS, cwd=root, input="\n".join(paths), capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        tag = json.loads(line)
        name = "::".join(filter(None, (tag.get("scope"), tag["name"])))
        is_member = tag.get("scopeKind", "namespace") != "namespace"  # its class is looked at
        if is_member or "__anon" in name:
            continue
        if tag["kind"] == "function":
            if tag.get("file") or OF_EACH_PROGRAM.fullmatch(tag["name"]):  # "file": static
                continue
            name += signature(tag.get("signature", ""))
        yield name, tag["path"], tag["line"]


def check(root: Path) -> list[str]:
    places: dict[str, dict[str, int]] = defaultdict(dict)
    for name, path, line in definitions(root):
        places[name].setdefault(path, line)
    findings = []
    for name, where in sorted(places.items()):
        (first, line), *others = sorted(where.items())
        for path, number in others:
            findings.append(f"{path}:{number}: defines {name}, as {first}:{line} does; rename one, or hide it in its file")
    return findings


if __name__ == "__main__":
    tree.main(check, __doc__.splitlines()[0])
