# SPDX-License-Identifier: Apache-2.0
"""The process of one contender: loads once, then runs when it is told to.

Between rounds it waits for a line on its standard input, so that its threads
sleep while the others are measured. Every answer is one line of JSON.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from pathlib import Path

import numpy as np

from npu_bench import memory
from npu_bench.errors import BenchError, Exit
from npu_bench.installation import npuc_of


class NpuRunner:
    """A program compiled by npuc, in the runtime's module: LLVM is not loaded."""

    def __init__(self, spec: dict) -> None:
        npuc = npuc_of(Path(spec["build"]))
        self.program = npuc.load(spec["program"], threads=spec["threads"], plugin=spec["plugins"])
        memory.check(self.program, spec["program"], spec["memory"])
        self.runs = self.program.bind(read_inputs(spec))
        self.run = self.runs.run
        self.outputs = self.runs.outputs

    def facts(self) -> dict:
        stats = self.program.load_stats
        sizes = ("load_ms", "pack_ms", "weight_bytes", "packed_bytes", "arena_bytes", "scratch_bytes")
        kernels = [(kernel["node"], kernel["work"]) for kernel in self.program.manifest["kernels"]]
        digest = hashlib.sha256(json.dumps(kernels).encode()).hexdigest()
        return {**{name: stats[name] for name in sizes}, "warnings": self.program.warnings, "work": digest}

    def profile(self, runs: int) -> list[dict]:
        return self.runs.profile(runs)


class OnnxRuntimeRunner:
    """onnxruntime as its users get it: default options, f32, N threads."""

    def __init__(self, spec: dict) -> None:
        import onnxruntime

        self.inputs = read_inputs(spec)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = spec["threads"]
        for name, value in spec["dimensions"].items():
            options.add_free_dimension_override_by_name(name, value)
        start = time.perf_counter()
        self.session = onnxruntime.InferenceSession(spec["model"], options, providers=["CPUExecutionProvider"])
        self.load_ms = (time.perf_counter() - start) * 1e3
        self.names = [output.name for output in self.session.get_outputs()]
        self.version = onnxruntime.__version__

    def run(self) -> None:
        self.last = self.session.run(self.names, self.inputs)

    def outputs(self) -> dict[str, np.ndarray]:
        return dict(zip(self.names, self.last))

    def facts(self) -> dict:
        return {"load_ms": self.load_ms, "version": self.version}

    def profile(self, runs: int) -> list[dict]:
        return []


class OpenVinoRunner:
    """OpenVINO for latency, N threads, in f32 (its default may round to bf16) or, with --precision=bf16, in bf16.

    In either it quantizes the data of products with weights of 8 and 4 bits, as npuc does with --precision=i8.
    """

    def __init__(self, spec: dict) -> None:
        import openvino

        inputs = read_inputs(spec)
        config = {
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": "bf16" if spec["precision"] == "bf16" else "f32",
            "INFERENCE_NUM_THREADS": spec["threads"],
            "NUM_STREAMS": 1,
        }
        start = time.perf_counter()
        core = openvino.Core()
        model = core.read_model(spec["model"])
        model.reshape({name: list(array.shape) for name, array in inputs.items()})
        compiled = core.compile_model(model, "CPU", config)
        self.load_ms = (time.perf_counter() - start) * 1e3
        self.request = compiled.create_infer_request()
        for name, array in inputs.items():
            self.request.set_tensor(name, openvino.Tensor(array))
        self.ports = compiled.outputs
        self.version = openvino.__version__

    def run(self) -> None:
        self.request.infer()

    def outputs(self) -> dict[str, np.ndarray]:
        return {port.get_any_name(): np.array(self.request.get_tensor(port).data) for port in self.ports}

    def facts(self) -> dict:
        return {"load_ms": self.load_ms, "version": self.version}

    def profile(self, runs: int) -> list[dict]:
        return []


RUNNERS = {"npu": NpuRunner, "onnxruntime": OnnxRuntimeRunner, "openvino": OpenVinoRunner}


def read_inputs(spec: dict) -> dict[str, np.ndarray]:
    return {name: np.load(file) for name, file in spec["inputs"].items()}


def peak_rss_bytes() -> int:
    """This process's own high-water mark: ru_maxrss would hold that of whoever started it, too."""
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


def waiting_ms() -> float:
    """How long this process's threads have waited for a processor so far, in all (Linux, schedstat)."""
    waited = 0
    for task in Path("/proc/self/task").iterdir():
        try:
            waited += int((task / "schedstat").read_text(encoding="ascii").split()[1])
        except (FileNotFoundError, ProcessLookupError, IndexError):  # the thread ended, or the kernel keeps no count
            continue
    return waited / 1e6


def measure(runner, runs: int) -> dict:
    """Times runs after one that brings code and weights back into the caches."""
    runner.run()
    waited = waiting_ms()
    times = []
    for _ in range(runs):
        start = time.perf_counter_ns()
        runner.run()
        times.append((time.perf_counter_ns() - start) / 1e6)
    waited = waiting_ms() - waited
    return {"times_ms": times, "waited_ms": waited, "peak_rss_bytes": peak_rss_bytes()}


def serve(spec: dict, answer) -> None:
    runner = RUNNERS[spec["kind"]](spec)
    base = peak_rss_bytes()
    runner.run()
    np.savez(spec["outputs"], **{f"value{i}": v for i, v in enumerate(runner.outputs().values())})
    answer({"ready": True, "base_rss_bytes": base, "output_names": list(runner.outputs()), **runner.facts()})
    for line in sys.stdin:
        request = json.loads(line)
        if "profile" in request:
            answer({"kernels": runner.profile(request["profile"])})
        else:
            answer(measure(runner, request["runs"]))


def main() -> None:
    # Whatever a library prints goes to stderr; answers have a channel of their own.
    channel = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)

    def answer(value: dict) -> None:
        channel.write(json.dumps(value) + "\n")

    try:
        serve(json.loads(sys.argv[1]), answer)
    except Exception as error:  # noqa: BLE001 - reported to the parent, whatever it is
        is_ours = isinstance(error, BenchError)
        name = "" if is_ours or type(error).__name__ == "RunError" else f"{type(error).__name__}: "
        answer({"error": f"{name}{error}", "code": int(error.code if is_ours else Exit.FAILED)})


if __name__ == "__main__":
    main()
