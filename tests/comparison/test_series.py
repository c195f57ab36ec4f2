"""An early-stopping series is judged by its own tests or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from stopped import DESIGN, draw, write_series

import benchkit as bk
from benchkit.cli import run
from benchkit.comparison.series import look_back, read_stopping, write_stopping
from benchkit.stats import SequentialDesign

EFFECTS = {"none": 0.0, "otlp": 0.08, "apm": 0.0}


def row(folder: Path, variant: str = "otlp", **options: Any) -> Any:  # noqa: ANN401 - as compare has them
    return next(
        row
        for row in bk.load(str(folder)).compare(baseline="none", **options).verdicts.primary
        if row.contrast.variant == variant
    )


def remove(folder: Path, variant: str, number: int) -> None:
    for path in (folder / variant).glob(f"gobench-{number}.txt*"):
        path.unlink()


def test_rows_are_judged_at_the_look_that_decided_them(tmp_path: Path) -> None:
    folder = write_series(tmp_path / "results", draw(EFFECTS, 12))
    slower, same = row(folder), row(folder, "apm")
    assert (slower.word, same.word) == ("regression", "equivalent")
    assert {slower.contrast.method, same.contrast.method} == {"sequential"}
    assert (
        "decided after round 4 of at most 20; the later rounds, up to round 12"
    ) in slower.notes[-1]
    assert slower.contrast.n_variant == 12
    assert len(slower.contrast.arranged[0]) == 4


def test_interval_is_wider_than_for_the_same_number_of_fixed_runs(tmp_path: Path) -> None:
    sides = draw({"none": 0.0, "otlp": 0.04}, 8, spread=0.03)
    stopped = row(write_series(tmp_path / "stopped", sides)).contrast
    fixed = row(write_series(tmp_path / "fixed", sides, design=None)).contrast
    assert fixed.method != "sequential"
    assert stopped.ratio_low < fixed.ratio_low
    assert stopped.ratio_high > fixed.ratio_high
    assert stopped.ratio_low < stopped.equivalence_low
    low, high = look_back(stopped).find_interval(0.05)
    assert bk.load(str(tmp_path / "stopped")).compare().frame["p"][0] == stopped.pvalue
    assert low[0, -1] < 0 < high[0, -1]


def test_no_option_turns_it_into_a_fixed_series(tmp_path: Path) -> None:
    folder = write_series(tmp_path / "results", draw(EFFECTS, 8))
    for options in ({"method": "welch"}, {"method": "rank"}, {"blocks": "never"}):
        assert row(folder, **options).contrast.method == "sequential"


@pytest.mark.parametrize("number", [1, 3, 7])
def test_lost_run_leaves_a_finding_and_no_verdict(tmp_path: Path, number: int) -> None:
    folder = write_series(tmp_path / "results", draw(EFFECTS, 8))
    remove(folder, "otlp", number)
    lost = row(folder)
    assert (lost.word, lost.contrast.method) == ("inconclusive", "incomplete series")
    assert f"lacks its run of round {number}" in lost.notes[0]
    assert row(folder, "apm").word == "equivalent"
    findings = bk.load(str(folder)).compare(baseline="none").findings
    assert [f.where for f in findings if f.code == "B344"] == ["none, otlp, Get"]
    assert run(["gate", str(folder), "--baseline", "none", "--variant", "otlp"]) == 4


def test_unfinished_round_or_early_end_is_an_earlier_look(tmp_path: Path) -> None:
    folder = write_series(tmp_path / "results", draw(EFFECTS, 8))
    before = row(folder)
    remove(folder, "otlp", 8)
    after = row(folder)
    assert (after.word, after.contrast.ratio) == (before.word, before.contrast.ratio)
    for number in (4, 5, 6, 7):
        remove(folder, "otlp", number)
        for other in ("none", "apm"):
            remove(folder, other, number)
            remove(folder, other, 8)
    few = row(folder)
    assert few.word == "inconclusive"
    assert few.notes[0] == "3 rounds made; the first test is after round 4"
    remove(folder, "otlp", 3)
    under_way = row(folder).contrast.ratio
    remove(folder, "none", 3)
    assert row(folder).contrast.ratio == under_way


def test_runs_outside_the_series_are_not_mixed_in(tmp_path: Path) -> None:
    folder = write_series(tmp_path / "results", draw({"none": 0.0, "otlp": 0.08}, 8))
    write_series(folder, draw({"apm": 0.1}, 8), design=None)
    assert "apm has runs that are not part of the series" in row(folder, "apm").notes[0]
    assert row(folder).word == "regression"
    write_series(folder, draw({"apm": 0.1}, 8), design=SequentialDesign(least=4, most=30))
    assert "several series" in row(folder, "apm").notes[0]


def test_series_and_comparison_have_the_same_baseline(tmp_path: Path) -> None:
    folder = write_series(tmp_path / "r", draw({"main": 0.0, "v2": 0.1}, 4), baseline="v2")
    assert bk.load(folder).choose_pairs() == (("v2", "main"),)
    assert bk.load(folder).choose_pairs("main") == (("main", "v2"),)
    write_series(folder, draw({"v3": 0.0}, 4), baseline="v3")
    assert bk.load(folder).choose_pairs() == (("main", "v2"), ("main", "v3"))


def test_store_keeps_the_series(tmp_path: Path) -> None:
    folder = write_series(tmp_path / "results", draw(EFFECTS, 8))
    store = str(tmp_path / "store")
    assert run(["ingest", str(folder), "--store", store, "--quiet"]) == 0
    results = bk.load(store=store)
    assert results.compare(baseline="none").frame["method"].unique().tolist() == ["sequential"]
    stated = results.runs["stopping"].tolist()[0]
    assert read_stopping(stated)[0] == DESIGN


def test_gate_checks_a_limit_over_all_looks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_series(tmp_path / "results", draw({"none": 0.0, "otlp": 0.08}, 10))
    for limit, code in (("5%", 1), ("15%", 0), ("60ns", 1), ("150ns", 0)):
        arguments = ["gate", str(folder), "--max-overhead", f"time_per_op={limit}"]
        assert run([*arguments, "--format", "json"]) == code, limit
        (gate,) = json.loads(capsys.readouterr().out)["gates"]
        assert gate["rows"][0]["method"] == "sequential"


def test_facts_of_a_sidecar_are_read_back() -> None:
    stated = {name: f"{value}" for name, value in write_stopping(DESIGN, 3).items()}
    assert read_stopping(stated) == (DESIGN, 3)
    for change in ({"most": "3"}, {"spending": "all"}, {"round": "0"}, {"least": "x"}):
        assert read_stopping({**stated, **change}) == (None, 0)
    assert read_stopping({}) == (None, 0)


def test_early_decision_remains_after_all_rounds(tmp_path: Path) -> None:
    sides = draw({"none": 0.0, "otlp": 0.05, "apm": 0.0, "zipkin": 0.035}, 14, spread=0.02, seed=8)
    folder = write_series(tmp_path / "results", sides)
    judged: dict[int, dict[str, Any]] = {}
    for last in (14, 9, 7, 5):
        for variant in sides:
            for number in range(last + 1, 15):
                remove(folder, variant, number)
        verdicts = bk.load(str(folder)).compare(baseline="none").verdicts
        judged[last] = {row.contrast.variant: row for row in verdicts.primary}
    for variant, row_at_end in judged[14].items():
        for last in (9, 7, 5):
            early = judged[last][variant]
            if early.word != "inconclusive":
                assert early.word == row_at_end.word
                assert early.contrast.ratio == row_at_end.contrast.ratio
                assert (early.p_adjusted or 0.0) >= (row_at_end.p_adjusted or 0.0)
    assert {row.word for row in judged[9].values()} >= {"inconclusive", "regression"}
