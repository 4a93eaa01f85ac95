# SPDX-License-Identifier: Apache-2.0
"""How much data stays near the processor: where its memory becomes slower as there is more of it.

Measured, since what the system says of caches is of the whole machine, which a
virtual one shares with others.
"""

from __future__ import annotations

import math
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np

MOVED_KIB = tuple(1024 * 2**step for step in range(9))  # to 256 MiB
SECONDS = 0.05  # for each size


def times_per_kib(moved_kib: int, threads: int) -> float:
    """Seconds for each KiB where all threads together read half of `moved_kib` of data, and write it in place."""
    elements = max(1, moved_kib * 1024 // (2 * 4 * threads))
    arrays = [np.ones(elements, np.float32) for _ in range(threads)]
    barrier = Barrier(threads)

    def run(array: np.ndarray) -> float:
        np.negative(array, out=array)
        times = []
        barrier.wait()
        end = time.perf_counter() + SECONDS
        while len(times) < 3 or time.perf_counter() < end:
            start = time.perf_counter()
            np.negative(array, out=array)
            times.append(time.perf_counter() - start)
        return statistics.median(times)

    with ThreadPoolExecutor(threads) as pool:
        return max(pool.map(run, arrays)) / moved_kib


def step(sizes: list[float], times: list[float]) -> float:
    """The size at the step that divides times best: into two groups that vary least, as logarithms."""
    logs = np.log(times)

    def variation(first: int) -> float:
        return sum(float(np.var(part) * len(part)) for part in (logs[:first], logs[first:]))

    first = min(range(1, len(sizes)), key=variation)
    return math.sqrt(sizes[first - 1] * sizes[first])


def cache_kib(threads: int) -> int:
    """What kernels may read and write, together, without waiting for memory; caches of all threads."""
    return round(step(list(MOVED_KIB), [times_per_kib(size, threads) for size in MOVED_KIB]))
