# SPDX-License-Identifier: Apache-2.0
"""Compiled programs under load: many contexts at once, 1 to 4 kernel threads, 100 MB of weights."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import programs
from onnx import helper
from programs import Bench, check_close, expected, sample

if TYPE_CHECKING:
    import npuc

RUNS, CALLERS = 20, 4
# A release of the originals leaves at most this much of them resident.
MIB = 1 << 20


class Caller:
    """A loaded program with inputs in place: a context and buffers of its own."""

    def __init__(self, program: npuc.Program, values: dict[str, np.ndarray]) -> None:
        self.runs = program.bind(values)
        self.results: list[dict[str, np.ndarray]] = []
        self.failures: list[Exception] = []

    def work(self, start: threading.Barrier, runs: int) -> None:
        start.wait()
        try:
            for _ in range(runs):
                self.runs.run()
                self.results.append(self.runs.outputs())
        except Exception as error:  # noqa: BLE001 - a thread's is seen by nobody
            self.failures.append(error)


def run_together(callers: list[Caller], runs: int) -> None:
    start = threading.Barrier(len(callers))
    threads = [threading.Thread(target=caller.work, args=(start, runs)) for caller in callers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_callers_at_once(bench: Bench) -> None:
    """One program, four callers with inputs of their own: right, and always the same bits."""
    for name in ("residual", "squeeze_excite", "upsample"):
        model = bench.save(name)
        path = bench.compile(name, "--batch=2")
        values = [{"x": sample(2, 3, 32, 32, seed=seed)} for seed in range(CALLERS)]
        wanted = [expected(model, value)[0] for value in values]
        for threads in (1, 2, 4):
            program = bench.program(path, threads)
            callers = [Caller(program, value) for value in values]
            run_together(callers, RUNS)
            alone = [Caller(program, value) for value in values]
            for caller, single, result in zip(callers, alone, wanted):
                assert len(caller.results) == RUNS, f"{name}, {threads} threads: {caller.failures}"
                check_close(caller.results[-1]["y"], result)
                run_together([single], 1)
                for found in caller.results:
                    assert np.array_equal(found["y"], single.results[0]["y"]), f"{name}, {threads} threads: bits differ"


def test_two_programs_at_once(bench: Bench) -> None:
    callers, wanted = [], []
    for name in ("residual", "squeeze_excite"):
        value = {"x": sample(2, 3, 32, 32, seed=len(name))}
        program = bench.program(bench.compile(name, "--batch=2", out=f"{name}.npu"), threads=2)
        callers += [Caller(program, value) for _ in range(2)]
        wanted += 2 * [expected(bench.path(f"{name}.onnx"), value)[0]]
    run_together(callers, RUNS)
    for caller, result in zip(callers, wanted):
        assert len(caller.results) == RUNS, caller.failures
        check_close(caller.results[-1]["y"], result)


def test_hundred_megabytes(bench: Bench) -> None:
    """A weight section of 100 MB: compiled quickly, right, its pages given back after packing."""
    size = 5000
    weight = sample(size, size) / np.float32(size**0.5)
    node = helper.make_node("MatMul", ["x", "w"], ["y"], name="large")
    model = programs.network("large", [node], {"w": weight}, {"x": [4, size]}, ["y"])
    bench.save(model)
    start = time.monotonic()
    report = bench.report(model, "--threads=2")
    seconds = time.monotonic() - start
    assert report["memory"]["weight_bytes"] >= weight.nbytes
    assert seconds < 10, f"100 MB took {seconds:.1f} s"
    x = sample(4, size)
    (found,) = bench.execute(bench.path("out.npu"), {"x": x}, "y")
    check_close(found, x @ weight)
    done = bench.run("npu-run", "out.npu", "--input", "x=in-x.npy", "--threads=2", "--json")
    assert done.returncode == 0, done.stderr
    stats = json.loads(done.stdout)
    load = bench.program(bench.path("out.npu"), threads=2).load_stats
    if load["packed_bytes"]:
        assert load["released_bytes"] >= weight.nbytes - 2 * 4096, load
        # The packed copy, the originals while they are packed, and the program itself.
        assert stats["peak_rss_bytes"] < 2 * weight.nbytes + 150 * MIB, stats["peak_rss_bytes"]
    print(f"100 MB: {seconds:.1f} s, {report['compile_seconds']}, packed {load['packed_bytes']}, "
          f"released {load['released_bytes']}, peak {stats['peak_rss_bytes'] / MIB:.0f} MiB")  # fmt: skip


def test_peak_memory_is_its_own(bench: Bench) -> None:
    """A large process that starts npu-run must not be found in its figure."""
    bench.compile("conv_relu", "--batch=1")
    np.save(bench.path("x.npy"), sample(1, 3, 32, 32))
    ballast = np.ones(400 * MIB, np.uint8)
    done = bench.run("npu-run", "out.npu", "--input", "x=x.npy", "--json")
    peak = json.loads(done.stdout)["peak_rss_bytes"]
    assert 0 < peak < ballast.nbytes // 2, f"{peak} bytes"


def test_libraries_are_mapped_by_small_pages(bench: Bench) -> None:
    """Of oneDNN's 63 MB a process has what it touches, not all in whole pieces of 2 MB (cmake/OneDnn.cmake)."""
    bench.compile("conv_relu", "--batch=1")
    bench.program(bench.path("out.npu"), threads=1)
    library, large = "", {}
    for line in Path("/proc/self/smaps").read_text().splitlines():
        first, *rest = line.split()
        if not first.endswith(":"):
            library = Path(rest[-1]).name
        elif first == "FilePmdMapped:" and "libdnnl-npu" in library:
            large[library] = large.get(library, 0) + int(rest[0])
    assert all(size == 0 for size in large.values()), f"kB in pieces of 2 MB: {large}"


if __name__ == "__main__":
    programs.main(__doc__)
