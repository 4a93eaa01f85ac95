# SPDX-License-Identifier: Apache-2.0
"""When two results are the same: one comparison for all Python programs, stated in one way."""

from __future__ import annotations

import dataclasses

import numpy as np

RTOL, ATOL = 1e-3, 1e-4  # npu-run's


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """What is no difference: |found - expected| <= atol + rtol * (|expected| + of_largest * largest expected value).

    The largest value counts because a sum of large products that is next to 0 keeps their error. Of quantised numbers
    `steps` are allowed.
    """

    rtol: float = RTOL
    atol: float = ATOL
    steps: int = 1
    of_largest: float = 0.01

    def allowed(self, expected: np.ndarray) -> np.ndarray:
        if is_quantised(expected):
            return np.full(expected.shape, float(self.steps))
        values = expected.astype(np.float64)
        sizes = np.where(np.isfinite(values), np.abs(values), 0.0)
        return self.atol + self.rtol * (sizes + self.of_largest * sizes.max(initial=0.0))


# Whole networks whose layers sum in different orders, and whose products may be of fewer bits: errors are those of the
# output's size, wherever in it they are.
OF_NETWORKS = {"f32": Tolerance(1e-2, 1e-4, of_largest=1.0), "bf16": Tolerance(5e-2, 1e-4, of_largest=1.0),
               "i8": Tolerance(5e-2, 1e-4, of_largest=1.0)}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Difference:
    """How far two arrays are apart. `absolute` is the largest difference, `relative` that as a part of `largest`."""

    absolute: float = 0.0
    largest: float = 0.0  # expected value
    wrong: int = 0  # elements beyond the tolerance
    size: int = 0
    place: tuple[int, ...] | None = None  # the first of them
    found: float | None = None
    expected: float | None = None

    @property
    def relative(self) -> float:
        return self.absolute / self.largest if self.largest > 0 else self.absolute

    def __str__(self) -> str:
        return f"largest difference {self.absolute:.1e}, of values up to {self.largest:.1e}"


def is_quantised(values: np.ndarray) -> bool:
    """Bytes are numbers of quantisation steps; one more or less is a tie that was rounded the other way."""
    return values.dtype in (np.int8, np.uint8)


def difference(found: np.ndarray, expected: np.ndarray, tolerance: Tolerance) -> Difference:
    """Equal infinities and NaNs agree; arrays of different shapes do not."""
    if found.shape != expected.shape:
        return Difference(float("inf"), 0.0, expected.size or 1, expected.size)
    if expected.size == 0:
        return Difference()
    allowed = np.atleast_1d(tolerance.allowed(expected))
    found, expected = (np.atleast_1d(values).astype(np.float64) for values in (found, expected))
    with np.errstate(invalid="ignore", over="ignore"):
        same = (found == expected) | (np.isnan(found) & np.isnan(expected))
        error = np.where(same, 0.0, np.abs(found - expected))
        error = np.where(np.isnan(error), np.inf, error)
        wrong = error > allowed
    count, largest = int(wrong.sum()), float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0))
    if not count:
        return Difference(float(error.max()), largest, 0, expected.size)
    place = tuple(int(index) for index in np.argwhere(wrong)[0])
    return Difference(float(error.max()), largest, count, expected.size, place, float(found[place]), float(expected[place]))


def differences(found: list[np.ndarray], expected: list[np.ndarray], tolerance: Tolerance) -> Difference:
    """Of several outputs: the first that is wrong, else the one that is furthest off."""
    if len(found) != len(expected):
        return Difference(float("inf"), 0.0, 1, 1)
    found_all = [difference(one, other, tolerance) for one, other in zip(found, expected)]
    wrong = [one for one in found_all if one.wrong]
    return wrong[0] if wrong else max(found_all, key=lambda one: one.absolute, default=Difference())
