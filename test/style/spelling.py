# SPDX-License-Identifier: Apache-2.0
"""No word is misspelt (codespell), and pages that newcomers read are free of what proselint finds."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import plain_words
import tree

TEXTS = (".md", ".py", ".txt", ".cpp", ".h", ".c", ".td", ".sh", ".yaml", ".yml", ".js", ".css", ".cff")
# Typography is that of plain text: straight quotes, three dots. Code and tables repeat words.
LEFT_OUT = ("annotations", "typography", "lexical_illusions", "uncomparables")
FOUND = re.compile(rf"page-(\d+)\.md:(\d+):\d+: (?!{'|'.join(LEFT_OUT)})(.*)")


def misspelt(root: Path) -> list[str]:
    paths = [str(path) for path in tree.files(root, *TEXTS)]
    if not paths:
        return []
    words = [sys.executable, "-m", "codespell_lib", f"--config={tree.ROOT / '.codespellrc'}", *paths]
    return subprocess.run(words, cwd=root, capture_output=True, text=True, check=False).stdout.splitlines()


def clumsy(root: Path) -> list[str]:
    pages = [page for page in plain_words.PAGES if (root / page).is_file()]
    if not pages:
        return []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, page in enumerate(pages):
            text = plain_words.prose((root / page).read_text(encoding="utf-8"))
            (folder / f"page-{number}.md").write_text(text, encoding="utf-8")
        words = [sys.executable, "-m", "proselint", "check", *(f"page-{number}.md" for number in range(len(pages)))]
        run = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        assert run.returncode in (0, 1), run
        found = FOUND.findall(run.stdout)
    return [f"{pages[int(number)]}:{line}: {text}" for number, line, text in found]


def check(root: Path) -> list[str]:
    return misspelt(root) + clumsy(root)


if __name__ == "__main__":
    tree.main(check, __doc__)
