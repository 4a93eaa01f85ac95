# SPDX-License-Identifier: Apache-2.0
"""How far values are from those that they should be, summed up over many runs."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

MOST_DECIBELS = 300.0  # of values without any error; JSON has no infinity


@dataclasses.dataclass
class Accuracy:
    """Sums over all runs; elements whose right value is not finite are left out."""

    signal: float = 0.0
    noise: float = 0.0
    product: float = 0.0  # of found and expected
    energy: float = 0.0  # of what was found
    largest: float = 0.0  # value that was expected
    worst: float = 0.0  # error
    broken: int = 0  # elements that should be finite and are not
    classes: int = 0  # rows that a class was looked for in
    agreed: int = 0  # of these

    def add(self, found: np.ndarray, expected: np.ndarray) -> None:
        found, expected = (np.asarray(values, np.float64).reshape(-1) for values in (found, expected))
        if not (np.isfinite(expected).all() and np.isfinite(found).all()):
            mask = np.isfinite(expected)
            is_number = np.isfinite(found)
            self.broken += int((mask & ~is_number).sum())
            found, expected = np.where(is_number, found, 0.0)[mask], expected[mask]
        error = found - expected
        self.signal += float(expected @ expected)
        self.noise += float(error @ error)
        self.product += float(found @ expected)
        self.energy += float(found @ found)
        self.largest = max(self.largest, float(np.abs(expected).max(initial=0.0)))
        self.worst = max(self.worst, float(np.abs(error).max(initial=0.0)))

    def add_classes(self, found: np.ndarray, expected: np.ndarray) -> None:
        """Of an output that looks_like_classes()."""
        rows = [values.reshape(values.shape[0], -1).argmax(axis=1) for values in (found, expected)]
        self.classes += len(rows[0])
        self.agreed += int((rows[0] == rows[1]).sum())

    @property
    def sqnr(self) -> float:
        """Signal to quantisation noise, in decibels."""
        if self.noise == 0.0:
            return MOST_DECIBELS
        if self.signal == 0.0:
            return -MOST_DECIBELS
        return min(max(10.0 * math.log10(self.signal / self.noise), -MOST_DECIBELS), MOST_DECIBELS)

    @property
    def cosine(self) -> float:
        if self.noise == 0.0:
            return 1.0
        scale = math.sqrt(self.signal) * math.sqrt(self.energy)
        return min(max(self.product / scale, -1.0), 1.0) if scale else 0.0

    @property
    def top1(self) -> float | None:
        return self.agreed / self.classes if self.classes else None

    def as_json(self) -> dict:
        return {
            "sqnr_db": round(self.sqnr, 3),
            "max_error": self.worst,
            "max_value": self.largest,
            "cosine": self.cosine,
            "not_finite": self.broken,
        } | ({} if self.top1 is None else {"top1_agreement": self.top1})


def looks_like_classes(shape: tuple[int, ...], batch: int) -> bool:
    """One row of two numbers or more for each element of the batch, and nothing else."""
    rest = shape[1:]
    return bool(rest) and shape[0] == batch and max(rest) >= 2 and math.prod(rest) == max(rest)
