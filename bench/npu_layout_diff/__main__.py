# SPDX-License-Identifier: Apache-2.0
"""What changed between two reports of npuc: relayouts, layouts and implementations of kernels, cost and proof, memory."""

from __future__ import annotations

import argparse
import collections
import sys
from collections.abc import Callable, Iterator

from npu_bench.errors import BenchError, Exit, exit_text
from npu_bench.json_text import json_text
from npu_bench.output_files import OutputFiles
from npu_bench.program import Parser, ended, start
from npu_bench.shown import shown_message, shown_name
from npu_layout_diff.report import Report, read_report

EPILOG = f"""Examples:
  npuc model.onnx --report=before.json
  npuc model.onnx --layout=naive --report=after.json
  npu-layout-diff before.json after.json
  npu-layout-diff --json before.json after.json | jq .relayouts.new

Lines begin with - for what is gone, + for what is new, ~ for what changed.

{exit_text(ok="the layouts are the same, whatever target, strategy and objective are called", failed="they differ")}"""


def changed_facts(before: dict[str, str], after: dict[str, str]) -> list[dict]:
    return [{"key": key, "before": old, "after": after[key]} for key, old in before.items() if old != after[key]]


def changed_rows(before: list[dict], after: list[dict], key: tuple[str, ...], same: Callable[[dict, dict], bool]) -> dict:
    """Rows with the same key are pairs, in order."""
    waiting: dict[tuple, collections.deque] = collections.defaultdict(collections.deque)
    for row in before:
        waiting[tuple(row[name] for name in key)].append(row)
    found: dict[str, list] = {"gone": [], "new": [], "changed": []}
    for row in after:
        partners = waiting[tuple(row[name] for name in key)]
        if not partners:
            found["new"].append(row)
        elif not same(old := partners.popleft(), row):
            found["changed"].append({"before": old, "after": row})
    left = {id(row) for rows in waiting.values() for row in rows}
    found["gone"] = [row for row in before if id(row) in left]
    return found


def compare(before: Report, after: Report) -> dict:
    """What --json prints."""

    def plain(row: dict, report: Report) -> dict:  # the name of a target is no difference
        return {**row, "reason": row.get("reason", "").replace(f" on {report.settings['target']} ", " ", 1)}

    def same(old: dict, new: dict) -> bool:
        return plain(old, before) == plain(new, after)

    facts = changed_facts(before.facts, after.facts)
    relayouts = changed_rows(before.relayouts, after.relayouts, ("kind", "value", "node"), same)
    kernels = changed_rows(before.kernels, after.kernels, ("op", "node"), same)
    return {
        "version": 1,
        "same": not any([facts, *relayouts.values(), *kernels.values()]),
        "settings": changed_facts(before.settings, after.settings),
        "facts": facts,
        "relayouts": relayouts,
        "kernels": kernels,
    }


def name_of(row: dict) -> str:
    if "kind" in row:
        return f"{shown_name(row['kind'])} of {shown_name(row['value'])}"
    return shown_name(row["op"]) + (f" of {shown_name(row['node'])}" if row["node"] else "")


def place_of(row: dict) -> str:
    return f", at {shown_name(row['node'])}" if "kind" in row and row["node"] else ""


def parts_of(row: dict) -> list[str]:
    """What may change of it."""
    if "kind" in row:
        return [f"{row['from']} to {row['to']}", f"{row['bytes']} bytes", f"because {row['reason']}"]
    return [" ".join(row["layouts"]), row["implementation"]]


def row_line(mark: str, row: dict) -> str:
    parts = [shown_name(part) for part in parts_of(row)[:2]]
    line = f"{mark} {name_of(row)}: {', '.join(parts)}{place_of(row)}"
    return f"{line}\n    because {shown_message(row['reason'])}" if mark == "+" and "kind" in row else line


def change_line(before: dict, after: dict) -> str:
    changes = [
        f"{shown_name(old)} -> {shown_name(new)}" for old, new in zip(parts_of(before), parts_of(after), strict=True) if old != new
    ]
    return f"~ {name_of(before)}{place_of(before)}: {'; '.join(changes)}"


def text_lines(before: Report, difference: dict) -> Iterator[str]:
    """One line for each change; a sentence if there is none."""
    for fact in difference["settings"]:
        yield f"{fact['key']}: {shown_name(fact['before'])} -> {shown_name(fact['after'])}"
    if difference["same"]:
        yield f"same layouts: {before.facts['relayouts']} relayouts, {before.facts['relayout bytes']} bytes"
    for fact in difference["facts"]:
        yield f"{fact['key']}: {fact['before']} -> {fact['after']}"
    for found in (difference["relayouts"], difference["kernels"]):
        yield from (row_line("-", row) for row in found["gone"])
        yield from (row_line("+", row) for row in found["new"])
        yield from (change_line(**change) for change in found["changed"])


def parse_arguments(words: list[str] | None) -> argparse.Namespace:
    parser = Parser("npu-layout-diff", __doc__, EPILOG)
    parser.add_argument("before", help="A.json, written by npuc --report")
    parser.add_argument("after", help="B.json, written by npuc --report")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text (docs/npu-layout-diff.schema.json)")
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> int:
    arguments = parse_arguments(words)
    files = OutputFiles()
    try:
        for path in (arguments.before, arguments.after):
            files.reads("the report", path)
        before, after = read_report(arguments.before), read_report(arguments.after)
        difference = compare(before, after)
    except BenchError as error:
        return ended("npu-layout-diff", error)
    if arguments.json:
        sys.stdout.write(json_text(difference))
    else:
        print(*text_lines(before, difference), sep="\n")
    return Exit.OK if difference["same"] else Exit.FAILED


if __name__ == "__main__":
    start("npu-layout-diff", main)
