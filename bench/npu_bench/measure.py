# SPDX-License-Identifier: Apache-2.0
"""Interleaved rounds: A B C, A B C, ...; disturbed ones are thrown away."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from npu_bench.contender import Contender

ROUND_MS = 60.0  # a round is as many runs as fit, two at least
MAX_RUNS = 50
PAUSE_SECONDS = 0.05  # until the threads of the one before have gone to sleep
RETRIES = 3  # so many times as many rounds are tried, at most
PROFILE_RUNS = 5
ALLOWED_WAIT = 0.03  # the part of a round that a thread may wait for a processor


def runs_per_round(contender: Contender) -> int:
    """From one trial round, which also warms everything up."""
    trial = contender.ask(runs=2)
    return max(2, min(MAX_RUNS, int(ROUND_MS / max(min(trial["times_ms"]), 1e-3))))


def excess_wait(answer: dict, threads: int) -> float:
    """Milliseconds that a round's threads waited for a processor beyond what is allowed.

    Every switch costs a few microseconds, the kernel's own among them; what
    changes a latency is the time that a thread stands still while the others
    wait for it at the next barrier.
    """
    return answer["waited_ms"] - ALLOWED_WAIT * threads * sum(answer["times_ms"])


def measure(
    contenders: list[Contender], rounds: int, threads: int, tick: Callable[[], None], retries: float = RETRIES
) -> None:
    """Fills rounds of all contenders; a round counts only if all were undisturbed.

    Ends after `rounds` good rounds, or after `retries` times as many attempts;
    then the least disturbed ones are kept, and every contender's `discarded`
    says how many were not good.
    """
    runs = {contender.name: runs_per_round(contender) for contender in contenders}
    good: list[dict[str, dict]] = []
    bad: list[tuple[float, dict[str, dict]]] = []
    while len(good) < rounds and len(good) + len(bad) < retries * rounds:
        answers, excess = {}, 0.0
        for contender in contenders:
            time.sleep(PAUSE_SECONDS)
            answer = contender.ask(runs=runs[contender.name])
            answers[contender.name] = answer
            excess = max(excess, excess_wait(answer, threads))
        if excess <= 0.0:
            good.append(answers)
            tick()
        else:
            bad.append((excess, answers))
    bad.sort(key=lambda item: item[0])
    kept = good + [answers for _, answers in bad[: rounds - len(good)]]
    for contender in contenders:
        contender.rounds = [answers[contender.name] for answers in kept]
        contender.discarded = len(bad)
        contender.disturbed = rounds - len(good)


def round_medians(contender: Contender) -> list[float]:
    return [statistics.median(answer["times_ms"]) for answer in contender.rounds]


def profile(contender: Contender) -> None:
    """Times kernels in runs of their own: timing costs time."""
    if contender.spec["kind"] == "npu":
        contender.kernels = contender.ask(profile=PROFILE_RUNS)["kernels"]
