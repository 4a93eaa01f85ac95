# SPDX-License-Identifier: Apache-2.0
"""npuc: compiles neural networks to NPU programs, runs them on the NPU's simulator, says what layout costs.

    import npuc
    p = npuc.compile("model.onnx", target="npu-nhwc")
    y = p.run(x=x)
    p.report; p.explain(); p.profile()
"""

from npuc._npuc import kernel_library, version
from npuc.compiler import Compilation, compile, emit, option_names, stages
from npuc.errors import CompileError, Error, Message, RunError
from npuc.program import Program, Tensor, load

__version__ = version()

__all__ = [
    "Compilation", "CompileError", "Error", "Message", "Program", "RunError", "Tensor", "compile", "emit",
    "kernel_library", "load", "option_names", "stages",
]  # fmt: skip
