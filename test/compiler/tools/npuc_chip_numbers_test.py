# SPDX-License-Identifier: Apache-2.0
"""What a target's file says of its array, its memories and energy, by what programs for it take."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import programs
from onnx import ModelProto, helper
from programs import ROOT, Bench, check_close, expected, sample

CHANNELS, SIDE = 64, 16
MAC, DRAM, SRAM, LINK = 4.5, 120, 2, 50
ENERGY = (
    f"  mac_energy: {{f32: {MAC} pJ, f16: 1 pJ, bf16: 1 pJ, i8: 0.2 pJ, ui8: 0.2 pJ, i16: 0.4 pJ, ui16: 0.4 pJ, "
    "i32: 3 pJ, ui32: 3 pJ, i64: 6 pJ, ui64: 6 pJ}\n"
    f"  dram_energy: {DRAM} pJ/B\n  sram_energy: {SRAM} pJ/B\n"
)


def chip(bench: Bench, machine: str = "", more: str = "", name: str = "numbers") -> str:
    """npu-nhwc without other algorithms, with further lines of `machine`, and of the file."""
    text = (ROOT / "targets" / "npu-nhwc.yaml").read_text(encoding="utf-8").replace("name: npu-nhwc", f"name: {name}")
    path = bench.path(f"{name}.yaml")
    text = text.replace("demands:\n", machine + "demands:\n").replace("algorithms: [winograd]\n", more)
    path.write_text(text, encoding="utf-8")
    return f"--target={path}"


def residual() -> ModelProto:
    """A convolution, its activation, and what is added to it; then a pooling."""
    weights = {"w": sample(CHANNELS, CHANNELS, 3, 3, seed=1) / 24, "b": sample(CHANNELS, seed=2)}
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["a"], name="conv", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["a"], ["c"], name="relu"),
        helper.make_node("Add", ["c", "x"], ["d"], name="add"),
        helper.make_node("MaxPool", ["d"], ["y"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
    ]
    return programs.network("residual", nodes, weights, {"x": [1, CHANNELS, SIDE, SIDE]}, ["y"])


def kernel_of(report: dict, node: str) -> dict:
    (found,) = [kernel for kernel in report["kernels"] if f"'{node}'" in kernel["node"] and kernel["op"] != "relayout"]
    return found


def test_rates(bench: Bench) -> None:
    cycles = {}
    for rate in ("", "  mac_rates: {f32: 4 times}\n", "  mac_rates: {f32: 0.5 times, i8: 8 times}\n"):
        kernel = kernel_of(bench.report(residual(), chip(bench, rate)), "conv")
        cycles[rate] = kernel["array_cycles"]
        assert kernel["utilisation"] <= 1, kernel
    one, four, half = cycles.values()
    assert one == CHANNELS * CHANNELS * 9 * SIDE * SIDE // (64 * 64), one
    assert (four, half) == (one // 4, one * 2), cycles


def test_output_stage(bench: Bench) -> None:
    """What an array does on the way out costs nothing; what comes after something else is not on the way."""
    step = CHANNELS * SIDE * SIDE // 64  # one vector operation on each result
    stages = {"": 2, "[bias]": 2, "[activation]": 1, "[add]": 2, "[bias, requantize, activation, add]": 0}
    x = sample(1, CHANNELS, SIDE, SIDE)
    for stage, steps in stages.items():
        report = bench.report(residual(), chip(bench, more=f"output_stage: {stage}\n" if stage else ""))
        kernel = kernel_of(report, "conv")
        assert "'add'" in kernel["node"], kernel["node"]
        assert kernel["vector_cycles"] == steps * step, (stage, kernel["vector_cycles"], step)
        # A pooling has no array to leave.
        assert kernel_of(report, "pool")["vector_cycles"] == step, report["kernels"]
    (found,) = bench.execute(bench.path("out.npu"), {"x": x}, "y")
    check_close(found, expected(bench.path("residual.onnx"), {"x": x})[0])


def test_vector_unit(bench: Bench) -> None:
    after = kernel_of(bench.report(residual(), chip(bench)), "conv")
    beside = kernel_of(bench.report(residual(), chip(bench, "  vector_unit: beside\n")), "conv")
    assert after["compute_cycles"] - beside["compute_cycles"] == min(after["vector_cycles"], after["array_cycles"])


def test_on_chip_bandwidth(bench: Bench) -> None:
    before = bench.report(residual(), chip(bench))
    report = bench.report(residual(), chip(bench, "  sram_bandwidth: 1 GB/s\n"))
    for kernel in report["kernels"]:
        names = ("on_chip_read_bytes", "on_chip_written_bytes", "dram_read_bytes", "dram_written_bytes")
        assert kernel["on_chip_cycles"] == 200 + sum(kernel[name] for name in names), kernel
        assert kernel["cycles"] == max(kernel[f"{name}_cycles"] for name in ("on_chip", "dma", "compute")), kernel
        assert kernel["bound"] == "on-chip memory", kernel
    assert before["chip"]["on_chip_cycles"] == 0 and before["chip"]["cycles"] < report["chip"]["cycles"]
    trace = bench.path("trace.json")
    bench.run("npu-run", "out.npu", "--simulate-only", f"--trace={trace}")
    events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    assert any(event["args"].get("name") == "on-chip memory" for event in events if event["ph"] == "M")


def by_hand(kernel: dict) -> float:
    dram = kernel["dram_read_bytes"] + kernel["dram_written_bytes"]
    return (
        MAC * kernel["macs"] + DRAM * dram
        + SRAM * (dram + kernel["on_chip_read_bytes"] + kernel["on_chip_written_bytes"])
    )  # fmt: skip


def test_energy(bench: Bench) -> None:
    """The same sum in all reports."""
    report = bench.report(residual(), chip(bench, ENERGY), "--objective=energy")
    schema = json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(report, schema)
    for kernel in report["kernels"]:
        assert abs(kernel["energy_pj"] - by_hand(kernel)) <= 1, kernel
    total = report["chip"]["energy_pj"]
    assert total == sum(kernel["energy_pj"] for kernel in report["kernels"]) == report["cost"], report["cost"]
    energies = {row["name"]: row["energy_pj"] for row in report["strategies"] if row["feasible"]}
    assert energies["optimal"] == total == min(energies.values()), energies
    assert report["optimal"]["proved"] and report["optimal"]["cost"] == total
    run = json.loads(bench.run("npu-run", "out.npu", "--simulate-only", "--json").stdout)
    assert run["simulated"]["energy_pj"] == total
    assert [kernel["energy_pj"] for kernel in run["kernels"]] == [kernel["energy_pj"] for kernel in report["kernels"]]
    table = bench.run("npu-run", "out.npu", "--simulate-only", "--profile").stdout
    assert f"{total / 1e6:.3f} uJ" in table and " uJ  " in table, table
    assert f"{report['kernels'][0]['energy_pj']} pJ" in bench.run("npu-dump", "out.npu").stdout
    with_rows = bench.program(bench.path("out.npu"), threads=1)
    assert sum(row["energy_pj"] for row in with_rows.profile(runs=1)) == total
    bench.npuc("residual.onnx", chip(bench, ENERGY), "--objective=energy", "--emit=html", "-o", "page.html")
    assert f'"energy_pj":{total}' in bench.path("page.html").read_text(encoding="utf-8").replace(": ", ":")


def test_energy_that_nobody_says(bench: Bench) -> None:
    bench.save(residual())
    done = bench.run("npuc", "residual.onnx", chip(bench), "--objective=energy", "-o", "a.npu")
    assert done.returncode == 2 and not bench.path("a.npu").exists(), done
    wanted = "--objective=energy: target 'numbers' says nothing of energy; its `machine` needs `mac_energy`, `dram_energy` and `sram_energy`"
    assert wanted in done.stderr, done.stderr
    report = bench.report(residual(), chip(bench))
    assert report["chip"]["energy_pj"] == 0
    bench.npuc("residual.onnx", chip(bench), "-o", "out.npu")
    assert "uJ" not in bench.run("npu-run", "out.npu", "--simulate-only", "--profile").stdout
    assert "pJ" not in bench.run("npu-dump", "out.npu").stdout


def test_what_energy_asks_for(bench: Bench) -> None:
    """Bytes are dear, cycles are not: where strides cost time only, another plan may be the one."""
    bench.save(residual())
    fast = bench.report(residual(), chip(bench, ENERGY), "--objective=time")
    frugal = bench.report(residual(), chip(bench, ENERGY), "--objective=energy")
    assert frugal["chip"]["energy_pj"] <= fast["chip"]["energy_pj"], (frugal["chip"], fast["chip"])
    assert fast["chip"]["cycles"] <= frugal["chip"]["cycles"]


def test_certificate(bench: Bench) -> None:
    bench.save(residual())
    words = ("residual.onnx", chip(bench, ENERGY), "--objective=energy", "--certificate=proof.json", "-o", "out.npu")
    bench.npuc(*words, "--report=report.json")
    total = json.loads(bench.path("report.json").read_text(encoding="utf-8"))["cost"]
    done = bench.run("npu-check-certificate", "proof.json", "--json")
    assert done.returncode == 0, done
    told = json.loads(done.stdout)
    assert (told["cost"], told["unit"]) == (total, "pJ"), told
    proof = json.loads(bench.path("proof.json").read_text(encoding="utf-8"))
    assert (proof["objective"], proof["unit"]) == ("energy", "pJ")
    proof["plan"]["cost"] -= 1
    bench.path("proof.json").write_text(json.dumps(proof), encoding="utf-8")
    assert bench.run("npu-check-certificate", "proof.json").returncode == 1


def test_link(bench: Bench) -> None:
    """What the processor beside the chip runs takes the link's energy; its own where its target says it."""
    lacks = "unsupported:\n  - ops: [max_pool]\nfallback: {target: %s, link_bandwidth: 2 GB/s, link_start: 10 cycles"
    report = bench.report(residual(), chip(bench, ENERGY, lacks % "host" + f", link_energy: {LINK} pJ/B}}\n"))
    pool = kernel_of(report, "pool")
    assert pool["mapping"] == "processor" and pool["energy_pj"] == LINK * pool["link_bytes"], pool
    assert pool["link_cycles"] == 10 + pool["link_bytes"] // 2, pool
    chip(bench, ENERGY, name="beside")
    other = Path(bench.path("beside.yaml"))
    report = bench.report(residual(), chip(bench, ENERGY, lacks % other + f", link_energy: {LINK} pJ/B}}\n"))
    own = kernel_of(report, "pool")
    assert own["energy_pj"] > pool["energy_pj"], own


if __name__ == "__main__":
    programs.main(__doc__)
