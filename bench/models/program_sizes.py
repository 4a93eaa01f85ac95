# SPDX-License-Identifier: Apache-2.0
"""Prints how large programs are beside their models, and what their bytes are. Exit code 1: one is larger than 1.05 times its model and 1 MiB."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import zoo  # noqa: E402

FIT, ROOM = 1.05, 1 << 20  # what a .npu file may have beyond the model's
TABLES = (".npu.kernels", ".npu.makers", ".npu.attrs", ".npu.tensors", ".npu.instrs", ".npu.inputs", ".npu.outputs")
COLUMNS = ("model", "program", "ratio", "weights", "tables", "code", "manifest", "other", "made at load")


def bytes_of(operand: dict) -> int:
    """Of a row of numbers, or of Winograd's weights: nothing is padded."""
    name = operand["dtype"]
    size = 1 if name == "bool" else int(name.lstrip("bfiu")) // 8
    for extent in operand["shape"]:
        size *= extent
    return size


def parts(npu_dump: Path, program: Path) -> dict[str, int]:
    """The bytes of a program by what they are."""
    command = [npu_dump, program, "--json", "--memory", "--sections", "--manifest"]
    shown = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    sections = {section["name"]: section["bytes"] for section in shown["file"]["sections"]}
    whole = {
        "weights": sections.get(".npu.weights", 0),
        "tables": sum(sections.get(name, 0) for name in TABLES),
        "code": sections.get(".text", 0) + sections.get(".rodata", 0),
        "manifest": shown["file"]["file_bytes"] - shown["file"]["elf_bytes"],
    }
    whole["other"] = shown["file"]["file_bytes"] - sum(whole.values())
    # Not in the file.
    whole["made at load"] = sum(bytes_of(made["operands"][-1]) for made in shown["memory"]["made_at_load"])
    return whole


def models(name: str) -> tuple[Path, list[str]]:
    """A file with words for npuc behind commas, or a network of the zoo in its original size."""
    path, *words = name.split("@")
    if Path(path).suffix:
        return Path(path), words
    net = zoo.find(path)
    file = zoo.ensure(path)
    if file.suffix != ".onnx":
        return file, ["--batch=1", *words]
    values = net.inputs(file, 1, net.size, net.order)
    return file, [f"--input-shape={key}={','.join(map(str, value.shape))}" for key, value in values.items()] + words


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, epilog="networks: " + ", ".join(zoo.NETS))
    parser.add_argument("model", nargs="+", metavar="MODEL", help="a network, 'all', or FILE.onnx@WORD@WORD with words for npuc")
    parser.add_argument("--build", type=Path, required=True, help="the build folder")
    parser.add_argument("--target", action="append", help="may be repeated (host)")
    arguments = parser.parse_args()
    programs = arguments.build / "bin"
    print(f"{'':40}" + "".join(f"{column:>13}" for column in COLUMNS))
    over = 0
    for name in list(zoo.NETS) if arguments.model == ["all"] else arguments.model:
        file, words = models(name)
        for target in arguments.target or ["host"]:
            with tempfile.TemporaryDirectory() as folder:
                program = Path(folder) / "out.npu"
                command = [programs / "npuc", file, "-o", program, f"--target={target}", *words]
                subprocess.run(command, check=True, capture_output=True)
                found, model = parts(programs / "npu-dump", program), file.stat().st_size
                size = program.stat().st_size
            numbers = [model, size, size / model, *found.values()]
            texts = [f"{value:.2f}" if isinstance(value, float) else f"{value:,}" for value in numbers]
            is_over = size > FIT * model + ROOM
            over += is_over
            print(f"{file.stem + ' ' + target:40}" + "".join(f"{text:>13}" for text in texts) + (" OVER" if is_over else ""), flush=True)
    return int(over > 0)


if __name__ == "__main__":
    sys.exit(main())
