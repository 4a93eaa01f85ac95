# SPDX-License-Identifier: Apache-2.0
"""The sizes of a model's inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx


def known_size(dim: onnx.TensorShapeProto.Dimension) -> int | None:
    """0 too: an empty tensor. -1 is what exporters write that have no other word for an unknown size."""
    return dim.dim_value if dim.HasField("dim_value") and dim.dim_value != -1 else None
