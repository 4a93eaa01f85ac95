# SPDX-License-Identifier: Apache-2.0
"""What npuc raises."""

from __future__ import annotations

from dataclasses import dataclass

# By the number of npuc_code (npuc/npuc.h).
COMPILE_CODES = (
    "ok", "bad model", "bad options", "cannot write", "over budget", "unsupported", "out of memory", "unproved",
    "bad argument", "internal",
)  # fmt: skip
# By the number of npu_code (npu/npu.h).
RUN_CODES = (
    "ok", "bad argument", "cannot read", "bad file", "wrong version", "wrong machine", "out of memory", "run failed",
    "internal", "bad plugin",
)  # fmt: skip


@dataclass(frozen=True)
class Message:
    """What a compilation says, in parts."""

    severity: str  #: "note", "warning", "error" or "remark"
    text: str
    file: str  #: empty: it is about none
    node: str  #: "Conv 'name'"; empty: the whole file
    line: int  #: from 1; 0: not known
    column: int
    shown: str  #: place and text on one line, as the program npuc prints it

    def __str__(self) -> str:
        return self.shown


class Error(RuntimeError):
    """The base of both; str() is one sentence: what was found, what was expected, what to do."""

    codes: tuple[str, ...] = ()

    def __init__(self, message: str, code: int = -1) -> None:
        super().__init__(message)
        self.number = code  #: of npuc_code or npu_code
        self.code = self.codes[code] if 0 <= code < len(self.codes) else "unknown"


class CompileError(Error):
    """No program came out; `code` says in a word why, `messages` has all that was said."""

    codes = COMPILE_CODES
    messages: tuple[Message, ...] = ()


class RunError(Error):
    """A program cannot be loaded or run."""

    codes = RUN_CODES
