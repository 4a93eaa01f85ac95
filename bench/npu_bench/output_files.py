# SPDX-License-Identifier: Apache-2.0
"""The files that one call of a program writes: none in the place of another, all or none.

What the folder files/ is for the C++ programs.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from npu_bench.errors import BenchError, OutputError, UsageError
from npu_bench.input_files import load_model, weights_of
from npu_bench.program import signals_wait

MOST_LINKS = 40  # as the kernel
STANDARD_OUTPUT = 1
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclasses.dataclass(frozen=True)
class Place:
    """Which file a path means, whatever its spelling."""

    what: str  # its name in messages
    given: str
    path: str = ""  # without links
    descriptor: int | None = None  # an open one, which /dev/stdout, /dev/fd/3, ... mean
    info: os.stat_result | None = None  # if it exists

    @property
    def is_replaceable(self) -> bool:
        """As a whole: no pipe, device, folder, no descriptor, no links that end nowhere."""
        is_new = self.info is None and not os.path.islink(self.path)
        return self.descriptor is None and (is_new or self.is_regular)

    @property
    def is_regular(self) -> bool:
        return self.info is not None and stat.S_ISREG(self.info.st_mode)

    def is_same(self, other: Place) -> bool:
        """Pipes, devices and two open descriptors are never one: nothing there is replaced."""
        if self.info is None and other.info is None:
            return self.path == other.path
        both_open = self.descriptor is not None and other.descriptor is not None
        return self.is_regular and other.is_regular and not both_open and os.path.samestat(self.info, other.info)

    def __str__(self) -> str:
        return f"{self.what} '{self.given}'" if self.given else self.what


def descriptor_of(path: str) -> int | None:
    own = os.path.realpath("/proc/self/fd")
    for _ in range(MOST_LINKS):
        folder, name = os.path.realpath(os.path.dirname(path)), os.path.basename(path)
        if folder == own and name.isdecimal():
            return int(name)
        path = os.path.join(folder, name)
        if not os.path.islink(path):
            break
        path = os.path.join(folder, os.readlink(path))
    return None


def locate(what: str, path: str | Path) -> Place:
    given = str(path)
    try:
        descriptor, real = descriptor_of(given), os.path.realpath(given)
    except ValueError:  # a byte that no name has
        return Place(what, given, given)
    try:
        return Place(what, given, real, descriptor, os.stat(real if descriptor is None else descriptor))
    except OSError:
        return Place(what, given, real, descriptor)


def standard_output() -> Place:
    """A file, if it is sent to one: what is printed there is an output like others."""
    try:
        return Place("standard output", "", "", STANDARD_OUTPUT, os.fstat(STANDARD_OUTPUT))
    except OSError:
        return Place("standard output", "", "", STANDARD_OUTPUT)


def check_place(place: Place) -> None:
    """What can be known before there is anything to write."""
    given, real = os.path.dirname(place.given) or ".", os.path.dirname(place.path)
    folder = real if os.path.isdir(given) else given
    problem = ""
    if place.descriptor is None and not os.path.isdir(real):
        problem = f"there is no folder '{folder}'; make it first"
    elif os.path.isdir(place.path):
        problem = "it is a folder; name a file in it"
    elif place.is_replaceable and not os.access(real, os.W_OK | os.X_OK):
        problem = os.strerror(errno.EACCES)
    if problem:
        raise OutputError(f"cannot write '{place.given}': {problem}")


@contextlib.contextmanager
def failures_name(place: Place) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        name = "to standard output" if place.descriptor == STANDARD_OUTPUT else f"'{place.given}'"
        advice = "; free some space or write elsewhere" if error.errno in FULL else ""
        raise OutputError(f"cannot write {name}: {error.strerror}{advice}") from error


class OutputFiles:
    """Use with `with`: what is not committed is gone at its end."""

    def __init__(self) -> None:
        self.inputs: list[Place] = []
        self.outputs = [standard_output()]
        self.made: list[tuple[str, Place]] = []  # temporary name, file

    def __enter__(self) -> OutputFiles:
        return self

    def __exit__(self, *_: object) -> None:
        with signals_wait():
            for name, _place in self.made:
                Path(name).unlink(missing_ok=True)
            self.made = []

    def reads(self, what: str, path: str | Path) -> None:
        self.inputs.append(locate(what, path))
        self._check(self.outputs[0], self.inputs[-1:])

    def reads_word(self, what: str, word: str) -> None:
        """Of an option that also takes other words than a file's name."""
        if os.path.isfile(word):
            self.reads(what, word)

    def reads_model(self, path: str | Path) -> None:
        self.reads("the model", path)
        with contextlib.suppress(BenchError):  # whoever needs the model says what is wrong with it
            for weights in weights_of(load_model(path, weights=False), path):
                self.reads("the model's data", weights)

    def writes(self, what: str, path: str | Path | None) -> None:
        """Also says if it would replace something else of the call, or cannot be."""
        if path is None:
            return
        place = locate(what, path)
        self._check(place, [*self.inputs, *self.outputs])
        check_place(place)
        self.outputs.append(place)

    def _check(self, output: Place, others: list[Place]) -> None:
        for other in filter(output.is_same, others):
            raise UsageError(f"{output} would replace {other}; name another file")

    def write(self, path: str | Path, data: bytes) -> None:
        """Whole under a temporary name; pipes, devices and open descriptors in place."""
        place = locate("", path)
        with failures_name(place):
            if not place.is_replaceable:
                self._write_in_place(place, data)
                return
            with signals_wait():
                handle, name = tempfile.mkstemp(prefix=".npu-", dir=os.path.dirname(place.path))
                self.made.append((name, place))
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(name, 0o666 & ~mask)

    def _write_in_place(self, place: Place, data: bytes) -> None:
        if place.descriptor == STANDARD_OUTPUT:
            sys.stdout.flush()
        # Opened again, a file would be written from its start.
        target = place.given if place.descriptor is None else os.dup(place.descriptor)
        with open(target, "wb") as file:
            file.write(data)

    def commit(self) -> None:
        """Gives all files their names, or none."""
        done: list[tuple[str, str]] = []  # what was there before, file
        with signals_wait():
            try:
                for name, place in self.made:
                    with failures_name(place):
                        self._publish(name, place.path, done)
            except OSError:
                for before, file in reversed(done):
                    if os.path.exists(before):
                        os.replace(before, file)
                    else:
                        Path(file).unlink(missing_ok=True)
                raise
            finally:
                for before, _file in done:
                    Path(before).unlink(missing_ok=True)
            self.made = []

    def _publish(self, name: str, file: str, done: list[tuple[str, str]]) -> None:
        before = f"{name}-before"
        if os.path.exists(file):
            os.link(file, before)
        done.append((before, file))
        os.replace(name, file)


def write_file(path: Path, text: str) -> None:
    """One file that appears whole or not at all."""
    with OutputFiles() as files:
        files.write(path, text.encode("utf-8"))
        files.commit()
