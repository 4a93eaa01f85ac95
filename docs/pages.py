# SPDX-License-Identifier: Apache-2.0
"""Pages of which scripts write parts, between marks."""

from __future__ import annotations

import re


def replaced(text: str, mark: str, content: str) -> str:
    """The page's text with `content` between its one `<!-- mark -->` and the next `<!-- end -->`."""
    pattern = re.compile(rf"(<!-- {mark} -->\n).*?(<!-- end -->)", re.DOTALL)
    new, count = pattern.subn(lambda found: f"{found[1]}{content}\n{found[2]}", text)
    if count != 1:
        raise RuntimeError(f"the page has {count} places '<!-- {mark} -->' ... '<!-- end -->', expected 1")
    return new
