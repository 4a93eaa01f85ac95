# SPDX-License-Identifier: Apache-2.0
"""Pages that newcomers read use the field's words and plain English: none of WORDS outside of code."""

from __future__ import annotations

import re
from pathlib import Path

import tree

# What stands in them now stays so; a page that is rewritten joins the list.
PAGES = (
    "README.md", "CHANGELOG.md", "CODE_OF_CONDUCT.md", "docs/README.md", "docs/bring-your-chip.md", "docs/columns.md",
    "docs/compatibility.md", "docs/compiler-api.md", "docs/embedding.md", "docs/exit-codes.md", "docs/host-times.md",
    "docs/install.md", "docs/npuc.md", "docs/python.md", "docs/streaming.md", "examples/README.md",
)  # fmt: skip
# What is not said, and what is.
WORDS = {
    r"behind|beside": "after, next to",
    r"dearer": "more expensive",
    r"makes? (it |them )?small": "minimizes",
    r"rehearsals?": "dry run",
    r"last words": "crash handler",
    r"rivals": "baselines",
    r"free view": "no-op view",
    r"crossings?": "host-device transfer",
    r"way of an op": "layout assignment",
    r"lies?": "is",
    r"(is|are) said": "is documented",
    r"who comes from": "a plain subject and verb",
    r"of which": "a sentence of its own",
    r"whoever": "a plain subject",
    r"numbers of [a-z]+ that": "values",
    r"colour|optimis\w+|quantis\w+|behaviour|neighbour\w*": "American spelling",
}  # fmt: skip
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`|\]\([^)]*\)|<!--.*?-->", re.MULTILINE | re.DOTALL)
PATTERNS = {re.compile(rf"\b(?:{word})\b", re.IGNORECASE): instead for word, instead in WORDS.items()}


def prose(text: str) -> str:
    """The text with blanks in place of code, links' targets and comments, so that lines keep their numbers."""
    return CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def check(root: Path) -> list[str]:
    findings = []
    for page in PAGES:
        if not (root / page).is_file():
            continue
        text = prose((root / page).read_text(encoding="utf-8"))
        for pattern, instead in PATTERNS.items():
            for found in pattern.finditer(text):
                line = text.count("\n", 0, found.start()) + 1
                findings.append(f"{page}:{line}: '{found[0]}'; say: {instead}")
    return sorted(findings)


if __name__ == "__main__":
    tree.main(check, __doc__)
