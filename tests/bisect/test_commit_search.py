"""A search names the right commit, or says that it cannot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from simulation.bisection import BISECTIONS, ROW, Bisection, Machine, try_one
from simulation.record import read_record

from benchkit.bisect.repository import Commit
from benchkit.bisect.search import Answer, Ends, Limits, search
from benchkit.bisect.summary import describe_ends, write_sentence

SEEDS = range(12)


def endings(world: Bisection) -> Counter[str]:
    return Counter(try_one(world, seed)[0] for seed in SEEDS)


def test_five_percent_step_is_located_in_few_builds() -> None:
    results = [try_one(Bisection(), seed) for seed in SEEDS]
    assert Counter(ending for ending, _ in results) == {"right": 12}
    assert np.median([answer.builds for _, answer in results]) <= 14
    covered = sum(low <= np.exp(0.05) <= high for _, low, high in (a.change for _, a in results))
    assert covered >= 11


def test_search_does_not_guess_if_builds_differ_as_much() -> None:
    counts = endings(Bisection(offset=0.02))
    assert counts["wrong"] <= 1
    assert counts["range"] + counts["no change"] >= 9


@pytest.mark.parametrize(
    ("step", "noise", "outlooks"),
    [
        (0.05, 0.01, {4: "about 4 more", 8: "decided after round 8"}),
        (0.03, 0.02, {8: "about 8 more", 16: "decided after round 16"}),
        (0.0, 0.02, {4: "no change, or noisy: may take all 32 rounds", 32: "undecided"}),
    ],
)
def test_comparison_of_the_ends_has_a_forecast(
    step: float, noise: float, outlooks: dict[int, str]
) -> None:
    machine = Machine([0.0, step], Bisection(noise=noise), np.random.default_rng(1))
    ends: list[Ends] = []
    search(machine, 1, Limits(), watch=ends.append)
    commits = [Commit("a" * 40, ""), Commit("b" * 40, "")]
    lines = {each.rounds: describe_ends(each, commits) for each in ends}
    assert [*lines] == [*range(4, max(outlooks) + 1, 4)]
    for rounds, outlook in outlooks.items():
        opening = f"round {rounds}: bbbbbbbbbb, time per operation of Get: "
        assert lines[rounds].startswith(opening)
        assert lines[rounds].endswith(f" %), {outlook}".replace(" %", "\N{NO-BREAK SPACE}%"))


def test_equal_ends_end_the_search() -> None:
    assert endings(Bisection(changes=0))["no change"] >= 11


def test_two_changes_are_reported_as_several_or_one_is_named() -> None:
    counts = endings(Bisection(changes=2))
    assert counts["several"] >= 2
    assert counts["wrong"] <= 1


def test_record_covers_these_worlds_and_keeps_the_manuals_promises() -> None:
    rows = read_record()["bisections"]
    assert [Bisection(**{name: row[name] for name in Bisection.__slots__}) for row in rows] == [
        *BISECTIONS
    ]
    assert rows[0]["right"] >= 0.97
    assert all(row.get("wrong", 0.0) <= 0.05 for row in rows)
    assert rows[0]["builds"] <= 14


class Renamed(Machine):
    """Commits some of which have the benchmark under another name."""

    lines: tuple[str, ...] = ()

    def measure(self, commits: Sequence[int], rounds: int) -> bool:
        return super().measure([place for place in commits if place not in {6, 7}], rounds)

    def leave_out(self, commit: int, problem: str) -> None:
        self.lines += (f"{commit}: {problem}",)


def test_commits_without_the_benchmark_are_reported_once() -> None:
    levels = [0.2 * (place >= 8) for place in range(13)]
    machine = Renamed(levels, Bisection(), np.random.default_rng(1))
    answer = search(machine, 12, Limits())
    assert (answer.first, answer.last, {*answer.unusable}) == (6, 8, {6, 7})
    problem = "its runs have no time per operation of Get"
    assert sorted(machine.lines) == [f"6: {problem}", f"7: {problem}"]


class Broken(Machine):
    """Commits some of which cannot be measured."""

    broken: frozenset[int] = frozenset()

    def measure(self, commits: Sequence[int], rounds: int) -> bool:
        if not self.broken.isdisjoint(commits):
            return False
        return super().measure(commits, rounds)


@pytest.mark.parametrize(
    ("broken", "first", "last"), [({3, 4}, 3, 5), ({6, 7, 8}, 5, 5), ({3, 4, 5}, 3, 6)]
)
def test_unmeasurable_commits_are_left_out(broken: set[int], first: int, last: int) -> None:
    levels = [0.2 * (place >= 5) for place in range(13)]
    machine = Broken(levels, Bisection(), np.random.default_rng(1))
    machine.broken = frozenset(broken)
    answer = search(machine, 12, Limits())
    assert (answer.ending, answer.row) == ("found", ROW)
    assert (answer.first, answer.last) == (first, last)
    assert answer.unusable <= broken


def test_exact_metrics_are_searched() -> None:
    levels = [0.1 * (place >= 9) for place in range(21)]
    machine = Machine(levels, Bisection(noise=0.0), np.random.default_rng(1))
    answer = search(machine, 20, Limits())
    assert (answer.ending, answer.first, answer.last) == ("found", 9, 9)
    assert answer.change == pytest.approx((np.exp(0.1),) * 3, rel=1e-4)


@pytest.mark.parametrize(
    ("noise", "offset", "cause"),
    [
        (0.08, 0.02, "the runs of one commit vary by about 8.3\N{NO-BREAK SPACE}%"),
        (0.01, 0.03, "unchanged builds differ by about 3.0\N{NO-BREAK SPACE}%"),
    ],
)
def test_undecided_search_names_the_cause(noise: float, offset: float, cause: str) -> None:
    world = Bisection(noise=0.01)
    machine = Machine([0.05 * (place >= 3) for place in range(5)], world, np.random.default_rng(1))
    change = search(machine, 4, Limits()).found
    assert change is not None
    errors = (0.0, *(noise / 3 for _ in change.errors[1:]))
    change = replace(change, noise=noise, offset=offset, errors=errors)
    answer = Answer("undecided", ROW, 1, 4, (1.05, 1.04, 1.06), 2, 64, frozenset(), change)
    assert cause in write_sentence(answer, [Commit(f"{place}" * 40, "") for place in range(5)])


def test_constant_values_have_no_interval() -> None:
    answer = Answer("no change", ROW, 1, 1, (1.0, np.nan, np.nan), 2, 64)
    sentence = write_sentence(answer, [Commit("a" * 40, ""), Commit("b" * 40, "")])
    assert sentence.startswith("These runs do not show a change (p > 0.003) in time per operation ")
    assert sentence.endswith("to bbbbbbbbbb: ±0.0\N{NO-BREAK SPACE}%; 2 commits measured, 64 runs.")
