"""A baseline from another machine is inconclusive, unless the policy permits it."""

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


def explain_difference(
    none: Envs, otlp: Envs, source: str = "a.txt", groups: Sequence[str] = ()
) -> str:
    """Return why the gate is inconclusive, after B204 looked at the same runs."""
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


def test_facts_recorded_by_both_sides_are_compared() -> None:
    assert explain_difference([XEON], [EPYC]) == "B204: the machine differs: cpu Xeon vs. EPYC"
    assert explain_difference([XEON, EPYC], [XEON]) != ""
    assert explain_difference([XEON | {"commit": "a"}], [XEON | {"commit": "b"}]) == ""


def test_sides_measured_equally_often_on_the_same_machines_are_equal() -> None:
    assert explain_difference([XEON, EPYC], [EPYC, XEON]) == ""
    assert explain_difference([XEON, XEON, EPYC], [EPYC, EPYC, XEON]) != ""
    assert explain_difference([XEON, EPYC], [EPYC, XEON], groups=("a", "b", "a", "b")) != ""
    assert explain_difference([XEON, EPYC], [EPYC, XEON], groups=("a", "b", "b", "a")) == ""


@pytest.mark.parametrize("entry", ["cpu_model", "hostname", "container.cpu_limit", "governor"])
def test_every_difference_of_b204_is_inconclusive(entry: str) -> None:
    assert entry in explain_difference([{entry: "a"}], [{entry: "b"}])
    assert explain_difference([{entry: "a"}], [{entry: "a"}]) == ""


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
def test_machine_recorded_on_one_side_only_is_not_known_to_be_the_same(
    none: dict[str, str], otlp: dict[str, str], statement: str
) -> None:
    assert (
        (statement in explain_difference([none], [otlp]))
        if statement
        else explain_difference([none], [otlp]) == ""
    )


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
def test_results_from_elsewhere_must_record_their_machine(
    env: dict[str, str], statement: str, source: str
) -> None:
    assert explain_difference([env], [env], source) == statement
    assert explain_difference([env], [env]) == ""
    assert explain_difference([env], [env], "results/base.txt.gz") == ""  # packed, not brought


def test_memory_may_differ_by_the_share_of_the_kernel() -> None:
    assert explain_difference([{"memory": "8000000000"}], [{"memory": "8010000000"}]) == ""
    assert explain_difference([{"memory": "8000000000"}], [{"memory": "16000000000"}]) != ""
    assert explain_difference([{"kernel": "6.80"}], [{"kernel": "6.81"}]) != ""


@pytest.mark.parametrize(("allowed", "code"), [("false", 4), ("true", 1)])
@pytest.mark.parametrize(
    ("sides", "statement"),
    [
        ({"baseline": "cpu = 'Xeon'", "enabled": "cpu = 'EPYC'"}, "cpu Xeon vs. EPYC"),
        ({"baseline": "cpu_model = 'A'", "enabled": "cpu_model = 'B'"}, "cpu_model A vs. B"),
        ({"enabled": "cpu_model = 'B'"}, "baseline does not record its machine"),
    ],
)
def test_gate_is_inconclusive_across_machines(
    allowed: str,
    code: int,
    sides: dict[str, str],
    statement: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    gated.write_pair(tmp_path / "results", cost=0.2)
    for variant, facts in sides.items():
        sidecar = tmp_path / "results" / f"{variant}.txt.run.toml"
        sidecar.write_text(f"[env]\n{facts}\n", encoding="utf-8")
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
