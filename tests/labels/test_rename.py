"""Rename rules behave like those of sed."""

from __future__ import annotations

import pytest

from benchkit.errors import ConfigError
from benchkit.labels.matching import make_rename, parse_rename

OVERHEAD = r"s#OTelOverhead(_Baseline|/OTel_\w+)/#OTelOverhead/#"


@pytest.mark.parametrize(
    ("rule", "name", "expected"),
    [
        (OVERHEAD, "OTelOverhead_Baseline/Ping", "OTelOverhead/Ping"),
        (OVERHEAD, "OTelOverhead/OTel_Enabled/Ping", "OTelOverhead/Ping"),
        (OVERHEAD, "Redis/Ping", "Redis/Ping"),
        ("s/a/b/", "aaa", "baa"),
        ("s/a/b/g", "aaa", "bbb"),
        ("s/A/b/i", "aaa", "baa"),
        ("s/A/b/gi", "aaa", "bbb"),
        (r"s/\/v1\//\//", "/v1/ping", "/ping"),
        (r"s|(\w+)-(\w+)|\2-\1|", "old-new", "new-old"),
        ("s#-2$##", "Ping-2", "Ping"),
    ],
)
def test_rename_rules(rule: str, name: str, expected: str) -> None:
    assert parse_rename(rule).apply(name) == expected


@pytest.mark.parametrize(
    "rule",
    ["", "s", "s#", "s#a", "s#a#b", "s##b#", "saxbxcx", "y#a#b#", "s#a#b#x", "s#(a#b#", r"s#a#\2#"],
)
def test_invalid_rule_is_refused(rule: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse_rename(rule)
    assert error.value.where == "rename"
    assert error.value.hint


def test_rule_of_the_configuration_replaces_every_match() -> None:
    assert make_rename("_+", "-").apply("a__b_c") == "a-b-c"
