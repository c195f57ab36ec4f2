"""Rounds of CI jobs that add their results to one store at the same moment.

Each job has its own name, as CI systems assign it, and the same workspace path as all others. The
jobs of a round measure one commit on several machines.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path
from statistics import mean, median
from threading import BrokenBarrierError

import pyarrow.compute as pc
import pytest
from object_store import CLIENT, count_requests
from roads import FIXTURES
from soak.commands import call
from soak.dying import CONTEXT

from benchkit.ingestion.rows import read_parts
from benchkit.store import Store

WRITERS = 8
VARIANTS = ("none", "otlp")
_FILLER = Path(__file__).parents[1] / "bench" / "stored.py"
_REPORT = (FIXTURES / "tracing-wrk" / "none" / "wrk-1.txt").read_text(encoding="utf-8")
_FIRST = datetime(2026, 1, 1, tzinfo=UTC)
_PATIENCE = 120.0
#: CPU time, requests, bytes written and read.
_Costs = tuple[float, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The cost of a job in a store with a number of runs.

    Parameters
    ----------
    cpu : float
        Median, in seconds, without the start of Python and imports.
    requests : float
        To the store, with those of lost races; 0 for a folder.
    written, read : float
        Bytes. These and the requests are means: a few jobs merge the files of many.
    """

    place: str
    runs: int
    jobs: int
    planned: int
    cpu: float
    requests: float
    written: float
    read: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The place of the store, and the time within which jobs may start."""

    name: str
    store: str
    env: Mapping[str, str]
    rounds: int
    end: float


def measure(folder: Path, place: Place, runs: int) -> tuple[Figures, list[str]]:
    """Fill a store, run rounds of jobs, and return their figures and any losses."""
    if runs:
        command = [sys.executable, str(_FILLER), "list", place.store, f"{runs}"]
        subprocess.run(command, env={**os.environ, **place.env}, check=True)
    pipes, barrier = [], CONTEXT.Barrier(WRITERS + 1)
    for machine in range(WRITERS):
        pipe, child = CONTEXT.Pipe(duplex=False)
        CONTEXT.Process(target=_write, args=(folder, machine, place, barrier, child)).start()
        child.close()
        pipes.append(pipe)
    done = _lead(folder, place, barrier)
    jobs, costs = 0, list[_Costs]()
    losses: list[str] = []
    for machine, pipe in enumerate(pipes):
        try:
            paid, problems = pipe.recv() if pipe.poll(_PATIENCE) else ([], ["hangs"])
        except EOFError:
            paid, problems = [], ["died"]
        jobs += len(paid)
        costs += paid[1:]  # the first one imports
        losses += [f"machine {machine}: {problem}" for problem in problems]
    losses += _find_losses(place, done)
    cpu, requests, written, read = zip(*costs or [(0.0, 0, 0, 0)], strict=True)
    return Figures(
        place=place.name, runs=runs, jobs=jobs, planned=WRITERS * place.rounds,
        cpu=round(median(cpu), 3), requests=round(mean(requests), 1),
        written=round(mean(written)), read=round(mean(read)),
    ), losses  # fmt: skip


def _lead(folder: Path, place: Place, barrier: Barrier) -> int:
    """Write the results of each round, let the jobs start, and return the number of rounds."""
    for number in range(place.rounds):
        for variant in VARIANTS:
            path = folder / "results" / variant / "wrk-1.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            rate = f"   {_rate(number, variant):.2f}"
            path.write_text(re.sub(r"(?<=Requests/sec:).*", rate, _REPORT), encoding="utf-8")
        try:
            for _ in ("they start", "they are done"):
                barrier.wait(_PATIENCE)
        except BrokenBarrierError:
            return number
        if time.monotonic() > place.end:
            barrier.abort()
            return number + 1
    return place.rounds


def _write(folder: Path, machine: int, place: Place, barrier: Barrier, pipe: Connection) -> None:
    """Run the jobs of one machine."""
    os.environ.update({**place.env, CLIENT: f"machine{machine}"})
    costs: list[_Costs] = []
    problems: list[str] = []
    for number in range(place.rounds):
        try:
            barrier.wait(_PATIENCE)
            before = _read_costs(place, machine)
            answer = call(folder, *_job(number, place.store), env=_name_job(number, machine))
            after = _read_costs(place, machine)
        except BrokenBarrierError:
            break
        except BaseException:
            barrier.abort()
            raise
        cpu, *counts = (late - early for late, early in zip(after, before, strict=True))
        costs.append((cpu, *map(int, counts)))  # type: ignore[arg-type]
        if answer.code or answer.is_crash:
            problems.append(f"round {number}: {answer.describe()}")
        with suppress(BrokenBarrierError):
            barrier.wait(_PATIENCE)
    pipe.send((costs, problems))
    os._exit(0)


def _job(number: int, store: str) -> list[str]:
    date = (_FIRST + timedelta(minutes=number)).isoformat()
    words = ["history", "add", "results", "--commit", _commit(number), "--date", date]
    return [*words, "--branch", "main", "--store", store, "--quiet"]


def _commit(number: int) -> str:
    return hashlib.sha1(f"{number}".encode(), usedforsecurity=False).hexdigest()


def _name_job(number: int, machine: int) -> dict[str, str]:
    job = {"GITHUB_RUN_ID": f"{number}", "GITHUB_RUN_ATTEMPT": "1", "GITHUB_JOB": "bench"}
    return {**job, "RUNNER_NAME": f"machine{machine}"}


def _rate(number: int, variant: str) -> float:
    return 5000.0 + number + 1000 * VARIANTS.index(variant)


def _read_costs(place: Place, machine: int) -> _Costs:
    """Return the resources that this process has used so far."""
    if place.env:
        return time.process_time(), *count_requests(place.env, f"machine{machine}")
    lines = Path("/proc/self/io").read_text(encoding="utf-8").splitlines()
    counts = dict(line.split(": ") for line in lines)
    return time.process_time(), 0, int(counts["wchar"]), int(counts["rchar"])


def _find_losses(place: Place, rounds: int) -> list[str]:
    """Return the runs of the jobs that are lost, doubled, mixed up, or have other values."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in place.env.items():
            patch.setenv(name, value)
        store = Store(place.store)
        pieces = store.pieces()
        assert pieces is not None
        pieces = pieces.filter(pc.starts_with(pieces["origin"], "github/"))
        parts = read_parts(pieces)
        keys = [(part.batch, part.piece) for part in parts]
        values = store.values(metrics=["request_rate"], pieces=keys)
    rates: dict[tuple[int, int], list[float]] = {}
    columns = (values[name].to_pylist() for name in ("batch", "piece", "value"))
    for batch, piece, value in zip(*columns, strict=True):
        rates.setdefault((batch, piece), []).append(value)
    stored = Counter(
        (part.origin, part.env["commit"], part.variant, *rates.get((part.batch, part.piece), ()))
        for part in parts
    )
    expected = Counter(
        (
            f"github/{number}/1/bench/machine{at}",
            _commit(number),
            variant,
            _rate(number, variant),
        )
        for number in range(rounds)
        for at in range(WRITERS)
        for variant in VARIANTS
    )
    losses = [f"lost: {key}" for key in (expected - stored).elements()]
    losses += [f"doubled or mixed up: {key}" for key in (stored - expected).elements()]
    paths = {part.path for part in parts}
    if len(paths) != len(VARIANTS):
        losses.append(f"{len(paths)} paths in place of {len(VARIANTS)}")
    return [f"{place.name}: {loss}" for loss in losses]
