# SPDX-License-Identifier: Apache-2.0
"""Dask: where points are computed, and what happens when a worker dies."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
import os
import pickle
import sys
from collections.abc import Callable, Iterator

import cloudpickle
import dask
from distributed import CancelledError, Client, Future, LocalCluster, as_completed
from distributed.scheduler import KilledWorker
from distributed.security import Security

from npu_bench.errors import BenchError
from npu_bench.program import temporary_folder
from npu_bench.shown import plain
from npu_sweep import point as task
from npu_sweep.point import Job
from npu_sweep.security import Link

# After a signal Python's resource tracker, a process of its own, removes what is left, but not in silence.
os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker:UserWarning")
SECONDS_TO_ANSWER = 5
# Dask's servers of pages have no TLS: those of our own processes show nothing.
NO_PAGES = {"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}
DEATHS = 3  # of workers with the same point, before the point is blamed


class Shipped:
    """`run_point` in a form that takes its code along: a scheduler and its workers are started by
    somebody else, without our folders on their path. What arrives there is the function itself."""

    def __call__(self, fields: dict) -> dict:
        return task.run_point(task.Job(**fields))

    def __reduce__(self) -> tuple:
        def run(fields: dict) -> dict:
            return task.run_point(task.Job(**fields))

        cloudpickle.register_pickle_by_value(task)
        try:
            return pickle.loads, (cloudpickle.dumps(run),)
        finally:
            cloudpickle.unregister_pickle_by_value(task)


@contextlib.contextmanager
def connect(link: Link, workers: int) -> Iterator[Client]:
    """A client of a scheduler of others, or of processes of our own."""
    with (
        temporary_folder("npu-sweep-") as folder,
        dask.config.set({"distributed.scheduler.allowed-failures": DEATHS, "temporary-directory": str(folder), **NO_PAGES}),
    ):
        security = link.security()
        if link.scheduler is not None:
            with contextlib.closing(_reach(link, security)) as client:
                yield client
            return
        # Points are programs that run on their own: a worker's process needs one thread and little memory.
        with LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, memory_limit=0, dashboard_address=None,
            silence_logs=logging.CRITICAL, security=security,
        ) as cluster, Client(cluster, security=security) as client:  # fmt: skip
            yield client


def _reach(link: Link, security: Security) -> Client:
    address = link.scheduler
    if link.is_plain:
        print(f"npu-sweep: warning: '{address}' is neither encrypted nor authenticated: whoever reaches it runs what he "
              "likes as the workers' user; use tls://HOST:PORT with --tls-ca-file, --tls-cert and --tls-key", file=sys.stderr)  # fmt: skip
    for name in ("distributed", "distributed.client"):  # we say ourselves, in a sentence, what went wrong
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=SECONDS_TO_ANSWER, security=security)
    except (OSError, ValueError, TypeError, RuntimeError, ImportError, asyncio.TimeoutError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise BenchError(f"--scheduler: no Dask scheduler answers at '{address}' ({reason})") from error
    try:
        client.wait_for_workers(1, timeout=SECONDS_TO_ANSWER)
    except (OSError, asyncio.TimeoutError) as error:
        client.close()
        raise BenchError(f"--scheduler: the one at '{address}' has no workers; start some: "
                         f"dask worker {address}") from error  # fmt: skip
    return client


def compute(client: Client, jobs: list[Job], finished: Callable[[Job, dict], None]) -> None:
    """Each job on some worker; `finished` hears of each as soon as it is done.

    A worker that dies is replaced and its points are done by others. Raises BenchError if the scheduler is lost.
    """
    shipped = Shipped()
    futures = {
        client.submit(shipped, dataclasses.asdict(job), key=f"{job.number}-{plain(job.folder)}", pure=False): job
        for job in jobs
    }
    for future in as_completed(futures):
        finished(futures[future], result_of(future))
        future.release()


def result_of(future: Future) -> dict:
    """What a worker found, or that it could not. Raises BenchError if the scheduler is lost."""
    # A worker may die with its result, between the notice and here: the status is "lost" then, and result() waits for
    # another worker's. All are cancelled where nobody will compute them.
    try:
        return future.result()
    except CancelledError as error:
        raise BenchError("the scheduler is gone; what is done stays, and the same command does the rest") from error
    except KilledWorker:
        text = f"{DEATHS + 1} workers died with this point, perhaps for want of memory"
    except Exception as error:  # whatever a worker's Python says, it is that point's row
        text = f"the worker failed: {type(error).__name__}: {error}"
    return {"values": {}, "error": text, "seconds": {}, "worker": "", "passing": True}
