# SPDX-License-Identifier: Apache-2.0
"""Words of a command that several programs understand; size, sizes and file_name are types for argparse."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from npu_bench.errors import UsageError, did_you_mean, unknown_name

PEERS = ("onnxruntime", "openvino")  # other runtimes that npu-bench measures
NPUC_BUDGETS = ("nodes", "fold", "constants", "file", "text", "nesting", "name")
BUDGETS = {
    **dict.fromkeys(NPUC_BUDGETS, ""),
    "memory": "bytes that a run may take for inputs, outputs and the values between them, as npu-run has it",
    "pixels": "of one picture",
}
MOST_SIZE = 2**31 - 1  # npuc's


def is_size(text: str) -> bool:
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(MOST_SIZE))
    return is_number and 1 <= int(text) <= MOST_SIZE


def size(text: str) -> int:
    if not is_size(text):
        raise argparse.ArgumentTypeError(f"expected a size from 1 to {MOST_SIZE}, found '{text}'")
    return int(text)


def sizes(text: str) -> list[int]:
    if not all(map(is_size, text.split(","))):
        raise argparse.ArgumentTypeError(f"expected sizes such as 1,16, up to {MOST_SIZE}, found '{text}'")
    return [int(part) for part in text.split(",")]


def file_name(text: str) -> Path:
    if not text:  # Path would make the folder of it that we are in
        raise argparse.ArgumentTypeError("expected a file's name")
    return Path(text)


def plugin_words(plugins: Sequence[str]) -> list[str]:
    """npuc's and npu-run's options that load these libraries."""
    return [f"--plugin={plugin}" for plugin in plugins]


def add_plugin_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--plugin", action="append", default=[], metavar="LIB", dest="plugins",
                        help="a library with kernels, ops, strategies, ... of others (docs/plugins.md); may be repeated")  # fmt: skip


def budget(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if name not in BUDGETS:
        raise argparse.ArgumentTypeError(unknown_name(name, BUDGETS))
    if not (number.isascii() and number.isdecimal() and len(number) < 19 and int(number) > 0):
        raise argparse.ArgumentTypeError(f"'{text}' has no number of 1 or more; write {name}=N")
    return name, int(number)


def add_budget_option(parser: argparse.ArgumentParser, *others: str) -> None:
    """`others`: budgets that are not npuc's but of what else the program does."""
    parser.add_argument("--budget", action="append", default=[], type=budget, metavar="NAME=N", dest="budgets",
                        help="what a model may take, as npuc has it (docs/npuc.md"
                        f"{''.join(f'; also {name}: {BUDGETS[name]}' for name in others)}); may be repeated")  # fmt: skip


def budget_words(budgets: Iterable[tuple[str, int]], *names: str) -> list[str]:
    """The options of a program that has these budgets; without names npuc's."""
    wanted = names or NPUC_BUDGETS
    return [f"--budget={name}={number}" for name, number in budgets if name in wanted]


def budget_of(budgets: Iterable[tuple[str, int]], name: str, usual: int | None) -> int | None:
    """The last one that was given."""
    return {"": usual, **dict(budgets)}.get(name, usual)


def add_compiler_options(parser: argparse.ArgumentParser) -> None:
    """npuc's options that its own messages advise."""
    add_plugin_option(parser)
    parser.add_argument("--allow-target-plugins", action="store_true",
                        help="load the plugins that a target's file names, as npuc has it")  # fmt: skip
    parser.add_argument("--fallback", metavar="NAME", help="the host that runs what the chip lacks, as npuc has it (the target's own)")
    parser.add_argument("--layout-seconds", metavar="S", help="the most that the search for layouts takes, as npuc has it")


def compiler_words(arguments: argparse.Namespace) -> list[str]:
    """npuc's options that every program passes on; what is usual is not said, so that older programs are found again."""
    words = [*plugin_words(arguments.plugins), *budget_words(arguments.budgets)]
    words += ["--allow-target-plugins"] if arguments.allow_target_plugins else []
    words += [f"--fallback={arguments.fallback}"] if arguments.fallback else []
    words += [f"--layout-seconds={arguments.layout_seconds}"] if arguments.layout_seconds else []
    return words + precision_words(getattr(arguments, "precision", "f32"))


def add_build_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--build", type=Path, default=Path(os.environ.get("NPU_BUILD", "build")), metavar="FOLDER",
                        help="the build folder, or the installation, with npuc and libnpu.so")  # fmt: skip


SHAPES_OF_A_CASE = "binds unknown sizes; --batch, where given, replaces a first size of 1"


def add_input_shape_option(parser: argparse.ArgumentParser, help_text: str = SHAPES_OF_A_CASE) -> None:
    parser.add_argument("--input-shape", action="append", default=[], metavar="NAME=1,3,224,224", help=help_text)


def add_precision_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--precision", choices=("f32", "bf16", "i8"), default="f32",
                        help="what products of f32 are made of, as npuc has it (f32)")  # fmt: skip


def precision_words(precision: str) -> list[str]:
    """npuc's option; what is usual is not said, so that older programs are found again."""
    return [] if precision == "f32" else [f"--precision={precision}"]


def add_bind_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--bind-input", action="append", default=[], metavar="NAME=FILE.npy",
                        help="makes an input a constant, as npuc has it; other runtimes are given its values")  # fmt: skip


def bind_words(files: dict[str, str]) -> list[str]:
    """npuc's options that make these inputs constants."""
    return [f"--bind-input={name}={file}" for name, file in files.items()]


def shape_words(shapes: dict[str, list[int]]) -> list[str]:
    """npuc's options that bind these sizes. A number has none, and so no option."""
    return [f"--input-shape={name}={','.join(map(str, sizes))}" for name, sizes in shapes.items() if sizes]


def check_shapes(shapes: dict[str, list[int]], title: str, inputs: Iterable[str]) -> None:
    """Every name of --input-shape is an input's."""
    inputs = list(inputs)
    for name in sorted(set(shapes) - set(inputs)):
        raise UsageError(f"--input-shape: {title} has no input '{name}'{did_you_mean(name, inputs)}; it has: {', '.join(inputs)}")


def parse_shapes(texts: list[str]) -> dict[str, list[int]]:
    """["x=1,3,640,640"] to {"x": [1, 3, 640, 640]}."""
    shapes = {}
    for text in texts:
        name, _, extents = text.rpartition("=")
        if not name or not all(map(is_size, extents.split(","))):
            raise UsageError(f"--input-shape: expected NAME=1,3,224,224, found '{text}'")
        shapes[name] = [int(part) for part in extents.split(",")]
    return shapes
