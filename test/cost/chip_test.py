# SPDX-License-Identifier: Apache-2.0
"""The chip's time through the programs, on chips that are target files: against SCALE-Sim, by hand, and by law.

What the numbers are measured against is said at each test; SCALE-Sim 3.0.0 and Vela 5.2.0 were run once.
"""

from __future__ import annotations

import json
import random

import numpy as np
from chip_models import (
    Chip, connected, convolution, convolutions, copy_of, layers, mobilenet_v2, network, orders, programs, resnet50,
    simulate, turned,
)  # fmt: skip

# programs.py has put the folder of small.py on the path.
import small
from npu_sweep.chip import Chip as ChipFile
from npu_sweep.chip import with_values
from onnx import helper
from programs import Bench

FLOWS = ("weight-stationary", "output-stationary", "input-stationary")


def blocked_chip(weight: str = "any", **machine: str) -> Chip:
    """16 channels stand together everywhere."""
    demands = ", ".join([
        f"{{ops: [conv2d], data: [aBcd16b], weight: [{weight}], result: [aBcd16b]}}",
        orders("max_pool", "aBcd16b"), orders("eltwise", "aBcd16b", ("inputs", "result")),
    ])  # fmt: skip
    return Chip("blocked", machine, "[16]", f"[{demands}]")


def last_chip(**machine: str) -> Chip:
    """Channels last, in transfers of 8 to 16 bytes."""
    demands = ", ".join([
        orders("conv2d, max_pool", "acdb"), orders("eltwise", "acdb", ("inputs", "result")),
    ])  # fmt: skip
    return Chip("last", machine, "[]", f"[{demands}]", "[{layouts: [acdb], min: 8 B, max: 16 B}]")


def kernels(report: dict, op: str) -> list[dict]:
    found = [kernel for kernel in report["kernels"] if kernel["op"] == op]
    assert found, f"no {op} in {[kernel['op'] for kernel in report['kernels']]}"
    return found


def check_sums(report: dict, waits: bool = False) -> None:
    """An op takes the longer of computing and moving, or waits for buffers, too; a network the sum of its ops."""
    total = report["simulated"]
    for kernel in report["kernels"]:
        longer = max(kernel["compute_cycles"], kernel["dma_cycles"])
        assert kernel["cycles"] == longer > 0 or waits and longer < kernel["cycles"], kernel
        # One thing after the other is the worst that can be.
        assert kernel["cycles"] <= kernel["compute_cycles"] + kernel["dma_cycles"], kernel
        assert kernel["floor_cycles"] <= kernel["cycles"], kernel
        assert kernel["stall_cycles"] == kernel["cycles"] - kernel["compute_cycles"], kernel
        assert 0 <= kernel["utilisation"] <= 1, kernel
    for key in ("cycles", "compute_cycles", "dma_cycles", "dram_read_bytes", "dram_written_bytes",
                "on_chip_read_bytes", "on_chip_written_bytes"):  # fmt: skip
        assert total[key] == sum(kernel[key] for kernel in report["kernels"]), key
    assert total["cycles"] >= max(total["compute_cycles"], total["dma_cycles"], total["floor_cycles"])
    assert abs(total["ms"] * total["clock_mhz"] * 1e3 - total["cycles"]) < 1e-6 * total["cycles"]


def test_array_cycles_of_resnet50(bench: Bench) -> None:
    """Each of the 53 convolutions on six arrays, as SCALE-Sim counts them; and what has to be moved at least."""
    for size in (32, 128):
        for flow in FLOWS:
            rows = [row for row in layers() if (row.array, row.flow) == (size, flow)]
            assert len(rows) == 53
            machine = {"mac_rows": f"{size} MAC", "mac_columns": f"{size} MAC", "data_flow": flow, "array_use": "whole",
                       "sum_reads": "none"}  # fmt: skip
            report = simulate(bench, Chip("array", machine), convolutions(rows))
            found = kernels(report, "npu.conv2d")
            assert len(found) == 53
            for row, kernel in zip(rows, found, strict=True):
                assert kernel["array_cycles"] == row.cycles, f"{row}: {kernel}"
                used = kernel["macs"] / (kernel["array_cycles"] * size * size)
                assert abs(100 * used - row.utilisation) < 0.01, f"{row}: {used}"
                assert kernel["tiling"] == "whole" and kernel["mapping"] == flow
                assert kernel["on_chip_read_bytes"] == 4 * (row.input_reads + row.weight_reads), f"{row}: {kernel}"
                # SCALE-Sim lets results of unused columns drain, too.
                written = row.out**2 * row.outputs if flow == "output-stationary" else row.output_writes
                assert kernel["on_chip_written_bytes"] == 4 * written, f"{row}: {kernel}"
            check_sums(report)
            weights = sum(row.kernel**2 * row.inputs * row.outputs for row in rows)
            outputs = sum(row.out**2 * row.outputs for row in rows)
            assert (weights, outputs) == (23454912, 11113984)
            assert report["simulated"]["dram_written_bytes"] == 4 * outputs
            assert report["simulated"]["dram_read_bytes"] >= 4 * weights


def test_depthwise_has_a_mapping_of_its_own(bench: Bench) -> None:
    """MobileNetV2's depthwise convolutions use 3 % to 30 % of a 32 x 32 array, whatever its data flow."""
    for flow in (*FLOWS, "dot-product"):
        report = simulate(bench, Chip("array", {"data_flow": flow}), mobilenet_v2(1, 224))
        check_sums(report)
        depthwise = [k for k in kernels(report, "npu.conv2d") if k["mapping"] == f"depthwise, {flow}"]
        assert len(depthwise) == 17
        for kernel in depthwise:
            used = kernel["macs"] / (kernel["array_cycles"] * 32 * 32)
            assert 0.03 <= used <= 0.3, f"{flow}, {used}: {kernel}"


def test_peaks_of_feature_maps(bench: Bench) -> None:
    """16-channel blocks, all on the chip: what Vela's live ranges come to, a byte an element (f32: four)."""
    cases = (
        (mobilenet_v2(1, 224), 1470), (mobilenet_v2(0.35, 96), 144),
        (resnet50(224), 1960),
        (mobilenet_v2(1, 224, False), 4 * 1470), (resnet50(224, False), 4 * 1960),
    )  # fmt: skip
    for model, kib in cases:
        report = simulate(bench, blocked_chip(), model, "--io-layout=free")
        peak = report["simulated"]["resident_peak_bytes"]
        assert peak == kib * 1024, f"{model.graph.name}: {peak / 1024} KiB, expected {kib}"
        check_sums(report)


def test_bursts(bench: Bench) -> None:
    """Writing 56 x 56 x C of int8 at 8 B/cycle in bursts of 32 B: runs of 8 and 16 B, and rows of blocks."""
    cases = ((64, 25088, 50176), (8, 6272, 12544), (4, 6272, 6272), (1, 6272, 1568))
    for channels, in_blocks, last in cases:
        for chip, cycles in ((blocked_chip(), in_blocks), (last_chip(), last)):
            report = simulate(bench, chip, copy_of(channels), "--io-layout=free")
            (kernel,) = report["kernels"]
            assert kernel["dma_out_cycles"] == cycles, f"{chip.name}, C = {channels}: {kernel}"
            check_sums(report)


def test_padding_of_blocks(bench: Bench) -> None:
    """17 channels cost what 32 cost: twice the bytes of 16, and more than 1.9 times the time."""
    for machine in ({"data_flow": "weight-stationary", "mac_rows": "16 MAC", "mac_columns": "16 MAC"}, {}):
        found = {}
        for channels in (16, 17, 32):
            report = simulate(bench, blocked_chip("ABcd16b16a", **machine), convolution(channels), "--io-layout=free")
            (found[channels],) = report["kernels"]
        assert found[17]["dram_written_bytes"] == 2 * found[16]["dram_written_bytes"]
        assert found[17]["cycles"] >= 1.9 * found[16]["cycles"], found
        assert abs(found[17]["cycles"] / found[32]["cycles"] - 1) < 0.01, (found[17], found[32])


def test_padding_of_spatial_blocks(bench: Bench) -> None:
    """In blocks of 8 x 8 pixels of 32 channels, a layer of one pixel computes 64; its K and N are channels."""
    demand = "{ops: [conv2d], data: [NHWC8h8w32c], result: [NHWC8h8w32c]}"
    chip = Chip("croutons", {"data_flow": "weight-stationary", "mac_rows": "16 MAC", "mac_columns": "16 MAC"},
                "[8, 32]", f"[{demand}]")  # fmt: skip
    weight = np.ones((1000, 1280, 1, 1), np.float32)
    node = helper.make_node("Conv", ["x", "w"], ["y"], name="conv")
    model = network("last", [node], {"w": weight}, {"x": [1, 1280, 1, 1]}, ["y"])
    (kernel,) = kernels(simulate(bench, chip, model, "--io-layout=free"), "npu.conv2d")
    # Folds of 16 x 16 through which 64 pixels pass; 1,000 channels are 1,024.
    assert kernel["array_cycles"] == (1280 // 16) * (1024 // 16) * (64 + 2 * 16 + 16 - 2), kernel


def test_unpadded_channels(bench: Bench) -> None:
    """A chip that reads pictures as they are computes 3 channels in the 3/16 of 16; more than it says, in full."""
    found = {}
    for name, numbers in (("padded", {}), ("unpadded", {"unpadded_channels": "4 channels"})):
        chip = blocked_chip("any", **numbers)
        for channels in (3, 5):
            report = simulate(bench, chip, convolution(channels), "--io-layout=free")
            (found[name, channels],) = (kernel["array_cycles"] for kernel in report["kernels"])
    assert abs(found["unpadded", 3] / found["padded", 3] - 3 / 16) < 0.01, found
    assert found["unpadded", 5] == found["padded", 5], found


def test_cache(bench: Bench) -> None:
    """A kernel of 2 x 196 KiB moves at full speed in a cache of that size, three times slower in a smaller one."""
    cycles = {}
    for kib in (392, 391):
        chip = Chip("cached", {"cache": f"{kib} KiB", "beyond_cache": "3 times"})
        (kernel,) = simulate(bench, chip, copy_of(64), "--io-layout=free")["kernels"]
        cycles[kib] = kernel["dma_in_cycles"]
    assert cycles[392] == 56 * 56 * 64 / 8 and cycles[391] == 3 * cycles[392], cycles


def test_relayouts(bench: Bench) -> None:
    """Each is a row of its own; shorter runs are never faster; an engine makes them alike."""
    before = 0.0
    for channels in (256, 64, 32, 16, 8, 4, 3):
        report = simulate(bench, Chip("plain"), turned(channels, 56))
        (kernel,) = report["kernels"]
        assert kernel["relayout"]
        moved = 2 * 56 * 56 * channels
        assert kernel["cycles"] >= moved / 8, kernel
        per_byte = kernel["cycles"] / moved
        assert per_byte >= before * 0.999, f"C = {channels}: {per_byte} cycles a byte, {before} before"
        before = per_byte
        if channels == 3:
            assert kernel["cycles"] >= 10 * moved / 8, kernel
        engine = Chip("engine", {"transpose_bandwidth": "4 B/cycle"})
        (turned_by_engine,) = simulate(bench, engine, turned(channels, 56))["kernels"]
        assert abs(turned_by_engine["cycles"] - moved / 8) < 3, turned_by_engine
    for width in (224, 56, 28, 14, 7):
        (kernel,) = simulate(bench, Chip("plain"), turned(256, width))["kernels"]
        per_byte = kernel["cycles"] / (2 * width * width * 256)
        assert width == 224 or per_byte >= before, f"W = {width}"
        before = per_byte


def test_a_wide_layer_is_bound_by_its_weights(bench: Bench) -> None:
    chip = Chip("narrow", {"mac_rows": "16 MAC", "mac_columns": "16 MAC", "dram_bandwidth": "1 GB/s"})
    report = simulate(bench, chip, connected(1280, 1000))
    (kernel,) = kernels(report, "npu.matmul")
    assert kernel["bound"] == "dma" and abs(kernel["cycles"] - 1.29e6) < 1e4, kernel
    assert abs(kernel["utilisation"] - 0.004) < 0.0005, kernel


def test_tiles(bench: Bench) -> None:
    """Less on-chip memory: more tiles, more traffic, never less time; all fits; the time tells of it."""
    for overlap in ("all", "tiles"):
        before = None
        for kib in (65536, 1024, 512, 256, 128, 64):
            chip = Chip("small", {"sram": f"{kib} KiB", "data_flow": "weight-stationary", "overlap": overlap})
            report = simulate(bench, chip, resnet50(224), "--io-layout=free")
            check_sums(report, overlap == "tiles")
            total = report["simulated"]
            assert total["on_chip_peak_bytes"] <= kib * 1024, total
            if before:
                traffic = [t["dram_read_bytes"] + t["dram_written_bytes"] for t in (before, total)]
                assert total["cycles"] >= before["cycles"], (before, total)
                assert overlap == "tiles" or traffic[1] >= traffic[0], (before, total)
            before = total
        assert any(kernel["tiles"] > 1 for kernel in report["kernels"])


def test_one_tile_overlaps_nothing(bench: Bench) -> None:
    """A kernel in one piece is loaded, computed and stored; in pieces, what its buffers let overlap."""
    model = network("relu", [helper.make_node("Relu", ["x"], ["y"], name="relu")], {}, {"x": [1, 64, 56, 56]}, ["y"])
    parts = {}
    for overlap, start in (("all", "0"), ("tiles", "0"), ("tiles", "1000000")):
        chip = Chip("buffers", {"overlap": overlap, "dma_start": f"{start} cycles"})
        (kernel,) = simulate(bench, chip, model, "--io-layout=free")["kernels"]
        parts[overlap, start] = kernel
    ideal, pieces, whole = parts.values()
    moved, computed = 2 * 4 * 56 * 56 * 64 // 8, 56 * 56 * 64 // 32
    assert ideal["cycles"] == moved + 1 and ideal["tiling"] == "whole", ideal
    # A transfer starts so late that there is one each way.
    assert whole["cycles"] == 2 * 1000000 + moved + computed + 1 and whole["tiling"] == "whole", whole
    # Half is computed while the other half comes, and that while the first half goes.
    assert pieces["cycles"] == moved + 1 and pieces["tiling"] == "2 pieces", pieces


def test_tiles_narrower_than_the_array(bench: Bench) -> None:
    """Where few channels fit at a time, the array is partly used, and takes what that part takes."""
    array = {"mac_rows": "256 MAC", "mac_columns": "256 MAC", "data_flow": "output-stationary"}
    cycles = []
    for kib in (65536, 1024, 64, 8):
        report = simulate(bench, Chip("wide", {**array, "sram": f"{kib} KiB"}), convolution(512, 14))
        check_sums(report)
        (kernel,) = kernels(report, "npu.conv2d")
        assert kernel["tile_bytes"] <= kib * 1024, kernel
        if kib <= 64:
            m, k, n = (int(extent) for extent in kernel["tiling"].split()[0].split("x"))
            assert 1 <= n < 256 or 9 <= k < 256, kernel
            # By hand; n, and perhaps k, do not divide what there is: the last tile is smaller.
            pixels, depth, channels = 14 * 14, 9 * 512, 512
            tiles = [-(-whole // part) for whole, part in zip((pixels, depth, channels), (m, k, n), strict=True)]
            folds = tiles[0] * (channels // n * -(-n // 256) + -(-(channels % n) // 256))
            least = folds * (depth - 2 * tiles[1]) + tiles[1] * (pixels * folds // tiles[0] + channels * tiles[0])
            assert kernel["tiles"] == np.prod(tiles) and kernel["array_cycles"] == least, (kernel, least)
        cycles.append(kernel["array_cycles"])
    assert cycles == sorted(cycles) and cycles[0] < cycles[-1], cycles


def test_contiguous_bytes(bench: Bench) -> None:
    """What lies next to each other does so whatever its dimensions are."""
    found = []
    for shape in ([1, 224, 224, 3], [1, 150528], [150528, 1], [3, 2, 25088]):
        model = network("flat", [helper.make_node("Relu", ["x"], ["y"], name="relu")], {}, {"x": shape}, ["y"])
        (kernel,) = simulate(bench, Chip("plain", {"dma_burst": "64 B"}), model)["kernels"]
        found.append(kernel["cycles"])
    assert found == [1 + 2 * 4 * 150528 // 8] * 4, found


def test_larger_chips(bench: Bench) -> None:
    """More rows, columns, memory, lanes: never slower, and never more memory than there is."""
    draw = random.Random(1)
    some = {"sram": "64 KiB", "dma_start": "100 cycles", "data_flow": "output-stationary", "overlap": "tiles"}
    for key, unit, values in (
        ("mac_rows", "MAC", (8, 32, 100, 128)), ("mac_columns", "MAC", (8, 32, 100, 128)),
        ("sram", "KiB", (16, 32, 64, 65, 100, 512)), ("vector_lanes", "lanes", (4, 32, 33)),
    ):  # fmt: skip
        for model, words in programs.drawn([(resnet50(64), ()), (mobilenet_v2(0.35, 96), ("--layout=naive",))], 1, draw):
            cycles = []
            for value in values:
                chip = blocked_chip(**(some | {key: f"{value} {unit}"}))
                report = simulate(bench, chip, model, *words)
                check_sums(report, waits=True)
                total = report["simulated"]
                assert total["on_chip_peak_bytes"] <= total["sram_bytes"], (chip, total)
                cycles.append(total["cycles"])
            assert cycles == sorted(cycles, reverse=True) and cycles[0] > cycles[-1], (key, values, cycles)


def test_algorithms_are_chosen_together(bench: Bench) -> None:
    """A convolution that alone is faster by itself, with Winograd's values on the chip is not: more memory was slower."""
    normal = np.random.default_rng(0).standard_normal
    weights = {"w": normal((16, 3, 3, 3), np.float32), "v": normal((16, 16, 3, 3), np.float32)}
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], pads=[1] * 4),
        helper.make_node("Relu", ["c"], ["a"]),
        helper.make_node("Conv", ["a", "v"], ["y"], pads=[1] * 4),
        helper.make_node("Sigmoid", ["c"], ["z"]),
    ]
    model = programs.network("two", nodes, weights, {"x": [1, 3, 16, 16]}, ["y", "z"])
    path, cycles = bench.save(model), []
    shipped = (programs.ROOT / "targets" / "npu-nhwc.yaml").read_text(encoding="utf-8").replace("name: npu-nhwc", "name: banks")
    machine = {"sram_banks": "3 banks", "mac_rows": "1 MAC", "mac_columns": "33 MAC", "dma_burst": "256 B", "clock": "333.3 MHz"}
    for kib in (16, 32, 36, 50):
        text = with_values(ChipFile("banks", shipped), machine | {"sram": f"{kib} KiB"})
        bench.path("banks.yaml").write_text(text, encoding="utf-8")
        bench.npuc(path, "-q", "--target=banks.yaml", "--layout=alter", "-o", "out.npu")
        cycles.append(json.loads(bench.run("npu-run", "out.npu", "--simulate-only", "--json").stdout)["simulated"]["cycles"])
    assert cycles == sorted(cycles, reverse=True), cycles


def test_padding_behind_a_view(bench: Bench) -> None:
    """Seven rows become seven channels: their copy in blocks takes 16/7 of the value's bytes, and has its room."""
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["wide"], name="wide"),
        helper.make_node("Transpose", ["wide"], ["turned"], name="turn", perm=[0, 3, 1, 2]),
        helper.make_node("Conv", ["turned", "v"], ["y"], name="narrow"),
    ]
    weights = {"w": np.ones((256, 16, 1, 1), np.float32), "v": np.ones((128, 7, 1, 1), np.float32)}
    path = network("turned", nodes, weights, {"x": [1, 16, 7, 7]}, ["y"])
    held = []
    for kib in range(40, 320, 8):
        total = simulate(bench, blocked_chip(sram=f"{kib} KiB"), path)["simulated"]
        assert total["on_chip_peak_bytes"] <= kib * 1024, (kib, total)
        held.append(total["resident_peak_bytes"])
    assert held[0] < held[-1], held


def test_memory_that_is_too_small(bench: Bench) -> None:
    """Weights of 9 MiB need a DRAM of more."""
    path = bench.save(convolution(512))
    for mib, code in (("9", 1), ("64", 0)):
        chip = Chip("tiny", {"sram": "1024 KiB", "dram": f"{mib} MiB"}).write(bench.folder)
        done = bench.run("npuc", path, "-o", "out.npu", "-q", f"--target={chip}")
        assert done.returncode == code and bench.path("out.npu").exists() is (code == 0), done.stderr
        assert code == 0 or "weights take 9.4 MB" in done.stderr and "a target with more `dram`" in done.stderr, done.stderr


def test_banks(bench: Bench) -> None:
    """Two banks hold no convolution's three buffers, however large they are; four hold scalars and a bias, too."""
    path = bench.save(convolution(16))
    biased = np.ones(16, np.float32)
    few = [helper.make_node("Conv", ["x", "w", "b"], ["c"], name="conv", pads=[1] * 4),
           helper.make_node("Mul", ["c", "s"], ["m"], name="mul"), helper.make_node("Add", ["m", "s"], ["y"], name="add")]  # fmt: skip
    weights = {"w": np.ones((16, 16, 3, 3), np.float32), "b": biased, "s": np.array(3, np.float32)}
    simulate(bench, Chip("four", {"sram": "1024 KiB", "sram_banks": "4 banks"}),
             network("few", few, weights, {"x": [1, 16, 56, 56]}, ["y"]))  # fmt: skip
    for banks, code in (("2", 1), ("32", 0)):
        chip = Chip("banks", {"sram": "1024 KiB", "sram_banks": f"{banks} banks"}).write(bench.folder)
        done = bench.run("npuc", path, "-o", "out.npu", "-q", f"--target={chip}")
        assert done.returncode == code, done.stderr
        assert code == 0 or "; a target with more `sram_banks` can hold it" in done.stderr, done.stderr


def test_a_tile_that_cannot_fit(bench: Bench) -> None:
    path = bench.save(convolution(512))
    chip = Chip("tiny", {"sram": "1 KiB"}).write(bench.folder)
    done = bench.run("npuc", path, "-o", "out.npu", f"--target={chip}")
    assert done.returncode != 0 and not bench.path("out.npu").exists()
    for words in ("conv", "its smallest tile", "bytes of on-chip memory", "of 1024 are free"):
        assert words in done.stderr, done.stderr


def test_one_cost_function(bench: Bench) -> None:
    """What the search minimises is what the simulator reports; one number of the target moves both."""
    target = (programs.ROOT / "targets" / "npu-nhwc.yaml").read_text(encoding="utf-8")
    faster = target.replace("name: npu-nhwc", "name: faster").replace("dram_bandwidth: 32", "dram_bandwidth: 64")
    assert faster.count("64 GB/s") == 1
    bench.path("faster.yaml").write_text(faster, encoding="utf-8")
    for name in ("conv_relu", "residual", "depthwise", "squeeze_excite"):
        found = []
        for chip in ("npu-nhwc", "faster.yaml"):
            report = bench.report(name, "--batch=1", f"--target={chip}", "--layout=optimal")
            done = bench.run("npu-run", "out.npu", "--simulate-only", "--json")
            simulated = json.loads(done.stdout)["simulated"]["cycles"]
            assert report["cost"] == simulated, f"{name} on {chip}"
            kernels_of_both = zip(report["kernels"], json.loads(done.stdout)["kernels"], strict=True)
            for told, found_there in kernels_of_both:
                for key in ("cycles", "dram_read_bytes", "on_chip_read_bytes", "on_chip_written_bytes"):
                    assert told[key] == found_there[key], f"{name} on {chip}: {key} of {told['name']}"
            found.append(simulated)
        assert found[1] < found[0], f"{name}: {found}"


def test_optimal_is_never_slower(bench: Bench) -> None:
    """Simulated time, against the cost of every other strategy that fits the chip; a drawn one's is simulated, too."""
    draw = random.Random(0)
    for name in small.NETWORKS:
        path = bench.save(name)
        for chip in programs.drawn(["npu-nhwc", "npu-nchw16c", "host"], 1, draw):

            def cycles(strategy: str, *words: object) -> float:
                bench.npuc(path, "-o", "out.npu", "-q", "--batch=1", f"--target={chip}", f"--layout={strategy}", *words)
                done = bench.run("npu-run", "out.npu", "--simulate-only", "--json")
                return json.loads(done.stdout)["simulated"]["cycles"]

            optimal = cycles("optimal", "--report=report.json")
            rows = json.loads(bench.path("report.json").read_text(encoding="utf-8"))["strategies"]
            costs = {row["name"]: row["cycles"] for row in rows if row["feasible"]}
            assert optimal == min(costs.values()), f"{name} on {chip}: {optimal}, {costs}"
            other = draw.choice(sorted(costs.keys() - {"optimal"}))
            assert cycles(other) == costs[other], f"{name} on {chip}: {other}"


if __name__ == "__main__":
    programs.main(__doc__)
