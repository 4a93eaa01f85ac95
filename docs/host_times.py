# SPDX-License-Identifier: Apache-2.0
"""Writes the table of host-times.md from what npu-bench measured.

    make bench BENCH_MODELS="resnet50 mobilenet_v2 resnet50_qdq mobilenet_v2_qdq mobilenet_v3_large efficientnet_b0 ppocr_det"
    build/venv/bin/python docs/host_times.py build/bench.json
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

PAGE = Path(__file__).resolve().with_name("host-times.md")
BEGIN, END = "<!-- table: docs/host_times.py -->\n", "<!-- end -->\n"
ROWS = {
    ("resnet50", 1): "ResNet-50", ("resnet50", 16): "ResNet-50", ("mobilenet_v2", 1): "MobileNetV2",
    ("mobilenet_v2", 16): "MobileNetV2", ("resnet50_qdq", 1): "ResNet-50, int8 (QDQ)",
    ("mobilenet_v2_qdq", 1): "MobileNetV2, int8 (QDQ)", ("mobilenet_v3_large", 1): "MobileNetV3-Large (Keras)",
    ("efficientnet_b0", 1): "EfficientNetB0 (Keras)", ("ppocr_det", 1): "PP-OCRv4 detection",
}  # fmt: skip
PLANS = ("npu-nchw/none", "npu-nhwc/naive", "npu-nhwc/optimal", "host/optimal")
COMPARED = ("npu-nhwc/optimal", "host/optimal")
PEERS = {"onnxruntime": "onnxruntime", "openvino": "OpenVINO"}


def time_text(row: dict) -> str:
    time = row["latency_ms"]["median"]
    return f"{time:.0f}" if time >= 100 else f"{time:.1f}"


def cell(row: dict | None) -> str:
    """The time, and of ours the relayouts that are left."""
    if row is None or row["error"]:
        return "-"
    left = row["relayouts"]
    return time_text(row) if left is None else f"{time_text(row)} ({left})"


def ratio(row: dict | None) -> str:
    found = row and row["ratio_to_best_peer"]
    return f"{found['median']:.2f}x" if found else "-"


def table_of(rows: list[dict]) -> str:
    measured = {(row["model"], row["batch"], row["contender"]): row for row in rows}
    heads = ["milliseconds", *[f"`{plan}`" for plan in PLANS], *PEERS.values(), "of the better peer"]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    for (model, batch), title in ROWS.items():
        found = {name: measured.get((model, batch, name)) for name in (*PLANS, *PEERS)}
        if any(found.values()):
            ratios = ", ".join(ratio(found[plan]) for plan in COMPARED)
            cells = [f"{title}, batch {batch}", *[cell(found[name]) for name in (*PLANS, *PEERS)], ratios]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured", type=Path, nargs="+", metavar="FILE", help="what npu-bench --json wrote")
    parser.add_argument("--out", type=Path, default=PAGE, help="the page whose table is replaced (docs/host-times.md)")
    arguments = parser.parse_args()
    rows = [row for path in arguments.measured for row in json.loads(path.read_text(encoding="utf-8"))["rows"]]
    before, found, rest = arguments.out.read_text(encoding="utf-8").partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        parser.error(f"'{arguments.out}' has no place for the table: no line '{BEGIN.strip()}' and '{END.strip()}'")
    arguments.out.write_text(before + BEGIN + table_of(rows) + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
