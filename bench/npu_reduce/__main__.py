# SPDX-License-Identifier: Apache-2.0
"""Shrinks a model that npuc fails on to the nodes that matter."""

from __future__ import annotations

import argparse
import sys

from npu_bench.errors import BenchError, exit_text
from npu_bench.program import Parser, ended, signals_wait, start
from npu_bench.resolver import zoo
from npu_bench.words import add_build_option, add_input_shape_option, file_name, size

EPILOG = f"""Without --reduce-test a part fails if npuc ends with the same signal, or with the same message
apart from names and numbers. With it, a part fails if the command ends with another exit code than 0; {{}}
stands for the part's file. Options that are not listed here go to npuc (--target=NAME, --layout=NAME, ...), each
as one word; sizes are bound in the model first.

Examples:
  npuc model.onnx --target=npu-nhwc --reduce=small.onnx
  npu-reduce model.onnx --reduce=small.onnx --reduce-test='! npu-compare {{}} | grep FIRST'
  npu-reduce model.onnx --reduce=small.onnx --reduce-test='! ./my-check.sh {{}} | grep wrong'

{exit_text(ok="the part is written", failed="the model does not fail, or cannot be read")}"""


def parse_arguments(words: list[str] | None) -> tuple[argparse.Namespace, list[str]]:
    parser = Parser("npu-reduce", __doc__, EPILOG)
    parser.add_argument("model", help="the ONNX file")
    parser.add_argument("--reduce", type=file_name, required=True, metavar="OUT.onnx", help="where the part is written")
    parser.add_argument("--reduce-test", metavar="COMMAND", help="fails in place of npuc; {} is the model")
    add_input_shape_option(parser, "binds unknown sizes")
    parser.add_argument("--batch", type=size, help="the unknown first size of inputs")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds after which a command failed (120)")
    add_build_option(parser)
    arguments, others = parser.parse_known_args(words)
    words = sys.argv[1:] if words is None else words
    for before, word in zip(["", *words], words):
        if word in others and not word.startswith("-") and not before.startswith("-"):
            parser.error(f"found '{word}' beside the model '{arguments.model}'; write npuc's options as one word, --target=NAME")
    return arguments, others


def main(words: list[str] | None = None) -> int:
    arguments, others = parse_arguments(words)
    with signals_wait():  # an exception in the middle of an extension's import crashes it
        from npu_reduce import command  # what it imports nobody needs for --help

    try:
        return command.run(arguments, others)
    except (BenchError, zoo.ZooError, OSError) as error:
        return ended("npu-reduce", error)


if __name__ == "__main__":
    start("npu-reduce", main)
