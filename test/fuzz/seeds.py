# SPDX-License-Identifier: Apache-2.0
"""Writes the fuzz targets' seeds: models and modules of the tests, a folder for each target.

Targets that read text get a dictionary of the seeds' words, too.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOSA = ROOT / "test" / "compiler" / "Frontend" / "TOSA"
sys.path[:0] = [str(ROOT / "bench" / "models"), str(ROOT / "test" / "models"), str(TOSA)]

import numpy as np  # noqa: E402
import random_models  # noqa: E402
import small  # noqa: E402
import tosa_builder  # noqa: E402
import tosa_cases  # noqa: E402

LARGEST = 64 * 1024  # bytes; larger files only slow the fuzzer down
RANDOM_MODELS = 100


def modules(folder: Path) -> list[bytes]:
    """Every piece of the lit tests in a folder."""
    pieces = []
    for path in sorted(folder.rglob("*.mlir")):
        pieces += path.read_bytes().split(b"// -----\n")
    return pieces


def tosa_ops() -> list[bytes]:
    """Each op that is compared with TOSA's reference model, alone."""
    texts = []
    for make in tosa_cases.FAMILIES.values():
        case = tosa_builder.Builder(np.random.default_rng(0))
        make(case)
        texts += [case.alone(index).text().encode() for index in range(len(case.results))]
    return texts


def models() -> list[bytes]:
    """The small networks, and random models."""
    files = [small.make(name).SerializeToString() for name in small.NETWORKS]
    graphs = [random_models.make(seed) for seed in range(RANDOM_MODELS)]
    return files + [graph.model().SerializeToString() for graph in graphs if graph.nodes]


def examples(page: Path, kind: bytes) -> list[bytes]:
    """Each text of a page that is marked as such."""
    return re.findall(rb"^```" + kind + rb"\n(.*?)^```", page.read_bytes(), re.M | re.S)


def chips() -> list[bytes]:
    """The chips that are shipped, and those of the tests."""
    folders = [ROOT / "targets", ROOT / "test", ROOT / "examples"]
    return [path.read_bytes() for folder in folders for path in sorted(folder.rglob("*.yaml"))]


def write(folder: Path, seeds: list[bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    chosen = [seed for seed in seeds if 0 < len(seed) <= LARGEST]
    for index, seed in enumerate(chosen):
        (folder / f"seed{index}").write_bytes(seed)
    print(f"{folder.name}: {len(chosen)} seeds")


def write_words(folder: Path, seeds: list[bytes]) -> None:
    """The words of the seeds as libFuzzer's dictionary FOLDER.dict."""
    plain = re.sub(rb'"0x[0-9A-F]*"', b"", b"\n".join(seeds))
    words = set(re.findall(rb"[A-Za-z_][A-Za-z0-9_.]{2,31}", plain))
    lines = [f'"{word.decode()}"\n' for word in sorted(words)]
    folder.with_suffix(".dict").write_text("".join(lines), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="gets a folder for each target")
    folder = parser.parse_args().folder
    texts = {
        "fuzz-certificate": examples(ROOT / "docs" / "certificate.md", b"json"),
        "fuzz-cost-table": examples(ROOT / "docs" / "measured-costs.md", b"csv"),
        "fuzz-mlir": modules(ROOT / "test" / "compiler"),
        "fuzz-target": chips(),
        "fuzz-tosa": modules(TOSA) + tosa_ops(),
    }
    for name, seeds in texts.items():
        write(folder / name, seeds)
        write_words(folder / name, seeds)
    write(folder / "fuzz-onnx", models())
    demos = sorted(folder.absolute().parent.glob("test/runtime/demo/*.so"))
    write(folder / "fuzz-elf", [path.read_bytes() for path in demos if path.stat().st_size <= LARGEST])


if __name__ == "__main__":
    main()
