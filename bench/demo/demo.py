# SPDX-License-Identifier: Apache-2.0
"""Compiles a trained text detector in three layouts and shows what each costs.

Every layout runs on the same photograph, is checked against onnxruntime, and
is measured beside the others in the same rounds.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

import numpy as np
import onnx
from PIL import Image
from rich.console import Console
from rich.table import Table

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent)]

import detection  # noqa: E402
from npu_bench.case import zoo  # noqa: E402
from npu_bench.contender import BenchError, Case, Contender, Tools, ours, peer  # noqa: E402
from npu_bench.measure import measure, profile  # noqa: E402
from npu_bench.results import Row, compare, make_row  # noqa: E402

PLANS = ("npu-nchw/none", "npu-nhwc/naive", "npu-nhwc/auto-nhwc")
RTOL, ATOL = 1e-3, 1e-4


def make_case(picture: Image.Image) -> Case:
    model = zoo.ensure("ppocr_det")
    value = onnx.load(model).graph.input[0]
    pixels = detection.prepare(picture)
    names = [size.dim_param for size in value.type.tensor_type.shape.dim]
    dimensions = {name: size for name, size in zip(names, pixels.shape) if name}
    return Case("ppocr_det", model, 1, {value.name: list(pixels.shape)}, dimensions, {value.name: pixels})


def check(contender: Contender, reference: np.ndarray) -> None:
    """Whether the probabilities are onnxruntime's."""
    (output,) = contender.outputs()
    if not np.allclose(output, reference, rtol=RTOL, atol=ATOL):
        worst = float(np.abs(output - reference).max())
        raise BenchError(f"{contender.name} gives other probabilities than onnxruntime, by up to {worst:.2e}")


def run(case: Case, build: Path, threads: int, rounds: int, console: Console) -> tuple[list[Row], np.ndarray]:
    tools = Tools.of_build(build)
    contenders: list[Contender] = []
    try:
        for name in (*PLANS, "onnxruntime"):
            with console.status(f"compiling and loading {name}"):
                make = (lambda: ours(tools, case, name, threads)) if "/" in name else (lambda: peer(case, name, threads))
                contenders.append(make())
                contenders[-1].start(case.inputs)
        (reference,) = contenders[-1].outputs()
        for contender in contenders[:-1]:
            check(contender, reference)
        with console.status("measuring, one after the other in every round"):
            measure(contenders, rounds, threads, lambda: None, retries=1.5)
            for contender in contenders:
                profile(contender)
        rows = [make_row(case, contender, [reference]) for contender in contenders]
        compare(rows, contenders)
        (best,) = contenders[len(PLANS) - 1].outputs()
        return rows, best[0, 0]
    finally:
        for contender in contenders:
            contender.stop()


def print_table(rows: list[Row], console: Console) -> None:
    table = Table(header_style="bold")
    for heading in ("target/layout", "relayouts", "MB they move", "kernels", "latency ms", "over naive", "over none"):
        table.add_column(heading, justify="left" if heading == "target/layout" else "right")
    for row in rows:
        if row.relayouts is None:
            table.add_section()
        table.add_row(
            row.contender,
            "" if row.relayouts is None else str(row.relayouts),
            "" if row.relayout_bytes is None else f"{row.relayout_bytes / 1e6:.1f}",
            "" if row.kernels is None else str(row.kernels),
            f"{row.latency_ms.median:.1f}",
            f"{row.gain_over_naive.median:.2f}x" if row.gain_over_naive else "",
            f"{row.gain_over_none.median:.2f}x" if row.gain_over_none else "",
        )
    console.print(table)
    for row in rows:
        for warning in row.warnings:
            console.print(f"{row.contender}: {warning}", style="yellow", markup=False)


def print_next(model: Path, build: Path, shape: list[int], name: str, console: Console) -> None:
    sizes = ",".join(map(str, shape))
    console.print("\nWhat to try next:", style="bold")
    for line in (
        f"{build}/bin/npuc {model} -o model.npu --target=npu-nhwc "
        f"--input-shape={name}={sizes} --report=report.json",
        f"{build}/bin/npu-dump model.npu          # kernels, memory plan, disassembly",
        f"{build}/bin/npu-run model.npu --random-inputs --profile --repeat=10",
        f"{build}/bin/npu-bench resnet50 mobilenet_v2 --peers=onnxruntime,openvino",
        f"make demo PICTURE=photo.jpg              # your own picture",
    ):
        console.print(f"  {line}", markup=False, highlight=False, soft_wrap=True)


def shown(path: Path) -> Path:
    """As a person would type it."""
    return Path(os.path.relpath(path)) if path.is_relative_to(Path.cwd()) else path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--picture", type=Path, help="a picture with text (a photograph of a printed page)")
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build folder (build)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=5, help="measured rounds of each layout (5)")
    arguments = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 110)
    build = arguments.build.resolve()
    begin = time.monotonic()
    try:
        with Image.open(arguments.picture or zoo.ensure_picture()) as file:
            picture = file.convert("RGB")
        case = make_case(picture)
        (name, shape), = case.shapes.items()
        console.print(f"PP-OCRv4 text detection, input {'x'.join(map(str, shape))}, {arguments.threads} threads, f32")
        rows, probabilities = run(case, build, arguments.threads, arguments.rounds, console)
        boxes = detection.find_boxes(probabilities)
        result = build / "demo" / "detection.png"
        result.parent.mkdir(parents=True, exist_ok=True)
        detection.draw(picture, probabilities, boxes, result)
    except (BenchError, zoo.ZooError, OSError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    print_table(rows, console)
    worst = max(row.difference for row in rows)
    console.print(f"All three agree with onnxruntime (largest difference {worst:.0e}).")
    console.print(f"Found {len(boxes)} lines of text: {shown(result)} ({time.monotonic() - begin:.0f} s in all)")
    print_next(shown(case.model), shown(build), shape, name, console)
    return 0


if __name__ == "__main__":
    sys.exit(main())
