"""The statistic that decides the rows of a family, chosen to control the family's error."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Literal, TypeAlias

import numpy as np

from benchkit.stats.maxt import Tail, find_floor, max_t, sign_flip_max_t
from benchkit.stats.multiplicity import holm
from benchkit.stats.sample import ROUNDING, FloatArray
from benchkit.stats.spread import spread_ratios
from benchkit.stats.student import t_tail

#: Each row by its own test · rows jointly by permutation · Welch's t with the fewest degrees of
#: freedom, or the t of pairs, in every row.
Basis: TypeAlias = Literal["row", "max-t", "least-welch", "paired-t"]
#: Columns that belong together: none · pairs · rounds whose level was removed from both sides.
Rounds: TypeAlias = Literal["", "pairs", "aligned"]

#: Number of rows, then the largest pooled ratio of spreads that ranks and joint permutation
#: tolerate: up to this number of rows, and with more. Determined by simulation: `nox -s calibrate`.
_BEARABLE: dict[Basis, tuple[int, float, float]] = {"row": (60, 2.0, 1.5), "max-t": (20, 1.5, 1.4)}
#: Minimum runs per side for ranks and for a permutation.
_FEWEST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Rows of one design: the same two variants with the same numbers of runs.

    Parameters
    ----------
    x, y : ndarray, shapes (rows, n) and (rows, m)
        Baseline and variant (usually logarithms); for rounds, column by column. Without columns the
        rows keep their own tests.
    pvalue : ndarray, shape (rows,)
        The p-value of the row's own test.
    smallest : ndarray, shape (rows,)
        The smallest two-sided p-value that this test can give; 0 if there is no bound.
    resolution : ndarray, shape (rows,)
        The rounding step; 0 if unknown.
    rounds : {'', 'pairs', 'aligned'}
        Which columns belong together.
    """

    x: FloatArray
    y: FloatArray
    pvalue: FloatArray
    smallest: FloatArray
    resolution: FloatArray
    rounds: Rounds = ""

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.pvalue)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockDecision:
    """The decision on the rows of a block.

    Parameters
    ----------
    basis : {'row', 'max-t', 'least-welch', 'paired-t'}
    pvalue, p_adjusted : ndarray, shape (rows,)
        The p-value of the deciding statistic; ``p_adjusted`` is adjusted among all rows of all
        blocks.
    value, error : ndarray, shape (rows,)
        The difference of the means and its standard error, if the rows' own tests do not decide.
    freedom : int
        Degrees of freedom of the error; 0 if the rows' own tests decide.
    """

    basis: Basis
    pvalue: FloatArray
    p_adjusted: FloatArray
    value: FloatArray
    error: FloatArray
    freedom: int


def decide_family(
    blocks: Sequence[Block], alpha: float = 0.05, tail: Tail = "two-sided"
) -> tuple[BlockDecision, ...]:
    """Decide all rows of a family so that the chance of any false rejection stays below alpha.

    Parameters
    ----------
    blocks : sequence of Block
    alpha : float
        Family-wise level, 0 < alpha < 1.
    tail : {'two-sided', 'greater'}
        As in the rows' own tests; the deciding statistic is the same for both.

    Returns
    -------
    tuple of BlockDecision
        One for each block, in the same order.

    Notes
    -----
    A single row is decided by its own test, with two exceptions: with 2 runs on one side and more
    on the other, for which Welch's own degrees of freedom are too many, it is decided by the last
    method below; and if a side does not vary and ranks do not decide, with the spread that rounding
    leaves. Several rows are decided block by block:

    - by their own tests, if the smallest p-values that these can give pass Holm's adjustment and
      the spread of one side is at most twice the other's, pooled over the rows (1.5 times with
      more than 60 rows); aligned rounds only if the pooled correlation of both sides is not
      negative, which it is if the variants that are not compared vary far less;
    - else by step-down max-T (`max_t`), with equal numbers of runs on both sides, 4 or more, a
      pooled ratio of at most 1.5 (1.4 with more than 20 rows), and a smallest p within the block's
      alpha; pairs and rounds by `sign_flip_max_t`, which tolerates unequal spreads;
    - else by Welch's t with the conservative degrees of freedom min(n, m) - 1, which keeps its
      level whatever the spreads are [1]_; pairs and rounds by the t of their differences, which
      does as well.

    Rows decided by max-T get the share of alpha that corresponds to their number; the share that a
    block no longer needs, since all its rows are rejected, passes on to the others [2]_. All other
    rows are one family under Holm's method.

    References
    ----------
    .. [1] P. L. Hsu, "Contribution to the theory of Student's t-test as applied to the problem of
       two samples", Statistical Research Memoirs 2 (1938) 1-24; M. R. Mickey and M. B. Brown,
       "Bounds on the distribution functions of the Behrens-Fisher statistic", Ann. Math. Statist.
       37 (1966) 639-642.
    .. [2] F. Bretz, W. Maurer, W. Brannath and M. Posch, "A graphical approach to sequentially
       rejective multiple test procedures", Statist. Med. 28 (2009) 586-604.

    Examples
    --------
    >>> x = np.log([[98.0, 100, 101, 99, 102, 100]] * 30)
    >>> block = Block(x=x, y=x + 0.2, pvalue=np.full(30, 2 / 924), smallest=np.full(30, 2 / 924),
    ...               resolution=np.zeros(30))
    >>> decided, = decide_family([block])
    >>> decided.basis, float(decided.p_adjusted.max().round(4))
    ('max-t', 0.0022)
    """
    total = sum(block.rows for block in blocks)
    chosen = [_decide(block, _choose(block, total, alpha), tail) for block in blocks]
    singly = [i for i, decision in enumerate(chosen) if decision.basis != "max-t"]
    groups = [[i] for i in range(len(blocks)) if i not in singly] + ([singly] if singly else [])
    alone = [
        holm(np.concatenate([chosen[i].pvalue for i in group]))
        if group is singly
        else chosen[group[0]].p_adjusted
        for group in groups
    ]
    shared: dict[int, FloatArray] = {}
    for group, adjusted in zip(groups, _share(alone), strict=True):
        ends = np.cumsum([blocks[i].rows for i in group])[:-1]
        shared.update(zip(group, np.split(adjusted, ends), strict=True))
    return tuple(replace(chosen[i], p_adjusted=shared[i]) for i in range(len(blocks)))


def _choose(block: Block, total: int, alpha: float) -> Basis:
    """Choose by the numbers of runs and rows, and by the spreads of all rows together."""
    n, m = block.x.shape[1], block.y.shape[1]
    if min(n, m) < 2:
        return "row"
    if total == 1:
        is_bold = min(n, m) == 2 and n != m
        is_rounded = (n != m or n < _FEWEST) and _is_rounded(block)
        return "least-welch" if (is_bold or is_rounded) and not block.rounds else "row"
    level = alpha * ROUNDING
    reaches = bool((block.smallest * total <= level).all())
    if block.rounds:
        if reaches and (block.rounds == "pairs" or _is_alignable(block, total)):
            return "row"
        return "max-t" if 2 / 2**n * total <= level * block.rows else "paired-t"
    if n != m or n < _FEWEST:
        return "least-welch"
    ratio = _pool_spreads(block)
    fits = 2 / comb(2 * n, n) * total <= level * block.rows
    basis: Basis = "row" if reaches else "max-t"
    is_alike = ratio <= bearable_ratio(basis, total)
    return basis if is_alike and (reaches or fits) else "least-welch"


def _is_rounded(block: Block) -> bool:
    """Return whether a side does not vary, and the rounding step bounds how much it may.

    Examples
    --------
    >>> x, p = np.zeros((1, 3)), np.array([0.1])
    >>> [_is_rounded(Block(x=x, y=x + 1, pvalue=p, smallest=p, resolution=p * step))
    ...  for step in (0, 1)]
    [False, True]
    """
    varies = [np.ptp(side, axis=1).all() for side in (block.x, block.y)]
    return not all(varies) and bool(block.resolution.all())


def bearable_ratio(basis: Basis, rows: int) -> float:
    """Return the largest pooled ratio of spreads at which a basis may decide that many rows.

    Examples
    --------
    >>> bearable_ratio("row", 60), bearable_ratio("row", 61), bearable_ratio("max-t", 60)
    (2.0, 1.5, 1.4)
    """
    few, ratio_of_few, ratio_of_many = _BEARABLE[basis]
    return ratio_of_few if rows <= few else ratio_of_many


def _is_alignable(block: Block, total: int) -> bool:
    """Return whether aligned values may be treated as independent, which keeps every test valid."""
    x, y = (side - side.mean(axis=1, keepdims=True) for side in (block.x, block.y))
    scale = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    varies = scale > 0
    alike = float(((x * y).sum(axis=1)[varies] / scale[varies]).sum())
    return alike >= 0 and _pool_spreads(block) <= bearable_ratio("row", total)


def _pool_spreads(block: Block) -> float:
    """Return the ratio of the two sides' spreads, at least 1, over all rows that vary."""
    step = np.sqrt(12 * find_floor(np.concatenate([block.x, block.y], axis=1), block.resolution))
    ratios = spread_ratios(block.x, block.y, step)
    known = ratios[(ratios > 0) & np.isfinite(ratios)]
    return float(np.exp(abs(np.mean(np.log(known))))) if known.size else 1.0


def _decide(block: Block, basis: Basis, tail: Tail) -> BlockDecision:
    """Return the p-values of a block, adjusted among its own rows at most."""
    if basis == "row":
        unknown = np.full(block.rows, np.nan)
        p = block.pvalue
        return BlockDecision(
            basis=basis, pvalue=p, p_adjusted=p, value=unknown, error=unknown, freedom=0
        )
    n, m = block.x.shape[1], block.y.shape[1]
    value = block.y.mean(axis=1) - block.x.mean(axis=1)
    floor = find_floor(np.concatenate([block.x, block.y], axis=1), block.resolution)
    if basis in {"least-welch", "paired-t"}:
        if block.rounds:
            error, freedom = _find_pair_error(block, floor), n - 1
        else:
            parts = [np.maximum(side.var(axis=1, ddof=1), floor) for side in (block.x, block.y)]
            error, freedom = np.sqrt(parts[0] / n + parts[1] / m), min(n, m) - 1
        p = _find_tails(value, error, freedom, tail)
        return BlockDecision(
            basis=basis, pvalue=p, p_adjusted=p, value=value, error=error, freedom=freedom
        )
    if block.rounds:
        tested = sign_flip_max_t(block.y - block.x, block.resolution, tail)
        error, freedom = _find_pair_error(block, floor), n - 1
    else:
        tested = max_t(block.x, block.y, block.resolution, tail)
        pooled = (block.x.var(axis=1, ddof=1) + block.y.var(axis=1, ddof=1)) / 2
        error, freedom = np.sqrt(np.maximum(pooled, floor) * (2 / n)), 2 * n - 2
    return BlockDecision(
        basis=basis, pvalue=tested.pvalue, p_adjusted=tested.p_adjusted,
        value=value, error=error, freedom=freedom,
    )  # fmt: skip


def _find_pair_error(block: Block, floor: FloatArray) -> FloatArray:
    """Return the standard error of each row's mean difference."""
    variance = np.maximum((block.y - block.x).var(axis=1, ddof=1), floor)
    error: FloatArray = np.sqrt(variance / block.x.shape[1])
    return error


def _find_tails(value: FloatArray, error: FloatArray, freedom: int, tail: Tail) -> FloatArray:
    """Return the p-value of each difference by Student's t; 1 if nothing differs or varies."""
    varies = error > 0
    t = np.where(varies, value / np.where(varies, error, 1.0), 0.0)
    upper = np.array([t_tail(freedom, abs(each)) for each in t.tolist()])
    p = 2 * upper if tail == "two-sided" else np.where(t >= 0, upper, 1 - upper)
    return np.clip(np.where(varies, p, 1.0), sys.float_info.min, 1.0)


def _share(groups: Sequence[FloatArray]) -> list[FloatArray]:
    """Share alpha among groups by their rows, and pass on what a rejected group no longer needs."""
    adjusted = [np.full(p.size, np.inf) for p in groups]
    waiting, level = list(range(len(groups))), 0.0
    while waiting:
        rows = sum(groups[i].size for i in waiting)
        scaled = {i: groups[i] * (rows / groups[i].size) for i in waiting}
        for i in waiting:
            adjusted[i] = np.minimum(adjusted[i], np.maximum(scaled[i], level))
        first = min(waiting, key=lambda i: float(scaled[i].max()))
        level = max(level, float(scaled[first].max()))
        waiting.remove(first)
    return [np.minimum(p, 1.0) for p in adjusted]
