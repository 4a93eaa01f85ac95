# SPDX-License-Identifier: Apache-2.0
"""The runtime's C API (include/npu/npu.h) through ctypes."""

from __future__ import annotations

import ctypes as c
import json
import os
from pathlib import Path

import numpy as np

MAX_RANK = 8
MESSAGE_BYTES = 2044
DTYPES = {0: np.float32, 1: np.float16, 3: np.int8, 4: np.uint8, 5: np.int32, 6: np.int64, 7: np.bool_}


class Status(c.Structure):
    _fields_ = [("code", c.c_int), ("message", c.c_char * MESSAGE_BYTES)]


class LoadOptions(c.Structure):
    _fields_ = [("threads", c.c_int32), ("run_inline", c.c_int32), ("simulate_only", c.c_int32),
                ("host", c.c_void_p), ("plugins", c.POINTER(c.c_char_p)), ("plugin_count", c.c_int32)]  # fmt: skip


class TensorInfo(c.Structure):
    _fields_ = [
        ("name", c.c_char_p),
        ("type", c.c_int),
        ("rank", c.c_int32),
        ("shape", c.c_int64 * MAX_RANK),
        ("layout", c.c_char_p),
        ("layout_name", c.c_char_p),
        ("bytes", c.c_uint64),
        ("row_bytes", c.c_uint64),
    ]


class LoadStats(c.Structure):
    _fields_ = [
        ("load_ms", c.c_double),
        ("pack_ms", c.c_double),
        ("file_bytes", c.c_uint64),
        ("weight_bytes", c.c_uint64),
        ("packed_bytes", c.c_uint64),
        ("released_bytes", c.c_uint64),
        ("arena_bytes", c.c_uint64),
        ("scratch_bytes", c.c_uint64),
        ("threads", c.c_int32),
    ]


class KernelInfo(c.Structure):
    _fields_ = [
        ("name", c.c_char_p),
        ("op", c.c_char_p),
        ("implementation", c.c_char_p),
        ("node", c.c_char_p),
        ("layouts", c.c_char_p),
        ("bytes", c.c_uint64),
        ("adapter_bytes", c.c_uint64),
        ("generated", c.c_int32),
        ("relayout", c.c_int32),
        ("slow", c.c_int32),
        ("cycles", c.c_uint64),
        ("compute_cycles", c.c_uint64),
        ("dma_cycles", c.c_uint64),
        ("array_cycles", c.c_uint64),
        ("vector_cycles", c.c_uint64),
        ("dma_in_cycles", c.c_uint64),
        ("dma_out_cycles", c.c_uint64),
        ("stall_cycles", c.c_uint64),
        ("on_chip_cycles", c.c_uint64),
        ("processor_cycles", c.c_uint64),
        ("link_cycles", c.c_uint64),
        ("link_bytes", c.c_uint64),
        ("measured_cycles", c.c_uint64),
        ("scaled_cycles", c.c_uint64),
        ("dram_read_bytes", c.c_uint64),
        ("dram_written_bytes", c.c_uint64),
        ("on_chip_read_bytes", c.c_uint64),
        ("on_chip_written_bytes", c.c_uint64),
        ("resident_bytes", c.c_uint64),
        ("tile_bytes", c.c_uint64),
        ("tiles", c.c_uint64),
        ("tiling", c.c_char_p),
        ("mapping", c.c_char_p),
        ("macs", c.c_uint64),
        ("energy_pj", c.c_uint64),
        ("utilisation", c.c_double),
        ("bound", c.c_char_p),
    ]


class KernelTime(c.Structure):
    _fields_ = [
        ("calls", c.c_uint64),
        ("total_ns", c.c_uint64),
        ("start_ns", c.c_uint64),
        ("last_ns", c.c_uint64),
    ]


class Buffer(c.Structure):
    _fields_ = [("data", c.c_void_p), ("bytes", c.c_uint64)]


def library_of(build: Path) -> Path:
    """libnpu.so of a build or an installation; without developers' files it has a version in its name only."""
    folder = next((path for path in (build / "lib", *build.glob("lib*/")) if any(path.glob("libnpu.so*"))), build / "lib")
    return min(folder.glob("libnpu.so*"), default=folder / "libnpu.so", key=lambda path: len(path.name))


class NpuError(Exception):
    """The sentence that the runtime gave."""


def _text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "replace")


def _declare(library: c.CDLL) -> None:
    size, pointer, code = c.c_size_t, c.c_void_p, c.c_int
    status = c.POINTER(Status)
    signatures = {
        "npu_version": (c.c_char_p, []),
        "npu_kernel_library": (c.c_char_p, []),
        "npu_model_load": (code, [c.c_char_p, c.POINTER(LoadOptions), c.POINTER(pointer), status]),
        "npu_model_free": (None, [pointer]),
        "npu_model_input_count": (size, [pointer]),
        "npu_model_output_count": (size, [pointer]),
        "npu_model_input": (code, [pointer, size, c.POINTER(TensorInfo), status]),
        "npu_model_output": (code, [pointer, size, c.POINTER(TensorInfo), status]),
        "npu_model_manifest": (c.c_char_p, [pointer]),
        "npu_model_stats": (LoadStats, [pointer]),
        "npu_model_warning_count": (size, [pointer]),
        "npu_model_warning": (c.c_char_p, [pointer, size]),
        "npu_model_kernel_count": (size, [pointer]),
        "npu_model_kernel": (code, [pointer, size, c.POINTER(KernelInfo), status]),
        "npu_context_create": (code, [pointer, c.POINTER(pointer), status]),
        "npu_context_free": (None, [pointer]),
        "npu_run": (code, [pointer, c.POINTER(Buffer), size, c.POINTER(Buffer), size, status]),
        "npu_context_set_profiling": (None, [pointer, c.c_int32]),
        "npu_context_kernel_time": (code, [pointer, size, c.POINTER(KernelTime), status]),
        "npu_model_store_input": (code, [pointer, size, pointer, c.c_uint64, Buffer, status]),
        "npu_model_fetch_output": (code, [pointer, size, Buffer, pointer, c.c_uint64, status]),
        "npu_buffer_create": (Buffer, [c.c_uint64]),
        "npu_buffer_free": (None, [Buffer]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments


def library_version(library: Path) -> str:
    """"oneDNN 3.2.0": of the kernels in the runtime."""
    api = c.CDLL(str(library))
    _declare(api)
    return _text(api.npu_kernel_library())


class Program:
    """A loaded .npu file with one context and its buffers."""

    def __init__(self, library: Path, path: Path, threads: int) -> None:
        self.api = c.CDLL(str(library))
        _declare(self.api)
        self.status = Status()
        self.model, self.context = c.c_void_p(), c.c_void_p()
        options = LoadOptions(threads=threads)
        self._call(self.api.npu_model_load, os.fsencode(path), options, c.byref(self.model))
        self._call(self.api.npu_context_create, self.model, c.byref(self.context))
        self.inputs = self._tensors(self.api.npu_model_input_count, self.api.npu_model_input)
        self.outputs = self._tensors(self.api.npu_model_output_count, self.api.npu_model_output)
        self.input_buffers = self._buffers(self.inputs)
        self.output_buffers = self._buffers(self.outputs)
        self.stats = self.api.npu_model_stats(self.model)

    def _call(self, function, *arguments) -> None:
        if function(*arguments, c.byref(self.status)) != 0:
            raise NpuError(_text(self.status.message))

    def _tensors(self, count, describe) -> list[TensorInfo]:
        tensors = [TensorInfo() for _ in range(count(self.model))]
        for index, info in enumerate(tensors):
            self._call(describe, self.model, index, c.byref(info))
        return tensors

    def _buffers(self, tensors: list[TensorInfo]):
        buffers = (Buffer * len(tensors))()
        for index, info in enumerate(tensors):
            buffers[index] = self.api.npu_buffer_create(info.bytes)
        return buffers

    def set_inputs(self, values: dict[str, np.ndarray]) -> None:
        """Puts arrays into the input buffers, in the program's stored order."""
        for index, info in enumerate(self.inputs):
            array = np.asarray(values[_text(info.name)], order="C")  # ascontiguousarray gives a number a dimension
            if tuple(array.shape) != tuple(info.shape[: info.rank]):
                raise NpuError(f"input '{_text(info.name)}' has shape {list(info.shape[: info.rank])}")
            self._call(
                self.api.npu_model_store_input,
                self.model, index, array.ctypes.data, array.nbytes, self.input_buffers[index],
            )  # fmt: skip

    def get_outputs(self) -> dict[str, np.ndarray]:
        result = {}
        for index, info in enumerate(self.outputs):
            array = np.empty(tuple(info.shape[: info.rank]), DTYPES[info.type])
            self._call(
                self.api.npu_model_fetch_output,
                self.model, index, self.output_buffers[index], array.ctypes.data, array.nbytes,
            )  # fmt: skip
            result[_text(info.name)] = array
        return result

    def run(self) -> None:
        self._call(
            self.api.npu_run,
            self.context, self.input_buffers, len(self.inputs), self.output_buffers, len(self.outputs),
        )  # fmt: skip

    def profile(self, runs: int) -> list[dict]:
        """Kernels with their time per run; timing is on only during these runs."""
        self.api.npu_context_set_profiling(self.context, 1)
        for _ in range(runs):
            self.run()
        rows = []
        for index in range(self.api.npu_model_kernel_count(self.model)):
            info, time = KernelInfo(), KernelTime()
            self._call(self.api.npu_model_kernel, self.model, index, c.byref(info))
            self._call(self.api.npu_context_kernel_time, self.context, index, c.byref(time))
            rows.append(_kernel_row(info, time, runs))
        self.api.npu_context_set_profiling(self.context, 0)
        return rows

    def warnings(self) -> list[str]:
        count = self.api.npu_model_warning_count(self.model)
        return [_text(self.api.npu_model_warning(self.model, index)) for index in range(count)]

    def manifest(self) -> dict:
        return json.loads(_text(self.api.npu_model_manifest(self.model)))


def _kernel_row(info: KernelInfo, time: KernelTime, runs: int) -> dict:
    texts = {name: _text(getattr(info, name)) for name in ("name", "op", "implementation", "node", "layouts")}
    flags = {name: bool(getattr(info, name)) for name in ("generated", "relayout", "slow")}
    numbers = {name: getattr(info, name) for name in ("bytes", "adapter_bytes", "cycles", "energy_pj")}
    numbers["ms"] = time.total_ns / runs / 1e6
    return {**texts, **flags, **numbers}
