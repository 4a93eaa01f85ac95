# SPDX-License-Identifier: Apache-2.0
"""npuc-quantize: its numbers are right by independent arithmetic, its data what was asked for, its errors sentences."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import numpy as np
import onnx
import onnxruntime
import programs
from onnx import TensorProto, helper, numpy_helper
from PIL import Image
from programs import Bench

from npuc_quantize import __main__, choices, pictures, quantiser
from npuc_quantize.accuracy import Accuracy, looks_like_classes
from npuc_quantize.layers import Step
from npuc_quantize.ort import OnnxRuntimeError

BAD_MODEL, INEXACT, USAGE, UNWRITTEN, BAD_INPUT = 1, 1, 2, 3, 8
GREY, COLOURS = (40, 60), (3, 32, 32)


def call(bench: Bench, *words: object) -> tuple[int, str, str]:
    """Exit code, standard output and error of npuc-quantize, without the seconds that a new Python takes."""
    before = Path.cwd()
    with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(io.StringIO()) as shown:
        try:
            os.chdir(bench.folder)
            code = __main__.main([f"--build={bench.build}", *map(str, words)])
        except SystemExit as error:
            code = error.code
        finally:
            os.chdir(before)
    return code, shown.getvalue(), said.getvalue()


def quantised(bench: Bench, *words: object) -> dict:
    """The report; it must work."""
    code, shown, said = call(bench, *words, "--json=-", *([] if "-o" in words else ["-o", "out.onnx"]))
    assert code == 0, (words, said)
    return json.loads(shown)


def paint(bench: Bench, folder: str, count: int, mode: str = "RGB", size: tuple[int, int] = (48, 36)) -> list[Path]:
    """Pictures that are no square, so that what becomes of the size shows."""
    random = np.random.default_rng(11)
    paths = []
    for number in range(count):
        path = bench.path(f"{folder}/class{number % 2}/p{number:02}.png")
        path.parent.mkdir(parents=True, exist_ok=True)
        pixels = random.integers(0, 256, (size[1], size[0], 3)).astype(np.uint8)
        Image.fromarray(pixels).convert(mode).save(path)
        paths.append(path)
    bench.path(f"{folder}/labels.txt").write_text("no picture", encoding="utf-8")
    return sorted(paths)


def kernel(name: str, *shape: int) -> dict[str, np.ndarray]:
    return {name: programs.sample(*shape, seed=sum(shape)) * 0.2}


def conv_model(name: str, shape: list, first: int = 3) -> onnx.ModelProto:
    """Two convolutions and a product that nobody quantises unless asked."""
    nodes = [helper.make_node("Conv", ["x", "w0"], ["a"], name="first"), helper.make_node("Relu", ["a"], ["b"], name="relu"),
             helper.make_node("Conv", ["b", "w1"], ["c"], name="second"), helper.make_node("Exp", ["c"], ["y"], name="exp")]
    weights = kernel("w0", 8, first, 3, 3) | kernel("w1", 4, 8, 1, 1)
    return programs.network(name, nodes, weights, {"x": shape}, ["y"])


def outputs(path: Path, feed: dict[str, np.ndarray]) -> list[np.ndarray]:
    """As the model says it: npuc-quantize measures without onnxruntime's rewrites, too."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"]).run(None, feed)


def decibels(found: np.ndarray, expected: np.ndarray) -> float:
    noise = found.astype(np.float64) - expected
    return 20 * np.log10(np.linalg.norm(expected.astype(np.float64)) / np.linalg.norm(noise))


def test_pictures_to_program(bench: Bench) -> None:
    """One command, as a user calls it; every number of it is computed here once more."""
    model, files = bench.save("classifier"), paint(bench, "photos", 5)
    done = bench.run("npuc-quantize", model, "--data=photos", "-o", "small.onnx", "--range=-1,1", "--mean=0.1,0.2,0.3",
                     "--std=0.5", "--target=npu-nhwc", "--program=small.npu", "--json=report.json", "--fit=stretch")  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads(bench.path("report.json").read_text(encoding="utf-8"))
    rows = []
    for file in files:
        with Image.open(file) as picture:
            pixels = np.asarray(picture.convert("RGB").resize((32, 32), Image.Resampling.BILINEAR), np.float32)
        # In this order: pixels are ties of the rounding to bytes.
        values = (-1 + pixels * np.float32(2 / 255) - np.float32([0.1, 0.2, 0.3])) / np.float32(0.5)
        rows.append(values.transpose(2, 0, 1)[None])
    exact = np.concatenate([outputs(model, {"x": row})[0] for row in rows])
    small = np.concatenate([outputs(bench.path("small.onnx"), {"x": row})[0] for row in rows])
    program = np.concatenate([bench.execute(bench.path("small.npu"), {"x": row}, "y")[0] for row in rows])
    by = {row["by"]: row for row in report["outputs"]}
    assert list(by) == ["onnxruntime", "npu-run"], report["outputs"]
    for name, found in (("onnxruntime", small), ("npu-run", program)):
        assert abs(by[name]["sqnr_db"] - decibels(found, exact)) < 0.02, (by[name], decibels(found, exact))
        assert abs(by[name]["max_error"] - np.abs(found - exact).max()) < 1e-6
        same = (found.argmax(axis=1) == exact.argmax(axis=1)).mean()
        assert abs(by[name]["top1_agreement"] - same) < 1e-9, (by[name], same)
        cosine = (found * exact).sum() / np.linalg.norm(found) / np.linalg.norm(exact)
        assert abs(by[name]["cosine"] - cosine) < 1e-5
    assert report["calibration"]["samples"] == report["test"]["samples"] == 5
    taken = report["inputs"][0]["pictures"]
    assert (taken["order"], taken["height"], taken["fit"], taken["std"]) == ("nchw", 32, "stretch", [0.5]), taken
    facts = report["program"]
    assert facts["target"] == "npu-nhwc" and facts["cycles"] > 0 and facts["kernels"] > 0, facts
    for text in ("NCHW, 32 x 32, 3 channels", "5 samples", "npu-run", "same class", "SQNR"):
        assert text in done.stdout, (text, done.stdout)


def test_layers(bench: Bench) -> None:
    """A layer's SQNR is that of its value in both models; its own is that of its rounding alone."""
    model, x = bench.save(conv_model("net", [1, 3, 16, 16])), programs.sample(1, 3, 16, 16)
    np.save(bench.path("x.npy"), x)
    report = quantised(bench, model, "--data=x.npy")
    layers = {layer["value"]: layer for layer in report["layers"]}
    assert [layer["node"] for layer in report["layers"]] == ["first", "second", "exp"], report["layers"]
    assert [layer["on_bytes"] for layer in report["layers"]] == [True, True, False], report["layers"]
    assert report["layers_on_bytes"] == 2 and layers["y"]["own_sqnr_db"] is None and layers["y"]["scale"] is None
    both = []
    for path, name in ((model, "b"), (bench.path("out.onnx"), "b_DequantizeLinear_Output")):
        shown = onnx.load(path)
        shown.graph.output.append(onnx.ValueInfoProto(name=name))
        onnx.save(shown, bench.path("shown.onnx"))
        both.append(outputs(bench.path("shown.onnx"), {"x": x})[1])
    right, found = both
    assert abs(layers["b"]["sqnr_db"] - decibels(found, right)) < 0.01, (layers["b"], decibels(found, right))
    step, zero = layers["b"]["scale"], layers["b"]["zero_point"]
    own = (np.clip(np.rint(right / np.float32(step)) + zero, 0, 255) - zero) * np.float32(step)
    assert abs(layers["b"]["own_sqnr_db"] - decibels(own, right)) < 0.01, layers["b"]


def test_accuracy(_: Bench) -> None:
    sums = Accuracy()
    sums.add(np.float32([3, 0]), np.float32([4, 0]))
    sums.add(np.float32([0, 4]), np.float32([0, 3]))
    assert abs(sums.sqnr - 10 * np.log10(25 / 2)) < 1e-9 and sums.worst == 1 and sums.largest == 4
    assert abs(sums.cosine - 24 / 25) < 1e-9 and sums.top1 is None
    sums.add_classes(np.float32([[1, 2], [2, 1]]), np.float32([[1, 3], [1, 3]]))
    assert sums.top1 == 0.5
    odd = Accuracy()
    odd.add(np.float32([1, np.nan, np.inf]), np.float32([1, 2, -np.inf]))
    assert odd.broken == 1 and odd.worst == 2 and odd.as_json()["not_finite"] == 1, odd
    same, none = Accuracy(), Accuracy()
    same.add(np.float32([1]), np.float32([1]))
    none.add(np.float32([1]), np.float32([0]))
    assert same.sqnr == 300 and same.cosine == 1 and none.sqnr == -300 and none.cosine == 0
    assert [looks_like_classes(shape, 2) for shape in ((2, 10), (2, 10, 1, 1), (2, 1), (2, 3, 4), (1, 10), (2,), ())] == [
        True, True, False, False, False, False, False]  # fmt: skip


def test_rounding(bench: Bench) -> None:
    """As onnx's QuantizeLinear does it: ties to even, cut off at the ends."""
    values = np.float32([-300, -1.25, -0.75, -0.25, 0, 0.25, 0.75, 1.25, 3.3, 300])
    for dtype, zero in ((np.uint8, 3), (np.int8, -5)):
        weights = {"s": np.float32(0.5), "z": dtype(zero)}
        nodes = [helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
                 helper.make_node("DequantizeLinear", ["q", "s", "z"], ["y"])]  # fmt: skip
        path = bench.save(programs.network("pair", nodes, weights, {"x": [10]}, ["y"]))
        assert (Step(0.5, zero, np.dtype(dtype)).rounded(values) == outputs(path, {"x": values})[0]).all()


def test_frames(bench: Bench) -> None:
    """What a shape says of the pictures, and what is refused."""
    for shape, order, expected in (([1, 3, 20, 30], None, "NCHW, 20 x 30, 3 channels"), ([7, 20, 30, 1], None, "NHWC, 20 x 30, 1 channel"),
                                   ([3, 20, 30], None, "NCHW, 20 x 30, 3 channels"), ([1, 3, 9, 3], "nhwc", "NHWC, 3 x 9, 3 channels"),
                                   ([1, 3, 9, 1], "nchw", "NCHW, 9 x 1, 3 channels")):  # fmt: skip
        assert str(pictures.frame_of("x", shape, order)) == expected, shape
    for shape, says in (([1, 3, 20, 3], "may be NCHW or NHWC; say which by --order"), ([1, 10], "it has 2 dimensions, expected 3 or 4"),
                        ([1, 4, 20, 20], "expected 1 or 3 channels, first or last")):  # fmt: skip
        model = bench.save(programs.chain("shaped", shape, "Relu"))
        paint(bench, "some", 1)
        refuse(bench, model, "--data=some", "-o", "out.onnx", says=says)
    model = bench.save(programs.chain("shaped", [1, 3, 20, 20], "Relu"))
    refuse(bench, model, "--data=some", "-o", "out.onnx", "--order=nhwc", says="expected 1 or 3 channels, NHWC")


def test_reading_pictures(bench: Bench) -> None:
    wide = np.zeros((2, 6, 3), np.uint8)
    wide[:, 2:4] = 255  # the middle, which crop keeps
    Image.fromarray(wide).save(bench.path("wide.png"))
    frame = pictures.Frame("nhwc", 3, 2, 2)
    by_fit = {fit: pictures.read_picture(bench.path("wide.png"), frame, pictures.Preparation(fit)) for fit in choices.FITS}
    assert (by_fit["crop"] == 1).all() and 0 < by_fit["stretch"].mean() < 1 and by_fit["pad"].min() == 0, by_fit
    colour = np.zeros((4, 4, 3), np.uint8)
    colour[..., 0] = 255
    Image.fromarray(colour).save(bench.path("red.png"))
    square = pictures.Frame("nchw", 3, 4, 4)
    red = pictures.read_picture(bench.path("red.png"), square, pictures.Preparation(bgr=True))
    assert red[2].min() == 1 and red[:2].max() == 0 and red.shape == (3, 4, 4) and red.dtype == np.float32
    deep = np.full((4, 4), 65535 // 2, np.uint16)
    Image.fromarray(deep).save(bench.path("deep.png"))
    grey = pictures.read_picture(bench.path("deep.png"), pictures.Frame("nchw", 1, 4, 4), pictures.Preparation())
    assert np.abs(grey - 0.5).max() < 0.01, grey
    turned = Image.fromarray(wide)
    exif = turned.getexif()
    exif[0x0112] = 6  # lies on its side
    turned.save(bench.path("turned.jpg"), exif=exif, quality=100)
    tall = pictures.read_picture(bench.path("turned.jpg"), pictures.Frame("nhwc", 3, 6, 2), pictures.Preparation("stretch"))
    assert tall[2:4].min() > 0.8 and tall[0].max() < 0.2, tall[..., 0]


def test_orders_and_bytes(bench: Bench) -> None:
    """Channels last, grey, no batch, and a network that takes the pixels as bytes."""
    transposed = [helper.make_node("Transpose", ["x"], ["t"], perm=[0, 3, 1, 2]), helper.make_node("Conv", ["t", "w0"], ["y"])]
    last = programs.network("last", transposed, kernel("w0", 8, 1, 3, 3), {"x": ["N", 12, 12, 1]}, ["y"])
    paint(bench, "photos", 3)
    report = quantised(bench, bench.save(last), "--data=photos", "--batch=1")
    assert report["inputs"][0]["pictures"]["order"] == "nhwc" and report["inputs"][0]["pictures"]["channels"] == 1
    nodes = [helper.make_node("Unsqueeze", ["x", "axes"], ["t"]), helper.make_node("Conv", ["t", "w0"], ["y"])]
    weights = {**kernel("w0", 8, 3, 3, 3), "axes": np.int64([0])}
    report = quantised(bench, bench.save(programs.network("one", nodes, weights, {"x": [3, 12, 12]}, ["y"])), "--data=photos")
    assert report["calibration"]["samples"] == 3, report["calibration"]
    nodes = [helper.make_node("Cast", ["x"], ["f"], to=TensorProto.FLOAT), helper.make_node("Conv", ["f", "w0"], ["y"])]
    graph = programs.network("raw", nodes, kernel("w0", 8, 3, 3, 3), {"x": [1, 3, 12, 12]}, ["y"], result=TensorProto.FLOAT)
    graph.graph.input[0].type.tensor_type.elem_type = TensorProto.UINT8
    path = bench.save(graph)
    report = quantised(bench, path, "--data=photos")
    assert report["outputs"][0]["max_value"] > 50, report["outputs"]  # pixels as they are
    refuse(bench, path, "--data=photos", "-o", "out.onnx", "--mean=1", says="takes pixels as bytes, without --range, --mean and --std")


def test_arrays(bench: Bench) -> None:
    """One sample, one batch, many of them, in one file and several; what they hold decides."""
    model = bench.save(conv_model("net", ["N", 3, 16, 16]))
    values = programs.sample(6, 3, 16, 16)
    for name, array in (("one", values[0]), ("batch", values[:4]), ("many", values[:, None]), ("wide", values.astype(np.float64)),
                        ("column", np.asfortranarray(values))):  # fmt: skip
        np.save(bench.path(f"{name}.npy"), array)
    expected = {"one": 1, "batch": 4, "many": 6, "wide": 6, "column": 6}
    for name, count in expected.items():
        report = quantised(bench, model, f"--data={name}.npy")
        assert report["calibration"]["samples"] == count, (name, report["calibration"])
    report = quantised(bench, model, "--data=one.npy", "--data", "x=batch.npy", "--test-data=many.npy", "--samples=3")
    assert report["calibration"] == {"data": ["one.npy", "batch.npy"], "samples": 3}, report["calibration"]
    assert report["test"] == {"data": ["many.npy"], "samples": 6, "is_calibration_data": False}, report["test"]
    assert quantised(bench, model, "--data=batch.npy", "--batch=2")["calibration"]["samples"] == 4
    assert quantised(bench, model, "--data=many.npy", "--data=one.npy", "--batch=2")["calibration"]["samples"] == 6
    np.save(bench.path("halves.npy"), programs.sample(1, 3, 16, 16) * 2)
    wider = quantised(bench, model, "--data=one.npy", "--data=halves.npy")["layers"][0]["scale"]
    assert wider > quantised(bench, model, "--data=one.npy")["layers"][0]["scale"], "the second file was not read"


def test_two_inputs(bench: Bench) -> None:
    nodes = [helper.make_node("Conv", ["x", "w0"], ["a"]), helper.make_node("Gather", ["table", "i"], ["g"]),
             helper.make_node("Add", ["a", "g"], ["y"])]  # fmt: skip
    weights = kernel("w0", 8, 3, 3, 3) | kernel("table", 5, 8, 14, 14)
    model = programs.network("two", nodes, weights, {"x": [1, 3, 16, 16], "i": [1]}, ["y"])
    model.graph.input[1].type.tensor_type.elem_type = TensorProto.INT32
    path = bench.save(model)
    np.save(bench.path("x.npy"), programs.sample(4, 3, 16, 16))
    np.save(bench.path("i.npy"), np.int64([0, 4, 2, 1]))
    report = quantised(bench, path, "--data", "x=x.npy", "--data", "i=i.npy")
    assert report["calibration"]["samples"] == 4 and report["outputs"][0]["sqnr_db"] > 20, report["outputs"]
    for array, says in ((np.int64([0, 1, 2]), "different numbers of runs: 'x' for 4, 'i' for 3"),
                        (np.int64([0, 1, 2**40, 1]), "row 2 that does not fit into int32"),
                        (np.float32([0, 1, 2, 1]), "holds float32[4], expected int32 and [] or [N] or [N,M]")):  # fmt: skip
        np.save(bench.path("i.npy"), array)
        refuse(bench, path, "--data", "x=x.npy", "--data", "i=i.npy", "-o", "out.onnx", says=says, code=BAD_INPUT)
    refuse(bench, path, "--data=x.npy", "-o", "out.onnx", says="does not say which input it is for; write NAME=FILE, with one of: x, i")
    refuse(bench, path, "--data", "x=x.npy", "-o", "out.onnx", says="the input 'i' has no values; give --data=i=FILE.npy")


def weights_in(path: Path) -> dict[str, np.ndarray]:
    return {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(path).graph.initializer}


def test_settings(bench: Bench) -> None:
    """Each option is seen in the model that comes out."""
    model = bench.save(conv_model("net", [1, 3, 16, 16]))
    np.save(bench.path("x.npy"), programs.sample(8, 3, 16, 16))
    found = {}
    for name, words in {"usual": [], "s8": ["--activations=s8"], "u8": ["--weights=u8"], "tensor": ["--per-tensor"],
                        "symmetric": ["--activations=s8", "--symmetric"], "percentile": ["--method=percentile", "--percentile=90"],
                        "entropy": ["--method=entropy"], "keep": ["--keep=second"], "keep value": ["--keep=c"],
                        "ops": ["--ops=Conv"]}.items():  # fmt: skip
        found[name] = (quantised(bench, model, "--data=x.npy", *words), weights_in(bench.path("out.onnx")))
    kinds = {name: (weights["x_zero_point"].dtype, weights["w0_quantized"].dtype) for name, (_, weights) in found.items()}
    assert kinds["usual"] == (np.uint8, np.int8) and kinds["s8"] == (np.int8, np.int8) and kinds["u8"] == (np.uint8, np.uint8), kinds
    assert found["usual"][1]["w0_scale"].shape == (8,) and found["tensor"][1]["w0_scale"].shape == (), "a scale a channel"
    assert found["symmetric"][1]["x_zero_point"] == 0 and found["usual"][1]["x_zero_point"] != 0
    assert found["percentile"][1]["x_scale"] < 0.8 * found["usual"][1]["x_scale"]
    assert 0 < found["entropy"][1]["x_scale"] <= 1.001 * found["usual"][1]["x_scale"]
    for name in ("keep", "keep value"):
        report, weights = found[name]
        assert "w1" in weights and "w1_quantized" not in weights, name
        assert {layer["node"]: layer["on_bytes"] for layer in report["layers"]}["second"] is False, report["layers"]
    assert found["keep"][0]["settings"]["keep"] == ["second"] and found["percentile"][0]["settings"]["percentile"] == 90


def test_unknown_sizes(bench: Bench) -> None:
    """Bound for the measurement only."""
    model = bench.save(conv_model("net", ["N", 3, "H", "W"]))
    paint(bench, "photos", 2)
    refuse(bench, model, "--data=photos", "-o", "out.onnx", says="size 2 of input 'x' is unknown; say --input-shape=x=N,...")
    report = quantised(bench, model, "--data=photos", "--input-shape=x=1,3,20,24")
    assert report["inputs"][0]["shape"] == [1, 3, 20, 24]
    dims = onnx.load(bench.path("out.onnx")).graph.input[0].type.tensor_type.shape.dim
    assert [dim.dim_param or dim.dim_value for dim in dims] == ["N", 3, "H", "W"]


def test_old_opset(bench: Bench) -> None:
    """From before a scale for each channel."""
    model = conv_model("old", [1, 3, 16, 16])
    model.opset_import[0].version = 11
    path = bench.save(model)
    np.save(bench.path("x.npy"), programs.sample(1, 3, 16, 16))
    report = quantised(bench, path, "--data=x.npy", "--target=npu-nhwc")
    assert [row["by"] for row in report["outputs"] if row["sqnr_db"] > 25] == ["onnxruntime", "npu-run"], report["outputs"]


def refuse(bench: Bench, *words: object, says: str, code: int = USAGE) -> None:
    """One line, and no file."""
    before = sorted(path.name for path in bench.folder.rglob("*"))
    found, shown, said = call(bench, *words)
    lines = said.splitlines()
    assert found == code and len(lines) == 1 and says in lines[0] and not shown, (words, found, said, shown)
    assert lines[0].startswith("npuc-quantize: error: ") and sorted(path.name for path in bench.folder.rglob("*")) == before


def test_wrong_models(bench: Bench) -> None:
    np.save(bench.path("x.npy"), programs.sample(1, 3, 16, 16))
    good = conv_model("net", [1, 3, 16, 16])
    quantised(bench, bench.save(good), "--data=x.npy", "-o", "eight.onnx")
    half, cast, none = (onnx.ModelProto() for _ in range(3))
    for model in (half, cast, none):
        model.CopyFrom(good)
    half.graph.name, cast.graph.name, none.graph.name = "half", "cast", "none"
    half.graph.input[0].type.tensor_type.elem_type = TensorProto.FLOAT16
    cast.graph.initializer[0].CopyFrom(numpy_helper.from_array(np.zeros((8, 3, 3, 3)), "w0"))
    none.graph.node[1].op_type = "NoSuchThing"
    bench.path("text.onnx").write_text("hello", encoding="utf-8")
    nothing = programs.chain("nothing", [1, 3, 16, 16], "Exp", "Abs")
    for model, says in ((bench.path("eight.onnx"), "is quantised already: DequantizeLinear"), (bench.save(half), "its input 'x' is FLOAT16"),
                        (bench.save(cast), "its weight 'w0' is DOUBLE; export it in float32"), (bench.path("text.onnx"), "it is no ONNX model"),
                        (bench.path("none.npy"), "there is no file"), (bench.save(none), "onnxruntime cannot load the model"),
                        (bench.save(nothing), "nothing of the model can be quantised; its operators are: Abs, Exp")):  # fmt: skip
        refuse(bench, model, "--data=x.npy", "-o", "out.onnx", says=says, code=BAD_MODEL)


def test_wrong_data(bench: Bench) -> None:
    model = bench.save(conv_model("net", [1, 3, 16, 16]))
    values = programs.sample(2, 3, 16, 16)
    values[1, 0, 0, 0] = np.nan
    for name, array in (("nan", values), ("shape", values[:, :2]), ("kind", values.astype(np.int64)), ("huge", np.full((1, 3, 16, 16), 1e300)),
                        ("empty", values[:0]), ("object", np.array([{}]))):  # fmt: skip
        np.save(bench.path(f"{name}.npy"), array)
    np.savez(bench.path("zip.npy"), x=values)
    bench.path("zip.npy.npz").rename(bench.path("zip.npy"))
    bench.path("cut.npy").write_bytes(bench.path("nan.npy").read_bytes()[:500])
    bench.path("junk.npy").write_bytes(b"no array")
    bench.path("hollow").mkdir()
    paint(bench, "broken", 2)[1].write_bytes(b"no picture")
    os.mkfifo(bench.path("pipe"))
    for name, says in (("nan.npy", "'nan.npy' has a number that is not finite, in row 1"), ("shape.npy", "holds float32[2,2,16,16], expected float32"),
                       ("kind.npy", "holds int64[2,3,16,16]"), ("huge.npy", "row 0 that does not fit into float32"),
                       ("empty.npy", "fewer values than one batch takes"), ("object.npy", "'object.npy' cannot be read"), ("junk.npy", "'junk.npy' cannot be read: it is no .npy file of numbers"),
                       ("zip.npy", "'zip.npy' cannot be read: it is no .npy file of numbers"), ("cut.npy", "'cut.npy' cannot be read"), ("none", "'none' cannot be read: No such file"),
                       ("hollow", "there is no picture in the folder 'hollow'"), ("pipe", "it is not a regular file"),
                       ("broken", "the picture 'broken/class1/p01.png' cannot be read: its first bytes are none of these, expected BMP, GIF")):  # fmt: skip
        refuse(bench, model, f"--data={name}", "-o", "out.onnx", says=says, code=BAD_INPUT)


def test_wrong_words(bench: Bench) -> None:
    model = bench.save(conv_model("net", [1, 3, 16, 16]))
    np.save(bench.path("x.npy"), programs.sample(1, 3, 16, 16))
    paint(bench, "photos", 1)
    usual = [model, "--data=x.npy", "-o", "out.onnx"]
    for words, says in ((usual[:2], "-o/--output"), ([model, "-o", "out.onnx"], "--data"), ([*usual, "--range=1,0"], "--range: expected two numbers"),
                        ([*usual, "--range=0"], "--range"), ([*usual, "--std=0"], "--std: expected numbers above 0"), ([*usual, "--mean=a"], "expected numbers such as"),
                        ([*usual, "--percentile=0"], "--percentile"), ([*usual, "--weights=u8", "--activations=s8"], "--weights=u8"),
                        ([*usual, "--program=x.npu"], "say which chip it is for"), ([*usual, "--min-top1=2"], "--min-top1"), ([*usual, "--min-sqnr=nan"], "--min-sqnr"),
                        ([*usual, "--keep=secnd"], "has no node 'secnd' after folding; did you mean 'second'?"), ([*usual, "--ops=Gemm"], "has no operator 'Gemm'"),
                        ([*usual, "--ops=Exp"], "onnxruntime's quantiser does not know 'Exp'"), ([*usual, "--ops="], "expected names with commas"),
                        ([*usual, "--samples=0"], "expected a size from 1"), ([*usual, "--target=npu-nhcw"], "there is no target 'npu-nhcw'; did you mean 'npu-nhwc'?"), ([*usual, "--input-shape=x=1,3,9,9"], "dimension 2 of input 'x' is 16"),
                        ([model, "--data=photos", "-o", "out.onnx", "--mean=1,2"], "one for each of the 3 channels")):  # fmt: skip
        refuse(bench, *words, says=says)


def test_budgets(bench: Bench) -> None:
    """What is not exact enough is not written; what it lacks is."""
    model = bench.save("classifier")
    paint(bench, "photos", 4)
    words = [model, "--data=photos", "-o", "out.onnx", "--json=report.json", "--target=npu-nhwc", "--program=out.npu"]
    code, shown, said = call(bench, *words, "--min-sqnr=200")
    assert code == INEXACT and "--min-sqnr asks for 200" in said and "output 'y'" in said and "SQNR" in shown, said
    assert bench.path("report.json").exists() and not bench.path("out.onnx").exists() and not bench.path("out.npu").exists()
    code, _, said = call(bench, *words, "--min-sqnr=1", "--min-top1=0")
    assert code == 0 and bench.path("out.onnx").exists() and bench.path("out.npu").exists(), said


def test_files(bench: Bench) -> None:
    """No input is replaced; what cannot be written is said before the work."""
    model, files = bench.save(conv_model("net", [1, 3, 16, 16])), paint(bench, "photos", 2)
    np.save(bench.path("x.npy"), programs.sample(1, 3, 16, 16))
    bench.path("linked.onnx").symlink_to(model)
    for data, target, says in (("photos", model, "would replace the model"), ("photos", "linked.onnx", "would replace the model"),
                               ("photos", files[1], "would replace --data"), ("x.npy", "x.npy", "would replace --data")):  # fmt: skip
        refuse(bench, model, f"--data={data}", "-o", target, says=says)
        refuse(bench, model, f"--data={data}", "-o", "out.onnx", f"--json={target}", says=says)
    refuse(bench, model, "--data=x.npy", "-o", "out.onnx", "--json=out.onnx", says="would replace -o 'out.onnx'")
    refuse(bench, model, "--data=x.npy", "-o", "none/out.onnx", says="there is no folder 'none'", code=UNWRITTEN)


def postscript(path: Path, marker: Path) -> None:
    """What Pillow hands to Ghostscript, whatever the file's name is."""
    path.write_text(f"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 32 32\n({marker}) (w) file closefile\nshowpage\n", encoding="ascii")


def test_other_formats(bench: Bench) -> None:
    """A file is what its first bytes say: none of a format that starts a program, or that is not decoded by Pillow itself."""
    model = bench.save(conv_model("net", [1, 3, 32, 32]))
    fake = bench.path("bin")
    fake.mkdir()
    ghost = fake / "gs"
    ghost.write_text(f"#!/bin/sh\ntouch {bench.path('started')}\n", encoding="utf-8")
    ghost.chmod(0o755)
    os.environ["PATH"] = f"{fake}{os.pathsep}{os.environ['PATH']}"
    for name in ("a.jpg", "a.png", "a.eps"):
        bench.path(name).mkdir()
        postscript(bench.path(name) / name, bench.path("marker"))
        refuse(bench, model, f"--data={name}", "-o", "out.onnx", code=BAD_INPUT,
               says=f"the picture '{name}/{name}' cannot be read: it is EPS by its first bytes, expected BMP, GIF")  # fmt: skip
    assert not bench.path("started").exists() and not bench.path("marker").exists()
    for kind, suffix in (("PPM", "ppm"), ("TGA", "tga"), ("ICO", "ico"), ("JPEG2000", "jp2"), ("PCX", "png")):
        bench.path(suffix + kind).mkdir()
        Image.new("RGB", (32, 32), "red").save(bench.path(suffix + kind) / f"x.{suffix}", kind)
        refuse(bench, model, f"--data={suffix + kind}", "-o", "out.onnx", code=BAD_INPUT, says="expected BMP, GIF, JPEG, PNG, TIFF or WEBP")
    bench.path("floats").mkdir()
    Image.fromarray(np.full((32, 32), 0.5, np.float32)).save(bench.path("floats/x.tif"), "TIFF")
    refuse(bench, model, "--data=floats", "-o", "out.onnx", code=BAD_INPUT, says="'floats/x.tif' has floating-point pixels, expected 8 or 16")
    for kind, suffix in (("BMP", "bmp"), ("GIF", "gif"), ("JPEG", "png"), ("PNG", "jpg"), ("TIFF", "tif"), ("WEBP", "webp")):
        bench.path(kind).mkdir()
        Image.new("RGB", (40, 33), (250, 0, 0)).save(bench.path(kind) / f"x.{suffix}", kind)
        taken = pictures.read_picture(bench.path(kind) / f"x.{suffix}", pictures.Frame("nchw", 3, 32, 32), pictures.Preparation())
        assert abs(taken[0].mean() - 250 / 255) < 0.02 and taken[1:].max() < 0.02, (kind, taken)


def test_large_pictures(bench: Bench) -> None:
    """Half a megabyte of 13,000 x 13,000 pixels is refused before any of them is decoded; the option that it names works."""
    model = bench.save(conv_model("net", [1, 3, 32, 32]))
    for kind in ("PNG", "TIFF"):
        folder = bench.path(f"large{kind}")
        folder.mkdir()
        Image.new("1", (13000, 13000)).save(folder / f"x.{kind.lower()}", kind, **({"compression": "group4"} if kind == "TIFF" else {}))
        words = ("npuc-quantize", model, f"--data={folder.name}", "-o", "out.onnx")
        done, most = measured_memory(bench, *words)
        assert done.returncode == BAD_INPUT and "has 13000 x 13000 pixels, expected at most 67108864" in done.stderr, done.stderr
        assert most < 600e6, (kind, most)
    small = paint(bench, "small", 1)[0].parent
    refuse(bench, model, f"--data={small}", "-o", "out.onnx", "--budget=pixels=1727", says="--budget=pixels=1728", code=BAD_INPUT)
    quantised(bench, model, f"--data={small}", "--budget=pixels=1728")
    refuse(bench, model, f"--data={small}", "-o", "out.onnx", "--budget=pixel=9", says="unknown 'pixel', expected one of:")


def measured_memory(bench: Bench, *words: object) -> tuple[subprocess.CompletedProcess, int]:
    """How a program ends, and the most bytes that it and what it started had."""
    script = ("import os, resource, subprocess, sys; code = subprocess.run(sys.argv[1:]).returncode; "
              "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024); sys.exit(code)")
    command = [sys.executable, "-c", script, str(bench.build / "bin" / str(words[0])), *map(str, words[1:])]
    done = subprocess.run(command, cwd=bench.folder, capture_output=True, text=True, timeout=programs.TIMEOUT_SECONDS)
    return done, int(done.stdout.split()[-1])


def test_arrays_that_lie(bench: Bench) -> None:
    """What a file's first bytes ask for is no reason to take it."""
    model = bench.save(conv_model("net", [1, 3, 16, 16]))
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000, 3, 16, 16), }"
    long = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + "1," * 40 + "), }"
    for name, header, says in (("bomb", head, "which is 3072000000 bytes, and has 0"), ("deep", long, "'deep.npy' holds float32"),
                               ("fields", "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "expected numbers"),
                               ("object", "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "expected numbers"),
                               ("code", "__import__('os').system('touch started')", "'code.npy' cannot be read")):  # fmt: skip
        text = header.ljust(118) + "\n"
        data = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()
        bench.path(f"{name}.npy").write_bytes(data + (b"\0\0\0\0" if name == "deep" else b""))
        refuse(bench, model, f"--data={name}.npy", "-o", "out.onnx", says=says, code=BAD_INPUT)
    assert not bench.path("started").exists()


def spared_in(bench: Bench, name: str, nodes: list, weights: dict, shape: list[int], *words: str) -> tuple[dict, list]:
    model = bench.save(programs.network(name, nodes, weights, {"x": shape}, ["y"]))
    np.save(bench.path("x.npy"), programs.sample(*shape))
    report = quantised(bench, model, "--data=x.npy", *words)
    return report, [(one["node"], one["instead"]) for one in report["spared"]]


def test_spared_nodes(bench: Bench) -> None:
    """Nodes that onnxruntime's quantiser fails on: one scale, or float32; named, and alone."""
    conv = helper.make_node("Conv", ["x", "w0"], ["a"], name="conv")
    grouped = helper.make_node("ConvTranspose", ["a", "w1", "b1"], ["b"], name="grouped", group=2)
    norm = helper.make_node("LayerNormalization", ["b", "w2", "b2"], ["y"], name="norm", axis=-2)
    weights = kernel("w0", 4, 3, 1, 1) | kernel("w1", 4, 4, 3, 3) | kernel("b1", 8) | kernel("w2", 10, 10) | kernel("b2", 10, 10)
    report, spared = spared_in(bench, "odd", [conv, grouped, norm], weights, [1, 3, 8, 8])
    assert spared == [("grouped", "per tensor"), ("norm", "per tensor")], report["spared"]
    assert all(one["reason"] for one in report["spared"]) and report["outputs"][0]["sqnr_db"] > 20, report
    _, spared = spared_in(bench, "odd", [conv, grouped, norm], weights, [1, 3, 8, 8], "--per-tensor")
    assert spared == [], spared
    code, shown, _ = call(bench, bench.path("odd.onnx"), "--data=x.npy", "-o", "again.onnx")
    assert code == 0 and "'grouped' has one scale for all channels: onnxruntime's quantiser says" in shown, shown
    # What fails for another reason, whatever it is, stays in float32.
    real = quantiser.Quantiser.attempt

    def failing(self: quantiser.Quantiser, plan: quantiser.Plan) -> None:
        if "conv" not in plan.kept:
            raise OnnxRuntimeError("onnxruntime cannot quantise the model: no conv today")
        real(self, plan)

    with mock.patch.object(quantiser.Quantiser, "attempt", failing):
        report, spared = spared_in(bench, "odd", [conv, grouped, norm], weights, [1, 3, 8, 8])
    assert sorted(spared) == [("conv", "float32"), ("grouped", "per tensor"), ("norm", "per tensor")], spared
    assert next(one for one in report["spared"] if one["node"] == "conv")["reason"] == "no conv today"


def test_schema(bench: Bench) -> None:
    """--json is as its schema says, with pictures, a program, spared nodes; the schema lets nothing else through."""
    model = bench.save("classifier")
    paint(bench, "photos", 2)
    report = quantised(bench, model, "--data=photos", "--target=npu-nhwc")
    programs.check_schema("npuc-quantize", report)
    np.save(bench.path("x.npy"), programs.sample(1, 3, 16, 16))
    programs.check_schema("npuc-quantize", quantised(bench, bench.save(conv_model("net", [1, 3, 16, 16])), "--data=x.npy", "--keep=first"))


if __name__ == "__main__":
    programs.main(__doc__)
