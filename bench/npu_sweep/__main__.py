# SPDX-License-Identifier: Apache-2.0
"""Sweeps a grid of chips, networks, layouts and batches through compiler and simulator."""

from __future__ import annotations

import argparse
from pathlib import Path

from npu_bench.errors import BenchError, exit_text
from npu_bench.program import Parser, ended, signals_wait, start
from npu_bench.resolver import zoo
from npu_bench.words import add_budget_option, add_build_option, add_compiler_options, add_input_shape_option, sizes

EPILOG = f"""A point is compiled by npuc and timed by `npu-run --simulate-only`; no kernel runs. --set varies
a key of the target file's `machine` map (targets/README.md); a value keeps the unit that the file
gives it, others say theirs: --set "sram_banks=2 banks,4 banks". array.rows and array.columns
are mac_rows and mac_columns.

Every finished point is kept in the output folder at once. The same command with the same folder
does what is missing: after an interruption, after a killed worker, after a network has changed.

Written to the folder when no point is missing: results.csv, results.parquet (one row a point, in
the grid's order, the same on every machine), times.csv, page.html (Pareto front, for a browser).

Examples:
  npu-sweep model.onnx --target=npu-nhwc,npu-nchw16c --layout=naive,optimal --batch=1,4
  npu-sweep resnet50 mobilenet_v2 --set array.rows=16,32,64 --set sram=512,1024 --output=sweep
  npu-sweep model.onnx --set sram=256,512,1024,2048 --dry-run     # only lists the points
  npu-sweep model.onnx --set dram_bandwidth=16,32 --scheduler=tcp://10.0.0.1:8786

Processes on this machine talk over TLS with keys that exist for this call only. A scheduler's workers need Python
with dask and distributed, and must see model, programs and output folder under the same paths. Who can reach a
scheduler without TLS runs what he likes on its workers: use tls://HOST:PORT with --tls-ca-file, --tls-cert and
--tls-key, or Dask's own configuration (distributed.comm.tls).

{exit_text(ok="every point has a result", failed="some points could not be compiled or simulated (their rows say why), "
           "or nothing could be started")}
Interrupted, it ends by that signal (130 in a shell)."""


def add_grid_options(parser: Parser) -> None:
    group = parser.add_argument_group("grid")
    group.add_argument("--target", default="npu-nhwc", help="chips: names or .yaml files, comma separated (npu-nhwc)")
    group.add_argument("--layout", default="optimal", help="strategies, comma separated (optimal)")
    group.add_argument("--batch", type=sizes, default="1", help="batch sizes, comma separated (1)")
    group.add_argument("--set", action="append", default=[], metavar="KEY=V1,V2", dest="settings",
                       help="values of a machine number of the target; may be repeated")  # fmt: skip


def add_worker_options(parser: Parser) -> None:
    group = parser.add_argument_group("workers")
    group.add_argument("--workers", type=int, default=None, help="processes on this machine (one a processor)")
    group.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler to use in place of own processes")
    for name, what in (("ca-file", "the certificates that the scheduler is believed by"), ("cert", "our certificate"),
                       ("key", "the key of --tls-cert")):  # fmt: skip
        group.add_argument(f"--tls-{name}", type=Path, metavar="FILE.pem", help=f"of --scheduler=tls://...: {what}")


def check(parser: Parser, arguments: argparse.Namespace) -> None:
    if arguments.workers is not None and (arguments.scheduler or arguments.workers < 1):
        parser.error("--workers: at least 1, and not together with --scheduler")
    files = (arguments.tls_ca_file, arguments.tls_cert, arguments.tls_key)
    if any(files) and not all(files):
        parser.error("--tls-ca-file, --tls-cert and --tls-key go together")
    if any(files) and not (arguments.scheduler or "").startswith("tls://"):
        parser.error("--tls-ca-file, --tls-cert and --tls-key: they are for --scheduler=tls://HOST:PORT")


def parse_arguments(words: list[str] | None) -> argparse.Namespace:
    parser = Parser("npu-sweep", __doc__, EPILOG)
    parser.add_argument("models", nargs="+", metavar="MODEL",
                        help=f"a file that npuc reads, or one of: {', '.join(zoo.NETS)}")  # fmt: skip
    add_grid_options(parser)
    add_input_shape_option(parser, "binds unknown sizes; the first one is the batch's")
    parser.add_argument("--objective", default="time", help="what --layout=optimal minimizes (time)")
    add_compiler_options(parser)
    add_budget_option(parser)
    parser.add_argument("--output", type=Path, default=Path("npu-sweep"), metavar="FOLDER",
                        help="where results are kept (npu-sweep)")  # fmt: skip
    add_worker_options(parser)
    parser.add_argument("--dry-run", action="store_true", help="lists the points and what is done, computes nothing")
    parser.add_argument("--json", action="store_true",
                        help="prints a summary as one JSON object (docs/npu-sweep.schema.json)")  # fmt: skip
    add_build_option(parser)
    arguments = parser.parse_args(words)
    check(parser, arguments)
    return arguments


def main(words: list[str] | None = None) -> int:
    arguments = parse_arguments(words)
    with signals_wait():  # an exception in the middle of an extension's import crashes it
        from npu_sweep import command  # what it imports nobody needs for --help

    try:
        return command.run(arguments)
    except (BenchError, zoo.ZooError, OSError) as error:
        return ended("npu-sweep", error)


if __name__ == "__main__":
    start("npu-sweep", main)
