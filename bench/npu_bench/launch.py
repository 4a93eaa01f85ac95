# SPDX-License-Identifier: Apache-2.0
"""Runs a package: what bench/launcher.in starts, with signals that wait until here.

Python makes an exception of SIGINT as soon as it starts, and its imports print it, or end with another code.
"""

import runpy
import signal
import sys

ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main() -> None:
    # Until program.run() takes over there is nothing to remove.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)
    runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
