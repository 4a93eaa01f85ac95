# SPDX-License-Identifier: Apache-2.0
"""Compares two runs of a program of Google Benchmark, as its own compare.py does, which Debian has no package of.

Time and CPU are (new - old) / old: -0.5 is half the time, +1 twice. With --benchmark_repetitions the medians are
compared, and what lies within the spread of both runs is said to.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path


class RunError(Exception):
    """A file that is no run, in one sentence."""


def load(path: Path) -> dict[str, list[tuple[float, float]]]:
    """Real and CPU time in nanoseconds of every repetition, by name."""
    units = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["benchmarks"]
        runs: dict[str, list[tuple[float, float]]] = {}
        for row in rows:
            if row.get("run_type") == "iteration" and not row.get("error_occurred"):
                unit = units[row["time_unit"]]
                runs.setdefault(row["name"], []).append((row["real_time"] * unit, row["cpu_time"] * unit))
    except OSError as error:
        raise RunError(f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RunError(f"{path}: expected what --benchmark_out=FILE writes, found something else ({error!r})") from error
    return runs


def compare(old: list[tuple[float, float]], new: list[tuple[float, float]]) -> dict:
    """Medians, their relative differences, and whether the runs' ranges of real time meet."""
    (old_time, old_cpu), (new_time, new_cpu) = (map(statistics.median, zip(*run)) for run in (old, new))
    (low, high), (other_low, other_high) = ((min(r), max(r)) for r in ([t for t, _ in old], [t for t, _ in new]))
    return {
        "time": (new_time - old_time) / old_time, "cpu": (new_cpu - old_cpu) / old_cpu if old_cpu else 0.0,
        "time_old_ns": old_time, "time_new_ns": new_time, "cpu_old_ns": old_cpu, "cpu_new_ns": new_cpu,
        "within_spread": len(old) > 1 and len(new) > 1 and low <= other_high and other_low <= high,
    }  # fmt: skip


def shown(name: str, row: dict, width: int) -> str:
    times = "".join(f"{row[key] / 1e3:>14.2f}" for key in ("time_old_ns", "time_new_ns", "cpu_old_ns", "cpu_new_ns"))
    note = "  (within the spread)" if row["within_spread"] else ""
    return f"{name:<{width}}{row['time']:>+10.4f}{row['cpu']:>+10.4f}{times}{note}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, help="JSON of --benchmark_out=FILE")
    parser.add_argument("new", type=Path)
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    try:
        old, new = load(arguments.old), load(arguments.new)
    except RunError as error:
        print(f"compare.py: {error}", file=sys.stderr)
        return 1
    rows = {name: compare(old[name], new[name]) for name in old if name in new}
    if not rows:
        print("compare.py: the two runs have no benchmark in common", file=sys.stderr)
        return 1
    if arguments.json:
        print(json.dumps(rows, indent=2))
        return 0
    width = max(map(len, rows)) + 2
    heads = ("Time", "CPU", "Time Old us", "Time New us", "CPU Old us", "CPU New us")
    print(f"{'Benchmark':<{width}}" + "".join(f"{head:>{10 if i < 2 else 14}}" for i, head in enumerate(heads)))
    for name, row in rows.items():
        print(shown(name, row, width))
    for name in sorted(set(old) ^ set(new)):
        print(f"{name}: only in the {'old' if name in old else 'new'} run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
