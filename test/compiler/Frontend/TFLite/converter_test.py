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
        expect(compile_file(build, model, f"--tflite-converter={silent}"), "cannot convert it to TOSA: it gave no result and named no operator (exit code 3)",
               "; where sizes are unknown, export the model with fixed ones", code=5)  # fmt: skip
        silent.write_text("#!/bin/sh\nkill -SEGV $$\n", encoding="utf-8")
        expect(compile_file(build, model, f"--tflite-converter={silent}"), "crashed on it: ", code=5)
        empty = folder / "empty"
        empty.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
        empty.chmod(0o755)
        expect(compile_file(build, model, f"--tflite-converter={empty}"), "it gave no result and named no operator (exit code 0)", code=5)
        for written in (': > "$5"', 'echo wrong > "$5"'):
            empty.write_text(f"#!/bin/sh\n{written}\n", encoding="utf-8")
            expect(compile_file(build, model, f"--tflite-converter={empty}"), "it gave no result and named no operator (exit code 0)", code=5)
        empty.write_text("#!/bin/sh\nprintf 'ML\\357Rwrong' > \"$5\"\n", encoding="utf-8")
        expect(compile_file(build, model, f"--tflite-converter={empty}"),
               f"npuc: error: {model}: the converter '{empty}'",
               "' gave a module that is no right TOSA; compare its version with that of setup/requirements.txt, and look at the model "
               "with LiteRT, which may refuse it",
               f"npuc: note: {model}: MLIR says: ", code=5)  # fmt: skip
        wrong = Graph()
        x = wrong.input(np.zeros((2, 3), np.float32))
        wrong.output(wrong.op("RESHAPE", [x, wrong.constant(np.array([5, 5], np.int32))], "f32", options="ReshapeOptions"))
        model.write_bytes(wrong.bytes({"case/y2": [5, 5]}))
        expect(compile_file(build, model), "cannot convert RESHAPE at 'case/y2' to TOSA: its operands, options and result do not "
               "fit together (exit code 1)", f"npuc: note: {model}: the converter says: 'tfl.reshape' op requires", code=5)  # fmt: skip
    print("ok")


if __name__ == "__main__":
    main()
