# SPDX-License-Identifier: Apache-2.0
"""What the Python programs tell their user instead of going on, and the exit codes that they share with npuc."""

from __future__ import annotations

import difflib
import enum
import os
from collections.abc import Iterable


class Exit(enum.IntEnum):
    """docs/exit-codes.md: the same in all programs."""

    OK = 0
    FAILED = 1  # the model cannot be compiled or run, or results differ
    USAGE = 2
    OUTPUT = 3
    BUDGET = 4
    UNSUPPORTED = 5
    MEMORY = 6
    UNPROVED = 7
    INPUT = 8
    MISTAKE = 70  # of the program itself; C++ programs end by a signal


MEANINGS = {  # those of files/exit_codes.cpp
    Exit.OK: "success",
    Exit.FAILED: "the model cannot be compiled or run, or results differ from what is expected",
    Exit.USAGE: "wrong usage: an option, a value or a name that does not exist, or an output that would replace an input",
    Exit.OUTPUT: "an output cannot be written; then none is",
    Exit.BUDGET: "a budget that the user set is exceeded",
    Exit.UNSUPPORTED: "the model uses what npuc does not support",
    Exit.MEMORY: "memory or stack was used up",
    Exit.UNPROVED: "nothing proves the layouts",
    Exit.INPUT: "an input file that is not the model (a .npu file, target, plan, plugin, array, certificate or report) cannot be "
                "read, is damaged or does not fit",
    Exit.MISTAKE: "a mistake of the program itself",
}  # fmt: skip


def exit_text(**special: str) -> str:
    """The end of a program's --help; `special`: what a code, by its name, means in this program."""
    shown = (Exit.OK, Exit.FAILED, Exit.USAGE, Exit.OUTPUT, Exit.UNSUPPORTED, Exit.MEMORY, Exit.INPUT)
    lines = [f"  {code}  {special.get(code.name.lower(), MEANINGS[code])}"
             for code in Exit if code in shown or code.name.lower() in special]  # fmt: skip
    return "\n".join(["Exit codes (docs/exit-codes.md):", *lines])


class BenchError(Exception):
    """A sentence for the user, and the exit code that goes with it."""

    code = Exit.FAILED

    def __init__(self, message: str, code: int | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code


class UsageError(BenchError):
    """The words of the call are wrong."""

    code = Exit.USAGE


class InputError(BenchError):
    """A file of the user's that is no model cannot be read."""

    code = Exit.INPUT


class OutputError(OSError):
    """A sentence about a file that cannot be written."""


def exit_code_of(error: BaseException) -> int:
    """OSErrors are of outputs, and of the temporary files behind them: whoever reads an input says it by itself."""
    return Exit.OUTPUT if isinstance(error, OSError) else getattr(error, "code", Exit.FAILED)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """What ends a message about an unknown word; empty if nothing known looks like it."""
    near = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean '{near[0]}'?" if near else ""


def unknown_name(word: str, known: Iterable[str]) -> str:
    known = list(known)
    return f"unknown '{word}', expected one of: {', '.join(known)}{did_you_mean(word, known)}"


def reason_of(error: BaseException) -> str:
    """One line of what a library has thrown; the system's words without their number."""
    if isinstance(error, OSError) and error.strerror:
        name = f"'{os.fsdecode(error.filename)}': " if error.filename else ""
        return f"{name}{error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__
