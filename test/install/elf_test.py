# SPDX-License-Identifier: Apache-2.0
"""Every program and library of the build: none finds libraries in the current folder, all are hardened."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from elf_files import elf_files, hardening_faults, installed_faults, is_ours, run_path_faults

# What is not built here: environments, models, CMake's own trials; and .npu programs, which have rules of their own.
SKIPPED = ("venv", "venv-keras", "venv-tosa", "venv-vela", "models", "CMakeFiles", "demo", "packages")
HARDENED = ("bin", "lib", "python", "wheel")
FORTIFIED = ("bin/npuc", "bin/npu-run", "wheel/files/lib/libnpu.so.0.1")  # in the wheel, all of npuc is in the library
SOURCE = "#include <string.h>\nint f(const char *x) { char y[64]; strcpy(y, x); return y[1]; }\nint main(int c, char **v) { return f(v[c - 1]); }\n"


def test_build(build: Path) -> None:
    faults = []
    found = list(elf_files(build, SKIPPED))
    assert len(found) > 2, f"{build} has {len(found)} programs and libraries"
    for path in found:
        wrong = run_path_faults(path, lambda element: Path(element).is_dir())
        place = path.relative_to(build)
        if place.parts[0] in HARDENED and is_ours(path):
            wrong += hardening_faults(path, str(place) in FORTIFIED)
        faults += [f"{place}: {one}" for one in wrong]
    assert not faults, "\n".join(faults)


def test_rules(cc: str, patchelf: Path, folder: Path) -> None:
    """The rules find what they are for."""
    (folder / "x.c").write_text(SOURCE)
    program = folder / "x"

    def build(*words: str) -> list[str]:
        good = ["-O2", "-fPIE", "-pie", "-fstack-protector-strong", "-Wl,-z,relro,-z,now", "-D_FORTIFY_SOURCE=2"]
        subprocess.run([cc, "-w", *good, folder / "x.c", "-o", program, *words], check=True)
        return hardening_faults(program, is_fortified=True)

    assert build() == []
    for words, says in [
        (["-Wl,-z,lazy"], "names are looked up late"),
        (["-Wl,-z,norelro"], "no PT_GNU_RELRO"),
        (["-no-pie"], "no PIE"),
        (["-fno-stack-protector"], "no stack protector"),
        (["-U_FORTIFY_SOURCE"], "not fortified"),
        (["-Wl,-z,execstack"], "the stack is executable"),
    ]:
        assert any(says in fault for fault in build(*words)), (words, says)
    build()
    content = bytearray(program.read_bytes())
    at = int.from_bytes(content[32:40], "little")
    while content[at : at + 8] != bytes([1, 0, 0, 0, 5, 0, 0, 0]):  # PT_LOAD, read and execute
        at += 56
    content[at + 4] = 7
    program.write_bytes(content)
    assert hardening_faults(program) == ["a segment is writable and executable"]
    build()
    for given, says in [
        ("/usr/lib/x:", "''"),
        (":$ORIGIN", "''"),
        ("/usr/lib::$ORIGIN", "''"),
        (".", "'.'"),
        ("lib", "'lib'"),
        ("$ORIGINAL/lib", "'$ORIGINAL/lib'"),
        ("/elsewhere/build/lib", "'/elsewhere/build/lib'"),
    ]:
        subprocess.run([patchelf, "--set-rpath", given, program], check=True)
        faults = installed_faults(folder)
        assert any(f"finds libraries in {says}" in fault for fault in faults), (given, faults)
    subprocess.run([patchelf, "--set-rpath", "$ORIGIN:$ORIGIN/../lib:/usr/lib/llvm-22/lib", program], check=True)
    assert installed_faults(folder) == []
    subprocess.run([patchelf, "--replace-needed", "libc.so.6", "./libc.so.6", program], check=True)
    assert any("is a path" in fault for fault in installed_faults(folder))
    program.unlink()
    assert installed_faults(folder) == [f"{folder} has no ELF file"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--patchelf", type=Path, required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        test_rules(arguments.cc, arguments.patchelf, Path(name))
    test_build(arguments.build)
    return 0


if __name__ == "__main__":
    sys.exit(main())
