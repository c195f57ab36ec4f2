"""Rules about several forms of one run: text, JSON and samples should tell the same.

In: observations. Out: findings B104. Why: a wrong match of files, or a tool that contradicts
itself, must be seen before a number is believed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchkit.errors import Finding

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.schema import Observations

_ABOUT = ["group", "variant", "benchmark", "params", "run", "tool", "subject", "metric", "stat"]
#: How far two forms may lie apart beyond their rounding, as a share, and why.
_ALLOWED = 1e-9
_REASONS = {
    "vegeta": "vegeta reports quantiles from a t-digest, which approximates",
    "ab": "ab's CSV and its text take quantiles by different rules",
    "k6": "the samples end before the run does, and console times are cut, not rounded",
}
#: Statistics that two forms of a tool compute by different rules, and what that may cost.
_APPROXIMATE = {"vegeta": 0.05}


def find_disagreements(observations: Observations) -> Iterator[Finding]:
    """B104: two sources of one run tell one statistic differently, beyond their rounding.

    One finding for each tool, metric and stat, with the worst run.
    """
    told = observations[observations["stat"].ne("sample") & observations["stat"].ne("counter")]
    twice = told[told.duplicated(_ABOUT, keep=False)]
    worst: dict[tuple[str, str, str], tuple[float, int, pd.DataFrame]] = {}
    for key, same in twice.groupby(_ABOUT, sort=False, dropna=False):
        tool, metric, stat = key[5], key[7], key[8]
        apart = _measure_gap(same, _APPROXIMATE.get(tool, 0.0) if stat.startswith("p") else 0.0)
        if apart > 0:
            known = worst.get((tool, metric, stat), (0.0, 0, same))
            larger = same if apart > known[0] else known[2]
            worst[tool, metric, stat] = (max(apart, known[0]), known[1] + 1, larger)
    for (tool, metric, stat), (apart, runs, same) in worst.items():
        yield _tell(tool, metric, stat, apart, runs, same)


def _measure_gap(same: pd.DataFrame, approximate: float) -> float:
    """Return by what share the values lie apart, 0 if their rounding explains it."""
    values = same["value"]
    gap = float(values.max() - values.min())
    size = float(values.abs().max())
    steps = float(same["resolution"].fillna(0.0).nlargest(2).sum())
    if size == 0 or gap <= steps + size * max(approximate, _ALLOWED):
        return 0.0
    return gap / size


def _tell(
    tool: str, metric: str, stat: str, apart: float, runs: int, same: pd.DataFrame
) -> Finding:
    shown = " against ".join(
        f"{value:g} ({source})"
        for value, source in zip(same["value"][:2], same["source"][:2], strict=True)
    )
    return Finding(
        code="B104",
        severity="warning",
        message=f"{metric}.{stat} differs between forms of one run by up to {apart:.2%} "
        f"({runs} run{'s' if runs > 1 else ''}): {shown}",
        remedy="; ".join(
            filter(None, (_REASONS.get(tool), "the most precise form counts; check the file names"))
        ),
        numbers={"share": apart, "runs": runs},
    )
