# SPDX-License-Identifier: Apache-2.0
"""The programs of the wheel as commands: they take this process over, so that signals and exit codes are theirs.

Apart from the package npuc, which a command need not import.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import NoReturn


def _become(name: str) -> NoReturn:
    found = importlib.util.find_spec("npuc")
    if not found or not found.origin:
        sys.exit(f"{name}: {sys.executable} has no package 'npuc'; install the wheel again")
    program = Path(found.origin).resolve().parent / "bin" / name
    os.environ.setdefault("NPU_PYTHON", sys.executable)
    try:
        os.execv(program, [name, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"{name}: cannot run '{program}': {error.strerror}; install the wheel again")


def npuc() -> NoReturn:
    _become("npuc")


def npu_run() -> NoReturn:
    _become("npu-run")


def npu_check_certificate() -> NoReturn:
    _become("npu-check-certificate")


def npu_bench() -> NoReturn:
    _become("npu-bench")


def npu_compare() -> NoReturn:
    _become("npu-compare")


def npu_layout_diff() -> NoReturn:
    _become("npu-layout-diff")


def npu_reduce() -> NoReturn:
    _become("npu-reduce")


def npu_sweep() -> NoReturn:
    _become("npu-sweep")


def npuc_quantize() -> NoReturn:
    _become("npuc-quantize")
