"""Files of several generators of one load test are one run with pooled values."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from invocation import benchkit

import benchkit.api as bk
from benchkit import cli

WRK = Path(__file__).resolve().parents[2] / "fixtures/tracing-wrk/none/wrk-1.txt"
GENERATORS = 3
#: 2026-11-20T10:00:00Z, in ns.
START = 1_795_168_800_000_000_000


def attack(seed: int, factor: float = 1.0) -> list[str]:
    """Return results of a ten-second attack as ``vegeta encode --to csv`` writes them."""
    rng = np.random.default_rng(seed)
    latencies = factor * 1e6 * np.exp(rng.normal(0, 0.5, 3000))
    codes = np.where(rng.random(3000) < 0.002, 500, 200)
    return [
        f"{START + i * 3_333_333},{code},{latency:.0f},0,20,,,load,{i},GET,http://app:8080/get,"
        for i, (latency, code) in enumerate(zip(latencies.tolist(), codes.tolist(), strict=True))
    ]


def as_json(result: str) -> str:
    """Return a result as ``vegeta encode`` writes it."""
    time, code, latency, *_, seq, method, url, _ = result.split(",")
    at = datetime.fromtimestamp(int(time) // 10**9, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    known = {"attack": "load", "seq": int(seq), "code": int(code)}
    known |= {"timestamp": f"{at}.{int(time) % 10**9:09d}Z", "latency": int(latency)}
    known |= {"bytes_out": 0, "bytes_in": 20, "error": "", "body": None}
    return json.dumps(known | {"method": method, "url": url, "headers": None})


def write_whole(folder: Path, results: list[str]) -> None:
    folder.mkdir(parents=True)
    (folder / "vegeta-results.csv").write_text("\n".join(results) + "\n", encoding="utf-8")


def write_shards(folder: Path, results: list[str], generators: int = GENERATORS) -> None:
    """Write an attack as recorded by each of several generators."""
    folder.mkdir(parents=True)
    for shard in range(generators):
        share = "\n".join(results[shard::generators])
        (folder / f"machine-{shard + 1}.csv").write_text(share + "\n", encoding="utf-8")


def index_values(loaded: bk.RunSet) -> dict[tuple[str, str, str, int], float]:
    """Return the values of all requests together, and the number of values."""
    table = loaded.observations
    table = table[~table["stat"].str.startswith("stretch_")]
    keys = zip(table["variant"], table["metric"], table["stat"], table["run"],
               table["subject"].fillna("").astype(str), strict=True)  # fmt: skip
    values = {}
    for (variant, metric, stat, run, subject), value in zip(keys, table["value"], strict=True):
        assert (variant, f"{metric}{subject}", stat, run) not in values
        values[variant, f"{metric}{subject}", stat, run] = value
    return values


LAYOUT = "{variant}/{run}/machine-{shard}.{ext}"


@pytest.mark.parametrize("is_stored", [False, True], ids=["files", "store"])
def test_shards_give_the_values_of_a_single_generator(tmp_path: Path, is_stored: bool) -> None:
    for run in (1, 2):
        results = attack(run)
        write_whole(tmp_path / f"whole/none/{run}", results)
        write_shards(tmp_path / f"shards/none/{run}", results)
    whole = bk.load(tmp_path / "whole", layout="{variant}/{run}/{tool}-results.{ext}")
    source = tmp_path / "shards"
    if is_stored:
        done = benchkit("ingest", "shards", "--layout", LAYOUT, "--store", "s", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        sharded = bk.load(tmp_path / "s")
    else:
        sharded = bk.load(source, layout=LAYOUT)
    assert sharded.runs["run"].tolist() == [1, 2]
    assert sharded.runs["duration"].tolist() == pytest.approx(
        whole.runs["duration"].tolist(), rel=0.01
    )
    assert [len(sources) for sources in sharded.runs["sources"]] == [GENERATORS] * 2
    mine, expected = index_values(sharded), index_values(whole)
    exact = {"p50", "p75", "p90", "p95", "p99", "p99.9", "min", "max", "mean", "stdev", "count"}
    for key, value in expected.items():
        if key[2] in exact and "rate" not in key[1]:
            assert mine[key] == pytest.approx(value, rel=1e-9), key
        elif key[1] == "request_rate":
            assert mine[key] == pytest.approx(value, rel=0.01), key
    assert not {"B207", "B212", "B213"} & {finding.code for finding in sharded.check()}


@pytest.mark.parametrize("word", ["shard", "pod-", "Generator_0"])
def test_folders_of_shards_that_sidecars_number_are_no_groups(tmp_path: Path, word: str) -> None:
    """Each generator was compared alone."""
    for (number, side), shard in product(enumerate(("none", "otlp")), (1, 2)):
        folder = tmp_path / f"leg1/{side}/run1/{word}{shard}"
        folder.mkdir(parents=True)
        text = WRK.read_text(encoding="utf-8").replace("701.00us", f"7{number}{shard}.00us")
        (folder / "wrk.txt").write_text(text, encoding="utf-8")
        (folder / "run.toml").write_text(f"shard = {shard}\n", encoding="utf-8")
    runs = bk.load(tmp_path).runs
    assert runs["group"].tolist() == ["leg1"] * 2
    assert [len(sources) for sources in runs["sources"]] == [2, 2]


@pytest.mark.parametrize(
    ("place", "sidecar"),
    [("shard{}/wrk.txt", "shard{}/run.toml"), ("wrk-{}.txt", "wrk-{}.txt.run.toml")],
)
def test_hosts_with_shards_of_the_same_numbers_are_groups(
    tmp_path: Path, place: str, sidecar: str
) -> None:
    """The first shard of one host and the second one of another counted as one run."""
    text = WRK.read_text(encoding="utf-8")
    for host, side, shard in product((1, 2), ("none", "jaeger"), (1, 2)):
        folder = tmp_path / f"host-{host}/{side}"
        file = folder / place.format(shard)
        file.parent.mkdir(parents=True, exist_ok=True)
        time = f"7{host}{shard}.{len(side)}0us"
        file.write_text(text.replace("701.00us", time), encoding="utf-8")
        lines = f'shard = {shard}\nbenchmark = "get"\nrun = 1\n'
        (folder / sidecar.format(shard)).write_text(lines, encoding="utf-8")
    runs = bk.load(tmp_path).runs
    assert runs["group"].tolist() == ["host-1"] * 2 + ["host-2"] * 2
    assert [len(sources) for sources in runs["sources"]] == [2] * 4


def test_samples_of_a_generator_in_two_formats_count_once(tmp_path: Path) -> None:
    write_shards(tmp_path / "none/1", attack(1))
    for path in sorted((tmp_path / "none/1").iterdir()):
        lines = map(as_json, path.read_text(encoding="utf-8").splitlines())
        path.with_suffix(".json").write_text("\n".join(lines) + "\n", encoding="utf-8")
    loaded = bk.load(tmp_path, layout=LAYOUT)
    table = loaded.observations
    p50 = table[(table["metric"] == "latency") & (table["stat"] == "p50")]
    assert p50["n"].tolist() == [3000]
    assert [len(sources) for sources in loaded.runs["sources"]] == [2 * GENERATORS]


def test_runs_of_several_generators_are_compared(tmp_path: Path) -> None:
    for run in range(1, 6):
        write_shards(tmp_path / f"none/{run}", attack(run))
        write_shards(tmp_path / f"otlp/{run}", attack(100 + run, 1.2))
    comparison = bk.load(tmp_path, layout=LAYOUT).compare(baseline="none")
    (row,) = comparison.frame.query("primary").itertuples()
    assert (row.metric, row.stat, row.n_baseline, row.verdict) == (
        "latency",
        "p50",
        5,
        "regression",
    )
    assert row.ratio == pytest.approx(1.2, abs=0.05)


def test_summaries_give_counts_but_no_percentiles(tmp_path: Path) -> None:
    text = WRK.read_text(encoding="utf-8")
    for place, (variant, run, shard) in enumerate(product("ab", (1, 2), (1, 2))):
        folder = tmp_path / variant / str(run)
        folder.mkdir(parents=True, exist_ok=True)
        report = text.replace("10406.41", f"{10_000 + place}.00")
        (folder / f"machine-{shard}.txt").write_text(report, encoding="utf-8")
    sharded = bk.load(tmp_path, layout=LAYOUT)
    values = index_values(sharded)
    one = index_values(bk.load(WRK))
    requests = next(v for key, v in one.items() if key[1:3] == ("requests", "count"))
    assert values["a", "request_rate", "mean", 1] == 20_001
    assert values["a", "requests", "count", 1] == 2 * requests
    assert ("a", "latency", "max", 1) in values
    assert ("a", "latency", "p50", 1) not in values
    assert sharded.runs["connections"].tolist() == [2 * 8] * 4
    (first, *_) = [finding for finding in sharded.check() if finding.code == "B212"]
    assert "median latency" in first.message


def test_run_without_one_generator_is_set_aside(tmp_path: Path) -> None:
    for run in (1, 2, 3):
        write_shards(tmp_path / f"none/{run}", attack(run))
    (tmp_path / "none/2/machine-3.csv").unlink()
    sharded = bk.load(tmp_path, layout=LAYOUT)
    measured = sharded.runs[sharded.runs["role"] == "measured"]
    assert measured["run"].tolist() == [1, 3]
    (shown,) = [finding for finding in sharded.check() if finding.code == "B213"]
    assert "run 2" in shown.message


def test_files_that_did_not_run_together_are_not_joined(tmp_path: Path) -> None:
    write_shards(tmp_path / "none/1", attack(1), 1)
    later = [line.replace("17951688", "17951698") for line in attack(2)]
    assert later[0] != attack(2)[0]
    (tmp_path / "none/1/machine-2.csv").write_text("\n".join(later) + "\n", encoding="utf-8")
    sharded = bk.load(tmp_path, layout=LAYOUT)
    assert len(sharded.runs) == 2
    assert "B207" in {finding.code for finding in sharded.check()}


def test_export_writes_each_value_of_a_run_once(tmp_path: Path) -> None:
    write_shards(tmp_path / "in/none/1", attack(1))
    benchkit("ingest", "in", "--layout", LAYOUT, "--store", "s", cwd=tmp_path)
    done = benchkit("export", "--store", "s", "--metric", "latency", cwd=tmp_path)
    lines = done.stdout.splitlines()
    assert len([line for line in lines if ",p50," in line]) == 1
    assert len([line for line in lines if ",sample," in line]) == 3000


def test_generators_in_separate_folders_are_one_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_shards(tmp_path / "in/none/1", attack(1)[:300])
    for shard in range(1, GENERATORS + 1):
        pod = Path(f"pod-{shard}/none/1")
        pod.mkdir(parents=True)
        Path(f"in/none/1/machine-{shard}.csv").rename(pod / f"machine-{shard}.csv")
        assert cli.run(["ingest", f"pod-{shard}", "--layout", LAYOUT, "-q"]) == 0
    stored = bk.load(store=".benchkit")
    assert len(stored.runs) == 1
    assert "B111" not in {finding.code for finding in stored.check()}
    write_shards(tmp_path / "again/none/1", attack(2)[:300])
    assert cli.run(["ingest", "again", "--layout", LAYOUT, "-q"]) == 0
    assert "B111" in {finding.code for finding in bk.load(store=".benchkit").check()}
