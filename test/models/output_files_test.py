# SPDX-License-Identifier: Apache-2.0
"""Files of the Python programs: none in the place of another, all or none, nothing left by a signal."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench" / "models"), str(ROOT / "test" / "compiler" / "tools")]

import small  # noqa: E402
import zoo  # noqa: E402
from npu_bench import input_files  # noqa: E402
from npu_bench.errors import OutputError, UsageError  # noqa: E402
from npu_bench.output_files import OutputFiles  # noqa: E402
from npu_sweep import grid, store  # noqa: E402
from programs import called  # noqa: E402

MODEL, USAGE, OUTPUT, INPUT = 1, 2, 3, 8
PATIENCE_SECONDS = 60
EARLY_MOMENTS, EARLY_SECONDS = 12, 0.3  # in which signals come


def content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def refused(build: Path, text: str, program: str, *words: object, code: int = USAGE) -> None:
    done = called(build, program, *words)
    assert done.returncode == code and text in done.stderr, done
    assert done.stderr.startswith(f"{program}: error: ") and done.stderr.count("\n") == 1, done


def test_clashes(folder: Path) -> None:
    old = folder / "old"
    old.write_text("x", encoding="utf-8")
    (folder / "hard").hardlink_to(old)
    (folder / "soft").symlink_to("old")
    (folder / "dangling").symlink_to("new")
    (folder / "linked").symlink_to(folder)
    pairs = {
        ("old", "./old"): True, ("old", "hard"): True, ("soft", "hard"): True, ("linked/old", "old"): True,
        ("new", "linked/new"): True, ("dangling", "new"): True, ("new", "newer"): False, ("old", "new"): False,
        ("/dev/null", "/dev/null"): False,
    }  # fmt: skip
    for (first, second), same in pairs.items():
        for declare in (OutputFiles.reads, OutputFiles.writes):
            files = OutputFiles()
            declare(files, "one", folder / first)
            try:
                files.writes("two", folder / second)
                refused = False
            except UsageError as error:
                refused = "would replace one" in str(error)
            assert refused == same, (first, second)


def test_all_or_none(folder: Path) -> None:
    (folder / "b").write_text("old", encoding="utf-8")
    with OutputFiles() as files:
        for name in "abc":
            files.write(folder / name, name.encode())
        (folder / "c").mkdir()  # somebody was faster
        try:
            files.commit()
            raise AssertionError("c is a folder")
        except OSError:
            pass
    assert sorted(path.name for path in folder.iterdir()) == ["b", "c"] and (folder / "b").read_text() == "old"
    (folder / "c").rmdir()
    (folder / "link").symlink_to("real")
    with OutputFiles() as files:
        for name in ("a", "b", "link"):
            files.write(folder / name, name.encode())
        assert (folder / "b").read_text() == "old"
        files.commit()
    assert (folder / "link").is_symlink() and content(folder)[str(folder / "real")] == b"link"
    assert sorted(path.name for path in folder.iterdir()) == ["a", "b", "link", "real"]


def outside(name: str, location: str) -> TensorProto:
    """A tensor of four numbers in a file."""
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[4], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=location)
    return tensor


def adding(*tensors: TensorProto, nodes: tuple = ()) -> onnx.ModelProto:
    """x + w, and nodes that nothing reads."""
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in "xy")
    graph = helper.make_graph([*nodes, helper.make_node("Add", ["x", "w"], ["y"])], "g", [x], [y], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_weights(folder: Path) -> None:
    """Wherever a tensor stands."""
    constants = [helper.make_node("Constant", [], [name], value=outside(name, f"{name}.bin")) for name in "abc"]
    body = helper.make_graph([constants[1]], "body", [], [])
    branch = helper.make_node("If", ["a"], ["z"], then_branch=body, else_branch=body)
    model = adding(outside("w", "w.bin"), nodes=(constants[0], branch))
    model.functions.append(helper.make_function("d", "f", [], ["c"], constants[2:], [helper.make_opsetid("", 17)]))
    sparse = helper.make_sparse_tensor(outside("s", "s.bin"), outside("i", "i.bin"), [9])
    model.graph.sparse_initializer.append(sparse)
    found = {path.name for path in input_files.weights_of(model, folder / "m.onnx")}
    assert found == {f"{name}.bin" for name in "abcwsi"}, found


def test_programs(build: Path, folder: Path) -> None:
    model = folder / "model.onnx"
    onnx.save(small.make("conv_relu"), model, save_as_external_data=True, location="weights.bin", size_threshold=0)
    np.save(folder / "x.npy", np.zeros((1, 3, 32, 32), np.float32))
    chip = Path(shutil.copy(ROOT / "targets" / "npu-nhwc.yaml", folder / "chip.yaml"))
    (folder / "hard").hardlink_to(model)
    (folder / "hard.png").hardlink_to(model)
    before = content(folder)
    compare = ["npu-compare", model, "--input", f"x={folder}/x.npy", f"--target={chip}"]
    reduce = ["npu-reduce", model, f"--layout-plan={folder / 'x.npy'}", "--target", chip]
    calls = [
        *[[*compare, f"--json={folder / name}"] for name in ("model.onnx", "hard", "weights.bin", "x.npy", "chip.yaml")],
        *[[*reduce, f"--reduce={folder / name}"] for name in ("model.onnx", "hard", "weights.bin", "chip.yaml", "x.npy")],
        ["npu-reduce", model, f"--bind-input=x={folder / 'x.npy'}", f"--reduce={folder / 'x.npy'}"],
        *[["npu-bench", model, f"--plans={chip}/naive", f"--{option}={folder / name}"]
          for option in ("json", "markdown") for name in ("hard", "weights.bin", "chip.yaml")],
        ["npu-bench", model, f"--chart={folder / 'hard.png'}"],
        ["npu-bench", model, f"--json={folder}/new", f"--markdown={folder}/./new"],
    ]  # fmt: skip
    for program, *words in calls:
        refused(build, "would replace", program, *words)
        assert content(folder) == before, words


def test_standard_output(build: Path, folder: Path) -> None:
    """Several may write there, where its file ends; under its name it is a file like others."""
    onnx.save(small.make("conv_relu"), folder / "model.onnx")
    command = [build / "bin" / "npu-compare", "model.onnx"]
    with (folder / "log").open("wb") as log:
        log.write(b"before ")
        log.flush()
        subprocess.run([*command, "--json=/dev/stdout"], cwd=folder, stdout=log, check=True, stderr=subprocess.DEVNULL)
    text = (folder / "log").read_text(encoding="utf-8")
    assert text.startswith('before {\n "version"') and text.endswith(" 0 differ\n"), text
    before = content(folder)
    for name, words in (("log", ["--json=log"]), ("model.onnx", [])):
        with (folder / name).open("ab") as file:
            done = subprocess.run([*command, *words], cwd=folder, stdout=file, stderr=subprocess.PIPE)
        assert done.returncode == USAGE and b"would replace" in done.stderr, done
        assert b"standard output" in done.stderr and content(folder) == before, done


def test_places(build: Path, folder: Path) -> None:
    """What is wrong with an output is said with its name, and before anything is done."""
    model = folder / "model.onnx"
    onnx.save(small.make("conv_relu"), model)
    (folder / "dangling").symlink_to("none/x")
    for program, option in (("npu-compare", "json"), ("npu-reduce", "reduce"), ("npu-bench", "markdown")):
        refused(build, "cannot write 'none/x': there is no folder 'none'", program, model, f"--{option}=none/x", code=OUTPUT)
        refused(build, f"there is no folder '{folder}/none'", program, model, f"--{option}={folder}/dangling", code=OUTPUT)
        refused(build, f"cannot write '{folder}': it is a folder", program, model, f"--{option}={folder}", code=OUTPUT)
        refused(build, "expected a file's name", program, model, f"--{option}=")
    refused(build, "--chart: expected a name", "npu-bench", model, "--chart=x.none")
    refused(build, "cannot write '/dev/full': No space left on device", "npu-compare", model, "--json=/dev/full", code=OUTPUT)
    for program, *words in (["npu-compare", model], ["npu-reduce", model, "--reduce=x"], ["npu-bench", model],
                            ["npu-sweep", model, "--dry-run"]):  # fmt: skip
        refused(build, "2147483647", program, *words, "--batch=2147483648")
    try:
        with OutputFiles() as files:
            files.write(folder / "none" / "x", b"")
        raise AssertionError("there is no such folder")
    except OutputError as error:
        assert f"cannot write '{folder}/none/x': No such file" in str(error), error


def test_inputs(build: Path, folder: Path) -> None:
    """No pipe is waited for, no device read without end; what a library throws is one line."""
    model, pipe = folder / "model.onnx", folder / "pipe"
    onnx.save(small.make("conv_relu"), model)
    os.mkfifo(pipe)
    np.savez(folder / "x.npz", x=np.zeros(3))
    for path in (pipe, "/dev/zero"):
        for program, *words in (["npu-compare"], ["npu-reduce", f"--reduce={folder}/x"], ["npu-bench"], ["npu-sweep"],
                                ["npuc-quantize", "--data=x.npy", f"-o{folder}/x"]):  # fmt: skip
            refused(build, f"'{path}'", program, path, *words, code=MODEL)
        refused(build, "it is not a regular file", "npu-compare", model, f"--input=x={path}", code=INPUT)
    refused(build, "it is no .npy file of numbers", "npu-compare", model, f"--input=x={folder}/x.npz", code=INPUT)
    (folder / "pipe.yaml").symlink_to(pipe)
    refused(build, "it is not a regular file", "npu-sweep", model, f"--target={folder}/pipe.yaml", code=INPUT)
    for location in ("/dev/zero", "pipe", "\x1b[31m\nx", "a" * 5000, "none"):
        onnx.save(adding(outside("w", location)), folder / "bad.onnx")
        refused(build, "the weights of", "npu-compare", folder / "bad.onnx", code=MODEL)


def test_holes(build: Path, folder: Path) -> None:
    """Small files that say they are gigabytes, which holes make true, or that nest too deep, are refused at once."""
    model = folder / "model.onnx"
    onnx.save(small.make("conv_relu"), model)
    for name, begin, size, says in (
        ("long", b"\x93NUMPY\x02\0\xf0\xff\xff\xff", 5 << 30, "it has a header of 4294967280 bytes, expected at most 65536"),
        ("deep", b"\x93NUMPY\x02\0\x60\xea\0\0" + b"(" * 60000, 60012, "it has a header that numpy would not write"),
        ("cut", b"\x93NUMPY\x01\0\x76", 9, "it has a header that numpy would not write"),
    ):
        with (folder / f"{name}.npy").open("wb") as file:
            file.write(begin)
            file.truncate(size)
        refused(build, says, "npu-compare", model, f"--input=x={folder}/{name}.npy", code=INPUT)
    for name in ("w.bin", "all.onnx", "chip.yaml"):
        with (folder / name).open("wb") as file:
            file.truncate(30 << 30)
    refused(build, "it has 32212254720 bytes, expected at most 2147483647", "npu-compare", folder / "all.onnx", code=MODEL)
    sweep = ["npu-sweep", model, f"--output={folder}/sweep", "--dry-run"]
    refused(build, "it has 32212254720 bytes, expected at most 16777216", *sweep, f"--target={folder}/chip.yaml", code=INPUT)
    (folder / "deep.yaml").write_text("name: " + "[" * 100000 + "\n")
    refused(build, "it has too many brackets or lists inside each other", *sweep, f"--target={folder}/deep.yaml", code=INPUT)
    onnx.save(adding(outside("w", "w.bin")), folder / "holes.onnx")
    refused(build, "tensor 'w' takes 32212254720 bytes; a tensor must be smaller than 2 GB", "npu-compare",
            folder / "holes.onnx", code=MODEL)  # fmt: skip


def test_wrong_models(build: Path, folder: Path) -> None:
    """Inputs that cannot be are refused as npuc does it, before numpy fails on them or takes all memory."""
    path = folder / "model.onnx"
    cases = [
        (99, [2], "'x' has the element type number 99, expected one of FLOAT,"),
        (TensorProto.BFLOAT16, [2], "'x' has the element type BFLOAT16"),
        (0, [2], "'x' has the element type UNDEFINED"),
        (TensorProto.FLOAT, [2**62, 2**62], "'x' (4611686018427387904x4611686018427387904) is too large"),
        (TensorProto.FLOAT, [0, 2**62], "is too large"),
        (TensorProto.FLOAT, [2**29], "'x' (536870912) is too large"),
        (TensorProto.FLOAT, [2, -2], "size 1 of input 'x' is -2, expected 0 or more"),
        (TensorProto.FLOAT, [2, -1], "size 1 of input 'x' is unknown; say --input-shape=x=N,..."),
        (TensorProto.FLOAT, [1] * 70, "'x' has 70 dimensions, expected at most 8"),
        (None, [2], "input 'x' is not a tensor"),
    ]
    for kind, shape, text in cases:
        model = adding(TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[]))
        x = helper.make_tensor_value_info("x", kind, shape) if kind is not None else onnx.ValueInfoProto(name="x")
        model.graph.input[0].CopyFrom(x)
        onnx.save(model, path)
        code = USAGE if "is unknown" in text else MODEL
        refused(build, text, "npu-compare", path, code=code)
        refused(build, text, "npu-bench", path, code=code)


def test_names(build: Path, folder: Path) -> None:
    """Of bytes that are no UTF-8, and of characters that a terminal obeys."""
    model = folder / os.fsdecode(b"n[red]\xff\x1b[2J.onnx")
    onnx.save(small.make("conv_relu"), model)
    shown = "n[red]\\udcff\\x1b[2J"
    options = {"npu-bench": ["--plans=npu-nhwc/naive", "--rounds=1", f"--markdown={folder}/out"],
               "npu-sweep": [f"--output={folder}/sweep", "--layout=naive", "--workers=1"]}  # fmt: skip
    for program, words in options.items():
        done = subprocess.run([build / "bin" / program, model, *words], capture_output=True, text=True)
        assert done.returncode == 0 and shown in done.stdout, done
        assert "Traceback" not in done.stderr and "\x1b" not in done.stdout, done
    assert shown in (folder / "out").read_text(encoding="utf-8")
    assert shown in (folder / "sweep" / "results.csv").read_text(encoding="utf-8")


def test_sweep(build: Path, folder: Path) -> None:
    """Its files have fixed names in the folder of an earlier sweep."""
    sweep, model = folder / "sweep", folder / "model.onnx"
    onnx.save(small.make("conv_relu"), model)
    words = ["--layout=naive", f"--output={sweep}", "--workers=1", "--json"]
    (folder / "tmp").mkdir()
    subprocess.run([build / "bin" / "npu-sweep", model, *words], check=True, capture_output=True,
                   env={**os.environ, "TMPDIR": str(folder / "tmp")})  # fmt: skip
    assert not list((folder / "tmp").iterdir()), list((folder / "tmp").iterdir())
    for name in ("page.html", ".lock"):
        for link in (Path.hardlink_to, Path.symlink_to):
            (sweep / name).rename(folder / "kept")
            link(sweep / name, model)
            before = content(folder)
            refused(build, "would replace the model", "npu-sweep", model, *words)
            assert content(folder) == before
            (folder / "kept").rename(sweep / name)


def test_locks(folder: Path) -> None:
    """Whatever their name means stays as it is."""
    kept = folder / "kept"
    kept.write_text("x", encoding="utf-8")
    for lock in (folder / ".lock", folder / "export.lock"):
        lock.hardlink_to(kept)
    store.Store(folder, grid.Axes([], [], [], [], {}, [], "time")).open()
    with zoo.locked(folder / "export"):
        assert kept.read_text(encoding="utf-8") == "x"


def end_when(command: list, folder: Path, ready: Callable[[Path], bool], number: signal.Signals) -> None:
    """By that signal, with nothing left in the folder for temporary files, and no process."""
    scratch = folder / "tmp"
    process = subprocess.Popen(command, env={**os.environ, "TMPDIR": str(scratch)}, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, process_group=0, text=True)  # fmt: skip
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not ready(scratch):
        assert time.monotonic() < deadline and process.poll() is None, process.communicate()
        time.sleep(0.002)
    process.send_signal(number)
    _, said = process.communicate()
    assert process.returncode == -number and "Traceback" not in said, (number, process.returncode, said)
    assert not list(scratch.iterdir()), list(scratch.iterdir())
    try:
        os.killpg(process.pid, 0)
        raise AssertionError(f"{command}: a process is left")
    except ProcessLookupError:
        pass


def test_endings(build: Path, folder: Path) -> None:
    """By the signal, at any moment; and a full disk is one line."""
    model, scratch = folder / "model.onnx", folder / "tmp"
    onnx.save(small.make("residual"), model)
    scratch.mkdir()
    compare = [build / "bin" / "npu-compare", model, f"--json={folder}/layers.json"]
    bench = [build / "bin" / "npu-bench", model, "--plans=npu-nhwc/naive", "--rounds=1000", f"--json={folder}/bench.json"]
    endless = [build / "bin" / "npu-reduce", model, f"--reduce={folder}/out", "--reduce-test=sleep 1000; false"]
    is_working = {
        "npu-compare": lambda scratch: list(scratch.iterdir()),
        "npu-bench": lambda scratch: list(scratch.glob("npu-bench-*")),
        "a worker": lambda scratch: list(scratch.glob("npu-bench-*/input0.npy")),
        "npu-reduce": lambda scratch: list(scratch.glob("npu-reduce-*/part.onnx")),
    }
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        end_when(compare, folder, is_working["npu-compare"], number)
    for ready, number in (("npu-bench", signal.SIGTERM), ("a worker", signal.SIGINT)):
        end_when(bench, folder, is_working[ready], number)
    end_when(endless, folder, is_working["npu-reduce"], signal.SIGTERM)
    assert sorted(path.name for path in folder.iterdir()) == ["model.onnx", "tmp"]
    for moment in range(EARLY_MOMENTS):  # while Python starts, while it imports
        until = time.monotonic() + EARLY_SECONDS * moment / EARLY_MOMENTS
        end_when(compare, folder, lambda _: time.monotonic() >= until, signal.SIGINT)
    for words in (["npu-compare", model], ["npu-compare", "--help"], ["npu-reduce", "--help"], ["npu-bench", "--help"],
                  ["npu-sweep", "--help"], ["npuc-quantize", "--help"]):  # fmt: skip
        with open("/dev/full", "wb") as full:
            done = subprocess.run([build / "bin" / words[0], *words[1:]], stdout=full, stderr=subprocess.PIPE, text=True)
        lines = done.stderr.splitlines()
        assert done.returncode == OUTPUT and len(lines) == 1 and "No space left on device" in lines[0], (words, done)


PROGRAM = """
import atexit, os, signal, sys, warnings
from npu_bench import program

def signals(*numbers):
    signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    for number in numbers:
        os.kill(os.getpid(), number)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)

def main():
{body}
    return 0

program.start("npu-test", main)
"""


def test_program() -> None:
    """How a program ends: exit code and standard error."""
    both = "signals(signal.SIGTERM, signal.SIGINT)"
    cases = {
        both: (-signal.SIGINT, ""),
        f"with program.signals_wait(): {both}": (-signal.SIGINT, ""),
        # A second one raises no second exception where the first is being heeded.
        f"try: {both}\n    finally:\n        with program.signals_wait(): print('well', file=sys.stderr)":
            (-signal.SIGINT, "well\n"),
        f"try:\n        with program.signals_wait(): {both}\n    finally:\n"
        "        with program.signals_wait(): pass\n        print('well', file=sys.stderr)": (-signal.SIGINT, "well\n"),
        "atexit.register(signals, signal.SIGTERM)": (-signal.SIGTERM, ""),
        "raise ValueError('a\\nb')": (70, "npu-test: error: a mistake of npu-test itself, in main of <string>, line "
                                         "12: ValueError: a b; please report it\n"),
        "warnings.warn('x')": (0, ""),
    }  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "bench")}
    for body, wanted in cases.items():
        command = [sys.executable, "-c", PROGRAM.format(body=f"    {body}")]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert (done.returncode, done.stderr) == wanted, (body, done)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build folder")
    build = parser.parse_args().build.resolve()
    for test in (test_clashes, test_all_or_none, test_weights, test_locks):
        with tempfile.TemporaryDirectory() as name:
            test(Path(name).resolve())
    test_program()
    for test in (test_programs, test_standard_output, test_places, test_inputs, test_holes, test_wrong_models, test_names, test_sweep,
                 test_endings):  # fmt: skip
        with tempfile.TemporaryDirectory() as name:
            test(build, Path(name).resolve())
        print(f"{test.__name__} ok", flush=True)


if __name__ == "__main__":
    main()
