"""Order findings fire on what the order can spoil, and are silent on rotated, steady sessions."""

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


def found(values: Mapping[str, Sequence[float]], order: Sequence[str] | None) -> list[Finding]:
    comparisons, runs = sessions.compared(values, order)
    return [finding for finding in audit(comparisons, runs) if finding.code in ORDER_CODES]


def drifting(order: Sequence[str], drift: float, seed: int = 4) -> dict[str, list[float]]:
    """Two equal variants on a machine that slows down over the session, runs 1 % apart."""
    rng = np.random.default_rng(seed)
    values: dict[str, list[float]] = {name: [] for name in PAIR}
    for place, name in enumerate(order):
        log = rng.normal(0, 0.01) - drift * place / (len(order) - 1)
        values[name].append(1e4 * float(np.exp(log)))
    return values


def test_all_of_one_before_all_of_the_other_is_told() -> None:
    order = ["none"] * 8 + ["otlp"] * 8
    (finding,) = found(drifting(order, 0.0), order)
    assert (finding.code, finding.severity, finding.where) == ("B330", "warning", "none, otlp")
    assert finding.message.startswith("all runs of 'none' were made before those of 'otlp'")


def test_most_of_one_before_most_of_the_other_is_told() -> None:
    values = {name: RATES[name] for name in PAIR}
    (finding, *_) = found(values, ["otlp"] * 6 + ["none"] * 2 + ["otlp"] * 2 + ["none"] * 6)
    assert finding.message.startswith("most runs of 'otlp' were made before those of 'none'")


@pytest.mark.parametrize("order", [["none", "otlp", "otlp", "none"] * 4, None])
def test_in_turn_or_without_a_recorded_order_nothing_is_told(order: list[str] | None) -> None:
    steady = drifting(["none", "otlp"] * 8, 0.0)
    assert found(steady, order) == []


@pytest.mark.parametrize(
    ("paths", "says"),
    [
        (("a.txt", "b.txt"), "all runs of 'none' and 'otlp' are in one file each, so"),
        (("-", "/dev/fd/63"), "all runs of 'none' and 'otlp' come through one pipe each, so"),
    ],
)
def test_sides_of_one_source_each_have_no_order(paths: tuple[str, str], says: str) -> None:
    comparisons, runs = sessions.compared(drifting(["none", "otlp"] * 8, 0.0), None)
    sources = dict(zip(PAIR, ([{"path": path, "sha256": path}] for path in paths), strict=True))
    runs["sources"] = runs["variant"].map(sources)
    (finding,) = (each for each in audit(comparisons, runs) if each.code in ORDER_CODES)
    assert finding.message.startswith(says)


def test_one_variant_that_is_always_first_is_told() -> None:
    (finding,) = found(sessions.STARVED, list(sessions.STARVED) * 6)
    assert (finding.code, finding.severity, finding.where) == ("B331", "info", "none")
    assert finding.numbers == {"blocks": 6, "benchmarks": 1}


def test_two_rounds_are_too_few_to_call_a_first_fixed() -> None:
    few = {name: RATES[name][:2] for name in PAIR}
    assert found(few, list(PAIR) * 2) == []


def test_a_drift_that_fell_on_one_side_is_taken_out_of_the_change() -> None:
    order = ["none"] * 8 + ["otlp"] * 8
    one_sided, drift = found(drifting(order, 0.10), order)
    assert (one_sided.code, drift.code, drift.severity) == ("B330", "B332", "warning")
    assert drift.numbers["drift"] == pytest.approx(-0.095, abs=0.02)
    assert drift.numbers["adjusted_change otlp"] == pytest.approx(0.0, abs=0.025)


def test_a_drift_that_touched_both_sides_alike_is_for_information() -> None:
    order = ["none", "otlp", "otlp", "none"] * 4
    (drift,) = found(drifting(order, 0.10), order)
    assert (drift.code, drift.severity) == ("B332", "info")
    assert drift.numbers["p"] <= 0.05  # type: ignore[operator]


def test_the_quiet_set_slowed_down_by_two_percent_and_it_did_not_matter() -> None:
    order = sessions.rotated(("none", "otlp", "zipkin", "apm", "skywalking"), 8)
    (drift,) = found(RATES, order)
    assert (drift.code, drift.severity) == ("B332", "info")
    assert drift.numbers["drift"] == pytest.approx(-0.021, abs=0.002)
    assert drift.numbers["adjusted_change otlp"] == pytest.approx(-0.131, abs=0.002)


def test_a_drift_below_what_matters_is_not_told() -> None:
    order = ["none", "otlp", "otlp", "none"] * 4
    steady = {
        name: [1e4 * (1 - 0.0005 * place) for place, v in enumerate(order) if v == name]
        for name in PAIR
    }
    assert found(steady, order) == []


def test_steady_machines_are_called_drifting_at_about_the_stated_rate() -> None:
    order = ["none", "otlp", "otlp", "none"] * 4
    told = [bool(found(drifting(order, 0.0, seed), order)) for seed in range(60)]
    assert np.mean(told) <= 0.05 + 3 * (0.05 * 0.95 / 60) ** 0.5


def test_an_order_by_block_and_position_is_one_too() -> None:
    comparisons, runs = sessions.compared(sessions.STARVED, list(sessions.STARVED) * 6)
    untimed = schema.runs(runs.assign(started_at=None))
    codes = [f.code for f in audit(comparisons, untimed) if f.code in ORDER_CODES]
    assert codes == ["B331"]


def test_a_drift_that_moves_a_change_is_said_beside_the_headline() -> None:
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


def test_a_drift_that_moves_nothing_is_left_to_the_findings() -> None:
    order = ["none", "otlp", "otlp", "none"] * 4
    comparisons, runs = sessions.compared(drifting(order, 0.10), order)
    assert take_out_drift(comparisons, runs) == comparisons
