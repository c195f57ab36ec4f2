"""Samples are summarised once into the rows of a run, by the tool's quantile rule."""

from __future__ import annotations

import numpy as np

from benchkit.derived.stretches import Summary
from benchkit.parsers.base import Reading, Samples

READING = Reading(tool="k6", form="json", line=1)


def samples(values: list[float], line: int = 5, **more: str) -> Samples:
    lines = np.arange(line, line + len(values))
    return Samples(
        reading=READING,
        metric="latency",
        unit="s",
        values=np.array(values),
        lines=lines,
        resolution=1e-9,
        **more,  # type: ignore[arg-type]
    )


def rows(*blocks: Samples, rule: str = "linear") -> dict[tuple[str | None, str], float]:
    summary = Summary(rule)
    for block in blocks:
        summary.add(block)
    return {(row[0], row[2]): row[3] for row in summary.rows()}


def test_blocks_of_one_metric_are_one_summary() -> None:
    summary = rows(samples([1.0, 2.0]), samples([3.0, 4.0]))
    assert summary == {
        (None, "mean"): 2.5,
        (None, "stdev"): np.std([1, 2, 3, 4], ddof=1),
        (None, "min"): 1.0,
        (None, "max"): 4.0,
        (None, "p50"): 2.5,
        (None, "p75"): 3.25,
    }


def test_subjects_are_separate_and_the_rule_of_the_tool_is_used() -> None:
    summary = rows(samples([1.0, 2.0], subject="wait"), samples([5.0, 6.0]), rule="floor")
    assert (summary["wait", "p50"], summary[None, "p50"]) == (2.0, 6.0)


def test_rows_record_their_origin() -> None:
    summary = Summary("linear")
    summary.add(samples([1.0, 2.0], line=7))
    assert {(row[5], row[7], row[8], row[9]) for row in summary.rows()} == {
        (2, 1e-9, "computed", 7)
    }


def test_counters_are_not_samples() -> None:
    assert rows(samples([1.0, 2.0], stat="counter")) == {}
