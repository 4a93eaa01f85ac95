# SPDX-License-Identifier: Apache-2.0
"""Compiling: models and options as Python has them, to those of the C API (npuc/npuc.h)."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, Union

import numpy as np

from npuc import _npuc
from npuc.errors import CompileError, Message
from npuc.program import Program


class OnnxModel(Protocol):
    """onnx.ModelProto."""

    def SerializeToString(self) -> bytes: ...  # noqa: N802


Model = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, OnnxModel]

SEVERITIES = ("note", "warning", "error", "remark")
STAGES = ("imported", "fused", "layout", "planned", "program")
TEXTS = ("ir", "outline", "report", "explain_layout", "explain_placement", "layout_plan", "certificate")
WANTED = {"report": 1, "explain_layout": 2, "layout_plan": 4, "certificate": 8}


def option_names() -> list[str]:
    """The options of compile(), with underscores; docs/npuc.md explains them."""
    return _npuc.option_names().replace("-", "_").split(", ")


def _name_of(data: bytes) -> str:
    """A file's name for a model in memory: its suffix says what it is."""
    if data[4:8] == b"TFL3":
        return "model.tflite"
    if data[:4] == b"ML\xefR":
        return "model.mlirbc"
    if b"func.func" in data[:4096]:
        return "model.mlir"
    return "model.onnx"


def _read_model(model: Model, name: str | None) -> tuple[str, bytes | None]:
    """Its path or name, and its bytes if it is in memory."""
    if isinstance(model, (str, os.PathLike)):
        if name is not None:
            raise TypeError("`name` is for a model in memory; this one is a file")
        return os.fspath(model), None
    if isinstance(model, (bytes, bytearray, memoryview)):
        data = bytes(model)
    elif hasattr(model, "SerializeToString"):
        data = model.SerializeToString()
    else:
        raise TypeError(f"a model is a path, bytes or an onnx.ModelProto, not {type(model).__name__}")
    return name or _name_of(data), data


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _words(options: Mapping[str, Any], folder: Path | None) -> list[tuple[str, str]]:
    """batch=1, input_shape={"x": (1, 3, 8, 8)}, io_layout=["free", "y=NHWC"], bind_input={"w": array}."""
    words = []
    for key, value in options.items():
        name = key.replace("_", "-")
        if value is None:
            continue
        if isinstance(value, Mapping):
            for index, (part, inner) in enumerate(value.items()):
                if isinstance(inner, np.ndarray) and folder:
                    np.save(folder / f"{name}-{index}.npy", inner)
                    inner = folder / f"{name}-{index}.npy"
                words.append((name, f"{part}={_text(inner)}"))
        elif isinstance(value, (list, tuple)):
            words += [(name, _text(one)) for one in value]
        else:
            words.append((name, _text(value)))
    return words


class Compilation:
    """A compilation that goes on stage by stage: imported, fused, layout, planned, program.

    `wanted`: texts that take time and are only made if they are asked for: "report" (what the other strategies would
    cost), "explain_layout", "layout_plan", "certificate".
    """

    def __init__(
        self, model: Model, *, output: str | os.PathLike[str] | None = None, wanted: tuple[str, ...] = (),
        name: str | None = None, **options: Any,
    ) -> None:  # fmt: skip
        unknown = set(wanted) - set(WANTED)
        if unknown:
            raise ValueError(f"`wanted` has {sorted(unknown)}, expected some of {list(WANTED)}")
        path, data = _read_model(model, name)
        self._folder = None
        if any(isinstance(value, Mapping) for value in options.values()):
            self._folder = Path(tempfile.mkdtemp(prefix="npuc-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._given = _npuc.Compilation(
            path, data, None if output is None else os.fspath(output), _words(options, self._folder),
            sum(WANTED[text] for text in wanted),
        )  # fmt: skip

    def run(self, stage: str = "program") -> Compilation:
        """The stages up to this one that have not run yet."""
        if stage not in STAGES:
            raise ValueError(f"there is no stage '{stage}', expected one of {', '.join(STAGES)}")
        with self._told():
            self._given.run(STAGES.index(stage))
        return self

    def text(self, what: str) -> str:
        """"ir" (after the last stage), "outline" (without large weights), "report", "explain_layout", ..."""
        if what not in TEXTS:
            raise ValueError(f"there is no text '{what}', expected one of {', '.join(TEXTS)}")
        with self._told():
            return self._given.text(TEXTS.index(what))

    @property
    def output(self) -> bytes:
        """What was written, if it went to no file."""
        return self._given.output()

    @property
    def report(self) -> dict[str, Any]:
        """docs/report.schema.json; after the stage "layout"."""
        return json.loads(self.text("report"))

    @property
    def messages(self) -> tuple[Message, ...]:
        """All that was said so far."""
        return tuple(
            Message(SEVERITIES[severity], text, file, node, line, column, shown)
            for severity, text, file, node, line, column, shown in self._given.messages()
        )

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except CompileError as error:
            error.messages = self.messages
            raise


def compile(  # noqa: A001
    model: Model, *, output: str | os.PathLike[str] | None = None, compare: bool = False, name: str | None = None,
    **options: Any,
) -> Program:  # fmt: skip
    """Compiles a model: a path (.onnx, .tflite, .mlir), bytes, or an onnx.ModelProto.

    `output` is the .npu file; without it the program lies in a temporary one as long as the Program does. `compare`
    puts into the report what the other layout strategies would cost. `name` is that of a model in memory. `options`
    are npuc's, with underscores: target="npu-nhwc", layout="optimal", batch=1, input_shape={"x": (1, 3, 224, 224)},
    threads=2, ... (option_names(), docs/npuc.md).
    """
    if options.get("emit", "npu") != "npu":
        raise ValueError("compile() makes programs; emit() gives the other forms")
    folder = None
    if output is None:
        folder = Path(tempfile.mkdtemp(prefix="npuc-"))
    path = Path(output) if output is not None else folder / "program.npu"
    try:
        one = Compilation(model, output=path, wanted=("report",) if compare else (), name=name, **options)
        one.run()
    except BaseException:
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
        raise

    def explain() -> str:
        """Looking for what would remove a relayout takes time: only if somebody asks."""
        again = Compilation(model, wanted=("explain_layout",), name=name, **options).run("layout")
        return again.text("explain_layout")

    threads, report = options.get("threads") or 0, one.text("report")
    plugins = [plugin["path"] for plugin in json.loads(report)["plugins"]]
    program = Program(
        path, threads=threads, report=report, explain=explain, messages=one.messages, plugin=plugins
    )
    if folder:
        weakref.finalize(program, shutil.rmtree, folder, ignore_errors=True)
    return program


def emit(model: Model, form: str, *, name: str | None = None, **options: Any) -> bytes:
    """What npuc --emit=FORM writes: "mlir", "llvm", "asm", "obj", "html" or "npu"."""
    return Compilation(model, name=name, emit=form, **options).run().output


def stages(model: Model, *, name: str | None = None, **options: Any) -> Iterator[tuple[str, str]]:
    """After each stage but the last its name and the graph, without large weights."""
    one = Compilation(model, name=name, **options)
    for stage in STAGES[:-1]:
        yield stage, one.run(stage).text("outline")
