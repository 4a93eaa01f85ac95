# SPDX-License-Identifier: Apache-2.0
"""Runs a TFLite model with LiteRT, from and to .npy files.

It runs in the environment with TensorFlow; tests compare npuc with it.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog="example: tflite_run.py net.tflite picture.npy result.npy"
    )
    parser.add_argument("model", type=Path, help="a model of one input and one output")
    parser.add_argument("input", type=Path, help="f32; quantized as the model says where it wants integers")
    parser.add_argument("output", type=Path, help="the model's output, as it comes")
    parser.add_argument("--quantized-input", type=Path, help="write what the model was given")
    arguments = parser.parse_args()
    # Without XNNPACK, whose integer rounding is its own.
    kernels = tf.lite.experimental.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    interpreter = tf.lite.Interpreter(str(arguments.model), experimental_op_resolver_type=kernels)
    (given,) = interpreter.get_input_details()
    (result,) = interpreter.get_output_details()
    values = np.load(arguments.input)
    if given["dtype"] != np.float32:
        scale, zero = given["quantization"]
        limits = np.iinfo(given["dtype"])
        values = np.clip(np.round(values / scale) + zero, limits.min, limits.max).astype(given["dtype"])
    if arguments.quantized_input:
        np.save(arguments.quantized_input, values)
    interpreter.resize_tensor_input(given["index"], values.shape)
    interpreter.allocate_tensors()
    interpreter.set_tensor(given["index"], values)
    interpreter.invoke()
    np.save(arguments.output, interpreter.get_tensor(result["index"]))
    print(given["name"], result["name"])


if __name__ == "__main__":
    main()
