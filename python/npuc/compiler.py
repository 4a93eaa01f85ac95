# SPDX-License-Identifier: Apache-2.0
"""Compiling: models and options as Python has them, to those of the C API (npuc/npuc.h)."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Optional, Protocol, Union, Unpack

import numpy as np

from npuc import _npuc, exported
from npuc.errors import CompileError, Message, said
from npuc.options import NAMES, TARGETS, Options
from npuc.program import Program


class OnnxModel(Protocol):
    """onnx.ModelProto."""

    def SerializeToString(self) -> bytes: ...  # noqa: N802


class TorchModule(Protocol):
    """torch.nn.Module."""

    def named_modules(self) -> Any: ...


Model = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, OnnxModel, TorchModule]


@dataclass(frozen=True)
class Value:
    """An operand or a result of an op."""

    role: str  #: as in a target's demands: "data", "weight", "result"
    type: str  #: of an element: "f32"
    shape: tuple[int, ...]  #: in the model's own order
    is_constant: bool


@dataclass(frozen=True)
class Op:
    """What a layout rule is asked about."""

    name: str  #: as in a target's demands: "conv2d"
    node: str  #: of the model: "Conv 'c1'"; empty: not known
    target: str  #: the chip's name
    operands: tuple[Value, ...]
    results: tuple[Value, ...]
    facts: dict[str, tuple[int, ...] | tuple[str, ...]]  #: what a target's `when:` may ask: "window", "strides"
    is_fused: bool  #: into a kernel with others


#: Gives one layout for each operand that has one (data, weight), "default" for the weight's that goes with the data's:
#: ("NHWC", "default"), or "NHWC" alone; None: no opinion.
LayoutRule = Callable[[Op], Optional[Union[str, Sequence[str]]]]

SEVERITIES = ("note", "warning", "error", "remark")
Form = Literal["npu", "mlir", "llvm", "asm", "obj", "html"]
STAGES = ("imported", "fused", "layout", "planned", "program")
TEXTS = ("ir", "outline", "report", "explain_layout", "explain_placement", "layout_plan", "certificate", "costs")
WANTED = {"report": 1, "explain_layout": 2, "layout_plan": 4, "certificate": 8}


def option_names() -> list[str]:
    """The options of compile(), with underscores; docs/npuc.md explains them, npuc.Options has their types.

    >>> import npuc
    >>> "layout_seconds" in npuc.option_names()
    True
    """
    return [name.replace("-", "_") for name in NAMES]


def targets() -> list[str]:
    """The chips that npuc brings, for target=; the path of a .yaml file is one, too.

    >>> import npuc
    >>> "npu-nhwc" in npuc.targets()
    True
    """
    return list(TARGETS)


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
    elif callable(serialize := getattr(model, "SerializeToString", None)):
        data = bytes(serialize())
    elif exported.is_torch(model):
        raise TypeError("a module of PyTorch is compiled for arguments: compile(module, (x,))")
    else:
        raise TypeError(
            f"a model is a path, bytes, an onnx.ModelProto or a module of PyTorch, not {type(model).__name__}"
        )
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


def _asked(rule: LayoutRule) -> Callable[..., list[str]]:
    """The rule as the extension calls it: of plain values, with a list of texts."""

    def ask(name: str, node: str, target: str, operands: Any, results: Any, facts: Any, is_fused: bool) -> list[str]:
        values = [tuple(Value(*row) for row in rows) for rows in (operands, results)]
        given = rule(Op(name, node, target, values[0], values[1], facts, is_fused))
        answer = [] if given is None else [given] if isinstance(given, str) else list(given)
        if not all(isinstance(one, str) for one in answer):
            raise TypeError(f"a layout rule gives layouts such as ('NHWC', 'default'), not {given!r}")
        return answer

    return ask


class Compilation:
    """A compilation that goes on stage by stage: imported, fused, layout, planned, program.

    `wanted`: texts that take time and are only made if they are asked for: "report" (what the other strategies would
    cost), "explain_layout", "layout_plan", "certificate". The other arguments are those of compile().

    >>> import npuc
    >>> c = npuc.Compilation("net.onnx", wanted=("certificate",))
    >>> c.run("layout").text("certificate")[0]
    '{'
    """

    def __init__(
        self, model: Model, args: Any = None, *, output: str | os.PathLike[str] | None = None,
        wanted: tuple[str, ...] = (), name: str | None = None, layout_rule: LayoutRule | None = None,
        **options: Unpack[Options],
    ) -> None:  # fmt: skip
        unknown = set(wanted) - set(WANTED)
        if unknown:
            raise ValueError(f"`wanted` has {sorted(unknown)}, expected some of {list(WANTED)}")
        path, data = _read_model(_exported(model, args), name)
        self._folder = None
        if any(isinstance(value, Mapping) for value in options.values()):
            self._folder = Path(tempfile.mkdtemp(prefix="npuc-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._given = _npuc.Compilation(
            path, data, None if output is None else os.fspath(output), _words(options, self._folder),
            sum(WANTED[text] for text in wanted), None if layout_rule is None else _asked(layout_rule),
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
            text: str = self._given.text(TEXTS.index(what))
            return said(text) if what.startswith("explain") else text

    @property
    def output(self) -> bytes:
        """What was written, if it went to no file."""
        return self._given.output()

    @property
    def report(self) -> dict[str, Any]:
        """docs/report.schema.json; after the stage "layout"."""
        report: dict[str, Any] = json.loads(self.text("report"))
        return report

    @property
    def messages(self) -> tuple[Message, ...]:
        """All that was said so far."""
        return tuple(
            Message(SEVERITIES[severity], said(text), file, node, line, column, said(shown))
            for severity, text, file, node, line, column, shown in self._given.messages()
        )

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except CompileError as error:
            error.messages = self.messages
            raise


def _exported(model: Model, args: Any) -> Model:
    """A module of PyTorch as ONNX."""
    if args is None:
        return model
    if not exported.is_torch(model):
        raise TypeError(f"`args` are those of a module of PyTorch, not of {type(model).__name__}")
    proto: OnnxModel = exported.export(model, args)
    return proto


def compile(  # noqa: A001
    model: Model, args: Any = None, *, output: str | os.PathLike[str] | None = None, compare: bool = False,
    name: str | None = None, layout_rule: LayoutRule | None = None, **options: Unpack[Options],
) -> Program:  # fmt: skip
    """Compiles a model: a path (.onnx, .tflite, .mlir), bytes, an onnx.ModelProto, or a module of PyTorch.

    `args` are what a torch.nn.Module is called with: a tensor, a tuple, or a dict by name; their shapes and types are
    the program's. `output` is the .npu file; without it the program lies in a temporary one as long as the Program
    does. `compare` puts into the report what the other layout strategies would cost. `name` is that of a model in
    memory. `layout_rule` is asked about each op by layout="convert" and "alter". `options` are npuc's, with
    underscores: npuc.Options has their types and what they do.

    >>> import npuc
    >>> program = npuc.compile("net.onnx", target="npu-nhwc", layout="optimal")
    >>> program.report["relayouts"]["count"]
    1
    >>> def channels_last(op: npuc.Op) -> "tuple[str, str] | None":
    ...     return ("NHWC", "default") if op.name == "conv2d" else None
    >>> npuc.compile("net.onnx", layout="convert", layout_rule=channels_last).report["layout"]
    'convert'
    """
    if options.get("emit", "npu") != "npu":
        raise ValueError("compile() makes programs; emit() gives the other forms")
    model = _exported(model, args)
    folder = None
    if output is None:
        folder = Path(tempfile.mkdtemp(prefix="npuc-"))
        path = folder / "program.npu"
    else:
        path = Path(output)
    wanted = ("report",) if compare else ()
    try:
        one = Compilation(model, output=path, wanted=wanted, name=name, layout_rule=layout_rule, **options)
        one.run()
    except BaseException:
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
        raise

    def explain() -> str:
        """Looking for what would remove a relayout takes time: only if somebody asks."""
        again = Compilation(model, wanted=("explain_layout",), name=name, layout_rule=layout_rule, **options)
        return again.run("layout").text("explain_layout")

    threads, report = options.get("threads") or 0, one.text("report")
    plugins = [plugin["path"] for plugin in json.loads(report)["plugins"]]
    program = Program(
        path, threads=threads, report=report, explain=explain, messages=one.messages, plugin=plugins
    )
    if folder:
        program._own(folder)
    return program


def emit(model: Model, form: Form, *, name: str | None = None, **options: Unpack[Options]) -> bytes:
    """What npuc --emit=FORM writes: "mlir", "llvm", "asm", "obj", "html" or "npu".

    >>> import npuc
    >>> npuc.emit("net.onnx", "html")[:15]
    b'<!doctype html>'
    """
    options["emit"] = form
    return Compilation(model, name=name, **options).run().output


def stages(model: Model, *, name: str | None = None, **options: Unpack[Options]) -> Iterator[tuple[str, str]]:
    """After each stage but the last its name and the graph, without large weights.

    >>> import npuc
    >>> [stage for stage, graph in npuc.stages("net.onnx")]
    ['imported', 'fused', 'layout', 'planned']
    """
    one = Compilation(model, name=name, **options)
    for stage in STAGES[:-1]:
        yield stage, one.run(stage).text("outline")
