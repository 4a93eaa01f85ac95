# SPDX-License-Identifier: Apache-2.0
"""What the tests of the programs share: models, and running npuc and npu-run."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import importlib
import io
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench" / "models")]

import small  # noqa: E402

if TYPE_CHECKING:
    import npuc
from npu_bench.installation import npuc_of  # noqa: E402

RTOL, ATOL = 1e-3, 1e-4
TIMEOUT_SECONDS = 120


@dataclasses.dataclass
class Bench:
    """The programs, and an empty folder to work in."""

    build: Path
    folder: Path

    def path(self, name: str) -> Path:
        return self.folder / name

    def run(self, program: str, *words: object, file_limit: int | None = None) -> subprocess.CompletedProcess:
        """`file_limit` is where the disk is full, in bytes of a file."""

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))

        command = [str(self.build / "bin" / program), *map(str, words)]
        return subprocess.run(
            command, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=TIMEOUT_SECONDS, preexec_fn=limit if file_limit is not None else None,
        )  # fmt: skip

    def npuc(self, *words: object) -> subprocess.CompletedProcess:
        """Compiles; it must work."""
        done = self.run("npuc", *words)
        assert done.returncode == 0, f"npuc {words}: exit code {done.returncode}\n{done.stderr}"
        return done

    def compile(self, model: onnx.ModelProto | str, *words: object, out: str = "out.npu") -> Path:
        """A network of small.py by name, or any model, as a .npu file."""
        path = self.save(model)
        self.npuc(path, "-o", out, "-q", "--verify-layout", *words)
        return self.path(out)

    def save(self, model: onnx.ModelProto | str) -> Path:
        name = model if isinstance(model, str) else model.graph.name
        path = self.path(f"{name}.onnx")
        onnx.save(small.make(model) if isinstance(model, str) else model, path)
        return path

    def program(self, path: Path, threads: int) -> npuc.Program:
        """Loaded, in this process."""
        return npuc_of(self.build).load(path, threads=threads)

    def execute(self, program: Path, inputs: dict[str, np.ndarray], *outputs: str) -> list[np.ndarray]:
        """Runs a .npu file with npu-run, from and to .npy files."""
        words: list[str] = []
        for name, value in inputs.items():
            np.save(self.path(f"in-{name}.npy"), value)
            words += ["--input", f"{name}=in-{name}.npy"]
        for name in outputs:
            words += ["--output", f"{name}=out-{name}.npy"]
        done = self.run("npu-run", program, *words, "--threads=2")
        assert done.returncode == 0, done.stderr
        return [np.load(self.path(f"out-{name}.npy")) for name in outputs]

    def report(self, model: onnx.ModelProto | str, *words: object) -> dict:
        self.compile(model, "--report=report.json", *words)
        return json.loads(self.path("report.json").read_text(encoding="utf-8"))


def called(build: Path, program: str, *words: object) -> subprocess.CompletedProcess:
    """One of bench/'s programs in this process: without the second that a new Python and its packages take."""
    main = importlib.import_module(f"{program.replace('-', '_')}.__main__").main
    arguments = [f"--build={build}", *map(str, words)]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            code = main(arguments)
        except SystemExit as ending:
            code = ending.code
    return subprocess.CompletedProcess([program, *arguments], int(code), out.getvalue(), said.getvalue())


def network(
    name: str, nodes: list, weights: dict[str, np.ndarray], inputs: dict[str, list], outputs: list[str],
    element: int = TensorProto.FLOAT, result: int | None = None,
) -> onnx.ModelProto:  # fmt: skip
    """A model of given nodes; the outputs' shapes are left to inference."""
    graph = helper.make_graph(
        nodes,
        name,
        [helper.make_tensor_value_info(key, element, shape) for key, shape in inputs.items()],
        [helper.make_tensor_value_info(key, result or element, None) for key in outputs],
        [numpy_helper.from_array(value, key) for key, value in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", small.OPSET)], ir_version=8)


def chain(name: str, shape: list, *kinds: str) -> onnx.ModelProto:
    """x through ops of one operand, to y."""
    names = ["x", *[f"v{index}" for index in range(1, len(kinds))], "y"]
    nodes = [
        helper.make_node(kind, [names[index]], [names[index + 1]], name=f"{kind}_{index}")
        for index, kind in enumerate(kinds)
    ]
    return network(name, nodes, {}, {"x": shape}, ["y"])


def expected(model: Path, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
    """What onnxruntime computes."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def sample(*shape: int, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def drawn(items: list, count: int, draw: random.Random) -> list:
    """So many of them; all in `make soak`."""
    return items if "NPU_EVERY_CASE" in os.environ else draw.sample(items, count)


def unwrapped(text: str) -> str:
    """An explanation with each of its lines whole: those that go on are indented by 6 or more."""
    return re.sub(r"\n {6,}", " ", text)


def check_close(found: np.ndarray, wanted: np.ndarray) -> None:
    assert found.shape == wanted.shape, f"shape {found.shape}, expected {wanted.shape}"
    np.testing.assert_allclose(found, wanted, rtol=RTOL, atol=ATOL)


@contextlib.contextmanager
def scratch(build: Path) -> Iterator[Bench]:
    with tempfile.TemporaryDirectory() as folder:
        yield Bench(build, Path(folder))


def check_schema(name: str, value: object) -> None:
    """What a program gave as JSON is as docs/NAME.schema.json says, which says it of every key."""
    schema = json.loads((ROOT / "docs" / f"{name}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(value, schema)
    assert not list(open_objects(schema)), list(open_objects(schema))


def open_objects(schema: object, place: str = "#") -> Iterator[str]:
    """Parts of a schema that any key may be in, or that nothing needs to be in."""
    if isinstance(schema, dict):
        if "properties" in schema and (schema.get("additionalProperties", True) is True or "required" not in schema):
            yield place
        for key, value in schema.items():
            yield from open_objects(value, f"{place}/{key}")
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from open_objects(value, f"{place}/{index}")


def main(doc: str) -> None:
    """Runs each function of the script that is called test_..., in order, in a folder of its own."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="the build folder with bin/ and lib/")
    parser.add_argument("--only", default="", help="run tests whose name holds this")
    arguments = parser.parse_args()
    script = vars(sys.modules["__main__"])
    chosen = [test for name, test in script.items() if name.startswith("test_") and arguments.only in name]
    if not chosen:
        parser.error(f"no test holds '{arguments.only}'")
    for test in chosen:
        start = time.monotonic()
        with scratch(arguments.build.resolve()) as bench:
            test(bench)
        print(f"{test.__name__} ok ({time.monotonic() - start:.1f} s)", flush=True)
