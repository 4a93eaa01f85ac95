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
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

RAPIDOCR = "rapidocr-onnxruntime==1.4.4"  # Apache-2.0
SCIKIT_IMAGE = "scikit-image==0.26.0"  # BSD; carries a photograph of a printed page
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ORDERS = ("nchw", "nhwc")


@dataclasses.dataclass(frozen=True)
class Net:
    """One network: where it comes from and what it expects."""

    name: str
    source: str  # "keras", "tflite", "tflite_int8" or "rapidocr"
    origin: str  # class in keras.applications, or the file in the package
    size: tuple[int, int]  # height, width of the original
    small: tuple[int, int]  # the smallest sensible size, for quick tests
    order: str = "nchw"  # order of the input, when nobody asks for another
    low: float = -1.0  # range of the input's values
    high: float = 1.0

    def shape(self, batch: int, size: tuple[int, int], order: str) -> list[int]:
        """The input's shape once batch and size are known."""
        height, width = size
        if order == "nhwc":
            return [batch, height, width, 3]
        return [batch, 3, height, width]

    def sample(self, batch: int, size: tuple[int, int], order: str, seed: int = 0):
        """Input values that look like what the network is made for (a float32 array)."""
        import images

        if self.source == "rapidocr":
            pictures = images.text_pictures(ensure_picture(), batch, *size)
        else:
            pictures = images.smooth_noise(batch, *size, self.low, self.high, seed)
        return pictures if order == "nhwc" else pictures.transpose(0, 3, 1, 2).copy()


def _keras(name: str, origin: str, size: int = 224, small: int = 64, **more) -> Net:
    return Net(name, "keras", origin, (size, size), (small, small), **more)


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
        Net("mobilenet_v2_tflite", "tflite", "MobileNetV2", (224, 224), (64, 64), order="nhwc"),
        Net("mobilenet_v2_tflite_int8", "tflite_int8", "MobileNetV2", (224, 224), (64, 64), order="nhwc"),
        Net("ppocr_det", "rapidocr", "ch_PP-OCRv4_det_infer.onnx", (640, 640), (96, 96)),
        Net("ppocr_rec", "rapidocr", "ch_PP-OCRv4_rec_infer.onnx", (48, 320), (48, 96)),
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
    with open(f"{path}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def cached_path(net: Net, size: tuple[int, int], order: str, seed: int) -> Path:
    if net.source == "rapidocr":
        return cache_folder() / f"{net.name}.onnx"
    seeded = f"-seed{seed}" if seed else ""
    suffix = "tflite" if net.source.startswith("tflite") else "onnx"
    return cache_folder() / f"{net.name}-{size[0]}-{order}{seeded}.{suffix}"


def _key(net: Net, command: list[str]) -> str:
    """Changes when the file would come out differently."""
    digest = hashlib.sha256(" ".join(command[2:]).encode())
    if net.source != "rapidocr":
        for file in (HERE / "keras_export.py", HERE / "images.py", ROOT / "setup" / "requirements-keras.txt"):
            digest.update(file.read_bytes())
    if net.source.startswith("tflite"):
        digest.update((HERE / "tflite_export.py").read_bytes())
    return digest.hexdigest()


def _maker_command(net: Net, path: Path, size: tuple[int, int], order: str, seed: int) -> list[str]:
    if net.source == "rapidocr":
        file = f"rapidocr_onnxruntime/models/{net.origin}"
        return [sys.executable, str(HERE / "from_wheel.py"), RAPIDOCR, file, path.name]
    python = keras_python()
    if net.source.startswith("tflite"):
        arguments = [net.origin, path.name, f"--size={size[0]}", f"--seed={seed}"]
        if net.source == "tflite_int8":
            arguments.append("--int8")
        return [str(python), str(HERE / "tflite_export.py"), *arguments]
    arguments = [net.origin, path.name, f"--size={size[0]}", f"--order={order}", f"--seed={seed}"]
    return [str(python), str(HERE / "keras_export.py"), *arguments]


def ensure(
    name: str,
    size: tuple[int, int] | None = None,
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
    if net.source == "rapidocr" and order != net.order:
        raise ZooError(f"'{name}' is a trained file in {net.order} order; it cannot be made in {order}")
    if net.source.startswith("tflite") and order != "nhwc":
        raise ZooError(f"'{name}' is a TFLite file; its images are nhwc")
    if net.source != "rapidocr" and size[0] != size[1]:
        raise ZooError(f"'{name}' takes square images, not {size[0]}x{size[1]}")
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
