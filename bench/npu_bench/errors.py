# SPDX-License-Identifier: Apache-2.0
"""What the Python programs tell their user instead of going on."""

from __future__ import annotations

import os


class BenchError(Exception):
    """A sentence for the user."""


class UsageError(BenchError):
    """The words of the call are wrong: exit code 2."""


class OutputError(OSError):
    """A sentence about a file that cannot be written."""


def reason_of(error: BaseException) -> str:
    """One line of what a library has thrown; the system's words without their number."""
    if isinstance(error, OSError) and error.strerror:
        name = f"'{os.fsdecode(error.filename)}': " if error.filename else ""
        return f"{name}{error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__
