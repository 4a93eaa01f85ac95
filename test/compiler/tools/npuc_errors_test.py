# SPDX-License-Identifier: Apache-2.0
"""Everything that npuc must refuse: one clear error, the documented exit code, no file left."""

from __future__ import annotations

import os
import re
import subprocess

import numpy as np
import onnx
import programs
import small
from onnx import TensorProto, helper
from programs import Bench

MODEL, USAGE, OUTPUT, UNSUPPORTED, INPUT = 1, 2, 3, 5, 8


def refuse(bench: Bench, code: int, text: str, *words: object, **options) -> str:
    """npuc must end with this code, one error that holds `text`, and no new file."""
    before = sorted(bench.folder.rglob("*"))
    done = bench.run("npuc", *words, **options)
    call = f"npuc {' '.join(map(str, words))}: exit code {done.returncode}\n{done.stderr[:2000]}"
    assert done.returncode == code, f"expected exit code {code}, {call}"
    lines = done.stderr.splitlines()
    errors = [line for line in lines if "error:" in line]
    assert len(errors) == 1 and lines[0] == errors[0], f"expected one error line, first of all, {call}"
    assert lines[0].startswith("npuc: error: "), call
    assert all(line.startswith("npuc: note: ") for line in lines[1:]), f"expected notes behind the error, {call}"
    assert text in errors[0], f"expected '{text}', {call}"
    assert len(lines[0]) < 1000 and "<<UNKNOWN" not in lines[0] and not done.stdout, call
    left = sorted(set(bench.folder.rglob("*")) - set(before))
    assert not left, f"left {left}, {call}"
    return lines[0]


def refuse_model(bench: Bench, text: str, model: onnx.ModelProto, *words: object, code: int = MODEL) -> str:
    path = bench.path("model.onnx")
    onnx.save(model, path)
    return refuse(bench, code, text, path, *words)


def relu(shape: list, element: int = TensorProto.FLOAT) -> onnx.ModelProto:
    node = helper.make_node("Relu", ["x"], ["y"], name="act")
    return programs.network("relu", [node], {}, {"x": shape}, ["y"], element)


def test_files(bench: Bench) -> None:
    whole = small.make("conv_relu").SerializeToString()
    for name, content in {"cut": whole[: len(whole) // 2], "empty": b"", "text": b"<html>no model</html>"}.items():
        bench.path(f"{name}.onnx").write_bytes(content)
        refuse(bench, MODEL, "is not an ONNX model, or is cut short", f"{name}.onnx", "--batch=1")
    refuse(bench, MODEL, "none.onnx: cannot be read: No such file", "none.onnx")
    refuse(bench, MODEL, "none.mlir", "none.mlir")
    bench.path("folder.onnx").mkdir()
    refuse(bench, MODEL, "cannot be read", "folder.onnx")


def test_graphs(bench: Bench) -> None:
    cycle = [helper.make_node("Add", ["x", "b"], ["a"], name="one"), helper.make_node("Relu", ["a"], ["b"], name="two")]
    refuse_model(bench, "cycle", programs.network("cycle", cycle, {}, {"x": [2]}, ["b"]))
    dangling = [helper.make_node("Add", ["x", "nothing"], ["y"], name="one")]
    refuse_model(bench, "nothing", programs.network("dangling", dangling, {}, {"x": [2]}, ["y"]))


def test_unsupported(bench: Bench) -> None:
    """What npuc does not do has an exit code of its own, whatever the front end."""

    def beyond(text: str, model: onnx.ModelProto) -> str:
        return refuse_model(bench, text, model, code=UNSUPPORTED)

    line = beyond("'Whatever_1'", programs.chain("unknown", [2], "Relu", "Whatever", "Relu", "Other"))
    assert "Whatever" in line and "Other" in line and "'Other_3'" in line, line
    assert "out of scope: random numbers" in beyond("'RandomNormalLike_0'", programs.chain("random", [2], "RandomNormalLike"))
    for element, name in ((TensorProto.STRING, "string"), (TensorProto.COMPLEX64, "complex64")):
        beyond(f"element type {name}", relu([2], element))
    newer = relu([2])
    newer.opset_import[0].version = 99
    beyond("opset 99", newer)
    beyond("9 dimensions, expected at most 8", relu([1] * 9))
    sequence = relu([2])
    sequence.graph.input[0].type.CopyFrom(helper.make_sequence_type_proto(sequence.graph.input[0].type))
    beyond("is not a tensor", sequence)
    reshape = helper.make_node("Reshape", ["x", "shape"], ["y"], name="turn")
    model = programs.network("reshape", [reshape], {}, {"x": [2, 3], "shape": [2]}, ["y"])
    model.graph.input[1].type.tensor_type.elem_type = TensorProto.INT64
    beyond("which depends on the model's data", model)
    tosa = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{\n  %y = {} : (tensor<4xf32>) -> tensor<4xf32>\n  return %y : tensor<4xf32>\n}}\n"
    bench.path("model.mlir").write_text(tosa.format('tosa.custom %x {domain_name="a", implementation_attrs="b", operator_name="c"}'))
    refuse(bench, UNSUPPORTED, "found operators that are not supported: tosa.custom at 'line 2'", "model.mlir")


def test_unsupported_attributes(bench: Bench) -> None:
    """One operator may be asked for what npuc does not do, or wrongly: two exit codes."""

    def one(op: str, shape: list, weights: dict, version: int = 17, **attributes: object) -> onnx.ModelProto:
        node = helper.make_node(op, ["x", *weights], ["y"], name="one", **attributes)
        arrays = {name: np.ones(size, np.float32) for name, size in weights.items()}
        model = programs.network(op, [node], arrays, {"x": shape}, ["y"])
        model.opset_import[0].version = version
        return model

    def both(beyond: tuple[str, onnx.ModelProto], wrong: tuple[str, onnx.ModelProto]) -> None:
        refuse_model(bench, *beyond, code=UNSUPPORTED)
        refuse_model(bench, *wrong, code=MODEL)

    both(("at most 3 spatial dimensions", one("Conv", [1, 2, 3, 3, 3, 3], {"w": (2, 2, 1, 1, 1, 1)})),
         ("expected the same rank", one("Conv", [1, 2, 3, 3], {"w": (2, 2, 1)})))  # fmt: skip
    both(("at most 3 spatial dimensions", one("GlobalAveragePool", [1, 2, 3, 3, 3, 3], {})),
         ("expected N, C and spatial dimensions", one("GlobalAveragePool", [1, 2], {})))  # fmt: skip
    both(("expected at most 2^24", one("MaxPool", [1, 2, 3, 3], {}, kernel_shape=[2, 2], strides=[2**25, 1])),
         ("expected 1 or more", one("MaxPool", [1, 2, 3, 3], {}, kernel_shape=[2, 2], strides=[0, 1])))  # fmt: skip
    both(("expected 1: statistics", one("BatchNormalization", [1, 2, 3, 3], dict.fromkeys("abcd", (2,)), 7, spatial=0)),
         ("the number of channels", one("BatchNormalization", [1, 2, 3, 3], dict.fromkeys("abcd", (5,)), 7)))  # fmt: skip
    tosa = "func.func @main(%x: tensor<4xi8>, %s: tensor<1xi8>, %t: tensor<9xi8>) -> tensor<4xi8> {{\n  %y = {}\n  return %y : tensor<4xi8>\n}}\n"
    negate = "tosa.negate %x, %s, %s : (tensor<4xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<4xi8>"
    for code, text, line in ((UNSUPPORTED, "zero points must be constant", negate),
                             (MODEL, "found a table", "tosa.table %x, %t : (tensor<4xi8>, tensor<9xi8>) -> tensor<4xi8>")):  # fmt: skip
        bench.path("model.mlir").write_text(tosa.format(line))
        refuse(bench, code, text, "model.mlir")


def test_sizes(bench: Bench) -> None:
    refuse_model(bench, "--input-shape=x=", relu(["n", 4]))
    refuse_model(bench, "'x'", relu([-3, 4]))
    refuse_model(bench, "'x'", relu([2**62, 2**62]))
    refuse_model(bench, "2^40", relu([2**31, 2**10]))
    refuse_model(bench, "must be smaller than 2 GB", relu(["n", 1024]), "--batch=600000", code=UNSUPPORTED)
    negative = small.make("conv_relu")
    negative.graph.initializer[0].dims[0] = -16
    refuse_model(bench, "-16", negative, "--batch=1")
    wrong = small.make("conv_relu")
    wrong.graph.initializer[0].dims[0] = 2**40
    refuse_model(bench, negative.graph.initializer[0].name, wrong, "--batch=1")


def test_external_data(bench: Bench) -> None:
    model = small.make("conv_relu")
    path = bench.path("external.onnx")
    onnx.save(model, path, save_as_external_data=True, location="weights.bin", size_threshold=0)
    weights = bench.path("weights.bin").read_bytes()
    bench.path("weights.bin").write_bytes(weights[:100])
    refuse(bench, MODEL, "weights.bin", path, "--batch=1")
    bench.path("weights.bin").unlink()
    refuse(bench, MODEL, "weights.bin", path, "--batch=1")


def test_inputs(bench: Bench) -> None:
    path = bench.save("conv_relu")
    refuse(bench, USAGE, "'q', which is no input; the inputs are 'x'", path, "--input-shape=q=1,3,32,32")
    refuse(bench, USAGE, "dimension 1 of input 'x' is 3", path, "--input-shape=x=1,4,32,32")
    refuse(bench, USAGE, "input 'x'", path, "--input-shape=x=1,3,32")
    refuse(bench, MODEL, "'x'", path, "--input-shape=x=9223372036854775807,3,32,32")
    for wrong in ("x", "x=", "=1,3", "x=1,a", "x=-1,3", "x=99999999999999999999,3", "x=1,,3"):
        refuse(bench, USAGE, "--input-shape", path, f"--input-shape={wrong}")
    refuse(bench, USAGE, "has two shapes", path, "--input-shape=x=1,3,32,32", "--input-shape=x=2,3,32,32")
    for wrong in ("-1", "x", "1.5"):
        refuse(bench, USAGE, "--batch", path, f"--batch={wrong}")
    refuse(bench, USAGE, "'q'; it has 'x', 'y'", path, "--batch=1", "--io-layout=q=NHWC")
    refuse(bench, USAGE, "'QQ' is not a layout", path, "--batch=1", "--io-layout=x=QQ")
    refuse(bench, USAGE, "does not fit 'x'", path, "--batch=1", "--io-layout=x=abc")
    refuse(bench, USAGE, "--io-layout: 'sideways'", path, "--batch=1", "--io-layout=sideways")
    refuse(bench, USAGE, "has two layouts", path, "--batch=1", "--io-layout=x=NHWC", "--io-layout=x=NCHW")


def test_bound_inputs(bench: Bench) -> None:
    path = bench.save("conv_relu")
    array = programs.sample(1, 3, 32, 32)
    np.save(bench.path("good.npy"), array)
    np.save(bench.path("fortran.npy"), np.asfortranarray(array))
    np.save(bench.path("double.npy"), array.astype(np.float64))
    np.save(bench.path("complex.npy"), array.astype(np.complex64))
    np.save(bench.path("integers.npy"), array.astype(np.int32))
    np.save(bench.path("shape.npy"), array[:, :2])
    bench.path("short.npy").write_bytes(bench.path("good.npy").read_bytes()[:-4])
    bench.path("long.npy").write_bytes(bench.path("good.npy").read_bytes() + b"1234")
    bench.path("header.npy").write_bytes(bench.path("good.npy").read_bytes()[:40])
    bench.path("text.npy").write_text("no array", encoding="utf-8")
    # Sizes that no number holds: elements of one dimension, of the whole, bytes.
    for name, shape in {"extent": (1, 2**63 - 1, 2), "whole": (2**31, 3, 32, 2**24), "bytes": (2**61,)}.items():
        header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
        bench.path(f"{name}.npy").write_bytes(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header)
    cases = {
        "fortran": "Fortran order", "double": "type 'f64', expected 'f32'", "complex": "'<c8', which no input has", "integers": "i32", "shape": "dimension 1 of input 'x' is 3",
        "short": "bytes of elements", "long": "bytes of elements", "header": "'header.npy'", "text": "'text.npy'",
        "none": "cannot be read: No such file", "extent": "2^40 elements", "whole": "2^40 elements", "bytes": "2^40 elements",
    }  # fmt: skip
    for name, text in cases.items():
        refuse(bench, INPUT, text, path, f"--bind-input=x={name}.npy")
    refuse(bench, USAGE, "'q'", path, "--batch=1", "--bind-input=q=good.npy")
    refuse(bench, USAGE, "NAME=VALUE", path, "--bind-input=good.npy")
    refuse(bench, USAGE, "has two files", path, "--bind-input=x=good.npy", "--bind-input=x=shape.npy")


def test_targets(bench: Bench) -> None:
    path = bench.save("conv_relu")
    shipped = (programs.ROOT / "targets" / "npu-nhwc.yaml").read_text(encoding="utf-8")
    line = 1 + shipped[: shipped.index("\nmachine:")].count("\n")
    unknown = shipped.replace("npu-nhwc\n", "unknown\n", 1).replace("\nmachine:", "\nspeed: 3\nmachine:")
    cases = {
        "unknown": (unknown, f"unknown.yaml:{line + 1}:", "'speed'"),
        "broken": ("name: [a\n", "broken.yaml:", ""),
        "empty": ("", "empty.yaml", ""),
    }
    for name, (text, place, what) in cases.items():
        bench.path(f"{name}.yaml").write_text(text, encoding="utf-8")
        found = refuse(bench, INPUT, place, path, "--batch=1", f"--target={name}.yaml")
        assert what in found, found
        assert refuse(bench, INPUT, place, f"--check-target={name}.yaml") == found
    bench.path("chip").write_text("", encoding="utf-8")
    refuse(bench, USAGE, "write './chip'", "--check-target=chip")
    refuse(bench, USAGE, "npu-nchw16c", "--check-target=npu-42")
    refuse(bench, INPUT, "'none.yaml' cannot be read: No such file", "--check-target=none.yaml")
    refuse(bench, USAGE, "are two targets", "--check-target=npu-nhwc", "--target=npu-nchw")
    for words in (("--check-target=npu-nhwc",), ("--check-target", "--target=npu-nhwc"), ("--check-target=npu-nhwc", "--target=npu-nhwc")):
        assert "conv2d" in bench.npuc(*words).stdout
    refuse(bench, USAGE, "npu-nchw16c", path, "--batch=1", "--target=npu-42")
    refuse(bench, INPUT, "none.yaml", path, "--batch=1", "--target=none.yaml")


def test_options(bench: Bench) -> None:
    path = bench.save("conv_relu")
    refuse(bench, USAGE, "none, naive, auto-nhwc", path, "--batch=1", "--layout=best")
    refuse(bench, USAGE, "count, bytes, time", path, "--batch=1", "--objective=power")
    refuse(bench, USAGE, "unknown 'f16', expected one of: f32, bf16, i8", path, "--batch=1", "--precision=f16")
    refuse(bench, USAGE, "--layout-seconds", path, "--batch=1", "--layout-seconds=-1")
    convert = (path, "--batch=1", "--layout=convert")
    refuse(bench, USAGE, "'conv9' is no op", *convert, "--desired-layouts=conv9:NHWC:default")
    refuse(bench, USAGE, "conv2d takes 2 layouts", *convert, "--desired-layouts=conv2d:NHWC")
    refuse(bench, USAGE, "goes with --layout=convert", path, "--batch=1", "--layout=naive",
           "--desired-layouts=conv2d:NHWC:default")  # fmt: skip
    refuse(bench, USAGE, "'red' is no colour", path, "--batch=1", "--layout=preset", "--default-colour=red")
    refuse(bench, USAGE, "'z80' is no processor", path, "--batch=1", "--mcpu=z80")
    refuse(bench, USAGE, "'x86-64' has no fma", path, "--batch=1", "--mcpu=x86-64")
    refuse(bench, USAGE, "npu, mlir, llvm, asm, obj, html", path, "--batch=1", "--emit=exe")
    refuse(bench, USAGE, "--nonsense", path, "--nonsense")
    refuse(bench, USAGE, "--threads", path, "--threads=0")
    refuse(bench, USAGE, "--batch: '1.5' is not a whole number from 0 to", path, "--batch=1.5")
    refuse(bench, USAGE, "--verify-layout takes no value, but '2' is given", path, "--batch=1", "--verify-layout=2")
    refuse(bench, USAGE, "standard output", path, "--batch=1", "-o", "-")
    refuse(bench, USAGE, "model is required")
    function = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}\n"
    bench.path("model.mlir").write_text(function, encoding="utf-8")
    np.save(bench.path("x.npy"), np.zeros(4, np.float32))
    for option in ("--batch=1", "--input-shape=x=1", "--bind-input=x=x.npy"):
        refuse(bench, MODEL, "in the npu dialect, whose inputs are fixed", "model.mlir", option)


def test_wrong_command_lines(bench: Bench) -> None:
    """Every program says what is wrong in one line with its name."""
    for program in ("npuc", "npu-run", "npu-dump", "npu-check-certificate", "npu-layout-diff"):
        for words in ((), ("a", "b", "--no\nsense")):
            done = bench.run(program, *words)
            said = rf"{program}: error: .+; see {program} --help\n"
            assert done.returncode == USAGE and not done.stdout and re.fullmatch(said, done.stderr), (program, done)


def test_infeasible(bench: Bench) -> None:
    path = bench.save("conv_relu")
    line = refuse(bench, MODEL, "infeasible", path, "--batch=1", "--target=npu-nhwc", "--layout=none")
    assert "Conv 'Conv_0'" in line and "demands NHWC (acdb) for its data, found abcd" in line, line


def test_outputs(bench: Bench) -> None:
    path = bench.save("conv_relu")
    for kind in ("npu", "mlir", "llvm", "asm", "obj", "html"):
        refuse(bench, OUTPUT, "there is no folder 'none'", path, "--batch=1", f"--emit={kind}", "-o", "none/out")
    bench.path("folder").mkdir()
    refuse(bench, OUTPUT, "it is a folder", path, "--batch=1", "-o", "folder")
    refuse(bench, OUTPUT, "there is no folder 'none'", path, "--batch=1", "-o", "out.npu", "--report=none/report.json")
    # A pipe must neither be replaced nor waited for.
    os.mkfifo(bench.path("pipe"))
    refuse(bench, OUTPUT, "not a regular file", path, "--batch=1", "-o", "pipe")
    assert bench.path("pipe").is_fifo()


def test_full_disk(bench: Bench) -> None:
    """Full at every step: code object, data object, ELF, manifest, footer."""
    path = bench.save("residual")
    size = bench.compile("residual", "--batch=1").stat().st_size
    bench.path("out.npu").write_bytes(b"old")
    for room in (0, 100, 2000, size // 4, size // 2, size - 2000, size - 64, size - 1):
        line = refuse(bench, OUTPUT, "cannot write", path, "--batch=1", "-o", "out.npu", file_limit=room)
        assert "out.npu'" in line and "/.npu-" not in line, line
        assert bench.path("out.npu").read_bytes() == b"old"
    for kind in ("mlir", "llvm", "asm", "obj", "html"):
        refuse(bench, OUTPUT, "cannot write", path, "--batch=1", f"--emit={kind}", "-o", "out.txt", file_limit=100)


def test_full_disk_of_the_report(bench: Bench) -> None:
    """There is no program then, either (outputs_test.py has all such cases)."""
    path = bench.save("conv_relu")
    refuse(bench, OUTPUT, "No space left on device", path, "--batch=1", "-o", "out.npu", "-q", "--report=/dev/full")
    with open("/dev/full", "w", encoding="utf-8") as full:
        command = [bench.build / "bin" / "npuc", path, "--batch=1", "--emit=mlir", "-o", "-", "-q"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == OUTPUT and "cannot write to standard output" in done.stderr, done


if __name__ == "__main__":
    programs.main(__doc__)
