# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs ONNX's own test cases: Debian's libonnx-testdata, or with
--wheel those of the onnx package that are newer.

Every case in scope is compiled for npu-nhwc with the optimal layout, run by
npu-run, and compared with the expected outputs; a part of them, another one
each day, for every other strategy and target, too. Every other case must be
refused with one clear sentence, or be right. A case listed in
onnx_cases_failing.txt must fail: one that passes fails the test, so that the
list can only shrink.

Examples:
  onnx_cases.py --npuc=build/bin/npuc-server --npu-run=build/bin/npu-run-server
  onnx_cases.py ... --filter=roialign --no-sample
  onnx_cases.py ... --seed=3 --only-sample
  onnx_cases.py ... --wheel
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import dataclasses
import datetime
import pathlib
import re
import sys
import tempfile
import threading

import ml_dtypes
import numpy as np
import onnx
import onnx_wheel
from onnx import numpy_helper
from onnx_arrays import ATOL, RTOL, compare

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "servers"))

from fork_server import Outcome, Server  # noqa: E402

DATA = pathlib.Path("/usr/share/libonnx-testdata/data")
FOLDERS = ("node", "pytorch-converted", "pytorch-operator", "simple")
SCOPE, WHEEL_SCOPE = "onnx_cases_scope.txt", "onnx_wheel_scope.txt"
INFEASIBLE, UNSUPPORTED = 1, 5  # exit codes of npuc
MAIN_PLAN = "npu-nhwc/optimal"
OTHER_STRATEGIES = ("none", "naive", "auto-nhwc", "convert", "preset", "alter", "smartmem", "pbqp")
OTHER_PLANS = [f"npu-nhwc/{strategy}" for strategy in OTHER_STRATEGIES]
OTHER_PLANS += [f"{t}/optimal" for t in ("npu-nchw16c", "npu-nchw", "host")]
# Cases whose expected data is doubtful, and what is asked of them instead.
#   truncated: the file truncates float32 to bfloat16, we round to nearest even
#     as everybody else does: one unit in the last place apart.
#   extent: the definition uses the rounded extent in one place and not in
#     another; three runtimes agree with us: only type and shape are compared.
#   transform: sums of hundreds of terms whose result is near 0: the error is
#     held against the largest number.
#   steps: the file rounds each step to 16 bits, we the last ones: both are off
#     by up to 1.7 units in the last place, ours by less: two units apart.
DOUBTFUL = {
    "node/test_cast_FLOAT_to_BFLOAT16": "truncated",
    "node/test_castlike_FLOAT_to_BFLOAT16": "truncated",
    "node/test_castlike_FLOAT_to_BFLOAT16_expanded": "truncated",
    "node/test_resize_downsample_scales_linear_align_corners": "extent",
    "node/test_resize_downsample_scales_cubic_align_corners": "extent",
    "node/test_dft": "transform",
    "node/test_dft_axis": "transform",
    "node/test_dft_inverse": "transform",
    "node/test_stft": "transform",
    "node/test_stft_with_window": "transform",
}
STEPS = re.compile(r"node/test_attention_.*_(bf16(_expanded)?|fp16_expanded)")
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
BFLOAT16_STEP, FLOAT16_STEP = 2.0**-7, 2.0**-10


def rule_of(name: str) -> str | None:
    """How a case with doubtful data is judged."""
    return "steps" if STEPS.fullmatch(name) else DOUBTFUL.get(name)


@dataclasses.dataclass
class Case:
    """A model and its data sets; inputs whose values must be known when compiling."""

    root: pathlib.Path
    name: str
    bound: list[str]
    in_scope: bool

    @property
    def folder(self) -> pathlib.Path:
        return self.root / self.name

    def model(self) -> onnx.ModelProto:
        return onnx.load(self.folder / "model.onnx")


def listed(file: str) -> dict[str, str]:
    """Case -> the rest of its line."""
    lines = (HERE / file).read_text().splitlines()
    return dict(line.split(" ", 1) for line in lines if not line.startswith("#"))


def all_cases(root: pathlib.Path, scope: str) -> list[Case]:
    """Every case on disk, with what the list says of it."""
    notes = listed(scope)
    names = sorted(f"{folder}/{path.name}" for folder in FOLDERS for path in (root / folder).glob("test_*"))
    if lacking := sorted(notes.keys() - set(names)):
        raise SystemExit(f"{root} lacks cases of {scope}: {', '.join(lacking[:5])}; run make deps")
    texts = [(name, notes.get(name, "")) for name in names]
    return [Case(root, name, text.split(",") if text and text != "out" else [], text != "out") for name, text in texts]


def operator_of(case: Case, model: onnx.ModelProto) -> str:
    """What a case tests: its node's operator; an expanded function has its name."""
    if case.name.endswith("_expanded"):
        original = case.root / case.name.removesuffix("_expanded") / "model.onnx"
        if original.exists():
            model = onnx.load(original)
    operators = {node.op_type for node in model.graph.node} - {"Constant", "Identity"}
    return operators.pop() if len(operators) == 1 else f"({case.name.split('/')[0]})"


def read_array(path: pathlib.Path, info: onnx.ValueInfoProto) -> np.ndarray:
    """A .pb file; bfloat16 is stored as uint16 there, and some arrays are
    shorter than declared where only their type matters."""
    proto = onnx.TensorProto.FromString(path.read_bytes())
    array = numpy_helper.to_array(proto)
    tensor = info.type.tensor_type
    if tensor.elem_type == onnx.TensorProto.BFLOAT16 and array.dtype == np.uint16:
        array = array.view(BFLOAT16)
    declared = [size.dim_value for size in tensor.shape.dim]
    if list(array.shape) != declared and array.shape == (1,) and all(declared):
        array = np.zeros(declared, array.dtype)
    return array


def save(path: pathlib.Path, array: np.ndarray) -> None:
    """A .npy file as npu-run reads it: bfloat16 as float32."""
    np.save(path, np.asarray(array.astype(np.float32) if array.dtype == BFLOAT16 else array, order="C"))


def agree(case: Case, found: np.ndarray, expected: np.ndarray) -> str:
    """What differs, by the case's rule."""
    rule = rule_of(case.name)
    step = BFLOAT16_STEP if expected.dtype == BFLOAT16 else FLOAT16_STEP
    if expected.dtype == BFLOAT16:
        expected = expected.astype(np.float32)
    if rule == "extent" and found.shape == expected.shape:
        return compare(np.zeros_like(found), np.zeros_like(expected))
    if rule == "truncated":
        return compare(found, expected, BFLOAT16_STEP, 0)
    if rule == "steps":
        return compare(found, expected, 2 * step, ATOL)
    if rule == "transform":
        return compare(found, expected, RTOL, RTOL * float(np.abs(expected).max()) * RTOL)
    return compare(found, expected, RTOL, ATOL)


class Runner:
    """Compiles and runs cases in a folder of its own for each."""

    def __init__(self, npuc: pathlib.Path, npu_run: pathlib.Path):
        self.programs = npuc, npu_run
        self.local = threading.local()

    def servers(self) -> tuple[Server, Server]:
        """npuc and npu-run of this thread."""
        if not hasattr(self.local, "servers"):
            self.local.servers = tuple(map(Server, self.programs))
        return self.local.servers

    def compile(self, case: Case, plan: str, folder: pathlib.Path, bound: dict[str, pathlib.Path]) -> Outcome:
        target, layout = plan.split("/")
        command = [case.folder / "model.onnx", "-q", "-o", folder / "model.npu"]
        command += ["--f64=f32"] if case.in_scope else []
        command += [f"--target={target}", f"--layout={layout}"]
        command += [f"--bind-input={name}={path}" for name, path in bound.items()]
        if layout == "convert":
            command.append("--desired-layouts=conv2d:NHWC:default")
        return self.servers()[0].run(folder, command)

    def run_set(self, case: Case, model: onnx.ModelProto, plan: str, data: pathlib.Path, folder: pathlib.Path) -> str:
        """What is wrong with one data set, or nothing."""
        initial = {tensor.name for tensor in model.graph.initializer}
        infos = [info for info in model.graph.input if info.name not in initial]
        files = {}
        for i, info in enumerate(infos):
            files[info.name] = folder / f"in{i}.npy"
            save(files[info.name], read_array(data / f"input_{i}.pb", info))
        bound = {name: files.pop(name) for name in case.bound}
        compiled = self.compile(case, plan, folder, bound)
        if compiled.code:
            if plan != MAIN_PLAN and compiled.is_clear_refusal(INFEASIBLE) and "infeasible: " in compiled.text:
                return ""
            return f"npuc exit code {compiled.code}: {compiled.text.strip()}"
        command = [folder / "model.npu"]
        outputs = list(model.graph.output)
        for name, path in files.items():
            command += ["--input", f"{name}={path}"]
        for i, info in enumerate(outputs):
            command += ["--output", f"{info.name}={folder / f'out{i}.npy'}"]
        ran = self.servers()[1].run(folder, command)
        if ran.code:
            return f"npu-run exit code {ran.code}: {ran.text.strip()}"
        for i, info in enumerate(outputs):
            expected = read_array(data / f"output_{i}.pb", info)
            if problem := agree(case, np.load(folder / f"out{i}.npy"), expected):
                return f"output {info.name}: {problem}"
        return ""

    def run_case(self, case: Case, plan: str) -> tuple[str, str]:
        """The operator, and what is wrong with the case, or nothing."""
        model = case.model()
        operator = operator_of(case, model)
        with tempfile.TemporaryDirectory() as name:
            for data in sorted(case.folder.glob("test_data_set_*")):
                if problem := self.run_set(case, model, plan, data, pathlib.Path(name)):
                    return operator, problem
        return operator, ""

    def refuse_case(self, case: Case) -> tuple[str, str]:
        """The sentence it is refused with, and what is wrong with that; right results are welcome, too."""
        with tempfile.TemporaryDirectory() as name:
            compiled = self.compile(case, MAIN_PLAN, pathlib.Path(name), {})
            left = (pathlib.Path(name) / "model.npu").exists()
        if compiled.code == 0:
            return "(passes all the same)", self.run_case(case, MAIN_PLAN)[1]
        sentence = compiled.text.strip().rpartition("model.onnx: ")[2]
        if not compiled.is_clear_refusal(UNSUPPORTED) or left:
            return sentence, f"expected a refusal, exit code {compiled.code}: {compiled.text.strip()}"
        return sentence, ""


class Judge:
    """Collects complaints, and counts by operator."""

    def __init__(self):
        self.failing = listed("onnx_cases_failing.txt")
        self.complaints: list[str] = []
        self.known = collections.Counter()
        self.cases = collections.Counter()
        self.passed = collections.Counter()

    def judge(self, key: str, problem: str) -> None:
        reason = self.failing.get(key)
        if problem and reason:
            self.known[reason] += 1
        elif problem:
            self.complaints.append(f"{key}: {problem}")
        elif reason:
            self.complaints.append(f"{key}: passes, but onnx_cases_failing.txt lists it ({reason}); remove its line")

    def count(self, operator: str, problem: str) -> None:
        self.cases[operator] += 1
        self.passed[operator] += not problem

    def table(self) -> str:
        rows = [f"| {name} | {total} | {self.passed[name]} |" for name, total in sorted(self.cases.items())]
        return "\n".join(["| operator | cases | passed |", "|---|---|---|", *rows])


def run_all(runner: Runner, cases: list[Case], jobs: int, judge: Judge) -> None:
    """Every case in scope for the main plan; all others are refused."""
    within, beyond = [c for c in cases if c.in_scope], [c for c in cases if not c.in_scope]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(lambda case: runner.run_case(case, MAIN_PLAN), within))
        refusals = list(pool.map(runner.refuse_case, beyond))
    doubtful = 0
    for case, (operator, problem) in zip(within, results):
        judge.count(operator, problem)
        judge.judge(case.name, problem)
        doubtful += rule_of(case.name) is not None and not problem
    print(judge.table())
    total = sum(judge.passed.values())
    print(f"{MAIN_PLAN}: {total} of {len(within)} pass, {doubtful} of them by a rule of their own")
    reasons = collections.Counter()
    for case, (sentence, problem) in zip(beyond, refusals):
        judge.judge(case.name, problem)
        reasons[re.sub(r"'[^']*'", "''", sentence)[:110]] += 1
    print(f"{len(beyond)} cases out of scope:")
    for sentence, count in reasons.most_common():
        print(f"{count:5} {sentence}")


def run_sample(runner: Runner, cases: list[Case], every: int, seed: int, jobs: int, judge: Judge) -> None:
    """A tenth of the cases, by turns, for every other plan."""
    within = [c for c in cases if c.in_scope]
    sample = [case for i, case in enumerate(within) if (i + seed) % every == 0 and case.name not in judge.failing]
    tasks = [(case, plan) for case in sample for plan in OTHER_PLANS]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(lambda task: runner.run_case(*task)[1], tasks))
    for (case, plan), problem in zip(tasks, results):
        judge.judge(f"{case.name} {plan}", problem)
    passed = sum(not problem for problem in results)
    print(f"sample {seed % every} of {every} (--seed={seed}): {passed} of {len(tasks)} pass, {len(OTHER_PLANS)} plans")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--npuc", type=pathlib.Path, required=True, help="the program npuc-server")
    parser.add_argument("--npu-run", type=pathlib.Path, required=True, help="the program npu-run-server")
    parser.add_argument("--wheel", action="store_true", help="the onnx package's cases that Debian does not have")
    parser.add_argument("--filter", default="", help="only cases whose name contains this")
    parser.add_argument("--seed", type=int, help="which part is the sample [the day of the year]")
    parser.add_argument("--every", type=int, default=10, metavar="N", help="the sample is one case of N [10]")
    parser.add_argument("--jobs", type=int, default=2, help="cases at a time [2]")
    parser.add_argument("--no-sample", action="store_true", help="only the main plan")
    parser.add_argument("--only-sample", action="store_true", help="only the other plans")
    return parser.parse_args()


def run(arguments: argparse.Namespace, cases: list[Case]) -> int:
    """The number of complaints."""
    seed = arguments.seed if arguments.seed is not None else datetime.date.today().timetuple().tm_yday
    cases = [case for case in cases if arguments.filter in case.name]
    if not cases:
        raise SystemExit(f"no case has '{arguments.filter}' in its name")
    runner, judge = Runner(arguments.npuc, arguments.npu_run), Judge()
    if not arguments.only_sample:
        run_all(runner, cases, arguments.jobs, judge)
    if not arguments.no_sample:
        run_sample(runner, cases, arguments.every, seed, arguments.jobs, judge)
    for reason, count in judge.known.most_common():
        print(f"{count:5} known to fail: {reason}")
    print(f"{sum(judge.known.values())} known failures, {len(judge.complaints)} complaints")
    print("\n".join(judge.complaints))
    return len(judge.complaints)


def main() -> int:
    arguments = parse_arguments()
    debian = all_cases(DATA, SCOPE)
    if not arguments.wheel:
        return 1 if run(arguments, debian) else 0
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        onnx_wheel.write_cases(root, {case.folder.name for case in debian})
        return 1 if run(arguments, all_cases(root, WHEEL_SCOPE)) else 0


if __name__ == "__main__":
    sys.exit(main())
