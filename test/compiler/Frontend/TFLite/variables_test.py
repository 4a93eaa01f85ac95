# SPDX-License-Identifier: Apache-2.0
"""Variables, SVDF and recurrent networks that do not fit: one error at the operator, exit code 1 (5 where npuc lacks something)."""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tflite_builder import Graph, Quant, Tensor


def data(graph: Graph, *shape: int) -> Tensor:
    return graph.input(np.zeros(shape, np.float32))


def read_no_handle(graph: Graph) -> None:
    graph.output(graph.read(data(graph, 4), "f32", [4]))


def assign_another_shape(graph: Graph) -> None:
    handle = graph.handle("v")
    graph.output(graph.read(handle, "f32", [4]))
    graph.assign(handle, data(graph, 5))


def read_another_type(graph: Graph) -> None:
    handle = graph.handle("v")
    graph.assign(handle, data(graph, 4))
    graph.output(graph.read(handle, "i32", [4]))


def begin_as_another_type(graph: Graph) -> None:
    graph.once({"v": (np.zeros((4,), np.int32), None)})
    graph.output(graph.read(graph.handle("v"), "f32", [4]))


def initialize_too_late(graph: Graph) -> None:
    graph.assign(graph.handle("v"), data(graph, 4))
    graph.once({"v": (np.zeros((4,), np.float32), None)})
    graph.output(data(graph, 1))


def initialize_with_itself(graph: Graph) -> None:
    def itself() -> list[Tensor]:
        handle = graph.handle("v")
        graph.assign(handle, graph.read(handle, "f32", [4]))
        return []

    graph.op("CALL_ONCE", [], [], options="CallOnceOptions", initSubgraphIndex=graph.subgraph(itself))
    graph.output(data(graph, 1))


def call_no_graph(graph: Graph) -> None:
    graph.op("CALL_ONCE", [], [], options="CallOnceOptions", initSubgraphIndex=9)
    graph.output(data(graph, 1))


def read_into_nothing(graph: Graph) -> None:
    graph.op("READ_VARIABLE", [graph.handle("v")], [], options="ReadVariableOptions")
    graph.output(data(graph, 1))


def assign_in_a_branch(graph: Graph) -> None:
    x = data(graph, 4)

    def kept(values: Tensor) -> Tensor:
        graph.assign(graph.handle("v"), values)
        return values

    branches = [graph.subgraph(make, x) for make in (kept, lambda values: values)]
    condition = graph.input(np.zeros((1,), np.bool_))
    graph.output(graph.op("IF", [condition, x], "f32", options="IfOptions", thenSubgraphIndex=branches[0], elseSubgraphIndex=branches[1]))


def quantized_u8(graph: Graph) -> None:
    graph.output(graph.read(graph.handle("v"), "u8", [4], Quant(0.5, 3)))


def handle_without_options(graph: Graph) -> None:
    handle = graph.op("VAR_HANDLE", [], "resource")
    graph.output(graph.read(handle, "f32", [4]))


def svdf(data_shape: tuple[int, ...] = (2, 8), features: tuple[int, ...] = (6, 8), times: tuple[int, ...] = (6, 3), state: tuple[int, ...] = (2, 18),
         rank: int = 2, bias: int = 3, weight: type = np.float32, is_variable: bool = True) -> Callable[[Graph], None]:  # fmt: skip
    def make(graph: Graph) -> None:
        kept = graph.variable("f32", list(state))
        kept.is_variable = is_variable
        if not is_variable:
            kept = data(graph, *state)
        weights = [graph.constant(np.ones(features, weight)), graph.constant(np.ones(times, np.float32)), graph.constant(np.ones(bias, np.float32))]
        graph.output(graph.op("SVDF", [data(graph, *data_shape), *weights, kept], "f32", options="SVDFOptions", rank=rank))

    return make


def svdf_of_bytes(activation: int) -> Callable[[Graph], None]:
    return lambda graph: _svdf_of_bytes(graph, activation)


def _svdf_of_bytes(graph: Graph, activation: int) -> None:
    quant = Quant(0.1)
    x = graph.input(np.zeros((1, 4), np.int8), quant)
    weights = [graph.constant(np.ones((2, 4), np.int8), quant), graph.constant(np.ones((2, 3), np.int8), quant)]
    kept = graph.variable("i8", [1, 6], quant)
    graph.output(graph.op("SVDF", [x, *weights, None, kept], "i8", quant, options="SVDFOptions", rank=1, fusedActivationFunction=activation))


def replaced(graph: Graph, operands: list, changes: dict[int, list | None]) -> None:
    """Operands become data of another shape, or are left out."""
    for place, shape in changes.items():
        operands[place] = None if shape is None else data(graph, *shape)


def rnn(changes: dict[int, list | None] | None = None, name: str = "UNIDIRECTIONAL_SEQUENCE_RNN", act: int = 1) -> Callable[[Graph], None]:
    """Three steps of a batch of two: five features, four units."""

    def make(graph: Graph) -> None:
        weights = [data(graph, 4, 5), data(graph, 4, 4), data(graph, 4), graph.variable("f32", [2, 4])]
        operands = [data(graph, 3, 2, 5), *weights]
        table = "SequenceRNNOptions"
        if name != "UNIDIRECTIONAL_SEQUENCE_RNN":
            more = [data(graph, 4, 5), data(graph, 4, 4), data(graph, 4), graph.variable("f32", [2, 4])]
            operands += [*more, data(graph, 3, 2, 5), data(graph, 4, 5), data(graph, 4, 5)]
            table = "BidirectionalSequenceRNNOptions"
        replaced(graph, operands, changes or {})
        graph.output(graph.op(name, operands, "f32", options=table, timeMajor=True, fusedActivationFunction=act))

    return make


def lstm(changes: dict[int, list | None] | None = None, options: str = "UnidirectionalSequenceLSTMOptions", **words: object) -> Callable[[Graph], None]:
    """Three steps of a batch of two: five features, six cells."""

    def make(graph: Graph) -> None:
        operands = [data(graph, 3, 2, 5), *[data(graph, 6, 5) for _ in range(4)], *[data(graph, 6, 6) for _ in range(4)], *[None] * 3]
        operands += [data(graph, 6) for _ in range(4)] + [None, None] + [graph.variable("f32", [2, 6]) for _ in range(2)] + [None] * 4
        replaced(graph, operands, changes or {})
        given = {"fusedActivationFunction": 4, **words}
        if options != "LSTMOptions":
            given.setdefault("timeMajor", True)
        name = "LSTM" if options == "LSTMOptions" else "UNIDIRECTIONAL_SEQUENCE_LSTM"
        graph.output(graph.op(name, operands, "f32", options=options, **given))

    return make


def lstm_of_bytes(weight: type = np.int8, state: str = "i8", cell: float = 2**-11, hidden: Quant | None = Quant(0.1), norm: bool = False,
                  projected: bool = False) -> Callable[[Graph], None]:  # fmt: skip
    def make(graph: Graph) -> None:
        quant = Quant(0.1)

        def known(dtype: type, *shape: int) -> Tensor:
            return graph.constant(np.ones(shape, dtype), quant)

        operands = [graph.input(np.zeros((3, 2, 5), np.int8), quant), *[known(weight, 6, 5) for _ in range(4)]]
        operands += [*[known(np.int8, 6, 6) for _ in range(4)], *[None] * 3, *[known(np.int32, 6) for _ in range(4)]]
        operands += [known(np.int8, 6, 6), None] if projected else [None, None]
        operands += [graph.variable(state, [2, 6], quant), graph.variable("i16", [2, 6], Quant(cell))]
        operands += [known(np.int16, 6) if norm else None for _ in range(4)]
        intermediates = [quant] * 4 + ([hidden] if hidden else [])
        graph.output(graph.op("UNIDIRECTIONAL_SEQUENCE_LSTM", operands, "i8", quant, "UnidirectionalSequenceLSTMOptions",
                              intermediates=intermediates, timeMajor=True, fusedActivationFunction=4))  # fmt: skip

    return make


def second_of_bytes(graph: Graph) -> None:
    """Both directions of bytes, with a second input."""
    quant = Quant(0.1)
    operands: list[Tensor | None] = [graph.input(np.zeros((3, 2, 5), np.int8), quant)]
    for _ in range(2):
        operands += [graph.constant(np.ones((6, 5), np.int8), quant) for _ in range(4)]
        operands += [graph.constant(np.ones((6, 6), np.int8), quant) for _ in range(4)] + [None] * 3
        operands += [graph.constant(np.ones(6, np.int32), quant) for _ in range(4)] + [None] * 2
    operands += [graph.variable(kind, [2, 6], quant) for _ in range(2) for kind in ("i8", "i16")]
    operands += [graph.input(np.zeros((3, 2, 5), np.int8), quant)]
    operands += [graph.constant(np.ones((6, 5), np.int8), quant) for _ in range(8)]
    graph.output(*graph.op("BIDIRECTIONAL_SEQUENCE_LSTM", operands, ["i8", "i8"], quant, "BidirectionalSequenceLSTMOptions",
                           timeMajor=True, fusedActivationFunction=4))  # fmt: skip


BOTH = "BIDIRECTIONAL_SEQUENCE_RNN"
ROWS: list[tuple[Callable[[Graph], None], int, str]] = [
    (read_no_handle, 5, "READ_VARIABLE 'case/y1': has an operand 0 that no VAR_HANDLE of its graph gives"),
    (read_into_nothing, 1, "has no result"),
    (assign_another_shape, 1, "has tensor<5xf32> for variable 'v', which is tensor<4xf32>"),
    (read_another_type, 1, "gives f32, but the file says i32"),
    (begin_as_another_type, 1, "has tensor<4xf32> for variable 'v', which is tensor<4xi32>"),
    (initialize_too_late, 5, "initializes variables after 'v' is used, expected before"),
    (initialize_with_itself, 5, "reads variable 'v' before it has a value"),
    (call_no_graph, 1, "calls graph 9 of 1"),
    (assign_in_a_branch, 5, "assigns a variable in a branch that data choose"),
    (quantized_u8, 5, "keeps variable 'v' of quantized u8"),
    (handle_without_options, 1, "VAR_HANDLE 'case/y0': has no options"),
    (svdf(is_variable=False), 1, "has operand 4 as state, which is no variable"),
    (svdf(features=(6, 7)), 1, "found data 2x8, weights 6x7 and 6x3, state 2x18 and rank 2, expected (B, K), (F, K), (F, M), (B, F*M) and a divisor of F"),
    (svdf(state=(2, 17)), 1, "state 2x17 and rank 2, expected"),
    (svdf(times=(6, 0), state=(2, 0)), 1, "weights 6x8 and 6x0, state"),
    (svdf(data_shape=(2, 8, 1)), 1, "found data 2x8x1, weights 6x8 and 6x3, expected matrices"),
    (svdf(rank=4), 1, "rank 4, expected"),
    (svdf(rank=0), 1, "rank 0, expected"),
    (svdf(bias=6), 1, "found bias 6, expected one number for each of 3 units"),
    (svdf(weight=np.int8), 5, "multiplies f32 by i8, expected f32"),
    (svdf_of_bytes(0), 5, "has the fused activation NONE, expected RELU, without which LiteRT does not run it"),
    (rnn({0: [5]}), 1, "found data 5, expected steps, batch and features"),
    (rnn({0: [0, 2, 5]}), 1, "has no steps, expected one or more"),
    (rnn({1: [4, 3]}), 1, "found operand 1 of shape 4x3, expected 4x5"),
    (rnn({2: [4, 5]}), 1, "found operand 2 of shape 4x5, expected 4x4"),
    (rnn({4: [2, 4]}), 1, "has operand 4 as state, which is no variable"),
    (rnn(act=5), 5, "has the activation 5, expected NONE, RELU, RELU_N1_TO_1, RELU6 or TANH"),
    (rnn({10: [4, 6]}, BOTH), 1, "found operand 10 of shape 4x6, expected 4x5"),
    (lstm({4: None}), 1, "has no operand 4"),
    (lstm({2: None}), 1, "has no operand 2"),
    (lstm({4: [5]}), 1, "found weights 5 and 6x6, expected matrices"),
    (lstm({5: [6, 5]}), 1, "found operand 5 of shape 6x5, expected 6x6"),
    (lstm({9: [5]}), 1, "found operand 9 of shape 5, expected 6"),
    (lstm({16: [6, 5]}), 1, "found operand 16 of shape 6x5, expected 6x6"),
    (lstm({19: [2, 6]}), 1, "has operand 19 as state, which is no variable"),
    (lstm({18: [1, 6]}), 1, "found operand 18 of shape 1x6, expected 2x6"),
    (lstm(fusedActivationFunction=0), 5, "has the activation NONE, of which LiteRT's numbers are not defined"),
    (lstm(options="LSTMOptions", kernelType=1), 5, "has the kernel BASIC, expected FULL"),
    (lstm(diagonalRecurrentTensors=True), 5, "has diagonal recurrent weights, expected matrices"),
    (lstm_of_bytes(norm=True), 5, "normalizes the gates of integers"),
    (lstm_of_bytes(weight=np.int16), 5, "has operand 1 of i16, expected i8"),
    (lstm_of_bytes(state="i16"), 5, "keeps i16 and i16, expected i8 and cells of i16"),
    (lstm_of_bytes(cell=0.001), 5, "has cells with the scale 0.001000, expected a power of two from 2^-15 to 2^-9"),
    (lstm_of_bytes(hidden=None), 5, "has a tensor with no scale"),
    (lstm_of_bytes(hidden=Quant(0.1, -128), projected=True), 5, "projects numbers with the zero point -128, expected -127 to 127"),
    (second_of_bytes, 5, "BIDIRECTIONAL_SEQUENCE_LSTM with i8"),
    (svdf_of_bytes(1), 5, "has weights of i8 and i8, and a state of i8, expected i8, i16 and i16"),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="example: variables_test.py --build=build")
    parser.add_argument("--build", type=Path, required=True, help="folder with bin/npuc")
    build = parser.parse_args().build.resolve()
    failures = []
    with tempfile.TemporaryDirectory() as name:
        model, program = Path(name) / "m.tflite", Path(name) / "m.npu"
        for number, (make, code, message) in enumerate(ROWS):
            graph = Graph()
            make(graph)
            model.write_bytes(graph.bytes())
            done = subprocess.run([str(build / "bin" / "npuc"), "-q", str(model), "--target=host", "-o", str(program)],
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)  # fmt: skip
            if done.returncode != code or message not in done.stderr or done.stderr.count("\n") != 1 or program.exists():
                failures.append(f"row {number}: {done.returncode} {done.stderr!r}, expected {code} {message!r}")
                program.unlink(missing_ok=True)
    if failures:
        raise SystemExit("\n".join(failures))
    print(f"{len(ROWS)} files, each one error")


if __name__ == "__main__":
    main()
