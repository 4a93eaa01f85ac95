# SPDX-License-Identifier: Apache-2.0
"""Libraries that are no plugins, or wrong ones: each is an error that says what, and nothing is written."""

from __future__ import annotations

import shutil

import plugins
from plugins import Bench, library, option, programs

# The library, and what the error says.
WRONG = [
    ("missing", "cannot be read: No such file or directory; give the path of a shared library"),
    ("none", "it is a library, but no plugin: it exports neither npu_plugin_get nor"),
    ("abi", "npu_plugin_get was built with version 3 of the interface, expected 2"),
    ("size", "npu_plugin_get returned a npu_plugin with a struct_size of"),
    ("name", "npu_plugin_get has the name 'De mo', expected a-z, then a-z, 0-9 or _"),
    ("null", "npu_plugin_get returned null; this npuc has version 2 of the interface"),
    ("kernel_size", "npu_plugin_get returned a npu_plugin_kernel with a struct_size of"),
    ("results", "the op 'scale' with 0 results, expected 1 to 16"),
    ("optional", "the op 'pick' with optional inputs beyond its 3"),
    ("no_reference", "the op 'scale' without a reference"),
]


def test_wrong_libraries(bench: Bench) -> None:
    model = bench.save("conv_relu")
    bench.compile(model.name.removesuffix(".onnx"), "--batch=1", out="plain.npu")
    for name, says in WRONG:
        for program, words in [
            ("npuc", (model, "--batch=1", "-o", "out.npu")),
            ("npu-run", ("plain.npu", "--random-inputs")),
            ("npu-opt", (model, "-o", "out.mlir")),
        ]:
            done = bench.run(program, *words, option(bench, name))
            assert done.returncode == 8, (program, name, done)
            assert says in done.stderr and f"plugin '{library(bench, name)}'" in done.stderr, done.stderr
            assert len(done.stderr.splitlines()) == 1, done.stderr
        assert not bench.path("out.npu").exists() and not bench.path("out.mlir").exists()


def test_text_is_no_library(bench: Bench) -> None:
    bench.path("text.so").write_text("not a library", encoding="utf-8")
    done = bench.run("npuc", bench.save("conv_relu"), "--batch=1", "--plugin=text.so")
    assert done.returncode == 8 and "it is no shared library for x86-64" in done.stderr, done.stderr


def test_two_of_one_name(bench: Bench) -> None:
    """Another version, and another file of the same one; the same file twice is one plugin."""
    model = bench.save("conv_relu")
    shutil.copy(library(bench), bench.path("copy.so"))
    for other in (library(bench, "newer"), bench.path("copy.so")):
        done = bench.run("npuc", model, "--batch=1", option(bench), f"--plugin={other}")
        assert done.returncode == 8 and "a process can have one of them, leave the other out" in done.stderr, done
    bench.path("link.so").symlink_to(library(bench))
    bench.npuc(model, "--batch=1", option(bench), "--plugin=link.so", "-o", "out.npu", "-q")


def test_target_names_it(bench: Bench) -> None:
    """`plugins` of a target's file, relative to it; the report lists what a compilation had."""
    text = (programs.ROOT / "targets" / "npu-nchw.yaml").read_text(encoding="utf-8")
    folder = bench.path("chips")
    folder.mkdir()
    shutil.copy(library(bench), folder / "demo.so")
    chip = folder / "demo-chip.yaml"
    chip.write_text(text.replace("name: npu-nchw", "name: demo-chip") + "\nplugins: [demo.so]\n", encoding="utf-8")
    for words in (["--allow-target-plugins"], [f"--plugin={folder / 'demo.so'}"], [f"--plugin={folder}/../chips/demo.so"]):
        report = bench.report("conv_relu", "--batch=1", f"--target={chip}", *words)
        assert report["plugins"] == [{"name": "demo", "version": "1.0", "path": str(folder.resolve() / "demo.so")}]
    chip.write_text(chip.read_text(encoding="utf-8").replace("[demo.so]", "[other.so]"), encoding="utf-8")
    done = bench.run("npuc", "conv_relu.onnx", "--batch=1", f"--target={chip}", "--allow-target-plugins")
    assert done.returncode == 8 and "demo-chip.yaml:" in done.stderr and "No such file or directory" in done.stderr, done


def test_target_runs_nothing(bench: Bench) -> None:
    """A library that a target's file names is not even opened until the caller says so: a chip's file is data."""
    folder = bench.path("received")
    folder.mkdir()
    library_file = folder / "evil.so"
    shutil.copy(library(bench, "loud"), library_file)
    text = (programs.ROOT / "targets" / "npu-nchw.yaml").read_text(encoding="utf-8")
    chip, host = folder / "chip.yaml", folder / "host.yaml"
    chip.write_text(text.replace("name: npu-nchw", "name: chip") + "\nplugins: [evil.so]\n", encoding="utf-8")
    host.write_text(chip.read_text(encoding="utf-8").replace("name: chip", "name: host"), encoding="utf-8")
    model = bench.save("conv_relu")
    bench.npuc(model, "--batch=1", "--emit=mlir", "--stage=fused", "-o", "fused.mlir", "-q")
    target = f"--target={chip}"
    for words in [
        ("npuc", model, "--batch=1", target),
        ("npuc", "--check-target", target),
        ("npuc", "--check-target", "--target=npu-nchw", f"--fallback={host}"),
        ("npuc", model, "--batch=1", f"--fallback={host}"),
        ("npuc", model, "--batch=1", target, option(bench)),
        ("npu-opt", "fused.mlir", f"--npu-assign-layout=strategy=naive target={chip}"),
        ("npu-bench", model, "--batch=1", "--rounds=1", f"--plans={chip}/none", f"--build={bench.build}"),
        ("npu-compare", model, "--batch=1", target, f"--build={bench.build}"),
        ("npu-sweep", model, "--batch=1", target, f"--build={bench.build}", "--output=swept"),
    ]:
        done = bench.run(*words)
        said = " ".join((done.stdout + done.stderr).split())
        # Of npu-opt it is a part of its pipeline, whose faults are all 1.
        assert done.returncode == (1 if words[0] == "npu-opt" else 8) and "LOADED" not in said, done
        assert f"'{library_file}' is code that would run here" in said and "--allow-target-plugins" in said, said
    # It would have said so.
    done = bench.run("npuc", "--check-target", target, "--allow-target-plugins")
    assert "LOADED" in done.stderr, done


def test_library_that_is_no_plugin_runs_nothing(bench: Bench) -> None:
    done = bench.run("npuc", bench.save("conv_relu"), "--batch=1", option(bench, "loud_library"))
    assert done.returncode == 8 and "LOADED" not in done.stderr and "but no plugin" in done.stderr, done


if __name__ == "__main__":
    plugins.programs.main(__doc__)
