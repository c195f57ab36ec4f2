"""Container metrics are cut to each run's window: cores, memory and CPU per request."""

from __future__ import annotations

import gzip
import json
import shutil
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import benchkit.api as bk
from benchkit import schema
from benchkit.derived.record import Measured
from benchkit.derived.resources import derive_resources
from benchkit.derived.usage import cut, reduce_counter

if TYPE_CHECKING:
    from benchkit.schema import Observations

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
COSTS = FIXTURES / "tracing-costs"
SERVER = "/bench/server"


@cache
def loaded() -> bk.RunSet:
    return bk.load(COSTS)


def value(runs: bk.RunSet, variant: str, run: int, metric: str, subject: str, stat: str) -> float:
    rows = runs.observations
    for name, expected in (("variant", variant), ("run", run), ("metric", metric), ("stat", stat)):
        rows = rows[rows[name] == expected]
    rows = rows[rows["subject"] == subject]
    (number,) = rows["value"].tolist()
    return float(number)


def read_directly(variant: str, run: int, container: str) -> list[tuple[float, int, int]]:
    """Read (time in s, CPU in ns, working set in B) between start and end, without benchkit."""
    windows = json.loads((COSTS / "runs.json").read_text())
    (window,) = [w for w in windows if (w["variant"], w["repeat"]) == (variant, run)]
    start = datetime.fromisoformat(window["start"]).timestamp()
    end = datetime.fromisoformat(window["end"]).timestamp()
    with gzip.open(COSTS / variant / f"cadvisor-v13-{run}.json.gz") as file:
        containers = json.load(file)
    (stats,) = [c["stats"] for c in containers if c["name"] == container]
    samples = [
        (
            datetime.fromisoformat(each["timestamp"][:26] + "Z").timestamp(),
            each["cpu"]["usage"]["total"],
            each["memory"]["working_set"],
        )
        for each in stats
    ]
    return [each for each in samples if start <= each[0] <= end]


@pytest.mark.parametrize("container", [SERVER, "/bench/storage", "/bench/collector"])
@pytest.mark.parametrize("variant", ["none", "otlp", "zipkin", "apm", "skywalking"])
def test_cores_are_measured_between_the_first_and_last_samples(
    variant: str, container: str
) -> None:
    for run in range(1, 9):
        samples = read_directly(variant, run, container)
        (first, before, _), (last, after, _) = samples[0], samples[-1]
        cores = (after - before) / 1e9 / (last - first)
        measured = value(loaded(), variant, run, "cpu_usage", container, "mean")
        assert measured == pytest.approx(cores, rel=0.01)
        assert value(loaded(), variant, run, "cpu_usage", container, "max") >= measured


def test_memory_is_measured_within_the_window() -> None:
    sizes = [size for _, _, size in read_directly("otlp", 3, SERVER)]
    measured = value(loaded(), "otlp", 3, "memory_working_set", SERVER, "mean")
    assert measured == pytest.approx(sum(sizes) / len(sizes), rel=0.01)
    assert value(loaded(), "otlp", 3, "memory_working_set", SERVER, "max") == max(sizes)


def test_cpu_per_request_of_the_service_separates_the_variants() -> None:
    cores = value(loaded(), "otlp", 1, "cpu_usage", SERVER, "mean")
    measured = value(loaded(), "otlp", 1, "cpu_per_request", SERVER, "mean")
    assert measured == pytest.approx(cores / 9307.29)
    rows = [
        row
        for row in loaded().compare(baseline="none").verdicts.primary
        if row.contrast.metric == "cpu_per_request"
    ]
    assert {row.contrast.subject for row in rows} == {SERVER}
    assert {row.contrast.variant: row.word for row in rows} == dict.fromkeys(
        ["otlp", "zipkin", "apm", "skywalking"], "regression"
    )
    assert all(row.contrast.ratio_low and row.contrast.ratio_low > 1 for row in rows)


def copy(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(COSTS / name, folder / name)
    return folder


RUN = ("otlp/wrk-1.txt", "otlp/cadvisor-v13-1.json.gz")


def test_missing_window_derives_nothing_and_is_a_finding(tmp_path: Path) -> None:
    runs = bk.load(copy(tmp_path, *RUN))
    assert not runs.observations["metric"].isin(["cpu_usage", "cpu_per_request"]).any()
    (finding,) = [f for f in runs.problems if f.code == "B410"]
    assert "run 1 of 'otlp'" in finding.message
    assert "runs.json" in finding.remedy


def test_containers_json_names_the_service(tmp_path: Path) -> None:
    for file in ("wrk-1.txt", "cadvisor-v13-1.json.gz"):
        (tmp_path / "otlp").mkdir(exist_ok=True)
        shutil.copy(COSTS / "otlp" / file, tmp_path / "otlp" / file)
    shutil.copy(COSTS / "runs.json", tmp_path)
    names = {SERVER: "span sink", "/bench/storage": "consumer", "/bench/collector": "redis"}
    (tmp_path / "containers.json").write_text(json.dumps(names))
    rows = bk.load(tmp_path).observations
    subjects = rows[rows["metric"] == "cpu_per_request"]["subject"].tolist()
    assert subjects == ["/bench/storage"]


def test_unknown_service_is_reported_with_the_available_containers(tmp_path: Path) -> None:
    for file in ("wrk-1.txt", "cadvisor-v13-1.json.gz"):
        (tmp_path / "otlp").mkdir(exist_ok=True)
        shutil.copy(COSTS / "otlp" / file, tmp_path / "otlp" / file)
    shutil.copy(COSTS / "runs.json", tmp_path)
    (tmp_path / "run.toml").write_text('[containers]\nservice = "nosuch"\n')
    (finding,) = [each for each in bk.load(tmp_path).problems if each.code == "B413"]
    assert finding.message.startswith(
        "[containers] service = 'nosuch' matches none of the containers: /bench/"
    )


def test_sidecar_gives_window_limits_and_service(tmp_path: Path) -> None:
    copy(tmp_path, *RUN)
    (tmp_path / "otlp" / "run.toml").write_text(
        "start = 2026-11-21T01:22:05.080Z\nend = 2026-11-21T01:22:20.089Z\n"
        '[limits]\nserver = {cpu = 2.0}\n[containers]\nservice = "storage"\n'
    )
    runs = bk.load(tmp_path)
    assert value(runs, "otlp", 1, "cpu_limit", SERVER, "value") == 2
    cores = value(runs, "otlp", 1, "cpu_usage", "/bench/storage", "mean")
    measured = value(runs, "otlp", 1, "cpu_per_request", "/bench/storage", "mean")
    assert measured == pytest.approx(cores / 9307.29)


@pytest.mark.parametrize("tests", [1, 2])
def test_benchmarks_of_one_command_have_no_cpu_per_request(tmp_path: Path, tests: int) -> None:
    copy(tmp_path, RUN[1])
    (tmp_path / "otlp" / "run.toml").write_text(
        "start = 2026-11-21T01:22:05.080Z\nend = 2026-11-21T01:22:20.089Z\n"
    )
    lines = ["SET: 9000.50 requests per second\n", "GET: 9307.25 requests per second\n"]
    (tmp_path / "otlp" / "redis_benchmark-1.txt").write_text("".join(lines[:tests]))
    runs = bk.load(tmp_path)
    assert runs.observations["metric"].eq("cpu_usage").any()
    assert runs.observations["metric"].eq("cpu_per_request").any() == (tests == 1)
    shared = [finding.message for finding in runs.problems if finding.code == "B419"]
    assert len(shared) == tests - 1
    assert all("in run 1 of 'otlp' (2 benchmarks), so the CPU" in message for message in shared)


def test_samples_outside_the_window_are_a_finding(tmp_path: Path) -> None:
    copy(tmp_path, *RUN)
    (tmp_path / "otlp" / "run.toml").write_text(
        "start = 2026-11-21T03:22:05Z\nend = 2026-11-21T03:22:20Z\n"
    )
    codes = [finding.code for finding in bk.load(tmp_path).problems]
    assert "B411" in codes


def test_two_responses_for_the_same_seconds_count_once(tmp_path: Path) -> None:
    copy(tmp_path, *RUN, "runs.json")
    alone = bk.load(tmp_path)
    other = FIXTURES / "tracing-resources" / "otlp" / "cadvisor-v21-1.json"
    shutil.copy(other, tmp_path / "otlp" / other.name)
    both = bk.load(tmp_path)
    for stat in ("mean", "max"):
        expected = value(alone, "otlp", 1, "cpu_usage", SERVER, stat)
        assert value(both, "otlp", 1, "cpu_usage", SERVER, stat) == pytest.approx(
            expected, rel=0.01
        )


def test_prometheus_range_over_all_runs_is_cut_to_each(tmp_path: Path) -> None:
    copy(tmp_path, "none/wrk-1.txt", "runs.json")
    answer = FIXTURES / "tracing-resources" / "prometheus" / "query_range-cpu_seconds_total.json"
    (tmp_path / "prometheus").mkdir()
    shutil.copy(answer, tmp_path / "prometheus")
    measured = value(bk.load(tmp_path), "none", 1, "cpu_usage", SERVER, "mean")
    separate = value(loaded(), "none", 1, "cpu_usage", SERVER, "mean")
    assert measured == pytest.approx(separate, rel=0.08)  # a scrape is up to a second late


NONE = datetime.fromisoformat("2026-11-21T01:21:43.302Z").timestamp()  # until 15.008 s later


def answer(folder: Path, counters: dict[str, list[tuple[float, float]]], scrape: int = 1) -> Path:
    """Write a range in steps of 1 s around run none 1, which repeats each scrape until the next."""
    copy(folder, "none/wrk-1.txt", "runs.json")
    result = []
    for name, points in counters.items():
        repeated = [
            [NONE + at, str(points[place // scrape * scrape][1])]
            for place, (at, _) in enumerate(points)
        ]
        metric = {"__name__": "container_cpu_usage_seconds_total", "name": name}
        result.append({"metric": metric, "values": repeated})
    (folder / "prometheus").mkdir(exist_ok=True)
    response = {"status": "success", "data": {"resultType": "matrix", "result": result}}
    (folder / "prometheus" / "query_range-cpu.json").write_text(json.dumps(response))
    return folder


def line(cores: float, start: float = -60, end: float = 60) -> list[tuple[float, float]]:
    return [(at, 100 + cores * (at - start)) for at in np.arange(start, end).tolist()]


def codes(runs: bk.RunSet) -> set[str]:
    return {finding.code for finding in runs.problems}


@pytest.mark.parametrize("scrape", [1, 4, 7])
def test_repeat_of_the_last_scrape_is_not_a_sample(tmp_path: Path, scrape: int) -> None:
    counters = {"server": line(0.5), "redis": line(0), "nginx": line(0.001)}
    runs = bk.load(answer(tmp_path, counters, scrape))
    for container, cores in (("server", 0.5), ("redis", 0), ("nginx", 0.001)):
        measured = value(runs, "none", 1, "cpu_usage", container, "mean")
        assert measured == pytest.approx(cores, abs=1e-9)


def test_scrape_slower_than_the_run_is_a_finding_without_a_number(tmp_path: Path) -> None:
    runs = bk.load(answer(tmp_path, {"server": line(0.5)}, scrape=15))
    assert not runs.observations["metric"].isin(["cpu_usage", "cpu_per_request"]).any()
    assert "B411" in codes(runs)


def test_container_that_becomes_idle_uses_nothing(tmp_path: Path) -> None:
    busy = [
        (at, min(value_at, 100 + 0.5 * 40)) for at, value_at in line(0.5)
    ]  # until 20 s before the run
    runs = bk.load(answer(tmp_path, {"server": busy}))
    assert value(runs, "none", 1, "cpu_usage", "server", "mean") == 0


@pytest.mark.parametrize(("start", "end"), [(30, 60), (-60, 0), (-60, 1)])
def test_range_outside_the_run_is_a_finding(tmp_path: Path, start: float, end: float) -> None:
    runs = bk.load(answer(tmp_path, {"server": line(0.5, start, end)}))
    assert "B411" in codes(runs)
    assert not runs.observations["metric"].eq("cpu_usage").any()


def test_recreated_container_is_not_idle(tmp_path: Path) -> None:
    file = answer(tmp_path, {"server": line(0.5)}) / "prometheus" / "query_range-cpu.json"
    response = json.loads(file.read_text())
    (old,) = response["data"]["result"]
    gone = old["values"][50][1]  # 10 s before the run; repeated until its end
    new = {"metric": old["metric"] | {"id": "/docker/b"}, "values": []}
    for place, (at, value_) in enumerate(old["values"][50:], start=50):
        new["values"].append([at, str(float(value_) * 2)])
        old["values"][place][1] = gone
    old["metric"]["id"] = "/docker/a"
    response["data"]["result"].append(new)
    file.write_text(json.dumps(response))
    assert value(bk.load(tmp_path), "none", 1, "cpu_usage", "server", "mean") == pytest.approx(1)


def test_store_and_raw_files_give_the_same_values(tmp_path: Path) -> None:
    from benchkit.ingestion.commit import ingest
    from benchkit.store import Store

    folder = copy(tmp_path / "raw", *RUN, "runs.json")
    ingest([str(folder)], Store(str(tmp_path / "store")))
    raw, stored = bk.load(folder).observations, bk.load(tmp_path / "store").observations
    columns = ["variant", "run", "tool", "subject", "metric", "stat", "value", "n"]
    assert raw[columns].equals(stored[columns])
    assert (raw["metric"] == "cpu_per_request").sum() == 1


def test_clock_of_vegeta_is_a_window() -> None:
    folder = FIXTURES / "skywalking-costs" / "agent"
    report = json.loads((folder / "vegeta-report-2.json").read_text())
    start, end = (
        datetime.fromisoformat(report[name]).timestamp() for name in ("earliest", "latest")
    )
    with gzip.open(folder / "cadvisor-v21-consumer-2.json.gz") as file:
        ((container, recorded),) = json.load(file).items()
    samples = [
        (datetime.fromisoformat(each["timestamp"]).timestamp(), each["cpu"]["usage"]["total"])
        for each in recorded["stats"]
    ]
    inside = [each for each in samples if start <= each[0] <= end]
    (first, before), (last, after) = inside[0], inside[-1]
    runs = bk.load(FIXTURES / "skywalking-costs")
    measured = value(runs, "agent", 2, "cpu_usage", container, "mean")
    assert measured == pytest.approx((after - before) / 1e9 / (last - first), rel=0.01)


def test_late_responses_count_in_the_time_they_took(tmp_path: Path) -> None:
    report = {
        "latencies": {"total": 2e11, "mean": 10**9, "50th": 10**9, "99th": 2 * 10**9,
                      "max": 2 * 10**9},
        "bytes_in": {"total": 0, "mean": 0}, "bytes_out": {"total": 0, "mean": 0},
        "earliest": "2026-11-28T09:00:00Z", "latest": "2026-11-28T09:00:01.99Z",
        "end": "2026-11-28T09:00:06Z", "duration": 1_990_000_000, "wait": 4_010_000_000,
        "requests": 400, "rate": 201.005, "throughput": 66.67, "success": 1,
        "status_codes": {"200": 400}, "errors": [],
    }  # fmt: skip
    (tmp_path / "vegeta-1.json").write_text(json.dumps(report))
    samples = [
        {"read": f"2026-11-28T09:00:0{second}Z", "name": "server",
         "cpu_stats": {"cpu_usage": {"total_usage": second * 400_000_000}},
         "memory_stats": {"usage": 1 << 20}}
        for second in range(7)
    ]  # fmt: skip
    text = "".join(f"{json.dumps(each)}\n" for each in samples)
    (tmp_path / "docker-stats-vegeta-1.json").write_text(text)
    runs = bk.load(tmp_path)
    rows = runs.observations
    (measured,) = rows[rows["metric"] == "cpu_per_request"]["value"].tolist()
    assert measured == pytest.approx(6 * 0.4 / 400)


def make_series(readings: dict[str, list[float]]) -> Observations:
    """Return counters of one container with one reading per second, starting at 100 s."""
    rows = [
        {
            "group": "", "variant": "otlp", "benchmark": "", "params": "", "run": 1,
            "subject": "app", "metric": metric, "stat": "counter", "value": reading, "unit": "1",
            "n": None, "time": datetime.fromtimestamp(100 + second, UTC), "resolution": None,
            "origin": "reported", "tool": "cadvisor", "source": f"c.json:{second}",
        }
        for metric, series in readings.items()
        for second, reading in enumerate(series)
    ]  # fmt: skip
    return schema.observations(pd.DataFrame(rows)[schema.column_names()])


def test_throttling_traffic_and_resets_are_cut_to_the_window() -> None:
    series = make_series(
        {
            "cpu_time": [0, 7, 8, 0.5, 1.5],
            "cpu_periods": [0, 10, 20, 30, 40],
            "cpu_throttled_periods": [0, 9, 12, 14, 15],
            "network_in": [0, 500, 600, 700, 800],
        }
    )
    run = Measured(
        group="", variant="otlp", benchmark="/", params="", run=1, tool="wrk",
        window=(101.0, 104.0), duration=3.0, env={"limit.app.cpu": "2"},
    )  # fmt: skip
    rows, findings = derive_resources(series.head(0), [run], series)
    values = {(row["metric"], row["stat"]): row["value"] for row in rows}
    assert values["cpu_usage", "mean"] == pytest.approx((1 + 0.5 + 1) / 3)
    assert values["cpu_throttled", "mean"] == pytest.approx((15 - 9) / (40 - 10))
    assert values["network_in_rate", "mean"] == pytest.approx(100)
    assert values["cpu_limit", "value"] == 2
    assert rows[0]["source"] == "c.json:1"
    assert findings == []


steps = st.lists(st.floats(0.001, 10), min_size=2, max_size=30)


@given(steps, steps)
def test_mean_of_a_counter_is_increase_over_time(gaps: list[float], adds: list[float]) -> None:
    size = min(len(gaps), len(adds))
    times, values = np.cumsum(gaps[:size]), np.cumsum(adds[:size])
    usage = reduce_counter(times, values)
    assert usage is not None
    assert usage.mean == pytest.approx((values[-1] - values[0]) / (times[-1] - times[0]))
    assert usage.largest >= usage.mean * (1 - 1e-9)
    doubled = cut(np.repeat(times, 2), np.repeat(values, 2), None)
    assert reduce_counter(*doubled) == usage


def test_value_scraped_twice_does_not_steepen_a_step() -> None:
    usage = reduce_counter(np.arange(5.0), np.array([0.0, 1.0, 1.0, 3.0, 4.0]))
    assert usage is not None
    assert (usage.mean, usage.largest) == (1.0, 1.0)
