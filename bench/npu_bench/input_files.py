# SPDX-License-Identifier: Apache-2.0
"""Files of others as input: regular files only, so that no pipe is waited for and no device read without end.

What files/input_file.h is for the C++ programs.
"""

from __future__ import annotations

import errno
import math
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from npu_bench.errors import BenchError, InputError, reason_of

if TYPE_CHECKING:
    import numpy as np
    import onnx  # half a second that not every program has


MOST_HEADER = 65536  # as in files/npy.cpp: numpy's own are 118 bytes
MOST_TENSOR = 1 << 31  # below which npuc's are, and models without what lies beside them
MOST_TEXT = 1 << 24  # what npuc takes of a target


def open_input(path: str | Path, most: int | None = None) -> BinaryIO:
    """A regular file of at most so many bytes."""
    # O_NONBLOCK: a pipe is refused instead of waited for.
    file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK))
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "it is not a regular file")
    size = os.fstat(file.fileno()).st_size
    if most is not None and size > most:
        file.close()
        raise OSError(errno.EFBIG, f"it has {size} bytes, expected at most {most}")
    return file


def load_model(path: str | Path, weights: bool = True) -> onnx.ModelProto:
    """An ONNX model, with what lies in files beside it."""
    import onnx
    from onnx.external_data_helper import load_external_data_for_model

    try:
        with open_input(path, MOST_TENSOR - 1) as file:
            model = onnx.load(file, load_external_data=False)
    except OSError as error:
        raise BenchError(f"'{path}' cannot be read: {error.strerror}") from error
    except Exception as error:  # protobuf has no one class for what it throws
        raise BenchError(f"'{path}' cannot be read: it is no ONNX model") from error
    try:
        if weights:
            folder = os.path.dirname(os.path.abspath(path))
            check_sizes(model, folder)
            load_external_data_for_model(model, folder)
    except Exception as error:  # neither has onnx
        raise BenchError(f"the weights of '{path}' cannot be read: {reason_of(error)}") from error
    return model


def check_sizes(model: onnx.ModelProto, folder: str) -> None:
    """Holes of a file take no disk, but all of them memory once they are read."""
    from onnx.external_data_helper import ExternalDataInfo, uses_external_data

    for tensor in filter(uses_external_data, tensors_of(model)):
        info = ExternalDataInfo(tensor)
        length = info.length
        if length is None:
            length = os.path.getsize(os.path.join(folder, info.location)) - (info.offset or 0)
        if length >= MOST_TENSOR:
            raise ValueError(f"tensor '{tensor.name}' takes {length} bytes; a tensor must be smaller than 2 GB")


def read_header(file: BinaryIO) -> tuple[tuple[int, ...], np.dtype]:
    """The shape and type that a .npy file begins with; its header's length is looked at before the header."""
    import numpy as np

    version = np.lib.format.read_magic(file)
    read = {1: np.lib.format.read_array_header_1_0, 2: np.lib.format.read_array_header_2_0}.get(version[0])
    if read is None:
        raise ValueError(f"its version is {version[0]}.{version[1]}, expected 1.0 or 2.0")
    begin, width = file.tell(), 2 * version[0]
    length = int.from_bytes(file.read(width), "little")
    if length > MOST_HEADER:
        raise ValueError(f"it has a header of {length} bytes, expected at most {MOST_HEADER}")
    file.seek(begin)
    try:
        shape, _, dtype = read(file, max_header_size=MOST_HEADER)
    except Exception as error:  # numpy's and its tokenizer's, which show all of it
        raise ValueError("it has a header that numpy would not write; save it with numpy.save") from error
    return shape, dtype


def read_array(path: str | Path, where: str = "", is_mapped: bool = False) -> np.ndarray:
    """The numbers of a .npy file, and nothing else that numpy would load; `where` begins the message.

    The file has as many bytes as its first ones say, before memory is asked for; mapped, it stays on the disk.
    """
    import numpy as np

    try:
        with open_input(path) as file:
            shape, dtype = read_header(file)
            if dtype.hasobject or dtype.names:
                raise ValueError(f"it holds {dtype}, expected numbers")
            begin, size = file.tell(), math.prod(shape) * dtype.itemsize
            there = os.fstat(file.fileno()).st_size - begin
            if there != size:
                raise ValueError(f"it says {dtype}{list(shape)}, which is {size} bytes, and has {there}")
            if is_mapped and size:
                return np.load(path, mmap_mode="r", allow_pickle=False, max_header_size=MOST_HEADER)
            file.seek(0)
            return np.lib.format.read_array(file, allow_pickle=False, max_header_size=MOST_HEADER)
    except (OSError, ValueError, TypeError, EOFError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else reason_of(error)
        if "magic" in reason:  # numpy shows the bytes, which may be any
            reason = "it is no .npy file of numbers"
        raise InputError(f"{where}'{path}' cannot be read: {reason}") from error


def tensors_of(message: object) -> Iterator[onnx.TensorProto]:
    """Every tensor, wherever it stands: weights, also sparse ones, attributes, bodies, functions."""
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        for part in [value] if hasattr(value, "ListFields") else value:
            if field.message_type.full_name == "onnx.TensorProto":
                yield part
            else:
                yield from tensors_of(part)


def weights_of(model: onnx.ModelProto, path: str | Path) -> list[Path]:
    """The files beside the model's that its tensors lie in."""
    from onnx.external_data_helper import uses_external_data

    outside = filter(uses_external_data, tensors_of(model))
    names = {entry.value for tensor in outside for entry in tensor.external_data if entry.key == "location"}
    return [Path(path).parent / name for name in sorted(names)]
