# SPDX-License-Identifier: Apache-2.0
"""The results as one HTML file that needs nothing else."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).resolve().parent


def make_page(data: str) -> str:
    """`data`: JSON without a `<`, as table.page_data makes it."""
    page = (HERE / "page.html").read_text(encoding="utf-8")
    for place, text in (("STYLE", _own("page.css")), ("SCRIPT", _own("page.js")), ("DATA", data)):
        page = page.replace(f"@{place}@", text, 1)
    return page


def _own(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
