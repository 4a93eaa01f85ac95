# SPDX-License-Identifier: Apache-2.0
"""The files that one call of a program writes: none in the place of another, all or none.

What the folder files/ is for the C++ programs.
"""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from npu_bench.contender import BenchError


class UsageError(BenchError):
    """The words of the call are wrong: exit code 2."""


def identity(path: str | Path) -> tuple | None:
    """The same for every name of a file, through links, and before it is there; nothing for pipes and devices."""
    real = os.path.realpath(path)
    try:
        info = os.stat(real)
    except OSError:
        return (real,)
    return (info.st_dev, info.st_ino) if stat.S_ISREG(info.st_mode) else None


def weights_of(model: str | Path) -> list[Path]:
    """The files beside an ONNX model that its weights lie in."""
    import onnx

    try:
        tensors = onnx.load(model, load_external_data=False).graph.initializer
    except Exception:  # whoever needs the model says what is wrong with it
        return []
    names = {entry.value for tensor in tensors for entry in tensor.external_data if entry.key == "location"}
    return [Path(model).parent / name for name in sorted(names)]


class OutputFiles:
    """Use with `with`: what is not committed is gone at its end."""

    def __init__(self) -> None:
        self.inputs: list[tuple[str, str, tuple]] = []
        self.outputs: list[tuple[str, str, tuple]] = []
        self.made: list[tuple[str, str]] = []  # temporary name, file

    def __enter__(self) -> OutputFiles:
        return self

    def __exit__(self, *_: object) -> None:
        for name, _file in self.made:
            Path(name).unlink(missing_ok=True)
        self.made = []

    def reads(self, what: str, path: str | Path) -> None:
        known = identity(path)
        if known:
            self.inputs.append((what, str(path), known))

    def reads_model(self, path: str | Path) -> None:
        self.reads("the model", path)
        for weights in weights_of(path):
            self.reads("the model's data", weights)

    def writes(self, what: str, path: str | Path | None) -> None:
        """Also says if it would replace something else of the call."""
        known = identity(path) if path is not None else None
        for other, name, found in [*self.inputs, *self.outputs] if known else []:
            if found == known:
                raise UsageError(f"{what} '{path}' would replace {other} '{name}'; name another file")
        if known:
            self.outputs.append((what, str(path), known))

    def write(self, path: str | Path, data: bytes) -> None:
        """Whole under a temporary name; pipes and devices in place."""
        real = os.path.realpath(path)
        if os.path.exists(path) and not os.path.isfile(path):
            Path(path).write_bytes(data)
            return
        handle, name = tempfile.mkstemp(prefix=".npu-", dir=os.path.dirname(real))
        self.made.append((name, real))
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)

    def commit(self) -> None:
        """Gives all files their names, or none."""
        done: list[tuple[str, str]] = []  # what was there before, file
        try:
            for name, file in self.made:
                before = f"{name}-before"
                if os.path.exists(file):
                    os.link(file, before)
                done.append((before, file))
                os.replace(name, file)
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


def write_file(path: Path, text: str) -> None:
    """One file that appears whole or not at all."""
    with OutputFiles() as files:
        files.write(path, text.encode("utf-8"))
        files.commit()
