# SPDX-License-Identifier: Apache-2.0
"""The grid: which points there are, in which order, and what determines each."""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import itertools
import json
from pathlib import Path

from npu_bench.case import make_case
from npu_bench.errors import BenchError, Exit, InputError, UsageError
from npu_bench.input_files import load_model, weights_of
from npu_bench.installation import library_of
from npu_bench.npuc import complaint, program_of
from npu_bench.resolver import find_model, zoo
from npu_bench.shown import plain
from npu_bench.words import compiler_words, parse_shapes, plugin_words, shape_words
from npu_sweep.chip import Chip, find_chip, key_of, with_values
from npu_sweep.point import Job


@dataclasses.dataclass(frozen=True)
class Tools:
    """The programs that compute a point; `digest` is that of their bytes, and of --plugin's."""

    npuc: Path
    npu_run: Path
    digest: str

    @staticmethod
    def of_build(build: Path, plugins: tuple[str, ...] = ()) -> "Tools":
        npuc, npu_run, library = program_of(build, "npuc"), program_of(build, "npu-run"), library_of(build)
        for plugin in plugins:
            if not Path(plugin).is_file():
                raise InputError(f"--plugin: there is no file '{plugin}'; give the path of a shared library")
        return Tools(npuc, npu_run, digest_of_files([npuc, npu_run, library, *map(Path, plugins)]))


@dataclasses.dataclass(frozen=True)
class Model:
    name: str  # as it is shown: it stands in tables
    path: Path
    digest: str  # of all its bytes, weights in other files too
    shapes: dict[str, list[int]]  # of inputs whose sizes are given; the first is the batch's

    def words(self, batch: int) -> tuple[str, ...]:
        """npuc's options that bind its sizes."""
        shapes = {name: [batch, *sizes[1:]] for name, sizes in self.shapes.items() if sizes}
        return (f"--batch={batch}", *shape_words(shapes))


@dataclasses.dataclass(frozen=True)
class Point:
    number: int  # from 0, in the grid's order
    model: Model
    chip: Chip
    layout: str
    batch: int
    settings: dict[str, str]  # machine key to value
    digest: str  # of everything that determines the result

    def job(self, folder: Path, tools: Tools, axes: Axes) -> Job:
        text = with_values(self.chip, self.settings)
        words = (*_words(self.model, self.layout, self.batch), *axes.options())
        plugins = tuple(plugin_words([*axes.plugins, *self.chip.plugins]))
        place = folder / f"{self.number:05d}-{self.digest}"
        return Job(self.number, str(place), str(self.model.path), self.chip.file, text, words,
                   str(tools.npuc), str(tools.npu_run), plugins)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Axes:
    """What was asked for, as written: what makes two grids the same grid."""

    models: list[str]
    targets: list[str]
    layouts: list[str]
    batches: list[int]
    settings: dict[str, list[str]]
    input_shapes: list[str]
    objective: str
    plugins: tuple[str, ...] = ()  # paths
    words: tuple[str, ...] = ()  # npuc's other options

    def named(self) -> dict[str, object]:
        """By the options' names."""
        sets = {f"--set {key}": values for key, values in self.settings.items()}
        sets |= {word.partition("=")[0]: [other for other in self.words if other.startswith(word.partition("=")[0])]
                 for word in self.words}  # fmt: skip
        if self.plugins:
            sets["--plugin"] = list(self.plugins)
        return {"models": self.models, "--target": self.targets, "--layout": self.layouts, "--batch": self.batches,
                "--input-shape": self.input_shapes, "--objective": self.objective, **sets}  # fmt: skip

    def options(self) -> tuple[str, ...]:
        return (f"--objective={self.objective}", *plugin_words(self.plugins), *self.words)


def axes_of(arguments: argparse.Namespace) -> Axes:
    plugins = [str(Path(plugin).resolve()) for plugin in arguments.plugins]
    words = [word for word in compiler_words(arguments) if not word.startswith("--plugin=")]
    return Axes(
        arguments.models, arguments.target.split(","), arguments.layout.split(","), arguments.batch,
        parse_settings(arguments.settings), arguments.input_shape, arguments.objective, tuple(plugins), tuple(words),
    )  # fmt: skip


def _words(model: Model, layout: str, batch: int) -> tuple[str, ...]:
    return (f"--layout={layout}", *model.words(batch))


def digest_of_files(paths: list[Path]) -> str:
    total = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()


def number_of(text: str) -> int | float | str:
    """16, 0.5, or the word itself; a unit behind a number does not count."""
    word = text.partition(" ")[0]
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return text


def parse_settings(texts: list[str]) -> dict[str, list[str]]:
    """["array.rows=16,32"] to {"mac_rows": ["16", "32"]}."""
    settings: dict[str, list[str]] = {}
    for text in texts:
        word, equals, rest = text.partition("=")
        key, values = key_of(word.strip()), [value.strip() for value in rest.split(",")]
        if not equals or not key or not all(values):
            raise UsageError(f"--set: expected KEY=VALUE,VALUE,..., found '{text}'")
        if key in settings:
            raise UsageError(f"--set: '{key}' stands twice; give all its values in one --set")
        if len({number_of(value) for value in values}) != len(values):
            raise UsageError(f"--set: a value stands twice in '{text}'")
        settings[key] = values
    return settings


def _onnx_facts(path: Path) -> tuple[list[str], list[Path]]:
    """Names of inputs, and files with weights beside the model's."""
    model = load_model(path, weights=False)
    return [value.name for value in model.graph.input], weights_of(model, path)


def find_models(words: list[str], shapes: dict[str, list[int]]) -> list[Model]:
    """Files, or names of networks of bench/models."""
    models, used = [], set()
    for word in words:
        path, own, files = Path(word).resolve(), dict(shapes), []
        if word in zoo.NETS:
            path = zoo.ensure(word).resolve()
            own = make_case(word, 1, {}).shapes if path.suffix == ".onnx" else {}
        else:
            find_model(word, zoo.NETS)
        if path.suffix == ".onnx":
            names, files = _onnx_facts(path)
            own = {name: sizes for name, sizes in own.items() if name in names}
        used |= own.keys()
        missing = [file.name for file in files if not file.is_file()]
        if missing:
            raise BenchError(f"{word}: its weights lie in '{missing[0]}', which is not there")
        name = word if word in zoo.NETS else plain(path.stem)
        models.append(Model(name, path, digest_of_files([path, *files]), own))
    unknown = shapes.keys() - used
    if unknown:
        raise UsageError(f"--input-shape: no model has an input '{sorted(unknown)[0]}'")
    _no_twins("models", [model.name for model in models])
    return models


def _no_twins(what: str, names: list[str]) -> None:
    twins = sorted({name for name in names if names.count(name) > 1})
    if twins:
        raise UsageError(f"{what}: '{twins[0]}' stands twice; rows are told apart by these names")


def check_values(tools: Tools, chips: list[Chip], axes: Axes) -> None:
    """npuc itself says whether a key, a value or a layout makes sense, before anything is started."""
    def check(where: str, chip: Chip, text: str, *words: str) -> None:
        error = complaint(tools.npuc, [f"--target={chip.file}", *axes.options(), *words], {chip.file: text})
        if error:  # a value of --set is a word of the call, though npuc finds it in a file
            code = error.code if where == "--target" else Exit.USAGE
            raise BenchError(f"{where}: {str(error).removeprefix('npuc: ')}", code)

    for chip in chips:
        check("--target", chip, chip.text)
        for key, values in axes.settings.items():
            for value in values:
                check(f"--set {key}={value}", chip, with_values(chip, {key: value}))
    for layout in axes.layouts:
        check(f"--layout={layout}", chips[0], chips[0].text, f"--layout={layout}")


def make_grid(axes: Axes, tools: Tools) -> list[Point]:
    """Every combination, models outermost, batches innermost."""
    chips = [find_chip(word) for word in axes.targets]
    _no_twins("--target", [chip.name for chip in chips])
    _no_twins("--layout", axes.layouts)
    _no_twins("--batch", [str(batch) for batch in axes.batches])
    models = find_models(axes.models, parse_shapes(axes.input_shapes))
    check_values(tools, chips, axes)
    settings = [dict(zip(axes.settings, values)) for values in itertools.product(*axes.settings.values())]
    texts = {(chip.name, tuple(one.values())): with_values(chip, one) for chip in chips for one in settings}
    points = []
    for model, chip, one, layout, batch in itertools.product(models, chips, settings, axes.layouts, axes.batches):
        text = texts[chip.name, tuple(one.values())]
        words = [*_words(model, layout, batch), *axes.options()]
        whole = json.dumps([tools.digest, model.digest, chip.file, chip.named, text, words])
        digest = hashlib.sha256(whole.encode()).hexdigest()[:16]
        points.append(Point(len(points), model, chip, layout, batch, one, digest))
    return points
