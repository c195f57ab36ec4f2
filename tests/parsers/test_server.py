"""Logs that count requests and spans, alone and among other lines."""

from __future__ import annotations

import pytest
from container_records import parse, parse_fixture
from reading_formats import format_named

from benchkit.errors import UnknownFormatError
from benchkit.parsers import registry
from benchkit.parsers.base import Reading, Source


def test_real_log_of_a_traced_server_is_read() -> None:
    parsed = parse_fixture("containers-edge/server-traced.log")
    assert parsed.rows("spans_created") == {"agent": 15002}
    assert parsed.rows("spans_saved") == {"exporter": 30004}
    (reading,) = parsed.readings
    assert [row[-1] for row in reading.rows] == [3, 4]


def test_obi_spans_are_recognised() -> None:
    assert parse_fixture("containers-edge/synthetic-obi.log").rows("spans_created") == {
        "obi": 30002
    }


def test_every_line_is_a_reading() -> None:
    parsed = parse(
        "server", "Processed 1 requests\nExported 5 spans in 1 batches\nProcessed 2 requests"
    )
    assert [[row[3] for row in reading.rows] for reading in parsed.readings] == [[1], [5, 2]]


@pytest.mark.parametrize(
    "text",
    ["Processed 12 requests today\n", "Processed 12 request", "Served 15002 pages\n"],
)
def test_other_lines_are_not_recognised(text: str) -> None:
    with pytest.raises(UnknownFormatError):
        registry.identify(Source(None, "x.log", text.encode()))
    assert parse("server", text).reports("no line has the number of processed requests")


def test_server_without_an_agent_counts_its_requests() -> None:
    log = "2026/11/20 23:55:52 http: Server closed\n2026/11/20 23:55:52 Served 15002 requests\n"
    source = Source(None, "server.log", log.encode())
    (reading,) = format_named("server").parse(source)
    assert isinstance(reading, Reading)
    assert [row[:4] for row in reading.rows] == [("server", "requests", "count", 15002)]
    assert [claim.name for claim in registry.identify(source)] == ["server"]
