"""Generators of one load are not repeats: they are named and decide nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit.api as bk

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
WRK = (FIXTURES / "tracing-wrk/none/wrk-1.txt").read_text(encoding="utf-8")


def write(folder: Path, starts: dict[str, int], cost: float) -> None:
    """Write runs of 15 s that start at given seconds of a minute."""
    folder.mkdir(parents=True)
    for place, (name, second) in enumerate(starts.items()):
        rate = f"{10000 * (1 - cost) + place:.2f}"
        text = WRK.replace("10406.41", rate)
        assert rate in text
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
        run, start = name.split("-")[1], f"2026-11-20T10:00:{second:02d}Z"
        sidecar = f'benchmark = "ping"\nrun = {run}\nstarted_at = {start}\n'
        (folder / f"{name}.txt.run.toml").write_text(sidecar, encoding="utf-8")


SHARDS = {f"wrk-1-gen{generator}": generator for generator in range(4)}
REPEATS = {f"wrk-{run}": 15 * (run - 1) for run in range(1, 5)}


def test_generators_of_one_load_decide_nothing(tmp_path: Path) -> None:
    write(tmp_path / "main", SHARDS, 0.0)
    write(tmp_path / "pr", SHARDS, 0.15)
    comparison = bk.load(tmp_path).compare(baseline="main")
    (row,) = comparison.frame.query("primary").itertuples()
    assert (row.verdict, row.n_variant) == ("inconclusive", 1)
    assert row.p is None
    assert "the runs are 4 generators of one load test" in comparison.verdict
    findings = [finding.where for finding in comparison.findings if finding.code == "B207"]
    assert len(findings) == 2


@pytest.mark.parametrize("name", ["shard-{}", "wrk-worker{}", "wrk_{}_of_4", "pod-{}"])
def test_numbered_generator_names_suffice(tmp_path: Path, name: str) -> None:
    for variant, rate in (("main", 10_000), ("pr", 8_500)):
        (tmp_path / variant).mkdir()
        for shard in range(1, 5):
            text = WRK.replace("10406.41", f"{rate + shard}.00")
            path = tmp_path / variant / f"{name.format(shard)}.txt"
            path.write_text(text, encoding="utf-8")
            side = path.with_name(f"{path.name}.run.toml")
            side.write_text('benchmark = "ping"\n', encoding="utf-8")
    comparison = bk.load(tmp_path).compare(baseline="main")
    assert [finding.code for finding in comparison.findings].count("B207") == 2
    assert set(comparison.frame.query("primary")["verdict"]) == {"inconclusive"}


@pytest.mark.parametrize("name", ["wrk_run{}_of_4", "wrk_run_{}_of_4", "trial-{}-of-4"])
def test_names_numbering_runs_of_a_series_are_not_generators(tmp_path: Path, name: str) -> None:
    for variant, rate in (("main", 10_000), ("pr", 8_500)):
        (tmp_path / variant).mkdir()
        for run in range(1, 5):
            path = tmp_path / variant / f"{name.format(run)}.txt"
            path.write_text(WRK.replace("10406.41", f"{rate + run}.00"), encoding="utf-8")
    comparison = bk.load(tmp_path).compare(baseline="main")
    assert "B207" not in [finding.code for finding in comparison.findings]
    assert set(comparison.frame.query("primary")["verdict"]) == {"regression"}


def test_shards_with_distinct_runs_are_repeats(tmp_path: Path) -> None:
    for variant, rate in (("main", 10_000), ("pr", 8_500)):
        (tmp_path / variant).mkdir()
        for number in range(1, 5):
            path = tmp_path / variant / f"{number}.txt"
            path.write_text(WRK.replace("10406.41", f"{rate + number}.00"), encoding="utf-8")
            labels = f'benchmark = "ping"\nrun = {number}\nshard = {number}\n'
            path.with_name(f"{path.name}.run.toml").write_text(labels, encoding="utf-8")
    results = bk.load(tmp_path)
    assert "not known" not in str(results.diagnostics)
    comparison = results.compare(baseline="main")
    assert "B207" not in [finding.code for finding in comparison.findings]
    assert set(comparison.frame.query("primary")["verdict"]) == {"regression"}


@pytest.mark.parametrize(
    "starts",
    [REPEATS, {f"wrk-1-gen{g}": 15 * g for g in range(4)}],
    ids=["repeats", "one after the other"],
)
def test_runs_that_do_not_overlap_are_repeats(tmp_path: Path, starts: dict[str, int]) -> None:
    write(tmp_path / "main", starts, 0.0)
    write(tmp_path / "pr", starts, 0.15)
    comparison = bk.load(tmp_path).compare(baseline="main")
    assert "B207" not in [finding.code for finding in comparison.findings]
    (row,) = comparison.frame.query("primary").itertuples()
    assert row.verdict == "regression"


def test_fixtures_contain_no_generators() -> None:
    for folder in ("tracing-wrk", "redis-gobench", "shorturl-k6", "skywalking-vegeta"):
        if (FIXTURES / folder).is_dir():
            findings = bk.load(FIXTURES / folder).check()
            assert "B207" not in [finding.code for finding in findings]
