# SPDX-License-Identifier: Apache-2.0
"""One point of the grid, on a worker: compiles, asks for the chip's time, writes the result.

Workers get this module with the task and need not have it: it may use the standard library only.
"""

from __future__ import annotations

import dataclasses
import json
import os
import socket
import subprocess
import tempfile
import time
from pathlib import Path

RESULT = "result.json"
REFUSED = (1, 2, 5, 8)  # npuc's exit codes that another attempt would not change


class PointError(Exception):
    """A sentence that is the point's result; `final`: another attempt would end in the same way."""

    def __init__(self, text: str, final: bool) -> None:
        super().__init__(text, final)
        self.text, self.final = text, final


@dataclasses.dataclass(frozen=True)
class Job:
    """All that a worker must know. Paths are absolute and must mean the same on every worker."""

    number: int
    folder: str  # of this point, for its target file and result
    model: str
    target_file: str  # a name in that folder
    target_text: str
    words: tuple[str, ...]  # npuc's other options
    npuc: str
    npu_run: str
    plugins: tuple[str, ...] = ()  # npu-run's options


def write_atomically(path: Path, data: bytes) -> None:
    """The file is there whole or not at all; what was there before stays if writing fails."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _call(command: list[str], folder: Path, job: Job) -> str:
    """The program's standard output."""
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode == 0:
        return done.stdout
    program = Path(command[0]).name
    said = (done.stderr.strip() or done.stdout.strip()).splitlines()
    errors = [line for line in said if "error: " in line] or said[-1:]
    text = errors[0].removeprefix(f"{program}: ").removeprefix("error: ") if errors else "it said nothing"
    text = text.replace(job.model, Path(job.model).name)
    if program == "npuc" and done.returncode in REFUSED:
        raise PointError(text, final=True)
    how = f"signal {-done.returncode}" if done.returncode < 0 else f"exit code {done.returncode}"
    raise PointError(f"{program} ended with {how}: {text}", final=False)


def _measure(job: Job, folder: Path) -> dict:
    """What the compiler and the simulator say of the point."""
    program, report = folder / "program.npu", folder / "report.json"
    start = time.monotonic()
    try:
        _call([job.npuc, job.model, "-o", program.name, f"--report={report.name}", f"--target={job.target_file}",
               "--threads=1", "--quiet", *job.words], folder, job)  # fmt: skip
        compiled = time.monotonic()
        text = _call([job.npu_run, program.name, "--simulate-only", "--json", "--threads=1", *job.plugins],
                     folder, job)  # fmt: skip
        decided = json.loads(report.read_text(encoding="utf-8"))
    finally:
        program.unlink(missing_ok=True)
        report.unlink(missing_ok=True)
    relayouts, memory = decided["relayouts"], decided["memory"]
    values = {
        **json.loads(text)["simulated"],
        "relayouts": relayouts["count"],
        "relayout_bytes": relayouts["bytes"],
        "arena_bytes": memory["arena_bytes"],
        "weight_bytes": memory["weight_bytes"],
    }
    seconds = {"compile": compiled - start, "simulate": time.monotonic() - compiled}
    return {"values": values, "error": "", "seconds": seconds}


def run_point(job: Job) -> dict:
    """{"values": {..}, "error": "", "seconds": {..}, "worker": "host:process"}; it lies in the point's
    folder before this returns, unless the error may go away (then: "passing": true)."""
    worker = {"worker": f"{socket.gethostname()}:{os.getpid()}"}
    folder = Path(job.folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / job.target_file, job.target_text.encode())
        result = {**_measure(job, folder), **worker}
    except PointError as error:
        result = {"values": {}, "error": error.text, "seconds": {}, **worker}
        if not error.final:
            return {**result, "passing": True}
    except (OSError, ValueError, KeyError) as error:
        text = f"worker {worker['worker']}: {type(error).__name__}: {error}"
        return {"values": {}, "error": text, "seconds": {}, **worker, "passing": True}
    try:
        write_atomically(folder / RESULT, (json.dumps(result, indent=1) + "\n").encode())
    except OSError as error:
        return {**result, "error": f"its result cannot be kept: {error}", "passing": True}
    return result
