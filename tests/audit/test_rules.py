"""Each rule fires where it should and is silent elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import examples
import sessions

from benchkit import schema
from benchkit.audit import audit
from benchkit.audit.facts import Evidence
from benchkit.audit.sides import find_changed_shares

if TYPE_CHECKING:
    from benchkit.comparison import Comparisons
    from benchkit.schema import Runs


def runs(**roles: int) -> Runs:
    named = [role for role, n in roles.items() for _ in range(n)]
    rows = [("none", "/ping", i, "", "", 0.0, "") for i in range(len(named))]
    return schema.runs(examples.runs_of(rows, "wrk").assign(role=named))


def clean() -> Comparisons:
    """Eight runs of two variants without outliers."""
    comparisons, _ = sessions.compared(
        {name: examples.RATES[name] for name in ("none", "otlp")}, None
    )
    return comparisons


def codes(comparisons: Comparisons, table: Runs) -> list[str]:
    return [finding.code for finding in audit(comparisons, table)]


def test_clean_comparison_has_no_findings() -> None:
    assert codes(clean(), runs(measured=16)) == []


def test_runs_left_out_of_the_comparison_are_named() -> None:
    findings = audit(clean(), runs(measured=2, warmup=3, failed=1))
    assert [finding.message for finding in findings] == [
        "left out 1 failed run of 'none': none/wrk-5.txt",
        "3 warm-up runs are listed but not compared",
    ]


def test_one_run_per_side_is_a_direction_only() -> None:
    (finding,) = audit(examples.published().comparisons, runs(measured=5))
    assert finding.code == "B301"
    assert finding.numbers["rows"] == 4


def test_too_few_runs_for_the_family_states_the_number_needed() -> None:
    few = examples.tracing(runs=4).comparisons
    rows = tuple(
        replace(c, method="hodges-lehmann", pvalue=2 / 70) if c.primary else c
        for c in few.contrasts
    )
    ranked = replace(few, contrasts=rows, method="rank")
    (finding,) = audit(ranked, runs(measured=20))
    assert finding.code == "B302"
    assert finding.numbers == {"rows": 4, "closed": 4, "decidable": 1, "runs_needed": 5}


def test_one_sided_names_and_levels_suggest_a_rename() -> None:
    one_sided = replace(
        clean(),
        pairs=(("none", "otlp"),),
        only_in={"none": ("Base/Ping", "Base/Get"), "otlp": ("With/Ping",)},
        params_only_in={"otlp": (("/ping", "connections=16"),)},
    )
    names, other, levels = audit(one_sided, runs(measured=4))
    assert names.code == other.code == "B201"
    assert "--rename 's#^(Base|With)/##'" in names.remedy
    assert levels.code == "B202"
    assert "/ping at connections=16" in levels.message


def test_one_sided_benchmark_has_a_remedy_other_than_a_rename() -> None:
    def find(**only_in: tuple[str, ...]) -> str:
        one_sided = replace(clean(), pairs=(("none", "otlp"),), only_in=only_in)
        (finding,) = audit(one_sided, runs(measured=4))
        assert finding.code == "B201"
        return finding.remedy

    assert find(otlp=("Set", "Get")) == "not compared: measure them on 'none' too"
    assert find(none=("Set",)) == (
        "not compared: measure it on 'otlp' too; if it was removed on purpose, add "
        '[[gate.accept]] removed = "Set" in benchkit.toml'
    )
    assert "rename" not in find(none=("Set", "Get"))


def test_one_unmatched_benchmark_on_each_side_may_have_been_renamed() -> None:
    one_sided = replace(
        clean(), pairs=(("none", "otlp"),), only_in={"none": ("Get",), "otlp": ("Fetch",)}
    )
    gone, new = audit(one_sided, runs(measured=4))
    rename = "if it was renamed, map the names: --rename 's#^Get$#Fetch#'"
    assert rename in gone.remedy
    assert rename in new.remedy
    assert "if it was removed on purpose" in gone.remedy


def test_percentage_points_are_shown_without_exponents() -> None:
    failing = {("error_rate", "mean", "1"): {"none": (0.0001,) * 3, "otlp": (0.9996,) * 3}}
    verdicts = examples.verdicts(failing, "k6", "/ping")
    (finding,) = find_changed_shares(verdicts.comparisons, Evidence((), ()))
    assert ", +100 percentage points or " in finding.message


def test_changed_share_names_benchmark_and_part() -> None:
    failing = {("checks", "mean", "1"): {"none": (0.5,) * 3, "otlp": (0.9,) * 3}}
    comparisons = examples.verdicts(failing, "k6", "full").comparisons
    (row,) = comparisons.contrasts
    part = replace(row, params="vus=2", subject="group:redirect")
    (finding,) = find_changed_shares(replace(comparisons, contrasts=(part,)), Evidence((), ()))
    assert finding.where == "otlp on full, vus=2, group:redirect"
