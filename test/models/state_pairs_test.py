# SPDX-License-Identifier: Apache-2.0
"""--state=PAST=PRESENT of ONNX models: runs in a row give what onnxruntime gives that is fed its own outputs."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

ROOT = Path(__file__).resolve().parents[2]
STEPS = 12
# A name may hold '='.
PAIRS = {"past=rows": "present=rows", "count": "next_count"}


def network() -> onnx.ModelProto:
    """A convolution over rows, of which the last two are kept, and a counter that scales it."""
    random = np.random.default_rng(3)
    weight = numpy_helper.from_array(random.standard_normal((8, 8, 3, 3)).astype(np.float32) / 8, "w")
    numbers = [numpy_helper.from_array(np.array(values, np.int64), name) for name, values in (("from", [4]), ("to", [6]), ("axis", [2]))]
    one = numpy_helper.from_array(np.ones(1, np.int32), "one")
    nodes = [
        helper.make_node("Concat", ["past=rows", "x"], ["rows"], "rows", axis=2),
        helper.make_node("Conv", ["rows", "w"], ["conv"], "conv", pads=[0, 1, 0, 1]),
        helper.make_node("Slice", ["rows", "from", "to", "axis"], ["present=rows"], "left"),
        helper.make_node("Add", ["count", "one"], ["next_count"], "count"),
        helper.make_node("Cast", ["next_count"], ["scale"], "cast", to=TensorProto.FLOAT),
        helper.make_node("Mul", ["conv", "scale"], ["y"], "scale"),
    ]
    value = helper.make_tensor_value_info
    # States stand among the others: they move.
    inputs = [value("past=rows", TensorProto.FLOAT, [1, 8, 2, 6]), value("count", TensorProto.INT32, [1]), value("x", TensorProto.FLOAT, [1, 8, 4, 6])]
    outputs = [value("next_count", TensorProto.INT32, [1]), value("y", TensorProto.FLOAT, [1, 8, 4, 6]), value("present=rows", TensorProto.FLOAT, [1, 8, 2, 6])]
    graph = helper.make_graph(nodes, "rows", inputs, outputs, [weight, *numbers, one])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def reference(model: onnx.ModelProto, inputs: np.ndarray) -> np.ndarray:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    states = {"past=rows": np.zeros((1, 8, 2, 6), np.float32), "count": np.zeros(1, np.int32)}
    results = []
    for x in inputs:
        got = dict(zip((output.name for output in session.get_outputs()), session.run(None, {"x": x, **states})))
        states = {past: got[present] for past, present in PAIRS.items()}
        results.append(got["y"])
    return np.stack(results)


def refusals(build: Path, model: Path, folder: Path) -> None:
    rows = [
        (["--state=nothing=y"], "--state names 'nothing', which is no input of the model"),
        (["--state=x=nothing"], "--state names 'nothing', which is no output of the model"),
        (["--state=x"], "--state"),
        (["--state=x=present=rows"], "--state: input 'x' is 'tensor<1x8x4x6xf32>', but output 'present=rows' is 'tensor<1x8x2x6xf32>'; expected the same type"),
        (["--state=count=next_count", "--state=count=next_count"], "--state: input 'count' is a state already; name it once"),
        (["--state=past=rows=present=rows", "--io-layout=past=rows=NHWC", "--io-layout=present=rows=NCHW"], "state 'past=rows' is held to two layouts, acdb and abcd; hold it to one"),
    ]  # fmt: skip
    for words, message in rows:
        done = subprocess.run([str(build / "bin" / "npuc"), "-q", str(model), *words, "-o", str(folder / "no.npu")],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)  # fmt: skip
        if done.returncode != 2 or message not in done.stderr or (folder / "no.npu").exists():
            raise SystemExit(f"{words}: {done.returncode} {done.stderr!r}, expected 2 {message!r}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="example: state_pairs_test.py --build=build")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="folder with bin/npuc")
    build = parser.parse_args().build.resolve()
    sys.path.insert(0, str(build / "python"))
    import npuc  # noqa: PLC0415

    model = network()
    inputs = np.random.default_rng(4).standard_normal((STEPS, 1, 8, 4, 6), np.float32)
    want = reference(model, inputs)
    pairs = [f"{past}={present}" for past, present in PAIRS.items()]
    # Relayouts: of x and y, none of the state, but of a strategy that knows no better.
    for target, words, most in (("npu-nhwc", {}, 2), ("npu-nhwc", {"layout": "naive"}, 99), ("npu-nchw", {}, 0), ("npu-nchw16c", {}, 2),
                                ("npu-nhwc", {"io_layout": "past=rows=NCHW"}, 99), ("host", {}, 99)):  # fmt: skip
        program = npuc.compile(model, name="rows.onnx", target=target, state=pairs, verify_layout=True, threads=1, **words)
        if [tensor.name for tensor in program.inputs] != ["x"] or [tensor.name for tensor in program.outputs] != ["y"]:
            raise SystemExit(f"{program}: expected x and y alone")
        states = {tensor.name: tensor.layout for tensor in program.states}
        if list(states) != list(PAIRS) or [state["name"] for state in program.report["states"]] != list(PAIRS):
            raise SystemExit(f"states {states}, expected {list(PAIRS)}")
        count = program.report["relayouts"]["count"]
        if count > most:
            raise SystemExit(f"{target} {words}: {count} relayouts, expected {most} at most; states are stored as {states}")
        context = program.context()
        got = np.stack([context(x) for x in inputs])
        wrong = float(np.abs(got - want).max() / np.abs(want).max())
        if wrong > 1e-5 or context.read_state("count").item() != STEPS:
            raise SystemExit(f"{target} {words}: differs by {wrong}, count {context.read_state('count')}")
        if not np.array_equal(context.read_state("past=rows"), inputs[-1][:, :, 2:]):
            raise SystemExit(f"{target} {words}: the rows that are left are not the last of the input")
        print(f"{target} {words}: {STEPS} runs, {count} relayouts, states {states}")
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "rows.onnx"
        onnx.save(model, path)
        refusals(build, path, Path(name))


if __name__ == "__main__":
    main()
