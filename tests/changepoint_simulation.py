"""Rates of false alarms and of detected changes in simulated histories.

The false-alarm rate of a history is measured, not assumed. As a script it prints the table of the
manual; for comparison it runs apache-otava in a separate environment: ``python
tests/changepoint_simulation.py 1000 otava/bin/python``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from benchkit.stats.changepoint import find_changes

LENGTHS = (50, 100, 200)
CORRELATIONS = (0.0, 0.5)
#: Standard deviations by which a changed series moves in the middle.
CHANGE = 2.0
#: An obvious step.
STEP = 5.0
#: Largest distance (in places) at which a detected change counts as the true one.
NEAR = 5
#: Runs otava with its defaults, on series around 100 that vary by 2 %.
OTAVA = """
import json, sys
from importlib.metadata import version
from otava.analysis import compute_change_points
found = [[int(c.index) for c in compute_change_points(s)[0]] for s in json.load(sys.stdin)]
json.dump([version("apache-otava"), found], sys.stdout)
"""

HEADINGS = ("alarms per 100 commits", "series with one", "found")

Series = NDArray[np.float64]
Detected = list[list[int]]


@dataclass(frozen=True)
class World:
    """Series of ``length`` with lag-1 ``correlation``, moved by ``change`` sd in the middle."""

    length: int
    correlation: float
    change: float = 0.0


@dataclass(frozen=True)
class Rates:
    """Alarms per 100 points, share of series with an alarm, share with one near the middle."""

    per_100: float
    series: float
    near: float


def draw(world: World, times: int, seed: int = 20261121) -> list[Series]:
    """Draw series around 100, standard deviation 2."""
    generator = np.random.default_rng([seed, world.length, round(10 * world.correlation)])
    drawn = []
    for _ in range(times):
        values = generator.normal(size=world.length)
        for i in range(1, world.length):
            values[i] = (
                world.correlation * values[i - 1] + sqrt(1 - world.correlation**2) * values[i]
            )
        values[world.length // 2 :] += world.change
        drawn.append(100 + 2 * values)
    return drawn


def find_ours(series: Sequence[Series]) -> Detected:
    """Find changes of any size, on logarithms as the history does."""
    return [[change.index for change in find_changes(np.log(values))] for values in series]


def find_otavas(python: str, series: Sequence[Series]) -> tuple[str, Detected]:
    """Return the version of apache-otava and the changes it finds with its defaults."""
    text = json.dumps([values.tolist() for values in series])
    done = subprocess.run(
        [python, "-c", OTAVA], input=text, capture_output=True, text=True, check=True
    )
    version, detected = json.loads(done.stdout)
    return version, detected


def rate(world: World, detected: Detected) -> Rates:
    """Count the detected changes."""
    middle = world.length // 2
    return Rates(
        per_100=100 * sum(map(len, detected)) / (world.length * len(detected)),
        series=sum(map(bool, detected)) / len(detected),
        near=sum(any(abs(i - middle) <= NEAR for i in places) for places in detected)
        / len(detected),
    )


def simulate(world: World, times: int) -> Rates:
    """Detect changes in many series."""
    return rate(world, find_ours(draw(world, times)))


def write_missed(length: int, correlation: float, times: int) -> str:
    """Return the share of series in which a clear step in the middle is missed."""
    return f"{100 * (1 - simulate(World(length, correlation, STEP), times).near):.0f} %"


def write_row(length: int, correlation: float, times: int, python: str = "") -> str:
    """Write a row of the table: ours, and otava's if its interpreter is given."""
    cells = [f"{length}", f"{correlation:g}"]
    worlds = World(length, correlation), World(length, correlation, CHANGE)
    drawn = [draw(world, times) for world in worlds]
    detected = [[find_ours(series) for series in drawn]]
    if python:
        detected.append([find_otavas(python, series)[1] for series in drawn])
    for clean, changed in detected:
        alarms, hits = rate(worlds[0], clean), rate(worlds[1], changed)
        cells += [
            f"{alarms.per_100:.3f}",
            f"{100 * alarms.series:.1f} %",
            f"{100 * hits.near:.0f} %",
        ]
    return f"| {' | '.join(cells)} |"


def write_rows(times: int, python: str) -> Iterator[str]:
    """Yield the table, row by row."""
    names = ["benchkit"]
    if python:
        names.append(f"otava {find_otavas(python, [])[0]}")
    heads = [f"{name}: {heading}" for name in names for heading in HEADINGS]
    yield f"| commits | correlation | {' | '.join(heads)} |"
    yield "| --: | --: |" + " --: |" * len(heads)
    for correlation in CORRELATIONS:
        for length in LENGTHS:
            yield write_row(length, correlation, times, python)


if __name__ == "__main__":
    for line in write_rows(int(sys.argv[1]), *(sys.argv[2:] or [""])):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
