# SPDX-License-Identifier: Apache-2.0
"""Target files with other numbers in them."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path

import yaml

from npu_bench.errors import InputError, UsageError, reason_of
from npu_bench.input_files import MOST_TEXT, open_input
from npu_bench.resolver import find_target
from npu_bench.shown import plain

# What people who come from systolic array simulators write.
ALIASES = {"array.rows": "mac_rows", "array.columns": "mac_columns"}


@dataclasses.dataclass(frozen=True)
class Chip:
    """A target file as it lies on the disk."""

    name: str  # as it is shown: it stands in tables
    text: str
    named: str = ""  # the bytes of the files that it names, as a digest: measured kernels, plugins
    plugins: tuple[str, ...] = ()  # paths of these

    @property
    def file(self) -> str:
        return f"{self.name}.yaml"


def key_of(word: str) -> str:
    """A key of the `machine` map: mac_rows, machine.mac_rows and array.rows are the same."""
    return ALIASES.get(word, word.removeprefix("machine."))


def find_chip(word: str) -> Chip:
    path = find_target(word)
    try:
        with open_input(path, MOST_TEXT) as file:
            return _with_files(Chip(plain(path.stem), file.read().decode("utf-8")), path.parent)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--target: '{word}' cannot be read: {reason_of(error)}") from error


def _keys(chip: Chip) -> list[tuple[yaml.Node, yaml.Node]]:
    try:
        root = yaml.compose(chip.text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise InputError(f"--target: {chip.file}: {' '.join(str(error).split())}") from error
    except RecursionError as error:
        raise InputError(f"--target: {chip.file}: it has too many brackets or lists inside each other") from error
    return root.value if isinstance(root, yaml.MappingNode) else []


def _with_files(chip: Chip, folder: Path) -> Chip:
    """`costs` and `plugins` name files from the target's folder; a point's target lies in another."""
    nodes = {key.value: value for key, value in _keys(chip)}
    listed = nodes.get("plugins")
    plugins = listed.value if isinstance(listed, yaml.SequenceNode) else []
    named = [node for node in (nodes.get("costs"), *plugins) if isinstance(node, yaml.ScalarNode)]
    text, total = chip.text, hashlib.sha256()
    for node in sorted(named, key=lambda node: node.start_mark.index, reverse=True):
        path = folder.resolve() / node.value
        if path.is_file():  # else npuc says what is wrong
            with open_input(path) as file:
                total.update(hashlib.file_digest(file, "sha256").digest())
        text = text[: node.start_mark.index] + json.dumps(str(path)) + text[node.end_mark.index :]
    paths = tuple(str(folder.resolve() / node.value) for node in named if node in plugins)
    return Chip(chip.name, text, total.hexdigest() if named else "", paths)


def _machine(chip: Chip) -> yaml.MappingNode:
    for key, value in _keys(chip):
        if key.value == "machine" and isinstance(value, yaml.MappingNode) and value.value:
            return value
    raise UsageError(f"--target: {chip.file} has no `machine` map, so nothing in it can be varied")


def with_values(chip: Chip, values: dict[str, str]) -> str:
    """The file's text with other values of `machine` keys, all else as it is, comments too.

    A number keeps the unit that the file gives it; where the file has no such key, or the value
    says a unit, it is taken as it stands.
    """
    text = chip.text
    for key, value in values.items():
        machine = _machine(Chip(chip.name, text))
        place = next((node for name, node in machine.value if name.value == key), None)
        if place is None:
            first = machine.value[0][0].start_mark
            between = ", " if machine.flow_style else "\n" + " " * first.column
            text = f"{text[: first.index]}{key}: {value}{between}{text[first.index :]}"
            continue
        unit = str(place.value).partition(" ")[2]
        whole = value if " " in value or not unit else f"{value} {unit}"
        text = text[: place.start_mark.index] + whole + text[place.end_mark.index :]
    return text


def unit_of(chip: Chip, key: str, value: str) -> str:
    """Of a `machine` key: as in the file, or else as behind the value."""
    texts = [str(node.value) for name, node in _machine(chip).value if name.value == key]
    return (texts or [value])[0].partition(" ")[2]
