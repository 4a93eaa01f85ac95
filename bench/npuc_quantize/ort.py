# SPDX-License-Identifier: Apache-2.0
"""onnxruntime, with its errors in one line."""

from __future__ import annotations

import contextlib
import io
import logging
from collections.abc import Iterator

import numpy as np
import onnx
import onnxruntime

from npu_bench.errors import BenchError, reason_of


class OnnxRuntimeError(BenchError):
    """It cannot do what it is asked to: not a mistake in the user's data."""


@contextlib.contextmanager
def onnxruntime_speaks(what: str) -> Iterator[None]:
    """Its errors become ours, in one line; what it prints is for its programmers."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    except (BenchError, MemoryError):
        raise
    except Exception as error:  # onnxruntime's own classes have no common base
        raise OnnxRuntimeError(f"{what}: {reason_of(error).removeprefix('[ONNXRuntimeError] : ')}") from error


def session_of(model: onnx.ModelProto, names: list[str]) -> onnxruntime.InferenceSession:
    """With these values as outputs; without rewrites, so that every value is what the model says."""
    known = {output.name for output in model.graph.output}
    shown = onnx.ModelProto()
    shown.CopyFrom(model)
    shown.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names if name not in known)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # several sessions take turns
    with onnxruntime_speaks("onnxruntime cannot load the model"):
        return onnxruntime.InferenceSession(shown.SerializeToString(), options, providers=["CPUExecutionProvider"])


def run(session: onnxruntime.InferenceSession, names: list[str], feed: dict[str, np.ndarray]) -> list[np.ndarray]:
    with onnxruntime_speaks("onnxruntime cannot run the model"):
        return session.run(names, feed)


def be_quiet() -> None:
    """Of what onnxruntime logs for its programmers; what goes wrong is thrown, too."""
    logging.disable(logging.CRITICAL)
    onnxruntime.set_default_logger_severity(3)
