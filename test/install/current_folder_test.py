# SPDX-License-Identifier: Apache-2.0
"""Programs that are started in a folder of downloaded files run nothing of it: neither libraries nor Python's modules."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from elf_files import elf_files, needed

LIBRARY = """#include <stdio.h>
__attribute__((constructor)) static void mark(void) { fclose(fopen(MARK, "a")); }
"""
MODULES = ("argparse", "json", "numpy", "onnx", "onnxruntime", "yaml", "rich", "dask", "distributed", "pyarrow", "matplotlib",
           "PIL", "runpy", "sitecustomize", "npu_bench", "npu_compare", "npu_sweep", "npuc_quantize", "zoo")  # fmt: skip


def fill(folder: Path, mark: Path, cc: str, programs: list[Path]) -> None:
    """Something of every name that is looked for."""
    (folder / "mark.c").write_text(LIBRARY)
    library = folder / "mark.so"
    subprocess.run([cc, "-shared", "-fPIC", f'-DMARK="{mark}"', folder / "mark.c", "-o", library], check=True)
    names = {name for program in programs for name in needed(program)}
    assert "libc.so.6" in names, names
    for name in names:
        shutil.copy(library, folder / name)
    for module in MODULES:
        (folder / f"{module}.py").write_text(f"open({str(mark)!r}, 'a').close()\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--cc", required=True)
    arguments = parser.parse_args()
    binaries = [*elf_files(arguments.build / "bin"), *elf_files(arguments.build / "lib")]
    scripts = [path for path in sorted((arguments.build / "bin").glob("npu*")) if path.read_bytes()[:2] == b"#!"]
    assert len(scripts) > 4, scripts
    with tempfile.TemporaryDirectory() as name:
        folder, mark = Path(name, "downloads"), Path(name, "mark")
        folder.mkdir()
        fill(folder, mark, arguments.cc, binaries)
        # What would run them does.
        subprocess.run([sys.executable, "-c", "import yaml"], cwd=folder, check=True)
        assert mark.exists()
        mark.unlink()
        subprocess.run([sys.executable, "-P", "-c", "import ctypes; ctypes.CDLL('./mark.so')"], cwd=folder, check=True)
        assert mark.exists()
        mark.unlink()
        names = ("npuc", "npu-run", "npu-dump", "npu-opt", "npu-check-certificate")
        programs = [*(arguments.build / "bin" / one for one in names), *scripts]
        environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "LD_LIBRARY_PATH")}
        for program in programs:
            done = subprocess.run([program, "--help"], cwd=folder, env=environment, capture_output=True, text=True)
            assert not mark.exists(), f"{program} runs what lies in the current folder\n{done.stdout}{done.stderr}"
            assert done.returncode == 0, f"{program} --help: exit code {done.returncode}: {done.stderr[-300:]}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
