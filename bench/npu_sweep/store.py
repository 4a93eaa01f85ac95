# SPDX-License-Identifier: Apache-2.0
"""The output folder: which grid it holds, and which of its points are done.

grid.json                what was asked for
points/NUMBER-DIGEST/    a point: its target file, and result.json once it is done
results.csv and others   written when no point is missing
"""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path

from npu_bench.errors import BenchError, InputError, UsageError
from npu_sweep.grid import Axes, Point
from npu_sweep.point import RESULT, write_atomically

GRID, LOCK, VERSION = "grid.json", ".lock", 1


class Store:
    def __init__(self, folder: Path, axes: Axes) -> None:
        self.folder = folder.resolve()
        self.points = self.folder / "points"
        self.grid = {"version": VERSION, "grid": axes.named()}
        self.lock = None

    def check(self) -> None:
        """Refuses a folder that holds something else; changes nothing."""
        if not self.folder.exists():
            return
        if not self.folder.is_dir():
            raise UsageError(f"--output: '{self.folder}' is no folder")
        path = self.folder / GRID
        if not path.is_file():
            if any(entry.name not in (LOCK, "points") for entry in self.folder.iterdir()):
                raise UsageError(f"--output: folder '{self.folder}' is not empty and holds no sweep; choose another")
            return
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            before = found["grid"] if found["version"] == VERSION else {}
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path}: damaged ({error}); choose another --output, or remove it") from error
        if not self.has_results():
            return
        now = self.grid["grid"]
        for key in {**before, **now}:
            if before.get(key) != now.get(key):
                raise UsageError(f"--output: folder '{self.folder}' holds another grid: {key} was "
                                 f"{_text(before.get(key))}, is now {_text(now.get(key))}; choose another folder")  # fmt: skip

    def open(self) -> None:
        """Creates what is missing; the folder is ours until the process ends."""
        self.points.mkdir(parents=True, exist_ok=True)
        # It may be another name of any file, so nothing in it is touched; and no pipe is waited for.
        self.lock = open(self.folder / LOCK, "ab", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK))
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise BenchError(f"--output: another npu-sweep works in '{self.folder}'") from error
        if not (self.folder / GRID).exists() or not self.has_results():
            self.write(GRID, (json.dumps(self.grid, indent=1) + "\n").encode())

    def result(self, point: Point) -> dict | None:
        """A point's result, if it is done."""
        return _result(self.points / f"{point.number:05d}-{point.digest}" / RESULT)

    def has_results(self) -> bool:
        """A sweep of which no point was computed holds nothing: its words may have been wrong."""
        found = map(_result, self.points.glob(f"*/{RESULT}"))
        return any(result is not None and not result["error"] for result in found)

    def write(self, name: str, data: bytes) -> None:
        write_atomically(self.folder / name, data)


def _result(path: Path) -> dict | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    whole = isinstance(found, dict) and {"values", "error", "seconds", "worker"} <= found.keys()
    return found if whole else None


def _text(value: object) -> str:
    if value is None or value == []:
        return "not given"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
