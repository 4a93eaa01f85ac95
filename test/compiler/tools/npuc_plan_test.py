# SPDX-License-Identifier: Apache-2.0
"""Layout plans written, edited and read back; budgets; what --explain-layout says is true."""

from __future__ import annotations

import json
import random
import re

import programs
import small
from programs import Bench, check_close, expected, sample

NAIVE = ("--layout=naive", "--batch=1")


def plan_of(bench: Bench, name: str, *words: object) -> str:
    bench.npuc(bench.save(name), "--batch=1", "-q", "-o", "plain.npu", "--write-layout-plan=plan.yaml", *words)
    return bench.path("plan.yaml").read_text(encoding="utf-8")


def refused(bench: Bench, code: int, *words: object) -> str:
    """npuc fails with this exit code and one error, and writes nothing."""
    before = {path.name for path in bench.folder.iterdir()}
    done = bench.run("npuc", *words, "-o", "refused.npu")
    assert done.returncode == code, (done.returncode, done.stderr)
    assert done.stderr.count("npuc: error:") == 1, done.stderr
    assert {path.name for path in bench.folder.iterdir()} == before
    return done.stderr


def test_plans_read_back(bench: Bench) -> None:
    """A plan as it is written changes nothing, on every small network; fully pinned neither."""
    draw = random.Random(0)
    for name in small.NETWORKS:
        for layout in programs.drawn(["naive", "auto-nhwc"], 1, draw):
            text = plan_of(bench, name, f"--layout={layout}")
            path = bench.path(f"{name}.onnx")
            bench.npuc(path, "--batch=1", "-q", f"--layout={layout}", "--layout-plan=plan.yaml", "-o", "same.npu")
            assert bench.path("same.npu").read_bytes() == bench.path("plain.npu").read_bytes(), (name, layout)
        pinned = text.replace("    stored:", "    pin: true\n    stored:")
        bench.path("pinned.yaml").write_text(pinned, encoding="utf-8")
        bench.npuc(path, "--batch=1", "-q", "--layout-plan=pinned.yaml", "-o", "same.npu", "--verify-layout", f"--layout={layout}")
        assert bench.path("same.npu").read_bytes() == bench.path("plain.npu").read_bytes(), name


def test_plan_names_everything(bench: Bench) -> None:
    text = plan_of(bench, "residual", "--layout=auto-nhwc")
    assert text.startswith("# A layout plan of npuc")
    assert re.search(r"^graph: [0-9a-f]{16}$", text, re.M) and 'model: "residual.onnx"' in text
    report = bench.report("residual", "--batch=1", "--layout=auto-nhwc")
    computing = [kernel for kernel in report["kernels"] if kernel["op"] != "relayout"]
    assert text.count("  - op: ") >= len(computing)
    for kernel in computing:
        assert kernel["node"].split(",")[0].split("' ")[0] in text, kernel
    assert '- input: "x"\n    stored: NCHW' in text and '- output: "y"\n    stored: NCHW' in text


def test_pin_an_op(bench: Bench) -> None:
    """One op is held in the model's order: two relayouts more, and the same numbers."""
    path = bench.save("upsample")
    text = plan_of(bench, "upsample", "--layout=auto-nhwc")
    name = re.search(r'op: ("Resize[^\n]*")\n', text).group(1)
    bench.path("pin.yaml").write_text(
        f"version: 1\ntarget: npu-nhwc\npins:\n  - {{op: {name}, stored: row-major}}\n", encoding="utf-8"
    )
    words = ("--batch=1", "--layout=auto-nhwc")
    plain = bench.report("upsample", *words)
    program = bench.compile("upsample", *words, "--layout-plan=pin.yaml", "--report=pinned.json", "--verify-layout")
    pinned = json.loads(bench.path("pinned.json").read_text(encoding="utf-8"))
    assert pinned["relayouts"]["count"] > plain["relayouts"]["count"]
    assert any(item["forced_by"]["kind"] == "pin" for item in pinned["relayouts"]["items"]), pinned["relayouts"]
    x = {"x": sample(1, 3, 32, 32)}
    check_close(bench.execute(program, x, "y")[0], expected(path, x)[0])


def test_plan_errors(bench: Bench) -> None:
    text = plan_of(bench, "residual")
    path = bench.path("residual.onnx")
    line = 1 + text.splitlines().index("target: npu-nhwc")
    cases = [
        (text.replace("version: 1", "version: 7"), 8, "version 7 of a layout plan"),
        (text.replace("target: npu-nhwc", "target: host"), 8, f"bad.yaml:{line}: the plan is for target 'host'"),
        (re.sub(r"graph: \w+", "graph: 0123456789abcdef", text), 8, "the plan is for another graph"),
        (text.replace('input: "x"', 'input: "q"'), 8, "the graph has no input 'q'; the nearest name is 'x'"),
        (text.replace("    stored: NHWC", "    stored: NCHW\n    pin: true", 1), 8, "accepts NHWC (acdb)"),
        (text.replace("    stored: NHWC", "    stored: QQ", 1), 8, "'QQ' is not a layout"),
        (text + "  - {op: [1], stored: NHWC}\n", 8, "expected a word"),
        ("", 8, "bad.yaml:1: a layout plan: expected `key: value` lines"),
    ]
    for number, (damaged, code, message) in enumerate(cases):
        assert damaged != text, number
        bench.path("bad.yaml").write_text(damaged, encoding="utf-8")
        said = refused(bench, code, path, "--batch=1", "--layout-plan=bad.yaml")
        assert message in said and "bad.yaml:" in said, (number, said)
    assert "cannot be read" in refused(bench, 8, path, "--layout-plan=none.yaml")
    plan_of(bench, "classifier")
    assert "another graph" in refused(bench, 8, path, "--batch=1", "--layout-plan=plan.yaml")
    assert "no folder" in refused(bench, 3, path, "--batch=1", "--write-layout-plan=no/plan.yaml")


def test_budgets(bench: Bench) -> None:
    path = bench.save("residual")
    report = bench.report("residual", *NAIVE)["relayouts"]
    count, moved = report["count"], report["bytes"]
    assert count > 2
    outputs = ("--report=budget.json", "--write-layout-plan=budget.yaml")
    for words in ((f"--max-transposes={count}",), (f"--max-relayout-bytes={moved}",), ("--max-relayout-bytes=2.5 GiB",)):
        bench.npuc(path, *NAIVE, "-q", "-o", "fits.npu", *words)
    said = refused(bench, 4, path, *NAIVE, f"--max-transposes={count - 2}", *outputs)
    assert f"over budget: {count} relayouts of {moved} bytes are left, --max-transposes allows {count - 2}" in said
    largest = sorted((item["bytes"] for item in report["items"]), reverse=True)[:2]
    listed = [int(size) for size in re.findall(r"npuc: note: .*, (\d+) bytes, because ", said)]
    assert listed == largest, said
    said = refused(bench, 4, path, *NAIVE, f"--max-relayout-bytes={moved - 1}B", *outputs)
    assert said.count("npuc: note:") == 1 and f"--max-relayout-bytes allows {moved - 1}" in said, said
    assert "--max-transposes allows 0" in refused(bench, 4, path, *NAIVE, "--max-transposes=0")
    for text in ("much", "1.5", "-3", "1e3", "2 parsecs", "99999999999GB", "MB", ".", "1..2kB"):
        assert "is no size" in refused(bench, 2, path, f"--max-relayout-bytes={text}"), text
    refused(bench, 2, path, "--max-transposes=-1")
    refused(bench, 2, path, "--max-transposes=two")


def test_sizes(bench: Bench) -> None:
    """Units are what they say."""
    path = bench.save("conv_relu")
    for text, size in (("2.4MB", 2400000), ("1 KiB", 1024), ("1.5kB", 1500), ("7", 7), ("0.5KiB", 512)):
        said = bench.run("npuc", path, *NAIVE, "--max-transposes=0", f"--max-relayout-bytes={text}", "-o", "x.npu")
        assert said.returncode == 4 and f"--max-relayout-bytes allows {size}\n" in said.stderr, said.stderr


def options_of(fix: str) -> list[str] | None:
    """The command line that makes a change, where the change is one."""
    found = re.search(r"--io-layout=[^)]+|^--layout=\S+", fix)
    return [found.group(0)] if found else None


def test_fixes_are_true(bench: Bench) -> None:
    """Whoever makes the change finds the promised saving."""
    tried, draw = set(), random.Random(2)
    for name in small.NETWORKS:
        for layout in programs.drawn(["naive", "auto-nhwc"], 1, draw):
            words = ["--batch=1", f"--layout={layout}"]
            before = bench.report(name, *words, "--explain-layout")["relayouts"]
            made: dict[str, dict] = {}  # many relayouts have one fix
            for item in before["items"]:
                change = options_of(item["fix"]["change"]) if item["fix"] else None
                if not change:
                    continue
                tried.add(change[0].split("=")[0])
                kept = [word for word in words if not word.startswith(change[0].split("=")[0] + "=")]
                if change[0] not in made:
                    made[change[0]] = bench.report(name, *kept, *change)["relayouts"]
                after = made[change[0]]
                assert before["count"] - after["count"] == item["fix"]["saves_count"], (name, item)
                assert before["bytes"] - after["bytes"] == item["fix"]["saves_bytes"], (name, item)
    assert tried == {"--io-layout", "--layout"}


def test_boundary_fix(bench: Bench) -> None:
    """The one relayout of an NHWC chip on an NCHW input, and its fix, in words."""
    bench.save("conv_relu")
    done = bench.npuc(bench.path("conv_relu.onnx"), "--batch=1", "--layout=auto-nhwc", "--explain-layout", "-q")
    told = programs.unwrapped(done.stdout)
    assert "smallest change: declare input x as NHWC (--io-layout=x=acdb): saves 1 relayout, " in told, told
    assert "smallest change: declare output y as NHWC (--io-layout=y=acdb): saves 1 relayout, " in told


if __name__ == "__main__":
    programs.main(__doc__)
