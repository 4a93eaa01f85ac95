# SPDX-License-Identifier: Apache-2.0
"""Medians, and how far to trust them."""

from __future__ import annotations

import dataclasses
import math

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


def order(values: list[float]) -> np.ndarray:
    """For each pair 1 where the first value is the larger one, -1 where the second is, 0 where they are equal."""
    column = np.asarray(values, np.float64)[:, None]
    return np.sign(column - column.T)


def sittings_ratio(numerator: list[list[float]], denominator: list[list[float]]) -> Estimate:
    """The ratio of two medians, each over the same rounds of the same sittings.

    Sittings are resampled, then their rounds: a process keeps its place in
    memory, and with it some of its speed, for as long as it lives.
    """
    random = np.random.default_rng(0)
    count = len(numerator)
    ratios = []
    for chosen in random.integers(0, count, (RESAMPLES, count)):
        picks = [(sitting, random.integers(0, len(numerator[sitting]), len(numerator[sitting]))) for sitting in chosen]
        top, bottom = (np.median(np.concatenate([np.take(values[sitting], rounds) for sitting, rounds in picks]))
                       for values in (numerator, denominator))  # fmt: skip
        ratios.append(top / bottom)
    middle = np.median(np.concatenate(numerator)) / np.median(np.concatenate(denominator))
    return _interval(float(middle), np.array(ratios))


def measured_order(times: list[list[list[float]]]) -> np.ndarray:
    """`order` of medians over sittings and rounds; 0 where the interval of the pair's ratio holds 1."""
    signs = np.zeros((len(times), len(times)))
    for i, first in enumerate(times):
        for j, second in enumerate(times[:i]):
            ratio = sittings_ratio(first, second)
            signs[i, j] = int(ratio.low > 1.0) - int(ratio.high < 1.0)
            signs[j, i] = -signs[i, j]
    return signs


def rank_correlation(first: np.ndarray, second: np.ndarray) -> float:
    """Spearman's, of two orders of the same things: 1 where they agree; not a number if all tie in `second`, the truth.

    A rank is how many come before, and half of those that tie: the shared rank
    of equal values. Ties need not be transitive.
    """
    ranks = [signs.sum(axis=1) / 2.0 for signs in (first, second)]
    spread = [float(np.std(rank)) for rank in ranks]
    if spread[1] == 0.0:
        return math.nan
    if spread[0] == 0.0:
        return 0.0
    return float(np.corrcoef(*ranks)[0, 1])


def concordance(predicted: np.ndarray, measured: np.ndarray) -> float:
    """Somers' D, of two orders: pairs in the same order less those in the other, as a part of all that differ when measured.

    A predicted tie counts for neither, so a model that ties everything has 0.
    Not a number if nothing differs when measured.
    """
    told_apart = np.count_nonzero(measured)
    return float(np.sum(predicted * measured)) / told_apart if told_apart else math.nan


def _interval(median: float, resampled: np.ndarray) -> Estimate:
    tail = 50.0 * (1.0 - LEVEL)
    low, high = np.percentile(resampled, [tail, 100.0 - tail])
    return Estimate(median, float(low), float(high))
