# SPDX-License-Identifier: Apache-2.0
"""A server like ForkServer.cpp for a Python program: python_server.py PACKAGE SECONDS."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from npu_bench import program  # noqa: E402

CRASHED = 70  # an exception that nobody caught: no exit code of a program's own


def run_child(name: str, main: Callable[[list[str]], int], messages: str, words: list[str], seconds: int) -> None:
    nothing, text = os.open(os.devnull, os.O_RDONLY), os.open(messages, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    for number, stream in ((nothing, 0), (text, 1), (text, 2)):
        os.dup2(number, stream)
    os.chdir(Path(messages).parent)
    signal.alarm(seconds)
    try:
        code = program.run(name, lambda: main(words))
    except BaseException:
        traceback.print_exc()
        code = CRASHED
    sys.stderr.flush()
    os._exit(code)


def serve(package: str, seconds: int) -> None:
    main = importlib.import_module(f"{package}.__main__").main
    for line in sys.stdin:
        messages, *words = line.rstrip("\n").split("\t")
        child = os.fork()
        if child == 0:
            run_child(package.replace("_", "-"), main, messages, words, seconds)
        _, status, usage = os.wait4(child, 0)
        print(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, flush=True)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
