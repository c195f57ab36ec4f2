"""Intended changes: the keys of `[[history.accept]]`."""

from __future__ import annotations

import pytest

from benchkit.config import parse
from benchkit.config.acceptance import Accepted, parse_acceptances
from benchkit.errors import ConfigError


def test_changes_are_accepted_by_commit_and_reason() -> None:
    table = {"commit": "abc1234", "reason": "TLS"}
    assert parse({"history": {"accept": [table]}}).accept == (Accepted("abc1234", "TLS"),)


@pytest.mark.parametrize(
    ("accept", "message"),
    [
        ({"commit": "abc1234"}, "`accept` is not a list of tables"),
        ([{"commit": "abc1234"}], "reason is not a string"),
        ([{"commit": "abc1234", "reason": ""}], "reason is empty"),
        ([{"commit": "abc", "reason": "TLS"}], "'abc' is not a commit"),
        ([{"commit": "abc1234", "why": "TLS"}], "unknown key 'why'"),
    ],
)
def test_invalid_acceptance_is_an_error(accept: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse({"history": {"accept": accept}})


def test_another_key_of_the_history_is_an_error() -> None:
    with pytest.raises(ConfigError, match="did you mean 'accept'"):
        parse({"history": {"accepts": []}})


def test_commit_may_be_abbreviated() -> None:
    assert Accepted("abc1234", "TLS").names("abc1234ff")
    assert Accepted("abc1234ff", "TLS").names("abc1234")
    assert not Accepted("abc1234", "TLS").names("abc1235ff")


@pytest.mark.parametrize("until", ["tomorrow", "abc123", "2026-13-01", "v1.2.345"])
def test_acceptance_ends_at_a_date_or_a_commit(until: str) -> None:
    with pytest.raises(ConfigError, match="`until` is") as error:
        parse_acceptances([{"benchmark": "Ping", "until": until}], "benchkit.toml")
    assert "use a date, 2026-12-31, or at least 7 digits (0-9, a-f) of a commit" in error.value.hint
    (kept,) = parse_acceptances([{"benchmark": "Ping", "until": "ABC1234"}], "benchkit.toml")
    assert kept.until == "ABC1234"
