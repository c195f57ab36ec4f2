"""The newest commit that was tried, whatever became of its runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from benchkit.derived.failures import list_failures, pool_failures
from benchkit.errors import Finding, describe
from benchkit.history.model import Latest
from benchkit.history.tracks import TRIED, read_moment
from benchkit.schema import Labels, list_labels

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs

#: Share of failed requests above which rates and latencies say nothing.
_MANY = 0.01


def find_latest(observations: Observations, runs: Runs, problems: Sequence[Finding] = ()) -> Latest:
    """Find the newest commit of runs of every role.

    Parameters
    ----------
    observations, runs : Observations, Runs
    problems : sequence of Finding
        Those of `benchkit.ingestion.pooled.find_mixed_commits`.
    """
    dates, roles = dict[str, datetime](), defaultdict[str, list[tuple[str, str]]](list)
    labels = dict[Labels, str]()
    facts = (runs[name].tolist() for name in ("role", "started_at", "env", "remark"))
    for key, role, start, env, remark in zip(list_labels(runs), *facts, strict=True):
        commit = env.get("commit", "") if isinstance(env, Mapping) else ""
        if not commit or role not in TRIED:
            continue
        labels[key] = commit
        roles[commit].append((role, remark if isinstance(remark, str) else ""))
        if date := read_moment(env, start):
            dates[commit] = min(date, dates.get(commit, date))
    undated = tuple(sorted(roles.keys() - dates.keys()))
    if not dates:
        return Latest(undated=undated)
    commit = max(dates, key=lambda one: (dates[one], one))
    failures = list_failures(observations)
    failing = pool_failures(f for key, f in failures.items() if labels.get(key) == commit)
    before = pool_failures(f for key, f in failures.items() if labels.get(key, commit) != commit)
    own = roles[commit]
    failed = [remark for role, remark in own if role == "failed" or (role == "measured" and remark)]
    reasons = tuple(dict.fromkeys(filter(None, failed)))  # one for all benchmarks of a process
    variants = {f"{variant} at {commit}": variant for variant in runs["variant"].tolist()}
    mixed = (
        describe(f.message, where=variants[f.where], hint=f.remedy)
        for f in problems
        if f.where in variants
    )
    return Latest(
        commit=commit,
        failed=len(reasons) + failed.count(""), reasons=reasons,
        damaged=sum(role in {"damaged", "empty"} for role, _ in own),
        failing=failing, is_failing=failing > max(_MANY, 2 * before), undated=undated,
        mixed=tuple(mixed),
    )  # fmt: skip
