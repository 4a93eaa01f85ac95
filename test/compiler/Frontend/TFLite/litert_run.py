# SPDX-License-Identifier: Apache-2.0
"""Runs .tflite models with LiteRT's reference kernels, each in a process of its own: a model may end it.

For X.tflite there is X.npz, arrays by the inputs' names. Written is X.out.npz, arrays by
the outputs' names, and X.json, every tensor's shape; or X.error, what LiteRT says.
In names, '/' is '|'.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType


def key(name: str) -> str:
    return name.replace("/", "|")


def opened(model: Path) -> Interpreter:
    """On the reference kernels; the few operators that have none run on the plain ones."""
    try:
        made = Interpreter(model_path=str(model), experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
        made.allocate_tensors()
        return made
    except (RuntimeError, ValueError) as error:
        if "Registration failed" not in str(error):
            raise
    plain = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    return Interpreter(model_path=str(model), experimental_op_resolver_type=plain)


def run(model: Path) -> None:
    interpreter = opened(model)
    given = np.load(model.with_suffix(".npz"))
    for detail in interpreter.get_input_details():
        values = given[key(detail["name"])]
        if list(values.shape) != list(detail["shape"]):
            interpreter.resize_tensor_input(detail["index"], values.shape)
    interpreter.allocate_tensors()
    for detail in interpreter.get_input_details():
        interpreter.set_tensor(detail["index"], given[key(detail["name"])])
    interpreter.invoke()
    results = {key(d["name"]): interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()}
    shapes = {d["name"]: [int(size) for size in d["shape"]] for d in interpreter.get_tensor_details()}
    np.savez(model.with_suffix(".out.npz"), **results)
    model.with_suffix(".json").write_text(json.dumps(shapes), encoding="utf-8")


def in_child(model: Path) -> None:
    child = os.fork()
    if child == 0:
        try:
            run(model)
        except (RuntimeError, ValueError) as error:
            model.with_suffix(".error").write_text(str(error), encoding="utf-8")
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    if status != 0:
        model.with_suffix(".error").write_text(f"LiteRT ended with status {status}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="example: litert_run.py a.tflite b.tflite")
    parser.add_argument("models", type=Path, nargs="*", help="else one a line on standard input")
    arguments = parser.parse_args()
    for model in arguments.models or [Path(line.strip()) for line in sys.stdin]:
        in_child(model)


if __name__ == "__main__":
    main()
