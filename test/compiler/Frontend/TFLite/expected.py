# SPDX-License-Identifier: Apache-2.0
"""What is expected of a case, where it is not LiteRT's numbers: that npuc refuses it, or that nothing is defined."""

from __future__ import annotations

import re

from ai_edge_litert import schema_py_generated as schema

from tflite_builder import Graph

# By name, and a part of the message.
REFUSED = {
    r"^(binary|conv|pool)/\w+/(TANH|SIGN_BIT)/": "with ",
    r"^index/MATRIX_DIAG/bool": "with bool",
    r"^index/SCATTER_ND.*/u8": "with u8",
    r"^binary/DIV/[A-Z0-9_]+/(i8|u8|i16)": "with ",
    r"^unary/(GELU1?|PRELU|ELU|SQRT)/i16": "with i16",
    r"^unary/SQRT/i8": "with i8",
    r"^reduce/REDUCE_PROD/(i8|i16)": "with i",
    r"^recurrent/LSTM/\w+-none$": "has the activation NONE",
}

# LiteRT's result is no rule for these.
UNDEFINED = {
    r"^(binary/(MAXIMUM|MINIMUM)|reduce/REDUCE_M..|pool/MAX_POOL_2D|index/ARG_MAX|unary/SIGN)/nan":
        "LiteRT's result depends on the order of the operands; npuc's is NaN, of SIGN 0",
    r"^recurrent/BIDIRECTIONAL_SEQUENCE_RNN/batch-\w+-other":
        "LiteRT's second direction reads the first input where the batch comes first",
    r"^unary/LOG/i16-0": "the place of LiteRT's table at 0 is the logarithm of what floats round to",
    r"^dense/hybrid": "LiteRT quantizes the data as it runs; npuc multiplies with the numbers that the weights stand for",
}  # fmt: skip


def refusal(name: str) -> str | None:
    """A part of the message; none if npuc takes the case."""
    return next((reason for pattern, reason in REFUSED.items() if re.search(pattern, name)), None)


def is_undefined(name: str) -> bool:
    return any(re.search(pattern, name) for pattern in UNDEFINED)


def operators(graph: Graph) -> list[str]:
    """The names of its operators."""
    names = {number: name for name, number in vars(schema.BuiltinOperator).items() if isinstance(number, int)}
    return [names[code.builtinCode] for code in graph.codes]
