"""A rule of another package, installed with pip, works like those of benchkit."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pandas as pd
import pytest
from plugged import install, run_benchkit

import benchkit as bk
from benchkit import audit
from benchkit.errors import Finding
from benchkit.tables.explanation import find_explanations

WRK = Path(__file__).resolve().parents[2] / "fixtures" / "tracing-wrk"
RULE = '''
"""Runs of this team take at least half a minute."""
from benchkit.errors import Finding

def find_short_runs(observations, runs):
    """A run is shorter than half a minute.

    ACME1: what a service does in its first seconds is most of such a run.
    """
    short = runs[(runs["role"] == "measured") & (runs["duration"] < 30)]
    for variant, of in short.groupby("variant"):
        yield Finding(
            code="ACME1",
            severity="warning",
            message=f"{len(of)} runs shorter than 30 s",
            where=variant,
            remedy="wrk -d30",
            numbers={"runs": len(of)},
        )
'''
POINTS = "[benchkit.rules]\nshort_runs = acme_rules:find_short_runs\n"


def test_installed_rule_is_applied(tmp_path: Path) -> None:
    environment = install(tmp_path, "acme_rules", POINTS, {"acme_rules.py": RULE})
    sides = [str(WRK / "none"), str(WRK / "otlp")]
    checked = run_benchkit(tmp_path, environment, "check", *sides)
    assert "ACME1 warning" in checked
    assert "otlp: 8 runs shorter than 30 s" in checked
    assert "→ wrk -d30" in checked
    compared = run_benchkit(tmp_path, environment, "compare", *sides, "--format", "json")
    assert '"ACME1"' in compared
    explained = run_benchkit(tmp_path, environment, "explain", "acme1")
    assert "ACME1: A run is shorter than half a minute." in explained
    assert "in its first seconds" in explained
    assert "the plug-in short_runs" in explained


def _break(*_: object) -> list[Finding]:
    raise ValueError("no such column")


def _misspell(*_: object) -> list[Finding]:
    return [Finding(code="X1", severity="grave", message="m")]


@pytest.mark.parametrize(
    ("rule", "why"),
    [(_break, "no such column"), (_misspell, "with a severity among error, warning")],
)
def test_failing_rule_loses_only_its_findings(
    monkeypatch: pytest.MonkeyPatch, rule: audit.PluginRule, why: str
) -> None:
    monkeypatch.setattr(audit, "_plugin_rules", lambda: (("theirs", rule),))
    with pytest.warns(UserWarning, match=f"audit rule theirs failed: .*{why}"):
        assert list(audit.apply_plugins(None, None)) == []  # type: ignore[arg-type]


def test_ctrl_c_names_the_rule_that_was_running(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*_: object) -> list[Finding]:
        raise KeyboardInterrupt

    monkeypatch.setattr(audit, "_plugin_rules", lambda: (("theirs", hang),))
    with (
        pytest.warns(UserWarning, match="interrupted while audit rule theirs was running"),
        pytest.raises(KeyboardInterrupt),
    ):
        list(audit.apply_plugins(None, None))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "why"), [("no_such_module:rule", "cannot be loaded"), ("math:pi", "not a function")]
)
def test_invalid_rule_is_skipped(value: str, why: str) -> None:
    with pytest.warns(UserWarning, match=why):
        assert audit.load_rules([EntryPoint("theirs", value, audit.GROUP)]) == ()


def test_rule_can_change_only_its_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    def spoil(observations: pd.DataFrame, runs: pd.DataFrame) -> list[Finding]:
        observations.loc[:, "value"] = 0.0
        runs["run"] = 0
        return []

    monkeypatch.setattr(audit, "_plugin_rules", lambda: (("theirs", spoil), ("again", spoil)))
    results = bk.load(WRK)
    before = results.observations.copy(), results.runs.copy()
    results.check()
    results.compare(baseline="none")
    assert results.observations.equals(before[0])
    assert results.runs.equals(before[1])


def _find_nothing(*_: object) -> list[Finding]:
    """Nothing of 3 kinds (`NIL3`, NIL4)."""
    return []


@pytest.mark.parametrize("code", ["NIL3", "nil4"])
def test_code_is_explained_from_the_docstring_of_its_rule(
    monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr(audit, "_plugin_rules", lambda: (("theirs", _find_nothing),))
    (explanation,) = find_explanations(code, ())
    assert (explanation.name, explanation.parts) == (
        code.upper(),
        (("from", "the plug-in theirs"),),
    )
    assert not find_explanations("nothing", ())
    assert not find_explanations("NIL5", ())


def test_unknown_code_may_belong_to_an_installed_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "_plugin_rules", lambda: (("theirs", _find_nothing),))
    assert audit.may_be_plugged("NIL3")
    assert not audit.may_be_plugged("B999")
    monkeypatch.setattr(audit, "_plugin_rules", tuple)
    assert not audit.may_be_plugged("NIL3")
