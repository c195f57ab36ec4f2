"""Outputs of one run that agree are silent; those that disagree are named once per pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

import examples
import pytest

from benchkit import schema
from benchkit.audit.totals import find_disagreements

if TYPE_CHECKING:
    from benchkit.schema import Observations


def stated(
    text: float, precise: float, *, stat: str = "mean", tool: str = "k6", step: float = 1e-5
) -> Observations:
    """Return one run's latency as stated by a rounded text and by a precise file."""
    rows = [("none", "/ping", 1, "latency", stat, value, "s") for value in (text, precise)]
    frame = examples.observations(rows, tool).copy()
    frame["source"] = ["a/k6-1.txt:4", "a/k6-export-1.json:9"]
    frame["resolution"] = [step, None]
    return schema.observations(frame)


@pytest.mark.parametrize(
    ("text", "precise", "more"),
    [
        (0.00123, 0.0012345, {}),
        (0.00123, 0.00123, {"step": 0.0}),
        (0.0100, 0.0104, {"stat": "p99", "tool": "vegeta"}),
    ],
)
def test_rounding_and_known_approximation_are_accepted(
    text: float, precise: float, more: dict[str, object]
) -> None:
    assert list(find_disagreements(stated(text, precise, **more))) == []  # type: ignore[arg-type]


def test_disagreement_names_both_sources_and_the_statistic() -> None:
    (finding,) = find_disagreements(stated(0.0012, 0.0024))
    assert (finding.code, finding.where) == ("B104", "a/k6-1.txt and a/k6-export-1.json")
    assert "mean latency, by 50.0\N{NO-BREAK SPACE}%" in finding.message


def test_two_values_of_one_source_are_not_compared() -> None:
    frame = stated(0.0012, 0.0024).copy()
    frame["source"] = ["a/k6-1.txt:4", "a/k6-1.txt:5"]
    assert list(find_disagreements(schema.observations(frame))) == []


def test_results_of_other_tools_are_not_forms_of_the_load() -> None:
    assert list(find_disagreements(stated(0.0012, 0.0024, tool="server"))) == []
