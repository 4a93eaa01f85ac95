# SPDX-License-Identifier: Apache-2.0
"""Quantizes a network of the zoo to 8 bits with onnxruntime's static quantizer.

Batch normalisation is folded first, as the quantizer's manual asks for. Then
every value between two operators gets a QuantizeLinear and a DequantizeLinear,
with ranges from a few of the network's own pictures: activations uint8 with a
zero point, weights int8 with one scale for each output channel. The file is the
same whenever it is made with the same version of onnxruntime.
"""

from __future__ import annotations

import argparse
import collections
import logging
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

import zoo

PICTURES = 4  # for the ranges of activations
FIRST_SEED = 100  # tests use small seeds: other pictures than these


class Pictures(CalibrationDataReader):
    """The network's own sample pictures, one at a time."""

    def __init__(self, network: str, name: str, size: tuple[int, int], order: str) -> None:
        net = zoo.find(network)
        self.feeds: Iterator[dict[str, np.ndarray]] = (
            {name: net.sample(1, size, order, FIRST_SEED + number)} for number in range(PICTURES)
        )

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self.feeds, None)


def quantize(source: Path, target: Path, network: str, size: tuple[int, int], order: str) -> None:
    """Writes `target`, the 8-bit form of `source`."""
    name = onnx.load(source, load_external_data=False).graph.input[0].name
    with tempfile.TemporaryDirectory() as folder:
        folded = Path(folder) / "folded.onnx"
        quant_pre_process(source, folded, skip_symbolic_shape=True)
        quantize_static(
            folded,
            target,
            Pictures(network, name, size, order),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
        )


def describe(path: Path, seconds: float) -> str:
    """One line of facts about the file that was written."""
    kinds = collections.Counter(node.op_type for node in onnx.load(path).graph.node)
    pairs = f"{kinds['QuantizeLinear']} QuantizeLinear, {kinds['DequantizeLinear']} DequantizeLinear"
    return f"{path.name}: {path.stat().st_size / 1e6:.1f} MB in {seconds:.1f} s, {kinds['Conv']} convolutions, {pairs}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog="example: quantize.py resnet50.onnx resnet50_qdq.onnx resnet50"
    )
    parser.add_argument("source", type=Path, help="the ONNX file with float numbers")
    parser.add_argument("target", type=Path, help="the ONNX file to write")
    parser.add_argument("network", choices=zoo.NETS, help="whose pictures to measure ranges with")
    parser.add_argument("--size", type=int, default=224, help="height and width of the input")
    parser.add_argument("--order", choices=zoo.ORDERS, default="nchw", help="order of the input")
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    start = time.monotonic()
    temporary = arguments.target.with_suffix(".part.onnx")
    quantize(arguments.source, temporary, arguments.network, (arguments.size, arguments.size), arguments.order)
    temporary.rename(arguments.target)
    print(describe(arguments.target, time.monotonic() - start))


if __name__ == "__main__":
    main()
