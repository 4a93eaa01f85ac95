# SPDX-License-Identifier: Apache-2.0
"""Runs every command that README.md and docs/ print, as printed, in a folder that looks like the source tree.

A block without a language whose first line begins with a program of ours holds commands; where they stand behind "$ ",
the lines after each are what it prints (... stands for anything) and what it says on its error output.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import suite

ROOT = Path(__file__).resolve().parents[2]
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"(?:build/bin/)?(npuc|npu-[a-z-]+|npuc-quantize|make|cmake)( |$)")
TABLE_COMMAND = re.compile(r"`((?:build/bin/)(?:npuc|npu-[a-z-]+|npuc-quantize) [^`]*)`")
LINKS = ("build", "docs", "examples", "targets")
# What other tests run.
ELSEWHERE = {
    "bring-your-chip.md": "test/install/acme_npu.py walks through it",
    "plugins.md": "test/plugin and test/install/acme_npu.py",
    "transformers.md": "networks of bench/models, in test/models/compare.py",
}
REFUSED = {"fallback.md": 1}  # so many first commands of the page end with an error, which it prints


def is_make(command: str) -> bool:
    return re.match(r"(make|cmake) ?", command) is not None


def commands_of(page: str) -> list[tuple[str, list[str]]]:
    """Each command of a page, and the lines that it must print, if they are shown."""
    found: list[tuple[str, list[str]]] = []
    for language, block in FENCED.findall(page):
        lines = block.splitlines()
        if language or not COMMAND.match(lines[0].removeprefix("$ ")):
            continue
        for line in lines:
            if line.startswith("$ ") or (not lines[0].startswith("$ ") and COMMAND.match(line)):
                found.append((line.removeprefix("$ "), []))
            else:
                found[-1][1].append(line)
    return found + [(command, []) for command in TABLE_COMMAND.findall(FENCED.sub("", page))]


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def is_printed(line: str, lines: list[str]) -> bool:
    pattern = ".*".join(re.escape(part) for part in line.split("..."))
    return any(re.fullmatch(pattern, other) for other in lines)


class PageCommandsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        for name in LINKS:
            (self.folder / name).symlink_to(suite.BUILD if name == "build" else ROOT / name)
        (self.folder / "ppocr_det.onnx").symlink_to(suite.BUILD / "models" / "ppocr_det.onnx")

    def run_command(self, command: str) -> subprocess.CompletedProcess:
        path = {"PATH": f"{suite.BUILD / 'bin'}:/usr/bin:/bin", "HOME": str(self.folder)}
        return subprocess.run(["bash", "-c", command], cwd=self.folder, env=path, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=120, check=False)  # fmt: skip

    def check(self, page: Path) -> int:
        text, count = page.read_text(encoding="utf-8"), 0
        chip = (ROOT / "targets" / "npu-nhwc.yaml").read_text(encoding="utf-8")
        for command, printed in commands_of(text):
            if is_make(command):
                continue
            # A chip of a page's own: npu-nhwc and what the page has added so far.
            before = text[: text.index(command)]
            added = [block for language, block in FENCED.findall(before) if language == "yaml"]
            for name in re.findall(r"--target=(\w[\w-]*)\.yaml", command):
                content = chip.replace("name: npu-nhwc", f"name: {name}", 1) + "\n" + "\n".join(added)
                (self.folder / f"{name}.yaml").write_text(content, encoding="utf-8")
            done = self.run_command(command)
            refused = count < REFUSED.get(page.name, 0)
            self.assertEqual(done.returncode != 0, refused, (page.name, command, done.stdout, done.stderr))
            lines = (done.stdout + done.stderr).splitlines()
            for line in printed:
                self.assertTrue(line == "..." or is_printed(line, lines), (page.name, command, line, lines))
            count += 1
        return count

    def test_pages(self) -> None:
        counts = {}
        for page in pages():
            if page.name not in ELSEWHERE:
                name = str(page.relative_to(ROOT))
                with self.subTest(page=name):
                    counts[name] = self.check(page)
        self.assertGreater(counts.get("README.md", 0), 10, counts)

    def test_make(self) -> None:
        """What pages say of make is in the Makefile."""
        known = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
        for page in pages():
            text = page.read_text(encoding="utf-8")
            for goal in re.findall(r"(?:^|`)make ([a-z][a-z-]*)", text, re.MULTILINE):
                self.assertIn(goal, known, page.name)

    def test_network(self) -> None:
        """examples/net.onnx and x.npy are what examples/net.py writes."""
        done = subprocess.run([sys.executable, ROOT / "examples" / "net.py", self.folder], check=False)
        self.assertEqual(done.returncode, 0)
        for name in ("net.onnx", "x.npy"):
            self.assertEqual((self.folder / name).read_bytes(), (ROOT / "examples" / name).read_bytes(), name)

    def test_picture(self) -> None:
        done = subprocess.run([sys.executable, ROOT / "docs" / "before_after.py", f"--build={suite.BUILD}", "--check"], check=False)
        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    sys.exit(suite.main(__doc__))
