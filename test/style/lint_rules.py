# SPDX-License-Identifier: Apache-2.0
"""The patterns that .pre-commit-config.yaml forbids occur in no file (or say NOLINT(why))."""

from __future__ import annotations

import re
from pathlib import Path

import tree
import yaml


def check(root: Path) -> list[str]:
    config = yaml.safe_load((tree.ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    hooks = [hook for repo in config["repos"] for hook in repo["hooks"] if hook["language"] == "pygrep"]
    findings = [] if hooks else [".pre-commit-config.yaml: no pygrep hook was found"]
    for hook in hooks:
        pattern, wanted = re.compile(hook["entry"]), re.compile(hook["files"])
        for path in tree.files(root):
            if not wanted.search(path.as_posix()):
                continue
            for number, line in enumerate(tree.text(root, path).splitlines(), 1):
                if pattern.search(line) and "NOLINT(" not in line:
                    findings.append(f"{path}:{number}: {hook['name']}: {line.strip()[:80]}")
    return findings


if __name__ == "__main__":
    tree.main(check, __doc__)
