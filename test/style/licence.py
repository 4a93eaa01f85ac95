# SPDX-License-Identifier: Apache-2.0
"""Every source file begins with the SPDX line."""

from __future__ import annotations

from pathlib import Path

import tree

LINE = "SPDX-License-Identifier: Apache-2.0"


def check(root: Path) -> list[str]:
    findings = []
    for path in tree.files(root, ".c", ".cpp", ".h", ".td", ".py", ".sh"):
        head = tree.text(root, path).splitlines()[:3]
        if head and not any(LINE in line for line in head):
            findings.append(f"{path}: the first lines do not say {LINE}")
    return findings


if __name__ == "__main__":
    tree.main(check, __doc__)
