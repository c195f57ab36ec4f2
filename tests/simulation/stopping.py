"""Errors and duration of `capture --until decided`, through the functions that it calls."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import log1p
from typing import Any

import numpy as np

from benchkit.stats import SequentialDesign, find_stops, take_looks
from benchkit.stats.location import paired_t
from benchkit.stats.sample import FloatArray
from benchkit.stats.spending import SPENDING, Spending
from simulation.suite import ALPHA, error
from simulation.trials import MARGIN
from simulation.worlds import BLOCKS, NORMAL, describe, draw_blocks

EFFECTS, SPREADS, VARIANTS = (0.0, 0.01, 0.03, -0.03, 0.05), (0.01, 0.02, 0.05), (2, 5)


@dataclass(frozen=True, slots=True)
class Stopping:
    """A session that stops once it is decided.

    Parameters
    ----------
    variants : int
    effect : float
        Of every variant but the baseline.
    spread : float
        Of a run, as a logarithm; that of the world if it is another one than the normal one.
    world : str
    spending : str
    """

    variants: int
    effect: float
    spread: float
    world: str = NORMAL.name
    spending: Spending = "pocock"

    @property
    def seed(self) -> int:
        """Depends on this session only, and is the same for every spending."""
        key = (self.variants, self.effect, self.spread, self.world)
        return zlib.crc32(repr(key).encode())


STOPPINGS = (
    *(Stopping(v, e, s) for v in VARIANTS for s in SPREADS for e in EFFECTS),
    *(Stopping(2, e, 0.0, w.name) for w in BLOCKS if w is not NORMAL for e in (0.0, 0.03, -0.03)),
)
SPENDINGS = tuple(
    Stopping(2, effect, spread, spending=spending)
    for spending in SPENDING
    for spread in SPREADS
    for effect in (0.0, 0.01, 0.03, 0.05)
)


def draw(setting: Stopping, sessions: int, rounds: int) -> FloatArray:
    """Draw differences to the baseline on logarithms: sessions, variants, rounds."""
    rng = np.random.default_rng(setting.seed)
    if setting.world != NORMAL.name:
        world = next(w for w in BLOCKS if w.name == setting.world)
        table = np.log(draw_blocks(world, rng, sessions, rounds, 2, setting.effect))
        return np.asarray(table[:, :, 1:] - table[:, :, :1]).transpose(0, 2, 1)
    logs = setting.spread * rng.standard_normal((sessions, setting.variants, rounds))
    logs[:, 1:] += log1p(setting.effect)
    return np.asarray(logs[:, 1:] - logs[:, :1])


def try_stopping(setting: Stopping, sessions: int) -> dict[str, Any]:
    """Simulate many sessions; return how they end.

    Shares of sessions in which any row is shown; of rows called equal, and of intervals, of rows.
    """
    design = SequentialDesign(spending=setting.spending)
    drawn = draw(setting, sessions, design.most)
    looks = take_looks(drawn.reshape(-1, design.most), design)
    shape = *drawn.shape[:2], len(looks.rounds)
    pvalues, large, equal, low, high, value = (
        part.reshape(shape)
        for part in (
            looks.find_pvalues(),
            looks.find_large(MARGIN),
            looks.find_equal(MARGIN, ALPHA),
            *looks.find_interval(ALPHA),
            looks.value,
        )
    )
    truth, rows = log1p(setting.effect), np.arange(shape[1])
    counts = dict.fromkeys(("changed", "wrong", "undecided"), 0)
    rounds, covered, same, naive, away = [], 0.0, 0.0, 0.0, 0.0
    for at in range(sessions):
        stops = find_stops(pvalues[at], large[at], equal[at], ALPHA)
        last = shape[2] - 1 if (stops < 0).any() else int(stops.max())
        ends = np.where(stops < 0, last, stops)
        is_equal = (stops >= 0) & equal[at][rows, ends]
        is_changed = (stops >= 0) & ~is_equal
        estimates = value[at][rows, ends]
        against = is_changed & (estimates * truth <= 0)
        for name, rate in (("changed", is_changed), ("wrong", against), ("undecided", stops < 0)):
            counts[name] += bool(rate.any())
        same += float(is_equal.mean())
        contained = (low[at][rows, ends] <= truth) & (truth <= high[at][rows, ends])
        covered += float(contained.mean())
        away += float((estimates - truth).mean())
        made = drawn[at, 0, : design.least + ends[0]]
        fixed, _ = paired_t(np.zeros_like(made), made)
        naive += fixed.low <= truth <= fixed.high
        rounds.append(design.least + last)
    shares = {name: round(count / sessions, 5) for name, count in counts.items()}
    return {
        **asdict(setting),
        "sessions": sessions,
        **shares,
        "equal": round(same / sessions, 5),
        "covered": round(covered / sessions, 5),
        "naive": round(naive / sessions, 5),
        "bias": round(away / sessions, 5),
        "rounds": round(float(np.mean(rounds)), 2),
        "longest": int(np.quantile(rounds, 0.9)),
    }


def find_broken(row: Mapping[str, Any]) -> list[str]:
    """Name the promises that a row breaks: levels, and the coverage of its intervals."""
    slack = error(ALPHA, row["sessions"])
    alarms = row["changed"] if row["effect"] == 0 else row["wrong"]
    equal = row["equal"] if abs(row["effect"]) >= MARGIN else 0.0
    promises = {
        "false alarms": alarms <= ALPHA + slack,
        "false equivalence": equal <= ALPHA + slack,
        "coverage": row["covered"] >= 1 - ALPHA - slack,
    }
    return [name for name, is_kept in promises.items() if not is_kept]


def write_stoppings(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the manual's table of sessions that stop by themselves."""
    heads = (
        "variants", "runs", "effect", "change shown", "in the wrong direction",
        "“no meaningful difference”", "undecided", "interval covers", "fixed interval covers",
        "bias", "rounds: mean", "90 %", "",
    )  # fmt: skip
    lines = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    for row in rows:
        runs = f"spread {row['spread'] * 100:g} %"
        if row["world"] != NORMAL.name:
            runs = describe(row["world"])
        shares = ("changed", "wrong", "equal", "undecided", "covered", "naive")
        broken = find_broken(row)
        cells = [
            f"{row['variants']}",
            runs,
            f"{row['effect'] * 100:+g} %" if row["effect"] else "0",
            *(f"{row[name] * 100:.1f} %" for name in shares),
            f"{row['bias'] * 100:+.2f} %",
            f"{row['rounds']:.1f}",
            f"{row['longest']}",
            f"**breaks**: {', '.join(broken)}" if broken else "holds",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def write_spendings(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the manual's table of mean rounds by spending."""
    settings = list(dict.fromkeys((row["effect"], row["spread"]) for row in rows))
    heads = [f"{effect * 100:g} % at {spread * 100:g} %" for effect, spread in settings]
    lines = [f"| spending | {' | '.join(heads)} |", f"| --- |{' --: |' * len(heads)}"]
    for name in SPENDING:
        mean_rounds = {
            (r["effect"], r["spread"]): r["rounds"] for r in rows if r["spending"] == name
        }
        cells = [f"{mean_rounds[setting]:.1f}" for setting in settings]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)
