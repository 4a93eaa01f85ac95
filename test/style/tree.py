# SPDX-License-Identifier: Apache-2.0
"""What every style check shares: the project's files, and how to report."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = ("build", ".git", ".cache", "__pycache__")

Check = Callable[[Path], list[str]]


def files(root: Path, *suffixes: str) -> list[Path]:
    """The project's own files, sorted, relative to its root."""
    if (root / ".git").exists():
        command = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        found = [Path(name) for name in names if (root / name).is_file()]
    else:
        found = []
        for folder, folders, names in os.walk(root):
            folders[:] = [name for name in folders if not name.startswith(SKIPPED)]
            found += [(Path(folder) / name).relative_to(root) for name in names]
    return sorted(path for path in found if not suffixes or path.suffix in suffixes)


def text(root: Path, path: Path) -> str:
    """A file's text; empty for what is not text."""
    try:
        return (root / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def main(check: Check, rule: str) -> None:
    """Runs one check on the project and exits."""
    parser = argparse.ArgumentParser(description=rule)
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree to check (this one)")
    findings = check(parser.parse_args().root.resolve())
    for finding in findings:
        print(finding)
    print(f"{'FAILED' if findings else 'ok'}: {rule} ({len(findings)} findings)")
    sys.exit(1 if findings else 0)
