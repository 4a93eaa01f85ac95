# SPDX-License-Identifier: Apache-2.0
"""Whose code the wheel contains: licences and a list of components (CycloneDX), found out of the build.

What the build compiled into the wheel's files or linked to them is read off ninja; every such file belongs to a Debian
package or to a Python package, whose version and licence texts are taken as they are installed.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

# By Debian's source package or Python's package; what is not here has to be looked at, and gets a line.
LICENCES = {
    "cli11": "BSD-3-Clause",
    "flatbuffers": "Apache-2.0",
    "highsbox": "MIT",
    "libzstd": "BSD-3-Clause OR GPL-2.0-only",
    "llvm-toolchain-22": "Apache-2.0 WITH LLVM-exception",
    "nanobind": "BSD-3-Clause",
    "nlohmann-json3": "MIT",
    "node-d3-color": "BSD-3-Clause",
    "node-d3-dispatch": "BSD-3-Clause",
    "node-d3-drag": "BSD-3-Clause",
    "node-d3-ease": "BSD-3-Clause",
    "node-d3-interpolate": "BSD-3-Clause",
    "node-d3-selection": "BSD-3-Clause",
    "node-d3-timer": "BSD-3-Clause",
    "node-d3-transition": "BSD-3-Clause",
    "node-d3-zoom": "BSD-3-Clause",
    "onnx": "Apache-2.0",
    "onednn-cpu-gomp": "Apache-2.0",
    "onednn-devel-cpu-gomp": "Apache-2.0",
    "protobuf": "BSD-3-Clause",
    "python3.11": "PSF-2.0",
    "xxhash": "BSD-2-Clause",
    "zlib": "Zlib",
}
# The system's own, which the wheel's files find where they run: nothing of them is in it.
OF_THE_SYSTEM = {"gcc-12", "glibc", "linux", "libedit", "libxml2", "ncurses", "libffi", "libxcrypt"}
IS_LICENCE = re.compile(r"(^|/)(licen[cs]e|copying|notice|third-party)[^/]*$", re.IGNORECASE)
# Included by others, with the licence at its top.
WITHIN = {"nanobind": ["nanobind/ext/robin_map/include/tsl/robin_map.h"]}


class UnknownError(Exception):
    """One sentence."""


@dataclasses.dataclass
class Component:
    name: str
    version: str
    purl: str
    texts: list[Path] = dataclasses.field(default_factory=list)


def files_of(build: Path, target: str) -> set[Path]:
    """What a target is made of, headers too, that neither the build made nor the sources have."""
    ninja = ["ninja", "-C", str(build), "-t"]
    inputs = subprocess.run([*ninja, "inputs", target], check=True, capture_output=True, text=True).stdout.split("\n")
    objects = [name for name in inputs if name.endswith(".o")]
    found = {name for name in inputs if name}
    deps = subprocess.run([*ninja, "deps", *objects], check=True, capture_output=True, text=True).stdout
    found |= {line.strip() for line in deps.splitlines() if line.startswith("    ")}
    return {Path(os.path.normpath(build / name)) for name in found}


def debian_owners() -> dict[str, str]:
    owners = {}
    for listed in Path("/var/lib/dpkg/info").glob("*.list"):
        for line in listed.read_text(encoding="utf-8").splitlines():
            owners[line] = listed.name.removesuffix(".list")
    return owners


def debian_component(package: str) -> Component:
    form = "${source:Package}\t${source:Version}\t${Package}"
    done = subprocess.run(["dpkg-query", "-W", "-f", form, package], check=True, capture_output=True, text=True)
    source, version, name = done.stdout.split("\t")
    text = Path("/usr/share/doc") / name / "copyright"
    return Component(source, version, f"pkg:deb/debian/{source}@{version}", [text])


def python_owners() -> dict[str, importlib.metadata.Distribution]:
    owners = {}
    for distribution in importlib.metadata.distributions():
        folder = os.path.realpath(distribution.locate_file(""))
        for file in distribution.files or []:
            owners[os.path.normpath(os.path.join(folder, file))] = distribution
    return owners


def python_component(distribution: importlib.metadata.Distribution) -> Component:
    name, version = distribution.metadata["Name"].lower(), distribution.version
    texts = [Path(distribution.locate_file(file)) for file in distribution.files or [] if IS_LICENCE.search(str(file))]
    texts = [path for path in texts if path.suffix not in (".h", ".py", ".pyc")]
    texts += [Path(distribution.locate_file(file)) for file in WITHIN.get(name, [])]
    return Component(name, version, f"pkg:pypi/{name}@{version}", texts)


def components(build: Path, source: Path) -> list[Component]:
    files = files_of(build, "wheel-files")
    files |= {Path(line.partition("=")[2]) for line in (build / "CMakeCache.txt").read_text(encoding="utf-8").splitlines()
              if line.startswith("NPU_D3_") and ":FILEPATH=" in line}  # fmt: skip
    files.add(Path(next(iter((build / "lib").glob("libdnnl-npu.so*"))).resolve()))
    debian, python = debian_owners(), python_owners()
    found: dict[str, Component] = {}
    for path in sorted(files):
        is_ours = any(folder in path.parents for folder in (source, build))
        real = os.path.realpath(path)
        if real in python:
            one = python_component(python[real])
        elif owner := debian.get(str(path)) or debian.get(real) or debian.get("/usr" + real) or debian.get(real.removeprefix("/usr")):
            one = debian_component(owner) if owner not in found else found[owner]
        elif is_ours:
            continue
        else:
            raise UnknownError(f"{path} is in the wheel, and no package has it")
        found.setdefault(one.name, one)
        found[one.name].texts = list(dict.fromkeys(found[one.name].texts + one.texts))
    # The build's copy of oneDNN's library has other names in it (cmake/OneDnn.cmake).
    onednn = python_component(importlib.metadata.distribution("onednn-cpu-gomp"))
    found.setdefault(onednn.name, onednn)
    kept = [one for name, one in sorted(found.items()) if name not in OF_THE_SYSTEM]
    for wrong, what in (
        ([one for one in kept if one.name not in LICENCES], "and LICENCES says nothing of it; look at its texts"),
        ([one for one in kept if not one.texts], "without the text of its licence"),
    ):
        if wrong:
            names = ", ".join(f"{one.name} {one.version} {[str(path) for path in one.texts]}" for one in wrong)
            raise UnknownError(f"in the wheel, {what}: {names}")
    return kept


def top_comment(text: str) -> str:
    return text[: text.index("*/") + 2] + "\n"


def licence_text(one: Component) -> str:
    """All its texts, with those that Debian's name without saying them."""
    parts = []
    for path in one.texts:
        text = path.read_text(encoding="utf-8", errors="replace")
        parts.append(top_comment(text) if path.suffix == ".h" else text)
        if path.name == "copyright":
            for name in sorted(set(re.findall(r"/usr/share/common-licenses/([\w.+-]*\w)", text))):
                parts.append((Path("/usr/share/common-licenses") / name).read_text(encoding="utf-8"))
    return ("\n" + "-" * 78 + "\n\n").join(dict.fromkeys(parts))


def bill(found: list[Component], version: str) -> dict:
    """CycloneDX 1.6."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "bom-ref": "npuc", "name": "npuc", "version": version,
                                   "licenses": [{"license": {"id": "Apache-2.0"}}]}},
        "components": [
            {"type": "library", "bom-ref": one.purl, "name": one.name, "version": one.version, "purl": one.purl,
             "licenses": [{"expression": LICENCES[one.name]}]}
            for one in found
        ],
        "dependencies": [{"ref": "npuc", "dependsOn": [one.purl for one in found]}],
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True, help="build folder, in which wheel-files is built")
    parser.add_argument("--source", type=Path, required=True, help="npuc's sources")
    parser.add_argument("--version", required=True, help="npuc's")
    parser.add_argument("--output", type=Path, required=True, help="the wheel's dist-info folder")
    arguments = parser.parse_args()
    try:
        found = components(arguments.build.resolve(), arguments.source.resolve())
    except UnknownError as error:
        print(f"third_party.py: error: {error}", file=sys.stderr)
        return 1
    licences, bills = arguments.output / "licenses", arguments.output / "sboms"
    for folder in (licences, bills):
        folder.mkdir(parents=True, exist_ok=True)
    for one in found:
        (licences / f"{one.name}.txt").write_text(licence_text(one), encoding="utf-8")
    shutil.copy(arguments.source / "LICENSE", licences / "LICENSE")
    text = json.dumps(bill(found, arguments.version), indent=1) + "\n"
    (bills / "npuc.cdx.json").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
