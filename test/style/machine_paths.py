# SPDX-License-Identifier: Apache-2.0
"""No file names a folder of somebody's machine, or a package registry's host."""

from __future__ import annotations

import re
from pathlib import Path

import tree

# Written apart, so that this file does not find itself.
FOLDERS = "|".join(("tmp", "work", "root", "home"))
HOSTS = "|".join((r"pypi\.org", r"pythonhosted\.org", r"debian\.org", r"crates\.io", r"npmjs\.org"))
PATTERN = re.compile(rf"(?:^|[\s\"'`=(:])/(?:{FOLDERS})/[\w.]|\b(?:{HOSTS})\b")


def check(root: Path) -> list[str]:
    findings = []
    for path in tree.files(root):
        if path == Path("test/style/rules_test.py") or path == Path("test/style/machine_paths.py"):
            continue
        for number, line in enumerate(tree.text(root, path).splitlines(), 1):
            match = PATTERN.search(line)
            if match:
                findings.append(f"{path}:{number}: names '{match[0].strip()}', which other machines do not have")
    return findings


if __name__ == "__main__":
    tree.main(check, __doc__)
