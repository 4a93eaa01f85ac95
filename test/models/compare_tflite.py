# SPDX-License-Identifier: Apache-2.0
"""Compares a TFLite network, compiled by npuc, with what others make of it.

f32 networks are compared with LiteRT; int8 ones with TOSA's reference model, to
the bit, and with LiteRT, whose rounding differs. No relayout may be left.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "models"))

import zoo  # noqa: E402

TOLERANCE = 1e-4  # of the largest probability, f32
# Random weights amplify a rounding, so single elements may differ by many steps;
# on average they must agree to a fraction of one.
MOST_MEAN_STEPS = 0.2


def run(command: list[str]) -> str:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200)
    if done.returncode != 0:
        raise SystemExit(f"failed ({done.returncode}): {' '.join(command)[:200]}\n{done.stderr[-2000:]}")
    return done.stdout


def litert(model: Path, folder: Path) -> tuple[str, str, np.ndarray]:
    """Names of input and output, and the output; the input lies in input.npy then."""
    script = ROOT / "bench" / "models" / "tflite_run.py"
    names = run([str(zoo.keras_python()), str(script), str(model), str(folder / "real.npy"),
                 str(folder / "litert.npy"), f"--quantized-input={folder / 'input.npy'}"])  # fmt: skip
    given, result = names.split()
    return given, result, np.load(folder / "litert.npy")


def reference_model(model: Path, folder: Path, tools: Path, converter: Path) -> np.ndarray:
    """The output of TOSA's reference model, which wants a batch that is known."""
    run([str(converter), str(model), "--text", "-o", str(folder / "open.mlir")])
    text = (folder / "open.mlir").read_text(encoding="utf-8")
    text = re.sub(r"tensor<\?x", "tensor<1x", text).replace("dense<[-1, ", "dense<[1, ")
    (folder / "one.mlir").write_text(text, encoding="utf-8")
    run([str(tools / "tosa-opt"), str(folder / "one.mlir"), "-o", os.devnull,
         "--tosa-attach-target=specification_version=1.0 profiles=pro_int,pro_fp",
         f"--tosa-serialize=tosa-flatbuffer-filename={folder / 'one.tosa'}"])  # fmt: skip
    run([str(tools / "tosa_reference_model"), f"--tosa_file={folder / 'one.tosa'}", f"--flatbuffer_dir={folder}",
         f"--output_dir={folder}", "--ifm_name=TosaInput_0", "--ifm_file=input.npy",
         "--ofm_name=TosaOutput_0", "--ofm_file=reference.npy"])  # fmt: skip
    return np.load(folder / "reference.npy")


def compiled(model: Path, folder: Path, build: Path, given: str, result: str, target: str) -> np.ndarray:
    """The output of npuc's program; fails where a relayout is left, or the plan's certificate does not hold."""
    run([str(build / "bin" / "npuc"), "-q", str(model), "--batch=1", f"--target={target}", "--verify-layout",
         "--objective=count", "-o", str(folder / "model.npu"), f"--report={folder / 'report.json'}",
         f"--certificate={folder / 'certificate.json'}"])  # fmt: skip
    run([str(build / "bin" / "npu-check-certificate"), str(folder / "certificate.json")])
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    relayouts, proved = report["relayouts"]["count"], report["optimal"]["proved"]
    if relayouts != 0 or not proved:
        raise SystemExit(f"{model.name}: {relayouts} relayouts on {target}, proved: {proved}; expected 0, proved")
    run([str(build / "bin" / "npu-run"), str(folder / "model.npu"), "--threads=2",
         "--input", f"{given}={folder / 'input.npy'}", "--output", f"{result}={folder / 'npu.npy'}"])  # fmt: skip
    return np.load(folder / "npu.npy")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog="example: compare_tflite.py mobilenet_v2_tflite_int8 --small"
    )
    parser.add_argument("network", help="a TFLite network of bench/models/zoo.py")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="folder with bin/npuc")
    parser.add_argument("--small", action="store_true", help="in the smallest sensible size")
    parser.add_argument("--target", default="npu-nhwc")
    arguments = parser.parse_args()
    tools = Path(os.environ.get("NPU_VENV_TOSA", arguments.build / "venv-tosa")) / "bin"
    converter = Path(sys.executable).parent / "tosa-converter-for-tflite"
    net = zoo.find(arguments.network)
    size = net.small if arguments.small else net.size
    model = zoo.ensure(net.name, size)
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        np.save(folder / "real.npy", net.sample(1, size, "nhwc", seed=7))
        given, result, expected = litert(model, folder)
        found = compiled(model, folder, arguments.build, given, result, arguments.target)
        if found.shape != expected.shape or found.dtype != expected.dtype:
            raise SystemExit(f"found {found.dtype}{found.shape}, expected {expected.dtype}{expected.shape}")
        distance = np.abs(found.astype(np.float64) - expected.astype(np.float64))
        if found.dtype == np.float32:
            print(f"{net.name}: differs from LiteRT by {distance.max():.1e}")
            good = distance.max() <= TOLERANCE * expected.max()
        else:
            exact = np.array_equal(found, reference_model(model, folder, tools, converter))
            print(f"{net.name}: TOSA's reference model to the bit: {exact}; LiteRT: at most {distance.max():.0f} "
                  f"steps away, {distance.mean():.3f} on average")  # fmt: skip
            good = exact and distance.mean() <= MOST_MEAN_STEPS
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
