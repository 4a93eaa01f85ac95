# SPDX-License-Identifier: Apache-2.0
"""`make demo`: what it builds, what it says, and that the commands that it ends with work as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import suite
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "models"))

import zoo  # noqa: E402

DEMO = ROOT / "bench" / "demo" / "demo.py"
PLANS = ("npu-nchw/none", "npu-nhwc/naive", "npu-nhwc/auto-nhwc", "npu-nhwc/optimal")


class DemoTest(unittest.TestCase):
    def setUp(self) -> None:
        # A build folder beside the commands, as in a source tree: they are typed with names relative to here.
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        build = self.folder / "build"
        build.mkdir()
        for name in ("bin", "lib", "python", "models", "share"):
            (suite.BUILD / name).exists() and (build / name).symlink_to(suite.BUILD / name)

    def demo(self, *words: str) -> subprocess.CompletedProcess:
        environment = {**os.environ, "NPU_MODELS": str(suite.BUILD / "models")}
        return subprocess.run([sys.executable, DEMO, "--build=build", "--rounds=1", *words], cwd=self.folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)  # fmt: skip

    def test_commands(self) -> None:
        # A part of the demo's own picture, as large as it is: all of it takes thirty times as long, and goes the same way.
        with Image.open(zoo.ensure_picture()) as page:
            page.crop((0, 0, 320, 160)).save(self.folder / "part.png")
        done = self.demo("--picture=part.png", "--short-side=160")
        self.assertEqual(done.returncode, 0, done.stderr)
        for plan in PLANS:
            self.assertIn(plan, done.stdout)
        self.assertRegex(done.stdout, r"All 4 agree with onnxruntime: largest difference \d\.\de-\d+, of values up to")
        self.assertRegex(done.stdout, r"Found [1-9]\d* lines? of text")
        self.assertTrue((self.folder / "build" / "demo" / "detection.png").exists())
        commands = [line.strip() for line in done.stdout.partition("What to try next")[2].splitlines()[1:] if line.strip()]
        self.assertGreaterEqual(len(commands), 5, done.stdout)
        for command in commands:
            self.assertNotRegex(command, "resnet|mobilenet", "it needs Keras")
            tried = subprocess.run(["bash", "-c", command], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            self.assertEqual(tried.returncode, 0, (command, tried.stdout, tried.stderr))

    def test_picture_without_text(self) -> None:
        Image.new("RGB", (60, 40), "white").save(self.folder / "blank.png")
        done = self.demo("--picture=blank.png", "--short-side=64")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Found 0 lines of text", done.stdout)
        absolute = float(re.search(r"largest difference (\S+),", done.stdout)[1])
        self.assertLess(absolute, 1e-3)

    def test_wrong_pictures(self) -> None:
        (self.folder / "a.jpg").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n")
        Image.new("1", (9000, 9000)).save(self.folder / "large.png")
        for words, code, says in ((("--picture=a.jpg",), 8, "it is EPS by its first bytes, expected BMP"), (("--picture=none.png",), 8, "'none.png'"),
                                  (("--picture=large.png",), 8, "--budget=pixels=81000000"), (("--rouns=1",), 2, "did you mean '--rounds'?"),
                                  (("--build=none",), 1, "run `make build` first")):  # fmt: skip
            done = self.demo(*words)
            self.assertEqual(done.returncode, code, done)
            self.assertIn(says, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_target(self) -> None:
        """Programs only: nothing of tests, nothing of benchmarks."""
        def asked(question: str) -> list[str]:
            done = subprocess.run(["ninja", "-C", suite.BUILD, "-t", question, "programs"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout.split()

        for program in ("npuc", "npu-run", "npu-dump", "npu-check-certificate"):
            self.assertIn(f"bin/{program}", asked("query"))
        objects = [name for name in asked("inputs") if name.endswith(".o")]
        self.assertGreater(len(objects), 100)
        self.assertFalse([name for name in objects if name.startswith(("test/", "bench/"))])
        self.assertIn("demo: programs", (ROOT / "Makefile").read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(suite.main(__doc__))
