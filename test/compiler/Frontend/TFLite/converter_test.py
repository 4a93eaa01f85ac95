# SPDX-License-Identifier: Apache-2.0
"""npuc says in one sentence why a .tflite file cannot be compiled: no converter, or one that fails."""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from tflite_builder import Graph


def compile_file(build: Path, model: Path, *options: str, **environment: str) -> subprocess.CompletedProcess:
    command = [str(build / "bin" / "npuc"), str(model), "-o", str(model.with_suffix(".npu")), *options]
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env={**os.environ, **environment}
    )


def expect(done: subprocess.CompletedProcess, *texts: str, code: int = 1) -> None:
    """It failed with one error that says all of this."""
    assert done.returncode == code, done
    assert done.stderr.count("error:") == 1, done.stderr
    for text in texts:
        assert text in done.stderr, (text, done.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True, help="folder with bin/npuc")
    build = parser.parse_args().build
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        model = folder / "model.tflite"
        expect(compile_file(build, model), "model.tflite", "No such file or directory")
        graph = Graph()
        graph.output(graph.op("FLOOR", [graph.input(np.zeros(3, np.float32))], "f32"))
        model.write_bytes(graph.bytes({"case/y1": [3]}))
        assert compile_file(build, model).returncode == 0
        missing = str(folder / "converter")
        expect(compile_file(build, model, f"--tflite-converter={missing}"), missing, "cannot be run",
               "; run `make deps`, or pip install tosa-converter-for-tflite and name it with --tflite-converter")  # fmt: skip
        expect(compile_file(build, model, NPU_TFLITE_CONVERTER=missing), missing, "cannot be run")
        expect(compile_file(build, model, TMPDIR=str(folder / "nowhere")), "needs a temporary folder, which cannot be made")
        silent = folder / "silent"
        silent.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
        silent.chmod(0o755)
        expect(compile_file(build, model, f"--tflite-converter={silent}"), "cannot convert it to TOSA: it gave no result and no reason (exit code 3)",
               "; where sizes are unknown, export the model with fixed ones", code=5)  # fmt: skip
        silent.write_text("#!/bin/sh\nkill -SEGV $$\n", encoding="utf-8")
        expect(compile_file(build, model, f"--tflite-converter={silent}"), "crashed on it: ", code=5)
        empty = folder / "empty"
        empty.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
        empty.chmod(0o755)
        expect(compile_file(build, model, f"--tflite-converter={empty}"), "it gave no result and no reason (exit code 0)", code=5)
        empty.write_text('#!/bin/sh\n: > "$5"\n', encoding="utf-8")
        expect(compile_file(build, model, f"--tflite-converter={empty}"), "holds no function")
        empty.write_text('#!/bin/sh\necho wrong > "$5"\n', encoding="utf-8")
        expect(compile_file(build, model, f"--tflite-converter={empty}"), f"npuc: error: {model}, converted to TOSA:1:1: ")
    print("ok")


if __name__ == "__main__":
    main()
