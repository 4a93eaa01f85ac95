# SPDX-License-Identifier: Apache-2.0
"""What is expected of a case: that npuc refuses it, or how many steps its integers may be off."""

from __future__ import annotations

import re

from ai_edge_litert import schema_py_generated as schema

from tflite_builder import Graph

# Case to a part of the message.
REFUSED: dict[str, str] = {}
# Case to steps, each with its cause.
STEPS: dict[str, int] = {}


def refusal(name: str) -> str:
    return next((reason for pattern, reason in REFUSED.items() if re.search(pattern, name)), "")


def steps(name: str) -> int:
    return next((count for pattern, count in STEPS.items() if re.search(pattern, name)), 0)


def operators(graph: Graph) -> list[str]:
    """The names of its operators."""
    names = {number: name for name, number in vars(schema.BuiltinOperator).items() if isinstance(number, int)}
    return [names[code.builtinCode] for code in graph.codes]
