"""Histograms of a service are cut to its runs: real scrapes, ranges and native histograms."""

from __future__ import annotations

import re
import shutil
from functools import cache
from pathlib import Path

import pytest

import benchkit.api as bk

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
SERVICE = FIXTURES / "service-histograms"
CLASSIC = 'http_request_duration_seconds{code="200",handler="/list"}'
NATIVE = 'list_native_seconds{handler="/list"}'
_LINE = re.compile(r'http_request_duration_seconds_(\w+)\{.*?(?:le="([^"]+)")?\} (\S+)')


@cache
def loaded() -> bk.RunSet:
    return bk.load(SERVICE)


def observed(runs: bk.RunSet, variant: str, run: int, subject: str) -> dict[str, dict[str, float]]:
    """Return the columns of a histogram's values in a run, by statistic."""
    rows = runs.observations
    chosen = rows["variant"].eq(variant) & rows["run"].eq(run) & rows["subject"].eq(subject)
    selected = rows[chosen & rows["metric"].str.startswith("observed_time")]
    values, steps = selected["value"].tolist(), selected["resolution"].tolist()
    cells = zip(selected["stat"].tolist(), values, steps, strict=True)
    return {stat: {"value": value, "resolution": step} for stat, value, step in cells}


def read_directly(path: Path) -> dict[str, float]:
    """Read the bounds, the sum and the count of a scrape independently of benchkit."""
    matches = map(_LINE.match, path.read_text().splitlines())
    return {match[2] or match[1]: float(match[3]) for match in matches if match}


@pytest.mark.parametrize("run", [1, 2, 3, 4])
@pytest.mark.parametrize("variant", ["none", "gzip"])
def test_run_is_the_difference_of_two_scrapes(variant: str, run: int) -> None:
    folder = SERVICE / variant / f"prometheus-metrics-{run}"
    before, after = (read_directly(path) for path in sorted(folder.iterdir()))
    added = {name: after[name] - before[name] for name in after}
    rows = observed(loaded(), variant, run, CLASSIC)
    assert rows["count"]["value"] == added["+Inf"]
    assert rows["mean"]["value"] == pytest.approx(added["sum"] / added["count"])
    for stat, level in (("p50", 0.5), ("p99", 0.99)):
        bounds = [0.0, *sorted(float(name) for name in added if name[0].isdigit())]
        rank = level * added["+Inf"]
        place = next(n for n, b in enumerate(bounds) if b and added[f"{b:g}"] >= rank)
        value, step = rows[stat]["value"], rows[stat]["resolution"]
        assert bounds[place - 1] <= value <= bounds[place]
        assert step == pytest.approx(bounds[place] - bounds[place - 1])
    requests = loaded().observations.query("metric == 'requests'")
    sent = requests[requests["variant"].eq(variant) & requests["run"].eq(run)]["value"].iloc[0]
    assert added["+Inf"] == pytest.approx(sent, rel=0.01)


@pytest.mark.parametrize("variant", ["none", "gzip"])
def test_native_histograms_of_a_range_agree_and_have_a_finer_resolution(variant: str) -> None:
    classic = observed(loaded(), variant, 2, CLASSIC)
    native = observed(loaded(), variant, 2, NATIVE)
    for stat in ("p50", "p90"):
        assert native[stat]["resolution"] < 0.1 * native[stat]["value"]
        reach = classic[stat]["resolution"] + native[stat]["resolution"]
        assert abs(native[stat]["value"] - classic[stat]["value"]) <= reach
    assert native["mean"]["value"] == pytest.approx(classic["mean"]["value"], rel=0.15)


def test_variants_are_compared_and_the_rate_stays_primary() -> None:
    frame = loaded().compare(baseline="none", variant="gzip").frame
    rows = frame[frame["metric"].eq("observed_time") & frame["stat"].eq("p90")]
    assert set(rows["verdict"]) == {"regression"}
    assert frame[frame["primary"]]["metric"].tolist() == ["request_rate"]


def test_difference_smaller_than_a_bucket_is_inconclusive(tmp_path: Path) -> None:
    for variant in ("none", "same"):
        for run in (1, 2, 3, 4):
            folder = tmp_path / variant
            folder.mkdir(exist_ok=True)
            source = SERVICE / "none"
            number = run if variant == "none" else 5 - run
            shutil.copytree(
                source / f"prometheus-metrics-{number}", folder / f"prometheus-metrics-{run}"
            )
            text = (source / f"wrk-{number}.txt").read_text()
            (folder / f"wrk-{run}.txt").write_text(text + ("" if variant == "none" else "\n"))
    frame = bk.load(tmp_path).compare(baseline="none", variant="same").frame
    rows = frame[frame["metric"].eq("observed_time") & frame["stat"].isin(["p50", "p90", "p99"])]
    assert len(rows) == 3
    assert set(rows["verdict"]) == {"inconclusive"}


def test_single_scrape_is_reported_and_gives_no_numbers(tmp_path: Path) -> None:
    for variant in ("none", "gzip"):
        shutil.copytree(SERVICE / variant, tmp_path / variant)
        for path in (tmp_path / variant).glob("*/1-before.prom"):
            path.unlink()
    runs = bk.load(tmp_path)
    assert not runs.observations["metric"].str.startswith("observed_time").any()
    (finding,) = [f for f in runs.findings.itertuples() if f.code == "B417"]
    assert "run 1 of 'gzip'" in str(finding.message)


def test_restart_of_a_service_during_a_run_resets_the_counter(tmp_path: Path) -> None:
    folder = tmp_path / "none" / "prometheus-metrics-1"
    folder.mkdir(parents=True)
    shutil.copy(SERVICE / "none" / "wrk-1.txt", tmp_path / "none")
    for number, (low, high) in enumerate([(5, 9), (7, 12), (1, 3)]):
        lines = [("bucket", '{le="0.1"}', low), ("bucket", '{le="+Inf"}', high)]
        text = "".join(f"api_seconds_{kind}{labels} {n}\n" for kind, labels, n in lines)
        (folder / f"{number}.prom").write_text(
            f"# TYPE api_seconds histogram\n{text}api_seconds_count {high}\n"
        )
    rows = observed(bk.load(tmp_path), "none", 1, "api_seconds")
    assert rows["count"]["value"] == (12 - 9) + 3


def test_histogram_with_falling_counts_is_reported_and_gives_no_numbers(tmp_path: Path) -> None:
    folder = tmp_path / "none" / "prometheus-metrics-1"
    folder.mkdir(parents=True)
    shutil.copy(SERVICE / "none" / "wrk-1.txt", tmp_path / "none")
    for number, counts in enumerate([(5, 5, 9), (40, 20, 49)]):
        text = "# TYPE api_seconds histogram\n"
        for bound, count in zip(("0.1", "0.2", "+Inf"), counts, strict=True):
            text += f'api_seconds_bucket{{le="{bound}"}} {count}\n'
        (folder / f"{number}.prom").write_text(f"{text}api_seconds_count {counts[2]}\n# EOF\n")
    runs = bk.load(tmp_path)
    assert observed(runs, "none", 1, "api_seconds") == {}
    (message,) = runs.findings.query("code == 'B426'")["message"]
    assert "in api_seconds during run 1 of 'none'" in message


def test_runs_without_start_and_end_use_no_range(tmp_path: Path) -> None:
    shutil.copytree(SERVICE, tmp_path / "all")
    (tmp_path / "all" / "runs.json").unlink()
    for folder in (tmp_path / "all").glob("*/prometheus-metrics-*"):
        shutil.rmtree(folder)
    runs = bk.load(tmp_path / "all")
    assert not runs.observations["metric"].str.startswith("observed_time").any()
    assert "B417" in set(runs.findings["code"])
