# SPDX-License-Identifier: Apache-2.0
"""Writes the fuzz targets' seeds: models and modules of the tests, a folder for each target."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench" / "models"), str(ROOT / "test" / "models")]

import random_models  # noqa: E402
import small  # noqa: E402

LARGEST = 64 * 1024  # bytes; larger files only slow the fuzzer down
RANDOM_MODELS = 100


def modules() -> list[bytes]:
    """Every piece of the lit tests."""
    pieces = []
    for path in sorted((ROOT / "test" / "compiler").rglob("*.mlir")):
        pieces += path.read_bytes().split(b"// -----\n")
    return pieces


def models() -> list[bytes]:
    """The small networks, and random models."""
    files = [small.make(name).SerializeToString() for name in small.NETWORKS]
    graphs = [random_models.make(seed) for seed in range(RANDOM_MODELS)]
    return files + [graph.model().SerializeToString() for graph in graphs if graph.nodes]


def write(folder: Path, seeds: list[bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    chosen = [seed for seed in seeds if 0 < len(seed) <= LARGEST]
    for index, seed in enumerate(chosen):
        (folder / f"seed{index}").write_bytes(seed)
    print(f"{folder.name}: {len(chosen)} seeds")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="gets a folder for each target")
    folder = parser.parse_args().folder
    write(folder / "fuzz-mlir", modules())
    write(folder / "fuzz-onnx", models())


if __name__ == "__main__":
    main()
