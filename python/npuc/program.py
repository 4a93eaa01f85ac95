# SPDX-License-Identifier: Apache-2.0
"""Programs: what compile() and load() give."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Union

import numpy as np

from npuc import _npu
from npuc.errors import Message, RunError
from npuc.notebook import program_html

DTYPES = {
    "f32": np.float32, "f16": np.float16, "i8": np.int8, "u8": np.uint8, "i16": np.int16, "i32": np.int32,
    "i64": np.int64, "bool": np.bool_, "f64": np.float64, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
}  # fmt: skip

# Paths of libraries, which stay loaded until the process ends.
Plugins = Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]
Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Tensor:
    """An input, an output or a state."""

    name: str
    shape: tuple[int, ...]  #: in the model's own order
    dtype: np.dtype[Any]
    layout: str  #: how the program stores it: "NHWC", ...
    #: Of quantized numbers (quantized_io), which stand for (number - zero_point) * scale; else None.
    scale: float | None = None
    zero_point: int | None = None


def _tensor(
    name: str, shape: tuple[int, ...], dtype: str, layout: str, scale: float | None, zero_point: int | None
) -> Tensor:
    return Tensor(name, shape, np.dtype(DTYPES[dtype]), layout, scale, zero_point)


class Program:
    """A .npu program. It is loaded when it is first asked for what only a loaded one knows.

    Several threads may call run() at once: each run has memory of its own. A program with states (past frames of a
    streaming network) begins each run() as the model does; context() keeps them from run to run. A pickled program has
    its file in it. `with` closes it at the end of the block.

    >>> import npuc, numpy
    >>> with npuc.compile("net.onnx", target="npu-nhwc") as program:
    ...     y = program(numpy.zeros((1, 3, 16, 16), numpy.float32))
    >>> y.shape
    (1, 10)
    """

    def __init__(
        self, path: str | os.PathLike[str], *, threads: int = 0, run_inline: bool = False, report: str = "",
        explain: Callable[[], str] | None = None, messages: tuple[Message, ...] = (), plugin: Plugins = (),
    ) -> None:  # fmt: skip
        self.path = Path(path)  #: of the program's file
        self.messages = messages  #: what the compiler said: warnings, remarks
        self._threads, self._run_inline = threads, run_inline
        self._plugins = [plugin] if isinstance(plugin, (str, os.PathLike)) else list(plugin)
        self._report, self._explain = report, explain
        self._explanation: str | None = None
        self._loaded: _npu.Model | None = None
        self._inputs: tuple[Tensor, ...] = ()
        self._outputs: tuple[Tensor, ...] = ()
        self._states: tuple[Tensor, ...] = ()
        self._remove: Callable[[], Any] | None = None  # of a temporary file
        self._is_closed = False

    def _own(self, folder: Path) -> None:
        """The folder goes when the program does."""
        self._remove = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)

    def close(self) -> None:
        """Frees the program's memory, and its file if that is a temporary one; it cannot be run afterwards."""
        self._is_closed, self._loaded = True, None
        if self._remove:
            self._remove()

    def __enter__(self) -> Program:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:  # fmt: skip
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        """The file's bytes and how it is loaded: the other process compiles nothing. explain() comes with its text."""
        kept = ("messages", "_threads", "_run_inline", "_plugins", "_report", "_explanation")
        return {"file": self.path.read_bytes(), **{name: getattr(self, name) for name in kept}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        folder = Path(tempfile.mkdtemp(prefix="npuc-"))
        path = folder / "program.npu"
        path.write_bytes(state.pop("file"))
        self.__init__(path)  # type: ignore[misc]
        self.__dict__.update(state)
        self._own(folder)

    def _load(self) -> _npu.Model:
        if self._is_closed:
            raise RunError("this program is closed; compile or load it again", 1)
        if self._loaded is None:
            plugins = [os.fspath(path) for path in self._plugins]
            model = _npu.Model(os.fspath(self.path), self._threads, self._run_inline, plugins)
            self._inputs = tuple(_tensor(*row) for row in model.tensors("inputs"))
            self._outputs = tuple(_tensor(*row) for row in model.tensors("outputs"))
            self._states = tuple(_tensor(*row) for row in model.tensors("states"))
            self._loaded = model
        return self._loaded

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        self._load()
        return self._inputs

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        self._load()
        return self._outputs

    @property
    def states(self) -> tuple[Tensor, ...]:
        """What a run leaves for the next one of its context."""
        self._load()
        return self._states

    def context(self) -> Context:
        """Runs that follow each other: each has the states that the one before left. Contexts do not see each other's."""
        return Context(self)

    def run(self, *arrays: Any, **named: Any) -> dict[str, Array]:
        """Runs once: all outputs, by name. Inputs by name (run(x=x), run({"x:0": x})) or in order: numpy arrays or what has DLPack.

        An array in C order, aligned to 64 bytes, of an input that the program stores in rows is read where it is;
        results are in memory of their own.

        >>> import npuc, numpy
        >>> program = npuc.compile("net.onnx")
        >>> {name: array.shape for name, array in program.run(x=numpy.zeros((1, 3, 16, 16), numpy.float32)).items()}
        {'y': (1, 10)}
        """
        return self._by_name(self._load().run(self._arrays(arrays, named), 0))

    def __call__(self, *arrays: Any, **named: Any) -> Array:
        """Runs once: the array of the only output. A program with several has run().

        >>> import npuc, numpy
        >>> program = npuc.compile("net.onnx")
        >>> program(numpy.zeros((1, 3, 16, 16), numpy.float32)).dtype
        dtype('float32')
        """
        return self._only(self.run(*arrays, **named))

    def _by_name(self, results: list[Array]) -> dict[str, Array]:
        return {tensor.name: array for tensor, array in zip(self._outputs, results)}

    def _only(self, results: dict[str, Array]) -> Array:
        if len(results) != 1:
            raise RunError(f"the program has the outputs {_names(self._outputs)}; run() gives them by name", 1)
        return next(iter(results.values()))

    def bind(self, *arrays: Any, **named: Any) -> Runs:
        """The program with copies of these inputs in place: for who runs it again and again, or measures it.

        States begin as the model does, and are kept from run to run.
        """
        model = self._load()
        return Runs(model, model.bind(self._arrays(arrays, named)), self._outputs)

    def profile(self, *arrays: Any, runs: int = 10, **named: Any) -> list[dict[str, Any]]:
        """Each kernel, with the milliseconds of one run (`ms`) and the chip's cycles. Without inputs: of zeros."""
        if runs < 1:
            raise ValueError(f"`runs` is {runs}, expected 1 or more")
        if not arrays and not named:
            arrays = tuple(np.zeros(tensor.shape, tensor.dtype) for tensor in self.inputs)
        return self.bind(*arrays, **named).profile(runs)

    @property
    def report(self) -> dict[str, Any]:
        """What the compiler decided (docs/report.schema.json)."""
        if not self._report:
            raise RunError("this program was loaded from a file, its report is npuc's --report", 1)
        report: dict[str, Any] = json.loads(self._report)
        return report

    def explain(self) -> str:
        """Of each relayout that is left what forces it, and which change would remove it. Takes time once."""
        if self._explain is None:
            raise RunError("this program was loaded from a file, its explanation is npuc's --explain-layout", 1)
        if self._explanation is None:
            self._explanation = self._explain()
        return self._explanation

    def save(self, path: str | os.PathLike[str]) -> None:
        """Copies the .npu file."""
        shutil.copyfile(self.path, path)

    @property
    def kernels(self) -> list[dict[str, Any]]:
        """Each kernel: op, node, layouts, implementation, the chip's cycles."""
        return self._load().kernels(0)

    @property
    def manifest(self) -> dict[str, Any]:
        """docs/program-format.md"""
        manifest: dict[str, Any] = json.loads(self._load().manifest())
        kernels: list[dict[str, Any]] = []
        for number, kernel in enumerate(manifest["kernels"]):
            if isinstance(kernel, list):  # what kernels have in common the file says once
                like, resident, reserved, *node = kernel
                op = kernels[like]["op"].removeprefix("npu.").replace(".", "_")
                own = {"name": f"k{number}_{op}", "resident_bytes": resident, "reserved_bytes": reserved}
                kernel = kernels[like] | own | ({"node": node[0]} if node else {})
            kernels.append(kernel)
        return manifest | {"kernels": kernels}

    @property
    def chip(self) -> dict[str, Any]:
        return self._load().chip()

    @property
    def load_stats(self) -> dict[str, Any]:
        """Times of loading in milliseconds, sizes in bytes."""
        return self._load().stats()

    @property
    def warnings(self) -> list[str]:
        """What the runtime says of this program: kernels that run on a reference, ..."""
        return self._load().warnings()

    def __repr__(self) -> str:
        if self._loaded is None:
            return f"<npuc.Program {self.path}>"
        signs = [f"{t.name}: {t.dtype}{list(t.shape)}" for t in (*self._inputs, *self._outputs)]
        split = len(self._inputs)
        return f"<npuc.Program {', '.join(signs[:split])} -> {', '.join(signs[split:])}>"

    def _repr_html_(self) -> str:
        return program_html(self)

    def _arrays(self, arrays: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
        """One for each input, in order."""
        if len(arrays) == 1 and isinstance(arrays[0], Mapping):
            named = {**arrays[0], **named}
            arrays = ()
        inputs = self.inputs
        if arrays and named:
            raise TypeError("inputs are given in order or by name, not both")
        if arrays:
            if len(arrays) != len(inputs):
                raise RunError(f"got {len(arrays)} inputs, expected {len(inputs)}: {_names(inputs)}", 1)
            named = {tensor.name: array for tensor, array in zip(inputs, arrays)}
        unknown = named.keys() - {tensor.name for tensor in inputs}
        if unknown:
            raise RunError(f"there is no input '{min(unknown)}', expected {_names(inputs)}", 1)
        missing = [tensor.name for tensor in inputs if tensor.name not in named]
        if missing:
            raise RunError(f"input '{missing[0]}' is missing, expected {_names(inputs)}", 1)
        return [_as_array(named[tensor.name], tensor) for tensor in inputs]


class Context:
    """Runs of a program that follow each other, with the states between them. Not for several threads at once.

    Begins as the model does: with zeros, or with constants of its own.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._context = program._load().context()

    def run(self, *arrays: Any, **named: Any) -> dict[str, Array]:
        """As Program.run, and leaves its states for the next run. One that fails leaves them as they were."""
        return self._program._by_name(self._context.run(self._program._arrays(arrays, named)))

    def __call__(self, *arrays: Any, **named: Any) -> Array:
        """As run(): the array of the only output."""
        return self._program._only(self.run(*arrays, **named))

    def reset(self) -> None:
        """Every state as the model begins."""
        self._context.reset()

    def read_state(self, name: str) -> Array:
        """A copy, in the model's own order."""
        return self._context.read_state(name)

    def write_state(self, name: str, value: Any) -> None:
        """What the next run finds."""
        states = self._program.states
        found = [tensor for tensor in states if tensor.name == name]
        if not found:
            raise RunError(f"there is no state '{name}', expected {_names(states)}", 1)
        self._context.write_state(name, _as_array(value, found[0], "state"))


class Runs:
    """A program with its inputs in place; a run moves no input and makes no output. Not for several threads at once."""

    def __init__(self, model: _npu.Model, bound: _npu.Bound, outputs: tuple[Tensor, ...]) -> None:
        self._model, self._bound, self._outputs = model, bound, outputs

    def run(self, times: int = 1) -> None:
        """Ctrl-C ends it between two runs."""
        self._bound.run(times, False)

    def profile(self, runs: int = 10) -> list[dict[str, Any]]:
        """As Program.profile; kernels are timed during these runs only."""
        self._bound.run(runs, True)
        return self._model.kernels(runs)

    def outputs(self) -> dict[str, Array]:
        """Of the last run, by name, in memory of their own."""
        return {tensor.name: array for tensor, array in zip(self._outputs, self._bound.outputs())}


def _names(tensors: tuple[Tensor, ...]) -> str:
    return ", ".join(f"'{tensor.name}'" for tensor in tensors) or "none"


def _as_array(value: Any, tensor: Tensor, kind: str = "input") -> Array:
    """In C order, without a copy where it is so already. Types are never changed silently."""
    if not isinstance(value, np.ndarray):
        value = np.from_dlpack(value) if hasattr(value, "__dlpack__") else np.asarray(value, tensor.dtype)
    if value.dtype != tensor.dtype:
        raise RunError(f"{kind} '{tensor.name}' has elements of {value.dtype}, expected {tensor.dtype}", 1)
    return np.asarray(value, order="C")


def load(
    path: str | os.PathLike[str], *, threads: int = 0, run_inline: bool = False, plugin: Plugins = ()
) -> Program:
    """Loads a .npu file. It runs native code from it: load only what you would also execute.

    `threads` of a run, 0: as many as this process may use. `run_inline`: runs happen in the calling threads, one
    thread each, side by side; else they queue. `plugin`: one or more that the program needs.

    >>> import npuc
    >>> npuc.compile("net.onnx", output="net.npu").close()
    >>> npuc.load("net.npu", threads=1).inputs[0].name
    'x'
    """
    program = Program(path, threads=threads, run_inline=run_inline, plugin=plugin)
    program._load()  # an error belongs here
    return program
