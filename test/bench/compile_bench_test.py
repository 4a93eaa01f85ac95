# SPDX-License-Identifier: Apache-2.0
"""compile-bench: every stage of a compilation, whole ones and the search are timed, and the searches of narrow graphs are proved."""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

STAGES = ("imported", "fused", "layout", "planned", "program")
NARROW = ("chain", "residual", "dense", "nas", "unet", "transformer")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    program = parser.parse_args().build / "bin" / "compile-bench"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run.json"
        # Each once: what it takes is no matter here.
        filters = f"--benchmark_filter=^(stage/.*|compile/.*|search/({'|'.join(NARROW)}))/1000$"
        words = [filters, "--benchmark_min_time=0.000001"]
        done = subprocess.run([program, *words, f"--benchmark_out={out}"], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        rows = {row["name"]: row for row in json.loads(out.read_text())["benchmarks"]}
    for stage in STAGES:
        assert rows[f"stage/{stage}/1000"]["real_time"] > 0, rows
    for chain in ("residual", "eltwise"):
        assert rows[f"compile/{chain}/1000"]["real_time"] > 0, rows
    for graph in NARROW:
        assert rows[f"search/{graph}/1000"]["label"] == "proved", rows[f"search/{graph}/1000"]
    print(f"{len(rows)} benchmarks")


if __name__ == "__main__":
    main()
