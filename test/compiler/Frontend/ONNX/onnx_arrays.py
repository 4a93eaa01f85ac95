# SPDX-License-Identifier: Apache-2.0
"""What the runners of ONNX's test cases share: element types, and when arrays agree."""

import ml_dtypes
import numpy as np

# In the order of npu_dtype.
DTYPES = [
    np.dtype(t)
    for t in (np.float32, np.float16, ml_dtypes.bfloat16, np.int8, np.uint8, np.int32, np.int64, np.bool_)
    + (np.int16, np.float64, np.uint16, np.uint32, np.uint64)
]
FLOATS = [*DTYPES[:3], np.dtype(np.float64)]
RTOL, ATOL = 1e-3, 1e-5


def compare(found: np.ndarray, expected: np.ndarray, rtol: float = RTOL, atol: float = ATOL) -> str:
    """What differs, or nothing: types and shapes are equal, floats near, all else exact."""
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return f"found {found.dtype} {found.shape}, expected {expected.dtype} {expected.shape}"
    if expected.dtype not in FLOATS:
        wrong = np.count_nonzero(found != expected)
        return f"{wrong} of {expected.size} numbers differ" if wrong else ""
    found, expected = found.astype(np.float64), expected.astype(np.float64)
    near = np.isclose(found, expected, rtol, atol, equal_nan=True)
    if near.all():
        return ""
    with np.errstate(invalid="ignore"):
        distance = np.abs(found - expected)[~near].max()
    return f"{np.count_nonzero(~near)} of {expected.size} numbers differ, by up to {distance:.3g}"
