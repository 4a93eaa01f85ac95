# SPDX-License-Identifier: Apache-2.0
"""Files of the Python programs: none in the place of another, all or none, nothing left by a signal."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnx

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench" / "models")]

import small  # noqa: E402
from npu_bench.output_files import OutputFiles, UsageError  # noqa: E402

USAGE = 2
PATIENCE_SECONDS = 60


def content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_clashes(folder: Path) -> None:
    old = folder / "old"
    old.write_text("x", encoding="utf-8")
    (folder / "hard").hardlink_to(old)
    (folder / "soft").symlink_to("old")
    (folder / "dangling").symlink_to("new")
    (folder / "linked").symlink_to(folder)
    pairs = {
        ("old", "./old"): True, ("old", "hard"): True, ("soft", "hard"): True, ("linked/old", "old"): True,
        ("new", "linked/new"): True, ("dangling", "new"): True, ("new", "newer"): False, ("old", "new"): False,
        ("/dev/null", "/dev/null"): False,
    }  # fmt: skip
    for (first, second), same in pairs.items():
        for declare in (OutputFiles.reads, OutputFiles.writes):
            files = OutputFiles()
            declare(files, "one", folder / first)
            try:
                files.writes("two", folder / second)
                refused = False
            except UsageError as error:
                refused = "would replace one" in str(error)
            assert refused == same, (first, second)


def test_all_or_none(folder: Path) -> None:
    (folder / "b").write_text("old", encoding="utf-8")
    with OutputFiles() as files:
        for name in "abc":
            files.write(folder / name, name.encode())
        (folder / "c").mkdir()  # somebody was faster
        try:
            files.commit()
            raise AssertionError("c is a folder")
        except OSError:
            pass
    assert sorted(path.name for path in folder.iterdir()) == ["b", "c"] and (folder / "b").read_text() == "old"
    (folder / "c").rmdir()
    (folder / "link").symlink_to("real")
    with OutputFiles() as files:
        for name in ("a", "b", "link"):
            files.write(folder / name, name.encode())
        assert (folder / "b").read_text() == "old"
        files.commit()
    assert (folder / "link").is_symlink() and content(folder)[str(folder / "real")] == b"link"
    assert sorted(path.name for path in folder.iterdir()) == ["a", "b", "link", "real"]


def test_programs(build: Path, folder: Path) -> None:
    model = folder / "model.onnx"
    onnx.save(small.make("conv_relu"), model, save_as_external_data=True, location="weights.bin", size_threshold=0)
    np.save(folder / "x.npy", np.zeros((1, 3, 32, 32), np.float32))
    (folder / "hard").hardlink_to(model)
    (folder / "sweep").mkdir()
    before = content(folder)
    compare = ["npu-compare", model, "--input", f"x={folder}/x.npy"]
    calls = [
        *[[*compare, f"--json={folder / name}"] for name in ("model.onnx", "hard", "weights.bin", "x.npy")],
        *[["npu-reduce", model, f"--reduce={folder / name}"] for name in ("model.onnx", "hard", "weights.bin")],
        *[["npu-bench", model, f"--{option}={folder / name}"]
          for option in ("json", "markdown", "chart") for name in ("hard", "weights.bin")],
        ["npu-bench", model, f"--json={folder}/new", f"--markdown={folder}/./new"],
    ]  # fmt: skip
    for name, *words in calls:
        command = [build / "bin" / name, *words]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        lines = done.stderr.splitlines()
        assert done.returncode == USAGE and len(lines) == 1 and "would replace" in lines[0], (command, done)
        assert lines[0].startswith(f"{name}: ") and content(folder) == before, command


def test_sweep(build: Path, folder: Path) -> None:
    """Its files have fixed names in the folder of an earlier sweep."""
    sweep, model = folder / "sweep", folder / "model.onnx"
    onnx.save(small.make("conv_relu"), model)
    words = ["--layout=naive", f"--output={sweep}", "--workers=1", "--json"]
    subprocess.run([build / "bin" / "npu-sweep", model, *words], check=True, capture_output=True)
    (sweep / "page.html").unlink()
    (sweep / "page.html").hardlink_to(model)
    before = content(folder)
    done = subprocess.run([build / "bin" / "npu-sweep", model, *words], capture_output=True, text=True)
    assert done.returncode == USAGE and "would replace the model" in done.stderr, done
    assert content(folder) == before


def test_endings(build: Path, folder: Path) -> None:
    """By the signal, and a full disk is one line."""
    model, scratch = folder / "model.onnx", folder / "tmp"
    onnx.save(small.make("residual"), model)
    scratch.mkdir()
    command = [build / "bin" / "npu-compare", model, f"--json={folder}/layers.json"]
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        process = subprocess.Popen(command, env={**os.environ, "TMPDIR": str(scratch)}, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not list(scratch.iterdir()):  # it works
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.005)
        process.send_signal(number)
        assert process.wait() == -number, (number, process.returncode)
        assert not list(scratch.iterdir()), list(scratch.iterdir())
        assert sorted(path.name for path in folder.iterdir()) == ["model.onnx", "tmp"]
    for words in (["npu-compare", model], ["npu-compare", "--help"], ["npu-reduce", "--help"], ["npu-bench", "--help"],
                  ["npu-sweep", "--help"]):  # fmt: skip
        with open("/dev/full", "wb") as full:
            done = subprocess.run([build / "bin" / words[0], *words[1:]], stdout=full, stderr=subprocess.PIPE, text=True)
        lines = done.stderr.splitlines()
        assert done.returncode > 0 and len(lines) == 1 and "No space left on device" in lines[0], (words, done)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build folder")
    build = parser.parse_args().build.resolve()
    for test in (test_clashes, test_all_or_none):
        with tempfile.TemporaryDirectory() as name:
            test(Path(name).resolve())
    for test in (test_programs, test_sweep, test_endings):
        with tempfile.TemporaryDirectory() as name:
            test(build, Path(name).resolve())
        print(f"{test.__name__} ok", flush=True)


if __name__ == "__main__":
    main()
