# SPDX-License-Identifier: Apache-2.0
"""The module's own types, and those of what docs/python.md and the docstrings show, under mypy --strict."""

from __future__ import annotations

import doctest
import importlib
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(next(word.split("=", 1)[1] for word in sys.argv if word.startswith("--build=")))
sys.path.insert(0, str(BUILD / "python"))

HEAD = "import numpy as np\nimport npuc\nx: np.ndarray[tuple[int, ...], np.dtype[np.float32]]\n"
# The stubs are nanobind's, PyTorch an extra that need not be there.
CONFIG = "[mypy]\n[mypy-npuc._npu.*,npuc._npuc.*]\nignore_errors = True\n[mypy-torch.*]\nignore_missing_imports = True\n"
# Each is one error: an editor and mypy find what npuc would refuse, or what is not there.
WRONG = (
    'npuc.compile("net.onnx", colour=1)', 'npuc.compile("net.onnx", batch="many")',
    'npuc.compile("net.onnx", objective="speed")', 'npuc.compile("net.onnx").run(x).shape',
    'npuc.compile("net.onnx", layout_rule=lambda: None)', 'npuc.emit("net.onnx", "gif")', "npuc.load(5)",
)  # fmt: skip


def examples() -> str:
    """Each block of the page and each docstring as a function, so that names do not meet."""
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    head, blocks = blocks[0], blocks[1:]  # the first makes p, of which the others speak
    for name in ("compiler", "errors", "program", "words"):
        found = doctest.DocTestFinder().find(importlib.import_module(f"npuc.{name}"))
        imports = "from npuc.words import in_python\n" if name == "words" else ""
        blocks += [imports + "".join(example.source for example in one.examples) for one in found if one.examples]
    assert len(blocks) > 8, "the docstrings have lost their examples"
    functions = [f"def example_{number}() -> None:\n" + "".join(f"    {line}\n" for line in block.splitlines()) for number, block in enumerate(blocks)]
    return HEAD + head + "\n".join(functions)


def check(folder: Path, text: str) -> str:
    """What mypy says of a module."""
    (folder / "mypy.ini").write_text(CONFIG, encoding="utf-8")
    (folder / "example.py").write_text(text, encoding="utf-8")
    words = ["--strict", "--no-error-summary", f"--cache-dir={BUILD / 'test' / 'mypy'}", "example.py"]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *words], cwd=folder, capture_output=True, text=True, check=False,
        env={"MYPYPATH": str(folder), "PATH": "/usr/bin"},
    )  # fmt: skip
    assert not run.stderr, run.stderr
    return run.stdout


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(BUILD / "python" / "npuc", folder / "npuc", ignore=shutil.ignore_patterns("*.so"))
        found = check(folder, examples())
        assert not found, f"the examples, or the module, are not typed:\n{found}"
        found = check(folder, HEAD + "\n".join(WRONG) + "\n")
        lines = sorted({int(line.split(":")[1]) for line in found.splitlines() if ": error:" in line})
        first = HEAD.count("\n") + 1
        assert lines == list(range(first, first + len(WRONG))), f"mypy does not find each error of {WRONG}:\n{found}"
    print("typed_test ok")


if __name__ == "__main__":
    main()
