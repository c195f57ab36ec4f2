"""Output printed by the published workflows is read unchanged, and their tables are not guessed.

The numbers were worked out by hand from the published text.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchkit import api
from benchkit.errors import DataError

PUBLISHED = Path(__file__).resolve().parents[2] / "fixtures" / "published"


def values(*path: str) -> dict[tuple[str, str, str], float]:
    frame = api.load(str(PUBLISHED.joinpath(*path))).observations
    frame = frame[frame["subject"].isna()]
    names = zip(frame["variant"], frame["metric"], frame["stat"], strict=True)
    return dict(zip(names, frame["value"], strict=True))


def test_baseline_of_the_url_shortener() -> None:
    numbers = values("obi-shorturl", "none")
    assert numbers["none", "requests", "count"] == 15001
    assert numbers["none", "request_rate", "mean"] == 500.019437
    assert numbers["none", "latency", "p50"] == 39.64e-6
    assert numbers["none", "latency", "mean"] == 49.53e-6
    assert numbers["none", "latency", "p95"] == 83.76e-6
    assert numbers["none", "latency", "max"] == 4.26e-3
    assert numbers["none", "failures", "count"] == 0
    # requests divided by the rate: 30 s and the one iteration at the start
    duration = numbers["none", "requests", "count"] / numbers["none", "request_rate", "mean"]
    assert duration == pytest.approx(30.0008, abs=1e-4)


def test_obi_span_count_is_twice_the_requests() -> None:
    runs = api.load(str(PUBLISHED / "obi-shorturl"))
    spans = runs.observations[runs.observations["metric"] == "spans_created"]
    assert spans[["variant", "subject", "value"]].to_numpy().tolist() == [["obi", "agent", 30002.0]]
    assert runs.runs[["variant", "role"]].to_numpy().tolist() == [
        ["none", "measured"],
        ["none", "damaged"],  # an excerpt of five lines
        ["obi", "companion"],
    ]


def test_wrk_in_the_comments_of_a_script() -> None:
    numbers = values("tracing-backends")
    assert numbers["none", "requests", "count"] == 873465
    assert numbers["none", "request_rate", "mean"] == 29018.83
    assert numbers["none", "latency", "mean"] == 276.5e-6
    assert numbers["none", "latency", "p99"] == 631e-6
    # Little's law: the mean of the uncorrected side is connections over rate
    in_flight = numbers["none", "request_rate", "mean"] * numbers["none", "latency", "mean"]
    assert in_flight == pytest.approx(8.02, abs=0.01)
    (run,) = api.load(str(PUBLISHED / "tracing-backends")).runs.to_dict("records")
    assert (run["connections"], run["duration"], run["benchmark"]) == (8, 30.1, "/ping/GRM")


def test_benchstat_sample_is_read_and_its_impossible_p_reported() -> None:
    runs = api.load(str(PUBLISHED / "redis-otel"))
    numbers = runs.observations.set_index(["variant", "benchmark", "metric", "stat"])["value"]
    ping = "OTelOverhead/OTel_Enabled/Ping"
    assert numbers["old", ping, "time_per_op", "mean"] == 30.1e-6
    assert numbers["new", ping, "time_per_op", "mean"] == 31.5e-6
    assert numbers["new", ping, "bytes_per_op", "mean"] == 5738
    (impossible,) = [p for p in runs.diagnostics if "p=0.000" in p.what]
    assert impossible.line == 7
    assert "0.0079" in impossible.what  # 2 of the 252 ways to choose 5 of 10


@pytest.mark.parametrize("path", sorted(PUBLISHED.glob("not-read/*.md")), ids=lambda p: p.stem)
def test_tables_and_sentences_are_refused(path: Path) -> None:
    with pytest.raises(DataError, match="unknown format"):
        api.load(str(path))
