# SPDX-License-Identifier: Apache-2.0
"""Runs a package: what bench/launcher.in starts, with signals that wait until here.

Python makes an exception of SIGINT as soon as it starts, and its imports print it, or end with another code.
"""

import runpy
import signal
import sys
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parents[2] / "setup" / "requirements.txt"
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def missing_package(error: ModuleNotFoundError) -> str:
    return (f"{sys.executable} has no package '{error.name}'; install those of {REQUIREMENTS} for it "
            "(of a wheel: the extra npuc[bench]), or name another Python by NPU_PYTHON")  # fmt: skip


def main() -> None:
    # Until program.run() takes over there is nothing to remove.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)
    name = sys.argv.pop(1)
    runpy.run_module(name, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
