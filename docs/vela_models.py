# SPDX-License-Identifier: Apache-2.0
"""Makes MobileNetV2 of any width as an int8 TFLite file; docs/vela_beside.py runs it in the Keras environment."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench" / "models"))

import keras_export  # noqa: E402 (bench/models/keras_export.py)
import tflite_export  # noqa: E402 (bench/models/tflite_export.py)
from keras_export import keras, tf  # noqa: E402

NAME, SEED = "MobileNetV2", 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path, help="the TFLite file to write")
    parser.add_argument("--width", type=float, default=1.0, help="how many times the usual channels (1.0)")
    parser.add_argument("--size", type=int, default=224, help="height and width of the input (224)")
    arguments = parser.parse_args()
    keras.utils.set_random_seed(SEED)
    tf.config.experimental.enable_op_determinism()
    shape = (arguments.size, arguments.size, 3)
    model = keras.applications.MobileNetV2(weights=None, input_shape=shape, alpha=arguments.width)
    samples = keras_export.sample_images(NAME, arguments.size, SEED)
    model(samples)
    keras_export.disturb_normalisation(model, samples, SEED)
    keras_export.fill_biases(model, True, SEED)
    keras_export.spread_logits(model, samples)
    pictures = keras_export.sample_images(NAME, arguments.size, SEED, tflite_export.CALIBRATION_PICTURES)
    arguments.path.write_bytes(tflite_export.converter(model, pictures).convert())


if __name__ == "__main__":
    main()
