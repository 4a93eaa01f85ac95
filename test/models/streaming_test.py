# SPDX-License-Identifier: Apache-2.0
"""Streaming networks: 50 runs in a row of npuc's programs give what LiteRT's reference kernels give.

Integers to the bit; each plan is certified. The runs are one series of npu-run; two series, with the states in files between them; and a
context of the module npuc beside another one, reset and run again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]

import jsonschema  # noqa: E402
import streaming_nets  # noqa: E402
from ai_edge_litert.interpreter import Interpreter, OpResolverType  # noqa: E402

STEPS = 50
TOLERANCE = 1e-5  # of the largest number, f32
FLOAT_TARGETS = ("host", "npu-nhwc", "npu-nchw16c")
TARGETS = (*FLOAT_TARGETS, "npu-ethos-u55")


class Reference:
    """LiteRT's results for random inputs, run after run."""

    def __init__(self, model: Path, steps: int) -> None:
        interpreter = Interpreter(model_path=str(model), experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
        interpreter.allocate_tensors()
        (given,), (result,) = interpreter.get_input_details(), interpreter.get_output_details()
        self.given, self.result = given["name"], result["name"]
        random = np.random.default_rng(1)
        shape = (steps, *(int(size) for size in given["shape"]))
        if given["dtype"] == np.float32:
            self.inputs = random.standard_normal(shape, np.float32)
        else:
            limits = np.iinfo(given["dtype"]) if given["dtype"] != np.int32 else np.iinfo(np.int8)
            self.inputs = random.integers(limits.min, limits.max + 1, shape).astype(given["dtype"])
        results = []
        for values in self.inputs:
            interpreter.set_tensor(given["index"], values)
            interpreter.invoke()
            results.append(interpreter.get_tensor(result["index"]).copy())
        self.outputs = np.stack(results)

    def check(self, got: np.ndarray, what: str) -> None:
        want = self.outputs[: len(got)]
        if got.dtype != want.dtype or got.shape != want.shape:
            raise SystemExit(f"{what}: {got.dtype} {got.shape}, expected {want.dtype} {want.shape}")
        allowed = TOLERANCE * float(np.abs(want).max()) if want.dtype == np.float32 else 0.0
        wrong = np.abs(got.astype(np.float64) - want.astype(np.float64))
        if not wrong.max() <= allowed:
            steps = np.flatnonzero(wrong.reshape(len(got), -1).max(axis=1) > allowed)
            raise SystemExit(f"{what}: differs by {wrong.max()}, allowed {allowed}, first in run {steps[0]}, in {len(steps)} of {len(got)}")


def run(build: Path, tool: str, *words: str) -> None:
    done = subprocess.run([str(build / "bin" / tool), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise SystemExit(f"{tool} {' '.join(words)[:300]}: {done.returncode}\n{done.stderr[-2000:]}")


def in_one_series(build: Path, program: Path, reference: Reference, folder: Path) -> None:
    np.save(folder / "x.npy", reference.inputs)
    run(build, "npu-run", str(program), "--threads=1", f"--steps={len(reference.inputs)}", "--repeat=2",
        "--input", f"{reference.given}={folder / 'x.npy'}", "--output", f"{reference.result}={folder / 'y.npy'}")  # fmt: skip
    reference.check(np.load(folder / "y.npy"), f"{program.name}, a series")


def in_two_series(build: Path, program: Path, reference: Reference, folder: Path, states: list[str]) -> None:
    half = len(reference.inputs) // 2
    results = []
    for number, inputs in enumerate((reference.inputs[:half], reference.inputs[half:])):
        np.save(folder / "x.npy", inputs)
        words = [f"--state-out={name}={folder / f'state{i}.npy'}" for i, name in enumerate(states)]
        if number == 1:
            for i in range(len(states)):
                (folder / f"state{i}.npy").rename(folder / f"before{i}.npy")
            words += [f"--state-in={name}={folder / f'before{i}.npy'}" for i, name in enumerate(states)]
        run(build, "npu-run", str(program), "--threads=1", f"--steps={len(inputs)}", *words,
            "--input", f"{reference.given}={folder / 'x.npy'}", "--output", f"{reference.result}={folder / 'y.npy'}")  # fmt: skip
        results.append(np.load(folder / "y.npy"))
    reference.check(np.concatenate(results), f"{program.name}, two series")


def refusals(build: Path, program: Path, reference: Reference, folder: Path, state: str) -> None:
    """npu-run says what is wrong, and writes nothing."""
    np.save(folder / "x.npy", reference.inputs)
    np.save(folder / "wrong.npy", np.zeros(3, np.float32))
    given = [f"--input={reference.given}={folder / 'x.npy'}"]
    steps = f"--steps={len(reference.inputs)}"
    left = folder / "left.npy"
    rows = [
        ([*given, steps, f"--state-in=nothing={folder / 'x.npy'}"], 2, "names no state of the program; write NAME=FILE.npy with one of these names: "),
        ([*given, steps, f"--state-out=nothing={left}"], 2, "names no state of the program"),
        ([*given, steps, f"--state-in={state}={folder / 'wrong.npy'}"], 8, f"state '{state}': "),
        ([*given, steps, f"--state-in={state}={folder / 'none.npy'}"], 8, f"state '{state}': "),
        ([*given, steps, f"--state-out={state}={left}", f"--output={reference.result}={left}"], 2, "left.npy"),
        ([*given, "--steps=2"], 8, f"input '{reference.given}': "),
        (given, 8, f"input '{reference.given}': "),
        ([*given, "--steps=0"], 2, "--steps"),
        (["--simulate-only", f"--state-out={state}={left}"], 2, "--state-out"),
        ([*given, steps, "--budget=memory=100"], 4, "bytes of memory"),
    ]  # fmt: skip
    for words, code, message in rows:
        done = subprocess.run([str(build / "bin" / "npu-run"), str(program), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        if done.returncode != code or message not in done.stderr or left.exists():
            raise SystemExit(f"npu-run {words}: {done.returncode} {done.stderr!r}, expected {code} {message!r}")


def in_contexts(npuc, program, reference: Reference) -> None:  # noqa: ANN001
    context, other = program.context(), program.context()
    first = {tensor.name: context.read_state(tensor.name) for tensor in program.states}
    for time in range(2):
        results = []
        for step, values in enumerate(reference.inputs):
            results.append(context(values))
            if step == 10:
                kept = {name: context.read_state(name) for name in first}
            if step % 3 == time:
                other(values[...])
        reference.check(np.stack(results), "a context")
        # Back to where it was after step 10.
        for name, value in kept.items():
            context.write_state(name, value)
        got = context(reference.inputs[11])
        if not np.array_equal(got, results[11]):
            raise SystemExit("a state that is written is not that of the run before it")
        context.reset()
        for name, value in first.items():
            if not np.array_equal(context.read_state(name), value):
                raise SystemExit(f"after a reset state {name} is not as in the beginning")
    # A run of the program by itself begins as the model does.
    for _ in range(2):
        reference.check(program(reference.inputs[0])[np.newaxis], "a single run")
    name = program.states[0].name
    for call, message in (
        (lambda: context.read_state("nothing"), "there is no state 'nothing', expected"),
        (lambda: context.write_state("nothing", 1), "there is no state 'nothing', expected"),
        (lambda: context.write_state(name, np.zeros(3, first[name].dtype)), f"state '{name}' has shape (3,), expected"),
        (lambda: context.write_state(name, np.zeros(first[name].shape, np.float64)), f"state '{name}' has elements of float64"),
    ):
        try:
            call()
        except npuc.RunError as error:
            if message not in str(error):
                raise SystemExit(f"{error}; expected {message}") from error
        else:
            raise SystemExit(f"no error; expected {message}")


def check_schemas(build: Path, program: Path, report: Path, folder: Path) -> None:
    """What npuc, npu-dump and npu-run say of states is what docs/ says that they say."""
    dump = [str(build / "bin" / "npu-dump"), str(program), "--signature", "--manifest", "--json"]
    dumped = json.loads(subprocess.run(dump, capture_output=True, text=True, check=True, timeout=60).stdout)
    (folder / "run.json").write_bytes(subprocess.run(
        [str(build / "bin" / "npu-run"), str(program), "--random-inputs", "--json"], capture_output=True, check=True, timeout=60).stdout)  # fmt: skip
    ran, reported = (json.loads(path.read_text(encoding="utf-8")) for path in (folder / "run.json", report))
    for name, value in (("dump", dumped), ("manifest", dumped["manifest"]), ("report", reported), ("run", ran)):
        text = (ROOT / "docs" / f"{name}.schema.json").read_text(encoding="utf-8")
        jsonschema.Draft202012Validator(json.loads(text)).validate(value)
    lists = [[(state["name"], state["begins_as"]) for state in of["states"]] for of in (dumped["signature"], dumped["manifest"], reported)]
    if not lists[0] or lists[0] != lists[1] or lists[0] != lists[2]:
        raise SystemExit(f"{program.name}: dump, manifest and report name other states: {lists}")
    if ran["state_bytes"] != 2 * sum(state["bytes"] for state in reported["states"]):
        raise SystemExit(f"{program.name}: {ran['state_bytes']} bytes of states, expected twice those of the report")


def check_model(build: Path, npuc, model: Path, target: str, folder: Path, steps: int) -> int:  # noqa: ANN001
    reference = Reference(model, steps)
    path = folder / f"{model.stem}-{target}.npu"
    certificate = folder / "certificate.json"
    run(build, "npuc", "-q", str(model), f"--target={target}", "--verify-layout", f"--certificate={certificate}", "-o", str(path),
        f"--report={folder / 'report.json'}")  # fmt: skip
    check_schemas(build, path, folder / "report.json", folder)
    run(build, "npu-check-certificate", str(certificate))
    program = npuc.load(path, threads=1)
    if not program.states:
        raise SystemExit(f"{model.name} has no states")
    in_one_series(build, path, reference, folder)
    in_two_series(build, path, reference, folder, [tensor.name for tensor in program.states])
    in_contexts(npuc, program, reference)
    refusals(build, path, reference, folder, program.states[0].name)
    return len(program.states)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="example: streaming_test.py --build=build okay_nabu.tflite")
    parser.add_argument("models", type=Path, nargs="*", help="of one input and output, instead of streaming_nets.py's")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="folder with bin/npuc")
    parser.add_argument("--target", action="append", help="only these chips")
    parser.add_argument("--steps", type=int, default=STEPS, help="runs in a row")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    sys.path.insert(0, str(build / "python"))
    import npuc  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        models = arguments.models or [folder / f"{net}.tflite" for net in streaming_nets.NETS]
        if not arguments.models:
            for model in models:
                streaming_nets.write(model.stem, model)
        for model in models:
            targets = arguments.target or (FLOAT_TARGETS if model.stem.endswith("f32") else TARGETS)
            for target in targets:
                states = check_model(build, npuc, model, target, folder, arguments.steps)
                print(f"{model.stem} on {target}: {arguments.steps} runs, {states} states, as LiteRT's")


if __name__ == "__main__":
    main()
