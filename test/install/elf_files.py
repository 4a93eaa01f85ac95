# SPDX-License-Identifier: Apache-2.0
"""What the dynamic loader would do with ELF files, read off them: where they find libraries, how they are hardened."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from elftools.elf.elffile import ELFFile

# Made by others: where they find libraries is ours to check, how they were compiled is not.
BUNDLED = ("libdnnl", "libhighs", "libprotobuf", "libzstd", "libz-")
EXECUTABLE, WRITABLE = 1, 2
NOW_OF_FLAGS, NOW_OF_FLAGS_1, PIE_OF_FLAGS_1 = 0x8, 0x1, 0x08000000


def elf_files(folder: Path, skipped: tuple[str, ...] = ()) -> Iterator[Path]:
    """Programs and shared libraries; links lead to what is found by its own name."""
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in skipped)
        for path in (Path(at, name) for name in sorted(names)):
            if path.is_symlink() or not path.is_file():
                continue
            with path.open("rb") as stream:
                header = stream.read(18)
            # 2 and 3: what is run or loaded; an object file is neither.
            if header[:4] == b"\x7fELF" and int.from_bytes(header[16:18], "little") in (2, 3):
                yield path


def _dynamic(elf: ELFFile) -> list:
    section = next((one for one in elf.iter_segments("PT_DYNAMIC")), None)
    return list(section.iter_tags()) if section else []


def needed(path: Path) -> list[str]:
    """The libraries that it names."""
    with path.open("rb") as stream:
        return [tag.needed for tag in _dynamic(ELFFile(stream)) if tag.entry.d_tag == "DT_NEEDED"]


def run_path_faults(path: Path, may_name: Callable[[str], bool]) -> list[str]:
    """What is wrong with the places where it finds libraries; `may_name`: whether it may have an absolute one."""
    faults = []
    with path.open("rb") as stream:
        for tag in _dynamic(ELFFile(stream)):
            if tag.entry.d_tag in ("DT_RPATH", "DT_RUNPATH"):
                text = getattr(tag, "rpath", None) or getattr(tag, "runpath", "")
                for element in dict.fromkeys(text.split(":")):
                    is_own = element == "$ORIGIN" or element.startswith("$ORIGIN/")
                    if not is_own and not (element.startswith("/") and may_name(element)):
                        faults.append(f"finds libraries in '{element}' (of '{text}')")
            elif tag.entry.d_tag == "DT_NEEDED" and "/" in tag.needed:
                faults.append(f"needs '{tag.needed}', which is a path")
    return faults


def hardening_faults(path: Path, is_fortified: bool = False) -> list[str]:
    """What it lacks of cmake/Hardening.cmake. `is_fortified`: it is large enough to have a checked call for certain."""
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        tags = {tag.entry.d_tag: tag.entry.d_val for tag in _dynamic(elf)}
        segments = [(one.header.p_type, one.header.p_flags) for one in elf.iter_segments()]
        symbols = elf.get_section_by_name(".dynsym")
        names = {symbol.name for symbol in symbols.iter_symbols()} if symbols else set()
    kinds = {kind for kind, _ in segments}
    both = EXECUTABLE | WRITABLE
    is_program = "PT_INTERP" in kinds
    flags, flags_1 = tags.get("DT_FLAGS", 0), tags.get("DT_FLAGS_1", 0)
    checks = {
        "the tables of the dynamic loader stay writable (no PT_GNU_RELRO)": "PT_GNU_RELRO" in kinds,
        "names are looked up late (no NOW)": bool(flags & NOW_OF_FLAGS or flags_1 & NOW_OF_FLAGS_1 or "DT_BIND_NOW" in tags),
        "a program at a fixed address (no PIE)": not is_program or bool(flags_1 & PIE_OF_FLAGS_1),
        "code is changed as it is loaded (TEXTREL)": "DT_TEXTREL" not in tags and not flags & 4,
        "a segment is writable and executable": all(f & both != both for k, f in segments if k == "PT_LOAD"),
        "the stack is executable": all(not f & EXECUTABLE for k, f in segments if k == "PT_GNU_STACK") and "PT_GNU_STACK" in kinds,
        "no stack protector (nothing calls __stack_chk_fail)": "__stack_chk_fail" in names,
        "not fortified (nothing calls a checked function)": not is_fortified
        or any(name.startswith("__") and name.endswith("_chk") for name in names),
    }
    return [fault for fault, holds in checks.items() if not holds]


def is_ours(path: Path) -> bool:
    return not path.name.startswith(BUNDLED)


def in_system(element: str) -> bool:
    """Whether an installation may name it: the folder of a package of this system."""
    return element.startswith("/usr/lib/")


def installed_faults(folder: Path, may_name: Callable[[str], bool] = in_system) -> list[str]:
    """Of all files of an installation, a package or a wheel."""
    found = list(elf_files(folder))
    faults = [] if found else [f"{folder} has no ELF file"]
    for path in found:
        wrong = run_path_faults(path, may_name)
        if is_ours(path):
            wrong += hardening_faults(path)
        faults += [f"{path.relative_to(folder)}: {one}" for one in wrong]
    return faults
