#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every verifier label (`// conv_c1`) has a negative case, and every case a label."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

LABEL = re.compile(r"\b[a-z][a-z_]*_c\d+\b")


def labels(paths: list[Path]) -> set[str]:
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return {label for line in lines for label in LABEL.findall(line.partition("//")[2])}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checks", type=Path, required=True, help="folder of the verifiers (*.cpp)")
    parser.add_argument("--cases", type=Path, required=True, help="folder of the tests (verification-*.mlir)")
    arguments = parser.parse_args()
    checks = labels(sorted(arguments.checks.glob("*.cpp")))
    cases = labels(sorted(arguments.cases.glob("verification-*.mlir")))
    if not checks or not cases:
        print(f"{len(checks)} labels of checks and {len(cases)} of cases: is this the right folder?")
        return 1
    for label in sorted(checks - cases):
        print(f"{label}: no case in {arguments.cases}/verification-*.mlir")
    for label in sorted(cases - checks):
        print(f"{label}: a case, but no check in {arguments.checks} has this label")
    return int(checks != cases)


if __name__ == "__main__":
    sys.exit(main())
