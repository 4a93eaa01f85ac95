# SPDX-License-Identifier: Apache-2.0
"""Other programs that a program of ours runs; they end with it, whatever they have started themselves."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from pathlib import Path

from npu_bench.program import signals_wait

PATIENCE_SECONDS = 5


def call(
    command: list[str] | str, seconds: float | None = None, folder: Path | None = None
) -> subprocess.CompletedProcess:
    """Without input. A text is a shell's. Raises TimeoutExpired after so many seconds."""
    process = None
    try:
        with signals_wait():
            process = subprocess.Popen(
                command, shell=isinstance(command, str), cwd=folder, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", process_group=0,
            )  # fmt: skip
        out, err = process.communicate(timeout=seconds)
    except BaseException:
        if process:
            end(process)
        raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def end(process: subprocess.Popen) -> None:
    """With its whole group; by SIGTERM first, so that programs remove what they have made."""
    for number, patience in ((signal.SIGTERM, PATIENCE_SECONDS), (signal.SIGKILL, None)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=patience)
            return
