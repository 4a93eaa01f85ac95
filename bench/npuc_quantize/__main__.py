# SPDX-License-Identifier: Apache-2.0
"""Quantizes a float32 ONNX model to 8 bits by onnxruntime's static quantizer, and says how exact it still is."""

from __future__ import annotations

import argparse
import math
import os
from pathlib import Path

from npu_bench.errors import BenchError, exit_text
from npu_bench.program import Parser, ended, signals_wait, start
from npu_bench.resolver import NETS, zoo
from npu_bench.words import (
    add_budget_option, add_build_option, add_compiler_options, add_input_shape_option, file_name, size,
)  # fmt: skip
from npuc_quantize.choices import FITS, METHODS, ORDERS, TYPES

EPILOG = f"""--data is a .npy file or a folder of pictures; with several inputs NAME=FILE. It may be repeated. A file holds one
sample, or many along its first dimension. A folder is read with all folders inside, in the order of names; pictures
are brought to the size that the input's shape says, and to its order: NCHW or NHWC, by where its 1 or 3 channels are.

Accuracy is measured against the float32 model, on --test-data. SQNR is signal to quantization noise in decibels (20: the
error is a tenth of the values, 40: a hundredth); "own" is that of a value's rounding alone, if all before it were exact: a
layer that is low there wants another --method, or --keep. With --target the model is also compiled by npuc and
run as npu-run does, and that program's outputs are compared, too.

Examples:
  npuc-quantize resnet50.onnx --data=pictures -o resnet50.int8.onnx
  npuc-quantize resnet50.onnx --data=pictures --range=0,1 --mean=0.485,0.456,0.406 --std=0.229,0.224,0.225 \\
    -o resnet50.int8.onnx --json=accuracy.json --target=npu-nhwc --program=resnet50.npu
  npuc-quantize two_inputs.onnx --data image=images.npy --data tokens=tokens.npy -o small.onnx --method=percentile
  npuc-quantize model.onnx --input-shape x=1,3,480,640 --data=scans --fit=pad -o model.int8.onnx --keep=/head/Conv
  npuc-quantize model.onnx --data=pictures --test-data=others -o model.int8.onnx --min-top1=0.99

A node that onnxruntime's quantizer cannot quantize stays in float32, and is named.

{exit_text(ok="the model is written", failed="less exact than --min-sqnr or --min-top1 asks for (--json is written, nothing "
           "else), or the model cannot be quantized, compiled or run")}"""


def numbers(text: str) -> tuple[float, ...]:
    try:
        found = tuple(float(part) for part in text.split(","))
    except ValueError:
        found = (math.nan,)
    if not all(map(math.isfinite, found)):
        raise argparse.ArgumentTypeError(f"expected numbers such as 0.5 or 0.485,0.456,0.406, found '{text}'")
    return found


def names(text: str) -> tuple[str, ...]:
    if not all(text.split(",")):
        raise argparse.ArgumentTypeError(f"expected names with commas between, found '{text}'")
    return tuple(text.split(","))


def add_data_options(parser: Parser) -> None:
    group = parser.add_argument_group("values")
    group.add_argument("--data", action="append", required=True, metavar="[NAME=]PATH",
                       help="what ranges are measured with: a .npy file or a folder of pictures")  # fmt: skip
    group.add_argument("--test-data", action="append", default=[], metavar="[NAME=]PATH",
                       help="what accuracy is measured with (--data)")  # fmt: skip
    group.add_argument("--samples", type=size, default=100, help="most of --data, spread over all of it (100)")
    group.add_argument("--test-samples", type=size, default=20, help="most that accuracy is measured with (20)")
    group.add_argument("--batch", type=size,
                       help="what inputs begin with where neither model nor --input-shape says it (1)")  # fmt: skip
    add_input_shape_option(group, "binds unknown sizes while ranges are measured; the model that is written keeps them")


def add_picture_options(parser: Parser) -> None:
    group = parser.add_argument_group("pictures", "value = (LOW + pixel / 255 * (HIGH - LOW) - mean) / std")
    group.add_argument("--fit", choices=FITS, default="crop",
                       help="to the input's size: cut off what is longer, stretch, or pad with black (crop)")  # fmt: skip
    group.add_argument("--range", type=numbers, default=(0.0, 1.0), metavar="LOW,HIGH",
                       help="what black and white become (0,1)")  # fmt: skip
    group.add_argument("--mean", type=numbers, default=(0.0,), help="is taken off: one number, or one a channel (0)")
    group.add_argument("--std", type=numbers, default=(1.0,), help="divides: one number, or one a channel (1)")
    group.add_argument("--bgr", action="store_true", help="channels in the order blue, green, red")
    group.add_argument("--order", choices=ORDERS, help="of the input, where its shape leaves it open")


def add_quantiser_options(parser: Parser) -> None:
    group = parser.add_argument_group("quantization")
    group.add_argument("--activations", choices=TYPES, default="u8", help="bytes of values (u8)")
    group.add_argument("--weights", choices=TYPES, default="s8", help="bytes of weights (s8)")
    group.add_argument("--per-tensor", action="store_true", help="one scale for a weight, not one a channel")
    group.add_argument("--symmetric", action="store_true", help="values' zero points in the middle (s8: 0)")
    group.add_argument("--method", choices=METHODS, default="minmax", help="how ranges are found (minmax)")
    group.add_argument("--percentile", type=float, default=99.99,
                       help="part of the values inside of the range, of --method=percentile (99.99)")  # fmt: skip
    group.add_argument("--ops", type=names, default=(), metavar="Conv,MatMul,...",
                       help="operators to quantize (all that onnxruntime can)")  # fmt: skip
    group.add_argument("--keep", action="append", default=[], metavar="NODE",
                       help="a node that stays in float32, by its name or a value's that it gives; may be repeated")  # fmt: skip


def add_result_options(parser: Parser) -> None:
    group = parser.add_argument_group("results")
    group.add_argument("-o", "--output", type=file_name, required=True, metavar="FILE.onnx", help="the model in 8 bits")
    group.add_argument("--json", type=file_name, metavar="FILE", help="write every layer's numbers here (-: print; docs/npuc-quantize.schema.json)")
    group.add_argument("--all", action="store_true", help="print every layer, not just the least exact")
    group.add_argument("--min-sqnr", type=float, metavar="DB", help="least SQNR of every output")
    group.add_argument("--min-top1", type=float, metavar="PART", help="least part of samples with the same class")
    group.add_argument("--target", help="a chip to compile the result for, and to run it as")
    group.add_argument("--layout", default="optimal", help="npuc's strategy (optimal)")
    group.add_argument("--program", type=file_name, metavar="FILE.npu", help="keep what was compiled")
    group.add_argument("--threads", type=size, default=len(os.sched_getaffinity(0)), help="of the program")
    add_build_option(group)
    add_compiler_options(group)
    add_budget_option(group, "memory", "pixels")


def parse_arguments(words: list[str] | None) -> argparse.Namespace:
    parser = Parser("npuc-quantize", __doc__, EPILOG)
    parser.add_argument("model", help=f"an ONNX file, or one of: {', '.join(NETS)}")
    for add in (add_data_options, add_picture_options, add_quantiser_options, add_result_options):
        add(parser)
    arguments = parser.parse_args(words)
    if len(arguments.range) != 2 or arguments.range[0] >= arguments.range[1]:
        parser.error("--range: expected two numbers, the smaller first, such as -1,1")
    if not all(number > 0 for number in arguments.std):
        parser.error("--std: expected numbers above 0")
    if not 0 < arguments.percentile <= 100:
        parser.error("--percentile: expected a number above 0, at most 100")
    if arguments.activations == "s8" and arguments.weights == "u8":
        parser.error("--weights=u8: onnxruntime has it with --activations=u8 only")
    if arguments.program and not arguments.target:
        parser.error("--program: say which chip it is for, by --target")
    for name in ("min_sqnr", "min_top1"):
        limit = getattr(arguments, name)
        if limit is not None and not (math.isfinite(limit) and (name == "min_sqnr" or 0 <= limit <= 1)):
            parser.error(f"--{name.replace('_', '-')}: expected a number{'' if name == 'min_sqnr' else ' from 0 to 1'}")
    return arguments


def main(words: list[str] | None = None) -> int:
    arguments = parse_arguments(words)
    with signals_wait():  # an exception in the middle of an extension's import crashes it
        from npuc_quantize import command  # what it imports nobody needs for --help

    try:
        return command.run(arguments)
    except (BenchError, zoo.ZooError, OSError) as error:
        return ended("npuc-quantize", error)


if __name__ == "__main__":
    start("npuc-quantize", main)
