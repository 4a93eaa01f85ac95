# SPDX-License-Identifier: Apache-2.0
"""Medians, and how far to trust them."""

from __future__ import annotations

import dataclasses

import numpy as np

RESAMPLES = 2000
LEVEL = 0.95


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A median with its bootstrap confidence interval."""

    median: float
    low: float
    high: float


def estimate(values: list[float]) -> Estimate:
    """The median of some values, with the interval that resampling gives."""
    sample = np.asarray(values, np.float64)
    picks = np.random.default_rng(0).integers(0, len(sample), (RESAMPLES, len(sample)))
    return _interval(float(np.median(sample)), np.median(sample[picks], axis=1))


def estimate_ratio(numerator: list[float], denominator: list[float]) -> Estimate:
    """The ratio of two medians whose values were measured in the same rounds.

    Both are resampled by the same rounds, so what disturbed a whole round
    (the clock of the processor, another process) cancels out.
    """
    count = min(len(numerator), len(denominator))
    top = np.asarray(numerator[:count], np.float64)
    bottom = np.asarray(denominator[:count], np.float64)
    picks = np.random.default_rng(0).integers(0, count, (RESAMPLES, count))
    resampled = np.median(top[picks], axis=1) / np.median(bottom[picks], axis=1)
    return _interval(float(np.median(top) / np.median(bottom)), resampled)


def rank_correlation(first: list[float], second: list[float]) -> float:
    """Spearman's: 1 where both have the same order; equal values share their ranks."""
    ranks = [_ranks(np.asarray(values, np.float64)) for values in (first, second)]
    spread = [float(np.std(rank)) for rank in ranks]
    if min(spread) == 0.0:
        return 1.0 if max(spread) == 0.0 else 0.0
    return float(np.corrcoef(*ranks)[0, 1])


def _ranks(values: np.ndarray) -> np.ndarray:
    below = (values[None, :] < values[:, None]).sum(axis=1)
    equal = (values[None, :] == values[:, None]).sum(axis=1)
    return below + (equal - 1) / 2.0


def _interval(median: float, resampled: np.ndarray) -> Estimate:
    tail = 50.0 * (1.0 - LEVEL)
    low, high = np.percentile(resampled, [tail, 100.0 - tail])
    return Estimate(median, float(low), float(high))
