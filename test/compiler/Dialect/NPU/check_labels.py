#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every verifier label (`// conv_c1`) has a negative case, and every case a label."""
import argparse
import re
import sys
from pathlib import Path


def labels(path: Path) -> set[str]:
    found = set()
    for line in path.read_text().splitlines():
        comment = line.partition("//")[2]
        found |= set(re.findall(r"\b[a-z][a-z_]*_c\d+\b", comment))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", type=Path, nargs="+", required=True)
    parser.add_argument("--sources", type=Path, nargs="+", required=True)
    arguments = parser.parse_args()
    checks = set().union(*(labels(path) for path in arguments.sources))
    cases = set().union(*(labels(path) for path in arguments.tests))
    for label in sorted(checks - cases):
        print(f"{label}: no negative case")
    for label in sorted(cases - checks):
        print(f"{label}: a case, but no check has this label")
    return int(checks != cases)


if __name__ == "__main__":
    sys.exit(main())
