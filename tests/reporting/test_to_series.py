"""A history in the formats of other tools' databases, parsed by their own readers."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from prometheus_client.openmetrics import parser

from benchkit.history.model import History, Newest, Point, Series
from benchkit.reporting.to_series import to_influx, to_openmetrics

TIMES = [datetime(2026, 10, day, tzinfo=UTC) for day in (1, 2, 3)]
SERIES = Series(
    group="", benchmark="Get", params="size=1,key=a b", subject="", tool="gobench",
    metric="time_per_op", stat="sample", unit="s", better="lower", variant="base", machine="",
    points=(
        Point("aaaaaaa", TIMES[0], 1.5e-8, 10), Point("bbbbbbb", TIMES[1], float("nan"), 0),
        Point("ccccccc", TIMES[2], 2e-8, 9),
    ),
    changes=(), newest=Newest("no baseline"), confidence=0.95,
)  # fmt: skip
OTHER = replace(SERIES, variant='a "quoted" one', metric="B/s-rate")


def test_openmetrics_has_every_measured_commit_with_its_time() -> None:
    text = to_openmetrics(History((SERIES, OTHER), ()))
    read = parser.text_string_to_metric_families(text)  # type: ignore[no-untyped-call]
    families = {each.name: each for each in read}
    assert list(families) == ["benchkit_time_per_op", "benchkit_B_s_rate"]
    samples = families["benchkit_time_per_op"].samples
    assert [(s.labels["commit"], s.value, s.timestamp.sec) for s in samples] == [
        ("aaaaaaa", 1.5e-8, TIMES[0].timestamp()), ("ccccccc", 2e-8, TIMES[2].timestamp())
    ]  # fmt: skip
    assert samples[0].labels["params"] == "size=1,key=a b"
    assert families["benchkit_B_s_rate"].samples[0].labels["variant"] == 'a "quoted" one'


def test_influx_line_escapes_characters_that_end_a_tag() -> None:
    first, second = to_influx(History((SERIES,), ())).splitlines()
    assert first == (
        r"time_per_op,variant=base,benchmark=Get,params=size\=1\,key\=a\ b,tool=gobench,"
        "stat=sample,unit=s,commit=aaaaaaa value=1.5e-08,runs=10i 1790812800000000000"
    )
    assert second.endswith(" value=2e-08,runs=9i 1790985600000000000")


def test_backslash_at_the_end_of_a_tag_does_not_escape_the_separator() -> None:
    series = replace(SERIES, variant="C:\\")
    first, _ = to_influx(History((series,), ())).splitlines()
    assert first.startswith("time_per_op,variant=C:\\\\\\ ,benchmark=Get,")
