# SPDX-License-Identifier: Apache-2.0
"""Where the module npuc and the runtime of a build or an installation are, for the programs in Python."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

from npu_bench.errors import BenchError


def library_of(build: Path) -> Path:
    """libnpu.so of a build or an installation; without developers' files it has a version in its name only."""
    folder = next((path for path in (build / "lib", *build.glob("lib*/")) if any(path.glob("libnpu.so*"))), build / "lib")
    return min(folder.glob("libnpu.so*"), default=folder / "libnpu.so", key=lambda path: len(path.name))


def npuc_of(build: Path) -> ModuleType:
    """The module that runs programs, of this build or installation; of a wheel, that of the Python that it lies in."""
    if "npuc" not in sys.modules:
        folders = [build / "python", *build.glob("lib*/npuc/python")]
        sys.path[:0] = [str(folder) for folder in folders if (folder / "npuc").is_dir()]
    try:
        import npuc
    except ImportError as error:
        raise BenchError(
            f"the module npuc of {build} is not there, or not for this Python ({sys.executable}): {error}; "
            "run `make build` first, say --build=FOLDER, or name another Python by NPU_PYTHON"
        ) from error
    return npuc
