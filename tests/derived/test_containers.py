"""Identification of the service's container among idle, busy, named and unnamed ones."""

from __future__ import annotations

import copy
import gzip
import json
import shutil
from pathlib import Path

import pytest

import benchkit.api as bk
from benchkit.cli import run
from benchkit.derived.containers import find_service

COSTS = Path(__file__).resolve().parents[2] / "fixtures" / "tracing-costs"
SERVER = "/bench/server"
CONSUMER = "/docker/70106e645a7532240887c74de138d1a4"


def write_runs(folder: Path, name: str, *, runs: str, share: float) -> Path:
    """Write two runs per side; in some of them a container uses a share of the server's CPU."""
    for variant in ("none", "otlp"):
        (folder / variant).mkdir()
        for number in "12":
            shutil.copy(COSTS / variant / f"wrk-{number}.txt", folder / variant)
            with gzip.open(COSTS / variant / f"cadvisor-v13-{number}.json.gz") as file:
                containers = json.load(file)
            if number in runs:
                server = next(each for each in containers if each["name"] == SERVER)
                added = copy.deepcopy(server) | {"name": name}
                for sample in added["stats"]:
                    sample["cpu"]["usage"]["total"] = int(sample["cpu"]["usage"]["total"] * share)
                containers.append(added)
            path = folder / variant / f"cadvisor-v13-{number}.json"
            path.write_text(json.dumps(containers), encoding="utf-8")
    shutil.copy(COSTS / "runs.json", folder)
    return folder


def list_services(runs: bk.RunSet) -> list[tuple[str, str, int]]:
    rows = runs.observations
    rows = rows[rows["metric"].eq("cpu_per_request")]
    return sorted(zip(rows["subject"], rows["variant"], rows["run"].astype(int), strict=True))


EVERY_RUN = [(SERVER, variant, run) for variant in ("none", "otlp") for run in (1, 2)]


@pytest.mark.parametrize("name", ["/bench/app", "/bench/web-frontend", "/docker/4f1c", "blue"])
@pytest.mark.parametrize("share", [0.0, 0.0005])
def test_idle_container_next_to_the_service_changes_nothing(
    name: str, share: float, tmp_path: Path
) -> None:
    runs = bk.load(write_runs(tmp_path, name, runs="2", share=share))
    assert list_services(runs) == EVERY_RUN
    assert "B413" not in {problem.code for problem in runs.problems}


def test_idle_container_is_not_shown_as_the_service(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["compare", str(write_runs(tmp_path, "/bench/app", runs="2", share=0))]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert all("service" not in line for line in lines if line[:1] == ["/bench/app"])
    assert any("service" in line for line in lines if line[:1] == [SERVER])


@pytest.mark.parametrize(
    ("cores", "env", "service"),
    [
        # neither of two busy containers with service names is the one under load
        ({"/bench/server": 0.9, "/bench/app": 0.4}, {}, None),
        # names in containers.json take precedence over inferred ones
        ({"/bench/server": 0.9, CONSUMER: 0.4}, {f"name.{CONSUMER}": "consumer"}, CONSUMER),
        ({"/docker/4f1c": 0.9, CONSUMER: 0.4}, {f"name.{CONSUMER}": "gateway"}, CONSUMER),
        # names in a sidecar take precedence over all, even if idle, in any form that a table shows
        ({"/bench/server": 0.9, "/bench/app": 0.0}, {"container.service": "app"}, "/bench/app"),
        (
            {"/bench/server": 0.9, CONSUMER: 0.4},
            {f"name.{CONSUMER}": "consumer", "container.service": "consumer (70106e645a75)"},
            CONSUMER,
        ),
        ({"s-server-1": 0.9, "s-web-1": 0.4}, {"container.service": "server"}, "s-server-1"),
        ({"s_server_1": 0.9, "s_app_1": 0.4}, {"container.service": "server"}, "s_server_1"),
        ({"/x/a.service": 0.9, "b": 0.4}, {"container.service": "a"}, "/x/a.service"),
        ({"/bench/server": 0.9, "/bench/app": 0.4}, {"container.service": "nosuch"}, None),
        # without busy containers only names decide
        ({"/bench/server": 0.0, "/bench/redis": 0.0}, {}, "/bench/server"),
        ({"/bench/app": 0.0, "/docker/4f1c": 0.5}, {}, "/docker/4f1c"),
    ],
)  # fmt: skip
def test_service_is_the_declared_the_named_or_the_busy_container(
    cores: dict[str, float], env: dict[str, str], service: str | None
) -> None:
    assert find_service(cores, env) == service


def test_cost_of_some_runs_states_how_many(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_runs(tmp_path, "/bench/app", runs="2", share=0.5)
    (problem,) = [each for each in bk.load(folder).problems if each.code == "B413"]
    assert problem.message.endswith(
        "; no CPU per request for run 2 of 'none' and run 2 of 'otlp' (2 of 4 runs)"
    )
    assert run(["compare", str(folder)]) == 0
    sentence, *lines = capsys.readouterr().out.splitlines()
    assert "direction only (from 1 of 2 runs of none and otlp)" in sentence
    table = lines[lines.index("CPU per request of the service") :]
    assert [line.split()[-3:] for line in table[3:5]] == [["1", "of", "2"]] * 2


def test_runs_of_benchmarks_that_share_a_name_are_counted(tmp_path: Path) -> None:
    folder = write_runs(tmp_path, "/bench/app", runs="", share=0.5)
    (folder / "runs.json").unlink()
    for number in "12":
        text = (folder / "none" / f"wrk-{number}.txt").read_text(encoding="utf-8")
        other = text.replace("/ping/GRM", "/ping/G")
        (folder / "none" / f"wrk-g-{number}.txt").write_text(other, encoding="utf-8")
    (problem,) = [each for each in bk.load(folder).problems if each.code == "B410"]
    assert (
        "run 1 of 'none' (2 benchmarks), run 2 of 'none' (2 benchmarks), run 1 of 'otlp' and "
        "run 2 of 'otlp' are unknown" in problem.message
    )


@pytest.mark.parametrize("tool", ["wrk", "locust", "bombardier", "gatling"])
def test_container_of_a_load_tool_is_not_the_service(tool: str) -> None:
    assert find_service({f"/docker/{tool}-1": 0.8, "/docker/shop-1": 0.9}) == "/docker/shop-1"
