# SPDX-License-Identifier: Apache-2.0
"""Writes npuc/options.py: the options of compile() as typed keywords, from the compiler's own table.

usage: make_options.py FOLDER OUTPUT   (FOLDER has the package that the build makes)
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

HEAD = '''# SPDX-License-Identifier: Apache-2.0
"""The options of compile(), as typed keywords. Made by python/make_options.py from the compiler's table."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, Union

Text = Union[str, "os.PathLike[str]"]
#: One, several, or by name: "free", ["free", "y=NHWC"], {"y": "NHWC"}.
Texts = Union[Text, Sequence[Text], Mapping[str, Text]]
#: By name: {"x": (1, 3, 224, 224)}, {"w": array}, {"past": "present"}; or as on npuc's command line: "x=1,3,224,224".
Pairs = Union[Mapping[str, Any], Text, Sequence[Text]]

#: As npuc's command line names them.
NAMES: tuple[str, ...] = (
{names}
)
#: Those that take NAME=VALUE.
PAIRS: tuple[str, ...] = ({pairs})
#: The chips that npuc brings; a path of a .yaml file is one, too.
TARGETS: tuple[str, ...] = ({targets})


class Options(TypedDict, total=False):
    """Keywords of compile(), emit(), stages() and Compilation(); docs/npuc.md explains them. None: the default."""
'''
KINDS = {"flag": "bool", "whole": "int", "number": "float"}


def type_of(row: dict) -> str:
    if row["kind"] == "pair":
        return "Pairs"
    if row["repeated"]:
        return "Texts"
    if row["values"] and not row["others"]:
        return f"Literal[{', '.join(json.dumps(value) for value in row['values'])}]"
    return "int | Text" if row["form"] == "BYTES" else KINDS.get(row["kind"], "Text")


def lines_of(names: list[str]) -> str:
    return "\n".join(f"    {json.dumps(name)}," for name in names)


def main(folder: str, output: str) -> None:
    sys.path.insert(0, folder)
    import _npuc
    from words import in_python

    table = json.loads(_npuc.option_table())
    names = [row["name"] for row in table]
    pairs = [row["name"] for row in table if row["kind"] == "pair"]
    targets = next(row["values"] for row in table if row["name"] == "target")
    listed = {"pairs": pairs, "targets": targets}
    text = HEAD.replace("{names}", lines_of(names))
    for key, values in listed.items():
        text = text.replace(f"{{{key}}}", ", ".join(json.dumps(value) for value in values))
    for row in table:
        help_text = in_python(row["help"], names, pairs).replace("exit code 4 if", "CompileError if")
        text += f"\n    #: {help_text}\n    {row['name'].replace('-', '_')}: {type_of(row)} | None\n"
    Path(output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
