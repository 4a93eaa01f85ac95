# SPDX-License-Identifier: Apache-2.0
"""Every operator that random models are made of, with the functions that choose its nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from . import (
    attention,
    bits,
    control,
    known,
    loss,
    matrix,
    movement,
    operators,
    quantized,
    recurrent,
    runtime,
    sampling,
    spectrum,
)
from .graph import Graph

Build = Callable[[Graph, str], None]
FAMILIES = (
    operators, matrix, movement, sampling, quantized, bits, attention, runtime, recurrent, control, spectrum, loss, known
)  # fmt: skip
CHOICES: list[tuple[Build, str]] = [(build, op) for family in FAMILIES for build, ops in family.TABLE for op in ops.split()]

BUILDERS: dict[str, list[Build]] = defaultdict(list)
for _build, _op in CHOICES:
    BUILDERS[_op].append(_build)
OPS = sorted(BUILDERS)

# Supported operators that no random model has, each with the reason.
EXCEPTIONS: dict[str, str] = {
    "com.microsoft.DynamicQuantizeLSTM": "a state that rounds the other way changes every step behind it; it is "
    "compared, with more room, in test/compiler/tools/npuc_weights_test.py"
}
