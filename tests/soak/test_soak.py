"""A short form of every campaign, and what the campaigns themselves must do."""

from __future__ import annotations

from pathlib import Path

import pytest

from soak import inputs
from soak.campaign import CAMPAIGNS, Budget, run, seconds
from soak.mutation import make
from soak.record import Row, write_table

#: Per campaign, the share of a whole run's trials; all together take less than 40 s.
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
def test_a_short_campaign_has_no_loss(name: str, tmp_path: Path) -> None:
    outcome = run(name, Budget(tmp_path, seconds=60.0, seed=1, scale=SHARES[name]))
    assert outcome.trials
    assert outcome.losses == []


def test_a_whole_run_takes_thirty_minutes_at_most() -> None:
    assert sum(map(seconds, CAMPAIGNS)) <= 30 * 60


def test_a_campaign_that_was_cut_says_so() -> None:
    row = Row("kills", "kills", "abc", 1, 2.0, 50, [], {}, 130)
    assert "| 50 of 130 |" in write_table([row])


def test_an_input_follows_from_its_number() -> None:
    assert make(1, 7).data == make(1, 7).data != make(1, 8).data != make(2, 7).data


def test_a_value_that_the_text_does_not_state_is_a_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    mutant = next(m for m in (make(1, n) for n in range(50)) if m.text.form.name == "wrk")
    assert inputs.check(mutant, 1)[0] == []
    monkeypatch.setattr(inputs, "numbers", lambda _: [])
    assert "does not stand on line" in inputs.check(mutant, 1)[0][0]
