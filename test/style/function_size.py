# SPDX-License-Identifier: Apache-2.0
"""No function is longer than 80 lines.

C++ is not parsed: clang-format puts the brace that closes a body under the
line that opens it, and that is enough to measure.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import tree

LIMIT = 80
OPENING = re.compile(r"^\s*(?P<line>[^\s#/{}].*)\{$")
NO_FUNCTION = re.compile(r"^(?:\}\s*)?(?:(?:if|else|for|while|switch|do|try|catch|namespace|extern)\b|"
                         r"(?:typedef |static |template.*> |inline )*(?:struct|class|enum|union)\b)")  # fmt: skip
CONTROL = re.compile(r"^(?:\}\s*)?(?:else|for|while|if|switch)\b")


def cpp_functions(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """First line, number of lines and beginning of every body."""
    for first, line in enumerate(lines):
        match = OPENING.match(line)
        if not match or NO_FUNCTION.match(match["line"]):
            continue
        start, head = whole_head(lines, first)
        # A body follows ")", not "=".
        if "(" not in head or CONTROL.match(head) or head.endswith("="):
            continue
        indent = re.match(r"\s*", lines[start])[0]
        end = re.compile(rf"^{indent}\}}")
        for last in range(first + 1, len(lines)):
            if end.match(lines[last]):
                yield start + 1, last - start + 1, head[:60]
                break


def whole_head(lines: list[str], line: int) -> tuple[int, str]:
    """Where a head began: parameters and initialisers may take several lines."""
    head = lines[line].strip().removesuffix("{").strip()
    while line > 0:
        before = lines[line - 1].rstrip()
        open_elsewhere = head.count(")") > head.count("(")
        if not (open_elsewhere or head.startswith((":", "->")) or before.endswith((",", " :"))):
            break
        line -= 1
        head = before.strip() + " " + head
    return line, head


def python_functions(source: str) -> Iterator[tuple[int, int, str]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            yield node.lineno, node.end_lineno - node.lineno + 1, node.name


def check(root: Path) -> list[str]:
    findings = []
    for path in tree.files(root, ".c", ".cpp", ".h", ".py"):
        source = tree.text(root, path)
        found = python_functions(source) if path.suffix == ".py" else cpp_functions(source.splitlines())
        for line, length, name in found:
            if length > LIMIT:
                findings.append(f"{path}:{line}: {length} lines in '{name}'; split it, {LIMIT} are allowed")
    return findings


if __name__ == "__main__":
    tree.main(check, __doc__.splitlines()[0])
