# SPDX-License-Identifier: Apache-2.0
"""Runs a module's unittest cases on the programs of a build folder."""

from __future__ import annotations

import argparse
import sys
import unittest
from pathlib import Path

BUILD = Path()  # with bin/; set by main


def main(description: str | None) -> int:
    """The cases of the script that is run; its exit code."""
    global BUILD
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--build", type=Path, required=True, help="the build folder with bin/")
    BUILD = parser.parse_args().build.resolve()
    return 0 if unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful() else 1
