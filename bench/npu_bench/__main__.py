# SPDX-License-Identifier: Apache-2.0
"""Compares layouts of a model with each other and with other runtimes."""

from __future__ import annotations

import argparse
import os

from npu_bench.errors import BenchError, exit_text, unknown_name
from npu_bench.program import Parser, ended, signals_wait, start
from npu_bench.resolver import NETS, zoo
from npu_bench.words import (
    PEERS, add_bind_option, add_budget_option, add_build_option, add_compiler_options, add_input_shape_option,
    add_precision_option, file_name, sizes,
)  # fmt: skip

PLANS = "npu-nchw/none,npu-nhwc/naive,npu-nhwc/optimal,npu-nchw16c/optimal,host/optimal"
PICTURES = (".png", ".svg", ".pdf", ".jpg")

EPILOG = f"""Every contender has a process of its own. All are measured in the same rounds, one after the other, so that
whatever slows the machine slows all of them; rounds in which the system took a processor away are repeated.
Outputs are compared with the first contender's: they differ where |found - expected| > 1e-4 + 1e-2 * (|expected| +
the largest expected value), 5e-2 with --precision=bf16 or i8. Wrong results fail the command, however fast they are.

Examples:
  npu-bench model.onnx --layouts
  npu-bench model.onnx --peers=onnxruntime,openvino
  npu-bench model.onnx --plans=npu-nhwc/naive,npu-nhwc/optimal --batch=1,16 --json=bench.json --chart=bench.png
  npu-bench ppocr_det --input-shape=x=1,3,640,640 --plans=host/optimal --threads=1
  npu-bench --calibrate

{exit_text(ok="every contender was measured, and all agree", failed="one cannot be compiled or run, or its results differ")}"""


def add_measuring_options(parser: Parser) -> None:
    group = parser.add_argument_group("measuring")
    group.add_argument("--calibrate", action="store_true",
                       help="measure this machine's kernels for --target=host and keep the table; no models")  # fmt: skip
    group.add_argument("--predictions", action="store_true",
                       help="instead of --plans: every strategy on host, npuc's predicted times next to measured ones, and "
                       "their rank correlation; what cannot be told apart counts as a tie (docs/calibration.md)")  # fmt: skip
    group.add_argument("--layouts", action="store_true",
                       help="instead of --plans: what NCHW, naive NHWC, NHWC, NCHWc and the optimal plan cost, in one table")  # fmt: skip
    group.add_argument("--plans", default=PLANS, help=f"TARGET/LAYOUT (or TARGET/convert=conv2d:NCHW16c:default), comma separated ({PLANS})")
    group.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="threads (all processors)")
    group.add_argument("--peers", default="", help=f"other runtimes to measure: {','.join(PEERS)}")
    group.add_argument("--rounds", type=int, default=15, help="good rounds of each contender (15)")
    group.add_argument("--sittings", type=int, default=3,
                       help="of --predictions: into so many parts the rounds are divided, each with new processes (3)")  # fmt: skip


def add_result_options(parser: Parser) -> None:
    group = parser.add_argument_group("results")
    group.add_argument("--json", type=file_name, metavar="FILE", help="write all numbers here (docs/npu-bench.schema.json)")
    group.add_argument("--markdown", type=file_name, metavar="FILE", help="write the table here")
    group.add_argument("--chart", type=file_name, metavar="FILE.png", help="draw bars here")


def check(parser: Parser, arguments: argparse.Namespace) -> None:
    if arguments.calibrate == bool(arguments.models):
        parser.error("expected models, or --calibrate alone")
    if arguments.layouts and arguments.predictions:
        parser.error("--layouts and --predictions are two tables; choose one")
    if arguments.layouts and arguments.plans != PLANS.split(","):
        parser.error("--plans: --layouts has plans of its own")
    if arguments.calibrate and arguments.plugins:
        parser.error("--plugin: --calibrate measures npuc's own kernels")
    if arguments.calibrate and arguments.precision != "f32":
        parser.error(f"--precision={arguments.precision}: --calibrate measures kernels of f32")
    for plan in arguments.plans:
        if "/" not in plan or not all(plan.rsplit("/", 1)):
            parser.error(f"--plans: expected TARGET/LAYOUT, found '{plan}'")
    if arguments.chart and arguments.chart.suffix not in PICTURES:
        parser.error(f"--chart: expected a name that ends in {', '.join(PICTURES)}, found '{arguments.chart}'")
    for name in arguments.peers:
        if name not in PEERS:
            parser.error(f"--peers: {unknown_name(name, PEERS)}")
    if min(arguments.threads, arguments.rounds, arguments.sittings) < 1:
        parser.error("--threads, --rounds and --sittings: expected at least 1")


def parse_arguments(words: list[str] | None) -> argparse.Namespace:
    parser = Parser("npu-bench", __doc__, EPILOG)
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"an ONNX file, or one of: {', '.join(NETS)}")
    add_measuring_options(parser)
    parser.add_argument("--batch", type=sizes, default=[None],
                        help="batch sizes, comma separated: what inputs begin with where neither model nor --input-shape says it (1)")  # fmt: skip
    add_input_shape_option(parser)
    parser.add_argument("--input", action="append", default=[], metavar="NAME=FILE.npy",
                        help="an input's values (made: integers below the rows of the table that they are looked up in, "
                        "masks of ones, else random numbers)")  # fmt: skip
    add_bind_option(parser)
    add_compiler_options(parser)
    add_budget_option(parser, "memory")
    add_precision_option(parser)
    add_result_options(parser)
    add_build_option(parser)
    arguments = parser.parse_args(words)
    arguments.plans = [plan for plan in arguments.plans.split(",") if plan]
    arguments.peers = [name for name in arguments.peers.split(",") if name]
    check(parser, arguments)
    return arguments


def main(words: list[str] | None = None) -> int:
    arguments = parse_arguments(words)
    with signals_wait():  # an exception in the middle of an extension's import crashes it
        from npu_bench import command  # what it imports nobody needs for --help

    try:
        return command.run(arguments)
    except (BenchError, zoo.ZooError, OSError) as error:
        return ended("npu-bench", error)


if __name__ == "__main__":
    start("npu-bench", main)
