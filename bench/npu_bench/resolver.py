# SPDX-License-Identifier: Apache-2.0
"""From a word of the command to what it names: models and targets, with one set of messages for all programs."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from npu_bench.errors import BenchError, Exit, did_you_mean

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "models"))

import zoo  # noqa: E402

TARGETS = Path(__file__).resolve().parents[2] / "targets"
# Of the zoo: what other runtimes read, too.
NETS = [name for name, net in zoo.NETS.items() if not net.is_tflite]


def find_model(word: str, networks: Iterable[str] = NETS) -> Path:
    """A file, or a network of bench/models by name, which is made if it is not there."""
    networks = list(networks)
    if word in networks:
        return zoo.ensure(word)
    if not Path(word).is_file():
        # A name may be misspelled; a file is not there.
        code = Exit.FAILED if _is_path(word) else Exit.USAGE
        raise BenchError(f"there is no file '{word}', and no network of that name{did_you_mean(word, networks)}; "
                         f"known: {', '.join(networks)}", code)  # fmt: skip
    return Path(word)


def _is_path(word: str) -> bool:
    return "/" in word or bool(Path(word).suffix)


def target_file(word: str) -> Path:
    """As npuc takes it: by name in targets/, or a path."""
    return Path(word) if "/" in word or word.endswith(".yaml") else TARGETS / f"{word}.yaml"


def find_target(word: str, option: str = "--target") -> Path:
    path = target_file(word)
    if not path.exists():
        code = Exit.INPUT if _is_path(word) else Exit.USAGE
        names = sorted(file.stem for file in TARGETS.glob("*.yaml"))
        raise BenchError(f"{option}: there is no target '{word}'{did_you_mean(word, names)}; known: {', '.join(names)}, "
                         "or give a .yaml file", code)  # fmt: skip
    return path
