# SPDX-License-Identifier: Apache-2.0
"""`costs` of a target: what stands in the table is taken, the rest scaled, and everybody says the same of it."""

from __future__ import annotations

import csv
import dataclasses
import json
import math
from pathlib import Path

import programs
from programs import Bench

from npu_bench.case import make_case
from npu_bench.contender import Tools, compile_plan

ANY, USAGE, INPUT = "-", 2, 8


def chip(bench: Bench, costs: str | None = None, base: str = "npu-nhwc") -> str:
    text = (programs.ROOT / "targets" / f"{base}.yaml").read_text(encoding="utf-8")
    text = text.replace(f"name: {base}", "name: chip")
    bench.path("chip.yaml").write_text(text + (f"costs: {costs}\n" if costs else ""), encoding="utf-8")
    return "--target=chip.yaml"


def rows_of(path: Path) -> list[dict]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(path: Path, rows: list[dict]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def key(row: dict) -> tuple:
    return tuple(row[name] for name in ("op", "layouts", "sizes", "types"))


def nearest(row: dict, measured: list[dict]) -> float | None:
    """The ratio of docs/measured-costs.md, written down once more."""
    def shape(other: dict) -> list[list[int]]:
        return [[] if word == ANY else list(map(int, word.split("x"))) for word in other["sizes"].split() if word != ">"]

    def ranks(other: dict) -> list:
        return [len(sizes) for sizes in shape(other)] + [other["sizes"].split().index(">")]

    found = []
    for number, other in enumerate(measured):
        if other["op"] != row["op"] or ranks(other) != ranks(row):
            continue
        unlike = 2 if other["types"] != row["types"] else int(other["layouts"] != row["layouts"])
        apart = sum(abs(math.log2(a) - math.log2(b)) for one, two in zip(shape(row), shape(other)) for a, b in zip(one, two))
        found.append((unlike, apart, number))
    found.sort()
    near = [(apart, measured[number]) for unlike, apart, number in found[:3] if unlike == found[0][0]]
    if not near:
        return None
    if near[0][0] == 0:
        near = [(1, other) for apart, other in near if apart == 0]
    logs = [math.log(int(other["cycles"]) / int(other["model_cycles"])) / apart for apart, other in near]
    return math.exp(sum(logs) / sum(1 / apart for apart, _ in near))


def compiled(bench: Bench, *words: str, out: str = "out.npu") -> dict:
    bench.npuc("net.onnx", "--batch=1", "-q", "-o", out, "--report=report.json", "--write-costs=all.csv", *words)
    return json.loads(bench.path("report.json").read_text(encoding="utf-8"))


def save(bench: Bench, name: str) -> None:
    bench.save(name).rename(bench.path("net.onnx"))


def test_template(bench: Bench) -> None:
    """A line for each different kernel, with the model's cycles; filled in, they are what the chip takes."""
    save(bench, "residual")
    plain = compiled(bench, chip(bench))
    rows = rows_of(bench.path("all.csv"))
    assert rows and all(row["cycles"] == "" for row in rows), rows
    assert plain["chip"]["measured_cycles"] == plain["chip"]["scaled_cycles"] == 0
    cycles = {kernel["cycles"] for kernel in plain["kernels"]}
    assert {int(row["model_cycles"]) for row in rows} <= cycles, (rows, cycles)
    done = bench.run("npuc", "net.onnx", "--batch=1", chip(bench, "all.csv"))
    assert done.returncode == INPUT and "all.csv:" in done.stderr and "no row has cycles" in done.stderr, done
    for row in rows:
        row["cycles"] = row["model_cycles"]
    write(bench.path("same.csv"), rows)
    same = compiled(bench, chip(bench, "same.csv"))
    assert same["chip"]["cycles"] == plain["chip"]["cycles"], "the model's own cycles change nothing"
    assert same["chip"]["measured_cycles"] + same["chip"]["scaled_cycles"] == same["chip"]["cycles"], same["chip"]
    assert [row["cycles"] for row in rows_of(bench.path("all.csv"))] == [row["cycles"] for row in rows]


def test_measured_and_scaled(bench: Bench) -> None:
    """Half of the kernels measured: every number by independent arithmetic, and the simulator's are the same."""
    save(bench, "many_kernels")
    compiled(bench, chip(bench), "--layout=auto-nhwc")
    rows = rows_of(bench.path("all.csv"))
    measured = [{**row, "cycles": str(int(row["model_cycles"]) * 3 + 17 * number)} for number, row in enumerate(rows) if number % 2]
    write(bench.path("half.csv"), measured)
    report = compiled(bench, chip(bench, "half.csv"), "--layout=auto-nhwc")
    known = {key(row): int(row["cycles"]) for row in measured}
    expected = {}
    for row in rows:
        ratio = nearest(row, measured)
        model = int(row["model_cycles"])
        expected[key(row)] = known.get(key(row)) or (model if ratio is None else max(1, round(model * ratio)))
    found = [kernel["cycles"] for kernel in report["kernels"]]
    assert sum(kernel["measured_cycles"] for kernel in report["kernels"]) >= sum(known.values())
    for number, kernel in enumerate(report["kernels"]):
        assert kernel["cycles"] in expected.values() or kernel["scaled_cycles"], (number, kernel)
        assert kernel["measured_cycles"] in (0, kernel["cycles"]) and kernel["scaled_cycles"] in (0, kernel["cycles"])
        assert not (kernel["measured_cycles"] and kernel["scaled_cycles"]) and kernel["stall_cycles"] >= 0
    missing = [name for name, cycles in expected.items() if cycles not in found]
    assert not missing, (missing, expected, found)
    assert report["chip"]["cycles"] == sum(found)
    done = bench.run("npu-run", "out.npu", "--simulate-only", "--json")
    simulated = json.loads(done.stdout)
    assert [kernel["cycles"] for kernel in simulated["kernels"]] == found
    for name in ("cycles", "measured_cycles", "scaled_cycles"):
        assert simulated["simulated"][name] == report["chip"][name], name
    done = bench.run("npu-run", "out.npu", "--simulate-only")
    part = 100 * report["chip"]["measured_cycles"] / report["chip"]["cycles"]
    assert f"; {part:.1f} % measured, " in done.stdout, done.stdout


def test_plans_follow(bench: Bench) -> None:
    """A chip on which one layout turns out slow: the search goes another way, and no strategy is better."""
    save(bench, "conv_relu")
    target = chip(bench, base="npu-nc1hwc2")
    before = compiled(bench, target)
    rows = rows_of(bench.path("all.csv"))
    convs = [row for row in rows if row["op"].startswith("conv2d")]
    for row in convs:
        row["cycles"] = str(int(row["model_cycles"]) * 1000)
    write(bench.path("slow.csv"), convs)
    after = compiled(bench, chip(bench, "slow.csv", base="npu-nc1hwc2"))
    assert after["chip"]["cycles"] > before["chip"]["cycles"]
    assert after["optimal"]["proved"] and after["optimal"]["cost"] == after["chip"]["cycles"], after["optimal"]
    for strategy in after["strategies"]:
        if strategy.get("cost") is not None:
            assert after["optimal"]["cost"] <= strategy["cost"], strategy
    again = bench.path("out.npu").read_bytes()
    compiled(bench, "--target=chip.yaml", out="again.npu")
    assert bench.path("again.npu").read_bytes() == again, "the same words, the same program"


def test_every_network(bench: Bench) -> None:
    """With random costs: proved, nowhere dearer than another strategy, certified, and the same for the simulator."""
    for number, name in enumerate(("dense_concat", "squeeze_excite", "upsample", "quantized", "depthwise")):
        save(bench, name)
        compiled(bench, chip(bench))
        rows = rows_of(bench.path("all.csv"))
        compiled(bench, chip(bench), "--layout=naive")
        for row in rows_of(bench.path("all.csv")):
            rows += [row] if key(row) not in map(key, rows) else []
        measured = [{**row, "cycles": str(int(row["model_cycles"]) * (1 + (7 * place + number) % 5))}
                    for place, row in enumerate(rows) if (place + number) % 3]  # fmt: skip
        write(bench.path("random.csv"), measured)
        report = compiled(bench, chip(bench, "random.csv"), "--certificate=proof.json")
        assert report["optimal"]["proved"] and report["optimal"]["cost"] == report["chip"]["cycles"], (name, report["optimal"])
        for strategy in report["strategies"]:
            if strategy.get("cost") is not None:
                assert report["optimal"]["cost"] <= strategy["cost"], (name, strategy)
        checked = bench.run("npu-check-certificate", "proof.json")
        assert checked.returncode == 0, checked
        assert report["chip"]["measured_cycles"] > 0, name


def test_other_programs(bench: Bench) -> None:
    """npu-bench compiles anew for another table, npu-sweep finds it from the folders of its points."""
    save(bench, "conv_relu")
    compiled(bench, chip(bench))
    rows = [{**row, "cycles": row["model_cycles"]} for row in rows_of(bench.path("all.csv"))]
    write(bench.path("costs.csv"), rows)
    chip(bench, "costs.csv")
    case = make_case(str(bench.path("net.onnx")), 1, {})
    tools = dataclasses.replace(Tools.of_build(bench.build), cache=bench.path("cache"))
    plan = f"{bench.path('chip.yaml')}/naive"
    first, again = (compile_plan(tools, case, plan, 1).program for _ in range(2))
    write(bench.path("costs.csv"), [{**row, "cycles": "123456"} for row in rows])
    other = compile_plan(tools, case, plan, 1)
    assert first == again != other.program and other.report["chip"]["cycles"] % 123456 == 0, other.report["chip"]
    sweep = ["npu-sweep", "net.onnx", "--target=chip.yaml", "--layout=naive", "--workers=1", "--output=sweep", "--json"]
    found = json.loads(bench.run(*sweep).stdout)
    assert found["failed"] == 0 and found["computed"] == 1, found
    assert json.loads(bench.run(*sweep).stdout)["computed"] == 0
    write(bench.path("costs.csv"), rows)
    done = bench.run(*sweep)
    assert done.returncode != 0 or json.loads(done.stdout)["computed"] == 1, "another table is another point"


def test_errors(bench: Bench) -> None:
    """File and line; the table is an input that no output may replace."""
    save(bench, "conv_relu")
    target = chip(bench)
    compiled(bench, target)
    rows = rows_of(bench.path("all.csv"))
    for row in rows:
        row["cycles"] = "5"
    write(bench.path("costs.csv"), rows)
    target = chip(bench, "costs.csv")
    line = len(bench.path("chip.yaml").read_text(encoding="utf-8").splitlines())
    text = bench.path("costs.csv").read_bytes()
    for words in (["-o", "x.npu", "--write-costs=costs.csv"], ["-o", "costs.csv"], ["-o", "x.npu", "--report=costs.csv"]):
        done = bench.run("npuc", "net.onnx", "--batch=1", target, *words)
        assert done.returncode == USAGE and "would replace" in done.stderr and bench.path("costs.csv").read_bytes() == text, done
    bench.path("costs.csv").write_bytes(text.replace(b",5\n", b",five\n", 1))
    done = bench.run("npuc", "net.onnx", "--batch=1", target, "-o", "x.npu")
    assert done.returncode == INPUT and "costs.csv:2: cycles: 'five', expected a whole number" in done.stderr, done
    for name in ("none.csv", "."):
        done = bench.run("npuc", "net.onnx", "--batch=1", chip(bench, name), "-o", "x.npu")
        assert done.returncode == INPUT and f"chip.yaml:{line}: costs: '" in done.stderr, done
    done = bench.run("npuc", "net.onnx", "--batch=1", "--emit=mlir", "-o", "x.mlir", "--write-costs=x.csv")
    assert done.returncode == USAGE and "--write-costs" in done.stderr, done
    assert not bench.path("x.npu").exists() and not bench.path("x.csv").exists()


if __name__ == "__main__":
    programs.main(__doc__)
