# SPDX-License-Identifier: Apache-2.0
"""Takes one trained PP-OCRv4 model out of the package rapidocr-onnxruntime."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "rapidocr-onnxruntime==1.4.4"


def wheel(folder: Path) -> Path:
    """Downloads the package; pip checks its hash against the registry's."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check"]
    done = subprocess.run([*command, "--dest", str(folder), PACKAGE], capture_output=True, text=True)
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        raise SystemExit(f"could not download {PACKAGE}: {done.stderr.strip()}")
    return wheels[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", help="name of the model inside the package")
    parser.add_argument("path", type=Path, help="the ONNX file to write")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel(Path(folder))) as archive:
            content = archive.read(f"rapidocr_onnxruntime/models/{arguments.file}")
    temporary = arguments.path.with_suffix(".part.onnx")
    temporary.write_bytes(content)
    temporary.rename(arguments.path)
    print(f"{arguments.path.name}: {len(content) / 1e6:.1f} MB from {PACKAGE}")


if __name__ == "__main__":
    main()
