# SPDX-License-Identifier: Apache-2.0
"""The values that a model is calibrated and tested with: .npy files and folders of pictures.

All files of an input are one long list of rows: a row is what the input takes
for one element of its batch. A feed is as many rows of each input as a run takes.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from npu_bench.errors import InputError, UsageError, did_you_mean
from npu_bench.input_files import read_array
from npuc_quantize import pictures
from npuc_quantize.pictures import Frame, Preparation


@dataclasses.dataclass(frozen=True)
class Input:
    """One input of the model, every size known."""

    name: str
    shape: list[int]
    dtype: np.dtype

    @property
    def rows(self) -> int:
        return self.shape[0] if self.shape else 1

    @property
    def row_shape(self) -> list[int]:
        return self.shape[1:]

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


@dataclasses.dataclass(frozen=True)
class Source:
    """A file or a folder: how many rows it has, and how to get one."""

    path: Path
    count: int
    row: Callable[[int], np.ndarray]
    files: list[Path]
    frame: Frame | None = None  # of pictures


@dataclasses.dataclass(frozen=True)
class Rows:
    """All rows of one input."""

    of: Input
    sources: list[Source]

    @property
    def count(self) -> int:
        return sum(source.count for source in self.sources)

    def row(self, index: int) -> np.ndarray:
        for source in self.sources:
            if index < source.count:
                return source.row(index)
            index -= source.count
        raise IndexError(index)


class Feeds:
    """The values of so many runs, read when they are asked for."""

    def __init__(self, rows: list[Rows], most: int) -> None:
        """At most `most` rows of each input, spread over all that there are."""
        self.rows = rows
        self.total = _same_number({rows.of.name: rows.count // rows.of.rows for rows in rows})
        batch = _batch(rows)
        self.count = min(self.total, max(most // batch, 1))
        self.samples = self.count * batch

    def __len__(self) -> int:
        return self.count

    def feed(self, index: int) -> dict[str, np.ndarray]:
        place = index * self.total // self.count
        values = {}
        for rows in self.rows:
            begin = place * rows.of.rows
            parts = [rows.row(number) for number in range(begin, begin + rows.of.rows)]
            values[rows.of.name] = np.stack(parts).reshape(rows.of.shape)
        return values

    def __iter__(self) -> Iterator[dict[str, np.ndarray]]:
        return map(self.feed, range(self.count))

    def frames(self) -> dict[str, Frame]:
        return {rows.of.name: source.frame for rows in self.rows for source in rows.sources if source.frame}

    def files(self) -> list[Path]:
        return [file for rows in self.rows for source in rows.sources for file in source.files]

    def paths(self) -> list[str]:
        return [str(source.path) for rows in self.rows for source in rows.sources]


def _batch(rows: list[Rows]) -> int:
    """Samples of a run: the first size, if all inputs have the same, and it counts pictures, not their channels."""
    sizes = {one.of.rows for one in rows}
    is_one_picture = any(source.frame and len(one.of.shape) == 3 for one in rows for source in one.sources)
    return 1 if len(sizes) > 1 or is_one_picture else sizes.pop()


def _same_number(runs: dict[str, int]) -> int:
    """How many runs every input has values for."""
    if len(set(runs.values())) > 1:
        texts = ", ".join(f"'{name}' for {number}" for name, number in runs.items())
        raise InputError(f"the inputs have values for different numbers of runs: {texts}")
    least = min(runs.values())
    if least == 0:
        raise InputError("there are fewer values than one batch takes; give more, or a smaller --batch")
    return least


def make_feeds(texts: list[str], inputs: list[Input], preparation: Preparation, order: str | None, most: int) -> Feeds:
    """`texts`: NAME=FILE or NAME=FOLDER, or without NAME= for a model of one input."""
    sources: dict[str, list[Source]] = {value.name: [] for value in inputs}
    for text in texts:
        value, path = _named(text, inputs)
        if path.is_dir():
            sources[value.name].append(_folder(path, value, preparation, order))
        else:
            sources[value.name].append(_array_file(path, value))
    missing = [name for name, found in sources.items() if not found]
    if missing:
        raise UsageError(f"the input '{missing[0]}' has no values; give --data={missing[0]}=FILE.npy")
    return Feeds([Rows(value, sources[value.name]) for value in inputs], most)


def _named(text: str, inputs: list[Input]) -> tuple[Input, Path]:
    # A name may have a "=" in it.
    named = [value for value in inputs if text.startswith(f"{value.name}=")]
    if named:
        value = max(named, key=lambda value: len(value.name))
        return value, Path(text[len(value.name) + 1 :])
    if len(inputs) == 1:
        return inputs[0], Path(text)
    names = ", ".join(value.name for value in inputs)
    raise UsageError(f"'{text}' does not say which input it is for; write NAME=FILE, with one of: {names}")


def _folder(path: Path, value: Input, preparation: Preparation, order: str | None) -> Source:
    if value.dtype not in (np.float32, np.uint8):
        raise UsageError(f"the input '{value.name}' ({value}) takes no pictures: expected float32 or uint8; "
                         "give its values as a .npy file")  # fmt: skip
    is_bytes = value.dtype == np.uint8
    if is_bytes and preparation != Preparation(preparation.fit, bgr=preparation.bgr, most_pixels=preparation.most_pixels):
        raise UsageError(f"the input '{value.name}' takes pixels as bytes, without --range, --mean and --std")
    frame = pictures.frame_of(value.name, value.shape, order)
    if is_bytes:
        preparation = dataclasses.replace(preparation, high=pictures.BRIGHTEST)
    elif {len(preparation.mean), len(preparation.std)} - {1, frame.channels}:
        raise UsageError(f"--mean and --std: expected one number, or one for each of the {frame.channels} channels of "
                         f"the input '{value.name}'")  # fmt: skip
    files = pictures.pictures_in(path)

    @functools.lru_cache(maxsize=1)
    def picture(index: int) -> np.ndarray:
        return pictures.read_picture(files[index], frame, preparation).astype(value.dtype)

    if len(value.shape) == 4:
        return Source(path, len(files), picture, files, frame)
    # Without a batch, what the first dimension counts is a part of a picture.
    parts = value.shape[0]
    return Source(path, len(files) * parts, lambda index: picture(index // parts)[index % parts], files, frame)


def _array_file(path: Path, value: Input) -> Source:
    values = read_array(path, is_mapped=True)
    rows = _as_rows(path, values, value)
    return Source(path, len(rows), lambda index: _converted(path, rows[index], index, value), [path])


def _as_rows(path: Path, values: np.ndarray, value: Input) -> np.ndarray:
    """The file's rows: one, many, or batches of them."""
    shape, rank = list(values.shape), len(value.shape)
    expected = [value.row_shape, *([["N", *value.row_shape], ["N", "M", *value.row_shape]] if rank else [["N"]])]
    found = None
    if rank and len(shape) == rank and shape[1:] == value.row_shape:
        found = values
    elif len(shape) == rank + 1 and shape[2:] == value.row_shape:
        found = values.reshape(-1, *value.row_shape)
    elif shape == value.row_shape:
        found = values.reshape(1, *value.row_shape)
    if found is None or not _is_like(values.dtype, value.dtype):
        texts = " or ".join(f"[{','.join(map(str, sizes))}]" for sizes in expected)
        raise InputError(f"'{path}' holds {values.dtype}[{','.join(map(str, shape))}], expected {value.dtype} and "
                         f"{texts} for the input '{value.name}'")  # fmt: skip
    return found


def _is_like(found: np.dtype, expected: np.dtype) -> bool:
    """numpy makes float64 and int64 of what nobody types; values that do not fit are refused one by one."""
    if expected.kind == "f":
        return found.kind == "f"
    return found.kind in "iu" if expected.kind in "iu" else found == expected


def _converted(path: Path, row: np.ndarray, index: int, value: Input) -> np.ndarray:
    if value.dtype.kind == "f" and not np.isfinite(row).all():
        raise InputError(f"'{path}' has a number that is not finite, in row {index}")
    with np.errstate(over="ignore"):
        values = np.asarray(row).astype(value.dtype)
    fits = np.isfinite(values).all() if value.dtype.kind == "f" else (values == row).all()
    if not fits:
        raise InputError(f"'{path}' has a number in row {index} that does not fit into {value.dtype}")
    return values
