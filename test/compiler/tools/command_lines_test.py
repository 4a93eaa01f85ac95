# SPDX-License-Identifier: Apache-2.0
"""What the command lines of all programs have in common: --help, --version, exit codes, options, completion."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time

import programs
from programs import Bench

sys.path.insert(0, str(programs.ROOT / "test" / "style"))

import plain_words  # noqa: E402

OURS = ("npuc", "npu-run", "npu-dump", "npu-check-certificate", "npu-kernel-table", "npu-winograd-table", "layout-search-bench")
IN_PYTHON = ("npu-bench", "npu-compare", "npu-layout-diff", "npu-reduce", "npu-sweep", "npuc-quantize")
OF_LLVM = ("npu-opt", "npu-lsp-server")  # whose command lines LLVM reads
WIDTH = 100
USAGE = 2


def words_of(bench: Bench, program: str) -> list[str]:
    """The options that the program's table has, by what it completes."""
    script = bench.run(program, "--completion=bash").stdout
    found = re.search(r"\[\[ \$word == -\* \]\] && words='([^']*)'", script)
    assert found, script
    return found[1].split()


def test_versions(bench: Bench) -> None:
    for program in (*OURS, *OF_LLVM):
        done = bench.run(program, "--version")
        assert done.returncode == 0 and re.fullmatch(rf"{program} \d+\.\d+\.\d+( \(.*\))?\n", done.stdout), done


def test_help(bench: Bench) -> None:
    for program in OURS:
        done = bench.run(program, "--help")
        assert done.returncode == 0 and not done.stderr, done
        wide = [line for line in done.stdout.splitlines() if len(line) > WIDTH]
        assert not wide, (program, wide)
        assert f"\nUsage: {program} " in done.stdout, done
        assert re.search(rf"^  {program}\b", done.stdout.partition("\nExamples:\n")[2], re.MULTILINE), done
        for option in words_of(bench, program):
            assert option in done.stdout, (program, option)
    for word in ("Examples:", "Exit codes"):
        assert word in bench.run("npu-opt", "--help").stdout, word
    groups = re.findall(r"^([A-Z]\w+):$", bench.run("npuc", "--help").stdout, re.MULTILINE)
    for group in ("Files", "Target", "Layout", "Model", "Code", "Questions", "General"):
        assert group in groups, groups


def test_plain_words(bench: Bench) -> None:
    """Help is written in the words of test/style/plain_words.py."""
    for program in (*OURS, *IN_PYTHON):
        text = re.sub(r"--[\w-]+|'[^']*'", "", bench.run(program, "--help").stdout)
        found = [match[0] for pattern in plain_words.PATTERNS for match in pattern.finditer(text)]
        assert not found, (program, found)


def test_exit_codes(bench: Bench) -> None:
    """Each --help lists those of its program in the words of docs/exit-codes.md."""
    page = (programs.ROOT / "docs" / "exit-codes.md").read_text(encoding="utf-8").partition("| code | meaning |")[2]
    table = dict(re.findall(r"^\| (\d) \| (.+) \|$", page.partition("\n\n")[0], re.MULTILINE))
    assert sorted(table) == list("012345678"), table
    for program in (*OURS, "npu-opt"):
        said = bench.run(program, "--help").stdout.partition("Exit codes (docs/exit-codes.md):\n")[2]
        rows = re.findall(r"^  (\d)  (.+(?:\n     .+)*)", said, re.MULTILINE)
        assert rows, said
        for code, meaning in rows:
            assert " ".join(meaning.split()) == table[code], (program, code, meaning)
    every = re.findall(r"^  (\d)  ", bench.run("npuc", "--help").stdout.partition("Exit codes")[2], re.MULTILINE)
    assert every == sorted(table), every


def test_options_leave_the_rest_alone(bench: Bench) -> None:
    """No option, of those that there are and will be, takes what follows its value for another one."""
    for program, file in (("npuc", "none.onnx"), ("npu-run", "none.npu"), ("npu-dump", "none.npu"), ("npu-check-certificate", "none.json")):
        script = bench.run(program, "--completion=bash").stdout
        valued = [word for names in re.findall(r"^    ((?:-[\w-]+\|?)+)\) words=", script, re.MULTILINE) for word in names.split("|")]
        assert len(valued) > 20 or program != "npuc", valued
        for option in valued:
            if option == "--completion":
                continue
            for value in ("x=1,3", "1", "fixed", "nodes=5"):
                done = bench.run(program, option, value, file)
                assert done.returncode and " is required" not in done.stderr, (program, option, value, done)
                if option.lstrip("-") not in done.stderr:  # the value is right, what follows it was read
                    break
    path = bench.save("residual")
    bench.npuc("--input-shape", "x=1,3,32,32", "--io-layout", "free", "--budget", "nodes=500", "-o", "out.npu", path)
    assert bench.run("npu-run", "--budget", "memory=10000000", "--random-inputs", "--output", "y=y.npy", "out.npu").returncode == 0


COMPLETED = (
    ("npuc --emit=m", "mlir"), ("npuc --emit ob", "obj"), ("npuc --targ", "--target"), ("npuc --target=npu-nhw", "npu-nhwc"),
    ("npuc --target mine", "mine.yaml"), ("npuc --layout ", "optimal"), ("npuc a b --fallback=h", "host"), ("npuc mod", "model a.onnx"),
    ("npuc -o ou", "out.npu"), ("npu-run --ran", "--random-inputs"), ("npu-run ou", "out.npu"), ("npu-run --input=", "out.npu"),
    ("npu-dump --sig", "--signature"), ("npu-check-certificate --js", "--json"), ("npuc --completion ba", "bash"),
    ("npuc --stage=fu", "fused"), ("npu-sweep --layo", "--layout"), ("npuc-quantize --da", "--data"),
    ("npu-bench --completion z", "zsh"), ("npu-compare mod", "model a.onnx"), ("npu-reduce --tim", "--timeout"), ("npu-layout-diff --", "--json"),
)  # fmt: skip
NOT_COMPLETED = (("npuc --emit=", "out.npu"), ("npuc --batch ", "out.npu"), ("npu-run --repeat=", "out.npu"), ("npuc --lay", "--emit"))
COMPLETE = r"""
source "$1"
line=$2
IFS=$' ' read -ra COMP_WORDS <<< "${line//=/ = }"
[[ $line == *[\ =] ]] && [[ ${COMP_WORDS[-1]} != = ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
COMP_LINE=$line COMP_POINT=${#line}
spec=$(complete -p "${COMP_WORDS[0]}")
spec=${spec#*-F }
"${spec%% *}" "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\n' "${COMPREPLY[@]}"
"""


def test_completion(bench: Bench) -> None:
    """bash runs the functions of the scripts, split as its readline splits words."""
    for name in ("model a.onnx", "out.npu", "mine.yaml"):
        bench.path(name).write_bytes(b"")
    for program in (*OURS, *IN_PYTHON):
        script = bench.run(program, "--completion", "bash")
        assert script.returncode == 0, script
        bench.path(f"{program}.bash").write_text(script.stdout, encoding="utf-8")
    for expects, cases in ((True, COMPLETED), (False, NOT_COMPLETED)):
        for line, wanted in cases:
            command = ["bash", "--norc", "-c", COMPLETE, "bash", f"{line.split()[0]}.bash", line]
            done = subprocess.run(command, cwd=bench.folder, capture_output=True, text=True, timeout=60)
            assert done.returncode == 0 and not done.stderr, done
            assert (wanted in done.stdout.splitlines()) == expects, (line, wanted, done.stdout)
    for shell in ("zsh", "fish"):
        for program in OURS:
            text = bench.run(program, f"--completion={shell}").stdout
            assert all(word.lstrip("-") in text for word in words_of(bench, program)), (shell, program)


def at_terminal(bench: Bench, environment: dict[str, str], *words: str) -> str:
    """What a terminal gets of standard error."""
    own, other = pty.openpty()
    variables = {key: value for key, value in os.environ.items() if key not in ("TERM", "NO_COLOR")}
    process = subprocess.Popen([bench.build / "bin" / words[0], *words[1:]], cwd=bench.folder, stdout=subprocess.DEVNULL,
                               stderr=other, stdin=subprocess.DEVNULL, env={**variables, **environment})  # fmt: skip
    os.close(other)
    text, deadline = b"", time.monotonic() + programs.TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        if not select.select([own], [], [], 1)[0]:
            continue
        try:
            more = os.read(own, 65536)
        except OSError:  # nobody writes any more
            break
        if not more:
            break
        text += more
    os.close(own)
    process.wait()
    return text.decode()


def shown(text: str) -> str:
    """The lines as they stand there in the end."""
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(re.split(r"\r\x1b\[K", line)[-1] for line in lines)


def test_terminal(bench: Bench) -> None:
    """What is said stands on a line of its own, whatever the program was at."""
    bench.save("conv_relu")
    failing = ("npuc", "conv_relu.onnx", "--batch=1", "--target=npu-nhwc", "--layout=none")
    working = ("npuc", "conv_relu.onnx", "--batch=1", "--target=npu-nhwc", "-o", "out.npu")
    for environment in ({"TERM": "xterm"}, {"TERM": "dumb"}, {}, {"TERM": "xterm", "NO_COLOR": "1"}):
        for words, first in ((failing, "npuc: error: "), (working, "npu-nhwc/optimal: ")):
            text = at_terminal(bench, environment, *words)
            lines = shown(text).splitlines()
            assert lines and lines[0].startswith(first) and "..." not in lines[0], (environment, text)
            if environment == {"TERM": "xterm"}:
                assert "npuc: import ..." in text, text
            else:
                assert "\x1b" not in text and "\r" not in text.replace("\r\n", "\n"), (environment, text)


if __name__ == "__main__":
    programs.main(__doc__)
