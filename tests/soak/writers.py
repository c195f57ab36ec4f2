"""Concurrent writers into one store, local and on S3: no run lost, no value doubled."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Barrier
from pathlib import Path
from threading import BrokenBarrierError
from typing import Any

from object_store import serve

from soak.campaign import Budget, Outcome
from soak.commands import call
from soak.dying import CONTEXT
from soak.stores import read_state, write_runs

TITLE = "writers at once, on this machine and on S3"
SECONDS = 480.0
_WRITERS, _ROUNDS = 8, 20
_PATIENCE = 900.0


def run(budget: Budget) -> Outcome:
    """Let writers ingest round after round, locally and on S3."""
    losses: list[str] = []
    trials = 0
    rounds = budget.trials(_ROUNDS)
    figures: dict[str, float | int | str] = {}
    for name, place, share in (("local", _local, 0.4), ("S3", _remote, 1.0)):
        folder = budget.folder / name
        folder.mkdir()
        with place() as (store, env):
            end = budget.started + budget.seconds * share
            problems, runs, ingests = _race(folder, store, env, rounds, end)
        losses += [f"{name}: {problem}" for problem in problems]
        figures[f"{name} runs"] = runs
        trials += ingests
    return Outcome(trials, losses, figures, 2 * rounds * _WRITERS)


@contextmanager
def _local() -> Iterator[tuple[str, dict[str, str]]]:
    yield "store", {}


@contextmanager
def _remote() -> Iterator[tuple[str, dict[str, str]]]:
    with serve() as env:
        yield "s3://bucket/store", env


def _race(
    folder: Path, store: str, env: dict[str, str], rounds: int, end: float
) -> tuple[list[str], int, int]:
    """Return problems, the runs in the store at the end, and the number of ingested runs."""
    barrier = CONTEXT.Barrier(_WRITERS)
    pipes, processes = [], []
    for number in range(_WRITERS):
        pipe, child = CONTEXT.Pipe(duplex=False)
        arguments: tuple[Any, ...] = (folder, number, store, env, (rounds, end), barrier, child)
        process = CONTEXT.Process(target=_write, args=arguments)
        process.start()
        child.close()
        pipes.append(pipe)
        processes.append(process)
    problems: list[str] = []
    expected: set[str] = set()
    for number, pipe in enumerate(pipes):
        try:
            turns, refusals = pipe.recv() if pipe.poll(_PATIENCE) else (rounds, ["hangs"])
        except EOFError:
            turns, refusals = rounds, ["died"]
        expected |= {f"w{number}r{turn}" for turn in range(turns)}
        problems += [f"writer {number}: {problem}" for problem in refusals]
    for process in processes:
        process.join(5)
        process.kill()
    try:
        state = read_state(folder, store=store, env=env)
    except Exception as error:  # noqa: BLE001 - any is a loss
        return [*problems, repr(error)], 0, len(expected)
    runs = {key[1] for key in state}
    if lost := expected - runs:
        problems.append(f"{len(lost)} of {len(expected)} runs are lost: {sorted(lost)[:5]}")
    if len(state) != len(runs):
        problems.append(f"{len(state)} runs in place of {len(runs)}")
    return problems, len(state), len(expected)


def _write(
    folder: Path,
    number: int,
    store: str,
    env: dict[str, str],
    limits: tuple[int, float],
    barrier: Barrier,
    pipe: Any,  # noqa: ANN401 - of a context
) -> None:
    os.environ.update(env)
    problems, turns = [], 0
    for turn in range(limits[0]):
        write_runs(folder / f"results-{number}", f"w{number}r{turn}", 1)
        if time.monotonic() > limits[1]:
            barrier.abort()
        try:
            barrier.wait(_PATIENCE)
        except BrokenBarrierError:  # one of them ran out of time
            break
        turns += 1
        words = ("ingest", f"results-{number}/w{number}r{turn}", "-q", "--store", store)
        answer = call(folder, *words)
        if answer.code or answer.is_crash:
            problems.append(f"round {turn}: {answer.describe()}")
    pipe.send((turns, problems))
    os._exit(0)
