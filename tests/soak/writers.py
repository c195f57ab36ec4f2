"""Writers at once into one store, on this machine and behind S3: no run lost, no value twice."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

from object_store import serve

from soak.campaign import Budget, Outcome
from soak.commands import call
from soak.dying import CONTEXT
from soak.stores import read_state, write_runs

TITLE = "writers at once, on this machine and on S3"
_WRITERS, _ROUNDS = 8, 20
_PATIENCE = 900.0


def run(budget: Budget) -> Outcome:
    """Have writers ingest round after round, here and there."""
    losses: list[str] = []
    rounds = budget.trials(_ROUNDS)
    figures: dict[str, float | int | str] = {}
    for name, place in (("local", _local), ("S3", _remote)):
        folder = budget.folder / name
        folder.mkdir()
        with place() as (store, env):
            problems, runs = _race(folder, store, env, rounds)
        losses += [f"{name}: {problem}" for problem in problems]
        figures[f"{name} runs"] = runs
    return Outcome(2 * rounds * _WRITERS, losses, figures)


@contextmanager
def _local() -> Iterator[tuple[str, dict[str, str]]]:
    yield "store", {}


@contextmanager
def _remote() -> Iterator[tuple[str, dict[str, str]]]:
    with serve() as env:
        yield "s3://bucket/store", env


def _race(folder: Path, store: str, env: dict[str, str], rounds: int) -> tuple[list[str], int]:
    """Return what went wrong, and how many runs are in the store at the end."""
    barrier = CONTEXT.Barrier(_WRITERS)
    pipes, processes = [], []
    for number in range(_WRITERS):
        pipe, child = CONTEXT.Pipe(duplex=False)
        arguments: tuple[Any, ...] = (folder, number, store, env, rounds, barrier, child)
        process = CONTEXT.Process(target=_write, args=arguments)
        process.start()
        child.close()
        pipes.append(pipe)
        processes.append(process)
    problems: list[str] = []
    for number, pipe in enumerate(pipes):
        try:
            told = pipe.recv() if pipe.poll(_PATIENCE) else ["hangs"]
        except EOFError:
            told = ["died"]
        problems += [f"writer {number}: {problem}" for problem in told]
    for process in processes:
        process.join(5)
        process.kill()
    try:
        state = read_state(folder, store=store, env=env)
    except Exception as error:  # noqa: BLE001 - any is a loss
        return [*problems, repr(error)], 0
    runs = {key[1] for key in state}
    lost = {f"w{w}r{r}" for w in range(_WRITERS) for r in range(rounds)} - runs
    if lost:
        problems.append(f"{len(lost)} of {_WRITERS * rounds} runs are lost: {sorted(lost)[:5]}")
    if len(state) != len(runs):
        problems.append(f"{len(state)} runs in place of {len(runs)}")
    return problems, len(state)


def _write(
    folder: Path,
    number: int,
    store: str,
    env: dict[str, str],
    rounds: int,
    barrier: Barrier,
    pipe: Any,  # noqa: ANN401 - of a context
) -> None:
    os.environ.update(env)
    problems = []
    for turn in range(rounds):
        write_runs(folder / f"results-{number}", f"w{number}r{turn}", 1)
        barrier.wait(_PATIENCE)
        words = ("ingest", f"results-{number}/w{number}r{turn}", "-q", "--store", store)
        answer = call(folder, *words)
        if answer.code or answer.is_crash:
            problems.append(f"round {turn}: {answer.describe()}")
    pipe.send(problems)
    os._exit(0)
