# SPDX-License-Identifier: Apache-2.0
"""Stores a network's matrices in blocks of 4 bits, with onnxruntime's own tool.

Each matrix product with constant weights becomes a MatMulNBits: 32 numbers of a
column share a scale. The file is the same whenever it is made with the same
version of onnxruntime.
"""

from __future__ import annotations

import argparse
import collections
import logging
import time
from pathlib import Path

import onnx
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

BLOCK_SIZE = 32


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog="example: blocks.py minilm_l3.onnx minilm_l3_int4.onnx"
    )
    parser.add_argument("source", type=Path, help="the ONNX file with float numbers")
    parser.add_argument("target", type=Path, help="the ONNX file to write")
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    start = time.monotonic()
    quantizer = MatMulNBitsQuantizer(onnx.load(arguments.source), block_size=BLOCK_SIZE, is_symmetric=True)
    quantizer.process()
    temporary = arguments.target.with_suffix(".part.onnx")
    quantizer.model.save_model_to_file(str(temporary))
    temporary.rename(arguments.target)
    kinds = collections.Counter(node.op_type for node in onnx.load(arguments.target).graph.node)
    size = f"{arguments.target.stat().st_size / 1e6:.1f} MB in {time.monotonic() - start:.1f} s"
    print(f"{arguments.target.name}: {size}, {kinds['MatMulNBits']} MatMulNBits")


if __name__ == "__main__":
    main()
