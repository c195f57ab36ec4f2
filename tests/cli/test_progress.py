"""Progress is shown only on a terminal, and only after a delay."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from benchkit.cli.ingest import watching
from benchkit.ingestion import progress
from benchkit.ingestion.commit import ingest
from benchkit.ingestion.progress import Progress
from benchkit.store import Store


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(terminal: io.StringIO, monkeypatch: pytest.MonkeyPatch, **options: bool | float) -> str:
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with watching(**options) as watch:  # type: ignore[arg-type]
        if watch is not None:
            watch(Progress(512 << 20, 1 << 30, 2_000_000))
    return terminal.getvalue()


def test_terminal_shows_bytes_and_values(monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(Terminal(), monkeypatch, patience=0.0)
    assert "512.0/1024.0 MiB" in text or "0.5/1.0 GiB" in text
    assert "2,000,000 values" in text


def test_short_wait_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(Terminal(), monkeypatch) == ""


def test_pipe_and_quiet_show_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(io.StringIO(), monkeypatch, patience=0.0) == ""
    assert shown(Terminal(), monkeypatch, patience=0.0, quiet=True) == ""


@pytest.mark.parametrize("jobs", [1, 2])
def test_ingest_reports_its_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    monkeypatch.setattr(progress, "_EVERY", 0.0)
    header = "starttime\tseconds\tctime\tdtime\tttime\twait\n"
    row = "Sat Nov 21 11:00:00 2026\t1795222800\t1\t{0}\t{0}\t{0}\n"
    for variant in ("none", "otlp"):
        (tmp_path / variant).mkdir()
        rows = "".join(row.format(i % 77) for i in range(160_000))
        (tmp_path / variant / "ab-1.tsv").write_text(header + rows)
    reports: list[Progress] = []
    ingest([str(tmp_path)], Store(str(tmp_path / "store")), jobs=jobs, watch=reports.append)
    total = sum(path.stat().st_size for path in tmp_path.glob("*/ab-1.tsv"))
    places = [each.bytes for each in reports]
    assert {each.total for each in reports} == {total}
    assert 0 < places[0] < total == places[-1]
    assert any(0 < each.values < reports[-1].values for each in reports)
    assert reports[-1].values > 4 * 320_000
