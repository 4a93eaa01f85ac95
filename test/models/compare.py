# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs whole networks, and compares every output with onnxruntime.

Each network is compiled for each plan (TARGET/LAYOUT), with one of the batch
sizes in turn (with NPU_EVERY_CASE set: with each), run by npu-run from and to
.npy files, and compared. The reference outputs are kept in
the build folder. A plan may also be expected to be refused.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "models"))

import small  # noqa: E402
import zoo  # noqa: E402

RTOL, ATOL = 1e-3, 1e-4
# Beside the element-wise tolerance: probabilities of a thousand classes are
# all near ATOL, so the largest error is also held against the largest value.
SCALED = 1e-3
# Quantized outputs: where a tie rounds to is one step, seldom more.
LARGER_STEPS = 1e-3  # the share of elements that may be off by more than one
# Of factors of 8 bits, as distance() has it: bf16, or quantized rows of data.
NARROW = 3e-2
# Of networks whose scales depend on data, however far onnxruntime is from itself: t5_encoder_int8 comes out 0.02 to 0.03 off.
CHAOTIC = 0.1
# The largest error, of the largest value, for each part of distance() that is allowed: what comes out is at most as large.
LARGEST_OF_DISTANCE = 2.0
# A value of f32 may lie beside two of half the size, and of few values each gap counts.
SMALL_SLACK = 1.3
ARENA_SLACK = 1.1
TIMEOUT_SECONDS = 120
CERTIFICATE = "certificate.json"


@dataclasses.dataclass(frozen=True)
class Sample:
    """A network at one batch size: inputs, and what onnxruntime makes of them."""

    model: Path
    inputs: dict[str, np.ndarray]
    outputs: dict[str, np.ndarray]
    steps: dict[str, float]  # of the quantized outputs: what one step is worth
    cache: Path  # where outputs are kept
    chaotic: bool = False  # scales depend on data: outputs are held to what onnxruntime's own runs differ by


@dataclasses.dataclass
class Result:
    """One line of the table."""

    network: str
    plan: str
    batch: int
    error: str | None = None
    worst: float = 0.0
    scaled: float = 0.0
    distance: float = 0.0  # where that is what counts
    relayouts: int | None = None
    slow: int | None = None
    compile_seconds: float | None = None


class Failure(Exception):
    """A sentence: what was expected and what came."""


def network_and_inputs(name: str, batch: int, quick: bool, build: Path) -> tuple[Path, dict[str, np.ndarray]]:
    """A network of bench/models, whole or from small.py."""
    if name in small.NETWORKS:
        import onnx

        path = build / "models" / "small" / f"{name}.onnx"
        with zoo.locked(path):
            content = small.make(name).SerializeToString(deterministic=True)
            if not path.exists() or path.read_bytes() != content:
                path.write_bytes(content)
        sizes = onnx.load(path).graph.input[0].type.tensor_type.shape.dim
        shape = [batch, *[size.dim_value for size in sizes][1:]]
        return path, {"x": np.random.default_rng(5).standard_normal(shape).astype(np.float32)}
    net = zoo.find(name)
    size = net.small if quick else net.size
    path = zoo.ensure(name, size)
    return path, net.inputs(path, batch, size, net.order, seed=7)


def shaken_model(path: Path) -> bytes:
    """The network with a millionth more or less in each factor of its norms."""
    import onnx
    from onnx import numpy_helper

    model, random = onnx.load(path), np.random.default_rng(5)
    for tensor in model.graph.initializer:
        if tensor.data_type == onnx.TensorProto.FLOAT and len(tensor.dims) == 1:
            factors = 1 + 1e-6 * random.uniform(-1, 1, tensor.dims)
            values = (numpy_helper.to_array(tensor) * factors).astype(np.float32)
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    return model.SerializeToString()


def session_of(path: Path, variant: str) -> onnxruntime.InferenceSession:
    """Without VNNI, its products of u8 and s8 saturate in 16 bits unless it is told otherwise."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", "1")
    if variant == "plain":
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    model = shaken_model(path) if variant == "shaken" else str(path)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def reference(path: Path, inputs: dict[str, np.ndarray], cache: Path, variant: str = "") -> dict[str, np.ndarray]:
    """onnxruntime's outputs, computed once for a file and these inputs.

    Variants: "plain" is without its rewrites, "shaken" the network with norms that differ by a millionth.
    """
    import onnxruntime

    state = path.stat()
    digest = hashlib.sha256(f"{path} {state.st_size} {state.st_mtime_ns} {onnxruntime.__version__} {variant}".encode())
    for array in inputs.values():
        digest.update(array.tobytes())
    file = cache / f"{path.stem}-{digest.hexdigest()[:16]}.npz"
    with zoo.locked(file):
        if not file.exists():
            session = session_of(path, variant)
            names = [output.name for output in session.get_outputs()]
            values = session.run(names, inputs)
            part = file.with_suffix(".part.npz")
            np.savez(part, names=np.array(names), **{f"value{i}": value for i, value in enumerate(values)})
            part.rename(file)
        with np.load(file) as stored:
            names = [str(name) for name in stored["names"]]
            return {name: stored[f"value{index}"] for index, name in enumerate(names)}


def quantized_outputs(path: Path) -> dict[str, float]:
    """The scale of each output that a DequantizeLinear gives."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(path).graph
    scales = {node.output[0]: node.input[1] for node in graph.node if node.op_type == "DequantizeLinear"}
    wanted = {scales[output.name]: output.name for output in graph.output if output.name in scales}
    values = {tensor.name: tensor for tensor in graph.initializer if tensor.name in wanted}
    return {wanted[name]: float(numpy_helper.to_array(tensor)) for name, tensor in values.items()}


def call(command: list[str]) -> subprocess.CompletedProcess:
    try:
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise Failure(f"{Path(command[0]).name} did not end within {TIMEOUT_SECONDS} s") from error


def complaint(done: subprocess.CompletedProcess) -> str:
    """What a failed command said, or that it crashed without a word."""
    text = (done.stderr.strip() or done.stdout.strip()).splitlines()
    code = f"signal {-done.returncode}" if done.returncode < 0 else f"exit code {done.returncode}"
    return f"{Path(done.args[0]).name} failed ({code}): {text[0] if text else 'and said nothing'}"


def compile_command(arguments: argparse.Namespace, sample: Sample, plan: str, folder: Path) -> list[str]:
    target, _, layout = plan.partition("/")
    certificate = [f"--certificate={folder / CERTIFICATE}"] if layout == "optimal" else []
    shapes = [f"--input-shape={name}={','.join(map(str, a.shape))}" for name, a in sample.inputs.items()]
    return [
        str(arguments.build / "bin" / "npuc"), str(sample.model), "-o", str(folder / "model.npu"),
        f"--target={target}", f"--layout={layout}", f"--objective={arguments.objective}", "--verify-layout", f"--precision={arguments.precision}",
        f"--report={folder / 'report.json'}", *certificate, *shapes,
    ]  # fmt: skip


def run_program(arguments: argparse.Namespace, sample: Sample, folder: Path) -> tuple[list[np.ndarray], dict]:
    command = [str(arguments.build / "bin" / "npu-run"), str(folder / "model.npu"), "--json"]
    command += [f"--threads={arguments.threads}"]
    for index, (name, array) in enumerate(sample.inputs.items()):
        np.save(folder / f"in{index}.npy", array)
        command += ["--input", f"{name}={folder / f'in{index}.npy'}"]
    for index, name in enumerate(sample.outputs):
        command += ["--output", f"{name}={folder / f'out{index}.npy'}"]
    done = call(command)
    if done.returncode != 0:
        raise Failure(complaint(done))
    outputs = [np.load(folder / f"out{index}.npy") for index in range(len(sample.outputs))]
    return outputs, json.loads(done.stdout)


def compare_steps(name: str, steps: np.ndarray, share: float) -> None:
    """Almost all elements of a quantized output are at most one step off."""
    larger = int((steps > 1.5).sum())
    if larger > share * steps.size:
        raise Failure(
            f"output '{name}': {larger} of {steps.size} values differ by more than one step, at most {steps.max():.0f}"
        )


def larger_steps(result: Result, sample: Sample, name: str) -> float:
    """The share of elements that may be off by more than one step.

    References round ties in other places than the library's kernels, and a deep network carries that on: then up
    to twice as many as between onnxruntime's own plain and optimised runs.
    """
    if not result.slow:
        return LARGER_STEPS
    plain = reference(sample.model, sample.inputs, sample.cache, "plain")[name]
    steps = np.abs(plain - sample.outputs[name]) / sample.steps[name]
    return max(LARGER_STEPS, 2 * float((steps > 1.5).mean()))


def distance(found: np.ndarray, expected: np.ndarray) -> float:
    """Root mean square of the difference, as a part of what is expected."""
    expected = expected.astype(np.float64)
    return float(np.sqrt(np.square(found - expected).mean() / np.square(expected).mean()))


def allowed_chaos(sample: Sample, name: str) -> float:
    """Scales that depend on data carry each rounding on: no further off than twice what onnxruntime is from itself."""
    expected = sample.outputs[name]
    others = (reference(sample.model, sample.inputs, sample.cache, variant)[name] for variant in ("plain", "shaken"))
    return min(2 * max(distance(other, expected) for other in others), CHAOTIC)


def compare_distance(result: Result, name: str, found: np.ndarray, expected: np.ndarray, allowed: float) -> None:
    """As a whole, and no one value: of many that are right a wrong one does not show in a mean."""
    off = distance(found, expected)
    result.distance = max(result.distance, off)
    if not off <= allowed:
        raise Failure(f"output '{name}' is {off:.1e} off, allowed are {allowed:.1e}")
    largest = float(np.abs(expected).max())
    errors = np.abs(found.astype(np.float64) - expected)
    if errors.max() > LARGEST_OF_DISTANCE * allowed * largest:
        place = tuple(int(index) for index in np.unravel_index(errors.argmax(), errors.shape))
        raise Failure(f"output '{name}': at {place} found {found[place]:.6g}, expected {expected[place]:.6g}; of the largest value, "
                      f"{largest:.6g}, only {LARGEST_OF_DISTANCE * allowed:.1e} are allowed")  # fmt: skip


def compare_outputs(result: Result, sample: Sample, outputs: list[np.ndarray], narrow: float | None = None) -> None:
    """`narrow`: how far off those of a program of narrow products may be; None: all are of f32."""
    for (name, expected), found in zip(sample.outputs.items(), outputs):
        if found.shape != expected.shape:
            raise Failure(f"output '{name}' has shape {found.shape}, expected {expected.shape}")
        if not np.isfinite(found).all():
            raise Failure(f"output '{name}' has values that are not finite")
        error = np.abs(found.astype(np.float64) - expected)
        result.worst = max(result.worst, float(error.max()))
        result.scaled = max(result.scaled, float(error.max() / max(float(np.abs(expected).max()), 1e-30)))
        if name in sample.steps:
            compare_steps(name, error / sample.steps[name], larger_steps(result, sample, name))
            continue
        if narrow is not None or sample.chaotic:
            compare_distance(result, name, found, expected, allowed_chaos(sample, name) if narrow is None else narrow)
            continue
        wrong = error > ATOL + RTOL * np.abs(expected)
        if wrong.any():
            place = tuple(int(index) for index in np.argwhere(wrong)[0])
            raise Failure(
                f"output '{name}': {int(wrong.sum())} of {wrong.size} values differ; at {place} found "
                f"{found[place]:.6g}, expected {expected[place]:.6g}"
            )
        if result.scaled > SCALED:
            raise Failure(f"output '{name}' is off by {result.scaled:.1e} of its largest value")


def check_memory(memory: dict[str, int], slack: float) -> None:
    """The arena must stay close to the largest set of values alive at once."""
    arena, bound = memory["arena_bytes"], memory["arena_lower_bound_bytes"]
    if not bound <= arena <= slack * bound:
        raise Failure(f"the arena has {arena} bytes, expected {bound} to {slack} times that")


def check_search(report: dict) -> None:
    """An optimal plan is proved, costs what the search says, and no strategy's costs less."""
    search = report["optimal"]
    if not search["proved"] or search["capped_values"]:
        raise Failure(f"the plan is not proved: {search}")
    if not search["cost"] == search["lower_bound"] == report["cost"]:
        raise Failure(f"the plan costs {report['cost']}, the search says {search}")
    for row in report["strategies"]:
        if row["feasible"] and row["cost"] < report["cost"]:
            raise Failure(f"{row['name']} costs {row['cost']}, optimal {report['cost']}")


def check_certificate(arguments: argparse.Namespace, folder: Path, report: dict) -> None:
    """A program that knows nothing of the search finds the plan to be the cheapest."""
    done = call([str(arguments.build / "bin" / "npu-check-certificate"), "--json", str(folder / CERTIFICATE)])
    found = json.loads(done.stdout or "{}")
    if done.returncode != 0 or not found["holds"]:
        raise Failure(f"the certificate does not hold: {found.get('message') or complaint(done)}")
    if found["cost"] != report["cost"]:
        raise Failure(f"the certificate's plan costs {found['cost']}, the report's {report['cost']}")


def check_counts(arguments: argparse.Namespace, relayouts: dict) -> None:
    count, inside = relayouts["count"], relayouts["count"] - relayouts["boundary_count"]
    if arguments.max_relayouts is not None and count > arguments.max_relayouts:
        raise Failure(f"{count} relayouts are left, allowed are {arguments.max_relayouts}")
    if arguments.max_inside is not None and inside > arguments.max_inside:
        raise Failure(f"{inside} relayouts are left inside the graph, allowed are {arguments.max_inside}")


def check_algorithms(arguments: argparse.Namespace, report: dict) -> None:
    found = len(report["algorithms"])
    if found < arguments.min_algorithms:
        raise Failure(f"{found} ops are computed by another algorithm, expected {arguments.min_algorithms} at least")


def check_products(arguments: argparse.Namespace, report: dict) -> None:
    """--precision makes products narrow where outputs may be off, and only there."""
    found = report.get("precision", {"products": 0})["products"]
    if (found > 0) != (arguments.narrow is not None):
        raise Failure(f"{found} products are of {arguments.precision}")


def has_instructions(needed: dict[str, bool]) -> bool:
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    return all(name in flags for kind, name in (("bytes", "vnni"), ("bf16", "avx512_bf16")) if needed[kind])


def check_plan(arguments: argparse.Namespace, sample: Sample, result: Result) -> None:
    """Compiles, runs and compares; raises what is wrong."""
    with tempfile.TemporaryDirectory(prefix="npuc-compare-") as name:
        folder = Path(name)
        done = call(compile_command(arguments, sample, result.plan, folder))
        if done.returncode != 0:
            raise Failure(complaint(done))
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        result.relayouts = report["relayouts"]["count"]
        stages = report.get("compile_seconds", {})
        result.compile_seconds = sum(stages.values()) if isinstance(stages, dict) else float(stages)
        has_gaps = arguments.narrow is not None or sample.model.stem in small.NETWORKS
        check_memory(report["memory"], SMALL_SLACK if has_gaps else ARENA_SLACK)
        outputs, profile = run_program(arguments, sample, folder)
        slow = [kernel for kernel in profile["kernels"] if kernel["slow"]]
        result.slow = len(slow)
        compare_outputs(result, sample, outputs, arguments.narrow)
        check_products(arguments, report)
        check_counts(arguments, report["relayouts"])
        check_algorithms(arguments, report)
        if result.plan.endswith("/optimal"):
            check_search(report)
            check_certificate(arguments, folder, report)
        # oneDNN has no kernels for bytes where the processor has no instructions for them.
        # Nor for bf16.
        needed = {"bytes": bool(sample.steps), "bf16": arguments.precision == "bf16"}
        if slow and arguments.no_slow and has_instructions(needed):
            first = slow[0]
            raise Failure(
                f"{len(slow)} kernels run on a slow implementation, first '{first['node']}' on {first['implementation']}"
            )


def check_refused(arguments: argparse.Namespace, sample: Sample, result: Result) -> None:
    """An infeasible plan must be an error with a reason, and leave no file."""
    with tempfile.TemporaryDirectory(prefix="npuc-compare-") as name:
        folder = Path(name)
        done = call(compile_command(arguments, sample, result.plan, folder))
        if done.returncode == 0:
            raise Failure("was compiled, but the plan is not feasible on this target")
        if done.returncode < 0 or "infeasible" not in done.stderr:
            raise Failure(f"expected a message with the word 'infeasible'; {complaint(done)}")
        if (folder / "model.npu").exists():
            raise Failure("was refused, but left a file")


def plans_with(arguments: argparse.Namespace, name: str, batch: int) -> list[tuple]:
    """The plans that this batch size is tried with, and how each is checked; networks begin with different ones."""
    plans = [(plan, check_plan) for plan in arguments.plans]
    plans += [(plan, check_refused) for plan in arguments.infeasible]
    if "NPU_EVERY_CASE" in os.environ:
        return plans
    position, count = arguments.batch.index(batch), len(arguments.batch)
    return [plan for index, plan in enumerate(plans) if (index + len(name)) % count == position]


def check_network(arguments: argparse.Namespace, name: str) -> list[Result]:
    results = []
    for batch in arguments.batch:
        plans = plans_with(arguments, name, batch)
        if not plans:
            continue
        path, inputs = network_and_inputs(name, batch, arguments.small, arguments.build)
        is_quantized = name in small.NETWORKS or zoo.find(name).source == "quantized"
        chaotic = name in zoo.NETS and zoo.find(name).chaotic
        steps = quantized_outputs(path) if is_quantized else {}
        cache = arguments.build / "test-cache"
        sample = Sample(path, inputs, reference(path, inputs, cache), steps, cache, chaotic)
        for plan, check in plans:
            result = Result(name, plan, batch)
            try:
                check(arguments, sample, result)
            except (Failure, OSError, KeyError, ValueError) as error:
                result.error = f"{type(error).__name__}: {error}" if not isinstance(error, Failure) else str(error)
            results.append(result)
            print(table_line(result), flush=True)
    return results


def table_line(result: Result) -> str:
    state = "FAILED" if result.error else "ok"
    start = f"{state:6} {result.network:20} {result.plan:22} batch {result.batch:<3}"
    if result.relayouts is None:
        return f"{start} {result.error or 'refused, as expected'}"
    numbers = f"worst {result.worst:.1e} ({result.scaled:.0e} of the largest), {result.relayouts} relayouts"
    numbers = f"{result.distance:.1e} off, {numbers}" if result.distance else numbers
    return f"{start} {numbers}, {result.slow} slow kernels" + (f": {result.error}" if result.error else "")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = ", ".join([*zoo.NETS, *small.NETWORKS])
    parser.add_argument("networks", nargs="+", metavar="NETWORK", help=f"of bench/models: {names}")
    parser.add_argument("--plans", default="", help="TARGET/LAYOUT, comma separated, that must give right results")
    parser.add_argument("--infeasible", default="", help="TARGET/LAYOUT, comma separated, that must be refused")
    parser.add_argument("--batch", default="1,3", help="batch sizes, one for each plan in turn (1,3)")
    parser.add_argument("--small", action="store_true", help="with the smallest sensible images")
    parser.add_argument("--max-relayouts", type=int, help="fail if more are left")
    parser.add_argument("--max-inside", type=int, help="the same, but for those at inputs and outputs")
    parser.add_argument("--min-algorithms", type=int, default=0, help="fail if fewer ops have another algorithm")
    parser.add_argument("--objective", default="time", help="what optimal makes small: count, bytes or time (time)")
    parser.add_argument("--precision", default="f32", help="what products are made of, as npuc has it (f32)")
    parser.add_argument("--narrow", type=float, nargs="?", const=NARROW,
                        help=f"products are narrow; allow so large a part as distance (without a number: {NARROW})")  # fmt: skip
    parser.add_argument("--no-slow", action="store_true", help="fail if a kernel runs on a reference")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build folder (build)")
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    arguments.batch = [int(part) for part in arguments.batch.split(",")]
    for option in ("plans", "infeasible"):
        setattr(arguments, option, [plan for plan in getattr(arguments, option).split(",") if plan])
    if not arguments.plans and not arguments.infeasible:
        parser.error("say --plans or --infeasible")
    return arguments


def main() -> int:
    arguments = parse_arguments()
    os.environ.setdefault("NPU_MODELS", str(arguments.build / "models"))
    results = []
    try:
        for name in arguments.networks:
            results += check_network(arguments, name)
    except zoo.ZooError as error:
        print(f"compare: {error}", file=sys.stderr)
        return 1
    failed = [result for result in results if result.error]
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
