"""A rename is suggested only if it makes names equal."""

from __future__ import annotations

import pytest

from benchkit.labels.matching import parse_rename, suggest_new_name, suggest_numbers, suggest_rename


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (["Over_Baseline/Ping", "Over_Baseline/Set"], ["Over/OTel_On/Ping", "Over/OTel_On/Set"]),
        (["Base/Ping"], ["With/Ping"]),
        (["Ping_off", "Get_off"], ["Ping_on", "Get_on"]),
    ],
)
def test_suggested_rule_makes_the_names_equal(left: list[str], right: list[str]) -> None:
    rule = parse_rename(suggest_rename(left, right))
    assert [rule.apply(name) for name in left] == [rule.apply(name) for name in right]


@pytest.mark.parametrize(
    ("left", "right"), [(["Ping"], ["Get"]), ([], ["Get"]), (["Ping", "Set"], ["Get", "Del"])]
)
def test_names_without_a_common_part_get_no_rule(left: list[str], right: list[str]) -> None:
    assert suggest_rename(left, right) == ""


def test_new_name_is_suggested_for_the_only_unmatched_one() -> None:
    rule = parse_rename(suggest_new_name(["GET / Path.Clean"], ["GET / Path/Clean+"]))
    assert rule.apply("Path.Clean") == "Path/Clean+"
    assert rule.apply("PathxClean") == "PathxClean"
    assert suggest_new_name(["A", "B"], ["C"]) == suggest_new_name(["A"], []) == ""
    assert suggest_new_name(["GET / A"], ["PUT / B"]) == ""  # a rename does not see headings


def test_no_rule_is_suggested_for_headings() -> None:
    assert suggest_rename(["Before / A", "Before / B"], ["After / A", "After / B"]) == ""
    assert suggest_rename(["GET / Base/A"], ["PUT / With/A"]) == ""


@pytest.mark.parametrize(
    ("left", "right", "option"),
    [
        (["bench-7", "bench-8"], ["bench-10"], "--rename 's#[-_. ]*[0-9]+$##'"),
        (["70", "80"], ["90"], "--rename 's#^[0-9]+$#all#'"),
        (["Get-7/a"], ["Get-9/a"], "--rename 's#[-_. ]*[0-9]+##'"),
        (["100 / /a"], ["110 / /a"], "write `Run` before it in the heading"),
    ],
)
def test_names_that_differ_in_a_number_get_an_option(
    left: list[str], right: list[str], option: str
) -> None:
    assert option in suggest_numbers(left, right)
    assert f"{left[0]} and {right[0]}" in suggest_numbers(left, right)


def test_names_that_differ_in_more_than_a_number_get_no_option() -> None:
    assert suggest_numbers(["Get-7"], ["Put-8"]) == ""
