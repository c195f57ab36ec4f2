"""The error of whole families, over rows, runs and unequal spreads, through `decide` itself."""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import asdict, dataclass
from math import log

import numpy as np

from benchkit.comparison import Comparisons, decide
from benchkit.comparison.measure import measure
from benchkit.comparison.ranks import Ranks
from benchkit.stats.results import ROUNDING
from simulation.trials import CONFIDENCE, make_contrast
from simulation.worlds import SPREAD, FloatArray

ROWS, RUNS = (1, 20, 60, 600), ((4, 4), (6, 6), (10, 10), (8, 4), (12, 4))
RATIOS = (1.0, 2.0, 3.0, 6.0)
#: Family error that is promised, and how much rows differ in spread.
PROMISED, ROWS_DIFFER = 0.065, 0.5
#: Sessions of few rows for one of many.
_FEWER_OF_MANY = 5


@dataclass(frozen=True)
class Setting:
    """Rows that are judged together, none or all of which change.

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
        """Of this setting alone."""
        return zlib.crc32(repr(self).encode())


def list_grid() -> tuple[Setting, ...]:
    """Return the settings without an effect, then those whose power is recorded."""
    errors = [
        Setting(rows, n, m, ratio, everywhere)
        for rows in ROWS
        for n, m in RUNS
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
    """Return the share of sessions with a rejection, and of rows that are rejected."""
    count = max(sessions // (_FEWER_OF_MANY if setting.rows > 100 else 1), 1)
    generator = np.random.default_rng(setting.seed)
    methods: Counter[str] = Counter()
    any_row = all_rows = 0.0
    for _ in range(count):
        rejected, method = _judge(*_draw(setting, generator))
        methods[method] += 1
        any_row += rejected > 0
        all_rows += rejected / setting.rows
    shares = {name: round(n / count, 3) for name, n in methods.most_common()}
    found = {"any": round(any_row / count, 5), "rows_shown": round(all_rows / count, 5)}
    return {**asdict(setting), "sessions": count, **found, "methods": shares}


def _draw(setting: Setting, generator: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    scale = SPREAD * np.exp(ROWS_DIFFER * generator.standard_normal((setting.rows, 1)))
    if setting.effect:
        scale = np.full_like(scale, SPREAD)
    x, y = (
        scale * generator.standard_normal((setting.rows, runs)) for runs in (setting.n, setting.m)
    )
    y[: None if setting.everywhere else 1] *= setting.ratio
    if setting.is_slow:
        x, y = (side + log(1.2) * (generator.random(side.shape) < 0.1) for side in (x, y))
    return 100 * np.exp(x), 100 * np.exp(y) * (1 + setting.effect)


def _judge(x: FloatArray, y: FloatArray) -> tuple[int, str]:
    sides = [
        (tuple(before), tuple(after)) for before, after in zip(x.tolist(), y.tolist(), strict=True)
    ]
    ranks = Ranks(sides, CONFIDENCE)
    contrasts = tuple(
        make_contrast(*pair, measure(*pair, "", CONFIDENCE, ranks=ranks)) for pair in sides
    )
    pairs = (("a", "b"),)
    whole = Comparisons(pairs=pairs, contrasts=contrasts, confidence=CONFIDENCE)
    decided, adjusted = decide(whole)
    level = (1 - CONFIDENCE) * ROUNDING
    rejected = sum(how is not None and how.pvalue <= level for how in adjusted)
    method = next(how.method for how in adjusted if how is not None)
    single = decided.contrasts[0].method
    return rejected, method if len(sides) > 1 else single
