# SPDX-License-Identifier: Apache-2.0
"""Files that the programs write: none in the place of another, all or none, and nothing left by a signal."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import onnx
import programs
from programs import Bench

USAGE = 2
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE)
KILLS = 24


def content(bench: Bench) -> dict[str, bytes]:
    """Every file of the folder; links as what they say."""
    return {
        str(path.relative_to(bench.folder)): os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
        for path in sorted(bench.folder.rglob("*")) if path.is_symlink() or path.is_file()
    }  # fmt: skip


def refuse(bench: Bench, program: str, *words: object, says: str = "would replace", code: int = USAGE) -> None:
    before = content(bench)
    done = bench.run(program, *words)
    lines = done.stderr.splitlines()
    call = (program, words, done)
    assert done.returncode == code and len(lines) == 1 and says in lines[0], call
    assert lines[0].startswith(f"{program}: error: ") and not done.stdout, call
    assert content(bench) == before, f"{call} touched {set(content(bench).items()) ^ set(before.items())}"


def folder_of_aliases(bench: Bench) -> str:
    """A model in two files with each kind of alias beside it, and what npuc reads besides."""
    model = bench.save("residual")
    onnx.save(onnx.load(model), model, save_as_external_data=True, location="weights.bin", size_threshold=0)
    chip = (programs.ROOT / "targets" / "npu-nhwc.yaml").read_text(encoding="utf-8")
    bench.path("chip.yaml").write_text(chip.replace("name: npu-nhwc", "name: chip"), encoding="utf-8")
    bench.npuc(model.name, "--batch=1", "-o", "old.npu", "-q", "--target=chip.yaml", "--write-layout-plan=plan.yaml")
    np.save(bench.path("x.npy"), programs.sample(1, 3, 32, 32))
    bench.path("linked").symlink_to(bench.folder)
    bench.path("soft").symlink_to(model.name)
    bench.path("hard").hardlink_to(model)
    bench.path("dangling").symlink_to("not-yet")
    return model.name


def test_npuc_replaces_no_input(bench: Bench) -> None:
    model = folder_of_aliases(bench)
    words = [model, "--batch=1", "-q", "--target=chip.yaml", "--layout-plan=plan.yaml"]
    for alias in (model, f"./{model}", "soft", "hard", f"linked/{model}", "weights.bin", "linked/weights.bin",
                  "chip.yaml", "linked/chip.yaml", "plan.yaml"):  # fmt: skip
        for option in ("-o", "--report", "--write-layout-plan"):
            given = ["-o", alias] if option == "-o" else ["-o", "new.npu", f"{option}={alias}"]
            refuse(bench, "npuc", *words, *given, says=f"{option} '{alias}' would replace")
    for kind in ("mlir", "asm", "html"):
        refuse(bench, "npuc", *words, f"--emit={kind}", "-o", "hard")
    onnx.save(programs.chain("bound", [1, 3, 32, 32], "Relu"), bench.path("bound.onnx"))
    refuse(bench, "npuc", "bound.onnx", "--bind-input=x=x.npy", "-o", "linked/x.npy", says="--bind-input x")


def test_npuc_replaces_no_output(bench: Bench) -> None:
    model = folder_of_aliases(bench)
    for first, second in (("a", "a"), ("a", "./a"), ("a", "linked/a"), ("dangling", "not-yet"), ("old.npu", "linked/old.npu")):
        refuse(bench, "npuc", model, "--batch=1", "-q", "-o", first, f"--report={second}",
               says=f"--report '{second}' would replace -o '{first}'")  # fmt: skip
        refuse(bench, "npuc", model, "--batch=1", "-q", f"--report={first}", f"--write-layout-plan={second}")
    refuse(bench, "npuc", model, "--batch=1", "-q", "--report=residual.npu", says="would replace -o")  # the default


def test_standard_output_is_no_file_to_replace(bench: Bench) -> None:
    """Several outputs may go there, and its file is written where it ends, unless it is read."""
    bench.save("conv_relu")
    command = [bench.build / "bin" / "npuc", "conv_relu.onnx", "--batch=1", "-q", "--report=/dev/null"]
    with bench.path("log").open("wb") as log:
        log.write(b"before ")
        log.flush()
        subprocess.run([*command, "--write-layout-plan=-", "--emit=mlir", "-o", "/dev/stdout"], cwd=bench.folder,
                       stdout=log, check=True)  # fmt: skip
    text = bench.path("log").read_text(encoding="utf-8")
    assert text.startswith("before module") and "# A layout plan of npuc" in text, text[:200]
    with bench.path("conv_relu.onnx").open("ab") as model:
        done = subprocess.run([*command, "--emit=mlir", "-o", "-"], cwd=bench.folder, stdout=model, stderr=subprocess.PIPE)
    assert done.returncode == USAGE and b"would replace the model" in done.stderr, done
    for words in (["npuc", "conv_relu.onnx", "--batch=1", "-q", "--explain-layout", "--report=both"],
                  ["npu-run", bench.compile("conv_relu", "--batch=1"), "--random-inputs", "--json", "--profile=both"]):  # fmt: skip
        with bench.path("both").open("ab") as both:
            done = subprocess.run([bench.build / "bin" / words[0], *words[1:]], cwd=bench.folder, stdout=both, stderr=subprocess.PIPE)
        assert done.returncode == USAGE and b"would replace standard output" in done.stderr, done


def test_npuc_keeps_a_calibration(bench: Bench) -> None:
    """Of another processor, too, which it only passes over."""
    bench.save("conv_relu")
    table = bench.path("cache/npuc/host.yaml")
    table.parent.mkdir(parents=True)
    host = (programs.ROOT / "targets" / "host.yaml").read_text(encoding="utf-8")
    table.write_text(host, encoding="utf-8")
    done = subprocess.run([bench.build / "bin" / "npuc", "conv_relu.onnx", "--batch=1", "--target=host", "-o", table], cwd=bench.folder,
                          env={**os.environ, "XDG_CACHE_HOME": str(bench.path("cache"))}, stderr=subprocess.PIPE)  # fmt: skip
    assert done.returncode == USAGE and b"would replace" in done.stderr and table.read_text(encoding="utf-8") == host, done


def test_all_or_none(bench: Bench) -> None:
    """Whichever is the one that cannot be written."""
    bench.save("conv_relu")
    for name in ("out.npu", "report.json", "plan.yaml"):
        bench.path(name).write_text("old", encoding="utf-8")
    words = {"-o": "out.npu", "--report": "report.json", "--write-layout-plan": "plan.yaml"}
    for broken in words:
        given = [word for option, path in words.items()
                 for word in (option, "/dev/full" if option == broken else path)]  # fmt: skip
        says = "not a regular file" if broken == "-o" else "No space left on device"
        refuse(bench, "npuc", "conv_relu.onnx", "--batch=1", "-q", *given, says=says, code=3)
    bench.path("closed").mkdir()
    bench.path("closed").chmod(0o500)
    if not os.access(bench.path("closed"), os.W_OK):  # whoever is root may write there
        refuse(bench, "npuc", "conv_relu.onnx", "--batch=1", "-q", "-o", "out.npu", "--report=closed/r.json", code=3,
               says="Permission denied")  # fmt: skip
    bench.npuc("conv_relu.onnx", "--batch=1", "-q", *(word for pair in words.items() for word in pair))
    assert all(not path.name.startswith(".") for path in bench.folder.iterdir()), content(bench).keys()


def end_at(bench: Bench, command: list, moment: float, ending: signal.Signals) -> bool:
    """Whether the signal came in time; the program must end by it."""
    process = subprocess.Popen(command, cwd=bench.folder, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    time.sleep(moment)
    process.send_signal(ending)
    code = process.wait()
    assert code in (0, -ending), (command, ending, code)
    return code != 0


def test_signals(bench: Bench) -> None:
    """At any moment: the files of before, or all new ones."""
    bench.save("residual")
    programs_and_files = (
        (["npuc", "residual.onnx", "--batch=1", "-q", "-o", "out.npu", "--report=r.json"], ("out.npu", "r.json")),
        (["npu-run", "in.npu", "--random-inputs", "--output", "y=y.npy", "--profile=p.json"], ("y.npy", "p.json")),
    )
    bench.compile("residual", "--batch=1", out="in.npu")
    chosen, ended = random.Random(3), 0
    for words, files in programs_and_files:
        command = [bench.build / "bin" / words[0], *words[1:]]
        start = time.monotonic()
        subprocess.run(command, cwd=bench.folder, check=True, capture_output=True)
        seconds = time.monotonic() - start
        for turn in range(KILLS):
            for name in files:
                bench.path(name).write_text("old", encoding="utf-8")
            before = set(bench.folder.iterdir())
            ended += end_at(bench, command, chosen.random() * seconds, ENDINGS[turn % len(ENDINGS)])
            assert set(bench.folder.iterdir()) == before, set(bench.folder.iterdir()) - before
            old = {bench.path(name).read_bytes() == b"old" for name in files}
            assert len(old) == 1, f"{command}: some files are new"
    assert ended > 0, "no signal came in time"


def test_children(bench: Bench) -> None:
    """What npuc has started ends with it."""
    bench.save("conv_relu")
    slow = "sleep 1.5; touch went-on; false"
    npuc = str(bench.build / "bin" / "npuc")
    words = ["conv_relu.onnx", "--batch=1", "--reduce=small.onnx", f"--reduce-test={slow}"]
    before = set(bench.folder.iterdir())
    for ending in (signal.SIGTERM, signal.SIGHUP):
        assert end_at(bench, [npuc, *words], 1, ending), words
    time.sleep(2)
    assert set(bench.folder.iterdir()) == before, set(bench.folder.iterdir()) - before


def test_full_standard_output(bench: Bench) -> None:
    """One error, whatever is printed there."""
    program = bench.compile("conv_relu", "--batch=1", "--report=r.json")
    bench.npuc("conv_relu.onnx", "--batch=1", "-q", "--emit=mlir", "-o", "m.mlir")
    calls = [
        (3, ["npuc", "conv_relu.onnx", "--batch=1", "-q", "--emit=mlir", "-o", "-"]),
        (3, ["npuc", "conv_relu.onnx", "--batch=1", "-q", "--explain-layout"]),
        (3, ["npu-run", program, "--random-inputs"]), (3, ["npu-run", program, "--simulate-only", "--json"]),
        (3, ["npu-dump", program]), (3, ["npu-dump", program, "--json"]),
        (3, ["npu-layout-diff", "r.json", "r.json"]), (3, ["npu-opt", "m.mlir"]),
        *((3, [name, word]) for name in ("npuc", "npu-run", "npu-dump", "npu-check-certificate", "npu-kernel-table", "npu-layout-diff")
          for word in ("--help", "--version")),
    ]  # fmt: skip
    for code, (name, *words) in calls:
        for output in (open("/dev/full", "wb"), None):  # full, and closed
            command = [bench.build / "bin" / name, *words]
            done = subprocess.run(command, cwd=bench.folder, stdout=output, stderr=subprocess.PIPE, text=True,
                                  preexec_fn=None if output else lambda: os.close(1))  # fmt: skip
            lines = done.stderr.splitlines()
            assert done.returncode == code and "cannot write to standard output" in lines[-1], (command, done)
            assert len(lines) == 1 and lines[0].startswith(f"{name}: error: "), (command, lines)
            if output:
                output.close()


def test_unprinted_is_unwritten(bench: Bench) -> None:
    """What cannot be printed leaves no file either."""
    program = bench.compile("conv_relu", "--batch=1")
    dump = json.loads(bench.run("npu-dump", program, "--signature", "--json").stdout)
    output = dump["signature"]["outputs"][0]["name"]
    before = content(bench)
    for name, *words in (["npuc", "conv_relu.onnx", "--batch=1", "-q", "--explain-layout", "-o", "new.npu", "--report=new.json"],
                         ["npu-run", program, "--random-inputs", "--output", f"{output}=new.npy", "--profile=new.json"]):  # fmt: skip
        with open("/dev/full", "wb") as full:
            done = subprocess.run([bench.build / "bin" / name, *words], cwd=bench.folder, stdout=full, stderr=subprocess.PIPE)
        assert done.returncode == 3 and content(bench) == before, (name, done)


def test_npu_dump_replaces_nothing(bench: Bench) -> None:
    program = bench.compile("conv_relu", "--batch=1")
    before = content(bench)
    for mode in ("ab", "r+b"):
        with program.open(mode) as output:
            done = subprocess.run([bench.build / "bin" / "npu-dump", program], stdout=output, stderr=subprocess.PIPE)
        assert done.returncode == USAGE and b"standard output" in done.stderr and content(bench) == before, done


def test_nobody_reads_a_pipe(bench: Bench) -> None:
    program = bench.compile("conv_relu", "--batch=1")
    os.mkfifo(bench.path("pipe"))
    refuse(bench, "npuc", "conv_relu.onnx", "--batch=1", "-q", "--report=pipe", says="nobody reads it", code=3)
    refuse(bench, "npu-run", program, "--random-inputs", "--trace=pipe", says="nobody reads it", code=3)
    with subprocess.Popen(["cat", bench.path("pipe")], stdout=subprocess.PIPE) as reader:
        deadline = time.monotonic() + 20
        while bench.run("npuc", "conv_relu.onnx", "--batch=1", "-q", "--report=pipe").returncode:
            assert time.monotonic() < deadline
        assert json.loads(reader.stdout.read())


def test_no_number(bench: Bench) -> None:
    """What is no finite number is no tolerance and no limit."""
    program = bench.compile("conv_relu", "--batch=1")
    for word in ("nan", "inf", "-1", "1e999"):
        refuse(bench, "npuc", "conv_relu.onnx", f"--layout-seconds={word}", says="is not a number from 0 to")
        for option in ("--rtol", "--atol"):
            refuse(bench, "npu-run", program, f"{option}={word}", says="is not a number from 0 to")
            refuse(bench, "npu-compare", "conv_relu.onnx", f"{option}={word}", says="finite and not negative")


def test_npu_opt_replaces_nothing(bench: Bench) -> None:
    bench.save("conv_relu")
    bench.npuc("conv_relu.onnx", "--batch=1", "-q", "--emit=mlir", "-o", "m.mlir")
    bench.path("soft").symlink_to("m.mlir")
    refuse(bench, "npu-opt", "m.mlir", "-o", "soft", says="would replace the input")


if __name__ == "__main__":
    programs.main(__doc__)
