# SPDX-License-Identifier: Apache-2.0
"""npuc's messages in Python's terms: --layout=naive is layout="naive" here."""

from __future__ import annotations

import re
from collections.abc import Collection

# What is no option of compile(): another way to the same.
ELSEWHERE = {
    "report": "Program.report", "explain-layout": "Program.explain()", "output": "output",
    "explain-placement": 'Compilation.text("explain_placement")', "certificate": 'wanted=("certificate",)',
    "write-layout-plan": 'wanted=("layout_plan",)', "write-costs": 'Compilation.text("costs")',
}  # fmt: skip
COMMAND = re.compile(r"\bnpu(c|-[a-z-]+) $")  # what follows belongs to a command line
FLAG = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)(=(?:'[^']*'|[^\s;,)(]+(?:,[^\s;)(]+)*))?")
NUMBER, PLACEHOLDER = re.compile(r"-?[\d.]+"), re.compile(r"[A-Z]+|[A-Z]+[:=].*")


def _value(text: str) -> str:
    return text if NUMBER.fullmatch(text) or PLACEHOLDER.fullmatch(text) else f'"{text}"'


def in_python(text: str, names: Collection[str], pairs: Collection[str] = ()) -> str:
    """`names`: npuc's options, without dashes; `pairs`: those that take NAME=VALUE.

    >>> in_python("use --batch=N, --layout=naive or --input-shape=x=1,<n>; see --report", ["batch", "layout"], ["input-shape"])
    'use batch=N, layout="naive" or input_shape={"x": (1, <n>)}; see Program.report'
    >>> in_python("raise it with npu-run --budget=memory=N", [], ["budget"])
    'raise it with npu-run --budget=memory=N'
    """

    def replace(found: re.Match[str]) -> str:
        name, value = found[1], (found[2] or "")[1:]
        if COMMAND.search(text, 0, found.start()):
            return found[0]
        if name in ELSEWHERE:
            return ELSEWHERE[name]
        if name not in names and name not in pairs:
            return found[0]
        tail = value[len(value.rstrip(",:.")) :]  # of the sentence
        value = value.rstrip(",:.")
        key, is_pair, inner = value.partition("=")
        name = name.replace("-", "_")
        if is_pair and found[1] in pairs and not PLACEHOLDER.fullmatch(value):
            shown = f"({', '.join(inner.split(','))})" if "," in inner else _value(inner)
            return f'{name}={{"{key}": {shown}}}{tail}'
        return f"{name}={_value(value)}{tail}" if value else name + tail

    return FLAG.sub(replace, text)
