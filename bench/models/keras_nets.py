# SPDX-License-Identifier: Apache-2.0
"""Exports networks that keras.applications lacks, or that need more calibration.

Those of the project are built here in Keras' functional API. Each function
takes the sizes of the input without batch and channels, and gives a network
that ends in a softmax, so that keras_export.py's steps calibrate it, too.
"""

from __future__ import annotations

import argparse
import logging
import time
from pathlib import Path
from unittest import mock

import keras_export  # first: it sets what TensorFlow reads when loaded

import keras
import numpy as np
import onnx
from keras import layers
from onnx import helper

import images

LAYER_SCALE = 0.3  # in place of the 1e-6 that ConvNeXt's training begins with


def _units(value, filters: int, kernel: int, rank: int, count: int = 1, strides: int = 1):
    """Convolution, normalisation and ReLU, several times."""
    kind = (layers.Conv1D, layers.Conv2D, layers.Conv3D)[rank - 1]
    for number in range(count):
        step = strides if number == 0 else 1
        value = kind(filters, kernel, strides=step, padding="same", use_bias=False)(value)
        value = layers.ReLU()(layers.BatchNormalization()(value))
    return value


def unet(size: tuple[int, ...]) -> keras.Model:
    """Ronneberger et al. 2015, narrow: transposed convolutions, five classes for every pixel."""
    image = keras.Input((*size, 3))
    value, skips = image, []
    for filters in (16, 32, 64, 128):
        value = _units(value, filters, 3, 2, count=2)
        skips.append(value)
        value = layers.MaxPooling2D(2)(value)
    value = _units(value, 256, 3, 2, count=2)
    for filters, skip in zip((128, 64, 32, 16), reversed(skips)):
        value = layers.Conv2DTranspose(filters, 2, strides=2, padding="same")(value)
        value = _units(layers.Concatenate()([skip, value]), filters, 3, 2, count=2)
    return keras.Model(image, layers.Conv2D(5, 1, activation="softmax")(value))


def audio(size: tuple[int, ...]) -> keras.Model:
    """Dai et al. 2017 ("M5") on raw samples, with a residual and a dilated block: rank 3."""
    wave = keras.Input((*size, 1))
    value = layers.MaxPooling1D(4)(_units(wave, 64, 79, 1, strides=4))
    for filters in (64, 128, 256):
        value = layers.MaxPooling1D(4, padding="same")(_units(value, filters, 3, 1))
        inner = layers.Conv1D(filters, 3, padding="same", dilation_rate=2, use_bias=False)(value)
        inner = layers.BatchNormalization()(inner)
        value = layers.ReLU()(layers.Add()([value, inner]))
    value = layers.GlobalAveragePooling1D()(layers.SeparableConv1D(256, 5, padding="same")(value))
    return keras.Model(wave, layers.Dense(35, activation="softmax")(value))


def video(size: tuple[int, ...]) -> keras.Model:
    """Residual blocks of 3-D convolutions on frames, height and width: rank 5."""
    frames = keras.Input((*size, 3))
    value = _units(frames, 32, 3, 3, strides=2)
    for filters, strides in ((32, 1), (64, 2), (128, 2)):
        branch = _units(value, filters, 3, 3, strides=strides)
        branch = layers.Conv3D(filters, 3, padding="same", use_bias=False)(branch)
        branch = layers.BatchNormalization()(branch)
        if strides > 1:
            value = layers.Conv3D(filters, 1)(layers.AveragePooling3D(strides, padding="same")(value))
        value = layers.ReLU()(layers.Add()([value, branch]))
    value = layers.GlobalAveragePooling3D()(layers.MaxPooling3D(2, padding="same")(value))
    return keras.Model(frames, layers.Dense(101, activation="softmax")(value))


class _Positions(layers.Layer):
    """A learned vector for every place, added."""

    def build(self, shape) -> None:
        self.table = self.add_weight(shape=shape[1:], initializer="random_normal", name="table")

    def call(self, value):
        return value + self.table


def vit(size: tuple[int, ...]) -> keras.Model:
    """Dosovitskiy et al. 2020, tiny: patches of 16 by 16, 6 blocks of Keras' attention."""
    image = keras.Input((*size, 3))
    width, heads = 192, 3
    value = layers.Conv2D(width, 16, strides=16)(image)
    value = _Positions()(layers.Reshape((-1, width))(value))
    for _ in range(6):
        normal = layers.LayerNormalization(epsilon=1e-6)(value)
        value = layers.Add()([value, layers.MultiHeadAttention(heads, width // heads)(normal, normal)])
        inner = layers.Dense(4 * width, activation="gelu")(layers.LayerNormalization(epsilon=1e-6)(value))
        value = layers.Add()([value, layers.Dense(width)(inner)])
    value = layers.GlobalAveragePooling1D()(layers.LayerNormalization(epsilon=1e-6)(value))
    return keras.Model(image, layers.Dense(1000, activation="softmax")(value))


NETWORKS = {"UNet": unet, "Audio": audio, "Video": video, "ViT": vit}


def _convolution(*words, groups: int = 1, plain=layers.Conv2D, **named):
    """Keras computes groups in a compiled function that tf2onnx cannot see into."""
    if groups == 1:
        return plain(*words, **named)
    if named.pop("filters") != groups:
        raise ValueError("only groups of one channel can be exported")
    return layers.DepthwiseConv2D(*words, **named)


def build(name: str, size: tuple[int, ...], seed: int) -> keras.Model:
    """One of NETWORKS, else of keras.applications, with reproducible random weights."""
    if name not in NETWORKS:
        with mock.patch("keras.src.layers.Conv2D", _convolution):
            return keras_export.build(name, size[0], seed)
    keras.utils.set_random_seed(seed)
    return NETWORKS[name](size)


def sample(shape: tuple[int, ...], low: float, high: float, seed: int, count: int = 4) -> np.ndarray:
    """Smooth noise of any rank: [count, spatial ..., channels]."""
    *spatial, channels = shape
    rows = int(np.prod(spatial[:-1], dtype=int))
    pictures = images.smooth_noise(count, max(rows, 2), spatial[-1], low, high, seed)
    return pictures[:, :rows, :, :channels].reshape(count, *shape)


def set_layer_scales(model: keras.Model, seed: int) -> None:
    """Residual branches that are multiplied by 1e-6 would test nothing."""
    random = np.random.default_rng(seed + 3)
    for layer in model.layers:
        if type(layer).__name__ == "LayerScale":
            layer.gamma.assign(LAYER_SCALE * random.uniform(0.8, 1.2, layer.gamma.shape))


def calibrate(model: keras.Model, samples: np.ndarray, seed: int) -> np.ndarray:
    """Weights with which activations neither fade nor grow; the samples' outputs."""
    for layer in model.layers:
        if isinstance(layer, layers.Normalization):  # its numbers would become inputs of the file
            layer.mean, layer.variance = np.array(layer.mean), np.array(layer.variance)
    model(samples)  # Keras exports only a model that was called
    set_layer_scales(model, seed)
    normalisations = keras_export.disturb_normalisation(model, samples, seed)
    keras_export.fill_biases(model, normalisations > 0, seed)
    keras_export.spread_logits(model, samples)
    return model(samples, training=False).numpy()


def spell_out_erfc(path: Path) -> None:
    """tf2onnx leaves TensorFlow's Erfc (in GELU), which ONNX lacks: 1 - Erf."""
    model = onnx.load(path)
    nodes = []
    for node in model.graph.node:
        if node.op_type != "Erfc":
            nodes.append(node)
            continue
        erf = f"{node.output[0]}/erf"
        nodes.append(helper.make_node("Erf", node.input, [erf], name=f"{node.name}/erf"))
        nodes.append(helper.make_node("Sub", ["erfc_one", erf], node.output, name=node.name))
    if len(nodes) > len(model.graph.node):
        model.graph.initializer.append(helper.make_tensor("erfc_one", onnx.TensorProto.FLOAT, [], [1.0]))
        del model.graph.node[:]
        model.graph.node.extend(nodes)
        onnx.save(model, path)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", help=f"one of {', '.join(NETWORKS)}, or a class of keras.applications")
    parser.add_argument("path", type=Path, help="the ONNX file to write")
    parser.add_argument("--size", default="224", help="sizes of the input without batch and channels: 224, 16x112x112")
    parser.add_argument("--order", choices=("nchw", "nhwc"), default="nhwc", help="order of the input")
    parser.add_argument("--low", type=float, default=-1.0, help="least value of the input")
    parser.add_argument("--high", type=float, default=1.0, help="largest value of the input")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    logging.disable(logging.CRITICAL)
    start = time.monotonic()
    size = tuple(int(part) for part in arguments.size.split("x"))
    model = build(arguments.name, size, arguments.seed)
    samples = sample(model.inputs[0].shape[1:], arguments.low, arguments.high, arguments.seed)
    outputs = calibrate(model, samples, arguments.seed)
    if not np.isfinite(outputs).all() or outputs.max() < 2.0 * outputs.mean():
        raise SystemExit(f"{arguments.name}: outputs are not finite or all alike; the network is no test")
    temporary = arguments.path.with_suffix(".part.onnx")
    keras_export.export(model, temporary, arguments.order)
    spell_out_erfc(temporary)
    temporary.rename(arguments.path)
    print(keras_export.describe(arguments.path, outputs, time.monotonic() - start))


if __name__ == "__main__":
    main()
