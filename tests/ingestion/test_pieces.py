"""Runs parsed in columns are loaded and stored as if each were read separately."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import benchkit.api as bk
from benchkit.ingestion.commit import ingest
from benchkit.parsers.gobench import columns, lines
from benchkit.schema import RUN_KEY
from benchkit.store import Store


def write_log(path: Path, packages: tuple[str, ...], shift: float) -> str:
    """Write rounds of two packages, with a line of plain text and another machine in between."""
    log = ["goos: linux"]
    for repeat in range(6):
        for package in packages:
            log += [f"pkg: x/{package}", f"cpu: {'A' if repeat else 'B'}"]
            log += [
                f"BenchmarkGet/n={n}-8 \t{repeat + 1:8d}\t{shift + n + repeat / 8:10.3f} ns/op"
                f"\t{n:8d} B/op"
                for n in range(4)
            ]
            log += ["a word of the benchmark", "BenchmarkPut-8 \t10\t NaN p99-ns\t1.5e3 ns/op"]
    path.write_text("\n".join([*log, ""]))
    return str(path)


@pytest.fixture(params=["one source a side", "two sources a side", "two packages"])
def sources(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    packages = ("a", "b") if request.param == "two packages" else ("a",)
    files = ["old/1.txt", "new/1.txt"]
    if request.param == "two sources a side":
        files += ["old/2.txt", "new/other.txt"]
    for place, name in enumerate(files):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        write_log(tmp_path / name, packages, 100.0 + place)
    return [str(tmp_path / "old"), str(tmp_path / "new")]


def test_reading_in_columns_changes_no_frame(
    sources: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = bk.load(*sources)
    monkeypatch.setattr(lines, "SMALL", 0)
    monkeypatch.setattr(columns, "_FEW", 2)
    in_columns = bk.load(*sources)
    pd.testing.assert_frame_equal(in_columns.observations, plain.observations)
    pd.testing.assert_frame_equal(in_columns.runs, plain.runs)
    assert (in_columns.diagnostics, in_columns.reports) == (plain.diagnostics, plain.reports)
    store = str(tmp_path / "store")
    ingest(sources, Store(store))
    stored = bk.load(store=store)
    order = [*RUN_KEY, "metric", "source"]
    pd.testing.assert_frame_equal(
        stored.observations.sort_values(order, ignore_index=True),
        plain.observations.sort_values(order, ignore_index=True),
    )
    keys = list(RUN_KEY)
    pd.testing.assert_frame_equal(
        stored.runs.sort_values(keys, ignore_index=True),
        plain.runs.sort_values(keys, ignore_index=True),
    )
