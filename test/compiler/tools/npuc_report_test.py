# SPDX-License-Identifier: Apache-2.0
"""--report against its schema, against the compiled graph, and against the program."""

from __future__ import annotations

import json
import random
import re

import jsonschema
import numpy as np
import onnx
import programs
import small
from onnx import TensorProto, helper
from programs import Bench

PLANS = [
    ("npu-nhwc", "naive"), ("npu-nhwc", "auto-nhwc"), ("npu-nchw", "none"), ("npu-nchw16c", "naive"), ("host", "none"),
    ("host", "auto-nhwc"), ("npu-nhwc", "optimal"), ("npu-nchw16c", "optimal"), ("host", "optimal"),
]  # fmt: skip
MOVES = ("npu.relayout", "npu.transpose", "npu.reshape")


def validator() -> jsonschema.Draft202012Validator:
    schema = json.loads((programs.ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    # A later npuc may write more keys; this one has no key that the page does not describe.
    return jsonschema.Draft202012Validator({**schema, "additionalProperties": False})


def words(plan: tuple[str, str]) -> list[str]:
    return [f"--target={plan[0]}", f"--layout={plan[1]}", "--batch=1"]


def check_sums(report: dict, case: str) -> None:
    relayouts, items = report["relayouts"], report["relayouts"]["items"]
    assert relayouts["count"] == len(items), case
    assert relayouts["bytes"] == sum(item["bytes"] for item in items), case
    assert relayouts["boundary_count"] == sum(item["boundary"] for item in items), case
    memory = report["memory"]
    assert memory["arena_lower_bound_bytes"] <= memory["arena_bytes"], case
    names = [kernel["name"] for kernel in report["kernels"]]
    assert names and len(set(names)) == len(names), f"{case}: {names}"
    for item in items:
        assert "/" not in item["node"], f"{case}: '{item['node']}' is a path, not a node"


def test_schema_and_graph(bench: Bench) -> None:
    """Drawn plans of every small network; counts are those of the graph's text."""
    check, draw = validator(), random.Random(0)
    for name in small.NETWORKS:
        for plan in programs.drawn(PLANS, 3, draw):
            case = f"{name} {plan}"
            report = bench.report(name, *words(plan))
            check.validate(report)
            assert (report["target"], report["layout"]) == plan
            check_sums(report, case)
            text = bench.npuc(bench.path(f"{name}.onnx"), *words(plan), "--emit=mlir", "-o", "-").stdout
            ops = re.findall(r"= (npu\.\w+)", text)
            items = report["relayouts"]["items"]
            found = sum(item["kind"] == "relayout" for item in items)
            assert found == ops.count("npu.relayout"), f"{case}: {found} in the report, {ops} in the graph"
            for kind in ("transpose", "reshape"):
                assert sum(item["kind"] == kind for item in items) <= ops.count(f"npu.{kind}"), case
            kernels = sum(kernel["op"] in ("relayout", "transpose", "reshape") for kernel in report["kernels"])
            assert kernels == len(items), f"{case}: {kernels} kernels move data, reported are {len(items)}"
            assert not any("fix" in item for item in items), case


def test_schema_refuses(bench: Bench) -> None:
    """The schema is no rubber stamp."""
    check, good = validator(), bench.report("residual", "--batch=1")
    assert good["relayouts"]["items"] and good["kernels"]
    damages = [
        lambda report: report.pop("memory"),
        lambda report: report.update(version=1),
        lambda report: report["relayouts"].update(count=-1),
        lambda report: report["relayouts"]["items"][0].update(kind="move"),
        lambda report: report["relayouts"]["items"][0].pop("reason"),
        lambda report: report["relayouts"]["items"][0].pop("rule"),
        lambda report: report["relayouts"]["items"][0]["forced_by"].update(kind="fate"),
        lambda report: report["relayouts"]["items"][0].update(fix={"change": "c"}),
        lambda report: report["kernels"][0].update(slow="no"),
        lambda report: report["kernels"][0].pop("implementation"),
        lambda report: report["compile_seconds"].update(write=-1),
    ]
    for number, damage in enumerate(damages):
        report = json.loads(json.dumps(good))
        damage(report)
        assert not check.is_valid(report), f"damage {number} passes"


def test_emit_ends_early(bench: Bench) -> None:
    path = bench.save("residual")
    for kind in ("mlir", "llvm", "asm", "obj", "html"):
        bench.npuc(path, "--batch=1", f"--emit={kind}", "-o", f"out.{kind}", "--report=report.json", "-q")
        report = json.loads(bench.path("report.json").read_text(encoding="utf-8"))
        validator().validate(report)
        assert bool(report["kernels"]) == (kind != "mlir"), kind


def test_precision(bench: Bench) -> None:
    """How many products are of another type, where one was asked for."""
    for precision, products in (("f32", None), ("bf16", 3), ("i8", 0)):
        options = ["--batch=1", f"--precision={precision}", "--report=report.json"]
        said = bench.npuc(bench.save("residual"), *options, "-o", "out.npu").stderr
        report = json.loads(bench.path("report.json").read_text(encoding="utf-8"))
        validator().validate(report)
        wanted = None if products is None else {"type": precision, "products": products}
        assert report.get("precision") == wanted, report.get("precision")
        assert (f" {products} products of {precision}, " in said) == (wanted is not None), said


def test_explanation(bench: Bench) -> None:
    """--explain-layout names each relayout of the report with its reason."""
    for name, plan in (("residual", PLANS[0]), ("channels_last", PLANS[0]), ("classifier", PLANS[1])):
        path = bench.save(name)
        done = bench.npuc(path, *words(plan), "--explain-layout", "--report=report.json", "-o", "out.npu")
        report = json.loads(bench.path("report.json").read_text(encoding="utf-8"))
        validator().validate(report)
        assert max(map(len, done.stdout.splitlines())) <= 100, done.stdout
        explained, *on_chip = programs.unwrapped(done.stdout).split("on the chip: ")
        summary, *lines = explained.splitlines()
        assert summary.startswith(f"{plan[1]}: {report['cost']} cycles"), summary
        values = report["on_chip"]["values"]
        assert len(on_chip) == bool(values), done.stdout
        for value, line in zip(values, on_chip[0].splitlines()[1:] if values else (), strict=True):
            assert line.startswith(f"  {value['offset']} to {value['offset'] + value['bytes']}: {value['kernel']}, until"), line
        items = report["relayouts"]["items"]
        assert items and len(lines) == 1 + 3 * len(items), done.stdout
        assert lines[0].startswith(f"{len(items)} relayout") and f"{report['relayouts']['bytes']} bytes" in lines[0]
        # Relayouts of one rule stand together, in the order of the first of each.
        rules = list(dict.fromkeys(item["rule"] for item in items))
        items.sort(key=lambda item: rules.index(item["rule"]))
        for item, line, reason, fix in zip(items, lines[1::3], lines[2::3], lines[3::3]):
            wanted = f"{item['kind']} of {item['value']}: {item['from']} to {item['to']}, {item['bytes']} bytes"
            assert wanted in line and item["node"] in line and reason.endswith(item["reason"]), (item, line, reason)
            assert (item["fix"]["change"] if item["fix"] else "no single change") in fix, (item, fix)


def test_search(bench: Bench) -> None:
    """The plan costs what was proved, every strategy is listed, and none costs less."""
    draw = random.Random(1)
    for name in small.NETWORKS:
        for objective in programs.drawn(["count", "bytes", "time"], 1, draw):
            report = bench.report(name, *words(("npu-nhwc", "optimal")), f"--objective={objective}")
            search, rows = report["optimal"], {row["name"]: row for row in report["strategies"]}
            assert report["objective"] == objective and search["proved"] and search["settled"], search
            assert report["cost"] == search["cost"] == search["lower_bound"] == rows["optimal"]["cost"], name
            assert not rows["none"]["feasible"] or rows["none"]["distance"] >= 0, name
            for row in rows.values():
                assert row["feasible"] or row["reason"], row
                assert not row["feasible"] or row["distance"] == row["cost"] - search["cost"] >= 0, (name, row)
            if objective != "time":
                assert report["cost"] == report["relayouts"][objective], name
    done = bench.npuc(bench.save("residual"), "--layout=optimal", "--batch=1", "--explain-layout", "-o", "out.npu")
    assert "proved to be the least" in done.stdout.splitlines()[0], done.stdout


def recurrent(steps: int) -> onnx.ModelProto:
    """Unrolled, it is some ops for each step; on a chip of tiles each has ways by the hundred."""
    values = np.random.default_rng(3)
    shapes = {"w": (2, 48, 16), "r": (2, 48, 16), "b": (2, 96)}
    weights = {name: values.standard_normal(shape).astype(np.float32) / 4 for name, shape in shapes.items()}
    gru = helper.make_node("GRU", ["x", *weights], ["a"], hidden_size=16, direction="bidirectional",
                           linear_before_reset=1)  # fmt: skip
    mean = helper.make_node("ReduceMean", ["a"], ["y"], axes=[0], keepdims=0)
    return programs.network("recurrent", [gru, mean], weights, {"x": [steps, 1, 16]}, ["y"])


def without_times(report: dict) -> dict:
    search = {key: value for key, value in report["optimal"].items() if key != "seconds"}
    return {**{key: report[key] for key in ("cost", "relayouts", "kernels")}, "optimal": search}


def test_search_that_ends_early(bench: Bench) -> None:
    """Work is counted: where it is limited, two runs choose the same plan all the same, and say how good it is."""
    model, plan = recurrent(steps=6), ("--target=npu-tiles", "--layout=optimal")
    least = bench.report(model, *plan)["optimal"]["lower_bound"]
    for seconds in ("0", "0.05"):
        first, second = (bench.report(model, *plan, f"--layout-seconds={seconds}") for _ in range(2))
        search = first["optimal"]
        assert max(least, search["lower_bound"]) <= search["cost"] == first["cost"], (search, least)
        assert 0 < search["lower_bound"], search  # also of another strategy's plan, folded
        assert search["proved"] == (search["lower_bound"] == search["cost"]), search
        if search["settled"] and second["optimal"]["settled"]:
            assert without_times(first) == without_times(second), seconds


def test_program_agrees(bench: Bench) -> None:
    """Kernels, nodes and memory are those that the runtime finds in the file."""
    report = bench.report("squeeze_excite", "--batch=2", "--threads=2")
    program = bench.program(bench.path("out.npu"), threads=2)
    rows = program.profile(runs=1)
    assert [(row["name"], row["op"].removeprefix("npu."), row["node"]) for row in rows] == [
        (kernel["name"], kernel["op"], kernel["node"]) for kernel in report["kernels"]
    ]
    for row, kernel in zip(rows, report["kernels"]):
        assert row["implementation"] == kernel["implementation"] or row["generated"], (row, kernel)
        assert (row["slow"], row["adapter_bytes"]) == (kernel["slow"], kernel["adapter_bytes"]), (row, kernel)
    assert program.load_stats["arena_bytes"] == report["memory"]["arena_bytes"]
    assert program.load_stats["weight_bytes"] == report["memory"]["weight_bytes"]


def quantized(*nodes: tuple[str, str, list[str]]) -> onnx.ModelProto:
    """A chain in which each op of floats stands between DequantizeLinear and QuantizeLinear."""
    made, value = [helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], name="first")], "q"
    for kind, name, more in nodes:
        made += [
            helper.make_node("DequantizeLinear", [value, "s", "z"], [f"{name}_in"], name=f"{name}_DQ"),
            helper.make_node(kind, [f"{name}_in", *more], [f"{name}_out"], name=name),
            helper.make_node("QuantizeLinear", [f"{name}_out", "s", "z"], [f"{name}_q"], name=f"{name}_Q"),
        ]
        value = f"{name}_q"
    weight = np.random.default_rng(1).integers(-9, 9, (8, 3, 3, 3), np.int8)
    made.insert(0, helper.make_node("DequantizeLinear", ["w8", "s", "wz"], ["w"], name="weight_DQ"))
    weights = {"s": np.float32(0.05), "z": np.uint8(100), "wz": np.int8(0), "w8": weight}
    model = programs.network("quantized", made, weights, {"x": [1, 3, 16, 16]}, [value], result=TensorProto.UINT8)
    return model


def test_kernels_are_named_after_what_they_compute(bench: Bench) -> None:
    """Not after the steps around it, in any place that shows a name."""
    path = bench.save(quantized(("Sigmoid", "wanted_sigmoid", []), ("Conv", "wanted_conv", ["w"])))
    report = bench.report(onnx.load(path), "--write-layout-plan=plan.yaml")
    nodes = {kernel["op"]: kernel["node"] for kernel in report["kernels"]}
    assert nodes["conv2d"].startswith("Conv 'wanted_conv'"), nodes
    assert any(kernel["node"].startswith("Sigmoid 'wanted_sigmoid'") for kernel in report["kernels"]), nodes
    assert "Sigmoid 'wanted_sigmoid'" in bench.path("plan.yaml").read_text(encoding="utf-8")
    bench.npuc(path, "--emit=html", "-o", "page.html", "-q")
    page = bench.path("page.html").read_text(encoding="utf-8")
    assert '"name":"Conv \'wanted_conv\'"' in page, "the card shows the name's end, which is QuantizeLinear's"
    dump = bench.run("npu-dump", "out.npu", "--kernels").stdout
    assert "from Sigmoid 'wanted_sigmoid'" in dump, dump


def test_summary(bench: Bench) -> None:
    """What is not known is not said; equal warnings are one."""
    path = bench.save("conv_relu")
    assert " kernels, " in bench.npuc(path, "--batch=1", "-o", "a.npu").stderr
    said = bench.npuc(path, "--batch=1", "--emit=mlir", "-o", "a.mlir").stderr
    assert " kernels" not in said and "arena" not in said and "relayouts" in said, said
    # No library has maxima of windows with gaps.
    chain = [helper.make_node("MaxPool", [f"v{i}"], [f"v{i + 1}"], name=f"pool_{i}", kernel_shape=[2, 2],
                              dilations=[2, 2]) for i in range(5)]  # fmt: skip
    model = programs.network("pools", chain, {}, {"v0": [1, 3, 30, 30]}, ["v5"])
    path = bench.save(model)
    warnings = [line for line in bench.npuc(path, "-o", "s.npu").stderr.splitlines() if "warning" in line]
    assert len(warnings) == 1 and "5 kernels run on the slow implementation" in warnings[0], warnings
    assert "MaxPool 'pool_0'" in warnings[0] and warnings[0].endswith(" and 2 more"), warnings
    warnings = [line for line in bench.run("npu-run", "s.npu", "--random-inputs").stderr.splitlines() if "slow" in line]
    assert len(warnings) == 1 and "and 2 more" in warnings[0], warnings


if __name__ == "__main__":
    programs.main(__doc__)
