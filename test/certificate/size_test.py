# SPDX-License-Identifier: Apache-2.0
"""The checker stays small enough to be read: at most 680 lines of code, its command line included."""

from __future__ import annotations

import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "certificate"
MOST = 680
NO_CODE = re.compile(r"\s*(//.*)?$")
FOREIGN = re.compile(r'#include ["<](compiler|llvm|mlir)/')


def main() -> int:
    lines = [line for file in FOLDER.glob("*.[ch]*") for line in file.read_text(encoding="utf-8").splitlines()]
    code = [line for line in lines if not NO_CODE.match(line)]
    foreign = [line for line in code if FOREIGN.match(line)]
    print(f"{len(code)} lines of code, at most {MOST}; includes of the compiler: {foreign}")
    return 1 if len(code) > MOST or len(code) < 50 or foreign else 0


if __name__ == "__main__":
    sys.exit(main())
