# SPDX-License-Identifier: Apache-2.0
"""Certificates of npuc: npu-check-certificate finds that they hold, and that worse ones do not."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable

import programs
from programs import Bench

HOLDS, REFUTED, MALFORMED = 0, 1, 8
UNPROVED, USAGE = 7, 2
TARGETS = ("npu-nhwc", "npu-nchw16c", "npu-tiles", "npu-sticks", "host")


def certificate_of(bench: Bench, name: str, *words: object) -> dict:
    """The graph is enough: no code is generated."""
    bench.npuc(bench.save(name), "--batch=1", "-q", "--emit=mlir", "-o", "out.mlir", "--certificate=c.json", *words)
    return json.loads(bench.path("c.json").read_text(encoding="utf-8"))


def check(bench: Bench, certificate: dict | str, code: int, says: str = "") -> None:
    text = certificate if isinstance(certificate, str) else json.dumps(certificate)
    bench.path("checked.json").write_text(text, encoding="utf-8")
    done = bench.run("npu-check-certificate", "checked.json")
    said = done.stderr if code else done.stdout
    assert done.returncode == code and says in said and len(said.splitlines()) == 1, (done, says)
    start = "is no valid certificate: " if code == MALFORMED else ": "
    assert not code or said.startswith(f"npu-check-certificate: error: 'checked.json'{' ' if code == MALFORMED else ''}{start}"), said
    found = bench.run("npu-check-certificate", "--json", "checked.json")
    assert found.returncode == code and not found.stderr, found
    report = json.loads(found.stdout)
    assert report["holds"] == (code == HOLDS) and says in report["message"], report


def test_small_networks(bench: Bench) -> None:
    """All of them, and the large ones, are checked where they are compiled anyway: test/models/compare.py."""
    for name in ("residual", "concat", "quantized"):
        for target in TARGETS:
            certificate = certificate_of(bench, name, f"--target={target}")
            check(bench, certificate, HOLDS, f"{name}.onnx on {target}: {len(certificate['ops'])} ops")
    for objective in ("count", "bytes"):
        certificate = certificate_of(bench, "residual", f"--objective={objective}")
        check(bench, certificate, HOLDS, "relayouts, " if objective == "bytes" else "2 relayouts, 2 relayouts: ")


def test_it_is_the_report_s_plan(bench: Bench) -> None:
    for name in ("residual", "squeeze_excite", "dense_concat"):
        certificate = certificate_of(bench, name, "--report=r.json", "--target=npu-nchw16c")
        report = json.loads(bench.path("r.json").read_text(encoding="utf-8"))
        assert certificate["plan"]["cost"] == report["cost"] == report["optimal"]["lower_bound"], name
        text = bench.path("c.json").read_bytes()
        certificate_of(bench, name, "--target=npu-nchw16c")
        assert bench.path("c.json").read_bytes() == text, f"{name}: not the same twice"


def changed(certificate: dict, change: Callable[[dict], None]) -> dict:
    result = copy.deepcopy(certificate)
    change(result)
    return result


def one_more_relayout(certificate: dict) -> dict:
    """The first value that has two layouts and is copied nowhere gets a copy that nobody needs."""
    plan = certificate["plan"]
    case = certificate["cases"][plan["case"]]
    copied = {step[0] for step in plan["relayouts"]}
    for op, ways, way in zip(certificate["ops"], case["ways"], plan["ways"]):
        stored = certificate["ways"][ways][way][1 + len(op["reads"]) :]
        for value, layout in zip(op["makes"], stored):
            moves = certificate["relayouts"][case["relayouts"][value]]
            layouts = len(certificate["values"][value]["layouts"])
            if value not in copied and layouts > 1:
                cost = moves[layout * layouts + (layout + 1) % layouts]
                return changed(certificate, lambda worse: (
                    worse["plan"]["relayouts"].append([value, layout, (layout + 1) % layouts]),
                    worse["plan"].update(cost=plan["cost"] + cost)))  # fmt: skip
    raise AssertionError("no value has a choice")


def test_worse_plans_are_found_out(bench: Bench) -> None:
    """One relayout more, adding up rightly: the checker finds the cheapest plan."""
    for name, target in (("residual", "npu-nhwc"), ("dense_concat", "npu-nchw16c"), ("image_ops", "npu-tiles"),
                         ("concat", "host")):  # fmt: skip
        certificate = certificate_of(bench, name, f"--target={target}")
        best = f"a plan of {certificate['plan']['cost']} cycles is cheaper"
        check(bench, one_more_relayout(certificate), REFUTED, best)


def test_changed_by_hand(bench: Bench) -> None:
    certificate = certificate_of(bench, "dense_concat", "--target=npu-nchw16c")
    plan = certificate["plan"]
    case = certificate["cases"][plan["case"]]
    cost, taken = plan["cost"], case["ways"][0]

    def cheaper_way(one: dict) -> None:
        one["ways"].append([[0, *way[1:]] for way in one["ways"][case["ways"][1]]])
        for other in one["cases"]:
            other["ways"][1] = len(one["ways"]) - 1

    changes: list[tuple[Callable[[dict], None], int, str]] = [
        (lambda one: one["plan"].update(cost=cost - 1), REFUTED, f"costs {cost} cycles, the certificate says {cost - 1}"),
        (lambda one: one["plan"].update(cost=cost + 1), REFUTED, f"costs {cost} cycles"),
        (cheaper_way, REFUTED, f"the certificate says {cost}"),
        (lambda one: one["plan"].update(relayouts=[]), REFUTED, "in a layout that is not there"),
        (lambda one: one["ways"].__setitem__(taken, []), MALFORMED, "has no way to run"),
        (lambda one: one["cases"].pop(), HOLDS, ""),  # it says less, and that holds
        (lambda one: one["cases"].clear(), MALFORMED, "among 0 cases"),
        (lambda one: one["ops"].pop(), MALFORMED, ""),
        (lambda one: one["plan"]["ways"].pop(), MALFORMED, "not all ops"),
        (lambda one: one.update(memory=min(slot["bytes"] for slot in case["slots"]) - 1), REFUTED, "on the chip"),
        (lambda one: one["plan"]["tiles"].__setitem__(1, one["memory"] + 1), REFUTED, "do not fit beside"),
        (lambda one: one["cases"][plan["case"]]["slots"][0].update(last=0, first=0), REFUTED, "does not live while"),
    ]  # fmt: skip
    for number, (change, code, says) in enumerate(changes):
        assert certificate != changed(certificate, change), number
        check(bench, changed(certificate, change), code, says)


def test_files_that_are_no_certificates(bench: Bench) -> None:
    certificate_of(bench, "conv_relu")
    text = bench.path("c.json").read_text(encoding="utf-8")
    for wrong in ("", "{}", "[]", "null", text[:-3], text + "x", text.replace('"version": 2', '"version": 1'),
                  "[" * 100_000, "\0" * 9):  # fmt: skip
        check(bench, wrong, MALFORMED)
    bench.npuc("conv_relu.onnx", "--batch=1", "-q", "--report=r.json", "-o", "out.npu")
    check(bench, bench.path("r.json").read_text(encoding="utf-8"), MALFORMED, "it is a report (npuc --report)")
    check(bench, text.replace('"version": 2', '"version": 1.5'), MALFORMED, "version 2 of a certificate")
    check(bench, re.sub(r'"scale": *\d+', '"scale": 1.5', text), MALFORMED, "a number is not whole")
    for path, says in (("none.json", "cannot be"), (".", "it is a folder"), ("/dev/zero", "is not a regular file")):
        done = bench.run("npu-check-certificate", path)
        assert done.returncode == MALFORMED and says in done.stderr, done
    with bench.path("large.json").open("wb") as file:
        file.truncate(1 << 40)
    done = bench.run("npu-check-certificate", "large.json")
    assert done.returncode == MALFORMED and "more than 16777216" in done.stderr, done


def test_command_line(bench: Bench) -> None:
    done = bench.run("npu-check-certificate", "--help")
    assert done.returncode == 0 and "npuc model.onnx --certificate=proof.json" in done.stdout, done
    assert re.fullmatch(r"npu-check-certificate \d+\.\d+\.\d+\n", bench.run("npu-check-certificate", "--version").stdout)
    for words in ((), ("a", "b"), ("--what",)):
        done = bench.run("npu-check-certificate", *words)
        assert done.returncode == USAGE and "see npu-check-certificate --help" in done.stderr, done


def test_example_of_the_page(bench: Bench) -> None:
    page = (programs.ROOT / "docs" / "certificate.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```json\n(.*?)^```", page, re.M | re.S)
    check(bench, example, HOLDS, "two.onnx on chip: 3 ops, 1 relayout, 16 cycles")
    parts = json.loads(example)
    named = set(re.findall(r"`([a-z_]+)`", "".join(re.findall(r"^\| (`.*?) \|", page, re.M))))
    assert set(parts) >= named - {"relayouts", "ways", "prices", "scale", "cost", "case", "slots", "tiles"}, named
    assert named >= {key for key in parts if key not in ("plan",)}, named


def test_without_a_proof(bench: Bench) -> None:
    """No time to search, and the first guess is not the best: no certificate, and no other file."""
    path = bench.save("by_index")
    before = {file.name for file in bench.folder.iterdir()}
    done = bench.run("npuc", path, "--batch=1", "--target=npu-sticks", "-o", "out.npu", "--report=r.json",
                     "--certificate=c.json", "--layout-seconds=0")  # fmt: skip
    assert done.returncode == UNPROVED and "--layout-seconds" in done.stderr, done
    assert {file.name for file in bench.folder.iterdir()} == before
    done = bench.run("npuc", path, "--batch=1", "--layout=naive", "--certificate=c.json")
    assert done.returncode == USAGE and "--certificate goes with --layout=optimal" in done.stderr, done
    assert {file.name for file in bench.folder.iterdir()} == before
    done = bench.run("npuc", path, "--batch=1", f"--certificate={path.name}")
    assert done.returncode == USAGE and "--certificate" in done.stderr and "would replace" in done.stderr, done


if __name__ == "__main__":
    programs.main(__doc__)
