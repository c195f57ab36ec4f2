"""How the runs of a session come about: their spread, their order, and disturbances.

A test is trusted for its behaviour on real machines, not for its assumptions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
#: Sessions by runs, on the log scale.
Draw = Callable[[np.random.Generator, int, int], FloatArray]

#: Standard deviation of a run, as a fraction, as observed on quiet machines.
SPREAD = 0.02
#: Standard deviation of a whole round, in sessions made of rounds.
ROUNDS = 0.05


@dataclass(frozen=True)
class World:
    """One way in which runs come about.

    Parameters
    ----------
    name : str
        As the table prints it.
    draw : callable
    step : float
        Values are rounded to this fraction of 100, their typical size; 0 for not at all.
    in_turn : bool
        Whether the variants alternate; else all runs of one are made before the other's.
    others : float
        Spread of the variants that are not compared, as a multiple of the spread of those that are.
    """

    name: str
    draw: Draw
    step: float = 0.0
    in_turn: bool = True
    others: float = 1.0


def _normal(rng: np.random.Generator, sessions: int, runs: int) -> FloatArray:
    return rng.normal(0, SPREAD, (sessions, runs))


def _heavy(rng: np.random.Generator, sessions: int, runs: int) -> FloatArray:
    return rng.standard_t(3, (sessions, runs)) * (SPREAD / sqrt(3))


def _exponential(rng: np.random.Generator, sessions: int, runs: int) -> FloatArray:
    return np.log1p(rng.exponential(SPREAD, (sessions, runs)))


def _slow(rng: np.random.Generator, sessions: int, runs: int) -> FloatArray:
    return _normal(rng, sessions, runs) + log(1.2) * (rng.random((sessions, runs)) < 0.1)


def _starved(rng: np.random.Generator, sessions: int, runs: int) -> FloatArray:
    return _normal(rng, sessions, runs) + log(2.3) * (rng.random((sessions, runs)) < 0.12)


def _requests(rng: np.random.Generator, sessions: int, runs: int) -> FloatArray:
    """Take the median of 100 consecutive requests: 20 % each, rho 0.9."""
    median = np.median(follow(rng.normal(0, 0.2, (sessions, runs, 100)), 0.9), axis=2)
    medians: FloatArray = median + rng.normal(0, SPREAD / 2, (sessions, runs))
    return medians


def _drifting(rng: np.random.Generator, sessions: int, runs: int) -> FloatArray:
    return _normal(rng, sessions, runs) + np.linspace(0, log(1.05), runs)


def _follow_runs(rng: np.random.Generator, sessions: int, runs: int, rho: float) -> FloatArray:
    return follow(_normal(rng, sessions, runs), rho)


def follow(noise: FloatArray, rho: float) -> FloatArray:
    """Make a stationary AR(1) series from independent noise, along the last axis."""
    series = noise.copy()
    for place in range(1, noise.shape[-1]):
        fresh = sqrt(1 - rho**2) * noise[..., place]
        series[..., place] = rho * series[..., place - 1] + fresh
    return series


#: Names of worlds and families in the manual; the internal names seed the draws and stay.
_PHRASES = {
    "2.3 times slow": "2.3 times as slow",
    "requests follow each other": "neighbouring requests correlate",
    "runs follow each other": "neighbouring runs correlate",
    ", in turn": ", alternating",
    ", one after the other": ", one side after the other",
    "vary a fifth": "vary a fifth as much",
    "rows of their own": "independent rows",
    "rows of the same runs (0.8 in common)": "correlated rows (0.8)",
    "rows of the same runs": "correlated rows",
}


def describe(name: str) -> str:
    """Return the reader's description of a world or a family."""
    for old, new in _PHRASES.items():
        name = name.replace(old, new)
    return name


NORMAL = World("normal", _normal)
HEAVY = World("t with 3 degrees of freedom", _heavy)
EXPONENTIAL = World("exponential above a floor", _exponential)
SLOW = World("1 run in 10 is 20 % slow", _slow)
STARVED = World("1 run in 8 is 2.3 times slow", _starved)
COARSE = World("rounded to one standard deviation", _normal, step=SPREAD)
DRIFT = World("5 % drift, in turn", _drifting)
STEADY = World("the other variants vary a fifth", _normal, others=0.2)
DRIFT_APART = World("5 % drift, one after the other", _drifting, in_turn=False)
FOLLOWING_APART = World(
    "runs follow each other (0.9), one after the other",
    partial(_follow_runs, rho=0.9),
    in_turn=False,
)

#: Worlds with two sides, and worlds measured in rounds.
SIDES = (
    NORMAL,
    HEAVY,
    SLOW,
    STARVED,
    COARSE,
    World("requests follow each other (0.9)", _requests),
    World("runs follow each other (0.5), in turn", partial(_follow_runs, rho=0.5)),
    DRIFT,
    DRIFT_APART,
    FOLLOWING_APART,
)
BLOCKS = (NORMAL, HEAVY, SLOW, STARVED, COARSE, DRIFT)
#: Worlds in which one new run follows a history: there is no order to alternate.
HISTORIES = (NORMAL, HEAVY, EXPONENTIAL, SLOW, STARVED, COARSE, DRIFT_APART)


def arrange(n: int, m: int, *, in_turn: bool) -> NDArray[np.bool_]:
    """Return which of n + m places in time are the variant's: A B B A A B …, or A … A B … B."""
    if not in_turn:
        return np.arange(n + m) >= n
    turns = np.arange(max(n, m)) % 2 * 2 - 1
    first = (np.arange(n) + 0.5) / n
    second = (np.arange(m) + 0.5) / m - 1e-9 * turns[:m]
    is_variant = np.arange(n + m) >= n
    chosen: NDArray[np.bool_] = is_variant[np.argsort(np.append(first, second), kind="stable")]
    return chosen


def draw_sides(
    world: World, rng: np.random.Generator, sessions: int, n: int, m: int, effect: float
) -> tuple[FloatArray, FloatArray]:
    """Return the values of both sides, shapes (sessions, n) and (sessions, m)."""
    logs = world.draw(rng, sessions, n + m)
    place = arrange(n, m, in_turn=world.in_turn)
    return _values(world, logs[:, ~place]), _values(world, logs[:, place] + np.log1p(effect))


def draw_blocks(
    world: World, rng: np.random.Generator, sessions: int, n: int, variants: int, effect: float
) -> FloatArray:
    """Return values of shape (sessions, rounds, variants); column 1 has the effect.

    Rounds differ by 5 %, the order within them rotates, other variants cost 5 % more each.
    """
    logs = world.draw(rng, sessions, n * variants).reshape(sessions, n, variants)
    places = (np.arange(variants)[None, :] + np.arange(n)[:, None]) % variants
    logs = np.take_along_axis(logs, np.broadcast_to(places, logs.shape), axis=2)
    logs[:, :, 2:] = world.others * logs[:, :, 2:] + 0.05 * np.arange(1, variants - 1)
    logs[:, :, 1] += np.log1p(effect)
    return _values(world, logs + rng.normal(0, ROUNDS, (sessions, n, 1)))


def _values(world: World, logs: FloatArray) -> FloatArray:
    values: FloatArray = 100 * np.exp(logs)
    if world.step:
        values = np.round(values / (100 * world.step)) * (100 * world.step)
    return values
