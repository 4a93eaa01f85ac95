# SPDX-License-Identifier: Apache-2.0
"""compile(module, args): networks of torchvision and transformers, random weights, against PyTorch itself.

Runs in an environment of its own (`make deps-torch`), for some minutes: the exporter takes most of them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

BUILD = Path(next(word.split("=", 1)[1] for word in sys.argv if word.startswith("--build=")))
sys.path.insert(0, str(BUILD / "python"))
SKIPPED = 77  # ctest's SKIP_RETURN_CODE

try:
    import numpy as np
    import torch
    import torchvision.models as vision
    import transformers
except ImportError as missing:
    print(f"skipped: {missing}; make deps-torch installs it")
    sys.exit(SKIPPED)

import npuc  # noqa: E402

IMAGE, WORDS = torch.Size((1, 3, 96, 96)), torch.Size((1, 16))


class Hidden(torch.nn.Module):
    """The last hidden states alone: a network of transformers gives an object."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        return self.model(words).last_hidden_state


def small(kind: str, **words: object) -> Callable[[], torch.nn.Module]:
    """A network of transformers with two layers."""
    config = getattr(transformers, f"{kind}Config")(vocab_size=99, **words)
    return lambda: Hidden(getattr(transformers, f"{kind}Model")(config))


SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
NETWORKS: dict[str, tuple[Callable[[], torch.nn.Module], torch.Size]] = {
    **{name: (getattr(vision, name), IMAGE) for name in (
        "resnet18", "mobilenet_v3_small", "efficientnet_b0", "densenet121", "shufflenet_v2_x1_0", "convnext_tiny", "swin_t",
    )},
    "bert": (small("Bert", **SIZES), WORDS), "distilbert": (small("DistilBert", dim=32, n_layers=2, n_heads=4, hidden_dim=64), WORDS),
    "gpt2": (small("GPT2", n_embd=32, n_layer=2, n_head=4, use_cache=False), WORDS),
}  # fmt: skip


def check(name: str) -> None:
    make, shape = NETWORKS[name]
    torch.manual_seed(1)
    model = make().eval()
    x = torch.randint(0, 99, shape) if shape == WORDS else torch.randn(shape)
    with torch.no_grad():
        wanted = model(x).numpy()
    started = time.monotonic()
    with npuc.compile(model, (x,), target="npu-nhwc") as program:
        found = program(x)
        nodes = {kernel["node"] for kernel in program.kernels}
    error = float(np.abs(found - wanted).max() / np.abs(wanted).max())
    named = sum("." in node or "/" in node for node in nodes)
    print(f"{name}: largest difference {error:.1e} of the largest value, {time.monotonic() - started:.0f} s", flush=True)
    assert error < 1e-4, f"{name}: {error}"
    assert named > len(nodes) / 2, f"{name}: kernels are not named after modules: {sorted(nodes)[:5]}"


if __name__ == "__main__":
    for network in NETWORKS:
        check(network)
