# SPDX-License-Identifier: Apache-2.0
"""Files that earlier versions wrote, read by the programs of today (docs/compatibility.md)."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "test" / "compiler" / "tools"))

import programs  # noqa: E402
from programs import Bench, check_close, expected  # noqa: E402

NET, X = ROOT / "examples" / "net.onnx", ROOT / "examples" / "x.npy"


def of_kind(kind: str) -> dict[int, Path]:
    """Version of the format: the file."""
    files = {int(re.search(r"-(\d+)\.\w+$", path.name)[1]): path for path in HERE.glob(f"*.{kind}-*")}
    assert files, f"no golden file of '{kind}'"
    return files


def version_in_schema(name: str) -> int:
    schema = json.loads((ROOT / "docs" / f"{name}.schema.json").read_text(encoding="utf-8"))
    return schema["properties"]["version"]["const"]


def refused(done: subprocess.CompletedProcess, version: int) -> None:
    """A file of another version than today's, by its number."""
    assert done.returncode != 0 and f"version {version}" in done.stderr, done


def test_programs_run(bench: Bench) -> None:
    """Of today's format with right numbers."""
    header = (ROOT / "format" / "program_format.h").read_text(encoding="utf-8")
    today = int(re.search(r"#define NPU_FORMAT_VERSION (\d+)u", header)[1])
    files, x = of_kind("format"), np.load(X)
    assert today in files, f"add a golden program of format {today} (test/golden/README.md)"
    (y,) = bench.execute(files.pop(today), {"x": x}, "y")
    check_close(y, expected(NET, {"x": x})[0])
    for version, path in files.items():
        refused(bench.run("npu-run", path, "--random-inputs"), version)


def test_plans_pin(bench: Bench) -> None:
    """What a plan pins is held: a layout that the search would not choose."""
    files = of_kind("plan")
    path = files.pop(version_of_plans(bench))
    text = path.read_text(encoding="utf-8")
    bench.npuc(NET, f"--layout-plan={path}", "--write-layout-plan=now.yaml", "-o", "out.npu", "-q")
    now = bench.path("now.yaml").read_text(encoding="utf-8")
    op, reads, stored = re.search(r'- op: "([^"]*)"\n    pin: true\n    reads: (.*)\n    stored: (.*)', text).groups()
    assert f'- op: "{op}"\n    reads: {reads}\n    stored: {stored}\n' in now, (op, now)
    assert "NHWC" not in stored, "the pin is what the search chooses anyhow"
    for version, path in files.items():
        refused(bench.run("npuc", NET, f"--layout-plan={path}", "-o", "out.npu"), version)


def version_of_plans(bench: Bench) -> int:
    bench.npuc(NET, "--write-layout-plan=plan.yaml", "-o", "out.npu", "-q")
    return int(re.search(r"^version: (\d+)$", bench.path("plan.yaml").read_text(encoding="utf-8"), re.MULTILINE)[1])


def test_certificates_hold(bench: Bench) -> None:
    today = version_in_schema("certificate")
    for version, path in of_kind("certificate").items():
        done = bench.run("npu-check-certificate", path)
        assert (done.returncode == 0) == (version == today), (path, done)
    assert today in of_kind("certificate")


def test_reports_compare(bench: Bench) -> None:
    today = version_in_schema("report")
    files = of_kind("report")
    bench.npuc(NET, "-o", "out.npu", "--target=npu-nhwc", "--report=now.json", "-q")
    done = bench.run("npu-layout-diff", files.pop(today), "now.json")
    assert done.returncode == 0, done
    for version, path in files.items():
        refused(bench.run("npu-layout-diff", path, "now.json"), version)


if __name__ == "__main__":
    programs.main(__doc__)
