# SPDX-License-Identifier: Apache-2.0
"""npu-sweep: same table whoever computes it, nothing lost, nothing half-written, a page that shows it."""

from __future__ import annotations

import contextlib
import csv
import http.client
import itertools
import json
import os
import random
import re
import signal
import stat
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import onnx
import programs
from browser import browser, is_installed
from distributed.security import Security
from programs import TIMEOUT_SECONDS, Bench
from pyarrow import parquet

from npu_sweep import chip, engine, page, point, table
from npu_sweep.security import Link

GRID = ("residual.onnx", "--target=npu-nhwc,npu-nchw16c", "--layout=naive,optimal", "--set", "array.rows=16,32,64")
POINTS = 12
FAILED, USAGE, BAD_INPUT = 1, 2, 8
TLS_WORDS = ("--tls-ca-file=ca.pem", "--tls-cert=cert.pem", "--tls-key=key.pem")
EVIL = "</script><img src=x onerror=\"window.evil=1\"><!--<script>'@DATA@\u2028"


def sweep(bench: Bench, *words: object) -> subprocess.CompletedProcess:
    return bench.run("npu-sweep", *words)


def summary(bench: Bench, *words: object, code: int = 0) -> dict:
    done = sweep(bench, *words, "--json")
    assert done.returncode == code, f"{words}: exit code {done.returncode}\n{done.stderr}"
    found = json.loads(done.stdout)
    programs.check_schema("npu-sweep", found)
    return found


def rows_of(bench: Bench, folder: str) -> list[dict]:
    with bench.path(folder).joinpath("results.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def results(bench: Bench, folder: str) -> list[Path]:
    return sorted(bench.path(folder).glob("points/*/result.json"))


def table_bytes(bench: Bench, folder: str) -> list[bytes]:
    return [bench.path(folder).joinpath(name).read_bytes() for name in ("results.csv", "results.parquet", "page.html")]


@contextlib.contextmanager
def running(bench: Bench, *words: object) -> Iterator[subprocess.Popen]:
    command = [str(bench.build / "bin" / "npu-sweep"), *map(str, words)]
    process = subprocess.Popen(command, cwd=bench.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for_results(bench: Bench, folder: str, count: int) -> list[Path]:
    end = time.monotonic() + TIMEOUT_SECONDS
    while len(found := results(bench, folder)) < count:
        assert time.monotonic() < end, f"{len(found)} results after {TIMEOUT_SECONDS} s"
        time.sleep(0.02)
    return found


def test_same_table(bench: Bench) -> None:
    """4 workers, 1 worker, a worker killed half-way, an interruption: the same bytes."""
    bench.save("residual")
    first = summary(bench, *GRID, "--output=four", "--workers=4")
    assert (first["points"], first["computed"], first["failed"]) == (POINTS, POINTS, 0), first
    wanted = table_bytes(bench, "four")
    check_numbers(bench, rows_of(bench, "four"))
    check_resume(bench, wanted)
    with running(bench, *GRID, "--output=killed", "--workers=1") as process:
        found = wait_for_results(bench, "killed", 2)
        worker = json.loads(found[0].read_text(encoding="utf-8"))["worker"]
        assert len(found) < POINTS // 2, "too late to kill"
        os.kill(int(worker.rpartition(":")[2]), signal.SIGKILL)
        _, said = process.communicate(timeout=TIMEOUT_SECONDS)
        assert process.returncode == 0, said
    assert table_bytes(bench, "killed") == wanted
    times = bench.path("killed/times.csv").read_text(encoding="utf-8")
    assert len({line.split(",")[1] for line in times.splitlines()[1:]}) > 1, f"nobody took over: {times}"
    few = (*GRID[:1], *GRID[2:])
    with running(bench, *few, "--output=interrupted", "--workers=1") as process:
        wait_for_results(bench, "interrupted", 1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=TIMEOUT_SECONDS)
        assert process.returncode == -signal.SIGINT and "the same command does the rest" in said, (process.returncode, said)
        assert "Traceback" not in said, said
    assert not bench.path("interrupted/results.csv").exists(), "a table of half a grid"
    rest = summary(bench, *few, "--output=interrupted", "--workers=1")
    assert rest["reused"] > 0, rest
    cycles = [[row["cycles"] for row in rows_of(bench, folder)] for folder in ("interrupted", "four")]
    assert cycles[0] == cycles[1][: POINTS // 2], cycles


def check_numbers(bench: Bench, rows: list[dict]) -> None:
    """In the grid's order; a point is what npuc and npu-run say of such a target; Parquet says the same."""
    combinations = itertools.product(("npu-nhwc", "npu-nchw16c"), ("16", "32", "64"), ("naive", "optimal"))
    assert [(row["target"], row["mac_rows"], row["layout"]) for row in rows] == list(combinations), rows
    text = (programs.ROOT / "targets" / "npu-nhwc.yaml").read_text(encoding="utf-8")
    assert "  mac_rows: 64 MAC" in text
    bench.path("npu-nhwc.yaml").write_text(text.replace("mac_rows: 64 MAC", "mac_rows: 16 MAC"), encoding="utf-8")
    report = bench.report("residual", "--target=npu-nhwc.yaml", "--layout=naive", "--batch=1")
    done = bench.run("npu-run", "out.npu", "--simulate-only", "--json")
    simulated = json.loads(done.stdout)["simulated"]
    assert (rows[0]["sram_bytes"], rows[0]["macs_per_cycle"]) == (str(2048 * 1024), str(16 * 64)), rows[0]
    for name in ("cycles", "relayout_cycles", "on_chip_peak_bytes", "dram_read_bytes", "macs"):
        assert int(rows[0][name]) == simulated[name], (name, rows[0], simulated)
    assert int(rows[0]["relayouts"]) == report["relayouts"]["count"] > 2
    assert int(rows[1]["cycles"]) < int(rows[0]["cycles"]) and not rows[0]["error"]
    read = parquet.read_table(bench.path("four/results.parquet"))
    assert read.column("cycles").to_pylist() == [int(row["cycles"]) for row in rows]
    assert read.column_names == list(rows[0]) and read.column("mac_rows").to_pylist()[:3] == [16, 16, 32]
    assert read.field("mac_rows").metadata == {b"unit": b"MAC"}, read.schema


def check_resume(bench: Bench, wanted: list[bytes]) -> None:
    """Two points are deleted: two are computed, the others not touched."""
    found = results(bench, "four")
    before = {path: path.stat().st_mtime_ns for path in found}
    for path in (found[3], found[8]):
        path.unlink()
    plan = summary(bench, *GRID, "--output=four", "--dry-run")
    assert [entry["point"] for entry in plan["grid"] if not entry["done"]] == [3, 8], plan
    found[5].write_text(found[5].read_text(encoding="utf-8")[:50], encoding="utf-8")  # damaged is missing
    second = summary(bench, *GRID, "--output=four", "--workers=1")
    assert (second["computed"], second["reused"]) == (3, POINTS - 3), second
    changed = [path for path in found if path.stat().st_mtime_ns != before[path]]
    assert changed == [found[3], found[5], found[8]] and table_bytes(bench, "four") == wanted, changed
    other = sweep(bench, *GRID[:-1], "array.rows=16,32", "--output=four")
    assert other.returncode == 2 and "holds another grid: --set mac_rows was 16,32,64, is now 16,32" in other.stderr
    assert table_bytes(bench, "four") == wanted
    bench.path("residual.onnx").rename(bench.path("kept.onnx"))
    bench.save("concat").rename(bench.path("residual.onnx"))
    assert summary(bench, *GRID, "--output=four", "--dry-run")["missing"] == POINTS, "the network is another one"
    bench.path("kept.onnx").rename(bench.path("residual.onnx"))


def test_failed_points(bench: Bench) -> None:
    """A tile that cannot fit and a strategy that cannot be are rows with a sentence."""
    bench.save("residual")
    # In two banks there is no place for a convolution's three buffers.
    banks = "sram_banks=2 banks,16 banks"
    words = ("residual.onnx", "--layout=none,optimal", "--set", banks, "--output=failed", "--workers=1")
    for computed in (4, 0):
        found = summary(bench, *words, code=1)
        assert (found["failed"], found["computed"]) == (3, computed), found
        rows = rows_of(bench, "failed")
        assert "infeasible" in rows[0]["error"] and "of 2097152 are free" in rows[1]["error"], rows
        assert rows[0]["cycles"] == "" and rows[3]["front"] == "true" and not rows[3]["error"], rows
    read = parquet.read_table(bench.path("failed/results.parquet"))
    assert read.column("cycles").null_count == 3 and str(read.schema.field("cycles").type) == "int64"


def test_errors(bench: Bench) -> None:
    """One sentence, the documented exit code, and no folder that was not there before."""
    bench.save("residual")
    bench.path("bad.onnx").write_bytes(b"no model")
    bench.path("mine").mkdir()
    bench.path("mine/letter.txt").write_text("dear", encoding="utf-8")
    bench.path("broken.yaml").write_text("machine: [", encoding="utf-8")
    model = "residual.onnx"
    cases = [
        (["none.onnx"], "there is no file 'none.onnx'"),
        (["bad.onnx"], "no ONNX model"),
        ([model, model], "'residual' stands twice"),
        ([model, "--set", "mac_rowz=1"], "unknown key 'mac_rowz', allowed are clock, mac_rows"),
        ([model, "--set", "mac_rows=16,-2"], "--set mac_rows=-2: npu-nhwc.yaml:"),
        ([model, "--set", "mac_rows=many"], "expected a number and its unit"),
        ([model, "--set", "mac_rows=0.5"], "'0.5 MAC', expected a whole number from 1"),
        ([model, "--set", "sram=512 MiB"], "KiB"),
        ([model, "--set", "sram_banks=2"], "expected the unit banks"),
        ([model, "--set", "data_flow=up"], "'up', expected one of: dot-product"),
        ([model, "--set", "mac_rows"], "expected KEY=VALUE"),
        ([model, "--set", "mac_rows=1,"], "expected KEY=VALUE"),
        ([model, "--set", "mac_rows=16,16"], "a value stands twice"),
        ([model, "--set", "mac_rows=16", "--set", "array.rows=32"], "'mac_rows' stands twice"),
        ([model, "--layout=best"], "unknown layout strategy 'best'"),
        ([model, "--objective=fame"], "fame"),
        ([model, "--target=npu-nhcw"], "there is no target 'npu-nhcw'; did you mean 'npu-nhwc'?"),
        ([model, "--target=broken.yaml"], "broken.yaml"),
        ([model, "--batch=0"], "expected sizes such as 1,16"),
        ([model, "--batch=1,1"], "'1' stands twice"),
        ([model, "--input-shape=y=1,2"], "no model has an input 'y'"),
        ([model, "--workers=0"], "--workers: at least 1"),
        ([model, "--output=mine"], "is not empty and holds no sweep"),
        ([model, "--output=bad.onnx"], "is no folder"),
        ([model, "--build=mine"], "run `make build` first"),
        ([model, "--tls-cert=bad.onnx"], "--tls-ca-file, --tls-cert and --tls-key go together"),
        ([model, "--scheduler=tcp://127.0.0.1:1", "--tls-cert=a", "--tls-key=a", "--tls-ca-file=a"], "they are for --scheduler=tls://"),
        ([model, "--scheduler=127.0.0.1:1"], "warning: '127.0.0.1:1' is neither encrypted nor authenticated"),
        ([model, "--scheduler=tls://127.0.0.1:1", *TLS_WORDS], "--tls-ca-file: 'ca.pem' cannot be read"),
        ([model, "--scheduler=udp://127.0.0.1:1"], "no Dask scheduler answers at 'udp://127.0.0.1:1'"),
        ([model, "--layot=naive"], "unknown option '--layot'; did you mean '--layout'?"),
    ]
    codes = {"bad.onnx": FAILED, "none.onnx": FAILED, "--target=broken.yaml": BAD_INPUT, "--build=mine": FAILED, "--scheduler=127.0.0.1:1": FAILED,
             "--scheduler=udp://127.0.0.1:1": FAILED, "--scheduler=tls://127.0.0.1:1": BAD_INPUT}  # fmt: skip
    before = sorted(bench.folder.rglob("*"))
    with contextlib.chdir(bench.folder):
        for words, text in cases:
            done = programs.called(bench.build, "npu-sweep", *words)
            wanted = next((codes[word] for word in words if word in codes), USAGE)
            assert done.returncode == wanted and text in done.stderr and "Traceback" not in done.stderr, done
            assert sorted(bench.folder.rglob("*")) == before, words
    done = sweep(bench, *cases[0][0])
    assert done.returncode == FAILED and cases[0][1] in done.stderr and not done.stdout, done
    done = sweep(bench, model, "--output=/proc/none", "--workers=1")
    assert done.returncode == 3 and "/proc/none" in done.stderr and "Traceback" not in done.stderr, done


def pid_when_there(file: str) -> int:
    """The worker's own id, as soon as the file is there."""
    while not os.path.exists(file):
        time.sleep(0.05)
    return os.getpid()


def test_lost_result(bench: Bench) -> None:
    """A worker dies with a result that was announced: another one computes it again."""
    # The other one waits for the file: a result that is there again at once would hide that it was ever gone.
    file = bench.path("go")
    file.touch()
    with engine.connect(Link(), workers=2) as client:
        future = client.submit(pid_when_there, str(file))
        first = future.result(timeout=TIMEOUT_SECONDS)
        file.unlink()
        os.kill(first, signal.SIGKILL)
        end = time.monotonic() + TIMEOUT_SECONDS
        while future.status == "finished":
            assert time.monotonic() < end, "nobody missed the worker"
            time.sleep(0.01)
        threading.Timer(0.5, file.touch).start()
        assert engine.result_of(future) != first


def listening_ports() -> set[int]:
    """Of this process and of those that it has started."""
    parents = dict(line.split() for line in subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout.splitlines())
    ours, before = {str(os.getpid())}, 0
    while len(ours) > before:
        before = len(ours)
        ours |= {process for process, parent in parents.items() if parent in ours}
    sockets = set()
    for process in ours:
        with contextlib.suppress(OSError):
            for link in Path(f"/proc/{process}/fd").iterdir():
                with contextlib.suppress(OSError):
                    sockets.add(os.readlink(link).removeprefix("socket:[").removesuffix("]"))
    lines = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    return {int(words[1].rpartition(":")[2], 16) for words in lines if words[3] == "0A" and words[9] in sockets}


def test_strangers(bench: Bench) -> None:
    """Who is on the same machine connects to none of the processes, and sees none of their pages."""
    stranger = ("import sys; from distributed import Client\nfor scheme in ('tcp', 'tls'):\n    try:\n"
                "        client = Client(f'{scheme}://127.0.0.1:{sys.argv[1]}', timeout=2)\n"
                "        print('ran', client.submit(sum, [1, 2], pure=False).result(timeout=5))\n"
                "    except Exception as error:\n        print('kept out', type(error).__name__)\n")
    with engine.connect(Link(), workers=1) as client:
        assert client.submit(sum, [1, 2]).result(timeout=TIMEOUT_SECONDS) == 3
        assert client.scheduler.address.startswith("tls://127.0.0.1:"), client.scheduler.address
        ports = listening_ports()
        assert int(client.scheduler.address.rpartition(":")[2]) in ports and len(ports) >= 3, ports
        done = subprocess.run([sys.executable, "-c", stranger, client.scheduler.address.rpartition(":")[2]], cwd=bench.folder,
                              capture_output=True, text=True, timeout=TIMEOUT_SECONDS)  # fmt: skip
        assert done.stdout.count("kept out") == 2 and "ran" not in done.stdout, done
        for port, path in itertools.product(ports, ("/", "/status", "/info/main/workers.html", "/json/counts.json", "/metrics", "/health")):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as page_there:
                    raise AssertionError(f"{port}{path}: {page_there.status}")
            except (OSError, http.client.HTTPException):
                pass


def make_keys(folder: Path) -> None:
    """A certificate that is its own authority."""
    security = Security.temporary()
    for name, text in (("ca", security.tls_ca_file), ("cert", security.tls_client_cert), ("key", security.tls_client_key)):
        (folder / f"{name}.pem").write_text(text, encoding="utf-8")


def test_tls_scheduler(bench: Bench) -> None:
    """A scheduler with certificates: with ours points are computed, without them, or with others, none."""
    bench.save("residual")
    make_keys(bench.folder)
    bench.path("other").mkdir()
    make_keys(bench.path("other"))
    grid, file = ("residual.onnx", "--set", "mac_rows=16,32"), bench.path("scheduler.json")
    with contextlib.ExitStack() as stack:
        def start(program: str, *words: str) -> None:
            command = [sys.executable, "-m", f"distributed.cli.{program}", "--scheduler-file", str(file), "--no-dashboard", *TLS_WORDS, *words]
            process = subprocess.Popen(command, cwd=bench.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            stack.callback(process.wait)
            stack.callback(process.kill)

        start("dask_scheduler", "--host=tls://127.0.0.1", "--port=0", "--protocol=tls")
        end = time.monotonic() + TIMEOUT_SECONDS
        while not file.exists() or not file.read_text(encoding="utf-8").endswith("}"):
            assert time.monotonic() < end, "the scheduler did not start"
            time.sleep(0.05)
        start("dask_worker", "--no-nanny", "--nthreads=1")
        address = json.loads(file.read_text(encoding="utf-8"))["address"]
        assert address.startswith("tls://"), address
        words = (*grid, f"--scheduler={address}", "--output=tls")
        for others, code, says in (([], FAILED, "no Dask scheduler answers"), ([f"{word.partition('=')[0]}=other/{word.partition('=')[2]}" for word in TLS_WORDS], FAILED, "no Dask scheduler answers"),
                                   ((TLS_WORDS[0], TLS_WORDS[1], "--tls-key=other/key.pem"), BAD_INPUT, "are no certificate and its key"),
                                   (("--tls-ca-file=residual.onnx", *TLS_WORDS[1:]), BAD_INPUT, "has no certificates in PEM form")):  # fmt: skip
            done = sweep(bench, *words, *others)
            assert done.returncode == code and says in done.stderr and "warning" not in done.stderr, (others, done)
            assert len(done.stderr.splitlines()) == 1 and not bench.path("tls").exists(), done
        assert summary(bench, *words, *TLS_WORDS)["computed"] == 2


def test_failed_first_sweep(bench: Bench) -> None:
    """A folder in which no point was computed holds no settings: the words may be mended."""
    model = programs.small.make("residual")
    model.graph.input[0].type.tensor_type.shape.dim[2].dim_param = "H"
    onnx.save(model, bench.path("open.onnx"))
    done = sweep(bench, "open.onnx", "--layout=naive", "--output=out", "--workers=1")
    assert done.returncode == FAILED and "--input-shape" in done.stderr, done
    words = ("open.onnx", "--layout=naive", "--output=out", "--workers=1", "--input-shape=x=1,3,32,32")
    assert summary(bench, *words)["computed"] == 1
    done = sweep(bench, *words[:-1])
    assert done.returncode == USAGE and "--input-shape was x=1,3,32,32, is now not given; choose another folder" in done.stderr, done


def test_budget(bench: Bench) -> None:
    """What npuc's messages advise works here, and belongs to the grid."""
    bench.save("residual")
    words = ("residual.onnx", "--layout=naive", "--output=out", "--workers=1")
    done = sweep(bench, *words, "--budget=file=1000")
    assert done.returncode == FAILED and "--budget=file=N" in done.stderr, done
    assert summary(bench, *words, "--budget=file=100000000")["failed"] == 0
    assert sweep(bench, *words, "--budget=fil=9").returncode == USAGE


def test_scheduler(bench: Bench) -> None:
    """A scheduler and a worker that know nothing of us."""
    bench.save("residual")
    grid = ("residual.onnx", "--set", "mac_rows=16,32")
    alone = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    file = bench.path("scheduler.json")
    quiet = {"cwd": bench.path("far"), "env": alone, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    bench.path("far").mkdir()
    with contextlib.ExitStack() as stack:
        def start(program: str, *words: str) -> subprocess.Popen:
            options = ["--scheduler-file", str(file), "--no-dashboard", *words]
            process = subprocess.Popen([sys.executable, "-m", f"distributed.cli.{program}", *options], **quiet)
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        scheduler = start("dask_scheduler", "--host=127.0.0.1", "--port=0")
        end = time.monotonic() + TIMEOUT_SECONDS
        while not file.exists() or not file.read_text(encoding="utf-8").endswith("}"):
            assert time.monotonic() < end, "the scheduler did not start"
            time.sleep(0.05)
        address = "--scheduler=" + json.loads(file.read_text(encoding="utf-8"))["address"]
        done = sweep(bench, *grid, address, "--output=far-away")
        assert done.returncode == FAILED and "has no workers" in done.stderr, done
        assert "warning: 'tcp://127.0.0.1:" in done.stderr and "use tls://" in done.stderr, done
        assert not bench.path("far-away").exists()
        start("dask_worker", "--no-nanny", "--nthreads=1")
        assert summary(bench, *grid, address, "--output=far-away")["computed"] == 2
        many = ("residual.onnx", "--set", "mac_rows=" + ",".join(map(str, range(1, 31))), "--output=lost")
        with running(bench, *many, address) as process:
            wait_for_results(bench, "lost", 1)
            scheduler.kill()
            _, said = process.communicate(timeout=TIMEOUT_SECONDS)
            assert process.returncode == FAILED and "the scheduler is gone" in said, (process.returncode, said)
            assert "Traceback" not in said and not bench.path("lost/results.csv").exists(), said
    summary(bench, *grid, "--output=here", "--workers=1")
    assert table_bytes(bench, "far-away") == table_bytes(bench, "here")


def test_passing_failures(bench: Bench) -> None:
    """What another attempt may change is not kept; what the model is to blame for, is."""
    for script, final, text in (
        ("kill -9 $$", False, "npuc ended with signal 9"),
        ("echo 'npuc: error: /m/x.onnx: bad' >&2; exit 1", True, "x.onnx: bad"),
        ("echo 'npuc: error: disk full' >&2; exit 3", False, "exit code 3: disk full"),
    ):
        npuc = bench.path("npuc")
        npuc.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        npuc.chmod(npuc.stat().st_mode | stat.S_IXUSR)
        folder = bench.path("final" if final else "passing")
        job = point.Job(0, str(folder), "/m/x.onnx", "chip.yaml", "name: chip\n", (), str(npuc), "npu-run")
        result = point.run_point(job)
        assert text in result["error"] and result.get("passing", False) is not final, result
        assert folder.joinpath("result.json").exists() is final
    job = point.Job(0, str(bench.path("npuc") / "x"), "m", "chip.yaml", "", (), "npuc", "npu-run")
    assert "NotADirectoryError" in point.run_point(job)["error"]


def test_parts(bench: Bench) -> None:
    """The front against its definition; target files keep all but the numbers."""
    random.seed(5)
    for _ in range(50):
        costs = [tuple(random.randint(0, 5) for _ in range(3)) for _ in range(random.randint(1, 30))]
        best = {one for one in costs if not any(
            other != one and all(a <= b for a, b in zip(other, one)) for other in costs)}  # fmt: skip
        assert table.pareto(costs) == best, costs
    # What a chip has counts, not what a network uses of it; memory that is not told is no small one.
    made = {"model": "m", "batch": 1, "error": "", "dram_bytes": 9, "on_chip_peak_bytes": 5}
    rows = [{**made, "cycles": cycles, "sram_bytes": sram, "macs_per_cycle": array}
            for cycles, sram, array in ((10, 100, 16), (10, 200, 16), (10, 100, 64), (9, 200, 16), (9, 0, 16))]  # fmt: skip
    table.mark_fronts(rows)
    assert [row["front"] for row in rows] == [True, False, False, True, False], rows
    text = "# why\nname: c\nmachine:\n  clock: 9 MHz # fast\n  data_flow: dot-product\nrows: 9 MHz\n"
    changed = chip.with_values(chip.Chip("c", text), {"clock": "10", "data_flow": "x", "sram_banks": "2 banks"})
    wanted = text.replace("clock: 9", "sram_banks: 2 banks\n  clock: 10").replace("dot-product", "x")
    assert changed == wanted, changed
    flow = chip.with_values(chip.Chip("c", "machine: {clock: 9 MHz}\n"), {"clock": "1", "sram": "2 KiB"})
    assert flow == "machine: {sram: 2 KiB, clock: 1 MHz}\n", flow


def open_page(bench: Bench, path: Path, name: str) -> dict:
    view = browser()
    view.get_log("browser")
    view.get(path.as_uri())
    pictures = bench.build / "test" / "sweep-pages"
    pictures.mkdir(parents=True, exist_ok=True)
    view.save_screenshot(str(pictures / f"{name}.png"))
    found = view.execute_script("""
      const count = (what) => document.querySelectorAll(what).length;
      return { drawn: performance.getEntriesByName("drawn").length, plots: count("#plots svg"),
        marks: count(".mark"), rings: count(".mark.front"), front: count("#front tbody tr"),
        failed: count("#failed tbody tr"), images: count("img"), evil: window.evil,
        fetched: performance.getEntriesByType("resource").length };""")
    assert not view.get_log("browser") and found["drawn"] == 1, (name, found)
    assert not found["evil"] and found["images"] == 0 and found["fetched"] == 0, found
    return found


def check_page(bench: Bench, path: Path, rows: list[dict]) -> None:
    """Each point once for each pair of objectives, the front ringed and listed; what hovering, a click and the choice of a network show."""
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import Select

    view, found = browser(), open_page(bench, path, "two-batches")
    mine = [row for row in rows if row["batch"] == 1]
    good, front = [row for row in mine if not row["error"]], [row for row in mine if row["front"]]
    plots = len(table.objectives_of(rows)) - 1
    assert found["plots"] == plots == 4, found
    assert found["marks"] == plots * len(good) and found["rings"] == plots * len(front), found
    assert found["front"] == len(front) and found["failed"] == len(mine) - len(good) == 1, found
    mark = view.find_elements(By.CSS_SELECTOR, ".mark.front")[-1]
    row = rows[int(mark.get_attribute("data-point"))]
    ActionChains(view).move_to_element(mark).perform()
    tip = view.execute_script("return document.getElementById('tip').textContent")
    assert f"cycles: {row['cycles']:,}" in tip and f"{row['target']} / {row['layout']}" in tip, tip
    ActionChains(view).click(mark).perform()
    details = view.execute_script("return document.getElementById('details').textContent")
    assert f"{row['dram_bytes']:,}" in details and "unit of it" in details, details
    assert view.execute_script("return document.querySelectorAll('.mark.hot').length") == plots
    for box in ("log", "only"):
        view.find_element(By.ID, box).click()
    shown = view.execute_script("return document.querySelectorAll('.mark').length")
    assert shown == plots * len(front), (shown, front)
    Select(view.find_element(By.ID, "group")).select_by_index(1)
    sums = view.execute_script("return document.getElementById('sums').textContent")
    assert re.match(rf"{sum(row['batch'] == 2 for row in rows)} points, ", sums), sums
    assert not view.get_log("browser")


def test_page(bench: Bench) -> None:
    if not is_installed():
        print("  not opened: there is no chromium and chromedriver; `make deps` installs them")
        return
    random.seed(9)
    rows = []
    for number, (batch, layout, size) in enumerate(itertools.product((1, 2), ("naive", EVIL), range(1, 21))):
        row = {"point": number, "model": EVIL, "target": EVIL, "layout": layout, "batch": batch, "sram": size}
        row |= {name: float(size) if name in table.REAL else random.randint(1, 10**6) for name in table.MEASURES}
        rows.append({**row, "front": False, "error": ""})
    rows[4] |= {**dict.fromkeys(table.MEASURES), "error": EVIL}
    table.mark_fronts(rows)
    path = bench.path("page.html")
    path.write_text(page.make_page(table.page_data(rows, {"sram": "unit of it"})), encoding="utf-8")
    check_page(bench, path, rows)
    bench.save("residual")
    found = summary(bench, "residual.onnx", "--layout=naive,optimal", "--output=real", "--workers=1")
    drawn = open_page(bench, bench.path("real/page.html"), "real")
    assert drawn["marks"] == 6 and drawn["front"] == len(found["front"]), (drawn, found)


if __name__ == "__main__":
    try:
        programs.main(__doc__)
    finally:
        if browser.cache_info().currsize:
            browser().quit()
