"""A sidecar written next to a run is read back unchanged."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from benchkit.capture.resume import Record, write_sidecar
from benchkit.labels.run_toml import Sidecar, read_sidecar

START = datetime(2026, 11, 20, 10, 0, 12, 345678, tzinfo=timezone(timedelta(hours=1)))
texts = st.text(max_size=20)


def test_every_key_is_read_back() -> None:
    record = Record(
        argv=["wrk", "-c8", "http://h/a b"],
        start=START,
        end=START + timedelta(seconds=15.5),
        exit=1,
        variant="otlp",
        benchmark="/ping/GRM",
        role="failed",
        run=3,
        block=2,
        position=4,
        remark="the command exited with code 1",
        env={"cpu": "i7", "governor of 0": "performance"},
    )
    parsed, problems = read_sidecar(write_sidecar(record), "x.run.toml")
    assert problems == []
    assert parsed == Sidecar(
        variant="otlp",
        benchmark="/ping/GRM",
        role="failed",
        run=3,
        block=2,
        position=4,
        started_at=START.astimezone(UTC),
        ended_at=START.astimezone(UTC) + timedelta(seconds=15.5),
        duration=15.5,
        exit_code=1,
        command="wrk -c8 'http://h/a b'",
        env={"cpu": "i7", "governor of 0": "performance"},
    )


def test_unnamed_labels_are_left_to_the_path() -> None:
    parsed, problems = read_sidecar(
        write_sidecar(Record(argv=["wrk"], start=START, end=START, exit=0)), ""
    )
    assert problems == []
    assert (parsed.variant, parsed.benchmark, parsed.block, parsed.position) == (None,) * 4


@given(texts, st.dictionaries(texts, texts, max_size=3), texts)
def test_any_text_is_read_back(variant: str, env: dict[str, str], word: str) -> None:
    record = Record(
        argv=["sh", word], start=START, end=START, exit=0, variant=f"v{variant}", env=env
    )
    parsed, problems = read_sidecar(write_sidecar(record), "")
    assert problems == []
    assert (parsed.variant, parsed.env) == (f"v{variant}", env)


def test_name_that_is_not_unicode_is_escaped() -> None:
    record = Record(argv=["cat", "a\udcff"], start=START, end=START, exit=0)
    assert read_sidecar(write_sidecar(record), "")[0].command == r"cat 'a\udcff'"
