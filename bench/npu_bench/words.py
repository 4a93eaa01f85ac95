# SPDX-License-Identifier: Apache-2.0
"""Words of a command that several programs understand; size, sizes and file_name are types for argparse."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from npu_bench.errors import BenchError

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


def plugin_words(plugins: Sequence[str], allow: bool = False) -> list[str]:
    """npuc's and npu-run's options that load these libraries; npuc alone may be allowed those that targets name."""
    return [f"--plugin={plugin}" for plugin in plugins] + ["--allow-target-plugins"] * allow


def add_plugin_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--plugin", action="append", default=[], metavar="LIB", dest="plugins",
                        help="a library with kernels, ops, strategies, ... of others (docs/plugins.md), beside those "
                        "that a target's file names; may be repeated")  # fmt: skip
    parser.add_argument("--allow-target-plugins", action="store_true",
                        help="load the libraries that a target's file names, though --plugin does not: they are code")  # fmt: skip


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


def parse_shapes(texts: list[str]) -> dict[str, list[int]]:
    """["x=1,3,640,640"] to {"x": [1, 3, 640, 640]}."""
    shapes = {}
    for text in texts:
        name, _, extents = text.rpartition("=")
        if not name or not all(map(is_size, extents.split(","))):
            raise BenchError(f"--input-shape: expected NAME=1,3,224,224, found '{text}'")
        shapes[name] = [int(part) for part in extents.split(",")]
    return shapes
