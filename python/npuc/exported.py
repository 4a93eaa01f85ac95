# SPDX-License-Identifier: Apache-2.0
"""Networks of PyTorch: exported to ONNX by its own exporter, nodes named by the modules that they come from."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

SCOPES = "pkg.torch.onnx.name_scopes"  # metadata of a node: ['', 'layers', 'layers.0', 'relu']


def is_torch(model: Any) -> bool:
    """A torch.nn.Module or torch.export.ExportedProgram, without importing torch to find out."""
    kinds = {(kind.__module__.split(".")[0], kind.__name__) for kind in type(model).__mro__}
    return bool({("torch", "Module"), ("torch", "ExportedProgram")} & kinds)


def export(model: Any, args: Sequence[Any] | Mapping[str, Any]) -> Any:
    """An onnx.ModelProto of the network for arguments of these shapes and types; a dict has them by name."""
    import torch

    words = {"kwargs": dict(args)} if isinstance(args, Mapping) else {}
    given = () if isinstance(args, Mapping) else tuple(args) if isinstance(args, (list, tuple)) else (args,)
    if isinstance(model, torch.nn.Module) and model.training:
        raise ValueError("the module is in training mode, where dropout and batch norm do other things; call model.eval()")
    with torch.no_grad():
        program = torch.onnx.export(model, given, dynamo=True, verbose=False, **words)
    proto = program.model_proto
    name_nodes(proto)
    return proto


def name_nodes(proto: Any) -> None:
    """layers.0/relu instead of node_relu_3: messages, reports and pages then speak of the user's modules."""
    seen: dict[str, int] = {}
    for node in proto.graph.node:
        text = next((entry.value for entry in node.metadata_props if entry.key == SCOPES), "")
        scopes = [scope for scope in ast.literal_eval(text)] if text else []
        if not scopes:
            continue
        name = "/".join(scope for scope in scopes[-2:] if scope)
        seen[name] = seen.get(name, 0) + 1  # one operation of PyTorch may be several nodes
        node.name = name if seen[name] == 1 else f"{name}:{seen[name]}"
