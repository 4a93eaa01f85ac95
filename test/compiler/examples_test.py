# SPDX-License-Identifier: Apache-2.0
"""Runs the example of every op and pass through npu-opt.

An op's example must be valid and come back unchanged when what was printed is
read again. A pass's example is `before ==> after`: the pass must turn the one
into the other. Where the description says "Example that fails", the pass must
refuse it; where it says "prints `...`", the pass must print that. Options
stand behind the word Example: Example (`strategy=naive`). A test file that a
description names must exist and run the pass.

Names that an example does not define become arguments of a function, with the
types that the ops read them in; its last value is what the function returns.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "style"))

import tablegen  # noqa: E402 (a neighbour, found through the line above)

BLOCK = re.compile(r"```mlir\n(.*?)```", re.DOTALL)
OPTIONS = re.compile(r"\bExample \(`([^`]*)`\)")
PRINTS = re.compile(r"\bprints `([^`]*)`")
TEST_FILE = re.compile(r"\btest/[\w/.-]+\.mlir\b")
# `npu.conv2d(%x, %w) {...} : (types) -> type`, and `npu.eltwise add(...)`.
CALL = re.compile(r"npu\.[\w.]+(?: \w+)?\(([^()]*)\)[^:]*(?:\{.*?\})?\s*:\s*\(([^()]*)\)\s*->\s*(tensor<[^<>]*(?:<[^<>]*>[^<>]*)*>)")
DEFINED = re.compile(r"(%\w+) =|(%\w+): tensor")


always: list[str] = []  # flags of every call


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


def run(tool: Path, source: str, *flags: str) -> Outcome:
    command = [str(tool), "-", *always, *flags]
    # From the root: examples name files of the tree.
    done = subprocess.run(command, input=source, capture_output=True, text=True, timeout=60, check=False, cwd=ROOT)
    return Outcome(done.returncode, done.stdout, done.stderr)


def split_types(text: str) -> list[str]:
    """Splits at commas outside of angle brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def free_values(text: str) -> dict[str, str]:
    """Names that are read but not defined, with their types."""
    defined = {name for pair in DEFINED.findall(text) for name in pair}
    free: dict[str, str] = {}
    for operands, types, _ in CALL.findall(text):
        names = [name.strip() for name in operands.split(",")]
        for name, kind in zip(names, split_types(types)):
            if name not in defined:
                free.setdefault(name, kind)
    return free


def last_value(text: str) -> tuple[str, str]:
    """Name and type of the last value outside of regions."""
    flat = re.sub(r"\{\n\s*\^bb0.*?\n\s*\}", "", text, flags=re.DOTALL)
    found = re.findall(r"(%\w+) = npu\.(?:.|\n)*?->\s*(tensor<[^<>]*(?:<[^<>]*>[^<>]*)*>)", flat)
    if not found:
        raise ValueError(f"no value of the npu dialect in: {text}")
    return found[-1]


def as_function(text: str, arguments: dict[str, str]) -> str:
    """A function around an example, unless it is one."""
    if "func.func" in text:
        return text
    name, kind = last_value(text)
    signature = ", ".join(f"{value}: {type_}" for value, type_ in arguments.items())
    return f"func.func @example({signature}) -> {kind} {{\n{text}\n  return {name} : {kind}\n}}\n"


def check_op(tool: Path, record: tablegen.Record, block: str) -> str:
    if record.name not in block:
        return "the example does not show the op"
    first = run(tool, as_function(block, free_values(block)))
    if first.code != 0:
        return f"the example is not valid: {first.err.strip()}"
    again = run(tool, first.out)
    return "" if again.out == first.out else f"printed and read again, it is another: {again.out}{again.err}"


def check_pass(tool: Path, record: tablegen.Record, block: str) -> str:
    options = OPTIONS.search(record.description)
    flag = f"--{record.name}" + (f"={options[1]}" if options else "")
    before, arrow, after = block.partition("==>\n")
    arguments = free_values(before)
    done = run(tool, as_function(before, arguments), flag)
    if "Example that fails" in record.description:
        valid = run(tool, as_function(before, arguments))
        return "" if done.code != 0 and valid.code == 0 else "the example should be valid and fail"
    if done.code != 0:
        return f"{flag} fails on the example: {done.err.strip()}"
    prints = PRINTS.search(record.description)
    if prints:
        return "" if prints[1] in done.err + done.out else f"does not print '{prints[1]}' but: {done.err}"
    if not arrow:
        return "the example has no `==>` and does not say what it prints"
    expected = run(tool, as_function(after, arguments))
    if expected.code != 0:
        return f"what stands behind ==> is not valid: {expected.err.strip()}"
    return "" if done.out == expected.out else f"{flag} gives\n{done.out}but the example says\n{expected.out}"


def check_files(record: tablegen.Record) -> list[str]:
    findings = []
    for name in TEST_FILE.findall(record.description):
        path = ROOT / name
        if not path.is_file():
            findings.append(f"{name} does not exist")
        elif record.name not in path.read_text(encoding="utf-8"):
            findings.append(f"{name} does not run it")
    return findings


def check_record(tool: Path, record: tablegen.Record) -> list[str]:
    blocks = BLOCK.findall(record.description)
    if not blocks:
        return ["no example"]
    check = check_op if record.kind == "op" else check_pass
    findings = [finding for finding in (check(tool, record, block) for block in blocks) if finding]
    return findings + check_files(record)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--npu-opt", type=Path, required=True, help="the program build/bin/npu-opt")
    parser.add_argument("--plugin", type=Path, required=True, help="the plugin of the example of npu.custom")
    arguments = parser.parse_args()
    always.append(f"--plugin={arguments.plugin}")
    records = tablegen.records(ROOT)
    failed = 0
    for record in records:
        for finding in check_record(arguments.npu_opt, record):
            failed += 1
            print(f"{record.where}: {record.name}: {finding}")
    print(f"{len(records)} ops and passes, {failed} findings")
    return int(failed > 0 or not records)


if __name__ == "__main__":
    sys.exit(main())
