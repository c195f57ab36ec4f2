"""Samples are summed up once, at ingest: nothing that judges reads them again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import benchkit.api as bk
from benchkit.ingestion.commit import ingest
from benchkit.ingestion.discovery import Options
from benchkit.store import Store


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Write two runs of each variant, each of more samples than travel as a batch."""
    header = "starttime\tseconds\tctime\tdtime\tttime\twait\n"
    row = "Sat Nov 21 11:00:00 2026\t1795222800\t1\t{0}\t{1}\t{0}\n"
    for place, variant in enumerate(("none", "otlp")):
        (tmp_path / "results" / variant).mkdir(parents=True)
        for run in (1, 2):
            rows = "".join(row.format(i % 97 + place, i % 97 + run) for i in range(20_000))
            (tmp_path / "results" / variant / f"ab-{run}.tsv").write_text(header + rows)
    return tmp_path / "results"


def test_compare_and_report_work_where_the_samples_are_gone(results: Path, tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    ingest([str(results)], store)
    before = bk.load(store=store.url)
    files = list(Path(store.url).glob("values/raw=true/*.parquet"))
    assert len(files) == 4
    for path in files:
        path.unlink()
    assert bk.load(store=store.url).observations.equals(before.observations)
    for command in (["compare"], ["report", "-o", str(tmp_path / "report.html")]):
        arguments = [*command, "--store", store.url, "--baseline", "none"]
        done = subprocess.run(
            [sys.executable, "-m", "benchkit", *arguments],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


def test_without_samples_their_statistics_are_the_same(results: Path, tmp_path: Path) -> None:
    with_samples, without = (Store(str(tmp_path / name)) for name in ("with", "without"))
    ingest([str(results)], with_samples)
    ingest([str(results)], without, Options(samples=False), jobs=2)
    assert not list(Path(without.url).glob("values/raw=true/*"))
    kept, full = (bk.load(store=store.url).observations for store in (without, with_samples))
    assert len(kept) > 40
    assert kept.equals(full)
    assert len(with_samples.values(raw=True)) - len(with_samples.values()) == 4 * 80_000
    assert len(without.values(raw=True)) == len(without.values())
