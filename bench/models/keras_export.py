# SPDX-License-Identifier: Apache-2.0
"""Exports one network of keras.applications to ONNX, with calibrated weights.

Random weights as they come make a weak test: activations fade from layer to
layer and every class gets the same probability, so a wrong result still looks
right. So batch normalisation gets the statistics of a real forward pass (mildly
disturbed, to make folding them a real computation), and the last layer is
scaled until the classes differ as much as in a trained network.
"""

from __future__ import annotations

import argparse
import collections
import logging
import os
import time
import warnings
from pathlib import Path

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
warnings.filterwarnings("ignore")

import keras  # noqa: E402
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnx.numpy_helper  # noqa: E402
import tensorflow as tf  # noqa: E402

import images  # noqa: E402

LOGIT_SPREAD = 3.0  # standard deviation over the classes, as in trained nets
LARGE = 10_000_000  # elements


def build(name: str, size: int, seed: int) -> keras.Model:
    """The network with reproducible random weights."""
    keras.utils.set_random_seed(seed)
    tf.config.experimental.enable_op_determinism()
    return getattr(keras.applications, name)(weights=None, input_shape=(size, size, 3))


def sample_images(name: str, size: int, seed: int, count: int = 4) -> np.ndarray:
    low, high = (0.0, 255.0) if name.startswith("MobileNetV3") else (-1.0, 1.0)
    return images.smooth_noise(count, size, size, low, high, seed)


def disturb_normalisation(model: keras.Model, samples: np.ndarray, seed: int) -> int:
    """Sets every batch normalisation from a forward pass, then shakes it."""
    random = np.random.default_rng(seed + 1)
    layers = [layer for layer in model.layers if isinstance(layer, keras.layers.BatchNormalization)]
    for layer in layers:
        layer.momentum = 0.0
    if layers:
        model(samples, training=True)
    for layer in layers:
        mean, variance = layer.moving_mean.numpy(), layer.moving_variance.numpy()
        shape = mean.shape
        deviation = np.sqrt(variance)
        layer.moving_mean.assign(mean + deviation * random.normal(0.0, 0.1, shape))
        layer.moving_variance.assign((variance + 1e-3) * random.uniform(0.8, 1.25, shape))
        if layer.gamma is not None:
            layer.gamma.assign(random.uniform(0.8, 1.2, shape))
        if layer.beta is not None:
            layer.beta.assign(random.normal(0.0, 0.1, shape))
    return len(layers)


def fill_biases(model: keras.Model, normalised: bool, seed: int) -> None:
    """Random biases; without normalisation also weights that keep the variance."""
    random = np.random.default_rng(seed + 2)
    for layer in model.layers:
        bias = getattr(layer, "bias", None)
        if bias is not None:
            bias.assign(random.normal(0.0, 0.05, bias.shape))
        if not normalised and getattr(layer, "kernel", None) is not None:
            fan_in = float(np.prod(layer.kernel.shape[:-1]))
            fan_out = float(layer.kernel.shape[-1] * np.prod(layer.kernel.shape[:-2]))
            layer.kernel.assign(layer.kernel * np.sqrt((fan_in + fan_out) / fan_in))


def spread_logits(model: keras.Model, samples: np.ndarray) -> float:
    """Scales the last layer so that the classes' scores differ."""
    last = [layer for layer in model.layers if getattr(layer, "kernel", None) is not None][-1]
    activation, last.activation = last.activation, keras.activations.linear
    logits = keras.Model(model.inputs, last.output)(samples, training=False).numpy()
    last.activation = activation
    spread = float(np.std(logits.reshape(len(samples), -1), axis=1).mean())
    last.kernel.assign(last.kernel * (LOGIT_SPREAD / spread))
    return spread


def large_kernels(model: keras.Model) -> list[keras.Variable]:
    """Dense weights so large that tf2onnx, which copies them again and again
    without giving anything back, would need more memory than there is."""
    return [variable for variable in model.trainable_variables if np.prod(variable.shape) >= LARGE]


def export(model: keras.Model, path: Path, order: str) -> None:
    """Keras' own export; for NCHW the same steps with the input turned."""
    large = large_kernels(model)
    if order == "nhwc" and not large:
        model.export(str(path), format="onnx", verbose=False)
        return
    import tf2onnx
    from keras.src.export.export_utils import get_input_signature, make_tf_tensor_spec
    from keras.src.export.onnx import get_concrete_fn
    from keras.src.export.tf2onnx_lib import patch_tf2onnx

    patch_tf2onnx()
    signature = [make_tf_tensor_spec(spec) for spec in get_input_signature(model)]
    names = [spec.name for spec in signature]
    function = get_concrete_fn(model, signature)
    if large:
        function, signature = with_kernels_as_inputs(model, signature, large)
    turned = names if order == "nchw" else None
    proto, _ = tf2onnx.convert.from_function(function, signature, inputs_as_nchw=turned)
    inputs_to_weights(proto, large)
    onnx.save(proto, path)


def with_kernels_as_inputs(
    model: keras.Model, signature: list[tf.TensorSpec], large: list[keras.Variable]
) -> tuple[tf.types.experimental.GenericFunction, list[tf.TensorSpec]]:
    """The network as a function of the image and of its large weights."""
    chosen = {id(kernel) for kernel in large}
    places = [index for index, variable in enumerate(model.trainable_variables) if id(variable) in chosen]

    def run(image: tf.Tensor, *kernels: tf.Tensor) -> tf.Tensor:
        weights = [variable.value for variable in model.trainable_variables]
        for place, kernel in zip(places, kernels):
            weights[place] = kernel
        fixed = [variable.value for variable in model.non_trainable_variables]
        return model.stateless_call(weights, fixed, image, training=False)[0]

    kernels = [tf.TensorSpec(kernel.shape, tf.float32, name=f"kernel_{i}") for i, kernel in enumerate(large)]
    return tf.function(run), [*signature, *kernels]


def inputs_to_weights(proto: onnx.ModelProto, large: list[keras.Variable]) -> None:
    """Undoes with_kernels_as_inputs in the finished file."""
    for index, kernel in enumerate(large):
        name = f"kernel_{index}"
        (value,) = [value for value in proto.graph.input if value.name == name]
        proto.graph.input.remove(value)
        proto.graph.initializer.append(onnx.numpy_helper.from_array(kernel.numpy(), name))


def describe(path: Path, outputs: np.ndarray, seconds: float) -> str:
    """One line of facts about the file that was written."""
    model = onnx.load(path)
    kinds = collections.Counter(node.op_type for node in model.graph.node)
    return (
        f"{path.name}: {path.stat().st_size / 1e6:.1f} MB in {seconds:.1f} s, "
        f"opset {model.opset_import[0].version}, {len(model.graph.node)} nodes, "
        f"{kinds['Transpose']} transposes, {kinds['Conv']} convolutions; "
        f"largest probability {outputs.max():.3f}, smallest {outputs.min():.1e}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", help="a class of keras.applications, such as ResNet50")
    parser.add_argument("path", type=Path, help="the ONNX file to write")
    parser.add_argument("--size", type=int, default=224, help="height and width of the input")
    parser.add_argument("--order", choices=("nchw", "nhwc"), default="nchw", help="order of the input")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

    # tf2onnx logs the stack trace of its optimiser giving up on MobileNetV3.
    logging.disable(logging.CRITICAL)
    start = time.monotonic()
    model = build(arguments.name, arguments.size, arguments.seed)
    samples = sample_images(arguments.name, arguments.size, arguments.seed)
    model(samples)  # Keras exports only a model that was called
    normalisations = disturb_normalisation(model, samples, arguments.seed)
    # With biases that are not zero, tf2onnx's transpose optimiser succeeds on
    # MobileNetV3 and leaves one Transpose; this network is here for its 128.
    if not arguments.name.startswith("MobileNetV3"):
        fill_biases(model, normalisations > 0, arguments.seed)
    spread_logits(model, samples)
    outputs = model(samples, training=False).numpy()
    if not np.isfinite(outputs).all() or outputs.max() < 2.0 * outputs.mean():
        raise SystemExit(f"{arguments.name}: outputs are not finite or all alike; the network is no test")
    temporary = arguments.path.with_suffix(".part.onnx")
    export(model, temporary, arguments.order)
    temporary.rename(arguments.path)
    print(describe(arguments.path, outputs, time.monotonic() - start))


if __name__ == "__main__":
    main()
