# SPDX-License-Identifier: Apache-2.0
"""Compares a model layer by layer with onnxruntime, and says where a difference arises."""

from __future__ import annotations

import argparse
import math
import os

from npu_bench.errors import BenchError, exit_text
from npu_bench.program import Parser, ended, signals_wait, start
from npu_bench.resolver import NETS, zoo
from npu_bench.words import (
    add_bind_option, add_budget_option, add_build_option, add_compiler_options, add_input_shape_option,
    add_precision_option, file_name, size,
)  # fmt: skip

EPILOG = f"""The model is compiled with npuc --taps, which keeps every value that a node names. Kernels
are then not fused: where a difference shows in a plain compilation only, fusion causes it.
A value differs where |found - expected| > atol + rtol * (|expected| + a hundredth of the largest expected),
because sums of large numbers lose the last bits of these.
Bytes are compared in quantization steps. A value that differs is judged once more from the values that its
own node got: a step, or the last bits of a sum, are no difference, but later layers make more of them.
With --bytes kernels are those of the plain program, on a chip of integers, too: --steps=0 says of each how many
bytes differ from the model's, and by how much.

Examples:
  npu-compare model.onnx --batch=1
  npu-compare model.onnx --target=npu-nhwc --layout=naive --input image=picture.npy
  npu-compare efficientnet_b0 --rtol=1e-4 --atol=1e-5 --json=layers.json
  npu-compare model.onnx --all        # every layer, not just those that differ
  npu-compare int8.onnx --target=chip.yaml --bytes --steps=0

{exit_text(ok="all values agree", failed="some values differ, or the model cannot be compiled or run")}"""


def parse_arguments(words: list[str] | None) -> argparse.Namespace:
    parser = Parser("npu-compare", __doc__, EPILOG)
    parser.add_argument("model", help=f"an ONNX file, or one of: {', '.join(NETS)}")
    parser.add_argument("--target", default="npu-nhwc", help="chip (npu-nhwc)")
    parser.add_argument("--layout", default="optimal", help="strategy (optimal)")
    parser.add_argument("--batch", type=size,
                        help="what inputs begin with where neither model nor --input-shape says it (1)")  # fmt: skip
    add_input_shape_option(parser)
    parser.add_argument("--input", action="append", default=[], metavar="NAME=FILE.npy",
                        help="an input's values (made, as npu-bench does)")  # fmt: skip
    add_bind_option(parser)
    add_compiler_options(parser)
    add_budget_option(parser, "memory")
    parser.add_argument("--rtol", type=float, default=1e-3, help="allowed relative difference (1e-3)")
    parser.add_argument("--atol", type=float, default=1e-4, help="allowed absolute difference (1e-4)")
    parser.add_argument("--steps", type=int, default=1, help="allowed difference of bytes, in quantization steps (1)")
    parser.add_argument("--bytes", action="store_true",
                        help="compare quantized values only, and leave kernels between them fused")  # fmt: skip
    parser.add_argument("--all", action="store_true", help="print every layer")
    add_precision_option(parser)
    parser.add_argument("--json", type=file_name, metavar="FILE",
                        help="write every layer's numbers here (-: print; docs/npu-compare.schema.json)")  # fmt: skip
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="threads (all processors)")
    add_build_option(parser)
    arguments = parser.parse_args(words)
    allowed = (arguments.rtol, arguments.atol, arguments.steps)
    if arguments.threads < 1 or not all(0 <= number < math.inf for number in allowed):
        parser.error("--threads: at least 1, --rtol, --atol and --steps: finite and not negative")
    return arguments


def main(words: list[str] | None = None) -> int:
    arguments = parse_arguments(words)
    with signals_wait():  # an exception in the middle of an extension's import crashes it
        from npu_compare import command  # what it imports nobody needs for --help

    try:
        return command.run(arguments)
    except (BenchError, zoo.ZooError, OSError) as error:
        return ended("npu-compare", error)


if __name__ == "__main__":
    start("npu-compare", main)
