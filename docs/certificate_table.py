# SPDX-License-Identifier: Apache-2.0
"""Writes the table of docs/certificate.md: how large certificates are, and how long they take to check.

Run it after `make models`.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pages import replaced

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "certificate.md"
sys.path[:0] = [str(ROOT / "test" / "models"), str(ROOT / "bench" / "models")]

import compare  # noqa: E402 (test/models/compare.py)
import zoo  # noqa: E402 (bench/models/zoo.py)

LARGE = ("resnet50", "resnet101", "vgg16", "mobilenet_v2", "resnet50_qdq", "mobilenet_v2_qdq", "densenet121",
         "inception_v3", "mobilenet_v3_large", "ppocr_det")  # fmt: skip
SMALL = ("efficientnet_b0", "convnext_tiny", "nasnet_mobile", "unet", "vit", "vit_timm", "yolo", "two_tower", "audio",
         "video", "ppocr_rec")  # fmt: skip
TARGETS = ("npu-nhwc", "npu-tiles", "host")
MARK = "table: docs/certificate_table.py"
SENTENCE = re.compile(r": (\d+) ops?, .* among (\d+) ways of the ops.*?(?:and (\d+) choices of what stays|$)")
CHECKS = 5


def certify(build: Path, path: Path, shapes: list[str], target: str, folder: Path) -> tuple[int, int, str]:
    """Ops, ways, and the cell: the checker's time, the file's size, choices of what stays on the chip."""
    certificate = folder / "certificate.json"
    certificate.unlink(missing_ok=True)
    words = [build / "bin" / "npuc", path, "-q", f"--target={target}", f"--certificate={certificate}", *shapes]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode == 7:  # proved nothing
        return 0, 0, "none"
    if done.returncode:
        raise RuntimeError(done.stderr)
    seconds = []
    for _ in range(CHECKS):
        begin = time.perf_counter()
        checked = subprocess.run([build / "bin" / "npu-check-certificate", certificate], capture_output=True, text=True,
                                 check=False)  # fmt: skip
        seconds.append(time.perf_counter() - begin)
        if checked.returncode:
            raise RuntimeError(checked.stderr)
    found = SENTENCE.search(checked.stdout.strip())
    if not found:
        raise RuntimeError(f"what does the checker say? {checked.stdout}")
    size = round(certificate.stat().st_size / 1000)
    return int(found[1]), int(found[2]), f"{1000 * min(seconds):.0f} ms, {size} kB, {found[3] or 1}"


def row(build: Path, name: str, small: bool, folder: Path) -> str:
    """The row of one network, batch 1."""
    path, inputs = compare.network_and_inputs(name, 1, small, build)
    shapes = [f"--input-shape={key}={','.join(map(str, value.shape))}" for key, value in inputs.items()]
    found = [certify(build, path, shapes, target, folder) for target in TARGETS]
    size = re.search(r"-([\dx]+)-n\w+\.\w+$", path.name)
    label = f"{name} {size[1]}" if size else name
    return f"| {label} | {found[0][0]} | {found[0][1]} | " + " | ".join(cell for _, _, cell in found) + " |\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build folder (build)")
    parser.add_argument("--out", type=Path, default=PAGE, help="the page whose table is replaced")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    os.environ.setdefault("NPU_MODELS", str(build / "models"))
    text = "| network | ops | ways | " + " | ".join(f"`{target}`" for target in TARGETS) + " |\n"
    text += "|---|" + "---:|" * (2 + len(TARGETS)) + "\n"
    try:
        with tempfile.TemporaryDirectory(prefix="npu-certificates-") as folder:
            for name in LARGE + SMALL:
                print(name, file=sys.stderr, flush=True)
                text += row(build, name, name in SMALL, Path(folder))
    except (compare.Failure, zoo.ZooError, RuntimeError, OSError) as error:
        print(f"certificate_table: {error}", file=sys.stderr)
        return 1
    page = replaced(arguments.out.read_text(encoding="utf-8"), MARK, text)
    arguments.out.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
