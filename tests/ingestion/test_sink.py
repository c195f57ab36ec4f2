"""Samples are summarised once, at ingest: no judgement reads them again."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import benchkit.api as bk
from benchkit.errors import DataError
from benchkit.ingestion.commit import ingest
from benchkit.ingestion.discovery import Options
from benchkit.ingestion.sink import ValueSink
from benchkit.parsers.base import Reading, Samples
from benchkit.store import Store

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Write two runs of each variant, each with more samples than are sent as a batch."""
    header = "starttime\tseconds\tctime\tdtime\tttime\twait\n"
    row = "Sat Nov 21 11:00:00 2026\t1795222800\t1\t{0}\t{1}\t{0}\n"
    for place, variant in enumerate(("none", "otlp")):
        (tmp_path / "results" / variant).mkdir(parents=True)
        for run in (1, 2):
            rows = "".join(row.format(i % 97 + place, i % 97 + run) for i in range(20_000))
            (tmp_path / "results" / variant / f"ab-{run}.tsv").write_text(header + rows)
    return tmp_path / "results"


def test_compare_and_report_work_without_the_samples(results: Path, tmp_path: Path) -> None:
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


@pytest.mark.parametrize("name", ["unit", "origin", "stat", "metric"])
def test_samples_with_an_empty_text_are_refused_before_storing(name: str) -> None:
    reading = Reading(tool="acme", form="text", line=1)
    texts: dict[str, Any] = {"metric": "latency", "unit": "s", name: None}
    samples = Samples(reading=reading, values=np.ones(3), lines=np.arange(3), **texts)
    with pytest.raises(DataError, match=f"without {name}"):
        ValueSink(1, None).take(0, samples)


def test_truncated_gzip_is_reported_with_the_last_line_read(tmp_path: Path) -> None:
    whole = gzip.decompress((FIXTURES / "k6-edge/small/k6-raw-small.json.gz").read_bytes())
    packed = gzip.compress(whole * 40)
    path = tmp_path / "k6.json.gz"
    path.write_bytes(packed[: len(packed) * 2 // 3])
    summary = ingest([str(path)], Store(str(tmp_path / "store")))
    (problem,) = [each for each in summary.diagnostics if "damaged or truncated" in each.what]
    assert whole.count(b"\n") < problem.line < whole.count(b"\n") * 40


def test_statistics_are_the_same_without_samples(results: Path, tmp_path: Path) -> None:
    with_samples, without = (Store(str(tmp_path / name)) for name in ("with", "without"))
    ingest([str(results)], with_samples)
    ingest([str(results)], without, Options(samples=False), jobs=2)
    assert not list(Path(without.url).glob("values/raw=true/*"))
    kept, full = (bk.load(store=store.url).observations for store in (without, with_samples))
    assert len(kept) > 40
    assert kept.equals(full)
    assert len(with_samples.values(raw=True)) - len(with_samples.values()) == 4 * 80_000
    assert len(without.values(raw=True)) == len(without.values())


def test_values_of_many_runs_are_streamed_and_a_refused_source_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchkit.ingestion.sink.FEW", 1000)
    line = "BenchmarkGet/n={}-8 \t{:8d}\t{:10.1f} ns/op\n"
    text = "".join(line.format(i % 7, i + 1, i / 7 + 1) for i in range(4000))
    path = tmp_path / "go.txt"
    path.write_text("goos: linux\n" + text)
    store = Store(str(tmp_path / "store"))
    with monkeypatch.context() as patch:
        patch.setattr("benchkit.ingestion.reading.list_sections", _refuse)
        summary = ingest([str(path)], store)
    assert summary.count("refused") == 1
    assert not list(Path(store.url).glob("values/raw=*/*.parquet"))
    ingest([str(path)], store)
    assert len(store.values()) == 4000
    before = bk.load(str(path)).observations
    after = bk.load(store=store.url).observations
    assert sorted(after["value"]) == sorted(before["value"])


def _refuse(*_: object) -> None:
    raise DataError("refused behind its last line", where="go.txt")
