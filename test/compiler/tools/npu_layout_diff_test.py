# SPDX-License-Identifier: Apache-2.0
"""npu-layout-diff on reports of npuc, and on files that are none."""

from __future__ import annotations

import copy
import json
import os
import subprocess
from collections.abc import Callable, Iterator

import programs
from programs import Bench

USAGE, BAD_INPUT = 2, 8


def diff(bench: Bench, before: dict, after: dict, *words: str, code: int) -> str:
    for name, report in (("a.json", before), ("b.json", after)):
        bench.path(name).write_text(json.dumps(report), encoding="utf-8")
    done = bench.run("npu-layout-diff", "a.json", "b.json", *words)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    assert bool(done.stderr) == (code == BAD_INPUT), done.stderr
    return done.stderr if code == BAD_INPUT else done.stdout


def test_same(bench: Bench) -> None:
    """Times and paths are no difference."""
    first = bench.report("residual", "--batch=1")
    second = bench.report("residual", "--batch=1", "--explain-layout")
    count = first["relayouts"]["count"]
    assert diff(bench, first, second, code=0).startswith(f"same layouts: {count} relayouts, ")
    found = json.loads(diff(bench, first, second, "--json", code=0))
    assert found["same"] and not found["facts"] and not found["relayouts"]["new"]


def test_strategies(bench: Bench) -> None:
    naive = bench.report("residual", "--batch=1", "--layout=naive")
    better = bench.report("residual", "--batch=1", "--layout=auto-nhwc")
    text = diff(bench, naive, better, code=1)
    counts = naive["relayouts"]["count"], better["relayouts"]["count"]
    assert "layout: naive -> auto-nhwc\n" in text and f"relayouts: {counts[0]} -> {counts[1]}\n" in text
    found = json.loads(diff(bench, naive, better, "--json", code=1))
    programs.check_schema("npu-layout-diff", found)
    assert not found["same"] and len(found["relayouts"]["gone"]) - len(found["relayouts"]["new"]) == counts[0] - counts[1]
    assert sum(line.startswith("- relayout of ") for line in text.splitlines()) == len(found["relayouts"]["gone"])
    back = json.loads(diff(bench, better, naive, "--json", code=1))
    assert back["relayouts"]["new"] == found["relayouts"]["gone"]


def test_each_change(bench: Bench) -> None:
    good = bench.report("residual", "--batch=1")
    good.update(cost=12, optimal={"lower_bound": 12, "proved": True})
    first, kernel = good["relayouts"]["items"][0], next(k for k in good["kernels"] if k["op"] == "conv2d")
    place = good["kernels"].index(kernel)
    changes: list[tuple[Callable[[dict], object], str]] = [
        (lambda r: r["relayouts"]["items"][0].update(bytes=7), f"{first['bytes']} bytes -> 7 bytes"),
        (lambda r: r["relayouts"]["items"][0].update(to="NWHC"), f"{first['from']} to {first['to']} -> "),
        (lambda r: r["relayouts"]["items"][0].update(reason="r"), "-> because r"),
        (lambda r: r["relayouts"]["items"].pop(0), f"- relayout of {first['value']}"),
        (lambda r: r["relayouts"]["items"].append({**first, "value": "v"}), "+ relayout of v"),
        (lambda r: r["relayouts"].update(count=99), "-> 99"),
        (lambda r: r["relayouts"].update(bytes=99), "relayout bytes: "),
        (lambda r: r["relayouts"].update(boundary_count=99), "relayouts at the boundary: "),
        (lambda r: r["memory"].update(arena_bytes=1), "arena bytes: "),
        (lambda r: r["memory"].update(weight_bytes=1), "weight bytes: "),
        (lambda r: r["kernels"][place].update(layouts=["abcd"]), "-> abcd"),
        (lambda r: r["kernels"][place].update(implementation="slow"), "-> slow"),
        (lambda r: r["kernels"].pop(place), "- conv2d of "),
        (lambda r: r["kernels"].append({**kernel, "node": "n"}), "+ conv2d of n"),
        (lambda r: r.update(cost=13), "cost: 12 -> 13"),
        (lambda r: r["optimal"].update(lower_bound=11), "lower bound: 12 -> 11"),
        (lambda r: r["optimal"].update(proved=False), "proved: yes -> no"),
        (lambda r: r.pop("optimal"), "proved: yes -> none"),
    ]  # fmt: skip
    for number, (change, line) in enumerate(changes):
        other = copy.deepcopy(good)
        change(other)
        text = diff(bench, good, other, code=1)
        assert line in text, (number, line, text)
        assert not json.loads(diff(bench, good, other, "--json", code=1))["same"], number


def test_names_are_no_layouts(bench: Bench) -> None:
    """The same layouts for a chip of another name; its name is in reasons, too."""
    report = bench.report("residual", "--batch=1", "--layout=naive")
    chip = (programs.ROOT / "targets" / "npu-nhwc.yaml").read_text(encoding="utf-8")
    bench.path("chip.yaml").write_text(chip.replace("name: npu-nhwc", "name: chip"), encoding="utf-8")
    other = bench.report("residual", "--batch=1", "--layout=naive", "--target=chip.yaml")
    assert any("npu-nhwc" in item["reason"] for item in report["relayouts"]["items"])
    text = diff(bench, report, other, code=0)
    assert text.startswith("target: npu-nhwc -> chip\nsame layouts: "), text
    found = json.loads(diff(bench, report, other, "--json", code=0))
    assert found["same"] and found["settings"] == [{"key": "target", "before": "npu-nhwc", "after": "chip"}]
    for key, value in (("objective", "bytes"), ("layout", "optimal")):
        renamed = {**copy.deepcopy(report), key: value}
        assert f" -> {value}\nsame layouts: " in diff(bench, report, renamed, code=0)


def strings(value: object, key: str | int, holder: dict | list) -> Iterator[tuple[str | int, dict | list]]:
    """Where strings stand, with the names of the keys that lead there."""
    if isinstance(value, str):
        yield key, holder
    elif isinstance(value, dict | list):
        for inner, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from strings(part, inner, value)


def test_hostile_strings(bench: Bench) -> None:
    """Each kind of string once: what a terminal obeys is not printed, in what is found nor in an error."""
    good = bench.report("residual", "--batch=1", "--layout=naive")
    bad = copy.deepcopy(good)
    seen = set()
    for key, holder in strings(bad, "", {}):
        if key in seen:
            continue
        seen.add(key)
        before, holder[key] = holder[key], "a\u202e\x1b[2J\nb"
        for name, report in (("a.json", good), ("b.json", bad)):
            bench.path(name).write_text(json.dumps(report), encoding="utf-8")
        for files in (("a.json", "b.json"), ("b.json", "a.json"), ("a.json", "b.json", "--json")):
            done = bench.run("npu-layout-diff", *files)
            assert not set(done.stdout + done.stderr) & {"\u202e", "\x1b"}, (key, done.stdout, done.stderr)
        holder[key] = before
    assert len(seen) > 15, seen


def test_errors(bench: Bench) -> None:
    good = bench.report("residual", "--batch=1")
    damages: list[tuple[Callable[[dict], object], str]] = [
        (lambda r: r.pop("version"), "has no 'version'"),
        (lambda r: r.update(version=3), "has version 3"),
        (lambda r: r.update(version="1"), "the report.version is string"),
        (lambda r: r.pop("target"), "has no 'target'"),
        (lambda r: r.update(layout=3), "the report.layout is number, expected a text"),
        (lambda r: r.pop("relayouts"), "has no 'relayouts'"),
        (lambda r: r["relayouts"].update(items={}), "items is object, expected a list"),
        (lambda r: r["relayouts"].update(count=-1), "expected a whole number"),
        (lambda r: r["relayouts"].update(bytes=1.5), "expected a whole number"),
        (lambda r: r["relayouts"]["items"][0].pop("from"), "items[0] has no 'from'"),
        (lambda r: r["kernels"][0].update(layouts="NHWC"), "kernels[0].layouts is string"),
        (lambda r: r["memory"].pop("arena_bytes"), "has no 'arena_bytes'"),
        (lambda r: r.pop("objective"), "has no 'objective'"),
        (lambda r: r.update(cost="low"), "report.cost is string, expected a whole number"),
        (lambda r: r.update(optimal={"lower_bound": 0.5}), "optimal.lower_bound is number, expected a whole number"),
        (lambda r: r.update(optimal={"lower_bound": 1, "proved": 1}), "expected true or false"),
    ]
    for number, (damage, message) in enumerate(damages):
        bad = copy.deepcopy(good)
        damage(bad)
        for pair in ((bad, good), (good, bad)):
            said = diff(bench, *pair, code=BAD_INPUT)
            assert message in said and "npu-layout-diff: error: " in said, (number, said)
    bench.path("text.json").write_text("no JSON", encoding="utf-8")
    bench.path("list.json").write_text("[]", encoding="utf-8")
    for words, message in (
        (("text.json", "a.json"), "'text.json' is not JSON"), (("none.json", "a.json"), "'none.json' cannot be read"),
        (("list.json", "a.json"), "has no 'version'"), (("a.json",), "required"), (("a", "b", "c"), "c"),
        (("a", "b", "--loud"), "--loud"),
    ):  # fmt: skip
        done = bench.run("npu-layout-diff", *words)
        code = BAD_INPUT if words[-1] == "a.json" and len(words) == 2 else USAGE
        assert done.returncode == code and message in done.stderr + done.stdout, (words, done.stderr)


def test_other_files(bench: Bench) -> None:
    """No pipe is waited for, and what is printed does not end up in a report."""
    bench.report("residual", "--batch=1")
    os.mkfifo(bench.path("pipe"))
    done = bench.run("npu-layout-diff", "report.json", "pipe")
    assert done.returncode == BAD_INPUT and "'pipe' cannot be read: it is not a regular file" in done.stderr, done
    before = bench.path("report.json").read_bytes()
    with bench.path("report.json").open("ab") as report:
        done = subprocess.run([bench.build / "bin" / "npu-layout-diff", "report.json", "report.json"], cwd=bench.folder,
                              stdout=report, stderr=subprocess.PIPE, text=True)  # fmt: skip
    assert done.returncode == 2 and "standard output would replace the report 'report.json'" in done.stderr, done
    assert bench.path("report.json").read_bytes() == before


def test_help(bench: Bench) -> None:
    done = bench.run("npu-layout-diff", "--help")
    assert done.returncode == 0 and "Examples:" in done.stdout and "Exit codes (docs/exit-codes.md):" in done.stdout


if __name__ == "__main__":
    programs.main(__doc__)
