# SPDX-License-Identifier: Apache-2.0
"""npuc: compiles neural networks to NPU programs, runs them on the NPU's simulator, says what layout costs.

    import npuc
    p = npuc.compile("model.onnx", target="npu-nhwc")
    y = p(x)
    p.report; p.explain(); p.profile()
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from npuc._npu import kernel_library, version
from npuc.errors import CompileError, Error, Message, RunError
from npuc.program import Context, Program, Runs, Tensor, load

if TYPE_CHECKING:
    from npuc.compiler import Compilation, LayoutRule, Op, Value, compile, emit, option_names, stages, targets
    from npuc.options import Options

__version__ = version()

__all__ = [
    "Compilation", "CompileError", "Context", "Error", "LayoutRule", "Message", "Op", "Options", "Program", "RunError",
    "Runs", "Tensor", "Value", "compile", "emit", "kernel_library", "load", "option_names", "stages", "targets",
]  # fmt: skip

_OF_COMPILER = (
    "Compilation", "LayoutRule", "Op", "Options", "Value", "compile", "emit", "option_names", "stages", "targets",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    """The compiler, with LLVM behind it, is loaded when it is first asked for: who only runs programs needs none."""
    if name not in _OF_COMPILER:
        raise AttributeError(f"module 'npuc' has no attribute '{name}'")
    value = globals()[name] = getattr(import_module("npuc.compiler"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_OF_COMPILER})
