# SPDX-License-Identifier: Apache-2.0
"""Speaks to a tool that is loaded once and forks for each run (ForkServer.cpp, python_server.py)."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

SANITIZER = 99  # exit code


@dataclasses.dataclass
class Outcome:
    """Of one run of a tool: the exit code, or minus the signal; what it printed and took."""

    code: int
    text: str
    seconds: float  # of the processor
    memory: int  # bytes

    def errors(self, tool: str) -> list[str]:
        return [line for line in self.text.splitlines() if line.startswith(f"{tool}: error: ")]

    def is_clear_refusal(self, code: int) -> bool:
        """This exit code and one error of npuc, no crash."""
        return self.code == code and len(self.errors("npuc")) == 1


class Server:
    """A program NAME-server, or a package of bench/ (without limit of memory); without limits unless they are given."""

    def __init__(self, program: Path, seconds: int | None = None, memory: int | None = None):
        command = [str(program)]
        if program.parent.name == "bench":
            command = [sys.executable, str(Path(__file__).parent / "python_server.py"), program.name]
        command += [str(seconds)] if seconds is not None else []
        command += [str(memory)] if memory is not None else []
        # A sanitizer's finding is no exit code of a tool's own; what is left at the end of a process is no finding.
        options = f"exitcode={SANITIZER}:detect_leaks=0:allocator_may_return_null=1"
        # The distribution's LLVM has no sanitizer in it: what its allocators poison in our code, they use in theirs.
        options += ":allow_user_poisoning=0"
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "ASAN_OPTIONS": options, "UBSAN_OPTIONS": f"exitcode={SANITIZER}:print_stacktrace=1"}
        pipe = subprocess.PIPE
        self.name = program.name.removesuffix("-server")
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)

    def run(self, folder: Path, arguments: list) -> Outcome:
        """In that folder; nothing is left there but `messages.txt`."""
        messages = folder / "messages.txt"
        print(messages, *arguments, sep="\t", file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().split()
        if len(answer) != 3:
            raise SystemExit(f"{self.name}: the server ended")
        code, seconds, memory = int(answer[0]), float(answer[1]), int(answer[2])
        return Outcome(code, messages.read_text(encoding="utf-8", errors="surrogateescape"), seconds, memory)

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
