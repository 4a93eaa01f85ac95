# SPDX-License-Identifier: Apache-2.0
"""Exports one network of keras.applications to TFLite, in f32 or int8.

The weights are those of keras_export.py. int8 is TensorFlow's full integer
post-training quantization, calibrated on pictures of the kind that tests feed.
"""

from __future__ import annotations

import argparse
import logging
import time
from collections.abc import Iterator
from pathlib import Path

import keras_export
import numpy as np
import tensorflow as tf

CALIBRATION_PICTURES = 8


def calibrated(name: str, size: int, seed: int) -> tf.keras.Model:
    """The network with the weights of keras_export.py."""
    model = keras_export.build(name, size, seed)
    samples = keras_export.sample_images(name, size, seed)
    model(samples)
    normalisations = keras_export.disturb_normalisation(model, samples, seed)
    keras_export.fill_biases(model, normalisations > 0, seed)
    keras_export.spread_logits(model, samples)
    return model


def converter(model: tf.keras.Model, samples: np.ndarray | None) -> tf.lite.TFLiteConverter:
    """Ready to convert: to int8 throughout if there are samples (N, H, W, C; f32)."""
    made = tf.lite.TFLiteConverter.from_keras_model(model)
    if samples is None:
        return made

    def pictures() -> Iterator[list[np.ndarray]]:
        for index in range(len(samples)):
            yield [samples[index : index + 1]]

    made.optimizations = [tf.lite.Optimize.DEFAULT]
    made.representative_dataset = pictures
    made.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    made.inference_input_type = tf.int8
    made.inference_output_type = tf.int8
    return made


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog="example: tflite_export.py MobileNetV2 net.tflite --size=64 --int8"
    )
    parser.add_argument("name", help="a class of keras.applications, such as MobileNetV2")
    parser.add_argument("path", type=Path, help="the TFLite file to write")
    parser.add_argument("--size", type=int, default=224, help="height and width of the input")
    parser.add_argument("--int8", action="store_true", help="quantize weights, activations, input and output")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    start = time.monotonic()
    model = calibrated(arguments.name, arguments.size, arguments.seed)
    samples = keras_export.sample_images(arguments.name, arguments.size, arguments.seed, CALIBRATION_PICTURES)
    content = converter(model, samples if arguments.int8 else None).convert()
    temporary = arguments.path.with_suffix(".part.tflite")
    temporary.write_bytes(content)
    temporary.rename(arguments.path)
    kind = "int8" if arguments.int8 else "f32"
    print(f"{arguments.path.name}: {len(content) / 1e6:.1f} MB in {time.monotonic() - start:.1f} s, {kind}")


if __name__ == "__main__":
    main()
