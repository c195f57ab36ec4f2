"""A format with only part of a run's requests does not represent the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pandas as pd
import pytest

import benchkit.api as bk
from benchkit.derived.record import leave_out_excerpts

if TYPE_CHECKING:
    from benchkit.schema import Observations

RESULTS = bk.load("fixtures/tracing-wrk")
OBSERVATIONS = RESULTS.observations


def join(*frames: pd.DataFrame) -> Observations:
    return cast("Observations", pd.concat(frames, ignore_index=True))


def excerpt(share: float) -> pd.DataFrame:
    """Return every run of one variant as a second format with a share of its requests."""
    part: pd.DataFrame = OBSERVATIONS[OBSERVATIONS["variant"].eq("otlp")].copy()
    part["source"] = "excerpt/" + part["source"].astype(str)
    part.loc[part["metric"].eq("requests"), "value"] *= share
    part.loc[part["metric"].eq("request_rate"), "value"] *= 3
    return part


@pytest.mark.parametrize("is_first", [True, False])
def test_format_with_most_of_the_requests_is_compared(is_first: bool) -> None:
    both = join(excerpt(0.22), OBSERVATIONS) if is_first else join(OBSERVATIONS, excerpt(0.22))
    assert set(leave_out_excerpts(both)["source"]) == set(OBSERVATIONS["source"])
    compared = RESULTS.holding(both).compare(baseline="none", variant="otlp")
    alone = RESULTS.compare(baseline="none", variant="otlp")
    assert str(compared.verdict) == str(alone.verdict)


def test_formats_with_similar_counts_are_all_kept() -> None:
    near = join(excerpt(0.97), OBSERVATIONS)
    assert leave_out_excerpts(near) is near
