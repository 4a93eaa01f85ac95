# SPDX-License-Identifier: Apache-2.0
"""What a plugin brings to the compiler alone: rules, strategies, alternatives; each right, and wrong in each way."""

from __future__ import annotations

import json
import os
import re
import subprocess

import numpy as np
import onnx
import programs
from onnx import TensorProto, helper, numpy_helper
from programs import Bench, check_close, expected, sample


def save_model(bench: Bench) -> str:
    """Two convolutions: a rule has an opinion of the second alone."""
    random = np.random.default_rng(3)
    weights = {
        "w": random.standard_normal((16, 3, 3, 3)).astype(np.float32),
        "v": random.standard_normal((16, 16, 1, 1)).astype(np.float32),
    }
    graph = helper.make_graph(
        [
            helper.make_node("Conv", ["x", "w"], ["a"], name="first", pads=[1, 1, 1, 1]),
            helper.make_node("Conv", ["a", "v"], ["y"], name="second"),
        ],
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 3, 8, 8))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 16, 8, 8))],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, bench.path("net.onnx"))
    return "net.onnx"


def plugin(bench: Bench) -> str:
    return f"--plugin={bench.build / 'lib' / 'compiler-plugin.so'}"


def npuc(bench: Bench, *words: object, wrong: str = "", code: int = 0) -> subprocess.CompletedProcess:
    """With the plugin, which is wrong in some way."""
    os.environ["NPUC_TEST_PLUGIN"] = wrong
    done = bench.run("npuc", save_model(bench), plugin(bench), *words)
    assert done.returncode == code, f"{words}, {wrong}: exit code {done.returncode}\n{done.stderr}"
    return done


def layouts(bench: Bench, *words: object) -> list[str]:
    """Of the convolutions' operands, in the program's order."""
    npuc(bench, "--target=host", "--report=report.json", *words)
    report = json.loads(bench.path("report.json").read_text())
    return [kernel["layouts"][0] for kernel in report["kernels"] if kernel["op"] == "conv2d"]


def test_a_rule_changes_a_plan(bench: Bench) -> None:
    assert layouts(bench, "--layout=convert") == ["abcd", "aBcd16b"]
    done = bench.run("npuc", "net.onnx", "--target=host", "--layout=convert", "--report=report.json")
    assert done.returncode == 0, done.stderr
    assert "aBcd16b" not in bench.path("report.json").read_text()


def test_the_users_option_goes_first(bench: Bench) -> None:
    assert layouts(bench, "--layout=convert", "--desired-layouts=conv2d:NHWC:default") == ["acdb", "acdb"]


def test_wrong_answers_of_rules(bench: Bench) -> None:
    for wrong, message in (("rule-short", "conv2d takes 2 layouts (data, weight), found 1"), ("rule-nonsense", "NHCX")):
        said = npuc(bench, "--target=host", "--layout=convert", wrong=wrong, code=1).stderr
        assert "plugin test 1.2: its layout rule's answer makes no sense" in said and message in said, said
        assert "Conv 'second'" in said, said


def test_a_strategy_is_one_of_the_table(bench: Bench) -> None:
    """In help, messages, reports; its program runs."""
    assert "pbqp, test.first, optimal" in bench.npuc(plugin(bench), "--help").stdout.replace("\n", " ").replace("  ", "")
    said = npuc(bench, "--layout=test.last", code=2).stderr
    assert "unknown layout strategy 'test.last'" in said and "pbqp, test.first, optimal" in said, said
    x = {"x": sample(1, 3, 8, 8)}
    npuc(bench, "--layout=test.first", "--report=report.json", "--verify-layout", "-o", "out.npu")
    check_close(bench.execute(bench.path("out.npu"), x, "y")[0], expected(bench.path("net.onnx"), x)[0])
    report = json.loads(bench.path("report.json").read_text())
    assert report["layout"] == "test.first"
    costs = {row["name"]: row["cost"] for row in report["strategies"] if row["feasible"]}
    assert costs["test.first"] >= costs["optimal"], costs


def test_a_strategy_in_npu_opt(bench: Bench) -> None:
    os.environ["NPUC_TEST_PLUGIN"] = ""
    npuc(bench, "--emit=mlir", "--stage=fused", "-o", "fused.mlir")
    words = ("fused.mlir", "--npu-assign-layout=strategy=test.first target=npu-nhwc")
    done = bench.run("npu-opt", plugin(bench), *words)
    assert done.returncode == 0 and "npu.layout<acdb>" in done.stdout, done.stderr
    done = bench.run("npu-opt", *words)
    assert done.returncode == 1 and "unknown layout strategy" in done.stderr, done.stderr


def test_wrong_choices(bench: Bench) -> None:
    for wrong, message in (
        ("strategy-refuses", "cannot decide: it has no mind today"),
        ("strategy-mute", "cannot decide: it gives no reason"),
        ("strategy-endless", "cannot decide: xxx"),
        ("strategy-far", "chose way"),
        ("strategy-forgets", "chose way -1 of op"),
    ):
        said = npuc(bench, "--layout=test.first", "-o", "wrong.npu", wrong=wrong, code=1).stderr
        assert f"plugin test 1.2: strategy 'test.first' {message}" in said, said
        assert not bench.path("wrong.npu").exists()
        # To others it is a strategy that has no plan.
        npuc(bench, "--layout=optimal", "--report=report.json", wrong=wrong)
        rows = {row["name"]: row for row in json.loads(bench.path("report.json").read_text())["strategies"]}
        assert not rows["test.first"]["feasible"] and message in rows["test.first"]["reason"], rows["test.first"]


def test_crashes_name_the_plugin(bench: Bench) -> None:
    for wrong, layout, what in (("rule-crash", "convert", "layout rule"), ("strategy-crash", "test.first", "strategy 'first'")):
        os.environ["NPUC_TEST_PLUGIN"] = wrong
        done = bench.run("npuc", save_model(bench), plugin(bench), "--target=host", f"--layout={layout}", "-o", "crash.npu")
        assert done.returncode < 0, done.returncode
        assert f"crashed in plugin test 1.2 ({what})" in done.stderr, done.stderr
        assert not bench.path("crash.npu").exists()


def chip(bench: Bench, algorithm: str = "test.split") -> str:
    """npu-nhwc, with an algorithm more."""
    text = (programs.ROOT / "targets" / "npu-nhwc.yaml").read_text()
    text = re.sub("(?m)^name: .*", "name: chip", re.sub("(?ms)^algorithms:.*?(?=^[a-z]|\\Z)", "", text))
    bench.path("chip.yaml").write_text(text + f"algorithms: [{algorithm}]\n")
    return "--target=chip.yaml"


def pinned_plan(bench: Bench) -> str:
    """The first convolution by the alternative, which nobody would choose."""
    npuc(bench, chip(bench), "--write-layout-plan=plan.yaml")
    text = bench.path("plan.yaml").read_text()
    assert text.count("algorithm: direct") == 2, text
    bench.path("plan.yaml").write_text(text.replace("algorithm: direct", "algorithm: test.split\n    pin: true", 1))
    return "--layout-plan=plan.yaml"


def test_an_alternative_is_put_in(bench: Bench) -> None:
    """As a set of ops, weights cut at compile time; the numbers stay."""
    words = (chip(bench), pinned_plan(bench), "--verify-layout", "--report=report.json", "-o", "out.npu")
    npuc(bench, *words, "--write-layout-plan=written.yaml")
    report = json.loads(bench.path("report.json").read_text())
    ops = [kernel["op"] for kernel in report["kernels"] if kernel["op"] in ("conv2d", "concat")]
    assert ops == ["conv2d", "conv2d", "concat", "conv2d"], ops
    x = {"x": sample(1, 3, 8, 8)}
    check_close(bench.execute(bench.path("out.npu"), x, "y")[0], expected(bench.path("net.onnx"), x)[0])
    # The plan that is written says it, and is read again.
    assert "algorithm: test.split" in bench.path("written.yaml").read_text()
    npuc(bench, chip(bench), "--layout-plan=written.yaml")


def test_an_alternative_that_the_target_lacks(bench: Bench) -> None:
    plan = pinned_plan(bench)
    said = npuc(bench, chip(bench, "winograd"), plan, code=8).stderr
    assert "cannot be computed by algorithm 'test.split' on target 'chip': the target does not list it" in said, said


def test_a_target_names_what_nobody_brings(bench: Bench) -> None:
    said = npuc(bench, chip(bench, "test.fold"), code=8).stderr
    assert "lists the algorithm 'test.fold', which no plugin brings" in said, said
    said = npuc(bench, chip(bench, "fold"), code=8).stderr
    known = "winograd, attention, quantized_rows, and PLUGIN.NAME of a plugin's"
    assert f"unknown algorithm 'fold', allowed are {known}" in said, said


def test_wrong_sets(bench: Bench) -> None:
    for wrong, message in (
        ("set-refuses", "applies, but has no replacement: it was not meant"),
        ("set-noise", "gives a replacement that is not right:"),
        ("set-type", "makes a constant of type 'tensor<?xf32>', expected one like"),
        ("set-empty", "gives a replacement that"),
        ("set-foreign", "puts in 'builtin.unrealized_conversion_cast', expected ops of the npu dialect"),
    ):
        said = npuc(bench, chip(bench), wrong=wrong, code=1).stderr
        assert "plugin test 1.2: alternative 'test.split' " + message in said, said
    plan = pinned_plan(bench)
    said = npuc(bench, chip(bench), plan, wrong="set-bytes", code=1).stderr
    assert "gives constant 0 4 bytes, expected 12 of tensor<3xf32>" in said, said


def test_a_set_that_computes_something_else(bench: Bench) -> None:
    """--verify-layout finds it; without, it is the plugin's affair."""
    words = (chip(bench), pinned_plan(bench), "-o", "wrong.npu")
    said = npuc(bench, *words, "--verify-layout", wrong="set-swaps", code=1).stderr
    assert "plugin test 1.2: alternative 'test.split' does not compute what its op does: element " in said, said
    assert "Conv 'first'" in said and not bench.path("wrong.npu").exists(), said
    npuc(bench, *words, wrong="set-swaps")


def passes(bench: Bench) -> str:
    return f"--plugin={bench.build / 'lib' / 'rule-plugin.so'}"


def test_passes_between_stages(bench: Bench) -> None:
    net = save_model(bench)
    for stage in ("imported", "fused", "layout"):
        done = bench.npuc(net, passes(bench), f"--pass-pipeline-after={stage}:func.func(test-count-ops),cse")
        assert "remark: " in done.stderr and " ops" in done.stderr, done.stderr
    for words, code, message in (
        (["--pass-pipeline-after=planned:cse"], 2, "is not of the form STAGE:PIPELINE, where STAGE is one of: imported,"),
        (["--pass-pipeline-after=fused"], 2, "is not of the form STAGE:PIPELINE"),
        (["--pass-pipeline-after=fused:test-no-pass"], 2, "'test-no-pass' is no pipeline: "),
    ):
        done = bench.run("npuc", net, passes(bench), *words)
        assert done.returncode == code and message in done.stderr, done.stderr
    done = bench.run("npuc", net, "--pass-pipeline-after=fused:func.func(test-count-ops)")
    assert done.returncode == 2 and "is no pipeline" in done.stderr and "\\n" not in done.stderr, done.stderr
    # What breaks a demand of the chip is found.
    done = bench.run("npuc", net, "--pass-pipeline-after=layout:func.func(npu-assign-layout{strategy=none target=npu-nchw})")
    assert done.returncode == 1, done.stderr


def test_a_pass_that_crashes_names_its_plugin(bench: Bench) -> None:
    words = (save_model(bench), passes(bench), "--pass-pipeline-after=fused:func.func(test-count-ops{crash=true})")
    done = bench.run("npuc", *words)
    assert done.returncode < 0 and "crashed in plugin rule-plugin 0 (pass)" in done.stderr, done.stderr


def test_wrong_tables(bench: Bench) -> None:
    for wrong, message in (
        ("table-size", "npuc_plugin_get returned a struct_size of 24, expected"),
        ("rule-strategy", "row 0 of rules is for a strategy 'optimal', expected 'convert' or 'alter'"),
        ("rule-op", "row 0 of rules is for an op 'eltwise', expected one that takes desired layouts"),
        ("name", "row 1 of strategies is one 'Un named', expected a name of a-z"),
        ("idle", "row 1 of strategies 'idle' has no function `choose`"),
        ("silent", "row 1 of strategies 'silent' has no summary"),
        ("size", "row 1 of strategies has a struct_size of 8, expected"),
        ("null", "row 1 of strategies is null"),
        ("again", "row 1 of strategies has the name 'first' of an earlier one"),
        ("no-table", "the table of strategies has 1 rows at no address"),
        ("no-op", "row 0 of alternatives 'split' is for an op 'conv7d', which npuc does not know"),
        ("negative", "the table of strategies has -1 rows at an address"),
    ):
        said = npuc(bench, wrong=wrong, code=8).stderr
        assert "plugin test 1.2: npuc_plugin_get" in said and message in said, said


if __name__ == "__main__":
    programs.main(__doc__)
