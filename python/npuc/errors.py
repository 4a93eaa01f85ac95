# SPDX-License-Identifier: Apache-2.0
"""What npuc raises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from npuc.options import NAMES, PAIRS
from npuc.words import in_python

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
    shown: str  #: place and text on one line

    def __str__(self) -> str:
        return self.shown


def said(text: str) -> str:
    """A message of the compiler, which speaks of options as its command line has them."""
    return in_python(text, NAMES, PAIRS)


class Error(RuntimeError):
    """The base of both; str() is one sentence: what was found, what was expected, what to do.

    >>> import npuc
    >>> try:
    ...     npuc.compile("none.onnx")
    ... except npuc.Error as error:
    ...     print(error.code)
    bad model
    """

    codes: tuple[str, ...] = ()

    def __init__(self, message: str, code: int = -1) -> None:
        super().__init__(message)
        self.number = code  #: of npuc_code or npu_code
        self.code = self.codes[code] if 0 <= code < len(self.codes) else "unknown"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled with its code, for pools of processes."""
        return type(self), (str(self), self.number), self.__dict__


class CompileError(Error):
    """No program came out; `code` says in a word why, `messages` has all that was said."""

    codes = COMPILE_CODES
    messages: tuple[Message, ...] = ()

    def __init__(self, message: str, code: int = -1) -> None:
        super().__init__(said(message), code)


class RunError(Error):
    """A program cannot be loaded or run."""

    codes = RUN_CODES
