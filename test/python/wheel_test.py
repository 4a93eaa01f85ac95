# SPDX-License-Identifier: Apache-2.0
"""The wheel where there is nothing else: a root folder with Debian's Python, glibc and numpy, and no LLVM, no oneDNN.

Makes the wheel, installs it into an empty environment, and runs it inside a mount namespace whose root holds only what
the list HOST says (bind mounts, chroot): npuc and its programs compile and run a small network there.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import onnx

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "test" / "compiler" / "tools"
sys.path[:0] = [str(TOOLS), str(ROOT / "test" / "install")]

from elf_files import installed_faults  # noqa: E402
from programs import check_close, expected, sample, small  # noqa: E402

SKIPPED = 77
PYTHON = Path("/usr/bin/python3.11")
# What a minimal Debian has: Python's library, the loader, the C and C++ libraries, a shell, small tools.
HOST_FILES = (PYTHON, Path("/usr/bin/python3"), Path("/bin/bash"), Path("/usr/bin/env"), Path("/usr/bin/dirname"),
              Path("/usr/bin/readlink"))  # fmt: skip
HOST_LIBRARIES = ("libstdc++.so.6", "libgcc_s.so.1", "libz.so.1", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1")
FORBIDDEN = tuple(f"{name}*.{kind}" for name in ("libLLVM", "libMLIR", "libdnnl", "libhighs", "libprotobuf", "libgomp", "libzstd")
                  for kind in ("so", "so.*", "a"))  # fmt: skip

INSIDE = '''
import fnmatch, os, subprocess, sys
import numpy as np
folder, package = sys.argv[1:]
assert not os.path.exists("/usr/bin/true"), "the host's programs are here"
for at, folders, files in os.walk("/"):
    if at == "/":
        folders.remove("proc")
    found = [name for name in files if any(fnmatch.fnmatch(name, pattern) for pattern in {forbidden})]
    assert not found or at.endswith(("/npuc.libs", "/numpy.libs")), (at, found)
import npuc
assert npuc.__file__.startswith(package), npuc.__file__
os.chdir(folder)
x = np.load("x.npy")
p = npuc.compile("net.onnx", target="npu-nhwc", batch=2)
np.save("python.npy", p(x=x))
assert p.report["kernels"] and "naive" in p.explain() and all(k["ms"] > 0 for k in p.profile(runs=1))
assert b"npu_run" in npuc.emit("net.onnx", "asm", batch=2)
programs = os.path.dirname(sys.executable)
def run(program, *words, code=0):
    done = subprocess.run([os.path.join(programs, program), *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, (program, words, done)
    return done.stdout + done.stderr
assert run("npuc", "--version").startswith("npuc ")
run("npuc", "net.onnx", "--batch=2", "-o", "net.npu", "-q", "--certificate=proof.json")
run("npu-check-certificate", "proof.json")
run("npu-run", "net.npu", "--input", "x=x.npy", "--output", "y=run.npy")
version = run("npuc", "--version").split()[1]
words = {{"npu-bench": ["net.onnx"], "npu-sweep": ["net.onnx"], "npu-compare": ["net.onnx"], "npu-reduce": ["net.onnx", "--reduce=o.onnx"],
         "npuc-quantize": ["net.onnx", "--data=x.npy", "-o", "o.onnx"], "npu-layout-diff": None}}
for program, wanted in words.items(): # their packages are an extra, which help and version do without
    assert run(program, "--version").split()[:2] == [program, version], program
    help_text = run(program, "--help")
    assert "Examples:" in help_text and "Exit codes (docs/exit-codes.md):" in help_text, help_text
    if wanted:
        said = run(program, *wanted, code=1)
        assert "has no package" in said and len(said.splitlines()) == 1, said
print("inside ok")
'''


def libraries_of(path: Path) -> set[Path]:
    """What the dynamic loader opens for a program, and itself."""
    text = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
    return {Path(word) for line in text.splitlines() for word in line.split() if word.startswith("/")}


def find_library(name: str) -> Path:
    text = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        if line.split()[0:1] == [name] and "x86-64" in line:
            return Path(line.split()[-1])
    raise FileNotFoundError(name)


def copy_in(root: Path, path: Path) -> None:
    target = root / path.relative_to("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        shutil.copy2(path, target)  # follows links: the name is what is asked for


def make_root(root: Path) -> None:
    wanted = set(HOST_FILES) | {find_library(name) for name in HOST_LIBRARIES}
    for path in HOST_FILES:
        wanted |= libraries_of(path)
    extensions = PYTHON.parent.parent / "lib" / PYTHON.name / "lib-dynload"
    for path in extensions.glob("*.so"):
        wanted |= libraries_of(path)
    for path in wanted:
        copy_in(root, path)
    for name in ("tmp", "proc", "dev", "etc"):
        (root / name).mkdir()
    (root / "dev" / "null").touch()
    if not (root / "lib").exists():
        (root / "lib").symlink_to("usr/lib")


def enter(root: Path, binds: list[Path], command: list[str]) -> subprocess.CompletedProcess:
    """The command in a mount namespace of its own whose root is `root`."""
    lines = ["set -e"]
    for path in [*binds, Path("/proc"), Path("/dev/null")]:
        target = root / path.relative_to("/")
        if path.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        lines.append(f"mount --rbind '{path}' '{target}'")
    lines.append(f"exec /usr/sbin/chroot '{root}' \"$@\"")
    unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LC_ALL": "C"}  # no other locale is there
    return subprocess.run([*unshare, "bash", "-c", "\n".join(lines), "bash", *command],
                          capture_output=True, text=True, timeout=200, env=environment)  # fmt: skip


def make_wheel(build: Path, venv: Path, folder: Path) -> Path:
    script = ROOT / "python" / "wheel" / "make-wheel.sh"
    subprocess.run([script, build, venv, folder], check=True, capture_output=True, timeout=1200)
    (wheel,) = folder.glob("*.whl")
    assert wheel.name.endswith("manylinux_2_36_x86_64.whl"), wheel.name
    assert wheel.stat().st_size < 60e6, f"{wheel.stat().st_size} bytes"
    return wheel


def check_contents(wheel: Path, folder: Path) -> None:
    """Hardened, libraries beside it, and whose code it is: a licence and a component for all that is bundled."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    faults = installed_faults(folder, lambda element: False)
    assert not faults, "\n".join(faults)
    (info,) = folder.glob("*.dist-info")
    bill = json.loads((info / "sboms" / "npuc.cdx.json").read_text(encoding="utf-8"))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6"), bill
    names = [component["name"] for component in bill["components"]]
    for component in bill["components"]:
        assert component["version"] and component["purl"].startswith("pkg:") and component["licenses"], component
        text = (info / "licenses" / f"{component['name']}.txt").read_text(encoding="utf-8")
        assert len(text) > 500 and any(word in text.lower() for word in ("permission", "redistribut", "licen")), component
    assert bill["dependencies"] == [{"ref": "npuc", "dependsOn": [one["purl"] for one in bill["components"]]}], bill
    # Each library that lies in it, and what is within ours.
    for library in (folder / "npuc.libs").iterdir():
        if library.name.startswith("libnpu-team-"):  # ours
            continue
        stem = library.name.removeprefix("lib").partition("-")[0].partition(".")[0]
        wanted = {"dnnl": "onednn-cpu-gomp", "highs": "highsbox", "z": "zlib"}.get(stem, stem)
        assert any(wanted in name for name in names), (library.name, names)
    for name in ("llvm-toolchain-22", "nlohmann-json3", "cli11", "xxhash", "nanobind", "node-d3-zoom", "protobuf"):
        assert name in names, (name, names)
    assert (info / "licenses" / "LICENSE").is_file(), "npuc's own licence is not there"


def install(wheel: Path, environment: Path) -> Path:
    """Into an empty environment; numpy, which needs no network here, is a link."""
    subprocess.run([PYTHON, "-m", "venv", environment], check=True)
    pip = [environment / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps",
           "--no-index"]  # fmt: skip
    subprocess.run([*pip, wheel], check=True)
    packages = environment / "lib" / PYTHON.name / "site-packages"
    ours = Path(np.__file__).resolve().parents[1]
    for name in ("numpy", "numpy.libs"):
        (packages / name).symlink_to(ours / name)
    return packages


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--venv", type=Path, required=True)
    arguments = parser.parse_args()
    if not PYTHON.exists():
        print(f"skipped: {PYTHON} is not there")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        wheel = make_wheel(arguments.build, arguments.venv, folder / "wheel")
        check_contents(wheel, folder / "contents")
        packages = install(wheel, folder / "venv")
        root, work = folder / "root", folder / "work"
        root.mkdir()
        work.mkdir()
        make_root(root)
        onnx.save(small.make("residual"), work / "net.onnx")
        x = sample(2, 3, 32, 32)
        np.save(work / "x.npy", x)
        (work / "inside.py").write_text(INSIDE.format(forbidden=FORBIDDEN))
        numpy = Path(np.__file__).resolve().parent
        binds = [Path("/usr/lib") / PYTHON.name, folder / "venv", work, numpy, numpy.parent / "numpy.libs"]
        python = folder / "venv" / "bin" / "python"
        done = enter(root, binds, [str(word) for word in (python, work / "inside.py", work, packages)])
        if "Operation not permitted" in done.stderr and "unshare" in done.stderr:
            print("skipped: this system allows no namespaces")
            return SKIPPED
        assert done.returncode == 0 and "inside ok" in done.stdout, f"{done.stdout}\n{done.stderr}"
        wanted = expected(work / "net.onnx", {"x": x})[0]
        for result in ("python.npy", "run.npy"):
            check_close(np.load(work / result), wanted)
    print("the wheel works where nothing else is")
    return 0


if __name__ == "__main__":
    sys.exit(main())
