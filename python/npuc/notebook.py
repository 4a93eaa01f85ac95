# SPDX-License-Identifier: Apache-2.0
"""A program as a notebook shows it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from npuc.program import Program, Tensor


def _row(cells: Sequence[object], tag: str = "td") -> str:
    return "<tr>" + "".join(f"<{tag} style='text-align:left'>{escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"


def _tensor(kind: str, tensor: Tensor) -> str:
    shape = "×".join(map(str, tensor.shape)) or "scalar"
    return _row([kind, tensor.name, f"{tensor.dtype} {shape}", tensor.layout])


def program_html(program: Program) -> str:
    """Inputs, outputs and what the chip takes, as a table."""
    kernels = program.kernels
    moved = [kernel for kernel in kernels if kernel["relayout"]]
    cycles = sum(kernel["cycles"] for kernel in kernels)
    share = f", {sum(kernel['cycles'] for kernel in moved) / cycles:.0%} of the cycles" if moved and cycles else ""
    facts = f"{program.chip['name']}: {cycles:,} cycles, {len(kernels)} kernels, {len(moved)} relayouts{share}"
    tensors = [("input", program.inputs), ("output", program.outputs), ("state", program.states)]
    rows = [_tensor(kind, tensor) for kind, found in tensors for tensor in found]
    head = _row(["", "name", "type", "stored as"], "th")
    return f"<table><caption>{escape(facts)}</caption><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"
