"""An impossible value costs only itself and a warning, never the file or the store."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import benchkit.api as bk
from benchkit.ingestion.commit import ingest
from benchkit.ingestion.soundness import Soundness
from benchkit.parsers.base import Reading, Repeats, Samples
from benchkit.store import Store

DIGITS = "9" * 400


def _k6_export(fixtures: Path) -> str:
    data = json.loads((fixtures / "shorturl-costs/otel/k6-export-1.json").read_text())
    text = json.dumps(data, indent=1)
    maximum = json.dumps(data["metrics"]["http_req_duration"]["max"])
    return text.replace(f'"max": {maximum}', '"max": 1e999')


def _vegeta_text(fixtures: Path) -> str:
    text = (fixtures / "skywalking-vegeta/agent/vegeta-text-1.txt").read_text()
    head, _, rest = text.partition("]")
    total, _, rates = rest.partition(",")
    assert total.strip().isdigit()
    return f"{head}] {DIGITS},{rates}"


def _vegeta_json(fixtures: Path) -> str:
    data = json.loads((fixtures / "skywalking-vegeta/agent/vegeta-report-1.json").read_text())
    data["latencies"]["99th"] = -5
    return json.dumps(data, indent=1)


def _hey(fixtures: Path) -> str:
    text = (fixtures / "nginx-ab/nginx/hey-c1-1.txt").read_text()
    line = next(line for line in text.split("\n") if "Average:" in line)
    return text.replace(line, "  Average:\tNaN secs")


def _hey_digits(fixtures: Path) -> str:
    text = (fixtures / "nginx-ab/nginx/hey-c1-1.txt").read_text()
    line = next(line for line in text.split("\n") if "Average:" in line)
    return text.replace(line, f"  Average:\t{DIGITS}.0000 secs")


CASES = {
    "k6-export-1.json": (_k6_export, "latency", "max"),
    "vegeta-text-1.txt": (_vegeta_text, "requests", "count"),
    "vegeta-report-1.json": (_vegeta_json, "latency", "p99"),
    "hey-1.txt": (_hey, "latency", "mean"),
    "hey-2.txt": (_hey_digits, "latency", "mean"),
}


@pytest.mark.parametrize("name", CASES)
def test_impossible_value_costs_only_itself_and_a_warning(
    name: str, tmp_path: Path, fixtures_dir: Path
) -> None:
    write, metric, stat = CASES[name]
    path = tmp_path / "results" / name
    path.parent.mkdir()
    path.write_text(write(fixtures_dir))
    store = Store(str(tmp_path / "store"))
    summary = ingest([str(path.parent)], store)
    stored = bk.load(store=store.url)
    assert np.isfinite(stored.observations["value"]).all()
    assert (stored.observations["value"] >= 0).all()
    assert len(stored.observations) > 5
    rows = stored.observations
    lost = (rows["metric"] == metric) & (rows["stat"] == stat) & rows["subject"].isna()
    assert not lost.any()
    problems = [each for each in summary.diagnostics if each.severity == "warning"]
    assert problems
    assert all(problem.line > 0 for problem in problems)


def test_stored_impossible_value_names_its_source(
    tmp_path: Path, fixtures_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "k6-export-1.json"
    path.write_text(_k6_export(fixtures_dir))
    store = Store(str(tmp_path / "store"))
    with monkeypatch.context() as patch:  # as in benchkit before this check
        patch.setattr(Soundness, "check_reading", lambda *_: None)
        ingest([str(path)], store)
    stored = bk.load(store=store.url)
    assert len(stored.observations) > 5
    lines = [i for i, text in enumerate(path.read_text().split("\n"), 1) if "1e999" in text]
    assert sorted(each.where for each in stored.diagnostics) == [f"{path}:{i}" for i in lines]
    assert all("latency max" in problem.what for problem in stored.diagnostics)


def _reading() -> Reading:
    return Reading(tool="k6", form="raw", line=1)


def test_user_metrics_may_be_negative() -> None:
    reading = _reading()
    reading.add("drift", "mean", -1.0, "1", 3)
    reading.add("latency", "mean", -1.0, "s", 4)
    reading.add("requests", "count", 5.0, "1", 5, n=1 << 70, resolution=float("inf"))
    soundness = Soundness()
    soundness.check_reading(reading)
    assert [row[1:4] for row in reading.rows] == [
        ("drift", "mean", -1.0),
        ("requests", "count", 5.0),
    ]
    (problem,) = soundness.diagnostics("x")
    assert (problem.line, problem.what) == (4, "latency mean is negative (-1) and was left out")


def test_facts_of_a_run_are_checked() -> None:
    reading = _reading()
    reading.duration, reading.target_rate, reading.connections = float("inf"), -1.0, 1 << 63
    Soundness().check_reading(reading)
    facts: list[object] = [reading.duration, reading.target_rate, reading.connections]
    assert facts == [None, None, None]


def test_samples_are_checked() -> None:
    values = np.array([1.0, np.inf, -2.0, np.nan, 3.0])
    times = np.arange(5).astype("datetime64[us]")
    block = Samples(
        reading=_reading(), metric="latency", unit="s", values=values,
        lines=np.arange(1, 6), times=times,
    )  # fmt: skip
    soundness = Soundness()
    kept = soundness.check_record(block)
    assert isinstance(kept, Samples)
    assert kept.values.tolist() == [1.0, 3.0]
    assert kept.lines.tolist() == [1, 5]
    assert kept.times is not None
    assert kept.times.tolist() == times[[0, 4]].tolist()
    first, second = soundness.diagnostics("x")
    assert (first.line, second.line) == (2, 3)
    assert "as is 1 more" in first.what


def test_repeats_are_checked() -> None:
    block = Repeats(
        readings=[_reading()], codes=np.zeros(2, int), lines=np.array([7, 8]),
        counts=np.ones(2, int), measures=[("time_per_op", "s"), ("drift", "1")],
        owners=np.array([0, 0, 1, 1]), kinds=np.array([0, 1, 0, 1]),
        values=np.array([-1.0, -1.0, 2.0, np.nan]), steps=np.ones(4),
    )  # fmt: skip
    soundness = Soundness()
    kept = soundness.check_record(block)
    assert isinstance(kept, Repeats)
    assert (kept.owners.tolist(), kept.values.tolist()) == ([0, 1], [-1.0, 2.0])
    assert [each.line for each in soundness.diagnostics("x")] == [7, 8]


@pytest.mark.parametrize("count", ["9007199254740993", "9" * 19, "29" * 32])
def test_integer_without_an_equal_float_is_rounded(
    fixtures_dir: Path, tmp_path: Path, count: str
) -> None:
    text = (fixtures_dir / "plow/none-1.json").read_text(encoding="utf-8")
    (tmp_path / "none-1.json").write_text(text.replace('"2xx": 16370', f'"2xx": {count}'))
    rows = bk.load(tmp_path).observations
    assert rows.loc[rows["metric"] == "responses", "value"].item() == float(count)


def test_integer_beyond_the_float_range_is_left_out() -> None:
    reading, sound = Reading(tool="x", form="x", line=1), Soundness()
    for value in (10**400, -(10**400), 1):
        reading.add("mine", "mean", value, "1", 1)
    sound.check_reading(reading)
    assert [row[3] for row in reading.rows] == [1]
    (problem,) = sound.diagnostics("x")
    assert "mine mean is not a finite number (inf), as is 1 more" in problem.what


def test_line_number_with_too_many_digits_is_ignored(fixtures_dir: Path, tmp_path: Path) -> None:
    text = (fixtures_dir / "export/tracing.json").read_text(encoding="utf-8")
    place = text.index(".txt:") + len(".txt:")
    (tmp_path / "x.json").write_text(text)
    before = bk.load(tmp_path).observations
    (tmp_path / "x.json").write_text(text[:place] + DIGITS + text[place:])
    assert bk.load(tmp_path).observations["value"].equals(before["value"])


@pytest.mark.parametrize("name", ["wrk-1-{}.txt", "none/{}.txt", "none-{}.txt", "{}/wrk-1.txt"])
def test_number_with_too_many_digits_in_a_name_counts_no_runs(tmp_path: Path, name: str) -> None:
    report = Path(__file__).resolve().parents[2] / "fixtures" / "tracing-wrk/none/wrk-1.txt"
    path = tmp_path / "r" / name.format("9" * 23)
    path.parent.mkdir(parents=True)
    path.write_bytes(report.read_bytes())
    store = Store(str(tmp_path / "store"))
    ingest([str(tmp_path / "r")], store)
    assert len(bk.load(store=store.url).runs) == 1


def test_uncountable_number_of_requests_is_not_a_fact_of_a_run(tmp_path: Path) -> None:
    summary = {"metrics": {"http_reqs": {"values": {"count": 1e308, "rate": 9.0}}}}
    (tmp_path / "k6.json").write_text(json.dumps(summary))
    store = Store(str(tmp_path / "store"))
    ingest([str(tmp_path / "k6.json")], store)
    assert bk.load(store=store.url).observations["value"].max() == 1e308
