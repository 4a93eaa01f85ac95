# SPDX-License-Identifier: Apache-2.0
"""Writes the table of docs/layout-space.md: the least relayouts of networks on chips of tiles, sticks and packs.

The table goes between the marks in the page. --check changes nothing and fails if it would change; networks that are
named are the only ones it looks at then.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "layout-space.md"
sys.path[:0] = [str(ROOT / "test" / "models")]

import compare  # noqa: E402 (test/models/compare.py)
from pages import replaced  # noqa: E402

# In the zoo, and as the page calls it; pictures of 64x64 where it says so, else as networks are used.
NETWORKS = {
    "minilm_l3": "MiniLM, 3 layers, 128 tokens",
    "minilm_l6_int8": "MiniLM, 6 layers, 128 tokens",
    "t5_encoder_int8": "T5, encoder, 128 tokens",
    "t5_decoder_int8": "T5, decoder, 128 tokens",
    "vit": "vit, 64x64",
    "vit_timm": "vit_timm, 64x64",
    "two_tower": "two_tower, 64x64",
    "ppocr_rec": "ppocr_rec, 48x320",
}
BY_HAND = ROOT / "test" / "layout_space" / "chips"
CHIPS = {
    "tiles_strided": BY_HAND,
    "sticks": BY_HAND,
    **dict.fromkeys(("npu-nhwc", "npu-tiles", "npu-sticks", "npu-packs", "npu-nc1hwc0", "npu-nc1hwc2"), ROOT / "targets"),
}


def cell(build: Path, name: str, chip: str) -> str:
    """Relayouts, and how many of them stand at the boundary; `>=` and the bound where npuc proves no more."""
    model, inputs = compare.network_and_inputs(name, 1, "64x64" in NETWORKS[name], build)
    with tempfile.TemporaryDirectory(prefix="npu-layout-space-") as folder:
        written = Path(folder) / "report.json"
        command = [build / "bin" / "npuc", model, "--quiet", "--emit=mlir", "-o", os.devnull, f"--report={written}"]
        command += [f"--input-shape={one}={','.join(map(str, array.shape))}" for one, array in inputs.items()]
        command += [f"--target={CHIPS[chip] / chip}.yaml", "--layout=optimal", "--objective=count"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{name} on {chip}: {done.stderr.strip()}")
        report = json.loads(written.read_text(encoding="utf-8"))
    found, search = report["relayouts"], report["optimal"]
    text = f"{found['count']} ({found['boundary_count']})" if found["boundary_count"] else str(found["count"])
    return text if search["proved"] else f"{text}, >= {search['lower_bound']}"


def rows(build: Path, networks: list[str], jobs: int) -> list[str]:
    keys = [(name, chip) for name in networks for chip in CHIPS]
    with ThreadPoolExecutor(jobs) as pool:
        cells = dict(zip(keys, pool.map(lambda key: cell(build, *key), keys), strict=True))
    return [f"| {NETWORKS[name]} | " + " | ".join(cells[name, chip] for chip in CHIPS) + " |" for name in networks]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", help=f"with --check; default: {' '.join(NETWORKS)}")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="build folder (default: build)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilations side by side (default: one a core)")
    parser.add_argument("--check", action="store_true", help="change nothing, fail if the page would change")
    arguments = parser.parse_args()
    if unknown := set(arguments.networks) - set(NETWORKS):
        parser.error(f"no network of this page: {', '.join(sorted(unknown))}; it has {', '.join(NETWORKS)}")
    if arguments.networks and not arguments.check:
        parser.error("some networks alone can only be looked at with --check")
    page = PAGE.read_text(encoding="utf-8")
    found = rows(arguments.build, arguments.networks or list(NETWORKS), arguments.jobs)
    if arguments.check:
        if missing := [row for row in found if row not in page]:
            sys.exit("\n".join([f"{PAGE.relative_to(ROOT)} has not these rows; write it with docs/layout_space.py:", *missing]))
        return
    head = ["| network | " + " | ".join(f"`{chip}`" for chip in CHIPS) + " |", "|---|" + "---:|" * len(CHIPS)]
    PAGE.write_text(replaced(page, "least relayouts", "\n".join(head + found)), encoding="utf-8")


if __name__ == "__main__":
    main()
