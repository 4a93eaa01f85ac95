# SPDX-License-Identifier: Apache-2.0
"""How the Python programs end: by the signal that ended them, with nothing left behind, and never in silence."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from npu_bench.errors import Exit, did_you_mean, exit_code_of, reason_of, unknown_name
from npu_bench.launch import ENDINGS, missing_package
from npu_bench.shown import complain

if TYPE_CHECKING:
    import numpy as np

_waiting: list[int] = []  # signals that came during signals_wait()
_waits = 0
_is_ending = False  # once is enough


class _Completion(argparse.Action):
    """Prints a shell's script, made of the table of options, as `npuc --completion` does, and ends."""

    def __call__(self, parser: argparse.ArgumentParser, _arguments: argparse.Namespace, shell: object, _word: object = None) -> None:
        import shtab  # of no use to whoever completes nothing

        for action in parser._actions:
            if action.nargs != 0 and action.choices is None:
                action.complete = shtab.FILE
        print(shtab.complete(parser, shell=str(shell)))
        parser.exit()


# argparse's words, and those of the programs in C++ for the same.
WORDS = (
    (r": ignored explicit argument (.*)", r" takes no value, but \1 is given"),
    (r"invalid int value: (.*)", r"\1 is not a whole number"),
    (r"invalid float value: (.*)", r"\1 is not a number"),
    (r"the following arguments are required: ([^,]*)", r"\1 is required"),
    (r"the following arguments are required: (.*)", r"\1 are required"),
    (r"expected one argument", "a value is missing"),
)


def plain_message(message: str) -> str:
    """What is wrong with the words of a command, without argparse's own terms."""
    message = message.removeprefix("argument ")
    for pattern, words in WORDS:
        message, count = re.subn(f"{pattern}$", words, message, flags=re.DOTALL)
        if count:
            break
    return message


class Parser(argparse.ArgumentParser):
    """Says what is wrong with a command in one line, as the programs in C++ do."""

    def __init__(self, prog: str, description: str, epilog: str) -> None:
        super().__init__(prog, description=description, epilog=epilog, allow_abbrev=False,
                         formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
        version = f"{prog} {os.environ.get('NPU_VERSION', 'of a source tree')}"
        self.add_argument("--version", action="version", version=version)
        self.add_argument("--completion", action=_Completion, choices=("bash", "zsh", "fish"), metavar="SHELL",
                          help="print a script that completes this program's words in a shell (bash, zsh or fish), and end")

    def error(self, message: str) -> NoReturn:
        complain(self.prog, f"{plain_message(message)}; see {self.prog} --help")
        sys.exit(Exit.USAGE)

    def parse_args(self, words: Sequence[str] | None = None) -> argparse.Namespace:  # type: ignore[override]
        arguments, others = self.parse_known_args(words)
        if others:
            self.error(self.unknown(others[0]))
        return arguments

    def unknown(self, word: str) -> str:
        """What is wrong with a word that nobody takes."""
        if not word.startswith("-"):
            return f"unexpected argument '{word}'"
        name = word.partition("=")[0]
        return f"unknown option '{name}'{did_you_mean(name, self._option_string_actions)}"

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(action, unknown_name(str(value), map(str, action.choices)))


class Ended(KeyboardInterrupt):
    """A signal, as an exception, so that every `with` and `finally` is left in order."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _end(number: int, _frame: object) -> None:
    if _waits:
        _waiting.append(number)
    else:
        _raise(number)


def _raise(number: int) -> None:
    # The handlers stay: of a signal that has come and not been heard yet, Python complains if nobody is to hear it.
    global _is_ending
    if not _is_ending:
        _is_ending = True
        raise Ended(number)


@contextlib.contextmanager
def signals_wait() -> Iterator[None]:
    """While something is made, until it is known to whoever removes it; and while it is removed."""
    global _waits
    _waits += 1
    try:
        yield
    finally:
        _waits -= 1
        if _waiting and not _waits:
            _raise(_waiting[0])


def save_array(path: str | Path, array: np.ndarray) -> None:
    """A .npy file; in numpy a signal would become a TypeError."""
    import numpy as np

    with signals_wait():
        np.save(path, array)


@contextlib.contextmanager
def temporary_folder(prefix: str) -> Iterator[Path]:
    folder = None
    try:
        with signals_wait():
            folder = tempfile.TemporaryDirectory(prefix=prefix)
        yield Path(folder.name)
    finally:
        with signals_wait():
            if folder:
                folder.cleanup()


def _end_at_once(numbers: Iterable[int]) -> None:
    """From here on these signals do what they do to other programs."""
    numbers = set(numbers)
    signal.pthread_sigmask(signal.SIG_BLOCK, numbers)  # also hears what has come
    for number in numbers:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)


def _die(number: int) -> None:
    """As whoever started the program expects it of that signal."""
    _end_at_once([number])
    os.kill(os.getpid(), number)


def ended(name: str, error: Exception) -> int:
    """Says what went wrong; the exit code that goes with it."""
    complain(name, error)
    return int(exit_code_of(error))


def _called(main: Callable[[], int]) -> int:
    try:
        code = main()
    except SystemExit as ending:  # --help, wrong words
        code = ending.code if isinstance(ending.code, int) else Exit.FAILED
    sys.stdout.flush()
    return int(code)


def _explained(name: str, main: Callable[[], int]) -> int:
    """The exit code of `main`, and one line where it does not get that far."""
    try:
        return _called(main)
    except ModuleNotFoundError as error:  # of the packages that a wheel's user need not have
        complain(name, missing_package(error))
        return Exit.FAILED
    except BrokenPipeError:
        _die(signal.SIGPIPE)
    except OSError as error:  # of files, programs speak themselves
        # Or Python tries once more at its end, and says it in its own way.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        complain(name, f"cannot write to standard output: {reason_of(error)}")
        return Exit.OUTPUT
    except MemoryError:
        complain(name, "out of memory")
        return Exit.MEMORY
    except Exception as error:  # Python's own exit code would mean something else, such as "they differ"
        place = traceback.extract_tb(error.__traceback__)[-1]
        complain(name, f"a mistake of {name} itself, in {place.name} of {Path(place.filename).name}, line {place.lineno}: "
                       f"{type(error).__name__}: {reason_of(error)}; please report it")  # fmt: skip
    return Exit.MISTAKE


def run(name: str, main: Callable[[], int]) -> int:
    """The exit code of `main`, or that of what stopped it."""
    if sys.stdout is None:
        complain(name, "cannot write to standard output: it is closed")
        return Exit.OUTPUT
    if not sys.warnoptions:  # they speak to programmers, of files and lines of ours
        warnings.simplefilter("ignore")
    usual = (signal.SIG_DFL, signal.default_int_handler)  # not under nohup
    ours = [number for number in ENDINGS if signal.getsignal(number) in usual]
    try:
        for number in ours:
            signal.signal(number, _end)
        code = _explained(name, main)
        _end_at_once(ours)  # Python's own end takes long, and would print the exception
        return code
    except KeyboardInterrupt as ending:
        _die(getattr(ending, "number", signal.SIGINT))
    return Exit.MISTAKE


def start(name: str, main: Callable[[], int]) -> None:
    sys.exit(int(run(name, main)))
