# SPDX-License-Identifier: Apache-2.0
"""Files with one thing wrong: one error that says what, exit code 1 (5 where npuc lacks something), nothing written."""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from tflite_builder import Graph, Quant

Change = Callable[[schema.ModelT], None]


def graph() -> Graph:
    """A convolution by channel and a pool."""
    made = Graph()
    x = made.input(np.zeros((1, 4, 4, 2), np.int8), Quant(0.5))
    w = made.constant(np.ones((3, 1, 1, 2), np.int8), Quant((0.1, 0.2, 0.3)))
    b = made.constant(np.ones((3,), np.int32), Quant((0.05, 0.1, 0.15)))
    y = made.op("CONV_2D", [x, w, b], "i8", Quant(1.0), "Conv2DOptions", strideW=1, strideH=1)
    z = made.op("MAX_POOL_2D", [y], "i8", Quant(1.0), "Pool2DOptions", strideW=1, strideH=1, filterWidth=1,
                filterHeight=1, fusedActivationFunction=1)  # fmt: skip
    made.output(z)
    return made


def sets(path: str, value: object) -> Change:
    """`subgraphs.0.tensors.1.buffer` and the like."""

    def change(model: schema.ModelT) -> None:
        *way, last = path.split(".")
        place = model
        for step in way:
            place = place[int(step)] if step.isdigit() else getattr(place, step)
        if last.isdigit():
            place[int(last)] = value
        else:
            setattr(place, last, value)

    return change


def without_custom(model: schema.ModelT) -> None:
    model.operatorCodes[1].builtinCode = schema.BuiltinOperator.CUSTOM
    model.operatorCodes[1].deprecatedBuiltinCode = schema.BuiltinOperator.CUSTOM
    model.operatorCodes[1].customCode = "Mine"


OPS = "subgraphs.0.operators"
TENSORS = "subgraphs.0.tensors"
DAMAGES: list[tuple[Change, int, str]] = [
    (sets("version", 4), 1, "has version 4, expected 3"),
    (sets("subgraphs", []), 1, "holds no graph"),
    (sets("externalBuffers", [schema.ExternalBufferT()]), 1, "has weights in other files, expected them inside"),
    (sets("buffers.1.offset", 1 << 40), 1, ", beyond the file's "),
    (sets(f"{TENSORS}.1.buffer", 77), 1, "tensor 1 'case/c1' has buffer 77 of 3"),
    (sets(f"{TENSORS}.0.shape", [1, -2, 4, 2]), 1, "tensor 0 'case/x0' has the extent -2"),
    (sets(f"{TENSORS}.0.quantization.zeroPoint", [0, 0]), 1, "has 1 scales and 2 zero points"),
    (sets(f"{TENSORS}.0.quantization.scale", [float("nan")]), 1, " has a scale that is negative or no number"),
    (sets(f"{TENSORS}.1.quantization.quantizedDimension", 1), 1, "3 scales along dimension 1, which has another extent"),
    (sets(f"{TENSORS}.1.quantization.quantizedDimension", -1), 1, "along dimension -1, which has another extent"),
    (sets("subgraphs.0.inputs", [99]), 1, "an input is tensor 99 of 5"),
    (sets("subgraphs.0.outputs", [-1]), 1, "an output is tensor -1 of 5"),
    (sets(f"{OPS}.0.inputs", [0, 1, 5]), 1, "an operand of operator 0 is tensor 5 of 5"),
    (sets(f"{OPS}.0.outputs", [-1]), 1, "a result of operator 0 is tensor -1 of 5"),
    (sets(f"{OPS}.0.opcodeIndex", 9), 1, "operator 0 is of kind 9 of 2"),
    (sets(f"{OPS}.0.largeCustomOptionsOffset", 2), 1, "operator 0 has options outside of its table"),
    (sets(f"{OPS}.0.inputs", [4, 1, 2]), 1, "operator 0 reads tensor 4, which nothing before it gives"),
    (sets(f"{OPS}.1.outputs", [0]), 1, "operator 1 gives tensor 0, which is an input, a constant or another's result"),
    (sets(f"{OPS}.1.outputs", [3]), 1, "operator 1 gives tensor 3, which is an input, a constant or another's result"),
    (sets(OPS, []), 1, "output 0 is a tensor that nothing gives"),
    (sets(f"{OPS}.1.inputs", []), 5, "MAX_POOL_2D with no operand 0, or no result at 'case/y4'"),
    (sets(f"{OPS}.1.outputs", []), 1, "output 0 is a tensor that nothing gives"),
    (sets(f"{OPS}.1.builtinOptions.fusedActivationFunction", 17), 5, "MAX_POOL_2D with the fused activation 17"),
    # 32 more than a type that is taken.
    (sets(f"{TENSORS}.0.type", 32 + schema.TensorType.INT8), 5, "CONV_2D with an unknown type at 'case/y3'"),
    (sets(f"{TENSORS}.1.type", 32 + schema.TensorType.INT8), 5, "reads tensor 'case/c1' of an unknown type"),
    (sets(f"{TENSORS}.4.type", 32 + schema.TensorType.INT8), 5, "gives an unknown type, which no value of npuc can be"),
    (without_custom, 5, "found operators that are not supported: CUSTOM 'Mine' at 'case/y4'; expected those of docs/tflite-ops.md"),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="folder with bin/npuc")
    build = parser.parse_args().build
    made = graph()
    shapes = {"case/y3": [1, 4, 4, 3], "case/y4": [1, 4, 4, 3]}
    whole = made.bytes(shapes)
    files = [(graph().bytes(shapes, change), code, text) for change, code, text in DAMAGES]
    files += [(whole[:size], 1, "leads outside of its " if size >= 8 else "it does not have TFL3 as bytes 5 to 8")
              for size in (0, 7, 8, 60, len(whole) // 2)]  # fmt: skip
    files += [(whole[:4] + b"ABCD" + whole[8:], 1, "is no TFLite model: it does not have TFL3 as bytes 5 to 8")]
    files += [(b"\xff\xff\xff\x7f" + whole[4:], 1, "is no TFLite model: an offset or a size in it leads outside of its ")]
    with tempfile.TemporaryDirectory() as text:
        model, program = Path(text) / "model.tflite", Path(text) / "model.npu"
        model.write_bytes(whole)
        command = [str(build / "bin" / "npuc"), "-q", str(model), "-o", str(program)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert done.returncode == 0, done  # else nothing below says anything
        program.unlink()
        for damaged, code, expected in files:
            model.write_bytes(damaged)
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
            assert done.returncode == code, (expected, done)
            assert done.stderr.count("\n") == 1 and done.stderr.startswith(f"npuc: error: {model}: "), done.stderr
            assert expected in done.stderr, (expected, done.stderr)
            assert not program.exists(), expected
    print(f"ok: {len(files)} files")


if __name__ == "__main__":
    main()
