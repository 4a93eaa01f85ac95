# SPDX-License-Identifier: Apache-2.0
"""Wrong text (.mlir, .yaml, .json) and wrong .npy files from right ones."""

from __future__ import annotations

import random
import re

from onnx_mutations import EXTENTS, NAMES, damage

WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_.]*|-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|[^\sA-Za-z0-9_]")
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
NUMBERS = [str(number).encode() for number in EXTENTS]
NUMBERS += [b"1e999", b"-1e-999", b"nan", b"inf", b"0x7FC00000", b"99999999999999999999999", b"1.5", b"-0.0"]
ODDITIES = [name.encode() for name in NAMES]
ODDITIES += [b"(" * 300, b"[" * 5000, b"{a: " * 400, b"- " * 4000, b"<" * 1000, b"\0", b"\xff\xfe", b"null", b"~", b"!!binary x", b"&a *a"]
ODDITIES += [b'"' + name.encode() + b'"' for name in NAMES if "\n" not in name]
TYPES = [b"tensor<*xf32>", b"tensor<?xf32>", b"tensor<4xf32>", b"tensor<0x4xi64>", b"tensor<1x4x6x6xf32, #npu.layout<acdb>>", b"none", b"i64",
         b"tensor<1000000000x1000000000xf32>", b"vector<4xf32>", b"memref<4xf32>", b"tuple<>", b"!tosa.shape<2>", b"tensor<2xindex>"]  # fmt: skip
VALUES = [b"dense<1.0> : tensor<4xf32>", b"sparse<[[0]], [1.0]> : tensor<4xf32>", b"dense_resource<none> : tensor<4xf32>", b"unit", b"[]", b"[1, 1]",
          b"affine_map<(d0) -> (d0)>", b"@main", b'"word"', b"#npu.layout<acdb>", b"array<i64: 1, 2>", b"loc(unknown)", b"true"]  # fmt: skip


def change_number(text: bytes, chance: random.Random) -> bytes:
    found = list(NUMBER.finditer(text))
    if not found:
        return text
    one = chance.choice(found)
    return text[: one.start()] + chance.choice(NUMBERS) + text[one.end() :]


def some_words(text: bytes, chance: random.Random) -> list[re.Match[bytes]]:
    """Two words that lie near each other, in order."""
    words = list(WORD.finditer(text))
    if len(words) < 2:
        return []
    first = chance.randrange(len(words) - 1)
    return [words[first], words[min(len(words) - 1, first + chance.choice((1, 1, 2, 5, 30)))]]


def change_words(text: bytes, chance: random.Random) -> bytes:
    """Two are swapped, one is dropped, doubled, or becomes another one of the text."""
    words = some_words(text, chance)
    if not words:
        return text
    a, b = words
    front, middle, back = text[: a.start()], text[a.end() : b.start()], text[b.end() :]
    match chance.randrange(4):
        case 0:
            return front + b[0] + middle + a[0] + back
        case 1:
            return front + middle + b[0] + back
        case 2:
            return front + a[0] + b" " + a[0] + middle + b[0] + back
        case _:
            return front + chance.choice(list(WORD.findall(text))) + middle + b[0] + back


def change_lines(text: bytes, chance: random.Random) -> bytes:
    """A line is dropped, doubled, moved, or all behind it is gone."""
    lines = text.split(b"\n")
    at = chance.randrange(len(lines))
    match chance.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[at])
        case 2:
            lines.insert(chance.randrange(len(lines)), lines.pop(at))
        case _:
            del lines[at:]
    return b"\n".join(lines)


def insert_oddity(text: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(ODDITIES) + text[at:]


def change_string(text: bytes, chance: random.Random) -> bytes:
    """What stands in quotes becomes another name."""
    found = list(re.finditer(rb'"[^"\n]*"', text))
    if not found:
        return insert_oddity(text, chance)
    one = chance.choice(found)
    return text[: one.start()] + b'"' + chance.choice(ODDITIES).replace(b'"', b"") + b'"' + text[one.end() :]


def change_type(text: bytes, chance: random.Random) -> bytes:
    """A tensor's type becomes another one, in one place or in all."""
    found = list(re.finditer(rb"tensor<[^<>]*(?:<[^<>]*>)?[^<>]*>", text))
    if not found:
        return text
    one = chance.choice(found)
    if chance.random() < 0.5:
        return text.replace(one[0], chance.choice(TYPES))
    return text[: one.start()] + chance.choice(TYPES) + text[one.end() :]


def change_value(text: bytes, chance: random.Random) -> bytes:
    """What stands behind "=" becomes another kind of attribute."""
    found = list(re.finditer(rb"= (\[[^\]]*\]|[-\w.]+(?: : \w+)?)", text))
    if not found:
        return text
    one = chance.choice(found)
    return text[: one.start(1)] + chance.choice(VALUES) + text[one.end(1) :]


MUTATIONS = (change_number, change_number, change_words, change_words, change_lines, insert_oddity, change_string, change_type, change_value)


def mutate(text: bytes, chance: random.Random) -> bytes:
    """One to four things wrong; one of ten has wrong bytes, too."""
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4))):
        text = chance.choice(MUTATIONS)(text, chance)
    return damage(text, chance) if text and chance.random() < 0.1 else text


def mutate_array(data: bytes, chance: random.Random) -> bytes:
    """A .npy file: its header is text, with a length in front."""
    end = data.index(b"\n") + 1
    header = data[10:end]
    if chance.random() < 0.7:
        header = mutate(header, chance)
    length = len(header) if chance.random() < 0.9 else chance.randrange(1 << 16)
    changed = data[:8] + (length & 0xFFFF).to_bytes(2, "little") + header + data[end:]
    return damage(changed, chance) if chance.random() < 0.4 else changed
