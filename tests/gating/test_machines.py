"""A baseline of another machine shows nothing, unless the policy lets it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import examples
import gated
import pytest

from benchkit.audit.facts import gather
from benchkit.audit.sides import find_other_machines
from benchkit.cli import run
from benchkit.comparison import Comparisons
from benchkit.gating.machines import find_unlike

PAIR = ("none", "otlp")
XEON, EPYC = {"cpu": "Xeon", "cpus": "4"}, {"cpu": "EPYC", "cpus": "4"}
Envs = list[dict[str, str]]


def unlike(none: Envs, otlp: Envs, source: str = "a.txt", groups: Sequence[str] = ()) -> str:
    """Return why the gate shows nothing, B204 having looked at the same runs."""
    rows = [
        (variant, "/ping", number, "request_rate", "mean", 1.0, "1/s")
        for variant, envs in (("none", none), ("otlp", otlp))
        for number in range(len(envs))
    ]
    runs = examples.runs_of(rows, "wrk")
    for place, env in enumerate((*none, *otlp)):
        runs["env"].iloc[place].clear()
        runs["env"].iloc[place].update(env)
    if groups:
        runs["group"] = list(groups)
    for variant, sources in zip(runs["variant"], runs["sources"], strict=True):
        sources.extend([{"path": source}] if variant == "none" else [])
    evidence = gather(examples.observations(rows, "wrk"), runs)
    compared = Comparisons(pairs=(PAIR,), contrasts=(), confidence=0.95)
    return find_unlike(runs, [PAIR], list(find_other_machines(compared, evidence))).get(PAIR, "")


def test_what_both_sides_record_is_compared() -> None:
    assert unlike([XEON], [EPYC]) == "B204: the machine differs: cpu Xeon vs. EPYC"
    assert unlike([XEON, EPYC], [XEON]) != ""
    assert unlike([XEON | {"commit": "a"}], [XEON | {"commit": "b"}]) == ""


def test_sides_measured_equally_often_on_the_same_machines_are_alike() -> None:
    assert unlike([XEON, EPYC], [EPYC, XEON]) == ""
    assert unlike([XEON, XEON, EPYC], [EPYC, EPYC, XEON]) != ""
    assert unlike([XEON, EPYC], [EPYC, XEON], groups=("a", "b", "a", "b")) != ""
    assert unlike([XEON, EPYC], [EPYC, XEON], groups=("a", "b", "b", "a")) == ""


@pytest.mark.parametrize("entry", ["cpu_model", "hostname", "container.cpu_limit", "governor"])
def test_whatever_b204_finds_shows_nothing(entry: str) -> None:
    assert entry in unlike([{entry: "a"}], [{entry: "b"}])
    assert unlike([{entry: "a"}], [{entry: "a"}]) == ""


@pytest.mark.parametrize(
    ("none", "otlp", "statement"),
    [
        ({}, XEON, "none does not record its machine, but otlp does: cpu Xeon"),
        (XEON, {"os": "Linux"}, "otlp does not record its machine, but none does"),
        (XEON, {"cpu_model": "Xeon"}, "cannot be compared: cpu, cpus and cpu_model"),
        ({}, {"os": "Linux", "gomaxprocs": "8", "commit": "abc"}, ""),
        (XEON, {"cpu": "Xeon"}, ""),
    ],
)
def test_a_machine_that_one_side_alone_tells_is_not_known_to_be_the_same(
    none: dict[str, str], otlp: dict[str, str], statement: str
) -> None:
    assert (statement in unlike([none], [otlp])) if statement else unlike([none], [otlp]) == ""


@pytest.mark.parametrize(
    ("env", "statement"),
    [
        ({}, "measured elsewhere, on an unrecorded machine"),
        ({"os": "Linux"}, "measured elsewhere, on an unrecorded machine"),
        ({"os": "Linux", "cpu": "Xeon"}, ""),
    ],
)
@pytest.mark.parametrize(
    "source", ["git:benchkit-data:main/1.txt", "/ci/base.tgz/1.txt", "/ci/Base.ZIP/main/1.txt"]
)
def test_what_comes_from_elsewhere_has_to_tell_its_machine(
    env: dict[str, str], statement: str, source: str
) -> None:
    assert unlike([env], [env], source) == statement
    assert unlike([env], [env]) == ""
    assert unlike([env], [env], "results/base.txt.gz") == ""  # packed, not brought


def test_memory_may_differ_by_what_a_kernel_keeps() -> None:
    assert unlike([{"memory": "8000000000"}], [{"memory": "8010000000"}]) == ""
    assert unlike([{"memory": "8000000000"}], [{"memory": "16000000000"}]) != ""
    assert unlike([{"kernel": "6.80"}], [{"kernel": "6.81"}]) != ""


@pytest.mark.parametrize(("allowed", "code"), [("false", 4), ("true", 1)])
@pytest.mark.parametrize(
    ("sides", "statement"),
    [
        ({"baseline": "cpu = 'Xeon'", "enabled": "cpu = 'EPYC'"}, "cpu Xeon vs. EPYC"),
        ({"baseline": "cpu_model = 'A'", "enabled": "cpu_model = 'B'"}, "cpu_model A vs. B"),
        ({"enabled": "cpu_model = 'B'"}, "baseline does not record its machine"),
    ],
)
def test_the_gate_shows_nothing_across_machines(
    allowed: str,
    code: int,
    sides: dict[str, str],
    statement: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    gated.write_pair(tmp_path / "results", cost=0.2)
    for variant, told in sides.items():
        sidecar = tmp_path / "results" / f"{variant}.txt.run.toml"
        sidecar.write_text(f"[env]\n{told}\n", encoding="utf-8")
    (tmp_path / "benchkit.toml").write_text(
        f"[policy]\non_inconclusive = 'fail'\nallow_other_machine = {allowed}\n"
        "[[gate]]\nmetric = 'time_per_op'\nacceptable = '5%'\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    assert run(["gate", "results", "--quiet"]) == code
    shown = " ".join(capsys.readouterr().out.split())
    assert (f"{statement}" in shown.split("B204 ")[0]) == (code == 4)
    assert run(["gate", "results", "--quiet", "--max-overhead", "time_per_op=5%"]) == code
