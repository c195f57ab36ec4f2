"""A file with too many metrics and subjects in one run is refused with the line."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchkit.ingestion.commit import ingest
from benchkit.reading import bounds
from benchkit.reading.records import Reading
from benchkit.store import Store

COUNT = 60
TREND = {"type": "trend", "contains": "time", "values": {"avg": 1.5}}
K6 = json.dumps(
    {"metrics": {f"http_req_duration{{url:{n}}}": TREND for n in range(COUNT)}}, indent=1
)
TEXTS = {
    "k6.json": K6,
    "metrics.prom": "".join(
        f'container_memory_rss{{name="c{n}"}} {n} 1795224101622\n' for n in range(COUNT)
    ),
    "families.prom": "".join(
        f'container_memory_{word}{{name="c{n}"}} {n} 1795224101622\n'
        for word in ("rss", "cache")
        for n in range(COUNT - 20)
    ),
    "spans.prom": "# TYPE app_spans_started_total counter\n"
    + "".join(f'app_spans_started_total{{service_name="s{n}"}} {n}\n' for n in range(COUNT)),
    "stats.txt": "NAME  CPU %  MEM USAGE / LIMIT\n"
    + "".join(f"c{n}  1.00%  1MiB / 2MiB\n" for n in range(COUNT)),
}


@pytest.mark.parametrize("name", TEXTS)
def test_too_many_metrics_and_subjects_are_refused_with_the_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = tmp_path / "results" / name
    path.parent.mkdir()
    path.write_text(TEXTS[name])
    store = Store(str(tmp_path / "store"))
    summary = ingest([str(path)], Store(str(tmp_path / "whole")))
    assert summary.count("read") == 1, summary.diagnostics
    monkeypatch.setattr(bounds, "SERIES", COUNT - 10)
    summary = ingest([str(path)], store)
    (problem,) = summary.errors
    assert problem.what == "more than 50 metrics and subjects in one run"
    assert problem.path.endswith(name)
    assert 10 < problem.line < len(TEXTS[name].splitlines())
    assert summary.runs == 0


def test_number_of_values_of_one_metric_is_unlimited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounds, "SERIES", 5)
    reading, time = Reading(tool="k6", form="text", line=1), datetime(2024, 5, 1, tzinfo=UTC)
    for line in range(9):
        reading.add("latency", "sample", 1.0, "s", line)
        reading.add("memory_rss", "value", 1.0, "B", line, time=time)
    assert len(reading.rows) == 18
