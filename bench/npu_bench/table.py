# SPDX-License-Identifier: Apache-2.0
"""The table of measured numbers: a target file, kept in the user's cache folder."""

from __future__ import annotations

import copy
import os
from pathlib import Path

import yaml

from npu_bench.errors import OutputError
from npu_bench.output_files import write_file
from npu_bench.resolver import TARGETS, target_file

TARGET = "host"
SHIPPED = TARGETS / f"{TARGET}.yaml"
HEADER = "# Written by npu-bench --calibrate: docs/calibration.md.\n"
# A layout's names for each number of spatial dimensions.
NAMES = {
    "NHWC": ["NWC", "NHWC", "NDHWC"],
    "NCHW16c": ["NCW16c", "NCHW16c", "NCDHW16c"],
    "NCHW": ["NCW", "NCHW", "NCDHW"],
}


def cache_file() -> Path:
    """Where npuc looks for the table (compiler/Target/Calibration.h)."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "npuc" / f"{TARGET}.yaml"


def _chip(target: str) -> tuple[Path, dict]:
    """A target's file and what stands in it; what is wrong with it npuc says."""
    path = target_file(target)
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        content = None
    return path, content if isinstance(content, dict) else {}


def chip_plugins(target: str) -> list[str]:
    """The libraries that a target's file names, those that are there."""
    path, content = _chip(target)
    named = content.get("plugins")
    files = [path.parent / str(name) for name in (named if isinstance(named, list) else [])]
    return [str(file) for file in files if file.is_file()]


def chip_files(target: str) -> list[Path]:
    """A target's file and what it names, measured kernels and plugins."""
    path, content = _chip(target)
    costs = path.parent / str(content.get("costs") or ".")
    return [file for file in (path, costs, *map(Path, chip_plugins(target))) if file.is_file()]


def processor_name() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "unknown"


class Table:
    """A target file's content with numbers that can be changed."""

    def __init__(self, content: dict) -> None:
        self.content = content

    @staticmethod
    def shipped() -> "Table":
        return Table(yaml.safe_load(SHIPPED.read_text(encoding="utf-8")))

    def copy(self) -> "Table":
        return Table(copy.deepcopy(self.content))

    def machine(self, key: str) -> float:
        return float(self.content["machine"][key].split()[0])

    def set_machine(self, key: str, value: float) -> None:
        unit = self.content["machine"][key].split(maxsplit=1)[1]
        self.content["machine"][key] = f"{value:.4g} {unit}"

    def _entries(self, op: str) -> list[dict]:
        return [entry for entry in self.content["demands"] if op in entry["ops"]]

    def _entry(self, op: str, fact: str = "") -> dict:
        """Of all ops of the name, or of those of which a fact is true: an entry that begins as that of all."""
        when = {fact: True} if fact else None
        for entry in self._entries(op):
            if entry.get("when") == when:
                return entry
        new = {"ops": [op]}
        if when:
            new = copy.deepcopy(self._entry(op)) | {"ops": [op], "when": when}
        self.content["demands"].append(new)
        return new

    def cost(self, op: str, layout: str, fact: str = "") -> float:
        return float(self._entry(op, fact).get("cost", {}).get(layout, "1").split()[0])

    def set_cost(self, op: str, layout: str, factor: float, fact: str = "") -> None:
        entry = self._entry(op, fact)
        accepted = entry.get("result", NAMES[layout])
        for name in NAMES[layout]:
            if name in accepted:
                entry.setdefault("cost", {})[name] = f"{factor:.4g} times"

    def only(self, op: str, layout: str) -> "Table":
        """The same numbers on a chip that takes the op in one layout."""
        table = self.copy()
        for entry in table._entries(op) or [table._entry(op)]:
            entry["data"], entry["result"] = list(NAMES[layout]), list(NAMES[layout])  # YAML would link one list twice
            entry["cost"] = {name: text for name, text in entry.get("cost", {}).items() if name in NAMES[layout]}
        return table

    def set_measured(self, library: str, threads: int) -> None:
        self.content["summary"] = "the machine that npuc runs on, any layout, measured"
        self.content["measured"] = {
            "processor": processor_name(),
            "library": library,
            "threads": f"{threads} threads",
        }

    def write(self, path: Path) -> None:
        """Whole or not at all."""
        text = HEADER + yaml.safe_dump(self.content, sort_keys=False, default_flow_style=None, width=1000)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"cannot write the table '{path}': {error.strerror}") from error
        write_file(path, text)
