"""k6's text truncated between two lines, where no single line shows the loss."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchkit.parsers.base import Diagnostic, Reading
from benchkit.parsers.k6 import TEXT
from benchkit.reading.source import Source

FIXTURES = Path(__file__).parents[2] / "fixtures"
SHORTURL = FIXTURES / "shorturl-k6"
CONSOLE = FIXTURES / "k6-edge" / "console"


@pytest.mark.parametrize(
    ("path", "last", "missing"),
    [
        (CONSOLE / "k6-quiet-1.txt", "data_received", "`data_sent` line"),
        (CONSOLE / "k6-quiet-1.txt", "checks_total", "`data_sent` line"),
        (SHORTURL / "baseline" / "k6-1.txt", "http_reqs", "`data_sent` line"),
        (SHORTURL / "baseline" / "k6-1.txt", "data_sent", "last progress line"),
        (SHORTURL / "baseline" / "k6-legacy-1.txt", "http_reqs", "`iterations` line"),
        (SHORTURL / "baseline" / "k6-old-1.txt", "vus.", "`vus_max` line"),
    ],
    ids=lambda value: value.parent.name if isinstance(value, Path) else value,
)
def test_summary_truncated_after_a_complete_line_is_reported(
    path: Path, last: str, missing: str
) -> None:
    text = path.read_text()
    end = text.index("\n", text.index(f" {last}"))
    source = Source(None, "k6.txt", text[: end + 1].encode())
    reading, warning = TEXT.parse(source)
    assert isinstance(reading, Reading)
    assert isinstance(warning, Diagnostic)
    assert (reading.status, warning.severity) == ("partial", "warning")
    assert warning.what.startswith(f"this k6 report lacks its {missing}; the rest is kept")
