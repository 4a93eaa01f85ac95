# SPDX-License-Identifier: Apache-2.0
"""Every error of the TOSA and TFLite front ends is provoked by a test.

An error counts as provoked if the longest fixed part of its text stands in what
a test of this folder or of TFLite's expects.

example: refusals_test.py --list
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FRONTEND = HERE.parents[3] / "compiler" / "Frontend"
CALL = re.compile(r"\b(?:error|unsupported|fail|emitError|emitUnsupported)\(")
LITERALS = re.compile(r'"((?:[^"\\\n]|\\.)*)"(?:\s*"((?:[^"\\\n]|\\.)*)")*')
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def texts(source: str) -> list[str]:
    """String literals; those beside each other are one."""
    return ["".join(LITERAL.findall(found.group(0))) for found in LITERALS.finditer(source)]


def errors() -> list[tuple[str, str]]:
    """Where each error is made, and the longest fixed part of its text."""
    found = []
    for path in sorted([*FRONTEND.glob("TOSA/*.cpp"), *FRONTEND.glob("TFLite/*.cpp")]):
        source = path.read_text(encoding="utf-8")
        for call in CALL.finditer(source):
            statement = source[call.end() :].split(";\n", 1)[0]
            parts = texts(statement)
            if parts:
                line = source.count("\n", 0, call.start()) + 1
                found.append((f"{path.parent.name}/{path.name}:{line}", max(parts, key=len)))
    return found


def expectations() -> list[str]:
    """What the tests of both folders expect to read."""
    found = []
    for path in [*HERE.glob("*"), *HERE.parent.glob("TFLite/*.py")]:
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if path.suffix == ".mlir":
            found += re.findall(r"// CHECK[A-Z-]*: (.*)", text)
        elif path.suffix in (".cpp", ".py"):
            found += [literal for literal in texts(text) if len(literal) >= 10]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=__doc__.splitlines()[-1])
    parser.add_argument("--list", action="store_true", help="print every error and whether it is provoked")
    arguments = parser.parse_args()
    expected = expectations()
    missing = 0
    every = errors()
    for where, text in every:
        provoked = any(text in one or one in text for one in expected)
        missing += not provoked
        if arguments.list or not provoked:
            print(f"{where}: {'provoked' if provoked else 'no test expects'} '{text}'")
    print(f"{len(every)} errors, {missing} without a test")
    return 1 if missing or not every else 0


if __name__ == "__main__":
    sys.exit(main())
