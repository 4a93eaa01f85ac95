# SPDX-License-Identifier: Apache-2.0
"""What the Python programs print and write as JSON: what any reader takes, and no terminal obeys."""

from __future__ import annotations

import json
import math


def plain_numbers(value: object) -> object:
    """JSON has no infinity and no NaN: they become the words "inf", "-inf" and "nan"."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: plain_numbers(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_numbers(one) for one in value]
    return value


def json_text(value: object) -> str:
    # The one character that a terminal may obey and json leaves alone.
    return json.dumps(plain_numbers(value), indent=1, allow_nan=False).replace("\x7f", "\\u007f") + "\n"
