"""Unequal spreads are reported where they change the method, and not where they are chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from examples import gobench, runs_of
from sessions import compared

from benchkit.audit.outliers import find_unequal_spreads
from benchkit.comparison import Comparisons, decide
from benchkit.errors import Finding

NO_RUNS = runs_of([], "gobench")


def find(comparisons: Comparisons) -> list[Finding]:
    return list(find_unequal_spreads(comparisons, NO_RUNS))


def draw(rows: int, runs: int, ratio: float, seed: int = 0) -> Comparisons:
    generator = np.random.default_rng(seed)
    sides: dict[str, tuple[Sequence[float], Sequence[float]]] = {}
    for row in range(rows):
        x, y = 0.02 * generator.standard_normal((2, runs))
        sides[f"B{row}"] = np.exp(x).tolist(), np.exp(ratio * y).tolist()
    return gobench(sides).comparisons


CALM = [100.0, 101.0, 99.0, 102.0, 98.0, 100.5, 99.5, 101.5]
WILD: Mapping[str, Sequence[float]] = {"none": CALM, "otlp": [v**5 / 1e8 for v in CALM]}


def test_row_decided_by_welch_instead_of_ranks_names_both_spreads() -> None:
    comparisons, _ = compared(WILD, None)
    (finding,) = find(comparisons)
    assert (finding.code, finding.severity) == ("B342", "info")
    assert finding.message == (
        "the runs of 'otlp' vary 5.00 times as much as those of 'none' (6.67 % vs. 1.33 %); rank "
        "tests would give false positives, so this row uses Welch's test"
    )
    assert finding.numbers["rows"] == 1


def test_family_without_permutation_is_named_once() -> None:
    (finding,) = find(draw(60, 6, 3.0))
    assert finding.numbers["rows"] == 60
    assert "the runs of 'enabled' vary 2.82 times" in finding.message
    assert finding.message.endswith("with conservative degrees of freedom")


def test_requested_method_and_other_reasons_for_welch_are_no_finding() -> None:
    wild = draw(60, 6, 3.0)
    assert find(replace(wild, method="rank")) == []
    assert find(draw(60, 3, 6.0)) == []


def test_chance_differences_are_no_finding() -> None:
    for rows, runs in ((1, 4), (1, 6), (20, 4), (20, 6)):
        named = sum(bool(find(draw(rows, runs, 1.0, seed))) for seed in range(40))
        assert named <= 6, (rows, runs)


def test_row_decided_by_permutation_is_not_attributed_to_welch() -> None:
    calm = draw(40, 6, 1.0)
    wide = draw(1, 6, 40.0)
    one = replace(wide.contrasts[0], benchmark="Wild")
    comparisons = replace(calm, contrasts=(*calm.contrasts, one))
    decided, _ = decide(comparisons)
    assert {c.method for c in decided.contrasts} == {"max-t"}
    (finding,) = find(comparisons)
    assert finding.message.endswith(
        "over all rows together, both sides vary about equally, so a permutation of whole runs "
        "(max-T) still decides all rows, including this one"
    )


def test_rank_test_that_is_kept_is_named_with_the_spreads() -> None:
    runs: dict[str, Sequence[float]] = {
        "none": [100.0, 101.0, 99.0, 100.6, 99.4, 100.2],
        "otlp": [100.0, 130.0, 75.0, 101.0, 99.1, 100.3],
    }
    comparisons, _ = compared(runs, None)
    assert comparisons.contrasts[0].method == "hodges-lehmann"
    (finding,) = find(comparisons)
    assert finding.message.endswith("the spreads are similar, so this row still uses the rank test")
