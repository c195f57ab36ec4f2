"""A baseline of another machine shows nothing, unless the policy lets it."""

from __future__ import annotations

from pathlib import Path

import examples
import gated
import pytest

from benchkit.cli import run
from benchkit.gating.machines import find_unlike

PAIR = ("none", "otlp")


def unlike(none: list[dict[str, str]], otlp: list[dict[str, str]], source: str = "a.txt") -> str:
    rows = [
        (variant, "/ping", number, "request_rate", "mean", 1.0, "1/s")
        for variant, envs in (("none", none), ("otlp", otlp))
        for number in range(len(envs))
    ]
    runs = examples.runs_of(rows, "wrk")
    for place, env in enumerate((*none, *otlp)):
        runs["env"].iloc[place].clear()
        runs["env"].iloc[place].update(env)
    for variant, sources in zip(runs["variant"], runs["sources"], strict=True):
        sources.extend([{"path": source}] if variant == "none" else [])
    return find_unlike(runs, [PAIR]).get(PAIR, "")


def test_what_both_sides_record_is_compared() -> None:
    xeon, epyc = {"cpu": "Xeon", "cpus": "4"}, {"cpu": "EPYC", "cpus": "4"}
    said = "measured on another machine: cpu Xeon against EPYC"
    assert unlike([xeon], [epyc]) == said
    assert unlike([xeon, epyc], [xeon]) != ""
    assert unlike([xeon, epyc], [epyc, xeon]) == ""
    assert unlike([xeon], [{"commit": "abc"}]) == ""
    assert unlike([xeon | {"commit": "a"}], [xeon | {"commit": "b"}]) == ""


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({}, "measured elsewhere, and not told on which machine"),
        ({"os": "Linux"}, "measured elsewhere, and not told on which machine"),
        ({"os": "Linux", "cpu": "Xeon"}, ""),
    ],
)
def test_what_comes_from_elsewhere_has_to_tell_its_machine(env: dict[str, str], said: str) -> None:
    source = "git:benchkit-data:main/1.txt"
    assert unlike([env], [env], source) == said
    assert unlike([env], [env]) == ""


def test_memory_may_differ_by_what_a_kernel_keeps() -> None:
    assert unlike([{"memory": "8000000000"}], [{"memory": "8010000000"}]) == ""
    assert unlike([{"memory": "8000000000"}], [{"memory": "16000000000"}]) != ""


@pytest.mark.parametrize(("allowed", "code"), [("false", 4), ("true", 1)])
def test_the_gate_shows_nothing_across_machines(
    allowed: str,
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    gated.write_pair(tmp_path / "results", cost=0.2)
    for variant, cpu in (("baseline", "Xeon"), ("enabled", "EPYC")):
        sidecar = tmp_path / "results" / f"{variant}.txt.run.toml"
        sidecar.write_text(f"[env]\ncpu = '{cpu}'\n", encoding="utf-8")
    (tmp_path / "benchkit.toml").write_text(
        f"[policy]\non_inconclusive = 'fail'\nallow_other_machine = {allowed}\n"
        "[[gate]]\nmetric = 'time_per_op'\nacceptable = '5%'\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    assert run(["gate", "results", "--quiet"]) == code
    assert ("another machine" in capsys.readouterr().out) == (code == 4)
    assert run(["gate", "results", "--quiet", "--max-overhead", "time_per_op=5%"]) == code
