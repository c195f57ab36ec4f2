"""The fast path for a plain wrk report gives what the line reader gives, or declines."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from benchkit.parsers.base import Record, Source
from benchkit.parsers.wrk.reader import Reader, parse
from benchkit.parsers.wrk.shape import read_plain

ROOT = Path(__file__).resolve().parents[2] / "fixtures"
PLAIN = (ROOT / "tracing-wrk" / "none" / "wrk-1.txt").read_bytes()
FILES = sorted((ROOT / "tracing-wrk").rglob("wrk-*.txt")) + sorted(
    (ROOT / "wrk-edge").rglob("*.txt")
)


def read_both_ways(data: bytes) -> tuple[list[Record], list[Record]]:
    return list(parse(Source(None, "x", data))), list(Reader.parse(Source(None, "x", data)))


def test_every_fixture_is_read_the_same_both_ways() -> None:
    for path in FILES:
        quick, slow = read_both_ways(path.read_bytes())
        assert quick == slow, path


def test_most_plain_reports_take_the_fast_path() -> None:
    taken = [read_plain(Source(None, "x", path.read_bytes()).text()) is not None for path in FILES]
    assert sum(taken) >= 80


@given(
    place=st.integers(0, len(PLAIN)),
    length=st.integers(0, 12),
    text=st.text("0123456789.-nanusmkMGB%:\n \r\x1b[", max_size=8),
)
def test_mutated_report_is_read_the_same_both_ways(place: int, length: int, text: str) -> None:
    quick, slow = read_both_ways(PLAIN[:place] + text.encode() + PLAIN[place + length :])
    assert quick == slow
