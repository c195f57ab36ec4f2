"""Order findings fire where the order can bias, and are silent on rotated, steady sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
import sessions
from examples import RATES

from benchkit import schema
from benchkit.audit import audit
from benchkit.audit.order import take_out_drift
from benchkit.errors import Finding
from benchkit.tables.sentence import bullets
from benchkit.verdict import judge

VARIANTS = tuple(RATES)
ORDER_CODES = {"B330", "B331", "B332"}
PAIR = ("none", "otlp")


def list_findings(
    values: Mapping[str, Sequence[float]], order: Sequence[str] | None
) -> list[Finding]:
    comparisons, runs = sessions.compared(values, order)
    return [finding for finding in audit(comparisons, runs) if finding.code in ORDER_CODES]


def drifting(order: Sequence[str], drift: float, seed: int = 4) -> dict[str, list[float]]:
    """Two equal variants on a machine that slows down during the session, runs 1 % apart."""
    rng = np.random.default_rng(seed)
    values: dict[str, list[float]] = {name: [] for name in PAIR}
    for place, name in enumerate(order):
        log = rng.normal(0, 0.01) - drift * place / (len(order) - 1)
        values[name].append(1e4 * float(np.exp(log)))
    return values


def test_all_of_one_side_before_the_other_is_reported() -> None:
    order = ["none"] * 8 + ["otlp"] * 8
    (finding,) = list_findings(drifting(order, 0.0), order)
    assert (finding.code, finding.severity, finding.where) == ("B330", "warning", "none, otlp")
    assert finding.message.startswith("all runs of 'none' were made before those of 'otlp'")


def test_most_of_one_side_before_the_other_is_reported() -> None:
    values = {name: RATES[name] for name in PAIR}
    (finding, *_) = list_findings(values, ["otlp"] * 6 + ["none"] * 2 + ["otlp"] * 2 + ["none"] * 6)
    assert finding.message.startswith("most runs of 'otlp' were made before those of 'none'")


@pytest.mark.parametrize("order", [["none", "otlp", "otlp", "none"] * 4, None])
def test_alternating_or_unrecorded_order_has_no_finding(order: list[str] | None) -> None:
    steady = drifting(["none", "otlp"] * 8, 0.0)
    assert list_findings(steady, order) == []


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        (("a.txt", "b.txt"), "all runs of 'none' and 'otlp' are in one file each, so"),
        (("-", "/dev/fd/63"), "all runs of 'none' and 'otlp' come through one pipe each, so"),
    ],
)
def test_sides_with_one_source_each_have_no_order(paths: tuple[str, str], message: str) -> None:
    comparisons, runs = sessions.compared(drifting(["none", "otlp"] * 8, 0.0), None)
    sources = dict(zip(PAIR, ([{"path": path, "sha256": path}] for path in paths), strict=True))
    runs["sources"] = runs["variant"].map(sources)
    (finding,) = (each for each in audit(comparisons, runs) if each.code in ORDER_CODES)
    assert finding.message.startswith(message)


def test_variant_that_is_always_first_is_reported() -> None:
    (finding,) = list_findings(sessions.STARVED, list(sessions.STARVED) * 6)
    assert (finding.code, finding.severity, finding.where) == ("B331", "info", "none")
    assert finding.numbers == {"blocks": 6, "benchmarks": 1}


def test_two_rounds_are_too_few_to_report_a_fixed_first() -> None:
    few = {name: RATES[name][:2] for name in PAIR}
    assert list_findings(few, list(PAIR) * 2) == []


def test_drift_on_one_side_is_removed_from_the_change() -> None:
    order = ["none"] * 8 + ["otlp"] * 8
    one_sided, drift = list_findings(drifting(order, 0.10), order)
    assert (one_sided.code, drift.code, drift.severity) == ("B330", "B332", "warning")
    assert drift.numbers["drift"] == pytest.approx(-0.095, abs=0.02)
    assert drift.numbers["adjusted_change otlp"] == pytest.approx(0.0, abs=0.025)


def test_drift_on_both_sides_is_informational() -> None:
    order = ["none", "otlp", "otlp", "none"] * 4
    (drift,) = list_findings(drifting(order, 0.10), order)
    assert (drift.code, drift.severity) == ("B332", "info")
    assert drift.numbers["p"] <= 0.05  # type: ignore[operator]


def test_quiet_set_drifted_by_two_percent_without_effect() -> None:
    order = sessions.rotated(("none", "otlp", "zipkin", "apm", "skywalking"), 8)
    (drift,) = list_findings(RATES, order)
    assert (drift.code, drift.severity) == ("B332", "info")
    assert drift.numbers["drift"] == pytest.approx(-0.021, abs=0.002)
    assert drift.numbers["adjusted_change otlp"] == pytest.approx(-0.131, abs=0.002)


def test_negligible_drift_is_not_reported() -> None:
    order = ["none", "otlp", "otlp", "none"] * 4
    steady = {
        name: [1e4 * (1 - 0.0005 * place) for place, v in enumerate(order) if v == name]
        for name in PAIR
    }
    assert list_findings(steady, order) == []


def test_false_drift_rate_is_about_the_stated_one() -> None:
    order = ["none", "otlp", "otlp", "none"] * 4
    alarms = [bool(list_findings(drifting(order, 0.0, seed), order)) for seed in range(60)]
    assert np.mean(alarms) <= 0.05 + 3 * (0.05 * 0.95 / 60) ** 0.5


def test_order_by_block_and_position_is_recognised() -> None:
    comparisons, runs = sessions.compared(sessions.STARVED, list(sessions.STARVED) * 6)
    untimed = schema.runs(runs.assign(started_at=None))
    codes = [f.code for f in audit(comparisons, untimed) if f.code in ORDER_CODES]
    assert codes == ["B331"]


def test_drift_that_moves_a_change_is_noted_with_the_headline() -> None:
    order = ["none"] * 8 + ["otlp"] * 8
    comparisons, runs = sessions.compared(drifting(order, 0.10), order)
    judged = judge(take_out_drift(comparisons, runs))
    (row,) = judged.primary
    assert row.contrast.drift is not None
    assert row.contrast.drift.change == pytest.approx(0.0, abs=0.025)
    assert row.contrast.drift.plain == pytest.approx(-0.05, abs=0.02)
    assert any(
        "the runs drift (B332): the difference of the means is −" in note for note in row.notes
    )
    assert bullets(judged)[0].startswith(
        "The runs drift (B332). After a linear trend is removed, the change is: otlp, requests/s "
    )


def test_drift_without_effect_appears_only_in_the_findings() -> None:
    order = ["none", "otlp", "otlp", "none"] * 4
    comparisons, runs = sessions.compared(drifting(order, 0.10), order)
    assert take_out_drift(comparisons, runs) == comparisons
