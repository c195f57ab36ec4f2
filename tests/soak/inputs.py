"""Mutated inputs of every format, on every code path.

No input causes a traceback or takes more than seconds; all code paths agree; every reported value
is on the line that its row names. Folders of such inputs also go through commands, where every
value is finite. To reproduce an input, with its text: ``python -m soak.inputs SEED NUMBER > text``.
"""

from __future__ import annotations

import csv
import io
import math
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from roads import TEXTS, leave_kernel, read_all, take_columns, take_lines
from stated import holds, numbers

from benchkit.errors import BenchkitError
from benchkit.parsers import registry
from benchkit.parsers.base import Format
from benchkit.reading.source import Source, UnreadableError
from soak.campaign import LOG, Budget, Outcome
from soak.commands import call
from soak.mutation import Mutant, make

TITLE = "mutated inputs, all formats, read in three ways"
SECONDS = 1200.0
TRIALS = 100_000
#: Limit of CPU seconds for one input on one path.
PATIENCE = 5.0
_CHUNK = 250
#: Number of chunks after which the log reports the progress.
_REPORT = 40
#: Number of inputs of each chunk that also go through commands, in one folder.
_TOGETHER = 12
_COLUMNAR = {form.name for form, _ in TEXTS.values()}
#: Formats that read a large source in another way than a small one, by blocks or records.
_BY_SIZE = {*_COLUMNAR, "docker-stats"}
_GZIP = b"\x1f\x8b"


class SlowError(Exception):
    """An input took longer than `PATIENCE`."""


@dataclass
class Tally:
    """Results of some inputs."""

    trials: int = 0
    values: int = 0
    slowest: float = 0.0
    losses: list[str] = field(default_factory=list)


def run(budget: Budget) -> Outcome:
    """Try inputs until there are enough of them or the time is up."""
    count = budget.trials(TRIALS)
    starts = range(0, count, _CHUNK)
    attempt = partial(_try_some, budget, count)
    started = time.monotonic()
    tallies: list[Tally] = []
    with ProcessPoolExecutor(budget.jobs) if budget.jobs > 1 else nullcontext() as pool:
        for tally in pool.map(attempt, starts) if pool else map(attempt, starts):
            tallies.append(tally)
            if tally.trials and not len(tallies) % _REPORT:
                LOG.info("%s of %s inputs", sum(tally.trials for tally in tallies), count)
    trials = sum(tally.trials for tally in tallies)
    return Outcome(
        trials,
        [loss for tally in tallies for loss in tally.losses],
        {
            "values": sum(tally.values for tally in tallies),
            "inputs/s": round(trials / (time.monotonic() - started)),
            "slowest, s": round(max(tally.slowest for tally in tallies), 2),
        },
        count,
    )


def _try_some(budget: Budget, count: int, start: int) -> Tally:
    tally = Tally()
    for number in range(start, min(start + _CHUNK, count)):
        if budget.is_over:
            break
        mutant = make(budget.seed, number)
        clock = time.process_time()
        problems, values = check(mutant, number)
        tally.trials += 1
        tally.values += values
        tally.slowest = max(tally.slowest, time.process_time() - clock)
        place = f"{budget.seed} {number} ({mutant.text.label})"
        tally.losses += [f"python -m soak.inputs {place}: {problem}" for problem in problems]
    if tally.trials:
        folder = budget.folder / f"{start}"
        problems = check_folder(folder, [make(budget.seed, start + n) for n in range(_TOGETHER)])
        tally.losses += [f"inputs {start} to {start + _TOGETHER}: {each}" for each in problems]
        shutil.rmtree(folder)
    return tally


def check_folder(folder: Path, mutants: Sequence[Mutant]) -> list[str]:
    """Return problems of commands on a folder of inputs."""
    for number, mutant in enumerate(mutants):
        path = folder / ("none" if number % 2 else "otlp") / f"{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(mutant.data)
    problems = []
    for words in (("export", "--format", "csv"), ("compare",), ("report", "-o", "report.md")):
        answer = call(folder, words[0], "none", "otlp", *words[1:])
        if answer.is_crash or answer.code not in {0, 2, 3}:
            problems.append(f"{words[0]}: {answer.describe()}")
        if words[0] == "export":
            rows = csv.DictReader(io.StringIO(answer.out))
            strange = [row for row in rows if not math.isfinite(float(row["value"]))]
            problems += [f"not finite: {row}" for row in strange[:1]]
    return problems


def check(mutant: Mutant, number: int) -> tuple[list[str], int]:
    """Return problems in reading an input, and the number of its values."""
    problems: list[str] = []
    values = 0
    try:
        forms = set(_identify(mutant.data)) | {mutant.text.form}
        others = registry.formats()
        if not number % 10:  # a user may force any format on any file
            forms.add(others[number // 10 % len(others)])
    except Exception as error:  # noqa: BLE001 - any is a loss
        return [f"identify: {_describe(error)}"], 0
    for form in sorted(forms, key=lambda form: form.name):
        try:
            with _bounded():
                records = _read_on_all_roads(form, mutant.data, number)
        except Exception as error:  # noqa: BLE001 - any is a loss
            problems.append(f"{form.name}: {_describe(error)}")
            continue
        values += sum(1 for _ in _rows(records))
        misstated = _misstated(records, mutant.data, form.name)
        problems += [f"{form.name}: {each}" for each in misstated]
    return problems, values


def _identify(data: bytes) -> tuple[Format, ...]:
    with _bounded():
        try:
            return registry.identify(Source(None, "x", data))
        except (BenchkitError, UnreadableError):
            return ()


def _read_on_all_roads(form: Format, data: bytes, number: int) -> dict[str, Any]:
    records = read_all(form, data)
    block = 1 << 22 if data.startswith(_GZIP) else (300, 5000, 1 << 22)[number % 3]
    if form.name not in _BY_SIZE and len(data) <= block:
        return records  # all other paths equal the one taken
    with pytest.MonkeyPatch.context() as patch:
        take_columns(patch, block)  # how much of a damaged gzip is readable depends on the block
        if read_all(form, data) != records:
            raise AssertionError("read in columns, other values")
        if form.name in _COLUMNAR:
            leave_kernel(patch)
            if read_all(form, data) != records:
                raise AssertionError("read without the kernel, other values")
    if form.name in _COLUMNAR:
        with pytest.MonkeyPatch.context() as patch:
            take_lines(patch)
            if read_all(form, data) != records:
                raise AssertionError("read line by line, other values")
    return records


def _rows(records: dict[str, Any]) -> Iterator[tuple[str, float, str, int]]:
    """Yield metric, value, origin and line of every value."""
    for reading in records["readings"]:
        for _, metric, _, value, _, _, _, _, origin, line in reading.rows:
            yield metric, value, origin, line
    for key, (values, lines, _) in records["samples"].items():
        for value, line in zip(values, lines, strict=True):
            yield key[1], value, key[-1], line


def _misstated(records: dict[str, Any], data: bytes, form: str) -> Iterator[str]:
    """Yield reported values that are not on their line.

    The lines of an export are those of its sources; its values may be anywhere.
    """
    lines: list[str] | None = None
    for metric, value, origin, line in _rows(records):
        if origin == "reported" and math.isfinite(value):  # `ingest` drops all others
            lines = _lines(data) if lines is None else lines
            near = lines if form == "export" else _row(lines, line, form)
            if lines and not _states(near, value, form):
                yield f"{metric} {value!r} does not stand on line {line}"


def _row(lines: list[str], line: int, form: str) -> list[str]:
    """Return the lines of a row of CSV; elsewhere two, as a row of HTML may continue."""
    end = line + 1
    while "csv" in form and end <= len(lines) and "".join(lines[line - 1 : end]).count('"') % 2:
        end += 1
    return lines[line - 1 : end]


def _states(lines: list[str], value: float, form: str) -> bool:
    """Return whether a line states a value."""
    return any(holds(numbers(line, form), value) for line in lines)


def _lines(data: bytes) -> list[str]:
    """Return the lines of a text; empty for a binary source, whose records have no digits."""
    source = Source(None, "x", data)
    try:
        return [line for _, line in source.lines()] if source.head().text else []
    except UnreadableError:
        return []


@contextmanager
def _bounded() -> Iterator[None]:
    def stop(_number: int, _frame: FrameType | None) -> None:
        raise SlowError(f"more than {PATIENCE:g} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _describe(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    last = next((f for f in reversed(frames) if "benchkit/" in f.filename), frames[-1])
    place = f"{last.filename.rpartition('benchkit/')[2]}:{last.lineno}"
    return f"{type(error).__name__} {str(error)[:200]!r} at {place}"


if __name__ == "__main__":
    SEED, NUMBER = map(int, sys.argv[1:])
    MUTANT = make(SEED, NUMBER)
    sys.stdout.buffer.write(MUTANT.data)
    print("\n".join(check(MUTANT, NUMBER)[0]), file=sys.stderr)  # noqa: T201
