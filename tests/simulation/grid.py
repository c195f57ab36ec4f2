"""The error of whole families by rows, runs and unequal spreads, through `decide_family`."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from math import log, log1p
from typing import Any

import numpy as np
from scipy.stats import ttest_ind

from benchkit.comparison import RANK, RANK_RUNS, WELCH
from benchkit.comparison.families import ADJUSTMENTS
from benchkit.stats.families import Block, decide_family
from benchkit.stats.rank import smallest_pvalue
from benchkit.stats.rankrows import compare_rows
from benchkit.stats.sample import ROUNDING
from benchkit.stats.spread import are_unequal
from simulation.trials import CONFIDENCE
from simulation.worlds import SPREAD, FloatArray

ROWS, RUNS = (1, 20, 60, 600), ((4, 4), (6, 6), (10, 10), (8, 4), (12, 4))
#: Few runs per side, and the numbers of rows tried with them.
FEW_RUNS, FEW_ROWS = ((2, 2), (3, 2), (4, 2), (8, 2), (3, 3), (8, 3)), (1, 4, 20, 60)
RATIOS = (1.0, 2.0, 3.0, 6.0)
#: Promised family error, and how much rows differ in spread.
PROMISED, ROWS_DIFFER = 0.065, 0.5


@dataclass(frozen=True)
class Setting:
    """Rows judged together, none or all of which change.

    Parameters
    ----------
    rows, n, m : int
    ratio : float
        The spread of the variant's side, as a multiple of the baseline's.
    everywhere : bool
        Whether all rows are so, or the first one alone.
    effect : float
        Of every row; 0 for the error.
    is_slow : bool
        Whether one run in ten of each row is 20 % slow.
    """

    rows: int
    n: int
    m: int
    ratio: float = 1.0
    everywhere: bool = True
    effect: float = 0.0
    is_slow: bool = False

    @property
    def seed(self) -> int:
        """Depends on this setting only."""
        return zlib.crc32(repr(self).encode())


def read_setting(cell: Mapping[str, Any]) -> Setting:
    """Return the setting of a recorded cell."""
    return Setting(**{field.name: cell[field.name] for field in fields(Setting)})


def list_grid() -> tuple[Setting, ...]:
    """Return the settings without an effect, then those whose power is recorded."""
    shapes = [(rows, runs) for rows in ROWS for runs in RUNS]
    shapes += [(rows, runs) for rows in FEW_ROWS for runs in FEW_RUNS]
    errors = [
        Setting(rows, n, m, ratio, everywhere)
        for rows, (n, m) in shapes
        for ratio in RATIOS
        for everywhere in (True, False)
        if everywhere or (ratio > 1 and rows > 1)
    ]
    powers = [
        Setting(60, n, m, effect=0.2, is_slow=slow)
        for n, m in (*RUNS, (3, 3))
        for slow in (False, True)
    ]
    return (*errors, *powers)


def try_grid(setting: Setting, sessions: int) -> dict[str, object]:
    """Return the share of sessions with a rejection, and of rejected rows."""
    generator = np.random.default_rng(setting.seed)
    methods: Counter[str] = Counter()
    any_row = all_rows = 0.0
    for _ in range(sessions):
        rejected, method = judge(*draw(setting, generator))
        methods[method] += 1
        any_row += rejected > 0
        all_rows += rejected / setting.rows
    shares = {name: round(n / sessions, 3) for name, n in methods.most_common()}
    rates = {"any": round(any_row / sessions, 5), "rows_shown": round(all_rows / sessions, 5)}
    return {**asdict(setting), "sessions": sessions, **rates, "methods": shares}


def draw(setting: Setting, generator: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Draw the logarithms of both sides of a session."""
    scale = SPREAD * np.exp(ROWS_DIFFER * generator.standard_normal((setting.rows, 1)))
    if setting.effect:
        scale = np.full_like(scale, SPREAD)
    x, y = (
        scale * generator.standard_normal((setting.rows, runs)) for runs in (setting.n, setting.m)
    )
    y[: None if setting.everywhere else 1] *= setting.ratio
    if setting.is_slow:
        x, y = (side + log(1.2) * (generator.random(side.shape) < 0.1) for side in (x, y))
    return x, y + log1p(setting.effect)


def judge(x: FloatArray, y: FloatArray) -> tuple[int, str]:
    """Decide the rows of a session like a comparison: the number of rejections, and the basis."""
    n, m = x.shape[1], y.shape[1]
    unequal = are_unequal(x, y) if n == m >= RANK_RUNS else np.ones(len(x), dtype=np.bool_)
    pvalue = np.ones(len(x))
    if not unequal.all():
        pvalue = compare_rows(x, y, CONFIDENCE).pvalue.copy()
    if unequal.any():
        pvalue[unequal] = ttest_ind(x[unequal], y[unequal], axis=1, equal_var=False).pvalue
    smallest = np.where(unequal, 0.0, smallest_pvalue(n, m))
    block = Block(x=x, y=y, pvalue=pvalue, smallest=smallest, resolution=np.zeros(len(x)))
    (decision,) = decide_family([block], 1 - CONFIDENCE)
    rejected = int((decision.p_adjusted <= (1 - CONFIDENCE) * ROUNDING).sum())
    if len(x) > 1 or decision.basis != "row":
        return rejected, ADJUSTMENTS[decision.basis]
    return rejected, WELCH if unequal[0] else RANK
