"""How often the gate fails by chance, and how often it misses an excessive cost.

The error rates of a gate are measured, not assumed. As a script it prints the tables of the manual:
``python tests/gate_simulation.py 2000``.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchkit.comparison import Comparisons, Contrast
from benchkit.comparison.measure import measure
from benchkit.config.limits import parse_limit
from benchkit.config.rules import Habits, Rule
from benchkit.gating.judgement import judge_rules, judge_verdicts
from benchkit.gating.outcome import NOT_SHOWN, OVER, GateOutcome
from benchkit.verdict import judge

EMPTY = Contrast(
    group="", benchmark="Ping", params="", tool="gobench", subject="", metric="time_per_op",
    stat="sample", unit="s", better="lower", primary=True, baseline="base", variant="new",
    baseline_values=(), variant_values=(), center_baseline=1.0, center_variant=1.0, ratio=None,
    ratio_low=None, ratio_high=None, equivalence_low=None, equivalence_high=None, method="",
    pvalue=None, confidence=0.95,
)  # fmt: skip


@dataclass(frozen=True)
class Session:
    """A simulated session: `rows` benchmarks, log-normal runs, one in ten `slow` times as long.

    Without a limit the default rule decides, with its margin of 3 %.
    """

    runs: int
    spread: float
    cost: float
    limit: str = "5%"
    rows: int = 1
    slow: float = 1.0


@dataclass(frozen=True)
class Rates:
    """Shares of sessions with a row over the limit, none over but one inconclusive, all within."""

    over: float
    not_shown: float
    within: float


def simulate(session: Session, times: int, seed: int = 20261121) -> Rates:
    """Check many sessions against the limit."""
    cell = (session.runs, session.rows, *(round(1000 * x) for x in (session.spread, session.cost)))
    generator = np.random.default_rng([seed, *cell])
    counts: Counter[str] = Counter()
    for _ in range(times):
        comparisons = draw_comparisons([session] * session.rows, generator)
        outcome = apply_limit(comparisons, session.limit)
        verdict = next((w for w in (OVER, NOT_SHOWN) if outcome.count(w)), "within")
        counts[verdict] += 1
    return Rates(*(counts[verdict] / times for verdict in (OVER, NOT_SHOWN, "within")))


def draw_comparisons(rows: Sequence[Session], generator: np.random.Generator) -> Comparisons:
    """Draw one row of each session."""
    contrasts = tuple(_draw(each, generator) for each in rows)
    return Comparisons(pairs=(("base", "new"),), contrasts=contrasts, confidence=0.95)


def apply_limit(comparisons: Comparisons, limit: str) -> GateOutcome:
    """Check the rows against a limit, or without one against the default rule."""
    if not limit:
        return judge_verdicts(judge(comparisons), Habits())
    rule = Rule(
        name="limit", metric="time_per_op", stat="sample",
        acceptable=parse_limit(limit, "simulation"),
    )  # fmt: skip
    return judge_rules(comparisons, [rule])


def _draw(session: Session, generator: np.random.Generator) -> Contrast:
    x, y = (
        np.exp(generator.normal(level, session.spread, session.runs))
        * np.where(generator.random(session.runs) < 0.1, session.slow, 1.0)
        for level in (0.0, np.log1p(session.cost))
    )
    measured = measure(x.tolist(), y.tolist(), "", 0.95)
    return replace(
        EMPTY,
        baseline_values=tuple(x.tolist()),
        variant_values=tuple(y.tolist()),
        center_baseline=float(np.median(x)),
        center_variant=float(np.median(y)),
        ratio=measured.ratio[0],
        ratio_low=measured.ratio[1],
        ratio_high=measured.ratio[2],
        equivalence_low=measured.equivalence[0],
        equivalence_high=measured.equivalence[1],
        method=measured.method,
        pvalue=measured.pvalue,
    )


#: Costs simulated for the default rule, whose margin is 3 %, and for a limit of 5 %.
DEFAULT_COSTS = {"nothing": 0.0, "1.5 %": 0.015, "2.9 %": 0.029, "6 %": 0.06}
LIMIT_COSTS = {"nothing": 0.0, "the limit": 0.05, "twice the limit": 0.10}
TABLE = [Session(runs, spread, 0.0) for runs in (3, 4, 6, 10) for spread in (0.01, 0.02, 0.05)] + [
    Session(10, 0.02, 0.0, rows=10),
    Session(10, 0.02, 0.0, slow=1.2),
]


#: Rows and runs per side for the default rule, and the share of sessions used for each.
FAMILIES = [
    *(
        (rows, runs, share)
        for rows, share in ((1, 1.0), (10, 0.5), (60, 0.1))
        for runs in (4, 6, 8)
    ),
    *((600, 4, 0.02), (600, 6, 0.05), (600, 8, 0.06)),
]
FAMILY_COSTS = {"nothing": 0.0, "20 % in every row": 0.2}


def write_families(times: int) -> Iterator[str]:
    """Yield the table of the default rule with few and many rows."""
    yield f"| rows | runs | sessions |{''.join(f' costs {cost} |' for cost in FAMILY_COSTS)}"
    yield f"| --: | --: | --: |{' --: |' * len(FAMILY_COSTS)}"
    for rows, runs, share in FAMILIES:
        yield write_family(rows, runs, round(times * share))


def write_family(rows: int, runs: int, times: int) -> str:
    """Write one line of the table."""
    session = Session(runs, 0.02, 0.0, limit="", rows=rows)
    cells = [write_cell(replace(session, cost=cost), times) for cost in FAMILY_COSTS.values()]
    return f"| {rows} | {runs} + {runs} | {times} | {' | '.join(cells)} |"


def write_tables(times: int) -> Iterator[str]:
    """Yield the tables, row by row: over / inconclusive / within, in per cent of the sessions."""
    yield from write_families(times)
    yield ""
    yield from write_rows(times, LIMIT_COSTS, TABLE)
    yield ""
    yield from write_rows(times, DEFAULT_COSTS, [replace(session, limit="") for session in TABLE])


def write_rows(
    times: int, costs: Mapping[str, float], sessions: Sequence[Session]
) -> Iterator[str]:
    """Yield one table."""
    yield f"| runs | spread | {' | '.join(f'costs {cost}' for cost in costs)} |"
    yield f"| --: | :-- |{' --: |' * len(costs)}"
    for session in sessions:
        yield write_row(session, costs, times)


def write_row(session: Session, costs: Mapping[str, float], times: int) -> str:
    """Write the row of a session's runs and spread."""
    more = f", {session.rows} rows" if session.rows > 1 else ""
    more += ", one run in ten 20 % slow" if session.slow > 1 else ""
    cells = [write_cell(replace(session, cost=cost), times) for cost in costs.values()]
    return f"| {session.runs} | {100 * session.spread:g} %{more} | {' | '.join(cells)} |"


def write_cell(session: Session, times: int) -> str:
    """Write the rates of sessions of one kind."""
    rates = simulate(session, times)
    shares = (rates.over, rates.not_shown, rates.within)
    return " / ".join(f"{100 * share:.1f}" for share in shares)


if __name__ == "__main__":
    for line in write_tables(int(sys.argv[1])):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
