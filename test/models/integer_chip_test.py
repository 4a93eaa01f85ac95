# SPDX-License-Identifier: Apache-2.0
"""Compiles an 8-bit network for a chip without floats, and looks at what runs there.

On the chip no kernel reads or gives a float, and no image of 32-bit numbers lies in memory. The outputs of a network
of QuantizeLinear and DequantizeLinear are compared with onnxruntime's in steps of the last scale, with the processor
beside the chip and without it, on bytes. A float32 network is refused where nothing beside the chip runs it.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "bench" / "models"))
sys.path.insert(0, str(HERE))

import compare  # noqa: E402
import zoo  # noqa: E402

CHIP = HERE / "npu-int8.yaml"
# Of 1,000 outputs that lie more than a step away: onnxruntime is as far from itself without its rewrites
# (docs/quantized-networks.md), because random weights amplify the rounding of one byte.
MOST_FAR = 10


def call(*command: object) -> subprocess.CompletedProcess:
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=200, check=False)  # fmt: skip


def done(*command: object) -> str:
    result = call(*command)
    if result.returncode != 0:
        raise SystemExit(f"failed ({result.returncode}): {command}\n{result.stderr[-2000:]}")
    return result.stdout


def check_kernels(build: Path, program: Path) -> None:
    kernels = json.loads(done(build / "bin" / "npu-dump", "--kernels", "--json", program))["kernels"]
    on_chip = [kernel for kernel in kernels if kernel["chip"]["mapping"] != "processor"]
    if not on_chip:
        raise SystemExit("no kernel runs on the chip")
    for kernel in on_chip:
        for operand in kernel["operands"]:
            is_float = operand["dtype"] in ("f32", "f16", "bf16")
            is_wide = operand["dtype"] == "i32" and len(operand["shape"]) == 4 and operand["weights_offset"] < 0
            if is_float or is_wide:
                raise SystemExit(f"{kernel['name']} on the chip has an operand {operand}")


def check_outputs(build: Path, model: Path, net: zoo.Net, size: object, folder: Path) -> None:
    (name, scale), = compare.quantized_outputs(model).items()
    for seed in (1, 2):
        inputs = net.inputs(model, 1, size, net.order, seed=seed)
        expected = compare.reference(model, inputs, folder)[name]
        command = [build / "bin" / "npu-run", folder / "out.npu", "--output", f"{name}={folder / 'y.npy'}"]
        for given, values in inputs.items():
            np.save(folder / f"x{given}.npy", values)
            command += ["--input", f"{given}={folder / f'x{given}.npy'}"]
        done(*command)
        steps = np.abs(np.load(folder / "y.npy") - expected) / scale
        far = int((steps > 1.01).sum())
        print(f"{net.name}: {far} of {steps.size} outputs more than a step away, at most {steps.max():.0f} steps")
        if far > MOST_FAR:
            raise SystemExit(f"expected at most {MOST_FAR}")


def check_alone(build: Path, model: Path, net: zoo.Net, size: object, folder: Path) -> None:
    """Without a processor beside it: bytes in and out, no float anywhere, the outputs in steps."""
    done(build / "bin" / "npuc", model, "--batch=1", f"--target={CHIP}", "--fallback=none", "--quantized-io", "-q",
         "-o", folder / "alone.npu", f"--report={folder / 'alone.json'}")  # fmt: skip
    check_kernels(build, folder / "alone.npu")
    report = json.loads((folder / "alone.json").read_text(encoding="utf-8"))
    meaning = {row["name"]: row for row in report["quantized_io"]}
    (name, scale), = compare.quantized_outputs(model).items()
    if report["placement"] or abs(meaning[name]["scale"] / scale - 1) > 1e-6:
        raise SystemExit(f"found {report['placement']} beside the chip, and {meaning}; expected a scale of {scale}")
    inputs = net.inputs(model, 1, size, net.order, seed=3)
    expected = compare.reference(model, inputs, folder)[name]
    command = [build / "bin" / "npu-run", folder / "alone.npu", "--output", f"{name}={folder / 'y.npy'}"]
    for given, values in inputs.items():
        row = meaning[given]
        kind = {"ui8": np.uint8, "i8": np.int8, "u8": np.uint8}[row["type"]]
        limits = np.iinfo(kind)
        numbers = np.round(values / np.float32(row["scale"])) + row["zero_point"]
        np.save(folder / f"x{given}.npy", np.clip(numbers, limits.min, limits.max).astype(kind))
        command += ["--input", f"{given}={folder / f'x{given}.npy'}"]
    done(*command)
    found = (np.load(folder / "y.npy").astype(np.float64) - meaning[name]["zero_point"]) * scale
    steps = np.abs(found - expected) / scale
    far = int((steps > 1.01).sum())
    print(f"{net.name} in bytes: {far} of {steps.size} outputs more than a step away, at most {steps.max():.0f} steps")
    if far > MOST_FAR:
        raise SystemExit(f"expected at most {MOST_FAR}")


def check_refused(build: Path, model: Path, folder: Path) -> None:
    """One error that says what to do, and no file."""
    result = call(build / "bin" / "npuc", model, "--batch=1", f"--target={CHIP}", "--fallback=none",
                  "-o", folder / "none.npu")  # fmt: skip
    text = result.stderr
    if result.returncode != 1 or text.count("error:") != 1 or "npuc-quantize" not in text:
        raise SystemExit(f"expected one error that names npuc-quantize, found ({result.returncode}) {text[:500]}")
    if (folder / "none.npu").exists():
        raise SystemExit("a file was written")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog="example: integer_chip_test.py resnet50_qdq --small"
    )
    parser.add_argument("network", help="a network of bench/models/zoo.py")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="folder with bin/npuc")
    parser.add_argument("--small", action="store_true", help="in the smallest sensible size")
    parser.add_argument("--most-kernels", type=int, default=1000, help="how many kernels there may be")
    arguments = parser.parse_args()
    net = zoo.find(arguments.network)
    size = net.small if arguments.small else net.size
    model, build = zoo.ensure(net.name, size), arguments.build
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        if not net.name.endswith(("_qdq", "_int8")):
            return check_refused(build, model, folder)
        explained = done(build / "bin" / "npuc", model, "--batch=1", f"--target={CHIP}", "-q", "--verify-layout",
                         "--explain-placement", "-o", folder / "out.npu",
                         f"--report={folder / 'r.json'}")  # fmt: skip
        placement = re.sub(r"\n {6,}", " ", explained).splitlines()  # lines that go on
        if len(placement) != len(set(placement)):
            raise SystemExit(f"--explain-placement says a line twice: {placement}")
        report = json.loads((folder / "r.json").read_text(encoding="utf-8"))
        if len(report["kernels"]) > arguments.most_kernels:
            raise SystemExit(f"found {len(report['kernels'])} kernels, expected at most {arguments.most_kernels}")
        check_kernels(build, folder / "out.npu")
        if model.suffix == ".onnx":
            check_outputs(build, model, net, size, folder)
            check_alone(build, model, net, size, folder)
    return None


if __name__ == "__main__":
    main()
