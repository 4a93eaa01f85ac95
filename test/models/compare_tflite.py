# SPDX-License-Identifier: Apache-2.0
"""Compares a TFLite network, compiled by npuc, with LiteRT's reference kernels.

int8 networks must agree to the bit. No relayout may be left.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench" / "models"), str(ROOT / "test" / "compiler" / "Frontend" / "TFLite")]

import litert_run  # noqa: E402
import zoo  # noqa: E402
from ai_edge_litert.interpreter import Interpreter, OpResolverType  # noqa: E402

TOLERANCE = 1e-4  # of the largest probability, f32


def run(command: list[str]) -> str:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200)
    if done.returncode != 0:
        raise SystemExit(f"failed ({done.returncode}): {' '.join(command)[:200]}\n{done.stderr[-2000:]}")
    return done.stdout


def litert(model: Path, folder: Path, real: np.ndarray) -> tuple[str, str, np.ndarray]:
    """Names of input and output, and the output; the input lies in input.npy then."""
    details = Interpreter(model_path=str(model), experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    (given,), (result,) = details.get_input_details(), details.get_output_details()
    if given["dtype"] != np.float32:
        scale, zero = given["quantization"]
        limits = np.iinfo(given["dtype"])
        real = np.clip(np.round(real / scale) + zero, limits.min, limits.max).astype(given["dtype"])
    np.save(folder / "input.npy", real)
    copy = folder / "model.tflite"
    copy.write_bytes(model.read_bytes())
    np.savez(copy.with_suffix(".npz"), **{litert_run.key(given["name"]): real})
    run([sys.executable, litert_run.__file__, str(copy)])
    if copy.with_suffix(".error").exists():
        raise SystemExit(f"LiteRT: {copy.with_suffix('.error').read_text(encoding='utf-8')}")
    results = np.load(copy.with_suffix(".out.npz"))
    return given["name"], result["name"], results[litert_run.key(result["name"])]


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
    net = zoo.find(arguments.network)
    size = net.small if arguments.small else net.size
    model = zoo.ensure(net.name, size)
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        given, result, expected = litert(model, folder, net.sample(1, size, "nhwc", seed=7))
        found = compiled(model, folder, arguments.build, given, result, arguments.target)
        if found.shape != expected.shape or found.dtype != expected.dtype:
            raise SystemExit(f"found {found.dtype}{found.shape}, expected {expected.dtype}{expected.shape}")
        distance = np.abs(found.astype(np.float64) - expected.astype(np.float64))
        if found.dtype == np.float32:
            print(f"{net.name}: differs from LiteRT by {distance.max():.1e}")
            good = distance.max() <= TOLERANCE * expected.max()
        else:
            good = distance.max() == 0
            print(f"{net.name}: {np.count_nonzero(distance)} of {distance.size} elements differ from LiteRT, "
                  f"by at most {distance.max():.0f} steps")  # fmt: skip
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
