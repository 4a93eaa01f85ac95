# SPDX-License-Identifier: Apache-2.0
"""Drops, blanks, doubles and retypes each input, result and attribute of each supported operator.

The nodes are ONNX's own test cases, at each opset that changed their operator
and that they fit. A model that onnx.checker takes and onnxruntime runs is
imported, or npuc says that it does not support it; one that the checker refuses
ends with one error. A signal, silence, two errors or an invalid model that is
imported fail the test. What only the checker takes, which does not know what
numbers an operator allows, must end with one error or none.

Examples:
  onnx_mutations.py build/bin/onnx-import-server build/bin/onnx-fold-server
  onnx_mutations.py ... --every=1 --filter=TopK
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import itertools
import pathlib
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator

import numpy as np
import onnx
import onnxruntime
from onnx import AttributeProto, NodeProto, TensorProto, helper, numpy_helper
from onnx.backend.test.case.node import collect_testcases
from onnx_conformance import Fold

TYPES = ("FLOAT", "FLOAT16", "BFLOAT16", "INT8", "UINT8", "INT32", "INT64", "BOOL")
ATTRIBUTES = {"FLOAT": 0.5, "INT": 1, "STRING": b"A", "FLOATS": [0.5], "INTS": [1], "STRINGS": [b"A"]}
ANY_ATTRIBUTE = {"LayerNormalization"}  # the checker does not look at its attributes' names
SECONDS = 10  # for a verdict
MOST_ELEMENTS = 4096  # of an input: larger cases say nothing more about schemas


@dataclasses.dataclass
class Mutant:
    name: str
    model: onnx.ModelProto


class Server:
    """A program that answers each model with a line; started again after a crash."""

    def __init__(self, *command: str | pathlib.Path):
        self.command = command
        self.process: subprocess.Popen | None = None

    def ask(self, model: onnx.ModelProto) -> str:
        """The answer, or that there is none."""
        if self.process is None:
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(self.command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        data = model.SerializeToString()
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(b"%d\n%s" % (len(data), data))
        self.process.stdin.flush()
        answer = self.process.stdout.readline().decode(errors="replace").strip()
        if answer:
            return answer
        code, self.process = self.process.wait(), None
        return f"crashed with exit code {code}"


def leaves_gap(node: NodeProto, version: int) -> bool:
    """Whether one of any number of inputs is left out: the checker lets it pass, onnxruntime crashes or refuses it."""
    inputs = onnx.defs.get_schema(node.op_type, version, node.domain).inputs
    is_variadic = bool(inputs) and inputs[-1].option == onnx.defs.OpSchema.FormalParameterOption.Variadic
    return is_variadic and "" in node.input[len(inputs) - 1 :]


def is_valid(model: onnx.ModelProto) -> bool:
    """The shapes that outputs declare do not count: a mutant's may be others."""
    open_model = onnx.ModelProto()
    open_model.CopyFrom(model)
    for info in open_model.graph.output:
        info.type.tensor_type.ClearField("shape")
    try:
        onnx.checker.check_model(model)
        onnx.shape_inference.infer_shapes(open_model, check_type=True, strict_mode=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError):
        return False
    return not leaves_gap(model.graph.node[0], model.opset_import[0].version)


def does_run(model: onnx.ModelProto) -> bool:
    """Whether onnxruntime computes it, for zeros."""
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        feeds = {}
        for info in model.graph.input:
            tensor = info.type.tensor_type
            shape = [size.dim_value for size in tensor.shape.dim]
            feeds[info.name] = np.zeros(shape, helper.tensor_dtype_to_np_dtype(tensor.elem_type))
        session.run(None, feeds)
    except Exception:  # whatever onnxruntime, numpy or protobuf raise
        return False
    return True


def serve_verdicts() -> None:
    """Answers "valid", "accepted" (by the checker only) or "invalid": a process of its own, since some models crash it."""
    onnxruntime.set_default_logger_severity(4)
    while size := sys.stdin.buffer.readline():
        signal.alarm(SECONDS)  # ends the process: without its inputs a Loop has no end
        model = onnx.ModelProto.FromString(sys.stdin.buffer.read(int(size)))
        verdict = "invalid" if not is_valid(model) else "valid" if does_run(model) else "accepted"
        print(verdict, flush=True)


def versions_of(node: NodeProto) -> list[int]:
    schemas = onnx.defs.get_all_schemas_with_history()
    return sorted({s.since_version for s in schemas if s.name == node.op_type and s.domain == node.domain})


def with_constants(case) -> onnx.ModelProto:
    """The case's model, with the inputs that are not float as initializers: shapes, axes, conditions."""
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    arrays = dict(zip([info.name for info in model.graph.input], case.data_sets[0][0]))
    kept = [info for info in model.graph.input if np.asarray(arrays[info.name]).dtype.kind == "f"]
    given = [(name, np.asarray(array)) for name, array in arrays.items() if name not in {info.name for info in kept}]
    del model.graph.input[:]
    model.graph.input.extend(kept)
    model.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in given)
    return model


def bases(supported: set[str]) -> dict[tuple[str, int], onnx.ModelProto]:
    """For each operator and version the valid case with the most inputs, results and attributes."""
    found: dict[tuple[str, int], tuple[int, onnx.ModelProto]] = {}
    for case in collect_testcases(None):
        nodes = case.model.graph.node
        name = f"{nodes[0].domain}.{nodes[0].op_type}".lstrip(".")
        arrays = [a for part in case.data_sets[0] for a in part]
        if len(nodes) != 1 or name not in supported or not all(isinstance(a, (np.ndarray, np.generic)) for a in arrays):
            continue
        if any(np.asarray(a).size > MOST_ELEMENTS for a in arrays):
            continue
        size = len(nodes[0].input) + len(nodes[0].output) + len(nodes[0].attribute)
        model = with_constants(case)
        for version in versions_of(nodes[0]):
            if found.get((name, version), (-1,))[0] >= size:
                continue
            changed = at_opset(model, version, nodes[0].domain)
            if is_valid(changed):
                found[name, version] = size, changed
    return {key: model for key, (_, model) in sorted(found.items())}


def at_opset(model: onnx.ModelProto, version: int, domain: str) -> onnx.ModelProto:
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    if not domain:
        del changed.opset_import[:]
        changed.opset_import.append(helper.make_opsetid("", version))
    return changed


def copy_of(model: onnx.ModelProto) -> tuple[onnx.ModelProto, NodeProto]:
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    return copy, copy.graph.node[0]


def retyped(array: onnx.TensorProto, kind: str) -> onnx.TensorProto:
    dtype = helper.tensor_dtype_to_np_dtype(TensorProto.DataType.Value(kind))
    return numpy_helper.from_array(numpy_helper.to_array(array).astype(dtype), array.name)


def input_mutants(model: onnx.ModelProto) -> Iterator[Mutant]:
    for i, name in enumerate(model.graph.node[0].input):
        copy, node = copy_of(model)
        del node.input[i:]
        yield Mutant(f"inputs from {i} on dropped", copy)
        copy, node = copy_of(model)
        node.input[i] = ""
        yield Mutant(f"input {i} blank", copy)
        for kind in TYPES:
            copy, node = copy_of(model)
            for info in copy.graph.input:
                if info.name == name:
                    info.type.tensor_type.elem_type = TensorProto.DataType.Value(kind)
            for tensor in copy.graph.initializer:
                if tensor.name == name:
                    tensor.CopyFrom(retyped(tensor, kind))
            yield Mutant(f"input {i} as {kind}", copy)
    copy, node = copy_of(model)
    node.input.append(node.input[-1] if node.input else "x")
    yield Mutant("an input more", copy)
    copy, node = copy_of(model)
    node.input.append("")
    yield Mutant("a blank input more", copy)


def output_mutants(model: onnx.ModelProto) -> Iterator[Mutant]:
    names = list(model.graph.node[0].output)
    for i, name in enumerate(names):
        for label, kept in (("dropped", names[:i]), ("blank", [*names[:i], "", *names[i + 1 :]])):
            copy, node = copy_of(model)
            node.output[:] = kept
            left = [info for info in model.graph.output if info.name in kept]
            del copy.graph.output[:]
            copy.graph.output.extend(left)
            if left:  # a graph without outputs says nothing about its node
                yield Mutant(f"result {i} {label}", copy)
        for kind in TYPES:
            copy, _ = copy_of(model)
            for info in copy.graph.output:
                if info.name == name:
                    info.type.tensor_type.elem_type = TensorProto.DataType.Value(kind)
            yield Mutant(f"result {i} as {kind}", copy)
    copy, node = copy_of(model)
    node.output.append("another")
    yield Mutant("a result more", copy)


def attribute_mutants(model: onnx.ModelProto) -> Iterator[Mutant]:
    for i, attribute in enumerate(model.graph.node[0].attribute):
        copy, node = copy_of(model)
        del node.attribute[i]
        yield Mutant(f"{attribute.name} dropped", copy)
        copy, node = copy_of(model)
        node.attribute[i].name += "_"
        if node.op_type not in ANY_ATTRIBUTE:
            yield Mutant(f"{attribute.name} renamed", copy)
        copy, node = copy_of(model)
        node.attribute.append(attribute)
        yield Mutant(f"{attribute.name} twice", copy)
        for kind, value in ATTRIBUTES.items():
            number = AttributeProto.AttributeType.Value(kind)
            if number == attribute.type:
                continue
            copy, node = copy_of(model)
            node.attribute[i].CopyFrom(helper.make_attribute(attribute.name, value))
            yield Mutant(f"{attribute.name} as {kind}", copy)
            copy, node = copy_of(model)
            node.attribute[i].type = number
            yield Mutant(f"{attribute.name} said to be {kind}", copy)


def judge(answer: str, verdict: str) -> str:
    """What is wrong with the answer, or nothing."""
    word, errors, _ = (answer + "  ").split(" ", 2)
    if word not in ("ok", "bad", "unsupported"):
        return answer
    if errors != ("0" if word == "ok" else "1"):
        return f"{errors} errors: {answer}"
    if verdict == "valid" and word == "bad":
        return f"is valid, but: {answer}"
    if verdict == "invalid" and word == "ok":
        return "is not valid, but imported"
    return ""


def run(arguments: argparse.Namespace) -> int:
    """The number of complaints."""
    importer, checker = Server(arguments.server), Server(sys.executable, __file__, "--serve-verdicts")
    answers: collections.Counter[str] = collections.Counter()
    complaints, count = [], 0
    found = {key: base for key, base in bases(Fold(arguments.fold).supported_ops()).items() if arguments.filter in key[0]}
    for (name, version), base in found.items():
        for mutant in itertools.chain(input_mutants(base), output_mutants(base), attribute_mutants(base)):
            count += 1
            if count % arguments.every:
                continue
            verdict, answer = checker.ask(mutant.model).split(" ")[0], importer.ask(mutant.model)
            answers[f"{verdict}: {answer.split(' ')[0]}"] += 1
            if problem := judge(answer, verdict):
                complaints.append(f"{name}-{version}: {mutant.name}: {problem}")
    print("\n".join(complaints))
    print(f"{len(found)} versions of {len({name for name, _ in found})} operators, {sum(answers.values())} models")
    for kind, number in sorted(answers.items()):
        print(f"{number:6} {kind}")
    print(f"{len(complaints)} complaints")
    return len(complaints) if answers else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server", type=pathlib.Path, help="the program onnx-import-server")
    parser.add_argument("fold", type=pathlib.Path, help="the program onnx-fold-server, which lists the operators")
    parser.add_argument("--filter", default="", help="only operators whose name contains this")
    parser.add_argument("--every", type=int, default=1, help="one mutant of so many [1]")
    warnings.filterwarnings("ignore")
    return 1 if run(parser.parse_args()) else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve-verdicts"]:
        sys.exit(serve_verdicts())
    sys.exit(main())
