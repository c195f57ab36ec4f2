"""One cell of the suite: many sessions of one kind, compared and judged one by one.

It calls the functions that `compare` calls, `measure` and `judge`, so the results apply to both.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, log1p

import numpy as np

from benchkit.comparison import Comparisons, Contrast
from benchkit.comparison.blocks import Blocks
from benchkit.comparison.measure import Measurement, measure
from benchkit.comparison.ranks import Ranks
from benchkit.verdict import EQUIVALENT, IMPROVEMENT, REGRESSION, Verdicts, judge
from simulation.worlds import FloatArray, World, draw_blocks, draw_sides

CONFIDENCE, MARGIN = 0.95, 0.03


@dataclass(frozen=True)
class Cell:
    """The simulated design: n against m runs, or n rounds of some variants."""

    world: World
    n: int
    m: int
    effect: float
    variants: int = 0

    @property
    def seed(self) -> int:
        """Depends on this cell only, so that cells can be added or run in any order."""
        key = (self.world.name, self.n, self.m, self.effect, self.variants)
        return zlib.crc32(repr(key).encode())


@dataclass(frozen=True)
class Rates:
    """Shares of the sessions: rejections, coverage of the effect, and the verdicts."""

    method: str
    sessions: int
    rejected: float
    covered: float
    regression: float
    improvement: float
    equivalent: float


def try_cell(cell: Cell, sessions: int) -> Rates:
    """Simulate one cell."""
    truth = log1p(cell.effect)
    methods: Counter[str] = Counter()
    words: Counter[str] = Counter()
    rejected = covered = 0
    drawn = list(draw_sessions(cell, sessions))
    ranks = Ranks(((tuple(x), tuple(y)) for x, y, blocks in drawn if not blocks), CONFIDENCE)
    for x, y, blocks in drawn:
        measured = measure(x, y, "", CONFIDENCE, blocks, ranks=ranks)
        methods[measured.method] += 1
        rejected += measured.pvalue is not None and measured.pvalue <= 1 - CONFIDENCE
        covered += covers(measured, truth)
        words[judge_rows([(x, y, measured)]).rows[0].word] += 1
    shares = {
        verdict: words[verdict] / sessions for verdict in (REGRESSION, IMPROVEMENT, EQUIVALENT)
    }
    method = methods.most_common(1)[0][0]
    return Rates(method, sessions, rejected / sessions, covered / sessions, **shares)


def draw_sessions(
    cell: Cell, sessions: int
) -> Iterator[tuple[list[float], list[float], Blocks | None]]:
    """Yield the two sides of each session, and all its variants if it consists of rounds."""
    rng = np.random.default_rng(cell.seed)
    if not cell.variants:
        x, y = draw_sides(cell.world, rng, sessions, cell.n, cell.m, cell.effect)
        yield from ((*pair, None) for pair in zip(x.tolist(), y.tolist(), strict=True))
        return
    for table in draw_blocks(cell.world, rng, sessions, cell.n, cell.variants, cell.effect):
        logs = tuple(tuple(row) for row in np.log(table).tolist())
        yield table[:, 0].tolist(), table[:, 1].tolist(), Blocks(logs, 0, 1)


def covers(measured: Measurement, truth: float) -> bool:
    """Return whether the interval covers the effect; a missing end counts as unbounded."""
    _, low, high = measured.ratio
    ratio, rounding = exp(truth), 1 + 1e-12
    return (low is None or low <= ratio * rounding) and (high is None or ratio <= high * rounding)


def judge_rows(
    rows: Sequence[tuple[Sequence[float], Sequence[float], Measurement]], *, primary: bool = True
) -> Verdicts:
    """Judge the rows of one comparison together."""
    return judge(compare_sides(rows, primary=primary), MARGIN)


def compare_sides(
    rows: Sequence[tuple[Sequence[float], Sequence[float], Measurement]], *, primary: bool = True
) -> Comparisons:
    """Combine rows and their measured results into one comparison."""
    contrasts = tuple(make_contrast(x, y, measured, primary=primary) for x, y, measured in rows)
    return Comparisons(pairs=(("a", "b"),), contrasts=contrasts, confidence=CONFIDENCE)


def make_contrast(
    x: Sequence[float], y: Sequence[float], measured: Measurement, *, primary: bool = True
) -> Contrast:
    """Make a row of a comparison from the result of one method."""
    return Contrast(
        group="", benchmark="", params="", tool="wrk", subject="", metric="latency", stat="p50",
        unit="s", better="lower", primary=primary, baseline="a", variant="b",
        baseline_values=tuple(x), variant_values=tuple(y),
        center_baseline=x[0], center_variant=y[0],
        ratio=measured.ratio[0], ratio_low=measured.ratio[1], ratio_high=measured.ratio[2],
        equivalence_low=measured.equivalence[0], equivalence_high=measured.equivalence[1],
        method=measured.method, pvalue=measured.pvalue, confidence=CONFIDENCE,
    )  # fmt: skip


@dataclass(frozen=True)
class Family:
    """Rows judged together: their number, how many truly differ, and their correlation.

    ``alike`` is the share of a run's variance that all rows have in common.
    """

    name: str
    rows: int
    true: int
    n: int
    alike: float
    primary: bool = True


def try_family(family: Family, sessions: int) -> float:
    """Return the share of sessions with a false rejection by Holm, or of false ones among all.

    For primaries the family-wise error; for the exploratory rows the false discovery rate.
    """
    rng = np.random.default_rng(zlib.crc32(repr(family).encode()))
    total = 0.0
    for _ in range(sessions):
        values = _draw_family(family, rng)
        sides = [(row[: family.n].tolist(), row[family.n :].tolist()) for row in values]
        rows = [(x, y, measure(x, y, "", CONFIDENCE)) for x, y in sides]
        verdicts = judge_rows(rows, primary=family.primary).rows
        shown = [(row.p_adjusted or 0.0) <= 1 - CONFIDENCE + 1e-12 for row in verdicts]
        false = sum(shown[family.true :])
        total += (false > 0) if family.primary else false / max(sum(shown), 1)
    return total / sessions


def _draw_family(family: Family, rng: np.random.Generator) -> FloatArray:
    specific = rng.normal(0, np.sqrt(1 - family.alike), (family.rows, 2 * family.n))
    common = rng.normal(0, np.sqrt(family.alike), (1, 2 * family.n))
    logs = 0.02 * (specific + common)
    logs[: family.true, family.n :] += log1p(0.05)
    values: FloatArray = 100 * np.exp(logs)
    return values
