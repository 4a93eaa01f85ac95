# SPDX-License-Identifier: Apache-2.0
"""Weights stay as small as the model stores them, and give what onnxruntime gives."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import programs
from onnx import TensorProto, helper, numpy_helper
from programs import Bench

DEPTH, COLUMNS, BLOCK = 768, 4096, 32
RANDOM = np.random.default_rng(7)
FIT, ROOM = 1.05, 1 << 20  # what a .npu file may have beyond the model's


class Builder:
    """Constants and nodes of one model whose input is x."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def weight(self, name: str, value: np.ndarray, kind: int | None = None) -> str:
        """`kind`: of 4 bits, two numbers in a byte."""
        tensor = numpy_helper.from_array(value, name)
        if kind is not None:
            numbers = np.append(value.reshape(-1), [0] * (value.size % 2)).astype(np.uint8) & 15
            raw = (numbers[::2] | numbers[1::2] << 4).tobytes()
            tensor = helper.make_tensor(name, kind, value.shape, raw, raw=True)
        self.weights.append(tensor)
        return name

    def node(self, op: str, inputs: list[str], output: str, **attributes: object) -> str:
        domain, _, name = op.rpartition(".")
        self.nodes.append(helper.make_node(name, inputs, [output], domain=domain, **attributes))
        return output

    def scales(self, *shape: int) -> str:
        return self.weight("s", RANDOM.uniform(0.001, 0.003, shape).astype(np.float32))

    def model(self, name: str, rows: int, output: str, kind: int = TensorProto.FLOAT) -> onnx.ModelProto:
        x = helper.make_tensor_value_info("x", kind, [rows, DEPTH] if kind == TensorProto.FLOAT else [rows])
        y = helper.make_tensor_value_info(output, TensorProto.FLOAT, [rows, None])
        graph = helper.make_graph(self.nodes, name, [x], [y], self.weights)
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def numbers(low: int, high: int, *shape: int, dtype: type = np.int8) -> np.ndarray:
    return RANDOM.integers(low, high + 1, shape).astype(dtype)


def each_tensor(b: Builder) -> str:
    b.weight("w", numbers(0, 255, DEPTH, COLUMNS, dtype=np.uint8))
    b.weight("z", np.array(131, np.uint8))
    return b.node("DequantizeLinear", ["w", b.scales(), "z"], "real")


def each_column(b: Builder) -> str:
    b.weight("w", numbers(-127, 127, DEPTH, COLUMNS))
    return b.node("DequantizeLinear", ["w", b.scales(COLUMNS)], "real", axis=1)


def each_row_turned(b: Builder) -> str:
    """As PyTorch stores a linear layer: (out, in), turned over behind its DequantizeLinear."""
    b.weight("w", numbers(-127, 127, COLUMNS, DEPTH))
    b.node("DequantizeLinear", ["w", b.scales(COLUMNS)], "stored", axis=0)
    return b.node("Transpose", ["stored"], "real", perm=[1, 0])


def cast_and_multiplied(b: Builder) -> str:
    b.weight("w", numbers(-127, 127, DEPTH, COLUMNS))
    b.weight("z", np.full((1, COLUMNS), 3, np.float32))
    b.node("Cast", ["w"], "wide", to=TensorProto.FLOAT)
    b.node("Sub", ["wide", "z"], "centred")
    return b.node("Mul", ["centred", b.scales(1, COLUMNS)], "real")


def nibbles(b: Builder) -> str:
    """int4 of opset 21, a scale for each block of a column."""
    b.weight("w", numbers(-8, 7, DEPTH, COLUMNS), TensorProto.INT4)
    return b.node("DequantizeLinear", ["w", b.scales(DEPTH // BLOCK, COLUMNS)], "real", axis=0, block_size=BLOCK)


def nibbles_turned(b: Builder) -> str:
    """uint4 with zero points, by rows."""
    b.weight("w", numbers(0, 15, COLUMNS, DEPTH, dtype=np.uint8), TensorProto.UINT4)
    b.weight("z", numbers(0, 15, COLUMNS, DEPTH // BLOCK, dtype=np.uint8), TensorProto.UINT4)
    scales = b.scales(COLUMNS, DEPTH // BLOCK)
    b.node("DequantizeLinear", ["w", scales, "z"], "stored", axis=1, block_size=BLOCK)
    return b.node("Transpose", ["stored"], "real", perm=[1, 0])


def halves(b: Builder) -> str:
    b.weight("w", RANDOM.normal(0, 0.05, (DEPTH, COLUMNS)).astype(np.float16))
    return b.node("Cast", ["w"], "real", to=TensorProto.FLOAT)


def brains(b: Builder) -> str:
    bits = RANDOM.normal(0, 0.05, (DEPTH, COLUMNS)).astype(np.float32).view(np.uint32) >> 16
    raw = bits.astype(np.uint16).tobytes()
    b.weights.append(helper.make_tensor("w", TensorProto.BFLOAT16, (DEPTH, COLUMNS), raw, raw=True))
    return b.node("Cast", ["w"], "real", to=TensorProto.FLOAT)


def blocks(bits: int, has_zeros: bool, block: int = BLOCK, **attributes: int) -> Callable[[Builder], str]:
    """onnxruntime's own operator; it makes the product itself."""

    def build(b: Builder) -> str:
        count = DEPTH // block
        b.weight("w", numbers(0, 255, COLUMNS, count, block * bits // 8, dtype=np.uint8))
        inputs = ["x", "w", b.scales(COLUMNS * count)]
        if has_zeros:
            inputs.append(b.weight("z", numbers(0, 255, COLUMNS, (count * bits + 7) // 8, dtype=np.uint8)))
        return b.node("com.microsoft.MatMulNBits", inputs, "y", K=DEPTH, N=COLUMNS, bits=bits, block_size=block, **attributes)

    return build


WAYS: dict[str, Callable[[Builder], str]] = {
    "each_tensor": each_tensor, "each_column": each_column, "each_row_turned": each_row_turned,
    "cast_and_multiplied": cast_and_multiplied, "nibbles": nibbles, "nibbles_turned": nibbles_turned,
    "halves": halves, "brains": brains, "blocks_of_4_bits": blocks(4, False),
    "blocks_of_4_bits_with_zeros": blocks(4, True), "blocks_of_8_bits": blocks(8, True),
}  # fmt: skip


def check_size(bench: Bench, name: str) -> None:
    file, program = bench.path(f"{name}.onnx").stat().st_size, bench.path("out.npu").stat().st_size
    assert program <= FIT * file + ROOM, f"{name}: {program} bytes of a model of {file}"


def plain(path: Path, x: np.ndarray) -> np.ndarray:
    """onnxruntime without optimisations: they compute such products in integers."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


def check(bench: Bench, model: onnx.ModelProto, x: np.ndarray, *words: str) -> dict:
    """Size and numbers; the report."""
    name, output = model.graph.name, model.graph.output[0].name
    program = bench.compile(model, "--report=report.json", *words)
    check_size(bench, name)
    expected = plain(bench.path(f"{name}.onnx"), x)
    (found,) = bench.execute(program, {"x": x}, output)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4, err_msg=name)
    return json.loads(bench.path("report.json").read_text())


def relative_error(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.sqrt(np.square(found - expected).mean() / np.square(expected).mean()))


def rounded(x: np.ndarray, block: int) -> np.ndarray:
    """Each block of a row in steps of which its largest magnitude is 127."""
    blocks_of = x.reshape(len(x), -1, block)
    step = np.abs(blocks_of).max(axis=2, keepdims=True) / np.float32(127)
    return (np.rint(blocks_of / step) * step).reshape(x.shape).astype(np.float32)


def found_on(bench: Bench, model: onnx.ModelProto, x: np.ndarray, target: object) -> np.ndarray:
    program = bench.compile(model, f"--target={target}")
    return bench.execute(program, {"x": x}, model.graph.output[0].name)[0]


def plain_level_0(bench: Bench, model: onnx.ModelProto, x: np.ndarray) -> np.ndarray:
    floats = onnx.ModelProto()
    floats.CopyFrom(model)
    (level,) = (a for a in floats.graph.node[0].attribute if a.name == "accuracy_level")
    level.i = 0
    onnx.save(floats, bench.path("floats.onnx"))
    return plain(bench.path("floats.onnx"), x)


def test_products(bench: Bench) -> None:
    for rows, target in ((1, "host"), (20, "npu-nhwc")):
        x = RANDOM.standard_normal((rows, DEPTH)).astype(np.float32)
        for name, way in WAYS.items():
            b = Builder()
            output = way(b)
            if output == "real":
                output = b.node("MatMul", ["x", "real"], "y")
            report = check(bench, b.model(name, rows, output), x, f"--target={target}")
            slow = [kernel["name"] for kernel in report["kernels"] if "reference" in kernel["implementation"]]
            assert not slow, f"{name}: references run {slow}"


def test_products_of_quantized_data(bench: Bench) -> None:
    """--precision=i8 rounds the data of products with integers, and of no others."""
    x = RANDOM.standard_normal((20, DEPTH)).astype(np.float32)
    x[3, :BLOCK] = 0
    for name, way in WAYS.items():
        b = Builder()
        output = way(b)
        if output == "real":
            output = b.node("MatMul", ["x", "real"], "y")
        program = bench.compile(b.model(name, 20, output), "--target=host", "--precision=i8", "--report=report.json")
        check_size(bench, name)
        report = json.loads(bench.path("report.json").read_text())
        is_float = name in ("halves", "brains")
        assert report["precision"] == {"type": "i8", "products": 0 if is_float else 1}, (name, report["precision"])
        slow = [kernel["name"] for kernel in report["kernels"] if "reference" in kernel["implementation"]]
        assert not slow, f"{name}: references run {slow}"
        expected = plain(bench.path(f"{name}.onnx"), x)
        (found,) = bench.execute(program, {"x": x}, output)
        error = relative_error(found, expected)
        assert error < 1e-5 if is_float else 1e-4 < error < 1e-2, f"{name} is {error:.1e} off"


def test_gemm(bench: Bench) -> None:
    """Weights that Gemm turns over, with a bias and an activation behind them."""
    b = Builder()
    b.weight("w", numbers(-127, 127, COLUMNS, DEPTH))
    b.weight("bias", RANDOM.standard_normal(COLUMNS).astype(np.float32))
    b.node("DequantizeLinear", ["w", b.scales(COLUMNS)], "real", axis=0)
    b.node("Gemm", ["x", "real", "bias"], "sum", transB=1, alpha=0.5)
    b.node("Relu", ["sum"], "y")
    x = RANDOM.standard_normal((7, DEPTH)).astype(np.float32)
    report = check(bench, b.model("gemm", 7, "y"), x)
    assert len(report["kernels"]) == 1, report["kernels"]


def test_tables(bench: Bench) -> None:
    """Only the rows that are looked up become floats."""
    for name in ("rows", "whole", "halves"):
        b = Builder()
        table = numbers(-127, 127, COLUMNS, DEPTH)
        b.weight("w", table.astype(np.float16) if name == "halves" else table)
        if name == "halves":
            b.node("Cast", ["w"], "real", to=TensorProto.FLOAT)
        else:
            scales = b.scales(COLUMNS) if name == "rows" else b.scales()
            b.node("DequantizeLinear", ["w", scales], "real", axis=0)
        b.node("Gather", ["real", "x"], "y", axis=0)
        x = np.array([0, 5, COLUMNS - 1, -1], np.int64)
        check(bench, b.model(f"table_{name}", len(x), "y", TensorProto.INT64), x)


def test_lstm_in_bytes(bench: Bench) -> None:
    """DynamicQuantizeLSTM: data and state get scales of their own range in each step."""
    steps, batch, width, hidden = 5, 2, 24, 16
    for directions, each in ((1, ()), (2, (4 * hidden,))):
        b = Builder()
        for name, rows in (("W", width), ("R", hidden)):
            b.weight(name, numbers(0, 255, directions, rows, 4 * hidden, dtype=np.uint8))
            b.weight(f"{name}_scale", RANDOM.uniform(0.005, 0.01, (directions, *each)).astype(np.float32))
            b.weight(f"{name}_zero", np.full((directions, *each), 128, np.uint8))
        b.weight("B", RANDOM.uniform(-0.5, 0.5, (directions, 8 * hidden)).astype(np.float32))
        inputs = ["x", "W", "R", "B", "", "", "", "", "W_scale", "W_zero", "R_scale", "R_zero"]
        b.node("com.microsoft.DynamicQuantizeLSTM", inputs, "y", hidden_size=hidden,
               direction="bidirectional" if directions == 2 else "forward")  # fmt: skip
        model = b.model("lstm", 1, "y")
        model.graph.input[0].type.tensor_type.CopyFrom(
            helper.make_tensor_type_proto(TensorProto.FLOAT, [steps, batch, width]).tensor_type
        )
        model.graph.output[0].type.tensor_type.ClearField("shape")
        x = RANDOM.standard_normal((steps, batch, width)).astype(np.float32)
        program = bench.compile(model)
        expected = plain(bench.path("lstm.onnx"), x)
        (found,) = bench.execute(program, {"x": x}, "y")
        # A state that is rounded the other way is one step of 256 off.
        np.testing.assert_allclose(found, expected, atol=5e-3)


def test_four_bits_are_for_constants(bench: Bench) -> None:
    """Bytes that an operator gives are no nibbles, whatever its zero point is."""
    b = Builder()
    b.weight("z", np.array(0, np.int8), TensorProto.INT4)
    b.node("QuantizeLinear", ["x", b.scales(), "z"], "q")
    b.node("DequantizeLinear", ["q", "s", "z"], "y")
    bench.save(b.model("four_bits", 2, "y"))
    done = bench.run("npuc", "four_bits.onnx", "-o", "out.npu")
    assert done.returncode == 5 and "gives numbers of 4 bits" in done.stderr, done.stderr


def test_one_weight_for_many(bench: Bench) -> None:
    """A weight that each reader turns over for itself is stored once, and packed once when the program is loaded."""
    readers, size = 6, 512
    stored = RANDOM.normal(0, 0.05, (size, size)).astype(np.float32)
    for name, rows in (("gemm", 20), ("gemm", 1), ("turned", 20)):
        b = Builder()
        b.weight("w", stored)
        last = "x"
        for i in range(readers):
            if name == "turned":
                b.node("Transpose", ["w"], f"t{i}", perm=[1, 0])
                b.node("MatMul", [last, f"t{i}"], f"m{i}")
            else:
                b.node("Gemm", [last, "w"], f"m{i}", transB=1)
            last = b.node("Tanh", [f"m{i}"], f"y{i}")
        model = b.model(f"one_weight_{name}", rows, last)
        model.graph.input[0].type.tensor_type.shape.dim[1].dim_value = size
        x = RANDOM.standard_normal((rows, size)).astype(np.float32)
        check(bench, model, x, "--target=host")
        done = bench.run("npu-run", "out.npu", "--random-inputs", "--json")
        numbers = json.loads(done.stdout)
        assert numbers["weight_bytes"] < 1.1 * stored.nbytes, numbers["weight_bytes"]
        assert numbers["packed_bytes"] < 1.1 * stored.nbytes, numbers["packed_bytes"]


def test_steps_share_their_constants(bench: Bench) -> None:
    """What each step makes of a recurrent net's weights counts once, is stored once and packed once."""
    steps, width, hidden = 40, 32, 64
    b = Builder()
    for name, rows in (("W", width), ("R", hidden)):
        b.weight(name, numbers(0, 255, 1, rows, 4 * hidden, dtype=np.uint8))
        b.weight(f"{name}_scale", np.full((1,), 0.007, np.float32))
        b.weight(f"{name}_zero", np.full((1,), 100, np.uint8))
    inputs = ["x", "W", "R", "", "", "", "", "", "W_scale", "W_zero", "R_scale", "R_zero"]
    b.node("com.microsoft.DynamicQuantizeLSTM", inputs, "y", hidden_size=hidden)
    model = b.model("steps", 1, "y")
    model.graph.input[0].type.tensor_type.CopyFrom(
        helper.make_tensor_type_proto(TensorProto.FLOAT, [steps, 1, width]).tensor_type
    )
    model.graph.output[0].type.tensor_type.ClearField("shape")
    weights = 4 * hidden * (width + hidden)
    program = bench.compile(model, "--target=host", f"--budget=constants={10 * weights}", "--report=report.json")
    # Steps and gates are read where they lie.
    moves = [kernel["name"] for kernel in json.loads(bench.path("report.json").read_text())["kernels"]
             if kernel["op"] == "npu.slice"]  # fmt: skip
    assert not moves, moves
    x = RANDOM.standard_normal((steps, 1, width)).astype(np.float32)
    (found,) = bench.execute(program, {"x": x}, "y")
    expected = plain(bench.path("steps.onnx"), x)
    # A state that is rounded the other way is one step of 256 off, and so are those that follow from it.
    assert np.sqrt(np.square(found - expected).mean()) < 0.02 * np.sqrt(np.square(expected).mean())
    numbers_of_run = json.loads(bench.run("npu-run", "out.npu", "--random-inputs", "--json").stdout)
    assert numbers_of_run["packed_bytes"] < 4 * weights, numbers_of_run["packed_bytes"]


def image_model(name: str, layers: int, channels: int, size: int, kind: type, norm: bool) -> onnx.ModelProto:
    """3x3 convolutions; weights of f16 are cast to f32, as converters write it, bytes have a scale for each channel."""
    b = Builder()
    last = "x"
    for i in range(layers):
        weight = RANDOM.normal(0, 1 / np.sqrt(9 * channels), (channels, channels, 3, 3))
        if kind in (np.int8, np.uint8):
            b.weight(f"s{i}", RANDOM.uniform(0.8, 1.2, channels).astype(np.float32) / np.float32(1270))
            b.weight(f"z{i}", RANDOM.integers(120, 136, channels).astype(np.uint8))
            weight = np.clip(weight * 1270, -127, 127) + (128 if kind == np.uint8 else 0)
        value = b.weight(f"w{i}", weight.astype(kind))
        if kind == np.float16:
            value = b.node("Cast", [value], f"r{i}", to=TensorProto.FLOAT)
        elif kind in (np.int8, np.uint8):
            zero = [f"z{i}"] if kind == np.uint8 else []
            value = b.node("DequantizeLinear", [value, f"s{i}", *zero], f"r{i}", axis=0)
        last = b.node("Conv", [last, value], f"c{i}", pads=[1, 1, 1, 1])
        if norm:
            numbers_of_norm = [b.weight(f"{what}{i}", RANDOM.uniform(0.5, 1.5, channels).astype(np.float32))
                               for what in ("scale", "bias", "mean", "var")]  # fmt: skip
            last = b.node("BatchNormalization", [last, *numbers_of_norm], f"n{i}")
        last = b.node("Relu", [last], f"y{i}")
    model = b.model(name, 1, last)
    shape = helper.make_tensor_type_proto(TensorProto.FLOAT, [1, channels, size, size])
    model.graph.input[0].type.CopyFrom(shape)
    model.graph.output[0].type.CopyFrom(shape)
    return model


def keeps_narrow() -> bool:
    """Whether kernels here keep the numbers that f32 constants are made of: they need registers of 512 bits."""
    flags = Path("/proc/cpuinfo").read_text().split()
    return all(flag in flags for flag in ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"))


def test_convolutions(bench: Bench) -> None:
    """Of narrow weights, also where a norm is folded into them, and of those that Winograd's algorithm multiplies by,
    the file has no more than the model, and neither has memory."""
    channels, layers = 128, 6
    for name, size, kind, norm in (("halves", 4, np.float16, False), ("winograd", 32, np.float32, False),
                                   ("winograd_halves", 32, np.float16, False), ("bytes", 4, np.int8, False),
                                   ("winograd_bytes", 32, np.int8, False), ("norm_halves", 4, np.float16, True),
                                   ("norm_bytes", 4, np.int8, True), ("winograd_norm", 32, np.int8, True),
                                   ("unsigned", 4, np.uint8, True)):  # fmt: skip
        x = RANDOM.standard_normal((1, channels, size, size)).astype(np.float32)
        report = check(bench, image_model(name, layers, channels, size, kind, norm), x, "--target=host")
        ops = [kernel["implementation"] for kernel in report["kernels"] if "conv" in kernel["op"]]
        assert len(ops) == layers and all(("winograd" in op) == (size == 32) for op in ops), ops
        run = json.loads(bench.run("npu-run", "out.npu", "--random-inputs", "--json").stdout)
        more = 12 if norm or kind != np.float16 and kind != np.float32 else 0  # scale, offset and bias of a channel
        stored = layers * channels * (channels * 9 * np.dtype(kind).itemsize + more)
        assert run["weight_bytes"] < stored + 4096, (name, run["weight_bytes"])
        # What is made at load is packed, and does not stay beside it; or it is never made.
        points = 36 if size == 32 else 9
        wide = layers * channels * channels * points * 4
        most = stored * 1.05 + 4096 if kind != np.float32 and keeps_narrow() else wide * 1.1
        assert run["packed_bytes"] < most, (name, run["packed_bytes"], most)
    # In the order and the blocks of a chip.
    x = RANDOM.standard_normal((1, channels, 4, 4)).astype(np.float32)
    check(bench, image_model("blocks", layers, channels, 4, np.int8, True), x, "--target=npu-nchw16c")


def test_recurrent_weights(bench: Bench) -> None:
    """A recurrent net's weights in bytes with one scale, or one for each row of gates, are bytes in memory, too."""
    steps, width, hidden = 6, 64, 96
    for name, axis in (("one_scale", 0), ("rows", 1)):
        b = Builder()
        for weight, columns in (("W", width), ("R", hidden)):
            stored = numbers(-127, 127, 1, 4 * hidden, columns, dtype=np.int8)
            b.weight(f"{weight}_q", stored)
            scales = RANDOM.uniform(0.8, 1.2, stored.shape[axis]).astype(np.float32) / np.float32(2000)
            b.weight(f"{weight}_s", scales)
            b.node("DequantizeLinear", [f"{weight}_q", f"{weight}_s"], weight, axis=axis)
        b.node("LSTM", ["x", "W", "R"], "y", hidden_size=hidden)
        model = b.model(f"recurrent_{name}", 1, "y")
        shape = helper.make_tensor_type_proto(TensorProto.FLOAT, [steps, 1, width]).tensor_type
        model.graph.input[0].type.tensor_type.CopyFrom(shape)
        model.graph.output[0].type.tensor_type.ClearField("shape")
        check(bench, model, RANDOM.standard_normal((steps, 1, width)).astype(np.float32), "--target=host")
        run = json.loads(bench.run("npu-run", "out.npu", "--random-inputs", "--json").stdout)
        most = 4 * hidden * (width + hidden + 8) + 4096
        assert run["weight_bytes"] < most, (name, run["weight_bytes"])
        assert not keeps_narrow() or run["packed_bytes"] < most, (name, run["packed_bytes"])


def test_halves_of_bytes(bench: Bench) -> None:
    """Convolutions with weights of four bits, of real data and of bytes, and one by Winograd's algorithm."""
    channels = 128
    for name, size, data_in_bytes in (("int4_real", 4, False), ("int4_winograd", 32, False), ("int4_bytes", 4, True)):
        b = Builder()
        weight = numbers(-8, 7, channels, channels, 3, 3)
        b.weight("w", weight, TensorProto.INT4)
        b.weight("ws", RANDOM.uniform(0.8, 1.2, channels).astype(np.float32) / np.float32(100))
        b.node("DequantizeLinear", ["w", "ws"], "real", axis=0)
        data = "x"
        if data_in_bytes:
            b.weight("xs", np.float32(0.02))
            b.weight("xz", np.uint8(121))
            b.node("QuantizeLinear", ["x", "xs", "xz"], "q")
            data = b.node("DequantizeLinear", ["q", "xs", "xz"], "back")
        b.node("Conv", [data, "real"], "y", pads=[1, 1, 1, 1])
        model = b.model(name, 1, "y")
        for value in (model.graph.input[0], model.graph.output[0]):
            value.type.CopyFrom(helper.make_tensor_type_proto(TensorProto.FLOAT, [1, channels, size, size]))
        x = RANDOM.standard_normal((1, channels, size, size)).astype(np.float32)
        for target in ("host", "npu-nhwc"):
            check(bench, model, x, f"--target={target}")
            run = json.loads(bench.run("npu-run", "out.npu", "--random-inputs", "--json").stdout)
            most = weight.size // 2 + 16 * channels + 4096
            assert run["weight_bytes"] < most, (name, target, run["weight_bytes"])
            if keeps_narrow() and not data_in_bytes:
                assert run["packed_bytes"] < most, (name, target, run["packed_bytes"])


def test_repeated(bench: Bench) -> None:
    """What is the same for all heads is stored once, whatever its type."""
    heads, size = 24, 96
    table = RANDOM.standard_normal((1, 1, size, size)).astype(np.float32)
    index = RANDOM.integers(0, size, (1, 1, size, size)).astype(np.int64)
    open_for = RANDOM.integers(0, 2, (1, 1, size, size)).astype(bool)
    b = Builder()
    b.weight("shape", np.array([1, heads, size, size], np.int64))
    for name, value in (("table", table), ("index", index), ("open", open_for), ("none", np.zeros((1,), np.float32))):
        b.node("Expand", [b.weight(f"one_{name}", value), "shape"], name)
    b.node("Add", ["x", "table"], "sum")
    b.node("GatherElements", ["sum", "index"], "picked", axis=3)
    b.node("Where", ["open", "picked", "none"], "y")
    model = b.model("repeated", 1, "y")
    for value in (model.graph.input[0], model.graph.output[0]):
        value.type.CopyFrom(helper.make_tensor_type_proto(TensorProto.FLOAT, [1, heads, size, size]))
    x = RANDOM.standard_normal((1, heads, size, size)).astype(np.float32)
    for target in ("host", "npu-nhwc", "npu-nchw16c"):
        check(bench, model, x, f"--target={target}")
        run = json.loads(bench.run("npu-run", "out.npu", "--random-inputs", "--json").stdout)
        assert run["weight_bytes"] < 2 * size * size * (4 + 1 + 1), (target, run["weight_bytes"])


def test_many_steps(bench: Bench) -> None:
    """A recurrent net that is written out has thousands of kernels, of which the file says little each."""
    steps, width, hidden = 300, 24, 16
    b = Builder()
    for name, rows in (("W", width), ("R", hidden)):
        b.weight(name, RANDOM.normal(0, 0.1, (1, 4 * hidden, rows)).astype(np.float32))
    b.node("LSTM", ["x", "W", "R"], "y", hidden_size=hidden)
    model = b.model("many_steps", 1, "y")
    model.graph.input[0].type.CopyFrom(helper.make_tensor_type_proto(TensorProto.FLOAT, [steps, 1, width]))
    model.graph.output[0].type.tensor_type.ClearField("shape")
    report = check(bench, model, RANDOM.standard_normal((steps, 1, width)).astype(np.float32), "--target=npu-nhwc")
    each = bench.path("out.npu").stat().st_size / len(report["kernels"])
    # A row of the kernel table has 36 bytes, one of the manifest that is like another about as many.
    assert len(report["kernels"]) > 2000 and each < 250, (len(report["kernels"]), each)


def test_tables_in_blocks(bench: Bench) -> None:
    """onnxruntime's own: two numbers in a byte stay so until their rows are picked, as do int4 and uint4."""
    x = np.array([0, 5, COLUMNS - 1, 17], np.int64)
    for name, kind in (("bytes", None), ("int4", TensorProto.INT4), ("uint4", TensorProto.UINT4)):
        b = Builder()
        if kind is None:
            b.weight("w", numbers(0, 255, COLUMNS, DEPTH // 2, dtype=np.uint8))
        else:
            least = -8 if kind == TensorProto.INT4 else 0
            b.weight("w", numbers(least, least + 15, COLUMNS, DEPTH), kind)
        scales = b.scales(COLUMNS, DEPTH // BLOCK)
        b.node("com.microsoft.GatherBlockQuantized", ["w", "x", scales], "y", block_size=BLOCK, quantize_axis=1)
        check(bench, b.model(f"blocks_{name}", len(x), "y", TensorProto.INT64), x)


def test_joint_weights(bench: Bench) -> None:
    """Attention's one matrix for queries, keys and values is cut into three products; they stay bytes."""
    for name, shape, given in (("tensor", (), {}), ("columns", (3 * DEPTH,), {"axis": 1}),
                               ("blocks", (DEPTH // BLOCK, 3 * DEPTH), {"axis": 0, "block_size": BLOCK})):  # fmt: skip
        b = Builder()
        b.weight("w", numbers(-127, 127, DEPTH, 3 * DEPTH))
        b.weight("bias", RANDOM.standard_normal(3 * DEPTH).astype(np.float32))
        b.node("DequantizeLinear", ["w", b.scales(*shape)], "real", **given)
        b.node("Unsqueeze", ["x", b.weight("first", np.array([0]))], "sample")
        b.node("com.microsoft.Attention", ["sample", "real", "bias"], "mixed", num_heads=12)
        b.node("Squeeze", ["mixed", "first"], "y")
        x = RANDOM.normal(0, 0.1, (16, DEPTH)).astype(np.float32)  # softmax is steep for large scores
        report = check(bench, b.model(f"joint_{name}", 16, "y"), x, "--target=host")
        assert [kernel["op"] for kernel in report["kernels"]].count("attention") == 1, report["kernels"]


def test_turned_weights(bench: Bench) -> None:
    """FusedMatMul turns its second operand over."""
    b = Builder()
    b.weight("w", numbers(-127, 127, COLUMNS, DEPTH))
    b.node("DequantizeLinear", ["w", b.scales(COLUMNS)], "real", axis=0)
    b.node("com.microsoft.FusedMatMul", ["x", "real"], "y", transB=1, alpha=0.5)
    check(bench, b.model("fused", 7, "y"), RANDOM.standard_normal((7, DEPTH)).astype(np.float32))


def test_accuracy_level(bench: Bench) -> None:
    """A model that lets data be rounded to bytes gets onnxruntime's numbers; a chip without bytes computes in floats."""
    shipped = (Path(__file__).parents[3] / "targets/npu-nhwc.yaml").read_text()
    assert "i8, " in shipped
    bench.path("floats.yaml").write_text(shipped.replace("i8, ", "", 1).replace("name: npu-nhwc", "name: floats"))
    ways = ((4, False, 32, 1), (4, True, 16, 3), (4, True, 128, 20), (8, True, 64, 20), (8, False, 256, 1), (2, True, 32, 5))
    for bits, has_zeros, block, rows in ways:
        x = RANDOM.standard_normal((rows, DEPTH)).astype(np.float32)
        b = Builder()
        output = blocks(bits, has_zeros, block, accuracy_level=4)(b)
        model = b.model("level", rows, output)
        given = {target: found_on(bench, model, x, target) for target in ("host", "npu-nhwc", bench.path("floats.yaml"))}
        of_bytes, floats = (plain_level_0(bench, model, data) for data in (rounded(x, block), x))
        for target, found in given.items():
            expected = floats if str(target).endswith(".yaml") else of_bytes
            assert relative_error(found, expected) < 2e-6, (bits, has_zeros, block, rows, target)
        theirs = plain(bench.path("level.onnx"), x)
        if relative_error(theirs, floats) > 1e-3:  # not on every processor
            assert relative_error(theirs, of_bytes) < 2e-6, (bits, has_zeros, block, rows)


if __name__ == "__main__":
    programs.main(__doc__)
