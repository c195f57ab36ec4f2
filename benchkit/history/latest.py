"""The newest commit that was tried, whatever became of its runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from benchkit.derived.failures import NONE_FAILED, Share, list_failures, pool_failures
from benchkit.errors import Finding, describe
from benchkit.history.model import Latest
from benchkit.history.trials import Trials
from benchkit.schema import list_labels

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.schema import Observations

#: Share of failed requests above which rates and latencies say nothing.
_MANY = 0.01


def find_latest(
    observations: Observations, tried: Trials, problems: Sequence[Finding] = ()
) -> Latest:
    """Find the newest commit of runs of every role.

    Parameters
    ----------
    problems : sequence of Finding
        Those of `benchkit.ingestion.pooled.find_mixed_commits`.
    """
    undated = tuple(sorted(tried.undated))
    if not tried.dates:
        return Latest(undated=undated)
    commit = list(tried.dates)[-1]
    is_newest = np.array([name == commit for name in tried.names], dtype=bool)[tried.commits]
    failing, before = _share_failures(observations, tried.rows, is_newest)
    own = tried.rows[is_newest]
    roles = own["role"].tolist()
    remarks = [text if isinstance(text, str) else "" for text in own["remark"].tolist()]
    failed = [
        remark
        for role, remark in zip(roles, remarks, strict=True)
        if role == "failed" or (role == "measured" and remark)
    ]
    reasons = tuple(dict.fromkeys(filter(None, failed)))  # one for all benchmarks of a process
    variants = {f"{variant} at {commit}": variant for variant in tried.rows["variant"].unique()}
    mixed = (
        describe(f.message, where=variants[f.where], hint=f.remedy)
        for f in problems
        if f.where in variants
    )
    return Latest(
        commit=commit,
        failed=len(reasons) + failed.count(""), reasons=reasons,
        damaged=sum(role in {"damaged", "empty"} for role in roles),
        failing=failing, is_failing=failing.value > max(_MANY, 2 * before.value), undated=undated,
        mixed=tuple(mixed),
    )  # fmt: skip


def _share_failures(
    observations: Observations, rows: pd.DataFrame, is_newest: np.ndarray
) -> tuple[Share, Share]:
    """Return the share of requests that failed at the newest commit, and at those before."""
    failures = list_failures(observations)
    if not failures:
        return NONE_FAILED, NONE_FAILED
    of_newest = dict(zip(list_labels(rows), is_newest.tolist(), strict=True))
    return (
        pool_failures(each for key, each in failures.items() if of_newest.get(key) is True),
        pool_failures(each for key, each in failures.items() if of_newest.get(key) is False),
    )
