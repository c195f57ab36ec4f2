"""Step changes in many short series: shown, or reported as out of reach."""

from __future__ import annotations

import numpy as np
import pytest

from benchkit.history.search import find_changed, find_reach, report_reach, search


def draw(series: int, commits: int, step_at: int = 0) -> list[list[float]]:
    """Return the logarithms of series, the first of which rises by 30 %."""
    logs = 0.01 * np.random.default_rng(3).standard_normal((series, commits))
    logs[0, step_at:] += np.log(1.3) if step_at else 0.0
    values: list[list[float]] = logs.tolist()
    return values


@pytest.mark.parametrize(("series", "commits", "step_at"), [(1, 10, 5), (10, 12, 6), (20, 14, 7)])
def test_large_step_in_one_of_many_short_series_is_shown(
    series: int, commits: int, step_at: int
) -> None:
    searches = [search([logs], series) for logs in draw(series, commits, step_at)]
    assert find_changed(searches) == [True, *[False] * (series - 1)]


def test_finding_states_how_many_commits_are_needed() -> None:
    searches = [search([logs], 60)._replace(likeness=0.0) for logs in draw(60, 12, 6)]
    assert not any(find_changed(searches))
    (finding,) = report_reach(searches, 0)
    assert (finding.code, finding.severity) == ("B343", "info")
    assert finding.message == "12 commits cannot show a step change among 60 series"
    assert finding.remedy.startswith(
        "14 commits could show one, or follow fewer series with --metric"
    )
    enough = [search([logs], 60)._replace(likeness=0.0) for logs in draw(60, 14, 7)]
    assert find_changed(enough)[0]


def test_similar_neighbours_need_no_more_commits_without_noise() -> None:
    similar = search([draw(1, 10)[0]], 60)._replace(likeness=0.5)
    assert find_reach(similar, 60) == 5
    assert find_reach(similar._replace(likeness=0.0), 60) is None


def test_change_near_an_end_of_many_series_needs_more_commits() -> None:
    searches = [search([logs], 10)._replace(likeness=0.0) for logs in draw(10, 12, 5)]
    assert find_reach(searches[0], 10) == 6
    (finding,) = report_reach(searches, 0)
    assert finding.message == ("Among 10 series, a step change needs 6 commits on each side")
    assert not list(report_reach([searches[0]], 0))


def test_short_history_states_how_many_commits_it_needs() -> None:
    (finding,) = report_reach([search([[0.1, 0.2, 0.3]], 1, 0)], 0)
    assert str(finding) == (
        "B343 3 commits cannot show a step change in one series; 10 commits could show one"
    )
    assert not list(report_reach([search([[0.1]], 1, 0)], 0))
