# SPDX-License-Identifier: Apache-2.0
"""npu-bench, npu-compare and npu-sweep with a plugin, named by --plugin or by the target's file."""

from __future__ import annotations

import csv
import json
import os
import shutil

import numpy as np
import plugins
from onnx import helper
from plugins import Bench, library, option, programs

QUICK = ("--rounds=1", "--batch=1", "--threads=1")


def save_network(bench: Bench) -> str:
    """A convolution that demo's kernel takes on npu-nchw; no op that onnxruntime lacks."""
    weight = np.random.default_rng(5).standard_normal((8, 4, 3, 3)).astype(np.float32)
    node = helper.make_node("Conv", ["x", "w"], ["y"], name="conv", kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    bench.save(plugins.network("net", [node], {"w": weight}, [1, 4, 10, 10], [1, 8, 10, 10]))
    os.environ["NPU_BENCH_CACHE"] = str(bench.path("cache"))
    return "net.onnx"


def chip(bench: Bench, *named: str) -> str:
    """In a folder of its own: a target that demo's kernel is for, and the library beside it."""
    folder = bench.path("chips")
    folder.mkdir(exist_ok=True)
    shutil.copy(library(bench), folder / "demo.so")
    text = (programs.ROOT / "targets" / "npu-nchw.yaml").read_text(encoding="utf-8")
    lines = text.replace("name: npu-nchw", "name: demo-chip") + "".join(f"\nplugins: [{name}]\n" for name in named)
    (folder / "demo-chip.yaml").write_text(lines, encoding="utf-8")
    return "chips/demo-chip.yaml"


def test_npu_bench(bench: Bench) -> None:
    net = save_network(bench)
    for target, words in (("npu-nchw", [option(bench)]), ("named", ["--allow-target-plugins"]), ("unnamed", [option(bench), option(bench)])):
        if target != "npu-nchw":
            target = chip(bench, *(["demo.so"] if target == "named" else []))
        words = [f"--plans={target}/none", *words]
        done = bench.run("npu-bench", net, *QUICK, "--json=out.json", f"--build={bench.build}", *words)
        assert done.returncode == 0, done.stderr + done.stdout
        text = bench.path("out.json").read_text(encoding="utf-8")
        assert "demo:rows" in text, text
    # Without one, the same words are another program.
    done = bench.run("npu-bench", net, *QUICK, "--json=out.json", f"--build={bench.build}", "--plans=npu-nchw/none")
    assert done.returncode == 0 and "demo:rows" not in bench.path("out.json").read_text(encoding="utf-8"), done.stderr
    for words, code, says in [
        (("--plans=npu-nchw/none", "--plugin=none.so"), 8, "plugin 'none.so' cannot be read: No such file"),
        (("--plans=npu-nchw/none", option(bench, "cost")), 1, "plugin demo 1.0: kernel 'rows': query gave a cost of nan"),
    ]:
        done = bench.run("npu-bench", net, *QUICK, f"--build={bench.build}", *words)
        said = " ".join((done.stdout + done.stderr).split())
        assert done.returncode == code and says in said, done
    done = bench.run("npu-bench", "--calibrate", option(bench))
    assert done.returncode == 2 and "--plugin: --calibrate measures npuc's own kernels" in done.stderr, done.stderr


def test_npu_compare(bench: Bench) -> None:
    net = save_network(bench)
    for words in (("--target=npu-nchw", option(bench)), (f"--target={chip(bench, 'demo.so')}", "--allow-target-plugins")):
        done = bench.run("npu-compare", net, "--all", f"--build={bench.build}", "--layout=none", *words)
        assert done.returncode == 0 and " by demo:rows" in done.stdout, done.stdout + done.stderr
        done = bench.run("npu-compare", net, "--json=-", f"--build={bench.build}", "--layout=none", *words)
        assert [layer["kernels"] for layer in json.loads(done.stdout)["layers"]] == [["demo:rows"]], done.stdout
    for name, code, says in [("missing", 8, "missing.so' cannot be read: No such file"), ("cost", 1, "query gave a cost of nan cycles")]:
        done = bench.run("npu-compare", net, "--target=npu-nchw", f"--build={bench.build}", option(bench, name))
        assert done.returncode == code and says in done.stderr, done


def test_npu_sweep(bench: Bench) -> None:
    """Points lie in folders of their own, and find the plugin that the chip's file names from its folder."""
    net = save_network(bench)
    words = ("npu-sweep", net, "--layout=none", "--workers=1", f"--build={bench.build}", "--set", "sram=512,1024")
    for folder, named, given in (("named", ["demo.so"], ["--allow-target-plugins"]), ("given", [], [option(bench)])):
        more = [f"--target={chip(bench, *named)}", *given]
        done = bench.run(*words, *more, f"--output={folder}")
        assert done.returncode == 0, done.stderr + done.stdout
        with bench.path(folder).joinpath("results.csv").open(encoding="utf-8", newline="") as file:
            cycles = [int(row["cycles"]) for row in csv.DictReader(file)]
        assert cycles == [4321, 4321], cycles
        done = bench.run(*words, *more, f"--output={folder}", "--json")
        assert json.loads(done.stdout)["reused"] == 2, done.stdout
    # Another library is another grid; another content of it makes the points again.
    done = bench.run(*words, f"--target={chip(bench)}", option(bench, "newer"), "--output=given")
    assert done.returncode == 2 and "holds another grid: --plugin was" in done.stderr, done.stderr
    chip(bench, "demo.so")
    shutil.copy(library(bench, "newer"), bench.path("chips") / "demo.so")
    done = bench.run(*words, "--target=chips/demo-chip.yaml", "--allow-target-plugins", "--output=named", "--json")
    assert json.loads(done.stdout)["computed"] == 2, done.stdout + done.stderr
    for named, given, code, says in [
        ([], ["--plugin=none.so"], 8, "--plugin: there is no file"),
        (["other.so"], ["--allow-target-plugins"], 8, "other.so' cannot be read: No such file"),
        (["demo.so"], [], 8, "is code that would run here"),
        ([], [option(bench, "name")], 8, "has the name 'De mo'"),
    ]:
        done = bench.run(*words, f"--target={chip(bench, *named)}", *given, "--output=wrong")
        assert done.returncode == code and says in done.stderr and not bench.path("wrong").exists(), done


if __name__ == "__main__":
    plugins.programs.main(__doc__)
