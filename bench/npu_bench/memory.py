# SPDX-License-Identifier: Apache-2.0
"""The budget of a run's memory, where the module npuc runs a program; npu-run has it by itself."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from npu_bench.errors import BenchError, Exit

if TYPE_CHECKING:
    import npuc


def check(program: npuc.Program, path: str | Path, budget: int | None) -> None:
    """`budget`: None if nobody has set one."""
    if budget is None:
        return
    tensors = [*program.inputs, *program.outputs]
    stats = program.load_stats
    needed = stats["arena_bytes"] + stats["scratch_bytes"]
    needed += sum(math.prod(tensor.shape) * tensor.dtype.itemsize for tensor in tensors)
    if needed > budget:
        raise BenchError(f"'{Path(path).name}' takes at least {needed} bytes of memory for its inputs, outputs and what lies "
                         f"between them, the budget is {budget}; if that is meant, raise it with --budget=memory=N",
                         Exit.BUDGET)  # fmt: skip
