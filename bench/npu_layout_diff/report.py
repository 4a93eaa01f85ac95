# SPDX-License-Identifier: Apache-2.0
"""What npu-layout-diff needs of a report that npuc has written (docs/report.schema.json)."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator

from npu_bench.errors import InputError
from npu_bench.input_files import open_input

KNOWN_VERSION = 2
MOST_BYTES = 1 << 28  # no network's report has as much
MOST_AMOUNT = (1 << 63) - 1
JSON_NAMES = {dict: "object", list: "array", str: "string", bool: "boolean", int: "number", float: "number"}


class ReportError(InputError):
    """A file is no report."""


@dataclasses.dataclass
class Report:
    """Rows have the keys that npu-layout-diff --json prints."""

    settings: dict[str, str]  # what it was compiled for
    facts: dict[str, str]
    relayouts: list[dict]
    kernels: list[dict]  # those that compute


@dataclasses.dataclass
class Place:
    """A value, and where it stands in the file: messages say so."""

    value: object
    where: str

    def has(self, key: str) -> bool:
        return isinstance(self.value, dict) and key in self.value

    def __getitem__(self, key: str) -> Place:
        if not self.has(key):
            raise ReportError(f"{self.where} has no '{key}'; is it written by npuc --report?")
        return Place(self.value[key], f"{self.where}.{key}")

    def _check(self, right: bool, expected: str) -> None:
        if not right:
            raise ReportError(f"{self.where} is {JSON_NAMES.get(type(self.value), 'null')}, expected {expected}")

    def each(self) -> Iterator[Place]:
        self._check(isinstance(self.value, list), "a list")
        return (Place(item, f"{self.where}[{index}]") for index, item in enumerate(self.value))

    def text(self) -> str:
        self._check(isinstance(self.value, str), "a text")
        return self.value

    def amount(self) -> int:
        self._check(type(self.value) is int and 0 <= self.value <= MOST_AMOUNT, "a whole number from 0 on")
        return self.value

    def truth(self) -> bool:
        self._check(isinstance(self.value, bool), "true or false")
        return self.value


def texts(place: Place, *keys: str) -> dict[str, str]:
    return {key: place[key].text() for key in keys}


def facts_of(root: Place) -> dict[str, str]:
    relayouts, memory = root["relayouts"], root["memory"]
    facts = {
        "cost": root["cost"].amount(),
        "relayouts": relayouts["count"].amount(),
        "relayout bytes": relayouts["bytes"].amount(),
        "relayouts at the boundary": relayouts["boundary_count"].amount(),
        "arena bytes": memory["arena_bytes"].amount(),
        "weight bytes": memory["weight_bytes"].amount(),
        "lower bound": "none",
        "proved": "none",
    }
    if root.has("optimal") and root["optimal"].value is not None:
        facts["lower bound"] = root["optimal"]["lower_bound"].amount()
        facts["proved"] = "yes" if root["optimal"]["proved"].truth() else "no"
    return {key: str(value) for key, value in facts.items()}


def report_of(root: Place) -> Report:
    if (version := root["version"].amount()) != KNOWN_VERSION:
        raise ReportError(f"the report has version {version}, this program reads version {KNOWN_VERSION}")
    relayouts = [
        texts(row, "kind", "value", "node", "from", "to") | {"bytes": row["bytes"].amount()} | texts(row, "reason")
        for row in root["relayouts"]["items"].each()
    ]
    kernels = [
        texts(row, "op", "node") | {"layouts": [one.text() for one in row["layouts"].each()]} | texts(row, "implementation")
        for row in root["kernels"].each()
    ]
    # The kernels of relayouts are the relayouts above.
    computing = [row for row in kernels if row["op"] not in ("relayout", "transpose", "reshape")]
    return Report(texts(root, "target", "layout", "objective"), facts_of(root), relayouts, computing)


def refuse_constant(name: str) -> None:
    raise ValueError(name)  # NaN and the infinities are no JSON


def read_report(path: str) -> Report:
    try:
        with open_input(path) as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ReportError(f"'{path}' cannot be read: {error.strerror}") from error
    if len(data) > MOST_BYTES:
        raise ReportError(f"'{path}' has more than {MOST_BYTES} bytes")
    try:
        root = json.loads(data, parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ReportError(f"'{path}' is not JSON") from error
    try:
        return report_of(Place(root, "the report"))
    except ReportError as error:
        raise ReportError(f"'{path}': {error}") from error
