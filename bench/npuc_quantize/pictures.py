# SPDX-License-Identifier: Apache-2.0
"""From a picture's file to the values that a network reads."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from npu_bench.errors import InputError, UsageError, reason_of
from npu_bench.picture_file import MOST_PIXELS, SHOWN, names_picture, open_picture

# Numbers of a pixel's channels, and what Pillow calls them.
MODES = {1: "L", 3: "RGB"}
BRIGHTEST = 255.0


@dataclasses.dataclass(frozen=True)
class Frame:
    """What an input's shape says of the pictures that it takes."""

    order: str  # nchw or nhwc
    channels: int
    height: int
    width: int

    def __str__(self) -> str:
        return f"{self.order.upper()}, {self.height} x {self.width}, {self.channels} channel{'s'[: self.channels > 1]}"


@dataclasses.dataclass(frozen=True)
class Preparation:
    """What is done to every picture: pixels go from 0..255 to low..high, then (value - mean) / std."""

    fit: str = "crop"
    low: float = 0.0
    high: float = 1.0
    mean: tuple[float, ...] = (0.0,)
    std: tuple[float, ...] = (1.0,)
    bgr: bool = False
    most_pixels: int = MOST_PIXELS

    def __str__(self) -> str:
        words = [f"fit {self.fit}", f"range {self.low:g}..{self.high:g}"]
        for name, numbers, usual in (("mean", self.mean, (0.0,)), ("std", self.std, (1.0,))):
            words += [f"{name} {', '.join(f'{number:g}' for number in numbers)}"] if numbers != usual else []
        return "; ".join([*words, *["BGR"][: self.bgr]])


def frame_of(name: str, shape: list[int], order: str | None) -> Frame:
    """`shape` is the input's, with or without a batch in front."""
    if len(shape) not in (3, 4):
        raise UsageError(f"the input '{name}' ({'x'.join(map(str, shape))}) takes no pictures: it has "
                         f"{len(shape)} dimensions, expected 3 or 4; give its values as a .npy file")  # fmt: skip
    sizes = shape[-3:]
    places = {"nchw": sizes[0], "nhwc": sizes[2]}
    fitting = [key for key, channels in places.items() if channels in MODES and order in (None, key)]
    if not fitting:
        raise UsageError(f"the input '{name}' ({'x'.join(map(str, shape))}) takes no pictures: expected 1 or 3 "
                         f"channels, {'first or last' if order is None else order.upper()}; give its values as a "
                         ".npy file")  # fmt: skip
    if len(fitting) > 1:
        raise UsageError(f"the input '{name}' ({'x'.join(map(str, shape))}) may be NCHW or NHWC; "
                         "say which by --order")  # fmt: skip
    if fitting[0] == "nchw":
        return Frame("nchw", *sizes)
    return Frame("nhwc", sizes[2], sizes[0], sizes[1])


def pictures_in(folder: Path) -> list[Path]:
    """In the order of their names, those of folders inside, too: many data sets have one for each class."""
    try:
        found = sorted(path for path in folder.rglob("*") if names_picture(path) and path.is_file())
    except OSError as error:
        raise InputError(f"the folder '{folder}' cannot be read: {reason_of(error)}") from error
    if not found:
        raise InputError(f"there is no picture in the folder '{folder}'; expected {SHOWN}")
    return found


def read_picture(path: Path, frame: Frame, preparation: Preparation) -> np.ndarray:
    """Values in the input's order; bytes as they are where the input takes bytes is up to the caller."""
    with open_picture(path, preparation.most_pixels) as picture:
        upright = ImageOps.exif_transpose(picture)
        pixels = np.asarray(_fitted(_eight_bits(upright).convert(MODES[frame.channels]), frame, preparation.fit))
    values = pixels.reshape(frame.height, frame.width, frame.channels).astype(np.float32)
    if preparation.bgr:
        values = values[:, :, ::-1]
    values = preparation.low + values * np.float32((preparation.high - preparation.low) / BRIGHTEST)
    values = (values - np.float32(preparation.mean)) / np.float32(preparation.std)
    return np.ascontiguousarray(values if frame.order == "nhwc" else values.transpose(2, 0, 1), np.float32)


def _eight_bits(picture: Image.Image) -> Image.Image:
    """Pillow cuts off what of 16 bits is above 255."""
    if not picture.mode.startswith("I"):
        return picture
    return Image.fromarray((np.asarray(picture).astype(np.float32).clip(0, 65535) / 257.0).round().astype(np.uint8))


def _fitted(picture: Image.Image, frame: Frame, fit: str) -> Image.Image:
    size, filtered = (frame.width, frame.height), Image.Resampling.BILINEAR
    if fit == "stretch":
        return picture.resize(size, filtered)
    if fit == "pad":
        return ImageOps.pad(picture, size, filtered)
    return ImageOps.fit(picture, size, filtered)
