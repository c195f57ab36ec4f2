"""A rename is suggested where one brings names together, and nowhere else."""

from __future__ import annotations

import pytest

from benchkit.labels.matching import suggest_rename
from benchkit.labels.rename import parse_rename


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (["Over_Baseline/Ping", "Over_Baseline/Set"], ["Over/OTel_On/Ping", "Over/OTel_On/Set"]),
        (["Base/Ping"], ["With/Ping"]),
        (["Ping_off", "Get_off"], ["Ping_on", "Get_on"]),
    ],
)
def test_the_suggested_rule_makes_the_names_equal(left: list[str], right: list[str]) -> None:
    rule = parse_rename(suggest_rename(left, right))
    assert [rule.apply(name) for name in left] == [rule.apply(name) for name in right]


@pytest.mark.parametrize(
    ("left", "right"), [(["Ping"], ["Get"]), ([], ["Get"]), (["Ping", "Set"], ["Get", "Del"])]
)
def test_names_that_have_nothing_in_common_get_no_rule(left: list[str], right: list[str]) -> None:
    assert suggest_rename(left, right) == ""


def test_no_rule_is_suggested_for_headings_which_a_rename_does_not_see() -> None:
    assert suggest_rename(["Before / A", "Before / B"], ["After / A", "After / B"]) == ""
    assert suggest_rename(["GET / Base/A"], ["PUT / With/A"]) == ""
