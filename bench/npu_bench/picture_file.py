# SPDX-License-Identifier: Apache-2.0
"""Pictures of others: in formats that Pillow itself decodes, and of a size that is known before any pixel is.

Pillow chooses a reader by a file's first bytes, whatever its name is; some of
its readers start other programs (PostScript) or read other files.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from npu_bench.errors import InputError, reason_of
from npu_bench.input_files import open_input

FORMATS = ("BMP", "GIF", "JPEG", "PNG", "TIFF", "WEBP")
MOST_PIXELS = 2**26  # 8192 x 8192
SHOWN = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"


def names_picture(path: Path) -> bool:
    """By its name; what is none of FORMATS is refused by name, not passed over."""
    return path.suffix.lower() in Image.registered_extensions()


def _kind_of(path: Path) -> str:
    """What a file that is none of FORMATS seems to be, by its first bytes alone: no reader is started."""
    with open_input(path) as file:
        begin = file.read(16)
    Image.init()
    for name, (_, accept) in Image.OPEN.items():
        with contextlib.suppress(Exception):  # readers throw what they like
            if name not in FORMATS and accept and accept(begin) is True:
                return f"it is {name} by its first bytes"
    return "its first bytes are none of these"


@contextlib.contextmanager
def open_picture(path: Path, most_pixels: int) -> Iterator[Image.Image]:
    """A picture whose pixels are decoded on first use; an error of decoding names the file, too."""
    Image.MAX_IMAGE_PIXELS = None  # ours is checked, and says what to do
    try:
        with open_input(path) as file, Image.open(file, formats=FORMATS) as picture:
            width, height = picture.size
            if width * height > most_pixels:
                raise InputError(f"the picture '{path}' has {width} x {height} pixels, expected at most {most_pixels}; if that is "
                                 f"meant, raise it with --budget=pixels={width * height}")  # fmt: skip
            if picture.mode == "F":  # Pillow would cut 0.5 off to black
                raise InputError(f"the picture '{path}' has floating-point pixels, expected 8 or 16 bits; give the values as a .npy file")
            yield picture
    except InputError:
        raise
    except UnidentifiedImageError as error:
        raise InputError(f"the picture '{path}' cannot be read: {_kind_of(path)}, expected {SHOWN}") from error
    except Exception as error:  # Pillow's readers throw what they like
        raise InputError(f"the picture '{path}' cannot be read: {reason_of(error)}") from error
