# SPDX-License-Identifier: Apache-2.0
"""Compiles a trained text detector in four layouts and shows what each costs.

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
from npu_bench.agreement import Tolerance  # noqa: E402
from npu_bench.contender import BenchError, Case, Contender, Tools, ours, peer  # noqa: E402
from npu_bench.errors import exit_text  # noqa: E402
from npu_bench.measure import measure, profile  # noqa: E402
from npu_bench.output_files import OutputFiles  # noqa: E402
from npu_bench.picture_file import MOST_PIXELS, open_picture  # noqa: E402
from npu_bench.program import Parser, ended, start  # noqa: E402
from npu_bench.resolver import zoo  # noqa: E402
from npu_bench.results import Row, compare, make_row  # noqa: E402
from npu_bench.words import add_budget_option, add_build_option, budget_of, size  # noqa: E402

PLANS = ("npu-nchw/none", "npu-nhwc/naive", "npu-nhwc/auto-nhwc", "npu-nhwc/optimal")
NETWORK = "ppocr_det"
EPILOG = f"""Examples:
  make demo
  make demo PICTURE=photo.jpg
  python bench/demo/demo.py --build=build --picture=photo.jpg --threads=1

{exit_text(failed="a program cannot be made or run, or gives other probabilities than onnxruntime")}"""


def make_case(picture: Image.Image, short_side: int) -> Case:
    model = zoo.ensure(NETWORK)
    value = onnx.load(model).graph.input[0]
    pixels = detection.prepare(picture, short_side)
    names = [size.dim_param for size in value.type.tensor_type.shape.dim]
    dimensions = {name: size for name, size in zip(names, pixels.shape) if name}
    return Case(NETWORK, model, 1, {value.name: list(pixels.shape)}, dimensions, {value.name: pixels})


def run(case: Case, tools: Tools, threads: int, rounds: int, console: Console) -> tuple[list[Row], np.ndarray]:
    contenders: list[Contender] = []
    try:
        for name in (*PLANS, "onnxruntime"):
            with console.status(f"compiling and loading {name}"):
                make = (lambda: ours(tools, case, name, threads)) if "/" in name else (lambda: peer(case, name, threads))
                contenders.append(make())
                contenders[-1].start(case.inputs)
        (reference,) = contenders[-1].outputs()
        with console.status("measuring, one after the other in every round"):
            measure(contenders, rounds, threads, lambda: None, retries=1.5)
            for contender in contenders:
                profile(contender)
        rows = [make_row(case, contender, [reference], Tolerance()) for contender in contenders]
        for row in rows:
            if row.difference.wrong:
                raise BenchError(f"{row.contender} gives other probabilities than onnxruntime: {row.difference}")
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


def next_commands(case: Case, build: Path) -> list[str]:
    """What works as it stands, on the model and the sizes at hand (test/models/demo_test.py runs each)."""
    ((name, shape),) = case.shapes.items()
    model, programs, folder = shown(case.model), build / "bin", build / "demo"
    sizes = f"--input-shape={name}={','.join(map(str, shape))}"
    # Every value of the whole picture would be gigabytes.
    half = [*shape[:2], *(max(size // 64 * 32, 32) for size in shape[2:])]
    smaller = f"--input-shape={name}={','.join(map(str, half))}"
    return [
        f"{programs}/npuc {model} -o {folder}/model.npu --target=npu-nhwc {sizes} --report={folder}/report.json",
        f"{programs}/npu-dump {folder}/model.npu    # kernels, memory plan, disassembly",
        f"{programs}/npu-run {folder}/model.npu --random-inputs --profile --repeat=10",
        f"{programs}/npu-compare {model} {smaller}    # layer by layer against onnxruntime",
        f"{programs}/npu-bench {model} {sizes} --plans=npu-nhwc/naive,npu-nhwc/optimal --peers=onnxruntime,openvino --rounds=3",
    ]


def shown(path: Path) -> Path:
    """As a person would type it."""
    return Path(os.path.relpath(path)) if path.is_relative_to(Path.cwd()) else path


def parse_arguments(words: list[str] | None) -> argparse.Namespace:
    parser = Parser("demo", __doc__.splitlines()[0], EPILOG)
    parser.add_argument("--picture", type=Path, help="a picture with text (a photograph of a printed page)")
    parser.add_argument("--threads", type=size, default=len(os.sched_getaffinity(0)), help="threads (all processors)")
    parser.add_argument("--rounds", type=size, default=5, help="measured rounds of each layout (5)")
    parser.add_argument("--short-side", type=size, default=detection.SHORT_SIDE, metavar="PIXELS",
                        help=f"a smaller picture is enlarged to this: less is faster and finds less ({detection.SHORT_SIDE})")  # fmt: skip
    add_budget_option(parser, "pixels")
    add_build_option(parser)
    return parser.parse_args(words)


def work(arguments: argparse.Namespace, console: Console) -> None:
    begin, build = time.monotonic(), arguments.build.resolve()
    tools = Tools.of_build(build)
    page = arguments.picture or zoo.ensure_picture()
    with open_picture(page, budget_of(arguments.budgets, "pixels", MOST_PIXELS)) as file:
        picture = file.convert("RGB")
    case, result = make_case(picture, arguments.short_side), build / "demo" / "detection.png"
    result.parent.mkdir(parents=True, exist_ok=True)
    files = OutputFiles()
    files.reads("--picture", page)
    files.writes("the drawing", result)
    (shape,) = case.shapes.values()
    console.print(f"PP-OCRv4 text detection, input {'x'.join(map(str, shape))}, {arguments.threads} threads, f32")
    rows, probabilities = run(case, tools, arguments.threads, arguments.rounds, console)
    boxes = detection.find_boxes(probabilities)
    with files:
        files.write(result, detection.drawn(picture, probabilities, boxes))
        files.commit()
    print_table(rows, console)
    worst = max((row.difference for row in rows), key=lambda difference: difference.absolute)
    console.print(f"All {len(PLANS)} agree with onnxruntime: {worst}.")
    console.print(f"Found {len(boxes)} line{'s'[: len(boxes) != 1]} of text: {shown(result)} ({time.monotonic() - begin:.0f} s in all)")
    console.print("\nWhat to try next (make demo PICTURE=photo.jpg reads a picture of yours):", style="bold")
    for line in next_commands(case, shown(build)):
        console.print(f"  {line}", markup=False, highlight=False, soft_wrap=True)


def main(words: list[str] | None = None) -> int:
    arguments = parse_arguments(words)
    try:
        work(arguments, Console(width=None if sys.stdout.isatty() else 110))
    except (BenchError, zoo.ZooError, OSError) as error:
        return ended("demo", error)
    return 0


if __name__ == "__main__":
    start("demo", main)
