# SPDX-License-Identifier: Apache-2.0
"""Text of others as messages show it; files/shown_text.h is the same for the programs in C++."""

from __future__ import annotations

import re
import sys
import unicodedata

from npu_bench.errors import reason_of

SHOWN_LENGTH = 200  # of one name
NAMES_IN_MESSAGE = 20
# Control characters, those without width or that turn the direction of writing, lone surrogates, ends of lines.
HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
QUOTED = re.compile(r"(?<!\w)'(.*?)'(?!\w)")


def plain(text: str) -> str:
    return "".join(c.encode("unicode_escape").decode() if unicodedata.category(c) in HIDDEN else c for c in text)


def shortened(text: str, most: int) -> str:
    """The beginning and the end: two parts of three in front."""
    if len(text) <= most:
        return text
    front, back = most * 2 // 3, len(text) - (most - most * 2 // 3)
    return f"{text[:front]} ... ({back - front} more) ... {text[back:]}"


def shown_name(name: str) -> str:
    return shortened(plain(name), SHOWN_LENGTH)


def shown_message(message: str) -> str:
    """One line, in which names stand in quotes."""
    text = QUOTED.sub(lambda match: f"'{shortened(match[1], SHOWN_LENGTH)}'", plain(message))
    return shortened(text, SHOWN_LENGTH * NAMES_IN_MESSAGE)


def complain(program: str, message: object) -> None:
    text = reason_of(message) if isinstance(message, OSError) else str(message)
    print(f"{program}: error: {shown_message(text)}", file=sys.stderr)
