# SPDX-License-Identifier: Apache-2.0
"""What all programs in Python have in common: help without their packages, versions, one table of exit codes, near misses."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

import suite

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from npu_bench.errors import MEANINGS, Exit, exit_code_of  # noqa: E402
from npu_bench.resolver import NETS, TARGETS, find_model, find_target  # noqa: E402

# Words that are enough to begin with the work, and an option with a letter too few.
PROGRAMS = {
    "npu-bench": (["x.onnx"], "--plan=host/none", "--plans"),
    "npu-compare": (["x.onnx"], "--targt=host", "--target"),
    "npu-layout-diff": (["a.json", "b.json"], "--jsn", "--json"),
    "npu-reduce": (["x.onnx", "--reduce=y.onnx"], None, None),  # what it does not know is npuc's
    "npu-sweep": (["x.onnx"], "--layot=none", "--layout"),
    "npuc-quantize": (["x.onnx", "--data=x.npy", "-o", "y.onnx"], "--min-snr=3", "--min-sqnr"),
}


def bare(program: str, *words: str) -> subprocess.CompletedProcess:
    """In a Python that has nothing but its own library."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "bench"), "NPU_VERSION": "1.2.3"}
    command = [sys.executable, "-S", "-m", "npu_bench.launch", program.replace("-", "_"), *words]
    return subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


class ProgramsTest(unittest.TestCase):
    def test_help_and_version(self) -> None:
        meanings = {str(int(code)): meaning for code, meaning in MEANINGS.items()}
        for program in PROGRAMS:
            done = bare(program, "--version")
            self.assertEqual((done.returncode, done.stdout), (0, f"{program} 1.2.3\n"), done.stderr)
            done = bare(program, "--help")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("Examples:\n", done.stdout)
            listed = dict(re.findall(r"^  (\d)  (.+)$", done.stdout.partition("Exit codes (docs/exit-codes.md):\n")[2], re.MULTILINE))
            self.assertLessEqual({"0", "1", "2", "3", "6", "8"}, listed.keys(), program)
            for code in ("2", "3", "6", "8"):  # 0 and 1 say what they are in this program
                self.assertEqual(listed[code], meanings[code], program)
            built = subprocess.run([suite.BUILD / "bin" / program, "--version"], capture_output=True, text=True, check=False)
            npuc = subprocess.run([suite.BUILD / "bin" / "npuc", "--version"], capture_output=True, text=True, check=False)
            self.assertEqual(built.stdout.split()[1], npuc.stdout.split()[1], built)

    def test_missing_packages(self) -> None:
        for program, (words, _, _) in PROGRAMS.items():
            if program != "npu-layout-diff":  # which needs none
                done = bare(program, *words)
                self.assertEqual(done.returncode, Exit.FAILED, done)
                self.assertRegex(done.stderr, rf"\A{program}: error: .* has no package '\w+'; install .*\n\Z")

    def test_near_misses(self) -> None:
        for program, (words, wrong, right) in PROGRAMS.items():
            if wrong:
                done = bare(program, *words, wrong)
                name = wrong.partition("=")[0]
                self.assertEqual(done.returncode, Exit.USAGE, done)
                self.assertEqual(done.stderr, f"{program}: error: unknown option '{name}'; did you mean '{right}'?; see {program} --help\n")
        for call, word, right in ((find_model, NETS[0][:-1], NETS[0]), (find_target, "npu-nhcw", "npu-nhwc")):
            with self.assertRaisesRegex(Exception, f"did you mean '{right}'") as raised:
                call(word)
            self.assertEqual(exit_code_of(raised.exception), Exit.USAGE)
        with self.assertRaisesRegex(Exception, "there is no file './none.onnx'") as raised:
            find_model("./none.onnx")
        self.assertEqual(exit_code_of(raised.exception), Exit.FAILED)
        with self.assertRaisesRegex(Exception, "there is no target './none.yaml'") as raised:
            find_target("./none.yaml")
        self.assertEqual(exit_code_of(raised.exception), Exit.INPUT)
        self.assertEqual(find_target("host"), TARGETS / "host.yaml")

    def test_wrong_values(self) -> None:
        """In the words of the programs in C++, not in argparse's."""
        for words, said in (
            (("npu-sweep", "x.onnx", "--json=2"), "--json takes no value, but '2' is given"),
            (("npu-compare", "x.onnx", "--all=x'y"), "--all takes no value, but \"x'y\" is given"),
            (("npu-bench", "x.onnx", "--rounds=1.5"), "--rounds: '1.5' is not a whole number"),
            (("npu-compare", "x.onnx", "--rtol=much"), "--rtol: 'much' is not a number"),
            (("npu-compare", "x.onnx", "--rtol"), "--rtol: a value is missing"),
            (("npu-reduce", "x.onnx"), "--reduce is required"),
            (("npuc-quantize", "x.onnx"), "--data, -o/--output are required"),
        ):
            done = bare(*words)
            self.assertEqual((done.returncode, done.stdout), (Exit.USAGE, ""), done)
            self.assertEqual(done.stderr, f"{words[0]}: error: {said}; see {words[0]} --help\n")

    def test_one_table(self) -> None:
        """That of the programs in C++, and of the page."""
        header = (ROOT / "files" / "exit_codes.h").read_text(encoding="utf-8")
        numbers = {int(number) for number in re.findall(r"exit\w+ = (\d+)", header)}
        self.assertEqual(numbers, {int(code) for code in Exit if code != Exit.MISTAKE})
        page = (ROOT / "docs" / "exit-codes.md").read_text(encoding="utf-8")
        for code, meaning in MEANINGS.items():
            if code != Exit.MISTAKE:
                self.assertIn(f"| {int(code)} | {meaning} |", page)


if __name__ == "__main__":
    sys.exit(suite.main(__doc__))
