"""A short form of every campaign, and requirements on the campaigns themselves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import soak.regexes
from soak import inputs
from soak.__main__ import main
from soak.campaign import CAMPAIGNS, Budget, Outcome, run, seconds
from soak.mutation import make
from soak.record import PATH, Record, Row, read_record, write_table

#: Per campaign, the share of a whole run's trials; together they take less than 40 s.
SHARES = {
    "inputs": 0.0015,
    "names": 0.04,
    "kills": 0.05,
    "growth": 0.07,
    "disk": 0.05,
    "damage": 0.05,
    "writers": 0.05,
    "sanitizers": 0.02,
}


@pytest.mark.parametrize("name", SHARES)
def test_short_campaign_has_no_loss(name: str, tmp_path: Path) -> None:
    outcome = run(name, Budget(tmp_path, seconds=300.0, seed=1, scale=SHARES[name]))
    assert outcome.trials
    assert outcome.losses == []


def test_whole_run_takes_at_most_45_minutes() -> None:
    assert sum(map(seconds, CAMPAIGNS)) <= 45 * 60


def test_shortened_campaign_is_marked() -> None:
    row = Row("kills", "kills", 2.0, 50, [], {}, 130)
    assert "| 50 of 130 |" in write_table(Record("abc", 1, 2, [row]))


def test_run_is_logged_recorded_and_fails_on_losses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(budget: Budget) -> Outcome:
        raise OSError(f"{budget.folder}/store: {soak.regexes.__file__}")

    monkeypatch.setattr(soak.regexes, "run", lambda _: Outcome(7))
    out, log = tmp_path / "soak.json", tmp_path / "soak.log"
    arguments = ["regexes", "--out", str(out), "--log", str(log)]
    assert main(arguments) == 0
    monkeypatch.setattr(soak.regexes, "run", fail)
    assert main(arguments) == 1
    record = read_record(out)
    assert [row.trials for row in record.rows] == [0]
    (loss,) = record.rows[0].losses
    assert "OSError: store: tests/soak/regexes.py" in loss
    assert str(tmp_path) not in out.read_text()
    assert "0 of 0 trials, 1 losses" in log.read_text()


def test_record_covers_all_campaigns_and_contains_no_local_paths() -> None:
    assert [row.name for row in read_record().rows] == list(CAMPAIGNS)
    places = r"/(?:tmp|home|root|usr|opt|work|Users|site-packages)/"
    assert re.search(places, PATH.read_text(encoding="utf-8")) is None


def test_input_is_determined_by_its_number() -> None:
    assert make(1, 7).data == make(1, 7).data != make(1, 8).data != make(2, 7).data


def test_value_missing_from_the_text_is_a_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    mutants = [make(1, number) for number in range(12)]
    assert [loss for mutant in mutants for loss in inputs.check(mutant, 1)[0]] == []
    monkeypatch.setattr(inputs, "numbers", lambda _line, _form: [])
    losses = [loss for mutant in mutants for loss in inputs.check(mutant, 1)[0]]
    assert "does not stand on line" in losses[0]
