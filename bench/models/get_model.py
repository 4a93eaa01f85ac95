# SPDX-License-Identifier: Apache-2.0
"""Makes one of the networks that tests and benchmarks use."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import zoo  # noqa: E402


def parse_size(text: str) -> tuple[int, ...]:
    """"224", "48x320" (height x width) or "16x112x112"."""
    parts = text.split("x")
    if len(parts) > 3 or not all(part.isdigit() and int(part) > 0 for part in parts):
        raise argparse.ArgumentTypeError(f"expected a size such as 224, 48x320 or 16x112x112, found '{text}'")
    return tuple(int(part) for part in parts)


def size_of(net: zoo.Net, arguments: argparse.Namespace) -> tuple[int, ...] | None:
    """What the options say; one number stands for all sizes of an image."""
    if arguments.small:
        return net.small
    size = arguments.image_size
    return size * len(net.size) if size and len(size) == 1 else size


def save_external(source: Path, target: Path) -> None:
    """The same model with its weights in a file beside it."""
    import onnx

    weights = target.with_suffix(".weights")
    weights.unlink(missing_ok=True)
    onnx.save_model(
        onnx.load(source), target, save_as_external_data=True, location=weights.name, size_threshold=1024
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, epilog="networks: " + ", ".join(zoo.NETS))
    parser.add_argument("name", nargs="+", metavar="NAME", help="a network, or 'all'")
    parser.add_argument("--out", type=Path, help="copy it here; without this, its place in the cache is printed")
    parser.add_argument("--image-size", type=parse_size, metavar="N", help="224, 48x320, 16x112x112 (the original's)")
    parser.add_argument("--small", action="store_true", help="in the smallest sensible size, for quick tests")
    parser.add_argument("--order", choices=zoo.ORDERS, help="order of the input (nchw, but nhwc as Keras exports)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random weights")
    parser.add_argument("--external-data", action="store_true", help="with --out: weights in a file beside it")
    arguments = parser.parse_args()
    names = list(zoo.NETS) if arguments.name == ["all"] else arguments.name
    if arguments.out and len(names) > 1:
        parser.error("--out takes one network")
    if arguments.small and arguments.image_size:
        parser.error("--small and --image-size contradict each other")
    if arguments.external_data and not arguments.out:
        parser.error("--external-data needs --out")
    try:
        for name in names:
            size = size_of(zoo.find(name), arguments)
            path = zoo.ensure(name, size, arguments.order, arguments.seed)
            if arguments.external_data:
                save_external(path, arguments.out)
            elif arguments.out:
                shutil.copyfile(path, arguments.out)
            else:
                print(path)
    except (zoo.ZooError, OSError) as error:
        print(f"get_model: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
