# SPDX-License-Identifier: Apache-2.0
"""What is mutated, and the commands that read it: one kind of file for each row of KINDS."""

from __future__ import annotations

import functools
import random
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TFLITE = ROOT / "test" / "compiler" / "Frontend" / "TFLite"
sys.path[:0] = [str(ROOT / "bench" / "models"), str(ROOT / "test" / "models"), str(ROOT / "test" / "servers"), str(TFLITE)]

import litert_reference  # noqa: E402
import numpy as np  # noqa: E402
import onnx_mutations  # noqa: E402
import random_models  # noqa: E402
import small  # noqa: E402
import text_mutations  # noqa: E402
import tflite_mutations  # noqa: E402
from fork_server import Server  # noqa: E402

CASES = Path("/usr/share/libonnx-testdata/data")
RANDOM_MODELS = 200
LARGEST_SEED = 1 << 16
TFLITE_STEP = 17
TARGETS = ("npu-nhwc", "npu-nhwc", "npu-nchw16c", "npu-nchw", "host")
LAYOUTS = ("optimal", "optimal", "naive", "preset", "alter", "auto-nhwc", "smartmem", "pbqp")
EMITS = ("npu", "npu", "npu", "html", "mlir")


@dataclass
class Command:
    """A tool and its words; `makes` is the file that it may leave."""

    tool: str
    words: list[str]
    makes: str = ""


def compile_command(model: str, chance: random.Random, *more: str) -> Command:
    emit = chance.choice(EMITS)
    # What loops are written out to must end within the time that a case has.
    words = [model, "-q", "-o", f"out.{emit}", f"--emit={emit}", "--budget=nodes=4000", f"--target={chance.choice(TARGETS)}", f"--layout={chance.choice(LAYOUTS)}"]
    return Command("npuc", [*words, *more], f"out.{emit}")


@functools.cache
def onnx_seeds() -> list[bytes]:
    """ONNX's own cases, small networks, random models."""
    files = sorted(CASES.glob("*/*/model.onnx"))
    seeds = [path.read_bytes() for path in files if path.stat().st_size <= LARGEST_SEED]
    seeds += [small.make(name).SerializeToString() for name in small.NETWORKS]
    graphs = [random_models.make(seed) for seed in range(RANDOM_MODELS)]
    seeds += [graph.model().SerializeToString() for graph in graphs if graph.nodes]
    return [seed for seed in seeds if len(seed) <= LARGEST_SEED]


def onnx_case(chance: random.Random) -> tuple[dict[str, bytes], Command]:
    model = onnx_mutations.mutate(chance.choice(onnx_seeds()), chance)
    more = ["--batch=2"] if chance.random() < 0.3 else []
    return {"model.onnx": model}, compile_command("model.onnx", chance, *more)


@functools.cache
def tflite_seeds() -> list[bytes]:
    """Some of the cases that are compared with LiteRT, each alone."""
    with tempfile.TemporaryDirectory() as folder:
        trials = litert_reference.litert(litert_reference.all_cases()[::TFLITE_STEP], Path(folder))
    return [trial.graph.bytes(trial.shapes) for trial in trials]


def tflite_case(chance: random.Random) -> tuple[dict[str, bytes], Command]:
    model = tflite_mutations.mutate(chance.choice(tflite_seeds()), chance)
    return {"model.tflite": model}, compile_command("model.tflite", chance)


@functools.cache
def mlir_seeds() -> list[bytes]:
    """Every piece of the lit tests that is a module."""
    pieces = []
    for path in sorted((ROOT / "test" / "compiler").rglob("*.mlir")):
        pieces += path.read_bytes().split(b"// -----\n")
    return [piece for piece in pieces if b"func.func" in piece and len(piece) <= LARGEST_SEED]


def mlir_case(chance: random.Random) -> tuple[dict[str, bytes], Command]:
    module = text_mutations.mutate(chance.choice(mlir_seeds()), chance)
    return {"model.mlir": module}, compile_command("model.mlir", chance)


@functools.cache
def small_model() -> bytes:
    return small.make("conv_relu").SerializeToString()


@dataclass
class Examples:
    """What npuc writes for that network."""

    plan: bytes = b""
    report: bytes = b""
    costs: bytes = b""  # every other kernel measured


EXAMPLES = Examples()  # filled by make_examples


def make_examples(npuc: Server, folder: Path) -> None:
    (folder / "model.onnx").write_bytes(small_model())
    words = ["model.onnx", "--batch=1", "--report=report.json", "--write-layout-plan=plan.yaml", "--write-costs=costs.csv"]
    done = npuc.run(folder, words)
    if done.code:
        raise SystemExit(f"npuc {' '.join(words)}: exit code {done.code}\n{done.text}")
    EXAMPLES.plan, EXAMPLES.report, costs = ((folder / name).read_bytes() for name in ("plan.yaml", "report.json", "costs.csv"))
    rows = costs.splitlines(keepends=True)
    EXAMPLES.costs = b"".join(row.replace(b",\n", b",777\n") if number % 2 else row for number, row in enumerate(rows))


def yaml_case(chance: random.Random) -> tuple[dict[str, bytes], Command]:
    """A target, or a plan of the network."""
    files = {"model.onnx": small_model()}
    if chance.random() < 0.4:
        files["plan.yaml"] = text_mutations.mutate(EXAMPLES.plan, chance)
        return files, compile_command("model.onnx", chance, "--batch=1", "--layout-plan=plan.yaml")
    inputs = ROOT / "test" / "compiler"
    targets = sorted([*(ROOT / "targets").glob("*.yaml"), *inputs.glob("*/Inputs/*.yaml")])
    # Called as its file is, or no other line would ever be read.
    text = re.sub(rb"^name: .*$", b"name: chip", chance.choice(targets).read_bytes(), flags=re.MULTILINE)
    files["chip.yaml"] = text_mutations.mutate(text, chance)
    command = compile_command("model.onnx", chance, "--batch=1")
    command.words = [word for word in command.words if not word.startswith("--target")] + ["--target=chip.yaml"]
    return files, command


def csv_case(chance: random.Random) -> tuple[dict[str, bytes], Command]:
    """Measured kernels of a target."""
    text = (ROOT / "targets" / "npu-nhwc.yaml").read_bytes().replace(b"name: npu-nhwc", b"name: chip")
    files = {"model.onnx": small_model(), "chip.yaml": text + b"costs: costs.csv\n"}
    files["costs.csv"] = text_mutations.mutate(EXAMPLES.costs, chance)
    command = compile_command("model.onnx", chance, "--batch=1")
    command.words = [word for word in command.words if not word.startswith("--target")] + ["--target=chip.yaml"]
    return files, command


def json_case(chance: random.Random) -> tuple[dict[str, bytes], Command]:
    """A report against the right one."""
    files = {"a.json": EXAMPLES.report, "b.json": text_mutations.mutate(EXAMPLES.report, chance)}
    order = chance.choice((["a.json", "b.json"], ["b.json", "a.json"]))
    return files, Command("npu-layout-diff", [*chance.choice(([], ["--json"])), *order])


def npy_case(chance: random.Random) -> tuple[dict[str, bytes], Command]:
    """An array that becomes a constant."""
    kind = chance.choice(("<f4", "<f2", "<i8", "|u1", "|b1"))
    array = np.zeros((1, 3, 32, 32), kind)
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {array.shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    data = b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + array.tobytes()
    files = {"model.onnx": small_model(), "x.npy": text_mutations.mutate_array(data, chance)}
    return files, compile_command("model.onnx", chance, "--bind-input=x=x.npy")


Case = Callable[[random.Random], tuple[dict[str, bytes], Command]]
KINDS: dict[str, Case] = {
    "onnx": onnx_case, "tflite": tflite_case, "mlir": mlir_case, "yaml": yaml_case, "csv": csv_case, "json": json_case,
    "npy": npy_case,
}  # fmt: skip
